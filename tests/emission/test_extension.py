"""Extension modules of emitted Python entries: they stand alone, and do what functions bound at run time do."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import inspect
import math
import shutil
import struct
import subprocess
import sys
import threading
import time
import traceback
import types
from pathlib import Path

import pytest
from support.extension import COMPILER, HOST, alone, compile_c, emit, extension, link, load, signatures
from support.native import echo_signature, echo_source
from support.values import ALL, edges, ids

import jitffi
from jitffi.emission import adapter_modules
from jitffi.llvm import object_files
from jitffi.llvm.target import Target
from jitffi.signature.model import TYPES
from jitffi.types.table import row

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler to link with")
TYPES_AND_VOID = [*[type_ for type_ in ALL if "module" not in type_.text], TYPES["void"]]

SOURCE = r"""
#include "jitffi/runtime.h"
#include <stdlib.h>
#include <string.h>
#include <pthread.h>

int64_t add(int64_t a, int64_t b) { return a + b; }
double hypot2(double x, double y) { return x * x + y * y; }
int64_t length(const char* data, size_t size) { (void)data; return (int64_t)size; }
const char* name_of(int32_t i) { return i == 0 ? "zero" : i == 1 ? "one" : NULL; }
void nothing(void) {}
int32_t fail(int32_t code, jf_value* out) {
  (void)out;
  if (code) jf_error_set("KeyError", "no such thing");
  return code;
}
int64_t apply(int64_t (*f)(int64_t), int64_t x) { return f(x); }
int64_t twice(int64_t x) { return 2 * x; }
int64_t (*pick(int32_t which))(int64_t) { return which ? twice : NULL; }
double fold(double (*f)(double, int64_t (*)(int64_t)), double x) { return f(x, twice); }
int32_t greet(int32_t (*f)(const char*, size_t, jf_value*), const char* who, size_t size, jf_value* out) {
  return f(who, size, out);
}

/* The thread's own end needs the interpreter, which the one that would join it holds. */
static int64_t (*volatile job)(int64_t);
static volatile int64_t answer;
static void* work(void* x) {
  answer = job((int64_t)x);
  job = NULL;
  return NULL;
}
int64_t working(void) { return job != NULL; }
int64_t elsewhere(int64_t (*f)(int64_t), int64_t (*wait)(int64_t), int64_t x) {
  pthread_t thread;
  job = f;
  pthread_create(&thread, NULL, work, (void*)x);
  pthread_detach(thread);
  wait(x);
  return answer;
}

int64_t total(jf_object* list) {
  int64_t sum = 0;
  for (size_t i = 0; i < jf_list_size(list); i++) {
    jf_value item;
    jf_out_init(&item, 8);
    if (jf_list_get(list, (int64_t)i, &item) != 0) return -1;
    sum += item.v_int64;
    jf_any_release(&item);
  }
  return sum;
}
jf_object* same_list(jf_object* list) { jf_object_retain(list); return list; }
int32_t same_any(const jf_view* view, jf_value* out) { return jf_any_retain(view, out); }
jf_object* same_func(jf_object* f) { jf_object_retain(f); return f; }
int32_t call_func(jf_object* f, const jf_view* args, jf_value* out) { return jf_function_call(f, 1, args, out); }
int64_t live(void) { return jf_live_objects(); }
"""

SIGNATURES = {
    "add": "(a: i64, b: i64 = 2) -> i64",
    "hypot2": "(f64, f64) -> f64",
    "length": "(text: str) -> i64",
    "name_of": "(i: i32) -> cstr",
    "nothing": "() -> void",
    "fail": "(code: i32) -> any",
    "apply": "(f: func[(i64) -> i64], x: i64 = 5) -> i64",
    "twice": "(x: i64) -> i64",
    "pick": "(which: i32) -> func[(i64) -> i64]",
    "fold": "(f: func[(f64, func[(i64) -> i64]) -> f64], x: f64) -> f64",
    "greet": "(f: func[(str) -> str], who: str) -> str",
    "elsewhere": "(f: func[(i64) -> i64], wait: func[(i64) -> i64], x: i64) -> i64",
    "working": "() -> i64",
    "total": "(numbers: list[i64]) -> i64",
    "same_list": "(list) -> list",
    "same_any": "(any) -> any",
    "same_func": "(func) -> func",
    "call_func": "(func, any) -> any",
    "live": "() -> i64",
}
HEAD = '#include "jitffi/containers.h"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("extension")


@pytest.fixture(scope="module")
def demo_path(folder):
    return extension(folder, "demo", SIGNATURES, HEAD + SOURCE)


@pytest.fixture(scope="module")
def demo(demo_path):
    return load(demo_path)


@pytest.fixture(scope="module")
def bound(folder):
    """The same functions as they are bound at run time."""
    path = folder / "libdemo.so"
    callees = compile_c(folder / "libdemo.o", HEAD + SOURCE)
    command = [COMPILER, "-shared", "-o", str(path), str(callees), str(jitffi.base.config.library_file()), "-pthread"]
    subprocess.run(command, check=True, timeout=60)
    library = jitffi.load_library(str(path))
    return types.SimpleNamespace(**{name: library.bind(name, text) for name, text in SIGNATURES.items()})


# -- standing alone ---------------------------------------------------------------------------------------------


def test_a_module_needs_nothing_but_the_interpreter(demo_path):
    code = """
