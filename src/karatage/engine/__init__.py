"""Where work runs: in this process, or on all cores of this machine."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
