"""Random diagrams, and when two of them are the same."""

import string

import hypothesis.strategies as st
import numpy as np

from gradviz.files.canonical import plain
from gradviz.graph.model import Diagram, Graph, Node, OutPort, Place, Query, freeze, frozen_array
from gradviz.graph.names import look_alike, name_fault

IDS = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=12)
NAMES = st.one_of(
    st.text('abcxyz αβ∂×²中文😀é"\\', min_size=1, max_size=8),
    st.text(min_size=1, max_size=80),
).filter(lambda name: name_fault(name) is None)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
OPS = st.sampled_from(["add", "sum", "conv9", "@twice", "my.op", "梯度"])
NUMBERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
)
PLAIN = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(NAMES, parts, max_size=3),
    max_leaves=6,
)
# A list of whole numbers under "shape" would have to be a possible shape.
ATTRIBUTES = st.dictionaries(NAMES.filter(lambda name: name != "shape"), PLAIN, max_size=3)
ITEMS = st.lists(
    st.dictionaries(st.sampled_from(["text", "title", "points", "when"]), PLAIN, max_size=2),
    max_size=2,
)
SHAPES = st.lists(st.integers(0, 4), max_size=3).map(tuple)
COORDINATES = st.floats(-(10**6), 10**6)
SEEDS = st.recursive(
    st.floats() | st.integers(-5, 5),
    lambda parts: st.lists(parts, max_size=2).map(tuple),
    max_leaves=4,
)


@st.composite
def arrays(draw):
    """An array and the dtype its node declares."""
    dtype = draw(st.sampled_from(["float64", "float32", "int64", "bool", "weak"]))
    shape = () if dtype == "weak" else draw(SHAPES)
    count = int(np.prod(shape))
    if dtype == "bool":
        items = st.booleans()
    elif dtype == "int64":
        items = st.integers(-(2**63), 2**63 - 1)
    else:
        items = st.floats(width=32 if dtype == "float32" else 64)
    numbers = draw(st.lists(items, min_size=count, max_size=count))
    stored = "float64" if dtype == "weak" else dtype
    return frozen_array(np.array(numbers, stored).reshape(shape)), dtype


@st.composite
def diagrams(draw):
    """A valid diagram that uses every section."""
    ids = draw(st.lists(IDS, max_size=8, unique=True))
    names = iter(draw(st.lists(NAMES, min_size=len(ids), max_size=len(ids), unique_by=look_alike)))
    nodes, values = [], {}
    for number, id in enumerate(ids):
        attributes = draw(ATTRIBUTES)
        inputs = ()
        if draw(st.booleans()):
            array, dtype = draw(arrays())
            values[id] = array
            attributes = {**attributes, "dtype": dtype, "shape": array.shape}
        elif number:
            sources = st.builds(OutPort, st.sampled_from(ids[:number]), st.integers(0, 2))
            inputs = tuple(draw(st.lists(st.none() | sources, max_size=3)))
        name = next(names) if draw(st.booleans()) else ""
        nodes.append(Node(id, draw(OPS), inputs, freeze(attributes), name))
    some = st.lists(st.sampled_from(ids), max_size=2).map(tuple) if ids else st.just(())
    queries = draw(st.lists(_queries(some), max_size=3))
    return Diagram(
        graph=Graph({node.id: node for node in draw(st.permutations(nodes))}),
        values={id: values[id] for id in draw(st.permutations(list(values)))},
        queries=tuple(queries),
        current=draw(st.integers(0, max(0, len(queries) - 1))),
        places={id: Place(draw(COORDINATES), draw(COORDINATES)) for id in draw(some)},
        notes=freeze(draw(ITEMS)),
        groups=freeze([{"id": "g", "members": list(draw(some))}]) if draw(st.booleans()) else (),
        definitions=freeze(draw(st.lists(_definitions(), max_size=1))),
        routes=freeze(draw(ITEMS)),
        ranges={id: freeze(draw(PLAIN)) for id in draw(some)},
        sources=freeze(draw(ITEMS)),
        breakpoints=freeze(draw(ITEMS)),
    )


@st.composite
def _queries(draw, some):
    of = draw(some)
    seed = None
    if draw(st.booleans()):
        seed = tuple(draw(SEEDS) for _ in of)
    return Query(of, draw(some), seed, draw(some), draw(st.sampled_from(["none", "zero"])))


def _definitions():
    nodes = [
        {"id": "in", "op": "input"},
        {"id": "out", "op": "add", "inputs": ["in", "in:1", None]},
    ]
    return st.fixed_dictionaries(
        {"name": NAMES, "graph": st.just({"nodes": nodes}), "outputs": st.just(["out"])}
    )


def content(diagram):
    """All that a file keeps of a diagram, comparable with ==; whole numbers and floats differ."""
    return {
        "nodes": {
            id: (node.id, node.op, node.name, node.inputs, plain(node.attributes))
            for id, node in diagram.graph.nodes.items()
        },
        "values": {id: _bits(array) for id, array in diagram.values.items()},
        "queries": [repr(query) for query in diagram.queries],
        "current": diagram.current,
        "places": {id: repr(tuple(map(float, place))) for id, place in diagram.places.items()},
        **{
            section: plain(getattr(diagram, section))
            for section in (
                "notes",
                "groups",
                "definitions",
                "routes",
                "ranges",
                "sources",
                "breakpoints",
            )
        },
    }


def _bits(array):
    numbers = np.where(np.isnan(array), np.nan, array) if array.dtype.kind == "f" else array
    return array.dtype.name, array.shape, numbers.astype(array.dtype).tobytes()


def chain(count):
    """A line of `count` nodes, each with a name and a place."""
    nodes = {"n0": Node("n0", "variable", (), freeze({"shape": [], "dtype": "float64"}), "x0")}
    for number in range(1, count):
        id = f"n{number}"
        nodes[id] = Node(id, "negative", (OutPort(f"n{number - 1}"),), name=f"x{number}")
    places = {id: Place(float(number), 2.5) for number, id in enumerate(nodes)}
    return Diagram(Graph(nodes), {"n0": frozen_array(1.0)}, places=places)
