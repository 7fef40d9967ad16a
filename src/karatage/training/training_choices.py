"""Closed sets of options for training; this module is light, since the command line reads it at every start."""

from __future__ import annotations

from typing import Literal

ModelName = Literal["crf", "bilstm", "bilstm-crf", "transformer", "transformer-crf"]
"""The models that can be trained."""

Combination = Literal["mean", "vote"]
"""How an ensemble combines its members: by the mean of their probabilities, or by majority vote."""

TagScheme = Literal["IOB2", "IO"]
"""The tags of a label: B and I, or one tag."""
