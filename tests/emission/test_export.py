"""JITFFI_EXPORT: functions and signatures are seen from outside, whatever the compiler is told; and who has none."""

from __future__ import annotations

import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

import jitffi
from jitffi.base import config

BODY = """
JITFFI_EXPORT(add, "(a: i64, b: i64) -> i64") {
  out->type_code = JF_INT;
  out->v_int64 = args[0].v_int64 + args[1].v_int64;
  return 0;
}
JITFFI_EXPORT(twice, "(x: i64)" " -> i64");
int32_t __jf_twice(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args;
  out->type_code = JF_INT;
  out->v_int64 = 2 * args[0].v_int64;
  return 0;
}
JITFFI_EXPORT(any, "") {
  out->type_code = JF_INT;
  out->v_int64 = num_args;
  return 0;
}
JITFFI_EXPORT_ABI;
"""
C = "#include <jitffi/abi.h>\n" + BODY
CPP = "#include <jitffi/module.h>\nnamespace own {" + BODY + "}\n"
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fPIC"]
HIDING = {
    "plain": [],
    "hidden": ["-fvisibility=hidden", "-O2"],
    "collected": ["-fvisibility=hidden", "-O2", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"],
    "lto": ["-fvisibility=hidden", "-O2", "-flto", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"],
}
COMPILERS = [("gcc", "c11", C), ("gcc", "c99", C), ("clang", "c11", C), ("g++", "c++11", CPP), ("g++", "c++20", CPP),
             ("clang++", "c++17", CPP)]  # fmt: skip


def compiled(folder: Path, compiler: str, source: str, *options: str, ending: str = "so") -> Path:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    path = folder / ("source.cpp" if "++" in compiler else "source.c")
    path.write_text(source)
    made = folder / f"made.{ending}"
    kind = ["-shared"] if ending == "so" else ["-c"]
    command = [compiler, *STRICT, f"-I{config.include_dir()}", *options, *kind, str(path), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if "-flto" in options and done.returncode != 0 and ("plugin" in done.stderr or "LLVMgold" in done.stderr):
        pytest.skip("no linker for link-time optimisation")
    assert done.returncode == 0, done.stderr
    return made


@pytest.mark.parametrize(("compiler", "dialect", "source"), COMPILERS)
@pytest.mark.parametrize("hiding", HIDING)
@pytest.mark.parametrize("ending", ["so", "o"])
def test_signatures_are_there(compiler, dialect, source, hiding, ending, tmp_path):
    if ending == "o" and hiding != "hidden":
        pytest.skip("what only linkers do")
    made = compiled(tmp_path, compiler, source, f"-std={dialect}", *HIDING[hiding], ending=ending)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module = jitffi.load_module(str(made))
    assert {name: str(sig) for name, sig in module.signatures.items()} == {
        "add": "(a: i64, b: i64) -> i64", "any": "None", "twice": "(x: i64) -> i64",
    }  # fmt: skip
    assert (module.add(2, b=3), module.twice(4), module.any(1, "x", None)) == (5, 8, 3)
    with pytest.raises(TypeError, match="expected i64, got str"):
        module.add("2", 3)


def test_the_abi_is_said(tmp_path):
    newer = C.replace(
        "#include <jitffi/abi.h>", "#include <jitffi/abi.h>\n#undef JF_ABI_MAJOR\n#define JF_ABI_MAJOR 99"
    )
    with pytest.raises(OSError, match=r"ABI .*99\.0"):
        jitffi.load_module(str(compiled(tmp_path, "gcc", newer)))


LOST = """
#include <stdint.h>
#define FUNCTION(name) extern "C" int32_t __jf_##name(void*, int32_t, const void*, void*) { return 0; }
const char __jfsig_f0[] = "() -> void";
FUNCTION(f0) FUNCTION(f1) FUNCTION(f2) FUNCTION(f3) FUNCTION(f4) FUNCTION(f5) FUNCTION(f6)
"""


@pytest.mark.parametrize("ending", ["so", "o"])
def test_a_module_whose_signatures_got_lost_warns_once(ending, tmp_path):
    made = compiled(tmp_path, "g++", LOST, "-Wno-unused-variable", ending=ending)
    with pytest.warns(UserWarning) as caught:
        jitffi.load_module(str(made))
    assert len(caught) == 1 and caught[0].filename == __file__
    message = str(caught[0].message)
    assert message.startswith("module 'made' has no signature of f0, f1, f2, f3, f4 and 2 more: ")
    assert 'JITFFI_EXPORT(f0, "(...) -> ...")' in message


def test_what_emit_writes_warns_not(tmp_path):
    script = tmp_path / "words.py"
    script.write_text("import jitffi\n\n@jitffi.script\ndef twofold(x: int) -> int:\n    return x + x\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = jitffi.emit("labs: (x: i64) -> i64", tmp_path / "a.o")
        assert jitffi.load_module(path).labs(-1) == 1
        path = jitffi.emit(f"{script}:twofold", tmp_path / "b.o")
        assert jitffi.load_module(path).twofold(4) == 8
