"""Lists, tuples and dicts in scripts."""

# ruff: noqa

from __future__ import annotations

import pytest

from tests.scripts import alike
from tests.scripts.alike import cases

INDICES = [(0,), (1,), (2,), (-1,), (-3,), (3,), (-4,), (2**62,), (-(2**63),), (True,)]

# -- lists


@cases(*INDICES)
def item_of_ints(i):
    a = [10, 20000, 30]
    return a[i]


@cases(*INDICES)
def item_of_floats(i):
    a = [1.5, -0.0, 3.0]
    return a[i]


@cases(*INDICES)
def item_of_texts(i):
    a = ["a", "word" * 10, "é"]
    return a[i]


@cases(*INDICES)
def item_of_lists(i):
    a = [[1], [2, 3], []]
    return a[i]


@cases(*INDICES)
def item_of_anything(i):
    a = [None, "x", 2.5]
    return a[i]


@cases(*INDICES)
def set_ints(i):
    a = [1, 2, 3]
    a[i] = 100000
    a[i] = 5
    a[i] = 70000
    a[i] = -70000
    a[i] += 1
    return a


@cases(*INDICES)
def set_floats(i):
    a = [1.0, 2.0, 3.0]
    a[i] = 2.5
    a[i] *= 3
    return a


@cases(*INDICES)
def set_texts(i):
    a = ["a", "bb", "ccc"]
    a[i] = "long" * 20
    a[i] += "é"
    a[i] = a[i][3:6]
    a[i] = "é"
    return a


def small_and_large_ints():
    a = []
    for i in range(-300, 2000, 100):
        a.append(i)
    for i in range(len(a)):
        a[i] = a[i] * 1000
    for i in range(len(a)):
        a[i] = a[i] // 1000
    a[3] = 10**15
    a[3] = 2
    a[4] = -129
    a[5] = 1024
    a[4] = -128
    a[5] = 1023
    return a


def floats():
    a = [0.5]
    for i in range(20):
        a.append(a[i] * -3)
    return a


def over_another_kind():
    a = [1, 2]
    b = ["x", a]
    a[0] = 500000
    b[0] = 7
    b[1] = "y"
    b[0] = None
    b[0] = 1.5
    b[0] = 10**6
    b[0] = 3
    return [a, b]


