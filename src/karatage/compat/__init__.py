"""Drop-in replacements for other tools: the same names and the same results, computed by Karatage."""
