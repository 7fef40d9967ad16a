"""One of everything that a plugin can bring."""
