"""`jitffi demo`: a tour of the package on libraries that nearly every machine has.

Each stop is a piece of Python as a user would type it. It is run as it stands, and shown with what it gives: what one
reads is what happened.
"""

from __future__ import annotations

import ast
import contextlib
import io
import traceback
from dataclasses import dataclass


@dataclass(frozen=True)
class Stop:
    """One stop of the tour: `load` loads a library, `source` uses it, up to an error of class `raises`."""

    name: str
    title: str
    load: str
    source: str
    raises: type[Exception] | None = None


@dataclass(frozen=True)
class Visit:
    """What became of a stop: its transcript, why its library is missing, or what went wrong."""

    stop: Stop
    transcript: str
    missing: str = ""
    failure: str = ""

    @property
    def state(self) -> str:
        return "missing" if self.missing else "failed" if self.failure else "ok"

    def as_dict(self) -> dict[str, str]:
        return {"name": self.stop.name, "state": self.state, "transcript": self.transcript}


STOPS = (
    Stop(
        "libm",
        "a signature makes a function: keywords, an int where a float is wanted, errors in words",
        'libm = jitffi.load_library("libm.so.6")',
        """\
hypot = libm.bind("hypot", "(x: f64, y: f64) -> f64")
hypot(3, y=4.0)
hypot("three", 4.0)
""",
        raises=TypeError,
    ),
    Stop(
        "zlib",
        "C declarations will do as well",
        """\
zlib = jitffi.load_library("libz.so.1", cdef='''
    const char *zlibVersion(void);
    unsigned long crc32(unsigned long crc, const unsigned char *data, unsigned size);
''')
""",
        """\
zlib.zlibVersion()
hex(zlib.crc32(0, b"any buffer", 10))
""",
    ),
    Stop(
        "sqlite3",
        "a callback for each row of a query",
        """\
sqlite = jitffi.load_library("libsqlite3.so.0", cdef='''
    typedef struct sqlite3 sqlite3;
    int sqlite3_open(const char *file, sqlite3 **db);
    int sqlite3_exec(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **), void *arg, char **error);
    int sqlite3_close(sqlite3 *db);
''')
""",
        """\
def row(arg, count, values, names):
    print([values[i].text() for i in range(count)])
    return 0
place = jitffi.new("ptr[struct sqlite3]")
sqlite.sqlite3_open(":memory:", place)
db = place.value
query = "create table t (n, word); insert into t values (1, 'one'), (2, 'two'); select * from t"
sqlite.sqlite3_exec(db, query, row, None, None)
sqlite.sqlite3_close(db)
""",
    ),
    Stop(
        "qsort",
        "a comparator in Python: optional[i64] is `const int64_t *` in C",
        "libc = jitffi.load_library(None)",
        """\
from array import array
comparator = "func[(optional[i64], optional[i64]) -> i32]"
qsort = libc.bind("qsort", f"(base: ptr, count: u64, size: u64, compare: {comparator}) -> void")
numbers = array("q", [30, 10, 20])
qsort(numbers, 3, 8, lambda a, b: a - b)
numbers
""",
    ),
    Stop(
        "structs",
        "C's own data: a struct by value, and one that C writes into",
        """\
libc = jitffi.load_library(None, cdef='''
    typedef struct { int quot, rem; } division;
    division div(int number, int by);
    struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; char rest[64]; };
    struct tm *gmtime_r(const long *when, struct tm *result);
''')
""",
        """\
libc.div(17, 5)
when = libc.types.tm()
libc.gmtime_r(jitffi.new("i64", 86400 * 365), when).value.tm_year
when.tm_mday = "first"
""",
        raises=TypeError,
    ),
    Stop(
        "global function",
        "a global function in Python, called from C by its handle, with packed arguments: int 6, int 7",
        """\
from jitffi.base import config
runtime = jitffi.load_library(config.library_file())
""",
        """\
import struct
@jitffi.register_global_func("demo.area")
def area(width, height):
    return width * height
found = jitffi.Function(jitffi.get_global_func("demo.area"))
call = runtime.bind("jf_function_call", "(self: ptr, num_args: i32, args: ptr[const void], out: ptr) -> i32")
out = bytearray(struct.pack("iiq", -1, 0, 0))
call(found.handle, 2, struct.pack("iiqiiq", -2, 0, 6, -2, 0, 7), out)
struct.unpack("iiq", out)
jitffi.remove_global_func("demo.area")
""",
    ),
    Stop(
        "values",
        "a list that C and Python share; what is in it is checked where C has a type for it",
        """\
from jitffi.base import config
runtime = jitffi.load_library(config.library_file())
""",
        """\
words = jitffi.List("to be or not to be".split())
sort = runtime.bind("jf_list_sort", "(words: list[str], key: optional[func], reverse: i32) -> i32")
sort(words, None, 0)
words
sort(words, len, 1)
words
words.append(7)
sort(words, None, 0)
""",
        raises=TypeError,
    ),
    Stop(
        "files",
        "compiled ahead of time: an object file for programs without Python, here linked in memory",
        """\
import tempfile
folder = tempfile.TemporaryDirectory()
""",
        """\
made = jitffi.emit("long labs(long number);", f"{folder.name}/labs.o")
made.read_bytes()[:4]
module = jitffi.load_module(made)
module.signatures
module.labs(-7)
module.labs("seven")
""",
        raises=TypeError,
    ),
)


def visit(stop: Stop) -> Visit:
    """Run one stop; a library that cannot be loaded is reported, not raised."""
    import jitffi

    names: dict[str, object] = {"jitffi": jitffi}
    loading, error = run(stop.load, names)
    if isinstance(error, OSError):
        return Visit(stop, loading, missing=" ".join(str(error).split()))
    shown, error = run(stop.source, names) if error is None else ("", error)
    expected = error is None if stop.raises is None else isinstance(error, stop.raises)
    return Visit(stop, loading + shown, failure="" if expected else f"ended with {error!r}")


def run(source: str, names: dict[str, object]) -> tuple[str, Exception | None]:
    """Run *source* as the interactive interpreter would, up to its first error. Return the transcript and the error.

    >>> run("x = 20\\nx + 1\\n1 / 0", {})[0].splitlines()
    ['>>> x = 20', '>>> x + 1', '21', '>>> 1 / 0', 'ZeroDivisionError: division by zero']
    """
    shown = io.StringIO()
    lines = source.splitlines()
    for node in ast.parse(source).body:
        first = min([node.lineno, *[d.lineno for d in getattr(node, "decorator_list", [])]])
        for i, line in enumerate(lines[first - 1 : node.end_lineno]):
            shown.write(f"{'... ' if i else '>>> '}{line}\n")
        try:
            with contextlib.redirect_stdout(shown):
                _execute(node, names)
        except Exception as error:  # whatever the user's code raises is shown, as the interpreter does
            shown.write(traceback.format_exception_only(error)[-1])
            return shown.getvalue(), error
    return shown.getvalue(), None


def _execute(node: ast.stmt, names: dict[str, object]) -> None:
    if isinstance(node, ast.Expr):
        value = eval(compile(ast.Expression(node.value), "<demo>", "eval"), names)
        if value is not None:
            print(repr(value))
    else:
        exec(compile(ast.Module([node], []), "<demo>", "exec"), names)
