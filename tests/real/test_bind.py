"""Modules bound from real headers: how much of each, with which reasons, and functions of each called.

Counts are lower bounds, since headers grow; that everything declared is bound or refused is exact.
"""

from __future__ import annotations

import array
import ast
import ctypes
import gzip
import importlib.util
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

import jitffi
from jitffi.bind.source.errors import HeaderNotFound
from jitffi.bind.source.preprocess import compiler

PACKAGES = str(Path(jitffi.__file__).resolve().parent.parent)
#: Header, library, the package that has both, and at least so many functions and constants.
OPTIONS = {"expat": {"keep_callbacks": ("XML_Set*Handler",)}}
HEADERS = {
    "zlib": ("zlib.h", "z", "zlib1g-dev", 70, 35),
    "sqlite3": ("sqlite3.h", "sqlite3", "libsqlite3-dev", 200, 300),
    "math": ("math.h", "m", "libc6-dev", 130, 20),
    "expat": ("expat.h", "expat", "libexpat1-dev", 60, 60),
    "cblas": ("cblas.h", "openblas", "libopenblas-dev", 150, 14),
}


@pytest.fixture(scope="module")
def bound(tmp_path_factory):
    """bound(name): what bind_header made of that header, and the path of the module."""
    folder = tmp_path_factory.mktemp("bound")
    done = {}

    def make(name: str, **options):
        header, library, package, _, _ = HEADERS[name]
        key = (name, *options.items())
        if key not in done:
            path = folder / f"{name}_{'_'.join(options) or 'h'}.py"
            try:
                done[key] = jitffi.bind_header(header, library, path, **OPTIONS.get(name, {}), **options), path
            except (HeaderNotFound, OSError) as error:
                pytest.skip(f"{error}; on Debian it is in {package}")
        return done[key]

    return make


@pytest.fixture(scope="module")
def module(bound):
    """module(name): the module bound from that header, imported."""

    def load(name: str):
        _, path = bound(name)
        spec = importlib.util.spec_from_file_location(f"bound_{name}", path)
        found = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
        return found

    return load


# -- all of them -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HEADERS)
def test_how_much_is_bound(name, bound):
    made, path = bound(name)
    assert len(made.functions) >= HEADERS[name][3] and len(made.constants) >= HEADERS[name][4], made.summary
    assert made.summary.startswith(f"bound {len(made.functions)} functions, ")
    allowed = {"va_list", "long double", "_Float128", "complex numbers", "structs by value", "not in the library"}
    assert set(made.reasons) <= allowed, made.reasons
    text = path.read_text()
    for refused in made.refused:
        assert re.search(rf"^# {re.escape(refused.name)} +{re.escape(refused.reason)[:60]}", text, re.M), refused


def flat(text: str) -> str:
    """Without what is in braces, and with () for each outermost pair of parentheses."""
    made, braces, parentheses = "", 0, 0
    for char in text:
        braces -= char == "}"
        parentheses -= char == ")"
        if not braces and not parentheses and char not in "{}":
            made += char
        parentheses += char == "("
        braces += char == "{"
    return re.sub(r"__attribute__\s*\(\)", "", made)


@pytest.mark.parametrize("name", HEADERS)
def test_all_that_is_declared_is_bound_or_refused(name, bound):
    """Counted in another way: the names that stand before a parenthesis in the compiler's own text of the header."""
    command = compiler()
    if command is None:
        pytest.skip("no C compiler")
    made, _ = bound(name)
    known = [f.name for f in made.functions] + [r.name for r in made.refused if r.kind == "function"]
    assert len(known) == len(set(known))
    header = HEADERS[name][0]
    ran = subprocess.run([*command, "-E", "-x", "c", "-"], input=f"#include <{header}>", capture_output=True, text=True)
    text, ours = "", False
    for line in ran.stdout.splitlines():
        mark = re.match(r'# \d+ "(.*)"', line)
        if mark:
            ours = os.path.basename(mark[1]).startswith(header[:-2])
        elif ours:
            text += line + "\n"
    found = [re.search(r"(\w+)\s*\(\)", each) for each in flat(text).split(";") if not re.match(r"\s*typedef\b", each)]
    assert {each[1] for each in found if each} == set(known)


