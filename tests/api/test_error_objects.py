"""Errors as values: jitffi.Error, the classes that kinds stand for, and exceptions that pass through native frames."""

from __future__ import annotations

import copy
import ctypes
import pickle
import threading
import traceback

import pytest
from support.leaks import assert_nothing_stays

import jitffi

SOURCE = r"""
#include "jitffi/runtime.h"

static int32_t find(const char* word) { return JF_RAISE("errors.Lost", "no %s here", word); }
int32_t lost(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  int32_t status = find("word");
  if (status != 0) jf_error_add_frame("made \"up\".c", 77, "caller of find");
  return status;
}
/* Makes an error as a value of: kind, message, cause. */
int32_t make(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  jf_object* cause = args[2].type_code == JF_OBJECT ? args[2].v_object : NULL;
  out->type_code = JF_OBJECT;
  out->small_len = 0;
  out->v_object = jf_error_new(args[0].v_raw_str, args[1].v_raw_str, NULL, cause, NULL);
  return 0;
}
/* Raises the error that it is given. */
int32_t raise_it(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  jf_object_retain(args[0].v_object);
  jf_error_set_object(args[0].v_object);
  return -1;
}
/* Calls the global function `errors.callee`. */
int32_t call_global(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  jf_object* callee = jf_global_get("errors.callee");
  if (!callee) return -1;
  int32_t status = jf_function_call(callee, n, args, out);
  jf_object_release(callee);
  return status;
}
"""


@pytest.fixture(scope="module")
def packed(build_library):
    native = jitffi.load_library(build_library(SOURCE, runtime=True))

    def packed(name, signature=None):
        address = jitffi.Function(native.bind(name, "() -> void")).native_address
        return jitffi.Function.from_packed(address, name=name, signature=signature, keep_alive=native)

    return packed


@jitffi.register_error("errors.Lost")
class Lost(Exception):
    pass


class Nearer(Lost):
    pass


@jitffi.register_error("errors.TwoParts")
class TwoParts(Exception):
    def __init__(self, first, second):
        super().__init__(first, second)


class Noted(jitffi.Error):
    pass


# -- jitffi.Error --------


def test_an_error_is_made_of_texts_and_a_cause():
    cause = KeyError("k")
    error = jitffi.Error("errors.Lost", "text", cause=cause)
    assert (error.kind, error.message, error.traceback) == ("errors.Lost", "text", None)
    assert repr(error) == "Error('errors.Lost', 'text')" and error.cause.exception is cause
    made = error.exception
    assert type(made) is Lost and made.args == ("text",) and made.__cause__ is cause
    assert jitffi.Error("ValueError", "x", cause=error).exception.__cause__.__cause__ is cause


def test_an_error_of_an_exception_gives_that_very_one():
    kept = Nearer("here")
    error = jitffi.Error.of(kept)
    assert (error.kind, error.message, error.traceback, error.cause) == ("errors.Lost", "here", None, None)
    assert error.exception is kept and jitffi.Error.of(error) is error
    with pytest.raises(Nearer) as caught:
        raise error.exception
    assert caught.value is kept and "raise error.exception" in error.traceback


@pytest.mark.parametrize("args", [(), ("a",), (1, "a"), ("a", None), ("a", "b", 3), ("a", "b", None, 4)])
def test_what_is_no_error(args):
    with pytest.raises(TypeError):
        jitffi.Error(*args)
    for given in (None, "text", ValueError):
        with pytest.raises(TypeError, match=r"Error\.of: expected an exception, got"):
            jitffi.Error.of(given)


@pytest.mark.parametrize("kind", ["", "a\0b", "\ud800", "ä" * 3, "x" * 100_000, "a b\nc", "__import__", "print"])
def test_strange_kinds_and_messages(kind):
    error = jitffi.Error(kind, kind)
    shown = kind.replace("\0", "\\x00").replace("\ud800", "\\ud800")
    assert error.kind == error.message == shown
    assert type(error.exception) is RuntimeError and str(error.exception) == f"{shown}: {shown}"
    assert pickle.loads(pickle.dumps(error)) == error


def test_errors_are_equal_by_kind_message_and_causes():
    one = jitffi.Error("A", "x", cause=KeyError(1))
    assert one == jitffi.Error("A", "x", "  a traceback", cause=KeyError(1)) and hash(one) == hash(copy.copy(one))
    for other in (jitffi.Error("A", "x"), jitffi.Error("B", "x"), jitffi.Error("A", "x", cause=KeyError(2)), "A", None):
        assert one != other


