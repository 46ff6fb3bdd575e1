"""Functions of the old packed convention, and of TVM's entry of that age, played by C."""

from __future__ import annotations

import pytest

import jitffi

SOURCE = r"""
#include <stdint.h>
#include <stddef.h>
#include <jitffi/runtime.h>
typedef union { int64_t i; double f; void* p; const char* s; } Value;
int32_t echo(void* self, int32_t n, const int32_t* codes, const Value* values, int32_t* out_code, Value* out) {
  if (n < 1) { jf_error_set("ValueError", "echo of nothing"); return -1; }
  *out_code = codes[n - 1];
  *out = values[n - 1];
  if (codes[n - 1] >= 8 && codes[n - 1] <= 10) jf_object_retain(values[n - 1].p);
  if (codes[n - 1] == 13) jf_object_retain((jf_object*)((char*)values[n - 1].p - 16));
  return 0;
}
int32_t code_of(void* self, int32_t n, const int32_t* codes, const Value* values, int32_t* out_code, Value* out) {
  *out_code = 0;
  out->i = codes[0] + (self ? 100 : 0);
  return 0;
}
int32_t odd(void* self, int32_t n, const int32_t* codes, const Value* values, int32_t* out_code, Value* out) {
  *out_code = (int32_t)values[0].i;
  out->i = values[1].i;
  return 0;
}
int entry(void* args, int* codes, int n, void* out, int* out_code, void* resource) {
  *out_code = 0;
  ((Value*)out)->i = ((Value*)args)[0].i + ((Value*)args)[1].i + codes[2];
  return 0;
}
int32_t silent(void* self, int32_t n, const int32_t* codes, const Value* values, int32_t* out_code, Value* out) {
  return 7;
}
"""


@pytest.fixture
def legacy(build_library):
    library = jitffi.load_library(build_library(SOURCE, runtime=True))

    def made(symbol, **options):
        address = jitffi.Function(library.bind(symbol, "() -> void")).native_address
        return jitffi.from_packed_legacy(address, keep_alive=library, **options)

    return made


def test_values_both_ways(legacy):
    echo = legacy("echo")
    values = [None, 0, -(2**63), 2**64 - 1, 1.5, "", "short", "ä" * 40, b"", b"a\0b", b"b" * 40]
    for value in values:
        assert (type(echo(value)), echo(value)) == (type(value), value)
    assert echo(True) == 1  # bool crosses as int
    for value in (jitffi.DataType("float32"), jitffi.Device("cpu:0")):
        assert echo(value) == value
    assert echo(*range(30)) == 29


def test_objects_functions_and_arrays(legacy):
    echo = legacy("echo")
    listed = jitffi.List([1])
    assert echo(listed) is listed
    assert echo(lambda x: x + 1)(2) == 3
    np = pytest.importorskip("numpy")
    array = jitffi.from_dlpack(np.zeros((2, 3)))
    assert echo(array) is array


def test_codes_are_of_the_old_list(legacy):
    code = legacy("code_of")
    given = [1, 2**64 - 1, 1.5, None, jitffi.DataType("int8"), jitffi.Device("cpu"), "text", b"bytes", jitffi.List()]
    assert [code(each) for each in given] == [0, 1, 2, 4, 5, 6, 11, 12, 8]
    assert code(lambda: 1) == 10 and legacy("code_of", self_handle=8)(1) == 100
    np = pytest.importorskip("numpy")
    typed = legacy("code_of", signature="(x: tensor[f64]) -> i64")
    assert code(jitffi.from_dlpack(np.zeros(2))) == typed(np.zeros(2)) == 13


def test_tvms_own_entry(legacy):
    assert legacy("entry", tvm_entry=True)(3, 4, None) == 11


def test_what_fails(legacy):
    with pytest.raises(ValueError, match="echo of nothing"):
        legacy("echo")()
    with pytest.raises(ValueError, match="said: argument 2: expected cstr, got str with an embedded NUL"):
        legacy("echo", name="said")(1, "a\0b")
    with pytest.raises(TypeError, match="odd one: result: expected a type code that results have, got type code 99"):
        legacy("odd", name="odd one")(99, 0)
    with pytest.raises(RuntimeError, match="silent failed without setting an error"):
        legacy("silent", name="silent")()
    assert legacy("odd")(15, 1) is True and legacy("odd")(3, 0) is None
    with pytest.raises(TypeError, match="expected an address as int, got str"):
        jitffi.from_packed_legacy("x")
    with pytest.raises(ValueError, match="NULL"):
        jitffi.from_packed_legacy(0)
    for given in ({"address": 2**64}, {"address": -1}, {"address": 4096, "self_handle": 2**64}):
        with pytest.raises(OverflowError, match="from_packed_legacy: expected an address of up to 64 bits, got int"):
            jitffi.from_packed_legacy(**given)
    with pytest.raises(TypeError, match="from_packed_legacy: expected str for the name, got int"):
        jitffi.from_packed_legacy(4096, name=3)


def test_in_the_registry_as_any_other(legacy):
    jitffi.register_global_func("test.legacy.echo", legacy("echo"))
    try:
        assert jitffi.get_global_func("test.legacy.echo")("a text that is long") == "a text that is long"
    finally:
        jitffi.remove_global_func("test.legacy.echo")


def test_any_function_is_called_by_it(legacy):
    """Through both entries, with all that a call may be given."""
    echo = jitffi.convert(lambda *args: args[-1])
    for tvm_entry in (False, True):
        address, handle = jitffi.to_packed_legacy(echo, tvm_entry=tvm_entry)
        back = jitffi.from_packed_legacy(address, self_handle=handle, tvm_entry=tvm_entry, keep_alive=echo)
        for value in (None, -7, 2**64 - 1, 1.5, "", "text", "ä" * 300, b"a\0b" * 50, jitffi.Device("cpu:0"), 3):
            assert back(value) == value
        listed = jitffi.List([1])
        assert back(1, listed) is listed and back(*range(40)) == 39
    with pytest.raises(KeyError, match="mine"):
        raising = jitffi.convert({}.__getitem__)
        address, handle = jitffi.to_packed_legacy(raising)
        jitffi.from_packed_legacy(address, self_handle=handle, keep_alive=raising)("mine")
    with pytest.raises(TypeError, match=r"expected a function of jitffi, got int"):
        jitffi.to_packed_legacy(3)
