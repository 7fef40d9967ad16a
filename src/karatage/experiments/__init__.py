"""The experiment log: what was trained, swept or scored, to find, compare and repeat it."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
