"""Experiments: what was trained, swept or scored, kept so that it can be found, compared and repeated."""
