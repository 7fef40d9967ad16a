from karatage.description.agreeing import agree as agree
from karatage.description.data_description import Description as Description
from karatage.description.data_overlap import DataOverlap as DataOverlap, SeenLabel as SeenLabel
from karatage.description.describing import describe as describe
from karatage.description.extraction_description import (
    AttributeSummary as AttributeSummary,
    ExtractionDescription as ExtractionDescription,
    FrequentValue as FrequentValue,
    GroupSummary as GroupSummary,
    LabelSummary as LabelSummary,
)
from karatage.description.grade_agreement import (
    SCORES as SCORES,
    GradeAgreement as GradeAgreement,
    OneGrade as OneGrade,
)
from karatage.description.listed_texts import (
    AmbiguousText as AmbiguousText,
    Duplicates as Duplicates,
    Excerpt as Excerpt,
    LabelUse as LabelUse,
    Listed as Listed,
    PartlyLabelled as PartlyLabelled,
    RepeatedUnit as RepeatedUnit,
)
from karatage.description.row_counts import Distribution as Distribution
from karatage.description.search_description import (
    QuerySummary as QuerySummary,
    RepeatedPair as RepeatedPair,
    RepeatedPairs as RepeatedPairs,
    SearchDescription as SearchDescription,
    SearchOverlap as SearchOverlap,
)
from karatage.description.tag_validity import TagValidity as TagValidity, Transition as Transition
