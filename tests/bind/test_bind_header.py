"""A header with everything that headers hold becomes the module that tests/bind/own_h.txt shows.

JITFFI_BLESS=1 pytest tests/bind rewrites that file; read the diff.
"""

from __future__ import annotations

import array
import ctypes
import difflib
import importlib.util
import inspect
import os
import random
import shutil
from pathlib import Path

import pytest

import jitffi
from jitffi.bind.read.comments import Comments, documentation, plain
from jitffi.bind.read.declarations import declarations
from jitffi.bind.source.errors import HeaderError, HeaderNotFound
from jitffi.bind.source.preprocess import compiler
from jitffi.bind.source.units import read

FOLDER = Path(__file__).resolve().parent
HEADER = FOLDER / "own.h"
GOLDEN = FOLDER / "own_h.txt"
#: What own.h declares, for the calls.
SOURCE = """
#include <stddef.h>
typedef struct own_handle { int kind; const char *name; } own_handle;
typedef void (*own_free_fn)(void *);
static own_handle only;
own_handle *own_open(const char *name, int kind, int lambda)
{
    only.kind = kind + lambda;
    only.name = name;
    return name ? &only : NULL;
}
void own_close(own_handle *handle) { handle->kind = -1; }
double own_sum(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum;
}
float own_sumf(const float *values, size_t count)
{
    float sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum;
}
int own_each(own_handle *handle, int (*visit)(void *, const char *, size_t, const char *), void *user)
{
    return visit(user, "ab", 1, "name") + handle->kind;
}
void own_sort(void *base, size_t n, int (*compare)(const void *, const void *))
{
    long *v = base;
    if (n == 2 && compare(v, v + 1) > 0) { long t = v[0]; v[0] = v[1]; v[1] = t; }
}
void *own_find(own_handle *handle, int x, int y) { return x == y ? handle : NULL; }
static own_free_fn current;
own_free_fn own_swap(own_free_fn with) { own_free_fn before = current; current = with; return before; }
int print(unsigned char c, signed char s, _Bool b) { return c + s + b; }
long long own_wide(unsigned long long x) { return (long long)(x >> 1); }
long long own_other(long x) { return x + 1; }
"""


