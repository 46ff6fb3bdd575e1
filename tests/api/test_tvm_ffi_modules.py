"""Libraries made for tvm-ffi, loaded as modules: by its ABI alone, and with its library where they need that."""

from __future__ import annotations

import gc
import importlib.util
import shutil

import pytest

import jitffi
from jitffi import _core

#: A library as its ABI wants it, which needs nothing but C.
BY_HAND = r"""
#include <stdint.h>
#include <string.h>
typedef struct { int32_t index; uint32_t length; union { int64_t i; double f; void* p; char bytes[8]; }; } any;
typedef struct { uint64_t count; int32_t index; uint32_t zero; void* deleter; const char* data; size_t size; } text;
#define EXPORT(name) int32_t __tvm_ffi_##name(void* self, const any* args, int32_t n, any* result)
static const char* const schema =
    "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{\\\"return\\\":[{\\\"type\\\":\\\"int\\\"}],"
    "\\\"params\\\":[{\\\"type\\\":\\\"int\\\"},{\\\"type\\\":\\\"int\\\"}]}}\"}";
EXPORT(add) {
  if (n != 2) return -1;
  *result = (any){.index = 1, .i = args[0].i + args[1].i};
  return 0;
}
EXPORT(_metadata_add) {
  static text made = {1, 65};
  made.count += (uint64_t)1 << 32 | 2;
  made.data = schema;
  made.size = strlen(schema);
  *result = (any){.index = 65, .p = &made};
  return 0;
}
EXPORT(_metadata_length) { return -1; }
EXPORT(_metadata_echo) {
  *result = (any){.index = 11, .length = 5, .bytes = "[3, 4"};
  return 0;
}
EXPORT(length) {
  if (args[0].index == 11) *result = (any){.index = 1, .i = args[0].length};
  else if (args[0].index == 65) *result = (any){.index = 1, .i = (int64_t)((text*)args[0].p)->size};
  else return -1;
  return 0;
}
EXPORT(echo) {
  *result = args[0];
  if (args[0].index >= 64) ++*(uint64_t*)args[0].p;
  return 0;
}
EXPORT(kind) {
  *result = (any){.index = 1, .i = args[0].index};
  return 0;
}
EXPORT(apply) { /* a function object: its safe_call stands behind the header */
  struct { char header[24]; int32_t (*call)(void*, const any*, int32_t, any*); }* f = args[0].p;
  return f->call(f, args + 1, n - 1, result);
}
double __jf_no_function = 1;
"""


@pytest.fixture(scope="module")
def module(build_library):
    return jitffi.load_module(build_library(BY_HAND))


def test_functions_of_a_library_by_hand(module):
    assert list(module) == ["add", "apply", "echo", "kind", "length"]
    assert module.add(1, 2) == 3 and module.length("x" * 7) == 7 and module.length("x" * 100) == 100
    assert module.apply(lambda x, y: x * y, 6, 7) == 42
    for value in (
        None,
        True,
        1,
        2.5,
        "text",
        "text that is long",
        b"bytes",
        b"bytes that are long",
        [1, ["two"]],
        (3,),
    ):
        got = jitffi.to_plain(module.echo(value))
        assert got == value and type(got) is type(value)
    array = module.echo(jitffi.Shape([1, 2]))
    assert array == (1, 2) and module.kind([]) == 71 and module.kind("long enough") == 65


def test_metadata_tells_the_types(module):
    assert str(module.signatures["add"]) == "(i64, i64) -> i64" and module.signatures["echo"] is None
    assert jitffi.Function(module.add).signature is not None
    with pytest.raises(TypeError, match="add: argument 1: expected i64, got str 'one'"):
        module.add("one", 2)
    with pytest.raises(RuntimeError, match="failed without an error"):
        module.length(None)


def test_it_is_loaded_as_long_as_a_function_is_used(build_library, tmp_path):
    path = tmp_path / "apart.so"
    shutil.copy(build_library(BY_HAND), path)
    module = jitffi.load_module(path)
    add, echo = module.add, module.echo
    with pytest.raises(RuntimeError, match="in use"):
        module.close()
    assert _core.module_of(add) is module and _core.module_of(echo) is module
    del add, echo
    gc.collect()
    module.close()
    with pytest.raises(ValueError, match="was unloaded"):
        _ = module.add


def test_files_of_ours_keep_their_signatures(tmp_path):
    path = jitffi.emit("labs: (x: i64) -> i64", tmp_path / "demo.so", entry="tvm_ffi")
    module = jitffi.load_module(path)
    assert module.labs(x=-3) == 3 and str(module.signatures["labs"]) == "(x: i64) -> i64"


def test_files_of_scripts_find_their_library(tmp_path, run_python):
    @jitffi.script(signature="(words: list[str]) -> i64")
    def letters(words):
        return sum([len(word.upper()) for word in words])

    paths = [jitffi.emit([letters], tmp_path / f"{entry}.so", entry=entry) for entry in ("packed", "tvm_ffi")]
    run_python(
        f"""
import jitffi
for path in {[str(path) for path in paths]!r}:
    assert jitffi.load_module(path).letters(["to", "be"]) == 4
"""
    )


def test_without_tvm_ffi_nothing_of_it_is_needed(build_library, run_python):
    run_python(
        f"""
import sys, jitffi
sys.modules["tvm_ffi"] = None
module = jitffi.load_module({build_library(BY_HAND)!r})
assert module.add(1, 2) == 3 and module.echo("text that is long") == "text that is long"
"""
    )


def test_what_its_library_makes_is_asked_for_by_name(build_library, run_python):
    run_python(
        f"""
import sys, jitffi
sys.modules["tvm_ffi"] = None
module = jitffi.load_module({build_library(BY_HAND)!r})
try:
    module.echo({{"a": 1}})
except ImportError as error:
    assert "tvm-ffi is not loaded in this process" in str(error), error
else:
    assert False
"""
    )


