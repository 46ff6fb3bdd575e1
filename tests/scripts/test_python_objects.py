"""Objects of Python's in scripts: attributes, methods, calls, operators, items, iteration, names of the module.

Each function is run by both, on objects of its own; what it does to them is compared, too.
"""

from __future__ import annotations

import copy
import gc
import math
import re
import sys
import weakref
from collections import OrderedDict
from decimal import Decimal

import pytest

import jitffi
from tests.support import leaks

word = "abc"
LIMIT = 3
TABLE = {"a": 1}
PATTERN = re.compile("(a)(n)")


class Point:
    kind = 7

    def __init__(self, x, y=0):
        self.x = x
        self.y = y

    def times(self, n=2, *, plus=0):
        return self.x * n + plus

    def __eq__(self, other):
        return isinstance(other, Point) and self.x == other.x

    def __lt__(self, other):
        return self.x < other.x

    def __iter__(self):
        return iter([self.x, self.y])

    def __len__(self):
        return 5

    def __contains__(self, value):
        return value == self.x

    def __getitem__(self, key):
        if key == "nothing":
            raise KeyError(key)
        return "item", key

    def __bool__(self):
        return self.x > 0

    def __repr__(self):
        return f"Point({vars(self)})"

    def __format__(self, spec):
        return f"<{spec}>"

    def __iadd__(self, n):
        self.x += n
        return self

    def __call__(self, *args, **more):
        return args, more

    __hash__ = None


def double(n):
    return n + n


def numbers(n):
    yield from range(n)


def attributes(p):
    p.x = p.x + 1
    p.y += 5
    p.z = "z"
    kind = p.kind
    del p.z
    return p.x, p.y, kind, hasattr(p, "z"), getattr(p, "w", None)


def methods(p):
    return p.times(), p.times(3), p.times(n=4), p.times(1, plus=p.y), p(1, a=2)


def calls(p):
    given = p.x, p.y
    q = Point(*given)
    return q.times(**TABLE, n=3) if p.x == 99 else Point(x=q.x, y=q.y).times(), double(p.x)


def items(p):
    return p["k"], p[1], p[1:2], p[::3], p[1, 2:3], len(p), 3 in p, 4 not in p


def truth(p, q):
    found = []
    if p:
        found.append("p")
    if not q:
        found.append("not q")
    found.append("is" if p is q else "is not")
    found.append("none" if p is None else "some")
    return found, bool(p), (p or q).x, (p and q).x, p.x if q else q.x


def comparisons(p, q):
    return p == q, p != q, p < q, p == 3, p == Point(3), p.x == 3, 2 < p.x < 9, p.x >= q.x


def operators(p):
    a, b = p.x, p.y
    return a + b, a - 1, 2 * a, a / 2, a // 2, a % 2, a**2, -a, ~b, a << 1, a & 1, a + 0.5, a * b + a, "%s" % a  # noqa: UP031


def augmented(p):
    p += 5
    total = 0
    for i in range(4):
        total += p.x * i
    values = p.y
    values += 3
    return total, values, p.x


def iteration(p):
    found = []
    for value in p:
        found.append(value)
    a, b = p
    first, *rest = p
    pairs = {key: (value,) for key, value in zip("ab", p, strict=True)}
    for n, value in enumerate(p):
        found.append((n, value))
    return found, a - b, first, rest, pairs, [v + 1 for v in p]


def texts(p):
    name = p.times.__name__
    return f"{p} {p!r} {p:>3} {name}", str(p), repr(p), name + "!", name.upper(), name[0], len(name), "x" + name


def of_the_module(p):
    return math.sqrt(p.x), math.pi, re.sub("a", "b", "banana"), PATTERN.match("an").groups(), word, LIMIT, TABLE["a"]


def of_builtins(p):
    return type(p).__name__, isinstance(p, Point), isinstance(p, int), issubclass(Point, object), callable(p), vars(p)


def kinds(p):
    found = None
    if p.x > 2:
        found = p
    if found is None:
        return 0
    return found.y


def constants(p):
    return p.x + (1 << 70), 1j, ..., b"x", "é"


def decimals(p):
    half = Decimal("0.5")
    return half + p.x, half * half, half < 1, half == 0.5, -half


