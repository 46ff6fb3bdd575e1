"""try, raise alone and del of variables in scripts, beside CPython. PYTEST_DONT_REWRITE: of `assert`, too."""

# ruff: noqa

from __future__ import annotations

import sys
import traceback

import pytest

import jitffi
from tests.scripts import alike
from tests.scripts.alike import cases
from tests.support import leaks

TEXTS = [("12",), ("x",), ("",), ("naïve",)]


@cases(([1, 2], 0), ([1, 2], -3), ([], 0), (["a"], 0), ("ab", 5), (b"ab", 2), ((1,), 1))
def catches_an_index(xs, i):
    try:
        return xs[i]
    except IndexError:
        return None


@cases(*TEXTS)
def converts(text):
    try:
        n = int(text)
    except ValueError:
        n = -1
        kind = "bad"
    else:
        kind = "good"
    return n, kind


@cases(({"a": 1}, "a"), ({"a": 1}, "b"), ({}, ()), ({}, []), ({1: 2}, 1.0))
def looks_up(table, key):
    try:
        return table[key]
    except LookupError:
        return "missing"
    except TypeError:
        return "unhashable"


@cases((0,), (1,), (2,), (3,))
def first_handler_that_fits(n):
    try:
        if n == 0:
            return 1 // n
        if n == 1:
            raise KeyError("k")
        if n == 2:
            raise NotImplementedError
        raise UnicodeError("u")
    except (ValueError, OSError):
        return "value"
    except ArithmeticError:
        return "arithmetic"
    except RuntimeError:
        return "runtime"
    except:
        return "other"


@cases((3,), (1 << 40,))
def large(n):
    try:
        n = n * n * n
    except (ArithmeticError, ValueError):
        return "caught"
    except:
        return "anything"
    finally:
        n = n + 1
    return n


@cases((0,), (1,))
def fails_in_a_handler(n):
    try:
        return 10 // n
    except ZeroDivisionError:
        raise ValueError("zero")


@cases((0,), (1,), ("x",))
def raises_again(n):
    try:
        return 10 // n
    except ZeroDivisionError:
        n += 1
        raise