import demo, pickle, inspect
print(demo.add(1), demo.add(1, b=5), demo.add(b=1, a=2), demo.hypot2(3, 4.0), demo.length("caf\\xe9"))
print(type(demo.add).__name__, demo.add.__module__, demo.add.__name__, demo.add.__self__ is demo)
print(inspect.signature(demo.add), pickle.loads(pickle.dumps(demo.add)) is demo.add)
print(demo.apply(lambda x: x * x), demo.apply(demo.twice, 4))
print(demo.total([1, 2, 3]), demo.total((4, 5)), demo.same_list([1, "a", [None]]), demo.same_any({"k": 2.5}))
print(demo.pick(1)(21), demo.name_of(1), demo.nothing(), demo.greet(lambda who: who * 3, "ab" * 20))
print(demo.call_func(len, "four"), demo.same_func(print) is print)
"""
    lines = alone(code, demo_path.parent).splitlines()
    assert lines == [
        "3 6 3 25.0 5",
        "builtin_function_or_method demo add True",
        "(a, b=2) True",
        "25 8",
        "6 9 List([1, 'a', [None]]) Map({'k': 2.5})",
        "42 one None " + "ab" * 60,
        "4 True",
    ]


@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm")
def test_only_the_init_function_is_visible(demo_path):
    dynamic = subprocess.run(["nm", "-D", "--defined-only", str(demo_path)], capture_output=True, text=True, check=True)
    assert [line.split()[-1] for line in dynamic.stdout.splitlines()] == ["PyInit_demo"]


def test_a_module_of_scalars_is_small(folder):
    sigs = {"add": "(a: i64, b: i64) -> i64", "fadd": "(f64, f64) -> f64"}
    path = extension(folder, "small", sigs, "long add(long a, long b) { return a + b; }\n"
                     "double fadd(double a, double b) { return a + b; }\n")  # fmt: skip
    counts = sys.version_info[:2] in ((3, 12), (3, 13))  # each reference that is dropped asks whether it counts, inline
    assert path.stat().st_size < (124_000 if counts else 120_000)
    assert b"List" not in path.read_bytes()
    assert alone("import small; print(small.add(1, 2), small.fadd(1, 2.5))", folder) == "3 3.5"


class Said:
    def __init__(self, value):
        self.value = value

    def __jitffi_value__(self):
        return self.value


def test_value_protocols_are_asked(demo):
    assert demo.add(Said(Said(1)), b=Said(2)) == 3 and demo.hypot2(Said(3), 4.0) == 25.0
    assert demo.length(Said("five")) == 4 and demo.total([Said(1), 2]) == 3 and demo.total(Said([4, 5])) == 9
    assert demo.same_any(Said("x")) == "x" and demo.greet(lambda who: Said(who), Said("a")) == "a"
    with pytest.raises(TypeError, match="length: argument 1 '?.*: expected str, got Said"):
        demo.length(Said(3))


def test_emit_makes_it(folder):
    callees = compile_c(folder / "emitted_callees.o", HEAD + SOURCE)
    sigs = SIGNATURES
    path = jitffi.emit(sigs, folder / "emitted.so", entry="python", link=callees, stub=folder / "emitted.pyi")
    print_ = "print(emitted.apply(emitted.twice, 4), emitted.apply(lambda x: x + 1), emitted.total([1, 2]))"
    assert alone(f"import emitted; {print_}", folder) == "8 6 3"
    (folder / "again").mkdir()
    again = jitffi.emit(sigs, folder / "again" / path.name, entry="python", link=callees)
    assert again.read_bytes() == path.read_bytes()


def test_many_functions_are_compiled_in_pieces(folder):
    sigs = {f"f{i}": f"(x: i64, y: i64 = {i}) -> i64" for i in range(150)}
    source = "".join([f"long f{i}(long x, long y) {{ return x + y; }}\n" for i in range(150)])
    callees = compile_c(folder / "many_callees.o", source)
    path = jitffi.emit(sigs, folder / "many.so", entry="python", link=callees, jobs=2)
    assert alone("import many; print(sum(getattr(many, f'f{i}')(1) for i in range(150)))", folder) == str(
        150 + 149 * 75
    )
    merged = jitffi.emit(sigs, folder / "many.o", entry="python", jobs=2)
    linked = link(folder, "many", [merged, callees])
    assert linked == path and alone("import many; print(many.f149(1))", folder) == "150"


def test_the_file_may_have_the_tag_of_the_interpreter(demo_path, tmp_path):
    import sysconfig

    (tmp_path / f"demo{sysconfig.get_config_var('EXT_SUFFIX')}").write_bytes(demo_path.read_bytes())
    assert alone("import demo; print(demo.add(1))", tmp_path) == "3"


def test_in_a_package(demo_path, tmp_path):
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "demo.so").write_bytes(demo_path.read_bytes())
    code = "from pack import demo; import pickle\nprint(demo.add.__module__, type(demo.same_list([])), demo.List)\n"
    code += "print(pickle.loads(pickle.dumps(demo.same_list([1]))), pickle.loads(pickle.dumps(demo.add))(1))"
    expected = "pack.demo <class 'pack.demo.List'> <class 'pack.demo.List'>\nList([1]) 3"
    assert alone(code, tmp_path) == expected


def test_a_second_module_of_one_file_has_the_same_functions(demo, demo_path):
    again = load(demo_path)
    assert again is not demo and again.add is not demo.add and again.add.__self__ is again
    assert again.add(1) == 3 and again.apply(demo.twice, 4) == 8 and again.List is demo.List
    assert demo.add(1, b=1) == 2


def test_two_modules_do_not_see_each_other(demo_path, folder):
    extension(folder, "other", {"add": "(a: i64, b: i64) -> i64"}, "long add(long a, long b) { return a * b; }\n")
    assert alone("import demo, other; print(demo.add(3, 4), other.add(3, 4), demo.add(3, 4))", folder) == "7 12 7"


# -- as at run time ---------------------------------------------------------------------------------------------


def outcome(function, args, kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - compared
        return type(error), str(error)


CALLS = [
    ("add", (1,), {}), ("add", (1, 2), {}), ("add", (), {"a": 1, "b": 7}), ("add", (), {"b": 7, "a": 1}),
    ("add", (), {}), ("add", (1, 2, 3), {}), ("add", ("x",), {}), ("add", (1.5,), {}), ("add", (2**63,), {}),
    ("add", (1,), {"a": 2}), ("add", (1,), {"c": 2}), ("add", (), {"b": 2}), ("add", (True,), {}),
    ("hypot2", (3, 4), {}), ("hypot2", ("3", 4), {}), ("hypot2", (3,), {}), ("hypot2", (3, 4, 5), {}),
    ("hypot2", (10**400, 4), {}),
    ("length", ("caf\xe9",), {}), ("length", ("\ud800",), {}), ("length", (b"abc",), {}), ("length", ("a\0b",), {}),
    ("name_of", (1,), {}), ("name_of", (2,), {}), ("name_of", (2**31,), {}),
    ("nothing", (), {}), ("nothing", (1,), {}), ("fail", (0,), {}), ("fail", (1,), {}),
    ("apply", (lambda x: x + 1,), {}), ("apply", (lambda x: "no",), {}), ("apply", (lambda x: 1 // 0,), {}),
    ("apply", (lambda x: 2**64,), {}), ("apply", (None,), {}), ("apply", (0,), {}), ("apply", (abs, -3), {}),
    ("pick", (0,), {}), ("fold", (lambda x, f: x + f(4), 0.5), {}), ("fold", (lambda x, f: f("x"), 0.5), {}),
    ("greet", (lambda who: 3, "x"), {}), ("greet", (lambda who: who * 100, "x"), {}), ("greet", (len, "x"), {}),
    ("total", ([1, 2.5],), {}), ("total", (["a"],), {}), ("total", ("abc",), {}), ("total", (None,), {}),
    ("total", ([2**70],), {}), ("same_any", (2**70,), {}), ("call_func", (lambda x: x, [1, {"a": None}]), {}),
    ("call_func", (lambda x: 1 // 0, None), {}), ("call_func", (3, None), {}),
]  # fmt: skip


@pytest.mark.parametrize("name, args, kwargs", CALLS, ids=[f"{i}-{call[0]}" for i, call in enumerate(CALLS)])
def test_results_and_errors_are_those_of_a_bound_function(demo, bound, name, args, kwargs):
    expected = plain(outcome(getattr(bound, name), args, kwargs))
    for _ in range(2):  # what a call remembers must not matter
        assert plain(outcome(getattr(demo, name), args, kwargs)) == expected


def plain(value):
    return value.to_python() if hasattr(value, "to_python") else value


def test_builtins(demo):
    assert type(demo.add) is types.BuiltinFunctionType
    assert demo.add.__doc__ == "add(a: i64, b: i64 = 2) -> i64"
    assert demo.add.__text_signature__ == "($module, /, a, b=2)"
    assert str(inspect.signature(demo.hypot2)) == "(arg1, arg2, /)"
    assert demo.__name__ == "demo" and demo.List.__module__ == "demo"


def test_defaults_of_every_kind(folder):
    values = [
        ("i64", "-3", -3), ("u64", str(2**64 - 1), 2**64 - 1), ("f64", "-inf", -math.inf), ("f64", "nan", math.nan),
        ("str", repr("caf\xe9 'x'"), "caf\xe9 'x'"), ("bytes", repr(b"\x00\xff"), b"\x00\xff"), ("bool", "True", True),
        ("dtype", "'float32'", "float32"),
    ]  # fmt: skip
    sigs = signatures({f"get_{i}": f"(x: {kind} = {text}) -> {kind}" for i, (kind, text, _) in enumerate(values)})
    objects = [compile_c(folder / "defaults_callees.o", echo_source([TYPES[kind] for kind, _, _ in values]))]
    for i, (name, sig) in enumerate(sigs.items()):
        objects.append(emit(folder / f"{name}.o", {name: sig}, callee_name=f"echo_{i}"))
    module = load(link(folder, "defaults", [*objects, init(folder, "defaults", sigs)]))
    for i, (_, _, value) in enumerate(values):
        got = getattr(module, f"get_{i}")()
        assert got == value or got != got and value != value, value
    assert str(inspect.signature(module.get_4)) == "(x=\"caf\xe9 'x'\")"


def init(folder, stem, sigs):
    """The object that makes an extension module of Python entries in other objects."""
    path = folder / f"{stem}_init.o"
    path.write_bytes(object_files.compile_text(adapter_modules.extension_text(sigs, stem, HOST), HOST, 2, "o"))
    return path


# -- every type ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def echoes(folder):
    objects = [compile_c(folder / "echoes_callees.o", echo_source(TYPES_AND_VOID))]
    sigs = {}
    for i, type_ in enumerate(TYPES_AND_VOID):
        sigs[f"c_{i}"] = echo_signature(type_)
        objects.append(emit(folder / f"c_{i}.o", {f"c_{i}": sigs[f"c_{i}"]}, callee_name=f"echo_{i}", opt=2 * (i % 2)))
        sigs[f"python_{i}"] = echo_signature(type_)
        objects.append(
            emit(
                folder / f"python_{i}.o", {f"python_{i}": echo_signature(type_)}, callee="python", callee_name=f"c_{i}"
            )
        )
        sigs[f"packed_{i}"] = echo_signature(type_)
        objects.append(
            emit(
                folder / f"packed_{i}.o", {f"packed_{i}": echo_signature(type_)}, callee="packed", callee_name=f"e_{i}"
            )
        )
        objects.append(
            emit(folder / f"e_{i}.o", {f"e_{i}": echo_signature(type_)}, entry="packed", callee_name=f"echo_{i}")
        )
    return load(link(folder, "echoes", [*objects, init(folder, "echoes", sigs)]))


def same(got, sent):
    got = plain(got)
    if callable(sent) and callable(got) and not isinstance(sent, type):
        return got(-5) == sent(-5)
    if isinstance(sent, (jitffi.DataType, jitffi.Device)) or type(got).__name__ in ("DataType", "Device"):
        return str(got) == str(sent)
    if isinstance(sent, float):
        return type(got) is float and struct.pack("d", got) == struct.pack("d", sent)
    if isinstance(sent, (list, tuple)):
        return type(got) is type(sent) and len(got) == len(sent) and all(map(same, got, sent))
    if isinstance(sent, dict):
        return type(got) is dict and len(got) == len(sent) and all(map(same, got.items(), sent.items()))
    return type(got) is type(sent) and got == sent


@pytest.mark.parametrize("callee", ["c", "packed", "python"])
@pytest.mark.parametrize("type_", TYPES_AND_VOID, ids=ids(TYPES_AND_VOID))
def test_every_type_goes_through_every_callee(echoes, type_, callee):
    call = getattr(echoes, f"{callee}_{TYPES_AND_VOID.index(type_)}")
    sig = echo_signature(type_)
    if not sig.params:
        assert call() is None
        return
    for value in edges(type_):
        if callable(value) and type_.text != "func" and "func[" in type_.text:
            value = jitffi.Function(value).native_address  # what is wrapped for a call does not outlive it
        args = (value, *[edges(p.type)[0] for p in sig.params[1:]])
        expected = args[-1] if value is None else value
        got = call(*args)
        assert got(-5) == 5 if "func[" in type_.text and value is not None else same(got, expected), value
    for value, error in row(type_).refused:
        with pytest.raises(error):
            call(value, *[edges(p.type)[0] for p in sig.params[1:]])


# -- beside the package ------------------------------------------------------------------------------------------


def test_containers_of_the_package_are_taken_as_sequences_and_mappings(demo):
    assert demo.total(jitffi.List([1, 2, 3])) == 6
    assert demo.total(jitffi.Tuple([4, 5])) == 9
    assert plain(demo.same_list(jitffi.List([jitffi.Map({"a": 1})]))) == [{"a": 1}]
    assert plain(demo.same_any(jitffi.Map({"a": jitffi.List([1])}))) == {"a": [1]}
    assert demo.same_any(jitffi.String("text")) == "text"
    assert str(demo.same_any(demo.DataType("float32"))) == "float32"
    assert str(jitffi.DataType(demo.DataType("int8x4"))) == "int8x4"
    assert str(jitffi.Device(demo.Device("cuda:1"))) == "cuda:1"
    mine = demo.same_list([1, 2])
    assert jitffi.List(mine) == [1, 2]


def test_functions_of_the_package_are_callbacks(demo):
    double = jitffi.function("(i64) -> i64")(lambda x: 2 * x)
    assert demo.apply(double, 4) == 8
    assert demo.apply(jitffi.Function(double).native_address, 4) == 8
    assert demo.call_func(double, 4) == 8


# -- callbacks --------------------------------------------------------------------------------------------------


def test_an_exception_comes_back_as_itself(demo):
    error = KeyError("mine")

    def raise_it(x):
        raise error

    with pytest.raises(KeyError) as caught:
        demo.apply(raise_it, 1)
    assert caught.value is error
    assert "raise_it" in [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert demo.apply(lambda x: x, 3) == 3


def test_callbacks_from_several_threads(demo):
    results = []

    def run(k):
        for i in range(200):
            assert demo.apply(lambda x: x + k, i) == i + k
        results.append(k)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == list(range(8))


def test_a_thread_that_python_does_not_know_calls_back(demo):
    seen = []

    def call(x):
        seen.append(threading.get_ident())
        return x * 3

    def wait(x):
        while demo.working():
            time.sleep(0.001)
        return 0

    for _ in range(20):
        assert demo.elsewhere(call, wait, 4) == 12
    assert threading.get_ident() not in seen and len(seen) == 20


def test_a_function_that_comes_back_is_itself_where_it_can_be(demo):
    doubled = demo.pick(1)
    assert type(doubled) is types.BuiltinFunctionType and doubled.__name__ == "pick.result"
    assert doubled(4) == 8
    assert demo.apply(doubled, 3) == 6
    assert demo.same_func(doubled)(5) == 10
    assert demo.call_func(doubled, 6) == 12
    with pytest.raises(TypeError, match="pick.result: argument 1: expected i64, got str 'x'"):
        doubled("x")
    assert demo.call_func(demo.same_func(demo.twice), 7) == 14


def test_nothing_is_left_behind(demo):
    calls = [call for call in CALLS if call[0] in SIGNATURES]

    def all_calls():
        for name, args, kwargs in calls:
            outcome(getattr(demo, name), args, kwargs)
        gc.collect()

    all_calls()
    objects, blocks = demo.live(), None
    for _ in range(3):
        all_calls()
        blocks = sys.getallocatedblocks() if blocks is None else blocks
    assert demo.live() == objects
    assert sys.getallocatedblocks() - blocks < 50


# -- refusals -------------------------------------------------------------------------------------------------------


def test_another_version_is_refused(folder, tmp_path):
    """The text of the version is the object's; a module that claims another is what one of another would be."""
    sigs = signatures({"add": "(a: i64) -> i64"})
    text = adapter_modules.module_text(sigs, entry="python", callee="c", target=HOST, module="stranger")
    mine = ".".join(map(str, sys.version_info[:2]))
    assert text.count(f'c"{mine}\\00"') == 1
    object_ = tmp_path / "stranger.o"
    object_.write_bytes(
        object_files.compile_text(
            text.replace(f'c"{mine}\\00"', 'c"3.99\\00"').replace(f"[{len(mine) + 1} x i8]", "[5 x i8]"), HOST, 2, "o"
        )
    )
    link(tmp_path, "stranger", [object_, compile_c(tmp_path / "c.o", "long add(long a) { return a; }\n")])
    code = "try:\n  import stranger\nexcept ImportError as error:\n  print(error)"
    assert (
        alone(code, tmp_path)
        == f"stranger was made for CPython 3.99, this is CPython {mine}; emit it again with this one"
    )


