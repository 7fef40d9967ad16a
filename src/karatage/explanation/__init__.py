"""Where it fails: errors by kind, slices, changes, confidence, and what looks wrong in the gold itself."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
