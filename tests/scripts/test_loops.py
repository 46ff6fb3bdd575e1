"""`for`, comprehensions, and builtins that go through something."""

# ruff: noqa

from __future__ import annotations

import sys

import pytest

from tests.scripts import alike
from tests.scripts.alike import cases

LEAST, MOST = -(2**63), 2**63 - 1

# -- range


@cases(
    (1, 5, 1), (5, 1, -1), (0, 10, 3), (10, 0, -3), (0, 0, 1), (1, 5, 0), (LEAST, LEAST + 3, 1), (MOST - 3, MOST, 2),
    (MOST - 1, MOST, 1), (LEAST + 2, LEAST, -1), (LEAST, MOST, 2**62), (MOST, LEAST, -(2**62)), (LEAST, MOST, MOST),
    (MOST, LEAST, LEAST), (0, 5, LEAST), (3, 9, 2), (9, 3, -2), (True, 4, True), ("a", 2, 3), (1, 2.5, 1), (None, 1, 1),
)  # fmt: skip
def ranges(a, b, c):
    out = []
    for i in range(a, b, c):
        out.append(i)
    return out


@cases(
    (0, 10, 3), (10, 0, -3), (0, 0, 1), (LEAST, MOST, 2**62), (MOST, LEAST, -(2**62)), (5, 1, 1), (MOST - 2, MOST, 1)
)
def ranges_reversed(a, b, c):
    out = []
    for i in reversed(range(a, b, c)):
        out.append(i)
    return [
        out,
        list(range(a, b, c)),
        len(list(range(a, b, c))),
        [i for i in reversed(range(a))][:2] if 0 < a < 9 else 0,
    ]


@cases((5,), (0,), (-1,))
def range_of_one(n):
    return [
        list(range(n)),
        list(range(1, n)),
        list(range(n, 0, -1)),
        sum(range(n)),
        tuple(range(n)),
        [i for i in reversed(range(n))],
    ]


def assigned_in_the_body():
    out = []
    for i in range(5):
        out.append(i)
        i = 100
    out.append(i)
    return out


def left_behind():
    for i in range(3):
        for c in "ab":
            pass
    return [i, c]


def end_changes():
    n = 3
    out = []
    for i in range(n):
        n = 100
        out.append(i)
    return out


# -- text


@cases(("abc",), ("",), ("héé",), ("中文字",), ("🎉a",))
def characters(s):
    out = []
    for c in s:
        out.append(c)
    return [out, [c for c in reversed(s)], [(i, c) for i, c in enumerate(s)], max(s) if s else 0, [ord(c) for c in s]]


@cases((b"abc",), (b"",), (b"\xff\x00",))
def numbers(s):
    out = []
    for c in s:
        out.append(c)
    return [out, [c for c in reversed(s)], sum(s), max(s) if s else 0, list(s)]


def text_changes():
    s = "abc"
    out = []
    for c in s:
        s = s + c
        out.append(s)
    return out


def text_changes_in_a_slot():
    s = "ab" + str(5)
    for c in s:
        s += c * 20
    return s


@cases(
    ("a,b,,c", ","), ("", ","), ("abc", ""), ("a b  c", " "), ("é-é", "-"), ("aéb", "é"), ("x", None), (" x  y ", None)
)
def pieces(s, sep):
    out = []
    for p in s.split(sep):
        out.append(p)
    return [out, [len(p) for p in s.split(sep)], list(s.split(sep)), s.split(sep)]


@cases(
    ("the quick brown fox jumps over extraordinarily lazy dogs",),
    ("",),
    ("  ",),
    ("你好 世界 abc",),
    (" \u2003a\u00a0b\n",),
)
def words(s):
    out = []
    last = "none"
    for w in s.split():
        last = w
        out.append(w)
    s = "gone"
    longest = ""
    for w in out:
        if len(w) > len(longest):
            longest = w
    return [
        out,
        last,
        longest,
        [w.upper() for w in (s + " " + longest).lower().split()],
        max(longest.split(), default="x"),
    ]


@cases(("a\nb\r\nc",), ("",))
def lines(s):
    out = []
    for line in s.splitlines():
        out.append(line + "|")
    for line in s.splitlines(True):
        out.append(line)
    for head in s.partition("\n"):
        out.append(head)
    return out


@cases((b"a,b,,c", b","), (b"", b","), (b" x  y ", None), (b"a", b""), (b"\xff x\x85y", None), (b"abcbc", b"bc"))
def pieces_of_bytes(s, sep):
    out = []
    for p in s.split(sep):
        out.append(p)
    for p in s.split():
        out.append(p + b"!")
    return [out, [len(p) for p in s.split(sep)]]


