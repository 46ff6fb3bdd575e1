"""Modules: shared libraries and object files as functions by name; linking in memory, namespaces, unloading."""

from __future__ import annotations

import gc
import os
import pathlib
import pickle
import random
import shlex
import shutil
import struct
import subprocess
import sys
import threading
import weakref

import pytest
from support.leaks import live_objects

import jitffi
from jitffi import _core
from jitffi.base import config
from jitffi.link import objects

CC = next(
    (found for name in (os.environ.get("CC"), "cc", "gcc", "clang") if name and (found := shutil.which(name))), None
)
CXX = next(
    (found for name in (os.environ.get("CXX"), "c++", "g++", "clang++") if name and (found := shutil.which(name))), None
)
MACHINE = os.uname().machine
#: Most functions here are made without a signature, which is what test_export.py is about.
UNSIGNED = "ignore:module :UserWarning"


@pytest.fixture(autouse=True, scope="module")
def unsigned():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONWARNINGS", UNSIGNED)
        yield


pytestmark = [
    pytest.mark.filterwarnings("ignore:module .* has no signature"),
    pytest.mark.skipif(CC is None, reason="no C compiler"),
    pytest.mark.skipif(MACHINE not in ("x86_64", "aarch64"), reason=f"objects for {MACHINE} are not linked in memory"),
]

#: None of our headers: the convention spelled out.
PLAIN = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int32_t code, length; int64_t v; } slot;
#define ENTRY(name) int32_t __jf_##name(void* self, int32_t n, const slot* a, slot* out)
static inline int32_t gives(slot* out, int64_t value) { *out = (slot){-2, 0, value}; return 0; }
"""
ADD = (
    PLAIN
    + """
