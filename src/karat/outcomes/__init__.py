"""What became of every claim: right, or wrong in which way, with its text and what stands around it."""

from karat.outcomes.details import DETAILS, Detail
from karat.outcomes.frames import COLUMNS, KIND_NAMES, errors_frame, wanted_kind
from karat.outcomes.outcomes import Outcomes
from karat.outcomes.texts import Texts

__all__ = ["COLUMNS", "DETAILS", "KIND_NAMES", "Detail", "Outcomes", "Texts", "errors_frame", "wanted_kind"]
