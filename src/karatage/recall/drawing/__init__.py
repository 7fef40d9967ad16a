"""The frame and the draw: every candidate of a corpus is found and counted, and some are drawn to be labelled."""
