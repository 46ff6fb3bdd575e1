"""Primes and divisors."""

from itertools import count, takewhile
from math import isqrt, sqrt


def is_prime(number):
    if 1 < number < 4:
        return True
    elif number < 2 or number % 2 == 0 or number % 3 == 0:
        return False
    for i in range(5, int(sqrt(number) + 1), 6):
        if number % i == 0 or number % (i + 2) == 0:
            return False
    return True


def sieve(limit):
    if limit <= 0:
        raise ValueError("%d: Invalid input, please enter a positive integer." % limit)
    flags = [True] * (limit + 1)
    prime = []
    start, end = 2, isqrt(limit)
    while start <= end:
        if flags[start] is True:
            prime.append(start)
            for i in range(start * start, limit + 1, start):
                if flags[i] is True:
                    flags[i] = False
        start += 1
    for j in range(end + 1, limit + 1):
        if flags[j] is True and j > 1:
            prime.append(j)
    return prime


def primes():
    yield 2
    found = []
    for number in count(3, 2):
        if all(number % p for p in takewhile(lambda p: p * p <= number, found)):
            found.append(number)
            yield number


def first_primes(n):
    return [p for p, _ in zip(primes(), range(n))]


def prime_factors(n):
    i = 2
    factors = []
    while i * i <= n:
        if n % i:
            i += 1
        else:
            n //= i
            factors.append(i)
    if n > 1:
        factors.append(n)
    return factors


def gcd(a, b):
    while b:
        a, b = b, a % b
    return abs(a)


def extended_gcd(a, b):
    if a == 0:
        return b, 0, 1
    g, y, x = extended_gcd(b % a, a)
    return g, x - (b // a) * y, y


def modular_inverse(a, m):
    g, x, _ = extended_gcd(a % m, m)
    if g != 1:
        raise ValueError(f"mod inverse of {a!r} and {m!r} does not exist")
    return x % m


def divisors(n):
    return sorted({d for i in range(1, isqrt(n) + 1) if n % i == 0 for d in (i, n // i)})


def is_perfect(number):
    if not isinstance(number, int):
        raise ValueError("number must be an integer")
    return number > 0 and sum(i for i in range(1, number // 2 + 1) if number % i == 0) == number


def totient(n):
    result = n
    for p in set(prime_factors(n)):
        result -= result // p
    return result


def goldbach(n):
    known = set(sieve(n))
    return next(((p, n - p) for p in sorted(known) if n - p in known), None)


def miller_rabin(n, bases=(2, 3, 5, 7, 11)):
    if n < 2:
        return False
    d, s = n - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in bases:
        if n % a == 0:
            return n == a
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def _number(rng):
    return (rng.randint(1, 500),)


CALLS = {
    is_prime: _number,
    sieve: lambda rng: (rng.randint(0, 200),),
    first_primes: lambda rng: (rng.randint(0, 30),),
    primes: None,
    prime_factors: _number,
    gcd: lambda rng: (rng.randint(-99, 99), rng.randint(-99, 99)),
    extended_gcd: lambda rng: (rng.randint(0, 99), rng.randint(1, 99)),
    modular_inverse: lambda rng: (rng.randint(1, 99), rng.randint(2, 99)),
    divisors: _number,
    is_perfect: lambda rng: (rng.choice((6, 28, 12, 2.5)),),
    totient: _number,
    goldbach: lambda rng: (rng.randint(2, 60) * 2,),
    miller_rabin: lambda rng: (rng.randint(0, 100000),),
}
