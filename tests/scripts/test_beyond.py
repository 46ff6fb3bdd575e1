"""Values beyond what scripts hold: the interpreter makes such a call again, where the script has changed nothing."""

from __future__ import annotations

import pytest
from support.leaks import live_objects

import jitffi

BIG = 3**60


def both(function, *args):
    """What the script gives, after its result was compared with the Python function's."""
    script = jitffi.script(function)
    expected = function(*args)
    found = script(*args)
    assert found == expected and type(found) is type(expected)
    assert script(*args) == expected
    return found


def factorial(n):
    value = 1
    for i in range(1, n + 1):
        value *= i
    return value


def fibonacci(n):
    return n if n < 2 else _sum([fibonacci_fast(n - 1), fibonacci_fast(n - 2)])


def fibonacci_fast(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def _sum(numbers):
    total = 0
    for each in numbers:
        total += each
    return total


def root(x, y):
    return x**y


def test_results_of_any_size():
    assert both(factorial, 25) == 15511210043330985984000000
    assert both(factorial, 5) == 120
    assert both(fibonacci, 150) == fibonacci_fast(150)
    assert both(root, -8, 0.5).imag > 2
    assert both(root, 7, 30) == 7**30


def test_arguments_of_any_size():
    assert both(factorial_of_text, BIG) == len(str(BIG))
    assert both(_sum, [BIG, 1]) == BIG + 1
    assert both(_sum, {BIG: 1}) == BIG


def factorial_of_text(n):
    return len(str(n))


def appended(items, n):
    items.append(n)
    return 2**62 * n


def printed(n):
    print(n)
    return 2**62 * n


def called(f, n):
    f(n)
    return 2**62 * n


def made_here(n):
    items = [n]
    items.append(2**62)
    items[0] = items[1] * n
    return items


def test_what_has_changed_something_is_not_made_again(capsys):
    items = jitffi.List()
    with pytest.raises(OverflowError, match="int of more than 64 bits"):
        jitffi.script(appended)(items, 8)
    assert items == [8]
    with pytest.raises(OverflowError):
        jitffi.script(printed)(8)
    seen: list[int] = []
    with pytest.raises(OverflowError):
        jitffi.script(called)(seen.append, 8)
    assert seen == [8]
    assert both(made_here, 8) == [2**65, 2**62]


def test_strict_scripts_say_that_they_cannot():
    strict = jitffi.script(factorial, strict=True)
    assert strict(20) == factorial(20)
    with pytest.raises(OverflowError, match="int of more than 64 bits"):
        strict(25)
    with pytest.raises(OverflowError, match="argument 1"):
        strict(BIG)


def test_nothing_is_left_of_the_first_try():
    script = jitffi.script(made_here)
    script(8)
    before = live_objects()
    for _ in range(20):
        assert script(8) == [2**65, 2**62]
    assert live_objects() == before
