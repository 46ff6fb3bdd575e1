"""Tensors in emitted files: extension modules without the package, packed entries, C entries of packed callees, headers
and stubs, and objects for machines of other widths."""

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
#include "jitffi/ndarray.h"
double total(const jf_dltensor* t) {
  double sum = 0;
  for (int64_t i = 0; i < t->shape[0]; i++) sum += ((double*)t->data)[i * (t->strides ? t->strides[0] : 1)];
  return sum;
}
jf_object* doubled(const jf_dltensor* t) {
  jf_object* made = jf_ndarray_new(t->ndim, t->shape, t->dtype, 0);
  if (!made || jf_dltensor_copy(jf_ndarray_tensor(made), t) != 0) return NULL;
  double* items = jf_ndarray_tensor(made)->data;
  for (int64_t i = 0; i < t->shape[0]; i++) items[i] *= 2;
  return made;
}
double ask(double (*f)(jf_dltensor*), jf_dltensor* t) { return f(t); }
"""
SIGS = {
    "total": "(x: tensor[const f64, n]) -> f64",
    "doubled": "(x: tensor[const f64, n]) -> tensor[f64, n]",
}
WITH_CALLBACK = {**SIGS, "ask": "(f: func[(tensor[f64, *]) -> f64], x: tensor[f64]) -> f64"}
PROGRAM = """
import sys, numpy as np, kernels
x = np.arange(4.0)
assert kernels.total(x[::-2]) == 4 and kernels.total(memoryview(x)) == 6
made = kernels.doubled(x[1:])
assert type(made).__name__ == "NDArray" and np.asarray(made).tolist() == [2, 4, 6]
def add(t):
    t[0] = 5
    return sum(t.tolist())
assert kernels.ask(add, x) == 11 and x.tolist() == [5, 1, 2, 3]
for call in (lambda: kernels.total(x[None]), lambda: kernels.ask(add, x[None])):
    try:
        call()
    except ValueError as error:
        assert "got float64[1, 4]" in str(error), error
    else:
        raise AssertionError
assert "jitffi" not in sys.modules
"""


def test_an_extension_module_takes_and_gives_tensors_without_the_package(tmp_path: Path) -> None:
    extension(tmp_path, "kernels", WITH_CALLBACK, SOURCE)
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, check=True, timeout=120)


def test_packed_entries_of_files(tmp_path: Path) -> None:
    objects = [emit(tmp_path / "entries.o", SIGS, entry="packed"), compile_c(tmp_path / "callees.o", SOURCE)]
    linker.link([*objects, config.library_file()], tmp_path / "kernels.so", kind="so", target=HOST)
    module = jitffi.load_module(tmp_path / "kernels.so")
    assert module.total(np.arange(8.0)[::2]) == 12
    assert module.doubled(np.arange(3.0)).tolist() == [0, 2, 4]
    with pytest.raises(TypeError, match=r"total: argument 1 'x': expected tensor\[const f64, n\], got float32\[3\]"):
        module.total(np.zeros(3, "f4"))


def test_c_entries_pass_tensors_on_to_packed_callees(tmp_path: Path) -> None:
    source = SOURCE
    objects = [emit(tmp_path / "outer.o", SIGS, entry="c", callee="packed")]
    for name, text in SIGS.items():
        source = source.replace(f" {name}(", f" own_{name}(")
        objects.append(emit(tmp_path / f"{name}.o", {name: text}, entry="packed", callee_name=f"own_{name}"))
    objects.append(compile_c(tmp_path / "callees.o", source))
    linker.link([*objects, config.library_file()], tmp_path / "outer.so", kind="so", target=HOST)
    library = jitffi.load_library(tmp_path / "outer.so")
    bound = {name: library.bind(name, text) for name, text in SIGS.items()}
    assert bound["total"](np.arange(8.0)[::-2]) == 16
    assert bound["doubled"](np.arange(6.0)[::2]).tolist() == [0, 4, 8]


@pytest.mark.parametrize("target", ["wasm32", "armv7-linux-gnueabihf", "riscv64-linux-gnu"])
@pytest.mark.parametrize("callee", ["c", "packed"])
@pytest.mark.parametrize("entry", ["c", "packed"])
def test_objects_for_other_machines(tmp_path: Path, entry: str, callee: str, target: str) -> None:
    text = "f: (x: tensor[const f32, n], y: optional[tensor]) -> optional[tensor[f32, n]]"
    made = jitffi.emit(text, tmp_path / "f.o", entry=entry, callee=callee, callee_name="g", target=target)
    assert made.stat().st_size > 0


def test_headers_and_stubs_spell_tensors() -> None:
    sigs = signatures(SIGS)
    declared = header.text(sigs, entry="packed", callee="c", file_name="kernels.so")
    assert "#include <dlpack/dlpack.h>" in declared
    assert "double total(const DLTensor* x);" in declared
    assert "jf_object* doubled(const DLTensor* x);" in declared
    stubbed = stub.text(sigs, entry="python", file_name="kernels.so")
    assert "def total(x: Any) -> float: ..." in stubbed
    assert "def doubled(x: Any) -> Any: ..." in stubbed
