"""Drop-in replacement for conlleval, the Perl script of the CoNLL shared tasks: its options and its output.

```console
$ python -m karatage.compat.conlleval < tagged.txt
```

Tags are read by the script's own rules, quirks included: they know B, I, E and O, but not S, and the prefix of a tag is
whatever stands before its first hyphen. The profile `conlleval` also reads S and E as single and last tokens.

Exit codes are the script's: 1 where lines have different numbers of fields, 255 for wrong options and for lines with a
single field.
"""