def missing_attribute(p):
    return p.nothing


def missing_item(p):
    return p["nothing"]


def not_callable(p):
    return p.x()


def unknown(p):
    return nowhere(p)  # noqa: F821


def wrong_arguments(p):
    return p.times(1, 2, 3)


def wrong_count(p):
    a, b, c = p
    return a


def wrong_operands(p):
    return p + p


def wrong_keyword(p):
    return Point(1, x=2)


def not_iterable(p):
    return [v + 1 for v in p.x]


def not_a_mapping(p):
    return Point(**p.x)


def star_beside(p):
    return Point(1, *p.x)


ONE = [
    attributes, methods, calls, items, operators, augmented, iteration, texts, of_the_module, of_builtins, kinds,
    constants, decimals, missing_attribute, missing_item, not_callable, unknown, wrong_arguments, wrong_count,
    wrong_operands, wrong_keyword, not_iterable, not_a_mapping, star_beside,
]  # fmt: skip


def outcome(function, args):
    try:
        result = function(*args)
        found = type(result).__name__, repr(result)
    except Exception as error:
        found = type(error).__name__, str(error)
    return found, repr(args)


def same(function, *args):
    script = jitffi.script(function, returns="python")
    for given in (args, [copy.deepcopy(each) for each in args]):
        assert outcome(script, copy.deepcopy(given)) == outcome(function, copy.deepcopy(given))
    assert not script._given.left, script.inspect_types()
    held = weakref.ref(args[0])
    before, counts = leaks.live_objects(), [sys.getrefcount(each) for each in args]
    for _ in range(3):
        outcome(script, args)
    assert [sys.getrefcount(each) for each in args] == counts
    assert leaks.live_objects() == before
    del args, given
    gc.collect()
    assert held() is None


@pytest.mark.parametrize("function", ONE, ids=lambda each: each.__name__)
def test_one(function):
    same(function, Point(3, 1))


def of_any(p):
    """What is in a list of the script's own is of any type."""
    things = [p, 3, "ab", None]
    found = []
    for each in things:
        if each is None or isinstance(each, (int, str)):
            found.append(each)
            continue
        found += [each.x, each.times(3), len(each), each["k"], each[1:2], 3 in each, bool(each), each == p]
        each.y = 8
        each.y += 1
        each += 2
        found.append([(v,) for v in each])
        found += list(each)
        a, b = each
        found += [a, b, sum(each), max(each), each(1), f"{each:x}", str(each)]
    half = [Decimal("0.5")][0]
    found += [
        half + 1,
        1 - half,
        -half,
        abs(-half),
        half < 1,
        int(half),
        float(half),
        divmod(half, 2),
        round(half, 1),
        half == 0.5,
    ]
    table = {"a": [p]}
    found += [table["a"][0].x, [p].index(p), p in [1, p], hash(half) == hash(0.5)]
    return found


class Mark(str):
    def __radd__(self, before):
        return f"{before}<{str(self)}>"


class Sum:
    def __init__(self, *parts):
        self.parts = parts

    def __add__(self, other):
        return Sum(*self.parts, other)

    def __radd__(self, other):
        return [other]

    def __repr__(self):
        return repr(self.parts)


def sums_with_text(p):
    """Whatever an object makes of a text."""
    total, made = Sum(p.x), Mark("a")
    found = [total + "ab", total + str(p.x), "ab" + total, total + "a" + "b", made + "b", "b" + made]
    for each in ["c", Mark("d") if p else 0, "\u65e5", 3 if p else ""]:
        text = "a"
        try:
            found += [each + "x", "xy" + each]
            text += each
            text += each
        except TypeError as error:
            text += str(error)
        found.append(text)
    return found


def fails_of_any(p):
    return [p][0] + 1


def no_method_of_any(p):
    return [3][0].upper() if p else [p][0].lower()


def no_attribute_of_any(p):
    return [p, 1][1].name


def not_callable_of_any(p):
    return [p, 1][1](2)


ANYTHING = [of_any, sums_with_text, fails_of_any, no_method_of_any, no_attribute_of_any, not_callable_of_any]


@pytest.mark.parametrize("function", ANYTHING, ids=lambda each: each.__name__)
def test_of_any_type(function):
    same(function, Point(3, 1))


