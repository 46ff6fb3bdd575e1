"""Structs, unions and enums as classes of Python: members as annotations, with the header's comments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jitffi.bind.read.comments import printable
from jitffi.bind.read.constants import literal_of
from jitffi.bind.read.names import possible
from jitffi.bind.write.function_text import WIDTH, escaped, pieces
from jitffi.signature.parameters import KEYWORDS
from jitffi.signature.structs import Member, Struct, declared

#: Members that every IntEnum has.
_TAKEN = frozenset(dir(int)) | {"name", "value", "mro"}
_INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "i128", "u128")


@dataclass(frozen=True)
class Line:
    """One name with its value and what the header says of it: a constant, a member of an enum."""

    name: str
    literal: str
    remark: str


@dataclass(frozen=True)
class EnumClass:
    """An enum that has a name. *name* is the key of its Python name, *c_name* how C spells it."""

    name: str
    c_name: str
    doc: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class StructClass:
    """A struct or union with its documentation, and that of its members by their names."""

    struct: Struct
    doc: str
    remarks: Mapping[str, str]


def enum_text(enum: EnumClass, names: Mapping[str, str]) -> str:
    """Return the class, and its members as names of the module."""
    cls = names[enum.name]
    own = {line.name: _member_name(names[line.name]) for line in enum.lines}
    lines = [f"class {cls}(IntEnum):", _docstring(enum.c_name, enum.doc), ""]
    for line in enum.lines:
        remark = printable(line.remark)
        lines.append(f"    {own[line.name]} = {line.literal}{f'  # {remark}' if remark else ''}")
    lines += ["", ""]
    lines += [f"{names[line.name]}: Final = {cls}.{own[line.name]}" for line in enum.lines]
    return "\n".join(lines)


def struct_text(struct: StructClass, names: Mapping[str, str]) -> str:
    """Return the class."""
    declaration = struct.struct
    options = "".join([f", {name}={n}" for name in ("pack", "align") if (n := getattr(declaration, name))])
    word = "union" if declaration.is_union else "struct"
    lines = [f"@jitffi.{word}({literal_of(declaration.key)}{options})", f"class {names[declaration.key]}:"]
    lines += [_docstring(declaration.c_name, struct.doc), ""]
    for name, member in zip(member_names(declaration), declaration.members or (), strict=True):
        remark = printable(struct.remarks.get(member.name or "", ""))
        text = _wrapped(f"    {name}: {_annotation(member, names)}")
        together = f"{text}  # {remark}"
        beside = remark and len(together) <= WIDTH
        if remark and not beside:
            lines.append(f"    # {remark}")
        lines.append(together if beside else text)
    if not declaration.members:
        lines.pop()
    return "\n".join(lines)


def member_names(struct: Struct) -> list[str]:
    """Return names of the members as a class body can have them; of those without, underscores alone.

    >>> from jitffi.signature.model import TYPES
    >>> i32 = TYPES["i32"]
    >>> struct = Struct("doc.Names", "")
    >>> struct.members = tuple(Member(name, i32, bits=1) for name in ("x", "in", "__x", None, "_y", None))
    >>> member_names(struct)
    ['x', 'in_', 'x_', '_', '_y', '__']
    """
    given: list[str] = []
    for member in struct.members or ():
        name = possible(member.name or "_")
        if name.startswith("__") or not name.strip("_"):
            name = name.strip("_") if name.strip("_") else "_"
        while name in given or name in KEYWORDS:
            name += "_"
        given.append(name)
    return given


def _member_name(name: str) -> str:
    """A name that a member of an IntEnum can have: none of its own, and none that a class would mangle."""
    if name.startswith("__") or (name.startswith("_") and name.endswith("_")):
        name = name.strip("_") or "blank"
    return f"{name}_" if name in _TAKEN or name in KEYWORDS else name


def _annotation(member: Member, names: Mapping[str, str]) -> str:
    type_ = member.type
    inner = declared(type_)
    text = str(member._replace(name="_"))[3:]
    plain = not member.dims and member.bits is None and not member.align
    if plain and inner is not None:
        return names[inner.key]
    if plain and inner is None and not type_.args and type_.name not in ("cstr", "ptr"):
        return f"jitffi.{type_.name}" if type_.name != "bool" else "bool"
    shown = "Any"
    if not member.dims:
        shown = "int" if type_.name in _INTEGERS else "str | None" if type_.name == "cstr" else shown
    return f"Annotated[{shown}, {literal_of(text)}]"


def _wrapped(line: str) -> str:
    """A member whose type is too long for one line in several."""
    head, middle, literal = line.partition(", ")
    if len(line) <= WIDTH or not middle:
        return line
    parts = [f"        {literal_of(piece)}" for piece in pieces(literal[1:-2], WIDTH - 11)]
    name, _, shown = head.partition("[")
    return "\n".join([f"{name}[", f"        {shown},", *parts]) + ",\n    ]"


def _docstring(c_name: str, doc: str) -> str:
    text = escaped(printable(f"{c_name}\n\n{doc}".rstrip()))
    if text.endswith('"'):
        text = text[:-1] + '\\"'
    lines = [f"    {line}".rstrip() for line in text.split("\n")]
    return '    """' + "\n".join(lines).lstrip() + ('\n    """' if len(lines) > 1 else '"""')
