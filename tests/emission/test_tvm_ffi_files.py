"""Files of tvm-ffi's convention: what tvm_ffi.load_module loads and calls, and what its tools read of them."""

from __future__ import annotations

import json

import pytest

import jitffi
from jitffi.base import config

tvm_ffi = pytest.importorskip("tvm_ffi")

SOURCE = """
#include <jitffi/containers.h>
#include <jitffi/ndarray.h>
#include <string.h>
int64_t add(int64_t a, int64_t b) { return a + b; }
double scale(double x, float by) { return x * by; }
_Bool negate(_Bool x) { return !x; }
int32_t greet(const char* name, size_t size, jf_value* out) {
  char text[500] = "hello ";
  memcpy(text + 6, name, size);
  return jf_out_str(out, text, size + 6);
}
int32_t blob(const char* data, size_t size, jf_value* out) { return jf_out_bytes(out, data, size); }
double total(jf_dltensor* t) {
  double sum = 0;
  for (int64_t i = 0; i < t->shape[0]; i++) sum += ((double*)t->data)[i];
  return sum;
}
int64_t apply(int64_t (*f)(int64_t), int64_t x) { return f(x); }
jf_object* same(jf_object* given) { jf_object_retain(given); return given; }
void* address(void* given) { return given; }
int64_t maybe(const int64_t* x) { return x ? *x : -1; }
int32_t any(const jf_view* given, jf_value* out) { return jf_any_retain(given, out); }
void nothing(void) {}
"""
SIGNATURES = {
    "add": "(x: i64, y: i64) -> i64",
    "scale": "(f64, f32) -> f64",
    "negate": "(bool) -> bool",
    "greet": "(name: str) -> str",
    "blob": "(bytes) -> bytes",
    "total": "(tensor[f64, n]) -> f64",
    "apply": "(func[(i64) -> i64], i64) -> i64",
    "same": "(map[str, list[i64]]) -> map[str, list[i64]]",
    "address": "(ptr) -> ptr",
    "maybe": "(optional[i64]) -> i64",
    "any": "(any) -> any",
    "nothing": "() -> void",
}


@pytest.fixture(scope="module")
def module(build_library, tmp_path_factory):
    library = build_library(SOURCE, runtime=True)
    path = tmp_path_factory.mktemp("emitted") / "demo.so"
    return tvm_ffi.load_module(str(jitffi.emit(SIGNATURES, path, entry="tvm_ffi", link=[str(library)])))


def test_numbers_and_text(module):
    assert module.add(1, 2) == 3 and module.scale(2.0, 1.5) == 3.0 and module.negate(True) is False
    assert module.nothing() is None and module.maybe(None) == -1 and module.maybe(5) == 5
    for name in ("", "x", "of a length that is no small one"):
        assert module.greet(name) == f"hello {name}" and module.blob(name.encode()) == name.encode()
    assert module.address(None) is None


def test_objects(module):
    np = pytest.importorskip("numpy")
    assert module.total(tvm_ffi.from_dlpack(np.full(4, 2.5))) == 10.0
    assert module.apply(lambda x: x * 3, 14) == 42
    assert {k: list(v) for k, v in module.same({"a": [1, 2], "b": []}).items()} == {"a": [1, 2], "b": []}
    for value in (None, 3, 2.5, True, "text", "text that is long", b"bytes that are long", tvm_ffi.dtype("int8")):
        assert module.any(value) == value
    assert module.any(module.add)(1, 2) == 3


def test_errors(module):
    with pytest.raises(TypeError, match="add: argument 1 'x': expected i64, got str 'text'"):
        module.add("text", 1)
    with pytest.raises(TypeError, match="add: expected 2 arguments, got 1"):
        module.add(1)
    with pytest.raises(ValueError, match="from the callback"):
        module.apply(lambda x: (_ for _ in ()).throw(ValueError("from the callback")), 1)


def test_what_its_tools_read(module):
    schema = json.loads(module.get_function_metadata("same")["type_schema"])
    lists = {"type": "ffi.Map", "args": [{"type": "ffi.String"}, {"type": "ffi.Array", "args": [{"type": "int"}]}]}
    assert schema == {"type": "ffi.Function", "named_args": {"return": [lists], "params": [lists]}}
    for _ in range(3):
        assert module.get_function_doc("add") == "add(x: i64, y: i64) -> i64"
    maybe = json.loads(module.get_function_metadata("maybe")["type_schema"])["named_args"]["params"]
    assert maybe == [{"type": "Optional", "args": [{"type": "int"}]}]


def test_scripts_and_kernels(tmp_path):
    @jitffi.script
    def joined(a: str, times: int) -> str:
        return a * times

    ir = "define i64 @twice(i64 %x) {\n  %y = shl i64 %x, 1\n  ret i64 %y\n}\n"
    twice = jitffi.Function.from_ir(ir, "twice", "(i64) -> i64")
    where = [f"-rpath={config.library_dir()}"]
    made = tvm_ffi.load_module(str(jitffi.emit([joined, twice], tmp_path / "both.so", entry="tvm_ffi", link=where)))
    assert made.joined("ab", 20) == "ab" * 20 and made.twice(21) == 42


def test_the_header_says_what_is_defined(build_library, tmp_path):
    jitffi.emit("add: (i64, i64) -> i64", tmp_path / "demo.o", entry="tvm_ffi", header=tmp_path / "demo.h")
    text = (tmp_path / "demo.h").read_text()
    assert '#include "jitffi/tvm_ffi.h"' in text and "int32_t __tvm_ffi_add(void* handle, " in text
    build_library(f'#include "{tmp_path / "demo.h"}"\nint here;\n')
