"""Enumerations whose members are objects: how a class gets its members, and finds them.

    @jitffi.register_object("demo.Op")
    class Op(jitffi.Enum):
        arity: int = 2
        ADD = jitffi.member()                 the member of name "ADD" and value 0
        NEG = jitffi.member(arity=1)          Op.NEG is Op["NEG"] is Op(1)

A member is an object with the fields `name` and `value`, and those of its class. There is one of each name: copies are
the member itself, and so is what a file or a pickle names. Native code asks the type's static methods
(runtime_c/include/jitffi/types.h).
"""

from __future__ import annotations

from jitffi import _core
from jitffi.api.enum_attributes import MISSING, Attribute
from jitffi.api.object_copies import class_of_key, key_instead
from jitffi.api.object_fields import HAS_DEFAULT, HAS_FACTORY, KEYWORD_ONLY, NO_INIT, field, is_class_variable
from jitffi.base.annotations import annotations_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Member:
    """What `member` says of one."""

    __slots__ = ("args", "fields")

    def __init__(self, args: tuple[Any, ...], fields: dict[str, Any]) -> None:
        self.args = args
        self.fields = fields

    def __repr__(self) -> str:
        given = [*map(repr, self.args), *(f"{name}={value!r}" for name, value in self.fields.items())]
        return f"member({', '.join(given)})"


def member(*args: Any, **fields: Any) -> Any:
    """Declare a member of an enumeration in the body of a class that derives from `jitffi.Enum`: its *fields* by
    position (*args*) or name, as a constructor takes them, and `value`, which is the next number where it is not given
    (in a `StrEnum`: the name in lower case). TypeError, when the class is registered, for fields that are not right.

    >>> import jitffi
    >>> @jitffi.register_object("doc.enums.Op")
    ... class Op(jitffi.Enum):
    ...     arity: int = 2
    ...     ADD = jitffi.member()
    ...     NEG = jitffi.member(arity=1)
    >>> Op.NEG, Op.NEG.arity, Op.NEG.value, Op["ADD"] is Op(0), list(Op)
    (Op.NEG, 1, 1, True, [Op.ADD, Op.NEG])
    """
    return Member(args, fields)


# -- members of a class --------------------------------------------------------------------------------------


def take_declared(cls: type, namespace: dict[str, Any], code: int) -> dict[str, Member]:
    """Take out of a class's namespace what declares members: plain values, too, where all values have one type."""
    kind = _kind_of(code)
    found: dict[str, Member] = {}
    for name, annotation in annotations_of(cls).items():
        if is_class_variable(annotation) and name not in namespace and not name.startswith("_"):
            found[name] = Member((), {})
    for name, value in list(namespace.items()):
        if name.startswith("_") or name in (*_OWN_NAMES, "__module__"):
            continue
        if isinstance(value, Member):
            found[name] = value
        elif type(value).__name__ == "auto" and type(value).__module__ == "enum":
            found[name] = Member((), {})
        elif kind is not None and not callable(value) and not hasattr(type(value), "__get__"):
            found[name] = Member((), {"value": value})
        else:
            continue
        del namespace[name]
    return found


_OWN_NAMES = ("get", "attribute")


def _kind_of(code: int) -> type | None:
    """The type of the values of an enumeration: int of IntEnum's, str of StrEnum's."""
    while code:
        key = _core.type_key(code)
        if key in ("jitffi.IntEnum", "jitffi.StrEnum"):
            return int if key == "jitffi.IntEnum" else str
        code = _core.type_parent(code)
    return None


def add_members(cls: Any, code: int, declared: dict[str, Member]) -> None:
    """Make the members that *declared* says, and let native code find them. Those that there are already, of a class
    that is declared again, get the fields."""
    known = vars(cls).get("__members__")
    if known is None:
        cls.__members__, cls.__jitffi_values__, cls.__jitffi_members__ = {}, {}, _core.List()
        cls.__jitffi_attributes__ = _core.Map()
        for name, function in _native(cls).items():
            _core.type_set_method(code, name, function, None, True)
    kind = _kind_of(code)
    for name, said in declared.items():
        value = _value_of(cls, name, said, kind)
        made = cls.__jitffi_values__.get(value) or _with_value(cls, name, value)
        if not made.name or made.name == name:
            _set_fields(made, name, value, said)
        if made not in cls.__jitffi_members__:
            cls.__jitffi_members__.append(_core.mark_made(made))
        cls.__jitffi_values__[value] = made
        cls.__members__[name] = made
        setattr(cls, name, made)


def _with_value(cls: Any, name: str, value: Any) -> Any:
    """The member of that name, which had another value, or one that is to be."""
    known = cls.__members__.get(name)
    if known is None or known.name != name:
        return _core.bare_instance(cls)
    del cls.__jitffi_values__[known.value]
    return known


