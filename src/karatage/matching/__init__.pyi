from karatage.matching.equality import (
    match_equal as match_equal,
    span_columns as span_columns,
    unpaired as unpaired,
    value_codes as value_codes,
)
from karatage.matching.flat import SpanCounts as SpanCounts, count_spans as count_spans, match_spans as match_spans
from karatage.matching.grounding import (
    NOWHERE as NOWHERE,
    WITHIN_TOKENS as WITHIN_TOKENS,
    Ground as Ground,
    Grounded as Grounded,
    absent as absent,
    ground as ground,
    texts_known as texts_known,
)
from karatage.matching.id_spelling import NearIds as NearIds, folded as folded, near_ids as near_ids
from karatage.matching.label_rules import LabelRules as LabelRules
from karatage.matching.label_verdicts import (
    Verdicts as Verdicts,
    judged_documents as judged_documents,
    opposite_pairs as opposite_pairs,
    verdicts as verdicts,
)
from karatage.matching.normal_forms import (
    composed as composed,
    form_difference as form_difference,
    form_of as form_of,
)
from karatage.matching.overlap import overlaps as overlaps
from karatage.matching.ranking import (
    Ranking as Ranking,
    ResultRanks as ResultRanks,
    places as places,
    rank as rank,
    ranks_in as ranks_in,
)
from karatage.matching.rules import (
    Alignment as Alignment,
    ClaimPair as ClaimPair,
    Kind as Kind,
    Rule as Rule,
    get_rule as get_rule,
    rule_names as rule_names,
)
from karatage.matching.span_rules import SpanRule as SpanRule
from karatage.matching.unit_pairing import (
    Pair as Pair,
    Pairing as Pairing,
    TaggedPair as TaggedPair,
    UnitNotes as UnitNotes,
    UnitPolicy as UnitPolicy,
)
from karatage.matching.value_forms import VALUE_FORMS as VALUE_FORMS, ValueForm as ValueForm
