"""The tests. A package, because a peer installs one of the same name."""
