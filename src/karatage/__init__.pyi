from karatage._version import __version__ as __version__
from karatage.claims import Claims as Claims, Tags as Tags
from karatage.comparison import (
    Comparison as Comparison,
    Gate as Gate,
    Plan as Plan,
    compare as compare,
    gate as gate,
    plan as plan,
)
from karatage.description import (
    Description as Description,
    GradeAgreement as GradeAgreement,
    agree as agree,
    describe as describe,
)
from karatage.errors import KaratageError as KaratageError
from karatage.explanation import Explanation as Explanation, explain as explain
from karatage.inputs import (
    Annotators as Annotators,
    Runs as Runs,
    Sets as Sets,
    convert as convert,
    read as read,
    scan as scan,
    write as write,
)
from karatage.metrics import Metric as Metric, Score as Score, Tally as Tally
from karatage.profiles import Profile as Profile
from karatage.scoring import Result as Result, score as score
