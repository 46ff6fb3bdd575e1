"""C's structs and unions as classes: declared by a key, with annotations or a text; what C knows of their memory.

    @jitffi.struct("geo.Point")
    class Point:
        x: jitffi.f64
        y: jitffi.f64 = 1.0

An instance has C's bytes (runtime_c/python/shared/struct.h). The declaration is `signature.structs`', and the class is
made from it, in C; for structs of C declarations when somebody first asks for it.
"""

from __future__ import annotations

import copyreg
import sys

from jitffi import _core
from jitffi.base.class_cells import let_super_find
from jitffi.base.qualified import named
from jitffi.signature import structs
from jitffi.signature.model import NO_DEFAULT, Type
from jitffi.signature.struct_text import parse_members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar, overload

    from typing_extensions import dataclass_transform

    from jitffi._core import Struct

    _C = TypeVar("_C")

#: Names that a class has where no member is called so.
_ATTRIBUTE = "__jitffi_struct__"


if TYPE_CHECKING:

    @overload
    def struct(key: str, members: str, *, pack: int = 0, align: int = 0) -> type[Struct]: ...
    @overload
    @dataclass_transform(eq_default=True)
    def struct(key: str, *, pack: int = 0, align: int = 0) -> Callable[[type[_C]], type[_C]]: ...


def struct(key: str, members: str | None = None, *, pack: int = 0, align: int = 0) -> Any:
    """Declare a struct of C's and return its class, or without *members* a decorator for the class that has them as
    annotations.

    *key* names it in signatures, `geo.Point`. *members* are "x: f64, flags: u32:3, data: u8[]". *pack* is the greatest
    alignment of a member, *align* the least one of the whole, in bytes; 0: their own. SignatureError for a bad text,
    TypeError for annotations that no member has, ValueError for what C cannot lay out, and where the key is declared
    already with another layout.

    >>> import jitffi
    >>> Point = jitffi.struct("doc.api.Point", "x: f64, y: f64 = 1.0")
    >>> Point(3.0), jitffi.sizeof(Point)
    (Point(x=3.0, y=1.0), 16)
    """
    return _declaring(key, members, False, pack, align)


if TYPE_CHECKING:

    @overload
    def union(key: str, members: str, *, pack: int = 0, align: int = 0) -> type[Struct]: ...
    @overload
    @dataclass_transform(eq_default=True)
    def union(key: str, *, pack: int = 0, align: int = 0) -> Callable[[type[_C]], type[_C]]: ...


def union(key: str, members: str | None = None, *, pack: int = 0, align: int = 0) -> Any:
    """Declare a union; *key*, *members*, *pack*, *align* and the errors, SignatureError, TypeError and ValueError, are
    those of `struct`.

    >>> import jitffi
    >>> Word = jitffi.union("doc.api.Word", "all: u32, bytes: u8[4]")
    >>> int(Word(0x01020304).bytes[0]) in (1, 4)
    True
    """
    return _declaring(key, members, True, pack, align)


def _declaring(key: str, members: str | None, is_union: bool, pack: int, align: int) -> Any:
    if not isinstance(key, str):
        raise TypeError(
            f"expected the key of a struct as str, got {type(key).__name__}: use @jitffi.struct('geo.Point')"
        )
    _refuse_objects(key)
    options: dict[str, Any] = {"is_union": is_union, "pack": pack, "align": align}
    if members is None:
        names = sys._getframe(2).f_locals
        return lambda cls: _from_class(key, cls, names, options)
    made = structs.declare(key)
    try:
        structs.complete(made, parse_members(members, _own(made)), **options)
    except BaseException:
        structs.forget(made)
        raise
    return made.cls


def _refuse_objects(key: str) -> None:
    code = _core.type_code(key)
    if code and _core.type_row(code) is not None:
        raise ValueError(f"{key} is the key of a registered type of objects, and no struct's")


def _own(made: structs.Struct) -> dict[str, Type]:
    """The names that a struct has inside its own declaration."""
    return {made.key.rpartition(".")[2]: made.type}


def _from_class(key: str, cls: Any, names: Mapping[str, Any], options: dict[str, Any]) -> Any:
    from jitffi.signature.struct_annotations import members_of

    if not isinstance(cls, type):
        raise TypeError(f"{key}: expected a class, got {type(cls).__name__}")
    if cls.__bases__ != (object,):
        raise TypeError(f"{key}: a struct has no base classes, got {', '.join([c.__name__ for c in cls.__bases__])}")
    made = structs.declare(key)
    module = sys.modules.get(cls.__module__)
    known = {**(vars(module) if module else {}), **names}
    try:
        members = members_of(cls, known, {cls.__name__: made.type, **_own(made)})
        structs.complete(made, members, doc=cls.__doc__ or "", **options)
    except BaseException:  # of annotations, which are code of the user
        structs.forget(made)
        raise
    namespace = _namespace_of(cls, made)
    before = made.known_class
    if before is None:
        made.cls = _make(made, cls.__name__, namespace, members)
    else:  # declared again, as by a module that is loaded again: its instances get the new methods
        if [each.default for each in members] != [each.default for each in made.members or ()]:
            raise ValueError(f"{key} is declared already, with other defaults: {made.text()}")
        for name in namespace.keys() - {"__module__", "__qualname__", "__annotations__"}:
            setattr(before, name, namespace[name])
    let_super_find(cls, made.cls)
    return made.cls


def _namespace_of(cls: type, made: structs.Struct) -> dict[str, Any]:
    own = {placed.member.name for placed in made.placed()}
    skipped = {*own, "__dict__", "__weakref__"}
    return {name: value for name, value in vars(cls).items() if name not in skipped}


