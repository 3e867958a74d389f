"""Where one number comes from."""

from gradviz.engine.derive.cells import derive
from gradviz.engine.derive.facts import Cell, Check, Derivation, Kind, Region, Term
from gradviz.engine.derive.lookup import alone, number_of, slot_of
from gradviz.engine.derive.terms import SHOWN

__all__ = [
    "SHOWN",
    "Cell",
    "Check",
    "Derivation",
    "Kind",
    "Region",
    "Term",
    "alone",
    "derive",
    "number_of",
    "slot_of",
]
