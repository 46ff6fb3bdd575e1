"""What a class with fields has in its namespace, and which of its functions are methods for native code."""

from __future__ import annotations

from jitffi import _core
from jitffi.api import object_copies, object_shown
from jitffi.api.object_fields import HAS_DEFAULT, HAS_FACTORY, KEYWORD_ONLY, NO_INIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.api.object_fields import Declared

#: The flag of types whose objects are members of an enumeration.
ENUM = 1 << 4
OWN_STRUCTURE = 1 << 5
#: Methods that say what structural operations compare and hash, which native code calls.
STRUCTURAL = frozenset(("__s_equal__", "__s_hash__"))
_Builtin = type(len)


def enums_of(code: int) -> Any:
    """What makes members, for types of enumerations; None for others."""
    row = _core.type_row(code)
    if not row or not row[6] & ENUM:
        return None
    from jitffi.api import object_enums

    return object_enums


def plain_repr(self: Any) -> str:
    return f"<{type(self).__name__} at {self.handle:#x}>"


def namespace_of(cls: type, fields: set[str]) -> dict[str, Any]:
    skipped = {*fields, "__dict__", "__weakref__", "__slots__", "__abstractmethods__", "_abc_impl"}
    found = {name: value for name, value in vars(cls).items() if name not in skipped}
    for name, value in found.items():
        if isinstance(value, _Builtin) and _core.is_function(value):  # of native code: it gets the object first
            found[name] = _core.object_method(value, name, value.__doc__, False)
    return found


def add_computed(namespace: dict[str, Any], bases: tuple[Any, ...], fields: list[Declared]) -> None:
    """What the fields' own rows do not tell: their metadata, and the functions of those that are computed, ancestors'
    first, which constructors call by `__jitffi_compute__`."""
    namespace["__jitffi_metadata__"] = {each.name: each.metadata for each in fields if each.metadata}
    functions: dict[str, Any] = {}
    for base in reversed(bases):
        functions |= getattr(base, "__jitffi_computed__", {})
    functions |= {each.name: each.computed for each in fields if each.computed}
    if functions:
        namespace["__jitffi_computed__"] = functions
        namespace["__jitffi_compute__"] = _compute


def _compute(self: Any) -> None:
    cls = type(self)
    for name, function in cls.__jitffi_computed__.items():
        getattr(cls, name).set(self, function(self))


def no_init(self: Any, *args: Any, **named: Any) -> None:
    """There is no constructor: the class is registered with init=False, and has none of its own."""
    key = _core.type_key(_core.class_code(type(self)))
    raise TypeError(f"{key}: it cannot be constructed directly: it is registered with init=False")


def complete(namespace: dict[str, Any], code: int) -> None:
    namespace["__jitffi_type_key__"] = _core.type_key(code)
    enums = enums_of(code)
    for name, function in (enums.methods_of(code) if enums else object_copies.METHODS).items():
        namespace.setdefault(name, function)
    if enums:
        return
    namespace.setdefault("__match_args__", tuple(each[0] for each in _positional(code)))
    namespace.setdefault("__signature__", object_shown.SIGNATURE)
    namespace.setdefault("__dataclass_fields__", object_shown.DATACLASS_FIELDS)


def _positional(code: int) -> list[Any]:
    rows = [each for each in _core.type_row(code)[9] if not each[5] & (NO_INIT | KEYWORD_ONLY)]
    return sorted(rows, key=lambda each: each[5] & (HAS_DEFAULT | HAS_FACTORY) != 0)


def set_methods(code: int, namespace: dict[str, Any]) -> None:
    if "__jitffi_version__" in namespace:
        _core.type_set_version(code, namespace["__jitffi_version__"])
    for name, value in namespace.items():
        if (name.startswith("_") and name not in STRUCTURAL) or isinstance(value, classmethod):
            continue
        function = value.__func__ if isinstance(value, staticmethod) else value
        if not isinstance(function, type(set_methods)):  # whose __wrapped__ is what a decorator was given
            function = getattr(function, "__wrapped__", function)
        if isinstance(function, type(set_methods)) or _core.is_function(function):
            _core.type_set_method(code, name, function, function.__doc__, isinstance(value, staticmethod))
