"""Tuples that scripts need not make: texts cut in two, items that are unpacked, keys of dicts. As CPython has it."""

import copy
import gc
import random

import pytest

import jitffi
from jitffi import _core

# -- texts cut in two -------------------------------------------------------------------------------------------------


def partition(s):
    a, b, c = s.partition("=")
    return [a, b, c]


def rpartition(s):
    a, b, c = s.rpartition("==")
    return [a, b, c]


def into_itself(s):
    t = s
    a, t, b = t.partition("=")
    return [a, t, b]


def partition_items(s):
    return [s.partition("=")[0], s.partition("=")[1], s.partition("=")[-1], s.rpartition("=")[0], s.rpartition("=")[-2]]


def first_of_split(s):
    return [s.split("=")[0], s.split("=", 1)[0], s.split("=", -1)[0], s.rsplit("=")[0], s.rsplit("=", 1)[0]]


def first_of_long_split(s):
    return [s.split("==")[0], s.rsplit("==")[0], s.rsplit("==", 1)[0], s.split("==", 0)[0]]


def last_of_split(s):
    return [s.split("=")[-1], s.split("=", 1)[-1], s.rsplit("=")[-1], s.rsplit("=", 1)[-1], s.split("==")[-1]]


def second_of_split(s):
    return s.split("=", 1)[1]


def second_of_rsplit(s):
    return s.rsplit("=", 1)[1]


def third_of_split(s):
    return s.split("=", 1)[2]


def split(s):
    a, b = s.split("=", 1)
    return [a, b]


def rsplit(s):
    a, b = s.rsplit("=", 1)
    return [a, b]


def empty_separator(s):
    a, _, _ = s.partition("")
    return a


def empty_split(s):
    return s.split("")[0]


CUTS = [
    partition, rpartition, into_itself, partition_items, first_of_split, first_of_long_split, last_of_split,
    second_of_split, second_of_rsplit, third_of_split, split, rsplit, empty_separator, empty_split,
]  # fmt: skip
TEXTS = [
    "", "=", "a=b", "==", "===", "a==b==c", "abc", "=x", "x=", "\u00e9=b", "\u4e09=\u56db=\u4e94", "a===b", "a",
    "a" * 50 + "=" + "b" * 60, "x" * 200 + "=" + "\u4e09" * 100, b"a=b", 3, None, [1], ("x",),
]  # fmt: skip


def outcome(function, *args):
    try:
        found = function(*args)
    except Exception as error:
        return type(error), str(error)
    return found.to_python() if hasattr(found, "to_python") else found


#: The same of a value of unknown type.
_OF_ANY = """
def of_any(items):
    s = items[0]
"""


def of_any(function, tmp_path, monkeypatch):
    import inspect

    body = inspect.getsource(function).split("\n", 1)[1]
    (tmp_path / f"any_{function.__name__}.py").write_text(_OF_ANY + body)
    monkeypatch.syspath_prepend(tmp_path)
    return __import__(f"any_{function.__name__}").of_any


@pytest.mark.parametrize("function", CUTS)
def test_cuts_of_typed_text_and_of_any(function, tmp_path, monkeypatch):
    other = of_any(function, tmp_path, monkeypatch)
    typed, untyped = jitffi.script(function), jitffi.script(other)
    for each in TEXTS:
        wanted = outcome(function, each)
        assert not isinstance(each, (str, bytes)) or outcome(typed, each) == wanted, each
        assert outcome(untyped, [each]) == wanted, each


def lines_cut(lines):
    found = {}
    for line in lines:
        name, _, value = line.partition("=")
        found[name] = value.strip()
        head = line.split("=", 1)[0]
        found[head + "!"] = line
    return found


def test_parts_outlive_what_they_are_of():
    lines = [text * 3 for text in TEXTS if isinstance(text, str)]
    assert outcome(jitffi.script(lines_cut), lines) == lines_cut(lines)


# -- keys of dicts ----------------------------------------------------------------------------------------------------


