"""The sentences: for a step, a wire, a missing gradient, a node. The only author of them.

Window, command line and Python all ask here, so that they say the same.
"""

from gradviz.engine.explain.cells import cell_words, outlined
from gradviz.engine.explain.film import sentence, step_label
from gradviz.engine.explain.inside import Inner, inside, nothing_inside
from gradviz.engine.explain.missing import Reason, reason
from gradviz.engine.explain.notes import Note, notes
from gradviz.engine.explain.outline import OutlineLine, node_line, node_lines, short
from gradviz.engine.explain.said import CellWords, TermWords
from gradviz.engine.explain.sums import cell_name
from gradviz.engine.explain.troubles import origin, remedy
from gradviz.engine.explain.verdicts import verdict, verdicts
from gradviz.engine.explain.wires import (
    WireWords,
    derivative,
    local_text,
    road,
    rule_text,
    silence,
    sum_line,
    wire,
    wire_name,
)
from gradviz.engine.explain.words import (
    NAMED,
    array_words,
    headline,
    name,
    partial,
    size,
    spec_words,
    summary,
)
from gradviz.engine.explain.zeros import zero, zero_title, zeros

__all__ = [
    "NAMED",
    "CellWords",
    "Inner",
    "Note",
    "OutlineLine",
    "Reason",
    "TermWords",
    "WireWords",
    "array_words",
    "cell_name",
    "cell_words",
    "derivative",
    "headline",
    "inside",
    "local_text",
    "name",
    "node_line",
    "node_lines",
    "notes",
    "nothing_inside",
    "origin",
    "outlined",
    "partial",
    "reason",
    "remedy",
    "road",
    "rule_text",
    "sentence",
    "short",
    "silence",
    "size",
    "spec_words",
    "step_label",
    "sum_line",
    "summary",
    "verdict",
    "verdicts",
    "wire",
    "wire_name",
    "zero",
    "zero_title",
    "zeros",
]
