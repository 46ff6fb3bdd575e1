"""Dynamic programming over sequences."""

from functools import lru_cache


def longest_common_subsequence(x, y):
    m, n = len(x), len(y)
    table = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            match = 1 if x[i - 1] == y[j - 1] else 0
            table[i][j] = max(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1] + match)
    seq = ""
    i, j = m, n
    while i > 0 and j > 0:
        match = 1 if x[i - 1] == y[j - 1] else 0
        if table[i][j] == table[i - 1][j - 1] + match:
            if match == 1:
                seq = x[i - 1] + seq
            i -= 1
            j -= 1
        elif table[i][j] == table[i - 1][j]:
            i -= 1
        else:
            j -= 1
    return table[m][n], seq


def edit_distance(a, b):
    previous = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        current = [i]
        for j, cb in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (ca != cb)))
        previous = current
    return previous[-1]


def edit_distance_top_down(a, b):
    @lru_cache(maxsize=None)
    def distance(i, j):
        if i == len(a):
            return len(b) - j
        if j == len(b):
            return len(a) - i
        if a[i] == b[j]:
            return distance(i + 1, j + 1)
        return 1 + min(distance(i + 1, j), distance(i, j + 1), distance(i + 1, j + 1))

    return distance(0, 0)


def longest_increasing(numbers):
    if not numbers:
        return []
    best = [[number] for number in numbers]
    for i in range(len(numbers)):
        for j in range(i):
            if numbers[j] < numbers[i] and len(best[j]) + 1 > len(best[i]):
                best[i] = best[j] + [numbers[i]]
    return max(best, key=len)


def max_subarray(numbers):
    best = current = numbers[0]
    start = begin = end = 0
    for i, number in enumerate(numbers[1:], 1):
        if current < 0:
            current, begin = number, i
        else:
            current += number
        if current > best:
            best, start, end = current, begin, i
    return best, numbers[start : end + 1]


def longest_palindrome(s):
    best = ""
    for centre in range(len(s)):
        for left, right in ((centre, centre), (centre, centre + 1)):
            while left >= 0 and right < len(s) and s[left] == s[right]:
                left -= 1
                right += 1
            if right - left - 1 > len(best):
                best = s[left + 1 : right]
    return best


def word_break(s, words):
    reachable = [True] + [False] * len(s)
    for end in range(1, len(s) + 1):
        reachable[end] = any(
            reachable[end - len(word)] and s[:end].endswith(word) for word in words if len(word) <= end
        )
    return reachable[-1]


def _two(rng):
    return "".join(rng.choices("abcd", k=rng.randint(0, 8))), "".join(rng.choices("abcd", k=rng.randint(0, 8)))


def _numbers(rng):
    return ([rng.randint(-9, 9) for _ in range(rng.randint(0, 10))],)


CALLS = {
    longest_common_subsequence: _two,
    edit_distance: _two,
    edit_distance_top_down: _two,
    longest_increasing: _numbers,
    max_subarray: _numbers,
    longest_palindrome: lambda rng: (_two(rng)[0] * 2,),
    word_break: lambda rng: (_two(rng)[0], ["a", "ab", "cd", "bcd"]),
}