# -- lists


def list_grows():
    a = [1, 2, 3]
    for x in a:
        if len(a) < 10:
            a.append(x * 2)
    return a


def list_shrinks():
    a = list(range(10))
    out = []
    for x in a:
        out.append(x)
        if len(a) > 3:
            a.pop()
            del a[0]
    b = ["a", "b", "c"]
    for s in b:
        b.clear()
        out.append(s)
    return [a, out, b]


def list_shrinks_from_behind():
    a = ["a" * 20, "b" * 20, "c" * 20, "d"]
    out = []
    for x in reversed(a):
        out.append(x)
        a.pop()
        a.pop()
    return [out, a]


def list_is_replaced():
    a = [1, 2, 3]
    out = []
    for x in a:
        a = [x]
        out.append(a)
    return out


def items_are_replaced():
    a = ["one", "two" * 10, "three"]
    for s in a:
        a[0] = "changed"
        a[1] = "too"
        a[2] = s
    return a


def item_is_released():
    a = [["x" * 30], ["y"]]
    out = []
    for row in a:
        a.clear()
        row.append("z")
        out.append(row)
    return out


def nested_rows():
    m = [[1, 2], [3], []]
    return [
        [x for row in m for x in row],
        [[x * 2 for x in row] for row in m],
        [len(row) for row in m if row],
        [row for row in m for row in row],
    ]


def pairs():
    out = []
    for i, (a, b) in enumerate([(1, "x"), (2, "y" * 20)]):
        out.append(str(i) + str(a) + b)
    for a, b in [(1, 2), (3, 4)]:
        out.append(a + b)
    for a, *b in [(1, 2, 3), (4,)]:
        out.append(b)
    for [a, b] in [[1, "l"], (2, "t"), "st"]:
        out.append(b)
    return out


def pairs_of_another_size():
    out = []
    for a, b in [(1, 2), (3, 4, 5)]:
        out.append(a)
    return out


def three_of_two():
    for a, b, c in [(1, 2)]:
        pass


def into_items():
    a = [0, 0]
    d = {}
    for a[0] in range(3):
        a[1] += a[0]
    for d["k"] in "xy":
        pass
    for i, a[i] in enumerate([7, 8]):
        pass
    return [a, d]


# -- dicts


def dict_parts():
    d = {"a": 1, "b": 2, "long key of a dict": 3}
    out = []
    for k in d:
        out.append(k)
    for k, v in d.items():
        out.append(k * v)
    for v in d.values():
        out.append(v)
    for k in d.keys():
        out.append(k)
    for pair in d.items():
        out.append(pair)
    return [
        out,
        [k for k in reversed(d)],
        max(d.values()),
        sorted(d.items()),
        list(d.items()),
        {v: k for k, v in d.items()},
    ]


def dict_with_holes():
    d = {i: i for i in range(20)}
    for i in range(0, 20, 3):
        del d[i]
    d[0] = 100
    out = []
    for k, v in d.items():
        out.append((k, v))
    return [out, list(d), sum(d.values())]


def dict_grows():
    d = {1: 2}
    for k in d:
        d[k + 1] = 0
    return d


def dict_shrinks():
    d = {1: 2, 3: 4}
    for k, v in d.items():
        d.clear()


def dict_values_change():
    d = {"a": 1, "b": 2}
    for k in d:
        d[k] = d[k] + 1
    for k, v in d.items():
        d[k] = str(v)
    for k in list(d):
        d[k + "x"] = 0
    return d


def dict_changes_at_the_end():
    d = {1: 2}
    out = []
    for k in d:
        out.append(k)
        if len(out) == 1:
            d[5] = 6
            break
    return [d, out]


# -- several


def zipped():
    out = []
    for a, b, c in zip("abc", [1, 2, 3], range(2)):
        out.append([a, b, c])
    for pair in zip([1, 2], (3, 4)):
        out.append(pair)
    for a, (i, b) in zip("xy", enumerate("zw", 1)):
        out.append(a + str(i) + b)
    for (k, v), w in zip({"a": 1}.items(), "x y".split()):
        out.append((k, v, w))
    return [
        out,
        list(zip()),
        list(zip([1])),
        list(zip([], "a")),
        dict(zip("ab", [1, 2])),
        [a + b for a, b in zip([1, 2], [3, 4])],
    ]


