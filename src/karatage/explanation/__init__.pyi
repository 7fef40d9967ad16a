from karatage.explanation.changes import Changes as Changes
from karatage.explanation.common import Explained as Explained, S as S
from karatage.explanation.explaining import explain as explain
from karatage.explanation.explanation import Explanation as Explanation, System as System
from karatage.explanation.exporting import ENDINGS as ENDINGS, PAGES as PAGES, check_places as check_places
from karatage.explanation.gold_check.suspects import REVIEW_ENDINGS as REVIEW_ENDINGS
from karatage.explanation.search_explanation import SearchExplanation as SearchExplanation, SearchSystem as SearchSystem
from karatage.explanation.slices.slices import Slice as Slice
