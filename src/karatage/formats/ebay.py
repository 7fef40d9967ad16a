"""eBay's aspect challenge: listings to tag, tagged titles, and submissions."""

from __future__ import annotations

from karatage.formats.ebay_listings import LISTINGS
from karatage.formats.ebay_submission import SUBMISSION
from karatage.formats.ebay_tagged import TAGGED

FORMATS = {form.name: form for form in (TAGGED, LISTINGS, SUBMISSION)}
