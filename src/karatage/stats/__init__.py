"""Statistics: resampling, confidence intervals, paired tests, ranks, power."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