const char __jfsig_add[] = "(a: i64, b: i64 = 2) -> i64";
static int64_t calls;
ENTRY(add) { (void)self, (void)n; calls++; return gives(out, a[0].v + a[1].v); }
ENTRY(calls) { (void)self, (void)n, (void)a; return gives(out, calls); }
ENTRY(name) { (void)self, (void)n, (void)a; return gives(out, 77); }
"""
)


@pytest.fixture(scope="session")
def compile_object(tmp_path_factory):
    """compile_object(source, *flags, language="c"): the path of an object file."""
    built = {}

    def build(source: str, *flags: str, language: str = "c") -> str:
        compiler = CC if language == "c" else CXX
        if compiler is None:
            pytest.skip("no C++ compiler")
        key = (source, flags, language)
        if key not in built:
            folder = tmp_path_factory.mktemp("object")
            ending = "c" if language == "c" else "cpp"
            (folder / f"demo.{ending}").write_text(source)
            command = [compiler, "-c", "-O1", "-fPIC", "-o", str(folder / "demo.o"), str(folder / f"demo.{ending}")]
            command += [f"-I{config.include_dir()}", *flags]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, done.stderr
            built[key] = str(folder / "demo.o")
        return built[key]

    return build


@pytest.fixture(scope="session")
def shared(compile_object, tmp_path_factory):
    """shared(source, *flags): the path of a shared library."""
    built = {}

    def build(source: str, *flags: str) -> str:
        if (source, flags) not in built:
            path = tmp_path_factory.mktemp("library") / "libdemo.so"
            command = [CC, "-shared", "-o", str(path), compile_object(source), *flags]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, done.stderr
            built[source, flags] = str(path)
        return built[source, flags]

    return build


@pytest.fixture(params=["library", "stripped", "object", "bytes"])
def demo(request, compile_object, shared):
    if request.param == "library":
        return jitffi.load_module(shared(ADD))
    if request.param == "stripped":
        return jitffi.load_module(shared(ADD, "-s"))
    path = compile_object(ADD)
    return jitffi.load_module(path if request.param == "object" else pathlib.Path(path).read_bytes())


# -- the object -----------------------------------------------------------------------------------------------------


def test_functions_by_attribute_item_and_name(demo):
    assert demo.add(40) == 42 and demo["add"](1, b=2) == 3 and demo.get_function("add")(5, 6) == 11
    assert type(demo.add) is type(len) and demo.add.__name__ == "add"
    assert demo.add is demo.add
    function = jitffi.Function(demo.add)
    assert str(function.signature) == "(a: i64, b: i64 = 2) -> i64"
    with pytest.raises(TypeError, match="add: argument 1 'a': expected i64, got str 'x'"):
        demo.add("x")
    with pytest.raises(TypeError, match="takes|missing|argument"):
        demo.add()
    assert jitffi.Function(demo.calls).signature is None
    assert demo.name in ("libdemo", "demo", "object") and demo["name"]() == 77


def test_exports(demo):
    assert list(demo) == ["add", "calls", "name"] and len(demo) == 3 and bool(demo)
    assert "add" in demo and "ad" not in demo and 1 not in demo
    assert demo.signatures == {
        "add": jitffi.Signature.parse("(a: i64, b: i64 = 2) -> i64"), "calls": None, "name": None,
    }  # fmt: skip
    assert {"add", "calls", "name", "get_function", "close"} <= set(dir(demo))
    assert repr(demo) == f"<jitffi.Module {demo.name}: 3 functions>"
    assert isinstance(demo, jitffi.Module) and isinstance(demo, jitffi.Object) and demo.type_key == "module"
    assert demo.implements_function("add") and not demo.implements_function("nothing")


def test_what_is_missing_names_the_module_and_what_is_near(demo):
    text = f"module '{demo.name}' has no function 'ad'; did you mean 'add'?"
    with pytest.raises(AttributeError) as caught:
        demo.ad  # noqa: B018
    assert str(caught.value) == text and caught.value.name == "ad"
    with pytest.raises(AttributeError) as caught:
        demo.get_function("ad")
    assert str(caught.value) == text
    with pytest.raises(KeyError) as caught:
        demo["ad"]
    assert caught.value.args == (text,)
    with pytest.raises(AttributeError, match="has no function 'ad' of its own; did you mean 'add'"):
        demo.get_function("ad", query_imports=False)
    assert not demo.implements_function("a\0dd")
    for wrong in ("", "a\0dd", "\ud800", "__jf_add", "x" * 10000):
        with pytest.raises((AttributeError, UnicodeEncodeError)):
            demo.get_function(wrong)
    with pytest.raises(TypeError, match="is a str, not int"):
        demo[1]
    assert not hasattr(demo, "__wrapped__") and not hasattr(demo, "nothing")


def test_closing(demo):
    add = demo.add
    with pytest.raises(RuntimeError, match="cannot be unloaded: 1 function taken from it is in use"):
        demo.close()
    assert add(1) == 3 and demo.add(1) == 3  # it is as it was
    del add
    demo.close()
    demo.close()
    assert repr(demo) == f"<jitffi.Module {demo.name}: unloaded>"
    uses = [
        lambda: demo.add, lambda: demo["add"], lambda: list(demo), lambda: len(demo), lambda: "add" in demo,
        lambda: demo.imports, lambda: demo.import_module(demo), demo.clear_imports, lambda: demo.signatures,
        lambda: demo.get_function("add"), lambda: demo.implements_function("add"), lambda: pickle.dumps(demo),
        lambda: jitffi.system_library().import_module(demo),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(ValueError, match=f"module '{demo.name}' was unloaded"):
            use()


def test_with_closes(demo):
    with demo as module:
        assert module.add(1) == 3
    with pytest.raises(ValueError, match="was unloaded"):
        demo.add  # noqa: B018


def test_functions_in_cycles_are_not_in_use(demo):
    cycle = [demo.add]
    cycle.append(cycle)
    del cycle
    demo.close()


def test_a_function_keeps_its_module(compile_object, shared, capfd):
    source = (
        PLAIN
        + """
    __attribute__((destructor)) static void end(void) { puts("ended"); fflush(stdout); }
    ENTRY(one) { (void)self, (void)n, (void)a; return gives(out, 1); }
    """
    )
    before = live_objects()
    for path in (compile_object(source), shared(source)):
        module = jitffi.load_module(path)
        one = module.one
        del module
        gc.collect()
        assert one() == 1 and capfd.readouterr().out == ""
        del one
        gc.collect()
        assert capfd.readouterr().out == "ended\n"
    assert live_objects() == before


def test_the_same_module_has_the_same_wrapper(demo):
    echo = jitffi.function("(x: any) -> any")(lambda x: x)
    typed = jitffi.function("(x: module) -> module")(lambda x: x)
    assert echo(demo) is demo and typed(demo) is demo
    assert jitffi.Function.from_native(jitffi.Function(typed).native_address, "(module) -> module")(demo) is demo
    held = jitffi.List([demo, {"m": demo}])
    assert held[0] is demo and held[1]["m"] is demo
    wrapper = weakref.ref(demo)
    handle = demo.handle
    del demo
    gc.collect()
    if wrapper() is None:  # the fixture may hold it
        assert held[0].handle == handle and held[0].add(1) == 3
    for wrong in (1, "x", None, print):
        with pytest.raises(TypeError, match="expected module, got"):
            typed(wrong)


# -- imports ----------------------------------------------------------------------------------------------------------


def one_function(name: str, value: int) -> str:
    return PLAIN + f"ENTRY({name}) {{ (void)self, (void)n, (void)a; return gives(out, {value}); }}"


def test_imports(compile_object):
    a, b, c = (jitffi.load_module(compile_object(one_function(name, i))) for i, name in enumerate("abc"))
    a.import_module(b)
    a.import_module(b)
    b.import_module(c)
    c.import_module(a)
    assert a.imports == [b] and b.imports == [c] and c.imports == [a]
    for module in (a, b, c):
        assert [module.a(), module.b(), module["c"]()] == [0, 1, 2]
        assert len(module) == 1
        with pytest.raises(AttributeError, match="has no function 'd'"):
            module.d  # noqa: B018
    with pytest.raises(AttributeError, match="of its own"):
        a.get_function("b", query_imports=False)
    assert a.implements_function("c") and not a.implements_function("c", query_imports=False)
    found = a.c
    with pytest.raises(RuntimeError, match="1 function"):
        c.close()
    del found
    c.close()
    assert not a.implements_function("c")
    a.clear_imports()
    assert a.imports == []
    with pytest.raises(AttributeError):
        a.b  # noqa: B018
    with pytest.raises(TypeError, match="expected a Module, got str"):
        a.import_module("b")


def test_a_ring_of_imports_is_freed_when_it_is_broken(compile_object):
    before = live_objects()
    a, b = (jitffi.load_module(compile_object(one_function(name, i))) for i, name in enumerate("ab"))
    a.import_module(b)
    b.import_module(a)
    assert a.b() == 1
    a.close()
    del a, b
    assert live_objects() == before


# -- linking ----------------------------------------------------------------------------------------------------------


def test_each_load_is_a_namespace_of_its_own(compile_object):
    path = compile_object(ADD)
    first, second = jitffi.load_module(path), jitffi.load_module(path)
    assert [first.add(1) for _ in range(3)] == [3, 3, 3] and first.calls() == 3 and second.calls() == 0
    assert first != second


def test_a_library_that_is_not_linked_with_the_runtime_says_how(compile_object, tmp_path):
    source = PLAIN + "int jf_nothing_of_that_name(void);\nENTRY(go) { (void)self, (void)n, (void)a; "
    source += "return gives(out, jf_nothing_of_that_name()); }"
    path = tmp_path / "unlinked.so"
    subprocess.run([CC, "-shared", "-o", str(path), compile_object(source)], check=True)
    with pytest.raises(
        OSError, match="unlinked.so: undefined symbol: jf_nothing.*: link it with what .jitffi config --libs. prints"
    ):
        jitffi.load_module(str(path))


def test_several_objects_are_linked_together(compile_object):
    first = PLAIN + "extern int64_t shared; int64_t helper(int64_t);\n"
    first += "ENTRY(go) { (void)self, (void)n; shared += 1; return gives(out, helper(a[0].v) + shared); }"
    second = "#include <stdint.h>\nint64_t shared = 100; int64_t zeros[4096];\n"
    second += "int64_t helper(int64_t x) { zeros[5] += x; return zeros[5] * 10; }"
    go, helper = compile_object(first), compile_object(second)
    module = jitffi.load_module(go, pathlib.Path(helper).read_bytes())
    other = jitffi.load_module(pathlib.Path(helper), go)
    assert [module.go(1), module.go(1), other.go(1)] == [111, 122, 111]
    with pytest.raises(OSError, match=r"demo\.o: undefined: helper, shared; link=\.\.\. names the shared libraries"):
        jitffi.load_module(go)
    with pytest.raises(OSError, match=r"object file 2: defines '__jf_go', and so does .*demo\.o"):
        jitffi.load_module(go, pathlib.Path(go).read_bytes(), helper)


def test_weak_and_common_symbols(compile_object):
    first = (
        PLAIN
        + """
    __attribute__((weak)) int64_t which(void) { return 1; }
    __attribute__((weak)) extern int64_t nowhere(void);
    int64_t common[10];
    ENTRY(which) { (void)self, (void)n, (void)a; return gives(out, which() + common[1] + (nowhere ? 1000 : 0)); }
    """
    )
    second = "#include <stdint.h>\nint64_t which(void) { return 2; } int64_t common[20];\n"
    second += "__attribute__((constructor)) static void fill(void) { common[1] = 10; }"
    alone = compile_object(first, "-fcommon")
    assert jitffi.load_module(alone).which() == 1
    assert jitffi.load_module(alone, compile_object(second, "-fcommon")).which() == 12
    assert jitffi.load_module(compile_object(second, "-fcommon"), alone).which() == 12


def test_symbols_of_libraries_the_runtime_and_the_process(compile_object, shared):
    needed = shared("long jitffi_test_only_here(long x) { return x * 3; }")
    source = (
        PLAIN
        + """
    #include <jitffi/runtime.h>
    #include <math.h>
    extern long jitffi_test_only_here(long);
    ENTRY(thrice) { (void)self, (void)n; return gives(out, jitffi_test_only_here(a[0].v)); }
    int32_t __jf_text(jf_function* self, int32_t n, const jf_view* a, jf_value* out) {
      (void)self, (void)n;
      char text[64];
      int size = snprintf(text, sizeof text, "%.3f %d", lgamma(a[0].v_float64), (int)abs(-3));
      return jf_out_str(out, text, (size_t)size);
    }
    int32_t __jf_fails(jf_function* self, int32_t n, const jf_view* a, jf_value* out) {
      (void)self, (void)n, (void)a, (void)out;
      jf_error_set("KeyError", "no such key");
      return -1;
    }
    """
    )
    path = compile_object(source)
    for link in ([needed], (pathlib.Path(needed),), needed):
        module = jitffi.load_module(path, link=link)
        assert module.thrice(14) == 42 and module.text(10.0) == "12.802 3"
        with pytest.raises(KeyError, match="no such key"):
            module.fails()
    with pytest.raises(OSError, match="undefined: jitffi_test_only_here; link="):
        jitffi.load_module(path)
    with pytest.raises(OSError, match="no-such-library"):
        jitffi.load_module(path, link=["/no-such-library.so"])


def test_sections_that_objects_fill_together(compile_object):
    """What a linker tells of sections whose names C can spell."""
    part = '#include <stdint.h>\n__attribute__((section("demo_set"), used)) static int64_t part[] = {%s};'
    source = (
        PLAIN
        + part % "1, 2"
        + """
    extern int64_t __start_demo_set[], __stop_demo_set[];
    ENTRY(sum) {
      (void)self, (void)n, (void)a;
      int64_t total = 0;
      for (int64_t* at = __start_demo_set; at != __stop_demo_set; at++) total += *at;
      return gives(out, total);
    }
    """
    )
    first, second = compile_object(source), compile_object(part % "10, 20, 30")
    assert jitffi.load_module(first).sum() == 3 and jitffi.load_module(first, second).sum() == 63
    assert jitffi.load_module(second, first).sum() == 63


def test_callbacks_and_values(compile_object):
    source = """
    #include <jitffi/containers.h>
    const char __jfsig_apply[] = "(f: func, x: any) -> any";
    int32_t __jf_apply(jf_function* self, int32_t n, const jf_view* a, jf_value* out) {
      (void)self, (void)n;
      return jf_function_call(a[0].v_object, 1, &a[1], out);
    }
    """
    module = jitffi.load_module(compile_object(source))
    assert module.apply(lambda x: x * 2, "ab") == "abab" and module.apply(len, [1, 2, 3]) == 3
    with pytest.raises(ZeroDivisionError):
        module.apply(lambda x: 1 // x, 0)
    assert module.apply(lambda m: m.name, module) == "demo"


def test_code_without_position_independence(compile_object):
    source = PLAIN + "static int64_t table[] = {7, 8, 9}; int64_t* where = table + 1;\n"
    source += "ENTRY(get) { (void)self, (void)n; return gives(out, where[a[0].v]); }"
    for flags in (("-fPIE",), ("-fno-plt",), ("-mcmodel=large",) if MACHINE == "x86_64" else ()):
        module = jitffi.load_module(compile_object(source, *flags))
        assert [module.get(i) for i in (-1, 0, 1)] == [7, 8, 9]
    if MACHINE == "x86_64":
        direct = source.replace("where[a", "table[1 + a")
        absolute = compile_object(direct, "-fno-pic", "-mcmodel=small", "-fno-pie")
        with pytest.raises(OSError, match=r"demo\.o: the address of '.+' is out of reach: compile with -fPIC"):
            jitffi.load_module(absolute)


def test_optimised_and_split_code(compile_object):
    for flags in (
        ("-O3", "-ffunction-sections", "-fdata-sections"),
        ("-O0", "-g"),
        ("-Os", "-fno-asynchronous-unwind-tables"),
    ):
        assert jitffi.load_module(compile_object(ADD, *flags)).add(40) == 42


def test_constructors_and_destructors_run_in_order(compile_object, capfd):
    def speaker(name: str) -> str:
        return (
            PLAIN
            + f"""
        static void say(const char* what) {{ printf("%s{name} ", what); fflush(stdout); }}
        __attribute__((constructor)) static void c(void) {{ say("c"); }}
        __attribute__((constructor(200))) static void c200(void) {{ say("c200"); }}
        __attribute__((constructor(101))) static void c101(void) {{ say("c101"); }}
        __attribute__((destructor)) static void d(void) {{ say("d"); }}
        __attribute__((destructor(200))) static void d200(void) {{ say("d200"); }}
        __attribute__((destructor(101))) static void d101(void) {{ say("d101"); }}
        static void at_end(void) {{ say("end"); }}
        ENTRY(later_{name}) {{ (void)self, (void)n, (void)a; return gives(out, atexit(at_end)); }}
        """
        )

    module = jitffi.load_module(compile_object(speaker("A")), compile_object(speaker("B")))
    assert capfd.readouterr().out == "c101A c101B c200A c200B cA cB "
    assert module.later_A() == 0
    module.close()
    assert capfd.readouterr().out == "endA dB dA d200B d200A d101B d101A "


def test_older_arrays_of_constructors(compile_object, capfd):
    source = (
        PLAIN
        + """
    static void say(const char* what) { printf("%s ", what); fflush(stdout); }
    static void first(void) { say("first"); }
    static void second(void) { say("second"); }
    static void third(void) { say("third"); }
    __attribute__((section(".ctors"), used)) static void (*const ctors[])(void) = {third, second};
    __attribute__((section(".ctors.65000"), used)) static void (*const early[])(void) = {first};
    __attribute__((section(".dtors"), used)) static void (*const dtors[])(void) = {second, third};
    """
    )
    module = jitffi.load_module(compile_object(source))
    assert capfd.readouterr().out == "first second third "
    module.close()
    assert capfd.readouterr().out == "second third "


CPP = """
#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
struct slot { int32_t code, length; int64_t v; };
struct Speaker {
  std::string name;
  explicit Speaker(const char* text) : name(text) { std::printf("+%s ", text); std::fflush(stdout); }
  ~Speaker() { std::printf("-%s ", name.c_str()); std::fflush(stdout); }
};
static Speaker global("global");
static std::map<std::string, int> table{{"a", 1}, {"b", 2}};
template <typename T> T twice(T x) { static T calls; calls += 1; return x + x + calls * 0; }
inline std::vector<int>& numbers() { static std::vector<int> all; return all; }
extern "C" int32_t __jf_catches(void*, int32_t, const slot* a, slot* out) {
  static Speaker local("local");
  int64_t caught = 0;
  try { std::vector<int>(3).at(static_cast<size_t>(a[0].v)); } catch (const std::out_of_range&) { caught += 1; }
  try { if (a[0].v > 5) throw std::runtime_error("text"); }
  catch (const std::exception& e) { caught += 10 * (e.what()[0] == 't'); }
  numbers().push_back(twice(1));
  *out = slot{-2, 0, caught + 100 * table["b"] + 1000 * static_cast<int64_t>(numbers().size())};
  return 0;
}
"""


@pytest.mark.parametrize("flags", [("-O0",), ("-O2",), ("-O2", "-fno-plt")])
def test_cpp_with_exceptions_and_static_objects(compile_object, capfd, flags):
    first = compile_object(CPP, *flags, language="c++")
    second = compile_object(
        CPP.replace("__jf_catches", "__jf_other").replace('"global"', '"global2"'), *flags, language="c++"
    )
    module = jitffi.load_module(first, second)
    assert [module.catches(1), module.catches(3), module.catches(9)] == [1200, 2201, 3211]
    assert module.other(9) == 4211  # what is inline is there once, though both objects brought it
    module.close()
    assert capfd.readouterr().out == "+global +global2 +local +local -local -local -global2 -global "


def test_destructors_run_when_the_interpreter_ends(compile_object, run_python):
    path = compile_object(CPP, language="c++")
    out = run_python(f"""
