"""Names of exceptions that scripts ask for their text alone, beside CPython: no exception is made where the message is it."""

# ruff: noqa

from __future__ import annotations

import pytest

import jitffi
from tests.scripts import alike
from tests.scripts.alike import cases
from tests.support import leaks


class Own(Exception):
    def __init__(self, what, more):
        super().__init__(what)
        self.more = more

    def __str__(self):
        return f"own {self.more}"


class Plain(ValueError):
    pass


def fails(i):
    if i == 1:
        raise KeyError("one")
    if i == 2:
        raise Own(1, 2)
    if i == 3:
        raise Plain("plain %d" % i)
    if i == 4:
        raise ValueError
    if i == 5:
        raise ValueError("a", "b")
    if i == 6:
        return 1 // 0
    if i == 7:
        return int("x1")
    if i == 8:
        raise ValueError("w\u0416\U0001f600\0x")
    if i == 9:
        raise ValueError(i)
    if i == 10:
        raise OSError(2, "no such")
    if i == 11:
        raise ValueError(f"caf\xe9 {i}")
    if i == 12:
        return [][i]
    return {}["k"] if i == 13 else i


ALL = [(i,) for i in range(15)]


@cases(*ALL)
def every_way(i):
    told = []
    try:
        told.append(fails(i))
    except (KeyError, ZeroDivisionError) as error:
        told.append(f"{error}, {error!s}, {len(str(error))}")
        print(error, end="")
    except Own as error:
        told.append("own: " + str(error))
    except Exception as error:
        told.append(str(error)[::-1])
    return told


@cases(*ALL)
def the_name_is_gone(i):
    error = 5
    try:
        fails(i)
    except Exception as error:
        told = f"<{error}>"
    try:
        return error
    except UnboundLocalError as other:
        return told, str(other)


@cases(*ALL)
def raised_in_the_clause(i):
    try:
        try:
            fails(i)
        except Exception as error:
            raise RuntimeError(f"wrapped {error}")
    except RuntimeError as error:
        return str(error), str(error.__context__), type(error.__context__).__name__


@cases(*ALL)
def another_clause_inside(i):
    try:
        fails(i)
    except Exception as error:
        try:
            [][i]
        except IndexError as other:
            return f"{other}"
        finally:
            i = str(error)


@cases(*ALL)
def asked_for_more(i):
    try:
        fails(i)
    except Exception as error:
        return str(error), error.args
    try:
        fails(i)
    except Exception as error:
        return [f"{error}" for _ in range(2)], (lambda: str(error))()


@cases(*ALL)
def not_the_builtin(i):
    str = repr
    try:
        fails(i)
    except Exception as error:
        return str(error)


@cases(*ALL)
def no_format_of_exceptions(i):
    try:
        fails(i)
    except Exception as error:
        return f"{error:>9}"


class Formatted(Exception):
    def __format__(self, spec):
        return "formatted"


@cases((0,), (1,))
def a_format_of_its_own(x):
    try:
        if x:
            raise Formatted("x")
        raise ValueError("y")
    except Exception as error:
        return f"{error}", f"{error!s}", str(error)


@cases((1,), (2,))
def the_name_in_a_finally_around(n):
    out = []
    for i in range(3):
        try:
            try:
                raise ValueError("v")
            except ValueError as error:
                if i == n:
                    return out
                if i:
                    continue
                out.append(str(error))
        finally:
            error = n
            out.append(error)
            try:
                fails(1)
            except KeyError as other:
                out.append(f"{other}")
    return out


@cases((1,))
def a_finally_within_another_clause(n):
    got = []
    try:
        raise KeyError("outer")
    except KeyError as error:
        for _ in range(2):
            try:
                try:
                    fails(4 + n)
                except ValueError as other:
                    continue
            finally:
                got.append(str(error))
        return got


@cases((1,))
def printed_behind_what_it_changes(n):
    texts = [n]
    try:
        raise ValueError(texts)
    except ValueError as error:
        print("a", error, texts.append(2))
    return texts


@cases((1 << 60,))
def no_memory(n):
    try:
        return len("abc" * n)
    except MemoryError as error:
        return f"<{error}>", str(error)


def _each(n):
    for i in range(n):
        try:
            yield str(fails(i))
        except ValueError as error:
            yield f"{error}!"


@cases((5,), (0,))
def generators_in_the_clause(n):
    told = []
    try:
        fails(4 + n)
    except Exception as error:
        for x in _each(n):
            told.append(f"{error} {x}")
    return told


FUNCTIONS = [each for each in alike.functions(globals()) if hasattr(each, "cases")]


def outcome(function, arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return type(error), str(error), type(error.__context__)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_python_does(function):
    script = jitffi.script(function)
    for arguments in function.cases * 3:
        assert outcome(script, arguments) == outcome(function, arguments), arguments
    before = leaks.live_objects()
    for arguments in function.cases * 3:
        outcome(script, arguments)
    assert leaks.live_objects() == before


def told_of_one(text):
    try:
        return str(int(text))
    except ValueError as error:
        return str(error)


def test_no_exception_is_made():
    script = jitffi.script(told_of_one)
    assert script("x") == told_of_one("x") and script("7") == "7"
    assert "core_op_told" in script.inspect_llvm() and "core_op_caught" not in script.inspect_llvm()
