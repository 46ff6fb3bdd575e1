"""Lists of Python's own whose items are taken to be what the first is: native items, Python's results."""

import copy
import sys
from collections import Counter, defaultdict

import pytest

import jitffi
from tests.scripts.alike import described
from tests.support import leaks

KNOWN = {"be", "or"}


class Word(str):
    """A str that is none of those which are guessed."""


def total(items):
    found = 0
    for each in items:
        found += len(each) if isinstance(each, str) else each * 2
    return found, len(items)


def kept(items):
    longest, texts, last = "", [], None
    for i, each in enumerate(items):
        last = each
        text = str(each).strip(".").lower()
        if len(text) > len(longest):
            longest = text
        texts.append(text * i)
    return longest, sorted(texts), last, items[0] if items else None


def counted(items):
    groups, counts = defaultdict(list), Counter(items)
    for each in items:
        groups["".join(sorted(str(each)))].append(each)
        counts[each] += each in KNOWN
    return sorted(groups.items()), counts.most_common(2), [items[i] for i in range(len(items))]


def put(items):
    """What is kept of a text that is looked into, and of others that come from it."""
    last, rows, table = "", [], {}
    for i, each in enumerate(items):
        if len(each) > 1 or last != each:
            rows.append((i, each, last, [each.upper()], each.split("a", 1), each.rpartition("b")))
        table[each] = table.setdefault(each, i) + table.get(last, 0)
        last = each if i % 2 else each + "!"
        rows.append((each, last in table))
    return rows, table


def long(items):
    return [(i, each) for i, each in enumerate(items) if len(each) > 1]


def only_put(items):
    """Nothing but that: the list is read as any other."""
    rows = []
    for i, each in enumerate(items):
        rows.append((each, each.rsplit("a", 1), i, each.split(), each.partition("a")))
    return rows


def first(items):
    for each in items:
        if each:
            return each
    return items


def grown(items):
    for each in items:
        if len(items) < 6:
            items.append(each)
    return items


def both(items, others):
    for each in items:
        if len(others) < 6:
            others.append(each)
    return items


def asked(items, ask):
    return [ask(items, each) for each in items], items[-1]


def changed(items, each):
    items[-1] = None
    return each


LISTS = [
    [], ["to", "be", "be", "or"], ["naïve", "日本", "x" * 40, "", "a\U0001f600"], ["a", 1], [1, 2, 3], [1, 1 << 70],
    ["b\u00e9", "a" * 9 + "\u65e5" * 40, "\U0001f600" * 9, "b\u00e9", "ab", "bab", "", "\u65e5"],
    [1, True], [0.5, 2.5], [0.5, 1], [None], [Word("a"), "b"], ["b", Word("a")], ["a", None], [1.5, "a"],
]  # fmt: skip
ALONE = [(function, (each,)) for function in (total, kept, counted, put, only_put, first, grown) for each in LISTS]
CASES = [
    *ALONE,
    (total, (["a", "b\ud800"],)),
    (put, (["a", "b\ud800"],)),
    (asked, (["a", "b"], changed)),
    (both, (["a"], ["b"])),
]


def outcome(function, arguments):
    try:
        return described(function(*arguments))
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("function", dict.fromkeys(function for function, _ in CASES), ids=lambda f: f.__name__)
def test_results_and_effects_are_those_of_python(function):
    script = jitffi.script(function)
    given = [arguments for each, arguments in CASES if each is function]
    for arguments in [*given, *given[1:3]]:
        ours, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
        assert outcome(script, ours) == outcome(function, theirs), arguments
        assert described(ours) == described(theirs)
    before = leaks.live_objects()
    counts = [sys.getrefcount(each) for each in given[1 % len(given)][0]]
    for arguments in given:
        outcome(script, copy.deepcopy(arguments))
    assert leaks.live_objects() == before
    assert [sys.getrefcount(each) for each in given[1 % len(given)][0]] == counts
    assert script._given.left is False


@pytest.mark.parametrize("function", [total, counted, put, long, only_put, grown], ids=lambda f: f.__name__)
def test_native_lists_are_looked_through_where_they_are(function):
    script = jitffi.script(function)
    before = leaks.live_objects()
    for items in [*LISTS, *LISTS[1:3]]:
        if any(type(each) not in (int, float, str, bool, type(None)) or each == 1 << 70 for each in items):
            continue
        given, theirs = jitffi.List(items), copy.deepcopy(items)
        found, wanted = outcome(script, (given,)), outcome(function, (theirs,))
        assert found == wanted or function is grown, items
        assert given.to_python() == theirs
    del given
    assert leaks.live_objects() == before


def sizes(items):
    found = 0
    for each in items:
        found += len(each.strip())
    return found


def test_what_native_lists_hold_is_shown():
    script = jitffi.script(sizes)
    assert script(jitffi.List(["a ", "bc"])) == 3
    assert "sizes(items: list[str])" in script.inspect_types()
    assert script(jitffi.List(["a", b"xy"])) == 3  # by the interpreter, and no List is looked through from now on
    assert script(jitffi.List(["ab"])) == 2
    for function, shown in ((total, "total(items: list[int])"), (long, "long(items: list[any])")):
        script = jitffi.script(function)
        script(jitffi.List([1, 2] if function is total else ["ab"]))  # which keeps what it finds there
        assert shown in script.inspect_types()


def test_one_list_in_two_places():
    script, items = jitffi.script(both), ["a"]
    assert script(items, items) is items == ["a"] * 6


def test_what_is_kept_of_a_list_is_what_is_in_it():
    items = ["".join(("ab", each)) for each in ("c", "\u65e5", "\U0001f600" * 40)]
    rows = jitffi.script(long)(items)
    assert [row[1] is each for row, each in zip(rows, items, strict=True)] == [True] * 3
    script = jitffi.script(only_put)
    assert [row[0] is each for row, each in zip(script(items), items, strict=False)] == [True] * 3
    assert ", str]" not in script.inspect_types()


def test_what_is_guessed_is_shown():
    script = jitffi.script(total)
    script(["a"])
    script([1])
    shown = script.inspect_types()
    assert "total(items: object[list, str])" in shown and "total(items: object[list, int])" in shown
    script(["a", 1])
    for items in (["a"], [1.5]):  # no list is looked through from now on
        assert script(items) == total(items)
    assert len(script._variants) == 3


@pytest.mark.parametrize("function", [first, grown, asked, both], ids=lambda f: f.__name__)
def test_nothing_is_guessed_where_that_could_be_seen_or_cost_more(function):
    script = jitffi.script(function)
    arguments = copy.deepcopy([given for each, given in CASES if each is function and given[0]][0])
    script(*arguments)
    assert ", str]" not in script.inspect_types()
