"""Which NumPy calls an element-wise op makes.

The forward function of an op is run once on stand-ins that note every ufunc they meet. What comes out is the op as a list of
calls, which the fast path repeats on buffers of its own: the same calls in the same order, so the same bits. An op that does
anything else than calling ufuncs (and `np.where`) is not traced; it is called as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from gradviz.ops.op import Op
from gradviz.ops.spec import Spec

Dtype = np.dtype[np.generic]


class TracedCall(NamedTuple):
    """A ufunc (or `np.where`) with its operands: inputs 0 … n − 1, then the results of earlier calls; or a number."""

    function: Callable[..., Any]
    operands: tuple[int | float, ...]
    dtypes: tuple[Dtype, ...]
    dtype: Dtype


class Literal(float):
    """A number in a trace (operands that are plain ints are places)."""


class _UntraceableError(Exception):
    pass


class _Tracer:
    def __init__(self, count: int) -> None:
        self.calls: list[TracedCall] = []
        self._count = count

    def note(self, function: Any, operands: Sequence[Any]) -> _StandIn:
        places: list[int | float] = []
        kinds: list[Any] = []
        for operand in operands:
            if isinstance(operand, _StandIn):
                places.append(operand.place)
                kinds.append(float if operand.weak else operand.dtype)
            elif type(operand) in (float, int):
                places.append(Literal(operand))
                kinds.append(type(operand))
            elif type(operand) is np.ndarray and operand.ndim == 0 and operand.dtype.kind == "f":
                places.append(Literal(operand))
                kinds.append(operand.dtype)
            else:
                raise _UntraceableError
        if function is np.where:
            dtypes = (np.dtype(np.bool_), *(_result(kinds[1:]),) * 3)
            if kinds[0] != dtypes[0]:
                raise _UntraceableError
        else:
            dtypes = function.resolve_dtypes((*kinds, None))
        self.calls.append(TracedCall(function, tuple(places), tuple(dtypes[:-1]), dtypes[-1]))
        return _StandIn(self, self._count + len(self.calls) - 1, dtypes[-1])


def _result(kinds: Sequence[Any]) -> Dtype:
    strong = [kind for kind in kinds if not isinstance(kind, type)]
    return np.result_type(*strong, *(kind(0) for kind in kinds if isinstance(kind, type)))


class _StandIn(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that is not there: it has a dtype and knows what was done to it."""

    __slots__ = ("dtype", "place", "tracer", "weak")

    def __init__(self, tracer: _Tracer, place: int, dtype: Dtype, *, weak: bool = False) -> None:
        self.tracer = tracer
        self.place = place
        self.dtype = dtype
        self.weak = weak

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any
    ) -> _StandIn:
        if method != "__call__" or keywords or ufunc.nout != 1 or ufunc.signature is not None:
            raise _UntraceableError
        return self.tracer.note(ufunc, inputs)

    def __array_function__(
        self, function: Any, types: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> _StandIn:
        if function is not np.where or keywords or len(arguments) != 3:
            raise _UntraceableError
        return self.tracer.note(np.where, arguments)

    def __array__(self, *_: object, **__: object) -> Any:
        raise _UntraceableError

    def __bool__(self) -> bool:
        raise _UntraceableError

    def __float__(self) -> float:
        raise _UntraceableError


KINDS: Final = "fb"


def trace(
    op: Op, specs: Sequence[Spec], attributes: Mapping[str, object]
) -> tuple[TracedCall, ...] | None:
    """The calls of one application, or None if it cannot be traced. The last call gives the output."""
    if any(spec.dtype.kind not in KINDS for spec in specs) or not specs:
        return None
    tracer = _Tracer(len(specs))
    inputs = [
        _StandIn(tracer, place, spec.dtype, weak=spec.weak) for place, spec in enumerate(specs)
    ]
    try:
        result = op.forward(*inputs, **op.bind(attributes))
    except Exception:  # noqa: BLE001
        # Whatever a forward does with a stand-in that only an array can do, it is called as it is.
        return None
    if not isinstance(result, _StandIn) or result.place != len(specs) + len(tracer.calls) - 1:
        return None
    if any(call.dtype.kind not in KINDS for call in tracer.calls):
        return None
    return tuple(tracer.calls)
