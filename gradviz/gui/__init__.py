"""The window: the only package with widgets. Start reading in `main_window.py`.

`Document` is the one object that crosses the border to the core; `Player` is the cursor over its film. Views observe
those two, read from them, and change nothing but by `Document.edit`; no view calls another.
"""
