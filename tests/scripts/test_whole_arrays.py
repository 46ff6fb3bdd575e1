"""Arrays in scripts that are used as NumPy's objects are, beside the elements that are native: all as in Python."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import jitffi
from tests.support.leaks import assert_nothing_stays
from tests.support.script_arrays import equal, outcome

# -- on the whole ----------------------------------------------------------------------------------------------------


def operators(x):
    return x * 2, 2 * x, x / 2, x // 2, x % 2, x**2, x @ x if x.ndim == 1 else x.T, abs(x), divmod(x, 2)


def negative(x):
    return -x


def compared(x):
    return x == x, x < 2, x is x, x is None, x is not None, x == None  # noqa: E711


def changed_in_place(x):
    x += 1
    return x


def given_another_value(x):
    y = x
    y = y * 2
    return y.sum(), x


def grown_in_a_loop(x):
    t = 0
    while t < 3:
        x = x + 1
        t += 1
    return x


def asked_for_truth(x):
    return 1 if x else 2


def asked_for_more_truth(x):
    return (x and 1), not x.size, x if x.any() else -x


def attributes(x):
    return x.shape, x.dtype, x.ndim, x.size, x.T, x.nbytes


def methods(x):
    return x.sum(), x.mean() + x.std(), x.copy(), x.tolist(), x.astype(int) & 1, x.reshape(1, -1)[0, 1]


def functions(x):
    return np.dot(x, x.T), np.sqrt(x), np.zeros_like(x), len(x), isinstance(x, np.ndarray), type(x)


def masked(x):
    return x[x > 1], len(x[x > 100])


def set_by_a_mask(x):
    x[x > 1] = 7
    return x


def indexed(x):
    return x[None], x[...], x[[0, 1]], x[np.argmax(x) % 2], x[int(len(x) / 2)]


def index_error(x):
    return x[10]


def too_many(x):
    return x[0, 0, 0]


def no_index(x):
    return x[1.5]


def no_attribute(x):
    return x.foo


def no_hash(x):
    return hash(x)


def no_number(x):
    x[0] = "a"


def deleted(x):
    del x[0]


def filled(x):
    x[:] = 0
    return x


def moved(x):
    x[1:3] = x[0:2]
    return x


def rows(x):
    found = None
    for row in x:
        if found is None or (row > found).any() if x.ndim > 1 else row > found:
            found = row
    return found


def unpacked(x):
    a, b, *rest = x
    return a + b, len(rest)


def summed(x):
    return sum(x)


def ordered(x):
    return min(x), max(x), sorted(x)


def contained(x):
    return 1 in x, [x, x], {"x": x}["x"], [each * 2 for each in [x]]


def shown(x):
    return str(x), repr(x), f"{x}", "%s" % x  # noqa: UP031


def enclosed(x):
    def inner():
        return x.sum()

    return inner() + (lambda: x[0])()


def one_object(x):
    y = x[1:]
    found = [y, y]
    for row in x:
        found.append(row)
        found.append(row)
    return y is y, found[0] is found[1], found[2] is found[3] or x.ndim == 1, found


def _doubled(x, k):
    return x * k


def helped(x):
    return _doubled(x, 2), _first(x)


def _first(x):
    return x[0] if len(x) else None


def read_only(x):
    x.flags.writeable = False
    return x


def shaped_again(x):
    x.shape = (x.size,)
    return x[1], len(x)


def sizes(x):
    s = x.shape
    return x.shape[0], x.shape[-1], len(x.shape), s[0] + s[-1]


def one_size(x):
    (n,) = x.shape
    return n


def second_size(x):
    return x.shape[1]


def parts_in_place(x):
    x[1:] += 1
    x[:] *= 2
    x[1:] **= 2
    return x


def tuples_as_indices(x):
    at = (0, 1)
    x[at] = 0
    for p in [(0, 1), (1, 0)]:
        x[p] += 1
    return x[at]


def first_and_rest(x):
    a, *b = x
    *c, d = x[1:]
    return a, b, c, d


def kept_in_a_loop(x):
    y, out = x[1:], []
    for _ in range(3):
        out.append(y)
    return out[0] is out[1], y[0]


def rows_kept(x):
    out = []
    for i, row in enumerate(x):
        out.append((row[-1] if x.ndim > 1 else 0, i))
        out.append(row)
    return out


def flags_set(x):
    x.setflags(write=False)
    x[0] = 2
    return x


def sized_again(x):
    x.resize(40, refcheck=False)
    x[0] = 1
    return x[0], len(x)


# -- beside elements -------------------------------------------------------------------------------------------------


def mean_and_spread(x):
    m, t = np.mean(x), 0.0
    for i in range(x.shape[0]):
        t += ((x[i] - m) ** 2).sum()
    return t / x.shape[0]


def reversed_copy(x):
    y = x.copy()
    for i in range(len(y)):
        y[i] = x[len(x) - 1 - i]
    return y


def counted(x):
    for i, v in enumerate(x):
        x[i] = v + 1
    return x, [v for v in x.ravel() if v > 1]


def parts(x):
    return x[::2], x[1:], x[::-1], x[0:2] + x[1:3]


FUNCTIONS = [each for name, each in sorted(globals().items()) if inspect.isfunction(each) and name[0] != "_"]
FUNCTIONS = [each for each in FUNCTIONS if each.__module__ == __name__]


def arrays() -> Iterator[Any]:
    yield np.arange(5.0)
    yield np.arange(5)
    yield np.arange(6.0).reshape(2, 3)
    yield np.array([1, 2, 3], "u1")
    yield np.arange(5, dtype="f4")
    yield np.array([True, False, True])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_results_are_pythons(function: Any) -> None:
    script = jitffi.script(function)
    for x in arrays():
        expected, found = outcome(function, x.copy()), outcome(script, x.copy())
        assert equal(expected, found), (x, expected, found)
    assert "left to the interpreter" not in script.inspect_types()


def test_elements_stay_native_beside() -> None:
    script = jitffi.script(mean_and_spread)
    script(np.arange(4.0))
    shown = script.inspect_types()
    assert "mean_and_spread(x: f64[*]) -> " in shown

    @jitffi.script
    def total(x):
        n, m = x.shape
        t = 0.0
        for i in range(n):
            for j in range(m):
                t += x[i, j] * x.shape[0]
        return t / x.size

    assert total(np.ones((2, 3))) == 2.0
    assert "py " not in total.inspect_types()


def test_what_annotations_promise_stays() -> None:
    @jitffi.script
    def scaled(x: NDArray[np.float64], k: float):
        x = x * k
        return x[0] + x.sum()

    assert scaled(np.arange(3.0), 2.0) == 6.0


def test_the_same_object_comes_back() -> None:
    seen: list[Any] = []

    @jitffi.script
    def handed(x):
        seen.append(x)
        return x[0]

    x = np.ones(3)
    handed(x)
    assert seen[0] is x


@pytest.mark.filterwarnings("ignore")
def test_nothing_stays() -> None:
    scripts = [jitffi.script(each) for each in FUNCTIONS if each not in (index_error, no_index)]
    given = list(arrays())

    def once() -> None:
        for script in scripts:
            for x in given[:3]:
                outcome(script, x.copy())

    assert_nothing_stays(once)


def test_strict_scripts_have_no_whole_arrays() -> None:
    with pytest.raises(TypeError, match="write the loop over their elements"):
        jitffi.script(_doubled, strict=True)(np.ones(2), 2)


def test_a_memoryview_stays_what_it_is() -> None:
    @jitffi.script
    def listed(x: NDArray[np.float64]):
        return x.tolist()

    @jitffi.script
    def same(x: NDArray[np.float64]):
        return x

    part = memoryview(np.arange(6.0))[2:]
    assert listed(part) == part.tolist() and same(part) is part


def test_an_attribute_of_another_object_is_no_shape() -> None:
    @jitffi.script
    def summed(o, x):
        s = 0.0
        for i in range(len(x)):
            s += x[i]
        o.data = s

    summed(types.SimpleNamespace(), np.ones(3))
    assert "s: float" in summed.inspect_types()
