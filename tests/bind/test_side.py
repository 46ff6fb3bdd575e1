"""Side files: what they say reaches the module; errors name file, key and the nearest known name; proposals."""

from __future__ import annotations

import importlib.util
import inspect
import subprocess
import sys

import numpy as np
import pytest

import jitffi
from jitffi.bind import suggest_side
from jitffi.bind.side.side_file import SideFileError, parse

HEADER = """
#define OWN_LIMIT 3
#define OWN_OTHER 4
typedef struct own_box own_box;
/* The sum of values. */
double own_sum(const double *values, unsigned long n);
/* Opens a box: -1, and errno says why, where it cannot. */
int own_open(const char *name, own_box **out);
own_box *own_box_new(int kind);
void own_box_free(own_box *box);
int own_box_kind(own_box *);
/* A text that the caller has to free with own_text_free. */
char *own_text(void);
void own_text_free(char *text);
void own_set_handler(void (*handler)(int));
int own_twice(int);
int own_fill(unsigned char *dest, unsigned long *destLen, const unsigned char *src, int srcLen);
int own_read(void *to, unsigned long size, unsigned long nitems);
/* @param[out] width  the width */
void own_measure(own_box *box, int *width);
"""
SOURCE = """
#include <errno.h>
#include <stdlib.h>
#include <string.h>
typedef struct own_box { int kind; } own_box;
double own_sum(const double *values, unsigned long n)
{
    double sum = 0;
    for (unsigned long i = 0; i < n; i++) sum += values[i];
    return sum;
}
own_box *own_box_new(int kind) { own_box *box = malloc(sizeof *box); box->kind = kind; return box; }
int freed;
void own_box_free(own_box *box) { freed++; free(box); }
int own_open(const char *name, own_box **out)
{
    if (!name) { errno = ENOENT; return -1; }
    *out = own_box_new((int)strlen(name));
    return 0;
}
int own_box_kind(own_box *box) { return box->kind; }
char *own_text(void) { return strdup("text"); }
void own_text_free(char *text) { free(text); }
static void (*current)(int);
void own_set_handler(void (*handler)(int)) { current = handler; }
void own_use(int x) { current(x); }
int own_twice(int x) { return 2 * x; }
int own_fill(unsigned char *dest, unsigned long *destLen, const unsigned char *src, int srcLen)
{
    memcpy(dest, src, srcLen);
    *destLen = srcLen;
    return 0;
}
int own_read(void *to, unsigned long size, unsigned long nitems) { memset(to, 1, size * nitems); return 0; }
void own_measure(own_box *box, int *width) { *width = box->kind; }
"""


@pytest.fixture(scope="module")
def library(build_library):
    return build_library(SOURCE)


