from karatage.comparison.comparing import compare as compare, named_systems as named_systems, short_names as short_names
from karatage.comparison.comparison import Comparison as Comparison, Contest as Contest, Difference as Difference
from karatage.comparison.gating import Gate as Gate, gate as gate
from karatage.comparison.margins import MarginTest as MarginTest
from karatage.comparison.planning import Plan as Plan, plan as plan
from karatage.comparison.set_contest import SetContest as SetContest, SetDifference as SetDifference
from karatage.comparison.significance_tests import TestName as TestName