import jitffi
module = jitffi.load_module({path!r})
print(module.catches(9), flush=True)
kept = module.catches
""")
    assert out == "+global +local 1211\n-local -global "


def test_exceptions_of_cpp_cross_frames_of_c(compile_object):
    """Unwinding finds the frames of linked code, those of C too, and the backtrace goes through."""
    source = (
        PLAIN
        + """
    #include <unwind.h>
    static _Unwind_Reason_Code count(struct _Unwind_Context* context, void* number) {
      (void)context;
      return ++*(int*)number < 200 ? _URC_NO_REASON : _URC_END_OF_STACK;
    }
    __attribute__((noinline)) static int64_t deep(int64_t n) {
      int frames = 0;
      if (n > 0) return deep(n - 1) + 0 * (int64_t)printf("%s", "");
      _Unwind_Backtrace(count, &frames);
      return frames;
    }
    ENTRY(frames) { (void)self, (void)n; return gives(out, deep(a[0].v)); }
    """
    )
    module = jitffi.load_module(compile_object(source, "-O0"))
    assert module.frames(20) == module.frames(0) + 20 > 25


# -- errors -----------------------------------------------------------------------------------------------------------


def test_thread_local_variables_are_refused(compile_object):
    source = (
        PLAIN + "static __thread int64_t own = 5; ENTRY(get) { (void)self,(void)n,(void)a; return gives(out, own++); }"
    )
    with pytest.raises(OSError, match=r"demo\.o: has .*thread-local variable.*: link it into a shared library"):
        jitffi.load_module(compile_object(source))
    extern = PLAIN + "extern __thread int64_t own; ENTRY(get) { (void)self,(void)n,(void)a; return gives(out, own++); }"
    with pytest.raises(OSError, match="thread-local variable"):
        jitffi.load_module(compile_object(extern))


def test_shared_libraries_may_have_thread_local_variables(shared):
    source = (
        PLAIN + "static __thread int64_t own = 5; ENTRY(get) { (void)self,(void)n,(void)a; return gives(out, own++); }"
    )
    module = jitffi.load_module(shared(source))
    got = []
    assert [module.get(), module.get()] == [5, 6]
    thread = threading.Thread(target=lambda: got.append(module.get()))
    thread.start()
    thread.join()
    assert got == [5]


def test_versions_of_the_abi(compile_object, shared):
    def versioned(version: int) -> str:
        return ADD + f"__attribute__((weak)) const uint32_t __jfabi = {version};"

    for load in (compile_object, shared):
        assert jitffi.load_module(load(versioned(0))).add(1) == 3
        for version, text in ((0x10000, "1.0"), (0x30005, "3.5"), (1, "0.1")):
            with pytest.raises(OSError, match=rf"demo\..*: was made for ABI {text}, this runtime has 0\.0"):
                jitffi.load_module(load(versioned(version)))
    assert jitffi.load_module(compile_object(versioned(0)), compile_object(one_function("x", 1))).x() == 1


def test_bad_signatures(compile_object):
    source = ADD + 'const char __jfsig_calls[] = "(x: i65) -> i64";'
    module = jitffi.load_module(compile_object(source))
    assert module.add(1) == 3
    with pytest.raises(jitffi.SignatureError, match="module 'demo': the signature of 'calls': unknown type 'i65'"):
        module.calls  # noqa: B018
    cut = PLAIN + "ENTRY(f) { (void)self,(void)n,(void)a; return gives(out, 1); } const char __jfsig_f[2] = {'(', ')'};"
    with pytest.raises(OSError, match="__jfsig_f is no text"):
        jitffi.load_module(compile_object(cut, "-fdata-sections"))


def test_inputs_that_are_none(tmp_path, compile_object, shared):
    path, library = compile_object(ADD), shared(ADD)
    for wrong, error, text in (
        ([], TypeError, "expected a shared library, or object files"),
        ([None], TypeError, "expected a path or the bytes of an object file, got NoneType"),
        ([""], OSError, "name is empty"),
        (["a\0b"], OSError, "embedded NUL"),
        ([b""], OSError, "object file 1: is empty"),
        ([b"hello"], OSError, "object file 1: is no ELF file"),
        ([b"BC\xc0\xde" + bytes(100)], OSError, "object file 1: is LLVM bitcode"),
        ([b"!<arch>\n"], OSError, "object file 1: is an archive"),
        ([path, library], OSError, "is no object file; a shared library is loaded by its path, alone"),
        ([pathlib.Path(library).read_bytes()], OSError, "object file 1: is no object file; a shared library"),
        ([str(tmp_path / "none.o")], FileNotFoundError, "none.o"),
        (["libno-such-thing.so.9"], OSError, "libno-such-thing.so.9"),
        ([str(tmp_path)], OSError, ""),
    ):  # fmt: skip
        with pytest.raises(error) as caught:
            jitffi.load_module(*wrong)
        assert text in str(caught.value)
    with pytest.raises(TypeError, match="link is for object files"):
        jitffi.load_module(library, link=["libm.so.6"])
    with pytest.raises(TypeError, match="link names shared libraries, got int"):
        jitffi.load_module(path, link=[1])
    for name, content in (("text.so", b"hello"), ("empty.so", b""), ("empty.o", b"")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(OSError, match=name):
            jitffi.load_module(tmp_path / name)


def test_other_machines_are_named(compile_object, shared):
    other = 183 if MACHINE == "x86_64" else 62
    ours, theirs = objects.machine_name(62 if MACHINE == "x86_64" else 183), objects.machine_name(other)
    content = bytearray(pathlib.Path(compile_object(ADD)).read_bytes())
    content[18:20] = other.to_bytes(2, "little")
    with pytest.raises(OSError, match=f"object file 1: is for {theirs}, this machine is {ours}"):
        jitffi.load_module(bytes(content))
    path = pathlib.Path(shared(ADD)).with_name("other.so")
    content = bytearray(pathlib.Path(shared(ADD)).read_bytes())
    content[18:20] = other.to_bytes(2, "little")
    path.write_bytes(content)
    with pytest.raises(OSError, match=f"other.so: is for {theirs}, this machine is {ours}"):
        jitffi.load_module(path)


def test_files_cut_short(tmp_path, compile_object, shared):
    content = pathlib.Path(compile_object(ADD, "-g")).read_bytes()
    for size in [*range(0, 200), *range(200, len(content), 37)]:
        with pytest.raises(OSError, match="object file 1: is "):
            jitffi.load_module(content[:size])
    content = pathlib.Path(shared(ADD)).read_bytes()
    for size in range(0, 4096, 101):
        (tmp_path / "cut.so").write_bytes(content[:size])
        with pytest.raises(OSError, match="cut.so"):
            jitffi.load_module(tmp_path / "cut.so")


def test_damaged_files_are_refused_or_linked_but_never_crash(compile_object, run_python):
    """Any one field of headers, symbols and relocations changed: linking stays within its bounds, nothing is run."""
    path = compile_object(CPP, "-O1", language="c++")
    seed = int(os.environ.get("JITFFI_FUZZ_SEED", "1"))
    out = run_python(f"""