@cases(([3, 0, 1],), ([1],), (["x"],), ([],))
def loops_with_everything(xs):
    out = []
    for x in xs:
        try:
            out.append(10 // x)
        except ZeroDivisionError:
            out.append(-1)
            continue
        except TypeError:
            out.append(-2)
            break
        else:
            out.append(0)
        finally:
            out.append(x)
    else:
        out.append("end")
    return out


@cases((0,), (1,), (2,), (3,))
def jumps_in_finally(n):
    seen = []
    while True:
        try:
            seen.append("try")
            if n == 0:
                return seen
            if n == 1:
                seen[5]
            if n == 2:
                raise ValueError(n)
        finally:
            seen.append("finally")
            if n < 3:
                break
            return "returned"
    return seen


@cases((1,), (0,))
def returns_what_it_was(n):
    text = "before"
    try:
        text = text + str(10 // n)
        return text
    finally:
        text = "changed"
        n = 5


@cases((0,), (1,), (2,))
def the_variables_of_a_handler(n):
    x = None
    try:
        x = 1
        if n == 0:
            [][n]
        x = "text"
        if n == 1:
            {}[n]
        x = [n]
        1 // (n - 2)
    except IndexError:
        return x, "index"
    except KeyError:
        return x, "key"
    except ZeroDivisionError:
        return x, "division"


@cases((0,), (1,))
def not_bound_in_a_handler(n):
    try:
        if n:
            y = 5
        z = 1 // 0
    except ZeroDivisionError:
        return y


@cases((0,), (1,))
def deleted(n):
    x = "a text that is no part of another" + str(n)
    y = [x]
    if n:
        del x
    del y
    return x


@cases((0,), (2,))
def deleted_parameter(n):
    try:
        if n:
            del n
        return n
    except UnboundLocalError:
        return "unbound"


@cases(
    (3,),
)
def deleted_in_a_loop(n):
    seen = []
    for i in range(n):
        try:
            seen.append(x)
            del x
        except NameError:
            x = i
    return seen


@cases(
    (),
)
def deleted_twice():
    x = 1
    del x
    del x


@cases(("12",), ("x",), (None,))
def narrowed_before_it_fails(value):
    try:
        if isinstance(value, str):
            return int(value) + len(value)
        return value + 1
    except (ValueError, TypeError):
        return value


@cases(("a,b",), ("a",), ("",))
def unpacks(text):
    try:
        first, second = text.split(",")
    except ValueError:
        return text, None
    return second, first


@cases((0,), (5,))
def asserts(n):
    try:
        assert n, "n is " + "0"
    except AssertionError:
        return "asserted"
    return n


@cases((5,), (0,), (-1,))
def through_calls(n):
    try:
        return _recursive(n)
    except ValueError:
        return "bottom"
    finally:
        n = 0


def _recursive(n):
    if n < 0:
        raise KeyError(n)
    try:
        return _recursive(n - 1) + 1
    except KeyError:
        raise ValueError("bottom")


@cases((1,), (2,))
def no_active_exception(n):
    if n == 1:
        raise
    return n


@cases((0,), (1,))
def nested_in_a_handler(n):
    out = []
    try:
        raise KeyError("outer")
    except KeyError:
        try:
            out.append(1 // n)
        except ZeroDivisionError:
            out.append("inner")
        try:
            raise
        except LookupError:
            out.append("again")
    return out


@cases((10**6,), (3,))
def recursion(n):
    try:
        return _deep(n)
    except RecursionError:
        return "too deep"


def _deep(n):
    return 0 if n == 0 else 1 + _deep(n - 1)


@cases((1 << 60,), (2,))
def memory(n):
    x = "a text before"
    try:
        return len([0] * n)
    except MemoryError:
        return x


@cases((0,), (1,))
def many_copies(n):
    out = []
    for i in range(3):
        try:
            try:
                if i == n:
                    return out
                out.append(1 // (i - 1))
            finally:
                out.append("inner")
                if i == 2:
                    break
        except ZeroDivisionError:
            out.append("caught")
        finally:
            out.append("outer")
    return out


@pytest.mark.parametrize("function", alike.functions(globals()), ids=lambda f: f.__name__)
def test_what_python_does(function):
    alike.check(function)


def _described(function, *arguments):
    try:
        function(*arguments)
    except BaseException as error:
        lines = [[frame.lineno for frame in traceback.extract_tb(each.__traceback__)] for each in (error,)]
        context = error.__context__
        inner = [frame.lineno for frame in traceback.extract_tb(context.__traceback__)] if context else None
        return type(error), error.args, lines[0][1:], type(context), inner
    return None


@pytest.mark.parametrize("function", [fails_in_a_handler, raises_again, through_calls, no_active_exception])
def test_contexts_and_tracebacks(function):
    arguments = next(iter(function.cases))
    assert _described(jitffi.script(function), *arguments) == _described(function, *arguments)


def _handles_while(function):
    try:
        raise OSError("around")
    except OSError:
        return _described(function, 1)


def test_what_a_caller_is_handling():
    assert _handles_while(jitffi.script(no_active_exception)) == _handles_while(no_active_exception)
    assert _handles_while(jitffi.script(fails_in_a_handler)) is None


def _asks(look, n):
    seen = [look()]
    try:
        1 // n
    except ZeroDivisionError:
        seen.append(look())
        try:
            {}[n]
        except KeyError:
            seen.append(look())
        seen.append(look())
    finally:
        seen.append(look())
    seen.append(look())
    return seen


def test_what_python_sees_while_a_script_handles():
    def look():
        error = sys.exc_info()[1]
        return [type(error).__name__, type(getattr(error, "__context__", None)).__name__]

    script = jitffi.script(_asks)
    for n in (0, 1):
        assert alike.plain(script(look, n)) == _asks(look, n)
    assert sys.exc_info()[1] is None


class _Own(ValueError):
    pass


def _catches_foreign(call):
    try:
        return call()
    except ValueError:
        return "value"
    except Exception:
        return "other"


def test_exceptions_of_python_code():
    def fails(error):
        def call():
            raise error

        return call

    script = jitffi.script(_catches_foreign)
    assert script(fails(_Own("own"))) == "value"
    assert script(fails(KeyError("key"))) == "other"
    with pytest.raises(KeyboardInterrupt):
        script(fails(KeyboardInterrupt()))
    leaves = leaks.live_objects()
    for _ in range(10):
        script(fails(_Own("own")))
    assert leaks.live_objects() == leaves


def _again(call):
    try:
        return call()
    except ValueError:
        raise
    finally:
        call = None


def test_the_same_object_is_raised_again():
    error = _Own("own")

    def call():
        raise error

    with pytest.raises(_Own) as caught:
        jitffi.script(_again)(call)
    assert caught.value is error and error.__context__ is None


@jitffi.script(nogil=True)
def _without_the_lock(text: str, n: int) -> int:
    found = 0
    for word in text.split():
        try:
            found += int(word) // n
        except ValueError:
            found += 1
            raise KeyError(word)
        except ArithmeticError:
            found += 100
        finally:
            found += 1000
    return found


def test_without_the_lock():
    assert _without_the_lock("1 2 3", 1) == 3006 and _without_the_lock("1 2 3", 0) == 3300
    with pytest.raises(KeyError) as caught:
        _without_the_lock("1 x", 1)
    assert type(caught.value.__context__) is ValueError


def test_in_a_file(tmp_path):
    script = jitffi.script(_without_the_lock.__wrapped__)
    module = jitffi.load_module(jitffi.emit(script, tmp_path / "made.o"))
    assert module._without_the_lock("1 2 3", 0) == 3300
    with pytest.raises(KeyError):
        module._without_the_lock("1 x", 1)


INTERRUPTED = """
import os, signal, time
import jitffi

def endless(n):
    i = 0
    while i < n:
        try:
            try:
                i += 1
            except Exception:
                return "swallowed"
        finally:
            if n == 0:
                return "never"
    return i

def stopped(n):
    try:
        i = 0
        while i < n:
            i += 1
    except Exception:
        return "Exception"
    except KeyboardInterrupt:
        return "interrupted"
    return i

script = jitffi.script(endless)
other = jitffi.script(stopped)
script(3), other(3)
for f in (script, other):
    # Another process interrupts, since no other thread runs while the script holds the lock.
    if os.fork() == 0:
        time.sleep(0.2)
        os.kill(os.getppid(), signal.SIGINT)
        os._exit(0)
    try:
        print(f(1 << 50))
    except KeyboardInterrupt:
        print("KeyboardInterrupt")
    os.wait()
"""


def test_keyboard_interrupts(run_python, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(INTERRUPTED)
    quiet = {"PYTHONWARNINGS": "ignore::SyntaxWarning"}  # of a return in a finally
    said = run_python(f"import runpy\nrunpy.run_path({str(path)!r})", env=quiet)
    assert said.split() == ["KeyboardInterrupt", "interrupted"]