OTHERS = [f"3.{minor}" for minor in range(11, 16) if minor != sys.version_info[1]]


def interpreter(version: str) -> str:
    """Where that CPython is, by its own name, of pyenv or in ~/pythons; the test is skipped where it is nowhere."""
    roots = [Path.home() / "pythons"]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, timeout=30).stdout.strip()
        roots.append(Path(root, "versions"))
    found = [str(python) for root in roots for python in sorted(root.glob(f"{version}.*/bin/python3"))]
    for name in (f"python{version}", *found):
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            command = [name, "-c", "import sys; print(sys.executable)"]
            return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.strip()
    pytest.skip(f"no CPython {version}, by its name, from pyenv or in ~/pythons")


@pytest.mark.parametrize("other", OTHERS)
def test_other_interpreters_refuse_it(demo_path, other):
    python = interpreter(other)
    code = "try:\n  import demo\nexcept ImportError as error:\n  print(error)"
    mine = ".".join(map(str, sys.version_info[:2]))
    said = alone(code, demo_path.parent, python=python)
    assert said == f"demo was made for CPython {mine}, this is CPython {other}; emit it again with this one"


def test_sub_interpreters_are_refused(demo_path):
    inside = f"import sys; sys.path[:0] = [{str(demo_path.parent)!r}]\n"
    inside += (
        "try: import demo\nexcept ImportError as error: print(error, flush=True)\nelse: print('imported', flush=True)"
    )
    code = f"""
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import demo
run = getattr(interpreters, "exec", None) or interpreters.run_string
for options in ([], ["legacy"]) if sys.version_info >= (3, 13) else ([],):
    run(interpreters.create(*options), {inside!r})
print(demo.add(1))
"""
    lines = alone(code, demo_path.parent).splitlines()
    assert lines[-1] == "3" and len(lines) >= 2
    assert all("interpreters" in line for line in lines[:-1]), lines


