"""Means, spreads, ranks; a little learning."""

import math
from collections import Counter, defaultdict


def mean(numbers):
    if not numbers:
        raise ValueError("List is empty")
    return sum(numbers) / len(numbers)


def median(numbers):
    ordered = sorted(numbers)
    mid = len(ordered) >> 1
    return (ordered[mid] + ordered[mid - 1]) / 2 if len(ordered) % 2 == 0 else ordered[mid]


def modes(values):
    if not values:
        return []
    counts = [values.count(value) for value in values]
    most = max(counts)
    return sorted({values[i] for i, count in enumerate(counts) if count == most})


def deviation(numbers):
    average = mean(numbers)
    return math.sqrt(sum((x - average) ** 2 for x in numbers) / len(numbers))


def quantile(numbers, q):
    ordered = sorted(numbers)
    at = (len(ordered) - 1) * q
    low = math.floor(at)
    high = math.ceil(at)
    return ordered[low] if low == high else ordered[low] * (high - at) + ordered[high] * (at - low)


def histogram(numbers, width):
    bins = defaultdict(int)
    for number in numbers:
        bins[number // width * width] += 1
    return [f"{low:>4}: {'*' * bins[low]}" for low in sorted(bins)]


def correlation(xs, ys):
    mx, my = mean(xs), mean(ys)
    top = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    return top / math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys))


def regression(points, steps=50, rate=0.01):
    slope = offset = 0.0
    for _ in range(steps):
        errors = [(slope * x + offset - y, x) for x, y in points]
        slope -= rate * sum(e * x for e, x in errors) / len(points)
        offset -= rate * sum(e for e, _ in errors) / len(points)
    return round(slope, 9), round(offset, 9)


def nearest(data, point, k=3):
    distances = sorted((math.dist(features, point), label) for features, label in data)
    return Counter(label for _, label in distances[:k]).most_common(1)[0][0]


def k_means(numbers, centres, rounds=5):
    groups = {}
    for _ in range(rounds):
        groups = {i: [] for i in range(len(centres))}
        for number in numbers:
            groups[min(groups, key=lambda i: abs(number - centres[i]))].append(number)
        centres = [sum(group) / len(group) if group else centres[i] for i, group in groups.items()]
    return centres, groups


def perceptron(samples, rate=0.1, epochs=5):
    weights = [0.0] * (len(samples[0][0]) + 1)
    for _ in range(epochs):
        for features, target in samples:
            activation = weights[0] + sum(w * f for w, f in zip(weights[1:], features))
            error = target - (1 if activation >= 0 else 0)
            if error:
                weights[0] += rate * error
                weights[1:] = [w + rate * error * f for w, f in zip(weights[1:], features)]
    return weights


def entropy(text):
    counts = Counter(text)
    total = sum(counts.values())
    return round(-sum(n / total * math.log2(n / total) for n in counts.values()), 9)


def normalised(rows):
    columns = list(zip(*rows))
    lows, highs = [min(c) for c in columns], [max(c) for c in columns]
    return [[(v - lo) / (hi - lo) if hi > lo else 0 for v, lo, hi in zip(row, lows, highs)] for row in rows]


def _numbers(rng):
    return ([rng.randint(0, 9) for _ in range(rng.randint(0, 9))],)


def _pairs(rng):
    return [rng.randint(0, 9) for _ in range(5)], [rng.randint(0, 9) for _ in range(5)]


CALLS = {
    mean: _numbers,
    median: _numbers,
    modes: _numbers,
    deviation: _numbers,
    quantile: lambda rng: (*_numbers(rng), rng.random()),
    histogram: lambda rng: (*_numbers(rng), rng.randint(0, 4)),
    correlation: _pairs,
    regression: lambda rng: (list(zip(*_pairs(rng))),),
    nearest: lambda rng: ([((rng.randint(0, 9), rng.randint(0, 9)), rng.choice("ab")) for _ in range(6)], (4, 4)),
    k_means: lambda rng: (*_numbers(rng), [2.0, 7.0]),
    perceptron: lambda rng: ([([rng.randint(0, 1), rng.randint(0, 1)], rng.randint(0, 1)) for _ in range(4)],),
    entropy: lambda rng: ("".join(rng.choices("abc", k=rng.randint(0, 9))),),
    normalised: lambda rng: ([[rng.randint(0, 9) for _ in range(3)] for _ in range(4)],),
}
