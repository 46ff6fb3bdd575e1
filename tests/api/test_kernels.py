"""Kernels: functions of LLVM IR and of object files, called, refused, emitted, pickled and let go."""

from __future__ import annotations

import copy
import ctypes
import gc
import os
import pickle
import shutil
import subprocess
import textwrap

import numpy
import pytest
from llvmlite import binding, ir

import jitffi

TWICE = "define i64 @twice(i64 %x) {\n  %y = add i64 %x, %x\n  ret i64 %y\n}\n"
SAXPY = """
define void @saxpy(i64 %n, float %a, ptr noalias %x, ptr noalias %y) {
entry:
  %none = icmp eq i64 %n, 0
  br i1 %none, label %end, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %px = getelementptr float, ptr %x, i64 %i
  %py = getelementptr float, ptr %y, i64 %i
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %product = fmul float %a, %vx
  %sum = fadd float %vy, %product
  store float %sum, ptr %py
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""
COUNTER = """
@count = global i64 40
@steps = private constant [2 x i64] [i64 1, i64 2]
declare double @cos(double)
define i64 @count_up(i1 zeroext %two) {
  %which = zext i1 %two to i64
  %step = getelementptr [2 x i64], ptr @steps, i64 0, i64 %which
  %by = load i64, ptr %step
  %old = load i64, ptr @count
  %new = add i64 %old, %by
  store i64 %new, ptr @count
  ret i64 %new
}
define double @cosine(double %x) { %y = call double @cos(double %x) ret double %y }
define double @unused(double %x) { %y = call double @cosine(double %x) ret double %y }
"""
from_ir = jitffi.Function.from_ir


def test_a_kernel_is_called_as_a_bound_function():
    twice = from_ir(TWICE, "twice", "(x: i64 = 4) -> i64")
    assert [twice(21), twice(), twice(x=-3), twice(1 << 61)] == [42, 8, -6, 1 << 62]
    assert type(twice) is type(len) and twice.__name__ == "twice"
    assert repr(jitffi.Function(twice)) == "<jitffi.Function twice(x: i64 = 4) -> i64>"
    with pytest.raises(TypeError, match=r"twice: argument 1 'x': expected i64, got str 'a'"):
        twice("a")
    with pytest.raises(OverflowError):
        twice(1 << 64)


def test_it_is_inlined_into_its_entry():
    twice = jitffi.Function(from_ir(TWICE, "twice", "(x: i64) -> i64"))
    entry = twice.inspect_asm().partition("jitffi.entry:")[2].partition(".cfi_endproc")[0]
    assert "ret" in entry and "twice" not in entry
    assert "define i64 @twice" in twice.inspect_llvm() and "jitffi.entry" in twice.inspect_llvm()
    apart = from_ir(TWICE.replace(") {", ") noinline {"), "twice", "(x: i64) -> i64")
    assert "twice" in jitffi.Function(apart).inspect_asm().partition(".cfi_endproc")[0] and apart(4) == 8


def test_arrays_are_written_in_place():
    saxpy = from_ir(SAXPY, "saxpy", "(n: u64, a: f32, x: ptr, y: ptr) -> void")
    x, y = numpy.arange(1000, dtype="f4"), numpy.ones(1000, "f4")
    assert saxpy(1000, 2.0, x, y) is None
    assert (y == 1 + 2 * x).all()


def test_modules_of_llvmlite():
    module = ir.Module()
    double = ir.DoubleType()
    function = ir.Function(module, ir.FunctionType(double, [double, double]), "hypotenuse")
    code = ir.IRBuilder(function.append_basic_block())
    x, y = function.args
    root = module.declare_intrinsic("llvm.sqrt", [double])
    code.ret(code.call(root, [code.fadd(code.fmul(x, x), code.fmul(y, y))]))
    for source in (module, str(module), binding.parse_assembly(str(module))):
        assert from_ir(source, "hypotenuse", "(x: f64, y: f64) -> f64")(3, y=4) == 5.0


def test_each_has_variables_of_its_own_and_finds_what_the_process_has():
    first, second = (from_ir(COUNTER, "count_up", "(two: bool) -> i64") for _ in range(2))
    assert [first(False), first(True), second(True), first(False)] == [41, 43, 42, 44]
    assert from_ir(COUNTER, "cosine", "(f64) -> f64")(0) == 1.0


def test_text_goes_in_and_comes_out():
    size = "define i64 @size(ptr %data, i64 %size) { ret i64 %size }"
    assert from_ir(size, "size", "(text: str) -> i64")("four") == 4
    none = "define ptr @none(i64 %x) { ret ptr null }"
    assert from_ir(none, "none", "(i64) -> optional[cstr]")(1) is None
    with pytest.raises(ValueError, match="NULL"):
        from_ir(none, "none", "(i64) -> cstr")(1)


def test_a_result_that_is_not_wanted_is_left_where_it_is():
    """Functions of numba's that return nothing give a pointer."""
    text = "define ptr @store(ptr %to, i64 %x) { store i64 %x, ptr %to ret ptr null }"
    place = numpy.zeros(1, "i8")
    assert from_ir(text, "store", "(to: ptr, x: i64) -> void")(place, 7) is None and place[0] == 7


