"""Taggers: anything that turns texts into entities. Opening them by name, running them, journals.

A plugin adds a tagger by an entry point in the group `karatage.taggers`; see `karatage.taggers.tagger_registry`.
"""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