def test_other_targets_are_refused():
    with pytest.raises(ValueError, match="a Python module for aarch64-unknown-linux-gnu cannot be"):
        adapter_modules.module_text(
            signatures({"f": "() -> void"}), entry="python", callee="c", target=Target.of("aarch64-linux-gnu")
        )


def test_modules_are_refused():
    for text in ("(module) -> void", "() -> optional[module]", "(func[(module) -> void]) -> void"):
        with pytest.raises(TypeError, match="f: convention 'python' cannot carry .*module"):
            adapter_modules.module_text(signatures({"f": text}), entry="python", callee="c", target=HOST)


def test_classes_of_python_are_refused():
    jitffi.register_object("tests.extension.Mine")(type("Mine", (), {"__annotations__": {"x": "int"}}))
    for text in ("(list[tests.extension.Mine]) -> void", "(func[() -> tests.extension.Mine]) -> void"):
        with pytest.raises(TypeError, match=r"f: .*: tests\.extension\.Mine is a class of this process's Python"):
            adapter_modules.module_text(signatures({"f": text}), entry="python", callee="c", target=HOST)


def test_types_of_the_library_that_cplusplus_defines_too_are_not():
    assert jitffi.FrozenMap  # is registered from here on
    sigs = signatures({"f": "(jitffi.FrozenMap) -> void"})
    assert "jitffi.FrozenMap" in adapter_modules.module_text(sigs, entry="python", callee="c", target=HOST)


