"""What a comparison with finite differences counted. Apart, so that naming it loads nothing."""

from __future__ import annotations

from typing import NamedTuple


class Checked(NamedTuple):
    """What was compared: how many entries agree, how many stand at a kink, how many are not finite."""

    agree: int
    kinks: int = 0
    not_finite: int = 0

    def plus(self, other: Checked) -> Checked:
        """Both together."""
        return Checked(*map(sum, zip(self, other, strict=True)))


NOTHING = Checked(0)
