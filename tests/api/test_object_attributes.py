"""What Python attaches to objects that native code has made lasts as long as they do."""

import gc
import threading
import weakref

import pytest

import jitffi
from jitffi import _core


@jitffi.register_object("tests.attached.Node", eq=False, attributes=True)
class Node:
    value: int = 0
    items: list = jitffi.field(default_factory=list)

    ended = 0

    def __del__(self):
        type(self).ended += 1


@pytest.fixture(scope="module")
def native(build_library):
    module = jitffi.load_module(build_library("""
        #include "jitffi/types.h"
        JITFFI_EXPORT_ABI;
        JITFFI_EXPORT(make, "() -> any") {
          (void)args;
          jf_object* made = jf_object_make_of(jf_type_code("tests.attached.Node"));
          if (!made) return -1;
          jf_out_object(out, made);
          return 0;
        }
    """, runtime=True))  # fmt: skip
    module.make()
    return module


@pytest.fixture(autouse=True)
def nothing_is_left(native):
    gc.collect()
    jitffi.collect_cycles()
    before = _core.live_objects()
    Node.ended = 0
    yield
    gc.collect()
    gc.collect()
    assert jitffi.collect_cycles() == 0 and _core.live_objects() == before


@pytest.fixture
def make(native):
    return native.make


def test_attributes_come_back(make):
    one = make()
    holder = jitffi.List([one])
    one.more, number = [1], id(one)
    reference = weakref.ref(one)
    del one
    gc.collect()
    for _ in range(3):
        assert holder[0].more == [1] and id(holder[0]) == number and holder[0] is reference()
        holder[0].more = holder[0].__dict__["more"]
    assert Node.ended == 0
    holder.clear()
    assert reference() is None and Node.ended == 1


def test_without_attributes_nothing_is_kept(make):
    holder = jitffi.List([make()])
    reference = weakref.ref(holder[0])
    assert reference() is None and holder[0].__dict__ == {}
    holder[0].a = 1
    del holder[0].a
    assert holder[0].ref_count == 2


def test_the_finaliser_may_save_it(make):
    saved = jitffi.List()

    class Saves:
        def __del__(self):
            saved.append(node())

    one = make()
    node = weakref.ref(one)
    one.more = Saves()
    holder = jitffi.List([one])
    del one
    holder.clear()
    assert list(saved) == [None]  # what it was attached to is at its end


def test_cycles_through_what_is_attached(make):
    one = make()
    holder = jitffi.List([one])
    one.holder = holder
    two, three = make(), make()
    two.other, three.other = three, two
    two.items, three.items = [three, three], [two]
    references = [weakref.ref(each) for each in (one, two, three)]
    del one, two, three, holder
    for _ in range(3):
        gc.collect()
    assert [each() for each in references] == [None] * 3


def test_on_many_threads(make):
    def work():
        held = jitffi.List()
        for i in range(300):
            one = make()
            one.number = i
            held.append(one)
            if i % 7 == 0:
                del one, held[0]
        assert [each.number for each in held] == list(range(300))[-len(held) :]

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_deep_chains(make):
    last = jitffi.List()
    for i in range(30_000):
        one = make()
        one.number = i
        one.items = [last] if i % 2 else last
        last = jitffi.List([one])
    del one, last


def test_released_without_the_lock(make):
    one = make()
    one.more = 1
    reference = weakref.ref(one)
    runtime = jitffi.load_library(_core.__file__)
    try:
        retain = runtime.bind("jf_object_retain", "(ptr) -> void")
        release = runtime.bind("jf_object_release", "(ptr) -> void", nogil=True)
    except (jitffi.Error, OSError, AttributeError):
        pytest.skip("the runtime's functions are not to be seen")
    address = one.handle
    retain(address)
    del one
    release(address)
    gc.collect()
    assert reference() is None and Node.ended == 1