def test_the_same_input_gives_the_same_bytes(folder):
    first = emit(folder / "first.o", SIGNATURES, module="demo").read_bytes()
    assert emit(folder / "second.o", SIGNATURES, module="demo").read_bytes() == first


# -- callees and entries of other conventions ------------------------------------------------------------------------


def test_a_packed_entry_calls_a_python_entry(folder):
    sig, c = "(a: i64, b: i64) -> i64", "long add(long a, long b) { return a + b; }\n"
    inner = {"inner": "(a: i64, b: i64 = 2) -> i64"}
    more = {"callee": "python", "callee_name": "inner"}
    objects = [
        emit(folder / "inner.o", inner, callee_name="add", module="mixed"),
        emit(folder / "outer.o", {"outer": sig}, entry="packed", **more),
        emit(folder / "plain.o", {"plain": sig}, entry="c", **more),
        emit(folder / "text.o", {"text": "(a: i64, b: str) -> i64"}, entry="packed", **more),
        compile_c(folder / "mixed_c.o", c),
    ]
    path = folder / "mixed.so"
    command = [COMPILER, "-shared", "-o", str(path), *map(str, objects)]
    command += [str(jitffi.base.config.library_dir() / f"libjitffi_{name}.a") for name in ("python", "runtime")]
    subprocess.run([*command, "-Wl,--gc-sections", "-pthread"], check=True, timeout=60)
    module = load(path)
    assert module.inner(3) == 5
    library = ctypes.PyDLL(str(path))
    library.plain.restype = ctypes.c_int64
    library.plain.argtypes = [ctypes.c_int64] * 2
    assert library.plain(3, 4) == 7
    packed = [ctypes.cast(library[f"__jf_{name}"], ctypes.c_void_p).value for name in ("outer", "text")]
    outer, text = [jitffi.Function.from_packed(address, keep_alive=module) for address in packed]
    assert outer(3, 4) == 7
    library.jf_error_take.restype = ctypes.c_void_p
    with pytest.raises(RuntimeError):  # whose error is in the other copy of the runtime
        text(3, "x")
    assert library.jf_error_take()
