from karatage.clicks.click_judgements import ClickJudgements as ClickJudgements, judge_clicks as judge_clicks
from karatage.clicks.click_options import ClickKeywords as ClickKeywords, ClickOptions as ClickOptions
from karatage.clicks.impression_plan import (
    ImpressionNeed as ImpressionNeed,
    ImpressionPlan as ImpressionPlan,
    plan_impressions as plan_impressions,
)
from karatage.clicks.interleaving import Interleaving as Interleaving, interleave as interleave
from karatage.clicks.interleaving_log import (
    InterleavingLog as InterleavingLog,
    read_interleaving as read_interleaving,
)
from karatage.clicks.position_bias import PositionBias as PositionBias
from karatage.clicks.qrels_files import check_outputs as check_outputs, write_judgements as write_judgements
from karatage.clicks.session_preference import SessionPreference as SessionPreference
from karatage.clicks.ubi_log import UbiLog as UbiLog
