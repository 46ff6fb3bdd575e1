"""Who frees what: pairs of functions that make and free things of one kind, by their types, names and comments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import takewhile

from jitffi.bind.read.declared import DeclaredFunction
from jitffi.signature.model import Type, optional

#: What the names of functions that free have in them; the earlier ones before the later.
_FREES = ("free", "destroy", "close", "delete", "release", "dispose", "cleanup", "finalize", "unref", "end")
_MAKES = frozenset((
    "new", "create", "open", "alloc", "dup", "copy", "clone", "parse", "load", "init", "make", "connect", "build",
    "lookup", "prepare", "read",
))  # fmt: skip
_FREED_BY = re.compile(
    r"\bfree(?:d|ing)?\b[^.]{0,60}?\b(?:with|by|using|via|through|calling|to)\s+[\[@`:]*([A-Za-z_]\w*)", re.I
)
_FREED = re.compile(
    r"\b(?:must|should|has to|have to|needs? to)\s+(?:be\s+)?free|\bcaller[^.]{0,40}\bfree|\bfree it\b", re.I
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def words_of(name: str) -> set[str]:
    """The words of a name, small.

    >>> sorted(words_of("XML_ParserCreateNS")), sorted(words_of("git_repo_open2"))
    (['create', 'ns', 'parser', 'xml'], ['2', 'git', 'open', 'repo'])
    """
    return {word.lower() for word in _WORD.findall(name)}


class Owners:
    """The functions of a header that free, by what they take."""

    def __init__(self, functions: Mapping[str, DeclaredFunction], documents: Mapping[str, str]) -> None:
        self.functions = functions
        self.documents = documents
        self.free: dict[Type, list[str]] = {}
        for name, function in functions.items():
            if len(function.sig.params) == 1 and words_of(name) & {*_FREES}:
                self.free.setdefault(_bare(function.sig.params[0].type), []).append(name)

    def out(self, function: DeclaredFunction, pointer: Type) -> tuple[str, str] | None:
        """The type of a place that the function puts a pointer into, and why; None where it seems to do otherwise."""
        words = words_of(function.name)
        if words & {*_FREES} or not words & _MAKES:
            return None
        free = self._of(function.name, pointer)
        if free is None:
            return f"out[{optional(pointer)}]", "the place of a handle, which the call makes"
        return f"out[{optional(Type('owned', (pointer, free)))}]", f"the place of a handle, which {free} frees"

    def result(self, function: DeclaredFunction) -> tuple[str, str] | None:
        """The type of the result that is Python's to free, and why."""
        result = function.sig.result
        pointer = _bare(result)
        if pointer.name != "ptr" or not pointer.args or pointer.args[1]:
            return None
        doc = self.documents.get(function.name, "")
        said = _FREED_BY.search(doc)
        target = pointer.args[0]
        if said and self._frees(said[1], pointer):
            owned = Type("cstr") if target.name in ("i8", "u8") and "char" in function.prototype else pointer
            return str(optional(Type("owned", (owned, said[1])))), f"its comment says that {said[1]} frees it"
        if target.name != "struct" or not (words_of(function.name) & _MAKES or _FREED.search(doc)):
            return None
        free = self._of(function.name, pointer)
        return None if free is None else (str(optional(Type("owned", (pointer, free)))), f"{free} frees such ones")

    def _frees(self, name: str, pointer: Type) -> bool:
        return any(name in self.free.get(type_, ()) for type_ in (pointer, Type("ptr")))

    def _of(self, maker: str, pointer: Type) -> str | None:
        """The function that frees what *maker* makes: the one whose name is most like it."""

        def likeness(name: str) -> tuple[int, int, int]:
            rank = min(_FREES.index(word) for word in words_of(name) & {*_FREES})
            same = takewhile(lambda pair: pair[0] == pair[1], zip(name, maker, strict=False))
            return len(list(same)), -rank, -len(name)

        return max(self.free.get(pointer, ()), key=likeness, default=None)


def _bare(type_: Type) -> Type:
    return type_.inner if type_.is_optional else type_
