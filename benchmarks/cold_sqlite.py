"""Programs that have all functions of sqlite3 from its header and run a query with a callback.

One has a module that `jitffi bind` has written, one cffi in its ABI mode: its text of C is the header's own, as the
preprocessor leaves it."""

from __future__ import annotations

import pathlib
import subprocess
import sys

from benchmarks import build

_HEADER = pathlib.Path("/usr/include/sqlite3.h")
_LIBRARY = "libsqlite3.so.0"
_QUERY = "select 1, 'two' union all select 3, 'four'"
_OURS = f"""\
import jitffi
import sqlite_bound as lib
rows = []
def each(_, count, values, names):
    rows.append([values[i].text() for i in range(count)])
    return 0
db = jitffi.new("ptr[struct sqlite3]")
assert lib.sqlite3_open(":memory:", db) == 0
assert lib.sqlite3_exec(db[0], {_QUERY!r}, each, 0, None) == 0
assert rows == [["1", "two"], ["3", "four"]]
assert lib.sqlite3_close(db[0]) == 0
"""
_CFFI = f"""\
import cffi
ffi = cffi.FFI()
ffi.cdef(DECLARED)
lib = ffi.dlopen({_LIBRARY!r})
rows = []
@ffi.callback("int(void *, int, char **, char **)")
def each(_, count, values, names):
    rows.append([ffi.string(values[i]).decode() for i in range(count)])
    return 0
db = ffi.new("sqlite3 **")
assert lib.sqlite3_open(b":memory:", db) == 0
assert lib.sqlite3_exec(db[0], {_QUERY.encode()!r}, each, ffi.NULL, ffi.NULL) == 0
assert rows == [["1", "two"], ["3", "four"]]
assert lib.sqlite3_close(db[0]) == 0
"""


def is_there() -> bool:
    return _HEADER.exists()


def write(folder: pathlib.Path) -> dict[str, str]:
    """The programs' texts by their tools. What `jitffi bind` writes is put into *folder*."""
    bound = [
        sys.executable,
        "-m",
        "jitffi",
        "bind",
        str(_HEADER),
        "-l",
        _LIBRARY,
        "-o",
        str(folder / "sqlite_bound.py"),
    ]
    subprocess.run(bound, check=True, capture_output=True)
    text = subprocess.run(
        [build.compiler(), "-E", "-P", str(_HEADER)], check=True, capture_output=True, text=True
    ).stdout
    lines = text[text.index("extern const char sqlite3_version") :].splitlines()
    declared = "\n".join([line for line in lines if "va_list" not in line])  # which it cannot pass
    return {"jitffi": _OURS, "cffi": _CFFI.replace("DECLARED", repr(declared))}
