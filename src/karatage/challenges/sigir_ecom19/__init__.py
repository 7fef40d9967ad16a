"""The SIGIR eCom'19 high-accuracy recall challenge."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