@pytest.mark.parametrize("name", HEADERS)
def test_constants_are_the_compilers(name, bound, tmp_path):
    command = compiler()
    if command is None:
        pytest.skip("no C compiler")
    made, path = bound(name)
    found = dict(re.findall(r"^(\w+): Final = ([^#\n]+)", path.read_text(), re.M))
    lines = [f"#include <{HEADERS[name][0]}>"]
    for constant, literal in found.items():
        if literal.startswith("_lib."):  # a variable
            continue
        member = re.fullmatch(r"[A-Za-z_]\w*\.(\w+)", literal.strip())
        if member:
            literal = re.search(rf"^    {member[1]} = ([^#\n]+)", path.read_text(), re.M)[1]
        value = eval(literal, {"float": float})
        if isinstance(value, int):
            lines.append(f'_Static_assert((long long)({constant}) == {value}, "{constant} is {value}");')
        elif isinstance(value, str):
            lines.append(f'_Static_assert(sizeof({constant}) == {len(value.encode()) + 1}, "{constant}");')
    assert len(lines) > 10
    (tmp_path / "check.c").write_text("\n".join(lines).replace("-9223372036854775808", "(-9223372036854775807 - 1)"))
    done = subprocess.run([*command, "-w", "-fsyntax-only", str(tmp_path / "check.c")], capture_output=True, text=True)
    # A function pointer's cast is no constant expression for an assertion.
    other = re.compile(r"not (an integral )?constant")
    errors = [line for line in done.stderr.splitlines() if "error:" in line and not other.search(line)]
    assert not errors


@pytest.mark.parametrize("name", HEADERS)
def test_read_without_a_preprocessor_it_is_the_same_interface(name, bound):
    if compiler() is None:
        pytest.skip("no C compiler to compare with")
    by_compiler, by_us = bound(name)[0], bound(name, use_compiler=False)[0]
    assert by_us.preprocessor == ""
    assert {f.name: (str(f.sig), f.prototype) for f in by_us.functions} == {
        f.name: (str(f.sig), f.prototype) for f in by_compiler.functions
    }
    assert by_us.constants == by_compiler.constants


@pytest.mark.parametrize("name", HEADERS)
def test_modules_are_small_python(name, bound):
    """No line of code wider than a screen, every function with a docstring, and nothing of this machine."""
    made, path = bound(name)
    text = path.read_text()
    tree = ast.parse(text)
    defined = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert [node.name for node in defined] == [*[f.name for f in made.functions], *made.macros]
    for node in defined:
        assert ast.get_docstring(node) and len(node.body) == 1 + (node.name in made.macros) and node.returns is not None
    assert "/usr" not in text.partition("# -- functions")[0]
    assert made.text == jitffi.bind_header(*HEADERS[name][:2], **OPTIONS.get(name, {})).text


USER = """
import array
import jitffi
import bound_zlib as z
import bound_sqlite3 as s
import bound_math as m
import bound_expat as x
import bound_cblas as b

crc: int = z.crc32(0, b"abc", len=3)
version: str | None = z.zlibVersion()
level: int = z.Z_BEST_SPEED
out = jitffi.new("ptr[struct sqlite3]")
status: int = s.sqlite3_open(":memory:", out)

def row(argument: int | None, count: int, values: jitffi.Pointer | None, names: jitffi.Pointer | None) -> int:
    return 0

s.sqlite3_exec(out.value, "select 1", row, None, None)
s.sqlite3_bind_text(None, 1, "text", -1, s.SQLITE_TRANSIENT)
root: float = m.sqrt(2) + m.M_PI

def start(user: int | None, name: str | None, attributes: jitffi.Pointer | None) -> None:
    print(name)

parser = x.XML_ParserCreate(None)
x.XML_SetElementHandler(parser, start, lambda user, name: None)
dot: float = b.cblas_ddot(2, array.array("d", [1, 2]), 1, array.array("d", [3, 4]), 1)
"""
WRONG = {
    'z.crc32("abc", b"", 0)': "arg-type",
    "z.crc32(0, 'text', 4)": "arg-type",
    "x.XML_SetElementHandler(parser, lambda user: None, None)": "misc|arg-type",
    "m.M_PI = 3.0": "misc|assignment",
    "text: bytes = s.sqlite3_errmsg(None)": "assignment",
    "s.sqlite3_exec(db=None)": "call-arg",
    "m.nothing": "attr-defined",
}


