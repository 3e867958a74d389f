"""How a diagram changes: pure functions from diagram to diagram. Imports errors, text, limits, graph, ops, engine.

`edits` gathers them: start there. Each returns the diagram it was given when nothing changes, and raises a
GradvizError, in the user's words, when it refuses. `history` is undo, `layout` finds places, `clipboard` cuts out
and inserts. No Qt, no recursion over the graph.
"""
