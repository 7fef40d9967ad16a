"""Error analysis: kinds of error, slices, changes between systems, confidence, gold check."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
