"""Methods of containers, printing and errors of the library of scripts against CPython's."""

from __future__ import annotations

import ctypes
import operator
import random
import sys
from ctypes import c_int32, c_int64, c_void_p
from typing import Any

import pytest
from support.slot_containers import KEYS, VALUES, changed, compare, with_object
from support.slots import (
    NO_INDEX,
    Packed,
    Text,
    function,
    library,
    live_objects,
    needs_library,
    take_error,
    view,
)

from jitffi import _core

pytestmark = needs_library


@pytest.fixture(autouse=True)
def nothing_left() -> Any:
    before = live_objects()
    yield
    assert live_objects() == before


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
    # Back to what prints for the package, if scripts have been run here.
    _core.script_print(ctypes.cast(library.jf_set_print, c_void_p).value)
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
