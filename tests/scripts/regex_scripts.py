"""Functions with regular expressions as they are written, for scripts and for Python."""

from __future__ import annotations

import re
from re import findall, sub
from typing import Any

WORDS = re.compile(r"\w+")
pair = re.compile(r"(\w+)=(\d+)?")
token = re.compile(r"(?P<num>\d+)|(?P<id>[a-z]\w*)|(?P<ws>\s+)|(?P<op>.)", re.DOTALL)
empty = re.compile(r"x*")
NAME = r"(?P<first>\w)(?P<rest>\w*)"
raw = re.compile(rb"(\w+)(;)?")


def total_length(s: Any) -> Any:
    n = 0
    for m in WORDS.finditer(s):
        n += len(m.group())
    return n


def first_pair(s: Any) -> Any:
    m = pair.search(s)
    if m:
        return m.group(1), m.group(2), m.start(), m.end(2), m.span(), m.groups(), m[0], m.string
    return None


def words(s: Any) -> Any:
    return WORDS.findall(s)


def pairs(s: Any) -> Any:
    return [(key, value) for key, value in pair.findall(s)], [each + "." for each in WORDS.findall(s)]


def spaces(s: Any) -> Any:
    return re.sub(r"\s+", " ", s)


def swapped(s: Any) -> Any:
    return sub(r"(\w+)=(\d*)", r"\2:\g<1>\n", s, count=2), pair.sub(r"<\2>", s), empty.sub("-", s)


def pieces(s: Any) -> Any:
    return re.split(r"[,;]\s*", s), re.split(r"([,;])|(=)", s, maxsplit=2), empty.split(s)


def tokens(s: Any) -> Any:
    out = []
    for m in token.finditer(s):
        kind = m.lastgroup
        if kind != "ws":
            out.append((kind, m.group(), m.lastindex))
    return out


def shouted(s: Any) -> Any:
    return WORDS.sub(lambda m: m.group().upper() + "!", s), pair.sub(lambda m: f"{m[1]}{m.start()}", s, 1)


def values(s: Any) -> Any:
    return [m.group(1) for m in pair.finditer(s) if m[2]], {m[1]: m.group(2) or "" for m in pair.finditer(s)}


def lines(s: Any) -> Any:
    found, last = {}, ""
    for line in s.split("\n"):
        m = pair.match(line)
        if m is None:
            continue
        last = m.group(1)
        found[last] = m.group(2)
    return found, last


def classified(s: Any) -> Any:
    if re.match("[a-z]", s):
        return "lower"
    elif m := re.match(NAME, s, re.ASCII | re.I):
        return m.group("first"), m["rest"], m.groupdict()
    return "?"


def scanned(s: Any) -> Any:
    out, position = [], 0
    while (m := token.match(s, position)) is not None:
        out.append(m.group(0))
        position = m.end()
    return out


def either(s: Any) -> Any:
    m = pair.match(s) or WORDS.match(s)
    return m.group(0) if m else ""


def kept(s: Any) -> Any:
    """The last match outlives the text that it is of."""
    m = None
    for line in (s + ",").lower().split(","):
        if WORDS.search(line.strip()):
            m = WORDS.search(line.strip().title())
    return m.group() if m is not None else None


def again(s: Any) -> Any:
    """A search in what the last one has found."""
    m = re.search(r"\w+(=\w*)?", s)
    while m:
        found = m.group()
        m = re.search(r"(?<=.)\w+(=\w*)?", found)
        if not m:
            return found
    return None


def counted(s: Any) -> Any:
    return len(findall("a", s)), bool(re.search("b", s)), WORDS.fullmatch(s) is None, not pair.search(s, 1, 9)


def no_match(s: Any) -> Any:
    m = pair.match(s)
    return m.group(1)


def of_bytes(s: Any) -> Any:
    data = s.encode()
    found = [(m.group(1), m.group(2), m.start()) for m in raw.finditer(data)]
    return found, raw.sub(rb"[\1]", data), raw.split(data), re.findall(rb"\w", data)


FUNCTIONS = [value for name, value in list(globals().items()) if getattr(value, "__module__", "") == __name__]
