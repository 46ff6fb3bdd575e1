"""Fields of object types: what the annotations of a class declare, and how it is stored in the native object.

x: jitffi.f64                          a number, as C has it
name: str = "none"                     a slot of 16 bytes; so are any, bytes, unions, optional numbers and texts
items: list[Node] = field(...)         a reference of 8 bytes; so is everything else
_: dataclasses.KW_ONLY                 what follows is passed by name alone
"""

from __future__ import annotations

import sys

from jitffi._core import Object
from jitffi.api import forward_types
from jitffi.base.annotations import annotations_of, without_aliases
from jitffi.signature.annotations import built_in, container_name, convert, evaluate
from jitffi.signature.enum_annotations import UNIONS, enumerated, enumeration_of, is_enumeration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Generic, TypeVar

    _T = TypeVar("_T")

READ_ONLY, HAS_DEFAULT, HAS_FACTORY, NO_INIT, NO_REPR, NO_COMPARE, KEYWORD_ONLY, NO_HASH, IGNORED, DEFINES, OF_TYPE = (
    1 << bit for bit in range(11)
)
DEFINES_ONE = 1 << 11
_STRUCTURAL = {None: 0, "ignore": IGNORED, "define": DEFINES, "define_one": DEFINES | DEFINES_ONE}
SLOT, OBJECT = 64, 65
SCALARS = (
    "bool",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "f16",
    "bf16",
    "f32",
    "f64",
    "dtype",
    "device",
)
_KINDS = {name: number for number, name in enumerate(SCALARS)}
#: Types of objects that what is assigned is converted to, as arguments are.
_CONVERTED = {"list", "map", "set", "tuple", "func", "module", "object", "error", "shape", "ndarray", "tensor"}
_SLOTS = {"any", "str", "bytes", "ucs4", "ptr", "null"}
#: Classes of ours that are object types by themselves, and the keys that these have.
_OWN = {"NDArray": "ndarray", "Error": "error", "Shape": "shape", "Object": "object", "Function": "func"}
_MISSING: Any = object()
OF_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE: static types have no annotations


