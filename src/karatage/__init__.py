"""Karatage tells how good an extractor really is.

```python
import karatage

r = karatage.score("gold.conll", "pred.conll", like="conlleval")
r["f1"].value
print(r)
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from karatage._version import __version__

if TYPE_CHECKING:
    from karatage.claims import Claims, Tags
    from karatage.comparing import compare
    from karatage.comparison import Comparison
    from karatage.corpus import Runs, Sets
    from karatage.errors import KaratageError
    from karatage.explaining.explain import explain
    from karatage.explaining.explanation import Explanation
    from karatage.facade import convert, read, scan, write
    from karatage.gating import Gate, gate
    from karatage.metrics import Metric, Score, Tally
    from karatage.planning import Plan, plan
    from karatage.profiles import Profile
    from karatage.result import Result
    from karatage.scoring import score

__all__ = [
    "Claims",
    "Comparison",
    "Explanation",
    "Gate",
    "KaratageError",
    "Metric",
    "Plan",
    "Profile",
    "Result",
    "Runs",
    "Score",
    "Sets",
    "Tags",
    "Tally",
    "__version__",
    "compare",
    "convert",
    "explain",
    "gate",
    "plan",
    "read",
    "scan",
    "score",
    "write",
]

# Loaded when first asked for, so that `import karatage` and `karatage --help` stay quick.
_HOMES = {
    "Claims": "karatage.claims",
    "Comparison": "karatage.comparison",
    "Explanation": "karatage.explaining.explanation",
    "Gate": "karatage.gating",
    "KaratageError": "karatage.errors",
    "Metric": "karatage.metrics",
    "Plan": "karatage.planning",
    "Profile": "karatage.profiles",
    "Result": "karatage.result",
    "Runs": "karatage.corpus",
    "Score": "karatage.metrics",
    "Sets": "karatage.corpus",
    "Tags": "karatage.claims",
    "Tally": "karatage.metrics",
    "compare": "karatage.comparing",
    "convert": "karatage.facade",
    "explain": "karatage.explaining.explain",
    "gate": "karatage.gating",
    "plan": "karatage.planning",
    "read": "karatage.facade",
    "scan": "karatage.facade",
    "score": "karatage.scoring",
    "write": "karatage.facade",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'karatage' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
