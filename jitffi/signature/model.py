"""Types, parameters and signatures as immutable values.

Equal types are one object, so comparing types is comparing addresses. A signature's canonical text is its identity:
two signatures are equal when their texts are, which also tells ``0.0`` from ``-0.0`` and finds ``nan`` equal to itself.
How texts are read is the business of ``text``, ``cdecl`` and ``annotations``.

This module is on the way of every warm start: it imports next to nothing; defaults have a module of their own. Types
hold signatures and signatures hold types, so they share one file, which is longer than most for it.
"""

from __future__ import annotations

from jitffi.signature.parameters import KEYWORDS as KEYWORDS
from jitffi.signature.parameters import NO_DEFAULT as NO_DEFAULT
from jitffi.signature.parameters import find_fault, parameter_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import UnionType
    from typing import Any, TypeAlias

    #: jitffi.i64 and its like are types of Python's to type checkers.
    _AnyType: TypeAlias = "Type | type[Any] | UnionType"

    from jitffi.signature.order import Order

MAX_DEPTH = 32  # of types inside types; keeps every walk over them far from Python's recursion limit

#: The names that are types without a look at the rows (jitffi/types), which a start from the cache has no time for.
#: Whatever else has a row is found there; a test compares these with the rows. The runtime knows them, too, so that
#: containers may hold them (runtime_c/src/pattern.c).
PLAIN_NAMES = (
    "void", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64",
    "ptr", "cstr", "str", "ucs4", "bytes", "dtype", "device", "func", "module", "any", "object", "list", "map", "tuple",
    "set",
)  # fmt: skip
WIDE_NAMES = ("longdouble", "i128", "u128", "c64", "c128")  # other numbers, which no container holds
_NAMES = (*PLAIN_NAMES, *WIDE_NAMES)
CONTAINERS = ("list", "map", "tuple", "set")
FROZEN_MAP = "jitffi.FrozenMap"  # the type of objects that says what is in it


class _Readers:
    """What reads notations, defaults and the rows; all of it is built on this module, so the package hands it in."""

    parse: Callable[[str], Signature]
    from_c: Callable[[str], Signature]
    of: Callable[[Callable[..., Any]], Signature]
    default: Callable[[Type, Any], Any]
    typed: Callable[[Type, Any], Any]
    #: Names of types that only the rows know.
    other_names: Callable[[], list[str]]
    #: The modules of these names, loaded when a signature has such types.
    compound: Any
    order: Any


readers = _Readers()

_set = object.__setattr__