@pytest.fixture
def bound(library, tmp_path):
    """bound(side): the module bound with that side file, which lies beside the header."""
    (tmp_path / "own.h").write_text(HEADER)

    def make(side: str, **options):
        (tmp_path / "own.toml").write_text(side)
        jitffi.bind_header(tmp_path / "own.h", str(library), tmp_path / "own_side.py", **options)
        spec = importlib.util.spec_from_file_location("own_side", tmp_path / "own_side.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return make


SIDE = """
leave_out = ["own_fill", "OWN_OTHER"]
names = { own_sum = "total", OWN_LIMIT = "LIMIT" }

[functions."own_*"]
nogil = true

[functions.own_sum]
types = { values = "const f64[count]" }
parameters = { n = "count" }
doc = "All of them."
nogil = false

[functions.own_open]
types = { out = "out[optional[owned[ptr[struct own_box], own_box_free]]]" }
errno = true

[functions.own_box_kind]
parameters = ["box"]

[functions.own_text]
types = { return = "owned[cstr, own_text_free]" }

[functions.own_set_handler]
keep_callbacks = true
nogil = false
"""


def test_what_it_says_reaches_the_module(bound):
    own = bound(SIDE)
    assert own.LIMIT == 3 and not hasattr(own, "OWN_OTHER") and not hasattr(own, "own_fill")
    assert own.total(np.arange(5.0)) == 10.0 and own.total(np.arange(5.0), count=2) == 1.0
    assert own.total.__doc__.endswith("All of them.") and own.total.__name__ == "own_sum"
    assert str(inspect.signature(own.total)) == "(values, *, count=None)"
    result, box = own.own_open("abc")
    assert result == 0 and own.own_box_kind(box=box) == 3
    box.close()
    with pytest.raises(FileNotFoundError):
        own.own_open(None)
    assert own.own_text() == "text"
    seen = []
    own.own_set_handler(lambda x: seen.append(x))
    jitffi.load_library(own._lib._path).bind("own_use", "(i32) -> void")(7)
    assert seen == [7]


def test_what_is_written_for_it(bound, tmp_path):
    made = bound(SIDE)
    text = (tmp_path / "own_side.py").read_text()
    declared = '@_lib.declare("(values: const f64[count], count: u64) -> f64", symbol="own_sum")\n'
    assert f"{declared}def total(values: Memory, *, count: int | None = None) -> float:" in text
    assert "def own_open(name: str | bytes | None) -> tuple[int, jitffi.Pointer | None]:" in text
    assert "def own_text() -> str:" in text and "nogil=True)\ndef own_twice(arg1: int, /) -> int:" in text
    assert "# own_fill  own.toml leaves it out" in text
    assert "--side" not in made.__doc__


def test_a_side_file_that_is_named(library, tmp_path):
    (tmp_path / "own.h").write_text(HEADER)
    (tmp_path / "own.toml").write_text("[functions.none]")
    (tmp_path / "other.toml").write_text('names = { own_twice = "twice" }')
    made = jitffi.bind_header(tmp_path / "own.h", str(library), side=tmp_path / "other.toml")
    assert 'symbol="own_twice"' in made.text and "--side other.toml" in made.text
    with pytest.raises(FileNotFoundError):
        jitffi.bind_header(tmp_path / "own.h", str(library), side=tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("side", "message"),
    [
        ("[functions", "own.toml: Expected ']'"),
        ("function = 1", "own.toml: function: unknown key; did you mean 'functions'?"),
        ("functions = 1", "own.toml: functions: expected a table, got int 1"),
        ("[functions.own_sun]", "own.toml: functions.own_sun: the header declares no function 'own_sun'; did you mean"),
        ("[functions.'x*']", "own.toml: functions.x*: the header declares no function 'x*'"),
        ("[functions.own_sum]\nerno = true", "own.toml: functions.own_sum.erno: unknown key; did you mean 'errno'?"),
        ("[functions.own_sum]\nerrno = 1", "own.toml: functions.own_sum.errno: expected true or false, got int 1"),
        ("[functions.own_sum]\ntypes.n = 1", "own.toml: functions.own_sum.types.n: expected a text, got int 1"),
        (
            "[functions.own_sum]\ntypes.value = 'f64'",
            "own.toml: functions.own_sum.types.value: own_sum has no such parameter; did you mean 'values'?",
        ),
        (
            "[functions.own_sum]\ntypes.values = 'const f63[n]'",
            "own.toml: functions.own_sum.types.values: expected the element type of an array after const, got 'f63' in",
        ),
        (
            "[functions.own_sum]\ntypes.n = 'f64'",
            "own.toml: functions.own_sum.types: 'n' is u64, which C does not pass as f64",
        ),
        (
            "[functions.own_twice]\ntypes.x = 'i32'",
            "own.toml: functions.own_twice.types: the parameters have no names: give them some, parameters = [...]",
        ),
        ("[functions.own_twice]\nparameters = ['a', 'b']", "own.toml: functions.own_twice.parameters: 2 names for 1"),
        ("[functions.own_twice]\nparameters = ['if']", "own.toml: functions.own_twice.parameters: 'if' is no name"),
        ("[functions.own_twice]\nparameters = [1]", "own.toml: functions.own_twice.parameters: expected a list of"),
        (
            "[functions.own_sum]\nparameters = { n = 'values' }",
            "own.toml: functions.own_sum.parameters: two parameters named 'values'",
        ),
        ("leave_out = 'x'", "own.toml: leave_out: expected a list of patterns, got str 'x'"),
        ("leave_out = ['own_tvice']", "own.toml: leave_out: the header declares no name 'own_tvice'; did you mean"),
        ("names = { OWN_LIMITS = 'x' }", "own.toml: names.OWN_LIMITS: the header declares no name 'OWN_LIMITS'; did"),
    ],
)
def test_errors_name_file_and_key(bound, side, message, tmp_path):
    with pytest.raises(SideFileError) as caught:
        bound(side)
    assert str(caught.value).startswith(message), caught.value
    assert not (tmp_path / "own_side.py").exists()


def test_a_side_file_that_is_no_text(library, tmp_path):
    (tmp_path / "own.h").write_text(HEADER)
    (tmp_path / "own.toml").write_bytes(b"\xff")
    with pytest.raises(SideFileError, match=r"own\.toml: it is no UTF-8"):
        jitffi.bind_header(tmp_path / "own.h", str(library))


def test_what_makes_something_with_a_callback_keeps_it(tmp_path):
    names = ("own_create_function", "own_new_thread", "own_trace_v2", "own_visit", "own_sort")
    (tmp_path / "own.h").write_text("".join(f"void {name}(void *box, int (*call)(int));\n" for name in names))
    said = parse(suggest_side(tmp_path / "own.h", "m", check=False)).functions
    assert [name for name in names if name in said and said[name].keep_callbacks] == list(names[:3])


def test_a_proposal(library, tmp_path):
    (tmp_path / "own.h").write_text(HEADER)
    text = suggest_side(tmp_path / "own.h", str(library), tmp_path / "own.toml")
    assert (tmp_path / "own.toml").read_text() == text
    assert all("  # guess: " in line for line in text.splitlines() if " = " in line)
    said = {name: {**each.types, "errno": each.errno, "keep": each.keep_callbacks} for name, each in
            parse(text).functions.items()}  # fmt: skip
    nothing = {"errno": None, "keep": None}
    assert said == {
        "own_sum": {"values": "optional[const f64[n]]", **nothing},
        "own_open": {"out": "out[optional[owned[ptr[struct own_box], own_box_free]]]", "errno": True, "keep": None},
        "own_box_new": {"return": "optional[owned[ptr[struct own_box], own_box_free]]", **nothing},
        "own_text": {"return": "optional[owned[cstr, own_text_free]]", **nothing},
        "own_set_handler": {"errno": None, "keep": True},
        "own_fill": {"dest": "u8[*]", "destLen": "inout[u64]", "src": "optional[const u8[srcLen]]", **nothing},
        "own_measure": {"width": "out[i32]", **nothing},
    }


def test_a_proposal_is_taken_as_it_is(bound, library, tmp_path):
    own = bound(suggest_side(tmp_path / "own.h", str(library)))
    dest = bytearray(8)
    assert own.own_fill(dest, 8, b"abc") == (0, 3) and dest[:4] == b"abc\0"
    box = own.own_box_new(5)
    assert own.own_measure(box) == 5
    before = jitffi.load_library(str(library)).bind("own_box_kind", "(ptr) -> i32")(box)
    assert before == 5
    box.close()


@pytest.mark.parametrize("header", ["zlib.h z", "sqlite3.h sqlite3", "expat.h expat", "stdlib.h c"])
def test_proposals_for_real_headers_are_taken(header, tmp_path):
    name, library = header.split()
    try:
        suggest_side(name, library, tmp_path / "said.toml")
    except (jitffi.bind.source.errors.HeaderError, OSError) as error:
        pytest.skip(str(error))
    made = jitffi.bind_header(name, library, side=tmp_path / "said.toml")
    plain = jitffi.bind_header(name, library)
    assert [each.name for each in made.functions] == [each.name for each in plain.functions]


def test_on_the_command_line(library, tmp_path):
    (tmp_path / "own.h").write_text(HEADER)

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "jitffi", "bind", "own.h", "--library", str(library), *options],
            capture_output=True, text=True, cwd=tmp_path,
        )  # fmt: skip

    made = run("--suggest", "-o", "guessed.toml")
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    assert run("--suggest", "-o", "-").stdout == (tmp_path / "guessed.toml").read_text()
    assert run("--side", "guessed.toml", "-o", "made.py").returncode == 0
    wrong = run("--side", "none.toml", "-o", "made.py")
    assert (wrong.returncode, wrong.stderr) == (2, "jitffi: none.toml: no such file\n")
    assert run("--suggest", "--side", "guessed.toml", "-o", "-").returncode == 2
    (tmp_path / "own.toml").write_text("[functions.own_sums]")
    wrong = run("-o", "made.py")
    assert wrong.returncode == 1 and wrong.stderr.count("\n") == 1
    assert wrong.stderr.startswith("jitffi: own.toml: functions.own_sums: the header declares no function")


def test_a_macro_that_names_another_twice(tmp_path):
    (tmp_path / "h.h").write_text("#define ONE 1\n#define PAIR { ONE, ONE }\n#define SUM (ONE + ONE)\nint f(int);\n")
    made = jitffi.bind_header(tmp_path / "h.h", "own", check=False)
    assert made.constants == ("ONE", "SUM") and [each.name for each in made.leftovers] == ["PAIR"]


def test_headers_of_a_directory_that_has_the_headers_name(tmp_path):
    include = tmp_path / "include"
    (include / "own").mkdir(parents=True)
    (include / "own.h").write_text('#include "own/part.h"\n#include "other.h"\n')
    (include / "own" / "part.h").write_text("int part(int);\n")
    (include / "other.h").write_text("int other(int);\n")
    script = tmp_path / "cc"
    script.write_text('#!/bin/sh\nexec cc -isystem "$(dirname "$0")/include" "$@"\n')
    script.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", str(script))
        made = jitffi.bind_header("own.h", "own", check=False)
    assert [each.name for each in made.functions] == ["part"]
