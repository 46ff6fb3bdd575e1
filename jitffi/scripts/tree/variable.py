"""Variables of a script, and places in its source."""

from __future__ import annotations

from jitffi.base.records import record
from jitffi.scripts.tree.types import NEVER, Type


@record
class Place:
    """Where something stands: line and column as Python counts them, line from 1, column in characters from 0."""

    line: int
    column: int
    end_line: int
    end_column: int


@record
class Variable:
    """A parameter or local variable; those of a comprehension are its own and have a name of their own (`x.1`)."""

    name: str
    is_parameter: bool = False
    #: What its annotation says; None: nothing. `x: int` is a promise of the writer: what else comes is a TypeError.
    declared: Type | None = None
    #: Some read of it can come before any assignment.
    maybe_unbound: bool = False
    #: Something assigns to it after the parameters were set: never for a parameter that is only read.
    is_assigned: bool = False
    #: Something assigns to it within an expression, so that no statement says what it holds.
    is_unsteady: bool = False
    #: It has products of two U64, whose upper halves are kept beside it (analysis/products.py).
    is_wide: bool = False
    type: Type = NEVER
    #: Of a parameter: it is a list or dict that nobody changes, here or in what is called.
    only_read: bool = False
    #: Of a parameter that is an array: what a signature calls its lengths, a number, a name or `*` each.
    lengths: tuple[str, ...] = ()
    #: Why its type is ANY, or has ANY in it; for who reads the types.
    why: str = ""
