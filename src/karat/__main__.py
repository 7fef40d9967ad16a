"""`python -m karat` is the command `karat`."""

from karat.cli import main

main()
