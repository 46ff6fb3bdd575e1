"""References that Python objects keep for their native objects, and hand on: each is given up in the end."""

import copy
import gc
import pickle
import threading
import weakref

import pytest

import jitffi
from jitffi import _core
from jitffi.base import config


@jitffi.register_object("tests.references.Node", eq=False, attributes=True)
class Node:
    next: "Node | None" = None
    must: "jitffi.Object | None" = None
    any: object = None
    items: list = jitffi.field(default_factory=list)


class Derived(Node):
    pass


class Loud(Node):
    ended = []

    def __del__(self):
        Loud.ended.append(self.ref_count)


@pytest.fixture(autouse=True)
def nothing_is_left():
    gc.collect()
    jitffi.collect_cycles()
    before = _core.live_objects()
    yield
    Loud.ended.clear()
    gc.collect()
    gc.collect()
    assert jitffi.collect_cycles() == 0 and _core.live_objects() == before


def move_about(owner, *values, times=300):
    """Every value in every field and out again: each keeps as many references as it may, and hands some over."""
    for name in ("next", "must", "any"):
        for _ in range(times):
            for value in values:
                setattr(owner, name, value)
        setattr(owner, name, None)


@pytest.fixture(params=[Node, Derived])
def kind(request):
    return request.param


def test_the_count_is_of_those_that_others_have(kind):
    owner, one, other = kind(), kind(), kind()
    move_about(owner, one, other)
    assert (one.ref_count, other.ref_count, owner.ref_count) == (1, 1, 1)
    owner.next = owner.any = one
    holder = jitffi.List([one])
    assert one.ref_count == 4 and holder[0] is owner.next is owner.any is one
    owners = [kind(next=one) for _ in range(300)]
    assert one.ref_count == 304
    del owners, holder, owner
    assert one.ref_count == 1


def test_what_is_dropped_ends_at_once(kind):
    owner, one, other = kind(), kind(), kind()
    alive = [weakref.ref(each) for each in (owner, one, other)]
    move_about(owner, one, other)
    owner.next = one
    del one, other
    assert [each() is not None for each in alive] == [True, False, False]  # the one within the owner sleeps
    woken = owner.next
    assert woken.ref_count == 2 and alive[1]() is woken
    del woken
    del owner
    assert [each() for each in alive] == [None, None, None]


def test_it_sleeps_and_wakes_with_its_attributes():
    owner, one = Derived(), Derived()
    move_about(owner, one)
    one.more = [1]
    number = id(one)
    for _ in range(3):
        owner.next = one
        del one
        gc.collect()
        one = owner.next
        assert id(one) == number and one.more == [1] and one.ref_count == 2
        move_about(owner, one, Node())
        assert one.ref_count == 1


def one_itself(kind):
    one = kind()
    move_about(one, one)
    one.next = one
    return (one,)


def two_of_each_other(kind):
    one, other = kind(), kind()
    move_about(one, other, one)
    move_about(other, one, other)
    one.any, other.next = other, one
    return one, other


def through_a_list(kind):
    one, other = kind(), kind()
    move_about(one, other, one)
    one.items, other.must = [other, other], one
    return one, other


def through_python(kind):
    one, other = kind(), kind()
    move_about(one, other)
    one.next, other.keep = other, [one]
    return one, other


@pytest.mark.parametrize("make", [one_itself, two_of_each_other, through_a_list, through_python])
def test_cycles_are_found(make, kind):
    kept = make(kind)
    alive = [weakref.ref(each) for each in kept]
    gc.collect()
    gc.collect()
    assert all(each() is not None for each in alive)
    del kept
    gc.collect()
    jitffi.collect_cycles()
    gc.collect()
    assert [each() for each in alive] == [None] * len(alive)


def test_finalisers_see_them_and_may_save_and_set():
    owner, one, other = Node(), Loud(), Loud()
    move_about(owner, one, other)
    del one
    assert Loud.ended == [1]
    other.next = Node(next=other)  # a cycle
    del other
    gc.collect()
    jitffi.collect_cycles()
    gc.collect()
    assert len(Loud.ended) == 2
    saved = []

    class Saved(Node):
        def __del__(self):
            move_about(owner, self, Node(), times=3)
            saved.append(self)

    first = Saved()
    owner.next = first
    owner.next = None
    del first
    assert saved[0].ref_count == 1
    saved.clear()


def test_copies_have_none_of_their_own_and_leave_the_others():
    owner, one = Node(), Node(any=1)
    move_about(owner, one)
    owner.next = owner.any = one
    for made in (
        copy.copy(owner),
        copy.deepcopy(owner),
        pickle.loads(pickle.dumps(owner)),
        copy.replace(owner) if hasattr(copy, "replace") else jitffi.from_json(jitffi.to_json(owner)),
    ):
        assert made.next is made.any and made.next.any == 1 and made.ref_count == 1
        made.next = made.any = None
    assert one.ref_count == 3 and owner.ref_count == 1


def test_values_that_are_refused_cost_none():
    @jitffi.register_object("tests.references.Strict", eq=False)
    class Strict:
        one: Node

    strict, one = Strict(Node()), Node()
    for _ in range(3):
        strict.one = one
        for wrong in (strict, None, jitffi.List(), 1):
            with pytest.raises(TypeError):
                strict.one = wrong
        assert strict.one is one and one.ref_count == 2
        strict.one = Derived()
        assert type(strict.one) is Derived and one.ref_count == 1


def test_native_threads_retain_and_release_meanwhile():
    """A native thread counts without the interpreter's lock what Python sets and clears under it."""
    library = config.library_dir() / "libjitffi_runtime.so"
    if not library.exists():
        pytest.skip("no shared runtime beside this build")
    runtime = jitffi.load_library(library)
    retain = runtime.bind("jf_object_retain", "(ptr) -> void", nogil=True)
    release = runtime.bind("jf_object_release", "(ptr) -> void", nogil=True)
    shared, owners = [Derived(), Derived()], [Node() for _ in range(3)]
    address = shared[0].handle
    setting = threading.Event()

    def count():
        while not setting.is_set():
            retain(address)
            release(address)

    counting = threading.Thread(target=count)
    counting.start()
    threads = [threading.Thread(target=move_about, args=(owner, *shared)) for owner in owners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    setting.set()
    counting.join()
    assert [each.ref_count for each in shared] == [1, 1]
    alive = weakref.ref(shared[0])
    move_about(owners[0], shared[0])
    retain(address)
    del shared
    assert alive() is None  # it sleeps
    release(address)
    gc.collect()
