"""What clang++ says of headers: the text behind its preprocessor, and its syntax tree.

The tree of a header that includes the standard library is written in some hundred megabytes of JSON (180 for
<iostream>), so it is read one declaration of the outermost level at a time, and namespace std is passed over.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

from jitffi.bind.source.errors import HeaderError
from jitffi.bind.source.preprocess import TIMEOUT, failure, inclusions, path_of

_NEWEST, _OLDEST = 25, 9  # versions that have names of their own; 9 was the first to write the tree in JSON
#: The name that each version knows for the newest standard that all have most of.
_LANGUAGE = ("-x", "c++", "-std=gnu++2a", "-w")
_INSTALL = (
    "install clang (Debian and Ubuntu: apt install clang; Fedora: dnf install clang; macOS: xcode-select --install)"
)
#: Places in the tree name their file and line only where these differ from those before (clang's JSONNodeDumper.cpp,
#: writeBareSourceLocation).
_FILE = re.compile(r'"offset": \d+,\s*"file": ("(?:[^"\\]|\\.)*")')
_LINE = re.compile(r'"line": (\d+)')
_END = "    }"
#: Code and templates, which are most of the tree.
_UNUSED = frozenset(
    f'"kind": "{kind}",\n'
    for kind in (
        "CompoundStmt",
        "CXXMethodDecl",
        "CXXConstructorDecl",
        "CXXDestructorDecl",
        "CXXConversionDecl",
        "FunctionTemplateDecl",
        "ClassTemplateDecl",
        "ClassTemplateSpecializationDecl",
        "ClassTemplatePartialSpecializationDecl",
        "VarTemplateDecl",
        "TypeAliasTemplateDecl",
        "FullComment",
    )  # fmt: skip
)
_PASSED_OVER = re.compile(r'^      "kind": "NamespaceDecl",.*?^      "name": "(?:std|__\w*)",', re.S | re.M)


def compiler() -> list[str] | None:
    """Return the command of clang++: $CXX where that is one, else the first that there is; else None."""
    named = shlex.split(os.environ.get("CXX", ""))
    if named and "clang" in os.path.basename(named[0]) and shutil.which(named[0]):
        return named
    names = ["clang++", *[f"clang++-{version}" for version in range(_NEWEST, _OLDEST - 1, -1)]]
    return next(([name] for name in names if shutil.which(name)), None)


def needed_compiler(headers: Sequence[str]) -> list[str]:
    """Return the command of clang++, or raise HeaderError with what to install."""
    command = compiler()
    if command is None:
        shown = ", ".join([os.path.basename(header) for header in headers])
        raise HeaderError(f"{shown}: C++ is read by clang++, which is not here: {_INSTALL}, or name it in $CXX")
    return command


class Clang:
    """Runs of clang++ over the same headers."""

    def __init__(
        self, command: Sequence[str], headers: Sequence[str], include_dirs: Sequence[str], defines: Sequence[str]
    ) -> None:
        self.command, self.headers = command, headers
        self.text = inclusions([path_of(header) for header in headers]).encode("utf-8", "surrogateescape")
        self.options = [*_LANGUAGE, *[f"-I{each}" for each in include_dirs], *[f"-D{each}" for each in defines]]

    def preprocessed(self) -> str:
        """Return the text with its definitions and marks of lines, which has the same names of files as the tree."""
        return "".join(self._lines("-E", "-dD"))

    def tree(self) -> Iterator[dict[str, Any]]:
        """Yield the declarations of the outermost level. Each place in them has its "file" and "line"."""
        places = _Places()
        for text in _outermost(self._lines("-fsyntax-only", "-Xclang", "-ast-dump=json")):
            if _PASSED_OVER.search(text):
                places.pass_over(text)
                continue
            try:
                node = json.loads(text)
            except RecursionError:  # an expression in the body of a function
                places.pass_over(text)
                continue
            places.fill(node)
            yield node

    def _lines(self, *options: str) -> Iterator[str]:
        """Yield the lines that a run prints. HeaderError with its first complaint."""
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as errors:
            source.write(self.text)
            source.seek(0)
            try:
                process = subprocess.Popen(
                    [*self.command, *options, *self.options, "-"], stdin=source, stdout=subprocess.PIPE, stderr=errors,
                    env={**os.environ, "LC_ALL": "C"}, encoding="utf-8", errors="surrogateescape",
                )  # fmt: skip
            except OSError as error:
                raise HeaderError(f"{self.command[0]}: {error}") from None
            timer = threading.Timer(TIMEOUT, process.kill)
            timer.start()
            assert process.stdout is not None
            try:
                yield from process.stdout
                process.wait()
            finally:
                timer.cancel()
                process.kill()
                process.stdout.close()
                process.wait()
            if process.returncode != 0:
                raise self._failure(errors, process.returncode)

    def _failure(self, errors: IO[bytes], status: int) -> HeaderError:
        errors.seek(0)
        message = errors.read().decode("utf-8", "replace") or f"error: it ended with {status}"
        return failure(self.headers, os.path.basename(self.command[0]), message)


def _outermost(lines: Iterable[str]) -> Iterator[str]:
    """Yield the texts of the elements of the outermost "inner", which clang indents by four; of what nobody asks for
    they have the last place only, on which the places behind it depend.

    >>> tree = ["    {", '      "kind": "CompoundStmt",', '      "loc": {', '        "line": 7', "      }", "    },"]
    >>> [json.loads(text) for text in _outermost([f"{line}\\n" for line in tree])]
    [{'kind': 'CompoundStmt', 'loc': {'offset': 0, 'line': 7}}]
    """
    collected: list[str] = []
    end = ""  # how the line begins that ends what is passed over
    file = number = before = ""
    for line in lines:
        if end:
            if line.startswith(end):
                comma = "," if line.rstrip().endswith(",") and end != _END else ""
                collected.append(f'"loc": {{"offset": 0{file}{number}}}}}{comma}\n')
            elif '"line": ' in line:
                number = f", {line.strip().rstrip(',')}"
            elif '"file": ' in line and "includedFrom" not in before:
                file = f", {line.strip().rstrip(',')}"
            before = line
            if not line.startswith(end):
                continue
            end = ""
        elif line.startswith("    {"):
            collected = [line]
        elif line.startswith(_END):
            collected.append(_END)
        else:
            collected.append(line)
            word = line.lstrip()
            if word in _UNUSED:
                end = f"{' ' * (len(line) - len(word) - 2)}}}"
                file = number = ""
        if line.startswith(_END):
            yield "".join(collected)


class _Places:
    """The file and the line that the last place in the tree had."""

    def __init__(self) -> None:
        self.file, self.line = "", 0

    def fill(self, node: dict[str, Any]) -> None:
        """Give each place in *node* its file and line."""
        todo: list[Any] = [node]
        while todo:
            item = todo.pop()
            if isinstance(item, list):
                todo.extend(reversed(item))
            elif isinstance(item, dict):
                if "offset" in item:
                    self.file = item.setdefault("file", self.file)
                    self.line = item.setdefault("line", self.line)
                todo.extend(reversed(item.values()))

    def pass_over(self, text: str) -> None:
        """Take from the text of a declaration what its last place says."""
        for found in _FILE.finditer(text):
            self.file = json.loads(found[1])
        last = text.rfind('"line": ')
        self.line = int(_LINE.match(text, last)[1]) if last >= 0 else self.line  # type: ignore[index]


def place_of(node: dict[str, Any], begin: bool = True) -> tuple[str, int, int]:
    """The file, line and column where a declaration begins, or where its name is; of what a macro makes, where that is
    used."""
    at = node.get("range", {}).get("begin", {}) if begin else node.get("loc", {})
    at = at.get("expansionLoc", at)
    return at.get("file", ""), at.get("line", 0), at.get("col", 0)