@pytest.mark.parametrize("function", [truth, comparisons], ids=lambda each: each.__name__)
def test_two(function):
    same(function, Point(3, 1), Point(0, 2))


def test_an_object_comes_back_as_itself():
    @jitffi.script
    def same_one(x):
        return x

    @jitffi.script
    def one_of(x, y, first):
        return x if first else y

    for value in (Point(1), OrderedDict(a=1), {1}, range(3), type, 1 << 80, bool, sys, frozenset((2,))):
        assert same_one(value) is value
        assert one_of(value, None, True) is value and one_of(value, None, False) is None


def test_subclasses_keep_their_class():
    class Name(str):
        def upper(self):
            return "own"

    class Count(int):
        def __add__(self, other):
            return "sum"

    @jitffi.script
    def both(name, count):
        return name.upper(), count + 1, name, isinstance(name, str), len(name)

    name = Name("ab")
    found = both(name, Count(1))
    assert found == ("own", 2, "ab", True, 2) or found == ("own", "sum", "ab", True, 2)
    assert type(found[2]) is Name


def test_the_general_variant_takes_objects():
    @jitffi.script
    def x_of(p, n):
        return p.x

    for n in (1, 1.5, "a", b"a", None, True, (1,), [1], {1: 2}, Point(1)):
        assert x_of(Point(4), n) == 4
    assert len(x_of._variants) == 9


def test_rebound_names_are_seen():
    space = {"jitffi": jitffi, "__name__": __name__}
    namespace = sys.modules[__name__].__dict__

    @jitffi.script
    def rebound(p):
        return changing.x + p.x  # noqa: F821

    namespace["changing"] = Point(1)
    assert rebound(Point(1)) == 2
    namespace["changing"] = Point(5)
    assert rebound(Point(1)) == 6
    del namespace["changing"]
    with pytest.raises(NameError, match="name 'changing' is not defined"):
        rebound(Point(1))
    namespace["changing"] = Point(7)
    assert rebound(Point(1)) == 8
    del namespace["changing"], space


def test_closures():
    held = Point(2)

    @jitffi.script
    def inner(p):
        return held.x + p.x

    assert inner(Point(1)) == 3
    held = Point(9)
    assert inner(Point(1)) == 10


def test_strict_scripts_refuse_them_by_name():
    for function, words in ((attributes, "no attributes"), (of_the_module, "pass math.sqrt as a parameter")):
        with pytest.raises(jitffi.ScriptError, match=words):
            jitffi.script(function, strict=True)


class _Shadowed:
    def __init__(self, number):
        self.number = number

    def what(self):
        return "the class", self.number


class _Plain:
    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number

    def what(self):
        return "slots", self.number


@jitffi.script
def asks(p):
    return p.what(), p.number


def test_methods_are_those_of_now():
    def ask(p):
        assert asks(p) == asks.__wrapped__(p)
        return asks(p)[0]

    first, second, third = _Shadowed(1), _Shadowed(2), _Shadowed(3)
    for _ in range(3):
        assert ask(first) == ("the class", 1) and ask(_Plain(5)) == ("slots", 5) and ask(second) == ("the class", 2)
    assert vars(third) == {"number": 3}
    ask(third)
    second.what = lambda: "its own"
    third.what = lambda: "its own, too"
    for _ in range(3):
        assert ask(second) == "its own" and ask(first) == ("the class", 1) and ask(third) == "its own, too"
    del second.what
    assert ask(second) == ("the class", 2)
    before = _Shadowed.what
    try:
        _Shadowed.what = lambda p: ("another", p.number)
        assert ask(first) == ("another", 1) and ask(second) == ("another", 2)
        _Shadowed.what = staticmethod(lambda: "static")
        assert ask(first) == "static" and ask(third) == "its own, too"
        _Shadowed.what = property(lambda p: lambda: ("a property", p.number))
        assert ask(first) == ("a property", 1) and ask(third) == ("a property", 3)
        del _Shadowed.what
        with pytest.raises(AttributeError, match="what"):
            asks(first)
    finally:
        _Shadowed.what = before
    first.__class__ = type("Other", (_Shadowed,), {"what": lambda p: "other"})
    assert ask(first) == "other" and ask(second) == ("the class", 2)