def _native(cls: Any) -> dict[str, Any]:
    def find(name: str) -> Any:
        return named(cls, name)

    return {
        "__member__": find,
        "__members__": lambda: cls.__jitffi_members__,
        "__attributes__": lambda: cls.__jitffi_attributes__,
    }


def _value_of(cls: Any, name: str, said: Member, kind: type | None) -> Any:
    what = f"{_core.type_key(_core.class_code(cls))}.{name}"
    if "name" in said.fields:
        raise TypeError(f"{what}: the name of a member is what it is called in its class")
    if "value" not in said.fields:
        known = cls.__members__.get(name)
        if known is not None and known.name == name:
            return known.value
        if kind is str:
            return name.lower()
        number = max((each for each in cls.__jitffi_values__ if isinstance(each, int)), default=-1) + 1
        return number or int(kind is int)
    value = said.fields["value"]
    if type(value) not in ((kind,) if kind else (int, str)):
        raise TypeError(f"{what}: value: expected {kind.__name__ if kind else 'int or str'}, got {value!r}")
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise OverflowError(f"{what}: value: it has more than 64 bits: {value}")
    return value


def _set_fields(made: Any, name: str, value: Any, said: Member) -> None:
    cls = type(made)
    key = _core.type_key(_core.class_code(cls))
    members = _core.class_members(cls)
    own = [each for each in _core.class_positions(cls) if each.__name__ not in ("name", "value")]
    if len(said.args) > len(own):
        raise TypeError(f"{key}.{name}: expected at most {len(own)} fields by position, got {len(said.args)}")
    given = {each.__name__: value for each, value in zip(own, said.args, strict=False)}
    for other in said.fields:
        if other in given or not any(each.__name__ == other for each in members):
            why = "is given by position and by name" if other in given else "is no field"
            raise TypeError(f"{key}.{name}: {other!r} {why}")
    given |= {**said.fields, "name": name, "value": value}
    for each in members:
        if each.__name__ in given:
            each.set(made, given[each.__name__])
        elif each.flags & HAS_FACTORY:
            each.set(made, each.default_value())
        elif each.flags & HAS_DEFAULT:
            each.set(made, each.default_value)
        elif not each.flags & NO_INIT:
            by_name = "keyword-only " if each.flags & KEYWORD_ONLY else ""
            raise TypeError(f"{key}.{name}: missing required {by_name}field {each.__name__!r}")


def take_native(cls: Any, code: int) -> None:
    """Give the class of an enumeration that native code has defined the members that it has."""
    static = {name: function for name, function, _, _ in _core.type_methods(code)}
    if "__members__" not in static:
        return
    cls.__jitffi_members__ = static["__members__"]()
    cls.__jitffi_attributes__ = static["__attributes__"]() if "__attributes__" in static else _core.Map()
    cls.__members__ = {each.name: each for each in cls.__jitffi_members__}
    cls.__jitffi_values__ = {each.value: each for each in cls.__jitffi_members__}
    for name, each in cls.__members__.items():
        setattr(cls, name, each)


# -- finding -------------------------------------------------------------------------------------------------


def named(cls: Any, name: str) -> Any:
    """The member of that name. ValueError where there is none."""
    found = vars(cls).get("__members__", {}).get(name)
    if found is None:
        raise ValueError(f"{_core.type_key(_core.class_code(cls))} has no member {name!r}")
    return found


def _valued(cls: Any, value: Any) -> Any:
    if isinstance(value, cls):
        return value
    values = vars(cls).get("__jitffi_values__", {})
    found = values.get(value) if isinstance(value, (int, str)) else None
    if found is None and isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise OverflowError(f"{cls.__qualname__}: it has more than 64 bits: {value}")
    if found is None:
        raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")
    return found


# -- what the classes have -----------------------------------------------------------------------------------


def _new(cls: Any, /, *args: Any, **named: Any) -> Any:
    if len(args) != 1 or named:
        given = ", ".join([*map(repr, args), *(f"{name}={value!r}" for name, value in named.items())])
        raise TypeError(f"{cls.__name__}: expected the value of a member, by position, got ({given})")
    by_name = isinstance(args[0], str) and _kind_of(_core.class_code(cls)) is not str
    try:
        return _valued(cls, args[0])
    except ValueError:
        found = vars(cls).get("__members__", {}).get(args[0]) if by_name else None
        if found is None:
            raise
        return found


def _init(self: Any, value: Any) -> None:
    """A member is made once, where its class is."""


def _itself(self: Any, memo: Any = None) -> Any:
    return self


def _reduce(self: Any, protocol: Any) -> Any:
    key = key_instead(type(self))
    return (named, (type(self), self.name)) if key is None else (_named_by_key, (key, self.name))


def _named_by_key(key: str, name: str) -> Any:
    return named(class_of_key(key), name)


def _shown(self: Any) -> str:
    return f"{type(self).__name__}.{self.name}"


def _by_name(cls: Any, name: str) -> Any:
    """Return the member of that name. KeyError where there is none."""
    try:
        return named(cls, name)
    except ValueError:
        raise KeyError(name) from None


