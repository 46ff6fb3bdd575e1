"""Objects, arrays, modules, callbacks and errors that hold each other, dropped in random order by several threads."""

import gc
import os
import random
import threading
import weakref

import pytest

import jitffi
from jitffi import _core


@jitffi.register_object("tests.stress.Node", eq=False, attributes=True)
class Node:
    name: str = "a name that no slot has room for"
    next: "Node | None" = None
    items: list = jitffi.field(default_factory=list)
    table: dict = jitffi.field(default_factory=dict)
    any: object = None


@jitffi.register_object("tests.stress.Checked", eq=False)
class Checked(Node):
    size: int = 0

    def __post_init__(self):
        self.items.append(self)
        if self.size < 0:
            raise ValueError("a negative size")


class Slotted(Node):
    __slots__ = ("held",)


class Loud(Node):
    """Its finaliser gives it to somebody, now and then."""

    saved = jitffi.List()

    def __del__(self):
        if len(Loud.saved) < 5:
            Loud.saved.append(self)


call = jitffi.function("(func, any) -> any")(lambda function, value: function(value))


def raises(value):
    raise KeyError(value)


def failed(value):
    try:
        call(raises, value)
    except KeyError as error:
        return jitffi.Error.of(error)
    return None


def module(value):
    made = jitffi.Map({"call": lambda: value, "value": value})
    return [made, jitffi.convert(lambda: made)]


def rejected(value):
    with pytest.raises(ValueError, match="a negative size"):
        Checked(next=value, size=-1)
    return value


def mixed(value):
    other = Slotted(next=value, items=[value, value], any=lambda: value)
    other.held = value
    value.keep, value.any = other, other
    return other


def ring(value):
    last = value
    for _ in range(5):
        last = Node(next=last, table={"all": [last, value]})
    value.next, value.more = last, [last]
    return last


def array(value):
    value.any = [jitffi.NDArray.zeros(100, "float64"), value]
    return jitffi.List([jitffi.NDArray.zeros((3, 4), "int8"), value])


KINDS = [
    lambda value: value, failed, module, rejected, mixed, ring, array, lambda value: Loud(items=[value], any=value),
    lambda value: call(lambda each: [each, (each, {"x": each})], value), lambda value: Checked(size=1, any=value),
    lambda value: weakref.ref(value, lambda it: None),
]  # fmt: skip


def work(seed, rounds=250):
    rng = random.Random(seed)
    held = []
    for _ in range(rounds):
        held.append(rng.choice(KINDS)(rng.choice((Node, Slotted, Checked, Loud))()))
        if len(held) > 15:
            del held[rng.randrange(len(held))]
        if rng.random() < 0.05:
            rng.shuffle(held)
            del held[rng.randrange(len(held)) :]
        if rng.random() < 0.02:
            gc.collect(rng.randrange(3))


def in_threads(seeds):
    failures = []

    def run(seed):
        try:
            work(seed)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in seeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def settled():
    """What there is when all garbage is gone: a finaliser may run, and save its object, in any of the collections."""
    found = []
    while len(found) < 20 and (len(found) < 4 or found[-1] != found[-2]):
        Loud.saved.clear()
        gc.collect()
        found.append(jitffi.collect_cycles() * 1_000_000 + _core.live_objects())
    return found[-1]


def test_nothing_stays():
    in_threads([100])
    before = settled()
    in_threads(range(4))
    assert settled() == before


def test_threads_end_with_the_last_reference():
    local = threading.local()
    ended = []

    def run():
        local.node = Node(any=local)
        local.node.me = local.node
        local.list = jitffi.List([local.node])
        weakref.finalize(local.node, ended.append, 1)
        local.node = None

    for _ in range(5):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    gc.collect()
    gc.collect()
    assert len(ended) == 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_objects_that_sleep_are_there_after_a_fork():
    one = Slotted()
    one.more, one.held = 1, [2]
    holder = jitffi.List([one])
    del one
    child = os.fork()
    if child == 0:
        good = 1
        try:
            again = holder[0]
            again.any = again
            good = again.more == 1 and again.held == [2] and type(again) is Slotted
            del again
            holder.clear()
            gc.collect()
        finally:
            os._exit(0 if good is True else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert holder[0].more == 1
