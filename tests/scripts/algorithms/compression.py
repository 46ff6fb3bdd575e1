"""Compression and checksums."""

import heapq
from collections import Counter


def run_length(text):
    encoded = []
    count = 1
    for i in range(len(text)):
        if i + 1 < len(text) and text[i] == text[i + 1]:
            count += 1
        else:
            encoded.append((text[i], count))
            count = 1
    return encoded


def run_length_decoded(pairs):
    return "".join(char * length for char, length in pairs)


def huffman_codes(text):
    heap = [[weight, [symbol, ""]] for symbol, weight in sorted(Counter(text).items())]
    heapq.heapify(heap)
    while len(heap) > 1:
        low = heapq.heappop(heap)
        high = heapq.heappop(heap)
        for pair in low[1:]:
            pair[1] = "0" + pair[1]
        for pair in high[1:]:
            pair[1] = "1" + pair[1]
        heapq.heappush(heap, [low[0] + high[0]] + low[1:] + high[1:])
    return dict(sorted(heap[0][1:])) if heap else {}


def lzw(text):
    table = {chr(i): i for i in range(256)}
    current, output = "", []
    for ch in text:
        if current + ch in table:
            current += ch
        else:
            output.append(table[current])
            table[current + ch] = len(table)
            current = ch
    if current:
        output.append(table[current])
    return output


def unlzw(codes):
    table = {i: chr(i) for i in range(256)}
    if not codes:
        return ""
    before = table[codes[0]]
    output = [before]
    for code in codes[1:]:
        if code in table:
            entry = table[code]
        elif code == len(table):
            entry = before + before[0]
        else:
            raise ValueError("Bad compressed code: %s" % code)
        output.append(entry)
        table[len(table)] = before + entry[0]
        before = entry
    return "".join(output)


def burrows_wheeler(s):
    rotations = sorted(s[i:] + s[:i] for i in range(len(s)))
    return "".join(word[-1] for word in rotations), rotations.index(s)


def inverse_burrows_wheeler(last, index):
    ordered = [""] * len(last)
    for _ in range(len(last)):
        for i in range(len(last)):
            ordered[i] = last[i] + ordered[i]
        ordered.sort()
    return ordered[index]


def adler32(text):
    a, b = 1, 0
    for ch in text:
        a = (a + ord(ch)) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


def fletcher16(data):
    sum1 = sum2 = 0
    for byte in data:
        sum1 = (sum1 + byte) % 255
        sum2 = (sum1 + sum2) % 255
    return (sum2 << 8) | sum1


def luhn(number):
    digits = [int(ch) for ch in number]
    odd, even = digits[-1::-2], digits[-2::-2]
    return (sum(odd) + sum(sum(divmod(2 * d, 10)) for d in even)) % 10 == 0


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def djb2(text):
    value = 5381
    for ch in text:
        value = ((value << 5) + value + ord(ch)) & 0xFFFFFFFF
    return value


def _text(rng):
    return ("".join(rng.choices("aaab c", k=rng.randint(0, 20))),)


def _data(rng):
    return (bytes(rng.choices(range(256), k=rng.randint(0, 30))),)


CALLS = {
    run_length: _text,
    run_length_decoded: lambda rng: ([(rng.choice("ab"), rng.randint(0, 5)) for _ in range(5)],),
    huffman_codes: _text,
    lzw: _text,
    unlzw: lambda rng: ([97, 98, rng.randint(97, 258), 256],),
    burrows_wheeler: lambda rng: ("^" + _text(rng)[0],),
    inverse_burrows_wheeler: lambda rng: ("BNN^AAA", rng.randint(0, 6)),
    adler32: _text,
    fletcher16: _data,
    luhn: lambda rng: ("".join(rng.choices("0123456789", k=rng.randint(1, 16))),),
    fnv1a: _data,
    djb2: _text,
}
