"""Matching: pair gold with predicted units, then entities with entities."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