def grid():
    g = [[0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            g[i][j] = i * j
    g[1][1] += 50000
    return g


def same_row_twice():
    row = [0] * 2
    g = [row, row]
    g[0][0] = 5
    row.append(7)
    return g


def two_names():
    a = [1]
    b = a
    b.append(2)
    a += [3]
    c = a + [4]
    a *= 2
    return [a, b, c, a is b, a is c]


def in_place_by_items():
    d = {"a": [1]}
    e = d["a"]
    d["a"] += [2]
    x = [[0], "s", 1]
    x[0] += "ab"
    x[1] += "t"
    x[2] += 5
    x[0] *= 2
    return [d, e, x]


def slices():
    a = [1, 2, 3, 4, 5]
    return [
        a[1:3],
        a[::-1],
        a[:2],
        a[-2:],
        a[::2],
        a[10:],
        a[3:1],
        a[-100:100],
        a[4:0:-2],
        a[:],
        (1, 2, 3)[1:],
        (1, 2)[::-1],
    ]


@cases((0, 2, 1), (-1, -4, -1), (None, None, 2), (-(2**63), 2**62, 1), (-(2**63), None, -1), (1, 2, 0), (None, 3, None))
def slices_by(i, j, k):
    a = [1, 2, 3, 4]
    t = ("a", "b", "c")
    return [a[i:j:k], t[i:j:k]]


def slice_assignments():
    a = [1, 2, 3, 4, 5]
    a[1:3] = [9, 9, 9]
    a[:0] = "xy"
    a[::2] = [0] * len(a[::2])
    a[3:] = ()
    a[len(a) :] = [7]
    return a


def slice_of_another_length():
    a = [1, 2, 3, 4]
    a[::2] = [1]


def deletions():
    a = [1, 2, 3, 4, 5, 6, 7]
    del a[0]
    del a[-1]
    del a[1:3]
    del a[::2]
    return a


@cases(*INDICES)
def delete_item(i):
    a = ["a", "b", "c"]
    del a[i]
    return a


def methods():
    a = [3, 1, 2]
    a.sort()
    a.reverse()
    a.extend([7, 8])
    a.insert(1, 99)
    a.insert(-1, 98)
    a.insert(100, 97)
    x = a.pop()
    y = a.pop(0)
    a.remove(99)
    b = a.copy()
    a.clear()
    return [a, b, x, y, b.index(7), b.count(8), b.index(7, 1), b.index(8, -3, 100)]


def methods_of_texts():
    a = ["b", "a" * 30, "é"]
    a.append("x" + a[0])
    a.insert(0, a[1][:2])
    a.sort()
    return [a, a.index("é"), a.count("b"), a.pop(), a.pop(-2), "é" in a, "b" in a]


def extend_by_anything():
    a = []
    a.extend("abc")
    a.extend([1])
    a.extend({"k": 1})
    a.extend("a b".split())
    a.extend((1.5, None))
    a.extend(b"xy")
    a += (5, 6)
    a += "z"
    a.extend(a)
    return a


def remove_what_is_not_there():
    a = [1]
    a.remove(5)


def pop_from_empty():
    a = [1]
    a.pop()
    a.pop()


def pop_beyond():
    a = [1]
    return a.pop(3)


def index_of_what_is_not_there():
    return [1].index(4)


def index_behind():
    return ["a", "b"].index("a", 1)


def operators():
    a = [1, 2]
    return [a + [3], a * 2, 2 * a, a * 0, a * -1, a * True, [] + [], ["a"] + [1], [a] * 2]


@cases((1,), ("a",), ((1,),), (None,))
def added_to_a_list(x):
    return [1] + x


@cases((1.5,), ("a",), (None,), ([1],))
def multiplied(x):
    return [1] * x


def comparisons():
    return [
        [1, 2] < [1, 3], [1] == [1.0], ["a"] < ["b"], [[1], [2]] == [[1], [2]], (1, 2) >= (1, 2), [1, "a"] == [1, "b"],
        [1, 2] != [1], [1] == (1,), [] == [], [1] < [], () < (1,), [1, 2] <= [1, 2], [True] == [1], [None] == [None],
    ]  # fmt: skip


def no_order():
    return [1] < (1,)


def no_order_of_items():
    return [1, "a"] < [1, 2]


@cases((1,), (2.0,), ("x",), (None,), ([1],), (True,), (b"x",))
def membership(x):
    return [x in [1, 2], x in (1, "x"), x not in [None, [1]], x in [], [x] == [x]]


def truth_and_length():
    return [
        bool([]),
        bool([0]),
        not (),
        not (1,),
        len([1, 2]),
        len(()),
        bool({}),
        bool({1: 2}),
        len({"a": 1}),
        1 if [] else 2,
    ]


def long_texts():
    out = []
    s = "word" * 10
    for _ in range(3):
        s = s + "é"
        out.append(s)
        out.append(s[:3])
        out.append(s[-1])
        out.append(s[2:9])
    return [out, out[0] == out[1], out.index(s), out.count("wor")]


def of_every_length():
    text = "abcdefghijklmnopqrstuvwxyz"
    return [text[:n] for n in range(27)] + [text[n:] for n in range(27)] + ["é" + text[:n] for n in range(27)]


def words_and_letters():
    out = []
    for w in "the quick brown fox jumps över lazy 中文字 dogs".split():
        out.append(w[0])
        out.append(w + "x" * 20)
        out.append(w.upper())
        out.append(w)
    return out


def nested_displays():
    return [[1, [2, [3, ()]]], {"a": {"b": [1]}}, (1, (2, "x" * 20)), [None, True, False, b"bytes", b"b" * 30]]


def item_of_itself():
    a = [1]
    a.append(a)
    a[1].append(3)
    return [len(a), a[1] is a, len(a[1][1])]


# -- tuples


def tuples():
    t = (1, "a", 2.5)
    a, b, c = t
    return [
        t[0],
        t[1],
        t[-1],
        a,
        b,
        c,
        t + (4,),
        t * 2,
        len(t),
        1 in t,
        t == (1, "a", 2.5),
        t < (2,),
        t.index("a"),
        t.count(1),
    ]


@cases(*INDICES)
def item_of_a_tuple(i):
    t = (1, "zwei", 3.0)
    return t[i]


def tuple_beyond():
    t = (1, 2)
    return t[5]


def tuples_as_keys():
    d = {}
    for i in range(3):
        for j in range(2):
            d[i, j] = i * j
    d[1, 1] += 5
    return [d, d[(2, 1)], (5, 5) in d]


def returned_pair():
    return 1, "x"


def star():
    a, *b = [1, 2, 3]
    *c, d = (1, 2, 3)
    e, *f, g = "abcd"
    *h, i = [7]
    return [a, b, c, d, e, f, g, h, i]


def star_of_too_few():
    a, b, *c = [1]
    return [a, b, c]


def swaps():
    a = [1, 2, 3]
    a[0], a[2] = a[2], a[0]
    x, y = 1, 2
    x, y = y, x
    (p, q), r = (a, "s"), x
    s = t = [0]
    s.append(1)
    return [a, x, y, p, q, r, t]


@cases(
    ([1, "a"],), ((5, 6),), ("xy",), ([1],), ([1, 2, 3],), (5,), ("é",), ({"k": 1, "l": 2},), (None,), (b"ab",), ([],)
)
def unpacked(x):
    a, b = x
    return [b, a]


def unpacked_in_order():
    a = [0, 0, 0]
    i = 0
    i, a[i] = 1, 9
    a[i], i = 8, 2
    a[i], a[i - 1] = a[0], 7
    return a


# -- dicts


def dicts():
    d = {"a": 1, "b": 2}
    d["c"] = 3
    d["a"] += 10
    d["b"] -= 5
    d["c"] *= 2
    return [d, d["a"], len(d), "a" in d, "z" not in d, list(d)]


@cases(("x",), ("a",), ("é",), ("a" * 50,), (1,), (None,), ((1, 2),), (1.5,), (b"a",))
def missing_key(k):
    d = {"a": 1}
    return d[k]


@cases((7,), (1,), (True,), (1.0,), (2**62,), (-5,))
def int_keys(k):
    d = {1: "x", 2**62: "large", -5: "negative"}
    return d[k]


@cases(([1],), ({},))
def unhashable(k):
    d = {"a": 1}
    d[k] = 2


@cases(("a b a c a b",), ("",), ("é b é longer-than-a-slot longer-than-a-slot",))
def counted_by_get(s):
    d = {}
    for w in s.split():
        d[w] = d.get(w, 0) + 1
    return d


@cases(("a b a c a b",), ("é b é",))
def counted_by_in(s):
    d = {}
    for w in s.split(" "):
        if w in d:
            d[w] += 1
        else:
            d[w] = 1
    return d


@cases(("banana",), ("日本日",))
def counted_characters(s):
    d = {}
    for c in s:
        d[c] = d.get(c, 0) + 1
    return [d, d.get("n"), d["a"] if "a" in d else None]


def counted_far():
    d = {"a": 1020, "b": -130}
    for _ in range(10):
        d["a"] += 1
        d["b"] += 1
    for _ in range(10):
        d["a"] = d.get("a", 5) + -1
        d["b"] -= 3
    return d


def counted_floats():
    d = {"a": 0.5}
    d["a"] += 1
    d["b"] = d.get("b", 0) + 1.5
    return d


@cases((5,), (0,))
def count_of_a_missing_key(n):
    d = {"a": 1}
    for _ in range(n):
        d["b"] += 1
    return d


def grouped():
    d = {}
    for i in range(6):
        k = i % 3
        if k not in d:
            d[k] = []
        d[k].append(i)
    e = {}
    for w in "a bb a ccc".split():
        e.setdefault(len(w), []).append(w)
    return [d, e]


def nested():
    d = {"a": {"x": 1}}
    d["a"]["y"] = 2
    d["a"]["x"] += 5
    return d


def methods_of_dicts():
    d = {"a": 1, "b": 2}
    return [
        d.get("a"), d.get("x"), d.get("x", 5), d.get("x", "s"), d.setdefault("q", 9), d.setdefault("a", 9), d.pop("a"),
        d.pop("zz", None), list(d.keys()), list(d.values()), list(d.items()), d.copy(), d.popitem(), d,
    ]  # fmt: skip


def updates():
    d = {"a": 1}
    d.update({"b": 2, "a": 3})
    d.update([("c", 4), ("d", 5)])
    d.update(zip("ef", [6, 7]))
    e = d.copy()
    d.clear()
    return [d, e]


def pop_of_a_missing_key():
    d = {"a": 1}
    return d.pop("b")


def popitem_of_nothing():
    d = {"a": 1}
    d.popitem()
    d.popitem()


def deletions_of_keys():
    d = {1: "a", 2: "b", 3: "c"}
    del d[2]
    d.pop(1)
    d[1] = "back"
    return [d, 2 in d, len(d)]


def delete_a_missing_key():
    d = {1: 2}
    del d[5]


def equal_dicts():
    return [
        {"a": 1} == {"a": 1},
        {"a": 1, "b": 2} == {"b": 2, "a": 1},
        {"a": 1} == {"a": 2},
        {} == {},
        {1: 2} != {1: 3},
        {1: 2} == [1],
    ]


def keys_that_are_equal():
    d = {1: "a", 1.0: "b", True: "c"}
    d["x"] = 1
    d["x"] = "y"
    return d


def dict_of_any_keys():
    d = {}
    for k in ["a", 1, None, 2.5, (1, "x"), b"z", "a" * 40, "é"]:
        d[k] = k
    return [d, d[None], d["é"], d[(1, "x")], d.get(b"z")]


def many_keys():
    d = {}
    for i in range(200):
        d[str(i)] = i
    for i in range(0, 200, 3):
        del d[str(i)]
    total = 0
    for k in d:
        total += d[k] + len(k)
    return [len(d), total, d["199"], d.get("3", -1)]


@pytest.mark.parametrize("function", alike.functions(globals()), ids=lambda f: f.__name__)
def test_container(function):
    alike.check(function)
