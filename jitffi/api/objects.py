"""Types of objects as classes: declared by a key, with annotations; what is known of them; those of native code.

    @jitffi.register_object("demo.Point")
    class Point(jitffi.Object):
        x: jitffi.f64
        names: list[str] = jitffi.field(default_factory=list)

    annotations --object_fields--> offsets --_core.type_define--> code, the same in C, C++ and Python
    namespace ----------------------------_core.object_class----> class: descriptors, constructor
    functions ----------------------------_core.type_set_method-> callable by name from everywhere

An instance lies around its native object (runtime_c/python/package/instance.h). A type that native code has defined
gets its class when its first object comes to Python, or from a class without annotations that is registered by its key.
"""

from __future__ import annotations

import sys

from jitffi import _core
from jitffi.api import forward_types, object_init_only
from jitffi.api.object_fields import (
    HAS_DEFAULT,
    HAS_FACTORY,
    OF_PYTHON,
    READ_ONLY,
    Declared,
    declared_fields,
    new_fields,
    same_default,
)
from jitffi.api.object_fields import field as field
from jitffi.api.object_fields import init_property as init_property
from jitffi.api.object_layout import HEADER, lay_out
from jitffi.api.object_metaclasses import metaclass_of
from jitffi.api.object_namespaces import (
    ENUM,
    OWN_STRUCTURE,
    STRUCTURAL,
    add_computed,
    complete,
    enums_of,
    namespace_of,
    no_init,
    plain_repr,
    set_methods,
)
from jitffi.api.object_native import own_namespace, tells_native
from jitffi.base.class_cells import let_super_find
from jitffi.base.late import late
from jitffi.signature.enum_annotations import is_enumeration
from jitffi.signature.plain import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeVar, overload

    from typing_extensions import dataclass_transform

    _C = TypeVar("_C", bound=type)

_COMPARES, _ORDERED, _HASHES, FROZEN = 1, 2, 4, 8
_OF_TYPE = {"order": _ORDERED, "unsafe_hash": _HASHES, "frozen": FROZEN}  # options that types say by flags
#: The key of the type that enumerations derive from, and what is said of each of them.
_ENUM_KEY = "jitffi.Enum"
#: The key of a type that native code may define, too, before this process has its class.
_FROZEN_MAP_KEY = "jitffi.FrozenMap"
_OF_ENUMS = {"eq": False, "order": False, "unsafe_hash": False, "frozen": True, "structure": "unique"}
#: What structural operations take an object for, in the order of jitffi/types.h.
STRUCTURES = ("tree", "free_var", "dag", "const_tree", "unique", "none")
_Object = _core.Object


if TYPE_CHECKING:

    @overload
    @dataclass_transform(field_specifiers=(field,))
    def register_object(
        key: str,
        *,
        eq: bool = True,
        order: bool = False,
        unsafe_hash: bool = False,
        frozen: bool = False,
        kw_only: Literal[False] = False,
        repr: bool = True,
        attributes: bool = False,
        structure: str = "tree",
        init: bool = True,
        match_args: bool = True,
    ) -> Callable[[_C], _C]: ...
    @overload
    @dataclass_transform(kw_only_default=True, field_specifiers=(field,))
    def register_object(
        key: str,
        *,
        kw_only: Literal[True],
        eq: bool = True,
        order: bool = False,
        unsafe_hash: bool = False,
        frozen: bool = False,
        repr: bool = True,
        attributes: bool = False,
        structure: str = "tree",
        init: bool = True,
        match_args: bool = True,
    ) -> Callable[[_C], _C]: ...


