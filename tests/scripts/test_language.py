"""The whole language of scripts, from tables: each operator, conversion, method and statement with each kind of value,
typed and through values of unknown type, beside CPython: results, their types, exceptions, and what stays alive."""

# ruff: noqa: E501

from __future__ import annotations

import itertools
import os

import pytest

from tests.scripts.many import check
from tests.support import leaks
from tests.support.text_programs import (
    BLOBS,
    BYTES_METHODS,
    ODD,
    OTHER_BLOBS,
    OTHERS,
    STR_METHODS,
    STRINGS,
    TEXT_METHODS,
)  # fmt: skip

INF, NAN = float("inf"), float("nan")
MOST, LEAST = 2**63 - 1, -(2**63)
VALUES = {
    "int": [0, 1, -1, 2, 7, -13, 64, 2**31, 2**53 + 1, 2**62, MOST - 1, MOST, LEAST, LEAST + 1],
    "float": [0.0, -0.0, 1.0, -1.5, 2.5, 0.1, 1e300, 2.0**53, 2.0**63, -(2.0**63), INF, -INF, NAN, 5e-324],
    "bool": [True, False],
    "none": [None],
    "str": ["", "a", "ab", "1", " 2 ", "é", "日本", "a🙂b"],
    "bytes": [b"", b"a", b"ab\xff", b"12"],
    "list": [[], [1], [1, 2, 2.5], ["a", "b"], [None, [1]], [(1, "a"), (2, "b")], [0, ""]],
    "tuple": [(), (1,), (1, "a"), (2.5, None), ("a", "b", "c"), ((1, 2), (3, 4))],
    "dict": [{}, {"a": 1}, {1: "x", 2: "y"}, {"é": [1], None: 2.5}],
}
KINDS = list(VALUES)
#: A few of each kind, for pairs.
FEW = {
    "int": [0, 1, -1, 3, 64, MOST, LEAST],
    "float": [0.0, -0.0, 1.0, -2.5, 2.0**63, INF, NAN],
    "bool": [True, False],
    "none": [None],
    "str": ["", "a", "ab", "日本a"],
    "bytes": [b"", b"a", b"ab\xff"],
    "list": [[], [1], [1, 2.5, "a"], ["a", "b"], [b"a", None]],
    "tuple": [(), (1,), (1, "a"), ("a", None), (0.0, 1)],
    "dict": [{}, {"a": 1}, {1: "x", 0: [2]}],
}
#: One character, in a register.
CHARS = ["a", "1", "é", "日", "🙂", "ǅ", "ß"]
ANY = [value for each in FEW.values() for value in each]


@pytest.fixture(autouse=True, scope="module")
def settled():
    leaks.settle()


@pytest.fixture(autouse=True)
def level(request, monkeypatch):
    """LLVM's optimiser takes half of the time, and what it is given is the same: all operations with each kind of value
    go through it; methods, which are calls of C, and the other ways and annotations by which the same values come do
    not. All of them by JITFFI_TARGETS=all."""
    given = dict(request.node.callspec.params) if hasattr(request.node, "callspec") else {}
    is_other = given.get("way", "typed") != "typed" or given.get("left") != given.get("right")
    is_other = is_other or request.node.originalname.startswith("test_methods")
    if not os.environ.get("JITFFI_TARGETS") and (is_other or {"annotation", "head", "value"} & given.keys()):
        monkeypatch.setenv("JITFFI_SCRIPT_LEVEL", "0")


# -- operators ---------------------------------------------------------------------------------------------------------

OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"]
COMPARISONS = ["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
BINARY = [
    *[f"a {op} b" for op in OPERATORS],
    *[f"a {op}= b\nreturn [a, b]" for op in OPERATORS],
    *[f"a {op} b" for op in COMPARISONS],
    *[f"if a {op} b:\n    return 1\nreturn 2" for op in ("==", "<", "in")],
    *["a < b < a", "a == b != a", "a and b", "a or b", "not (a or b)", "b if a else a", "(a and b) == (b or a)"],
    *["a[b]", "divmod(a, b)", "min(a, b)", "max(a, b)", "pow(a, b)", "[a, b] == [b, a]", "{a: b}", "(a, b) < (b, a)"],
]
_GROWS = ("a * b", "a *= b", "a << b", "a <<= b", "a ** b", "a **= b", "pow(a, b)")


def too_large(entry, row):  # also: numbers that would be complex
    """What would take all memory or time in Python; and % of text, which scripts do not have."""
    a, b = row if len(row) == 2 else row[0]
    if isinstance(b, float) and entry.startswith(_GROWS[-3:]) and isinstance(a, (int, float)) and a < 0:
        return True
    if entry.startswith(("a %", "divmod")) and isinstance(a, (str, bytes)):
        return entry.startswith("a %")
    if not entry.startswith(_GROWS):
        return False
    if "*" not in entry[2:4] or "**" in entry[:5] or entry.startswith("pow"):
        return isinstance(a, int) and isinstance(b, int) and abs(b) > 64
    return False


def pairs(first, second):
    return list(itertools.product(first, second))


@pytest.mark.parametrize("right", KINDS)
@pytest.mark.parametrize("left", KINDS)
def test_operators(left, right):
    check(BINARY, "a, b", pairs(FEW[left], FEW[right]), skip=too_large)


def test_operators_of_unknown_types():
    check(BINARY, "row", [(list(row),) for row in pairs(ANY, ANY)], "a, b = row", skip=too_large)


# -- builtins, conversions, items and parts: one value ---------------------------------------------------------------

UNARY = [
    *["-a", "+a", "~a", "not a", "abs(a)", "len(a)", "bool(a)", "int(a)", "float(a)", "str(a)", "repr(a)", "ord(a)"],
    *["chr(a)", "round(a)", "round(a, 1)", "round(a, -1)", "round(a, None)", "sum(a)", "sum(a, 1)", "min(a)", "max(a)"],
    *["sorted(a)", "sorted(a, reverse=True)", "list(a)", "tuple(a)", "dict(a)", "any(a)", "all(a)", "a is None"],
    *["a is not None", "a == a", "a != a", "a < a", "[x for x in a]", "[x for x in a if x]", "{x: 1 for x in a}"],
    *["list(enumerate(a))", "list(enumerate(a, 2))", "list(zip(a, a))", "list(zip(a, range(2)))", "list(reversed(a))"],
    *["a[0]", "a[-1]", "a[1:]", "a[:-1]", "a[::-1]", "a[::2]", "a[:]", "a[1:1]", "a[None:1]", "a['a']", "a[1.5]"],
    *["(a, a)[0]", "[a][0]", "{1: a}[1]", "[a, [a]]", "1 if a else 2", "a or 'no'", "a and 'yes'", "int(a, 16)"],
    *["int(a, 0)", "str(a, 'utf-8')", "min(a, default=3)", "max(a, key=str)", "min(a, key=len, default=None)"],
    *["sorted(a, key=str)", "sorted(a, key=lambda x: (str(x), 1), reverse=True)", "isinstance(a, int)", "list(a) * 2"],
    *["isinstance(a, (str, bytes))", "isinstance(a, (bool, float))", "isinstance(a, (list, tuple, dict))", "hash(a) == hash(a)"],
    *["isinstance(a, str) and a.upper()", "isinstance(a, int) and a + 1", "divmod(a, 7)"],
    *["f'{a}'", "f'{a!r}'", "f'{a!s:>12}'", "f'{a!a:<9}|'", "f'{a}{a}'", "f'{a=}'", "f'{a:5}'", "f'{a:<8}|'", "f'{a:^9}'"],
    *["f'{a:05}'", "f'{a:x}'", "f'{a:.2f}'", "f'{a:e}'", "f'{a:,}'", "f'{a:+}'", "f'{a:s}'", "f'{a:d}'", "f'{a:%}'"],
    "x, y = a\nreturn [x, y]", "[x, y] = a\nreturn [y, x]", "(x,) = a\nreturn x", "x, *y = a\nreturn [x, y]",
    "*x, y = a\nreturn [x, y]", "x, *y, z = a\nreturn [x, y, z]", "(x, (y, z)) = a\nreturn [x, y, z]",
    "for x in a:\n    return x\nelse:\n    return 'empty'",
    "n = 0\nfor x in a:\n    if x:\n        continue\n    n += 1\nelse:\n    n += 100\nreturn n",
    "out = []\nfor i, x in enumerate(a, 1):\n    if i == 3:\n        break\n    out.append((i, x))\nelse:\n    out.append('all')\nreturn out",
    "out = []\nfor x in reversed(a):\n    out.append(x)\nreturn out",
    "out = []\nfor x, y in zip(a, a[1:]):\n    out += [x, y]\nreturn out",
    "out = []\nfor x, y in a:\n    out.append([y, x])\nreturn out",
    "while a:\n    return 1\nelse:\n    return 2",
    "assert a, 'empty'\nreturn 1", "assert not a, a\nreturn 1", "assert a\nreturn a",
    "a[0] = 5\nreturn a", "a[0] += 1\nreturn a", "a[0:1] = [7, 8]\nreturn a", "a[1:] = 'xy'\nreturn a",
    "del a[0]\nreturn a", "del a['a']\nreturn a", "del a[:1]\nreturn a", "del a[::2]\nreturn a",
    "a += a\nreturn a", "a *= 2\nreturn a", "b = a\nb += b\nreturn [a, b]", "b = c = a\nreturn [b, c]",
]  # fmt: skip
#: Of numbers, these ask for so much memory, or are other than Python's.
SMALL = ["bytes(a)", "list(range(a))", "[x for x in range(a, 5)]", "[x for x in range(3, a, -1)]", "'ab' * a", "[1] * a",
         "[x for x in range(0, a, 2)]", "list(range(a, a, a))", "len('abc'[a:])", "'abc'[a]", "(1, 2)[a]", "'x'.zfill(a)",
         "'x'.ljust(a, '-')", "'a b c'.split(' ', a)", "'aXbXc'.replace('X', '', a)", "'\\t'.expandtabs(a)", "f'{1.5:{a}}'",
         "1 << a", "2 ** a", "2.0 ** a", "pow(3, a, 7)", "round(1234.5678, a)", "round(1234, a)", "int('11', a)"]  # fmt: skip
#: Annotations, and what they are given.
ANNOTATED = {
    "list[int]": [[], [1], [3, 1, 2], [0, -5, MOST]],
    "list[float]": [[], [1.5], [0.0, -0.0, NAN, 2.5]],
    "list[str]": [[], ["a"], ["b", "a", "é"], ["", "日本", "x y"]],
    "list[list[int]]": [[], [[]], [[1], [2, 3]], [[1, 2], [3, 4]]],
    "list[tuple[str, int]]": [[], [("a", 1)], [("b", 2), ("a", 3)]],
    "list[bytes]": [[], [b""], [b"b", b"a\xff"]],
    "list[bool]": [[], [True], [False, True]],
    "list[dict[str, int]]": [[], [{}], [{"a": 1}, {"b": 2}]],
    "tuple[int, str]": [(1, "a"), (0, "é")],
    "tuple[float, float]": [(1.5, 2.5), (0.0, -0.0)],
    "tuple[int, ...]": [(), (1,), (3, 1, 2)],
    "tuple[str, tuple[int, int]]": [("a", (1, 2))],
    "dict[str, int]": [{}, {"a": 1}, {"b": 2, "a": 3, "é": 4}],
    "dict[int, str]": [{}, {0: "a"}, {1: "é", 0: "b"}],
    "dict[str, list[int]]": [{}, {"a": []}, {"a": [1], "b": [2, 3]}],
    "int": VALUES["int"], "float": VALUES["float"], "bool": VALUES["bool"], "str": VALUES["str"],
    "bytes": VALUES["bytes"], "None": VALUES["none"],
}  # fmt: skip


#: What an annotated variable cannot become, or says in the words of `+` and `*`.
FIXED = ("bool", "None", "dict[str, int]", "dict[int, str]", "dict[str, list[int]]")


def is_fixed(annotation):
    """A tuple with types for its items has as many as that."""
    return annotation in FIXED or annotation.startswith("tuple[")


@pytest.mark.parametrize("kind", KINDS)
def test_one_value(kind):
    check(UNARY, "a", [(value,) for value in VALUES[kind]])


def test_one_value_of_unknown_type():
    check(UNARY, "row", [([value],) for values in VALUES.values() for value in values], "a = row[0]")


def test_one_character():
    check(UNARY, "s", [(value,) for value in CHARS], "a = s[0]")


@pytest.mark.parametrize("annotation", ANNOTATED)
def test_one_annotated_value(annotation):
    entries = [each for each in UNARY if not (is_fixed(annotation) and each.startswith(("a +=", "a *=")))]
    check(entries, f"a: {annotation}", [(value,) for value in ANNOTATED[annotation]])


def test_small_numbers():
    values = (0, 1, 2, 3, 5, -1, -2, 16, True, False)
    check(SMALL, "a", [(value,) for value in values])
    check(SMALL, "row", [([value],) for value in (*values, 1.0, None, "2", [1], b"3")], "a = row[0]", words=False)


# -- methods -----------------------------------------------------------------------------------------------------------

ODD_VALUES = [
    0,
    1,
    -1,
    3,
    MOST,
    LEAST,
    1.0,
    True,
    None,
    "a",
    "",
    "é",
    b"a",
    ["a", "b"],
    ["a", 1],
    [],
    ("a",),
    ("a", b"b"),
    {"a": 1},
    {},
]
_LITERALS = {"a": "'a'", "b": "'é'", "e": "''"}, {"a": "b'a'", "b": "b' '", "e": "b''"}
FOR_STR = [each.format(**_LITERALS[0]) for each in TEXT_METHODS] + STR_METHODS
FOR_BYTES = [each.format(**_LITERALS[1]) for each in TEXT_METHODS] + BYTES_METHODS
#: Where receivers and arguments come from.
WAYS = {
    "typed": ("s, t", ""),
    "annotated": ("s: {0}, t: {0}", ""),
    "unknown": ("row", "s, t = row"),
    "receiver unknown": ("row, t", "s = row[0]"),
    "argument unknown": ("s, row", "t = row[0]"),
    "object": ("s: object, t: object", ""),
    "from a list": ("s_, t_", "row = [s_, 1, t_]\ns = row[0]\nt = row[-1]"),
    "from typed lists": ("s_: {0}, t_: {0}", "row = [s_, t_]\nrow.append(s_ + t_)\ns = row[0]\nt = row[1]"),
    "from a dict": ("s_, t_", "d = {{1: s_, 'x': t_, 2: None}}\ns = d[1]\nt = d.get('x')"),
    "from a tuple": ("row: tuple[{0}, {0}]", "s, t = row"),
    "from annotated containers": ("row: list[{0}], d: dict[str, {0}]", "s = row[-1]\nt = d['k']"),
    "parts": ("s_, t_", "s = (s_ + t_)[: len(s_)]\nt = (s_ + t_)[len(s_) :]"),
    "optional": ("s_, t_", "s = s_ if k >= 0 else None\nt = t_ if k >= 0 else None"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["str", "bytes"])
def test_methods_of_text(kind, way):
    is_str = kind == "str"
    parameters, head = (each.format(kind) for each in WAYS[way])
    rows = pairs(STRINGS, OTHERS) if is_str else pairs(BLOBS, OTHER_BLOBS)
    if way != "typed":
        rows = rows[::3]
    if way == "from a tuple":
        rows = [(row,) for row in rows]
    elif way == "unknown":
        rows = [(list(row),) for row in rows]
    elif way == "receiver unknown":
        rows = [([s], t) for s, t in rows]
    elif way == "argument unknown":
        rows = [(s, [t]) for s, t in rows]
    elif way == "from annotated containers":
        rows = [(["x" if is_str else b"x", s], {"k": t}) for s, t in rows]
    check(FOR_STR if is_str else FOR_BYTES, parameters, rows, head)


@pytest.mark.parametrize("parameters, head", [
    ("s_, t_", "s = s_[0]\nt = t_[0]"), ("s_, t", "s = s_[-1]"), ("s, t_", "t = t_[0]"),
    ("s_, t_", "s = t = ''\nfor s in s_:\n    pass\nfor t in t_:\n    pass"),
    ("s_: int, t_: int", "s = chr(s_)\nt = chr(t_)"),
])  # fmt: skip
def test_methods_of_characters(parameters, head):
    rows = pairs(CHARS, CHARS)
    if "int" in parameters:
        rows = [(ord(s), ord(t)) for s, t in rows]
    check(FOR_STR, parameters, rows, head)


def far(entry, row):
    """What would take all memory."""
    number = row[-1][0] if isinstance(row[-1], list) and row[-1] else row[-1]
    return "* o" in entry and isinstance(number, int) and abs(number) > 99


@pytest.mark.parametrize("value", ODD_VALUES, ids=repr)
def test_odd_arguments(value):
    """Each with the type of the value known."""
    check(ODD, "s, o", [(s, value) for s in ("", "a", "bab", "é日")], skip=far)


@pytest.mark.parametrize("parameters, head", [("s, row", "o = row[0]"), ("s_, row", "s = s_[0]\no = row[0]")])
def test_odd_arguments_of_unknown_type(parameters, head):
    check(ODD, parameters, pairs(["a", "bab", "é日"], [[value] for value in ODD_VALUES]), head, skip=far, words=False)


def test_odd_arguments_and_receivers_of_unknown_type():
    rows = pairs(["a", "bab", "é日"], ODD_VALUES)
    check(
        ODD,
        "row",
        [([o, s],) for s, o in rows],
        "o, s = row",
        skip=lambda entry, row: far(entry, (row[0][0],)),
        words=False,
    )


def test_receivers_of_any_kind():
    """A method of text, of a value that may have none."""
    rows = [([value], "a") for value in [*ANY, "xax"]]
    check([each for each in FOR_STR if each.startswith("s.")], "row, t", rows, "s = row[0]", words=False)


# -- methods of containers ---------------------------------------------------------------------------------------------

LIST_METHODS = [
    *["a.append(v)", "a.extend([v, v])", "a.extend(a)", "a.extend('xy')", "a.extend({{1: 2}})", "a.insert(0, v)", "a.insert(-1, v)"],
    *["a.insert(99, v)", "a.pop()", "a.pop(0)", "a.pop(-1)", "a.pop(5)", "a.remove(v)", "a.clear()", "a.reverse()", "a.sort()"],
    *["a.sort(reverse=True)", "a.sort(key=str)", "a.sort(key=lambda x: -len(str(x)))", "a.index(v)", "a.index(v, 1)", "a.index(v, 0, -1)"],
    *["a.count(v)", "a.copy()", "a.extend(reversed(a))", "a.extend(range(2))", "a.insert(True, v)", "a.extend(v)"],
    *["a.extend(enumerate(a[:1]))", "a.append(a[:])"],
]  # fmt: skip
LIST_METHODS = [f"x = {each.format()}\nreturn [x, a]" for each in LIST_METHODS] + [
    *["a + [v]", "[v] + a", "a * 3", "v in a", "v not in a", "a == [v]", "a < [v]", "a[0:1] + [v]", "sorted(a + [v], key=repr)"],
    *["[x for x in a if x != v]", "[[x, y] for x in a for y in a if x == y]", "{str(x): x for x in a}", "[x for y in [a, [v]] for x in y]"],
    *["min(a + [v], key=repr)", "max(a, key=repr, default=v)", "list(zip(a, reversed(a)))", "dict(enumerate(a))", "tuple(a) + (v,)"],
    *["(a, v) == (a, v)", "len(a) and a[-1] == v", "any([x == v for x in a])", "a is a", "[*[1]] if False else 0"][:-1],
    "a[0] = v\nreturn a", "a[-1] = v\nreturn a", "a[7] = v\nreturn a", "a[1:2] = [v, v]\nreturn a", "a[::2] = [v]\nreturn a", "a[:] = []\nreturn a",
    "del a[0], a[-1]\nreturn a", "b = a\nb.append(v)\nreturn [a, b, a == b]", "b = a[:]\nb += [v]\nreturn [a, b]", "a += [v]\nreturn a",
    "a[0] += v\nreturn a", "a[0], a[-1] = a[-1], a[0]\nreturn a", "i = 0\nwhile i < len(a):\n    if a[i] == v:\n        del a[i]\n    else:\n        i += 1\nreturn a",
    "for i, x in enumerate(a):\n    if i > 5:\n        break\n    if x == v:\n        a.append(v)\nelse:\n    return ['all', a]\nreturn a",
    "b = [a, a]\nb[0].append(v)\nreturn b", "b = [[]] * 2\nb[0].append(v)\nreturn b", "b = []\nfor x in a:\n    b.insert(0, [x, v])\nreturn b",
]  # fmt: skip
DICT_METHODS = [
    *["d.get(v)", "d.get(v, 0)", "d.get('a', v)", "d.setdefault(v, 1)", "d.setdefault('a', v)", "d.setdefault(v)", "d.pop(v)", "d.pop(v, None)"],
    *["d.pop('a', v)", "d.popitem()", "list(d.keys())", "list(d.values())", "list(d.items())", "d.update({{'z': v}})", "d.update([(v, 1)])"],
    *["d.update(d)", "d.update({{}})", "d.clear()", "d.copy()", "d.update(v)", "len(d)", "sorted(d, key=repr)", "sorted(d.items(), key=repr)"],
]  # fmt: skip
DICT_METHODS = [f"x = {each.format()}\nreturn [x, d]" for each in DICT_METHODS] + [
    *["d[v]", "v in d", "v not in d", "v in d.values()", "(str(v), 1) in d.items()", "str(v) in d.keys()", "d == {v: 1}", "{**{}} if False else d"][:-1],
    *["[k for k in d]", "[(k, x) for k, x in d.items()]", "{x: k for k, x in d.items()}", "{k: [x] for k, x in d.items() if k != v}", "dict(d)"],
    *["list(d)", "tuple(d)", "list(reversed(d))", "list(enumerate(d))", "list(zip(d, d.values()))", "dict(d.items())", "max(d, key=str, default=v)"],
    "d[v] = 1\nreturn d", "d['a'] = v\nreturn d", "d[v] += 1\nreturn d", "d['a'] += v\nreturn d", "del d[v]\nreturn d", "del d['a']\nreturn d",
    "for k in d:\n    d[k] = v\nreturn d", "for k in d:\n    d[v] = 1\nreturn d", "for k in list(d):\n    del d[k]\nelse:\n    d[v] = 0\nreturn d",
    "for k, x in d.items():\n    if k == v:\n        break\nelse:\n    return [d, 'none']\nreturn [k, x]",
    "for x in d.values():\n    if x == 2:\n        continue\n    return x\nreturn v", "d.setdefault(v, []).append(1)\nreturn d",
    "e = {}\nfor k in d:\n    e[k] = e.get(k, 0) + 1\n    e[v] = e.get(v, 0) + 1\nreturn e", "d |= {v: 2}\nreturn d", "d | {1: v}",
]  # fmt: skip
#: `|` of dicts is for numbers alone in scripts.
DICT_METHODS = DICT_METHODS[:-2]
TUPLE_METHODS = ["t.index(v)", "t.count(v)", "t.index(v, 1)", "t + (v,)", "t * 2", "v in t", "t == (v,)", "t < (v,)", "t[0]", "t[-1]", "t[5]", "t[1:]",
                 "t[::-1]", "len(t)", "sorted(t, key=repr)", "list(t)", "[x for x in t]", "{t: v}", "{t: v}[t]", "a, *b = t\nreturn [a, b]",
                 "for x in t:\n    if x == v:\n        return x\nelse:\n    return 'no'", "t += (v,)\nreturn t", "t[0] = v\nreturn t", "(t, v)[0] is t",
                 "a = b = t\nreturn a is b"]  # fmt: skip
ITEMS = [1, 1.0, True, None, "a", "é", b"a", (1, 2), [1], {"a": 1}, 2.5]
CONTAINERS = {
    "list": (LIST_METHODS, "a", VALUES["list"], ["list[int]", "list[str]", "list[list[int]]", "list[float]"]),
    "dict": (DICT_METHODS, "d", VALUES["dict"], ["dict[str, int]", "dict[int, str]", "dict[str, list[int]]"]),
    "tuple": (TUPLE_METHODS, "t", VALUES["tuple"], ["tuple[int, str]", "tuple[int, ...]"]),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_methods_of_containers(kind):
    entries, name, values, _ = CONTAINERS[kind]
    check(entries, f"{name}, row", pairs(values, [[item] for item in ITEMS]), "v = row[0]", words=False)
    check(entries, "row", [([value, item],) for value, item in pairs(values, ITEMS)], f"{name}, v = row", words=False)


@pytest.mark.parametrize("kind", CONTAINERS)
def test_methods_of_containers_with_items_of_known_types(kind):
    entries, name, values, _ = CONTAINERS[kind]
    for item in (1, "a", 2.5, None):
        check(entries, f"{name}, v", [(value, item) for value in values], words=False)


@pytest.mark.parametrize("annotation", [each for _, _, _, found in CONTAINERS.values() for each in found])
def test_methods_of_annotated_containers(annotation):
    """What goes in is of the annotated type, or goes into a copy: here only what reads."""
    entries, name, _, _ = CONTAINERS[annotation.partition("[")[0]]
    entries = [each for each in entries if not (is_fixed(annotation) and each.startswith("t +="))]
    inner = annotation.partition("[")[2]
    item = (
        "a" if inner.startswith("str") else 1.5 if inner.startswith("float") else [1] if inner.startswith("list") else 1
    )
    check(
        entries,
        f"{name}: {annotation}, row",
        [(value, [item]) for value in ANNOTATED[annotation]],
        "v = row[0]",
        words=False,
    )