@pytest.mark.parametrize("of", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_copies_of_subclasses_keep_attributes(of):
    error = Noted("errors.Lost", "x", '  File "f.c", line 3, in f\n', cause=KeyError("k"))
    error.note = ["n"]
    made = of(error)
    assert type(made) is Noted and made == error and made.note == ["n"] and made.traceback == error.traceback
    assert not made.same_as(error) and made.cause == error.cause


def test_copies_keep_the_exception_and_pickles_the_texts():
    try:
        raise Lost("kept")
    except Lost as raised:
        error = jitffi.Error.of(raised)
    assert copy.copy(error).exception is copy.deepcopy(error).exception is error.exception
    loaded = pickle.loads(pickle.dumps(error))
    assert loaded == error and loaded.exception is not error.exception and "raise Lost" in loaded.traceback


# -- kinds and classes --------


def test_a_kind_and_a_class_stand_for_each_other_once():
    class First(Exception):
        pass

    class Second(Exception):
        pass

    assert jitffi.register_error("errors.test", First) is First
    assert jitffi.register_error("errors.test", First) is First
    with pytest.raises(ValueError, match="the kind 'errors.test' stands for .*First; override=True"):
        jitffi.register_error("errors.test", Second)
    with pytest.raises(ValueError, match="First is registered as 'errors.test'"):
        jitffi.register_error("errors.other", First)
    jitffi.register_error("errors.test", override=True)(Second)
    assert type(jitffi.Error("errors.test", "x").exception) is Second
    assert jitffi.Error.of(First()).kind.endswith("First") and jitffi.Error.of(Second()).kind == "errors.test"
    jitffi.register_error("errors.moved", Second, override=True)
    assert type(jitffi.Error("errors.test", "x").exception) is RuntimeError
    assert jitffi.Error.of(Second()).kind == "errors.moved"


def test_what_cannot_be_registered():
    for kind, cls in ((1, Lost), ("errors.x", int), ("errors.x", Lost("x")), ("errors.x", "Lost")):
        with pytest.raises(TypeError, match="register_error: expected"):
            jitffi.register_error(kind, cls)
    for kind, cls in (("", Lost), ("a\0", Lost), ("ValueError", Lost), ("errors.x", ValueError), ("\ud800", Lost)):
        with pytest.raises(ValueError):
            jitffi.register_error(kind, cls)
    assert jitffi.register_error("ValueError", ValueError) is ValueError  # so it is without


def test_a_class_that_does_not_take_the_message():
    made = jitffi.Error("errors.TwoParts", "text").exception
    assert type(made) is RuntimeError and str(made) == "errors.TwoParts: text (TwoParts takes no message alone)"
    assert jitffi.Error.of(TwoParts(1, 2)).message == "(1, 2)"


# -- errors of C --------


def test_the_traceback_shows_where_c_raised(packed):
    with pytest.raises(Lost, match="^no word here$") as caught:
        packed("lost", "(any) -> any")(1)
    entries = traceback.extract_tb(caught.value.__traceback__)
    assert [entry.name for entry in entries[-3:]] == ["lost(any) -> any", "caller of find", "find"]
    assert (entries[-2].filename, entries[-2].lineno) == ('made "up".c', 77)
    assert entries[-1].filename.endswith(".c") and entries[-1].lineno == 4
    assert not hasattr(caught.value, "__notes__")


def test_errors_are_values_to_c_and_come_back(packed):
    make, raise_it = packed("make", "(cstr, cstr, any) -> any"), packed("raise_it", "(object) -> any")
    below = jitffi.Error.of(KeyError("below"))
    made = make("errors.Lost", "made in C", below)
    assert type(made) is jitffi.Error and made.cause.same_as(below)
    with pytest.raises(Lost) as caught:
        raise_it(made)
    assert caught.value.__cause__ is below.exception
    kept = TwoParts(1, 2)
    with pytest.raises(TwoParts) as caught:
        raise_it(jitffi.Error.of(kept))
    assert caught.value is kept
    assert_nothing_stays(lambda: make("errors.Lost", "made in C", make("x", "y", None)).exception)


# -- exceptions of Python under native frames --------


class HostileText(Exception):
    def __str__(self):
        raise MemoryError

    __repr__ = __str__


def through_packed(fail, packed):
    jitffi.convert(fail)()


def through_qsort(fail, packed):
    types = "(base: ptr, count: u64, size: u64, compare: func[(ptr, ptr) -> i32]) -> void"
    qsort = jitffi.load_library(None).bind("qsort", types)
    qsort(bytearray(16), 2, 8, lambda a, b: fail())


def through_global(fail, packed):
    jitffi.register_global_func("errors.callee", fail, override=True)
    try:
        packed("call_global")()
    finally:
        jitffi.remove_global_func("errors.callee")


def test_tracebacks_show_functions_of_c_between(packed):
    inner = packed("call_global", "(x: i64) -> any")
    lost = packed("lost")
    jitffi.register_global_func("errors.callee", lambda x: jitffi.get_global_func("errors.inner")(x), override=True)
    jitffi.register_global_func("errors.inner", lost, override=True)
    try:
        with pytest.raises(Lost) as caught:
            inner(3)
    finally:
        jitffi.remove_global_func("errors.callee")
        jitffi.remove_global_func("errors.inner")
    names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)][1:]
    assert names == ["call_global(x: i64) -> any", "<lambda>", "errors.inner(...)", "caller of find", "find"]


