"""Reports: tables for the terminal and for notebooks, and HTML pages."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
