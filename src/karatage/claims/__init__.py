"""Units, claims as columns, tagging schemes as tables, one decoder and one encoder."""

from karatage.claims.claims import NO_CODE, Claims, Pieces, Space, recode
from karatage.claims.decoding import LENIENT, Decoder, Spans
from karatage.claims.detection import detect
from karatage.claims.encoding import encode, layers_of
from karatage.claims.parsing import Style
from karatage.claims.schemes import SCHEMES, Scheme, scheme
from karatage.claims.tagged import Batch, Tagged, join_batches
from karatage.claims.tags import Tags
from karatage.claims.token_column import TextColumn, TokenColumn
from karatage.claims.units import Units

__all__ = [
    "LENIENT",
    "NO_CODE",
    "SCHEMES",
    "Batch",
    "Claims",
    "Decoder",
    "Pieces",
    "Scheme",
    "Space",
    "Spans",
    "Style",
    "Tagged",
    "Tags",
    "TextColumn",
    "TokenColumn",
    "Units",
    "detect",
    "encode",
    "join_batches",
    "layers_of",
    "recode",
    "scheme",
]
