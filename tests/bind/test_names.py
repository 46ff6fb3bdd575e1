"""Names of C that Python cannot have as they are, and where a module looks for its library."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import jitffi
from jitffi.bind.read.comments import Comments, documentation
from jitffi.bind.read.names import module_names, parameter_names
from jitffi.bind.source.preprocess import compiler
from tests.bind.test_bind_header import imported

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C compiler")


def bound(folder: Path, text: str):
    """The module of a header, written as *text*, and what was made."""
    (folder / "h.h").write_text(text)
    made = jitffi.bind_header(folder / "h.h", "m", folder / "odd.py", check=False)
    ast.parse(made.text)
    return imported(folder / "odd.py"), made


@pytest.mark.parametrize("use_compiler", [True, False])
def test_names_that_python_does_not_have(build_library, tmp_path, use_compiler):
    text = (
        "#define LIMIT$A 3\n#define a_b_ 9\nenum { E$ = 4, None = 5 };\ntypedef void (*cb$)(int $x);\n"
        "int a$b(int x$y, int x_y);\nint a_b(int class, int def);\nint $(cb$ f, int $);\n"
        "int __all__(int __debug__);\nint match(int _, int __); int __getattr__(int type, int print);\n"
        "#define other$ a_b\n"
    )
    (tmp_path / "h.h").write_text(text)
    library = build_library(
        "int a$b(int x, int y) { return x - y; } int a_b(int x, int y) { return x + y; }"
        "int $(void (*f)(int), int y) { f(y); return y; } int __all__(int x) { return x; }"
        "int match(int x, int y) { return x * y; } int __getattr__(int x, int y) { return x / y; }"
    )
    made = jitffi.bind_header(tmp_path / "h.h", library, tmp_path / "odd.py", use_compiler=use_compiler)
    odd = imported(tmp_path / "odd.py")
    assert made.summary == "bound 6 functions, 4 constants"
    assert (odd.a_b_2(5, x_y_=2), odd.a_b(1, def_=2), odd.match(2, 3), odd.other_(1, 1)) == (3, 3, 6, 2)
    seen = []
    assert odd._(seen.append, 7) == 7 and seen == [7]
    assert (odd.LIMIT_A, odd.a_b_, odd.E_, odd.None_) == (3, 9, 4, 5)
    assert odd.__all___2(8) == 8 and odd.__getattr___2(9, 3) == 3
    assert {"a_b_2", "a_b_", "cb_", "_"} <= set(odd.__all__), "what C does not call private is exported"


def test_letters_that_are_not_ascii(build_library, tmp_path):
    text = "#define \u00e9t\u00e9 3\nint \ufb01n(int caf\u00e9, int \ufb01, int fi);\nint fin(int x\u00b2);\n"
    (tmp_path / "h.h").write_text(text)
    library = build_library("int \ufb01n(int a, int b, int c) { return a + b - c; } int fin(int x) { return x; }")
    jitffi.bind_header(tmp_path / "h.h", library, tmp_path / "odd.py")
    odd = imported(tmp_path / "odd.py")
    assert (odd.fin_(1, fi=5, fi_=2), odd.fin(4), vars(odd)["\u00e9t\u00e9"]) == (4, 4, 3)
    assert "int \ufb01n(int caf\u00e9, int \ufb01, int fi)" in odd.fin_.__doc__


def test_names_that_are_no_text_are_left_out_by_name(tmp_path):
    (tmp_path / "h.h").write_bytes(b'int f(int); int caf\xe9(int);\n#define L\xe9 "\xe9"\n')
    made = jitffi.bind_header(tmp_path / "h.h", "m", tmp_path / "odd.py", check=False)
    assert [f.name for f in made.functions] == ["f"] and len(made.refused) == 1
    assert imported(tmp_path / "odd.py").__all__ == ["f"]


def test_each_name_is_given_once():
    names = [f"{'_' * i}x" for i in range(1, 2000)]
    assert len(set(parameter_names(names))) == 1999
    escaped = module_names(["a$b", "a_b", "a_b_", "a$$b", "a_$b", "a__b", "\u212b", "\u00c5", "import", "import_"])
    assert len(set(escaped.values())) == len(escaped) and all(name.isidentifier() for name in escaped.values())


# -- what is left out --------------------------------------------------------------------------------------------


def test_a_name_of_two_things_is_one_of_them_and_a_line(tmp_path):
    text = "int both(int);\n#define both 3\nenum { A = 1, B = sizeof(int[A]), C };\n#define A 2\n#define D 1\n"
    text += '#define N __builtin_nanf("")\nextern int v;\n'
    odd, made = bound(tmp_path, text)
    assert odd.A == 1 and odd.D == 1 and callable(odd.both)
    assert [(m.name, m.reason) for m in made.leftovers] == [
        ("both", "named like a function"), ("A", "named like a member of an enum"),
    ]  # fmt: skip
    assert [(r.name, r.kind, r.reason) for r in made.refused] == [
        ("B", "constant", "not a constant: sizeof"), ("C", "constant", "not a constant"),
    ]  # fmt: skip
    with pytest.raises(AttributeError, match="has no symbol 'v'"):  # when it is used, and not before
        odd.v.value = 1
    assert made.summary.endswith("2 constants, 2 macros")
    assert "1 macro named like a function: both" in made.left_out
    assert "# B  not a constant: sizeof" in made.text


def test_text_that_may_be_the_callers_to_free_is_a_pointer(build_library, tmp_path):
    text = "char *copy(const char *s); const char *name(void); char *const fixed(void); typedef char *text_t;\n"
    text += "text_t other(void); const text_t third(void); void each(char *(*make)(const char *));\n"
    odd, made = bound(tmp_path, text)
    results = {f.name: str(f.sig.result) for f in made.functions}
    assert results == {
        **dict.fromkeys(("copy", "fixed", "other", "third"), "optional[ptr[i8]]"),
        "name": "optional[cstr]",
        "each": "void",
    }
    assert str(jitffi.Signature.from_c("char *strdup(const char *s);").result) == "optional[ptr[i8]]"
    libc = jitffi.load_library(
        None, cdef="char *strdup(const char *); unsigned long strlen(void *); void free(void *);"
    )
    copy = libc.strdup("text")
    assert copy.text() == "text" and libc.strlen(copy) == 4
    libc.free(copy)


# -- the library -------------------------------------------------------------------------------------------------


def use(module: Path, where: Path) -> str:
    """What a program in the folder *where* gets of the module."""
    packages = str(Path(jitffi.__file__).resolve().parent.parent)
    path = os.pathsep.join([str(module.parent), packages])
    program = f"import {module.stem}; print({module.stem}.f(3))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=where,
        env={**os.environ, "PYTHONPATH": path},
    )
    return done.stdout or done.stderr


@pytest.mark.parametrize("given", ["./lib/libf.so", "lib/libf.so", "../project/lib/libf.so"])
def test_a_relative_library_is_found_beside_the_module(given, build_library, tmp_path, monkeypatch):
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for folder in (project / "lib", project / "src", elsewhere):
        folder.mkdir(parents=True)
    shutil.copy(build_library("int f(int x) { return x + 1; }"), project / "lib/libf.so")
    (project / "f.h").write_text("int f(int x);\n")
    monkeypatch.chdir(project)
    jitffi.bind_header("f.h", given, "src/own.py")
    assert use(project / "src/own.py", elsewhere) == "4\n"
    assert str(tmp_path) not in (project / "src/own.py").read_text()
    project.rename(tmp_path / "moved")
    assert use(tmp_path / "moved/src/own.py", elsewhere) == "4\n"


def test_a_library_that_only_the_working_directory_has(build_library, tmp_path, monkeypatch):
    shutil.copy(build_library("int f(int x) { return x + 1; }"), tmp_path / "libonlyhere.so")
    (tmp_path / "f.h").write_text("int f(int x);\nint os(void);\n")
    monkeypatch.chdir(tmp_path)
    jitffi.bind_header("f.h", "libonlyhere.so", "own.py")
    monkeypatch.chdir("/")
    assert use(tmp_path / "own.py", Path("/")) == "4\n"


def test_sonames_and_absolute_paths_stay(build_library, tmp_path):
    library = build_library("int f(int x) { return x + 1; }")
    (tmp_path / "f.h").write_text("int f(int x);\ndouble cos(double);\n")
    assert f'load_library("{library}")' in jitffi.bind_header(tmp_path / "f.h", library).text
    assert 'load_library("libm.so.6")' in jitffi.bind_header(tmp_path / "f.h", "libm.so.6", tmp_path / "o.py").text


def test_a_declaration_and_a_comment_in_one_line():
    text = "/* A */ int a(void);\n/* B */ int b(void);\nint c(void); int d(void); /* D */\n"
    text += "int e(void); /* E */ /* more */\n"
    places = [("a", 1), ("b", 2), ("c", 3), ("d", 3), ("e", 4)]
    assert documentation(Comments(text), places) == {"a": "A", "b": "B", "c": "", "d": "D", "e": "E"}
