"""eBay's aspect challenge: listings to tag, tagged titles, and submissions."""

from __future__ import annotations

from karatage.challenges.ebay_2025.listings import LISTINGS
from karatage.challenges.ebay_2025.submission_format import SUBMISSION
from karatage.challenges.ebay_2025.tagged_titles import TAGGED

FORMATS = {form.name: form for form in (TAGGED, LISTINGS, SUBMISSION)}
