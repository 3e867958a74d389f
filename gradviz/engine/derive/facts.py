"""What is known about where one number comes from: facts, no sentences (`explain.cells` has those)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gradviz.graph.model import OutPort

Index = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a port: of its `value`, of its `gradient`, or of a `slot`, what one road brought back to it.

    `number` is that of the slot, as in `Gradient.arrived`.
    """

    port: OutPort
    band: str
    index: Index
    number: int = 0


class Kind(StrEnum):
    """How a number comes about."""

    SOURCE = "source"
    SEED = "seed"
    SLOTS = "slots"
    BACK = "back"
    PICK = "pick"
    LINEAR = "linear"
    FORMULA = "formula"
    TOGETHER = "together"


class Term(NamedTuple):
    """amount × slope = product.

    The amount is read from `cell`; the slope is the number in `partner` times `sign`, if it is a number that is shown somewhere.
    """

    cell: Cell
    amount: float
    slope: float
    product: float
    partner: Cell | None = None
    sign: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Cells that are read, all of one band: their flat positions in reading order."""

    port: OutPort
    band: str
    flat: npt.NDArray[np.intp]
    number: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """The equation that defines a result, and by how much it fails to hold here."""

    equation: str
    residual: float


@dataclass(frozen=True, slots=True, eq=False)
class Derivation:
    """Where the number `total` of `cell` comes from.

    `terms` are those that are shown, of `count`; `rest` is the sum of the others. `added` is the sum of all terms. `exact`
    tells whether it is the cell within the rounding of its dtype. Where not all is finite, `terms` are those that
    are not, and nothing is added.
    """

    cell: Cell
    kind: Kind
    total: np.generic
    node: str
    terms: tuple[Term, ...] = ()
    count: int = 0
    rest: float | None = None
    added: float | None = None
    exact: bool = True
    wide: bool = False
    finite: bool = True
    copied: bool = False
    reads: tuple[Region, ...] = ()
    parts: tuple[tuple[str, str, float], ...] = ()
    check: Check | None = None
    input: int = 0
