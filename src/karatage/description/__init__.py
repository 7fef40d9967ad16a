"""Describing data sets: counts, lengths, ambiguous texts, inconsistencies, duplicates, overlap of train and test."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
