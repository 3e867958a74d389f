"""How it looks: paints any moment of a run onto any QPainter.

Imports QtGui (no widgets) and of ours only errors, text, limits, resources, graph, ops, engine.
"""
