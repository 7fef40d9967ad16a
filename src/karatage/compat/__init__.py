"""Drop-in faces of other tools: the same names and the same answers, computed by Karatage."""
