"""Lists, dicts, tuples and sets of Python's own in scripts: read and written where they are, made for Python."""

import copy
import gc
import random
import sys
from typing import Any

import pytest

import jitffi
from tests.scripts import many
from tests.scripts.own_functions import CASES
from tests.support import leaks


def outcome(function, arguments):
    try:
        return "result", function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)


def shown(value):
    return repr(value), type(value)


@pytest.mark.parametrize("function, arguments", CASES, ids=[each[0].__name__ for each in CASES])
def test_effects_and_results_are_those_of_python(function, arguments):
    script = jitffi.script(function)
    for _ in range(2):
        theirs, ours = copy.deepcopy(arguments), copy.deepcopy(arguments)
        wanted, got = outcome(function, theirs), outcome(script, ours)
        assert shown(got) == shown(wanted) and shown(ours) == shown(theirs)
    assert not script._given.left
    gc.collect()
    before = leaks.live_objects()
    counts = [sys.getrefcount(each) for each in arguments]
    for _ in range(5):
        outcome(script, copy.deepcopy(arguments))
    gc.collect()
    assert leaks.live_objects() == before
    assert [sys.getrefcount(each) for each in arguments] == counts


def same(x):
    return x


def stored(d, x):
    d["x"] = x
    return d["x"] is x


@pytest.mark.parametrize(
    "value", [[1], {"a": 1}, (1, [2]), {1, 2}, frozenset((1,)), object()], ids=lambda x: type(x).__name__
)
def test_what_comes_back_is_the_same_object(value):
    assert jitffi.script(same)(value) is value
    found = {}
    assert jitffi.script(stored)(found, value) is True and found["x"] is value


def test_lists_and_maps_of_ours_stay_ours():
    mine, table = jitffi.List([1]), jitffi.Map(a=1)
    assert jitffi.script(same)(mine) is mine and jitffi.script(same)(table) is table
    found = {}
    assert jitffi.script(stored)(found, mine) and found["x"] is mine


def spread(a, b):
    return {**a, "k": 1, **b}, {"x": 2, **a}["x"]


def test_dicts_in_displays():
    script = jitffi.script(spread)
    for arguments in (({1: 2}, {3: 4}), ({"x": 5}, {}), ({}, [3]), ({}, jitffi.Map(a=1))):
        assert outcome(script, arguments) == outcome(spread, arguments)


def test_keys_that_keep_what_they_are_compared_with():
    kept = []

    class Key:
        def __init__(self, like):
            self.hash = hash(like)

        def __hash__(self):
            return self.hash

        def __eq__(self, other):
            kept.append(other)
            return False

    def look(table, text):
        return [piece in table for piece in text.split()], [table.get(piece) for piece in text.split()]

    script, table = jitffi.script(look), {Key("alpha"): 1, Key("beta"): 2}
    expected = look(table, "alpha beta gamma")
    compared = [*kept]  # probing may meet a key twice
    for _ in range(3):
        kept.clear()
        assert script(table, "alpha beta gamma") == expected
        assert kept == compared


def test_a_dict_that_changes_is_an_error():
    def grow(table):
        for key in table:
            table[key + "x"] = 1

    def shrink(table):
        for _ in table.items():
            table.pop("b")

    for function in (grow, shrink):
        wanted = outcome(function, [{"a": 1, "b": 2}])
        assert outcome(jitffi.script(function), [{"a": 1, "b": 2}]) == wanted
        assert wanted[0] == "RuntimeError"


# -- random programs ---------------------------------------------------------------------------------------------------

_NUMBERS = ("0", "1", "-1", "n", "len(xs)", "len(d)", "(xs[0] if xs else 3)", "d.get('a', 5)")
_TEXTS = ("'a'", "'b'", "k", "str(n)", "k + 'x'")
_STATEMENTS = (
    "xs.append({n})", "xs.append({t})", "xs.insert({n}, {n})", "xs[{n}] = {n}", "xs[{n}]", "out.append(xs[{n}])",
    "del xs[{n}]", "xs.pop()", "xs.pop({n})", "xs.extend(ys)", "xs += [{n}, {t}]", "xs[{n}:{n}] = [{n}]",
    "out.append(xs[{n}:{n}])", "out.append(xs[::-1])", "xs.reverse()", "out.append({n} in xs)", "out.append(xs == ys)",
    "out.append(xs.count({n}))", "out.append(xs.index({n}))", "out.append(list(xs))", "out.append(xs.copy())",
    "d[{t}] = {n}", "d[{t}] = xs", "out.append(d[{t}])", "out.append(d.get({t}))", "out.append(d.get({t}, {n}))",
    "d[{t}] = d.get({t}, 0) + {n}", "d.pop({t})", "d.pop({t}, None)", "del d[{t}]", "out.append({t} in d)",
    "d.setdefault({t}, []).append({n})", "d.update({{{t}: {n}}})", "out.append(list(d))", "out.append(sorted(d))",
    "out.append(list(d.items()))", "out.append(list(d.values()))", "out.append(len(d) + len(xs))",
    "ys.append(out[-1:])",
    "ys = xs", "ys = [{n}]", "ys = list(ys)", "row = [{n}, {t}]; d['r'] = row; row.append({n}); out.append(row)",
    "out.append([x for x in xs if x != {n}])", "out.append([str(x) for x in xs])",
    "out.append({{k: {n} for k in d}})",
    "for x in xs[:3]: out.append(x)", "for i, x in enumerate(ys): out.append((i, x))",
    "for a in list(d): d[a + 'y'] = {n}", "for a, b in d.items(): out.append((a, b))",
    "for x in xs:\n        if len(xs) < 9: xs.append({n})", "for a in d:\n        d[a] = {n}",
    "out.append((xs, ys))", "a, b = {n}, {t}\n    out.append(a)\n    out.append(b)", "out.append(xs is ys)",
    "if xs: out.append(xs[-1])", "xs.clear()", "d.clear()", "xs[0] += {n}", "d['a'] += {n}", "xs.sort(key=str)",
)  # fmt: skip


