"""Exit codes: fine, a bad answer (a difference, NaN, an error on a node), bad input or use, our own bug, cancelled."""

from typing import Final

FINE: Final = 0
BAD_ANSWER: Final = 1
BAD_INPUT: Final = 2
OUR_BUG: Final = 3
CANCELLED: Final = 130