def test_a_kernel_of_numba():
    numba = pytest.importorskip("numba")
    made = numba.cfunc("float64(float64, float64)")(lambda x, y: x * y + 1)
    assert from_ir(made.inspect_llvm(), made._wrapper_name, "(x: f64, y: f64) -> f64")(3, y=4) == 13.0


def test_booleans_are_extended_wherever_they_come_from(run_python, tmp_path):
    text = "define i1 @odd(i64 %x) noinline {\n  %y = trunc i64 %x to i1\n  ret i1 %y\n}\n"
    for source in (text, text.replace("noinline ", ""), text.replace("define i1", "define noundef signext i1")):
        odd = from_ir(source, "odd", "(x: i64) -> bool")
        c = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_int64)(jitffi.Function(odd).native_address)
        assert [(odd(x), c(x)) for x in (0x102, 0x103)] == [(False, False), (True, True)]
        jitffi.emit(odd, tmp_path / "odds.so", entry="python")
        program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import odds; print(odds.odd(0x102), odds.odd(3))"
        assert run_python(program) == "False True\n"


def test_helpers_of_two_kernels_in_one_file_are_two(tmp_path):
    helper = """
    $helper = comdat any
    @start = weak global i64 NUMBER, comdat($helper), align 8
    define linkonce_odr i64 @helper(i64 %x) noinline comdat { %y = load i64, ptr @start %z = add i64 %x, %y ret i64 %z }
    define weak_odr i64 @kNUMBER(i64 %x) { %y = call i64 @helper(i64 %x) ret i64 %y }
    """
    kernels = [from_ir(helper.replace("NUMBER", str(n)), f"k{n}", "(i64) -> i64") for n in (1, 2)]
    loaded = jitffi.load_module(jitffi.emit(kernels, tmp_path / "two.o"))
    assert [loaded.k1(10), loaded.k2(10)] == [kernels[0](10), kernels[1](10)] == [11, 12]


def test_kinds_of_definitions():
    common = "@g = common global i64 0\ndefine i64 @f(i64 %x) { store i64 %x, ptr @g %y = load i64, ptr @g ret i64 %y }"
    assert from_ir(common, "f", "(i64) -> i64")(5) == 5
    again = "define hidden i64 @f(i64 %x) { %y = icmp sgt i64 %x, 0 br i1 %y, label %more, label %end\nmore:\n"
    again += "%z = sub i64 %x, 1 %r = call i64 @f(i64 %z) %s = add i64 %r, 2 ret i64 %s\nend:\nret i64 0 }"
    assert from_ir(again, "f", "(i64) -> i64")(6) == 12


def test_what_is_said_of_another_cpu_is_left_out():
    attributes = '#0 = { "target-cpu"="pentium" "target-features"="+sse4a" "tune-cpu"="i386" nounwind }'
    head = 'target datalayout = "e-p:32:32"\ntarget triple = "unknown-unknown-unknown"\n'
    text = f"{head}{TWICE.replace(') {', ') #0 {')}attributes {attributes}\n"
    assert from_ir(text, "twice", "(i64) -> i64")(5) == 10


