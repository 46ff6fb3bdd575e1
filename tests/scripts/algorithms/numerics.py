"""Roots, integrals, sums."""

from math import exp, factorial, sin


def bisection(f, low, high, tolerance=1e-7):
    if f(low) * f(high) > 0:
        raise ValueError("could not find root in given interval.")
    mid = low + (high - low) / 2.0
    while abs(low - mid) > tolerance:
        if f(mid) == 0:
            return mid
        elif f(mid) * f(low) < 0:
            high = mid
        else:
            low = mid
        mid = low + (high - low) / 2.0
    return mid


def newton(f, derivative, start, precision=1e-6):
    before = start
    while True:
        try:
            after = before - f(before) / derivative(before)
        except ZeroDivisionError:
            raise ZeroDivisionError("Could not find root") from None
        if abs(after - before) < precision:
            return after
        before = after


def square_root(a, max_iter=9999, tolerance=1e-14):
    if a < 0:
        raise ValueError("math domain error")
    value = a / 2 if a > 1 else 1.0
    for _ in range(max_iter):
        value, before = (value + a / value) / 2, value
        if abs(before - value) < tolerance:
            break
    return value


def trapezoids(f, a, b, steps=10):
    h = (b - a) / steps
    return h * (f(a) / 2 + sum(f(a + i * h) for i in range(1, steps)) + f(b) / 2)


def simpson(a, b, n):
    if n % 2:
        raise AssertionError(f"n must be even, got {n}")
    h = (b - a) / n
    total = sin(a) + sin(b)
    for i in range(1, n):
        total += sin(a + i * h) * (4 if i % 2 else 2)
    return total * h / 3


def taylor(x, terms=12):
    return sum((-1) ** r * x ** (2 * r + 1) / factorial(2 * r + 1) for r in range(terms))


def horner(coefficients, x):
    result = 0.0
    for coefficient in reversed(coefficients):
        result = result * x + coefficient
    return result


def lagrange(points, x):
    total = 0
    for i, (xi, yi) in enumerate(points):
        term = yi
        for j, (xj, _) in enumerate(points):
            if i != j:
                term *= (x - xj) / (xi - xj)
        total += term
    return total


def euler_method(step, end):
    x, y, found = 0.0, 1.0, []
    while x < end:
        y += step * (y - x)
        x += step
        found.append((round(x, 6), round(y, 6)))
    return found


def harmonic(n):
    series = []
    for i in range(int(n)):
        series.append(f"1/{i + 1}" if series else "1")
    return series


def sigmoid(vector):
    return [1 / (1 + exp(-x)) for x in vector]


def kahan(numbers):
    total = lost = 0.0
    for number in numbers:
        y = number - lost
        t = total + y
        lost = (t - total) - y
        total = t
    return total


def moving_average(numbers, window):
    if window < 1:
        raise ValueError("window must be positive")
    return [sum(numbers[i : i + window]) / window for i in range(len(numbers) - window + 1)]


CALLS = {
    bisection: lambda rng: ((lambda x, a=rng.uniform(-1, 3): x**3 - a), -2, 2),
    newton: lambda rng: ((lambda x, a=rng.randint(1, 9): x * x - a), lambda x: 2 * x, rng.choice((1.0, 0.0))),
    square_root: lambda rng: (rng.uniform(-1, 50),),
    trapezoids: lambda rng: ((lambda x: x * x), 0, rng.randint(1, 4)),
    simpson: lambda rng: (0.0, rng.uniform(0, 3), rng.choice((10, 9))),
    taylor: lambda rng: (rng.uniform(-3, 3),),
    horner: lambda rng: ([rng.randint(-3, 3) for _ in range(5)], rng.uniform(-2, 2)),
    lagrange: lambda rng: ([(i, rng.randint(-3, 3)) for i in range(4)], rng.uniform(0, 3)),
    euler_method: lambda rng: (rng.choice((0.1, 0.25)), 1),
    harmonic: lambda rng: (rng.choice((5, "3", 0)),),
    sigmoid: lambda rng: ([rng.uniform(-5, 5) for _ in range(4)],),
    kahan: lambda rng: ([rng.uniform(0, 1e-3) for _ in range(50)],),
    moving_average: lambda rng: ([rng.randint(0, 9) for _ in range(6)], rng.randint(0, 7)),
}
