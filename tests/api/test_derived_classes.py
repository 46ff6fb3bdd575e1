"""Classes that programs derive from Function, NDArray, List and Map: their objects come back as themselves."""

import gc

import numpy as np
import pytest

import jitffi

echo = jitffi.convert(lambda x: x)


class Twice(jitffi.Function):
    def twice(self, x):
        return self(self(x))


class Named(jitffi.NDArray):
    def first(self):
        return self[0]


class Words(jitffi.List):
    pass


class Table(jitffi.Map):
    pass


def test_functions():
    f = Twice(jitffi.convert(lambda x: x + 1))
    assert f.twice(3) == 5 and isinstance(f, Twice) and isinstance(f, jitffi.Function)
    holder = jitffi.List([f])
    assert holder[0] is f and echo(f) is f and jitffi.Map(k=f)["k"] is f
    del f
    gc.collect()
    assert holder[0].twice(1) == 3
    typed = Twice(jitffi.function("(x: i64) -> i64")(lambda x: x * 2))
    assert typed.twice(3) == 12 and str(typed.signature) == "(x: i64) -> i64"
    with pytest.raises(TypeError, match="expected a Function"):
        Twice(3)


def test_arrays():
    elements = np.arange(3.0)
    a = Named(elements)
    assert a.first() == 0.0 and type(a) is Named and np.shares_memory(np.asarray(a), elements)
    b = Named(jitffi.NDArray.zeros((2,), "int32"))
    b[0] = 7
    assert b.first() == 7 and echo(b) is b and jitffi.List([b])[0] is b and type(b[1:]) is jitffi.NDArray
    with pytest.raises(TypeError, match="NDArray: expected an array, got int"):
        Named(3)


def test_containers():
    words, table = Words(["a"]), Table(a=1)
    holder = jitffi.List([words, table])
    assert holder[0] is words and holder[1] is table and echo(words) is words


class _Names(jitffi.List):
    pass


class _Callback(jitffi.Function):
    pass


def test_derived_classes_are_annotations():
    @jitffi.register_object("test.derived.Holder")
    class Holder:
        names: _Names
        call: _Callback
        error: jitffi.Error | None = None

    assert [(each.type, each.size) for each in jitffi.type_info(Holder).fields] == [
        ("list", 8),
        ("func", 8),
        ("optional[error]", 8),
    ]
    names = _Names([1])
    holder = Holder(names, len)
    assert holder.names is names and holder.call is len

    def echo(names: _Names) -> _Names:
        return names

    assert type(jitffi.function(echo)(_Names([2]))) is _Names


@pytest.mark.parametrize("name", ["List", "Map", "Tuple", "Shape", "NDArray", "Error", "Function", "Object"])
def test_type_info_of_classes_of_ours(name):
    cls = getattr(jitffi, name)
    info = jitffi.type_info(cls)
    assert info.key == name.lower() and jitffi.type_info(info.key).code == info.code
    assert (info.parent and info.parent.key) == (None if name == "Object" else "object")