def program(chance):
    lines = []
    for _ in range(chance.randint(3, 9)):
        line = chance.choice(_STATEMENTS)
        while "{n}" in line or "{t}" in line:
            line = line.replace("{n}", chance.choice(_NUMBERS), 1).replace("{t}", chance.choice(_TEXTS), 1)
        lines.append("    " + line.replace("{{", "{").replace("}}", "}"))
    return "def program(xs, ys, d, k, n):\n    out = []\n" + "\n".join(lines) + "\n    return out, xs, ys, d\n"


def given(chance):
    items = [1, 2, "a", 300, None, 2.5, "naïve", True]
    xs = [chance.choice(items) for _ in range(chance.randint(0, 5))]
    ys = xs if chance.random() < 0.2 else [chance.choice(items) for _ in range(chance.randint(0, 3))]
    return (
        xs,
        ys,
        {chance.choice("abc"): chance.choice(items) for _ in range(3)},
        chance.choice("ab"),
        chance.randint(-2, 4),
    )


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed):
    chance = random.Random(seed * 7919 + 11)
    for _ in range(3):
        source = program(chance)
        function = many.function_of(source, "program")
        script = jitffi.script(function)
        for _ in range(12):
            arguments = given(chance)
            theirs, ours = copy.deepcopy(arguments), copy.deepcopy(arguments)
            wanted, got = outcome(function, theirs), outcome(script, ours)
            assert shown(got) == shown(wanted) and shown(ours) == shown(theirs), (source, arguments)
            if got[0] == "result":
                assert [a is b for a in got[1] for b in ours] == [a is b for a in wanted[1] for b in theirs], source


def views(n):
    table = {i: str(i) for i in range(n)}
    keys, values = table.keys(), table.values()
    table[n] = "new"
    asked = len(table.keys()), n in table.keys(), sorted(table.values()), [*table.items()]  # noqa: SIM118
    return keys, list(values), keys & {1, n}, f"{values} {table.items()}", asked, table.items()


def only_asked(n):
    table = {i: i * i for i in range(n)}
    first, *others = table.values()
    return len(table.keys()), n in table.values(), sum(table.values()), first, others, sorted(table.items())


def test_views_that_are_kept_are_pythons():
    script = jitffi.script(views)
    assert repr(script(3)) == repr(views(3)) and type(script(3)[0]) is type({}.keys())
    script = jitffi.script(only_asked)
    assert script(4) == only_asked(4) and "table: dict[int, int]" in script.inspect_types()


def sometimes(n, ask):
    """What a variable is that is None at first, or another kind of container, Python gets as its own."""
    table, items, either, pair = None, None, [1] if n else {}, None
    for i in range(n):
        if table is None:
            table, items, pair = {}, [], ()
        table[i] = pair
        items.append(i)
        pair += (i,)
    told = [ask(table), ask(items), ask(either), ask(pair)]
    if items is not None:
        items.append(5)
    return told, items


@pytest.mark.parametrize("n", [0, 2])
def test_what_is_none_at_times_is_pythons_when_python_gets_it(n):
    kept = []
    script = jitffi.script(sometimes)

    def ask(value):
        kept.append(value)
        return type(value).__name__, repr(value)

    assert script(n, ask) == sometimes(n, ask)
    half = len(kept) // 2
    assert [repr(each) for each in kept[:half]] == [repr(each) for each in kept[half:]]


def is_new(a, b, seen, counts):
    if (a, b) in seen and counts[a, b]:
        counts[a, b] += 1
        return False
    seen.add((a, b))
    counts[a, b] = 1
    return True


def pairs(holder):
    seen, counts = set(), {}
    new = [is_new(x, y, seen, counts) for x in holder.numbers for y in holder.numbers]
    return new, len(seen), sum(counts.values())


class Holder:
    numbers = (1, 2, 1, "a")


def test_what_another_function_keeps_of_pythons_objects_is_found_again():
    assert jitffi.script(pairs)(Holder()) == pairs(Holder())


class _Missing(jitffi.Map):
    def __missing__(self, key: Any) -> str:
        return f"no {key}"


def test_classes_derived_from_map_look_up_as_in_python() -> None:
    @jitffi.script
    def looked_up(m, keys):
        found = [m[keys[0]], m[keys[1]]]
        for key in keys:
            found.append(m[key])
        m["c"] = 3
        return found, len(m), "c" in m, sorted([*m]), m

    given = _Missing({"a": 1})
    for _ in range(3):
        *result, same = looked_up(given, ["a", "b"])
        assert result == [[1, "no b", 1, "no b"], 2, True, ["a", "c"]]
        assert same is given


class _Same:
    def __call__(self, x: Any) -> Any:
        return x


_same = _Same()


def _made(n: int) -> Any:
    return [n, 2.5]


def _handed_on(x: Any) -> Any:
    return _same(x)


def _told_or_same(x: Any) -> Any:
    return [type(x).__name__] if hasattr(x, "real") else x


@pytest.mark.parametrize("helper", [_handed_on, _told_or_same])
def test_what_a_helper_hands_to_python_is_made_as_pythons(helper: Any) -> None:
    def handed(n: int) -> Any:
        first, made = helper(n), _made(n)
        back = helper(made)
        back.append(4)
        return first, type(back).__name__, made, made is back, helper({"a": n})

    script = jitffi.script(handed)
    for _ in range(3):
        result = script(3)
        assert result == handed(3) and type(result[2]) is list and type(result[4]) is dict