def _get(cls: Any, which: Any) -> Any:
    """Return the member of that value, or of that name, *which*. KeyError where there is none.

    >>> import jitffi
    >>> jitffi.Enum.get(1)
    Traceback (most recent call last):
    KeyError: 1
    """
    try:
        return _valued(cls, which)
    except ValueError:
        return _by_name(cls, which)


def _attribute(cls: Any, name: str, *, default: Any = MISSING) -> Attribute:
    """Return what maps members to values of that *name*, beside their fields; *default* for those that have none, which
    without it raises KeyError.

    >>> import jitffi
    >>> @jitffi.register_object("doc.enums.Unit")
    ... class Unit(jitffi.StrEnum):
    ...     METRE = "m"
    >>> cost = Unit.attribute("cost", default=0)
    >>> cost[Unit.METRE] = 3
    >>> cost[Unit.METRE], Unit.METRE in cost
    (3, True)
    """
    return Attribute(cls, name, default)


#: What each class of an enumeration has in its own namespace, in the place of what other classes of objects have.
METHODS: dict[str, Any] = {
    "__new__": _new,
    "__init__": _init,
    "__copy__": _itself,
    "__deepcopy__": _itself,
    "__reduce_ex__": _reduce,
    "__repr__": _shown,
    "__class_getitem__": classmethod(_by_name),
    "get": classmethod(_get),
    "attribute": classmethod(_attribute),
}
_get.__qualname__, _attribute.__qualname__ = "Enum.get", "Enum.attribute"  # what errors say


def _comparing(operation: str) -> Any:
    import operator

    compare = getattr(operator, operation)

    def compared(self: Any, other: Any) -> Any:
        plain = other.value if isinstance(other, type(self)) else other
        return compare(self.value, plain) if isinstance(plain, type(self.value)) else NotImplemented

    return compared


def methods_of(code: int) -> dict[str, Any]:
    """What the class of an enumeration has in its own namespace."""
    kind = _kind_of(code)
    if kind is None:
        return METHODS
    made: dict[str, Any] = METHODS | {
        f"__{name}__": _comparing(f"__{name}__") for name in ("eq", "lt", "le", "gt", "ge")
    }
    made["__hash__"] = lambda self: hash(self.value)
    made["__str__"] = lambda self: str(self.value)
    if kind is int:
        made["__index__"] = made["__int__"] = lambda self: self.value
    else:
        made["__jitffi_value__"] = lambda self: self.value
    return made


def classes(register: Any) -> tuple[Any, Any, Any]:
    """Enum, IntEnum and StrEnum, which *register* (of a key and a class) registers, once."""
    if not _classes:
        enum = register("jitffi.Enum", type("Enum", (_core.Object,), dict(vars(_EnumBody), __module__="jitffi")))
        _classes.append(enum)
        for name, doc in _PAYLOAD_DOCS.items():
            _classes.append(register(f"jitffi.{name}", type(name, (enum,), {"__doc__": doc, "__module__": "jitffi"})))
    enum, int_enum, str_enum = _classes
    return enum, int_enum, str_enum


_classes: list[Any] = []


class _EnumBody:
    """The base of enumerations whose members are objects, one of each name; `jitffi.member` declares them. Their values
    are ints or texts, and each member is equal to itself alone.

    A class of it has its members as attributes, in order when it is gone through, by `Op["NAME"]` and by `Op(value)`,
    which takes the name, too, where the values are no texts, and is a ValueError where there is none.

    >>> import jitffi
    >>> @jitffi.register_object("doc.enums.Colour")
    ... class Colour(jitffi.Enum):
    ...     light: float
    ...     RED = jitffi.member(0.3)
    ...     GREEN = jitffi.member(light=0.6)
    >>> Colour.GREEN.name, Colour.GREEN.value, Colour["RED"].light, Colour(1), len(Colour)
    ('GREEN', 1, 0.3, Colour.GREEN, 2)
    """

    name: str = field(doc="What the member is called in its class.")
    value: int | str = field(doc="What the member stands for: an int or text.")


_PAYLOAD_DOCS = {
    "IntEnum": """An enumeration of ints: each member is equal to its value, with its order and hash.

    >>> import jitffi
    >>> @jitffi.register_object("doc.enums.Level")
    ... class Level(jitffi.IntEnum):
    ...     LOW = 1
    ...     HIGH = 10
    >>> Level.HIGH == 10, Level(1), Level.LOW < Level.HIGH
    (True, Level.LOW, True)
    """,
    "StrEnum": """An enumeration of texts: each member is equal to its value, with its order and hash.

    >>> import jitffi
    >>> @jitffi.register_object("doc.enums.Sign")
    ... class Sign(jitffi.StrEnum):
    ...     PLUS = "+"
    ...     MINUS = "-"
    >>> Sign("-"), Sign.PLUS == "+", str(Sign.PLUS)
    (Sign.MINUS, True, '+')
    """,
}
