"""Side files: what a header does not say of its functions, in TOML, by function.

    leave_out = ["gz*"]                       # patterns of names
    names = { deflateInit_ = "deflate_init" } # Python's names, by those of C

    [functions.compress]
    types = { dest = "u8[*]", destLen = "inout[u64]", source = "const u8[sourceLen]" }
    parameters = { sourceLen = "length" }     # Python's names; a list names all
    errno = true
    nogil = true
    keep_callbacks = true
    doc = "Compress a block."

    [functions."XML_Set*Handler"]             # all that the pattern fits
    keep_callbacks = true

A side file is read before the header is: what it says is checked here as far as that needs no header.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, NoReturn

from jitffi.base.errors import nearest
from jitffi.base.files import open_regular
from jitffi.bind.source.errors import HeaderError


class SideFileError(HeaderError):
    """A side file that is no TOML, or says what cannot be; the text names the file and the key."""


@dataclass
class FunctionSide:
    """What a side file says of the functions of one name, or that fit one pattern."""

    types: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] | list[str] = field(default_factory=dict)
    errno: bool | None = None
    nogil: bool | None = None
    keep_callbacks: bool | None = None
    doc: str | None = None


#: The class of each key's value, and how messages call it.
_KEYS: dict[str, tuple[tuple[type, ...], str]] = {
    "types": ((dict,), "a table of texts"),
    "parameters": ((dict, list), "a table or a list of texts"),
    "errno": ((bool,), "true or false"),
    "nogil": ((bool,), "true or false"),
    "keep_callbacks": ((bool,), "true or false"),
    "doc": ((str,), "a text"),
}


@dataclass
class SideFile:
    """All that a side file says. *path* is for messages; "" where there is no file."""

    path: str = ""
    functions: dict[str, FunctionSide] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    leave_out: list[str] = field(default_factory=list)

    def of(self, name: str) -> FunctionSide:
        """What is said of a function, of all tables that fit; those behind have the last word.

        >>> side = parse("[functions.'f*']\\nerrno = true\\n[functions.fa]\\nnogil = true\\nerrno = false")
        >>> side.of("fa").errno, side.of("fa").nogil, side.of("fb").errno, side.of("g").errno
        (False, True, True, None)
        """
        made = FunctionSide()
        for pattern, each in self.functions.items():
            if not fnmatchcase(name, pattern):
                continue
            made.types |= each.types
            if isinstance(each.parameters, dict) and isinstance(made.parameters, dict):
                made.parameters |= each.parameters
            else:
                made.parameters = each.parameters or made.parameters
            for key in ("errno", "nogil", "keep_callbacks", "doc"):
                if getattr(each, key) is not None:
                    setattr(made, key, getattr(each, key))
        return made

    def leaves_out(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.leave_out)

    def check(self, functions: list[str], names: list[str]) -> None:
        """SideFileError for what fits none of the *functions* that the header declares, and none of all its *names*."""
        for key, keys, known in (
            ("functions", list(self.functions), functions),
            ("names", list(self.names), names),
            ("leave_out", self.leave_out, names),
        ):
            for each in keys:
                if not any(fnmatchcase(name, each) for name in known):
                    what = "function" if key == "functions" else "name"
                    self.fail(f"{key}.{each}" if key != "leave_out" else key, f"the header declares no {what} {each!r}",
                              nearest(each, known))  # fmt: skip

    def fail(self, key: str, reason: str, hint: str = "") -> NoReturn:
        raise SideFileError(f"{self.path}: {key}: {reason}{'; ' if hint else ''}{hint}")


def load(path: str | os.PathLike[str]) -> SideFile:
    """Read a side file. SideFileError, or OSError where it is not there."""
    name = os.fspath(path)
    with open_regular(name) as opened:
        content = opened.read()
    try:
        return parse(content.decode(), os.path.basename(name))
    except UnicodeDecodeError as error:
        raise SideFileError(f"{os.path.basename(name)}: it is no UTF-8: {error.reason} at byte {error.start}") from None


def parse(text: str, path: str = "side file") -> SideFile:
    """Read a side file's text.

    >>> parse("[functions.f]\\nerno = true")
    Traceback (most recent call last):
    jitffi.bind.side.side_file.SideFileError: side file: functions.f.erno: unknown key; did you mean 'errno'?
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SideFileError(f"{path}: {error}") from None
    side = SideFile(path)
    for key, value in found.items():
        if key == "functions":
            _expect(side, key, value, (dict,), "a table")
            for name, table in value.items():
                side.functions[name] = _function(side, f"functions.{name}", table)
        elif key == "names":
            _expect(side, key, value, (dict,), "a table of texts")
            side.names = _texts(side, key, value)
        elif key == "leave_out":
            _expect(side, key, value, (list,), "a list of patterns")
            for each in value:
                _expect(side, key, each, (str,), "a list of patterns")
            side.leave_out = value
        else:
            side.fail(key, "unknown key", nearest(key, ("functions", "names", "leave_out")))
    return side


def _function(side: SideFile, where: str, table: Any) -> FunctionSide:
    _expect(side, where, table, (dict,), "a table")
    made = FunctionSide()
    for key, value in table.items():
        if key not in _KEYS:
            side.fail(f"{where}.{key}", "unknown key", nearest(key, _KEYS))
        classes, what = _KEYS[key]
        _expect(side, f"{where}.{key}", value, classes, what)
        if isinstance(value, list):
            for each in value:
                _expect(side, f"{where}.{key}", each, (str,), "a list of texts")
        setattr(made, key, _texts(side, f"{where}.{key}", value) if isinstance(value, dict) else value)
    return made


def _texts(side: SideFile, where: str, table: dict[str, Any]) -> dict[str, str]:
    for key, value in table.items():
        _expect(side, f"{where}.{key}", value, (str,), "a text")
    return table


def _expect(side: SideFile, key: str, value: Any, classes: tuple[type, ...], what: str) -> None:
    if not isinstance(value, classes):
        side.fail(key, f"expected {what}, got {type(value).__name__} {value!r}"[:200])
