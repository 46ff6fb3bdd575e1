"""Expressions of a script's tree, and targets of assignments, which have expressions in them."""

from __future__ import annotations

from types import MappingProxyType

from jitffi.base.records import later, record
from jitffi.scripts.tree.types import NEVER, Type
from jitffi.scripts.tree.variable import Place, Variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    BinaryOp = Literal["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@"]
    UnaryOp = Literal["-", "+", "~", "not"]
    CompareOp = Literal["<", "<=", "==", "!=", ">", ">=", "is", "is not", "in", "not in"]


@record
class Expr:
    place: Place
    type: Type = later(NEVER)


@record
class Const(Expr):
    """None, bool, int (of 64 bits, with a sign or without: the reader refuses others), float, str or bytes."""

    value: Any


@record
class Local(Expr):
    variable: Variable
    #: This read needs a test whether the variable is bound.
    check: bool = False
    #: It is read in a generator expression or lambda, which Python has a function for: the error says so.
    is_free: bool = False
    #: What stands before it in its expression has found the variable not to be None.
    not_none: bool = False


@record
class Unary(Expr):
    op: UnaryOp
    operand: Expr


@record
class Binary(Expr):
    op: BinaryOp
    left: Expr
    right: Expr


@record
class Compare(Expr):
    """`a < b <= c`: operands a, b, c and ops <, <=; evaluated from the left until one is false. It is a bool."""

    operands: list[Expr]
    ops: list[CompareOp]


@record
class Logic(Expr):
    """`a and b and c`, `a or b`: the value of the operand that decides."""

    is_and: bool
    operands: list[Expr]


@record
class Choice(Expr):
    """`then if test else other`."""

    test: Expr
    then: Expr
    other: Expr


@record
class Item(Expr):
    """`value[index]`."""

    value: Expr
    index: Expr


@record
class MemberName(Expr):
    """What stands in an Item or TargetItem for `value.name` of a struct."""

    name: str


@record
class Slice(Expr):
    """`value[start:stop:step]`."""

    value: Expr
    start: Expr | None
    stop: Expr | None
    step: Expr | None


@record
class Field:
    """What stands in the braces of an f-string. `conversion` is "", "s", "r" or "a"; `spec` itself can have fields."""

    value: Expr
    conversion: str
    spec: Format | None


@record
class Format(Expr):
    """An f-string."""

    parts: list[str | Field]


@record
class Named(Expr):
    """`(x := value)`. The variable is *unsteady*."""

    target: TargetLocal
    value: Expr


@record
class Spread(Expr):
    """`*value` among the items of a ListOf."""

    value: Expr


@record
class Undefined(Expr):
    """Stands in a ListOf for an item that nobody reads before another is put in its place."""


@record
class ListOf(Expr):
    items: list[Expr]


@record
class TupleOf(Expr):
    items: list[Expr]


@record
class DictOf(Expr):
    """`{key: value, **other}`: the key of what a `**` stands before is None."""

    keys: list[Expr | None]
    values: list[Expr]


@record
class Clause:
    """`for target in iterable if c1 if c2` of a comprehension."""

    target: Target
    iterable: Expr
    conditions: list[Expr]


@record
class Comprehension(Expr):
    """`[value for ...]`, or with a key `{key: value for ...}`. The first iterable is evaluated in the surroundings. A
    *lazy* one is `(value for ...)` where something goes through it at once: each item is made when it is asked for."""

    key: Expr | None
    value: Expr
    clauses: list[Clause]
    is_lazy: bool = False


@record
class Method(Expr):
    """`value.name(args)`, a method of str, bytes, list, tuple or dict (methods.py has them by name). Arguments as
    written, keywords by name: which method it is depends on the type of value."""

    value: Expr
    name: str
    args: list[Expr]
    keywords: dict[str, Expr]
    #: What `key=` of list.sort was given.
    key: Callee | None = None
    #: Of `str.strip(value)`: the class that the value must be of, or it is a TypeError.
    of_class: str = ""
    #: Methods of registered classes that have the name, too, and which of them it is, as of a PyCall.
    methods: Mapping[str, Any] = MappingProxyType({})
    method: Any = None
    compiled: Callee | None = None


@record
class Builtin(Expr):
    """A call of a builtin: len, min, max, sum, sorted, abs, round, int, float, str, bool, ord, chr, isinstance, print,
    repr, list, tuple, dict, bytes, divmod, pow, any, all, hash, next, ...; and, only as what is iterated over, range,
    enumerate, zip, reversed. isinstance has the names of the classes in `classes`. `key` is what `key=` was given."""

    name: str
    args: list[Expr]
    keywords: dict[str, Expr]
    classes: tuple[str, ...] = ()
    key: Callee | None = None
    #: Of isinstance: it is that of a pattern of a sequence or mapping.
    is_pattern: bool = False


@record
class Callee:
    """What can be called, or given as `key=`. Exactly one is set.

    script: another script, or this one; its tree is there when it is asked for (program.Program.function).
    native: a jitffi.Function, or a builtin of one, that the name stands for.
    builtin: the name of a builtin (`key=len`), or a method of a class (`key=str.lower`: "str.lower"), or of `value`, a
        dict (`key=counts.get`: ".get").
    value: an expression that is a function at run time (a parameter, an item).
    global_name: `jitffi.get_global_func("name")`, looked up at each call.
    """

    script: Any = None
    native: Any = None
    builtin: str = ""
    value: Expr | None = None
    global_name: str = ""
    #: Of a script or native function beside `key=` of list.sort: what Python sorts a list of its own by.
    python: Expr | None = None
    #: Of a script: the types of the parameters of the variant that is called; inference says them.
    variant: tuple[Type, ...] = later(())


@record
class Call(Expr):
    """A call of anything but a builtin or a method. Of a script the arguments are one a parameter."""

    callee: Callee
    args: list[Expr]
    #: The order in which the arguments are evaluated, by their indices; () for the order that they have.
    order: tuple[int, ...] = ()


# -- targets ----------------------------------------------------------------------------------------------------------


@record
class TargetLocal:
    place: Place
    variable: Variable


@record
class TargetItem:
    """`value[index] = ...`"""

    place: Place
    value: Expr
    index: Expr


@record
class TargetSlice:
    """`value[start:stop:step] = ...`, of a list."""

    place: Place
    value: Expr
    start: Expr | None
    stop: Expr | None
    step: Expr | None


@record
class TargetTuple:
    """`a, b = ...`; `star` is the index of `*rest`, or -1."""

    place: Place
    targets: list[Target]
    star: int = -1


Target = TargetLocal | TargetItem | TargetSlice | TargetTuple
