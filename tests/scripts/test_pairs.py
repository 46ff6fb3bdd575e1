# ruff: noqa: B905 - scripts have strict=, which is not asked for here
"""Tuples that scripts put into lists, counts by tuples, first words: of whatever lies where, as CPython has it."""

import copy
import gc
from collections import Counter

import pytest

import jitffi
from jitffi import _core


def outcome(function, *args):
    try:
        found = function(*args)
    except Exception as error:
        return type(error), str(error)
    return found.to_python() if hasattr(found, "to_python") else found


def shape(x):
    """With types, which are not compared otherwise."""
    if isinstance(x, dict):
        return [(shape(key), shape(value)) for key, value in x.items()]
    if isinstance(x, (list, tuple)):
        return type(x), [shape(each) for each in x]
    return type(x), repr(x)


def same(script, function, *args):
    wanted, got = outcome(function, *copy.deepcopy(args)), outcome(script, *copy.deepcopy(args))
    assert shape(got) == shape(wanted), args


def zipped(x, y):
    return [(a, b) for a, b in zip(x, y)]


def zipped_list(x, y):
    return list(zip(x, y, x))


def zipped_for(x, y):
    out = []
    for a, b in zip(x, y):
        out.append((b, 1.5, a, None, True))
    return out


def zipped_deep(x, y):
    return [(a, (b, (a, 1)), [b]) for a, b in zip(x, y)]


def zipped_and_kept(x, y):
    last, out = None, []
    for a, b in zip(x, y):
        last = a
        out.append((a, b))
    return out, last


def chosen(x, y):
    return [(a, i) for i, a in enumerate(x) if i % 2]


def numbered(x, y):
    return list(enumerate(x)) + [(i, a, a) for i, a in enumerate(y, 1000)]


def crossed(x, y):
    return [(a, b) for a in x for b in y[:5]]


def extended(x, y):
    out = [(0, 0)]
    out.extend(zip(x, y))
    out.extend(enumerate(y))
    return out


def into_itself_again(x, y):
    out = [(1, 2)]
    for a in x[:20]:
        out.append((out[0], a, out))
        out[0] = (a, len(out))
    return len(out), out[0], [each[:2] for each in out]


def of_its_own(x, y):
    for a in x:
        if len(x) < 100:
            x.append((a, len(x)))
    return x[-1], len(x)


def nine(x, y):
    return [(a, b, a, b, a, b, a, b, a) for a, b in zip(x, y)], [() for _ in x]


LONG = "many characters, " * 12
MIXED = [
    1, 5000, -129, 2**62, 1.5, None, True, "", "x", "word", "\u4e09", "\u4e09\u56db\u4e94\u516d\u4e03",
    "0123456789" * 3, LONG, "\u4e09" * 31, "\u4e09" * 32, "\u00e9" * 63, "\u00e9" * 64, b"", b"ab", b"0" * 127,
    b"0" * 200, [1], (1, "a"), {"k": "v"}, "x" * 127, "x" * 128, "\U0001f600",
]  # fmt: skip


@pytest.mark.parametrize(
    "function",
    [zipped, zipped_list, zipped_for, zipped_deep, zipped_and_kept]
    + [chosen, numbered, crossed, extended, into_itself_again, nine],
)
def test_tuples_of_all_kinds_in_lists(function):
    script, back = jitffi.script(function), MIXED[::-1]
    for x, y in ((MIXED, back), (MIXED * 20, back * 20), (tuple(MIXED), back), ("text", {"a": 1, "b": 2}), ([], [])):
        if function not in (crossed, into_itself_again, numbered) or isinstance(x, list):
            same(script, function, x, y)
    wanted = outcome(function, list(MIXED), list(back))
    assert shape(outcome(script, jitffi.List(MIXED), jitffi.List(back))) == shape(wanted)


def test_tuples_of_a_list_that_grows():
    same(jitffi.script(of_its_own), of_its_own, [1, LONG, ("a", 2)], [])


def items_kept(table):
    return list(table.items()), [(v, k) for k, v in table.items()], sorted(table.values(), key=str)


def typed_pairs(words: list[str], others: list[str]) -> list[tuple[str, str]]:
    return [(a, b) for a, b in zip(words, others)]


def floats(numbers):
    out = [(0.5, "a")]
    for n in range(numbers):
        out.append((n, "b"))
    return out


def test_tuples_of_items_of_texts_and_of_floats():
    table = {f"key {i}" * (i % 5): each for i, each in enumerate(MIXED)}
    same(jitffi.script(items_kept), items_kept, table)
    texts = [each for each in MIXED if isinstance(each, str)] * 3
    same(jitffi.script(typed_pairs), typed_pairs, texts, texts[::-1])
    same(jitffi.script(floats), floats, 3)


