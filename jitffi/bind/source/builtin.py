"""The preprocessor for machines that have none: conditions, inclusion and macros, as far as headers need them.

It writes what `cc -E -dD` writes. It knows the macros that tell the platform and none of a compiler's, so that headers
take their plainest form; a header that is nowhere is left out and named.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator, Sequence

from jitffi.bind.source.errors import HeaderError, HeaderNotFound
from jitffi.bind.source.expression import integer
from jitffi.bind.source.literals import Int, NotConstant
from jitffi.bind.source.macros import Macro, MacroError, expand, parse_define
from jitffi.bind.source.tokens import is_name, tokens, without_comments

_MACHINE = platform.machine()
_MULTIARCH = getattr(sys.implementation, "_multiarch", "")
STANDARD_DIRS = ("/usr/local/include", *([f"/usr/include/{_MULTIARCH}"] if _MULTIARCH else []), "/usr/include")
_PREDEFINED = (
    "__STDC__ 1", "__STDC_HOSTED__ 1", "__STDC_VERSION__ 201112L", f"__{_MACHINE}__ 1", "__LP64__ 1", "_LP64 1",
    "__CHAR_BIT__ 8", "__SIZEOF_POINTER__ 8", "__SIZEOF_LONG__ 8",
    *(["__linux__ 1", "__unix__ 1"] if sys.platform == "linux" else []),
)  # fmt: skip
_MAX_INCLUDED = 100
_DIRECTIVE = re.compile(r"\s*#\s*(\w*)(.*)", re.S)


def preprocess(headers: Sequence[str], include_dirs: Sequence[str], defines: Sequence[str]) -> tuple[str, list[str]]:
    """Return the preprocessed text and the headers that were not found. HeaderNotFound for one of *headers*, which are
    files, or what `#include <...>` finds."""
    run = _Run(include_dirs)
    run.mark(0, "<built-in>")
    for text in (*_PREDEFINED, *[each.replace("=", " ", 1) if "=" in each else f"{each} 1" for each in defines]):
        run.define(text, 0)
    for header in headers:
        path = header if os.path.isfile(header) else run.find(header, None)
        if path is None:
            raise HeaderNotFound(f"{header}: no such header; -I DIR adds a directory to look in")
        run.file(path)
    return "\n".join(run.out) + "\n", sorted(run.missing)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, comments blanked, those that a backslash continues as one."""
    start, whole = 1, ""
    for number, line in enumerate(without_comments(text).split("\n"), 1):
        whole += line
        if line.endswith("\\"):
            whole = whole[:-1] + " "
            continue
        yield start, whole
        start, whole = number + 1, ""
    if whole:
        yield start, whole