def register_object(
    key: Any,
    *,
    eq: bool = True,
    order: bool = False,
    unsafe_hash: bool = False,
    frozen: bool = False,
    kw_only: bool = False,
    repr: bool = True,
    attributes: bool = False,
    structure: str = "tree",
    init: bool = True,
    match_args: bool = True,
) -> Any:
    """Declare a type of objects by a class, and return a decorator that gives the class of its objects.

    The class's own annotations are its fields, behind those of its base, which is `jitffi.Object` or a registered
    class. *key* names the type everywhere. Options as those of `dataclasses.dataclass`: *eq* (by fields; else by
    identity), *order*, *unsafe_hash*, *frozen*, *kw_only*, *repr*, *match_args*; *attributes*: instances take other
    attributes, too; *structure*: what structural comparison takes an object for, "tree", "dag", "unique", "const_tree",
    "free_var" or "none"; *init*: False leaves the class to the `__init__` of its own, or to methods that make objects.
    Functions of the class are methods, which native code finds by their names.

    A key that is registered already with the same fields gets the methods of this class; with others it is a
    ValueError. TypeError for annotations that no field has.

    >>> import jitffi
    >>> @jitffi.register_object("doc.objects.Point", order=True)
    ... class Point(jitffi.Object):
    ...     x: jitffi.f64
    ...     y: jitffi.f64 = 1.0
    ...     def norm(self) -> float:
    ...         return (self.x**2 + self.y**2) ** 0.5
    >>> Point(3), Point(0.0, y=4).norm(), Point(1) < Point(2), jitffi.List([Point(1)])[0].x
    (Point(x=3.0, y=1.0), 4.0, True, 1.0)
    """
    if not isinstance(key, str):
        got = type(key).__name__
        raise TypeError(f"expected the key of a type as str, got {got}: use @jitffi.register_object('demo.Point')")
    if structure not in STRUCTURES:
        raise ValueError(f"structure: expected one of {', '.join(STRUCTURES)}, got {structure!r}")
    if order and not eq:
        raise ValueError("order=True requires eq=True: what is not compared has no order")
    options = {
        "eq": eq, "order": order, "unsafe_hash": unsafe_hash, "frozen": frozen, "kw_only": kw_only, "repr": repr,
        "attributes": attributes, "structure": structure, "init": init, "match_args": match_args,
    }  # fmt: skip
    names = sys._getframe(1).f_locals
    return lambda cls: _register(key, cls, names, options)


def _register(key: str, cls: Any, names: Any, options: dict[str, Any]) -> Any:
    if not isinstance(cls, type):
        raise TypeError(f"{key}: expected a class, got {type(cls).__name__}")
    structs = sys.modules.get("jitffi.signature.structs")  # which is loaded where there are some
    if structs is not None and structs.find(key) is not None:
        raise ValueError(f"{key} is the key of a struct, and no type of objects")
    bases = cls.__bases__ if cls.__bases__ != (object,) else (_Object,)
    objects = [each for each in bases if issubclass(each, _Object)]
    if not objects:
        bases, objects = (_Object, *bases), [_Object]
    base = next((each for each in objects if _core.class_code(each)), objects[0])
    if not _core.class_code(base) and not _is_mixin(base):
        raise TypeError(f"{key}: {base.__name__} has no fields that could be added to: derive from jitffi.Object")
    known = _core.type_code(key)
    _check_new(key, cls, known)
    if "__jitffi_type_key__" in vars(cls):
        return cls
    parent = _core.class_code(base) or _core.type_code("object")
    native = _core.type_row(known) if known and not is_of_python(known) else None
    if native is not None and tells_native(cls, native):
        return _attach(cls, bases, known, own_namespace(cls, native, _OF_TYPE, options))
    module = sys.modules.get(cls.__module__)
    scope = {**(vars(module) if module else {}), **names}
    declared = declared_fields(cls, key, scope, options["kw_only"])
    fields = new_fields(key, declared, _core.type_row(parent))
    if key == _ENUM_KEY or enums_of(parent):
        options = {**options, **_OF_ENUMS}
    code = _define(key, cls, parent, fields, options)
    before = _core.class_of(code) if is_of_python(code) else None
    if before is not None:
        object_init_only.check_same(before, declared, code)
        return _renew(before, cls, code)
    return _make(cls, bases, code, declared, options)


def _check_new(key: str, cls: type, known: int) -> None:
    """ValueError for the key of a new type that signatures could not name. TypeError for a class of another type, or of
    Python's `enum`."""
    if known <= 0 and plain(key) is not None:  # fields of the class would be of that type
        raise ValueError(f"type key {key!r} belongs to a type of signatures")
    if known <= 0 and any(each in "[](){}|,:=*@" or each.isspace() for each in key):  # what types are written with
        raise ValueError(f"type key {key!r}: expected words with dots between them, as in 'demo.Point'")
    own = vars(cls).get("__jitffi_type_key__")
    if own is not None and own != key:
        raise TypeError(f"{key}: the class {cls.__name__} is registered already, as {own}")
    if is_enumeration(cls):
        raise TypeError(f"{key}: {cls.__name__} is of Python's enum: derive it from jitffi.Enum, or annotate with it")


