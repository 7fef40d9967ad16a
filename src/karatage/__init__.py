"""Karatage tells how good an extractor really is.

```python
import karatage

r = karatage.score("gold.conll", "pred.conll", like="conlleval")
r["f1"].value
print(r)
```
"""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
