"""Lists that nobody else sees are vectors; those that somebody sees are lists; both do what Python's do."""

from __future__ import annotations

from typing import Any

import pytest

import jitffi
from tests.scripts import alike


def sieve(n):
    is_prime = [True] * (n + 1)
    for i in range(2, n + 1):
        if is_prime[i]:
            for j in range(i * i, n + 1, i):
                is_prime[j] = False
    return [k for k in range(2, n + 1) if is_prime[k]]


def common(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    return table[len(a)][len(b)]


def rotated(n):
    a, b = [0.5] * n, [1.5] * n
    for _ in range(3):
        a, b = b, a
        a[0] += 1
        b.append(a[-1])
    return sum(a), sum(b), len(a), len(b)


def stack(n):
    todo, seen = [n], 0
    while todo:
        top = todo.pop()
        seen += top
        if top > 0:
            todo.append(top - 1)
            if top % 3 == 0:
                todo.append(top - 2)
    return seen


def shared(n):
    rows = [[n] * 2] * 3
    rows[0][1] = 7
    row = rows[2]
    row.append(8)
    total = 0
    for each in rows:
        for number in each:
            total += number
    rows = rows + rows[:1]
    return total, len(rows), len(rows[3])


def parts(n):
    numbers = [i * i for i in range(n)]
    some = numbers[1:-1] + numbers[::-2] + numbers.copy()
    some.reverse()
    some[0] = -1
    first = some.pop(0)
    some.clear()
    return first, len(some), bool(some), numbers[2], max(numbers), min(numbers)


def returned(n):
    numbers = [1, 2]
    numbers.append(n)
    return numbers


def stored(n):
    numbers = [1, n]
    return {"numbers": numbers}


def compared(n):
    return [1, n] == [1, 2], [1, n] < [2], n in [1, 2]


def grown(n):
    numbers = [1]
    numbers += [n, n]
    numbers.extend([3])
    numbers.insert(0, 9)
    numbers.sort()
    del numbers[0]
    return numbers[0], len(numbers)


def zipped(n):
    a, b = [1] * n, [2.5] * n
    total = 0.0
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        total += i * x * y
    for x in reversed(a):
        total += x
    return total, any(a), all(b), list(a), [x + 1 for x in a]


def outside(n):
    numbers = [1, 2, 3]
    return numbers[n]


def written(n):
    numbers = [1, 2, 3]
    numbers[n] = 5
    return numbers[0]


def emptied(n):
    numbers = [n]
    numbers.pop()
    return numbers.pop()


def bound(n):
    if n:
        numbers = [n]
    return numbers[0]


def too_long(n):
    numbers = list(range(n))
    return len(numbers)


def mistaken(n):
    numbers = [1, 2]
    return numbers["a" if n else 0]


def taken_apart(n):
    rows = [[n, 2], [3, 4]]
    total = 0
    for x, y in rows:
        total += x * y
    for i, (x, *rest) in enumerate(rows):
        rest.append(i)
        total += x + len(rest)
    for x, *rest in zip(rows, rows):  # noqa: B905
        rest[0].append(x[0])
    return total, len(rows[0]), [x + y for x, y in [[n, 2], [3, 4]]]


def left_over(n):
    rows = [[0]]
    x, *rows[0] = [n, 2, 3]
    rows[0].append(7)
    first, *rest = rows[0]
    rest.append(x)
    y, (z, *more) = 1, [2, 3, 4]
    more.append(y)
    for _x, *rows[0] in [[1, n, 3]]:
        rows[0].append(5)
    return x, rows[0][2], first, rest[2], z, len(more)


def edits(a, b):
    previous = list(range(len(b) + 1))
    for i in range(len(a)):
        current = [i + 1]
        for j in range(len(b)):
            cost = previous[j]
            if a[i] != b[j]:
                cost = 1 + min(cost, previous[j + 1], current[j])
            current.append(cost)
        previous = current
    return previous[len(b)]


def filled(n):
    a, b = list(range(9)), [0]
    c = b
    for i in range(n):
        b.append(a[i])
        if i % 3:
            c.append(b[i + 1])
            b[i] += a[i]
    return len(b), sum(c), b[-1]


def ahead(start, n):
    a = [1, 2]
    for i in range(start, n):
        a.append(a[i] % 97 + a[i - 1])
    return len(a), a[-1]


def skipped(n):
    a, b = [1], list(range(50))
    for i in range(n):
        if b[i] % 5 == 4:
            continue
        a.append(a[i] + b[i])
    return len(a), a[-1]


def many(n):
    a, b, rounds = [1], [2], 0
    for i in range(n):
        a.append(a[i])
        b.append(7)
        rounds += 1
        if i == 300_000:
            break
    else:
        rounds = -1
    return len(a), len(b), rounds


def several(n):
    a = [1]
    for i in range(n):
        a.append(i)
        a.append(a[i] + 1)
        a.append(a[-1])
    return len(a), sum(a)


def cut(n):
    a, b, total = list(range(20)), [1], 0
    for i in range(n):
        total += a[i]
        if a[i] == 5:
            a.clear()
        b.append(total)
    return total, len(a), len(b)


CASES: dict[Any, list[tuple[Any, ...]]] = {
    sieve: [(0,), (1,), (50,)], common: [("ABCBDAB", "BDCABA"), ("", "x")], rotated: [(0,), (1,), (5,)], stack: [(10,)],
    shared: [(3,)], parts: [(2,), (9,)], returned: [(3,)], stored: [(3,)], compared: [(2,), (3,)], grown: [(4,)],
    zipped: [(0,), (4,)], outside: [(2,), (3,), (-3,), (-4,)], written: [(0,), (3,), (-4,)], emptied: [(1,)],
    edits: [("kitten", "sitting"), ("", "ab"), ("naïve Ā", "naive 𝒳"), ("ab" * 200, "ba" * 150)],
    filled: [(0,), (1,), (9,), (10,)], cut: [(3,), (9,), (21,)],
    ahead: [(0, 30), (1, 30), (2, 30), (2, 2), (-2, 5), (-9, 5)], skipped: [(4,), (5,), (6,), (51,)],
    many: [(9,), (2**62,), (2**63 - 1,)], several: [(0,), (50,), (70_000,)],
    bound: [(0,), (1,)], too_long: [(0,), (-1,), (3,)], mistaken: [(0,), (1,)],
    taken_apart: [(3,)], left_over: [(3,)],
}  # fmt: skip


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_vector_does_what_a_list_does(function: Any) -> None:
    function.cases = CASES[function]
    alike.check(function)


def types_of(function: Any) -> str:
    script = jitffi.script(function)
    alike.outcome(script, CASES[function][-1])
    return script.inspect_types()


@pytest.mark.parametrize("function", [sieve, common, rotated, stack, shared, parts, outside], ids=lambda f: f.__name__)
def test_list_that_nobody_sees_is_a_vector(function: Any) -> None:
    assert "vector[" in types_of(function)


@pytest.mark.parametrize("function", [returned, stored, compared, grown], ids=lambda f: f.__name__)
def test_list_that_is_seen_is_a_list(function: Any) -> None:
    assert "vector[" not in types_of(function)


@pytest.mark.parametrize("count", [2**60, 2**62, 2**63 - 1])
def test_range_beyond_memory_is_an_error_at_once(count: int) -> None:
    with pytest.raises(MemoryError):
        jitffi.script(too_long)(count)

    def seen(n):
        return list(range(-1, n, 1))

    with pytest.raises(MemoryError):
        jitffi.script(seen)(count)
