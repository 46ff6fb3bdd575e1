"""Bits of integers."""


def is_power_of_two(number):
    if number < 0:
        raise ValueError("number must not be negative")
    return number & (number - 1) == 0


def single_number(numbers):
    result = 0
    for number in numbers:
        result ^= number
    return result


def binary_text(number, width=8):
    sign = "-" if number < 0 else ""
    return sign + "0b" + bin(abs(number))[2:].zfill(width)


def twos_complement(number, bits=8):
    return format(number & ((1 << bits) - 1), f"0{bits}b")


def set_bits(number):
    return [i for i in range(number.bit_length()) if number >> i & 1]


def subsets_by_mask(items):
    return [[item for i, item in enumerate(items) if mask & 1 << i] for mask in range(1 << len(items))]


def rotate_left(value, count, width=32):
    count %= width
    return ((value << count) | (value >> (width - count))) & ((1 << width) - 1)


def murmur(data, seed=0):
    h = seed
    for i in range(0, len(data) - len(data) % 4, 4):
        k = int.from_bytes(data[i : i + 4], "little")
        k = (k * 0xCC9E2D51) & 0xFFFFFFFF
        k = rotate_left(k, 15)
        h ^= (k * 0x1B873593) & 0xFFFFFFFF
        h = (rotate_left(h, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    h ^= len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        h ^= h >> shift
        h = (h * factor) & 0xFFFFFFFF
    return h ^ h >> 16


def splitmix(seed, count):
    out = []
    for _ in range(count):
        seed = (seed + 0x9E3779B97F4A7C15) % 2**64
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        out.append(z ^ (z >> 31))
    return out


def crc32(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def hamming_code(bits):
    p1, p2, p4 = bits[0] ^ bits[1] ^ bits[3], bits[0] ^ bits[2] ^ bits[3], bits[1] ^ bits[2] ^ bits[3]
    return [p1, p2, bits[0], p4, *bits[1:]]


def _data(rng):
    return (bytes(rng.choices(range(256), k=rng.randint(0, 13))),)


CALLS = {
    is_power_of_two: lambda rng: (rng.choice((-1, 0, 1, 6, 64)),),
    single_number: lambda rng: ([1, 2, 1, rng.randint(0, 9), 2],),
    binary_text: lambda rng: (rng.randint(-99, 999),),
    twos_complement: lambda rng: (rng.randint(-128, 127),),
    set_bits: lambda rng: (rng.randint(0, 2**40),),
    subsets_by_mask: lambda rng: ("abcd"[: rng.randint(0, 4)],),
    rotate_left: lambda rng: (rng.randint(0, 2**32 - 1), rng.randint(0, 40)),
    murmur: _data,
    splitmix: lambda rng: (rng.randint(0, 2**64 - 1), 4),
    crc32: _data,
    hamming_code: lambda rng: (rng.choices((0, 1), k=4),),
}
