from karatage.explanation.changes import Changes as Changes
from karatage.explanation.explaining import explain as explain
from karatage.explanation.explanation import (
    ErrorFilters as ErrorFilters,
    Explanation as Explanation,
    S as S,
)
from karatage.explanation.exporting import ENDINGS as ENDINGS, PAGES as PAGES, check_paths as check_paths
from karatage.explanation.extraction_explanation import (
    ExtractionExplanation as ExtractionExplanation,
    System as System,
)
from karatage.explanation.fixes import Fix as Fix
from karatage.explanation.gold_check.suspects import REVIEW_ENDINGS as REVIEW_ENDINGS, Suspects as Suspects
from karatage.explanation.sample_explanation import SampleExplanation as SampleExplanation, SampleSystem as SampleSystem
from karatage.explanation.search_explanation import SearchExplanation as SearchExplanation, SearchSystem as SearchSystem
from karatage.explanation.slices.slices import Slice as Slice
