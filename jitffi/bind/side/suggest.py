"""Side files proposed: what names, const, lengths beside pointers, pairs of functions and comments let one guess.

Every line says why it is there. What C would not pass so is never proposed, so that a proposal can be used as it is;
that each guess is right is for a person to see.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from jitffi.api.retyping import retyped
from jitffi.base.errors import SignatureError
from jitffi.bind.read.declared import Declared, DeclaredFunction
from jitffi.bind.side.owners import Owners, words_of
from jitffi.signature.compound import is_element
from jitffi.signature.model import TYPES, Type

_COUNTS = ("i32", "u32", "i64", "u64")
_LENGTH = re.compile(
    r"(?:\A|_)(?:n|len|length|size|count|nbytes?|bytes|num|capacity)\d*\Z"
    r"|[a-z](?:Len|Length|Size|Count|Bytes?|Capacity)\Z"
)
_COUNTED = re.compile(r"n|size|len|count", re.I)
_PARAM_OUT = re.compile(r"[@\\]param\s*\[\s*(out|in\s*,\s*out|inout)\s*\]\s*(\w+)")
#: Words in names of functions that keep a callback they are given: what sets it, and what makes something with it.
_SETTERS = {"set", "add", "register", "install", "subscribe", "attach", "handler", "hook", "signal", "trace"} | {
    "create", "new", "init"
}  # fmt: skip
_WAITERS = {"wait", "sleep", "poll", "join"}


class Guess(NamedTuple):
    """One line of a side file. *key* is below the function's: "types.dest", "errno"."""

    key: str
    value: str | bool
    why: str


def guesses(declared: Declared, documents: Mapping[str, str]) -> dict[str, list[Guess]]:
    """Return what can be guessed of each of the functions; *documents* are the header's comments for them."""
    functions = declared.functions
    owners = Owners(functions, documents)
    found = {}
    for name, function in functions.items():
        made = list(_usable(function, list(_types(function, documents.get(name, ""), owners)), declared.scope))
        made += _options(function, documents.get(name, ""))
        if made:
            found[name] = made
    return found


def side_text(header: str, found: Mapping[str, list[Guess]]) -> str:
    """Return the side file.

    >>> print(side_text("own.h", {"f": [Guess("types.x", "f64[n]", "n is its length"), Guess("errno", True, "?")]}))
    # Guesses at what own.h does not say, for `jitffi bind`: keep what is right, remove the rest.
    <BLANKLINE>
    [functions.f]
    types.x = "f64[n]"  # guess: n is its length
    errno = true  # guess: ?
    <BLANKLINE>
    """
    parts = [f"# Guesses at what {header} does not say, for `jitffi bind`: keep what is right, remove the rest.\n"]
    for name, lines in found.items():
        parts.append(f"[functions.{name if re.fullmatch(r'[A-Za-z0-9_-]+', name) else json.dumps(name)}]")
        for key, value, why in lines:
            shown = json.dumps(value, ensure_ascii=False)
            parts.append(f"{key} = {shown}  # guess: {' '.join(why.split())}")
        parts.append("")
    return "\n".join(parts)


def _usable(function: DeclaredFunction, found: list[Guess], scope: Mapping[str, Type]) -> Iterator[Guess]:
    """The guesses that C can pass, alone or after those before them."""
    kept: dict[str, str] = {}
    for guess in found:
        name = guess.key.removeprefix("types.")
        if name in kept:
            continue
        try:
            retyped(function.name, function.sig, {**kept, name: str(guess.value)}, scope)
        except (SignatureError, TypeError, ValueError, OverflowError):
            continue
        kept[name] = str(guess.value)
        yield guess


def _types(function: DeclaredFunction, doc: str, owners: Owners) -> Iterator[Guess]:
    sig = function.sig
    if all(p.name is not None for p in sig.params):
        yield from _lengths(function)
        yield from _said(function, doc)
        for param in sig.params:
            place = _pointee(param.type)
            if place is not None and not place[1] and _is_handle(place[0]):
                yield from _guess(f"types.{param.name}", owners.out(function, place[0]))
    yield from _guess("types.return", owners.result(function))


def _is_handle(type_: Type) -> bool:
    found = _pointee(type_)
    return found is not None and found[0].name == "struct" and not found[1]


def _guess(key: str, found: tuple[str, str] | None) -> Iterator[Guess]:
    if found is not None:
        yield Guess(key, *found)


