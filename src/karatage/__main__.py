"""`python -m karatage` is the command `karatage`."""

from karatage.cli import main

main()