def test_modules_and_their_users_pass_mypy(bound, tmp_path):
    mypy = Path(sys.executable).with_name("mypy")
    command = [str(mypy)] if mypy.exists() else [found] if (found := shutil.which("mypy")) else None
    if command is None:
        pytest.skip("mypy is not installed")
    for name in HEADERS:
        shutil.copy(bound(name)[1], tmp_path / f"bound_{name}.py")
    (tmp_path / "user.py").write_text(USER)
    lines = [*USER.splitlines(), *WRONG]
    (tmp_path / "wrong.py").write_text("\n".join(lines) + "\n")
    options = ["--strict", "--follow-imports=silent", "--config-file=", "--python-version=3.11", "--no-color-output"]
    done = subprocess.run(
        [*command, *options, f"--cache-dir={tmp_path / 'cache'}", "--show-error-codes",
         *[f"bound_{name}.py" for name in HEADERS], "user.py", "wrong.py"],
        capture_output=True, text=True, cwd=tmp_path, timeout=300, env={**os.environ, "MYPYPATH": PACKAGES},
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert not [line for line in errors if not line.startswith("wrong.py:")], done.stdout + done.stderr
    for number, (text, code) in enumerate(WRONG.items(), len(lines) - len(WRONG) + 1):
        here = [line for line in errors if line.startswith(f"wrong.py:{number}:")]
        assert here and re.search(rf"\[({code})\]", here[0]), (text, here, done.stdout)


def test_modules_and_their_users_pass_pyright(bound, tmp_path):
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    for name in HEADERS:
        shutil.copy(bound(name)[1], tmp_path / f"bound_{name}.py")
    (tmp_path / "user.py").write_text(USER)
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "."]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    if not re.search(r"\d+ errors?, ", done.stdout):
        pytest.skip(f"pyright fetches itself from npm, and could not: {(done.stdout + done.stderr)[-200:]}")
    assert done.returncode == 0, done.stdout


# -- each of them ----------------------------------------------------------------------------------------------------


def test_zlib(module):
    z = module("zlib")
    text = Path(os.__file__).read_bytes()
    assert z.crc32(0, text, len(text)) == zlib.crc32(text)
    assert z.adler32(1, text, len=len(text)) == zlib.adler32(text)
    size = array.array("L", [z.compressBound(len(text))])
    packed = bytearray(size[0])
    assert z.compress2(packed, size, text, len(text), z.Z_BEST_COMPRESSION) == z.Z_OK
    assert zlib.decompress(packed[: size[0]]) == text
    again, length = bytearray(len(text)), ctypes.c_ulong(len(text))
    assert z.uncompress(again, ctypes.byref(length), packed, size[0]) == z.Z_OK
    assert again == text and length.value == len(text)
    assert z.uncompress(again, ctypes.byref(length), b"nonsense", 8) == z.Z_DATA_ERROR
    assert z.zlibVersion().split(".")[0] == z.ZLIB_VERSION.split(".")[0] and z.zError(z.Z_DATA_ERROR) == "data error"
    assert "running CRC-32" in z.crc32.__doc__


