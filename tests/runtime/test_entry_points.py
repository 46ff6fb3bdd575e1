"""Each row of jitffi/runtime/entry_points.py is an entry point of the extension, of just these types, and fails as the
row says."""

from __future__ import annotations

import ctypes
import platform
import re
import struct
from pathlib import Path

import pytest

import jitffi
from jitffi import _core
from jitffi.api.making import make
from jitffi.base import config, layout
from jitffi.runtime import entry_points
from jitffi.signature.model import Signature

SOURCES = Path(__file__).resolve().parents[2] / "runtime_c" / "python"

#: Entry points that are declared by neither of our headers.
FOREIGN = {
    "PyLong_FromLongLong": ("PyObject*", "long long"),
    "PyLong_FromUnsignedLongLong": ("PyObject*", "unsigned long long"),
    "PyFloat_FromDouble": ("PyObject*", "double"),
    "strlen": ("size_t", "const char*"),
}
LLVM_TYPES = {
    "void": "void", "int32_t": "i32", "uint32_t": "i32", "int64_t": "i64", "uint64_t": "i64", "size_t": "size",
    "Py_ssize_t": "i64", "long long": "i64", "unsigned long long": "i64", "double": "double", "uint16_t": "i16",
    "jf_legacy_call": "ptr", "core_scalar": "{ i64, i64 }", "jf_dtype": "i32", "jf_device": "i64",
}  # fmt: skip


def llvm_type(text):
    text = re.sub(r"\bconst\b", "", text).strip()
    return "ptr" if "*" in text else LLVM_TYPES[" ".join(text.split())]


def prototypes():
    """name: (result, parameters) of each function that our headers declare."""
    texts = [path.read_text() for part in ("shared", "package") for path in (SOURCES / part).glob("*.h")]
    texts += [
        (config.include_dir() / "jitffi" / name).read_text()
        for name in ("runtime.h", "array.h", "legacy.h", "tvm_ffi.h")
    ]
    text = re.sub(r"/\*.*?\*/", "", "\n".join(texts), flags=re.S)
    text = re.sub(r"\b(JF_API|static|extern)\b", "", text)
    found = {}
    for result, name, params in re.findall(r"^ ?(?=\w)([\w *]+?[\s*]+)(\w+)\(([^()]*)\)\s*[;{]", text, re.M):
        names = [re.sub(r"\w+(\[\])?$", "", p).strip() for p in params.split(",")]
        found[name] = (result.strip(), [] if params.strip() == "void" else names)
    return found


def targets():
    """row's name: C name, from the list in table.c."""
    table = (SOURCES / "package" / "table.c").read_text()
    return dict(re.findall(r"\bX\((\w+), (\w+)\)", table))


pytestmark = pytest.mark.skipif(not SOURCES.is_dir(), reason="the extension's sources are not beside the tests")


@pytest.mark.parametrize("name", entry_points.HELPERS)
def test_rows_have_the_types_of_their_c_functions(name):
    row, target = entry_points.HELPERS[name], targets()[name]
    result, params = prototypes().get(target) or (FOREIGN[target][0], [FOREIGN[target][1]])
    assert [llvm_type(p) for p in params] == list(row.args), f"{target}: {params}"
    if llvm_type(result) != "void":
        assert llvm_type(result) == row.result, f"{target} returns {result}"
    else:
        assert row.result == "void"


@pytest.mark.parametrize("name", entry_points.HELPERS)
def test_rows_fail_as_their_result_can(name):
    row = entry_points.HELPERS[name]
    if row.fails:
        value, where = row.fails
        assert where in ("python", "runtime", "text")
        assert row.result == {"nonzero": "i32", "null": "ptr", "second": "{ i64, i64 }"}[value]
    assert len(row.args) <= 6 or row.cold_index < 0, "the stubs that keep registers pass none on the stack"


def test_every_entry_resolves():
    function = make("f", Signature.parse("() -> void"), "c", 1, entry=False)
    state = id(function) + layout.HOST["function.state"]
    table = struct.unpack("Q", ctypes.string_at(state + layout.HOST.state["table"], 8))[0]
    addresses = struct.unpack(f"{len(_core.TABLE)}Q", ctypes.string_at(table, 8 * len(_core.TABLE)))
    assert all(addresses)
    assert len(set(_core.TABLE)) == len(_core.TABLE)
    for name, value in (("none", None), ("true", True), ("false", False), ("float_type", float), ("long_type", int)):
        assert addresses[entry_points.DATA_INDEX[name]] == id(value)
    for name, row in entry_points.HELPERS.items():
        assert _core.TABLE[row.index] == name
        assert row.cold_index == -1 or _core.TABLE[row.cold_index] == f"cold_{name}"


KEPT = r"""
#include <stdint.h>

/* Calls the stub with its argument, and returns a bit for each register that it has changed. */
int32_t changed(void* stub, void* argument, int32_t gives) {
  uint64_t v[9] = {0};
  __asm__ volatile(
      "mov %[argument], %%rdi\n"
      "mov $102, %%rsi\n mov $103, %%rdx\n mov $104, %%rcx\n mov $105, %%r8\n mov $106, %%r9\n mov $107, %%r10\n"
      "mov $108, %%rax\n mov %%rsp, %%r12\n and $-16, %%rsp\n"
      "call *%[stub]\n"
      "mov %%r12, %%rsp\n"
      "mov %%rsi, 0(%[v])\n mov %%rdx, 8(%[v])\n mov %%rcx, 16(%[v])\n mov %%r8, 24(%[v])\n mov %%r9, 32(%[v])\n"
      "mov %%r10, 40(%[v])\n mov %%rax, 48(%[v])\n mov %%rdi, 56(%[v])\n"
      :
      : [stub] "r"((uint64_t)stub), [argument] "r"((uint64_t)argument), [v] "r"(v)
      : "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "rax", "r12", "memory", "cc", "xmm0", "xmm1", "xmm2",
        "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  int32_t bits = 0;
  for (int i = 0; i < 6; i++) bits |= (v[i] != (uint64_t)(102 + i)) << i;
  if (!gives) bits |= (v[6] != 108) << 6;
  return bits | (v[7] != (uint64_t)argument) << 7;
}
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="elsewhere the stubs are the functions themselves")
def test_stubs_keep_the_registers_of_their_caller(build_library):
    changed = jitffi.load_library(build_library(KEPT)).bind("changed", "(ptr, ptr, i32) -> i32")
    function = make("f", Signature.parse("() -> void"), "c", 1, entry=False)
    state = id(function) + layout.HOST["function.state"]
    table = struct.unpack("Q", ctypes.string_at(state + layout.HOST.state["table"], 8))[0]

    def stub(name):
        return struct.unpack("Q", ctypes.string_at(table + 8 * entry_points.HELPERS[name].cold_index, 8))[0]

    assert changed(stub("is_pending"), None, 1) == 0
    assert changed(stub("take_pending"), None, 1) == 0
    assert changed(stub("temps_release"), bytearray(8), 0) == 0