def test_errors_of_callbacks_and_of_cpp_pass(build_library, tmp_path):
    apply = """
    define i64 @apply(ptr %f, i64 %x) { %y = call i64 %f(i64 %x) %z = add i64 %y, 1 ret i64 %z }
    """
    call = from_ir(apply, "apply", "(f: func[(i64) -> i64], x: i64) -> i64")
    assert call(lambda x: 10 * x, 4) == 41
    with pytest.raises(ZeroDivisionError):
        call(lambda x: x // 0, 4)
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    (tmp_path / "t.cpp").write_text(
        '#include <stdexcept>\nextern "C" void thrown() { throw std::range_error("far"); }\n'
    )
    library = tmp_path / "libt.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, tmp_path / "t.cpp"], check=True)
    text = "declare void @thrown()\ndefine void @through() noinline { call void @thrown() ret void }"
    through = from_ir(text, "through", "() -> void", link=library)
    with pytest.raises(ValueError, match="through: std::range_error: far"):
        through()


REGISTER = """
declare i64 @llvm.read_register.i64(metadata)
define i64 @f() { %x = call i64 @llvm.read_register.i64(metadata !0) ret i64 %x }
!0 = !{!"bogus"}
"""
NOWHERE = "declare void @nowhere_1()\ndefine void @f() { call void @nowhere_1() ret void }"
LOCAL = "@t = thread_local global i32 1\ndefine ptr @f() { ret ptr @t }"
CONSTRUCTED = "@llvm.global_ctors = appending global [1 x {i32, ptr, ptr}] [{i32, ptr, ptr} {i32 1, ptr @f, ptr null}]"
PTX = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndefine i32 @f() { %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()"


@pytest.mark.parametrize(
    ("source", "name", "signature", "error", "words"),
    [
        ("nonsense", "f", "() -> void", ValueError, "f: no LLVM IR: .*line 1, column 1: error: expected top-level"),
        (f"{TWICE}\n\ndefine", "twice", "(i64) -> i64", ValueError, "line 7, column"),
        ("", "f", "() -> void", ValueError, "f: the IR defines no such function; it has none"),
        (TWICE, "f", "() -> void", ValueError, "f: the IR defines no such function; it has twice"),
        (TWICE, "twise", "(i64) -> i64", ValueError, "twise: the IR defines no such function; did you mean 'twice'"),
        ("declare void @f()", "f", "() -> void", ValueError, "f: the IR defines no such function"),
        (TWICE, "twice", "(i32) -> i64", ValueError, r"twice: its signature means i64 \(i32\), and the IR has"),
        (TWICE, "twice", "(i64) -> str", ValueError, "its signature means i32"),
        ("define void @f(...) { ret void }", "f", "() -> void", ValueError, "the IR has void"),
        (f'target triple = "wasm32-wasi"\n{TWICE}', "twice", "(i64) -> i64", ValueError, "the IR is for wasm32-wasi"),
        ("define i64 @f() { ret i64 %x }", "f", "() -> i64", ValueError, "use of undefined value"),
        (TWICE + "\0", "twice", "(i64) -> i64", ValueError, "null character"),
        (NOWHERE, "f", "() -> void", OSError, "f: undefined: nowhere_1"),
        (LOCAL, "f", "() -> ptr", OSError, "f: the kernel has"),
        (f"{CONSTRUCTED}\ndefine void @f() {{ ret void }}", "f", "() -> void", ValueError, "f: the IR has construct"),
        ('define void @f() { call void asm "bogus", ""() ret void }', "f", "() -> void", ValueError, "f: .*LLVM cann"),
        (f"{PTX} ret i32 %x }}", "f", "() -> i32", ValueError, "f: .*LLVM cannot compile"),
        (TWICE.replace("i64 @", "fastcc i64 @", 1), "twice", "(i64) -> i64", ValueError, "its convention is fastcc"),
        (TWICE.replace("twice", '"jitffi.entry"'), "jitffi.entry", "(i64) -> i64", ValueError, "which is jitffi's own"),
        ("define i64 @0(i64 %x) { ret i64 %x }", "", "(i64) -> i64", ValueError, "a kernel has a name"),
        (f'  target  triple="wasm32-wasi"\n{TWICE}', "twice", "(i64) -> i64", ValueError, "the IR is for wasm32-wasi"),
        (TWICE + "; \ud800", "twice", "(i64) -> i64", ValueError, "lone surrogate"),
        (f'module asm "bogus!"\n{TWICE}', "twice", "(i64) -> i64", ValueError, "LLVM cannot compile for it: .*error"),
        (f'{TWICE}@a = constant ptr @twice, section ".init_array"', "twice", "(i64) -> i64", ValueError, "construct"),
        (REGISTER, "f", "() -> i64", ValueError, "LLVM cannot compile"),
        (TWICE, "twice", "(i64", jitffi.SignatureError, "expected"),
        (TWICE, "twice", None, TypeError, "needs a signature"),
        (TWICE, b"twice", "(i64) -> i64", TypeError, "the function's name is a str, not bytes"),
        (b"BC", "twice", "(i64) -> i64", TypeError, "expected LLVM IR as text or a module of llvmlite, got bytes"),
    ],
)  # fmt: skip
def test_what_is_no_kernel_is_refused(source, name, signature, error, words):
    with pytest.raises(error, match=f"(?s){words}"):
        from_ir(source, name, signature)
    with pytest.raises(TypeError, match="from_ir: link names shared libraries, got int"):
        from_ir(TWICE, "twice", "(i64) -> i64", link=3)


def test_assembly_inside():
    if os.uname().machine != "x86_64":
        pytest.skip("assembly of x86-64")
    text = 'define i64 @f(i64 %x) { %y = call i64 asm "leaq 3($1), $0", "=r,r"(i64 %x) ret i64 %y }'
    assert from_ir(text, "f", "(i64) -> i64")(4) == 7


def test_pickles_and_copies():
    twice = from_ir(TWICE, "twice", "(x: i64) -> i64")
    for name in ("twice", "signature", "_compiled", "__doc__"):
        found = from_ir(TWICE.replace("@twice", f'@"{name}"'), name, "(x: i64) -> i64")
        assert pickle.loads(pickle.dumps(found))(x=4) == 8 and found.__name__ == name
    assert (
        copy.copy(twice) is twice
        and str(pickle.loads(pickle.dumps(jitffi.Function(twice))).signature) == "(x: i64) -> i64"
    )


def test_addresses_outlive_the_function_and_code_does_not():
    twice = jitffi.Function(from_ir(TWICE, "twice", "(x: i64) -> i64"))
    address = twice.native_address
    assert jitffi.Function.from_packed(twice.packed_address, self_handle=twice.handle)(5) == 10
    del twice
    gc.collect()
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(6) == 12

    def mappings():
        gc.collect()
        with open("/proc/self/maps") as file:
            return len(file.readlines())

    before = mappings()
    for number in range(100):
        assert from_ir(TWICE, "twice", "(x: i64) -> i64")(number) == 2 * number
    assert mappings() < before + 50


def test_another_process_needs_no_llvm(run_python, tmp_path):
    program = f"""
    import sys, jitffi
    twice = jitffi.Function.from_ir({TWICE!r}, "twice", "(x: i64) -> i64")
    assert twice(4) == 8
    print("llvmlite" in sys.modules)
    """
    environment = {"JITFFI_CACHE_DIR": str(tmp_path)}
    shown = [run_python(textwrap.dedent(program), env=environment).strip() for _ in range(2)]
    assert shown == ["True", "False"]


# -- files ------------------------------------------------------------------------------------------------------------


def test_kernels_are_emitted(tmp_path):
    twice = from_ir(TWICE, "twice", "(x: i64 = 3) -> i64")
    loaded = jitffi.load_module(jitffi.emit(twice, tmp_path / "k.o", header=tmp_path / "k.h", stub=tmp_path / "k.pyi"))
    assert loaded.twice(8) == 16 and loaded.twice() == 6
    assert (
        "callee:" not in (tmp_path / "k.h").read_text()
        and "def twice(x: SupportsIndex = 3) -> int" in (tmp_path / "k.pyi").read_text()
    )
    mixed = jitffi.load_module(jitffi.emit([twice, "labs: (i64) -> i64"], tmp_path / "mixed.o"))
    assert (mixed.twice(4), mixed.labs(-4)) == (8, 4)
    first, second = jitffi.emit(twice, tmp_path / "a.o"), jitffi.emit(twice, tmp_path / "b.o")
    assert first.read_bytes() == second.read_bytes()


def test_kernels_in_libraries_and_extension_modules(run_python, tmp_path):
    twice = from_ir(TWICE, "twice", "(x: i64) -> i64")
    path = jitffi.emit(twice, tmp_path / "libk.so", entry="c")
    assert jitffi.load_library(path).bind("twice", "(i64) -> i64")(6) == 12
    jitffi.emit([twice, "labs: (i64) -> i64"], tmp_path / "kernels.so", entry="python")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import kernels; print(kernels.twice(5), kernels.labs(-5))"
    )
    assert run_python(program) == "10 5\n"


def test_kernels_for_other_machines(tmp_path):
    twice = from_ir(TWICE, "twice", "(x: i64) -> i64")
    for triple, machine in (("aarch64-linux-gnu", 183), ("riscv64-linux-gnu", 243)):
        content = jitffi.emit(twice, tmp_path / f"{triple}.o", target=triple).read_bytes()
        assert int.from_bytes(content[18:20], "little") == machine
    here = from_ir(f'target triple = "{os.uname().machine}-linux-gnu"\n{TWICE}', "twice", "(i64) -> i64")
    with pytest.raises(ValueError, match="the IR is for"):
        jitffi.emit(here, tmp_path / "other.o", target="riscv64-linux-gnu")
    assert not (tmp_path / "other.o").exists()


# -- object files -----------------------------------------------------------------------------------------------------

SOURCE = """
#include <stdint.h>
void scale(uint64_t n, double by, double* x) { for (uint64_t i = 0; i < n; i++) x[i] *= by; }
static int64_t next = 7;
int number = 3;
int64_t step(int32_t by) { return next += by; }
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "k.c").write_text(SOURCE)
    subprocess.run([compiler, "-O2", "-fPIC", "-c", folder / "k.c", "-o", folder / "k.o"], check=True)
    return folder / "k.o"


def test_c_functions_of_object_files_by_their_signatures(path):
    given = {"scale": "(n: u64, by: f64, x: ptr) -> void", "step": jitffi.Signature.parse("(by: i32 = 2) -> i64")}
    loaded = jitffi.load_module(path, signatures=given)
    x = numpy.arange(4.0)
    loaded.scale(4, by=3.0, x=x)
    assert x.tolist() == [0, 3, 6, 9] and [loaded.step(1), loaded.step()] == [8, 10]
    assert loaded.signatures == {"scale": jitffi.Signature.parse(given["scale"]), "step": given["step"]}
    assert jitffi.load_module(path.read_bytes(), signatures=given).step(5) == 12  # a namespace of its own
    assert pickle.loads(pickle.dumps(loaded)) is loaded and pickle.loads(pickle.dumps(loaded.step))(1) == 11


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"nothing": "() -> void"}, OSError, "no C function 'nothing' is in the object files"),
        ({"number": "() -> i32"}, OSError, "no C function 'number' is in the object files"),
        ("step: (i32) -> i64", TypeError, "signatures is a mapping"),
        ({b"step": "(i32) -> i64"}, TypeError, "signatures is a mapping"),
        ({"no name": "() -> void"}, ValueError, "load_module: 'no name' is no C identifier"),
        ({"step": "(i32"}, jitffi.SignatureError, "expected"),
        ({"step": 3}, TypeError, "expected str for a signature, got int"),
    ],
)
def test_signatures_that_do_not_fit_are_refused(path, given, error, words):
    with pytest.raises(error, match=words):
        jitffi.load_module(path, signatures=given)


def test_shared_libraries_are_bound_otherwise(build_library):
    with pytest.raises(TypeError, match="signatures is for object files"):
        jitffi.load_module(build_library("int f(void) { return 1; }\n"), signatures={"f": "() -> i32"})
