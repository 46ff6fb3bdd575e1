"""The text of a module: constants, types of callbacks, functions as typed declarations, and what was left out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from jitffi.bind.read.comments import printable
from jitffi.bind.read.constants import Leftover, literal_of
from jitffi.bind.read.declared import DeclaredVariable, Refused
from jitffi.bind.read.macro_calls import MacroCall
from jitffi.bind.read.structures import keys_in
from jitffi.bind.write.class_text import EnumClass, Line, StructClass, enum_text, struct_text
from jitffi.bind.write.function_text import WIDTH, Written, declaration, escaped, head_of
from jitffi.bind.write.macro_text import macro_head, macro_text
from jitffi.bind.write.pytypes import callable_type, used_names
from jitffi.signature.model import Type
from jitffi.signature.structs import Struct

_NAME_WIDTH = 32  # of the tables; longer names push their reason to the right
#: Beside the module, wherever that is.
_BESIDE = "os.path.join(os.path.dirname(os.path.abspath(__file__)), {})"


@dataclass(frozen=True)
class Group:
    """Constants that stand together in the header, with the comment that is for all of them."""

    comment: str
    lines: tuple[Line, ...]


@dataclass
class Content:
    """Everything that a module says."""

    header: str
    place: str  # of the library; a relative path is beside the module
    command: str
    groups: list[Group] = field(default_factory=list)
    enums: list[EnumClass] = field(default_factory=list)
    structs: list[StructClass] = field(default_factory=list)
    callbacks: list[tuple[str, Type, str]] = field(default_factory=list)  # name, type, comment
    variables: list[DeclaredVariable] = field(default_factory=list)
    functions: list[Written] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    macros: list[MacroCall] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)  # Python's, by those of C

    @property
    def named(self) -> Iterator[str]:
        """The keys of *names*, all that the module defines."""
        yield from [line.name for group in self.groups for line in group.lines]
        for enum in self.enums:
            yield enum.name
            yield from [line.name for line in enum.lines]
        yield from [each.struct.key for each in self.structs]
        yield from [name for name, _, _ in self.callbacks]
        yield from [each.name for each in self.variables]
        yield from [function.declared.name for function in self.functions]
        yield from self.aliases
        yield from [macro.name for macro in self.macros]

    @property
    def counted(self) -> str:
        """How many of each kind there are.

        >>> Content.__dict__["counted"].fget(Content("", "", "", [Group("", (Line("A", "1", ""),))]))
        '1 constant'
        """
        kinds = [(len(self.functions), "function"), (len(self.structs), "struct"), (len(self.enums), "enum")]
        kinds.append((len(self.variables), "variable"))
        kinds.append((len(list(self.constants)), "constant"))
        kinds.append((len(self.macros), "macro"))
        return ", ".join([_count(number, noun) for number, noun in kinds if number])

    @property
    def constants(self) -> Iterator[str]:
        """All names that have a value, members of enums among them."""
        for each in self.groups:
            yield from [line.name for line in each.lines]
        for enum in self.enums:
            yield from [line.name for line in enum.lines]

    @property
    def is_beside(self) -> bool:
        return "/" in self.place and not os.path.isabs(self.place)


def module_text(content: Content) -> str:
    """Return the module."""
    functions = [f"\n{declaration(each, content.names)}" for each in content.functions]
    heads = [head_of(each.declared, content.names) for each in content.functions]
    heads += [macro_head(each, content.names) for each in content.macros]
    callbacks = [_callback(name, ty, comment, content.names) for name, ty, comment in content.callbacks]
    constants = [_group(each, content.names) for each in content.groups]
    enums = [enum_text(each, content.names) for each in content.enums]
    structs = [struct_text(each, content.names) for each in content.structs]
    used = used_names([*callbacks, *heads, *constants, *enums, *structs, *["Final"] * bool(content.variables)])
    parts = [_head(content, used)]
    path = literal_of(content.place)
    parts.append(f"_lib = jitffi.load_library({_BESIDE.format(path) if content.is_beside else path})")
    if constants:
        parts += [_title("constants"), "\n\n".join(constants)]
    if enums:
        parts += [_title("enums"), *["\n" + each for each in enums]]
    if structs:
        early = _pointed_at_early([each.struct for each in content.structs])
        known = [f"declare({literal_of(key)})" for key in early]
        if known:
            known.insert(0, "# Structs above them have pointers to these.")
        parts += [_title("structs"), *["\n".join(known)] * bool(known), *["\n" + each for each in structs]]
    if callbacks:
        parts += [_title("callbacks"), "\n\n".join(callbacks)]
    if content.variables:
        parts += [_title("variables"), "\n".join([_variable(each, content.names) for each in content.variables])]
    if functions:
        parts += [_title("functions"), *functions]
    if content.aliases:
        lines = [f"{content.names[name]} = {content.names[other]}" for name, other in content.aliases.items()]
        parts += [_title("other names"), "\n".join(lines)]
    if content.macros:
        parts += [_title("macros that are calls"), *[f"\n{macro_text(each, content.names)}" for each in content.macros]]
    parts += [_title("names"), _all(content)]
    parts += _left_out(content)
    return "\n\n".join(parts).replace("\n\n\n\n", "\n\n\n") + "\n"


def _pointed_at_early(structs: Sequence[Struct]) -> list[str]:
    """The keys of structs that others lead to before they are declared."""
    position = {struct.key: i for i, struct in enumerate(structs)}
    found = {}
    for i, struct in enumerate(structs):
        for member in struct.members or ():
            found.update({key: True for key in keys_in(member.type) if position.get(key, -1) > i})
    return list(found)


def _head(content: Content, used: set[str]) -> str:
    left = "; what is not bound, and why, stands at the end" if content.refused or content.leftovers else ""
    about = (
        f"{content.header} for Python: {content.counted} of {content.place}{left}.\n\nMade by `{content.command}`.\n"
    )
    text = f'"""{escaped(about)}"""\n'
    text += '\n# mypy: disable-error-code="empty-body"\n# pyright: reportReturnType=false\n\n'
    text += "from __future__ import annotations\n\n"
    typing = sorted(used & {"Annotated", "Any", "Final"})
    imports = [("import os\n", content.is_beside), ("from collections.abc import Callable\n", "Callable" in used)]
    imports += [("from enum import IntEnum\n", "IntEnum" in used)]
    imports += [(f"from typing import {', '.join(typing)}\n", bool(typing))]
    standard = "".join([line for line, wanted in imports if wanted])
    gap = "\n" if standard else ""
    words = ", ".join(sorted(used & {"Address", "Memory"}))
    pointer = f"\nfrom jitffi.api.pointers import {words}" if words else ""
    keys = [each.struct for each in content.structs]
    pointer += "\nfrom jitffi.signature.structs import declare" if _pointed_at_early(keys) else ""
    arrays = "\n\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n    from numpy.typing import NDArray"
    return f"{text}{standard}{gap}import jitffi{pointer}{arrays if 'NDArray' in used else ''}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _all(content: Content) -> str:
    names = list(content.named)
    public = sorted({content.names[name] for name in names if not name.rpartition(".")[2].startswith("_")})
    lines, line = [], "   "
    for name in public:
        if len(line) + len(name) + 4 > WIDTH:
            lines.append(line)
            line = "   "
        line += f' "{name}",'
    lines.append(line)
    return "__all__ = [\n" + "\n".join(lines) + "\n]  # fmt: skip" if public else "__all__: list[str] = []"


def _title(title: str) -> str:
    return f"\n# -- {title} {'-' * (WIDTH - 7 - len(title))}"


def _group(group: Group, names: dict[str, str]) -> str:
    lines = [f"# {line}".rstrip() for line in group.comment.split("\n")] if group.comment else []
    for line in group.lines:
        text = f"{names[line.name]}: Final = {line.literal}"
        remark = printable(line.remark)
        lines.append(f"{text}  # {remark}" if remark else text)
    return "\n".join(lines)


def _variable(variable: DeclaredVariable, names: Mapping[str, str]) -> str:
    enum = f", enum={names[variable.enum]}" if variable.enum in names else ""
    text = f"_lib.variable({literal_of(variable.name)}, {literal_of(str(variable.type))}, check=False{enum})"
    return f"{names[variable.name]}: Final = {text}  # {printable(variable.prototype)}"


def _callback(name: str, ty: Type, comment: str, names: Mapping[str, str]) -> str:
    assert ty.signature is not None
    lines = [f"# {line}".rstrip() for line in comment.split("\n")] if comment else []
    text = f"{names[name]} = {callable_type(ty.signature, names)}"
    if len(text) > WIDTH:
        head, _, result = text.rpartition("], ")
        head, _, params = head.partition("Callable[[")
        text = f"{head}Callable[\n    [{params}],\n    {result[:-1]},\n]"
    return "\n".join([*lines, text])


def _left_out(content: Content) -> list[str]:
    parts: list[str] = []
    for kind in ("function", "variable", "struct", "union", "type", "constant"):
        rows = [(each.name, each.reason) for each in content.refused if each.kind == kind]
        parts += _table(f"not bound: {kind}s", rows)
    rows = [(each.name, f"{each.reason}: {each.text}") for each in content.leftovers]
    return parts + _table("not bound: macros", rows)


def _table(title: str, rows: Sequence[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    width = min(max(len(name) for name, _ in rows), _NAME_WIDTH)
    lines = []
    for name, reason in rows:
        line = printable(f"# {name:{width}}  {reason}")
        lines.append(line if len(line) <= WIDTH else line[: WIDTH - 4] + " ...")
    return [_title(title), "\n".join(lines)]
