"""Calls without compiled code: when there is none, when it comes, and what it is exchanged under."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from support.values import seed

import jitffi
from jitffi import Function, _core
from jitffi.adapters import code_store, plans, tiers
from jitffi.adapters.code_store import Request
from jitffi.signature.text import parse
from jitffi.types.scalar import KINDS

pytestmark = pytest.mark.skipif(not _core.PLAN_CODES, reason="calls need code on this machine")


def has_code(function):
    return "_compiled" in Function(function).__dict__


def until_compiled(*functions):
    """Call until level 2 has come for all of them."""
    end = time.monotonic() + 60
    while not all(has_code(function) for function, _ in functions):
        for function, args in functions:
            function(*args)
        assert time.monotonic() < end


def test_a_hundred_functions_that_are_called_once_load_no_llvm(run_python):
    """Their types are all different, and no cache has code for them."""
    program = """
    import itertools, jitffi, numpy
    libc = jitffi.load_library(None)
    given = {"i8": -1, "i32": 2, "f64": 0.5, "cstr": "text", "bytes": b"data", "u64": 3}
    for types in itertools.islice(itertools.product(given, repeat=3), 98):
        f = libc.bind("abs", f"(i32, {', '.join(types)}) -> i32")
        assert f(-5, *[given[name] for name in types]) == 5
    assert libc.bind("frexp", "(f64, out[i32]) -> f64")(8.0) == (0.5, 4)
    assert libc.bind("snprintf", "(ptr[u8], u64, cstr, ...) -> i32")(jitffi.new("u8[9]"), 9, "%g", 0.25) == 4
    numbers = jitffi.new("i32[3]", [3, 1, 2])
    qsort = libc.bind("qsort", "(ptr, u64, u64, func[(ptr[i32], optional[i32]) -> i32]) -> void")
    qsort(numbers, 3, 4, lambda a, b: a[0] - b)
    assert list(numbers) == [1, 2, 3]
    @jitffi.function("(x: f64[n], z: c128, n: u8) -> i128")
    def given(x, z):
        x *= 2
        return int(x.sum() * z.imag)
    array = numpy.arange(4.0)
    address = jitffi.Function(given).native_address
    called = jitffi.Function.from_native(address, "(x: f64[n], z: c128, n: u8) -> i128")
    assert called(array, 1 - 2j) == given(array, 1 - 2j) / 2 == -24 and list(array) == [0, 4, 8, 12]
    print([line for line in open("/proc/self/maps") if "llvm" in line.lower()])
    """
    env = {"JITFFI_CACHE_DIR": "", "JITFFI_COMPILE": ""}
    assert run_python(textwrap.dedent(program), env=env) == "[]\n"


#: Tests of what values go through and what is said of others, whichever way a call goes.
CONTRACTS = (
    "adapters/test_errors.py", "adapters/test_conversion.py", "types/test_typed_functions.py",
    *[f"api/test_{part}.py" for part in ("callback_types", "pointer_arguments", "array_arguments", "tensor_arguments")],
    "api/test_struct_outs.py", "api/test_owned.py",
)  # fmt: skip


def test_the_contract_holds_without_code():
    tests = Path(__file__).resolve().parents[1]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    command += [str(tests / name) for name in CONTRACTS]
    env = {**os.environ, "JITFFI_COMPILE": "never"}
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tests.parent)
    assert done.returncode == 0, done.stdout[-4000:]


def test_modes():
    libc = jitffi.load_library(None)
    with pytest.raises(ValueError, match="compile is one of 'now', 'hot', 'never', not 'later'"):
        libc.bind("labs", "(i64) -> i64", compile="later")
    with pytest.raises(ValueError, match="not 1"):
        libc.bind("labs", "(i64) -> i64", compile=1)
    never, now = (libc.bind("labs", "(i64) -> i64", compile=mode) for mode in ("never", "now"))
    assert never(-3) == now(-3) == 3
    assert not has_code(never) and has_code(now)
    assert "define ptr" in Function(never).inspect_llvm()


@pytest.mark.parametrize("compile", ["never", "now"])
def test_what_is_passed_by_keyword_alone_stands_where_it_is_declared(compile, monkeypatch):
    monkeypatch.setenv("JITFFI_COMPILE", compile)
    tens = jitffi.function("(n: i64 = 3, x: i64) -> i64")(lambda n, x: 10 * n + x)
    assert (tens(5), tens(5, n=1), tens(x=2, n=7)) == (35, 15, 72)


def test_the_variable_says_it_for_all(monkeypatch):
    libc = jitffi.load_library(None)
    monkeypatch.setenv("JITFFI_COMPILE", "never")
    assert libc.bind("labs", "(i64) -> i64")(-3) == 3
    monkeypatch.setenv("JITFFI_COMPILE", "sometimes")
    with pytest.raises(ValueError, match="JITFFI_COMPILE is one of now, hot, never, not 'sometimes'"):
        libc.bind("labs", "(i64) -> i64")


def test_what_c_cannot_carry_is_refused_all_the_same():
    libc = jitffi.load_library(None)
    with pytest.raises(TypeError, match="convention 'c' cannot return optional"):
        libc.bind("labs", "(i64) -> optional[i64]", compile="never")
    with pytest.raises(TypeError, match="errno=True needs a result"):
        libc.bind("fabs", "(f64) -> f64", compile="never", errno=True)


@pytest.fixture
def soon(monkeypatch):
    """Code is asked for after a few calls, and there is none in the cache."""
    monkeypatch.setattr(plans, "LIMIT", 50)
    monkeypatch.setenv("JITFFI_CACHE_DIR", "")
    monkeypatch.setenv("JITFFI_COMPILE", "hot")


def test_code_comes_while_eight_threads_call(soon):
    libc = jitffi.load_library(None)
    function = libc.bind("labs", "(distance: i64, f32, i8 = 1) -> i64")
    wrong = []

    def call(start):
        end = time.monotonic() + 60
        while not has_code(function) and time.monotonic() < end:
            wrong.extend(x for x in range(start, start + 50) if function(-x, 0.5) != x)
            time.sleep(0)

    threads = [threading.Thread(target=call, args=(1000 * i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert has_code(function) and not wrong
    assert function(-7, 0.5) == 7


def test_code_comes_under_a_running_callback(soon):
    """The call that is under way stays where it is, and those in its callback find the code."""
    libc = jitffi.load_library(None)
    qsort = libc.bind("qsort", "(u32[n], n: u64, size: u64, compare: func[(optional[u32], ptr) -> i32]) -> void")
    labs = libc.bind("labs", "(i64, i16, f32) -> i64")
    seen = []

    def compare(a, b):
        if not seen:
            seen.append(1)
            until_compiled((labs, (-1, 2, 0.5)))
            until_compiled((qsort, ((_core.NDArray._restore([1], "uint32", bytes(4))), 4, compare)))
        return 0

    data = _core.NDArray._restore([2], "uint32", bytes(8))
    qsort(data, 4, compare)
    assert seen and has_code(qsort) and labs(-3, 1, 1.0) == 3


def test_code_comes_for_callbacks(soon):
    """Closures that C holds enter it, too."""
    types = "(i16, f32) -> i16"
    callback = jitffi.function(types)(lambda n, x: n)
    entered = Function.from_native(Function(callback).native_address, types, keep_alive=callback)
    end = time.monotonic() + 60
    while code_store.living(f"c|python||{types}") is None and time.monotonic() < end:
        assert entered(-7, 0.5) == -7
        time.sleep(0.001)
    assert entered(-7, 0.5) == -7 and code_store.living(f"c|python||{types}").level == 2


def test_a_callback_that_is_called_too_late_is_an_error(monkeypatch):
    monkeypatch.setenv("JITFFI_COMPILE", "never")
    for types in ("() -> i32", "() -> f64", "() -> f32"):
        callback = jitffi.function(types)(lambda: 1)
        entered = Function.from_native(Function(callback).native_address, types)
        assert entered() == 1
        del callback
        with pytest.raises(RuntimeError, match="called after its Function was released"):
            entered()


def test_a_child_asks_for_code_of_its_own(soon):
    libc = jitffi.load_library(None)
    function = libc.bind("labs", "(i64, u8, f32) -> i64")
    for _ in range(49):
        function(-1, 1, 1.0)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            until_compiled((function, (-1, 1, 1.0)))
            status = function(-3, 1, 1.0) != 3
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    until_compiled((function, (-1, 1, 1.0)))


def test_without_llvm_calls_go_on(run_python):
    program = """
    import sys, jitffi
    from jitffi.adapters import plans
    sys.modules["llvmlite"] = None
    plans.LIMIT = 20
    labs = jitffi.load_library(None).bind("labs", "(i64, u8, f64) -> i64")
    while not plans._waiting.has_failed:
        assert labs(-1, 1, 0.5) == 1
    print(sum(labs(-1, 1, 0.5) for _ in range(4000)))
    """
    assert run_python(textwrap.dedent(program), env={"JITFFI_CACHE_DIR": "", "JITFFI_COMPILE": "hot"}) == "4000\n"


def test_a_process_that_ends_while_code_is_asked_for(run_python):
    """LLVM may be on its way then, on a thread."""
    program = """
    import jitffi
    from jitffi.adapters import plans
    plans.LIMIT = 50
    labs = jitffi.load_library(None).bind("labs", "(i64, u8, f64) -> i64")
    print(sum(labs(-1, 1, 0.5) for _ in range(60)))
    """
    assert run_python(textwrap.dedent(program), env={"JITFFI_CACHE_DIR": "", "JITFFI_COMPILE": "hot"}) == "60\n"


def test_what_has_no_level_2_is_not_asked_for_again(soon):
    sig = "(" + "i64, " * 100 + "i64) -> i64"
    function = jitffi.load_library(None).bind("labs", sig)
    key = Function(function)._request().key
    end = time.monotonic() + 60
    while key not in code_store.without_level_2 and time.monotonic() < end:
        function(*[-1] * 101)
        time.sleep(0.001)
    tiers.drain()
    assert key in code_store.without_level_2 and not has_code(function) and function(*[-2] * 101) == 2


def test_plain_plans_are_those_of_the_rows():
    """The extension's own for plain types, beside what the types' rows say."""
    rng = random.Random(seed())
    names = [*KINDS[:13], "cstr", "ptr", "str", "bytes", "ucs4"]

    plain = 0
    for _ in range(150):
        types = [f"optional[{t}]" if rng.random() < 0.2 else t for t in rng.choices(names, k=rng.randint(0, 14))]
        result = rng.choice([*names, "void", "optional[cstr]", "optional[ptr]", "optional[str]"])
        sig = parse(f"({', '.join(types)}) -> {result}")
        request = Request("python", "c", sig, rng.choice(["", "n", "e", "k", "kd", "p3"]))
        made = plans._plain(request)
        assert made == plans._made(request), request.key
        plain += made is not None
    assert plain > 100


def test_packed_entries_are_made_once_native_code_calls(monkeypatch):
    monkeypatch.setenv("JITFFI_COMPILE", "hot")
    types = "(x: u16, y: f32 = 0.5, z: i8 = 3) -> f32"
    function = Function(jitffi.function(types)(lambda x, y, z: x * y + z))
    address, handle = function.packed_address, function.handle
    assert function._packed == address
    called = Function.from_packed(address, self_handle=handle)
    results: list[float] = []
    threads = [threading.Thread(target=lambda: results.append(called(4))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [5.0] * 4
    assert function._packed != address and Function.from_packed(address, self_handle=handle)(2, 1.0, 1) == 3
    with pytest.raises(TypeError, match="argument 1 'x': expected u16"):
        called("x")
    with pytest.raises(TypeError, match="slots hold no such number"):
        Function(jitffi.function("(x: i128) -> i128")(abs)).packed_address  # noqa: B018
    unmade = Function(jitffi.function("(x: u16, y: i16, z: i16) -> f32")(lambda x, y, z: x))
    unmade._make_packed_code = lambda: None
    with pytest.raises(SystemError, match="a packed entry was not made"):
        Function.from_packed(unmade.packed_address, self_handle=unmade.handle)(1, 2, 3)


@pytest.mark.parametrize("compile", ["never", "now"])
def test_an_array_at_no_address_is_an_error(compile, monkeypatch):
    monkeypatch.setenv("JITFFI_COMPILE", compile)

    def passed(types, given):
        made = Function(jitffi.function(types)(lambda x: float(x.size)))
        return Function.from_native(made.native_address, given, keep_alive=made)

    total = passed("(x: f64[n], n: i64) -> f64", "(x: ptr, n: i64) -> f64")
    assert total(None, 0) == 0.0
    with pytest.raises(ValueError, match="argument 1 'x': expected f64.*, got NULL"):
        total(None, 3)
    with pytest.raises(ValueError, match="argument 1 'x': expected tensor.*, got NULL"):
        passed("(x: tensor[f64]) -> f64", "(x: ptr) -> f64")(None)
