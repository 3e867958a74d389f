"""Where a value comes from: terms where the op is linear, a formula of a few cells, or all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from gradviz.engine.answer import Answer
from gradviz.engine.derive import named
from gradviz.engine.derive.alone import Alone, Floats, under
from gradviz.engine.derive.facts import Cell, Derivation, Index, Kind, Region, Term
from gradviz.engine.derive.lookup import alone, number_of
from gradviz.engine.derive.terms import added_up, terms_of
from gradviz.errors import GradvizError
from gradviz.graph.model import Array, OutPort
from gradviz.ops import registry
from gradviz.ops.expr import UNCOMPUTABLE
from gradviz.ops.spec import FLOAT32


def value(answer: Answer, cell: Cell, total: np.generic, most: int) -> Derivation:
    """Where the value `total` of a cell comes from."""
    node = answer.graph[cell.port.node]
    op = registry.find(node.op)
    if op is None or op.is_source:
        return Derivation(cell, Kind.SOURCE, total, node.id)
    inputs = [answer.value(port) if port is not None else None for port in node.inputs]
    if any(array is None for array in inputs):
        return Derivation(cell, Kind.TOGETHER, total, node.id, exact=False)
    known = cast("list[Array]", inputs)
    apart = alone(answer, node.id)
    row: tuple[Floats | None, ...] | None = None
    if apart is not None and op.has_rule:
        try:
            row = apart.row(cell.port.index, cell.index)
        except (GradvizError, *UNCOMPUTABLE):
            row = None
    if _is_pointwise(op.name, known, cast(Array, number_of(answer, cell))):
        # A gate lets one of its inputs through: the others do not contribute.
        open_ = row if op.family in ("gate", "route") else None
        reads = _pointwise(answer, cell, known, open_)
        return Derivation(cell, Kind.FORMULA, total, node.id, reads=reads)
    if apart is None or row is None or not any(r is not None for r in row):
        return Derivation(cell, Kind.TOGETHER, total, node.id, reads=_whole(answer, node.id, known))
    settings = op.bind(node.attributes)
    parts = named.parts(op.name, known, cell.index, settings)
    if parts:
        return Derivation(
            cell, Kind.FORMULA, total, node.id, reads=regions_of(answer, node.id, row), parts=parts
        )
    check = named.check(op.name, known, answer.run.records[node.id].outputs, settings)
    linear = _linear(answer, cell, total, apart, row, most) if check is None else None
    if linear is not None:
        return linear
    reads = regions_of(answer, node.id, row)
    return Derivation(cell, Kind.TOGETHER, total, node.id, reads=reads, check=check)


def _linear(
    answer: Answer,
    cell: Cell,
    total: np.generic,
    apart: Alone,
    row: tuple[Floats | None, ...],
    most: int,
) -> Derivation | None:
    """A value as a sum of number × slope, where the op is linear in some of its inputs together."""
    node = answer.graph[cell.port.node]
    together: list[int] = []
    for k, slopes in enumerate(row):
        if slopes is None:
            continue
        depends = apart.depends(k)
        if k in depends or depends & set(together) or any(k in apart.depends(m) for m in together):
            continue
        together.append(k)
    parts = [
        (cast(OutPort, node.inputs[k]), "value", apart.inputs[k], cast(Floats, row[k]))
        for k in together
    ]
    if not parts:
        return None
    found = terms_of(parts)
    wide = total.dtype == FLOAT32
    shown, rest, added, exact, finite = added_up(found, total, most, wide=wide)
    if not exact or not len(found):
        return None
    terms = []
    for i in shown:
        amount, slope = float(found.amounts[i]), float(found.slopes[i])
        with np.errstate(all="ignore"):
            product = float(np.float64(amount) * np.float64(slope))
        k = together[int(found.part[i])]
        partner, sign = other(answer, apart, cell, k, found.cell(i).index, slope)
        terms.append(Term(found.cell(i), amount, slope, product, partner, sign))
    pick = len(found) == 1 and float(found.slopes[0]) == 1
    return Derivation(
        cell,
        Kind.PICK if pick else Kind.LINEAR,
        total,
        node.id,
        tuple(terms),
        len(found),
        rest,
        added,
        exact,
        wide=wide,
        finite=finite,
        reads=regions_of(answer, node.id, row),
    )


def other(
    answer: Answer, apart: Alone, cell: Cell, k: int, index: Index, slope: float
) -> tuple[Cell | None, int]:
    """The cell that the slope of a term is, up to its sign; None if it is no number that is shown."""
    if not np.isfinite(slope):
        return None, 1
    try:
        got = apart.partner(k, index, cell.port.index, cell.index, slope)
    except (GradvizError, *UNCOMPUTABLE):
        return None, 1
    source = answer.graph[cell.port.node].inputs[got[0]] if got is not None else None
    return (Cell(source, "value", got[1]), got[2]) if got and source is not None else (None, 1)


def regions_of(answer: Answer, id: str, row: Sequence[Floats | None]) -> tuple[Region, ...]:
    """The cells of the inputs where these are not exactly 0: whose change changes the number."""
    merged: dict[OutPort, npt.NDArray[np.intp]] = {}
    for source, slopes in zip(answer.graph[id].inputs, row, strict=True):
        flat = np.flatnonzero(slopes) if slopes is not None else np.zeros(0, np.intp)
        if source is not None and len(flat):
            merged[source] = np.union1d(merged.get(source, flat), flat)
    return tuple(Region(port, "value", flat) for port, flat in merged.items())


def _whole(answer: Answer, id: str, inputs: Sequence[Array]) -> tuple[Region, ...]:
    """All cells of all inputs."""
    ports = dict(zip(cast("tuple[OutPort, ...]", answer.graph[id].inputs), inputs, strict=True))
    return tuple(Region(port, "value", np.arange(array.size)) for port, array in ports.items())


def _is_pointwise(op: str, inputs: Sequence[Array], out: Array) -> bool:
    """Whether each cell of the result is made from the cells at its own place."""
    found = registry.get(op)
    if found.local_rule is None and op not in _POINTWISE and found.family != "gate":
        return False
    try:
        return np.broadcast_shapes(*(a.shape for a in inputs)) == out.shape
    except ValueError:
        return False


_POINTWISE: Final = frozenset(
    (
        *("greater_equal", "less", "less_equal", "not_equal", "greater", "equal"),
        *("logical_and", "logical_or", "logical_not", "sign", "floor", "ceil", "round", "trunc"),
        *("hard_swish", "floor_divide", "copysign", "maximum", "minimum", "cast", "accumulate"),
    )
)


def _pointwise(
    answer: Answer, cell: Cell, inputs: Sequence[Array], row: Sequence[Floats | None] | None
) -> tuple[Region, ...]:
    """The cell of each input at the same place; with a `row` of slopes, not those that are shut off."""
    out = cast(Array, number_of(answer, cell))
    merged: dict[OutPort, npt.NDArray[np.intp]] = {}
    for k, (source, array) in enumerate(
        zip(answer.graph[cell.port.node].inputs, inputs, strict=True)
    ):
        slopes = row[k] if row is not None else None
        if slopes is not None and not np.any(slopes):
            continue
        at = under(array.shape, out.shape, cell.index)
        flat = np.array([int(np.ravel_multi_index(at, array.shape)) if at else 0], np.intp)
        if source is not None:
            merged[source] = np.union1d(merged.get(source, flat), flat)
    return tuple(Region(port, "value", flat) for port, flat in merged.items())
