"""Which calls of scripts are short: how often their loops go round, by the text and the arguments, and what is left to
code whatever it is given."""

from __future__ import annotations

import collections
import itertools
import re
from typing import Any

import pytest

import jitffi
from jitffi.scripts.api import repeats
from tests.scripts.short_calls import be_hot, has_code, items_of, triples

WORD = re.compile("[a-z]+")
MANY = 5_000_000


@pytest.fixture(autouse=True)
def hot(monkeypatch: pytest.MonkeyPatch) -> None:
    be_hot(monkeypatch)
    monkeypatch.setattr(repeats, "look_at", lambda function: None)  # what is not short is compiled at once


def hashed(x):
    return hash(x)


def distinct(xs):
    return list(set(xs))


def same(a, b):
    return a is b


def declared(x):
    total: jitffi.f64 = x
    return total


def inner(x):
    def step(y: float):
        return y

    return step(x)


def plain_recursive(n):
    return n if n < 2 else plain_recursive(n - 1) + plain_recursive(n - 2)


def calls_recursive(n):
    return plain_recursive(n)


def recursive_lambda(n):
    down = lambda k: 0 if k == 0 else down(k - 1)  # noqa: E731
    return down(n)


def shifted(n):
    return sum([1 for i in range(1 << n)])


def powers(n):
    return sum([1 for i in range(n * n * n)])


def large(n):
    return sum([1 for i in range(300000)])


def consts(n):
    return len([n for i in range(50) for k in range(50) for m in range(150)])


def sums(n):
    return sum(range(n))


def much(n):
    return sum([1 for i in range(MANY)])


def from_text(text):
    return sum([1 for i in range(int(text))])


def steps(n):
    t, count = 0.0, 0
    while t < n:
        t += 1e-3
        count += 1
    return count


def until(n):
    while True:
        n += 1
        if n % 7 == 0:
            return n


def grows(n):
    text = "ab"
    for _ in range(n):
        text += text
    return [ch + "" for ch in text]


def extended(xs):
    found = [1]
    for _ in xs:
        found.extend(found)
    return [x + 1 for x in found]


def queued(n):
    queue, i = [1], 0
    while i < len(queue):
        if queue[i] < n:
            queue.append(queue[i] + 1)
        i += 1
    return queue


def by_floats(n):
    t = 0.0
    while t < n:
        later = t + 1e-3
        t = later
    return t


def both(n):
    i = 0
    while i < n or n < 0:
        i += 1
    return i


def kept(xs):
    seen = {x + 1 for x in xs}
    return [x * 2 for x in seen]


def doubled(xs):
    other = xs
    for _ in [1, 2, 3]:
        for y in list(other):
            xs.append(y)
    return len(xs)


def grown(d):
    for i in range(3):
        for key in list(d):
            d[key + "a"] = i
            d[key + "b"] = i
    return len(d)


def states(n):
    found = [0]
    for i in range(n):
        found = [s + i for s in found for i in (0, 1)]
    return len(found)


def nth(n):
    found, x = 0, 0
    while found < n:
        x += 1
        if x % 97 == 0:
            found += 1
    return x


def order(n):
    x, k = 3, 0
    while x != 1:
        x = x * 3 % n
        k += 1
    return k


def unclosed(text):
    i, n = 0, len(text)
    while i < n:
        if text[i] == "(":
            j = i + 1
            while j < n and text[j] != ")":
                j += 1
            if j < n:
                i = j
                continue
        i += 1
    return i


def stored(n):
    sizes = [1] * 5
    for i in range(1, 5):
        sizes[i] = sizes[i - 1] * n
    return sum([1 for size in sizes for _ in range(size)])


def put(xs):
    found: list[int] = []
    add = found.append
    for x in xs:
        add(x)
    return [x + y for x in found for y in found]


def by_key(xs):
    return sorted(xs, key=lambda x: sum(1 for y in xs if y < x))


