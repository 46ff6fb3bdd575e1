"""Many expressions in one script, each called with many values, beside CPython: a script a table, since each compiles.

An entry is an expression, or the lines of a body that returns. The script's first parameter says which of them runs.
"""

from __future__ import annotations

import linecache
import sys
from typing import Any

import jitffi
from tests.support import leaks

_LARGE = "int of more than 64 bits"


def function_of(source: str, name: str, scope: dict[str, Any] | None = None) -> Any:
    """The function of that name, as Python has it; its source is found by its file's name."""
    filename = f"<{name} {hash(source)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    names: dict[str, Any] = {} if scope is None else scope
    exec(compile(source, filename, "exec"), names)
    return names[name]


def source_of(entries: list[str], parameters: str, head: str = "") -> str:
    """The text of a function `many(k, parameters)`, which runs the entry of number k."""
    lines = [f"def many(k, {parameters}):"]
    lines += ["    " + line for line in head.splitlines()]
    for number, entry in enumerate(entries):
        lines.append(f"    if k == {number}:")
        body = entry if "\n" in entry or entry.startswith(("return", "raise", "assert")) else f"return {entry}"
        lines += ["        " + line for line in body.splitlines()]
    return "\n".join(lines) + "\n"


def fresh(value: Any) -> Any:
    """A copy, of containers."""
    kind = type(value)
    if kind is list:
        return [fresh(each) for each in value]
    if kind is tuple:
        return tuple([fresh(each) for each in value])
    if kind is dict:
        return {key: fresh(each) for key, each in value.items()}
    return value


def outcome(function: Any, arguments: tuple[Any, ...]) -> tuple[str, str]:
    """The result's type and what it shows, or the exception's."""
    try:
        result = function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)
    if hasattr(result, "to_python"):
        result = result.to_python()
    return type(result).__name__, repr(result)


def large(value: str) -> bool:
    """Whether what is shown has an int of more than 64 bits."""
    digits = 0
    for each in value:
        digits = digits + 1 if each.isdigit() else 0
        if digits > 18:
            return True
    return False


def accepted(wanted: tuple[str, str], got: tuple[str, str]) -> bool:
    """Whether scripts may differ so: ints have 64 bits, and more is an error that says so. Python's memory errors say
    nothing."""
    if got == ("TypeError", "unhashable type: 'slice'") and sys.version_info >= (3, 12):
        return True  # there slices have a hash, so a dict has them as keys
    if wanted == ("MemoryError", ""):
        return got[0] == "MemoryError"
    if wanted[0] in ("UnicodeDecodeError", "UnicodeEncodeError"):
        return got == ("UnicodeError", wanted[1])
    return got[0] == "OverflowError" and _LARGE in got[1] and large(wanted[1])


class Many:
    """The entries, as functions of Python and as a script."""

    def __init__(
        self, entries: list[str], parameters: str, head: str = "", scope: dict[str, Any] | None = None, **options: Any
    ) -> None:
        self.entries = entries
        self.source = source_of(entries, parameters, head)
        self.function = function_of(self.source, "many", scope)
        self.script = jitffi.script(self.function, **options)

    def differences(self, rows: list[tuple[Any, ...]], skip: Any = None, words: bool = True) -> list[str]:
        """What differs, of each entry with each row; and what stays alive. Not *words*: of errors the class."""
        found = []
        calls = []
        for number, entry in enumerate(self.entries):
            for row in rows:
                if skip is None or not skip(entry, row):
                    calls.append((number, row))
        for number, row in calls:
            wanted = outcome(self.function, (number, *fresh(row)))
            got = outcome(self.script, (number, *fresh(row)))
            if not words and wanted[0] == got[0] and got[0].endswith("Error"):
                continue
            if wanted != got and not accepted(wanted, got):
                found.append(f"{self.entries[number]!r} with {row!r}: Python {wanted}, script {got}")
        before = leaks.live_objects()
        for number, row in calls:
            outcome(self.script, (number, *fresh(row)))
        if leaks.live_objects() != before:
            found.append(f"{leaks.live_objects() - before} objects stay alive: {self.leaking(calls)}")
        return found

    def leaking(self, calls: list[tuple[int, Any]]) -> list[str]:
        found = []
        for number, row in calls:
            before = leaks.live_objects()
            outcome(self.script, (number, *fresh(row)))
            if leaks.live_objects() != before:
                found.append(f"{self.entries[number]!r} with {row!r}")
        return found[:5]


def check(entries: list[str], parameters: str, rows: list[tuple[Any, ...]], head: str = "", **options: Any) -> None:
    """Assert that the entries do what Python does, with all rows."""
    skip = options.pop("skip", None)
    words = options.pop("words", True)
    found = Many(entries, parameters, head, **options).differences(rows, skip, words)
    first: dict[str, list[str]] = {}
    for each in found:
        first.setdefault(each.partition(" with ")[0], []).append(each)
    shown = [f"{each[0]} ({len(each)} such)" for each in first.values()]
    assert not found, "\n".join([f"{len(found)} differences", *shown])
