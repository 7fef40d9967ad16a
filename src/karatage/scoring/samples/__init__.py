"""Scores that logs have already: samples as units, paired by their ids, with the same tally as for search."""
