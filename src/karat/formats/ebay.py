"""eBay's aspect challenge: listings to tag, tagged titles, and submissions."""

from __future__ import annotations

from karat.formats.ebay_listings import LISTINGS
from karat.formats.ebay_submission import SUBMISSION
from karat.formats.ebay_tagged import TAGGED

FORMATS = {form.name: form for form in (TAGGED, LISTINGS, SUBMISSION)}
