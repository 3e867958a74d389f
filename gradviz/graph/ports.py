"""The two ends of a wire."""

from __future__ import annotations

from typing import NamedTuple


class OutPort(NamedTuple):
    """Where a wire starts: output `index` of node `node`."""

    node: str
    index: int = 0  # type: ignore[assignment]  # a port has no use for tuple.index


class InPort(NamedTuple):
    """Where a wire ends: input `index` of node `node`."""

    node: str
    index: int = 0  # type: ignore[assignment]  # a port has no use for tuple.index
