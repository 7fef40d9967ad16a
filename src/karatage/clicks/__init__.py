"""Clicks: judgements from click logs with position bias corrected, and interleaving experiments."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
