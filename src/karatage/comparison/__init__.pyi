from karatage.comparison.comparing import compare as compare
from karatage.comparison.comparing_logs import ComparedLogs as ComparedLogs
from karatage.comparison.comparison import Comparison as Comparison, Contest as Contest, Difference as Difference
from karatage.comparison.difference_origin import Origin as Origin
from karatage.comparison.gate_result import Gate as Gate
from karatage.comparison.gating import NEW as NEW, OLD as OLD, gate as gate
from karatage.comparison.git_versions import file_at as file_at
from karatage.comparison.lead import Lead as Lead
from karatage.comparison.margins import MarginTest as MarginTest
from karatage.comparison.planning import Plan as Plan, plan as plan
from karatage.comparison.pull_check import PullCheck as PullCheck, check_pull as check_pull
from karatage.comparison.query_changes import ChangedQueries as ChangedQueries, QueryChanges as QueryChanges
from karatage.comparison.set_contest import SetContest as SetContest, SetDifference as SetDifference
from karatage.comparison.significance_tests import TestName as TestName
from karatage.comparison.system_names import named_systems as named_systems, short_names as short_names
