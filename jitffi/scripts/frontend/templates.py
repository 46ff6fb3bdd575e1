"""Readers of `"..." % values` and `"...".format(values)`, of literals whose fields have plain values: the rest is
Python's."""

from __future__ import annotations

from jitffi.scripts.frontend.context import Context
from jitffi.scripts.tree.templates import Piece, Template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    Parts = list[str | Piece]

_NUMBERS: Final = {"d": "d", "i": "d", "u": "d", **{each: each for each in "xXoeEfFgG"}}
#: `b` of bytes alone.
_TEXTS: Final = "srab"


def _literal(node: Any) -> str | None:
    value = getattr(node, "value", None) if type(node).__name__ == "Constant" else None
    return value if isinstance(value, str) and not any("\ud800" <= each <= "\udfff" for each in value) else None


# -- % ----------------------------------------------------------------------------------------------------------------


def percent(cx: Context, node: Any) -> Template | None:
    """None for what is left to Python."""
    whole: Any = getattr(node.left, "value", None) if type(node.left).__name__ == "Constant" else None
    text = whole.decode("latin-1") if type(whole) is bytes else _literal(node.left)
    if text is None or len(text) > 1000 or not cx.foreign:
        return None
    right, keys = node.right, None
    kind = type(right).__name__
    if kind == "Dict" and type(whole) is bytes:
        return None
    if kind == "Dict":
        keys = [_literal(each) for each in right.keys]
        values = right.values
        if None in keys or len(set(keys)) < len(keys) or not keys:
            return None
    elif kind == "Tuple":
        values = right.elts
        if any(type(each).__name__ == "Starred" for each in values):
            return None
    else:
        values = [right]
    parts = _percent_parts(text, None if keys is None else [str(each) for each in keys])
    if parts is None or not all(map(_is_of_bytes if type(whole) is bytes else _is_of_text, parts)):
        return None
    if keys is None and [each.index for each in parts if isinstance(each, Piece)] != list(range(len(values))):
        return None
    return Template(cx.place(node), [cx.expr(each) for each in values], parts, whole, kind not in ("Dict", "Tuple"))


def _is_of_bytes(part: str | Piece) -> bool:
    """Whether it is a number, or put in as it is; the rest is Python's."""
    return isinstance(part, str) or bool(part.percent) or (part.conversion in "sb" and not part.spec)


def _is_of_text(part: str | Piece) -> bool:
    return isinstance(part, str) or part.conversion != "b"


def _percent_parts(text: str, keys: list[str] | None) -> Parts | None:
    """The text in parts; *keys*: the names that values have."""
    parts: Parts = []
    literal, rest, count = "", text, 0
    while True:
        before, has_more, rest = rest.partition("%")
        literal += before
        if not has_more:
            return [*parts, literal] if literal else parts
        if rest.startswith("%"):
            literal, rest = literal + "%", rest[1:]
            continue
        found = _conversion(rest, keys, count)
        if found is None:
            return None
        parts += [literal, found[0]] if literal else [found[0]]
        literal, rest, count = "", found[1], count + 1


def _conversion(text: str, keys: list[str] | None, count: int) -> tuple[Piece, str] | None:
    """What begins behind a `%`, and what stands behind it; None for what is left to Python."""
    at, index = 0, count
    if keys is not None:
        name, has_end, _ = text[1:].partition(")")
        if text[:1] != "(" or not has_end or name not in keys:
            return None
        at, index = len(name) + 2, keys.index(name)
    start = at
    flags, at = _span(text, at, "-+ #0")
    width, at = _span(text, at, "0123456789")
    precision = ""
    if text[at : at + 1] == ".":
        precision, at = _span(text, at + 1, "0123456789")
        if not precision:
            return None
        precision = "." + precision
    letter = text[at : at + 1]
    if not letter or len(width) > 4 or len(precision) > 4:
        return None
    rest = text[at + 1 :]
    align = "<" if "-" in flags else ">"
    if letter in _TEXTS:
        return Piece(index, letter, f"{align}{width}{precision}" if width or precision else ""), rest
    if letter not in _NUMBERS or (precision and letter in "diuxXo"):
        return None
    sign = "+" if "+" in flags else " " if " " in flags else ""
    has_zeros = "0" in flags and "-" not in flags and width
    aligned = align if width and not has_zeros else ""
    spec = f"{aligned}{sign}{'#' if '#' in flags else ''}{'0' if has_zeros else ''}{width}{precision}"
    return Piece(index, _NUMBERS[letter], spec + _NUMBERS[letter], "%" + text[start : at + 1]), rest


def _span(text: str, at: int, these: str) -> tuple[str, int]:
    """What there is of these characters from a place on, and the place behind it."""
    end = at
    while end < len(text) and text[end] in these:
        end += 1
    return text[at:end], end


# -- format -----------------------------------------------------------------------------------------------------------


def format_(cx: Context, node: Any) -> Template | None:
    """`"...".format(...)`, where each field is a value by its number or name, with a format that has no fields."""
    text = _literal(node.func.value) if cx.foreign else None
    if text is None or any(type(each).__name__ == "Starred" for each in node.args):
        return None
    if any(each.arg is None for each in node.keywords):
        return None
    count = len(node.args)
    names = {each.arg: count + i for i, each in enumerate(node.keywords)}
    parts = _format_parts(text, count, names)
    if parts is None:
        return None
    values = [*node.args, *[each.value for each in node.keywords]]
    return Template(cx.place(node), [cx.expr(each) for each in values], parts, text)


def _format_parts(text: str, count: int, names: dict[str, int]) -> Parts | None:
    from string import Formatter

    parts: Parts = []
    numbered: set[bool] = set()
    try:
        found = list(Formatter().parse(text))
    except ValueError:
        return None
    automatic = 0
    for literal, field, spec, conversion in found:
        if literal:
            parts.append(literal)
        if field is None:
            continue
        if spec is None or "{" in spec or (conversion or "s") not in "sra":
            return None
        if field == "" or field.isdecimal():
            numbered.add(field == "")
            index = automatic if field == "" else int(field)
            automatic += field == ""
            if index >= count or len(numbered) > 1 or not field.isascii():
                return None
        else:
            at = names.get(field)
            if at is None:
                return None
            index = at
        parts.append(Piece(index, conversion or "", spec))
    return parts
