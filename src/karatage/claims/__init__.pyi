from karatage.claims.adjacent import merge_adjacent as merge_adjacent
from karatage.claims.building import Fragments as Fragments, Space as Space
from karatage.claims.byte_tokens import ByteTokens as ByteTokens
from karatage.claims.claims import NO_CODE as NO_CODE, Claims as Claims, recode as recode
from karatage.claims.decoding import (
    LENIENT as LENIENT,
    SEQEVAL_IOE1 as SEQEVAL_IOE1,
    Flavour as Flavour,
    Spans as Spans,
    TagDecoder as TagDecoder,
    continue_empty as continue_empty,
)
from karatage.claims.detection import detect as detect, detect_like_seqeval as detect_like_seqeval
from karatage.claims.encoding import encode as encode, layers_of as layers_of
from karatage.claims.fingerprints import (
    Keys as Keys,
    combined as combined,
    keys_of_units as keys_of_units,
    sequence_keys as sequence_keys,
    sums as sums,
)
from karatage.claims.interning import (
    BREAK as BREAK,
    OUTSIDE as OUTSIDE,
    PADDING as PADDING,
    TagVocabulary as TagVocabulary,
)
from karatage.claims.parsing import Style as Style, read_tag as read_tag
from karatage.claims.relevance import (
    ABSENT as ABSENT,
    IRRELEVANT as IRRELEVANT,
    ODD as ODD,
    RELEVANT as RELEVANT,
    UNJUDGED as UNJUDGED,
    Matrix as Matrix,
    Relevance as Relevance,
)
from karatage.claims.schemes import SCHEMES as SCHEMES, Scheme as Scheme, scheme as scheme
from karatage.claims.tagged import Batch as Batch, Tagged as Tagged, join_batches as join_batches, units_of as units_of
from karatage.claims.tags import Tags as Tags
from karatage.claims.token_column import TextColumn as TextColumn, TokenColumn as TokenColumn, starts_of as starts_of
from karatage.claims.units import Units as Units
