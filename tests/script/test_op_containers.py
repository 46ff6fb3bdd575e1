"""Containers, iteration, printing and errors of the library of scripts against CPython's."""

from __future__ import annotations

import ctypes
import operator
import random
import sys
from ctypes import c_int32, c_int64, c_void_p
from typing import Any

import pytest
from support.slots import (
    NO_INDEX,
    VIEW,
    Iteration,
    Packed,
    Text,
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

ITERABLES: list[Any] = [
    "",
    "abc",
    "aé日😀",
    b"",
    b"\x00ab",
    [],
    [3, 1, 2],
    ["b", "a", "é"],
    [1, "a"],
    [None, 1],
    (),
    (2, 1.5),
]
ITERABLES += [
    {},
    {"a": 1, "b": 2},
    [[1, 2], (3, 4), "ab"],
    [(1, 2), (1, 3)],
    [[1], [2, 3]],
    [1, [2]],
    [True, 0, 2.5, 2**63],
]
ITERABLES += [[{}, {}], [[2], [1]], ["x" * 50, "a" * 30], [(1, "a"), (1, 2)], [([], 1)], [0.1] * 10, [1e16, 1, -1e16]]
OTHERS: list[Any] = [None, 5, 1.5, True]
VALUES = ITERABLES + OTHERS


@pytest.fixture(autouse=True)
def nothing_left() -> Any:
    before = live_objects()
    yield
    assert live_objects() == before


def with_object(name: str, container: Any, *arguments: Any, out: str = "slot", seed: int = 0) -> tuple[Any, Any]:
    """The outcome of a function whose first argument is the object itself, and what the object holds then."""
    packed = Packed(container, random.Random(seed))
    result = native(name, c_void_p(packed.slot.word), *arguments, out=out, seed=seed)
    after = view(packed.slot)
    packed.release()
    return result, after


def changed(container: Any, change: Any) -> tuple[Any, Any]:
    """The same of Python's own."""
    copy = container.copy() if isinstance(container, (list, dict)) else container
    return outcome(lambda: change(copy)), copy


def compare(expected: tuple[Any, Any], actual: tuple[Any, Any], what: str) -> None:
    check(expected[0], actual[0], what)
    if actual[1] is not VIEW:
        check((expected[1], "", ""), (actual[1], "", ""), f"{what}, afterwards")


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


KEYS: list[Any] = [0, 1, -1, 5, "a", "é", "zz", None, 1.0, (1, "x"), [], {}, ([],), 2**63, True, b"a", -4]


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


def test_methods_of_dictionaries() -> None:
    for seed, map_ in enumerate([{}, {"a": 1}, {"a": 1, "é": "x" * 30, 1: [2], None: None}]):
        for name, compute, out in [
            ("jf_op_map_keys", lambda m: list(m.keys()), "object"),
            ("jf_op_map_values", lambda m: list(m.values()), "object"),
            ("jf_op_map_items", lambda m: list(m.items()), "object"),
            ("jf_op_map_copy", lambda m: m.copy(), "object"),
        ]:
            compare(changed(map_, compute), with_object(name, map_, c_int32(1), out=out, seed=seed), name)
        compare(changed(map_, lambda m: m.popitem()), with_object("jf_op_map_popitem", map_, out="object"), "popitem")
        for key in KEYS:
            compare(changed(map_, lambda m, k=key: m[k]), with_object("jf_op_map_item", map_, key), "item")
            compare(
                changed(map_, lambda m, k=key: m.get(k, "no")), with_object("jf_op_map_get", map_, key, "no"), "get"
            )
            compare(changed(map_, lambda m, k=key: m.pop(k, 0)), with_object("jf_op_map_pop", map_, key, 0), "pop")
            actual = with_object("jf_op_map_pop", map_, key, c_void_p(None))
            compare(changed(map_, lambda m, k=key: m.pop(k)), actual, f"pop {key!r}")
            actual = with_object("jf_op_map_setdefault", map_, key, "é", seed=seed)
            compare(changed(map_, lambda m, k=key: m.setdefault(k, "é")), actual, "setdefault")
            actual = with_object("jf_op_map_add_int", map_, key, c_int64(5), out="status")
            if type(map_.get(key) if not isinstance(key, (list, dict)) and key != ([],) else None) is int:
                assert actual[0][0] == 1 and actual[1] == {**map_, key: map_[key] + 5}
            else:
                assert actual[0][0] in (0, None) and actual[1] == map_
        for other in VALUES:
            actual = with_object("jf_op_map_update", map_, other, out="status")
            expected = changed(map_, lambda m, o=other: m.update(o) or 0)
            compare(expected, actual, f"update {other!r}")


def test_methods_of_lists() -> None:
    for items in [[], [1], [1, "é", 1.0, "x" * 40]]:
        for index in [0, 1, -1, -3, 7]:
            actual = with_object("jf_op_list_pop", items, c_int64(index))
            compare(changed(items, lambda i, k=index: i.pop(k)), actual, "pop")
        for value in [1, "é", None, {}]:
            actual = with_object("jf_op_list_remove", items, value, out="status")
            compare(changed(items, lambda i, v=value: i.remove(v) or 0), actual, "remove")
        for value in VALUES:
            actual = with_object("jf_op_extend", items, value, out="status")
            compare(changed(items, lambda i, v=value: i.extend(v) or 0), actual, f"extend {value!r}")
        compare(
            changed(items, lambda i: i.copy()), with_object("jf_op_list_copy", items, c_int32(3), out="object"), "copy"
        )


def test_sort_by_keys_is_stable() -> None:
    random_ = random.Random(7)
    for count in [0, 1, 2, 5, 40, 300]:
        for reverse in (False, True):
            keys = [random_.choice([1, 2, 3, 2.5]) for _ in range(count)]
            items = [f"item {i}" for i in range(count)]
            sort(
                items, keys, reverse, sorted(zip(keys, items, strict=True), key=operator.itemgetter(0), reverse=reverse)
            )
    with pytest.raises(Exception, match="'<' not supported between instances of 'str' and 'int'"):
        sort([1, 2], [1, "a"], False, [])
    with pytest.raises(Exception, match="'<' not supported between instances of 'dict' and 'dict'"):
        sort([1, 2], [{}, {}], False, [])


def sort(items: list[Any], keys: list[Any], reverse: bool, expected: list[Any]) -> None:
    packed, by = Packed(items), Packed(keys)
    try:
        if library.jf_op_sort_by(c_void_p(packed.slot.word), c_void_p(by.slot.word), int(reverse)) != 0:
            raise take_error()
        assert [view(by.slot), view(packed.slot)] == [[k for k, _ in expected], [i for _, i in expected]]
    finally:
        packed.release()
        by.release()


def test_print() -> None:
    written: list[bytes] = []
    hook = ctypes.CFUNCTYPE(c_int32, c_void_p, ctypes.c_size_t)(
        lambda data, size: written.append(ctypes.string_at(data, size)) or 0
    )
    library.jf_set_print(hook)
    values = [Packed(v) for v in (1, "é", [1, "x"], None, 2.5)]
    pointers = (c_void_p * 5)(*(ctypes.addressof(p.slot) for p in values))
    comma = ctypes.create_string_buffer(b", ")
    separator = Text(ctypes.addressof(comma), 2, 0)
    assert library.jf_op_print(pointers, 5, None, None) == 0
    assert library.jf_op_print(pointers, 2, ctypes.byref(separator), ctypes.byref(separator)) == 0
    assert library.jf_op_print(pointers, 0, None, None) == 0
    lone = Packed("a\ud800")
    assert library.jf_op_print((c_void_p * 1)(ctypes.addressof(lone.slot)), 1, None, None) == -1
    library.jf_set_print(None)
    assert take_error().kind == "UnicodeEncodeError"
    assert b"".join(written).decode() == "1 é [1, 'x'] None 2.5\n1, é, \n"
    for p in [*values, lone]:
        p.release()


def test_errors() -> None:
    raise_ = function("jf_script_raise", ctypes.c_char_p, c_void_p)
    for kind, message, text in [("ValueError", "é", "é"), ("KeyError", "k", "'k'"), ("TypeError", [1], "[1]")]:
        packed = Packed(message, form=2)
        assert raise_(kind.encode(), ctypes.byref(packed.slot)) == -1
        packed.release()
        trace = function("jf_script_trace", ctypes.c_char_p, ctypes.c_char_p, c_int32, result=None)
        trace(b"a.py", b"inner", 3)
        trace(b"b.py", b"outer", 40)
        error = take_error()
        assert (error.kind, error.message) == (kind, text)
        assert error.traceback == '  File "a.py", line 3, in inner\n  File "b.py", line 40, in outer\n'
    assert raise_(b"ValueError", None) == -1
    assert take_error().args[:2] == ("ValueError", "")
    assert function("jf_script_unbound", ctypes.c_char_p)(b"x") == -1
    with pytest.raises(UnboundLocalError) as unbound:
        exec("def f():\n  x\n  x = 1\nf()", {})
    assert take_error().args[:2] == ("UnboundLocalError", str(unbound.value))
    packed = Packed({})
    assert function("jf_script_no_method", c_void_p, ctypes.c_char_p)(ctypes.byref(packed.slot), b"foo") == -1
    assert take_error().args[:2] == ("AttributeError", "'dict' object has no attribute 'foo'")
    packed.release()
    assert function("jf_op_chr", c_int64, c_void_p)(0x110000, ctypes.byref(c_int32())) == -1
    assert take_error().args[:2] == ("ValueError", "chr() arg not in range(0x110000)")
    assert -sys.maxsize > NO_INDEX
