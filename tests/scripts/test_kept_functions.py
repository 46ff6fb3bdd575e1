"""Functions, classes and generator expressions that Python keeps, and the variables that they share with the script;
`global`; defaults that calls share."""

# ruff: noqa: B006, B008, B023, B905, C417, C419, E731, F821, F841
from __future__ import annotations

import contextlib
import functools
import itertools

import alike
import pytest
from alike import cases

import jitffi

written = 1
SAID = 5


# -- closures ---------------------------------------------------------------------------------------------------------


@cases((5,), (-3,))
def counter(start):
    n = start

    def step(by=1):
        nonlocal n
        n += by
        return n

    kept = [step]
    return kept[0](), step(2), n


@cases((0,), (3,))
def late_and_bound(n):
    late, bound = [], []
    for i in range(n):
        square = i * i
        late.append(lambda: (square, i))
        bound.append(lambda x, i=i: x * i)
    return [f() for f in late], [f(10) for f in bound]


@cases((2,))
def of_comprehensions(n):
    rows = [[lambda: (i, j) for j in range(2)] for i in range(n)]
    return [[f() for f in row] for row in rows], {k: f() for k, f in {i: (lambda: i) for i in range(n)}.items()}


@cases(("+", 1, 2), ("-", 1.5, 2), ("?", 1, 2))
def chosen(name, a, b):
    table = {"+": lambda x, y: x + y, "-": lambda x, y: x - y}
    return table[name](a, b)


@cases((3,))
def nested(n):
    def outer(a):
        twice = a * 2
        return [lambda: a + twice + n][0]()

    def made(a):
        def inner(b):
            return a + b + n

        return inner

    curried = lambda a: lambda b: lambda c: a + b * c
    same_line = [lambda: n, lambda: n + 1, lambda: (lambda: n + 2)()]
    return outer(1) + outer(2), made(1)(2), curried(n)(2)(3), [f() for f in same_line], (lambda f=lambda: n: f())()


@cases((0,), (3,))
def unbound(n):
    kept = lambda: late
    if n:
        late = 3
    try:
        return late, kept()
    except UnboundLocalError as error:
        own = str(error)
    try:
        kept()
    except NameError as error:
        return own, str(error), error.name


@cases((4,))
def deleted(n):
    value = n
    kept = lambda: value
    del value
    try:
        return kept()
    except NameError as error:
        return str(error)


@cases((0,), (1,), (2,))
def bound_in_all_ways(n):
    found = [lambda: named]
    if (named := n) > 1:
        found.append(lambda: named + 1)
    for a, (b, *c) in [(1, (2, 3)), (n, (5, 6, 7))]:
        found.append(lambda: (a, b, c))
    with contextlib.nullcontext(n) as entered:
        found.append(lambda: entered)
    import math

    found.append(lambda: math.pi)
    match [n, 2, 3]:
        case [first, *rest]:
            found.append(lambda: (first, rest))
    return [f() for f in found]


@cases((0,), (1,), (5,))
def exceptions(x):
    found = []
    for k in range(2):
        try:
            if x == k:
                raise KeyError(k)
            int("z")
        except (KeyError, ValueError) as error:
            seen = lambda: type(error).__name__
            found.append(seen())
    try:
        seen()
    except NameError as error:
        return found, str(error)


@cases((1,), (1, 2, 3, 4))
def parameters(a, b=3, *args, k=4, **named):
    first = lambda: (a, b, args, k, named)
    a += 1
    return first(), (lambda: (args, named))()


@cases(([1],))
def identity(items):
    own = [x + 1 for x in items]
    kept = [lambda: own, lambda: items]
    own.append(9)
    return kept[0]() is own, kept[1]() is items, own


@cases((5,), (30,))
def beyond_64_bits(n):
    total = 1
    kept = [lambda: total]
    for i in range(1, n):
        total *= i
    return kept[0]()


