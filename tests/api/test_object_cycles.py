"""Cycles in which native containers hold an object and Python objects hold it, too: all found, and nothing else."""

import gc
import threading
import weakref

import pytest

import jitffi
from jitffi import _core


@jitffi.register_object("tests.cycles.Node", eq=False, attributes=True)
class Node:
    next: "Node | None" = None
    items: list = jitffi.field(default_factory=list)
    any: object = None


@jitffi.register_object("tests.cycles.Bare", eq=False, attributes=True)
class Bare:
    value: int = 0


class Slotted(Node):
    __slots__ = ("held",)


class Plain:
    pass


@pytest.fixture(autouse=True)
def nothing_is_left(request):
    if "frozen" in request.node.name:
        gc.unfreeze()  # what is garbage since it was frozen goes before it is counted
        gc.collect()
    gc.collect()
    gc.collect()
    jitffi.collect_cycles()
    before = _core.live_objects()
    yield
    gc.collect()
    gc.collect()
    assert jitffi.collect_cycles() == 0 and _core.live_objects() == before
    if "frozen" in request.node.name:
        gc.freeze()  # as it was: all of this process is not searched by each collection of the tests behind it


def by_attribute_and_list():
    a, b = Node(), Node()
    b.keep, a.items = a, [b]
    b.items = [a, a]
    return a, b


def by_attribute_and_field():
    a, b = Node(), Node()
    b.keep, b.next, a.next = a, a, b
    return a, b


def by_plain_objects():
    a, plain = Node(), Plain()
    plain.node = a
    a.any = jitffi.List([a, plain])
    a.items = [a.any]
    return a, plain


def asleep_and_shared():
    a, holder = Node(), Plain()
    b = Bare()
    b.back = holder
    a.items = [b, b]
    holder.a = a
    return a, b, holder


def slots():
    a, b = Slotted(), Slotted()
    a.held, b.held = b, a
    a.items, b.items = [b], [a]
    return a, b


def shared_containers():
    inner, a, plain = jitffi.List(), Node(), Plain()
    inner.append(plain)
    plain.a, plain.inner = a, inner
    a.items, a.any = [inner, inner], inner
    return a, plain


def maps_and_tuples():
    a, plain = Node(), Plain()
    shared = jitffi.Tuple([a, plain])
    a.any = jitffi.Map({"x": shared, "y": [shared]})
    plain.all = [a, shared]
    return a, plain


def as_they_are_made():
    """Fields that the constructor has set."""
    a = Node()
    b = Node(next=a, items=[a])
    a.keep, b.keep = b, a
    return a, b


EVERY = [
    as_they_are_made, by_attribute_and_list, by_attribute_and_field, by_plain_objects, asleep_and_shared, slots,
    shared_containers, maps_and_tuples,
]  # fmt: skip


@pytest.mark.parametrize("make", EVERY)
def test_garbage_is_found(make):
    references = [weakref.ref(each) for each in make()]
    gc.collect()
    gc.collect()
    assert [each() for each in references] == [None] * len(references)


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("keep", ["list", "python", "map"])
def test_what_anybody_has_stays(make, keep):
    """One of them in a native container that is no part of the cycle keeps all that it leads to."""
    for which in range(2):
        made = make()
        kept = {"list": lambda x: jitffi.List([x]), "python": lambda x: x, "map": lambda x: jitffi.Map(x=[x, x])}
        held = kept[keep](made[which])
        before = {name: repr(value) for name, value in vars(made[0]).items()} if hasattr(made[0], "__dict__") else {}
        references = [weakref.ref(each) for each in made]
        first = made[0]
        del made
        gc.collect()
        if hasattr(first, "__dict__"):
            assert {name: repr(value) for name, value in vars(first).items()} == before
        del first
        for _ in range(3):
            gc.collect()
        node = held[0] if keep == "list" else held["x"][1] if keep == "map" else held
        assert node is references[which]()
        if isinstance(node, Node):
            assert node.items is None or isinstance(node.items, jitffi.List)
        del node, held
        gc.collect()
        gc.collect()
        assert [each() for each in references] == [None] * len(references)


def test_finalisers_may_save_what_is_garbage():
    saved = jitffi.List()

    class Saving(Node):
        def __del__(self):
            saved.append(self)

    a, b = Saving(), Node()
    b.keep, a.items, b.items = a, [b], [a]
    a.name = "a"
    del a, b
    gc.collect()
    assert saved[0].name == "a" and saved[0].items[0].keep is saved[0] and saved[0].items[0].items[0] is saved[0]
    reference = weakref.ref(saved[0])
    saved.clear()
    gc.collect()
    gc.collect()
    assert reference() is None


def test_finalisers_may_change_what_is_garbage():
    seen = []

    class Changing(Node):
        def __del__(self):
            self.items.clear()
            self.items.append(self)
            seen.append(gc.get_referents(self.items, self))
            jitffi.collect_cycles()
            gc.collect()

    a, b = Changing(), Changing()
    b.keep, a.keep, a.items, b.items = a, b, [b, a], [a, b]
    references = [weakref.ref(a), weakref.ref(b)]
    del a, b
    for _ in range(3):
        gc.collect()
        seen.clear()
    assert [each() for each in references] == [None, None]


def test_weak_references_that_revive():
    a, b = by_attribute_and_list()
    found = []
    reference = weakref.ref(a, lambda it: found.append(it()))
    del a, b
    gc.collect()
    assert found == [None] and reference() is None


def test_other_callbacks_of_the_collector_may_do_anything():
    a, b = by_attribute_and_list()
    extra, reference = jitffi.List(), weakref.ref(a)

    def meddle(phase, info):
        if phase == "start" and reference() is not None:
            extra.append(reference())

    del a, b
    gc.callbacks.append(meddle)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(meddle)
    assert extra[0] is reference() and extra[0].items[0].keep is extra[0]
    extra.clear()
    gc.collect()
    assert reference() is None


def test_what_the_collector_calls_may_be_called_by_anybody():
    ours = next(each for each in gc.callbacks if getattr(each, "__name__", "") == "after_collection")
    a, b = by_attribute_and_list()
    reference = weakref.ref(a)
    for _ in range(3):
        ours("start", {"generation": 2})
    a.items.append(a)
    gc.collect(0)
    ours("stop", {})
    ours("start", {"generation": 2})
    del a, b
    gc.collect()
    gc.collect()
    assert reference() is None
    for wrong in (("start",), (1, {}), ("start", []), ("stop", {"generation": "x"})):
        if len(wrong) == 2 and isinstance(wrong[0], str) and isinstance(wrong[1], dict):
            ours(*wrong)
            continue
        with pytest.raises(TypeError):
            ours(*wrong)


def test_frozen_ones_are_left_alone():
    made = by_attribute_and_list()
    references = [weakref.ref(each) for each in made]
    gc.freeze()
    del made
    gc.collect()
    gc.unfreeze()
    gc.collect()
    gc.collect()
    assert [each() for each in references] == [None, None]


def test_while_threads_collect_and_drop():
    failures = []

    def work():
        try:
            for _ in range(30):
                for make in EVERY:
                    make()
                gc.collect()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
