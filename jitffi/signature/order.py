"""How Python passes the parameters of a signature, which C takes one behind the other.

    (n: u64, a: f32 = 1.0, x: const f32[n], y: out[f32[n]]) -> void      f(x, *, n=None, a=1.0)

An integer that an array's dimension or stride is named after is filled in from the array, an `out` is made by the
entry, and a default may stand before a parameter without one: Python passes such parameters by keyword, or not at all.
"""

from __future__ import annotations

from jitffi.signature.compound import INTEGERS, names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from jitffi.signature.model import Param

    #: The array that a filled-in parameter comes from: its parameter, the dimension, and whether it is the stride.
    Source: TypeAlias = tuple[int, int, bool]


class Order:
    """How Python passes the parameters of a signature: their indices, by position and by keyword alone."""

    __slots__ = ("filled", "keyword_only", "outs", "positional")

    positional: tuple[int, ...]
    keyword_only: tuple[int, ...]
    outs: tuple[int, ...]  # not passed at all
    filled: dict[int, tuple[Source, ...]]  # what a parameter is filled in from: the first that is not None

    def __init__(self, params: tuple[Param, ...]) -> None:
        self.outs = tuple([i for i, p in enumerate(params) if p.type.name == "out"])
        self.filled = _sources(params)
        left = [i for i in range(len(params)) if i not in self.filled and i not in self.outs]
        last = max([i for i in left if not params[i].has_default], default=-1)
        self.positional = tuple([i for i in left if i > last or not params[i].has_default])
        self.keyword_only = tuple([i for i in range(len(params)) if i not in (*self.positional, *self.outs)])

    @property
    def for_callables(self) -> tuple[int, ...]:
        """What a Python callable gets of a call, by position."""
        count = len(self.positional) + len(self.keyword_only) + len(self.outs)
        return tuple([i for i in range(count) if i not in self.filled and i not in self.outs])

    @property
    def has_defaults_by_name(self) -> bool:
        """Whether a parameter with a default is passed by keyword alone."""
        return any(i not in self.filled for i in self.keyword_only)

    @property
    def for_runtime(self) -> tuple[int, ...]:
        """What the runtime knows of it (runtime_c/python/shared/function.h, `order`)."""
        count = len(self.positional)
        return (~count if self.has_defaults_by_name else count, *[~i if i in self.filled else i for i in self.passed])

    @property
    def passed(self) -> tuple[int, ...]:
        """All that Python passes, those by keyword alone last."""
        return self.positional + self.keyword_only


def _sources(params: tuple[Param, ...]) -> dict[int, tuple[Source, ...]]:
    index = {p.name: i for i, p in enumerate(params) if p.name is not None}
    found: dict[int, tuple[Source, ...]] = {}
    for at, p in enumerate(params):
        for name, dim, is_stride in names_of(p.type):
            if name in index:
                found[index[name]] = (*found.get(index[name], ()), (at, dim, is_stride))
    return found


def find_length_fault(params: tuple[Param, ...]) -> tuple[int, str] | None:
    """Return the index of the first parameter whose dimensions are named after what has no length, and why; or None."""
    index = {p.name: i for i, p in enumerate(params) if p.name is not None}
    lengths = {name for p in params for name, _, is_stride in names_of(p.type) if not is_stride}
    for at, p in enumerate(params):
        inner = p.type.args[0] if p.type.name == "out" else p.type
        for name, _, is_stride in names_of(inner):
            if name in index and params[index[name]].type.name not in INTEGERS:
                what = "stride" if is_stride else "dimension"
                return at, f"the {what} {name!r} is a parameter of type {params[index[name]].type.text}: no integer"
            if p.type.name == "out" and name not in index and name not in lengths:
                return at, f"the length {name!r} is unknown: neither an array that is passed in nor an integer has it"
    return None