@cases((5,))
def recursive(n):
    fib = lambda k: k if k < 2 else fib(k - 1) + fib(k - 2)
    fixed = lambda f: (lambda x: x(x))(lambda y: f(lambda *a: y(y)(*a)))

    def even(k):
        return k == 0 or odd(k - 1)

    def odd(k):
        return k != 0 and even(k - 1)

    table = {"fib": fib, "even": even}
    return table["fib"](n), table["even"](n), odd(n), fixed(lambda f: lambda k: 1 if k < 2 else k * f(k - 1))(n)


@cases((0,), (2,))
def defined_twice(n):
    if n > 1:

        def f():
            return "big"
    else:

        def f():
            return "small"

    first = f()

    def f():
        return f.attribute

    f.attribute = n
    return first, f()


def doubled(f):
    return functools.wraps(f)(lambda *args: 2 * f(*args))


@cases(([],))
def decorated(log):
    def note(name):
        log.append(name)
        return lambda f: (log.append(("on", name)), f)[1]

    @note("a")
    @note("b")
    def f(x=log.append("default"), *, y=log.append("named")):
        return x

    @functools.cache
    def ways(n):
        return 1 if n < 2 else ways(n - 1) + ways(n - 2)

    @doubled
    def annotated(x: int, *, k: str = "") -> bool:
        """Text."""
        return x

    given = annotated.__wrapped__
    return f(1), ways(20), annotated(4), given.__annotations__, given.__qualname__, given.__doc__, given.__kwdefaults__


@cases(([3, 1, 2],), ([],))
def passed_on(items):
    def key(x):
        return (x % 2, x)

    found = functools.reduce(lambda a, b: a * 2 + b, sorted(items, key=key), 1)
    groups = [(k, list(g)) for k, g in itertools.groupby(sorted(items), key=lambda x: x % 2)]
    return found, groups, list(map(functools.partial(max, 2), items))


@cases(([3, 1, 5], 3), ([3, "a"], 3))
def sorted_in_place(items, k):
    counts = {"a": 1, "b": k}
    ranked = list(counts)
    ranked.sort(key=lambda w: (-counts[w], w))
    items.sort(key=lambda x: abs(x - k), reverse=True)
    items.sort(key=lambda x: -x)
    return ranked, items


@cases((True, [2, 1]), (False, [2, 1]), (False, "a"))
def sorted_if_it_can_be(flag, items):
    k = 1
    some = flag
    if not flag:
        some = items
    some.sort(key=lambda x: -x)
    some.sort(key=lambda x: abs(x - k))
    return some


@cases(([1, 2],), ([1],))
def stars(items):
    def f(a, b):
        return a * 10 + b

    def g(*args, **named):
        return args, named

    kept = g
    return kept(*items, **{"a": 1}), kept(0, *items, b=2), f(*items)


@cases((max, [1, 2]))
def called_with_stars(f, items):
    return f(*items), f(0, *items, key=lambda x: -x)


# -- classes ----------------------------------------------------------------------------------------------------------


@cases((1,), (3,))
def classes(n):
    class Base:
        def __init_subclass__(cls, tag=None, **named):
            cls.tag = tag

    class Bad(ValueError):
        pass

    class Meta(type):
        def __new__(cls, name, bases, names):
            return super().__new__(cls, name, bases, {**names, "made": n})

    found = []
    for i in range(2):

        class Both(*(Base,), tag=i, **{}):
            x: int = n

            def get(self):
                return self.x + i

            @property
            def twice(self):
                return 2 * self.get()

        found.append(Both)

    class Of(metaclass=Meta):
        pass

    try:
        if n > 2:
            raise Bad("no")
    except Bad as error:
        found.append(str(error))
    return [(f().get(), f().twice, f.tag, f.__qualname__) for f in found[:2]], found[2:], Of.made


# -- generators -------------------------------------------------------------------------------------------------------


@cases(([1, 2, 3],), ([],), (5,))
def generator_expressions(items):
    k = 2
    doubled = (x * k for x in items)
    first = next(doubled, None)
    k = 10
    nested = (y for x in items for y in (z * x for z in range(x)))
    a, b = (x for x in items), (x for x in (y + 1 for y in items))
    return first, list(doubled), [*nested], list(zip(a, b)), [list(g) for g in [(i for j in range(i)) for i in items]]


