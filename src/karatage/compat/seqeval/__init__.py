"""Drop-in replacement for seqeval 1.2.2: put `karatage.compat.` before `seqeval` in your imports.

Numbers, report texts, warnings and exceptions are seqeval's, quirks included. Tags are encoded and decoded by
Karatage's columnar core. What the core does not support (a custom `Token` class, a tag that is not a string) is
processed by plain Python that behaves like seqeval.

Warnings about undefined metrics have scikit-learn's category `UndefinedMetricWarning` if scikit-learn is installed, so
that existing filters keep working. It is imported when the first such warning is issued. Without scikit-learn, the
category is a class with the same name and base.
"""