def _is_mixin(cls: type) -> bool:
    """Whether a class is jitffi.Object, or adds to it in Python alone."""
    return cls is _Object or (cls.__base__ is not None and cls.__flags__ & OF_PYTHON != 0 and _is_mixin(cls.__base__))


def is_of_python(code: int) -> bool:
    return code in _registered


#: Codes that Python has defined: those of native code get their class from what they say of themselves.
_registered: set[int] = set()


def _is_frozen(above: Any, fields: list[Declared], asked: bool) -> bool:
    """Whether all fields of a type are read-only, marking those that are so in what is derived from it, too."""
    if asked:
        for each in fields:
            each.flags |= READ_ONLY
    return asked or bool(above and above[6] & FROZEN and any(not each[5] & READ_ONLY for each in above[9]))


def _define(key: str, cls: type, parent: int, fields: list[Declared], options: dict[str, Any]) -> int:
    above = _core.type_row(parent)
    start, has_links = (above[4], above[5] != 0) if above else (HEADER, False)
    size, links = lay_out(fields, start, has_links)
    frozen = _is_frozen(above, fields, options["frozen"])
    flags = _COMPARES if options["eq"] else 0
    flags |= _ORDERED if options["order"] else 0
    flags |= _HASHES if options["unsafe_hash"] or (options["eq"] and frozen) else 0
    flags |= FROZEN if frozen else 0
    flags |= ENUM if key == _ENUM_KEY or (above and above[6] & ENUM) else 0
    flags |= OWN_STRUCTURE if not STRUCTURAL.isdisjoint(vars(cls)) else above[6] & OWN_STRUCTURE if above else 0
    known = _core.type_code(key)
    row = _core.type_row(known) if known else None
    if row is not None and is_of_python(known):
        _check_same(key, row, fields, flags, _core.class_of(known))
        return known
    doc = cls.__doc__
    structure = STRUCTURES.index(options["structure"])
    rows = tuple(each.row() for each in fields)
    return int(_core.type_define(key, doc, parent, size, links, flags, structure, rows))


def _check_same(key: str, row: Any, fields: list[Declared], flags: int, cls: Any) -> None:
    """ValueError where a type is declared again in another way."""
    own = row[9][row[8] :]
    same = [each[:2] + each[3:6] for each in own] == [(f.name, f.type, f.offset, f.kind, f.flags) for f in fields]
    known = {member.__name__: member for member in _core.class_members(cls)}
    for each in fields:
        if same and each.flags & HAS_DEFAULT:
            same = same_default(known[each.name].default_value, each.default)
    if not same or row[6] != flags:
        declared = ", ".join(f"{each[0]}: {each[1]}" for each in own)
        raise ValueError(f"{key} is registered already, with other fields or options: {declared}")


# -- classes -------------------------------------------------------------------------------------------------


def _make(
    cls: type,
    bases: tuple[type, ...],
    code: int,
    fields: list[Declared],
    options: dict[str, Any],
) -> Any:
    namespace = namespace_of(cls, {each.name for each in fields})
    enums = enums_of(code)
    members = enums.take_declared(cls, namespace, code) if enums else {}
    complete(namespace, code)
    add_computed(namespace, bases, fields)
    object_init_only.add_to(namespace, bases, fields, code)
    fields = [each for each in fields if not each.init_only]
    defaults = {each.name: each.default for each in fields if each.flags & (HAS_DEFAULT | HAS_FACTORY)}
    if not options["init"]:
        namespace.setdefault("__init__", no_init)
    if not options["match_args"] and "__match_args__" not in vars(cls):
        del namespace["__match_args__"]
    if not options["repr"]:
        namespace.setdefault("__repr__", plain_repr)
    elif any(getattr(each, "__repr__", None) is plain_repr for each in bases):
        namespace.setdefault("__repr__", _Object.__repr__)
    enumerations = {each.name: each.enumeration for each in fields if each.enumeration is not None}
    given = cls.__name__, bases, namespace
    made = _core.object_class(metaclass_of(cls), given, code, defaults, enumerations, options["attributes"])
    _registered.add(code)
    forward_types.registered(made, code)
    set_methods(code, namespace)
    let_super_find(cls, made)
    if enums:
        enums.add_members(made, code, members)
    return made