def _pointee(type_: Type) -> tuple[Type, bool] | None:
    """What a pointer leads to, and whether that is const."""
    inner = type_.inner if type_.is_optional else type_
    return (inner.args[0], inner.args[1]) if inner.name == "ptr" and inner.args else None


def _lengths(function: DeclaredFunction) -> Iterator[Guess]:
    """Arrays whose length is another parameter."""
    params = function.sig.params
    taken: set[int] = set()
    for i, param in enumerate(params):
        found = _item(param.type)
        if found is None or i in taken:
            continue
        elem, is_const, maybe = found
        at = _length_of(function, i)
        if at is None:
            continue
        array, length = f"{'const ' * is_const}{elem}", params[at]
        if length.type.name in _COUNTS:
            text = f"{array}[{length.name}]"
            yield Guess(f"types.{param.name}", f"optional[{text}]" if maybe else text, f"{length.name} is its length")
        elif not is_const:
            inner = _pointee(length.type)
            assert inner is not None
            taken.add(at)
            yield Guess(f"types.{param.name}", f"{array}[*]", f"{length.name} is its length")
            yield Guess(f"types.{length.name}", f"inout[{inner[0]}]", f"room in {param.name}, then how much was used")


def _item(type_: Type) -> tuple[str, bool, bool] | None:
    """What an array would be of: the element, whether it is const, and whether NULL may be there."""
    if type_.name == "ptr" and not type_.args:
        return "u8", False, True
    found = _pointee(type_)
    if found is None:
        return None
    elem, is_const = found
    if elem.name == "void":
        return "u8", True, True
    return (elem.text, is_const, type_.is_optional) if is_element(elem) and elem.name != "cstr" else None


def _length_of(function: DeclaredFunction, at: int) -> int | None:
    """The parameter that is the length of the one at *at*."""
    params = function.sig.params
    own = str(params[at].name).lower().strip("_")
    for j, other in enumerate(params):
        if j != at and _is_count(other.type):
            name = str(other.name).lower().replace("_", "")
            stems = {own.replace("_", ""), own.replace("_", "").removeprefix("p")} - {""}
            for stem in stems:
                rest = name.removeprefix(stem) if name.startswith(stem) else name.removesuffix(stem)
                if rest != name and rest in ("len", "length", "size", "count", "n", "num", "capacity", "bytes"):
                    return j
    after = at + 1
    same = _item(params[at].type)
    while after < len(params) and same is not None and _item(params[after].type) in (same, (same[0], True, same[2])):
        after += 1
    if after < len(params) and params[after].type.name in _COUNTS and _LENGTH.search(str(params[after].name)):
        following = params[after + 1] if after + 1 < len(params) else None
        # Of an element's size and the number of them, neither is the length.
        if following is None or following.type.name not in _COUNTS or not _COUNTED.match(str(following.name)):
            return after
    return None


def _is_count(type_: Type) -> bool:
    found = _pointee(type_)
    return type_.name in _COUNTS or (found is not None and found[0].name in _COUNTS and not found[1])


def _said(function: DeclaredFunction, doc: str) -> Iterator[Guess]:
    """What comments in the manner of doxygen say of directions."""
    types = {p.name: p.type for p in function.sig.params}
    for found in _PARAM_OUT.finditer(doc):
        place = _pointee(types.get(found[2], TYPES["void"]))
        if place is not None and is_element(place[0]) and not place[1]:
            way = "out" if found[1] == "out" else "inout"
            yield Guess(f"types.{found[2]}", f"{way}[{place[0]}]", f"its comment says [{found[1]}]")


def _options(function: DeclaredFunction, doc: str) -> Iterator[Guess]:
    sig = function.sig
    words = words_of(function.name)
    takes_callbacks = any(p.type.is_optional and p.type.inner.signature is not None for p in sig.params)
    gives = sig.result.inner if sig.result.is_optional else sig.result
    if re.search(r"\berrno\b", doc) and (gives.name in ("i32", "i64", "ptr")):
        yield Guess("errno", True, "its comment speaks of errno")
    if takes_callbacks and words & _SETTERS:
        yield Guess("keep_callbacks", True, "it seems to set what is called later")
    if not takes_callbacks and words & _WAITERS:
        yield Guess("nogil", True, "it seems to wait")
