"""Karat tells how good an extractor really is.

```python
import karat

r = karat.score("gold.conll", "pred.conll", like="conlleval")
r["f1"].value
print(r)
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from karat._version import __version__

if TYPE_CHECKING:
    from karat.claims import Claims, Tags
    from karat.comparing import compare
    from karat.comparison import Comparison
    from karat.corpus import Runs, Sets
    from karat.errors import KaratError
    from karat.explaining.explain import explain
    from karat.explaining.explanation import Explanation
    from karat.facade import convert, read, scan, write
    from karat.gating import Gate, gate
    from karat.metrics import Metric, Score, Tally
    from karat.planning import Plan, plan
    from karat.profiles import Profile
    from karat.result import Result
    from karat.scoring import score

__all__ = [
    "Claims",
    "Comparison",
    "Explanation",
    "Gate",
    "KaratError",
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

# Loaded when first asked for, so that `import karat` and `karat --help` stay quick.
_HOMES = {
    "Claims": "karat.claims",
    "Comparison": "karat.comparison",
    "Explanation": "karat.explaining.explanation",
    "Gate": "karat.gating",
    "KaratError": "karat.errors",
    "Metric": "karat.metrics",
    "Plan": "karat.planning",
    "Profile": "karat.profiles",
    "Result": "karat.result",
    "Runs": "karat.corpus",
    "Score": "karat.metrics",
    "Sets": "karat.corpus",
    "Tags": "karat.claims",
    "Tally": "karat.metrics",
    "compare": "karat.comparing",
    "convert": "karat.facade",
    "explain": "karat.explaining.explain",
    "gate": "karat.gating",
    "plan": "karat.planning",
    "read": "karat.facade",
    "scan": "karat.facade",
    "score": "karat.scoring",
    "write": "karat.facade",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'karat' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
