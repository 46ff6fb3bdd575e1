"""Names in emitted headers: whatever functions and parameters are called, compilers take it, or there is none."""

from __future__ import annotations

import keyword
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import jitffi
from jitffi.base import config
from jitffi.base.errors import ArgumentError
from jitffi.emission import header
from jitffi.signature.cnames import KEYWORDS, STANDARD, why_not_declared
from jitffi.signature.model import TYPES, Param, Signature

COMPILERS = [
    ("gcc", "c11"), ("gcc", "gnu17"), ("clang", "c11"), ("clang", "gnu17"),
    ("g++", "c++17"), ("g++", "gnu++11"), ("clang++", "c++17"),
]  # fmt: skip
INCLUDED = [
    "stdio", "stdlib", "string", "math", "errno", "assert", "ctype", "signal", "time", "unistd", "fcntl", "sys/stat",
    "sys/types", "setjmp", "limits", "float", "locale", "wchar", "wctype", "complex", "inttypes", "stdarg", "pthread",
    "sys/socket", "netinet/in", "sys/time", "sys/wait", "dlfcn", "dirent", "termios", "iso646", "stdalign",
    "stdnoreturn", "threads",
]  # fmt: skip
TYPES_OF_FUNCTIONS = ["(f64) -> f64", "(i32) -> i32", "(i64, ptr) -> i64", "(f32, f32) -> f32", "(x: str) -> str"]


