"""How a diagram is kept: reading and writing .gradviz files and fragments. Imports graph, no Qt.

Start in `native.py`: `load(path)`, `read(path)`, `save(path, diagram, view)`, `loads(text)`,
`dumps(diagram, view)`. Reading: `disk.py` (bounded), `scan.py` (depth and counts), `parse.py`
(strict JSON), `migrate.py` (older versions), `records.py` (types), `build.py` (the diagram), then
`graph/validate.py`. Writing: `canonical.py` (the text), `atomic.py` (whole or not at all).
`arrays.py` is used both ways.

The format: one UTF-8 JSON document. `gradviz` (version) and `graph` are needed; empty sections are
left out.

    {"gradviz": 1,
     "graph": {"nodes": [{"id": "X", "op": "variable", "name": "X"},
                         {"id": "s", "op": "sum", "name": "s", "inputs": ["X"]}]},
     "values": {"X": [[1, 0, -1], [2, 1, 0], [0, -1, 1]]}}

An input is "id" (output 0), "id:1", or null while it is open. A source with a value may leave out
`shape` (the value tells it) and `dtype` (float64, for every op; a literal is `"dtype": "weak"`).
"""
