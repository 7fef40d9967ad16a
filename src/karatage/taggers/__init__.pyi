from karatage.taggers.hf_models import quiet as quiet, subword_limit as subword_limit
from karatage.taggers.protocol import (
    DROPPED as DROPPED,
    Offsets as Offsets,
    Span as Span,
    Tagger as Tagger,
    TextTagger as TextTagger,
    UnitTagger as UnitTagger,
    fingerprint as fingerprint,
    import_optional as import_optional,
    one_line as one_line,
    spans_of as spans_of,
)
from karatage.taggers.tagger_choices import WordSegmentation as WordSegmentation
from karatage.taggers.tagger_registry import (
    MODEL_CARD as MODEL_CARD,
    OpenOptions as OpenOptions,
    open_tagger as open_tagger,
    tagger_names as tagger_names,
)
from karatage.taggers.text_tagging import TaggedTexts as TaggedTexts, tag_texts as tag_texts
from karatage.taggers.unit_tagging import tag_batches as tag_batches
from karatage.taggers.word_segmentation import Segmenter as Segmenter
from karatage.taggers.word_snapping import snap as snap, tag_both as tag_both
