from karatage.matching.alignment import Alignment as Alignment, Kind as Kind, Sides as Sides
from karatage.matching.exact import match_equal as match_equal, place as place, value as value
from karatage.matching.flat import SpanCounts as SpanCounts, count_spans as count_spans, match_spans as match_spans
from karatage.matching.label_verdicts import (
    LabelRules as LabelRules,
    Verdicts as Verdicts,
    judged_documents as judged_documents,
    verdicts as verdicts,
)
from karatage.matching.overlap import overlaps as overlaps
from karatage.matching.ranking import Places as Places, Ranking as Ranking, places_in as places_in, rank as rank
from karatage.matching.rules import RULES as RULES, Rule as Rule
from karatage.matching.unit_pairing import (
    Pair as Pair,
    Pairing as Pairing,
    TaggedPair as TaggedPair,
    UnitPolicy as UnitPolicy,
)
