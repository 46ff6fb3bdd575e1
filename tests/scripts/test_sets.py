"""Sets that a script makes are native, strict or not, with Python's results and errors."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from alike import outcome

import jitffi


def made(a: str, b: str, n: int) -> Any:
    x, y = set(a.split()), {w + "" for w in b.split()}
    z = x | y
    z -= {"q"}
    z ^= y
    z &= x
    ints = set(range(n))
    ints.update(i * i for i in range(n))
    ints.difference_update({0, 1})
    ints.intersection_update(list(range(5)))
    ints.symmetric_difference_update([3, 100])
    pairs = {(i, i % 3) for i in range(n)}
    pairs.add((7, 7))
    pairs.discard((0, 0))
    copied = x.copy()
    copied.add("new")
    copied.remove("new")
    size = len(copied)
    copied.clear()
    total, words, more = 0, a.split(), b.split()
    for i in ints:
        total += i
    results = [
        x.union(b.split()),
        x.difference(y),
        x.intersection(b.split()),
        x.symmetric_difference(y),
        {1.5, float(n)},
        set(a.split() + [b] + b.split()),
        set(words + more + words),
        set(words + more + [words.pop() if words else ""]),
        set([n, 1] + [1.5, 1.0] + [2]),
        set([[n][0]] + [(n, a)] + [a]),
    ]
    tests = [x <= y, x < z, x >= y, x > y, x == y, x != y, x.issubset(z), z.issuperset(x), x.isdisjoint(["zz"])]
    found = ["a" in x, (7, 7) in pairs, (1, 2) not in pairs, n in ints, not copied, bool(x)]
    read = [sorted(ints), max(ints), sum(ints), [*{1}], tuple({2}), str({3}), f"{copied}", repr({"a"}), ",".join({"b"})]
    return results, tests, found, read, size, total, z, ints, pairs, {True, n == n + 0.0}, {b"x", b"y"}


@pytest.mark.parametrize("strict", [False, True])
def test_they_do_what_pythons_do(strict: bool) -> None:
    script = jitffi.script(made, strict=strict)
    for arguments in (("a b c q d", "b c e f", 7), ("", "", 0), ("ä ß", "ß 日本", 2)):
        assert script(*arguments) == made(*arguments)
    assert "y: set[str]" in script.inspect_types()


def frozen(a: str, b: str, n: int) -> Any:
    x, y = frozenset(a.split()), frozenset(b.split())
    z, seen = x & y, frozenset()
    for i in range(n):
        seen = seen | {i % 3}
    found = [len(z), sorted(x | y), sorted(x.union(b.split()) - z), 2 in seen, len(seen), sum(1 for w in x if w in y)]
    tests = [x <= y, x < x | y, x == y, x != {"a"}, x.isdisjoint(y), x.issuperset(z), not z, bool(frozenset())]
    return found, tests, "a" in frozenset(("a", b)), sorted(frozenset([n, 1, n]))


@pytest.mark.parametrize("strict", [False, True])
def test_frozensets_that_nobody_sees_are_sets(strict: bool) -> None:
    script = jitffi.script(frozen, strict=strict)
    for arguments in (("a b c q d", "b c e f", 7), ("", "", 0), ("ä ß", "ß 日本", 2)):
        assert script(*arguments) == frozen(*arguments)
    assert "x: set[str]" in script.inspect_types() and "seen: set[int]" in script.inspect_types()


def seen_as_such(a: str, n: int) -> Any:
    kept = frozenset(a.split())
    named = frozenset(a.split())
    if n:
        named = set(a.split())  # type: ignore[assignment]
    one = frozenset(a.split())
    try:
        one.add("x")  # type: ignore[attr-defined]
    except AttributeError as error:
        said = str(error)

    def inside(w: str) -> bool:
        return w in one

    told = []
    for each in ([1], 3, "ab"):
        try:
            told.append(kept & each)  # type: ignore[operator]
        except TypeError as error:
            told.append(str(error))
    return kept, {kept: 1}, type(named).__name__, said, told, list(map(inside, ["a", "b"])), len(one | named)


def test_other_frozensets_are_pythons() -> None:
    script = jitffi.script(seen_as_such)
    for arguments in (("a b", 0), ("a", 1)):
        assert script(*arguments) == seen_as_such(*arguments)
    assert not script._given.left


def of_many(a: str, b: str, n: int) -> Any:
    s = set(a.split())
    u = s.union(b.split(), {"z"}, [a], ("t", "u"))
    same = s.union(), s.intersection(), s.difference()
    i, d = s.intersection(b.split(), u), s.difference(b.split(), {"q"})
    s.update(b.split(), "xy", {"k": 1})
    t = s.copy()
    t.intersection_update(u, s)
    t.difference_update({"a"}, [b])
    t.update()
    return u, i, d, same, s, t, {1, 2}.union(list(range(n)), [n])


def wrong_many(x: Any, y: Any) -> Any:
    return x.union(y, y), x.update(y, y), x


@pytest.mark.parametrize("strict", [False, True])
def test_several_others_at_once(strict: bool) -> None:
    script = jitffi.script(of_many, strict=strict)
    for arguments in (("a b c", "b c q", 3), ("", "", 0), ("ä ß", "ß 日本", 2)):
        assert script(*arguments) == of_many(*arguments)
    assert "u: set[str]" in script.inspect_types()
    script = jitffi.script(wrong_many)
    for given in (({1}, [2]), (frozenset([1]), [2]), ({1: 2}, {3: 4}), (5, 5), ({1}, 5)):
        assert outcome(script, given) == outcome(wrong_many, given)


def native(text: str) -> Any:
    return {w.upper() for w in text.split()}, {1}, len({c + c for c in text})


def test_results_are_ours_where_they_are_asked_for() -> None:
    upper, one, _ = jitffi.script(native, returns="native")("a b a")
    assert (type(upper), type(one)) == (jitffi.Set, jitffi.Set) and list(upper) == ["A", "B"]
    assert type(jitffi.script(native)("a")[0]) is set


def grouped(text: str) -> Any:
    by_length: Any = defaultdict(set)
    first: dict[str, set[str]] = {}
    for word in text.split():
        by_length[len(word)].add(word)
        by_length[0] |= {word[:1]}
        first.setdefault(word[0], set()).add(word)
    return sorted(by_length), sum(len(each) for each in first.values()), len(by_length[2] | first["b"])


def test_they_lie_in_other_containers() -> None:
    script = jitffi.script(grouped)
    assert script("to be or not to bee") == grouped("to be or not to bee")
    assert "dict[str, set[str]]" in script.inspect_types() and "dict[int, set[str]]" in script.inspect_types()


def declared(names: set[str], more: str) -> set[str]:
    names.add(more)
    found: set[str] = set()
    for each in names:
        found.add(each + "!")
    return found


def test_annotations_and_signatures_have_them() -> None:
    typed = jitffi.script(declared, signature="(names: set[str], more: str) -> set[str]")
    for script in (jitffi.script(declared), jitffi.script(declared, strict=True), typed):
        assert script({"a"}, "b") == script(jitffi.Set(["a"]), "b") == {"a!", "b!"}
    with pytest.raises(TypeError, match=r"declared: 'names': expected set\[str\], got list"):
        jitffi.script(declared, strict=True)([], "b")
    with pytest.raises(TypeError, match="expected str, got int 1"):
        typed({1}, "b")


def wrong(k: int) -> Any:
    s = {1, 2}
    if k == 0:
        s.remove(5)
    if k == 1:
        s.clear()
        s.pop()
    if k == 2:
        s.add([1])
    if k == 3:
        return s[0]
    if k == 4:
        return s | [1]
    if k == 5:
        s |= [1]
    if k == 6:
        for x in s:
            s.add(x + 10)
    if k == 7:
        return {1} < [1]
    if k == 8:
        return [1] in s
    if k == 9:
        return hash(s)
    if k == 10:
        return s.union(3)
    if k == 11:
        return {s: 1}
    if k == 12:
        return {1} in s, s == [1, 2], s != "a"
    if k == 13:
        s.add((1, [2]))
    if k == 14:
        del s[0]
    if k == 15:
        s[0] = 1
    if k == 16:
        return s.union([[1]])
    if k == 17:
        a, b, c = s
        return a, b, c
    if k == 18:
        s.remove((1, 2))
    if k == 19:
        s.discard({1})
    if k == 20:
        return {*k}
    return s.append(1)


@pytest.mark.parametrize("strict", [False, True])
def test_errors_are_pythons(strict: bool) -> None:
    script = jitffi.script(wrong, strict=strict)
    for k in range(22):
        assert outcome(script, (k,)) == outcome(wrong, (k,)), k


def of_objects(words: Any) -> Any:
    seen = set(words)
    return [word for word in words if word in seen], seen | {1}, seen == set(words)


def optional(text: str, wanted: bool) -> Any:
    found = None
    if wanted:
        found = set(text)
    if found is None:
        return 0
    found.add("zz")
    return len(found), found


def test_what_python_must_see_is_pythons() -> None:
    for function, arguments in ((of_objects, (["a", 1, 2.5],)), (optional, ("abc", True)), (optional, ("abc", False))):
        script = jitffi.script(function)
        assert script(*arguments) == function(*arguments)


def constants(text: str, n: int) -> Any:
    return (
        [c in {"a", "e", "ö"} for c in text],
        text in {"ab", "cd"},
        n in {1, 2, 2**70},
        n not in {3, True},
        n in {1.0},
    )


def test_constants_are_compared_with() -> None:
    script = jitffi.script(constants)
    for arguments in (("ab", 1), ("öe", 3), ("", 2)):
        assert script(*arguments) == constants(*arguments)


def in_order(text: str, backwards: bool) -> Any:
    counts: dict[str, int] = {}
    groups: Any = defaultdict(set)
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
        groups[len(word)].add(len(word) * 7 % 5)
    by_name = [f"{word}{count}" for word, count in sorted(counts.items())]
    words = text.split()
    words.sort(reverse=backwards)
    listed = {n: sorted(each) for n, each in sorted(groups.items())}
    return by_name, sorted(counts.items(), reverse=backwards), listed, words, sorted(text.split())


@pytest.mark.parametrize("strict", [False, True])
def test_items_are_sorted_by_their_keys(strict: bool) -> None:
    """Texts with one byte a character and with four stand in one order, and are what they were then."""
    function = strictly_in_order if strict else in_order
    script = jitffi.script(function, strict=strict)
    for text in ("b a c é a ab 日本to 日本 longer-than-fifteen b 🙂 " + "z" * 300 + "é", "", "x"):
        assert script(text, True) == function(text, True) and script(text, False) == function(text, False)


def strictly_in_order(text: str, backwards: bool) -> Any:
    numbers = {len(word): word for word in text.split()}
    return sorted(numbers.items(), reverse=backwards), sorted(set(text.split()), key=lambda word: word)
