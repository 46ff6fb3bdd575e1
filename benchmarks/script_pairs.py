"""What the group `scripts` runs of texts cut in two, of tuples, dicts by tuples, sets, hashes, counting and errors: as
people write it.

Each function takes what its row in `rows` says, and does `per` times what its name says."""

from __future__ import annotations

from typing import Any


def partition_unpacked(lines):
    n = 0
    for line in lines:
        name, _, value = line.partition("=")
        n += len(name) - len(value)
    return n


def partition_indexed(lines):
    n = 0
    for line in lines:
        n += len(line.partition("=")[2])
    return n


def partition_kept(lines):
    out = []
    for line in lines:
        out.append(line.partition("="))
    return out


def partition_named(lines):
    n = 0
    for line in lines:
        parts = line.partition("=")
        if parts[1]:
            n += len(parts[0])
    return n


def rpartition_unpacked(lines):
    n = 0
    for line in lines:
        head, _, tail = line.rpartition("=")
        n += len(head) - len(tail)
    return n


def partition_dict(lines):
    found = {}
    for line in lines:
        name, _, value = line.partition("=")
        found[name] = value
    return found


def split_once(lines):
    n = 0
    for line in lines:
        parts = line.split("=", 1)
        n += len(parts[0])
    return n


def split_once_unpacked(lines):
    n = 0
    for line in lines:
        name, value = line.split("=", 1)
        n += len(name) - len(value)
    return n


def split_once_indexed(lines):
    n = 0
    for line in lines:
        n += len(line.split("=", 1)[0])
    return n


def rsplit_once(lines):
    n = 0
    for line in lines:
        n += len(line.rsplit("=", 1)[-1])
    return n


def split_space_once(lines):
    n = 0
    for line in lines:
        n += len(line.split(None, 1)[0])
    return n


def swap(count):
    a, b = 0, 1
    for _ in range(count):
        a, b = b, (a + b) % 1000003
    return a


def two(a, b):
    return a - b, a + b


def returned(count):
    n = 0
    for i in range(count):
        low, high = two(i, n)
        n = (low + high) % 1000
    return n


def pairs_made(count):
    out = []
    for i in range(count):
        out.append((i, i * i))
    return out


def pairs_read(pairs):
    n = 0
    for a, b in pairs:
        n += a * b
    return n


def pairs_sorted(pairs):
    return sorted(pairs)


def words_numbered(words):
    n = 0
    for i, word in enumerate(words):
        n += i * len(word)
    return n


def words_zipped(words, others):
    out = []
    for a, b in zip(words, others):  # noqa: B905 - scripts have no strict=
        out.append((a, b))
    return out


def words_zipped_at_once(words, others):
    return list(zip(words, others))  # noqa: B905


def words_nested(words, others):
    return [(a, (b, 0.5, None)) for a, b in zip(words, others)]  # noqa: B905


def words_kept_numbered(words):
    return list(enumerate(words))


def items_kept_at_once(table):
    return list(table.items())


def items_kept(table):
    return [(value, key) for key, value in table.items()]


def count_int_pairs(numbers):
    d = {}
    for i in range(len(numbers) - 1):
        a = numbers[i]
        b = numbers[i + 1]
        d[(a, b)] = d.get((a, b), 0) + 1
    return d


