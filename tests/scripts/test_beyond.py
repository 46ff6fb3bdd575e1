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


def added(items, n):
    item = items[0]
    item += [n]
    return 2**62 * n


def counting():
    times = 0

    @jitffi.script
    def counted(n):
        def count():
            nonlocal times
            times += 1

        count()
        return 2**62 * n

    return counted, lambda: times


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
    nested = jitffi.List([[1]])
    with pytest.raises(OverflowError):
        jitffi.script(added)(nested, 8)
    assert nested == [[1, 8]]
    with pytest.raises(OverflowError):
        jitffi.script(printed)(8)
    script, times = counting()
    with pytest.raises(OverflowError):
        script(8)
    assert times() == 1
    seen: list[int] = []
    with pytest.raises(OverflowError):
        jitffi.script(called)(seen.append, 8)
    assert seen == [8]
    assert both(made_here, 8) == [2**65, 2**62]


class Refused(Exception):
    made = 0

    def __init__(self):
        Refused.made += 1


def refused_behind(n):
    value = 2**62 * n
    if value < 0:
        raise Refused()
    print("value", value)
    return value


def refused_before(n):
    try:
        raise Refused
    except Refused:
        return 2**62 * n


def made_behind(kind, n):
    return kind([2**62 * n])


def with_lock(lock, n):
    value = 2**62 * n
    with lock:
        lock.numbers[0] = value
    return lock.find(value)


class Lock:
    """Counts what is done with it."""

    def __init__(self):
        self.numbers = [0]
        self.asked = 0

    def find(self, value):
        self.asked += 1
        return value

    def __enter__(self):
        self.asked += 10

    def __exit__(self, *_):
        self.asked += 100


def test_what_would_change_something_behind_is_no_hindrance(capsys):
    assert both(refused_behind, 8) == 2**65
    assert capsys.readouterr().out == "value 36893488147419103232\n" * 3
    assert both(made_behind, list, 8) == [2**65]
    lock = Lock()
    assert jitffi.script(with_lock)(lock, 8) == 2**65 and (lock.asked, lock.numbers) == (111, [2**65])
    Refused.made = 0
    with pytest.raises(OverflowError):
        jitffi.script(refused_before)(8)
    assert Refused.made == 1


CORNERS = 0x8100000000000081


def without_corners(items, x):
    items.append(1)
    shifted = items[0] & ((CORNERS << 3) ^ (CORNERS << 4)), (CORNERS << 5) & (2**64 - 1)
    x &= ~CORNERS
    return x, items[0] & ~CORNERS, -CORNERS + 1, shifted


def test_what_a_mask_of_64_bits_leaves():
    for x in (5, -5, CORNERS | 6):
        assert jitffi.script(without_corners)([x], x) == without_corners([x], x)


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


class Counted:
    """Counts what is asked of it: a call that is made twice counts twice."""

    def __init__(self):
        self.asked = 0

    def _note(self, *others):
        self.asked += 1
        return False

    __eq__ = __lt__ = __gt__ = __contains__ = __bool__ = _note

    def __hash__(self):
        self.asked += 1
        return 1

    def __str__(self):
        self.asked += 1
        return "counted"

    def __len__(self):
        self.asked += 1
        return 1

    def __iter__(self):
        self.asked += 1
        return iter((1, 2))

    def __add__(self, other):
        self.asked += 1
        return 1

    __radd__ = __add__

    @property
    def name(self):
        self.asked += 1
        return "name"

    def method(self):
        self.asked += 1
        return 2


#: What asks `a`, or `c`, which stands in the list `b` and in the dict `d`.
ASKING = """
a + 1; 1 + a; a == 1; 1 == a; 1 < a; str(a); f"{a}"; len(a); list(a); {a: 1}; {a}; a.name; a.method()
a in [1, 2]; 1 in a; not a; a or 1; hash(a); d.get(a); a in d; a in b; 7 in b; b == [1, 7]
d == {1: 2, "c": 7}; (a, 1) == (7, 1); [x for x in a]; {**d, "e": 1} == d; [*a]; max(b, key=len); b.count(7)
sum([a, 1]); b.index(7); d.setdefault(a, 1); sorted(b)
"""


def compiled(body, tmp_path, number):
    path = tmp_path / f"asking_{number}.py"
    path.write_text(f"def f(a, b, d, x):\n    return ({body}), x ** 9\n")
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space["f"]


def test_code_of_a_class_runs_once(tmp_path):
    """The call is made again only where none has run; else there is the OverflowError."""
    for number, body in enumerate(ASKING.strip().replace("\n", "; ").split("; ")):
        function = compiled(body, tmp_path, number)
        script, asked, ends = jitffi.script(function), [], []
        for each in (function, script):
            a, c = Counted(), Counted()
            b, d = [c, c], {1: 2, "c": c}
            try:
                each(a, b, d, 10**4)
                ends.append("")
            except Exception as error:
                ends.append(type(error).__name__)
            asked.append((a.asked, c.asked, len(b), len(d)))
        # A script does without the length that `[*a]` asks for in Python.
        assert all(found <= wanted for wanted, found in zip(*asked, strict=True)), (body, asked)
        assert ends[1] in (ends[0], "OverflowError"), (body, ends)


def test_a_call_with_pythons_containers_is_made_again():
    def products(numbers, table):
        total = 1
        for each in numbers:
            total *= each + table["one"] + table.get((1, "two"), 0)
        return total, sorted(numbers), numbers == [*numbers]

    both(products, [10**6] * 5, {"one": 1, (1, "two"): 2})


def test_of_what_is_masked_only_the_lowest_bits_count():
    def lowest(a, b, c):
        sums = (a * b + c) & 0xFFFFFFFF, (a * a * a - b) % 2**32, (a + True) & 255, (-a * b) & 1
        return (
            sums,
            ((a << 40) ^ ~b | -c) & 0xFFFF,
            0x7FFFFFFFFFFFFFFF & (a * b),
            (a * b * (c >> 3)) % (1 << 62),
            (a << 70) % 8,
        )

    script = jitffi.script(lowest, strict=True)  # which could not be made again
    numbers = [0, 1, -1, 2**63 - 1, -(2**63), 12345, -98765, 2**31, 2**32 - 1, 6364136223846793005]
    for a in numbers:
        for b, c in zip(numbers, [*numbers[3:], *numbers[:3]], strict=True):
            assert script(a, b, c) == lowest(a, b, c), (a, b, c)


def decoded(data, seen=None):
    if seen is not None:
        seen.append(1)
    text = data.decode("utf-8", "surrogatepass")
    return len(text), list(text), text


def test_text_with_half_a_character_is_the_interpreters():
    script = jitffi.script(decoded)
    assert script(b"ab") == (2, ["a", "b"], "ab")
    assert script(b"\xed\xa0\x80") == (1, ["\ud800"], "\ud800")
    with pytest.raises(ValueError, match="text of a script has no lone surrogates"):
        script(b"\xed\xa0\x80", [])
    with pytest.raises(ValueError, match="text of a script has no lone surrogates"):
        jitffi.script(decoded, strict=True)(b"\xed\xa0\x80")
