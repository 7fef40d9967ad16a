"""Tallies of counts, and the metrics computed from them."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