def imported(path: Path):
    """The module in a file, under the file's name."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def made(tmp_path):
    return jitffi.bind_header(HEADER, "own.so", tmp_path / "own.py", check=False)


@pytest.mark.parametrize("use_compiler", [True, False])
def test_the_module_is_as_it_was_read(use_compiler, tmp_path):
    if use_compiler and compiler() is None:
        pytest.skip("no C compiler")
    made = jitffi.bind_header(HEADER, "libown.so", check=False, use_compiler=use_compiler)
    assert (made.preprocessor != "") == use_compiler
    if os.environ.get("JITFFI_BLESS") == "1":
        GOLDEN.write_text(made.text)
        return
    expected = GOLDEN.read_text()
    diff = "".join(difflib.unified_diff(expected.splitlines(True), made.text.splitlines(True), GOLDEN.name, "made"))
    assert not diff, f"{diff}\nIf that is right: JITFFI_BLESS=1 pytest tests/bind rewrites it; read the diff."


def test_everything_declared_is_bound_or_refused(made):
    functions = [each for each in made.refused if each.kind == "function"]
    assert made.summary.startswith(f"bound {len(made.functions)} functions, 1 struct, 1 enum, ")
    assert sum(made.reasons.values()) == len(functions) and f"left out {len(functions)} functions, " in made.summary
    assert {
        "not read": 2,
        "va_list": 1,
        "of another calling convention": 1,
        "static": 1,
    }.items() <= made.reasons.items()
    assert "1 function static: own_inline" in made.left_out and "1 macro with parameters: OWN_FLAG" in made.left_out
    names = {f.name for f in made.functions} | {r.name for r in made.refused} | {*made.variables}
    declared = {word.split("(")[0] for word in HEADER.read_text().replace("*", " ").split() if word.startswith("own_")}
    assert {"own_counter", "own_printf", "own_strange", "own_each", "print"} <= names
    assert {name for name in declared if f"{name}(" in HEADER.read_text()} <= names


def test_same_input_same_bytes_and_nothing_of_the_machine(made, tmp_path, monkeypatch):
    copy = tmp_path / "elsewhere"
    shutil.copytree(FOLDER, copy)
    monkeypatch.chdir(copy)
    again = jitffi.bind_header("own.h", "own.so", "own.py", check=False)
    assert (copy / "own.py").read_text() == (tmp_path / "own.py").read_text() == made.text == again.text
    assert str(tmp_path) not in made.text and str(FOLDER) not in made.text


def test_what_the_module_does(build_library, tmp_path):
    library = build_library(SOURCE)
    made = jitffi.bind_header(HEADER, library, tmp_path / "own.py")
    missing = {r.name: r.reason for r in made.refused if "has no symbol" in r.reason}
    assert missing["own_missing"] == f"{library} has no symbol of that name"
    own = imported(tmp_path / "own.py")
    assert isinstance(own.own_sum, type(len)), "an exact builtin, with no Python frame before the call"
    assert own.own_sum(array.array("d", [1, 2, 4.5]), 3) == 7.5
    assert own.own_total is own.own_sum
    assert own.own_sumf(values=array.array("f", [1, 2]), count=2) == 3.0
    assert own.own_open(None, 0, 0) is None
    handle = own.own_open("x", own.OWN_KIND_SOME, lambda_=1)
    seen = []

    def visit(user, text, length, name):
        seen.append((user, bytes(text[i] for i in range(length)), name))
        return 5

    assert own.own_each(handle, visit, None) == 5 + 98 + 1 and seen == [(None, b"a", "name")]
    numbers = array.array("l", [7, 3])
    at = ctypes.c_long.from_address
    own.own_sort(numbers, 2, lambda a, b: at(a).value - at(b).value)
    assert list(numbers) == [3, 7]
    assert own.own_find(handle, 3, 3) == handle.address and own.own_find(handle, 3, x_=4) is None
    assert own.own_swap(None) is None and own.own_swap(own.OWN_TRANSIENT) is None
    assert own.print(255, -128, True) == 128
    assert own.own_wide(2**64 - 1) == 2**63 - 1 and own.own_other(-3) == -2
    assert (own.OWN_VERSION, own.OWN_FLAGS, own.OWN_RATIO, own.OWN_LAST) == ('1.2 "x"', 17, 0.75, 32)
    assert set(own.__all__) == {name for name in vars(own) if name.startswith("own_") or name.startswith("OWN_")} | {
        "print"
    }
    assert inspect.getdoc(own.own_close).endswith("void own_close(own_handle *)\n\nNever fails.")
    assert str(inspect.signature(own.own_find)) == "(handle, x, x_)"


def test_a_symbol_that_is_missing_is_an_error_of_its_caller(build_library, tmp_path):
    library = build_library(SOURCE)
    jitffi.bind_header(HEADER, library, tmp_path / "own.py", check=False)
    own = imported(tmp_path / "own.py")
    assert own.own_other(1) == 2 and own.own_missing.__name__ == "own_missing"
    with pytest.raises(AttributeError, match="has no symbol 'own_missing'"):
        own.own_missing()


@pytest.mark.parametrize(
    ("files", "also", "names"),
    [
        ({"inc/a.h": '#include "b.h"\nint a(void);', "inc/b.h": "int b(void);"}, (), ["b", "a"]),
        ({"inc/a.h": '#include "sub/b.h"\nint a(void);', "inc/sub/b.h": "int b(void);"}, (), ["b", "a"]),
        ({"inc/a.h": "#include <up.h>\nint a(void);", "up.h": "int up(void);"}, (), ["a"]),
        ({"inc/a.h": "#include <up.h>\nint a(void);", "up.h": "int up(void);"}, ("up.h",), ["up", "a"]),
        ({"inc/a.h": "#include <up.h>\nint a(void);", "up.h": "int up(void);"}, ("u*",), ["up", "a"]),
        ({"inc/own.h": "#include <own_x.h>\nint a(void);", "own_x.h": "int x(void);"}, (), ["x", "a"]),
    ],
)
@pytest.mark.parametrize("use_compiler", [True, False])
def test_which_headers_count(files, also, names, use_compiler, tmp_path):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text + "\n")
    header = tmp_path / next(iter(files))
    made = jitffi.bind_header(
        header, "m", include_dirs=[str(tmp_path)], also=also, check=False, use_compiler=use_compiler
    )
    assert [function.name for function in made.functions] == names


def bound(text: str, folder: Path, **options) -> jitffi.bind.binding.Binding:
    (folder / "h.h").write_text(text)
    return jitffi.bind_header(folder / "h.h", "m", check=False, **options)


def test_definitions_reach_the_preprocessor(tmp_path):
    text = "#if MODE == 2\nint two(void);\n#endif\n#ifdef FLAG\nint flag(void);\n#endif\n"
    for use_compiler in (True, False):
        made = bound(text, tmp_path, defines=["MODE=2", "FLAG"], use_compiler=use_compiler)
        assert [function.name for function in made.functions] == ["two", "flag"]
    assert "-D MODE=2 -D FLAG" in made.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "declares nothing of its own; --also PATTERN adds headers that it includes"),
        ("static int f(int); int g(va_list x);", "nothing to bind: of 2 functions 1 static, 1 va_list"),
        ("#error no, not here\nint f(void);", "no, not here"),
        ("#include <nowhere/at/all.h>\nint f(void);", "nowhere/at/all.h"),
    ],
)
def test_headers_from_which_nothing_can_be_made(text, message, tmp_path):
    if compiler() is None:
        pytest.skip("no C compiler")
    with pytest.raises(HeaderError, match=message):
        bound(text, tmp_path)


@pytest.mark.parametrize("use_compiler", [True, False])
def test_headers_without_functions(tmp_path, use_compiler):
    text = "#define SIZE sizeof(int[4])\nstruct only { int x; };\nenum mode { FAST = 2 };\n"
    if use_compiler and compiler() is None:
        pytest.skip("no C compiler")
    made = bound(text, tmp_path, use_compiler=use_compiler)
    assert made.summary == "bound 1 struct, 1 enum, 2 constants" and "SIZE: Final = 16" in made.text


@pytest.mark.skipif(compiler() is None, reason="no C compiler")
@pytest.mark.parametrize(
    ("header", "library", "name"),
    [("signal.h", "c", "SIGINT"), ("errno.h", "c", "ENOENT"), ("float.h", "m", "DBL_MAX"), ("complex.h", "m", "cexp")],
)
def test_parts_of_system_headers_count(header, library, name):
    """Which say of themselves that they are parts, or that are no headers of functions."""
    made = jitffi.bind_header(header, library)
    assert name in [*made.constants, *[function.name for function in made.functions]]


def test_headers_that_are_links(tmp_path):
    (tmp_path / "real.h").write_text("int f(int);\n")
    (tmp_path / "linked.h").symlink_to("real.h")
    for header, folder in ((tmp_path / "linked.h", ()), ("linked.h", (tmp_path,))):
        made = jitffi.bind_header(header, "m", include_dirs=folder, check=False)
        assert [function.name for function in made.functions] == ["f"]


def test_headers_that_are_not_there(tmp_path):
    for header in ("", "nowhere.h", "a\nb.h", 'a".h', str(tmp_path), str(tmp_path / "no.h")):
        for use_compiler in (True, False):
            with pytest.raises(HeaderNotFound):
                jitffi.bind_header(header, "m", use_compiler=use_compiler)


def test_names_that_python_has_for_itself(build_library, tmp_path):
    text = "int lambda(int x); int str(int object); int jitffi(int str); int Address(void *Address); int _lib(int);\n"
    (tmp_path / "h.h").write_text(text + "#define None 3\n#define Final 4\nenum { Callable = 5, yield };\n")
    code = [f"int {name}({ty} x) {{ return (int)(long)x + 1; }}" for name, ty in
            (("lambda", "int"), ("str", "int"), ("jitffi", "int"), ("Address", "void *"), ("_lib", "int"))]  # fmt: skip
    jitffi.bind_header(tmp_path / "h.h", build_library("\n".join(code)), tmp_path / "named.py")
    named = imported(tmp_path / "named.py")
    assert [named.lambda_(1), named.str_(1), named.jitffi_(str=1)] == [2, 2, 2]
    assert [named.Address_(7), named._lib_(3), named.None_, named.Final_, named.Callable_, named.yield_] == [
        8, 4, 3, 4, 5, 6,
    ]  # fmt: skip


def test_odd_comments_make_no_odd_modules(tmp_path):
    text = (
        '/* ends with """ and \\ and \x07 */\nint a(void);\n\n/* """ */\nint b(void);\n\n// quote"\nint c(void);\n\n'
        '/* caf\xe9 */\nint d(void);\n\n#define S "\\\\ \' \\" \\n\\x01\\303\\251"\n#define T 1 /* # not \\ over */\n'
    )
    (tmp_path / "h.h").write_bytes(text.encode("latin-1"))
    made = jitffi.bind_header(tmp_path / "h.h", "c", check=False, out=tmp_path / "odd.py")
    odd = imported(tmp_path / "odd.py")
    assert odd.S == "\\ ' \" \n\x01\xe9" and odd.T == 1
    assert odd.a.__doc__ == 'int a(void)\n\nends with """ and \\ and ?' and "caf\xe9" in made.text
    assert odd.c.__doc__.endswith('quote"')


