"""What became of every claim: right, or wrong in which way, with its text and what stands around it."""

from karatage.outcomes.details import DETAILS, Detail
from karatage.outcomes.frames import COLUMNS, KIND_NAMES, errors_frame, wanted_kind
from karatage.outcomes.outcomes import Outcomes
from karatage.outcomes.texts import Texts

__all__ = ["COLUMNS", "DETAILS", "KIND_NAMES", "Detail", "Outcomes", "Texts", "errors_frame", "wanted_kind"]
