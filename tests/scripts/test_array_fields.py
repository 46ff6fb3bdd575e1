"""Arrays in fields of registered classes, which scripts read and write where they lie: all as in Python."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import jitffi
from tests.support.leaks import assert_nothing_stays


@jitffi.register_object("test.array_fields.Layer")
class Layer:
    w: jitffi.NDArray
    b: jitffi.NDArray | None = None
    n: int = 0

    def forward(self, x, out):
        for i in range(len(self.b)):
            s = self.b[i]
            for j in range(len(x)):
                s += self.w[i, j] * x[j]
            out[i] = s
        return out[0]


def _of(name: str, rows: int = 3, columns: int = 4) -> Any:
    w = (np.arange(rows * columns) % 3).reshape(rows, columns).astype(name)
    return Layer(w, (np.arange(rows) % 2).astype(name), rows)


def total(layer):
    s = 0.0
    for i in range(len(layer.w)):
        for j in range(4):
            s += layer.w[i, j] * layer.w[i][-1]
    for v in layer.b:
        s += v
    return s


def named(layer):
    w, b = layer.w, layer.b
    s = 0
    for i in range(len(b)):
        s += w[i, 0] + b[-1 - i]
    return s, w, layer.b


def put(layer, v):
    layer.w[0, -1] = v
    layer.b[1] = v
    return layer.w[0, 3], layer.b[1]


def added(layer, v):
    layer.w[0, 1] += v
    layer.b[0] *= 2
    return layer.w[0, 1]


def outside(layer, i, j):
    return layer.w[i, j]


def put_outside(layer, i, j):
    layer.w[i, j] = 1


def partly(layer):
    return layer.w.shape, layer.w[0], layer.w[0:2], layer.b is None, layer.w[1][2], list(layer.b), repr(layer.b)


def maybe(layer):
    s = 0.0
    for i in range(layer.n):
        if layer.b is not None:
            s += layer.b[i]
    return s


def _outcome(function: Any, layer: Any, *args: Any) -> Any:
    try:
        found = function(layer, *args)
    except Exception as error:
        return type(error).__name__, str(error)
    return repr(found), repr(layer)


PLACES = ((0, 0), (-3, -4), (3, 0), (0, 4), (0, -5), (True, 1), (0, 0.5))
CALLS = [
    (total,), (named,), (partly,), (maybe,),
    *[(put, v) for v in (1, 2.5, -1, 300, True, "x", None, 2**70, float("inf"), 1e300, 2**40)],
    *[(added, v) for v in (1, 0.5, True)],
    *[(each, *at) for each in (outside, put_outside) for at in PLACES],
]  # fmt: skip


@pytest.mark.parametrize("name", ["f8", "f4", "i8", "i2", "u1", "u8", "?", "f2"])
def test_results_are_pythons(name: str) -> None:
    for function, *args in CALLS:
        script = jitffi.script(function)
        for _ in range(2):
            expected, found = (_outcome(each, _of(name), *args) for each in (function, script))
            assert expected == found, (function, args)


@jitffi.register_object("test.array_fields.Always")
class Always(Layer):
    """Whose arrays are always of the same elements."""


def test_loops_are_native() -> None:
    @jitffi.script
    def run(layer, x, out):
        return layer.forward(x, out)

    layer, out = Always(np.ones((3, 4), "f4"), np.ones(3, "f4")), np.zeros(3)
    expected = layer.forward(np.ones(4), out.copy())
    for _ in range(2):
        assert run(layer, np.ones(4), out) == expected
    shown = run.inspect_types()
    assert "py " not in shown.partition("forward(")[2], shown


def test_other_arrays_are_seen_by_the_next_call() -> None:
    @jitffi.register_object("test.array_fields.Changing")
    class Changing:
        a: jitffi.NDArray

    @jitffi.script
    def first(each, out):
        out.append(each.a[0])
        return each.a[0]

    given: list[Any] = [np.arange(3.0), np.arange(3, 6), np.ones((2, 2), "f4"), np.arange(2.0)]
    for a in given:
        out: list[Any] = []
        assert repr(first(Changing(a), out)) == repr(Changing(a).a[0])
        assert len(out) == 1
    each = Changing(np.arange(3.0))
    each.a = np.array([[7]])
    assert repr(first(each, [])) == repr(each.a[0])


def test_objects_that_python_has_not_filled() -> None:
    @jitffi.register_object("test.array_fields.Copied")
    class Copied:
        a: jitffi.NDArray

    @jitffi.script
    def first(each):
        return each.a[0]

    other = jitffi.from_json(jitffi.to_json(Copied(np.arange(1, 4))))
    assert first(Copied(np.arange(1, 4))) == first(other) == first(copy.deepcopy(other)) == 1


def test_derived_classes() -> None:
    @jitffi.register_object("test.array_fields.Sub")
    class Sub(Layer):
        k: int = 1

    class Mine(jitffi.NDArray):
        def __getitem__(self, key):
            return 42

    @jitffi.script
    def first(layers):
        return [each.b[0] for each in layers]

    layers = [_of("f8"), Sub(np.ones((1, 1)), np.array([5]), 1)]
    assert first(layers) == [0.0, 5] == first(layers[::-1])[::-1]
    assert first([Layer(np.ones(1), Mine(np.ones(2)))]) == [42]


def test_none_is_none() -> None:
    @jitffi.script
    def first(layer):
        return layer.b[0]

    assert first(_of("f8")) == 0.0
    with pytest.raises(TypeError, match="'NoneType' object is not subscriptable"):
        first(Layer(np.ones((1, 1))))
    assert jitffi.script(maybe)(Layer(np.ones((1, 1)), n=2)) == 0.0


def test_nothing_stays() -> None:
    scripts = [(jitffi.script(function), *args) for function, *args in CALLS]

    def once() -> None:
        for script, *args in scripts:
            _outcome(script, _of("f8"), *args)

    assert_nothing_stays(once)


def test_read_only_arrays() -> None:
    w = np.ones((1, 2))
    w.flags.writeable = False
    layer = Layer(w)
    for function in (put_outside, jitffi.script(put_outside)):
        with pytest.raises(ValueError, match="NDArray: it is read-only"):
            function(layer, 0, 0)
        with pytest.raises(IndexError):
            function(layer, 1, 0)
