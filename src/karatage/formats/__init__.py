"""File formats: one module each, a registry, detection, and errors that name file and line."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
