"""The exceptions a user of gradviz can cause.

    GradvizError
    ├── GraphError          the graph cannot be (a cycle, a missing node, a name taken twice)
    ├── ShapeError          shapes or dtypes that do not fit an operation
    │   └── IndexRangeError an index outside an axis (an IndexError too, so that loops end)
    ├── InputError          a value, name or argument that cannot be used
    │   └── ExpressionError typed mathematics that cannot be read; knows where
    ├── LimitError          larger than `gradviz.limits` allows
    ├── GradientError       a gradient that cannot be built (an operation without a rule)
    │   └── RuleError       a rule of the user's own that is not the derivative; knows where
    └── FileError           a file that cannot be read or written; knows file and place

Each carries its text and its values apart, so that a window can show it in another language.
"""

from __future__ import annotations

from gradviz.text import Message, Text


class GradvizError(Exception):
    """Any error that the user's input can cause. `str(error)` is a sentence for the user."""

    def __init__(self, text: Text | Message, **values: object) -> None:
        self.message = text if isinstance(text, Message) else Message(text, values)
        super().__init__(self.message)

    def __str__(self) -> str:
        return str(self.message)


class GraphError(GradvizError):
    """The graph cannot be as asked."""


class ShapeError(GradvizError):
    """Shapes or dtypes that do not fit an operation."""


class IndexRangeError(ShapeError, IndexError):
    """An index outside an axis."""


class InputError(GradvizError):
    """A value, name or argument that cannot be used."""


class ExpressionError(InputError):
    """Typed mathematics that cannot be read.

    `position` is the offset of the fault in the text, `length` its extent, both in characters.
    """

    def __init__(
        self, text: Text | Message, *, position: int = 0, length: int = 1, **values: object
    ) -> None:
        super().__init__(text, **values)
        self.position = position
        self.length = length


class LimitError(GradvizError):
    """Larger than `gradviz.limits` allows."""


class GradientError(GradvizError):
    """A gradient that cannot be built."""


class RuleError(GradientError):
    """A gradient, or the rule of an operation, that finite differences do not confirm.

    `op` is the name of the operation (empty for a whole graph), `input` that of the input, `cell` the place in it, `given`
    the gradient there and `expected` what the differences give.
    """

    def __init__(
        self,
        text: Text | Message,
        *,
        op: str = "",
        input: str = "",
        cell: tuple[int, ...] = (),
        given: float = 0.0,
        expected: float = 0.0,
        **values: object,
    ) -> None:
        super().__init__(text, op=op, input=input, **values)
        self.op = op
        self.input = input
        self.cell = cell
        self.given = given
        self.expected = expected


class FileError(GradvizError):
    """A file that cannot be read or written.

    `path` names the file, `place` the JSON path or line (empty if the whole file is meant).
    """

    def __init__(
        self, text: Text | Message, *, path: str = "", place: str = "", **values: object
    ) -> None:
        super().__init__(text, **values)
        self.path = path
        self.place = place

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.path, self.place) if part)
        return f"{where}: {self.message}" if where else str(self.message)