import random, struct
from jitffi import _core
from jitffi.link import image, objects

rng = random.Random({seed})
good = open({path!r}, "rb").read()
elf = objects.Elf(good)
places = list(range(64))
start = struct.unpack_from("<Q", good, 40)[0]
places += range(start, len(good))
for section in elf.sections:
    if section.type in (objects.SYMTAB, objects.RELA, objects.GROUP) or section.name == ".eh_frame":
        places += range(section.offset, section.offset + section.size)
linked = refused = 0
for number in range({int(os.environ.get("JITFFI_FUZZ_CASES", 400))}):
    bad = bytearray(good)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.choice(places)
        bad[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    linker = image.Linker(elf.machine)
    try:
        try:
            linker.add("bad", bytes(bad))
        except objects.ObjectError:
            refused += 1
            continue
        linker.resolve(image.Libraries(()))
        size = linker.lay_out()
        memory, _, _ = linker.relocate(0x7F0000000000 if size < 1 << 31 else 0)
        linker.exports(memory)
        linked += 1
    except (OSError, MemoryError):
        refused += 1
print(linked > 0, refused > 0)
""")
    assert out == "True True\n"


# -- the rest ---------------------------------------------------------------------------------------------------------


def test_pickling(compile_object, shared, tmp_path, monkeypatch):
    for path in (compile_object(ADD), shared(ADD)):
        module = jitffi.load_module(path)
        assert module.add(1) == 3
        again = pickle.loads(pickle.dumps(module))
        assert again is module
        add = pickle.loads(pickle.dumps(module.add))
        assert add(40) == 42 and module.calls() == 2  # the same code, since it is loaded still
        assert pickle.loads(pickle.dumps(module["name"]))() == 77
        assert type(pickle.loads(pickle.dumps(jitffi.Function(add)))) is jitffi.Function
        dumped = pickle.dumps(module.calls)
        del module, again, add
        gc.collect()
        assert pickle.loads(dumped)() == 0  # loaded anew
    shutil.copy(compile_object(ADD), tmp_path / "here.o")
    monkeypatch.chdir(tmp_path)
    dumped = pickle.dumps(jitffi.load_module("here.o").add)
    monkeypatch.chdir("/")
    assert pickle.loads(dumped)(1) == 3
    nowhere = jitffi.load_module((tmp_path / "here.o").read_bytes())
    for thing in (nowhere, nowhere.add):
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(thing)


def test_system_library(build_library):
    source = """
    #include <jitffi/module.h>
    const char __jfsig_test_sys_add[] = "(i64, i64) -> i64";
    int32_t __jf_test_sys_add(jf_function* self, int32_t n, const jf_view* a, jf_value* out) {
      (void)self, (void)n;
      *out = (jf_value){JF_INT, 0, {.v_int64 = a[0].v_int64 + a[1].v_int64}};
      return 0;
    }
    int32_t __jf_test_sys_two(jf_function* self, int32_t n, const jf_view* a, jf_value* out) {
      (void)self, (void)n, (void)a;
      *out = (jf_value){JF_INT, 0, {.v_int64 = 2}};
      return 0;
    }
    JF_EXPORT(test_sys_add);
    JF_EXPORT(test_sys_two);
    """
    library = jitffi.load_library(build_library(source, runtime=True))
    system = jitffi.system_library("test_sys_")
    assert list(system) == ["add", "two"] and system.add(40, 2) == 42 and system.two() == 2
    assert {"test_sys_add", "test_sys_two"} <= set(jitffi.system_library())
    assert system.signatures["add"] == jitffi.Signature.parse("(i64, i64) -> i64") and system.signatures["two"] is None
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(system)
    with pytest.raises(TypeError, match="prefix is a str, not int"):
        jitffi.system_library(1)
    del system
    gc.collect()
    del library
    gc.collect()
    assert "test_sys_add" not in jitffi.system_library()


def test_function_objects_that_a_module_makes_keep_it(compile_object, shared):
    source = """
    #include <jitffi/runtime.h>
    static int32_t made(jf_function* self, int32_t n, const jf_view* a, jf_value* out) {
      (void)self, (void)n;
      *out = (jf_value){JF_INT, 0, {.v_int64 = a[0].v_int64 + 1}};
      return 0;
    }
    int32_t __jf_make(jf_function* self, int32_t n, const jf_view* a, jf_value* out) {
      (void)self, (void)n, (void)a;
      jf_object* function = jf_function_new(made, NULL, NULL, "(i64) -> i64");
      if (function == NULL) return -1;
      jf_out_object(out, function);
      return 0;
    }
    """
    before = live_objects()
    for path in (compile_object(source), shared(source, *shlex.split(config.flags("libs")))):
        module = jitffi.load_module(path)
        increment = module.make()
        with pytest.raises(RuntimeError, match="in use"):
            module.close()
        del module
        gc.collect()
        assert increment(41) == 42
        del increment
    assert live_objects() == before


def test_threads_load_call_and_drop(compile_object, shared):
    paths = [compile_object(ADD), shared(ADD), compile_object(CPP, language="c++")]
    before = live_objects()
    failures = []

    def work(number: int) -> None:
        try:
            rng = random.Random(number)
            for _ in range(25):
                module = jitffi.load_module(rng.choice(paths[:2]))
                add = module.add
                assert add(number, 1) == number + 1
                other = jitffi.load_module(paths[2])
                other.import_module(module)
                assert other.add(number) == number + 2
        except BaseException as error:  # noqa: BLE001 - for the main thread to show
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and live_objects() == before


def test_closing_races_with_calls(compile_object):
    path = compile_object(ADD)
    for _ in range(5):
        module = jitffi.load_module(path)
        stop, errors = threading.Event(), []

        def call(module=module, stop=stop, errors=errors) -> None:
            while not stop.is_set():
                try:
                    assert module["add"](1) == 3
                except (KeyError, ValueError):
                    return
                except BaseException as error:  # noqa: BLE001
                    errors.append(error)
                    return

        threads = [threading.Thread(target=call) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            try:
                module.close()
                break
            except RuntimeError:
                pass
        stop.set()
        for thread in threads:
            thread.join()
        assert not errors


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_fork(compile_object, run_python):
    path = compile_object(CPP, language="c++")
    out = run_python(f"""
import os, jitffi
module = jitffi.load_module({path!r})
first = module.catches(9)
child = os.fork()
if child == 0:
    assert module.catches(9) == first + 1000
    again = jitffi.load_module({path!r})
    assert again.catches(9) == first
    again.close()
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert module.catches(9) == first + 1000
""")
    assert out.endswith("-local -global ")


def test_nothing_leaks(compile_object, shared):
    """Memory mappings and native objects, over many loads."""

    def mappings() -> int:
        return len(pathlib.Path("/proc/self/maps").read_text().splitlines())

    if not os.path.exists("/proc/self/maps"):
        pytest.skip("no /proc")
    path, library = compile_object(CPP, language="c++"), shared(ADD)
    jitffi.load_module(path).catches(1)
    before, objects_before = mappings(), live_objects()
    for _ in range(50):
        jitffi.load_module(path).catches(1)
        jitffi.load_module(library).add(1)
    assert live_objects() == objects_before and mappings() < before + 20


def test_emitted_code_is_a_module(tmp_path, compile_object):
    jitffi.emit(["mul: (a: i64, b: i64 = 3) -> i64", "half: (f64) -> f64"], tmp_path / "made.o")
    callees = compile_object("long mul(long a, long b) { return a * b; } double half(double x) { return x / 2; }")
    module = jitffi.load_module(tmp_path / "made.o", callees)
    assert module.mul(14) == 42 and module.half(5) == 2.5 and module.name == "made"
    assert str(module.signatures["mul"]) == "(a: i64, b: i64 = 3) -> i64"
    with pytest.raises(TypeError, match="mul: argument 2 'b': expected i64, got float 1.5"):
        module.mul(1, 1.5)
    with pytest.raises(OSError, match="made.o: undefined: half, mul;"):
        jitffi.load_module(tmp_path / "made.o")


def test_functions_are_named_for_perf(compile_object, run_python):
    out = run_python(
        f"""
import os, jitffi
module = jitffi.load_module({compile_object(ADD)!r})
print(open(f"/tmp/perf-{{os.getpid()}}.map").read())
os.remove(f"/tmp/perf-{{os.getpid()}}.map")
""",
        env={"JITFFI_PERF": "1"},
    )
    assert {"__jf_add", "__jf_calls"} <= set(out.split())


def test_objects_that_hold_no_code(tmp_path):
    (tmp_path / "lto.c").write_text(ADD)
    command = [CC, "-c", "-flto", "-fno-fat-lto-objects", "-o", tmp_path / "lto.o", tmp_path / "lto.c"]
    if subprocess.run(command, capture_output=True, timeout=60).returncode != 0:
        pytest.skip("the compiler knows no -flto")
    with pytest.raises(OSError, match=r"lto\.o: (holds no machine code: it was compiled with -flto|is LLVM bitcode)"):
        jitffi.load_module(tmp_path / "lto.o")


def test_a_library_without_exports_says_so():
    module = jitffi.load_module("libm.so.6")
    assert len(module) == 0 and module.name == "libm"
    with pytest.raises(
        AttributeError, match="module 'libm' has no function 'sin': it exports no __jf_sin, and nothing"
    ):
        module.sin  # noqa: B018


def test_names_of_files_in_any_encoding(compile_object, shared, tmp_path):
    for path, ending in ((compile_object(ADD), b".o"), (shared(ADD), b".so")):
        name = os.fsdecode(os.fsencode(tmp_path) + b"/b\xff" + ending)
        shutil.copy(path, name)
        module = jitffi.load_module(name)
        assert module.add(1) == 3 and module.name.startswith("b")
        with pytest.raises(AttributeError, match="has no function 'nothing'"):
            module.nothing  # noqa: B018


def test_every_address_of_a_function(compile_object):
    module = jitffi.load_module(compile_object(ADD))
    function = jitffi.Function(module.add)
    native = jitffi.Function.from_native(function.native_address, "(i64, i64) -> i64", keep_alive=function)
    assert native(3, 4) == 7
    assert jitffi.Function.from_packed(function.packed_address, self_handle=function.handle)(3, 4) == 7
    jitffi.register_global_func("test.module.add", module.add)
    assert jitffi.get_global_func("test.module.add")(1, 2) == 3
    jitffi.remove_global_func("test.module.add")
    del native, function
    module.close()


def test_modules_are_not_made_by_their_class():
    for make in (jitffi.Module, lambda: object.__new__(jitffi.Module)):
        with pytest.raises(TypeError):
            make()


def test_loading_needs_no_llvm(compile_object, run_python):
    out = run_python(f"""
import sys, jitffi
module = jitffi.load_module({compile_object(ADD)!r})
print(len(module), "llvmlite" in sys.modules)
print(module.calls(), "llvmlite" in sys.modules)
""")
    assert out == "3 False\n0 False\n"


def test_wrappers_of_modules_made_by_native_code_alone():
    echo = jitffi.function("(x: any) -> any")(lambda x: x)
    made = _core.module_new("made", [], None, 0, 0)
    assert echo(made) is made and type(made) is jitffi.Module and len(made) == 0
    assert sys.getrefcount(made) < 10 and struct.calcsize("P") == 8


# -- another machine --------------------------------------------------------------------------------------------------

#: A program for AArch64 that maps an image where it was linked for, and calls what is in it.
HOST = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
typedef struct { int32_t code, length; int64_t v; } slot;
int64_t outside(int64_t x) { return x * 3; }
int64_t outside_data = 1000;
static void last(void) { puts("last"); }
/* host IMAGE BASE SIZE FUNCTION CONSTRUCTOR... */
int main(int argc, char** argv) {
  char* base = (char*)strtoull(argv[2], NULL, 0);
  size_t size = strtoull(argv[3], NULL, 0);
  FILE* file = fopen(argv[1], "rb");
  atexit(last);
  outside_data += (int64_t)strtod(argc > 99 ? "1" : "0", NULL);
  int all = PROT_READ | PROT_WRITE | PROT_EXEC;
  if (mmap(base, size, all, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != base) return 2;
  if (!fread(base, 1, size, file)) return 3;
  __builtin___clear_cache(base, base + size);
  for (int i = 5; i < argc; i++) ((void (*)(void))strtoull(argv[i], NULL, 0))();
  slot args[2] = {{-2, 0, 20}, {-2, 0, 22}}, out = {-1, 8, 0};
  int32_t (*go)(void*, int32_t, const slot*, slot*) = (void*)strtoull(argv[4], NULL, 0);
  int32_t status = go(NULL, 2, args, &out);
  printf("%d %lld\n", status, (long long)out.v);
  return 0;
}
"""

GUEST = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int32_t code, length; int64_t v; } slot;
const char __jfsig_go[] = "(a: i64, b: i64) -> i64";
extern int64_t outside(int64_t x);
extern int64_t outside_data;
int64_t shared_here = 5;
static int64_t table[4] = {1, 2, 3, 4};
static int8_t bytes[3] = {7, 8, 9};
static int16_t halves[3] = {10, 20, 30};
static int64_t zero[5000];
int64_t common[7];
static int64_t (*pointer)(int64_t) = outside;
static const char* names[] = {"zero", "one", "two"};
__attribute__((constructor)) static void begin(void) { zero[4999] += 100; }
static void bye(void) { puts("bye"); }
__attribute__((noinline)) static int64_t pick(int64_t i) {
  switch (i & 7) {
    case 0: return 5;
    case 1: return table[1];
    case 2: return 9;
    case 3: return 11;
    case 4: return 13;
    default: return names[i % 3][0];
  }
}
int32_t __jf_go(void* self, int32_t n, const slot* a, slot* out) {
  (void)self;
  atexit(bye);
  common[3] += n;
  double d = strtod("0.5", NULL);
  char text[64]; /* no memcpy here: of a static C library the symbol is the function that chooses one */
  snprintf(text, sizeof text, "%s", "hello");
  printf("%s %ld %ld %d ", text, (long)outside(a[0].v), (long)outside_data, bytes[1]);
  printf("%d %ld %ld %ld %g %s %ld\n", halves[2], (long)zero[4999], (long)common[3], (long)pointer(2), d, names[2],
         (long)(pick(1) + pick(2) + pick(6)));
  out->code = -2;
  out->v = a[0].v + a[1].v + shared_here;
  return 0;
}
"""


class Symbols:
    """Where that program's symbols are."""

    opened: tuple[object, ...] = ()

    def __init__(self, lines: str) -> None:
        rows = [line.split() for line in lines.splitlines()]
        self.addresses = {row[2]: int(row[0], 16) for row in rows if len(row) == 3}

    def find(self, name: str) -> int | None:
        return self.addresses.get(name)


