"""Every edit under one name: `edits.connect(diagram, source, target)`."""

from gradviz.edit.align import align, distribute
from gradviz.edit.breakpoints import clear_breakpoints, stop_above, stop_at_nan, toggle_breakpoint
from gradviz.edit.clipboard import cut_out, duplicate, insert, outer_inputs
from gradviz.edit.expressions import build_expression
from gradviz.edit.filling import FILLS, fill, fill_number
from gradviz.edit.layout import arrange, free_place, place_missing
from gradviz.edit.nodes import add_node, delete, move, rename
from gradviz.edit.questions import set_query
from gradviz.edit.ranges import clear_range, set_range
from gradviz.edit.rewiring import (
    cut,
    delete_and_heal,
    join,
    left_open,
    move_wires,
    pull_out,
    wires_of,
)
from gradviz.edit.routes import set_route, set_routes
from gradviz.edit.values import draw_again, set_attributes, set_cell, set_value
from gradviz.edit.wires import connect, disconnect, insert_on_wire, refusal

__all__ = [
    "FILLS",
    "add_node",
    "align",
    "arrange",
    "build_expression",
    "clear_breakpoints",
    "clear_range",
    "connect",
    "cut",
    "cut_out",
    "delete",
    "delete_and_heal",
    "disconnect",
    "distribute",
    "draw_again",
    "duplicate",
    "fill",
    "fill_number",
    "free_place",
    "insert",
    "insert_on_wire",
    "join",
    "left_open",
    "move",
    "move_wires",
    "outer_inputs",
    "place_missing",
    "pull_out",
    "refusal",
    "rename",
    "set_attributes",
    "set_cell",
    "set_query",
    "set_range",
    "set_route",
    "set_routes",
    "set_value",
    "stop_above",
    "stop_at_nan",
    "toggle_breakpoint",
    "wires_of",
]
