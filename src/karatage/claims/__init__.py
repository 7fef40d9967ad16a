"""Units, claims as columns, tagging schemes as tables, one decoder and one encoder."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
