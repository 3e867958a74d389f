"""gradviz op by op, with a record of every node: what the window shows."""

from __future__ import annotations

from benchmarks.engines import gradviz_fast, recorded


class Engine(gradviz_fast.Engine):
    compile_gradients = staticmethod(recorded.compile_gradients)
    compile_values = staticmethod(recorded.compile_values)
