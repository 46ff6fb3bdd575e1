"""Constants, enums, structs and functions with the comments that the header has for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping

from jitffi.bind.read.comments import Comment, Comments, documentation, plain
from jitffi.bind.read.constants import Constant, Defined, Leftover
from jitffi.bind.read.declared import Declared, DeclaredStruct, Enum
from jitffi.bind.write.class_text import EnumClass, Line, StructClass
from jitffi.bind.write.writer import Group

_MAX_LINES = 6  # of a comment that is for several constants, and of the one of a callback's type
_MAX_REMARK = 90
_TITLE = re.compile(r"[A-Z][A-Z0-9_]+: ")


def groups(
    declared: Declared, defined: Defined, comments: Mapping[str, Comments], leaves_out: Callable[[str], bool]
) -> list[Group]:
    """Return the constants as they stand together in the header, those of enums without a name last, without those
    that *leaves_out* says. What would be there twice is one of *defined*'s leftovers."""
    found = []
    members = {name: value for enum in declared.enums for name, value in enum.members}
    kept = [each for each in defined.constants if each.name not in declared.functions and each.name not in members]
    for each in defined.constants:
        is_member = each.name in members and members[each.name] != each.value
        if each.name in declared.functions or is_member:
            owner = "function" if each.name in declared.functions else "member of an enum"
            defined.leftovers.append(Leftover(each.name, each.origin or each.literal, f"named like a {owner}"))
    for run in _runs(kept):
        beside = comments[run[0].file]
        comment = beside.above(run[0].line) or beside.after(run[-1].line)
        found.append(Group(_short(comment), tuple(_line(each, beside) for each in run)))
    for enum in declared.enums:
        if not enum.name:
            text = _short(comments[enum.file].above(enum.line))
            title = f"enum: {text}" if text else "enum"
            found.append(Group(title, _members(enum, comments[enum.file])))
    found = [Group(each.comment, tuple(line for line in each.lines if not leaves_out(line.name))) for each in found]
    return [group for group in found if group.lines]


def _runs(constants: Collection[Constant]) -> Iterator[list[Constant]]:
    """Yield those of neighbouring lines together."""
    run: list[Constant] = []
    for each in constants:
        if run and (each.file != run[-1].file or not 0 < each.line - run[-1].line <= 1):
            yield run
            run = []
        run.append(each)
    if run:
        yield run


def _line(constant: Constant, comments: Comments) -> Line:
    beside = comments.beside.get(constant.line)
    remark = _remark(beside) if beside is not None else ""
    return Line(constant.name, constant.literal, remark or constant.origin)


def enum_classes(
    declared: Declared, comments: Mapping[str, Comments], leaves_out: Callable[[str], bool]
) -> list[EnumClass]:
    """Return the enums that have names."""
    found = []
    for enum in declared.enums:
        if enum.name and not leaves_out(enum.name):
            comment = comments[enum.file].above(enum.line)
            doc = plain(comment.text) if comment is not None else ""
            lines = tuple(line for line in _members(enum, comments[enum.file]) if not leaves_out(line.name))
            found.append(EnumClass(enum.name, enum.c_name, doc, lines))
    return [each for each in found if each.lines]


def struct_classes(
    declared: Declared, comments: Mapping[str, Comments], leaves_out: Callable[[str], bool]
) -> list[StructClass]:
    """Return the structs, with what the header says of them and of their members."""
    docs: dict[str, str] = {}
    for path, of_file in comments.items():
        docs |= documentation(of_file, [(each.struct.key, each.line) for each in declared.structs if each.file == path])
    found = []
    for each in declared.structs:
        beside = comments.get(each.file)
        remarks = {} if beside is None else dict(_remarks(each, beside))
        if not leaves_out(each.struct.key.partition(".")[2]) and not leaves_out(each.struct.c_name):
            found.append(StructClass(each.struct, docs.get(each.struct.key, ""), remarks))
    return found


def _remarks(struct: DeclaredStruct, comments: Comments) -> Iterator[tuple[str, str]]:
    line, end = struct.line, comments.code.end_of(struct.line)
    for member in struct.struct.members or ():
        at = comments.code.line_with(member.name, line) if member.name else 0
        if not line <= at <= end:
            continue
        own = comments.beside.get(at) or (comments.above(at) if at > struct.line else None)
        if own is not None:
            yield str(member.name), _remark(own)


def _members(enum: Enum, comments: Comments) -> tuple[Line, ...]:
    lines = []
    for name, value in enum.members:
        line = comments.code.line_with(name, enum.line)
        own = comments.beside.get(line) or (comments.above(line) if line > enum.line else None)
        lines.append(Line(name, repr(value), _remark(own) if own is not None else ""))
    return tuple(lines)


def _remark(comment: Comment) -> str:
    text = " ".join(plain(comment.text).lstrip("<").split())
    return text if len(text) <= _MAX_REMARK else text[: _MAX_REMARK - 4] + " ..."


def _short(comment: Comment | None) -> str:
    """The first paragraph, if it is short enough to stand above a few lines."""
    if comment is None:
        return ""
    text = plain(comment.text).split("\n\n")[0]
    return text if text.count("\n") < _MAX_LINES else ""


def first_paragraph(text: str) -> str:
    """Return the text up to its first empty line; a title, as `CAPI3REF: Open`, takes the next paragraph along.

    >>> first_paragraph("One\\ntwo.\\n\\nThree."), first_paragraph("TITLE: One\\n\\nTwo.\\n\\nThree.")
    ('One\\ntwo.', 'TITLE: One\\n\\nTwo.')
    """
    paragraphs = re.split(r"\n\s*\n", text)
    is_title = all(_TITLE.match(line) for line in paragraphs[0].split("\n"))
    return "\n\n".join(paragraphs[: 2 if is_title else 1])


def documented(
    declared: Declared, names: Collection[str], comments: Mapping[str, Comments], brief: bool
) -> dict[str, str]:
    """Return the documentation of the functions and callbacks called *names*; *brief* is its first paragraph."""
    found: dict[str, str] = {}
    places: dict[str, list[tuple[str, int]]] = {path: [] for path in comments}
    callbacks: dict[str, list[tuple[str, int]]] = {path: [] for path in comments}
    # What is not bound counts, too: a comment above a variable is not for the function below it.
    for function in declared.functions.values():
        places[function.file].append((function.name, function.line))
    for refused in declared.refused.values():
        places[refused.file].append((refused.name, refused.line))
    for callback in declared.callbacks.values():
        if callback.file in callbacks:
            callbacks[callback.file].append((callback.name, callback.line))
    for path, of_file in comments.items():
        found |= documentation(of_file, places[path], names)
        for name, text in documentation(of_file, callbacks[path]).items():
            found[name] = text if text.count("\n") < _MAX_LINES else first_paragraph(text)
    return {name: first_paragraph(text) if brief else text for name, text in found.items() if name in names}
