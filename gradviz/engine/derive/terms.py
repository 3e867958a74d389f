"""Terms as columns of numbers, and which of them are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from gradviz.engine.derive.alone import Floats, place
from gradviz.engine.derive.facts import Cell, Index, Region
from gradviz.graph.model import Array, OutPort
from gradviz.ops.spec import FLOAT32

SHOWN: Final = 12
"""So many terms are shown in full; of more, the largest ones."""
LARGEST: Final = 8
ROUNDING: Final = 1e-12
ROUNDING_32: Final = 1.2e-7


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Terms as columns: where the amounts are read, amount, slope, product."""

    cells: tuple[tuple[OutPort, str, Index, int], ...]
    """Port, band, shape and slot of each part."""
    part: npt.NDArray[np.intp]
    flat: npt.NDArray[np.intp]
    amounts: Floats
    slopes: Floats

    def __len__(self) -> int:
        return len(self.flat)

    @property
    def products(self) -> Floats:
        with np.errstate(all="ignore"):
            return self.amounts * self.slopes

    def cell(self, i: int) -> Cell:
        port, band, shape, number = self.cells[self.part[i]]
        return Cell(port, band, place(shape, int(self.flat[i])), number)

    def regions(self) -> tuple[Region, ...]:
        return tuple(
            Region(port, band, self.flat[self.part == p], number)
            for p, (port, band, _, number) in enumerate(self.cells)
            if np.any(self.part == p)
        )


def terms_of(parts: Sequence[tuple[OutPort, str, Array, Floats]]) -> Terms:
    """Terms from (port, band, amounts, slopes); where the slope is exactly 0 there is no term."""
    cells, which, flats, amounts, slopes = [], [], [], [], []
    for p, (port, band, amount, slope) in enumerate(parts):
        flat = np.flatnonzero(slope)
        cells.append((port, band, amount.shape, 0))
        which.append(np.full(len(flat), p))
        flats.append(flat)
        amounts.append(np.asarray(amount, np.float64).ravel()[flat])
        slopes.append(slope.ravel()[flat])
    empty = [np.zeros(0)]
    return Terms(
        tuple(cells),
        np.concatenate(which or empty).astype(np.intp),
        np.concatenate(flats or empty).astype(np.intp),
        np.concatenate(amounts or empty),
        np.concatenate(slopes or empty),
    )


def _chosen(found: Terms, most: int) -> list[int]:
    """The terms that are shown: all in their order, or the largest ones first."""
    if len(found) <= most:
        return list(range(len(found)))
    sizes = np.abs(found.products)
    count = LARGEST if most == SHOWN else most
    largest = np.argpartition(-sizes, count - 1)[:count]
    return [int(i) for i in largest[np.argsort(-sizes[largest], kind="stable")]]


def added_up(
    found: Terms, total: np.generic, most: int, *, wide: bool
) -> tuple[list[int], float | None, float | None, bool, bool]:
    """Shown terms, rest, sum, whether that is the cell, whether all is finite."""
    products = found.products
    if not (np.isfinite(total) and np.all(np.isfinite(products))):
        bad = np.flatnonzero(~np.isfinite(products))
        return [int(i) for i in bad[:most]], None, None, True, False
    shown = _chosen(found, most)
    added = float(np.sum(products))
    rest = None
    if len(shown) < len(found):
        mask = np.ones(len(found), bool)
        mask[shown] = False
        rest = float(np.sum(products[mask]))
    sizes = float(np.sum(np.abs(products)))
    narrow = wide or total.dtype == FLOAT32
    bound = (len(found) + 4) * ROUNDING_32 * sizes if narrow else ROUNDING * sizes
    return shown, rest, added, abs(added - float(total)) <= bound, True
