"""Nodes of what is done by Python's own objects: names of the module, calls of whatever can be called.

`value.name` is an Item with a MemberName in it, as members of structs are.
"""

from __future__ import annotations

from types import MappingProxyType

from jitffi.base.records import record
from jitffi.scripts.tree.tree import Callee, Expr, Item, MemberName, TargetItem
from jitffi.scripts.tree.types import NEVER, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


class Outside:
    """A name that is no variable of a function, by what it is looked up in: the function's cells, its module, and the
    builtins."""

    __slots__ = ("function", "name")

    def __init__(self, function: Any, name: str) -> None:
        self.function = function
        self.name = name


@record
class Global(Expr):
    """What such a name stands for whenever this is evaluated; NameError."""

    outside: Outside
    makes: str = ""  # the key of the registered class that it is, as far as its name tells


@record
class Import(Expr):
    """What `import module` gives, by the module's absolute name: of "a.b" that is a, and with `as` the *whole*."""

    module: str
    is_whole: bool


@record
class ImportFrom(Expr):
    """What `from module import name` gives."""

    module: str
    name: str


@record
class PyConst(Expr):
    """A constant that is no value of scripts: complex, an int beyond 64 bits, Ellipsis."""

    value: Any


@record
class Parameters:
    """Those of a method behind what comes in front: their names, those by position first, so many of them by position
    *alone*; their defaults, a constant, or of others its name; and whether it has `*args` and `**kwargs`."""

    names: tuple[str, ...]
    alone: int
    by_position: int
    defaults: Mapping[str, Any]
    has_args: bool
    has_kwargs: bool


@record
class Method:
    """A method or property of a registered class: the script of its function, None of a constant. *first*: what comes
    in front of its arguments: the "object", its "class", or nothing, "". *places*: of its parameters behind that, which
    argument each gets, or below zero which of the *defaults*. *owner*: the key of the class behind which super() finds
    it. *of_class*: it is called on the class itself. *rest*, *more*: the arguments that `*args` and `**kwargs` get."""

    key: str
    name: str
    script: Any
    first: str
    places: tuple[int, ...]
    defaults: tuple[Any, ...]
    owner: str = ""
    of_class: bool = False
    parameters: Parameters | None = None
    rest: tuple[int, ...] | None = None
    more: Mapping[str, int] | None = None

    def placed(self, count: int, named: Sequence[str]) -> Method | None:
        """The same for a call with so many arguments by position, and behind them those of these names; None where they
        do not fit."""
        has = self.parameters
        assert has is not None
        at = {name: count + i for i, name in enumerate(named)}
        places = [*range(min(count, has.by_position))]
        more = {name: i for name, i in at.items() if name not in has.names[has.alone :]}
        is_taken = any(name in at for name in has.names[has.alone : len(places)])
        if is_taken or (count > has.by_position and not has.has_args) or (more and not has.has_kwargs):
            return None
        used: list[Any] = []
        for number, name in enumerate(has.names[len(places) :], len(places)):
            if name in at and number >= has.alone:
                places.append(at[name])
            elif name in has.defaults:
                used.append(has.defaults[name])
                places.append(-len(used))
            else:
                return None
        rest = tuple(range(has.by_position, count)) if has.has_args else None
        return Method(
            self.key, self.name, self.script, self.first, tuple(places), tuple(used), self.owner, self.of_class, has,
            rest, more if has.has_kwargs else None,
        )  # fmt: skip

    def arranged(
        self, values: list[Any], default: Callable[[Any], Any], rest: Callable[[list[Any]], Any],
        more: Callable[[dict[str, Any]], Any],
    ) -> list[Any]:  # fmt: skip
        """What the parameters get, of the arguments as they are written."""
        found = [values[each] if each >= 0 else default(self.defaults[~each]) for each in self.places]
        if self.rest is not None:
            found.append(rest([values[each] for each in self.rest]))
        if self.more is not None:
            found.append(more({name: values[each] for name, each in self.more.items()}))
        return found


@record
class AttributeName(MemberName):
    """What stands in an Item for `value.name` that may be a property or constant of a registered class, by keys; as in
    PyCall."""

    methods: Mapping[str, Method]
    method: Method | None = None
    compiled: Callee | None = None
    #: The same of the setters of properties that are assigned to.
    setters: Mapping[str, Method] = MappingProxyType({})
    setter: Method | None = None
    stored: Callee | None = None
    gives: Type = NEVER  # what the method gives where it is read to be changed


