"""First calls of scripts: made by the interpreter where they are short, and by code from then on."""

from __future__ import annotations

import collections
import gc
import os
import sys
import tempfile
import threading
import time
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Final

import pytest

import jitffi
from jitffi.scripts.api import first_calls
from tests.scripts.short_calls import be_hot, half, has_code, triples


@pytest.fixture(autouse=True)
def hot(monkeypatch: pytest.MonkeyPatch) -> None:
    be_hot(monkeypatch)


def vowels(text):
    n = 0
    for ch in text:
        if ch in "aeiou":
            n += 1
    return n


def reverse(xs):
    n = 0
    for i in range(len(xs) // 2):
        xs[i], xs[-i - 1] = xs[-i - 1], xs[i]
        n += 1
    return n


def wrong(x: int) -> str:
    return x


def lists(x) -> list:
    return x


def counted(text) -> dict:
    return collections.Counter(text)


class Text(str):
    pass


def kept(x: list[float], times: int = None) -> list[float]:
    y: float = x
    found: list[float] = []
    found.append(y)
    return times, found


def calls_it(f: typing.Callable[[int], int], x: bytes) -> int:
    return f(x)


def item(table, key):
    return table[key]


def named(first, /, *rest, last=0, **others):
    return first, rest, last, others


def until_there_is_code(script: Any) -> None:
    end = time.monotonic() + 60
    while not has_code(script) and time.monotonic() < end:
        time.sleep(0.005)
    assert has_code(script)


def test_a_short_call_loads_no_compiler(run_python: Callable[..., str]) -> None:
    program = (
        "import sys, jitffi\n@jitffi.script\ndef f(text):\n    return [ch for ch in text if ch > 'e']\n"
        "print(f('beef'), 'jitffi.scripts.frontend.reader' in sys.modules, 'jitffi.llvm.target' in sys.modules)\n"
    )
    assert run_python(program, env={"JITFFI_CACHE_DIR": ""}) == "['f'] False False\n"


def test_the_callers_thread_imports_nothing(run_python: Callable[..., str]) -> None:
    """A signal handler that runs there and calls another script would find half of a module."""
    program = (
        "import sys, jitffi\n@jitffi.script\ndef f(text):\n    return [ch for ch in text if ch > 'e']\n"
        "def trace(frame, event, arg):\n"
        "    if frame.f_code.co_name == '<module>':\n        print(frame.f_code.co_filename)\n"
        "sys.settrace(trace)\nf('beef')\nsys.settrace(None)\nprint('jitffi.scripts.api.first_calls' in sys.modules)\n"
    )
    assert run_python(program, env={"JITFFI_CACHE_DIR": "", "JITFFI_COMPILE": "hot"}) == "True\n"


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (vowels, ("a cat",)), (half, (3.0,)), (item, ({"a": 1}, "a")), (item, ([1] * 5000, 4)),
        (named, (1, 2, 3)), (lists, ([1],)), (triples, ([1] * 9,)), (vowels, ("é€😀" * 500,)),
    ],
)  # fmt: skip
def test_short_calls_are_the_interpreters(function: Any, arguments: tuple[Any, ...]) -> None:
    script = jitffi.script(function)
    assert script(*arguments) == function(*arguments) and not has_code(script)


def test_keywords_and_defaults_are_bound_as_ever() -> None:
    script = jitffi.script(named)
    assert script(1, 2, last=3, other=4) == (1, (2,), 3, {"other": 4})
    with pytest.raises(TypeError, match="positional"):
        script()


def test_long_ones_are_compiled_at_once() -> None:
    script, xs = jitffi.script(reverse), [1] * 300_000
    assert script(xs) == script(xs) == 150_000 and has_code(script)


