"""Arrays in emitted files: extension modules without the package, packed entries, headers and stubs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.extension import HOST, compile_c, emit, extension, linker, signatures

import jitffi
from jitffi.base import config
from jitffi.emission import header, stub

SOURCE = """
#include <stdint.h>
void saxpy(uint64_t n, float a, const float* x, float* y) { for (uint64_t i = 0; i < n; i++) y[i] += a * x[i]; }
int32_t two(int64_t a, double* half, int32_t* next) { *half = a / 2.0; *next = (int32_t)a + 1; return (int32_t)a; }
void fill(int32_t n, float* x, float first) { for (int32_t i = 0; i < n; i++) x[i] = first + i; }
void twice(int64_t* x) { *x *= 2; }
"""
SIGS = {
    "saxpy": "(n: u64, a: f32, x: const f32[n], y: f32[n]) -> void",
    "two": "(a: i64, half: out[f64], next: out[i32]) -> i32",
    "fill": "(n: i32, x: out[f32[n]], first: f32) -> void",
    "twice": "(x: inout[i64]) -> void",
}
PROGRAM = """
import sys, numpy as np, kernels
x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
kernels.saxpy(2.0, x, y)
assert y.tolist() == [1, 3, 5, 7] and kernels.two(9) == (9, 4.5, 10) and kernels.twice(4) == 8
kernels.saxpy(2.0, memoryview(x), y, n=1)
assert kernels.fill(3, 1).tolist() == [1, 2, 3]
for wrong, says in (((2, x, y[:2]), "argument 3 'y': n is 2 here and 4 in 'x'"), ((2, x, [1.0]), "got list")):
    try:
        kernels.saxpy(*wrong)
    except (TypeError, ValueError) as error:
        assert says in str(error), error
    else:
        raise AssertionError(wrong)
assert "jitffi" not in sys.modules
"""


def test_an_extension_module_takes_arrays_without_the_package(tmp_path: Path) -> None:
    extension(tmp_path, "kernels", SIGS, SOURCE)
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, check=True, timeout=120)


@pytest.fixture
def module(tmp_path: Path) -> jitffi.Module:
    objects = [emit(tmp_path / "entries.o", SIGS, entry="packed"), compile_c(tmp_path / "callees.o", SOURCE)]
    linker.link([*objects, config.library_file()], tmp_path / "kernels.so", kind="so", target=HOST)
    return jitffi.load_module(tmp_path / "kernels.so")


def test_packed_entries_of_files_take_arrays_and_give_outs_back(module: jitffi.Module) -> None:
    x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    module.saxpy(2.0, x, y)
    assert y.tolist() == [1, 3, 5, 7]
    assert module.two(9) == (9, 4.5, 10) and module.fill(3, 1).tolist() == [1, 2, 3] and module.twice(4) == 8
    with pytest.raises(ValueError, match="argument 3 'y': n is 2 here and 4 in 'x'"):
        module.saxpy(2.0, x, y[:2])


def test_c_entries_pass_outs_on_to_packed_callees(tmp_path: Path) -> None:
    source = SOURCE
    objects = [emit(tmp_path / "outer.o", SIGS, entry="c", callee="packed")]
    for name, text in SIGS.items():
        source = source.replace(f" {name}(", f" own_{name}(")
        objects.append(emit(tmp_path / f"{name}.o", {name: text}, entry="packed", callee_name=f"own_{name}"))
    objects.append(compile_c(tmp_path / "callees.o", source))
    linker.link([*objects, config.library_file()], tmp_path / "outer.so", kind="so", target=HOST)
    library = jitffi.load_library(tmp_path / "outer.so")
    bound = {name: library.bind(name, text) for name, text in SIGS.items()}
    x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    bound["saxpy"](2.0, x, y)
    assert y.tolist() == [1, 3, 5, 7] and bound["two"](9) == (9, 4.5, 10) and bound["twice"](4) == 8
    assert bound["fill"](3, 1).tolist() == [1, 2, 3]


def test_headers_and_stubs_spell_arrays() -> None:
    sigs = signatures(SIGS)
    declared = header.text(sigs, entry="packed", callee="c", file_name="kernels.so")
    assert "void saxpy(uint64_t n, float a, const float* x, float* y);" in declared
    assert "int32_t two(int64_t a, double* half, int32_t* next);" in declared
    stubbed = stub.text(sigs, entry="python", file_name="kernels.so")
    assert "def saxpy(a: SupportsFloat, x: Any, y: Any, *, n: SupportsIndex | None = None) -> None: ..." in stubbed
    assert "def two(a: SupportsIndex) -> tuple[int, float, int]: ..." in stubbed
    assert "def fill(n: SupportsIndex, first: SupportsFloat) -> NDArray[Any]: ..." in stubbed
