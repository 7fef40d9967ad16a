"""Scoring a search engine: the same tally as for an extractor, with queries as units and documents as claims."""

from karatage.scoring.search.search import Search

__all__ = ["Search"]