needs_tvm_ffi = pytest.mark.skipif(importlib.util.find_spec("tvm_ffi") is None, reason="tvm-ffi is not installed")


@needs_tvm_ffi
def test_a_library_that_its_loader_sets_up(build_library):
    source = BY_HAND + "void* __tvm_ffi__library_ctx;\nEXPORT(is_set_up) {\n  *result = (any){.index = 2, .i = "
    module = jitffi.load_module(build_library(source + "__tvm_ffi__library_ctx != 0};\n  return 0;\n}\n"))
    assert module.is_set_up() is True


#: As compilers of kernels write it: no metadata, tensors by their fields, and what it needs of tvm-ffi left open.
KERNELS = (
    BY_HAND
    + r"""
typedef struct {
  void* data;
  int32_t device[2], ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
} tensor;
extern void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);
extern int TVMFFIEnvModRegisterContextSymbol(const char* name, void* symbol);
EXPORT(scale) {
  const tensor* t = args[0].index == 70 ? (const tensor*)((char*)args[0].p + 24) : args[0].p;
  if (n != 2 || (args[0].index != 70 && args[0].index != 7) || t->bits != 32) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "scale: expected a tensor of float32 and a number");
    return -1;
  }
  const double by = args[1].index == 3 ? args[1].f : (double)args[1].i;
  for (int64_t i = 0; i < t->shape[0]; i++) ((float*)t->data)[i] *= (float)by;
  return 0;
}
EXPORT(main) { return __tvm_ffi_scale(self, args, n, result); }
"""
)


@needs_tvm_ffi
def test_kernels_that_leave_its_functions_open(build_library, run_python):
    np = pytest.importorskip("numpy")
    path = build_library(KERNELS)
    module = jitffi.load_module(path)
    assert {"main", "scale"} <= set(module)
    for array in (np.arange(3, dtype="float32"), jitffi.from_dlpack(np.arange(3, dtype="float32"))):
        assert module.scale(array, 2.0) is None
        module.main(array, 3)
        assert np.asarray(array).tolist() == [0, 6, 12]
    with pytest.raises(TypeError, match="scale: expected a tensor of float32"):
        module.scale(np.arange(3), 2.0)
    run_python(
        f"""
import sys, jitffi
sys.modules["tvm_ffi"] = None
try:
    jitffi.load_module({path!r})
except OSError as error:
    assert "needs tvm-ffi" in str(error) and "install apache-tvm-ffi" in str(error), error
else:
    assert False
"""
    )


@needs_tvm_ffi
def test_a_library_that_its_own_tools_build(tmp_path):
    if shutil.which("g++") is None or shutil.which("ninja") is None:
        pytest.skip("no C++ compiler or no ninja")
    import tvm_ffi.cpp

    source = "int64_t twice(int64_t x) { return 2 * x; }\nvoid fill(tvm::ffi::TensorView t, double x) {\n"
    source += "  for (int64_t i = 0; i < t.size(0); ++i) static_cast<double*>(t.data_ptr())[i] = x;\n}\n"
    path = tvm_ffi.cpp.build_inline(
        "made", cpp_sources=source, functions=["twice", "fill"], build_directory=str(tmp_path)
    )
    module = jitffi.load_module(path)
    assert module.twice(21) == 42
    np = pytest.importorskip("numpy")
    array = np.zeros(3)
    module.fill(array, 2.5)
    assert array.tolist() == [2.5] * 3


@needs_tvm_ffi
def test_a_library_of_its_c_plus_plus(tmp_path):
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler")
    import subprocess

    import tvm_ffi

    source = tmp_path / "words.cc"
    source.write_text(CXX)
    include = [f"-I{each}" for each in tvm_ffi.libinfo.include_paths()]
    library = tvm_ffi.libinfo.find_libtvm_ffi()
    command = ["g++", "-std=c++17", "-O0", "-shared", "-fPIC", "-DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1", *include]
    subprocess.run([*command, str(source), library, "-o", str(tmp_path / "words.so")], check=True, timeout=300)
    module = jitffi.load_module(tmp_path / "words.so")
    assert module.twice(21) == 42 and module.joined("a", "b" * 20) == "a" + "b" * 20
    assert str(module.signatures["joined"]) == "(str, str) -> str"
    assert {k: list(v) for k, v in module.counted({"a": [1, 2]}).items()} == {"a": [1, 2]}
    with pytest.raises(ValueError, match="no such thing"):
        module.fails("no such thing")
    assert module.called(lambda x: x + 1) == 42
    jitffi.to_tvm_ffi(jitffi.load_library(None).bind("labs", "(x: i64) -> i64"), "jitffi.test.labs")
    try:
        assert module.registered("jitffi.test.labs", -5) == 5
        with pytest.raises(TypeError, match=r"labs.*expected i64, got str"):
            module.registered("jitffi.test.labs", "five")
    finally:
        tvm_ffi.remove_global_func("jitffi.test.labs")


CXX = """
#include <tvm/ffi/tvm_ffi.h>
using namespace tvm::ffi;
int64_t twice(int64_t x) { return 2 * x; }
String joined(String a, String b) { return String(std::string(a) + std::string(b)); }
Map<String, Array<int64_t>> counted(Map<String, Array<int64_t>> given) { return given; }
void fails(String why) { TVM_FFI_THROW(ValueError) << why; }
int64_t called(Function f) { return f(41).cast<int64_t>(); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, twice);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(joined, joined);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(counted, counted);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fails, fails);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(called, called);
int64_t registered(String name, Any x) { return Function::GetGlobalRequired(name)(x).cast<int64_t>(); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(registered, registered);
"""