@pytest.fixture(scope="session")
def aarch64_host(tmp_path_factory):
    tools = [shutil.which("aarch64-linux-gnu-gcc"), shutil.which("aarch64-linux-gnu-nm")]
    qemu = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if not all(tools) or not qemu:
        pytest.skip("no gcc-aarch64-linux-gnu or no qemu-user")
    folder = tmp_path_factory.mktemp("aarch64")
    (folder / "host.c").write_text(HOST)
    (folder / "guest.c").write_text(GUEST)
    subprocess.run([tools[0], "-static", "-O1", "-o", folder / "host", folder / "host.c"], check=True, timeout=120)
    return folder, tools, qemu


@pytest.mark.parametrize(
    "flags", ["-fPIC -O0", "-fPIC -O2", "-fno-pic -O2", "-fno-pic -O2 -mcmodel=large", "-fPIC -Os"]
)
@pytest.mark.parametrize("base", [0x10000000, 0x2000000])
def test_aarch64(aarch64_host, flags, base):
    """Linked here, run by an emulator: within the reach of branches to the program, and beyond it."""
    from jitffi.link import image

    folder, (gcc, nm), qemu = aarch64_host
    subprocess.run([gcc, "-c", *flags.split(), "-o", folder / "guest.o", folder / "guest.c"], check=True, timeout=120)
    linker = image.Linker(objects.AARCH64)
    linker.add("guest.o", (folder / "guest.o").read_bytes())
    linker.resolve(Symbols(subprocess.check_output([nm, folder / "host"], text=True)))
    size = linker.lay_out()
    memory, constructors, _ = linker.relocate(base)
    (folder / "image").write_bytes(memory)
    ((name, address, signature),) = linker.exports(memory)
    assert name == "go" and signature == "(a: i64, b: i64) -> i64"
    command = [qemu, folder / "host", folder / "image", *map(hex, [base, size, address, *constructors])]
    out = subprocess.check_output(command, text=True, timeout=60)
    assert out == "hello 60 1000 8 30 100 2 6 0.5 two 133\n0 47\nbye\nlast\n"


