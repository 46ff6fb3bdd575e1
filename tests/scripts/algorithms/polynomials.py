"""Classes with operators, and functions that use them."""

from fractions import Fraction


class Polynomial:
    def __init__(self, *coefficients):
        self.coefficients = list(coefficients)
        while self.coefficients and self.coefficients[-1] == 0:
            self.coefficients.pop()

    def __add__(self, other):
        a, b = self.coefficients, other.coefficients
        n = max(len(a), len(b))
        return Polynomial(*((a[i] if i < len(a) else 0) + (b[i] if i < len(b) else 0) for i in range(n)))

    def __mul__(self, other):
        out = [0] * (len(self.coefficients) + len(other.coefficients))
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                out[i + j] += a * b
        return Polynomial(*out)

    def __call__(self, x):
        return sum(c * x**i for i, c in enumerate(self.coefficients))

    def __eq__(self, other):
        return isinstance(other, Polynomial) and self.coefficients == other.coefficients

    def __len__(self):
        return len(self.coefficients)

    def __str__(self):
        terms = [f"{c}x^{i}" if i else str(c) for i, c in enumerate(self.coefficients) if c]
        return " + ".join(reversed(terms)) or "0"

    def derivative(self):
        return Polynomial(*(i * c for i, c in enumerate(self.coefficients) if i))


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __abs__(self):
        return (self @ self) ** 0.5

    def __bool__(self):
        return bool(self.x or self.y)

    def __iter__(self):
        yield self.x
        yield self.y


def product_text(a, b):
    return str(Polynomial(*a) * Polynomial(*b))


def sum_at(polynomials, x):
    total = Polynomial()
    for each in polynomials:
        total = total + Polynomial(*each)
    return total(x), len(total), total == Polynomial(1, 2)


def derivatives(coefficients):
    p, out = Polynomial(*coefficients), []
    while len(p):
        out.append(str(p))
        p = p.derivative()
    return out


def path_length(points):
    vectors = [Vector(*point) for point in points]
    total = 0.0
    for a, b in zip(vectors, vectors[1:]):
        if step := b - a:
            total += abs(step)
    return total


def bounding_box(points):
    xs, ys = zip(*(Vector(*p) for p in points))
    return min(xs), min(ys), max(xs), max(ys)


def egyptian(numerator, denominator):
    fraction, parts = Fraction(numerator, denominator), []
    while fraction > 0:
        unit = Fraction(1, -(-fraction.denominator // fraction.numerator))
        parts.append(str(unit))
        fraction -= unit
    return parts


def continued(x, terms=6):
    out = []
    for _ in range(terms):
        whole = int(x // 1)
        out.append(whole)
        if x == whole:
            break
        x = 1 / (x - whole)
    return out


def best_rational(x, limit):
    found = Fraction(x).limit_denominator(limit)
    return found.numerator, found.denominator


def _coefficients(rng):
    return [rng.randint(-3, 3) for _ in range(rng.randint(0, 4))]


CALLS = {
    product_text: lambda rng: (_coefficients(rng), _coefficients(rng)),
    sum_at: lambda rng: ([_coefficients(rng) for _ in range(3)], rng.choice((2, 0.5))),
    derivatives: lambda rng: (_coefficients(rng),),
    path_length: lambda rng: ([(rng.randint(0, 3), rng.randint(0, 3)) for _ in range(5)],),
    bounding_box: lambda rng: ([(rng.randint(0, 9), rng.random()) for _ in range(rng.randint(0, 4))],),
    egyptian: lambda rng: (rng.randint(1, 9), rng.randint(2, 20)),
    continued: lambda rng: (rng.choice((3.245, 0.5, 7, Fraction(415, 93))),),
    best_rational: lambda rng: (rng.random(), rng.randint(1, 50)),
}