def test_tuples_in_lists_leave_nothing_behind():
    for function in (zipped, zipped_deep, zipped_for, numbered, extended, nine, into_itself_again):
        script, args = jitffi.script(function), [jitffi.List(MIXED), jitffi.List(MIXED[::-1])]
        script(*args)
        gc.collect()
        before = _core.live_objects()
        for _ in range(3):
            script(*args)
        gc.collect()
        assert _core.live_objects() == before, function


# -- counting, and first words ----------------------------------------------------------------------------------------


def counts(x, y):
    d = {}
    for a, b in zip(x, y):
        pair = (a, b)
        d[pair] = d.get(pair, 0) + 1
        d[a, 1] = d.get((a, 1), 5) + 2
        d[a] = d.get(a, 9223372036854775806) + 1
    return list(d.items())


def counts_in_loops(x, y):
    d, n, pair, last = {}, Counter(), None, None
    for pair in zip(x, y):
        d[pair] = d.get(pair, 0) + 1
        last = pair
    for each in enumerate(x):
        n[each] += 1
        if each in d:
            n[each] += 2
    best = min(zip(x, y), key=lambda each: -d.get(each, 0), default=None)
    return list(d.items()), pair, last, best, n.most_common(2), [n[each] for each in zip(range(len(x)), x)]


def counts_of_letters(x, y):
    d = {}
    for text in x:
        for c in text:
            d[c] = d.get(c, 0) + 1
            d[c, text[:2]] = d.get((c, text[:2]), 0) + 1
    return list(d.items())


def counts_of_others(x, y):
    d = {"a": 1, "b": True}
    d["a"] = d.get("a", 0) + 1
    d["b"] = d.get("b", 0) + 1
    for a in x:
        d[a] = d.get(a, 0) + 1
    return list(d.items())


def counts_of_parts(x: list[str]) -> dict[str, int]:
    d: dict[str, int] = {}
    for text in x:
        a, _, b = text.partition("\u4e09")
        d[a] = d.get(a, 0) + 1
        d[b] = d.get(b, 0) + 1
    return d


def first_words(x, y):
    out = []
    for text in x:
        if text:
            out.append(text.split(None, 1)[0])
            out.append(text.split()[0])
            out.append(text.split(None)[0])
            out.append(text.split(None, -1)[0])
            out.append(text.split(maxsplit=2)[0])
            out.append(text.split(None, 0)[0])
    return out


def first_word_typed(text: str) -> str:
    return text.split(None, 1)[0]


def first_word_of_bytes(text: bytes) -> bytes:
    return text.split()[0]


HASHED = [each for each in MIXED if each is not True and not isinstance(each, (list, dict))]
TEXTS = [each for each in MIXED if isinstance(each, str)] + ["ab", "a\u4e09", "ab\u4e09ab"]


def test_counts():
    for function, x in (
        (counts, HASHED[:9]),
        (counts, [[1]]),
        (counts_of_letters, TEXTS * 2),
        (counts_in_loops, TEXTS),
    ):
        same(jitffi.script(function), function, x, x[::-1])
    same(jitffi.script(counts), counts, HASHED, HASHED[::-1])
    same(jitffi.script(counts_in_loops), counts_in_loops, TEXTS, TEXTS[::-1])
    for x in (["a", "b", "c", "c"], [1, 1.0, True, (1, 2), (1, 2)], [{}]):
        same(jitffi.script(counts_of_others), counts_of_others, x, [])
    same(jitffi.script(counts_of_parts), counts_of_parts, TEXTS)


def test_first_words():
    script = jitffi.script(first_words)
    words = [
        " a b",
        "one",
        "\u4e09\u56db \u4e94",
        "\u3000\u4e09\u3000",
        "\t" * 40 + "x" * 50,
        b" a b",
        b"\x85 b",
        "a\u4e09 b",
    ]
    for x in (words, ["x " * 60], [" "], [b"\n"], [5], [None, [1]]):
        same(script, first_words, x, [])
    for text in [*words, "", " "]:
        function = first_word_of_bytes if isinstance(text, bytes) else first_word_typed
        same(jitffi.script(function), function, text)


def test_what_is_passed_again_is_decoded_once():
    script, words = (
        jitffi.script(first_words),
        ["\u4e09 a", "\u00e9" * 20 + " b", "\U0001f600\U0001f600 \u4e09", "plain text"],
    )
    counted, table = jitffi.script(items_kept), {word: word for word in words}
    for _ in range(4):
        assert script(words, []) == first_words(words, [])
        assert shape(outcome(counted, table)) == shape(items_kept(table))
