"""Values as a trace has them (runtime_c/python/package/trace.h): text to records, and back to steps of a replay.

"L20[w5:15 s3]"     a jitffi.List of 20 items, of which two are shown
n b i I f o~        None, bool, ints, float, something else, left out
s5 u3:9 w3:9 y7     ASCII text, other text, text in UCS4, bytes
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: Lists, tuples and dicts: Python's, and jitffi's.
LISTS, TUPLES, DICTS = "lL", "tT", "dD"
_CONTAINERS = LISTS + TUPLES + DICTS
_NUMBER = r"\d{1,19}"
_TOKEN = re.compile(
    rf"([nbiIf~](?![\w.])|o[\w.]*)|([sy]{_NUMBER})|([uw]{_NUMBER}:{_NUMBER})|([{_CONTAINERS}]{_NUMBER})(\[)?"
)
_NAME = re.compile(r"[\w.]*=")


@dataclass(frozen=True, slots=True)
class Value:
    """A value's kind, its length in characters, bytes or items, and of a container the items that are shown: of a dict
    keys and values in turn."""

    kind: str
    size: int = 0
    #: Of text, in UTF-8.
    bytes: int = 0
    items: tuple[Value, ...] = ()

    @property
    def is_text(self) -> bool:
        return self.kind in "suw"


@dataclass(frozen=True, slots=True)
class Call:
    """What a function was given, keyword arguments among it, and what came of it: `result` is None for an exception."""

    arguments: tuple[Value, ...]
    result: Value | None
    error: str = ""


def parse(body: str) -> Call:
    """Read "s5 n=i > l2[s2 s3]", what a call's line has behind its site. ValueError for anything else.

    >>> parse("n=s5 i > L2[s2 w3:9]").result.items[1]
    Value(kind='w', size=3, bytes=9, items=())
    """
    found = re.search(r"(?:^| )([>!]) (\S.*)$", body)
    if found is None:
        raise ValueError(f"expected arguments and > result, got {body[:80]!r}")
    arguments = tuple([value for _, value in _values(body[: found.start()], True)])
    if found[1] == "!":
        return Call(arguments, None, found[2])
    results = [value for _, value in _values(found[2], False)]
    if len(results) != 1:
        raise ValueError(f"expected one result, got {found[2][:80]!r}")
    return Call(arguments, results[0])


def _values(text: str, named: bool) -> Iterator[tuple[int, Value]]:
    """Yield all values of a text; those of arguments may have names."""
    at = 0
    while at < len(text):
        if named:
            name = _NAME.match(text, at)
            at = at if name is None else name.end()
        at, value = _value(text, at)
        yield at, value
        if at < len(text) and text[at] != " ":
            raise ValueError(f"expected a value, got {text[at : at + 80]!r}")
        at += 1


def _value(text: str, at: int) -> tuple[int, Value]:
    """Return where the value ends that begins there, and the value. The writer bounds how deep they are nested."""
    found = _TOKEN.match(text, at)
    if found is None:
        raise ValueError(f"expected a value, got {text[at : at + 80]!r}")
    plain, sized, encoded, container, bracket = found.groups()
    at = found.end()
    if plain is not None:
        return at, Value(plain[0])
    if sized is not None:
        size = int(sized[1:])
        return at, Value(sized[0], size, size)
    if encoded is not None:
        characters, _, size_ = encoded[1:].partition(":")
        return at, Value(encoded[0], int(characters), int(size_))
    items: list[Value] = []
    while bracket is not None:
        at, item = _value(text, at)
        items.append(item)
        end = text[at : at + 1]
        at += 1
        if end == "]":
            break
        if end != " ":
            raise ValueError(f"expected ']', got {text[at - 1 : at + 79]!r}")
    return at, Value(container[0], int(container[1:]), 0, tuple(items))
