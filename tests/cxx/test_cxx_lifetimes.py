"""Objects, functions and arrays of C++ that Python holds, in circles through both, dropped in any order by threads."""

from __future__ import annotations

import gc
import random
import threading
from pathlib import Path

import pytest
from support.cxx import compiled
from support.leaks import live_objects

import jitffi


@pytest.fixture(scope="module")
def stress(tmp_path_factory):
    source = Path(__file__).parent / "programs" / "stress.cxx"
    made = compiled(source, tmp_path_factory.mktemp("stress") / "stress.so", "-shared", "-fPIC")
    return jitffi.load_module(str(made))


@pytest.fixture(scope="module")
def node_class(stress):
    @jitffi.register_object("stress.Node")
    class Node:
        pass

    return Node


def some(stress, Node, rng):
    """Something that holds other things, of a random kind."""
    node = Node()
    kind = rng.randrange(7)
    if kind == 0:
        return node.chain(rng.randrange(50))
    if kind == 1:
        node.ring()
        return node
    if kind == 2:
        node.callback = lambda value: value
        return node
    if kind == 3:
        node.items.append(stress.keep(node))  # a circle that only C++ knows, through what it captures
        node.items.clear()
        return stress.keep(node)
    if kind == 4:
        return stress.array(rng.randrange(100))
    if kind == 5:
        return stress.call(lambda value: [value, node], "a text that is too long for a slot")
    other = Node()
    node.next, other.next = other, node
    node.items.append([other, {"node": node}])
    return node


def collect():
    for _ in range(4):
        gc.collect()
        jitffi.collect_cycles()
    return live_objects()


def test_in_any_order_on_any_thread(stress, node_class):
    def work(seed):
        rng = random.Random(seed)
        held = []
        for _ in range(300):
            held.append(some(stress, node_class, rng))
            if len(held) > 20:
                held.pop(rng.randrange(len(held)))
            if rng.random() < 0.1:
                rng.shuffle(held)
                del held[rng.randrange(len(held)) :]

    def run():
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return collect()

    before = run()
    assert run() == before


def test_objects_keep_their_identity(stress, node_class):
    node = node_class()
    chain = node.chain(3)
    assert chain.next.next.next is node and stress.sum(chain) == 3
    kept = stress.keep(node)
    number = id(node)
    del node, chain
    gc.collect()
    assert id(kept()) == number


def test_python_gives_what_the_constructor_leaves(node_class):
    assert repr(node_class(value=3)) == "Node(value=3, name='', next=None, items=[], callback=None)"
    with pytest.raises(TypeError, match=r"stress\.Node\.value: expected i64, got str 'x'"):
        node_class("x")

    @jitffi.register_object("stress.Derived")
    class Derived(node_class):
        more: list[int]

    made = Derived(1, "a name", more=[2])
    assert made.chain(2).next.next is made and made.more == [2] and made.name == "a name"
    assert made.items is not Derived(more=[]).items
