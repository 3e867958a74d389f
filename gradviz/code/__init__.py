"""Text to graph and back. Imports errors, text, limits, digits, graph, ops and engine.

`expression.py` is the way in for typed mathematics: `tokens.py` cuts the text, `parser.py` makes the tree of
`syntax.py`, `builder.py` makes expressions of it, with `calls.py` for what frameworks mean by a call. `write.py`
is the way back. `numbers.py` reads numbers that are typed or pasted.
"""
