"""Exceptions of C++: wherever generated code calls out they become errors, and everything works afterwards."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

import jitffi
from jitffi.adapters import tiers

SOURCE = r"""
#include <system_error>
#include <future>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
struct Mine : std::runtime_error { long room[4]; Mine() : std::runtime_error("mine") {} };
struct Other { virtual ~Other() {} long x; };
struct Both : Other, std::invalid_argument { Both() : std::invalid_argument("both") {} };
struct Plain { int a; };
static int destroyed;
struct Guard { ~Guard() { destroyed++; } };
extern "C" {
long thrower(long x) { Guard guard; if (x < 0) throw std::runtime_error("negative " + std::to_string(x)); return x; }
double of_floats(double x, float y, const char* text) { if (!*text) throw std::domain_error("empty"); return x + y; }
const char* text_of(long x) { if (x) throw std::out_of_range("text"); return "ok"; }
long many(long a, long b, long c, long d, long e, long f, long g, long h, double i) {
  if (h) throw std::overflow_error("many");
  return a + b + c + d + e + f + g + h + (long)i;
}
void nothing(void) { throw 42; }
long call(long (*f)(long), long x) { Guard guard; return f(x) + 1; }
long call_and_throw(long (*f)(long), long x) { f(x); throw std::runtime_error("after the callback"); }
long caught_inside(long (*f)(long), long x) { try { return f(x); } catch (std::exception&) { return -77; } }
int packed_thrower(void* self, int count, const void* args, void* out) { throw std::invalid_argument("packed"); }
long how_many_destroyed(void) { return destroyed; }
long uncaught(void) { return std::uncaught_exceptions(); }
long kind(long k) {
  switch (k) {
    case 0: throw std::bad_alloc();
    case 1: throw std::out_of_range("r");
    case 2: throw Both();
    case 3: throw std::domain_error("d");
    case 4: throw std::overflow_error("o");
    case 5: throw Mine();
    case 6: throw 42;
    case 7: throw Plain{1};
    case 8: try { throw std::length_error("again"); } catch (...) { std::rethrow_exception(std::current_exception()); }
    case 9: try { throw 1; } catch (...) { throw std::range_error("inner"); }
    case 10: throw std::bad_function_call();
    case 11: throw std::runtime_error(std::string(2000, 'x') + "%s\xff");
    case 12: throw (std::exception*)nullptr;
    case 13: throw std::system_error(2, std::system_category(), "open");
    case 14: throw std::system_error(std::make_error_code(std::future_errc::broken_promise));
    case 15: throw std::bad_cast();
    case 16: throw std::underflow_error("u");
  }
  return 0;
}
}
"""

KINDS = [
    (0, MemoryError, "kind: std::bad_alloc: std::bad_alloc"),
    (1, IndexError, "kind: std::out_of_range: r"),
    (2, ValueError, "kind: Both: both"),
    (3, ValueError, "kind: std::domain_error: d"),
    (4, OverflowError, "kind: std::overflow_error: o"),
    (5, RuntimeError, "kind: Mine: mine"),
    (6, RuntimeError, "kind: int"),
    (7, RuntimeError, "kind: Plain"),
    (8, ValueError, "kind: std::length_error: again"),
    (9, ValueError, "kind: std::range_error: inner"),
    (10, RuntimeError, "kind: std::bad_function_call: bad_function_call"),
    (12, RuntimeError, "kind: std::exception*"),
    (13, FileNotFoundError, "[Errno 2] kind: std::system_error: open: No such file or directory"),
    (14, OSError, "kind: std::system_error: Broken promise"),
    (15, TypeError, "kind: std::bad_cast: std::bad_cast"),
    (16, ArithmeticError, "kind: std::underflow_error: u"),
]


@pytest.fixture(scope="session")
def thrower_path(tmp_path_factory):
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("no C++ compiler for Linux")
    folder = tmp_path_factory.mktemp("throws")
    (folder / "throws.cpp").write_text(SOURCE)
    command = [compiler, "-std=c++17", "-O1", "-shared", "-fPIC", "-o", str(folder / "throws.so"), "throws.cpp"]
    subprocess.run(command, cwd=folder, check=True, timeout=120)
    return str(folder / "throws.so")


@pytest.fixture(scope="session")
def library(thrower_path):
    return jitffi.load_library(thrower_path)


def both_levels(check):
    """At level 0, as it is compiled first, and at level 2."""
    check()
    tiers.drain()
    check()


@pytest.mark.parametrize(("number", "cls", "text"), KINDS)
def test_what_was_thrown_becomes_the_error_of_its_kind(library, number, cls, text):
    with pytest.raises(cls) as caught:
        library.bind("kind", "(i64) -> i64")(number)
    assert type(caught.value) is cls and str(caught.value) == text
    assert library.bind("uncaught", "() -> i64")() == 0


def test_long_texts_and_bytes_that_are_no_text(library):
    with pytest.raises(RuntimeError, match="xxxx%s"):
        library.bind("kind", "(i64) -> i64")(11)


@pytest.mark.parametrize("options", [{}, {"nogil": True}, {"pad": 0}])
def test_every_kind_of_call_from_python(library, options):
    def check():
        f = library.bind("thrower", "(x: i64) -> i64", **options)
        destroyed = library.bind("how_many_destroyed", "() -> i64")
        before = destroyed()
        for _ in range(100):
            assert f(3) == 3
            with pytest.raises(RuntimeError, match=r"^thrower: std::runtime_error: negative -1$"):
                f(-1)
        assert destroyed() == before + 200
        floats = library.bind("of_floats", "(f64, f32, cstr) -> f64", **options)
        assert floats(1, 2, "x") == 3
        with pytest.raises(ValueError, match=r"of_floats: std::domain_error: empty"):
            floats(1, 2, "")
        many = library.bind("many", "(i64, i64, i64, i64, i64, i64, i64, i64, f64) -> i64", **options)
        with pytest.raises(OverflowError, match="many"):
            many(1, 2, 3, 4, 5, 6, 7, 8, 9.0)
        assert many(1, 2, 3, 4, 5, 6, 7, 0, 9.0) == 37
        with pytest.raises(RuntimeError, match=r"^nothing: int$"):
            library.bind("nothing", "() -> void", **options)()
        with pytest.raises(IndexError, match="text"):
            library.bind("text_of", "(i64) -> cstr", **options)(1)

    both_levels(check)


def test_errno_and_objects_of_the_failing_call_are_left_alone(library):
    before = jitffi._core.live_objects()
    f = library.bind("thrower", "(x: i64) -> i64", errno=True)
    for _ in range(10):
        with pytest.raises(RuntimeError):
            f(-1)
    assert jitffi._core.live_objects() == before


def test_entries_of_the_other_conventions(library):
    def check():
        F = jitffi.Function(library.bind("thrower", "(i64) -> i64"))
        native = jitffi.Function.from_native(F.native_address, "(i64) -> i64", keep_alive=F)
        typed = jitffi.Function.from_packed(F.packed_address, signature="(i64) -> i64", self_handle=F.handle)
        untyped = jitffi.Function.from_packed(F.packed_address, self_handle=F.handle)
        for each in (native, typed, untyped):
            assert each(4) == 4
            with pytest.raises(RuntimeError, match="std::runtime_error: negative -2"):
                each(-2)

    both_levels(check)


def test_callbacks_that_throw_raise_or_are_caught(library):
    thrower = library.bind("thrower", "(i64) -> i64")
    call = library.bind("call", "(func[(i64) -> i64], i64) -> i64")
    with pytest.raises(RuntimeError, match=r"^thrower: std::runtime_error: negative -3$"):
        call(lambda x: thrower(x), -3)
    with pytest.raises(RuntimeError, match=r"negative -4$"):
        call(thrower, -4)  # the C function itself: what it throws goes through C++ as it would there
    assert library.bind("caught_inside", "(func[(i64) -> i64], i64) -> i64")(thrower, -5) == -77
    with pytest.raises(ZeroDivisionError):  # what failed first is the error
        library.bind("call_and_throw", "(func[(i64) -> i64], i64) -> i64")(lambda x: 1 // 0, 1)
    assert call(lambda x: 2 * x, 4) == 9


def test_packed_functions_that_throw(library):
    address = jitffi.Function(library.bind("packed_thrower", "() -> void")).native_address
    typed = jitffi.Function.from_packed(address, signature="(i64) -> i64", name="typed")
    untyped = jitffi.Function.from_packed(address, name="untyped")
    with pytest.raises(ValueError, match=r"^typed: std::invalid_argument: packed$"):
        typed(1)
    with pytest.raises(ValueError, match=r"^std::invalid_argument: packed$"):
        untyped(1)
    numbers = jitffi.List([1, 2])
    with pytest.raises(ValueError, match="packed"):
        numbers.sort(key=untyped)


def test_scripts_that_call_what_throws(library):
    thrower = library.bind("thrower", "(i64) -> i64")
    untyped = jitffi.Function.from_packed(jitffi.Function(library.bind("packed_thrower", "() -> void")).native_address)

    def total(x):
        return thrower(x) + thrower(2)

    def texts(x):
        made = ["a long text that lies on the heap " * 3 + str(x)]
        made.append(str(thrower(x)))
        return made

    def through_packed(x):
        return untyped(x)

    before = jitffi._core.live_objects()
    direct, holding, packed = jitffi.script(total), jitffi.script(texts), jitffi.script(through_packed)
    assert direct(3) == 5 and holding(3)[1] == "3"
    for _ in range(20):
        with pytest.raises(RuntimeError, match=r"^thrower: std::runtime_error: negative -1$") as caught:
            direct(-1)
        assert [each.name for each in caught.traceback][-1] == "total"
        with pytest.raises(RuntimeError, match="negative -1"):
            holding(-1)
        with pytest.raises(ValueError, match="std::invalid_argument: packed"):
            packed(1)
    del direct, holding, packed, caught
    assert jitffi._core.live_objects() <= before + 3


def test_in_another_process_from_the_cache(thrower_path, run_python, tmp_path):
    program = f"""
import jitffi
f = jitffi.load_library({thrower_path!r}).bind("thrower", "(x: i64) -> i64")
for x in (-1, 3, -2):
    try:
        print(f(x))
    except RuntimeError as error:
        print(error)
import sys
print("llvmlite" in sys.modules)
"""
    env = {"JITFFI_CACHE_DIR": str(tmp_path)}
    said = "thrower: std::runtime_error: negative -1\n3\nthrower: std::runtime_error: negative -2\n"
    assert run_python(program, env=env) == f"{said}True\n"
    assert run_python(program, env=env) == f"{said}False\n"
    assert run_python(program, env={"JITFFI_DEBUG": "1"}) == f"{said}True\n"
