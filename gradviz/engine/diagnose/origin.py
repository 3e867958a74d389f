"""A number that is not finite: where it began, by which rule, from which numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.engine.diagnose.rules import Made
from gradviz.engine.gradient import Step
from gradviz.graph.model import OutPort
from gradviz.ops.op import Op

Mask = npt.NDArray[np.bool_]
Cell = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Input:
    """A number that met others where something not finite was made."""

    port: OutPort
    cell: Cell
    value: float


@dataclass(frozen=True, slots=True)
class Origin:
    """Where numbers that are not finite begin: the port, the first such cell, how many, and the rule that made it.

    `inputs` are the numbers that met at the cell, where they can be told. In the backward pass, `step` is the step of
    the film, `port` the primal port whose gradient got the number, `amount` what arrived at the cell and `local` the
    local derivative there (`None` where the rule has no such factors), and `inner` the backward node that made it.
    `used` says whether it spoils what was asked: the target, or a reported gradient; `stopped` is the first node on the
    way there whose value is finite again.
    """

    port: OutPort
    cell: Cell
    value: float
    count: int
    made: Made
    inputs: tuple[Input, ...] = ()
    step: Step | None = None
    amount: float | None = None
    local: float | None = None
    inner: str | None = None
    used: bool = True
    stopped: str | None = None


@dataclass(frozen=True, slots=True)
class Troubles:
    """The origins in the order in which the film meets them; of very many the first ones."""

    forward: tuple[Origin, ...] = ()
    backward: tuple[Origin, ...] = ()

    @property
    def first(self) -> Origin | None:
        """The first forward origin that spoils the target, else the first of the backward pass that spoils a result."""
        return next((o for o in (*self.forward, *self.backward) if o.used), None)


def is_bad(array: Any) -> bool:
    """Whether an array of floats holds a NaN or an infinity."""
    return array is not None and array.dtype.kind == "f" and not np.isfinite(array).all()


def not_finite(array: Any) -> Mask:
    """The cells of an array of floats that are NaN or infinite."""
    if array.dtype.kind != "f":
        return np.zeros(array.shape, np.bool_)
    return np.asarray(~np.isfinite(array))


def is_nan(array: Any) -> Mask:
    """The cells of an array of floats that are NaN."""
    if array.dtype.kind != "f":
        return np.zeros(array.shape, np.bool_)
    return np.asarray(np.isnan(array))


def first_cell(mask: Mask) -> Cell:
    """The first cell where it holds, row by row."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(mask)), mask.shape))


def own_cell(cell: Cell, shape: tuple[int, ...]) -> Cell:
    """The cell of a broadcast array that stands at `cell` of the result."""
    own = cell[len(cell) - len(shape) :]
    return tuple(0 if length == 1 else i for i, length in zip(own, shape, strict=True))


def is_elementwise(op: Op) -> bool:
    """Whether a cell of the result comes from the same cell of each input."""
    return op.local_rule is not None or op.family == "gate" or op.name == "accumulate"
