"""`python -m karatage` is the command `karatage`."""

from karatage._processes import forget_current_folder

forget_current_folder()

from karatage._start import main  # noqa: E402  nothing else is imported before

main()