class Field:
    """What `field` says of one; made by it alone."""

    __slots__ = ("default", "default_factory", "doc", "flags", "kw_only", "metadata")

    def __init__(
        self, default: Any, default_factory: Any, flags: int, kw_only: bool | None, doc: str | None, metadata: Any
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.flags = flags
        self.kw_only = kw_only
        self.doc = doc
        self.metadata = metadata


def field(
    *,
    default: Any = _MISSING,
    default_factory: Callable[[], Any] = _MISSING,
    init: bool = True,
    repr: bool = True,
    hash: bool | None = None,
    compare: bool = True,
    kw_only: bool | None = None,
    frozen: bool = False,
    structural: str | None = None,
    doc: str | None = None,
    metadata: Mapping[Any, Any] | None = None,
) -> Any:
    """Say more of a field of a class that `register_object` decorates; options as those of `dataclasses.field`:
    *default*, *default_factory*, *init*, *repr*, *hash*, *compare*, *kw_only*, *metadata*.

    *frozen*: it is read-only once its object is made. *structural*: "ignore" leaves it out of structural comparison,
    "define" says that variables in it are bound there, "define_one" the same of those alone, not of what their own
    fields hold. *doc*: what `type_info` tells of it. ValueError for a default and a factory both, and another word.

    >>> import jitffi
    >>> @jitffi.register_object("doc.fields.Bag")
    ... class Bag:
    ...     items: list[str] = jitffi.field(default_factory=list)
    >>> Bag()
    Bag(items=[])
    """
    if default is not _MISSING and default_factory is not _MISSING:
        raise ValueError("a field has a default or a default_factory, not both")
    if structural not in _STRUCTURAL:
        raise ValueError(f"structural: expected 'ignore', 'define' or 'define_one', got {structural!r}")
    flags = (0 if init else NO_INIT) | (0 if repr else NO_REPR) | (0 if compare else NO_COMPARE)
    flags |= (NO_HASH if hash is False else 0) | (READ_ONLY if frozen else 0)
    flags |= _STRUCTURAL[structural]
    return Field(default, default_factory, flags, kw_only, doc, metadata)


def _of_dataclasses(given: Any) -> Any:
    """The same of a field of `dataclasses`."""
    missing = sys.modules["dataclasses"].MISSING
    names = ("default", "default_factory", "init", "repr", "hash", "compare", "kw_only", "metadata", "doc")
    return field(**{name: getattr(given, name) for name in names if getattr(given, name, missing) is not missing})


if TYPE_CHECKING:

    class init_property(Generic[_T]):  # noqa: N801  # as property
        _function: Callable[[Any], _T]

        def __init__(self, function: Callable[[Any], _T]) -> None: ...
        def __get__(self, instance: Any, owner: Any = None) -> _T: ...

else:

    class init_property:  # noqa: N801  # as property
        """A field that is no argument of the constructor: *function* computes it from the others, once, when these are
        set.

        Its type is what the function is annotated to return (without one: any). Comparison and repr leave it out. It is
        computed again for an object that `__replace__` makes; copies have the same. TypeError where no field has the
        type.

        >>> import jitffi
        >>> @jitffi.register_object("doc.fields.Square")
        ... class Square:
        ...     side: float
        ...     @jitffi.init_property
        ...     def area(self) -> float:
        ...         return self.side**2
        >>> Square(3.0).area, Square(3.0)
        (9.0, Square(side=3.0))
        """

        __slots__ = ("_function",)

        def __init__(self, function: Callable[[Any], Any]) -> None:
            self._function = function


class Declared:
    """One field of a class: what `_core.type_define` is told of it, but for the offset."""

    __slots__ = ("computed", "default", "doc", "enumeration", "flags", "kind", "metadata", "name", "offset", "type")

    def __init__(self, name: str, type_: str, kind: int, flags: int, default: Any, doc: str | None) -> None:
        self.name = name
        self.type = type_
        self.kind = kind
        self.flags = flags
        self.default = default
        self.doc = doc
        self.offset = 0
        self.enumeration: type | None = None
        self.metadata: Mapping[Any, Any] | None = None
        self.computed: Callable[[Any], Any] | None = None

    def row(self) -> tuple[Any, ...]:
        default = self.default
        if self.enumeration is not None and self.flags & HAS_DEFAULT and self.type not in ("any", "null"):
            is_object = issubclass(self.enumeration, Object)
            if is_object and default is not None:
                default = self.enumeration(default)
            default = default if is_object else getattr(default, "value", default)
        return self.name, self.type, self.doc, self.offset, self.kind, self.flags, default


class _Place:
    """Where an annotation stands, as far as the reader of functions' annotations asks for it."""

    __closure__ = None

    class __code__:  # noqa: N801  # a code object's name
        co_freevars = ()

    def __init__(self, names: dict[str, Any]) -> None:
        self.__globals__ = names


def declared_fields(cls: type, key: str, names: Mapping[str, Any], kw_only: bool) -> list[Declared]:
    """Return the fields that a class declares: those of its annotations, behind those of its bases that are registered
    nowhere, which have nobody else to declare theirs. *names*: what the annotations may name. TypeError for those that
    no field has, ValueError for a default that all objects would share."""
    made: dict[str, Declared] = {}  # a name that is declared again keeps its place
    for owner in (*_unregistered_bases(cls), cls):
        scope = names if owner.__module__ == cls.__module__ else vars(sys.modules[owner.__module__])
        place = _Place(_Names({**scope, **vars(owner), cls.__name__: _Key(key)}, key, owner.__module__))
        by_name = kw_only
        for name, annotation in annotations_of(owner).items():
            found = _meaning(f"{key}.{name}", annotation, place)
            if found is getattr(sys.modules.get("dataclasses"), "KW_ONLY", _MISSING):
                by_name = True
            elif found is not None:
                made[name] = _declared_as(f"{key}.{name}", owner, name, found, place, by_name)
        for name, given in vars(owner).items():
            if isinstance(given, init_property):
                function: Any = given._function
                annotation = annotations_of(function).get("return", "object")
                found = _meaning(f"{key}.{name}", annotation, place)
                made[name] = _declared_as(f"{key}.{name}", owner, name, found, place, by_name)
    return list(made.values())


def _unregistered_bases(cls: type) -> list[type]:
    """Classes between a class and its nearest ancestor that has a type, the outermost first: mixins, too."""
    registered = next((each for each in cls.__mro__[1:] if "__jitffi_type_key__" in vars(each)), Object)
    return [each for each in reversed(cls.__mro__[1:]) if each not in registered.__mro__ and each.__flags__ & OF_PYTHON]


def _meaning(what: str, annotation: Any, place: _Place) -> Any:
    """What an annotation of a class means; None: it is of the class, and no field."""
    try:
        found = without_aliases(evaluated(annotation, place))
    except (NameError, ValueError) as error:
        raise TypeError(f"{what}: cannot evaluate the annotation {annotation!r}: {error}") from None
    if str(found).startswith(("typing.ClassVar", "<class 'typing.ClassVar")):
        return None
    return type(None) if found is None else found


def _declared_as(what: str, owner: type, name: str, annotation: Any, place: _Place, kw_only: bool) -> Declared:
    try:
        text = type_text(annotation, place)
        _kind_of(text)
    except (TypeError, ValueError, NameError) as error:
        first = error.args[0] if error.args else annotation
        said = first if isinstance(first, str) else f"no field has the annotation {first!r}"
        raise TypeError(f"{what}: {said}") from None
    made = _declared(what, name, text, vars(owner).get(name, _MISSING), kw_only)
    made.enumeration = _enumeration_of(annotation)
    return made


def _enumeration_of(annotation: Any) -> type | None:
    """The class that a field's values are members of, beside None: of enum, or of an enumeration of objects."""
    args = [each for each in getattr(annotation, "__args__", ()) if each is not type(None)]
    found = args[0] if len(args) == 1 and type(annotation).__name__ in UNIONS else annotation
    return found if isinstance(found, type) and "__jitffi_members__" in vars(found) else enumeration_of(annotation)


def _declared(what: str, name: str, text: str, given: Any, kw_only: bool) -> Declared:
    computed = given._function if isinstance(given, init_property) else None
    if computed is not None:
        flags = NO_INIT | NO_REPR | NO_COMPARE | NO_HASH | IGNORED
        given = Field(_MISSING, _MISSING, flags, False, computed.__doc__, None)
    if type(given).__name__ == "member_descriptor":  # of __slots__: the place of what is a field here
        given = _MISSING
    if type(given).__module__ == "dataclasses":
        given = _of_dataclasses(given)
    said = given if isinstance(given, Field) else Field(given, _MISSING, 0, None, None, None)
    kind, of_type = _kind_of(text)
    flags = said.flags | (OF_TYPE if of_type else 0)
    if said.kw_only if said.kw_only is not None else kw_only:
        flags |= KEYWORD_ONLY
    default = None
    if said.default is not _MISSING:
        if type(said.default) in (list, dict, set, bytearray):
            raise ValueError(
                f"{what}: all objects would share the default {said.default!r}: use jitffi.field(default_factory=...)"
            )
        if hasattr(type(said.default), "__get__") and not callable(said.default):
            raise TypeError(f"{what}: the class has a {type(said.default).__name__} of that name, which is no default")
        flags |= HAS_DEFAULT
        default = said.default
    elif said.default_factory is not _MISSING:
        if not callable(said.default_factory):
            raise TypeError(f"{what}: default_factory: expected a callable, got {type(said.default_factory).__name__}")
        flags |= HAS_FACTORY
        default = said.default_factory
    made = Declared(name, text, kind, flags, default, said.doc)
    made.metadata, made.computed = said.metadata, computed
    return made


class _Either:
    """X | Y, where one of them is no class yet."""

    def __init__(self, args: tuple[Any, ...]) -> None:
        self.__args__ = args

    def __or__(self, other: Any) -> Any:
        return _Either((*self.__args__, other))

    def __ror__(self, other: Any) -> Any:
        return _Either((other, *self.__args__))


class _Key(_Either):
    """A type that is being declared, in its own annotations."""

    def __init__(self, key: str) -> None:
        super().__init__((self,))
        self.__jitffi_type_key__ = key


class _Names(dict):  # type: ignore[type-arg]
    """What annotations may name; a class that is not there yet is one that will be."""

    def __init__(self, names: Mapping[str, Any], key: str, module: str) -> None:
        super().__init__(names)
        self.key = key
        self._module = module

    def awaited(self, name: str) -> bool:
        """Whether *name* may become a class; then it is known from now on."""
        if not forward_types.may_be_awaited(name) or name in self:
            return False
        self[name] = _Key(forward_types.key_of(name, self.key, self._module))
        return True


def evaluated(annotation: Any, place: Any) -> Any:
    """What an annotation means; in it stand keys for classes that are registered later."""
    while True:
        try:
            return evaluate(annotation, place)
        except NameError as error:
            if not place.__globals__.awaited(error.name or ""):
                raise


def type_text(annotation: Any, place: Any) -> str:
    """Return the canonical text of a field's type. TypeError or ValueError, where there is none."""
    found = without_aliases(evaluated(annotation, place))
    if isinstance(found, _Key):
        return found.__jitffi_type_key__
    if str(found) == "typing.Self":
        return str(place.__globals__.key)
    if isinstance(found, type) and "__jitffi_type_key__" in vars(found):
        return str(vars(found)["__jitffi_type_key__"])
    if found is None or found is type(None):
        return "null"
    own = found if found is Object else built_in(found)
    if own is not None and own.__name__ in _OWN:
        return _OWN[own.__name__]
    if is_enumeration(found):
        return enumerated(found)
    kind = type(found).__name__
    if kind == "TypeVar":
        return "any"
    args = getattr(found, "__args__", ())
    if isinstance(found, _Either) or kind in UNIONS:
        return _union_text([type_text(each, place) for each in args])
    origin = getattr(found, "__origin__", None)
    if args and kind != "_AnnotatedAlias" and not getattr(found, "__metadata__", ()):
        name = container_name(origin)
        if name:
            inner = [each if each is Ellipsis else type_text(each, place) for each in args]
            if name == "tuple" and len(inner) == 1 and origin is not tuple:
                inner.append(Ellipsis)  # our Tuple[T] is of any length
            return f"{name}[{', '.join('...' if each is Ellipsis else each for each in inner)}]"
    return convert(found, place).text


def _union_text(texts: list[str]) -> str:
    others = [text for text in texts if text != "null"]
    if len(others) == 1:
        return others[0] if others[0] in ("any", "ptr") or len(others) == len(texts) else f"optional[{others[0]}]"
    if "any" in others:
        return "any"
    return " | ".join([*others, "null"] if len(others) < len(texts) else others)


def _kind_of(text: str) -> tuple[int, bool]:
    """How a field of that type is stored, and whether the type is an object type's key."""
    if text in _KINDS:
        return _KINDS[text], False
    inner = text[9:-1] if text.startswith("optional[") else text
    if text in _SLOTS or inner in _SLOTS or inner in _KINDS or is_union(text):
        return SLOT, False
    if inner in _CONVERTED or "[" in inner:
        return OBJECT, False
    if inner in ("longdouble", "i128", "u128", "c64", "c128", "cstr", "void"):
        raise TypeError(f"no field is of type {inner}")
    return OBJECT, True


def is_union(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == "|" and depth == 0:
            return True
    return False
