"""Classes that programs derive from Function, NDArray, List and Map: their objects come back as themselves."""

import gc
import threading
import weakref

import numpy as np
import pytest

import jitffi
from jitffi import _core
from jitffi.base import config

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


def test_maps_say_what_is_missing():
    class Scope(jitffi.Map):
        def __missing__(self, name):
            return name * 2

    scope = Scope(a=1)
    assert scope["a"] == 1 and scope["b"] == "bb" and scope.get("b") is None and "b" not in scope

    class Asked(jitffi.Map):
        def __getattr__(self, name):
            raise ValueError(name)

    table, asked = Table(a=1), Asked()
    table.__missing__ = str  # of the object, which is not asked
    for each in (table, asked):
        with pytest.raises(KeyError, match="b"):
            each["b"]


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


# -- asleep, while native code alone has them -----------------------------------------------------------------


class Pair(jitffi.Array):
    pass


class Names(jitffi.Set):
    pass


class Fault(jitffi.Error):
    pass


class Frozen(jitffi.FrozenMap):
    pass


class Slotted(jitffi.List):
    __slots__ = ("more", "outer")


class Longer(Words):
    def __del__(self):
        ended.append(type(self))


ended = []
makers = [
    lambda: Words([1]),
    lambda: Longer([1]),
    lambda: Slotted([1]),
    lambda: Table(a=1),
    lambda: Pair([1]),
    lambda: Pair([[1]]),
    lambda: Names("ab"),
    lambda: Named(np.arange(3.0)),
    lambda: Fault("ValueError", "text"),
    lambda: Frozen(a=1),
]
holders = [lambda x: jitffi.List([x]), lambda x: jitffi.Tuple([x, x]), lambda x: jitffi.Map({0: x, 1: x, 2: [x]})]


@pytest.fixture
def nothing_is_left():
    jitffi.FrozenMap(a=Named(np.arange(3.0)))
    gc.collect()
    before = _core.live_objects()
    yield
    ended.clear()
    gc.collect()
    gc.collect()
    assert jitffi.collect_cycles() == 0 and _core.live_objects() == before


@pytest.mark.parametrize("make", makers)
@pytest.mark.parametrize("hold", holders)
def test_they_sleep_and_wake_as_they_were(make, hold, nothing_is_left):
    one = make()
    kind, number, count = type(one), id(one), one.ref_count
    one.more = [kind]
    outer, alive = hold(one), weakref.ref(one)
    held = one.ref_count - count
    for _ in range(2):
        del one
        gc.collect()
        assert alive() is None and ended == []
        one = outer[0]
        assert type(one) is kind and id(one) == number and alive() is one and one.more == [kind]
        assert one.ref_count == count + held
    assert one._move() is one and echo(one) is one
    del one, outer
    assert alive() is None and ended == ([Longer] if kind is Longer else [])


@pytest.mark.parametrize("make", makers)
@pytest.mark.parametrize("hold", holders)
@pytest.mark.parametrize("asleep", [True, False])
def test_their_cycles_are_found(make, hold, asleep, nothing_is_left):
    one = make()
    outer = hold(one)
    one.outer, one.more = outer, 1 if asleep else [one]
    both = weakref.ref(one), weakref.ref(outer)
    del one
    gc.collect()
    assert both[1]() is outer and outer[0].outer is outer
    del outer
    gc.collect()
    jitffi.collect_cycles()
    gc.collect()
    assert both[0]() is None and both[1]() is None


def test_cycles_that_native_code_makes_of_them_while_they_sleep(nothing_is_left):
    append = jitffi.convert(lambda outer: outer[0].append(outer))
    one = Words()
    one.more = 1
    outer, alive = jitffi.List([one]), weakref.ref(one)
    del one
    gc.collect()
    append(outer)
    del outer
    gc.collect()
    jitffi.collect_cycles()
    assert alive() is None


def test_what_native_code_holds_stays_with_all_that_its_attributes_hold(nothing_is_left):
    outer = jitffi.List([Words(), Named(np.arange(3.0))])
    for one in outer:
        one.me, one.more = one, weakref.ref(gc)
    del one
    gc.collect()
    assert all(one.me is one for one in outer) and [type(one) for one in outer] == [Words, Named]


def test_chains_of_them_end_without_a_deep_stack(nothing_is_left):
    chain = Words()
    for i in range(100000):
        made = Words([chain] if i % 2 else ())
        made.more = chain
        chain = made
    del chain, made


def test_native_threads_hold_and_drop_them_meanwhile(nothing_is_left):
    library = config.library_dir() / "libjitffi_runtime.so"
    if not library.exists():
        pytest.skip("no shared runtime beside this build")
    runtime = jitffi.load_library(library)
    retain = runtime.bind("jf_object_retain", "(ptr) -> void", nogil=True)
    release = runtime.bind("jf_object_release", "(ptr) -> void", nogil=True)
    kept = [make() for make in makers if make().ref_count == 1]
    addresses = [each.handle for each in kept]
    outers = [jitffi.List(kept) for _ in range(2)]
    numbers = [id(each) for each in kept]
    del kept

    def count():
        for _ in range(2000):
            for address in addresses:
                retain(address)
                release(address)

    def look():
        for _ in range(1000):
            for outer in outers:
                assert [id(each) for each in outer] == numbers

    threads = [threading.Thread(target=each) for each in (count, count, look)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for address in addresses:
        retain(address)
    outers.clear()
    last = threading.Thread(target=lambda: [release(address) for address in addresses])
    last.start()
    last.join()
    gc.collect()


@pytest.mark.parametrize("name", ["List", "Map", "Tuple", "Shape", "NDArray", "Error", "Function", "Object"])
def test_type_info_of_classes_of_ours(name):
    cls = getattr(jitffi, name)
    info = jitffi.type_info(cls)
    assert info.key == name.lower() and jitffi.type_info(info.key).code == info.code
    assert (info.parent and info.parent.key) == (None if name == "Object" else "object")
