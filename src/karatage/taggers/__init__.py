"""Taggers: anything that turns texts into claims, trained here or elsewhere, and what the slow ones need."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
