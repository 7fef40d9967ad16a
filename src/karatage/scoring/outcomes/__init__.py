"""What became of every claim: right, or wrong in which way, with its text and what stands around it."""

from karatage.scoring.outcomes.claim_texts import Texts
from karatage.scoring.outcomes.error_frames import COLUMNS, KIND_NAMES, errors_frame, wanted_kind
from karatage.scoring.outcomes.error_kinds import DETAILS, Detail
from karatage.scoring.outcomes.outcomes import Outcomes

__all__ = ["COLUMNS", "DETAILS", "KIND_NAMES", "Detail", "Outcomes", "Texts", "errors_frame", "wanted_kind"]
