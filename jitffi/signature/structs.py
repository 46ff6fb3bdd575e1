"""Structs and unions as they are declared: a key, members with their types, and where C puts them on a machine.

    declare("geo.Point", (Member("x", TYPES["f64"]), Member("y", TYPES["f64"], default=1.0)))

A key has one declaration in a process, and the type `Type("struct", (declaration,))` is spelled by it: `geo.Point`. A
declaration is incomplete until it has its members, as in C: meanwhile pointers to it are types, which is how a struct
refers to itself. Members in text, in the order of C (struct_text reads it):

    x: f64, y: f64 = 1.0, kind: u32:3, _: u32:5, matrix: f32[4, 4] @ 16, next: ptr[geo.Point], _: geo.Parts, data: u8[]

`:3` are bits, `@ 16` the least alignment, and `_` is what has no name in C: padding of bits, or a struct whose members
are the outer one's. A last `T[]` is a flexible end.
"""

from __future__ import annotations

import itertools
import os
from typing import NamedTuple

from jitffi.signature import datamodel, fields
from jitffi.signature.model import NO_DEFAULT, TYPES, Type
from jitffi.signature.numbers import SIZES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

#: What members are, beside structs; of pointers, optional ones are the same.
NUMBERS = (*SIZES, "longdouble")
_POINTERS = ("ptr", "cstr", "func")


class Member(NamedTuple):
    """A member as it is declared."""

    #: None: bits for padding, or a struct whose members are the outer one's.
    name: str | None
    type: Type
    #: Lengths of an array's dimensions; the first may be -1, which is a flexible end.
    dims: tuple[int, ...] = ()
    #: Bits of a bit-field, 0 of one that ends its unit; None: it is none.
    bits: int | None = None
    default: Any = NO_DEFAULT
    #: The least alignment that is asked for; 0: the type's.
    align: int = 0

    def __str__(self) -> str:
        length = ", ".join(["" if n < 0 else str(n) for n in self.dims])
        text = f"{self.name or '_'}: {self.type.text}{f'[{length}]' * bool(self.dims)}"
        text += "" if self.bits is None else f":{self.bits}"
        text += f" @ {self.align}" if self.align else ""
        return text if self.default is NO_DEFAULT else f"{text} = {self.default!r}"


class Placed(NamedTuple):
    """A member that has a name, by its place in the outermost struct."""

    member: Member
    offset: int
    #: The first of its bits (fields.Placed); of bit-fields alone.
    bit: int


class Struct:
    """One declaration. It is made by `declare`, and compares by identity."""

    __slots__ = (
        "_class", "_layouts", "_placed", "align", "c_name", "doc", "is_union", "key", "members", "pack", "type",
    )  # fmt: skip

    key: str
    c_name: str  # how C spells it: "geo_Point", "struct Point"
    is_union: bool
    pack: int  # the greatest alignment of a member; 0: its own
    align: int  # the least alignment of the whole
    doc: str
    members: tuple[Member, ...] | None  # None: incomplete
    type: Type

    def __init__(self, key: str, c_name: str) -> None:
        self.key = key
        self.c_name = c_name
        self.is_union = False
        self.pack = self.align = 0
        self.doc = ""
        self.members = None
        self._layouts: dict[datamodel.DataModel, fields.Layout] = {}
        self._placed: dict[datamodel.DataModel, tuple[Placed, ...]] = {}
        self._class: Any = None
        self.type = Type("struct", (self,))

    def __repr__(self) -> str:
        return f"<{'union' if self.is_union else 'struct'} {self.key}>"

    def __reduce__(self) -> tuple[Any, ...]:
        rest = (self.is_union, self.pack, self.align, self.doc)
        return _again, (self.key, self.c_name), (self.members, *rest)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        members, is_union, pack, align, doc = state
        if members is not None:
            complete(self, members, is_union=is_union, pack=pack, align=align, doc=doc)

    @property
    def known_class(self) -> Any:
        """Its class in Python where it has been made, else None."""
        return self._class

    @property
    def cls(self) -> Any:
        """Its class in Python, made when it is first asked for."""
        if self._class is None:
            self._class = makers.make_class(self)
        return self._class

    @cls.setter
    def cls(self, value: Any) -> None:
        self._class = value

    def layout(self, machine: datamodel.DataModel = datamodel.HOST) -> fields.Layout:
        """Where the members are on a machine. ValueError where it is incomplete."""
        found = self._layouts.get(machine)
        if found is None:
            if self.members is None:
                raise ValueError(f"{self.key} is incomplete: its size is not known")
            found = layout_of(self.members, machine, self.is_union, self.pack, self.align)
            self._layouts[machine] = found
        return found

    def layout_in(self, abi: str) -> fields.Layout:
        """The same by the name of C's ABI (ir/cabi.py)."""
        return self.layout(datamodel.of_abi(abi))

    def placed(self, machine: datamodel.DataModel = datamodel.HOST) -> tuple[Placed, ...]:
        """The members that have names, those of anonymous structs among them."""
        found = self._placed.get(machine)
        if found is None:
            found = self._placed[machine] = tuple(_flat(self, machine, 0))
        return found

    def text(self) -> str:
        """The members as `struct_text` reads them."""
        return ", ".join(map(str, self.members or ()))