@cases((2, 2), (1, 2), (2, 1), (0, 0), (0, 1))
def zipped_strictly(n, m):
    return list(zip(range(n), range(m), range(n), strict=True))


@cases((True,), (False,))
def zipped_as_told(flag):
    return [pair for pair in zip([1, 2], "a", strict=flag)]


@cases((3, 3, True), (3, 2, True), (2, 3, True), (3, 2, False), (0, 0, True))
def code_behind_strict_zips(n, m, flag):
    numbers = [i for i in range(n)]
    texts = ["ab"] * m
    total = 0
    for number, text in zip(numbers, texts, strict=flag):
        total += number + len(text)
    else:
        total += 100
    for i, (number, other) in enumerate(zip(numbers, numbers, strict=True)):
        total += i * number * other
    for x, *rest in zip(texts, texts, texts, strict=True):
        texts = rest
        total += len(x)
    return total, texts


def numbered():
    out = []
    for i, c in enumerate("abc", 5):
        out.append((i, c))
    for i, x in enumerate([1.5], start=-1):
        out.append((i, x))
    for pair in enumerate({"k": 1}):
        out.append(pair)
    return [out, list(enumerate([])), [i for i, _ in enumerate(range(3))]]


def backwards():
    return [list(reversed([1, 2, 3])), list(reversed("abc")), list(reversed((1, "x"))), list(reversed(b"ab")), [x for x in reversed([[1], [2]])],
            "".join(reversed("héllo")), list(reversed({"a": 1, "b": 2}))]  # fmt: skip


# -- leaving


def else_of_for():
    out = []
    for i in range(3):
        if i == 5:
            break
    else:
        out.append("else")
    for i in range(3):
        if i == 1:
            break
    else:
        out.append("no")
    for i in [1, 2, 3]:
        if i == 2:
            continue
        out.append(i)
    for w in "a b".split():
        if w == "b":
            break
        for c in w:
            continue
        else:
            out.append(w)
    return out


def leave_from_within():
    for i in range(10):
        for c in "abc" + str(i):
            for w in ["x" * 20, "y"]:
                if i == 3 and c == "b":
                    return [i, c, w]
    return None


def fail_from_within():
    out = []
    for w in ("a" * 20 + " b").split():
        for x in [w + w, 5]:
            out.append(x + "z")
    return out


def queue():
    q = [1]
    out = []
    while q:
        x = q.pop(0)
        out.append(x)
        if x < 20:
            q.append(x * 2)
            q.append(x * 2 + 1)
    return out


# -- comprehensions


@cases((10,), (0,), (-3,))
def squares(n):
    return [
        [i * i for i in range(n) if i % 2 == 0],
        [(i, j) for i in range(n) for j in range(i) if i + j == 5],
        {i: i * i for i in range(n)},
    ]


def conditions():
    words = "apple bob Cat apple  é".split()
    return [
        [w for w in words if w.isalpha() if len(w) > 2],
        [w.lower() for w in words if w.lower() in ["apple", "cat"]],
        {w: len(w) for w in words},
        {w.upper(): [c for c in w] for w in words if w != "bob"},
        [w if len(w) > 1 else "short" * 10 for w in words],
        [x for x in [1, None, "a", 2.5] if x],
    ]


def own_names():
    x = "outer"
    y = [x for x in range(3)]
    return [x, y]


