"""The canvas: one self-painted widget.

`view.py` paints and hands events to the tool at work; `tools.py` has one class per gesture, alive from press to release,
each ending in one edit.
"""
