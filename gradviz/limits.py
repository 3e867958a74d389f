"""How large things may be. One table, shown in the help; `LIMITS` gives each with its reason."""

from __future__ import annotations

from typing import Final, NamedTuple

DOCUMENT_BYTES: Final = 32 * 2**20
JSON_DEPTH: Final = 64
JSON_CONTAINERS: Final = 600_000
JSON_NUMBERS: Final = 1_000_000
VALUES_BYTES: Final = 20 * 2**20
INLINE_ELEMENTS: Final = 1_000
ARRAY_ELEMENTS: Final = 10**7
ALIVE_BYTES: Final = 512 * 2**20
RANK: Final = 8
OUTPUTS: Final = 1_000
ID_CHARACTERS: Final = 64
NAME_CHARACTERS: Final = 80
NOTE_CHARACTERS: Final = 4_096
PLACE: Final = 10**6
EXPRESSION_CHARACTERS: Final = 200_000
EXPRESSION_DEPTH: Final = 200
CHECK_EVALUATIONS: Final = 2_000
JACOBIAN_CELLS: Final = 10**7


class Limit(NamedTuple):
    """A limit, its unit and why it is there."""

    name: str
    value: int
    unit: str
    reason: str


LIMITS: Final = (
    Limit("document", DOCUMENT_BYTES, "bytes", "a file is read into memory at once"),
    Limit("nesting of a document", JSON_DEPTH, "levels", "deeper is never needed"),
    Limit("lists and objects", JSON_CONTAINERS, "", "each costs about 100 bytes of memory"),
    Limit("numbers written as text", JSON_NUMBERS, "", "larger arrays are written as base64"),
    Limit("values of one document", VALUES_BYTES, "bytes", "use a random node or a file instead"),
    Limit("array", ARRAY_ELEMENTS, "elements", "so that one operation stays under a second"),
    Limit("arrays of one run", ALIVE_BYTES, "bytes", "every value and gradient is kept"),
    Limit("outputs of one operation", OUTPUTS, "ports", "more cannot be told apart on a card"),
    Limit("rank", RANK, "axes", "more cannot be shown"),
    Limit("name", NAME_CHARACTERS, "characters", "it must fit a card"),
    Limit("note", NOTE_CHARACTERS, "characters", "it must fit the screen"),
    Limit("place", PLACE, "pixels from the origin", "so that a node can be found again"),
    Limit("typed expression", EXPRESSION_CHARACTERS, "characters", "it is read while you type"),
    Limit("nesting of an expression", EXPRESSION_DEPTH, "levels", "deeper is never needed"),
    Limit("finite differences", CHECK_EVALUATIONS, "evaluations", "above it a sample is checked"),
    Limit("Jacobian or Hessian", JACOBIAN_CELLS, "cells", "it takes a run for each row or column"),
)
