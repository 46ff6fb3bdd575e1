"""Integers of any length."""


def factorial(n):
    if n < 0 or n != int(n):
        raise ValueError("factorial() only accepts non-negative integers")
    value = 1
    for i in range(1, int(n) + 1):
        value *= i
    return value


def digits_of_factorial(n):
    return sum(int(digit) for digit in str(factorial(n)))


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def first_fibonacci_with(digits):
    a, b, index = 1, 1, 1
    while len(str(a)) < digits:
        a, b, index = b, a + b, index + 1
    return index


def power_digits(base, exponent):
    n = base**exponent
    total = 0
    while n:
        n, digit = divmod(n, 10)
        total += digit
    return total


def modular_power(base, exponent, modulus):
    result = 1
    base %= modulus
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        exponent >>= 1
        base = base * base % modulus
    return result


def add_texts(a, b):
    carry, out = 0, []
    for i in range(max(len(a), len(b))):
        x = int(a[-1 - i]) if i < len(a) else 0
        y = int(b[-1 - i]) if i < len(b) else 0
        carry, digit = divmod(x + y + carry, 10)
        out.append(str(digit))
    if carry:
        out.append(str(carry))
    return "".join(reversed(out)) or "0"


def karatsuba(x, y):
    if x < 10 or y < 10:
        return x * y
    half = max(len(str(x)), len(str(y))) // 2
    a, b = divmod(x, 10**half)
    c, d = divmod(y, 10**half)
    high, low = karatsuba(a, c), karatsuba(b, d)
    return high * 10 ** (2 * half) + (karatsuba(a + b, c + d) - high - low) * 10**half + low


def integer_root(n, k=2):
    low, high = 0, n + 1
    while high - low > 1:
        mid = (low + high) // 2
        if mid**k <= n:
            low = mid
        else:
            high = mid
    return low


def pi_digits(count):
    q, r, t, k, n, x, digits = 1, 0, 1, 1, 3, 3, []
    while len(digits) < count:
        if 4 * q + r - t < n * t:
            digits.append(n)
            q, r, n = 10 * q, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
        else:
            q, r, t, k, n, x = q * k, (2 * q + r) * x, t * x, k + 1, (q * (7 * k + 2) + r * x) // (t * x), x + 2
    return digits


CALLS = {
    factorial: lambda rng: (rng.choice((-1, 2.5, rng.randint(0, 30))),),
    digits_of_factorial: lambda rng: (rng.randint(0, 40),),
    fibonacci: lambda rng: (rng.randint(0, 150),),
    first_fibonacci_with: lambda rng: (rng.randint(1, 30),),
    power_digits: lambda rng: (rng.randint(1, 9), rng.randint(0, 60)),
    modular_power: lambda rng: (rng.randint(0, 99), rng.randint(0, 2**70), rng.randint(1, 10**12)),
    add_texts: lambda rng: (str(rng.randint(0, 10 ** rng.randint(1, 30))), str(rng.randint(0, 999))),
    karatsuba: lambda rng: (rng.randint(0, 10**25), rng.randint(0, 10**12)),
    integer_root: lambda rng: (rng.randint(0, 10 ** rng.randint(1, 30)), rng.randint(2, 3)),
    pi_digits: lambda rng: (rng.randint(0, 30),),
}
