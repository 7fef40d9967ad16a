"""Karatage tells how good an extractor really is.

```python
import karatage

r = karatage.score("gold.conll", "pred.conll", like="conlleval")
r["f1"].value
print(r)
```
"""

import sys


def __getattr__(name: str) -> object:
    """Open the door when it is first used: a command sees to its signals first."""
    from karatage._doors import open_door

    vars(sys.modules[__name__]).update(zip(("__all__", "__getattr__", "__dir__"), open_door(__name__), strict=True))
    return getattr(sys.modules[__name__], name)


def __dir__() -> list[str]:
    return __getattr__("__dir__")()  # type: ignore[no-any-return, operator]