@cases((3,))
def generators(n):
    log = []

    def numbers(k):
        try:
            while True:
                got = yield k
                k = got or k
        finally:
            log.append("closed")

    def through():
        yield from range(n)
        return n

    def result():
        yield (yield from through())

    it = numbers(n)
    found = [next(it), it.send(10), next(it)]
    it.close()
    return found, log, list(result()), list(itertools.islice((x * x for x in itertools.count()), n))


# -- variables of the module and of the function around -------------------------------------------------------------


@cases((3,), (0.5,))
def module_names(n):
    global written, SAID, gone
    written, SAID, gone = 1, n, n
    for _ in range(3):
        written += n

    def again():
        global written
        written = written * 2

    kept = [again]
    again()
    kept[0]()
    del gone
    try:
        gone += 1
    except NameError as error:
        return written, SAID, str(error), globals()["written"]


def around(k):
    j = k + 1

    def inside(n):
        nonlocal j
        j += n
        return [lambda: (n, j, k)][0]()

    return inside


@pytest.mark.parametrize("make", [lambda f: f, jitffi.script])
def test_variables_of_the_function_around(make):
    f = make(around(10))
    assert f(3) == (3, 14, 10) and f(4) == (4, 18, 10)
    assert f.__closure__[0].cell_contents == 18 if hasattr(f, "__closure__") else "left" not in f.inspect_types()


def fill(x, found=[], *, seen={}):
    found.append(x)
    seen[x] = len(found)
    return found, seen


def fibonacci(n, known={}):
    if n < 2:
        return n
    if n not in known:
        known[n] = fibonacci(n - 1) + fibonacci(n - 2)
    return known[n]


def fills(x):
    return fill(x)


def test_calls_share_their_defaults():
    first = jitffi.script(fill)
    assert first(1) == ([1], {1: 1}) and first(2) == ([1, 2], {1: 1, 2: 2})
    assert jitffi.script(fills)(3)[0] is fill.__defaults__[0] and fill.__kwdefaults__["seen"] == {1: 1, 2: 2, 3: 3}
    script = jitffi.script(fibonacci)
    assert script(30) == 832040 and len(fibonacci.__defaults__[0]) == 29
    assert all("left" not in each.inspect_types() for each in (first, script))


# -- all of them ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [each for each in alike.functions(globals()) if hasattr(each, "cases")])
def test_it_does_what_python_does(function):
    alike.check(function)
    assert jitffi.script(function).inspect_types().count("left to the interpreter") == 0


@cases(([5, -1],))
def stops_at_once(items):
    seen = []
    found = any(seen.append(x) or x > 3 for x in items), any((hit := x) > 3 for x in items)
    return found, seen, hit


def test_any_goes_no_further_than_it_must():
    alike.check(stops_at_once)


def local_names(x):
    y = x
    return sorted(locals()), eval("x + y"), dir()


def test_who_looks_at_the_variables_is_the_interpreter():
    script = jitffi.script(local_names)
    assert script(1) == local_names(1) and "locals sees the variables" in script.inspect_types()


@pytest.mark.parametrize("function", [counter, classes, generator_expressions, module_names])
def test_strict_scripts_refuse_it(function):
    with pytest.raises(jitffi.ScriptError, match="^scripts have|^generator expressions"):
        jitffi.script(function, strict=True)


def test_inspect_types_says_what_is_pythons():
    def f(n):
        total = 0

        def add(x):
            nonlocal total
            total += x

        kept = [add]
        for i in range(n):
            kept[0](i)
        return total

    script = jitffi.script(f)
    assert script(4) == 6
    lines = [line.split() for line in script.inspect_types().splitlines() if line.startswith("py ")]
    assert [line[2] for line in lines[:4]] == ["def", "total", "def", "kept[0](i)"]
