"""Generators and iterators."""

import itertools


def countdown(n):
    while n > 0:
        yield n
        n -= 1


def chunks(items, size):
    for i in range(0, len(items), size):
        yield items[i : i + size]


def flattened(nested):
    for item in nested:
        if isinstance(item, (list, tuple)):
            yield from flattened(item)
        else:
            yield item


def unique(items, key=None):
    seen = set()
    for item in items:
        k = item if key is None else key(item)
        if k not in seen:
            seen.add(k)
            yield item


def pairwise(iterable):
    iterator = iter(iterable)
    before = next(iterator, None)
    for item in iterator:
        yield before, item
        before = item


def running(numbers):
    total = 0
    for number in numbers:
        total += number
        yield total


def interleaved(*sequences):
    iterators = [iter(each) for each in sequences]
    while iterators:
        for iterator in list(iterators):
            try:
                yield next(iterator)
            except StopIteration:
                iterators.remove(iterator)


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def fibonacci_below(limit):
    return list(itertools.takewhile(lambda n: n < limit, fibonacci()))


def even_fibonacci_sum(limit):
    return sum(n for n in fibonacci_below(limit) if n % 2 == 0)


def grouped(words):
    return {size: list(group) for size, group in itertools.groupby(sorted(words, key=len), key=len)}


def power_set(items):
    items = list(items)
    return list(itertools.chain.from_iterable(itertools.combinations(items, r) for r in range(len(items) + 1)))


def averager():
    total, count, average = 0.0, 0, None
    while True:
        value = yield average
        if value is None:
            return average
        total += value
        count += 1
        average = total / count


def averages(numbers):
    coroutine = averager()
    next(coroutine)
    return [coroutine.send(number) for number in numbers]


def windowed(text, n):
    return ["".join(window) for window in zip(*(text[i:] for i in range(n)))]


def zip_longest_text(a, b, fill="-"):
    return "".join(x + y for x, y in itertools.zip_longest(a, b, fillvalue=fill))


def first_match(items, predicate, default=None):
    return next((item for item in items if predicate(item)), default)


def triples(limit):
    return [
        (a, b, c) for a in range(1, limit) for b in range(a, limit) for c in range(b, limit) if a * a + b * b == c * c
    ]


def any_all(rows):
    return [any(x > 5 for x in row) and not all(x > 5 for x in row) for row in rows]


def _numbers(rng):
    return ([rng.randint(0, 9) for _ in range(rng.randint(0, 8))],)


CALLS = {
    countdown: lambda rng: (rng.randint(-1, 5),),
    chunks: lambda rng: (*_numbers(rng), rng.randint(0, 3)),
    flattened: lambda rng: ([1, [2, (3, [rng.randint(0, 9)]), []], "ab"],),
    unique: lambda rng: (*_numbers(rng), rng.choice((None, lambda n: n % 3))),
    pairwise: _numbers,
    running: _numbers,
    interleaved: lambda rng: ("abc", [1], (True, None)),
    fibonacci_below: lambda rng: (rng.randint(0, 1000),),
    fibonacci: None,
    even_fibonacci_sum: lambda rng: (rng.randint(0, 1000),),
    grouped: lambda rng: (["".join(rng.choices("ab", k=rng.randint(0, 3))) for _ in range(6)],),
    power_set: lambda rng: ("abcd"[: rng.randint(0, 4)],),
    averager: None,
    averages: _numbers,
    windowed: lambda rng: ("abcdef"[: rng.randint(0, 6)], rng.randint(1, 3)),
    zip_longest_text: lambda rng: ("abc", "xy" * rng.randint(0, 3)),
    first_match: lambda rng: (*_numbers(rng), lambda n: n > 6),
    triples: lambda rng: (rng.randint(0, 20),),
    any_all: lambda rng: ([rng.choices(range(10), k=3) for _ in range(4)],),
}
