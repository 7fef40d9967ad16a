"""Closed sets of options for taggers; this module is light, since the command line reads it at every start."""

from __future__ import annotations

from typing import Literal

WordSegmentation = Literal["own", "spaces", "estnltk"]
"""The words that spans are made of. `own` keeps the tagger's spans, or a model's subwords, as they are."""
