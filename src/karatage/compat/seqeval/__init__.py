"""seqeval 1.2.2 under its own module names: put `karatage.compat.` before `seqeval` in an import.

Numbers, report texts, warnings and exceptions are seqeval's, quirks included. Tags are encoded and decoded by
Karatage's columnar core; what the core does not take (a custom `Token` class, a tag that is not text) goes
through plain Python that behaves as seqeval does.

The category of warnings about undefined metrics is scikit-learn's `UndefinedMetricWarning` if scikit-learn is
installed, so that existing filters go on working. It is imported when the first such warning is due and not
before. Without scikit-learn it is a class of the same name and base.
"""
