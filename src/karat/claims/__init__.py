"""Units, claims as columns, tagging schemes as tables, one decoder and one encoder."""

from karat.claims.claims import NO_CODE, Claims, Pieces, Space, recode
from karat.claims.decoding import LENIENT, Decoder, Spans
from karat.claims.detection import detect
from karat.claims.encoding import encode, layers_of
from karat.claims.parsing import Style
from karat.claims.schemes import SCHEMES, Scheme, scheme
from karat.claims.tagged import Batch, Tagged, join_batches
from karat.claims.tags import Tags
from karat.claims.token_column import TextColumn, TokenColumn
from karat.claims.units import Units

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
