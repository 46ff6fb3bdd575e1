"""Patterns compiled to functions of their own, without scripts around them, with the methods of `re`'s patterns."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator

from jitffi.adapters.unit import Unit, assemble
from jitffi.link import loaded
from jitffi.llvm import object_files
from jitffi.llvm.target import HOST
from jitffi.scripts.regex import function
from jitffi.scripts.regex.nodes import BYTES, NARROW, WIDE
from jitffi.scripts.regex.read import Pattern

#: What a match is compared by: its groups' spans, and the number of the last group.
Spans = tuple[tuple[tuple[int, int], ...], "int | None"]
MODES = ("search", "match", "fullmatch")


class Native:
    """A compiled pattern. NotNativeError."""

    def __init__(self, text: str | bytes, flags: int = 0, modes: tuple[str, ...] = MODES) -> None:
        self.pattern = Pattern(text, flags)
        self.groups = self.pattern.groups
        unit = Unit(HOST.abi)
        kept = frozenset(range(1, self.groups + 1))
        for alphabet in (BYTES,) if isinstance(text, bytes) else (NARROW, WIDE):
            for mode, advances in [(mode, False) for mode in modes] + [("search", True)] * (modes == MODES):
                use = function.Use(mode, advances, kept, True)
                function.define(unit, HOST.abi, f"{alphabet.name}.{mode}.{advances}", self.pattern, alphabet, use)
        unit.functions = [each.replace("define internal i64", "define i64") for each in unit.functions]
        image = loaded.flatten(object_files.compile_text(assemble(unit, HOST), HOST, 0, "o"))
        self._functions = loaded.load(image, lambda name: None).functions

    def find(
        self, mode: str, text: str | bytes, start: int = 0, end: int | None = None, advances: bool = False,
        wide: bool = False,
    ) -> Spans | None:  # fmt: skip
        if isinstance(text, bytes):
            name, raw = "bytes", text
        elif text.isascii() and not wide:
            name, raw = "ascii", text.encode()
        else:
            name, raw = "wide", text.encode("utf-32-le", "surrogatepass")
        # At the end of its memory, with something else behind it.
        data = ctypes.create_string_buffer(raw + b"aaaa", len(raw) + 4)
        size = len(text) if end is None else min(max(end, 0), len(text))
        groups = (ctypes.c_int64 * (2 * self.groups + 3))(*[77] * (2 * self.groups + 3))
        address = self._functions[f"{name}.{mode}.{advances}"]
        call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
        found = call(address)(ctypes.addressof(data), size, max(0, start), ctypes.addressof(groups))
        assert found in (0, 1), found
        if not found:
            return None
        spans = tuple((groups[2 * i], groups[2 * i + 1]) for i in range(self.groups + 1))
        return tuple((-1, -1) if span[1] < 0 else span for span in spans), groups[2 * self.groups + 2] or None

    def finditer(self, text: str | bytes, wide: bool = False) -> Iterator[Spans]:
        at, advances = 0, False
        while (found := self.find("search", text, at, None, advances, wide)) is not None:
            yield found
            start, at = found[0][0]
            advances = start == at


def spans(found: re.Match | None) -> Spans | None:
    """The same of a match of `re`."""
    if found is None:
        return None
    return tuple(found.span(i) for i in range(found.re.groups + 1)), found.lastindex
