"""Library.declare: bound as `bind` binds, named and documented as Python declares it."""

from __future__ import annotations

import gc
import inspect
import pickle
import weakref

import pytest

import jitffi
from jitffi.base.errors import SignatureError

SOURCE = """
#include <errno.h>
#include <stdlib.h>
int twice(int x) { return 2 * x; }
int fails(void) { errno = ENOENT; return -1; }
static int (*kept)(int);
void keep(int (*f)(int)) { kept = f; }
int use(int x) { return kept(x); }
"""


@pytest.fixture(scope="module")
def lib(build_library):
    return jitffi.load_library(build_library(SOURCE))


def test_it_is_what_bind_makes(lib):
    @lib.declare("(x: i32) -> i32")
    def twice(x: int) -> int:
        """Twice X.

        In C:
            int y = twice(x);
        """

    assert type(twice) is type(len) and twice(21) == twice(x=21) == 42
    assert twice.__name__ == "twice" and str(inspect.signature(twice)) == "(x)"
    assert twice.__doc__ == "twice(x: i32) -> i32\n\nTwice X.\n\nIn C:\n    int y = twice(x);"
    assert str(jitffi.Function(twice).signature) == "(x: i32) -> i32"
    assert pickle.loads(pickle.dumps(twice))(4) == 8
    with pytest.raises(TypeError, match="twice: argument 1 'x': expected i32, got str 'a'"):
        twice("a")


def test_a_symbol_of_another_name_and_options(lib):
    @lib.declare("(i32) -> i32", symbol="twice", nogil=True)
    def double(x: int, /) -> int: ...

    @lib.declare("() -> i32", errno=True)
    def fails() -> int: ...

    @lib.declare("int twice(int other)")
    def twice(other: int) -> int: ...

    assert double(4) == 8 and double.__doc__ == "twice(i32) -> i32"
    assert twice(other=5) == 10
    with pytest.raises(FileNotFoundError):
        fails()


def test_callbacks_that_are_kept(lib):
    @lib.declare("(f: func[(i32) -> i32]) -> void", keep_callbacks=True)
    def keep(f: object) -> None: ...

    @lib.declare("(x: i32) -> i32")
    def use(x: int) -> int: ...

    def triple(x):
        return 3 * x

    gone = weakref.ref(triple)
    keep(triple)
    del triple
    gc.collect()
    assert gone() is not None and use(5) == 15


def test_what_is_not_there_fails_when_called(lib):
    @lib.declare("(x: i32) -> i32", symbol="nothing_here")
    def nothing(x: int) -> int:
        """Nothing."""

    assert (nothing.__name__, nothing.__doc__) == ("nothing", "Nothing.")
    for call in (lambda: nothing(1), lambda: nothing(x=1), lambda: nothing()):
        with pytest.raises(AttributeError, match="has no symbol 'nothing_here'"):
            call()


def test_wrong_declarations_fail_at_once(lib):
    def twice(x): ...

    for signature, error in [("(i33) -> i32", SignatureError), ("int other(int);", TypeError), (3, TypeError),
                             ("(i32) -> optional[i32]", TypeError)]:  # fmt: skip
        with pytest.raises(error):
            lib.declare(signature)(twice)
