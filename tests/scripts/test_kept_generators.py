"""Generator expressions with a name, which the next statement goes through; texts sorted, stripped, looked up."""

import collections
import math
import string

import pytest

import jitffi
from tests.scripts.alike import described

STOP = {"to", "be", "naïve", "日本", "e", "x" * 300}


def top_words(text):
    words = (word.strip(string.punctuation).lower() for word in text.split())
    return collections.Counter(word for word in words if word and word not in STOP).most_common(2)


def chained(n):
    k = 2
    doubled = (x * k for x in list(range(n)))
    shifted = (x + k for x in doubled if x > 2)
    return sum(shifted)


def in_a_loop(items):
    found = []
    for each in items:
        lengths = (len(word) for word in each)
        for length in lengths:
            if length > 3:
                break
            found.append(length)
        else:
            found.append(-1)
    return found


def of_others(items):
    wrong = (x / 0 for x in items)
    return list(wrong)


def sorted_texts(text):
    words = text.split()
    strip = "".join([chr(33 + i) for i in range(14)]) + "é"
    kept = [sorted(each, reverse=True)[:2] for each in words]
    return [sorted(each) for each in words], ["".join(sorted(each)) for each in words], list(text[:3]), kept, strip


def stripped(text):
    many = "".join([chr(33 + i) for i in range(14)])
    return [(each.strip(many), each.lstrip("!.,"), each.rstrip(many + "é")) for each in text.split()]


def looked_up(text):
    kinds = ({"a", "to"}, frozenset(("be", "naïve")), {"日本": 1}, ["to"], ("x" * 300,), "to be")
    return [[word in each for each in kinds] for word in [*text.split(), text[:2], ""]], "a" in STOP, text in STOP


def compared(text):
    parts = text.split()
    best, found = (parts[0], parts[1]), []
    for i in range(len(parts) - 1):
        found.append(((parts[i], parts[i + 1]) == best, (parts[i], i) != (best[0], 0), (parts[i], i) == (i, parts[i])))
        found.append(((parts[i][0], parts[i]) == best, (i, True) == (1, 1), (i, None) != (0, None)))
    return found, min(zip(parts, parts[1:], strict=False), key=lambda pair: {("be", "to"): 1}.get(pair, math.inf))


def made_again(text):
    found = text.split()
    kept = {word: len(word) for word in found}
    kinds = {("to", "be"): 1, ("x", "be"): 2}
    return (kept, found, [kinds.get((a, b)) for a, b in zip(found, found[1:], strict=False)]), [
        kept[word] for word in found
    ]


def of_modules(x):
    return x < math.inf, math.pi * 2, math.nan != math.nan, string.digits[3], string.ascii_lowercase.find("c")


TEXT = "To be, !or. not: naïve! 日本 é to zzyxwvutsrqponmlkjihgfedcbaabc x" + "x" * 299 + " Zé\U0001f600a."
CASES = [
    (top_words, (TEXT,)), (chained, (9,)), (in_a_loop, ([["a", "bcde"], [], ["ab"]],)), (in_a_loop, ([5],)),
    (of_others, ([],)), (of_others, ([1],)), (of_others, (5,)), (sorted_texts, (TEXT,)), (stripped, (TEXT,)),
    (looked_up, (TEXT,)), (of_modules, (1,)), (compared, ("to be to be naïve be to",)), (compared, ("é é é",)),
    (made_again, ("to be naïve to be or abcdefgh abcdefghi x be to be to",)),
]  # fmt: skip


def outcome(function, arguments):
    try:
        return described(function(*arguments))
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("function, arguments", CASES, ids=lambda each: getattr(each, "__name__", ""))
def test_results_are_those_of_python(function, arguments):
    script = jitffi.script(function)
    for _ in range(2):
        assert outcome(script, arguments) == outcome(function, arguments)
    assert script._given.left is False


def later(items):
    kept = (x for x in items)
    items.append(1)
    return list(kept)


def twice(items):
    kept = (x for x in items)
    return list(kept), list(kept)


def behind(items):
    kept = (x / 0 for x in items)
    return [print("seen"), list(kept)]


def passed_on(items):
    kept = (x for x in items)
    return next(iter(kept)), kept


@pytest.mark.parametrize("function", [later, twice, behind, passed_on], ids=lambda f: f.__name__)
def test_others_are_pythons_own(function):
    script = jitffi.script(function)
    first, second = outcome(script, ([1, 2],)), outcome(function, ([1, 2],))
    assert [str(each).partition(" at 0x")[0] for each in first] == [str(each).partition(" at 0x")[0] for each in second]
    assert "left" not in script.inspect_types()