# -- comments ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/* A */\nint a(void);\n/* B */\nint b(void);\n", {"a": "A", "b": "B"}),
        ("int a(void);\n/* A */\nint b(void);\n/* B */\n", {"a": "A", "b": "B"}),
        ("/* title */\n\nint a(void);\n\n/* B */\nint b(void);\n", {"a": "", "b": "B"}),
        ("/* A */\nint a(void);\nint b(void);\n", {"a": "A", "b": ""}),
        ("/* A\n1\n2\n3\n4 */\nint a(void);\nint b(void);\n", {"a": "A\n1\n2\n3\n4", "b": "See a."}),
        ("int a(void);\nint b(void);\n/* B */\n", {"a": "", "b": "B"}),
        ("int a(void); /* A */\nint b(void);\n", {"a": "A", "b": ""}),
        ("int a(void); /* A,\n  more of it */\nint b(void);\n", {"a": "A,\nmore of it", "b": ""}),
        ("int a(void); // A,\n             // more of it\nint b(void);\n", {"a": "A,\nmore of it", "b": ""}),
        ("int a(void); // A\n// B\nint b(void);\n", {"a": "A", "b": "B"}),
        ("int a(void);\n/**< A */\nint b(void);\n", {"a": "A", "b": ""}),
        ("int a(void); ///< A\n///< of it\nint b(void);\n", {"a": "A\nof it", "b": ""}),
        ("int a(void);\n/* what follows */\n\nint b(void);\n/* B */\n", {"a": "what follows", "b": "B"}),
        ("/* A */\nint a(void);\n/* kinds */\ntypedef int k;\nint b(void);\n", {"a": "A", "b": ""}),
        ("/* Copyright (c) 1999 A. */\nint a(void);\n/* B */\nint b(void);\n", {"a": "", "b": "B"}),
        ("// SPDX-License-Identifier: MIT\n// all of it\nint a(void);\nint b(void);\n", {"a": "", "b": ""}),
        ("/** @file x.h */\nint a(void);\n\n// B\nAPI\nint b(void);\n", {"a": "", "b": "B"}),
        ("int a(int x, /* X */\n      int y); /* A */\nint b(void);\n", {"a": "A", "b": ""}),
        ("// one\n// two\nint a(void); /* beside */\n// B\nint b(void);\n", {"a": "beside", "b": "B"}),
        ("/* A */\n#ifdef X\nint a(void);\n#endif\nint b(int x); // B", {"a": "A", "b": "B"}),
        ("/* int b(int x);\n\n   Of b. */\n\nint a(void);\n\nint b(int);\n", {"a": "", "b": "Of b."}),
    ],
)
def test_comments_find_their_declaration(text, expected):
    lines = text.splitlines()
    places = [(name, next(i for i, s in enumerate(lines, 1) if s.startswith(f"int {name}("))) for name in "ab"]
    assert documentation(Comments(text), places) == expected