class _Frozen:
    """Base of the records here: attributes are set once, by the constructor."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot delete {name!r}")


class Type(_Frozen):
    """A type of a signature; equal types are the same object.

    ``args`` holds the inner type of an ``optional``, the signature of a typed ``func``, what ``compound`` says of other
    types with brackets (for a tuple of any length the items' type and ``...``), and nothing otherwise.
    Raises TypeError or ValueError for a name or arguments that make no type.

    >>> Type("optional", (Type("i64"),)) is optional(TYPES["i64"])
    True
    """

    __slots__ = ("args", "bare", "depth", "name", "text")

    name: str  # without what is in brackets: "list" of list[str]
    args: tuple[Any, ...]  # what is in brackets; nothing for most types
    text: str  # as signatures spell it
    bare: str  # the text without parameter names and defaults: all that machine code depends on (see compound)
    depth: int  # of types inside it

    def __new__(cls, name: str, args: tuple[Any, ...] = ()) -> Type:
        found = _interned.get((name, args))
        return found if found is not None else _make_type(name, args)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Type({self.name!r}, {self.args!r})" if self.args else f"Type({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Type, (self.name, self.args)

    def __call__(self, value: Any) -> Any:
        return readers.typed(self, value)

    def __or__(self, other: None) -> Type:
        return optional(self) if other is None else NotImplemented

    __ror__ = __or__

    @property
    def is_optional(self) -> bool:
        """Whether None is among its values as absence: ``optional[T]``.

        >>> optional(TYPES["str"]).is_optional, TYPES["ptr"].is_optional
        (True, False)
        """
        return self.name == "optional"

    @property
    def inner(self) -> Type:
        """T of ``optional[T]``; TypeError for other types.

        >>> optional(TYPES["str"]).inner
        Type('str')
        """
        if self.name != "optional":
            raise TypeError(f"{self.text} is not optional")
        inner: Type = self.args[0]
        return inner

    @property
    def signature(self) -> Signature | None:
        """The signature of ``func[...]``; None for the plain ``func`` and every other type.

        >>> func(Signature.parse("(i64) -> void")).signature
        Signature.parse('(i64) -> void')
        """
        return self.args[0] if self.args and self.name == "func" else None


# Owner of every type, for the life of the process: types compare by identity, so none may be made twice.
_interned: dict[tuple[str, tuple[Any, ...]], Type] = {}


def _make_type(name: str, args: tuple[Any, ...]) -> Type:
    """Check and intern a type that is not there yet."""
    text = bare = name
    depth = 0
    if name == "optional":
        if len(args) != 1 or not isinstance(args[0], Type):
            raise TypeError(f"optional takes one type, got {args!r}")
        inner = args[0]
        if inner.name in ("void", "optional", "out", "inout", "struct"):
            raise ValueError(f"optional[{inner.text}] is no type: {inner.name} can have no None beside it")
        depth, text, bare = inner.depth + 1, f"optional[{inner.text}]", f"optional[{inner.bare}]"
    elif name == "func" and args:
        if len(args) != 1 or not isinstance(args[0], Signature):
            raise TypeError(f"func takes one signature, got {args!r}")
        sig = args[0]
        if "owned[" in sig.types:
            raise ValueError(f"func[{sig}] is no type: a callback gives nothing that its caller has to free")
        depth = 1 + max([sig.result.depth, *[p.type.depth for p in sig.params]])
        text, bare = f"func[{sig}]", f"func[{sig.types}]"
    else:
        made = None if name in _NAMES and not args else readers.compound.make(name, args)
        if made is not None:
            depth, text, bare = made
        elif name not in _NAMES and name not in readers.other_names():
            raise ValueError(f"unknown type name {name!r}")
        elif args:
            raise TypeError(f"{name} takes no arguments, got {args!r}")
    if depth > MAX_DEPTH:
        raise ValueError(f"types nested more than {MAX_DEPTH} deep")
    new = object.__new__(Type)
    for slot, value in zip(("depth", "args", "bare", "name", "text"), (depth, args, bare, name, text), strict=True):
        _set(new, slot, value)
    # setdefault is one step: of two threads that get here, both return the first one's type.
    return _interned.setdefault((name, args), new)


def _is_plain(type_: Type) -> bool:
    """Whether there is nothing to ask of where such a type may stand."""
    core = type_.args[0] if type_.name == "optional" else type_
    return core.name in PLAIN_NAMES and core.name != "void" or type_.name in WIDE_NAMES


TYPES: dict[str, Type] = {name: _make_type(name, ()) for name in _NAMES}


def optional(inner: Type) -> Type:
    """Return ``optional[inner]``. ValueError for void and for what is optional already.

    >>> str(optional(TYPES["cstr"]))
    'optional[cstr]'
    """
    return Type("optional", (inner,))


def func(signature: Signature) -> Type:
    """Return ``func[signature]``, a callback of that signature.

    >>> str(func(Signature([Param(None, TYPES["i64"])], TYPES["void"])))
    'func[(i64) -> void]'
    """
    return Type("func", (signature,))


class Param(_Frozen):
    """One parameter; without a name it is positional only.

    *type* is a Type other than void; *default* is checked, and made a value of it: TypeError, ValueError or
    OverflowError for one that is none. ValueError for a name that Python could not use as a parameter's, or a void
    parameter.

    >>> Param("x", TYPES["f64"], 1)
    Param('x', Type('f64'), 1.0)
    """

    __slots__ = ("default", "name", "type")

    name: str | None  # None: positional only
    type: Type  # never void
    default: Any  # a value of the type, or what says that there is none: see has_default

    def __init__(self, name: str | None, type: _AnyType, default: Any = NO_DEFAULT) -> None:
        if not isinstance(type, Type):
            raise TypeError(f"expected a Type for the parameter, got {type!r}")
        why = "" if _is_plain(type) else readers.compound.why_no_parameter(type)
        if why:
            raise ValueError(why)
        _set(self, "name", None if name is None else parameter_name(name))
        _set(self, "type", type)
        if default is not NO_DEFAULT:
            default = readers.default(type, default)
        _set(self, "default", default)

    @property
    def has_default(self) -> bool:
        """Whether it may be left out; None is a default like any other.

        >>> Param("x", TYPES["ptr"], None).has_default, Param("x", TYPES["ptr"]).has_default
        (True, False)
        """
        return self.default is not NO_DEFAULT

    def __str__(self) -> str:
        text = self.type.text if self.name is None else f"{self.name}: {self.type.text}"
        return text if self.default is NO_DEFAULT else f"{text} = {self.default!r}"

    def __repr__(self) -> str:
        tail = f", {self.default!r}" if self.has_default else ""
        return f"Param({self.name!r}, {self.type!r}{tail})"

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Param) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return Param, (self.name, self.type, self.default)


class Signature(_Frozen):
    """What a function takes and returns. ``str()`` gives the canonical text, which ``parse`` reads back.

    *params* are Params, *result* is a Type, *fixed* is how many of the parameters stand before `...`. ``types`` is the
    text of the types alone: functions that agree in it share machine code. TypeError for other classes,
    ValueError for parameters that no Python function could have, two of one name, say, and for what no result can be.

    >>> sig = Signature.parse("(x:f64, y:f64=1) -> f64")
    >>> str(sig), sig.types, sig.num_required
    ('(x: f64, y: f64 = 1.0) -> f64', '(f64, f64) -> f64', 1)
    """

    __slots__ = ("_order", "_text", "fixed", "in_order", "num_required", "params", "result", "types")

    params: tuple[Param, ...]  # in their order
    result: Type  # void for none
    fixed: int | None  # of a variadic C function: how many parameters are not variable arguments
    types: str  # the text of the types alone
    num_required: int  # how many parameters a packed call gives at least: up to the last one without a default
    in_order: bool  # Python passes the parameters as C does, one behind the other
    _text: str
    _order: Order | None

    def __init__(self, params: Iterable[Param], result: _AnyType, fixed: int | None = None) -> None:
        params = tuple(params)
        if not isinstance(result, Type):
            raise TypeError(f"expected a Type for the result, got {result!r}")
        for p in params:
            if not isinstance(p, Param):
                raise TypeError(f"expected a Param, got {p!r}")
        fault = find_fault(params, fixed)
        if fault is not None:
            raise ValueError(fault[1])
        why = "" if _is_plain(result) else readers.compound.why_no_result(result)
        if why:
            raise ValueError(why)
        types = f"({_listed([p.type.bare for p in params], fixed)}) -> {result.bare}"
        is_out = "out[" in types and any(p.type.name == "out" for p in params)
        required = [i for i, p in enumerate(params) if p.default is NO_DEFAULT and p.type.name != "out"]
        _set(self, "in_order", not ("\0" in types or is_out or required != list(range(len(required)))))
        if "\0" in types:
            fault = readers.order.find_length_fault(params)
            if fault is not None:
                raise ValueError(fault[1])
            types = readers.compound.resolved(types, [p.name for p in params])
        _set(self, "params", params)
        _set(self, "result", result)
        _set(self, "fixed", fixed)
        _set(self, "num_required", required[-1] + 1 if required else 0)
        _set(self, "types", types)
        _set(self, "_text", f"({_listed([str(p) for p in params], fixed)}) -> {result.text}")
        _set(self, "_order", None)

    @property
    def order(self) -> Order:
        """How Python passes the parameters.

        >>> Signature.parse("(n: u64, x: const f32[n], y: f32[n]) -> void").order.positional
        (1, 2)
        """
        if self._order is None:
            _set(self, "_order", readers.order.Order(self.params))
        order = self._order
        assert order is not None
        return order

    @property
    def variadic(self) -> bool:
        """Whether calls have any number of arguments beside the parameters.

        >>> Signature.parse("(format: cstr, ...) -> i32").variadic, Signature.parse("(cstr, ..., i32) -> i32").variadic
        (True, False)
        """
        return self.fixed == len(self.params)

    @staticmethod
    def parse(text: str) -> Signature:
        """Read *text*, a signature. SignatureError for a bad one, TypeError for what is no str.

        >>> Signature.parse("(x: f64, y: f64 = 1) -> f64").params[1]
        Param('y', Type('f64'), 1.0)
        """
        return readers.parse(text)

    @staticmethod
    def from_c(prototype: str) -> Signature:
        """Read *prototype*, one of C's. SignatureError for a bad one.

        >>> str(Signature.from_c("double hypot(double x, double y);"))
        '(x: f64, y: f64) -> f64'
        """
        return readers.from_c(prototype)

    @staticmethod
    def of(function: Callable[..., Any]) -> Signature:
        """Read the annotations of *function*. TypeError for what no signature can hold.

        >>> def scale(x: float, times: int = 2) -> float: ...
        >>> str(Signature.of(scale))
        '(x: f64, times: i64 = 2) -> f64'
        """
        return readers.of(function)

    @property
    def has_defaults(self) -> bool:
        """Whether any parameter may be left out for its default.

        >>> Signature.parse("(x: f64 = 1.0) -> f64").has_defaults
        True
        """
        return any(p.default is not NO_DEFAULT for p in self.params)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Signature.parse({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, Signature) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)  # a str keeps its hash

    def __reduce__(self) -> tuple[Any, ...]:
        return Signature, (self.params, self.result, *[self.fixed] * (self.fixed is not None))


def _listed(texts: list[str], fixed: int | None) -> str:
    return ", ".join(texts if fixed is None else [*texts[:fixed], "...", *texts[fixed:]])