def test_zlib_streams(module, tmp_path):
    z = module("zlib")
    path = str(tmp_path / "x.gz")
    file = z.gzopen(path, "wb9")
    assert z.gzwrite(file, b"one\ntwo\n", 8) == 8 and z.gzputc(file, ord("3")) == ord("3")
    assert z.gzclose(file) == z.Z_OK
    assert gzip.decompress(Path(path).read_bytes()) == b"one\ntwo\n3"
    file = z.gzopen(path, "rb")
    line = ctypes.create_string_buffer(100)
    assert z.gzgets(file, line, len(line)) is not None and line.value == b"one\n"
    assert z.gzclose(file) == z.Z_OK
    assert z.gzopen(str(tmp_path / "none.gz"), "rb") is None


def test_sqlite3(module):
    s = module("sqlite3")
    place = jitffi.new("ptr[struct sqlite3]")
    assert s.sqlite3_open(":memory:", place) == s.SQLITE_OK
    db = place.value
    rows = []

    def row(argument, count, values, names):
        read = lambda texts: [texts[i].text() for i in range(count)]  # noqa: E731
        rows.append(dict(zip(read(names), read(values), strict=True)))
        return 0

    script = "create table t (a integer, b text); insert into t values (1, 'one'), (2, 'zwei \u00e4'); select * from t"
    assert s.sqlite3_exec(db, script, row, None, None) == s.SQLITE_OK
    assert rows == [{"a": "1", "b": "one"}, {"a": "2", "b": "zwei \u00e4"}]
    assert s.sqlite3_exec(db, "select * from t", lambda *_: 1, None, None) == s.SQLITE_ABORT
    with pytest.raises(ZeroDivisionError):
        s.sqlite3_exec(db, "select * from t", lambda *_: 1 // 0, None, None)

    place = jitffi.new("ptr[struct sqlite3_stmt]")
    assert s.sqlite3_prepare_v2(db, "insert into t values (?, ?)", -1, place, None) == s.SQLITE_OK
    statement = place.value
    assert s.sqlite3_bind_int64(statement, 1, 2**40) == s.sqlite3_bind_text(
        statement, 2, "drei", -1, s.SQLITE_TRANSIENT
    )
    assert s.sqlite3_step(statement) == s.SQLITE_DONE and s.sqlite3_finalize(statement) == s.SQLITE_OK
    assert s.sqlite3_prepare_v2(db, "select a, b, a * 0.5 from t order by a desc", -1, place, None) == s.SQLITE_OK
    statement = place.value
    assert s.sqlite3_step(statement) == s.SQLITE_ROW
    assert s.sqlite3_column_type(statement, 1) == s.SQLITE_TEXT and s.sqlite3_column_name(statement, 1) == "b"
    text, size = s.sqlite3_column_text(statement, 1), s.sqlite3_column_bytes(statement, 1)
    assert text.text(size) == "drei"
    assert s.sqlite3_column_int64(statement, 0) == 2**40 and s.sqlite3_column_double(statement, 2) == 2**39
    assert s.sqlite3_finalize(statement) == s.SQLITE_OK
    assert s.sqlite3_exec(db, "select * from missing", None, None, None) == s.SQLITE_ERROR
    assert s.sqlite3_errmsg(db) == "no such table: missing"
    assert s.sqlite3_close(db) == s.SQLITE_OK
    assert s.sqlite3_libversion() == sqlite3.sqlite_version or s.sqlite3_libversion().startswith("3.")
    assert s.SQLITE_IOERR_READ == s.SQLITE_IOERR | 1 << 8 and s.SQLITE_OPEN_CREATE == 4


FUNCTIONS = (
    "sin cos tan asin acos atan exp expm1 log log10 log2 sqrt cosh sinh tanh erf erfc lgamma ceil floor trunc cbrt fabs"
)


def test_math(module):
    m = module("math")
    compared = 0
    for name in FUNCTIONS.split():
        for x in (0.125, 0.5, 0.99):
            if hasattr(math, name):  # not every Python has all of them
                assert getattr(m, name)(x) == pytest.approx(getattr(math, name)(x), rel=1e-12)
                compared += 1
    assert compared >= 60
    for name, pair in (
        ("pow", (2.5, 3)),
        ("hypot", (3, 4)),
        ("fmod", (7, 3)),
        ("atan2", (1, -1)),
        ("copysign", (1, -2)),
    ):
        assert getattr(m, name)(*pair) == pytest.approx(getattr(math, name)(*pair), rel=1e-15)
    assert math.isnan(m.NAN) and math.inf == m.INFINITY and math.pi == m.M_PI and math.e == m.M_E
    exponent = array.array("i", [0])
    assert m.frexp(48.0, exponent) == 0.75 and exponent[0] == 6 and m.ldexp(0.75, 6) == 48
    assert m.sqrtf(2.0) == float(np.sqrt(np.float32(2))) and m.fma(x=2.0, y=3.0, z=1.0) == 7
    assert m.isnan(m.NAN) != 0 and m.lround(2.5) == 3 and m.ilogb(1024.0) == 10


def test_expat(module):
    x = module("expat")
    parser = x.XML_ParserCreate("UTF-8")
    seen = []

    def start(user, name, attributes):
        pairs = []
        while text := attributes[len(pairs)]:
            pairs.append(text)
        seen.append(("start", name, dict(zip(pairs[::2], pairs[1::2], strict=True))))

    def end(user, name):
        seen.append(("end", name))

    def characters(user, text, length):
        seen.append(text.text(length))

    x.XML_SetElementHandler(parser, start, end)
    x.XML_SetCharacterDataHandler(parser, characters)
    text = '<a x="1" y="\u00e4"><b>t</b>u</a>'
    assert x.XML_Parse(parser, text, len(text.encode()), 1) == x.XML_STATUS_OK
    assert seen == [("start", "a", {"x": "1", "y": "\u00e4"}), ("start", "b", {}), "t", ("end", "b"), "u", ("end", "a")]
    assert x.XML_GetErrorCode(parser) == x.XML_ERROR_NONE
    x.XML_ParserReset(parser, None)
    assert x.XML_Parse(parser, "<a><b></a>", 10, x.XML_TRUE) == x.XML_STATUS_ERROR
    assert x.XML_ErrorString(x.XML_GetErrorCode(parser)) == "mismatched tag"
    assert x.XML_GetErrorLineNumber is x.XML_GetCurrentLineNumber and x.XML_GetCurrentLineNumber(parser) == 1
    x.XML_ParserFree(parser)


def test_cblas(module):
    b = module("cblas")
    rng = np.random.default_rng(3)
    x, y = rng.random(1000), rng.random(1000)
    assert b.cblas_ddot(1000, x, 1, y, 1) == pytest.approx(x @ y)
    assert b.cblas_dnrm2(1000, x, 1) == pytest.approx(np.linalg.norm(x))
    left, right = rng.random((7, 5)), rng.random((5, 9))
    for order, trans in ((b.CblasRowMajor, b.CblasNoTrans), (b.CblasRowMajor, b.CblasTrans)):
        given = np.ascontiguousarray(left if trans == b.CblasNoTrans else left.T)
        product = np.ones((7, 9))
        b.cblas_dgemm(order, trans, b.CblasNoTrans, 7, 9, 5, 2.0, given, given.shape[1], right, 9, 0.5, product, 9)
        assert product == pytest.approx(2 * left @ right + 0.5)
    b.cblas_daxpy(1000, 2.0, x, 1, y, 1)
    single = np.array([3, -4], np.float32)
    assert b.cblas_sasum(n=2, x=single, incx=1) == 7 and b.cblas_idamax(3, np.array([1.0, -5, 2]), 1) == 1
    assert b.openblas_get_num_threads() >= 1 and "OpenBLAS" in b.openblas_get_config().text()
