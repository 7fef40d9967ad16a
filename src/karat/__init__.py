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
    from karat.errors import KaratError
    from karat.facade import convert, read, scan, write
    from karat.metrics import Metric, Score, Tally
    from karat.profiles import Profile
    from karat.result import Result
    from karat.scoring import score

__all__ = [
    "Claims",
    "KaratError",
    "Metric",
    "Profile",
    "Result",
    "Score",
    "Tags",
    "Tally",
    "__version__",
    "convert",
    "read",
    "scan",
    "score",
    "write",
]

# Loaded when first asked for, so that `import karat` and `karat --help` stay quick.
_HOMES = {
    "Claims": "karat.claims",
    "KaratError": "karat.errors",
    "Metric": "karat.metrics",
    "Profile": "karat.profiles",
    "Result": "karat.result",
    "Score": "karat.metrics",
    "Tags": "karat.claims",
    "Tally": "karat.metrics",
    "convert": "karat.facade",
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
