"""Experiments: what was trained, swept or scored, kept so that it can be found, compared and repeated."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