def enum_classes() -> tuple[Any, Any, Any]:
    """The classes that enumerations derive from, which are registered when the first of them is needed."""
    from jitffi.api import object_enums

    others = {"kw_only": False, "repr": True, "attributes": False, "init": True, "match_args": True}
    options = {**_OF_ENUMS, **others}
    return object_enums.classes(lambda key, cls: _register(key, cls, {}, options))


def _renew(before: Any, cls: type, code: int) -> Any:
    """The class declared again, as by a module that is loaded again: objects that there are get the new methods."""
    names = {member.__name__ for member in _core.class_members(before)}
    namespace = namespace_of(cls, names)
    enums = enums_of(code)
    declared = enums.take_declared(cls, namespace, code) if enums else {}
    for name, value in namespace.items():
        if name not in ("__module__", "__qualname__", "__annotations__"):
            setattr(before, name, value)
    for name, *_ in _core.type_methods(code):
        if name not in namespace and not name.startswith("__"):
            _core.type_set_method(code, name, None, None, False)
            if name in vars(before):
                delattr(before, name)
    set_methods(code, namespace)
    let_super_find(cls, before)
    if enums:
        enums.add_members(before, code, declared)
    return before


# -- types of native code ------------------------------------------------------------------------------------


def _attach(cls: type, bases: tuple[type, ...], code: int, own: dict[str, Any]) -> Any:
    """The class of a type that native code has defined: its fields and methods, and what Python adds."""
    enums = enums_of(code)
    declared = enums.take_declared(cls, own, code) if enums else ()
    made = _core.class_of(code)
    if made is not None:
        _renew_native(made, cls, own)
    else:
        parent = class_for(_core.type_parent(code))
        bases = tuple(parent if each is _Object else each for each in bases)
        made = _native_class(cls.__name__, bases, {**_native_namespace(code), **own}, code, cls)
    for name in declared:
        enums.named(made, name)
    return made


def _renew_native(known: Any, cls: type, own: dict[str, Any]) -> None:
    for name, value in own.items():
        if name not in ("__module__", "__qualname__", "__annotations__", "__doc__"):
            setattr(known, name, value)
    let_super_find(cls, known)


def _native_namespace(code: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, function, doc, is_static in _core.type_methods(code):
        if name != "__init__":
            made[name] = staticmethod(function) if is_static else _core.object_method(function, name, doc, True)
    return made


def _native_class(name: str, bases: tuple[type, ...], namespace: dict[str, Any], code: int, cls: type | None) -> Any:
    complete(namespace, code)
    row = _core.type_row(code)
    defaults = {each[0]: each[6] for each in row[9][row[8] :] if each[5] & (HAS_DEFAULT | HAS_FACTORY)}
    metaclass = metaclass_of(*bases) if cls is None else metaclass_of(cls, *bases)
    made = _core.object_class(metaclass, (name, bases, namespace), code, defaults, {}, False)
    if cls is not None:
        let_super_find(cls, made)
    if enums := enums_of(code):
        enums.take_native(made, code)
    return made


def class_for(code: int) -> Any:
    """Return the class of an object type, made of its definition where it has none yet; jitffi.Object for types without
    a definition. (The extension calls this for the first object of a type.)"""
    known = _core.class_of(code)
    if known is not None:
        return known
    row = _core.type_row(code)
    if row is None:
        parent = _core.type_parent(code)
        return class_for(parent) if parent else _Object
    if row[0] == _ENUM_KEY:
        return enum_classes()[0]
    if row[0] == _FROZEN_MAP_KEY:
        return late("jitffi.api.frozen_map").FrozenMap  # which is registered when it is imported
    module, _, name = row[0].rpartition(".")
    namespace = {"__module__": module or "jitffi", "__doc__": row[1], **_native_namespace(code)}
    return _native_class(name, (class_for(row[3]),), namespace, code, None)