def compiled(compiler: str, dialect: str, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    language = "c++" if "++" in compiler else "c"
    command = [compiler, f"-std={dialect}", f"-I{config.include_dir()}", *options, "-x", language, "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, timeout=120)


def macros(compiler: str, dialect: str, headers: list[str]) -> set[str]:
    """The names that the headers define, those that are reserved for the implementation left out."""
    includes = "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in headers)
    done = compiled(compiler, dialect, includes, "-D_GNU_SOURCE", "-dM", "-E")
    assert done.returncode == 0, done.stderr
    return set(re.findall(r"^#define ([A-Za-z]\w*)", done.stdout, re.M))


def known_functions() -> set[str]:
    """What compilers and the C library have functions of."""
    names = set(STANDARD)
    for library in ("libc.so.6", "libm.so.6"):
        found = sorted(Path("/lib").glob(f"*/{library}")) + sorted(Path("/usr/lib").glob(f"*/{library}"))
        if found and shutil.which("nm"):
            done = subprocess.run(["nm", "-D", "--defined-only", found[0]], capture_output=True, text=True, timeout=60)
            names |= {line.split()[-1].partition("@")[0] for line in done.stdout.splitlines()}
    return {name for name in names if name.isidentifier() and name[0] != "_"}


#: Each type for a compiler of C and one of C++, each compiler for one type.
PAIRS = [(*each, sig) for each in (COMPILERS[0], COMPILERS[-1]) for sig in TYPES_OF_FUNCTIONS]
PAIRS += [(*each, TYPES_OF_FUNCTIONS[-1]) for each in COMPILERS[1:-1]]


@pytest.mark.parametrize(("compiler", "dialect", "sig"), PAIRS)
def test_functions_are_declared_or_refused(compiler, dialect, sig, tmp_path):
    runtime = set(re.findall(r"\bjf_\w+", (config.include_dir() / "jitffi/runtime.h").read_text()))
    ours = macros(compiler, dialect, ["jitffi/runtime.h", "jitffi/module.h", "stdbool.h"])
    odd = {"main", "std", "size_t", "int64_t", "char16_t", "jf_view", "__FILE__", "__func__", "__builtin_sin", "asm"}
    wanted = {*known_functions(), *KEYWORDS, *ours, *runtime, *odd, "errno", "assert", "va_start", "isnan", "INT64_C"}
    parsed = Signature.parse(sig)
    text = ""
    for kind in ("c", "packed"):  # defined, called
        sigs = {}
        for name in sorted(wanted):
            try:
                header.text({name: parsed}, entry=kind, callee="packed" if kind == "c" else "c", file_name="all.h")
            except ArgumentError as error:
                assert str(error).startswith(f"{name}: a header cannot declare it: ")  # noqa: PT017
            else:
                if name not in STANDARD:  # whose headers bring all else that they declare
                    sigs[name] = parsed
        assert len(sigs) > len(wanted) / 2
        text += header.text(sigs, entry=kind, callee="packed" if kind == "c" else "c", file_name=f"all_{kind}.h")
    strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-Wno-pragma-once-outside-header"]
    done = compiled(compiler, dialect, text, *strict)
    assert done.returncode == 0, "\n".join(done.stderr.splitlines()[:40])


@pytest.mark.parametrize(("compiler", "dialect"), COMPILERS)
def test_parameters_are_renamed(compiler, dialect):
    ours = macros(compiler, dialect, ["jitffi/module.h", "stdbool.h", *[f"{name}.h" for name in INCLUDED]])
    names = {*ours, *KEYWORDS, "jf_view", "jf_object_retain", "size_t", "int64_t", "out", "x", "x_size", "_B", "_Bool"}
    params = [Param(name, TYPES["str"]) for name in sorted(names) if not keyword.iskeyword(name)]
    sigs = {f"f{i}": Signature(params[i : i + 100], TYPES["str"]) for i in range(0, len(params), 100)}
    includes = "".join(f"#if __has_include(<{name}.h>)\n#include <{name}.h>\n#endif\n" for name in INCLUDED)
    text = "#define _GNU_SOURCE 1\n" * ("++" not in compiler) + includes
    text += header.text(sigs, entry="c", callee="packed", file_name="all.h")
    done = compiled(compiler, dialect, text, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only")
    assert done.returncode == 0, "\n".join(done.stderr.splitlines()[:40])


@pytest.mark.parametrize("name", ["x", "X", "ldA", "n", "_x", "std", "index", "unsigned_"])
def test_names_that_can_stay_do(name):
    assert f"double f(double {name});" in header.text(
        {"f": Signature.parse(f"({name}: f64) -> f64")}, entry="c", callee="packed"
    )


@pytest.mark.parametrize(
    ("name", "sig", "reason"),
    [
        ("errno", "() -> i32", "it is a macro of C's headers"), ("INT64_MAX", "() -> i64", "it is a macro"),
        ("register", "() -> i32", "it is a keyword of C"), ("size_t", "() -> i32", "it is a type of C's headers"),
        ("jf_object_retain", "(any) -> void", "such names are the runtime's"),
        ("hypot", "(i64) -> i64", r"C's own function of that name is \(f64, f64\) -> f64"),
        ("sinl", "(f64) -> f64", r"is \(longdouble\) -> longdouble"),
        ("clogl", "(c128) -> c128", "has types that no signature has"),
        ("cabsf", "(f64) -> f64", r"is \(c64\) -> f32"), ("main", "() -> i32", "where a program begins"),
        ("__builtin_sin", "(f64) -> f64", "a name of the compiler's own"),
    ],
)  # fmt: skip
def test_the_reason_is_said(name, sig, reason):
    with pytest.raises(ArgumentError, match=f"{name}: a header cannot declare it: .*{reason}"):
        header.text({name: Signature.parse(sig)}, entry="c", callee="packed")
    assert why_not_declared("scale", Signature.parse(sig)) == ""


def test_emit_writes_nothing_then(tmp_path):
    with pytest.raises(ArgumentError, match="errno: a header cannot declare it"):
        jitffi.emit("errno: () -> i32", tmp_path / "e.o", header=tmp_path / "e.h")
    assert list(tmp_path.iterdir()) == []
    jitffi.emit("errno: () -> i32", tmp_path / "e.o")
    jitffi.emit("errno: () -> i32", tmp_path / "e.o", callee_name="get_errno", header=tmp_path / "e.h")
    assert "int32_t get_errno(void);" in (tmp_path / "e.h").read_text()


def test_a_function_of_the_runtime_is_called(tmp_path):
    text = header.text({"jf_live_objects": Signature.parse("() -> u64")}, entry="packed", callee="c")
    assert '#include "jitffi/runtime.h"' in text and "// called: jf_live_objects of jitffi's runtime" in text


@pytest.mark.parametrize("file_name", ["f.h", "INT64_MAX", "jitffi_runtime.h", "null", "F_H.h", "jf.h"])
@pytest.mark.parametrize(("compiler", "dialect"), [("gcc", "c11"), ("clang++", "c++17")])
def test_the_guard_is_no_other_name(file_name, compiler, dialect):
    sigs = {"F_H": Signature.parse("(x: any) -> i64"), "f": Signature.parse("() -> i64")}
    text = header.text(sigs, entry="c", callee="packed", file_name=file_name)
    text += "#include <stdint.h>\nextern int64_t a[INT64_MAX > 0 ? 1 : -1];\n"
    text += "int64_t g(void);\nint64_t g(void) { return f() + F_H(0); }\n"
    done = compiled(compiler, dialect, text, "-Wall", "-Wextra", "-Werror", "-fsyntax-only")
    assert done.returncode == 0, done.stderr