@record
class PyCall(Expr):
    """`callee(args)` by Python. Of a callee that is `value.name` that method is called."""

    callee: Expr
    args: list[Expr]
    math: str = ""  # the function of `math` that it is, which is native where it gets numbers
    table: tuple[int, ...] | bytes | None = None  # of a call of translate that is native on str, or on bytes
    methods: Mapping[str, Method] = MappingProxyType({})  # that it may be, by the keys of registered classes
    method: Method | None = None  # that it is, where the class is what it was; inference says so
    compiled: Callee | None = None  # the script of that
    makes: str = ""  # the key of the registered class that is called, as far as is known; inference says so
    owner: str = ""  # of `super(Class, self)` the key of the class
    inits: Mapping[str, Method] = MappingProxyType({})  # the constructors of classes that it may call, by their keys

    @property
    def receiver(self) -> Expr | None:
        """What a method is called of; None where that is no method's call."""
        value = self.callee.value if isinstance(self.callee, Item) else None
        return value.args[1] if isinstance(value, PyCall) and value.owner else value


@record
class Starred(Expr):
    """`*value` among the arguments of a PyCall; `**value` if it is double."""

    value: Expr
    double: bool


@record
class Named(Expr):
    """`name=value` among the arguments of a PyCall."""

    name: str
    value: Expr


@record
class SetOf(Expr):
    """`{a, *b}`; of a comprehension the one item is a Spread of what goes through it."""

    items: list[Expr]


@record
class SliceObject(Expr):
    """`start:stop:step` in the index of something that is none of scripts' sequences."""

    start: Expr | None
    stop: Expr | None
    step: Expr | None


@record
class AsText(Expr):
    """An object of Python's that is a str for sure: what `re.sub` of text gives."""

    value: Expr


@record
class AsAny(Expr):
    """An object of Python's as a value of any type: what is done with it knows native values only. *role*: it is
    "sought" in a container in a field of a registered object, which takes it for what Python's container does, or the
    "index" of a list or tuple there, a "bound" of what is searched, or the "int" that is a method's argument;
    it is asked for "text" or "bytes", or a "key", of which its class may be derived."""

    value: Expr
    role: str = ""


# -- functions that Python keeps, and the variables that they share with the script ------------------------------------


class Code:
    """Code that the interpreter has compiled, of what is inside of a function: an index a level among its constants."""

    __slots__ = ("function", "path")

    def __init__(self, function: Any, path: tuple[int, ...]) -> None:
        self.function = function
        self.path = path


@record
class CellName(MemberName):
    """What stands in an Item or TargetItem for what a cell holds. *name*: the variable's, behind one blank, or behind
    two where it is another function's."""


@record
class NewCell(Expr):
    """A cell of Python's that holds the value; None: nothing yet."""

    value: Expr | None


@record
class OuterCell(Expr):
    """The cell of a variable of the function around the script's."""

    outside: Outside


@record
class MadeFunction(Expr):
    """A function of Python's: what `def` and `lambda` make, bodies of classes, and generator expressions, which are
    called at once. `what` is how it is shown."""

    what: str
    code: Code
    cells: list[Expr]
    defaults: list[Expr]
    by_name: dict[str, Expr]
    annotations: dict[str, Expr]
    #: What evaluates the annotations when they are asked for, from CPython 3.14 on.
    annotate: Expr | None = None


@record
class Default(Expr):
    """The default of a parameter, which calls share."""

    outside: Outside


@record
class MatchClass(Expr):
    """What the sub-patterns of a class pattern are tried on, a list: so many by position, and those of the names. None
    where the class does not fit."""

    subject: Expr
    cls: Expr
    count: int
    names: tuple[str, ...]


@record
class IteratorOf(Expr):
    """`iter(value)`, whatever the name stands for."""

    value: Expr


@record
class Stored(Expr):
    """`(target := value)` of a variable that is in a cell or in the module."""

    target: TargetItem
    value: Expr


@record
class ModuleDict(Expr):
    """The dict of the module that a function is of."""

    function: Any