def test_a_program_with_a_system_library(tmp_path):
    """An emitted object in a program without Python, its exports registered before main; static, too."""
    (tmp_path / "main.c").write_text("""
#include <inttypes.h>
#include <jitffi/module.h>
#include <stdio.h>
int64_t add(int64_t a, int64_t b);
int64_t add(int64_t a, int64_t b) { return a + b; }
JF_EXPORT(add);
int main(void) {
  jf_object* library = jf_system_library(NULL);
  jf_object* function = jf_module_get(library, "add");
  jf_object_release(library);
  jf_view args[2] = {{JF_INT, 0, {40}}, {JF_INT, 0, {2}}};
  jf_value out = {JF_NULL, 8, {0}};
  if (jf_function_call(function, 2, args, &out)) return 1;
  printf("%" PRId64 " %s\\n", out.v_int64, ((jf_function*)function)->signature);
  jf_object_release(function);
  return jf_live_objects() != 0;
}
""")
    jitffi.emit("add: (a: i64, b: i64) -> i64", tmp_path / "add.o")
    where = config.library_dir()
    if not (where / "libjitffi_runtime.a").exists():
        pytest.skip("no static runtime beside this build")
    for flags in ([], ["-static"]):
        command = [CC, "-Wall", "-Wextra", "-Werror", *flags, f"-I{config.include_dir()}", "-o", tmp_path / "main"]
        command += [tmp_path / "main.c", tmp_path / "add.o", where / "libjitffi_runtime.a", "-pthread"]
        subprocess.run(command, check=True, timeout=120)
        out = subprocess.check_output([tmp_path / "main"], text=True, env={})
        assert out == "42 (a: i64, b: i64) -> i64\n"


def test_descriptions_of_frames_are_checked(compile_object):
    """Changed at any one byte: refused, or of a form that the unwinder reads."""
    from jitffi.link.frames import check_frames

    elf = objects.Elf(pathlib.Path(compile_object(CPP, "-O1", language="c++")).read_bytes())
    content = next(elf.content(section) for section in elf.sections if section.name == ".eh_frame")
    assert check_frames(content, set()) == (len(content), check_frames(content + bytes(4), set())[1])
    refused = 0
    for at in range(len(content)):
        for value in (0, 0x7F, 0xFF, content[at] ^ 0x50):
            try:
                check_frames(content[:at] + bytes([value]) + content[at + 1 :], set())
            except objects.ObjectError:
                refused += 1
    assert refused > 100
    for size in range(1, len(content)):
        try:
            assert check_frames(content[:size], set())[0] <= size
        except objects.ObjectError:
            refused += 1
