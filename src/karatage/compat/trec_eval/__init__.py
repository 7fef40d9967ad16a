"""Drop-in replacement for the command trec_eval 9.0.8: its options, its measures and its output.

```console
$ python -m karatage.compat.trec_eval -q -m official qrels run
```

The output is trec_eval's, byte for byte; the values are computed by Karatage's measures. Preferences and judgement
groups (`-R prefs`, `-m prefs`, `-m qrels_jg` …), z-scores (`-Z`) and debugging output (`-D`) are not supported.

Exit codes are trec_eval's: 1 for wrong options or measures, 2 for input that cannot be read and for wrong parameters,
7 where no query has both results and judgements. Lines that trec_eval reads as something else than they say, such as a
grade that is not a number, are errors here. Blank lines and comments, which it refuses in judgements, are skipped.
"""
