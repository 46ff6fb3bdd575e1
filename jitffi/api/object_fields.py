"""Fields of object types: what the annotations of a class declare, and how it is stored in the native object.

x: jitffi.f64                          a number, as C has it
name: str = "none"                     a slot of 16 bytes; so are any, bytes, unions, optional numbers and texts
items: list[Node] = field(...)         a reference of 8 bytes; so is everything else
_: dataclasses.KW_ONLY                 what follows is passed by name alone
"""

from __future__ import annotations

import sys

from jitffi._core import Object
from jitffi.api.field_types import Key, Names, evaluated, kind_of, type_text
from jitffi.base.annotations import Place, annotations_of, without_aliases
from jitffi.signature.enum_annotations import UNIONS, enumeration_of

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

    __slots__ = (
        "computed",
        "default",
        "doc",
        "enumeration",
        "flags",
        "init_only",
        "kind",
        "metadata",
        "name",
        "offset",
        "type",
    )

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
        self.init_only = False

    def row(self) -> tuple[Any, ...]:
        default = self.default
        if self.enumeration is not None and self.flags & HAS_DEFAULT and self.type not in ("any", "null"):
            is_object = issubclass(self.enumeration, Object)
            if is_object and default is not None:
                default = self.enumeration(default)
            default = default if is_object else getattr(default, "value", default)
        return self.name, self.type, self.doc, self.offset, self.kind, self.flags, default


def declared_fields(cls: type, key: str, names: Mapping[str, Any], kw_only: bool) -> list[Declared]:
    """Return the fields that a class declares: those of its annotations, behind those of its bases that are registered
    nowhere, which have nobody else to declare theirs. *names*: what the annotations may name. TypeError for those that
    no field has, ValueError for a default that all objects would share."""
    made: dict[str, Declared] = {}  # a name that is declared again keeps its place
    for owner in (*_unregistered_bases(cls), cls):
        scope = names if owner.__module__ == cls.__module__ else vars(sys.modules[owner.__module__])
        place = Place(Names({**scope, **vars(owner), cls.__name__: Key(key)}, key, owner.__module__))
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


def is_class_variable(annotation: Any) -> bool:
    """Whether an annotation, which may be text whose names mean nothing yet, says that it is of no field."""
    text = str(annotation).replace(" ", "").removeprefix("typing.").removeprefix("<class'typing.")
    return text.startswith("ClassVar")


def _meaning(what: str, annotation: Any, place: Place) -> Any:
    """What an annotation of a class means; None: it is of the class, and no field."""
    try:
        found = without_aliases(evaluated(annotation, place))
    except (NameError, ValueError) as error:
        raise TypeError(f"{what}: cannot evaluate the annotation {annotation!r}: {error}") from None
    if str(found).startswith(("typing.ClassVar", "<class 'typing.ClassVar")):
        return None
    return type(None) if found is None else found


def _declared_as(what: str, owner: type, name: str, annotation: Any, place: Place, kw_only: bool) -> Declared:
    init_only = getattr(sys.modules.get("dataclasses"), "InitVar", None)
    if init_only is not None and (annotation is init_only or isinstance(annotation, init_only)):
        return _declared_for_init(what, owner, name, annotation, place, kw_only)
    try:
        text = type_text(annotation, place)
        kind_of(text)
    except (TypeError, ValueError, NameError) as error:
        first = error.args[0] if error.args else annotation
        said = first if isinstance(first, str) else f"no field has the annotation {first!r}"
        raise TypeError(f"{what}: {said}") from None
    made = _declared(what, name, text, vars(owner).get(name, _MISSING), kw_only)
    made.enumeration = _enumeration_of(annotation)
    return made


def _declared_for_init(what: str, owner: type, name: str, annotation: Any, place: Place, kw_only: bool) -> Declared:
    made = _declared(what, name, "any", vars(owner).get(name, _MISSING), kw_only)
    if made.flags & HAS_FACTORY:
        raise TypeError(f"{what}: what only the constructor takes has no default_factory")
    made.init_only = True
    try:
        made.type = type_text(getattr(annotation, "type", object), place)
    except (TypeError, ValueError, NameError):  # nothing is stored: it is only shown
        made.type = "any"
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
    if type(said.default) is frozenset:  # of which each object gets a set of its own
        said.default, said.default_factory = _MISSING, said.default.copy
    kind, of_type = kind_of(text)
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


def new_fields(key: str, declared: list[Declared], above: Any) -> list[Declared]:
    """The fields that no ancestor has. TypeError where an ancestor's field is declared as another one."""
    inherited = {each[0]: each[1] for each in above[9]} if above else {}
    for each in declared:
        if each.init_only and each.name in inherited:
            raise TypeError(f"{key}.{each.name}: an ancestor has a field of that name")
        is_other = each.name in inherited and each.type != inherited[each.name]
        if is_other or (each.name in inherited and not (each.computed or each.flags & HAS_DEFAULT)):
            raise TypeError(
                f"{key}.{each.name}: an ancestor's field can get another default, or be computed in another way, and "
                f"nothing else: it is {inherited[each.name]}"
            )
    return [each for each in declared if not each.init_only and each.name not in inherited]


def same_default(one: Any, other: Any) -> bool:
    """Whether two defaults are the same: arrays, which compare element by element, are where all elements are."""
    if one is other:
        return True
    try:
        same = one == other
        return bool(same.all() if hasattr(same, "all") else same)
    except ValueError:  # arrays of other shapes
        return False
