"""Containers, and iteration, of the library of scripts against CPython's."""

from __future__ import annotations

import ctypes
import operator
import random
from ctypes import c_int32, c_void_p
from typing import Any

import pytest
from support.slot_containers import KEYS, VALUES, changed, compare
from support.slots import (
    Iteration,
    Packed,
    check,
    function,
    library,
    live_objects,
    native,
    needs_library,
    out_slot,
    outcome,
    take_error,
    unpack,
    view,
)

pytestmark = needs_library


@pytest.fixture(autouse=True)
def nothing_left() -> Any:
    before = live_objects()
    yield
    assert live_objects() == before


def test_new_containers() -> None:
    for seed, value in enumerate(VALUES * 3):
        check(
            outcome(lambda v=value: list(v)),
            native("jf_op_list", value, c_int32(1), out="object", seed=seed),
            f"list {value!r}",
        )
        check(
            outcome(lambda v=value: tuple(v)), native("jf_op_tuple", value, out="object", seed=seed), f"tuple {value!r}"
        )
        check(
            outcome(lambda v=value: dict(v)),
            native("jf_op_dict", value, c_int32(1), out="object", seed=seed),
            f"dict {value!r}",
        )
        for reverse in (False, True):
            expected = outcome(lambda v=value, r=reverse: sorted(v, reverse=r))
            actual = native("jf_op_sorted", value, c_int32(reverse), c_int32(2), out="object", seed=seed)
            check(expected, actual, f"sorted {value!r}")


def test_one_of_many() -> None:
    for seed, value in enumerate(VALUES * 3):
        for start in [0, 1.5, "", b"", [], (), None]:
            check(
                outcome(lambda v=value, s=start: sum(v, s)),
                native("jf_op_sum", value, start, seed=seed),
                f"sum {value!r} {start!r}",
            )
        for is_max, compute in enumerate((min, max)):
            with_message = outcome(lambda v=value, f=compute: f(v))
            check(with_message, native("jf_op_extreme", value, c_int32(is_max), seed=seed), f"{compute} {value!r}")
        for is_all, compute in enumerate((any, all)):
            expected = outcome(lambda v=value, f=compute: int(f(v)))
            check(
                expected, native("jf_op_every", value, c_int32(is_all), out="status", seed=seed), f"{compute} {value!r}"
            )


def test_iteration() -> None:
    begin = function("jf_iterate", c_void_p, c_void_p, c_int32)
    step = function("jf_iterate_next", c_void_p, c_void_p)
    pair = function("jf_iterate_pair", c_void_p, c_void_p, c_void_p)
    ways = [list, lambda v: list(v.values()), lambda v: list(v.items()), lambda v: list(reversed(v))]
    for seed, value in enumerate(VALUES):
        for what, compute in enumerate(ways):
            packed, it, found = Packed(value, random.Random(seed)), Iteration(), []
            expected = outcome(lambda v=value, f=compute: f(v))
            if begin(ctypes.byref(it), ctypes.byref(packed.slot), what) != 0:
                error = take_error()
                assert (error.kind, error.message) == expected[1:]
                packed.release()
                continue
            packed.release()  # the iteration holds it
            while True:
                key, item = out_slot(), out_slot()
                if what == 2 and seed % 2:
                    if pair(ctypes.byref(it), ctypes.byref(key), ctypes.byref(item)) != 1:
                        break
                    found.append((unpack(key), unpack(item)))
                else:
                    if step(ctypes.byref(it), ctypes.byref(item)) != 1:
                        break
                    found.append(unpack(item))
            function("jf_iterate_end", c_void_p, result=None)(ctypes.byref(it))
            assert found == expected[0]


def test_iteration_sees_changes() -> None:
    begin = function("jf_iterate", c_void_p, c_void_p, c_int32)
    step = function("jf_iterate_next", c_void_p, c_void_p)
    packed, it, item, more = Packed([1, 2]), Iteration(), out_slot(), Packed(7)
    assert begin(ctypes.byref(it), ctypes.byref(packed.slot), 0) == 0
    found = []
    while step(ctypes.byref(it), ctypes.byref(item)) == 1:
        found.append(unpack(item))
        item = out_slot()
        if len(found) < 5:
            append = function("jf_list_append", c_void_p, c_void_p)
            assert append(packed.slot.word, ctypes.byref(more.slot)) == 0
    assert found == [1, 2, 7, 7, 7, 7]
    packed.release()

    packed, it, item = Packed({1: 1, 2: 2}), Iteration(), out_slot()
    assert begin(ctypes.byref(it), ctypes.byref(packed.slot), 0) == 0
    assert step(ctypes.byref(it), ctypes.byref(item)) == 1
    put = function("jf_op_map_set", c_void_p, c_void_p, c_void_p)
    assert put(packed.slot.word, ctypes.byref(more.slot), ctypes.byref(more.slot)) == 0
    assert step(ctypes.byref(it), ctypes.byref(item)) == -1
    assert take_error().args == ("RuntimeError", "dictionary changed size during iteration")
    function("jf_iterate_end", c_void_p, result=None)(ctypes.byref(it))
    packed.release()


