"""What is known of a type of objects: `type_info` and the rows that it gives."""

from __future__ import annotations

from types import FunctionType

from jitffi import _core
from jitffi._core import Object
from jitffi.api import forward_types
from jitffi.api.functions import Function
from jitffi.api.object_fields import HAS_DEFAULT, HAS_FACTORY, KEYWORD_ONLY, NO_INIT
from jitffi.api.object_layout import size_of
from jitffi.api.object_shown import metadata_of
from jitffi.api.objects import FROZEN, STRUCTURES, class_for
from jitffi.base.late import late
from jitffi.signature.annotations import built_in
from jitffi.signature.model import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    ObjectClass = type[Any]


#: Classes of ours that are not named like their types, by the keys of these.
_OWN = {"str": "String", "ucs4": "UCS4String", "bytes": "Bytes", "function": "Function", "module": "Module"}
#: The static method by which types of native code say it (JF_METADATA).
_METADATA = "__metadata_map__"


class FieldInfo:
    """A field as `type_info` tells it."""

    __slots__ = (
        "default",
        "default_factory",
        "doc",
        "flags",
        "has_default",
        "metadata",
        "name",
        "offset",
        "size",
        "type",
    )

    def __init__(self, row: tuple[Any, ...], metadata: Mapping[Any, Any]) -> None:
        self.metadata = metadata
        self.name, text, self.doc, self.offset, kind, self.flags, value = row
        self.size = size_of(kind)
        self.type = forward_types.shown(text)
        self.has_default = bool(self.flags & (HAS_DEFAULT | HAS_FACTORY))
        self.default = value if self.flags & HAS_DEFAULT else None
        self.default_factory = value if self.flags & HAS_FACTORY else None

    @property
    def frozen(self) -> bool:
        return bool(self.flags & 1)

    @property
    def init(self) -> bool:
        return not self.flags & NO_INIT

    @property
    def kw_only(self) -> bool:
        return bool(self.flags & KEYWORD_ONLY)

    def __repr__(self) -> str:
        return f"FieldInfo({self.name}: {self.type})"


class MethodInfo:
    """A method as `type_info` tells it; *function* takes the object first, but for a static one."""

    __slots__ = ("doc", "function", "is_static", "metadata", "name")

    def __init__(self, name: str, function: Any, doc: str | None, is_static: bool, metadata: Mapping[Any, Any]) -> None:
        self.metadata = metadata
        self.name = name
        self.function = function
        self.doc = doc
        self.is_static = is_static

    @property
    def signature(self) -> Signature | None:
        """What the method takes, the object first, and returns; None where nothing says that."""
        if type(self.function) is not FunctionType:
            return Function(self.function).signature
        try:
            return Signature.of(self.function)
        except (TypeError, ValueError, OverflowError):
            return None

    def __repr__(self) -> str:
        return f"MethodInfo({self.name})"


class TypeInfo:
    """What there is to know of a type of objects."""

    __slots__ = ("cls", "code", "doc", "fields", "frozen", "key", "methods", "parent", "size", "structure")

    def __init__(self, code: int) -> None:
        row = _core.type_row(code)
        self.key: str = _core.type_key(code)
        self.code = code
        above = _core.type_parent(code)
        self.parent: TypeInfo | None = TypeInfo(above) if above else None
        self.cls = _own_class(self.key) or class_for(code)
        self.doc: str | None = row[1] if row else None
        self.size: int = row[4] if row else 0
        self.frozen = bool(row and row[6] & FROZEN)
        self.structure = STRUCTURES[row[7]] if row else "tree"
        methods = {each[0]: each for each in _core.type_methods(code)}
        told: dict[str, Any] = dict(_inherited(self.parent))
        if _METADATA in methods:  # what native code says
            told |= methods.pop(_METADATA)[1]().to_python()
        of_methods = {name: told.get(name, {}) for name in methods}
        told |= metadata_of(self.cls)
        self.fields = tuple(FieldInfo(each, told.get(each[0], {})) for each in row[9]) if row else ()
        self.methods = tuple(MethodInfo(*each, of_methods[name]) for name, each in methods.items())

    def __repr__(self) -> str:
        return f"TypeInfo({self.key!r}, {', '.join(f'{each.name}: {each.type}' for each in self.fields)})"


def _own_class(key: str) -> Any:
    """The class of ours for objects of that type; None where their class is found by the type."""
    return getattr(late("jitffi"), _OWN[key]) if key in _OWN else None


def _inherited(parent: TypeInfo | None) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    return ((each.name, each.metadata) for each in parent.fields) if parent else iter(())


def list_type_keys() -> list[str]:
    """The keys of all types of objects there are: those of jitffi, of Python's classes and of native code; sorted.

    >>> import jitffi
    >>> "list" in jitffi.list_type_keys()
    True
    """
    return sorted({_core.type_key(code) for code in _core.type_codes()})


def type_info(type_: str | ObjectClass) -> TypeInfo:
    """Return what is known of a type of objects, *type_*, by its key or class, those of jitffi too: `key`, `code`,
    `parent`, `cls`, `fields` (those of ancestors first: `name`, `type`, `offset`, `size`, `default`, `doc`,
    `metadata`), `methods` (its own: `name`, `function`, `signature`, `is_static`, `doc`, `metadata`), `doc`, `size` of
    an object in bytes. KeyError for an unknown key, TypeError for a class of no such type.

    >>> import jitffi
    >>> @jitffi.register_object("doc.objects.Pair")
    ... class Pair:
    ...     first: jitffi.i32
    ...     second: str = ""
    >>> info = jitffi.type_info("doc.objects.Pair")
    >>> info.fields, info.fields[1].default, info.cls is Pair
    ((FieldInfo(first: i32), FieldInfo(second: str)), '', True)
    """
    if isinstance(type_, str):
        code = _core.type_code(type_)
        if code <= 0:
            raise KeyError(f"there is no type of objects with the key {type_!r}")
        return TypeInfo(code)
    code = _core.class_code(type_) if isinstance(type_, type) else 0
    key = next((each for each in _OWN if type_ is _own_class(each)), "")
    if isinstance(type_, type) and (key or type_ in (Object, built_in(type_))):  # one of ours: its key is its name
        code = _core.type_code(key or type_.__name__.lower())
    if not code:
        raise TypeError(f"expected a key or a registered class, got {type_!r}")
    return TypeInfo(code)
