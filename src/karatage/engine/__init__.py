"""Where work runs: in this process, on all cores of this machine, or on a Ray cluster."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
