"""Hand-made frames: what `frame.py` makes from runs, written out to try painters alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from gradviz.digits import number, true_sum
from gradviz.picture import film, geometry, words
from gradviz.picture.content import content, room
from gradviz.picture.labels import compose
from gradviz.picture.look import (
    Arrival,
    Band,
    Card,
    Flow,
    Frame,
    Kind,
    Label,
    NodeLook,
    Note,
    NoteLook,
    Number,
    Phase,
    Port,
    Slot,
    State,
    WireLook,
)
from gradviz.picture.plane import Point, Rect

X = np.array([[1, 0, -1], [2, 1, 0], [0, -1, 1]], dtype=np.float64)
B = np.array([[1, 2], [3, 4]], dtype=np.float64)
SEVENS = np.full((3, 3), 7.0)
F, R = Flow.FORWARD, Flow.BACKWARD


def known(value) -> Band:
    return Band(State.KNOWN, content(np.asarray(value, dtype=np.float64)))


def waiting(text: str = "") -> Band:
    return Band(words=text or words.not_yet())


def ports(count: int, flow: Flow | None = None, *, connected: bool = True) -> tuple[Port, ...]:
    return tuple(Port(connected, flow) for _ in range(count))


def op_card(sign: str, title: str, count: int, **more) -> Card:
    settings = {
        "kind": Kind.OP,
        "tag": words.one_number(),
        "inputs": ("",) * count,
        "value_caption": words.value_caption(),
        "gradient_caption": words.gradient_caption(),
        "value": room((), [np.array(12.0)]),
        "gradient": room((), [np.array(7.0)]),
        **more,
    }
    return Card(title=title, sign=sign, **settings)


def source_card(name: str, array: np.ndarray, tag: str, target: str = "y", **more) -> Card:
    settings = {
        "kind": Kind.SOURCE,
        "words": "variable",
        "tag": tag,
        "value": room(array.shape, [array]),
        "gradient": room(array.shape, [array]),
        "value_caption": words.value_caption(),
        "gradient_caption": words.gradient_caption(target, name),
        **more,
    }
    return Card(title=name, **settings)


NONE_NOTE = Note(
    "∂y/∂B = None",
    "Nothing leads from B to y, so changing B cannot change y. Did you swap the arguments, "
    "or forget to use B?",
    ("Show what reaches y", "Use zeros"),
)

CARDS = {
    "X": source_card("X", X, "3×3"),
    "sum": op_card(
        "Σ", "sum", 1, name=words.named("s"), slots=("from square", "from add"), sum_characters=9
    ),
    "square": op_card("x²", "square", 1),
    "add": op_card("+", "add", 2),
    "one": Card(Kind.LITERAL, "1", words=words.constant()),
    "subtract": op_card("−", "subtract", 2, kind=Kind.OUTPUT, name=words.output("y")),
    "B": source_card("B", B, "2×2", gradient_note=NONE_NOTE),
}
PLACES = {
    "X": Point(0, 120),
    "sum": Point(280, 164),
    "square": Point(552, 48),
    "add": Point(816, 152),
    "subtract": Point(1072, 140),
    "one": Point(896, 320),
    "B": Point(0, 448),
}
WIRES = {
    "X-sum": (("X", 0), ("sum", 0)),
    "sum-square": (("sum", 0), ("square", 0)),
    "sum-add": (("sum", 0), ("add", 1)),
    "square-add": (("square", 0), ("add", 0)),
    "add-subtract": (("add", 0), ("subtract", 0)),
    "one-subtract": (("one", 0), ("subtract", 1)),
}
VALUES = {"X": X, "sum": 3, "square": 9, "add": 12, "subtract": 11, "B": B}
GRADIENTS = {"X": SEVENS, "sum": 7, "square": 1, "add": 1, "subtract": 1}
WAITS = {"X": "waits for sum", "sum": "waits for square", "square": "waits for add"}


def _node(key: str, values: set[str], gradients: set[str], **more) -> NodeLook:
    card = CARDS[key]
    value = known(VALUES[key]) if key in values and key in VALUES else waiting()
    gradient = known(GRADIENTS[key]) if key in gradients else waiting()
    flow = R if key in gradients else F if key in values else None
    settings = {
        "value": value,
        "gradient": gradient,
        "inputs": ports(len(card.inputs), flow),
        "outputs": ports(len(card.outputs), flow, connected=key not in ("B", "subtract")),
        "target": key == "subtract",
        "wrt": key == "X",
        "tab": {"subtract": words.target(), "X": words.wrt()}.get(key, ""),
        **more,
    }
    return NodeLook(key, card, PLACES[key], **settings)


def _wire(key: str, phase: Phase, lines: tuple[str, ...] = ()) -> WireLook:
    (start, out), (end, into) = WIRES[key]
    looks = [NodeLook(id, CARDS[id], PLACES[id]) for id in (start, end)]
    return WireLook(
        key,
        geometry.output_point(looks[0], out),
        geometry.input_point(looks[1], into),
        phase,
        Label(lines) if lines else None,
    )


def _frame(values="", gradients="", phases=(), more=(), packets=(), lines=()) -> Frame:
    known_values, known_gradients = set(values.split()) | {"X", "B", "one"}, set(gradients.split())
    extra = dict(more)
    nodes = [_node(key, known_values, known_gradients, **extra.get(key, {})) for key in CARDS]
    chosen, labels = dict(phases), dict(lines)
    wires = [_wire(key, chosen.get(key, Phase.IDLE), labels.get(key, ())) for key in WIRES]
    return compose(nodes, wires, packets)


FORWARD = dict.fromkeys(WIRES, Phase.FORWARD_DONE)
ALL = "sum square add subtract"


def start() -> Frame:
    return _frame()


def summing(progress: float = 0.5) -> Frame:
    """Forward: the cells of X leave row by row."""
    packets = film.packets("reduce", F, "X-sum", content(X), Number("3"), progress)
    return _frame(
        phases=[("X-sum", Phase.FORWARD_ACTIVE)], packets=packets, more=[("sum", {"active": F})]
    )


def forward_done() -> Frame:
    return _frame(ALL, phases=FORWARD.items())


def through_square(progress: float = 0.6) -> Frame:
    """Backward at square: 1 meets 2·s and becomes 6."""
    phases = FORWARD | {
        "add-subtract": Phase.BACKWARD_DONE,
        "square-add": Phase.BACKWARD_DONE,
        "sum-square": Phase.BACKWARD_ACTIVE,
        "sum-add": Phase.BACKWARD_DONE,
    }
    slots = (Slot(Arrival.NOW, Number("6")), Slot(Arrival.ARRIVED, Number("1")))
    more = {
        "sum": {"slots": slots, "active": R, "gradient": waiting("waits for square")},
        "X": {"gradient": waiting("waits for sum")},
    }
    return _frame(
        ALL,
        "square add subtract",
        phases.items(),
        more.items(),
        film.packets("map", R, "sum-square", Number("1"), Number("6"), progress),
        [("sum-square", ("1 × 2·s", "= 1 × 6", "= 6"))],
    )


def pending() -> Frame:
    """Backward at add: the straight road has arrived, the other one is still to come."""
    phases = FORWARD | {
        "add-subtract": Phase.BACKWARD_DONE,
        "square-add": Phase.BACKWARD_PENDING,
        "sum-add": Phase.BACKWARD_ACTIVE,
    }
    slots = (Slot(), Slot(Arrival.NOW, Number("1")))
    more = {"sum": {"slots": slots, "gradient": waiting("waits for square"), "active": R}}
    return _frame(
        ALL,
        "add subtract",
        phases.items(),
        more.items(),
        film.packets("map", R, "sum-add", Number("1"), Number("1"), 0.4),
        [("sum-add", ("1 × 1", "= 1"))],
    )


def _merged(merge: float, **more) -> dict:
    slots = (Slot(Arrival.ARRIVED, Number("6")), Slot(Arrival.ARRIVED, Number("1")))
    total = str(true_sum([6, 1], 7)) if merge == 1 else ""
    gradient = known(7) if merge == 1 else waiting()
    return {"slots": slots, "sum": total, "merge": merge, "gradient": gradient, **more}


BACK_TO_SUM = FORWARD | {
    key: Phase.BACKWARD_DONE for key in WIRES if key not in ("X-sum", "one-subtract")
}


def merging(progress: float = 0.5) -> Frame:
    more = [("sum", _merged(progress, active=R))]
    return _frame(ALL, "square add subtract", BACK_TO_SUM.items(), more)


def merged() -> Frame:
    more = [("sum", _merged(1, active=R))]
    return _frame(ALL, "sum square add subtract", BACK_TO_SUM.items(), more)


def unfolding(progress: float = 0.75) -> Frame:
    """Backward at sum: the 7 unfolds into a sheet."""
    phases = BACK_TO_SUM | {"X-sum": Phase.BACKWARD_ACTIVE}
    return _frame(
        ALL,
        "sum square add subtract",
        phases.items(),
        [("sum", _merged(1)), ("X", {"active": R, "gradient": waiting()})],
        film.packets("reduce", R, "X-sum", Number("7"), content(SEVENS), progress),
        [("X-sum", ("spread 7 over 3×3",))],
    )


def done() -> Frame:
    """Everything computed, and the sentence about B."""
    phases = BACK_TO_SUM | {"X-sum": Phase.BACKWARD_DONE}
    more = {"sum": _merged(1), "B": {"gradient": Band(State.NONE)}}
    return _frame(ALL, "X sum square add subtract", phases.items(), more.items())


STEPS: dict[str, Callable[[], Frame]] = {
    "start": start,
    "summing": summing,
    "forward": forward_done,
    "pending": pending,
    "square": through_square,
    "merging": merging,
    "merged": merged,
    "unfolding": unfolding,
    "done": done,
}


def _network_arrays() -> dict[str, np.ndarray]:
    x = np.array([[1, 2], [-1, 0.5]])
    w1 = np.array([[0.5, -0.25, 1], [0.25, 0.75, -0.5]])
    b1 = np.array([0.1, 0, -0.2])
    w2 = np.array([[1, -1], [0.5, 0.5], [-0.75, 0.25]])
    z1 = x @ w1 + b1
    a = np.maximum(z1, 0)
    z2 = a @ w2 + np.array([0, 0.1])
    p = np.exp(z2) / np.exp(z2).sum(axis=1, keepdims=True)
    gz2 = (p - np.eye(2)) / 2
    ga = gz2 @ w2.T
    gz1 = np.where(z1 > 0, ga, 0)
    loss = np.float64(-np.log(np.diag(p)).mean())
    return {
        "x": x, "w1": w1, "b1": b1, "w2": w2, "xw": x @ w1, "z1": z1, "a": a, "z2": z2,
        "loss": loss, "gz2": gz2, "ga": ga, "gz1": gz1, "gw1": x.T @ gz1, "gb1": gz1.sum(0),
        "one": np.array(1.0), "gw2": a.T @ gz2, "gx": gz1 @ w1.T,
    }  # fmt: skip


def network() -> Frame:
    """Two layers on two examples, while the gradient comes back through matmul."""
    v = _network_arrays()

    def node(id, card, place, value, gradient, **more):
        looks = {"value": known(v[value])}
        if gradient:
            looks["gradient"] = known(v[gradient])
        more = {
            "inputs": ports(len(card.inputs), R if gradient else F),
            "outputs": ports(len(card.outputs), R if gradient else F),
            **more,
        }
        return NodeLook(id, card, Point(*place), **looks, **more)

    def matrix(sign, title, inputs, array, **more):
        like = [v[key] for key in (array, "gz1", "gz2", "ga") if v[key].shape == v[array].shape]
        shaped = room(v[array].shape, like)
        tag = "×".join(map(str, v[array].shape))
        kinds = {"tag": tag, "value": shaped, "gradient": shaped, **more}
        return op_card(sign, title, len(inputs), inputs=inputs, **kinds)

    source = {
        name: source_card(
            name.upper(), v[name], "×".join(map(str, v[name].shape)), "L",
            gradient=room(v[name].shape, [v[name], v["g" + name]]),
            value=room(v[name].shape, [v[name], v["g" + name]]),
        )
        for name in ("x", "w1", "b1", "w2")
    }  # fmt: skip
    nodes = [
        node("x", source["x"], (0, 0), "x", ""),
        node("w1", source["w1"], (0, 240), "w1", "", wrt=True, tab=words.wrt()),
        node("b1", source["b1"], (0, 480), "b1", ""),
        node("m1", matrix("@", "matmul", ("a", "b"), "xw"), (320, 100), "xw", "gz1"),
        node("z1", matrix("+", "add", ("", ""), "z1", name="named z1"), (712, 220), "z1", "gz1"),
        node("a", matrix("⌐", "relu", ("",), "a"), (1072, 220), "a", "ga"),
        node("w2", source["w2"], (1072, 480), "w2", ""),
        node(
            "m2", matrix("@", "matmul", ("a", "b"), "z2"), (1456, 300), "z2", "gz2", active=R
        ),
        node(
            "L",
            op_card(
                "", "softmax cross-entropy", 1, kind=Kind.OUTPUT, name=words.output("L"),
                inputs=("logits",),
            ),
            (1776, 300), "loss", "one", target=True, tab=words.target(),
        ),
    ]  # fmt: skip
    by_id = {look.id: look for look in nodes}

    def wire(source, target, into, phase, lines=()):
        return WireLook(
            f"{source}-{target}",
            geometry.output_point(by_id[source]),
            geometry.input_point(by_id[target], into),
            phase,
            Label(lines) if lines else None,
        )

    wires = [
        wire("x", "m1", 0, Phase.FORWARD_DONE),
        wire("w1", "m1", 1, Phase.FORWARD_DONE),
        wire("m1", "z1", 0, Phase.BACKWARD_DONE),
        wire("b1", "z1", 1, Phase.FORWARD_DONE),
        wire("z1", "a", 0, Phase.BACKWARD_DONE),
        wire("a", "m2", 0, Phase.BACKWARD_ACTIVE, ("g @ bᵀ", "= 2×2 @ 2×3", "= 2×3")),
        wire("w2", "m2", 1, Phase.FORWARD_DONE),
        wire("m2", "L", 0, Phase.BACKWARD_DONE),
    ]
    packets = film.packets("contract", R, "a-m2", content(v["gz2"]), content(v["ga"]), 0.62)
    return compose(nodes, wires, packets)


def odd() -> Frame:
    """What must not break the picture: heatmaps, errors, NaN, long names, old numbers, gates."""
    rng = np.random.default_rng(7)
    big = rng.normal(size=(20, 30))
    big[0, :4] = np.nan, np.inf, -np.inf, 0
    big[10:14, 8:16] = 0
    huge = rng.normal(size=(600, 3000))
    bad = np.array([[np.nan, np.inf, -np.inf], [0.0, 1.25, -1e-7], [6.9e-06, 12345.6, -0.001234]])
    cube = np.arange(12.0).reshape(2, 2, 3) - 6
    vector = np.linspace(-1, 1, 100)
    error = Note(
        "shapes do not fit",
        "matmul needs as many columns in a as rows in b: a is 2×3, b is 4×2, and 3 is not 4.",
        ("Transpose b",),
    )
    many = tuple(f"from consumer_{i}" for i in range(7))

    def both(array):
        return {"value": room(array.shape, [array]), "gradient": room(array.shape, [array])}

    def node(id, card, place, values=None, gradients=None, **more):
        settings = {
            "inputs": ports(len(card.inputs), F),
            "outputs": ports(len(card.outputs), F),
            "value": waiting() if values is None else known(values),
            "gradient": waiting() if gradients is None else known(gradients),
            **more,
        }
        return NodeLook(id, card, Point(*place), **settings)

    nodes = [
        node("heat", op_card("∿", "tanh", 1, tag="20×30", **both(big)), (0, 0), big, big * 0.1),
        node(
            "huge", source_card("images", huge, "600×3000 f32"), (264, 0), huge,
        ),
        node("bad", source_card("bad", bad, "3×3"), (520, 0), bad, bad * 2, dimmed=False),
        node(
            "error",
            op_card("@", "matmul", 2, inputs=("a", "b"), tag="?", value_note=error, gradient=None),
            (816, 0),
        ),
        node("cube", source_card("T", cube, "2×2×3"), (904, 220), cube, -cube),
        node("vector", source_card("v", vector, "100 f32"), (1424, 0), vector, vector**2),
        node(
            "long",
            op_card(
                "Σ", "reduce_logsumexp_over_batches", 3,
                name="named a_name_that_is_so_long_that_nobody_can_have_meant_it",
                inputs=("condition", "x", "y"), tag="2×3×4×5×6 f32",
            ),
            (520, 288), -1.2345e-05, -123456.0, outputs=ports(1, R),
        ),
        node(
            "old", op_card("×", "multiply", 2, slots=many, more="and 2 more", sum_characters=40),
            (1128, 140), 4.311, 9.622, dimmed=True,
            slots=tuple(Slot(Arrival.ARRIVED, Number(number(i + 0.5))) for i in range(7)),
        ),
        node("conv9", Card(
            Kind.OPAQUE, "conv9", tag="?", inputs=("", ""), gradient=None,
            value_note=Note("cannot run", "The op conv9 is not known here."),
        ), (1128, 0)),
        node("gate", Card(Kind.GATE, "", words=words.stop_gradient(), inputs=("",)), (1456, 440)),
        node("half", Card(Kind.LITERAL, "−0.5", words=words.constant()), (1464, 520)),
        node("flag", op_card(">", "greater", 2, gradient=None, tag="bool"), (1424, 280),
             value=Band(State.KNOWN, Number("True"))),
        node("slots", op_card(
            "T", "transpose", 1, tag="2×3", slots=("from matmul", "from matmul_2"),
            value=room((2, 3), [cube[0]]), gradient=room((2, 3), [cube[0]]),
        ), (560, 440), cube[0], None, slots=(
            Slot(Arrival.ARRIVED, content(cube[0])), Slot(Arrival.NOW, content(-cube[1])),
        ), gradient=waiting("waits for matmul_2"), active=R),
    ]  # fmt: skip
    fixed = []
    for look in nodes:
        wrong = look.id in ("error", "conv9")
        fixed.append(dataclasses.replace(look, value=Band(State.ERROR)) if wrong else look)
    by_id = {look.id: look for look in fixed}
    wires = [
        WireLook(
            "back",
            geometry.output_point(by_id["gate"]),
            geometry.input_point(by_id["slots"], 0),
            Phase.OFFERED,
        ),
    ]
    note = NoteLook(Rect(0, 480, 208, 64), "Two examples go in as two rows.\nChange one of them!")
    return compose(fixed, wires, notes=(note,))


FRAMES: dict[str, Callable[[], Frame]] = {**STEPS, "network": network, "odd": odd}