@cases((3,), (0,))
def failing_comprehension(n):
    return [10 // (i - 1) for i in range(n)]


def double(x):
    return x * 2


def calls_in_comprehensions():
    return [[double(x) for x in [1, 2]], [double(s) for s in "ab"], [double([x]) for x in "a"]]


# -- builtins


def sums():
    return [sum([1, 2, 3]), sum(range(10)), sum([0.1] * 10), sum([1, 2.5]), sum([0.1, 0.2], 1), sum([], 0.5), sum([1, 2], 10), sum([True, False, True]),
            sum([]), sum((1, 2)), sum({1: 2, 3: 4}), sum([1e100, 1.0, -1e100]), sum([[1], [2]], []), sum([x for x in range(5)])]  # fmt: skip


@cases(("a",), (None,), (1,), ([],))
def sum_of_what(x):
    return sum([1, x])


def sum_of_texts():
    return sum(["a"], "")


def extremes():
    return [
        min(3, 1, 2), max(3.5, 1.0), min("b", "a"), max([3, 7, 5]), min([2.5, 1.5]), max("hello"), min([], default=4), max(1, 2.5), min(2, 2.0),
        max([1, 5, 3], key=lambda x: -x), min(["bb", "a"], key=len), max("a", "bb", key=len), max([(1, "b"), (1, "a")]), min(range(5, 2, -1)),
        max({"a": 1, "b": 0}), max([], default=None), min([[2], [1, 5]]), max(["ab", "b", "é"]), min(b"ab"), max(1, True), max(True, 1), min("é", "z"),
        max([0.0, float("nan")]), max(["x", "yy", "zz"], key=len), min([3, 1], default="d"),
    ]  # fmt: skip


@cases(([],), ("",), ((),), ({},))
def extreme_of_nothing(x):
    return min(x)


def extreme_of_no_ints():
    return max([1][1:])


def extreme_of_mixed():
    return max([1, "a"])


def every():
    return [
        any([0, 1]),
        all([0, 1]),
        any([]),
        all([]),
        any(["", "a"]),
        all("ab"),
        any({0: 1}),
        all([[], [1]]),
        any([None, 0.0, ""]),
        all(range(3)),
        any([x > 1 for x in [1, 2]]),
    ]


def sorted_lists():
    return [
        sorted([3, 1, 2]), sorted("hello"), sorted(["b", "a", "é"]), sorted((2, 1)), sorted({"b": 1, "a": 2}), sorted([2.5, 1]), sorted([]),
        sorted([1, 2, 3], reverse=True), sorted([(2, "a"), (1, "b"), (1, "a")]), sorted(range(3), reverse=True), sorted(["b", "A", "c"], key=str.lower),
        sorted([3, -1, 2], key=abs, reverse=True), sorted([("a", 2), ("b", 1)], key=lambda t: t[1]), sorted([3, 1], key=double), sorted([[2], [1]]),
        sorted({"x": 3, "y": 1}.items(), key=lambda kv: (kv[1], kv[0])), sorted([1, 2], key=lambda v: -v), sorted(["aa", "b"], key=len), sorted("ba", reverse=0),
        sorted([1.5, 0.5], key=int), sorted(["2", "10"], key=int), sorted(enumerate("ba"), key=lambda p: p[1]), sorted([None, 1], key=lambda v: v is None),
    ]  # fmt: skip


def sorted_in_place():
    a = ["bb", "A", "c" * 20]
    a.sort(key=str.lower)
    b = a.copy()
    b.sort(key=len, reverse=True)
    c = [3, 1, 2]
    c.sort(reverse=True)
    return [a, b, c]


@cases((lambda v: -v,), (lambda v: str(v),))
def sorted_by_a_callable(f):
    return [sorted([3, 10, 2], key=f), max([3, 10, 2], key=f)]


def stable():
    return sorted(["b1", "a1", "b0", "a0"], key=lambda s: s[0])


@cases(([1, "a"],), ([None, None],), ([[1], (1,)],))
def unsortable(x):
    return sorted(x)


def containers_of_items():
    return [
        list("abc"), tuple([1, 2]), list((1, 2)), dict([("a", 1)]), list({"x": 1}), tuple("ab"), list(range(3)), dict(zip("ab", [1, 2])), list(),
        list(zip([1, 2], "ab")), list(enumerate("ab")), bytes(3), bytes([65, 66]), tuple(), dict(), list([1]), tuple((1, "x")), dict({"a": 1}),
        bytes(b"x"), bytes(list(range(3))), tuple({"a": 1}.items()), list("a b".split()), tuple(reversed("ab")), dict([["k", 1], "xy"]), bytes("é", "utf-8"),
    ]  # fmt: skip


def copies_are_others():
    a = [1, [2]]
    b = list(a)
    b.append(3)
    b[1].append(4)
    return [a, b, list(a) == a, list(a) is a]


@cases((300,), (-1,), ("a",), (1.5,), (None,))
def bytes_of(x):
    return bytes([1, x])


@cases((300,), (-1,), ("a",), (1.5,), (None,), (True,), ([],), ((1, 2),), ({65: 1},))
def bytes_from(x):
    return bytes(x)


def joined():
    return [
        "-".join(["a", "b"]),
        ",".join([str(i) for i in range(3)]),
        "".join(["é"] * 2),
        "x".join("abc"),
        ".".join(("a", "b")),
        "".join(reversed("abc")),
    ]


# -- what is not copied


@cases(("a",), ("ab",), ("é",), (1,), (1.0,), (True,), (None,), (2.5,), (b"a",), ([],), ((1,),), (0,), (-1,))
def among_constants(x):
    return [
        x in ("a", "ab", "é"),
        x in (1, 2.5, None),
        x in [b"a", True],
        x not in ("a", 1),
        x in (),
        x in (-1, 0),
        x in ("",),
        x in ([1] and (1,)),
    ]


@cases(
    ("aé1 x",),
)
def among_constants_by_type(s):
    out = []
    for c in s:
        out.append(c in ("a", "é", 1, "xx"))
        out.append(c not in ["a"])
    for i in range(-2, 3):
        out.append(i in (-1, 1.0, True, "a", 1e300, float("nan") if False else 0))
        out.append(i * 0.5 in (0.5, -1, 1))
        out.append((i > 0) in (1, 2))
        out.append(None in (None, 1))
    for w in s.split():
        out.append(w in ("x", "aé1", b"x", 5))
    return out


def borrowed():
    words = ["the", "quick" * 5, "é", "brown", "中文字中文字"]
    out = []
    last = ""
    longest = ""
    for w in words:
        if len(w) > len(longest):
            longest = w
        out.append(w.upper())
        out.append(w)
        last = w[1:]
    for i, w in enumerate(words):
        longest += w[i:]
    for a, b in zip(words, words[1:]):
        longest += a + b
        out.append(a)
    d = {w: len(w) for w in words}
    for k, v in d.items():
        last = k + str(v)
        out.append(k)
    for k in d:
        out.append(k[-1])
        if k == "é":
            last = k
            break
    return [
        out,
        last,
        longest,
        [w for w in words],
        [w[0] for w in words if w],
        [c for w in words for c in w],
        [w + x for w in words for x in words],
    ]


def borrowed_and_appended():
    words = ["a" * 30, "b"]
    for w in words:
        words.append(w) if len(words) < 6 else None
    n = 0
    for w in words:
        if len(words) < 50:
            words.append(w + "x")
            words.append(w)
        n += len(w)
    return [words, n]


def borrowed_and_replaced():
    words = ["a" * 30, "b" * 10]
    keep = []
    for w in words:
        words[0] = "changed" * 8
        words[1] = "other" * 3
        keep.append(w)
    for w in words:
        words.clear()
        keep.append(w)
    return keep


def borrowed_and_returned():
    for w in ["x" * 40, "y"]:
        if len(w) > 3:
            return w
    return ""


def rows_in_place():
    g = [["a"], ["b" * 30]]
    g[0][0] += "x" * 20
    g[1][0] = g[0][0] + g[1][0]
    h = [[1, 2], [3]]
    h[0][1] += 5
    h[1][0] = h[0][1] * 100000
    h[len(h) - 1][0] -= 1
    s = [["p"]]
    s[0].append(s[0][0] + "q")
    return [
        g,
        h,
        g[1][0][2:5],
        len(g[0]),
        g[0][0] == g[1][0],
        g[0][0] < g[1][0],
        s,
        [len(r) for r in g],
        g[0][0].upper().strip(),
    ]


@cases(
    (["a", "bb"],),
    (
        [
            1,
            2.5,
            None,
            "text of many letters",
            [1],
            (2,),
            {"k": 1},
            b"by",
            "é" * 4,
            "12345678",
            "123456789012345",
            "1234567890123456",
        ],
    ),
)
def loop_over_anything(x):
    out = []
    y = None
    for w in x:
        out.append(w)
        if w == "bb" or w != 1 or w == [1]:
            y = w
        out.append(w == y)
    return [out, y, [w for w in x], [w for w in x if w == "a"], [w for i, w in enumerate(x) if i != 1]]


@cases(("12", 3), ("-3.5", 3), ("yes", 3), ("", 0), (7, 1), (None, 2), ("0x1f", 9))
def over_builtins(x, n):
    found = []
    for kind in (int, float, str):
        try:
            value = kind(x)
            found.append(value)
            if n < 2:
                continue
            break
        except ValueError:
            found.append("no")
        finally:
            n -= 1
    else:
        found.append("else")
    for each in [len, repr]:
        for i in range(3):
            if i == n:
                break
        else:
            continue
        found.append(each(x))
    return found, n


@cases((1,), ("a",))
def over_builtins_that_are_kept(x):
    for kind in (int, str):
        if kind is str:
            return kind(x)
    return kind


@pytest.mark.parametrize("function", alike.functions(globals()), ids=lambda f: f.__name__)
def test_loop(function):
    if function is sums and sys.version_info >= (3, 14):
        pytest.skip("sums of floats and ints are compensated, too")
    alike.check(function)
