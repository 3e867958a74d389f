"""One module an engine; each has a class `Engine` (see `base`). A peer's module imports nothing but NumPy and the peer."""