def test_items_set_and_deleted() -> None:
    containers = [[1, 2, 3], ["a"], {}, {"a": 1, 1: 2, "é": 3}, (1,), "abc", b"abc", 5, None]
    for seed, container in enumerate(containers):
        for key in KEYS:
            for item in [7, "longer than a slot can hold", None, [1]]:
                what = f"{container!r}[{key!r}] = {item!r}"
                packed, with_key, with_item = (
                    Packed(v, random.Random(seed + k)) for k, v in enumerate((container, key, item))
                )
                status = library.jf_op_set_item(*(ctypes.byref(p.slot) for p in (packed, with_key, with_item)))
                actual = (None, "", "") if status == 0 else (None, *take_error().args[:2])
                expected = changed(container, lambda c, k=key, i=item: operator.setitem(c, k, i))
                compare(expected, (actual, view(packed.slot)), what)
                for p in (packed, with_key, with_item):
                    p.release()
            packed, with_key = Packed(container, random.Random(seed)), Packed(key, random.Random(seed))
            status = library.jf_op_delete_item(ctypes.byref(packed.slot), ctypes.byref(with_key.slot))
            actual = (None, "", "") if status == 0 else (None, *take_error().args[:2])
            expected = changed(container, lambda c, k=key: operator.delitem(c, k))
            compare(expected, (actual, view(packed.slot)), f"del {container!r}[{key!r}]")
            packed.release()
            with_key.release()


def test_slices_set_and_deleted() -> None:
    random_ = random.Random(6)
    bounds = [None, 0, 1, 2, -1, -2, 5, -9, 2**63, "a"]
    for i in range(3000):
        container = random_.choice([[1, 2, 3, 4, 5], [], ["a", "b"], (1, 2), "abc", 5, None, b"ab"])
        start, stop = random_.choice(bounds), random_.choice(bounds)
        step, items = random_.choice([None, None, 1, 2, -1, 0, "a"]), random_.choice(VALUES)
        where = slice(start, stop, step)
        packed = [Packed(v, random.Random(i)) for v in (container, start, stop, step, items)]
        status = library.jf_op_set_slice(*(ctypes.byref(p.slot) for p in packed))
        actual = (None, "", "") if status == 0 else (None, *take_error().args[:2])
        expected = changed(container, lambda c, w=where, v=items: operator.setitem(c, w, v))
        compare(expected, (actual, view(packed[0].slot)), f"{container!r}[{where}] = {items!r}")
        status = library.jf_op_delete_slice(*(ctypes.byref(p.slot) for p in packed[:4]))
        before = expected[1]
        actual = (None, "", "") if status == 0 else (None, *take_error().args[:2])
        compare(
            changed(before, lambda c, w=where: operator.delitem(c, w)), (actual, view(packed[0].slot)), f"del {where}"
        )
        for p in packed:
            p.release()


INPLACE = {
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "**": operator.ipow,
    "|": operator.ior,
    "<<": operator.ilshift,
}
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"]


def test_in_place() -> None:
    values: list[Any] = [
        0,
        3,
        -2,
        2.5,
        "ab",
        "é",
        "x" * 20,
        b"q",
        [1],
        [],
        (1,),
        {"a": 1},
        {},
        None,
        True,
        [("k", 1)],
        2**63,
    ]
    for op, compute in INPLACE.items():
        for seed, a in enumerate(values):
            for b in values:
                target, packed = Packed(a, form=0), Packed(b, random.Random(seed))
                target.slot = owned(target)
                status = library.jf_op_inplace(
                    OPERATORS.index(op), ctypes.byref(target.slot), ctypes.byref(packed.slot)
                )
                packed.release()
                if isinstance(a, int) and isinstance(b, int) and b > 2**40 and op in ("**", "<<"):
                    assert status == 0 or take_error().kind == "OverflowError"
                    continue  # CPython would take for ever
                kept = a.copy() if isinstance(a, (list, dict)) else a
                expected = outcome(lambda k=kept, b=b, f=compute: f(k, b))
                if status != 0:
                    check(expected, (None, *take_error().args[:2]), f"{a!r} {op}= {b!r}")
                else:
                    check(expected, (view(target.slot), "", ""), f"{a!r} {op}= {b!r}")
                unpack(target.slot)


def owned(packed: Packed) -> Any:
    """A slot of its own of what was packed."""
    slot = out_slot(8)
    assert function("jf_any_retain", c_void_p, c_void_p)(ctypes.byref(packed.slot), ctypes.byref(slot)) == 0
    if slot.code == -1:
        slot.length = 0
    packed.release()
    return slot
