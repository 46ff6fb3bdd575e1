"""Headers for emitted code: what they declare, and that C and C++ compilers take them without a word."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from jitffi.base import config
from jitffi.emission import header
from jitffi.signature.cnames import KEYWORDS
from jitffi.signature.model import TYPES, WIDE_NAMES, Param, Signature, Type, func, optional

DIALECTS = [
    (compiler, dialect)
    for compilers, dialects in ((("gcc", "clang"), ("c11", "c17")), (("g++", "clang++"), ("c++11", "c++17", "c++20")))
    for compiler, dialect in itertools.product(compilers, dialects)
]


def every_type() -> list[Type]:
    """All types that a parameter can have, nested once where they nest."""
    plain = [ty for name, ty in TYPES.items() if name != "void"]
    callbacks = [func(Signature([Param(None, ty)], TYPES["void"])) for ty in plain]
    callbacks += [func(Signature([], ty)) for ty in plain]
    callbacks.append(func(Signature([Param(None, callbacks[0])], callbacks[1])))
    containers = [Type("list", (TYPES["i64"],)), Type("tuple", (TYPES["str"], ...))]
    return [*plain, *callbacks, *containers, *[optional(ty) for ty in [*plain, *callbacks, *containers]]]


def can_return(type_: Type) -> bool:
    numbers = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", *WIDE_NAMES)
    return not (type_.is_optional and type_.inner.name in numbers)


def everything() -> dict[str, Signature]:
    sigs = {"nothing": Signature([], TYPES["void"])}
    for i, ty in enumerate(every_type()):
        sigs[f"f{i}"] = Signature([Param("x", ty), Param(None, ty)], ty if can_return(ty) else TYPES["void"])
    names = sorted(name for name in KEYWORDS if name.isidentifier() and not _python_keyword(name))
    sigs["keywords"] = Signature([Param(name, TYPES["str"]) for name in names], TYPES["void"])
    sigs["named"] = Signature.parse(
        "(out: str, x: bytes, x_size: i8, size_t: u8, int64_t: i64, jf_view: any, \u00e4: i8, __a: i8, INT8_MAX: i8)"
        " -> any"
    )
    sigs["comments"] = Signature.parse(r"""(a: str = "*/ /* ??/ \\ \n", b: bytes = b"*/\\") -> i32""")
    sigs["structs"] = Signature.parse("(ptr[struct one], ptr[ptr[const struct two]], out[ptr[struct three]]) -> i32")
    sigs["class"] = Signature.parse("(i64) -> i64")  # a name in C only
    return sigs


def _python_keyword(name: str) -> bool:
    import keyword

    return keyword.iskeyword(name)


def compile_with(compiler: str, dialect: str, source: Path) -> None:
    flags = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", f"-I{config.include_dir()}"]
    command = [compiler, f"-std={dialect}", *flags, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("compiler", "dialect"), DIALECTS)
@pytest.mark.parametrize(("entry", "callee"), [("c", "packed"), ("packed", "c"), ("python", "c")])
def test_compilers_take_it_without_a_word(entry, callee, compiler, dialect, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    (tmp_path / "all.h").write_text(header.text(everything(), entry=entry, callee=callee, file_name="all.h"))
    source = tmp_path / ("main.c" if dialect.startswith("c1") else "main.cpp")
    source.write_text('#include "all.h"\n#include "all.h"\nint main(void) { return 0; }\n')
    compile_with(compiler, dialect, source)


def test_the_runtimes_header_is_included_only_where_it_is_needed(tmp_path):
    plain = {"f": Signature.parse("(f64) -> void")}
    sized = {"f": Signature.parse("(str, bool) -> i32")}
    assert "#include" not in header.text(plain, entry="c", callee="c", callee_name="g")
    included = [
        line for line in header.text(sized, entry="c", callee="c", callee_name="g").splitlines() if "#inc" in line
    ]
    assert included == ["#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>"]
    assert '#include "jitffi/runtime.h"' in header.text(plain, entry="c", callee="packed")


def test_functions_stand_in_the_order_given():
    sigs = {name: Signature.parse("() -> void") for name in ("z", "a", "m")}
    text = header.text(sigs, entry="packed", callee="c")
    assert sorted(sigs, key=lambda name: text.index(f"// {name}: ")) == ["z", "a", "m"]


def test_each_function_shows_its_signature_its_entry_and_its_callee():
    sigs = {"scale": Signature.parse("(x: f64, by: f64 = 2.0) -> f64")}
    lines = header.text(sigs, entry="packed", callee="c").splitlines()
    at = lines.index("// scale: (x: f64, by: f64 = 2.0) -> f64")
    assert lines[at + 1 : at + 7] == [
        "// defined:",
        "int32_t __jf_scale(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out);",
        "// the signature's text:",
        "extern const char __jfsig_scale[];",
        "// called, for you to define:",
        "double scale(double x, double by);",
    ]


def test_what_frees_a_result_is_named():
    sigs = {"make": Signature.parse("(out[owned[cstr, libc.so.6:free]]) -> owned[ptr[struct thing], drop]")}
    lines = header.text(sigs, entry="python", callee="c").splitlines()
    at = lines.index("struct thing* make(char** a1);")
    assert lines[at + 1 : at + 3] == [
        f"// frees what it gives, for you to define: {f}" for f in ("drop", "libc.so.6:free")
    ]


def test_equal_conventions_name_the_callee():
    sigs = {"add": Signature.parse("(i64) -> i64")}
    assert "int64_t add_impl(int64_t a1);" in header.text(sigs, entry="c", callee="c", callee_name="add_impl")
    assert "int32_t __jf_add_impl(" in header.text(sigs, entry="packed", callee="packed", callee_name="add_impl")


def test_a_pointer_to_a_function_that_takes_and_gives_pointers_to_functions():
    sig = Signature.parse("(cb: func[(func[() -> i8]) -> func[(str) -> str]]) -> func[(i64) -> void]")
    assert "void (*f(int32_t (*(*cb)(int8_t (*)(void)))(const char*, size_t, jf_value*)))(int64_t);" in header.text(
        {"f": sig}, entry="c", callee="packed"
    )


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_wrong_definition_is_found_by_the_compiler(compiler, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    sigs = {"add": Signature.parse("(i64, i64) -> i64")}
    (tmp_path / "add.h").write_text(header.text(sigs, entry="packed", callee="c", file_name="add.h"))
    source = tmp_path / "add.c"
    source.write_text('#include "add.h"\nint64_t add(int32_t a, int64_t b) { return a + b; }\n')
    with pytest.raises(AssertionError, match="conflicting types"):
        compile_with(compiler, "c11", source)