class Host:
    """An object of Python's."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return isinstance(other, Host) and self.number == other.number

    def __hash__(self):
        return hash(self.number)


NAN = float("nan")
VALUES = [
    1, 1.0, True, 0, False, -0.0, 2**61 - 1, 2**62, -1, -(2**63), 2**63 - 1, "a", "a\u00e9", "a" * 9, "a" * 200,
    "\u4e09" * 5, "\u4e09" * 100, b"a", b"xyz" * 10, None, NAN, (1, 2), (1, (2, 3)), (1.0, True), "", b"", 1.5, Host(1),
    Host(2), Host(1), len,
]  # fmt: skip


def counted(xs, ys):
    d = {}
    for i in range(len(xs)):
        a = xs[i]
        b = ys[i]
        d[(a, b)] = d.get((a, b), 0) + 1
    return d


def looked_up(xs, ys, us, vs):
    d = {}
    for i in range(len(xs)):
        d[xs[i], ys[i]] = i
    out = []
    for i in range(len(us)):
        out.append((us[i], vs[i]) in d)
        out.append((us[i], vs[i]) not in d)
        out.append(d.get((us[i], vs[i])))
        out.append(d.get((us[i], vs[i]), -1))
        out.append(d.get((us[i], vs[i]), "none"))
        if (us[i], vs[i]) in d:
            out.append(d[us[i], vs[i]])
    return out


def augmented(xs, ys):
    d = {}
    for i in range(len(xs)):
        k = (xs[i], ys[i])
        if k not in d:
            d[k] = 0
        d[xs[i], ys[i]] += i
        d[k] += 1
        d[xs[i], ys[i]] -= 2
    return d


def lists_by_key(xs, ys):
    d = {}
    for i in range(len(xs)):
        if (xs[i], ys[i]) not in d:
            d[xs[i], ys[i]] = []
        d[xs[i], ys[i]] += [i]
        d[xs[i], ys[i]].append(i)
    return d


def comprehended(xs, ys):
    return {(xs[i], ys[i], i % 2): i for i in range(len(xs))}


def nested(xs, ys):
    d = {}
    for i in range(len(xs)):
        d[(xs[i], (ys[i], i % 3))] = i
        d[xs[i], (ys[i], i % 3)] += 1
    return d


def displayed(a, b):
    return {(a, b): 1, (b, a): 2, (a, a): 3, (1, "k"): 4}


def missed(d, a, b):
    return d[a, b]


def by_characters(s):
    d = {}
    for i in range(len(s) - 3):
        d[s[i], s[i : i + 2]] = d.get((s[i], s[i : i + 2]), 0) + 1
        d[s[i], s[i + 1]] = d.get((s[i], s[i + 1]), 0) + 1
    return d


def shape(x):
    """With types, which are not compared otherwise."""
    if isinstance(x, dict):
        return [(shape(key), shape(value)) for key, value in x.items()]
    if isinstance(x, (list, tuple)):
        return type(x), [shape(each) for each in x]
    return type(x), repr(x)


def same(script, function, *args):
    wanted, got = outcome(function, *copy.copy(args)), outcome(script, *copy.copy(args))
    assert shape(got) == shape(wanted), args


@pytest.mark.parametrize("function", [counted, looked_up, augmented, lists_by_key, comprehended, nested])
def test_keys_of_all_kinds(function):
    random_of = random.Random(7)
    script = jitffi.script(function)
    for count in (3, 8, 9, 150):
        for _ in range(4):
            some = [[random_of.choice(VALUES) for _ in range(count)] for _ in range(4)]
            same(script, function, *(some if function is looked_up else some[:2]))
            if function is looked_up:
                same(script, function, *some[:2], *some[:2])


def test_keys_leave_nothing_behind():
    script, some = jitffi.script(lists_by_key), [f"{i % 17}" * 40 for i in range(100)]
    some, others = jitffi.List(some), jitffi.List(some[::-1])
    script(some, others)
    gc.collect()
    before = _core.live_objects()
    for _ in range(3):
        script(some, others)
    gc.collect()
    assert _core.live_objects() == before


def test_keys_without_a_hash_and_keys_that_are_not_there():
    for function, args in (
        (counted, ([{}], [1])), (augmented, ([[1]], [2])), (looked_up, ([1], [2], [[]], [1])), (missed, ({}, 1, "a")),
        (missed, ({(1, 2): 3}, 1.0, 2)), (missed, ({(1, 2): 3}, 2, 1)), (displayed, ([1], 2)), (displayed, (1.0, 1)),
        (by_characters, ("to be or not to be",)),
        (by_characters, ("\u4e09\u56db\u4e94\u4e09\u56db a\u00e9\u4e09\u56db",)),
    ):  # fmt: skip
        same(jitffi.script(function), function, *args)


# -- unpacking --------------------------------------------------------------------------------------------------------


def unpacked(pairs):
    out = []
    for a, b in pairs:
        out.append(b)
        out.append(a)
    return out


def unpacked_into(pairs, out):
    for pair in pairs:
        out[0], out[1] = pair
    return out


def test_unpacking_of_any():
    texts = ["ab", ["x" * 100, "y"], (1, 2.5), jitffi.List(["\u4e09" * 9, None]), {"k": 1, "l": 2}, range(2), b"xy"]
    for each in ([texts[:3]], [texts[3:5]], [texts[:5]], [texts[6:]], [[(1, 2), (1, 2, 3)]], [[(1,)]], [[5]], [[None]]):
        same(jitffi.script(unpacked), unpacked, *each)
    same(jitffi.script(unpacked_into), unpacked_into, [(1, "a"), ("b" * 50, 2)], [0, 0])
    same(jitffi.script(unpacked_into), unpacked_into, [(1, "a"), ("b" * 50, 2)], [0])


# -- tuples of the module, which are themselves -----------------------------------------------------------------------

NO_DEFAULT = ("NO", "DEFAULT")
SUFFIXES = ("ing", "ed")


class Option:
    def __init__(self, default=None):
        self.default = default


def kept(option, given=NO_DEFAULT):
    option.default = given
    found = [NO_DEFAULT, SUFFIXES]
    return NO_DEFAULT, found, {1: NO_DEFAULT}, option.default is NO_DEFAULT, given is not NO_DEFAULT


def looked_into(word):
    n = 0
    for each in SUFFIXES:
        n += word.endswith(each)
    first, second = SUFFIXES
    return n, word in SUFFIXES, word.endswith(SUFFIXES), SUFFIXES[0], len(SUFFIXES), first + second, SUFFIXES + ("x",)


@pytest.mark.parametrize("given", [(), (NO_DEFAULT,), (("NO", "DEFAULT".upper()),), (None,)])
def test_a_tuple_of_the_module_is_the_same_object(given):
    (first, (listed, suffixes), mapped, *tests) = jitffi.script(kept)(Option(), *given)
    assert first is NO_DEFAULT and listed is NO_DEFAULT and mapped[1] is NO_DEFAULT and suffixes is SUFFIXES
    assert tests == list(kept(Option(), *given)[3:])


def test_one_that_is_only_looked_into_is_built_in():
    made = jitffi.script(looked_into)
    for word in ("sing", "red", "ing"):
        assert made(word) == looked_into(word)
    assert "built in, as it was when this was compiled: SUFFIXES = ('ing', 'ed')" in made.inspect_types()