def through_equality(fail, packed):
    class Asked:
        def __eq__(self, other):
            fail()

        __hash__ = None

    _ = object() in jitffi.List([Asked()])


def through_three(fail, packed):
    through_qsort(lambda: through_global(lambda: through_qsort(fail, packed), packed), packed)


def through_error(fail, packed):
    """By an error that one thread takes and another one sets."""
    found = []

    def take():
        try:
            fail()
        except BaseException as raised:
            found.append(jitffi.Error.of(raised))

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    packed("raise_it", "(object) -> any")(found.pop())


WAYS = [through_packed, through_qsort, through_global, through_equality, through_three, through_error]
RAISED = [
    Nearer("n"),
    TwoParts(1, 2),
    KeyError("k"),
    KeyboardInterrupt(),
    SystemExit(3),
    HostileText(),
    MemoryError("m"),
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_the_same_exception_comes_out(way, error, packed):
    error = error.with_traceback(None)
    error.__cause__, error.__context__ = OSError("cause"), OSError("context")
    cause, context = error.__cause__, error.__context__
    if hasattr(error, "add_note"):  # since Python 3.11
        error.__notes__ = []
        error.add_note("a note")

    def deepest():
        raise error

    with pytest.raises(type(error)) as caught:
        way(deepest, packed)
    assert caught.value is error and error.__cause__ is cause and error.__context__ is context
    assert getattr(error, "__notes__", ["a note"])[0] == "a note"
    names = [entry.name for entry in traceback.extract_tb(error.__traceback__)]
    assert names[-1] == "deepest" and way.__name__ in names


def test_exception_groups_come_out(packed):
    group_class = getattr(__import__("builtins"), "ExceptionGroup", None)
    if group_class is None:
        pytest.skip("Python 3.11 has exception groups")
    group = group_class("both", [Lost("a"), ValueError("b")])

    def fail():
        raise group

    with pytest.raises(group_class) as caught:
        through_three(fail, packed)
    assert caught.value is group and len(group.split(Lost)[0].exceptions) == 1


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_nothing_stays_of_an_error(way, packed):
    def fail():
        raise Nearer("gone")

    def work():
        try:
            way(fail, packed)
        except Nearer as raised:
            held = jitffi.Error.of(raised)  # a cycle: its traceback has this frame
            assert held.exception is raised

    for _ in range(3):
        work()
    if way is not through_global:  # each registration makes a function anew
        assert_nothing_stays(work)


def test_a_class_that_is_gone():
    def make():
        class Gone(Lost):
            pass

        return jitffi.Error.of(Gone("x"))

    error = make()
    assert error.kind == "errors.Lost" and type(error.exception).__name__ == "Gone"
    assert type(pickle.loads(pickle.dumps(error)).exception) is Lost


def test_an_interrupt_amid_a_native_loop():
    """Python's own flag, as a signal sets it; the loop calls back, where the interpreter looks at it."""
    interrupted = []

    def compare(a, b):
        if not interrupted:
            interrupted.append(1)
            ctypes.pythonapi.PyErr_SetInterrupt()
            for _ in range(100_000):
                pass
        return 0

    with pytest.raises(KeyboardInterrupt) as caught:
        through_qsort(lambda: compare(0, 0), None)
    names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "compare" and any(name.startswith("qsort(base: ptr") for name in names)