def hash_64(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def same_places(a, b):
    n = 0
    for i in range(len(a)):
        if a[i] == b[i]:
            n += 1
    return n


def sieve(n):
    flags = [True] * (n + 1)
    i, found = 2, 0
    while i <= n:
        if flags[i]:
            found += 1
            j = i * i
            while j <= n:
                flags[j] = False
                j += i
        i += 1
    return found


def longest_chain(best, n):
    """Of numbers that may grow: the caller's list is changed, so that the call cannot be made again."""
    for i in range(1, n):
        x, steps = i, 0
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
        if steps > best[0]:
            best[0] = steps
    return best[0]


def power_of(base, exponent, modulus):
    result = 1
    while exponent:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


def checked(i):
    if i % 3 == 0:
        raise ValueError(f"bad value {i}")
    return i


def raised_across(count):
    n = 0
    for i in range(count):
        try:
            n += checked(i)
        except ValueError:
            n -= 1
    return n


def raised_and_told(count):
    n = 0
    for i in range(count):
        try:
            n += checked(i)
        except ValueError as error:
            n -= len(str(error))
    return n


def distinct(text):
    seen = set()
    found = 0
    for word in text.split():
        if word not in seen:
            seen.add(word)
            found += 1
    return found


def cycle(n):
    seen, x = set(), 1
    while x not in seen:
        seen.add(x)
        x = (x * 75 + 74) % n
    return len(seen)


def initials(text):
    return {word[:2].lower() for word in text.split()}


def in_both(text, other):
    return len(set(text.split()) & set(other.split()))


def live_cells(n):
    cells = {(i, j) for i in range(n) for j in range(n) if i * j % 3}
    found = 0
    for i in range(n):
        for j in range(n):
            if (i + 1, j) in cells:
                found += 1
    return found


def count_bigrams(words):
    d = {}
    for i in range(len(words) - 1):
        pair = (words[i], words[i + 1])
        d[pair] = d.get(pair, 0) + 1
    return d


def count_trigrams(words):
    d = {}
    for i in range(len(words) - 2):
        key = (words[i], i % 7, words[i + 2])
        d[key] = d.get(key, 0) + 1
    return d


def members(table, words):
    n = 0
    for i in range(len(words) - 1):
        if (words[i], words[i + 1]) in table:
            n += 1
    return n


def word_pairs(words):
    return {word: (word, i) for i, word in enumerate(words)}


def split_kept(lines):
    return [line.split("=", 1) for line in lines]


def rsplit_kept(lines):
    return [line.rsplit("=", 1) for line in lines]


def count_lengths(words):
    d = {}
    for word in words:
        key = (word, len(word))
        if key in d:
            d[key] += 1
        else:
            d[key] = 1
    return d


def grid(size):
    board = {}
    for x in range(size):
        for y in range(size):
            board[x, y] = (x * y) % 3
    n = 0
    for x in range(size):
        for y in range(size):
            for dx, dy in ((0, 1), (1, 0)):
                if (x + dx, y + dy) in board:
                    n += board[x + dx, y + dy]
    return n


def memo(rows, columns, table):
    if rows == 0 or columns == 0:
        return 1
    if (rows, columns) in table:
        return table[rows, columns]
    found = (memo(rows - 1, columns, table) + memo(rows, columns - 1, table)) % 1000007
    table[rows, columns] = found
    return found


def paths(size):
    return memo(size, size, {})


def table_sum(table):
    n = 0
    for value in table.values():
        n += value
    return n


def looked_up(table, words):
    n = 0
    for word in words:
        n += table.get(word, 0)
    return n


def lengths(words):
    n = 0
    for word in words:
        n += len(word)
    return n


def _wide(words: list[str]) -> list[str]:
    """Lines of Chinese characters, one for each word."""
    texts = ["".join(chr(0x4E00 + ord(c) * 37 % 20000) for c in word) for word in words[:1001]]
    return [f"{text}={other}" for text, other in zip(texts, texts[1:], strict=False)]


def in_python(words: list[str]) -> dict[str, tuple[str, tuple[Any, ...], int]]:
    """As `rows`, of arguments that are Python's own and the same in each call."""
    many = [f"{word[:6]}{i}" for i, word in enumerate(words * (10_000 // len(words) + 1))][:10_000]
    table = {word: i for i, word in enumerate(many)}
    return {
        "a list of 10,000 again": ("lengths", (many,), len(many)),
        "a dict of 10,000 again": ("looked_up", (table, many[:100]), 100),
        "split once wide kept": ("split_kept", (_wide(words),), 1000),
        "rsplit once wide kept": ("rsplit_kept", (_wide(words),), 1000),
        "partition wide kept": ("partition_kept", (_wide(words),), 1000),
        "split space once wide": ("split_space_once", ([line.replace("=", " ") for line in _wide(words)],), 1000),
    }


def rows(words: list[str]) -> dict[str, tuple[str, tuple[Any, ...], int]]:
    """By name: the function, its arguments, and how much work a call is."""
    few = words[:1000]
    lines = [f"{word}={other}" for word, other in zip(few, few[1:], strict=False)]
    long = [f"{' '.join(few[i : i + 8])}={' '.join(few[i + 8 : i + 16])}" for i in range(0, 900, 3)]
    wide = [line.replace("e", "\u4e09") for line in lines]
    spaced = [line.replace("=", " ") for line in lines]
    numbers = [len(word) * 37 % 50 for word in few]
    pairs = [(i * 7919 % 1000, i) for i in range(1000)]
    made: dict[str, tuple[str, tuple[Any, ...], int]] = {}
    for name in ("unpacked", "indexed", "kept", "named", "dict"):
        made[f"partition {name}"] = (f"partition_{name}", (lines,), len(lines))
    made["partition long"] = ("partition_unpacked", (long,), len(long))
    made["partition wide"] = ("partition_unpacked", (wide,), len(wide))
    made["rpartition"] = ("rpartition_unpacked", (lines,), len(lines))
    made["rpartition wide"] = ("rpartition_unpacked", (wide,), len(wide))
    made["split once"] = ("split_once", (lines,), len(lines))
    made["split once unpacked"] = ("split_once_unpacked", (lines,), len(lines))
    made["split once indexed"] = ("split_once_indexed", (lines,), len(lines))
    made["split once wide"] = ("split_once", (wide,), len(wide))
    made["split once long"] = ("split_once", (long,), len(long))
    made["rsplit once"] = ("rsplit_once", (lines,), len(lines))
    made["split space once"] = ("split_space_once", (spaced,), len(lines))
    made["tuple swap"] = ("swap", (1000,), 1000)
    made["tuple returned"] = ("returned", (1000,), 1000)
    made["tuple made"] = ("pairs_made", (1000,), 1000)
    made["tuple read"] = ("pairs_read", (pairs,), 1000)
    made["tuple sorted"] = ("pairs_sorted", (pairs,), 1000)
    made["enumerate"] = ("words_numbered", (few,), 1000)
    made["zip to tuples"] = ("words_zipped", (few, few), 1000)
    table = {word: i for i, word in enumerate(words)}
    made["list of zip"] = ("words_zipped_at_once", (few, few), 1000)
    made["list of enumerate"] = ("words_kept_numbered", (few,), 1000)
    made["nested tuples"] = ("words_nested", (few, few), 1000)
    made["list of items"] = ("items_kept_at_once", (table,), len(table))
    made["tuples in a dict"] = ("word_pairs", (few,), 1000)
    made["dict by (str, int, str)"] = ("count_trigrams", (few,), 998)
    made["(str, str) in a dict"] = ("members", (dict.fromkeys(zip(few, few[1:], strict=False), 1), few), 999)
    made["split once kept"] = ("split_kept", (lines,), len(lines))
    made["split once long kept"] = ("split_kept", (long,), len(long))
    made["items to tuples"] = ("items_kept", (table,), len(table))
    made["dict by (int, int)"] = ("count_int_pairs", (numbers,), len(numbers) - 1)
    made["hash of 64 bits"] = ("hash_64", (" ".join(few).encode(),), len(" ".join(few)))
    made["texts compared"] = ("same_places", (" ".join(few), " ".join(few).replace("e", "a")), len(" ".join(few)))
    made["sieve"] = ("sieve", (10_000,), 10_000)
    made["ints that may grow"] = ("longest_chain", ([0], 300), 300)
    made["products of 122 bits"] = ("power_of", (12345, 2**61 - 2, 2**61 - 1), 61)
    made["errors across functions"] = ("raised_across", (999,), 333)
    made["errors across functions, told"] = ("raised_and_told", (999,), 333)
    made["set of words seen"] = ("distinct", (" ".join(few * 4),), 4 * len(few))
    made["set of ints seen"] = ("cycle", (8191,), 4095)
    made["set comprehension"] = ("initials", (" ".join(few),), len(few))
    made["intersection"] = ("in_both", (" ".join(few), " ".join(few[::-2])), len(few))
    made["set of (int, int)"] = ("live_cells", (30,), 900)
    made["dict by (str, str)"] = ("count_bigrams", (few,), len(few) - 1)
    made["dict by (str, int)"] = ("count_lengths", (few,), len(few))
    made["dict grid"] = ("grid", (30,), 900)
    made["memo table"] = ("paths", (20,), 400)
    return made
