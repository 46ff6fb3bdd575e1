"""Counters and defaultdicts of scripts: native Maps where nobody else sees them, else Python's own."""

import collections
import copy
from collections import Counter, defaultdict

import pytest

import jitffi
from tests.scripts.alike import described
from tests.support import leaks

TEXT = "to be or not to be that is the question eb ot"


def counted(text):
    c = Counter(text.split())
    c["x"] += 2
    c["be"] -= 1
    c.update(text)
    c.update({"y": 3})
    c.update(c.keys())
    rest = [c.get("none"), c["none"], c["x"], "none" in c, len(c), c.pop("x"), c.setdefault("z", 7), bool(c)]
    return sorted(c.items()), c.most_common(3), c.most_common(0), c.most_common(-1), c.most_common(), rest


def grouped(text):
    groups = collections.defaultdict(list)
    for word in text.split():
        groups["".join(sorted(word))].append(word)
    groups["read"]
    return sorted(sorted(each) for each in groups.values() if len(each) > 1), sorted(groups), sum(map(len, groups))


def by_pair(text):
    counts, sums, texts, flags = defaultdict(int), defaultdict(float), defaultdict(str), defaultdict(bool)
    nested = defaultdict(dict)
    words = text.split()
    for i in range(len(words) - 1):
        counts[words[i], words[i + 1]] += 1
        counts[tuple(words[i : i + 2])] += i
        sums[i % 3] += i / 2
        texts[len(words[i])] += words[i]
        flags[words[i]] |= i > 3
        nested[words[i][0]][words[i]] = i
    found = {key: sorted(inner.items()) for key, inner in nested.items()}
    return dict(counts), list(sums.items()), dict(texts), {**flags}, found, max(counts, key=counts.get)


def weighed(text):
    bags = [Counter(word) for word in text.split()]
    seen = Counter()
    for bag in bags:
        seen.update(bag.keys())
        seen.update(bag)
    return [{ch: n / sum(bag.values()) + seen[ch] for ch, n in bag.items()} for bag in bags]


def given_back(text):
    counts, groups = Counter(text), defaultdict(list)
    groups["a"].append(counts["t"])
    return counts, groups, groups["b"]


def alone(text):
    return Counter(text.split())


def either(text):
    d, c = defaultdict(int), Counter()
    for word in text.split():
        d[word] += 1
    if "none" in d:
        return None
    try:
        c["a"] += 1
        if "to" in d:
            return d
        return c
    finally:
        c["b"] += 1


def compared(text):
    a, b = Counter(text), Counter(text)
    b["none"] = 0
    return a == b, a <= b, a in [b], f"{a}", str(b), repr(defaultdict(int)), type(a).__name__, a + b


def deleted(text):
    c = Counter(text)
    del c["none"]
    return c.copy(), c.total() if hasattr(c, "total") else 0, list(c.elements())


def mixed(text):
    found = {} if len(text) > 5 else Counter()
    found["a"] = 1
    kept = [Counter(text), 1, "x"]
    return found, kept, kept[0]["none"]


def _most(counter, key):
    return counter[key] + counter["none"]


def _grown(groups, key):
    return len(groups[key])


def _kept(counter):
    return repr(counter)


def passed_on(text):
    counts, groups = Counter(text), defaultdict(list)
    return _most(counts, "t"), _grown(groups, "a"), len(groups), _kept(Counter(text))


def of_floats(text):
    c = Counter()
    for word in text.split():
        c[word] += 0.5
    return sorted(c.items()), c["none"]


def beyond(text):
    c = Counter(text)
    for _ in range(3):
        c["t"] += 1 << 62
    return c.most_common(1)


def failing(value, what):
    d, c = defaultdict(int), Counter()
    if what == 0:
        return d[[value]]
    if what == 1:
        d["a"] += value
    if what == 2:
        return Counter(value)
    if what == 3:
        c.update(value)
    if what == 4:
        for key in d:
            d[key, 1]
        d["a"]
        for key in d:
            d[key, 1] += 1
    if what == 5:
        c["a"] += len(value)
    return d, c


CASES = [
    *[(function, (TEXT,)) for function in (counted, grouped, by_pair, weighed, given_back, alone, of_floats, beyond)],
    *[(either, (text,)) for text in (TEXT, "none", "x")],
    *[(function, (TEXT,)) for function in (compared, deleted, mixed, passed_on)],
    *[(failing, (value, what)) for what in range(6) for value in (1, "ab", None)],
    (failing, ({"a": 2}, 2)),
    (failing, ([("a", 1)], 3)),
]


def outcome(function, arguments):
    try:
        return described(function(*arguments))
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("function", dict.fromkeys(function for function, _ in CASES), ids=lambda f: f.__name__)
def test_results_are_those_of_python(function):
    script = jitffi.script(function)
    given = [arguments for each, arguments in CASES if each is function]
    for arguments in given:
        assert outcome(script, copy.deepcopy(arguments)) == outcome(function, arguments), arguments
    before = leaks.live_objects()
    for arguments in given:
        outcome(script, arguments)
    assert leaks.live_objects() == before
    assert script._given.left is False


def test_what_nobody_else_sees_is_native():
    for function, types in (
        (counted, ["c: Counter[str, int]"]),
        (grouped, ["groups: defaultdict[str, list[str]]"]),
        (weighed, ["bags: list[Counter[str, int]]", "seen: Counter[str, int]"]),
        (alone, ["-> Counter[str, int]"]),
        (either, ["d: defaultdict[str, int]"]),
        (passed_on, ["counts: Counter[str, int]", "groups: defaultdict["]),
    ):
        script = jitffi.script(function)
        script(TEXT)
        shown = script.inspect_types()
        assert all(each in shown for each in types), shown
