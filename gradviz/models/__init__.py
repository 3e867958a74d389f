"""Other people's files. Imports errors, text, limits, graph, ops and engine; a file is read, never executed."""
