"""Python's own lists and dicts as arguments: what a script only reads is converted once, and when it has changed."""

import gc
import sys
import threading

import pytest

import jitffi
from jitffi import _core

ITEMS = 2000


def longest(words):
    n = 0
    for word in words:
        n = max(n, len(word))
    return n


def total(table):
    n = 0
    for key, value in table.items():
        n += value + len(key)
    return n


def found(table, key):
    return table.get(key, -1)


def given(items):
    return items


def kept_in(items):
    return [items, items]


def appended(items):
    items.append("x")
    return len(items)


def by_name(items):
    return appended(items) + len(items)


def called(items, f):
    f(items)
    return len(items)


def words():
    return [f"word {i}" for i in range(ITEMS)]


def table():
    return {word: i for i, word in enumerate(words())}


def made_objects(script, *args):
    """How many native objects a call leaves behind."""
    before = _core.live_objects()
    script(*args)
    return _core.live_objects() - before


LIST_CHANGES = {
    "set": lambda xs: xs.__setitem__(5, "x" * 50),
    "append": lambda xs: xs.append("y" * 60),
    "pop": lambda xs: xs.pop(0),
    "swap": lambda xs: xs.reverse(),
    "clear": lambda xs: xs.clear(),
    "slice": lambda xs: xs.__setitem__(slice(3, 900), ["z" * 70]),
}


@pytest.mark.parametrize("change", LIST_CHANGES.values(), ids=LIST_CHANGES)
def test_a_list_that_changes_is_converted_again(change):
    script, items = jitffi.script(longest, strict=True), words()
    for _ in range(3):
        assert script(items) == longest(items)
    change(items)
    for _ in range(3):
        assert script(items) == longest(items)


DICT_CHANGES = {
    "set": lambda d: d.__setitem__("word 7", 10**6),
    "new": lambda d: d.__setitem__("new", 10**6),
    "delete": lambda d: d.__delitem__("word 8"),
    "pop": lambda d: d.pop("word 9"),
    "popitem": lambda d: d.popitem(),
    "clear": lambda d: d.clear(),
    "update": lambda d: d.update({"a": 5, "word 1": -7}),
    "setdefault": lambda d: d.setdefault("other", 10**7),
    "or": lambda d: d.__ior__({"word 3": 12345}),
}


@pytest.mark.parametrize("change", DICT_CHANGES.values(), ids=DICT_CHANGES)
def test_a_dict_that_changes_is_converted_again(change):
    script, other, mine = jitffi.script(total, strict=True), jitffi.script(found, strict=True), table()
    for _ in range(3):
        assert script(mine) == total(mine) and other(mine, "word 7") == 7
    change(mine)
    for key in ("word 1", "word 7", "word 8", "word 9", "new", "other"):
        assert script(mine) == total(mine) and other(mine, key) == found(mine, key)


def test_a_list_in_the_place_of_another():
    script = jitffi.script(longest, strict=True)
    for i in range(50):
        items = ["x" * (i % 7 + 1)] * 30
        assert script(items) == i % 7 + 1
        del items


def test_a_dict_in_the_place_of_another():
    script = jitffi.script(total, strict=True)
    for i in range(50):
        mine = {str(j): i for j in range(30)}
        for _ in range(i % 4):
            assert script(mine) == total(mine)
        del mine


def test_what_comes_back_is_the_callers_own():
    for function in (given, kept_in):
        script, items = jitffi.script(function, strict=True), words()
        for _ in range(4):
            got = script(items)
            got = got if function is given else got[0]
            assert got == items
            got.append("more")
            assert len(items) == ITEMS


def test_what_is_changed_is_a_copy():
    for function, args in ((appended, ()), (by_name, ())):
        script, items = jitffi.script(function, strict=True), words()
        results = {script(items, *args) for _ in range(4)}
        assert len(results) == 1 and len(items) == ITEMS


def test_items_that_can_change_are_looked_at_again():
    rows = [[i] for i in range(40)]

    def summed(rows):
        return sum([row[0] for row in rows])

    script = jitffi.script(summed, strict=True)
    for _ in range(3):
        assert script(rows) == summed(rows)
    rows[3][0] = 1000
    assert script(rows) == summed(rows)

    inner = {str(i): (i, [i]) for i in range(40)}

    def inside(table):
        return [value[1][0] for value in table.values()]

    script = jitffi.script(inside, strict=True)
    for _ in range(3):
        assert script(inner) == inside(inner)
    inner["3"][1][0] = 77
    assert script(inner) == inside(inner)


def test_it_is_converted_once():
    script, items = jitffi.script(longest, strict=True), [f"{i}" * 60 for i in range(ITEMS)]  # each an object
    gc.collect()
    script(items)
    assert made_objects(script, items) >= ITEMS
    assert made_objects(script, items) == made_objects(script, items) == 0


def test_nothing_leaks():
    gc.collect()
    before = _core.live_objects()
    item = "an item of its own"
    for _ in range(3):
        script, items, mine = jitffi.script(longest, strict=True), [item] * 100, dict.fromkeys(words(), item)
        look = jitffi.script(found, strict=True)
        for _ in range(4):
            script(items)
            look(mine, "word 3")
        count = sys.getrefcount(item)
        del script, look, items, mine
        gc.collect()
    assert _core.live_objects() == before and count > 100
    assert sys.getrefcount(item) < 10


def test_one_list_for_two_parameters_and_scripts_within():
    def both(a, b):
        return len(a) + len(b)

    script, items = jitffi.script(both, strict=True), words()
    for _ in range(4):
        assert script(items, items) == 2 * ITEMS

    def outer(items, f):
        return f(items) + len(items)

    inner, script = jitffi.script(longest, strict=True), jitffi.script(outer, strict=True)
    for _ in range(4):
        assert script(items, inner) == longest(items) + ITEMS


def test_a_script_that_is_called_by_its_callable():
    def again(items, f):
        return f() + len(items)

    script, items = jitffi.script(again, strict=True), words()
    depth = []

    def f():
        depth.append(1)
        return script(items, f) if len(depth) % 4 else 0

    for _ in range(3):
        assert script(items, f) == 4 * ITEMS


def test_threads():
    script, items, wrong = jitffi.script(longest, strict=True), words(), []

    def run():
        for i in range(200):
            if script(items) != len("word 1999"):
                wrong.append(i)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
    free = jitffi.script(longest, nogil=True)
    assert {free(items) for _ in range(4)} == {len("word 1999")}


def test_inspect_types_says_what_is_converted():
    script = jitffi.script(found, strict=True)
    script({}, "a")
    assert "converted when it has changed: table, of Python's own; a jitffi.Map never is" in script.inspect_types()
    script = jitffi.script(called, strict=True)
    script([], len)
    assert "converted at each call: items, of Python's own; a jitffi.List never is" in script.inspect_types()
    script = jitffi.script(found, nogil=True)
    script({}, "a")
    assert "converted at each call: table" in script.inspect_types()
