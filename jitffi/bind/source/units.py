"""Preprocessed text taken apart: external declarations and definitions of macros, each with the place it came from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from jitffi.bind.source.macros import Macro, MacroError, parse_define
from jitffi.bind.source.tokens import NAME
from jitffi.signature.cattributes import PRAGMA, Packing

_MARK = re.compile(r'#\s*(?:line\s+)?(\d+)\s+"((?:[^"\\]|\\.)*)"([\d ]*)')
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])*'" + rf"|{NAME}|\d\w*|[^\s\w]")


@dataclass(frozen=True)
class Unit:
    """One external declaration, up to its semicolon; of a function that is defined, all before the body. *pack* is what
    `#pragma pack` says there, 0 for nothing."""

    text: str
    file: str
    line: int
    has_body: bool = False
    pack: int = 0


@dataclass(frozen=True)
class LeftOut:
    """A declaration that C has no words for. *kind* is "function", "variable" or "struct"."""

    name: str
    reason: str
    kind: str
    unit: Unit


@dataclass
class Sheet:
    """What a preprocessed text holds."""

    units: list[Unit] = field(default_factory=list)
    macros: dict[str, Macro] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)  # in the order of their first lines
    system: set[str] = field(default_factory=set)  # those of them that the compiler counts as the system's
    packing: Packing = field(default_factory=Packing)  # as it is where the text has been read to
    packings: list[tuple[str, int, int]] = field(default_factory=list)  # file, line and what `#pragma pack` says there
    left_out: list[LeftOut] = field(default_factory=list)


def read(text: str) -> Sheet:
    """Take apart what `cc -E -dD` wrote.

    >>> sheet = read('# 7 "a.h"\\n#define N 4\\nint f(int);\\nstatic int g(void) {\\n return 1; } long h(void);')
    >>> [(unit.text, unit.line, unit.has_body) for unit in sheet.units]
    [('int f(int);', 8, False), ('static int g(void)', 9, True), ('long h(void);', 10, False)]
    >>> sheet.macros["N"].text, sheet.macros["N"].line
    ('4', 7)
    """
    sheet = Sheet()
    cutter = _Cutter(sheet)
    file, number = "", 1
    for line in text.split("\n"):
        if line.lstrip().startswith("#"):
            mark = _MARK.match(line)
            if mark:
                file, number = mark[2].replace('\\"', '"').replace("\\\\", "\\"), int(mark[1])
                sheet.files[file] = None
                if "3" in mark[3].split():
                    sheet.system.add(file)
                continue
            _directive(line, file, number, sheet)
        else:
            cutter.line(line, file, number)
        number += 1
    cutter.end()
    return sheet


def _directive(line: str, file: str, number: int, sheet: Sheet) -> None:
    word, _, rest = line.lstrip("# \t").partition(" ")
    pragma = PRAGMA.match(line)
    if pragma:
        sheet.packing.after(pragma[1])
        sheet.packings.append((file, number, sheet.packing.now))
    elif word == "undef":
        sheet.macros.pop(rest.strip(), None)
    elif word == "define":
        try:
            macro = parse_define(rest, file, number)
        except MacroError:
            return  # the compiler has taken it, so it is nothing that headers use
        sheet.macros.pop(macro.name, None)  # so that a new definition stands where it was made
        sheet.macros[macro.name] = macro


class _Cutter:
    """Collects the pieces of one declaration until it ends."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.start()

    def start(self) -> None:
        self.pieces: list[str] = []
        self.open: list[str] = []  # the brackets that are
        self.braces = 0  # of them
        self.last = ""
        self.in_body = False
        self.place = ("", 0)
        self.pack = 0

    def line(self, line: str, file: str, number: int) -> None:
        begin = 0  # of what belongs to the declaration that is open
        for found in _TOKEN.finditer(line):
            token = found.group()
            if not self.last:
                self.place = (file, number)
                self.pack = self.sheet.packing.now
                begin = found.start()
            if token == "{" and not self.open and self.last in (")", ""):
                self.pieces.append(line[begin : found.start()])
                self.in_body = True
            if token in "([{":
                self.open.append(token)
                self.braces += token == "{"
            elif token in ")]}" and self.open:
                self.braces -= self.open.pop() == "{"
            self.last = token
            if self.ends(token):
                if not self.in_body:
                    self.pieces.append(line[begin : found.end()])
                self.finish()
                begin = found.end()
        if self.last and not self.in_body:
            self.pieces.append(line[begin:])

    def ends(self, token: str) -> bool:
        """Whether the declaration does: also where a bracket of it was never closed, so that the next is not lost."""
        if token == ";":
            return not self.braces
        return token == "}" and self.in_body and not self.open

    def finish(self) -> None:
        text = " ".join(" ".join(self.pieces).split())
        if text not in ("", ";"):
            self.sheet.units.append(Unit(text, *self.place, self.in_body, self.pack))
        self.start()

    def end(self) -> None:
        if self.last:
            self.finish()