def _make_class(made: structs.Struct) -> Any:
    """The class of a declaration that no class in Python has made."""
    if made.members is None:
        raise TypeError(f"{made.key} is incomplete: only pointers to it are there")
    _refuse_objects(made.key)
    name = made.key.rpartition(".")[2]
    namespace = {"__module__": "jitffi.types", "__qualname__": name, "__doc__": made.doc or _doc(made)}
    return _make(made, name, namespace, made.members)


def _doc(made: structs.Struct) -> str:
    return f"{'union' if made.is_union else 'struct'} {made.key}: {made.text()}"


def _make(made: structs.Struct, name: str, namespace: dict[str, Any], members: tuple[structs.Member, ...]) -> Any:
    layout = made.layout()
    namespace[_ATTRIBUTE] = made
    given = {member.name: member.default for member in members}
    found: list[Any] = []
    for member, offset, bit in made.placed():
        inner = structs.declared(member.type)
        bits = -1 if member.bits is None else member.bits
        default = given.get(member.name, member.default)
        default = _core.NO_DEFAULT if default is NO_DEFAULT else default
        text = "struct" if inner else member.type.text
        place = (offset, bit if bits >= 0 else -1, bits)
        found.append((member.name, text, *place, member.dims, inner.cls if inner else None, default))
    own = {entry[0] for entry in found}
    for attribute, value in _ABOUT.items():
        if attribute not in own:
            namespace.setdefault(attribute, value)
    return _core.struct_class(name, namespace, made.key, layout.size, layout.align, made.is_union, tuple(found))


class _About:
    """An attribute of the class that says something of its memory."""

    def __init__(self, ask: Callable[[Any], Any]) -> None:
        self._ask = ask

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self._ask(owner)


def class_of(key: str) -> Any:
    """Return the class of the struct that is declared by that key. TypeError where none is."""
    made = structs.find(key)
    if made is None:
        raise TypeError(f"no struct is declared as {key!r}")
    return made.cls


def declaration(what: Any) -> structs.Struct | None:
    """Return the declaration that a class, an instance or a type is of; None for anything else."""
    if isinstance(what, Type):
        return structs.declared(what)
    found = getattr(what, _ATTRIBUTE, None)
    return found if isinstance(found, structs.Struct) else None


def _extent(what: Any) -> tuple[int, int]:
    """Size and alignment."""
    made = declaration(what)
    if made is not None:
        return made.layout()[:2]
    if isinstance(what, str):
        member = parse_members(f"it: {what}")[0]
    elif isinstance(what, Type):
        member = structs.Member("it", what)
    else:
        raise TypeError(f"expected a struct, its class or a type, got {what!r}")
    layout = structs.layout_of((member,))
    return layout.size, layout.align


def sizeof(what: Any) -> int:
    """Return the size in bytes of *what*: a struct, its class or an instance, a type, or a type's text. An instance
    with a flexible end has that of its items, too. TypeError for what has no size.

    >>> import jitffi
    >>> jitffi.sizeof("f64[3]"), jitffi.sizeof(jitffi.i16)
    (24, 2)
    """
    if isinstance(what, _core.Struct):
        return memoryview(what).nbytes
    return _extent(what)[0]


def alignof(what: Any) -> int:
    """Return the alignment in bytes of *what*, which is anything that `sizeof` takes; TypeError for all else.

    >>> import jitffi
    >>> jitffi.alignof("f64[3]")
    8
    """
    return _extent(what)[1]


def offsetof(what: Any, name: str) -> int:
    """Return the bytes from the start of *what*, a struct's class or an instance, to the member *name*. AttributeError
    where there is none of that name, ValueError for bits, which have no address, TypeError for what is no struct.

    >>> import jitffi
    >>> jitffi.offsetof(jitffi.struct("doc.api.Pair", "x: i8, y: i32"), "y")
    4
    """
    made = declaration(what)
    if made is None:
        raise TypeError(f"expected a struct or its class, got {what!r}")
    for placed in made.placed():
        if placed.member.name == name:
            if placed.member.bits is not None:
                raise ValueError(f"{made.key}.{name} has {placed.member.bits} bits: they have no address")
            return placed.offset
    raise AttributeError(f"{made.key} has no member {name!r}")


def addressof(instance: Any) -> int:
    """Return where the bytes of *instance*, a struct, are; they stay there as long as it lives. TypeError for anything
    else.

    >>> import jitffi
    >>> point = jitffi.struct("doc.api.Point", "x: f64, y: f64 = 1.0")()
    >>> jitffi.addressof(point) % jitffi.alignof(point)
    0
    """
    return _core.struct_address(instance)


def _array(cls: Any) -> Callable[[int], Any]:
    def array(n: int) -> Any:
        """Return a NumPy array of *n* such structs, all of zeros."""
        import numpy

        return numpy.zeros(n, cls.dtype)

    return array


_ABOUT = {
    "size": _About(sizeof),
    "dtype": _About(lambda cls: _core.struct_dtype(cls)),
    "array": _About(_array),
    "offset": _About(lambda cls: lambda name: offsetof(cls, name)),
}


def _reduced(cls: Any) -> Any:
    """A class is pickled by its name where that leads to it, else as its declaration."""
    made = declaration(cls)
    return cls.__qualname__ if named(cls) is cls or made is None else (_class_again, (made,))


def _class_again(made: structs.Struct) -> Any:
    return made.cls


structs.makers.make_class = _make_class
copyreg.pickle(type(_core.Struct), _reduced)