@pytest.mark.parametrize("mode", ["hot", "now"])
def test_annotations_change_nothing(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setenv("JITFFI_COMPILE", mode)
    values = (1, 1.5, True, "a", None, [1, "a"], (1,), {1: 2}, {1}, Text("a"), 1 << 70)
    for function in (half, wrong, lists, kept):
        script = jitffi.script(function)
        for value in values:
            assert _outcome(script, value) == _outcome(function, value)
        assert _outcome(jitffi.script(calls_it), function, "a") == _outcome(function, "a")


class Odd:
    __module__ = None

    def __eq__(self, other):
        return self.nothing == other.nothing


def with_odd_default(x, y=Odd()):  # noqa: B008
    return x


class _Raising(type):
    __hash__ = None  # type: ignore[assignment]

    def __getattr__(cls, name: str) -> Any:
        raise RuntimeError(name)


class _Unequal:
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")


def test_annotations_that_raise_change_nothing() -> None:
    for annotation in (
        type("NoModule", (), {"__module__": None}), _Raising("Odd", (), {}), list[_Unequal()], _Raising.__getattr__,
    ):  # fmt: skip

        def same(x: Any) -> Any:
            return x

        same.__annotations__["x"] = annotation
        made = jitffi.script(same)
        assert made([3]) == [3]
        assert "same" in made.inspect_types()


def test_a_type_of_ours_is_checked_whatever_it_is_within() -> None:
    for annotation in (
        "Final[jitffi.i64]", Final[jitffi.i64], Annotated[int, jitffi.i64], Annotated[int, "i64"],
        "Annotated[int, 'i64']", "Annotated[jitffi.i64, 'text']",
    ):  # fmt: skip

        def same(x: Any) -> Any:
            return x

        same.__annotations__["x"] = annotation
        made = jitffi.script(same)
        assert made(3) == 3
        with pytest.raises(TypeError, match="'x': expected int, got str"):
            made("t")

    @jitffi.script
    def kept(x: Annotated[int, "text"]) -> Any:
        y: Annotated[int, "i64"] = x
        return y

    with pytest.raises(TypeError, match="'y': expected int, got str"):
        kept("t")


def test_a_default_is_not_compared() -> None:
    assert jitffi.script(with_odd_default)(1) == 1


class Ends:
    """In a cycle, so that the collector finds it, wherever something is allocated."""

    def __init__(self, table: dict[Any, Any]) -> None:
        self.table, self.itself = table, self

    def __del__(self) -> None:
        self.table.clear()


def keys_of(table):
    return len([key for key in table])  # noqa: C416


def test_arguments_may_change_while_they_are_looked_at() -> None:
    script = jitffi.script(keys_of)
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(200):
            table: dict[Any, Any] = {frozenset((i, str(i))): [str(i)] for i in range(20)}
            Ends(table)
            try:
                assert script(table) in (0, 20)
            except RuntimeError as error:  # it was cleared while the function went through it
                assert str(error) == "dictionary changed size during iteration"
    finally:
        gc.set_threshold(*before)


def test_what_the_module_holds_runs_no_code() -> None:
    names: dict[str, Any] = {"odd": Odd()}
    module = types.ModuleType("x")
    del module.__name__
    names["module"] = module
    path = os.path.join(tempfile.mkdtemp(), "odd.py")
    with open(path, "w") as file:
        file.write("def f(x):\n    return x if x else (odd, module)\n")
    with open(path) as file:
        exec(compile(file.read(), path, "exec"), names)
    assert jitffi.script(names["f"])(1) == 1


def test_a_script_that_calls_itself_is_compiled(tmp_path: Any) -> None:
    path = tmp_path / "fib.py"
    path.write_text("import jitffi\n@jitffi.script\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n")
    names: dict[str, Any] = {"__name__": "fib"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    assert names["fib"](20) == 6765 and has_code(names["fib"])


def test_few_calls_of_itself_are_the_interpreters(tmp_path: Any) -> None:
    path = tmp_path / "fib.py"
    path.write_text(
        "import jitffi\n@jitffi.script\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
        "@jitffi.script\ndef down(n):\n    return 0 if n == 0 else down(n - 1) + 1\n"
    )
    names: dict[str, Any] = {"__name__": "fib"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    assert names["fib"](12) == 144 and not has_code(names["fib"])
    assert names["down"](30) == 30 and not has_code(names["down"])
    assert names["down"](400) == 400 and has_code(names["down"])


def _outcome(call: Any, *args: Any) -> tuple[str, str]:
    try:
        result = call(*args)
    except TypeError as error:
        return "TypeError", str(error)
    return type(result).__name__, repr(result)


def test_often_is_enough_for_code() -> None:
    script = jitffi.script(vowels)
    for _ in range(first_calls.OFTEN):
        assert script("beautiful") == 5
    until_there_is_code(script)
    assert script("beautiful") == 5


def test_who_computes_on_waits_for_code() -> None:
    script = jitffi.script(vowels)
    for _ in range(first_calls.TOO_OFTEN + 1):
        assert script("tea") == 2
    assert has_code(script)


def slow(seconds):
    time.sleep(seconds)


def test_long_is_enough_for_code() -> None:
    script = jitffi.script(slow)
    script(first_calls.LONG * 2e-9)  # there may be no other
    assert not has_code(script) and all(each is not script for each, _ in first_calls._asked)
    script(0)
    until_there_is_code(script)


def test_exceptions_count_and_stay_what_they_are() -> None:
    script = jitffi.script(item)
    for _ in range(first_calls.OFTEN):
        with pytest.raises(KeyError, match="'b'") as caught:
            script({"a": 1}, "b")
        assert caught.value.__context__ is None
    until_there_is_code(script)


def test_what_cannot_be_compiled_is_found_out_on_the_thread() -> None:
    names: dict[str, Any] = {}
    exec("def f(x):\n    return x", names)  # has no source
    script = jitffi.script(names["f"])
    assert [script(i) for i in range(40)] == list(range(40))
    assert script._given.left


def test_types_are_shown_of_what_was_called() -> None:
    script = jitffi.script(item)
    script([1], 0), script({"a": 1}, "a")
    shown = script.inspect_types()
    assert "item(table: object[list" in shown and "item(table: object[dict" in shown and not has_code(script)


def test_references_are_given_back() -> None:
    script = jitffi.script(item)
    key, table = object(), {"k": object()}
    before = sys.getrefcount(key), sys.getrefcount(table), sys.getrefcount(table["k"])
    for _ in range(5):
        with pytest.raises(KeyError):
            script(table, "x")
        script(table, "k")
    assert (sys.getrefcount(key), sys.getrefcount(table), sys.getrefcount(table["k"])) == before
    assert not has_code(script)


def test_a_process_ends_while_code_is_made(run_python: Callable[..., str]) -> None:
    program = (
        "import sys, time, jitffi\n@jitffi.script\ndef f(text):\n    return [ch for ch in text if ch > 'e']\n"
        "for _ in range(1001):\n    f('beef')\ntime.sleep(float(sys.argv[1]))\n"
    )
    for pause in ("0", "0.03", "0.06"):
        assert run_python(program, pause, env={"JITFFI_CACHE_DIR": ""}) == ""


def test_many_threads_call_at_once() -> None:
    script = jitffi.script(vowels)
    found: list[int] = []
    start = threading.Barrier(8)

    def call() -> None:
        start.wait()
        found.extend([script("aeb") for _ in range(1000)])

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 8000


@pytest.mark.filterwarnings("ignore:This process")
def test_a_child_makes_its_own_code() -> None:
    script = jitffi.script(vowels)
    for _ in range(first_calls.OFTEN):
        script("aeb")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if [script("aeb") for _ in range(9000)] == [2] * 9000 and has_code(script) else 1
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_an_exception_when_the_thread_is_there_already(monkeypatch):
    """One thread at a time makes code, and each that was started ends."""
    go_on, made = threading.Event(), []
    threads: list[threading.Thread] = []

    def start(make_all):
        threads.append(threading.Thread(target=make_all))
        threads[-1].start()
        if len(threads) == 1:
            raise KeyboardInterrupt
        return True

    monkeypatch.setattr(first_calls.apart, "start", start)
    monkeypatch.setattr(first_calls, "_make", lambda script, _: (made.append(script), go_on.wait()))
    with pytest.raises(KeyboardInterrupt):
        first_calls._ask_for("one", 0)
    first_calls._ask_for("another", 0)
    threads[1].join(10)
    assert made == ["one"] and not threads[1].is_alive() and first_calls._is_running
    go_on.set()
    threads[0].join(10)
    assert made == ["one", "another"] and not first_calls._is_running and not first_calls._asked
