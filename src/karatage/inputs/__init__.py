"""What users pass: paths, lists, data frames and claims, resolved once."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
