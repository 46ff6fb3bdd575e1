"""Exceptions of scripts that are objects: names, classes of the user's, causes; and `with`, beside CPython."""

# ruff: noqa

from __future__ import annotations

import contextlib
import sys
import traceback
import weakref

import pytest

import jitffi
from tests.scripts import alike
from tests.scripts.alike import cases
from tests.support import leaks


class Own(ValueError):
    def __init__(self, what, more=2):
        super().__init__(what, more)
        self.what = what


class Manager:
    seen: list = []

    def __init__(self, name, suppresses=False, fails=False):
        self.name, self.suppresses, self.fails = name, suppresses, fails

    def __enter__(self):
        Manager.seen.append(("enter", self.name))
        return self.name

    def __exit__(self, kind, error, where):
        error_now = sys.exc_info()[1]
        Manager.seen.append(("exit", self.name, kind, repr(error), where is not None, error_now is error))
        if self.fails:
            raise KeyError(self.name)
        return self.suppresses


@cases(("1",), ("x",), (None,))
def named(x):
    try:
        return int(x)
    except (ValueError, TypeError) as error:
        return str(error), error.args, type(error).__name__


@cases((0,), (5,))
def own_classes(x):
    try:
        if x:
            raise Own(x, more=3)
        raise KeyError("k")
    except Own as mine:
        return mine.what, mine.args
    except (KeyError, OSError) as error:
        return repr(error)


@cases((0,), (1,))
def from_another(x):
    try:
        1 // x
    except ZeroDivisionError as error:
        raise Own("worse") from error
    return x


@cases((0,), (1,), (2,))
def causes(x):
    if x == 0:
        raise Own(1) from None
    if x == 1:
        raise Own(1) from KeyError
    raise ValueError(1, 2) from Own("cause")


@cases((0,), (1,))
def unbound_afterwards(x):
    e = 5
    try:
        1 // x
    except ZeroDivisionError as e:
        x = 1
    return e


@cases((0,), (1,), (2,))
def unbound_where_it_fails(x):
    e = "before"
    try:
        try:
            raise Own(x)
        except Own as e:
            if x == 0:
                raise KeyError
            if x == 1:
                return e.what
            {}[x]
    except LookupError:
        return e


@cases((0,), (1,), (2,), (3,))
def unbound_by_jumps(x):
    e = "before"
    for i in range(2):
        try:
            raise Own(i)
        except Own as e:
            if x == 0:
                break
            if x == 1:
                continue
            if x == 2:
                del e
            if x == 3:
                e = None
    return e


@cases((["1", "x", "2"],))
def in_a_loop(words):
    found = []
    for word in words:
        try:
            found.append(int(word))
        except ValueError as error:
            found.append(str(error))
    return found


@cases((ValueError,), (int,), ((KeyError, ValueError),), (KeyError,))
def classes_that_are_passed(kinds):
    try:
        raise ValueError("v")
    except kinds:
        return "caught"


@cases((0,), (1,))
def the_same_object(x):
    try:
        try:
            raise Own(1)
        except KeyError as error:
            pass
    except Own as error:
        try:
            if x:
                raise error
            raise
        except Own as again:
            return again is error


@cases((0,), (1,))
def contexts(x):
    try:
        1 // 0
    except ZeroDivisionError as first:
        try:
            if x:
                {}["x"]
            raise Own(2)
        except (KeyError, Own) as second:
            return repr(second.__context__), second.__context__ is first


@cases(
    (0,),
)
def not_exceptions(x):
    try:
        raise 5
    except TypeError as error:
        return str(error)


@cases(
    (0,),
)
def class_that_takes_more(x):
    raise Own


@cases((0,), (1,), (5,))
def managers(x):
    out = []
    for i in range(3):
        with Manager(i) as n, Manager(i * 10, suppresses=True) as m:
            out.append((n, m))
            if i == x:
                return out
            if i == 1:
                1 // (i - 1)
            out.append("end")
    return out


@cases((0,), (2,))
def manager_and_errors(x):
    with Manager(x):
        return 10 // x


@cases((0,), (2,))
def manager_that_fails(x):
    with Manager(x, fails=True):
        x = 10 // x
    return x


@cases((1,), ("x",))
def no_manager(x):
    with x:
        pass


@cases((0,), (1,))
def manager_in_a_loop(x):
    seen = []
    for i in range(4):
        with Manager(i, suppresses=True):
            if i == 1:
                continue
            if i == 3 and x:
                break
            if i == 2:
                raise Own(i)
            seen.append(i)
    return seen


@cases(("a.txt",))
def suppressing(x):
    with contextlib.suppress(KeyError, ValueError):
        int(x)
        return "never"
    return "suppressed"


def described(error):
    """With its lines, and those of what it was raised meanwhile and from."""
    if error is None:
        return None
    lines = [(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    lines = [each for each in lines if each[0] not in ("outcome",)]
    chained = described(error.__context__), described(error.__cause__), error.__suppress_context__
    return type(error), error.args, lines, chained


def outcome(function, arguments):
    Manager.seen.clear()
    try:
        return alike.plain(function(*arguments)), list(Manager.seen)
    except Exception as error:
        return described(error), list(Manager.seen)


FUNCTIONS = [each for each in alike.functions(globals()) if hasattr(each, "cases")]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_python_does(function):
    script = jitffi.script(function)
    for arguments in function.cases:
        assert outcome(script, arguments) == outcome(function, arguments), arguments
    assert "left to the interpreter" not in script.inspect_types()
    before = leaks.live_objects()
    for _ in range(3):
        for arguments in function.cases:
            outcome(script, arguments)
    assert leaks.live_objects() == before


class Watched(Exception):
    left: list = []

    def __init__(self):
        Watched.left.append(weakref.ref(self))


def drops(n):
    seen = 0
    for i in range(n):
        try:
            raise Watched
        except Watched as error:
            seen += len(error.args)
        try:
            raise Watched()
        except Exception:
            pass
    return seen


def test_what_is_caught_is_dropped():
    script = jitffi.script(drops)
    assert script(100) == 0 and len(Watched.left) == 200
    assert all(each() is None for each in Watched.left)


def test_strict_scripts_refuse_them():
    for function in (named, own_classes, causes, managers):
        with pytest.raises(jitffi.ScriptError):
            jitffi.script(function, strict=True)
        with pytest.raises(jitffi.ScriptError):
            jitffi.script(function, nogil=True)
