"""Functions that make functions, and functions with every kind of parameter."""

import functools

calls_seen = 0


def adder(n):
    return lambda x: x + n


def added(numbers, n):
    add = adder(n)
    return [add(number) for number in numbers]


def compose(*functions):
    def composed(value):
        for function in reversed(functions):
            value = function(value)
        return value

    return composed


def composed_text(text):
    return compose(str.upper, str.strip, lambda s: s.replace("a", "o"))(text)


def counter():
    count = 0

    def increment(by=1):
        nonlocal count
        count += by
        return count

    return increment


def counted(steps):
    one, other = counter(), counter()
    return [one(step) for step in steps] + [other()]


def memoised(function):
    cache = {}

    @functools.wraps(function)
    def wrapper(*args):
        if args not in cache:
            cache[args] = function(*args)
        return cache[args]

    return wrapper


@memoised
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


def logged(function):
    def wrapper(*args, **kwargs):
        result = function(*args, **kwargs)
        wrapper.log.append((function.__name__, args, kwargs, result))
        return result

    wrapper.log = []
    return wrapper


def log_of(a, b):
    @logged
    def scaled(x, *, factor=2):
        return x * factor

    scaled(a)
    scaled(b, factor=3)
    return scaled.log


def curried(f):
    return lambda a: lambda b: lambda c: f(a, b, c)


def volume(a, b, c):
    return curried(lambda x, y, z: x * y * z)(a)(b)(c)


def described(first, /, second=2, *rest, key, other=None, **more):
    return f"{first} {second} {rest} {key} {other} {sorted(more.items())}"


def describe_all(values):
    return described(*values, key=len(values), **{"extra": values[-1]})


def keep(item, kept=[]):
    kept.append(item)
    return len(kept), list(kept[-2:])


def tally():
    global calls_seen
    calls_seen += 1
    return calls_seen % 1000 > 0


def reduced(numbers):
    return functools.reduce(lambda a, b: a * 10 + b, numbers, 0)


def pipeline(numbers):
    return list(map(lambda x: x**2, filter(lambda x: x % 2, numbers)))


def dispatch(op, *values):
    table = {"sum": sum, "longest": lambda xs: max(xs, key=lambda x: len(str(x))), "count": len}
    try:
        return table[op](values)
    except KeyError:
        return f"no {op}"
    except (TypeError, ValueError) as error:
        return type(error).__name__
    finally:
        table.clear()


def swap_case_sorted(*words, reverse=False):
    return sorted((word.swapcase() for word in words), key=lambda word: (len(word), word), reverse=reverse)


def _numbers(rng):
    return ([rng.randint(0, 9) for _ in range(rng.randint(0, 8))],)


CALLS = {
    adder: None,
    added: lambda rng: (*_numbers(rng), rng.choice((1, 2.5, "x"))),
    compose: None,
    composed_text: lambda rng: (rng.choice((" banana ", "", "x")),),
    counter: None,
    counted: _numbers,
    memoised: None,
    binomial: lambda rng: (rng.randint(2, 12), rng.randint(0, 2)),
    logged: None,
    log_of: lambda rng: (rng.choice((1, "ab", [0])), rng.choice((2.5, "c"))),
    curried: None,
    volume: lambda rng: (1, rng.randint(0, 5), rng.choice((2, "a", 0.5))),
    described: None,
    describe_all: lambda rng: (list(range(rng.randint(0, 4))),),
    keep: lambda rng: (rng.randint(0, 9),),
    tally: lambda rng: (),
    reduced: _numbers,
    pipeline: _numbers,
    dispatch: lambda rng: (
        rng.choice(("sum", "longest", "count", "other")),
        *rng.choices((1, "ab", 2.5), k=rng.randint(0, 3)),
    ),
    swap_case_sorted: lambda rng: ("b", "Abc", "aB"),
}
