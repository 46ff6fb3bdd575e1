"""The text of a module: constants, types of callbacks, functions as typed declarations, and what was left out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from jitffi.bind.comments import printable
from jitffi.bind.constants import Leftover, literal_of
from jitffi.bind.declarations import Refused
from jitffi.bind.function_text import WIDTH, Written, declaration, escaped, head_of
from jitffi.bind.pytypes import callable_type, used_names
from jitffi.signature.model import Type

_NAME_WIDTH = 32  # of the tables; longer names push their reason to the right
#: Beside the module, wherever that is.
_BESIDE = "os.path.join(os.path.dirname(os.path.abspath(__file__)), {})"


@dataclass(frozen=True)
class Line:
    """One constant of a group."""

    name: str
    literal: str
    remark: str


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
    groups: list[Group]
    callbacks: list[tuple[str, Type, str]]  # name, type, comment
    functions: list[Written]
    aliases: dict[str, str]
    refused: list[Refused]
    leftovers: list[Leftover]
    names: dict[str, str]  # Python's, by those of C

    @property
    def is_beside(self) -> bool:
        return "/" in self.place and not os.path.isabs(self.place)


def module_text(content: Content) -> str:
    """Return the module."""
    functions = [f"\n{declaration(each, content.names)}" for each in content.functions]
    heads = [head_of(each.declared, content.names) for each in content.functions]
    callbacks = [_callback(content.names[name], ty, comment) for name, ty, comment in content.callbacks]
    used = used_names([*callbacks, *heads])
    constants = [_group(each, content.names) for each in content.groups]
    parts = [_head(content, used, bool(constants))]
    path = literal_of(content.place)
    parts.append(f"_lib = jitffi.load_library({_BESIDE.format(path) if content.is_beside else path})")
    if constants:
        parts += [_title("constants"), "\n\n".join(constants)]
    if callbacks:
        parts += [_title("callbacks"), "\n\n".join(callbacks)]
    if functions:
        parts += [_title("functions"), *functions]
    if content.aliases:
        lines = [f"{content.names[name]} = {content.names[other]}" for name, other in content.aliases.items()]
        parts += [_title("other names"), "\n".join(lines)]
    parts += [_title("names"), _all(content)]
    parts += _left_out(content)
    return "\n\n".join(parts).replace("\n\n\n\n", "\n\n\n") + "\n"


def _head(content: Content, used: set[str], has_constants: bool) -> str:
    count = f"{_count(len(content.functions), 'function')}"
    counted = sum(len(group.lines) for group in content.groups)
    count += f", {_count(counted, 'constant')}" if counted else ""
    left = "; what is not bound, and why, stands at the end" if content.refused or content.leftovers else ""
    about = f"{content.header} for Python: {count} of {content.place}{left}.\n\nMade by `{content.command}`.\n"
    text = f'"""{escaped(about)}"""\n'
    text += '\n# mypy: disable-error-code="empty-body"\n\nfrom __future__ import annotations\n\n'
    imports = [("import os\n", content.is_beside), ("from collections.abc import Callable\n", "Callable" in used)]
    typing = sorted([*["Any"] * ("Any" in used), *["Final"] * has_constants])
    imports += [(f"from typing import {', '.join(typing)}\n", bool(typing))]
    standard = "".join([line for line, wanted in imports if wanted])
    gap = "\n" if standard else ""
    words = ", ".join(sorted(used & {"Address", "Memory"}))
    pointer = f"\nfrom jitffi.api.pointers import {words}" if words else ""
    arrays = "\n\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n    from numpy.typing import NDArray"
    return f"{text}{standard}{gap}import jitffi{pointer}{arrays if 'NDArray' in used else ''}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _all(content: Content) -> str:
    names = [line.name for group in content.groups for line in group.lines]
    names += [name for name, _, _ in content.callbacks]
    names += [function.declared.name for function in content.functions] + list(content.aliases)
    public = sorted({content.names[name] for name in names if not name.startswith("_")})
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


def _callback(name: str, ty: Type, comment: str) -> str:
    assert ty.signature is not None
    lines = [f"# {line}".rstrip() for line in comment.split("\n")] if comment else []
    text = f"{name} = {callable_type(ty.signature)}"
    if len(text) > WIDTH:
        head, _, result = text.rpartition("], ")
        head, _, params = head.partition("Callable[[")
        text = f"{head}Callable[\n    [{params}],\n    {result[:-1]},\n]"
    return "\n".join([*lines, text])


def _left_out(content: Content) -> list[str]:
    parts: list[str] = []
    kinds = (("function", "functions"), ("variable", "variables"), ("type", "types"), ("constant", "constants"))
    for kind, title in kinds:
        rows = [(each.name, each.reason) for each in content.refused if each.kind == kind]
        parts += _table(f"not bound: {title}", rows)
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