@pytest.mark.parametrize(
    ("comment", "text"),
    [
        ("/* One. */", "One."),
        ("/**\n * One.\n *\n *   two\n **/", "One.\n\n  two"),
        ("/*\n** One.\n** Two.\n*/", "One.\nTwo."),
        ("/*\n     One is\n   two.\n\n  - three\n    four\n*/", "One is\n two.\n\n- three\n  four"),
        ("///< One.", "One."),
        ("//! One.\n//  Two.", "One.\nTwo."),
        ("/******\n * One.\n ******/", "One."),
        ("/* == One == */", "== One =="),
        ("/*************/", ""),
    ],
)
def test_comments_lose_their_decoration(comment, text):
    found = plain(comment)
    assert [line.strip() for line in found.split("\n")] == [line.strip() for line in text.split("\n")]
    assert not found.startswith(" ")


# -- what cannot be read -------------------------------------------------------------------------------------------


def declared(text: str):
    return declarations(read(f'# 1 "h.h"\n{text}'), ["h.h"], "h")


@pytest.mark.parametrize(
    "text",
    [
        "int broken(int x; int f(int);", "int broken(int [x; int f(int);",
        "int a(b) int b; { return b; } int f(int);",
        "typeof(1) odd(void); int f(int);",
        "int old(int x) { return ({ int y = x; y; }); } int f(int);",
        "struct s { int (*g)(void); struct { int a : 3; }; } v; int f(int);",
        "[[nodiscard]] int f(int); template <class T> T g(T);",
        "__attribute__((x(1, (2)))) int f(int) __attribute__((y));",
        "_Static_assert(sizeof(int) == 4, \"{\"); int f(int);",
        "asm(\"nop\"); int f(int);",
        "extern __inline __attribute__((gnu_inline)) int f(int x) { return '}'; }",
        "int (f)(int); int (*pointer)(int);",
        "typedef int F(int); F f;",
        "int f(int) __attribute__((deprecated(\"}\")));",
        "_Noreturn void quit(int); _Thread_local int t; int f(int);",
    ],
)  # fmt: skip
def test_one_bad_declaration_costs_no_other(text):
    found = declared(text)
    assert str(found.functions["f"].sig.types) == "(i32) -> i32", found.refused


def test_any_text_is_taken_apart():
    pieces = "int f ( ) { } ; , * [ ] struct typedef enum = 3 \" ' # \\ __attribute__ (( )) x foo ... : @ static"
    rng = random.Random(7)
    for _ in range(1500):
        found = declared(" ".join(rng.choice(pieces.split()) for _ in range(rng.randrange(20))) + "; int last(void);")
        assert set(found.functions) <= {"last", "f", "x", "foo"}
