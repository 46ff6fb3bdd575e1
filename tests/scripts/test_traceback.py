"""Exceptions out of scripts: Python tracebacks with the scripts' own lines, in their order among Python's."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
import threading
import traceback
import weakref

import pytest

import jitffi
from jitffi import _core


@jitffi.script
def deep(items, i):
    if i > 2:
        return items[i]
    return deep(items, i + 1)


@jitffi.script
def through(function, value):
    first = value
    return function(
        first,
    )


@jitffi.script
def divides(a, b):
    c = a + b
    # fmt: off
    return (
        c
        // b
    )
    # fmt: on


@jitffi.script
def raises(kind):
    if kind == 1:
        raise ValueError("one")
    if kind == 2:
        raise KeyError("two")
    if kind == 3:
        assert kind == 4, "not four"
    if kind == 5:
        raise StopIteration
    return undefined_unless(kind)


def undefined_unless(kind):
    if kind == 6:
        value = 1
    return value


def python_between(value):
    return through(python_below, value)


def python_below(value):
    raise LookupError(value)


def lines_of(error):
    return [(frame.name, frame.line) for frame in traceback.extract_tb(error.__traceback__)]


def frames_of(call, *args):
    with pytest.raises(Exception) as caught:
        call(*args)
    return lines_of(caught.value)[1:]


def test_a_line_each_from_the_outside_in():
    assert frames_of(deep, [1], 1) == [
        ("deep", "return deep(items, i + 1)"),
        ("deep", "return deep(items, i + 1)"),
        ("deep", "return items[i]"),
    ]


def test_the_file_and_the_line_are_the_scripts():
    with pytest.raises(IndexError, match="list index out of range") as caught:
        deep([1], 3)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    first = deep.__wrapped__.__code__.co_firstlineno
    assert (frame.filename, frame.lineno) == (__file__, first + 3)
    assert f'  File "{__file__}", line {first + 3}, in deep\n    return items[i]\n' in "".join(
        traceback.format_exception(caught.value)
    )


def test_pythons_frames_stand_between_those_of_scripts():
    names = [name for name, _ in frames_of(through, python_between, "x")]
    assert names == ["through", "python_between", "through", "python_below"]


def test_the_same_exception_comes_out():
    error = LookupError("here")

    def fail(value):
        raise error

    for _ in range(2):
        error.__traceback__ = None
        with pytest.raises(LookupError) as caught:
            through(fail, 1)
        assert caught.value is error
        assert [name for name, _ in lines_of(error)[1:]] == ["through", "fail"]


def test_the_line_of_a_statement_of_several():
    ((name, _),) = frames_of(divides, 1, 0)
    with pytest.raises(ZeroDivisionError) as caught:
        divides(1, 0)
    line = traceback.extract_tb(caught.value.__traceback__)[-1].lineno - divides.__wrapped__.__code__.co_firstlineno
    assert name == "divides" and 4 <= line <= 6


@pytest.mark.parametrize("kind", [1, 2, 3, 5])
def test_what_is_raised_is_what_python_raises(kind):
    with pytest.raises(Exception) as ours:
        raises(kind)
    with pytest.raises(Exception) as pythons:
        raises.__wrapped__(kind)
    # What pytest itself adds to the message of an assert stands behind it.
    assert type(ours.value) is type(pythons.value) and str(pythons.value).startswith(str(ours.value))
    assert lines_of(ours.value)[1:] == lines_of(pythons.value)[1:]


def test_an_unbound_local_variable():
    with pytest.raises(UnboundLocalError, match="value"):
        raises(7)
    assert raises(6) == 1
    assert [name for name, _ in frames_of(raises, 7)] == ["raises", "undefined_unless"]


def test_an_error_of_the_arguments_has_no_line_of_the_script():
    assert frames_of(jitffi.script(typed, strict=True), "a") == []


def typed(n: int):
    return n


def test_print_exc_shows_them(capsys):
    try:
        through(python_between, 3)
    except LookupError:
        traceback.print_exc()
    shown = capsys.readouterr().err
    assert shown.count(f'File "{__file__}", line') == 5
    assert "    return function(\n" in shown


def test_the_context_of_a_handler_is_kept():
    with pytest.raises(ZeroDivisionError) as caught:
        try:
            raise KeyError("first")
        except KeyError:
            divides(1, 0)
    assert isinstance(caught.value.__context__, KeyError)


def test_nothing_is_left_behind():
    class Value:
        pass

    def fail(value):
        raise ValueError

    def once():
        value = Value()
        with contextlib.suppress(ValueError):
            through(fail, value)
        with contextlib.suppress(IndexError):
            deep([1], 1)
        return weakref.ref(value)

    once()
    gc.collect()
    before = _core.live_objects(), sys.gettotalrefcount() if hasattr(sys, "gettotalrefcount") else 0
    gone = [once() for _ in range(20)]
    gc.collect()
    assert all(each() is None for each in gone)
    assert _core.live_objects() == before[0]


def test_deep_recursion_shows_an_end():
    with pytest.raises(RecursionError) as caught:
        forever(1)
    assert len(lines_of(caught.value)) > 100
    assert str(caught.value).startswith("maximum recursion depth exceeded")


@jitffi.script
def forever(n):
    return forever(n + 1) + 1


def test_an_emitted_script_shows_its_lines(tmp_path):
    made = jitffi.script(picked, signature="(str, i64) -> str")
    module = jitffi.load_module(jitffi.emit(made, tmp_path / "made.o"))
    assert module.picked("abc", 1) == "b"
    assert frames_of(module.picked, "abc", 3) == [("picked", "return text[i]")]


def picked(text, i):
    return text[i]


def test_a_note_of_native_code_stays_a_note(build_library):
    library = build_library(
        """
        #include <jitffi/runtime.h>
        int32_t fail(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
          (void)self, (void)count, (void)args;
          jf_error_set_object(jf_error_new("ValueError", "from C", "  in fail of native.c", NULL, NULL));
          jf_out_init(out, 0);
          return -1;
        }
        """,
        runtime=True,
    )
    address = ctypes.cast(ctypes.CDLL(library).fail, ctypes.c_void_p).value
    fail = jitffi.Function.from_packed(address, name="fail")
    with pytest.raises(ValueError, match="from C") as caught:
        through(fail, 1)
    assert [name for name, _ in lines_of(caught.value)[1:]] == ["through", "fail(...)"]
    (note,) = caught.value.__notes__
    assert note.strip() == "in fail of native.c"


@jitffi.script
def halves(n, text):
    before = text + str(n)
    if n <= 0:
        return before
    return before[:2] + halves(n - 1, text)[-2:]


#: CPython 3.14 keeps so much of a stack for itself that with less its parser does not run.
SMALL = 64 << 10 if sys.version_info < (3, 14) else 128 << 10


@pytest.mark.parametrize("size", [SMALL, 256 << 10, 1 << 20])
def test_recursion_ends_before_a_small_stack_does(size):
    found = []

    def run():
        for n in (20, 100_000):
            try:
                found.append(halves(n, "abc"))
            except RecursionError:
                found.append(RecursionError)

    before = threading.stack_size(size)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert found == [halves.__wrapped__(20, "abc"), RecursionError]


@jitffi.script
def passed_on(function, n):
    return function(function, n + 1)


@pytest.mark.parametrize("size", [0, 64 << 10, 1 << 20])
def test_recursion_through_a_value_ends_before_the_stack_does(size):
    found = []

    def run():
        for function in (passed_on, lambda function, n: passed_on(function, n)):
            try:
                passed_on(function, 1)
            except RecursionError:
                found.append(RecursionError)

    before = threading.stack_size(size)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert found == [RecursionError] * 2


def test_recursion_of_large_frames_ends_before_the_stack_does(tmp_path, monkeypatch):
    lines = ["def large(n, text):"]
    lines += [f"    v{i} = text + str(n)" for i in range(150)]
    lines += ["    if n > 0:", "        return large(n - 1, text)"]
    lines += ["    return " + " + ".join(f"v{i}" for i in range(150)), ""]
    (tmp_path / "large_frames.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(tmp_path))
    import large_frames

    made = jitffi.script(large_frames.large, pad=15)
    assert made(20, "a") == large_frames.large(20, "a")
    with pytest.raises(RecursionError):
        made(100_000, "a")
