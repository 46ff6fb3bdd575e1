"""The whole language of scripts, from tables: each operator, conversion, method and statement with each kind of value,
typed and through values of unknown type, beside CPython: results, their types, exceptions, and what stays alive."""

# ruff: noqa: E501

from __future__ import annotations

import itertools

import pytest

from tests.script.many import check
from tests.support import leaks

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
    a, b = row
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
    check(BINARY, "a: object, b: object", pairs(ANY, ANY), skip=too_large)


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


@pytest.mark.parametrize("kind", KINDS)
def test_one_value(kind):
    check(UNARY, "a", [(value,) for value in VALUES[kind]])


def test_one_value_of_unknown_type():
    check(UNARY, "a: object", [(value,) for values in VALUES.values() for value in values])


def test_one_character():
    check(UNARY, "s", [(value,) for value in CHARS], "a = s[0]")


@pytest.mark.parametrize("annotation", ANNOTATED)
def test_one_annotated_value(annotation):
    entries = [each for each in UNARY if not (annotation in FIXED and each.startswith(("a +=", "a *=")))]
    check(entries, f"a: {annotation}", [(value,) for value in ANNOTATED[annotation]])


@pytest.mark.parametrize("parameter", ["a", "a: object"])
def test_small_numbers(parameter):
    check(SMALL, parameter, [(value,) for value in (0, 1, 2, 3, 5, -1, -2, 16, True, False)])
    check(SMALL, "a: object", [(value,) for value in (1.0, None, "2", [1], b"3")])
