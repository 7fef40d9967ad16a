"""Logs of other evaluation harnesses: scores that were given to samples already, read without gold."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
