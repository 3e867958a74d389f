"""The actions: one table from which menus, shortcuts and the help are made.

An action of the context "window" works everywhere in the window, one of "canvas" while the canvas (or the timeline) has the
focus and no editor is open. No key may stand twice in one context: a test looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from gradviz.text import Text, mark

Context = Literal["window", "canvas"]

FILE: Final = mark("actions", "&File")
EDIT: Final = mark("actions", "&Edit")
VIEW: Final = mark("actions", "&View")
GRAPH: Final = mark("actions", "&Graph")
VALUE: Final = mark("actions", "Val&ue")
RUN: Final = mark("actions", "&Run")
HELP: Final = mark("actions", "&Help")
ALIGN: Final = mark("actions", "Ali&gn and distribute")


@dataclass(frozen=True, slots=True)
class Action:
    """One command. `id` names the method that does it, of a class in `commands`.

    `within` is the submenu it is in; `strokes` are keys that are shown but that something else listens to.
    """

    id: str
    menu: Text
    text: Text
    keys: tuple[str, ...] = ()
    context: Context = "window"
    separated: bool = False
    within: Text | None = None
    strokes: str = ""


ACTIONS: Final = (
    Action("new", FILE, mark("actions", "&New"), ("Ctrl+N",)),
    Action("open", FILE, mark("actions", "&Open…"), ("Ctrl+O",)),
    Action("save", FILE, mark("actions", "&Save"), ("Ctrl+S",), separated=True),
    Action("save_as", FILE, mark("actions", "Save &As…"), ("Ctrl+Shift+S",)),
    Action("export_png", FILE, mark("actions", "Export as &PNG…"), ("Ctrl+E",), separated=True),
    Action("export_svg", FILE, mark("actions", "Export as S&VG…"), ("Ctrl+Shift+E",)),
    Action("close", FILE, mark("actions", "&Close"), ("Ctrl+W",), separated=True),
    Action("quit", FILE, mark("actions", "&Quit"), ("Ctrl+Q",)),
    Action("undo", EDIT, mark("actions", "&Undo"), ("Ctrl+Z",)),
    Action("redo", EDIT, mark("actions", "&Redo"), ("Ctrl+Y", "Ctrl+Shift+Z")),
    Action("show_history", EDIT, mark("actions", "&History…"), ("Ctrl+Alt+Z",)),
    Action("cut", EDIT, mark("actions", "Cu&t"), ("Ctrl+X",), "canvas", separated=True),
    Action("copy", EDIT, mark("actions", "&Copy"), ("Ctrl+C",), "canvas"),
    Action("paste", EDIT, mark("actions", "&Paste"), ("Ctrl+V",), "canvas"),
    Action(
        "paste_with_inputs",
        EDIT,
        mark("actions", "Paste and &keep wires from outside"),
        ("Ctrl+Shift+V",),
        "canvas",
    ),
    Action("duplicate", EDIT, mark("actions", "D&uplicate"), ("Ctrl+D", "Shift+D"), "canvas"),
    Action(
        "duplicate_with_inputs",
        EDIT,
        mark("actions", "Duplicate and keep &wires from outside"),
        ("Ctrl+Shift+D",),
        "canvas",
    ),
    Action("delete", EDIT, mark("actions", "&Delete"), ("Del", "Backspace", "X"), "canvas"),
    Action(
        "delete_and_heal",
        EDIT,
        mark("actions", "Delete and close the &gap"),
        ("Ctrl+Del", "Ctrl+Backspace"),
        "canvas",
    ),
    Action(
        "select_all", EDIT, mark("actions", "Select &All"), ("Ctrl+A",), "canvas", separated=True
    ),
    Action("select_none", EDIT, mark("actions", "Select &none"), ("Ctrl+Shift+A",), "canvas"),
    Action(
        "invert_selection", EDIT, mark("actions", "&Invert the selection"), ("Ctrl+I",), "canvas"
    ),
    Action("select_upstream", EDIT, mark("actions", "Select &upstream"), ("U",), "canvas"),
    Action(
        "select_downstream", EDIT, mark("actions", "Select do&wnstream"), ("Shift+U",), "canvas"
    ),
    Action("lasso", EDIT, mark("actions", "Select with a &lasso"), ("Q",), "canvas"),
    Action("rename", EDIT, mark("actions", "Rena&me or edit"), ("F2",), "canvas"),
    Action("fit_all", VIEW, mark("actions", "Fit &all"), ("Home",), "canvas"),
    Action("fit_selection", VIEW, mark("actions", "Fit &selection"), ("F",), "canvas"),
    Action("show_outline", VIEW, mark("actions", "&Outline…"), ("Ctrl+Shift+O",)),
    Action("zoom_100", VIEW, mark("actions", "&100 %"), ("Ctrl+0",)),
    Action("zoom_in", VIEW, mark("actions", "Zoom &in"), ("Ctrl++", "Ctrl+=")),
    Action("zoom_out", VIEW, mark("actions", "Zoom &out"), ("Ctrl+-",)),
    Action("add", GRAPH, mark("actions", "&Add an operation…"), ("Shift+A",), "canvas"),
    Action(
        "toggle_type_to_add", GRAPH, mark("actions", "Letters on the canvas add, or are &commands")
    ),
    Action("type_expression", GRAPH, mark("actions", "&Type an expression"), ("Ctrl+L",)),
    Action(
        "join", GRAPH, mark("actions", "&Join the selected nodes"), ("J",), "canvas", separated=True
    ),
    Action("knife", GRAPH, mark("actions", "Cut wires with the &knife"), ("K",), "canvas"),
    Action("break_wires", GRAPH, mark("actions", "Re&move the wires"), ("Shift+K",), "canvas"),
    Action("pull_out", GRAPH, mark("actions", "Pull &out of the wires"), ("O",), "canvas"),
    Action("lead_wire", GRAPH, mark("actions", "&Lead the wire elsewhere"), ("Shift+R",), "canvas"),
    Action("straighten_wire", GRAPH, mark("actions", "&Straighten wires")),
    Action(
        "arrange",
        GRAPH,
        mark("actions", "T&idy the selection or all"),
        ("L",),
        "canvas",
        separated=True,
    ),
    Action("arrange_all", GRAPH, mark("actions", "Tid&y all")),
    Action("align", GRAPH, mark("actions", "Choose by &key…"), ("Alt+A",), "canvas", within=ALIGN),
    Action(
        "align_left",
        GRAPH,
        mark("actions", "&Left edges"),
        separated=True,
        within=ALIGN,
        strokes="Alt+A L",
    ),
    Action("align_right", GRAPH, mark("actions", "&Right edges"), within=ALIGN, strokes="Alt+A R"),
    Action("align_top", GRAPH, mark("actions", "&Top edges"), within=ALIGN, strokes="Alt+A T"),
    Action(
        "align_bottom", GRAPH, mark("actions", "&Bottom edges"), within=ALIGN, strokes="Alt+A B"
    ),
    Action(
        "align_centre",
        GRAPH,
        mark("actions", "&Centres, in a column"),
        within=ALIGN,
        strokes="Alt+A C",
    ),
    Action(
        "align_middle",
        GRAPH,
        mark("actions", "&Middles, in a row"),
        within=ALIGN,
        strokes="Alt+A M",
    ),
    Action(
        "distribute_across",
        GRAPH,
        mark("actions", "Same room across (&horizontally)"),
        separated=True,
        within=ALIGN,
        strokes="Alt+A H",
    ),
    Action(
        "distribute_down",
        GRAPH,
        mark("actions", "Same room down (&vertically)"),
        within=ALIGN,
        strokes="Alt+A V",
    ),
    Action("carry", GRAPH, mark("actions", "Mo&ve without a button held"), ("G",), "canvas"),
    Action("toggle_snapping", GRAPH, mark("actions", "Snap to grid and &cards, or not")),
    Action("draw_again", GRAPH, mark("actions", "&Draw random numbers again"), ("R",), "canvas"),
    Action(
        "make_target",
        GRAPH,
        mark("actions", "Ask for the &gradients of this node"),
        ("T",),
        "canvas",
        separated=True,
    ),
    Action(
        "toggle_wrt",
        GRAPH,
        mark("actions", "Differentiate by this &node, or not"),
        ("W",),
        "canvas",
    ),
    Action("open_table", VALUE, mark("actions", "&Table…"), ("Ctrl+Return",), "canvas"),
    Action("fill_zeros", VALUE, mark("actions", "Fill with &0"), separated=True),
    Action("fill_ones", VALUE, mark("actions", "Fill with &1")),
    Action("fill_number", VALUE, mark("actions", "Fill with a &number…")),
    Action("fill_identity", VALUE, mark("actions", "&Identity matrix")),
    Action("fill_arange", VALUE, mark("actions", "0, 1, &2, …")),
    Action("fill_uniform", VALUE, mark("actions", "Random, between 0 and 1 (&uniform)")),
    Action("fill_normal", VALUE, mark("actions", "Random, around 0 (n&ormal)")),
    Action(
        "import_numbers",
        VALUE,
        mark("actions", "I&mport from CSV or NPY…"),
        ("Ctrl+Shift+I",),
        separated=True,
    ),
    Action("export_numbers", VALUE, mark("actions", "E&xport as NPY or CSV…")),
    Action("play", RUN, mark("actions", "&Play or pause"), ("Space",), "canvas"),
    Action("step_forward", RUN, mark("actions", "Step &forward"), (".", "F10"), "canvas"),
    Action("step_back", RUN, mark("actions", "Step &back"), (",", "F9"), "canvas"),
    Action("play_backwards", RUN, mark("actions", "Play &backwards"), ("Shift+F5",)),
    Action(
        "step_over",
        RUN,
        mark("actions", "Step &over an operation"),
        ("Ctrl+F10",),
        "canvas",
        separated=True,
    ),
    Action("step_back_over", RUN, mark("actions", "Step back o&ver it"), ("Ctrl+F9",), "canvas"),
    Action("step_into", RUN, mark("actions", "Step &into it"), ("Ctrl+Down",), "canvas"),
    Action("step_out", RUN, mark("actions", "Step o&ut again"), ("Ctrl+Up",), "canvas"),
    Action("go_to_step", RUN, mark("actions", "&Go to step…"), ("S",), "canvas"),
    Action("run_to_here", RUN, mark("actions", "Run to the selected &node"), ("Ctrl+F5",)),
    Action(
        "toggle_breakpoint",
        RUN,
        mark("actions", "Brea&kpoint at the selected nodes"),
        ("B",),
        "canvas",
        separated=True,
    ),
    Action("next_stop", RUN, mark("actions", "To the ne&xt stop"), ("F8",)),
    Action("last_stop", RUN, mark("actions", "To the stop befo&re"), ("Shift+F8",)),
    Action(
        "to_start", RUN, mark("actions", "To the &start"), ("Ctrl+Home",), "canvas", separated=True
    ),
    Action(
        "to_boundary",
        RUN,
        mark("actions", "To the &turn from forward to backward"),
        ("M",),
        "canvas",
    ),
    Action("to_end", RUN, mark("actions", "To the &end"), ("Ctrl+End",), "canvas"),
    Action("run", RUN, mark("actions", "&Run from the start"), ("F5",), separated=True),
    Action("check", RUN, mark("actions", "&Check with finite differences"), ("F7",)),
    Action("show_keys", HELP, mark("actions", "&Keys, rules and limits"), ("F1",)),
    Action("about", HELP, mark("actions", "&About gradviz")),
)
MENUS: Final = (FILE, EDIT, VIEW, GRAPH, VALUE, RUN, HELP)
