from karatage.taggers.applying import tag_batches as tag_batches
from karatage.taggers.hf_models import limit_of as limit_of, quiet as quiet
from karatage.taggers.opening import open_tagger as open_tagger
from karatage.taggers.protocol import (
    DROPPED as DROPPED,
    Place as Place,
    Span as Span,
    Tagger as Tagger,
    TextTagger as TextTagger,
    fingerprint as fingerprint,
    needed as needed,
    one_line as one_line,
    spans_of as spans_of,
)
from karatage.taggers.running import Tagging as Tagging, run as run
from karatage.taggers.snapping import snap as snap, tag_both as tag_both
from karatage.taggers.word_segmentation import Words as Words