class OtherMembersError(ValueError):
    """The key is declared already, with other members."""


class _Makers:
    """What builds on declarations, and hands itself in."""

    make_class: Callable[[Struct], Any]


makers = _Makers()

#: By key; for the life of the process, as types are.
_declared: dict[str, Struct] = {}
_incomplete = itertools.count()


def declare(
    key: str,
    members: Iterable[Member] | None = None,
    *,
    is_union: bool = False,
    pack: int = 0,
    align: int = 0,
    c_name: str = "",
    doc: str = "",
) -> Struct:
    """Return the declaration of that key, with *members* where they are known. ValueError where it has others.

    >>> from jitffi.signature.model import TYPES
    >>> point = declare("doc.Point", [Member("x", TYPES["f64"]), Member("y", TYPES["f32"])])
    >>> str(point.type), point.layout().size, point.text()
    ('doc.Point', 16, 'x: f64, y: f32')
    """
    parts = key.split(".")
    if not all(part.isidentifier() for part in parts):
        raise ValueError(f"{key!r} is no key of a struct: it is made of names with dots between them, as geo.Point")
    made = _declared.get(key)
    if made is None:
        made = _declared.setdefault(key, Struct(key, c_name or key.replace(".", "_")))
    if members is not None:
        try:
            complete(made, members, is_union=is_union, pack=pack, align=align, doc=doc)
        except ValueError:
            forget(made)
            raise
    return made


def complete(
    struct: Struct, members: Iterable[Member], *, is_union: bool = False, pack: int = 0, align: int = 0, doc: str = ""
) -> None:
    """Give a declaration its members. ValueError for what C cannot lay out, or where it has other members."""
    members = tuple(members)
    if struct.members is not None:
        before = [_in_memory(each) for each in struct.members]
        if (before, struct.is_union, struct.pack, struct.align) != (
            [_in_memory(each) for each in members], is_union, pack, align,
        ):  # fmt: skip
            raise OtherMembersError(
                f"{struct.key} is declared already, with other members: {struct.text()}; another key makes it another "
                "struct (jitffi bind --prefix, of bound modules)"
            )
        struct.doc = doc or struct.doc
        return
    for given, what in ((pack, "pack"), (align, "align")):
        if given & given - 1 or not 0 <= given <= 1 << 16:
            raise ValueError(f"{struct.key}: {what}={given} is no power of two")
    for member in members:
        _check(struct, member)
    _check_names(struct, members)
    try:
        layout = layout_of(members, datamodel.HOST, is_union, pack, align)
    except ValueError as error:
        raise ValueError(f"{struct.key}.{error}") from None
    struct.is_union, struct.pack, struct.align, struct.doc = is_union, pack, align, doc
    struct._layouts[datamodel.HOST] = layout
    struct.members = members
    object.__setattr__(struct.type, "bare", layout_text(struct))


def find(key: str) -> Struct | None:
    """Return what is declared by that key.

    >>> find("doc.Nothing")
    """
    return _declared.get(key)


def forget(struct: Struct) -> None:
    """Take back a declaration that never got its members."""
    if struct.members is None:
        _declared.pop(struct.key, None)


def keys() -> tuple[str, ...]:
    """Return the keys of all declarations."""
    return tuple(_declared)


def declared(type_: Type) -> Struct | None:
    """Return the declaration that a type is of; None for other types, and opaque structs."""
    args = type_.args
    return args[0] if type_.name == "struct" and isinstance(args[0], Struct) else None


def bare_text(struct: Struct) -> str:
    """What machine code depends on. Of an incomplete one it is no other's, nor that of another process."""
    if struct.members is None:
        return f"{struct.key}?{os.getpid()}.{os.urandom(6).hex()}.{next(_incomplete)}"
    return layout_text(struct)


