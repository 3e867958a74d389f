"""Where one number comes from: the terms that add up to it, or the formula that it is.

A gradient is the sum of what came back by each road; what came back by one is the sum of gradient × slope over the cells that
the number went into. A value is a sum of terms where the op is linear, else a formula of a few cells, or made from all of
them together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from gradviz.engine.answer import Answer
from gradviz.engine.derive.alone import Alone, Floats, size
from gradviz.engine.derive.facts import Cell, Derivation, Index, Kind, Term
from gradviz.engine.derive.lookup import alone, fits, number_of
from gradviz.engine.derive.terms import SHOWN, Terms, added_up, terms_of
from gradviz.engine.derive.values import other, regions_of, value
from gradviz.engine.gradient import Contribution
from gradviz.errors import GradvizError
from gradviz.graph.model import Array, InPort, OutPort
from gradviz.ops.expr import UNCOMPUTABLE
from gradviz.ops.spec import FLOAT32


def derive(answer: Answer, cell: Cell, terms: int = SHOWN) -> Derivation | None:
    """Where a number comes from; None if there is no such number. At most `terms` terms are shown.

    A slot is what one road brought back; the gradient is the sum of its slots.
    """
    array = number_of(answer, cell)
    if array is None or not fits(array, cell.index):
        return None
    total = cast("np.generic", array[cell.index])
    if cell.band == "value":
        return value(answer, cell, total, terms)
    arrived = answer.gradient.arrived.get(cell.port, ())
    if cell.band == "gradient" and len(arrived) > 1:
        return _slots(answer, cell, total, arrived, terms)
    contribution = arrived[cell.number if cell.band == "slot" else 0]
    if contribution.wire is None:
        return Derivation(cell, Kind.SEED, total, cell.port.node)
    return _back(answer, cell, total, contribution.wire, terms)


def _slots(
    answer: Answer,
    cell: Cell,
    total: np.generic,
    arrived: Sequence[Contribution],
    most: int,
) -> Derivation:
    arrays = [answer.run[c.result] for c in arrived]
    if any(a is None for a in arrays):
        return Derivation(cell, Kind.SLOTS, total, cell.port.node)
    known = cast("list[Array]", arrays)
    flat = int(np.ravel_multi_index(cell.index, known[0].shape)) if cell.index else 0
    found = Terms(
        tuple((cell.port, "slot", a.shape, number) for number, a in enumerate(known)),
        np.arange(len(known)),
        np.full(len(known), flat),
        np.array([float(a[cell.index]) for a in known]),
        np.ones(len(known)),
    )
    shown, rest, added, exact, finite = added_up(found, total, most, wide=False)
    terms = tuple(
        Term(found.cell(i), float(found.amounts[i]), 1.0, float(found.amounts[i])) for i in shown
    )
    return Derivation(
        cell,
        Kind.SLOTS,
        total,
        cell.port.node,
        terms,
        len(found),
        rest,
        added,
        exact,
        finite=finite,
        reads=found.regions(),
    )


def _back(answer: Answer, cell: Cell, total: np.generic, wire: InPort, most: int) -> Derivation:
    node = answer.graph[wire.node]
    apart = alone(answer, wire.node)
    plain = Derivation(cell, Kind.BACK, total, wire.node, exact=False, input=wire.index)
    if apart is None:
        return plain
    amounts = [answer.adjoint(OutPort(node.id, o)) for o in range(len(apart.outputs))]
    try:
        column = apart.column(wire.index, cell.index, amounts)
    except (GradvizError, *UNCOMPUTABLE):
        return plain
    parts: list[tuple[OutPort, str, Array, Floats]] = []
    if column is not None:
        for o, slopes in enumerate(column.slopes):
            amount = amounts[o]
            if slopes is not None and amount is not None:
                parts.append((OutPort(node.id, o), "gradient", amount, slopes))
    found = terms_of(parts)
    wide = any(a is not None and a.dtype == FLOAT32 for a in amounts)
    shown, rest, added, exact, finite = added_up(found, total, most, wide=wide)
    terms = tuple(_back_term(answer, apart, found, i, wire, cell.index) for i in shown)
    array = cast(Array, number_of(answer, cell))
    return Derivation(
        cell,
        Kind.BACK,
        total,
        node.id,
        terms,
        len(found),
        rest,
        added,
        exact,
        wide=wide,
        finite=finite,
        copied=_is_copied(apart, array),
        reads=(
            *found.regions(),
            *(regions_of(answer, node.id, column.uses) if column is not None else ()),
        ),
        input=wire.index,
    )


def _is_copied(apart: Alone, array: Array) -> bool:
    """Whether the input was copied out to the shape of the output."""
    return apart.op.local_rule is not None and size(array.shape) < size(apart.outputs[0].shape)


def _back_term(
    answer: Answer, apart: Alone, found: Terms, i: int, wire: InPort, index: Index
) -> Term:
    cell = found.cell(i)
    amount, slope = float(found.amounts[i]), float(found.slopes[i])
    with np.errstate(all="ignore"):
        product = float(np.float64(amount) * np.float64(slope))
    output = replace(cell, band="value")
    partner, sign = other(answer, apart, output, wire.index, index, slope)
    return Term(cell, amount, slope, product, partner, sign)
