"""Numbers by their digits, and number systems."""

ROMAN = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
]  # fmt: skip
ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen""".split()
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def to_roman(number):
    result = []
    for arabic, roman in ROMAN:
        factor, number = divmod(number, arabic)
        result.append(roman * factor)
        if number == 0:
            break
    return "".join(result)


def from_roman(text):
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    place = 0
    while place < len(text):
        if place + 1 < len(text) and values[text[place]] < values[text[place + 1]]:
            total += values[text[place + 1]] - values[text[place]]
            place += 2
        else:
            total += values[text[place]]
            place += 1
    return total


def in_words(n):
    if n < 0:
        return "minus " + in_words(-n)
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + ("-" + ONES[n % 10] if n % 10 else "")
    if n < 1000:
        return ONES[n // 100] + " hundred" + (" and " + in_words(n % 100) if n % 100 else "")
    for size, name in ((10**9, "billion"), (10**6, "million"), (10**3, "thousand")):
        if n >= size:
            rest = n % size
            return in_words(n // size) + " " + name + (" " + in_words(rest) if rest else "")


def decimal_to_any(num, base):
    if isinstance(num, float):
        raise TypeError("int() can't convert non-string with explicit base")
    if num < 0:
        raise ValueError("parameter must be positive int")
    if not 2 <= base <= 36:
        raise ValueError("base must be in 2..36")
    digits = ""
    while num:
        num, mod = divmod(num, base)
        digits += chr(55 + mod) if mod > 9 else str(mod)
    return digits[::-1] or "0"


def is_armstrong(n):
    digits = str(n)
    return n == sum(int(d) ** len(digits) for d in digits)


def is_palindrome(number):
    return (text := str(number)) == text[::-1]


def collatz(n):
    if not isinstance(n, int) or n < 1:
        raise Exception("Sequence only defined for positive integers")
    sequence = [n]
    while n != 1:
        n = 3 * n + 1 if n & 1 else n // 2
        sequence += [n]
    return sequence


def digital_root(n):
    while n > 9:
        n = sum(map(int, str(n)))
    return n


def reversed_bits(number, width=32):
    result = 0
    for _ in range(width):
        result <<= 1
        result |= number & 1
        number >>= 1
    return result


def popcount(number):
    count = 0
    while number:
        number &= number - 1
        count += 1
    return count


def gray_code(bits):
    if bits == 0:
        return ["0"]
    if bits == 1:
        return ["0", "1"]
    smaller = gray_code(bits - 1)
    return ["0" + code for code in smaller] + ["1" + code for code in reversed(smaller)]


def look_and_say(n):
    text = "1"
    for _ in range(n):
        result, i = "", 0
        while i < len(text):
            j = i
            while j < len(text) and text[j] == text[i]:
                j += 1
            result += f"{j - i}{text[i]}"
            i = j
        text = result
    return text


def excel_column(title):
    answer = 0
    for power, ch in enumerate(reversed(title)):
        answer += (ord(ch) - 64) * 26**power
    return answer


def _number(rng):
    return (rng.randint(1, 4000),)


CALLS = {
    to_roman: _number,
    from_roman: lambda rng: (to_roman(rng.randint(1, 4000)),),
    in_words: lambda rng: (rng.randint(-(10**6), 10**10),),
    decimal_to_any: lambda rng: (rng.choice((rng.randint(-3, 9999), 1.5)), rng.randint(1, 37)),
    is_armstrong: lambda rng: (rng.choice((153, 154, 9474)),),
    is_palindrome: _number,
    collatz: lambda rng: (rng.choice((rng.randint(0, 99), "7")),),
    digital_root: _number,
    reversed_bits: _number,
    popcount: _number,
    gray_code: lambda rng: (rng.randint(0, 5),),
    look_and_say: lambda rng: (rng.randint(0, 9),),
    excel_column: lambda rng: ("".join(rng.choices("ABZ", k=rng.randint(0, 4))),),
}