def layout_text(struct: Struct) -> str:
    """The layout alone: types of members, without names and what pointers point at.

    >>> from jitffi.signature.model import TYPES
    >>> layout_text(declare("doc.Bits", [Member("x", TYPES["u32"], bits=3), Member("p", TYPES["cstr"])]))
    '{u32:3,ptr}'
    """
    parts = []
    for member in struct.members or ():
        inner = declared(member.type)
        text = layout_text(inner) if inner else "ptr" if member.type.name in _POINTERS else member.type.text
        text += f"[{','.join(map(str, member.dims))}]" if member.dims else ""
        if member.bits is not None:
            text = f"{'_' * (member.name is None)}{text}:{member.bits}"
        parts.append(text + (f"@{member.align}" if member.align else ""))
    whole = f"{{{(';' if struct.is_union else ',').join(parts)}{';' * struct.is_union}}}"
    return whole + (f"%{struct.pack}" if struct.pack else "") + (f"@{struct.align}" if struct.align else "")


def _again(key: str, c_name: str) -> Struct:
    return declare(key, c_name=c_name)


def _in_memory(member: Member) -> str:
    """What two declarations of one key agree in: of what a pointer leads to, one header may know more than another."""
    type_ = TYPES["ptr"] if member.type.name in ("ptr", "func") else member.type
    return str(member._replace(default=NO_DEFAULT, type=type_))


def _check(struct: Struct, member: Member) -> None:
    type_ = member.type
    what = f"{struct.key}.{member.name or '_'}"
    inner = declared(type_)
    if inner is not None and inner.members is None:
        raise ValueError(f"{what}: {inner.key} is incomplete: its size is not known")
    is_number = type_.name in NUMBERS and not type_.args
    if inner is None and not is_number and (type_.name not in _POINTERS or type_.text == "func"):
        raise ValueError(f"{what}: {type_.text} is no type of a member: {_INSTEAD.get(type_.text, _MEMBERS)}")
    if member.name is None and inner is None and member.bits is None:
        raise ValueError(f"{what}: only bits and structs have no name")
    if member.bits is not None and not (is_number and (type_.name == "bool" or type_.name[0] in "iu")):
        raise ValueError(f"{what}: {type_.text} has no bit-fields")
    if member.align & member.align - 1 or member.align < 0:
        raise ValueError(f"{what}: {member.align} is no alignment: it is a power of two")
    if inner is not None and inner.members and inner.members[-1].dims[:1] == (-1,) and member.dims:
        raise ValueError(f"{what}: {inner.key} has a flexible end: there are no arrays of it")


_MEMBERS = "numbers, bool, structs, ptr, ptr[T], cstr and func[...] are"
_INSTEAD = {"str": "C has cstr", "bytes": "C has ptr[u8]", "func": "a function pointer is func[(...) -> T]"}


def _check_names(struct: Struct, members: tuple[Member, ...]) -> None:
    seen: set[str] = set()
    for name in _names(members):
        if not name.isidentifier():
            raise ValueError(f"{struct.key}: {name!r} is no name of a member")
        if name in seen:
            raise ValueError(f"{struct.key}: two members named {name!r}")
        seen.add(name)


def _names(members: tuple[Member, ...]) -> Iterator[str]:
    for member in members:
        inner = declared(member.type)
        if member.name is not None:
            yield member.name
        elif inner is not None and inner.members:
            yield from _names(inner.members)


def layout_of(
    members: tuple[Member, ...],
    machine: datamodel.DataModel = datamodel.HOST,
    is_union: bool = False,
    pack: int = 0,
    align: int = 0,
) -> fields.Layout:
    """Where C puts members. ValueError for what it cannot lay out."""
    made = []
    for member in members:
        inner = declared(member.type)
        type_ = inner.layout(machine) if inner else "pointer" if member.type.name in _POINTERS else member.type.name
        made.append(fields.Member(member.name, type_, member.dims, member.bits, member.align))
    return fields.place(made, machine, is_union=is_union, pack=pack, align=align)


def _flat(struct: Struct, machine: datamodel.DataModel, base: int) -> Iterator[Placed]:
    placed = iter(struct.layout(machine).members)
    for member in struct.members or ():
        if member.bits == 0:
            continue  # some machines give it no place
        each = next(p for p in placed if p.member.bits != 0)
        inner = declared(member.type)
        if member.name is not None:
            yield Placed(member, base + each.offset, each.bit)
        elif inner is not None:
            yield from _flat(inner, machine, base + each.offset)