class _Run:
    """One run: the macros so far, the text so far, and where it is."""

    def __init__(self, include_dirs: Sequence[str]) -> None:
        self.dirs = [*include_dirs, *STANDARD_DIRS]
        self.given = frozenset(map(os.path.abspath, include_dirs))
        self.macros: dict[str, Macro] = {}
        self.out: list[str] = []
        self.missing: set[str] = set()
        self.once: set[str] = set()
        self.path = ""
        self.depth = 0

    def mark(self, line: int, path: str) -> None:
        folder = os.path.dirname(path)
        system = any(folder.startswith(each) for each in STANDARD_DIRS) and folder not in self.given
        self.out.append(f'# {line} "{path}"{" 3" if system else ""}')

    def find(self, name: str, beside: str | None) -> str | None:
        for folder in ([beside] if beside is not None else []) + self.dirs:
            path = os.path.abspath(os.path.join(folder, name))
            if os.path.isfile(path):
                return path
        return None

    def define(self, text: str, line: int) -> None:
        try:
            macro = parse_define(text, self.path, line)
        except MacroError as error:
            raise HeaderError(f"{os.path.basename(self.path)}:{line}: {error}") from None
        self.macros[macro.name] = macro
        self.out.append(f"#define {macro} {macro.text}")

    def file(self, path: str) -> None:
        if path in self.once:
            return
        self.depth += 1
        if self.depth > _MAX_INCLUDED:
            raise HeaderError(f"{os.path.basename(path)}: headers include one another without end")
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as opened:
                text = opened.read()
        except OSError as error:
            raise HeaderError(f"{os.path.basename(path)}: {error.strerror}") from None
        before, self.path = self.path, path
        self.mark(1, path)
        self.body(text)
        self.path = before
        self.depth -= 1

    def body(self, text: str) -> None:
        # Of each condition that is open: whether its lines count now, whether one of its branches did, whether all
        # around it counts.
        open_ones: list[list[bool]] = []
        held, held_at = "", 0  # text whose parentheses are open: a macro's arguments may go over lines
        for number, line in _lines(text):
            found = _DIRECTIVE.match(line)
            counts = not open_ones or (open_ones[-1][0] and open_ones[-1][2])
            if not found:
                if counts and line.strip():
                    held, held_at = (f"{held} {line}", held_at) if held else (line, number)
                    if held.count("(") <= held.count(")"):
                        self.text(held, held_at)
                        held = ""
                continue
            if held and counts and found[1] == "include":
                self.text(held, held_at)
                held = ""
            if not self.condition(found[1], found[2], open_ones, counts, number) and counts:
                self.directive(found[1], found[2], number)
        if held:
            self.text(held, held_at)

    def text(self, text: str, line: int) -> None:
        try:
            words = expand(tokens(text), self.macros)
        except (MacroError, RecursionError) as error:
            raise HeaderError(f"{os.path.basename(self.path)}:{line}: {error}") from None
        self.mark(line, self.path)
        self.out.append(" ".join(words))

    def condition(self, name: str, rest: str, open_ones: list[list[bool]], counts: bool, line: int) -> bool:
        """Handle what opens, turns or closes a condition. False for any other directive."""
        if name in ("if", "ifdef", "ifndef"):
            holds = counts and self.holds(name, rest)
            open_ones.append([holds, holds, counts])
        elif name in ("elif", "else", "endif"):
            if not open_ones:
                raise HeaderError(f"{os.path.basename(self.path)}:{line}: #{name} without #if")
            if name == "endif":
                open_ones.pop()
                return True
            state = open_ones[-1]
            state[0] = state[2] and not state[1] and (name == "else" or self.holds("if", rest))
            state[1] = state[1] or state[0]
        else:
            return False
        return True

    def holds(self, name: str, rest: str) -> bool:
        words = tokens(rest)
        if name != "if":
            return (words[:1] != [] and words[0] in self.macros) == (name == "ifdef")
        try:
            return self.value(words) != 0
        except (MacroError, NotConstant):
            return False  # what only a compiler can evaluate asks for something that only a compiler has

    def value(self, words: list[str]) -> int:
        known: list[str] = []
        i = 0
        while i < len(words):
            if words[i] == "defined" and i + 1 < len(words):
                i += 2 if words[i + 1] == "(" else 1
                known.append(str(int(i < len(words) and words[i] in self.macros)))
                i += 1 if words[i - 1] == "(" else 0
            elif words[i].startswith("__has_") and words[i + 1 : i + 2] == ["("]:
                i = words.index(")", i) if ")" in words[i:] else len(words)
                known.append("0")
            else:
                known.append(words[i])
            i += 1
        expanded = expand(known, self.macros)
        plain = ["0" if is_name(word) else word for word in expanded]
        # What is no macro is 0, with or without arguments.
        text = re.sub(r"\b0 \( [^()]* \)", "0", " ".join(plain))
        return integer(text.split(" "), lambda _: Int(0, 64)).value

    def directive(self, name: str, rest: str, line: int) -> None:
        if name == "define":
            self.mark(line, self.path)
            self.define(rest, line)
        elif name == "undef":
            self.macros.pop(rest.strip(), None)
            self.out.append(f"#undef {rest.strip()}")
        elif name in ("include", "include_next", "import"):
            self.include(rest, line)
        elif name == "pragma" and rest.split() == ["once"]:
            self.once.add(self.path)
        elif name == "pragma":
            self.out.append(f"#pragma {rest.strip()}")
        elif name == "error":
            raise HeaderError(f"{os.path.basename(self.path)}:{line}: #error {' '.join(rest.split())}")

    def include(self, rest: str, line: int) -> None:
        text = rest.strip()
        if text[:1] not in ('"', "<"):
            text = "".join(expand(tokens(text), self.macros))
        found = re.match(r'"([^"]+)"|<([^>]+)>', text)
        if not found:
            raise HeaderError(f"{os.path.basename(self.path)}:{line}: #include of {text!r}")
        path = self.find(found[1] or found[2], os.path.dirname(self.path) if found[1] else None)
        if path is None:
            self.missing.add(found[1] or found[2])
        else:
            self.file(path)
            self.mark(line + 1, self.path)
