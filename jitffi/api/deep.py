"""JSON that is nested deeper than calls go: what the json module writes and reads, without a stack of its own."""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


def dumps(value: Any, indent: int | None) -> str:
    """As json.dumps of lists, dicts with keys of str, and what has no items."""
    out: list[str] = []
    open_now: list[tuple[bool, Iterator[Any]]] = []  # whether it is a dict, and what is to come of it

    def break_line() -> None:
        if indent is not None:
            out.append("\n" + " " * (indent * len(open_now)))

    def begin(item: Any) -> None:
        if not isinstance(item, (list, dict)) or not item:
            out.append(json.dumps(item, ensure_ascii=False, allow_nan=False))
            return
        out.append("{" if isinstance(item, dict) else "[")
        open_now.append((isinstance(item, dict), iter(item.items() if isinstance(item, dict) else item)))

    begin(value)
    is_first = True
    while open_now:
        depth = len(open_now)
        is_dict, rest = open_now[-1]
        try:
            part = next(rest)
        except StopIteration:
            open_now.pop()
            break_line()
            out.append("}" if is_dict else "]")
            is_first = False
            continue
        if not is_first:
            out.append("," if indent is not None else ", ")
        break_line()
        if is_dict:
            out.append(json.dumps(part[0], ensure_ascii=False) + ": ")
            part = part[1]
        begin(part)
        is_first = len(open_now) > depth
    return "".join(out)


_SPACE = re.compile(r"[ \t\n\r]*")


class _Open:
    """An array or object that is not closed yet."""

    def __init__(self, is_object: bool) -> None:
        self.is_object = is_object
        self.items: list[Any] = []
        self.key = ""


def loads(text: str | bytes | bytearray, make_map: Callable[[Any], Any], make_list: Callable[[Any], Any]) -> Any:
    """As json.loads; *make_map* is given the pairs of an object, *make_list* the items of an array."""
    if not isinstance(text, str):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    decoder = json.JSONDecoder()
    within: list[_Open] = []
    at = _skip(text, 0)
    while True:
        start = text[at : at + 1]
        if start in ("[", "{"):
            within.append(_Open(start == "{"))
            at = _skip(text, at + 1)
            if text[at : at + 1] != ("}" if start == "{" else "]"):
                at = _key(text, at, within[-1], decoder)
                continue
            value, at = _close(within, make_map, make_list), at + 1
        else:
            value, at = decoder.raw_decode(text, at)  # no container: it does not go deeper
        while True:
            at = _skip(text, at)
            if not within:
                if at < len(text):
                    raise json.JSONDecodeError("Extra data", text, at)
                return value
            inner = within[-1]
            inner.items.append((inner.key, value) if inner.is_object else value)
            if text[at : at + 1] == ",":
                at = _key(text, _skip(text, at + 1), inner, decoder)
                break
            if text[at : at + 1] != ("}" if inner.is_object else "]"):
                raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
            value, at = _close(within, make_map, make_list), at + 1


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _close(within: list[_Open], make_map: Callable[[Any], Any], make_list: Callable[[Any], Any]) -> Any:
    closed = within.pop()
    return (make_map if closed.is_object else make_list)(closed.items)


def _key(text: str, at: int, inner: _Open, decoder: json.JSONDecoder) -> int:
    """Read what stands before an object's next value. Where the value begins."""
    if not inner.is_object:
        return at
    if text[at : at + 1] != '"':
        raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
    inner.key, at = decoder.raw_decode(text, at)
    at = _skip(text, at)
    if text[at : at + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
    return _skip(text, at + 1)
