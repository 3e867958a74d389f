"""Facts, not sentences (`explain` writes those): why a gradient is missing, why one is 0, where a NaN began."""

from gradviz.engine.diagnose.finite import troubles
from gradviz.engine.diagnose.missing import Around, Cut, Missing, State, missing
from gradviz.engine.diagnose.origin import Origin, Troubles
from gradviz.engine.diagnose.rounding import rounding
from gradviz.engine.diagnose.rules import Made
from gradviz.engine.diagnose.zeros import Kind, Zero, Zeros, zeros

__all__ = [
    "Around",
    "Cut",
    "Kind",
    "Made",
    "Missing",
    "Origin",
    "State",
    "Troubles",
    "Zero",
    "Zeros",
    "missing",
    "rounding",
    "troubles",
    "zeros",
]