def counts_up(text):
    return [i for _, n in collections.Counter(text).items() for i in range(n) for _ in range(i)]


def of_a_call(n):
    return [i for i in range((lambda k: k)(n))]  # noqa: C416, PLC3002


def by_default(x, n=5_000_000):
    return [x for i in range(n)][0]


def orders(xs):
    return len([1 for each in itertools.permutations(xs)])


def matched(text):
    return WORD.match(text) is None


def searched(text):
    return re.search("[a-z]", text) is None


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (hashed, "a"), (declared, 1), (inner, 1), (calls_recursive, 5), (recursive_lambda, 5),
        (shifted, 3), (powers, 70), (large, 1), (consts, 1), (sums, 10**6), (much, 1), (by_floats, 1), (both, 3),
        (states, 3), (nth, 2), (order, 7), (unclosed, "(a) b"), (stored, 3), (put, [1, 2]), (by_key, [2, 1]),
        (counts_up, "aab" * 200), (of_a_call, 3),
        (kept, [1, 2]), (doubled, [1, 2]), (grown, {}), (from_text, "3"), (steps, 1),
        (until, 1), (grows, 3), (extended, [1, 2]), (by_default, 1), (queued, 5), (orders, [1, 2]),
        (matched, "a"), (searched, "a"), (distinct, [2, 1]), (triples, [1] * 70),
    ],
)  # fmt: skip
def test_what_may_take_long_or_differs_is_compiled_at_once(function: Any, argument: Any) -> None:
    script = jitffi.script(function)
    script(argument)
    assert has_code(script) or script._given.left


def primes(n):
    found = []
    for i in range(2, n):
        k = 2
        while k * k <= i:
            if i % k == 0:
                break
            k += 1
        else:
            found.append(i)
    return [p * 2 for p in found]


def words(text, most=5):
    text = text.strip().lower()
    counts = {}
    for word in text.split():
        word = word.strip(".,")
        counts[word] = counts.get(word, 0) + 1
    size = len(text)
    rows = [(key, n, size) for key, n in sorted(counts.items())]
    return rows[:most], [ch for row in rows for ch in row[0]]


def lengths(lines):
    """Each line is gone through once, and each word."""
    longest = ""
    for line in lines:
        for word in line.split():
            for ch in word:
                if ch > longest[:1]:
                    longest = word
    return longest


def numbers_of(text):
    found, i, n = [], 0, len(text)
    while i < n:
        if text[i].isdigit():
            j = i + 1
            while j < n and text[j].isdigit():
                j += 1
            found.append(text[i:j])
            i = j
        else:
            i += 1
    return found


def place(xs, x):
    low, high = 0, len(xs)
    while low < high:
        middle = (low + high) // 2
        if xs[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def divisor(a, b):
    while b:
        a, b = b, a % b
    return a


def squares(n):
    table = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            table[i][j] = i * j
    return [row for row in table if sum(row) > 2]


def bubble(xs):
    xs = list(xs)
    for i in range(len(xs)):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


def distinct_words(text):
    seen, found = set(), []
    for word in text.split():
        if word not in seen:
            seen.add(word)
            found.append(word)
    return found, sorted(seen)


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (primes, 30), (words, "To be or not."), (lengths, ["a bc def"] * 2000), (numbers_of, "a 12 b 3 " * 2000),
        (items_of, [1.5]), (squares, 60), (bubble, [3, 1, 2] * 60), (distinct_words, "to be or not to be " * 300),
    ],
)  # fmt: skip
def test_bounded_loops_are_short(function: Any, argument: Any) -> None:
    script = jitffi.script(function)
    assert script(argument) == function(argument) and not has_code(script)


def test_what_halves_is_short() -> None:
    search, common = jitffi.script(place), jitffi.script(divisor)
    assert search(list(range(40_000)), 30_000) == 30_000 and common(2**40, 6**20) == 2**20
    assert not has_code(search) and not has_code(common)
