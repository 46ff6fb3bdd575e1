"""Windows and pointers that move through a sequence."""


def longest_without_repeat(s):
    last, start, best = {}, 0, 0
    for i, ch in enumerate(s):
        if ch in last and last[ch] >= start:
            start = last[ch] + 1
        last[ch] = i
        best = max(best, i - start + 1)
    return best


def minimum_window(s, t):
    need, missing = {}, len(t)
    for ch in t:
        need[ch] = need.get(ch, 0) + 1
    left = start = end = 0
    for right, ch in enumerate(s, 1):
        missing -= need.get(ch, 0) > 0
        need[ch] = need.get(ch, 0) - 1
        if not missing:
            while left < right and need[s[left]] < 0:
                need[s[left]] += 1
                left += 1
            if not end or right - left <= end - start:
                start, end = left, right
    return s[start:end]


def three_sum(numbers):
    numbers.sort()
    found = set()
    for i in range(len(numbers)):
        j, k = i + 1, len(numbers) - 1
        while j < k:
            total = numbers[i] + numbers[j] + numbers[k]
            if total < 0:
                j += 1
            elif total > 0:
                k -= 1
            else:
                found.add((numbers[i], numbers[j], numbers[k]))
                j += 1
                k -= 1
    return sorted(found)


def move_zeroes(numbers):
    at = 0
    for i in range(len(numbers)):
        if numbers[i] != 0:
            numbers[at], numbers[i] = numbers[i], numbers[at]
            at += 1


def remove_duplicates(numbers):
    numbers[:] = sorted(set(numbers))
    return len(numbers)


def rotate(items, k):
    if items:
        k %= len(items)
        items[:] = items[-k:] + items[:-k]


def next_permutation(numbers):
    i = len(numbers) - 2
    while i >= 0 and numbers[i] >= numbers[i + 1]:
        i -= 1
    if i >= 0:
        j = len(numbers) - 1
        while numbers[j] <= numbers[i]:
            j -= 1
        numbers[i], numbers[j] = numbers[j], numbers[i]
    numbers[i + 1 :] = reversed(numbers[i + 1 :])


def product_except_self(numbers):
    out, before = [1] * len(numbers), 1
    for i, number in enumerate(numbers):
        out[i] = before
        before *= number
    after = 1
    for i in range(len(numbers) - 1, -1, -1):
        out[i] *= after
        after *= numbers[i]
    return out


def missing_numbers(numbers, low, high):
    return [n for n in range(low, high) if n not in set(numbers)]


def longest_run(numbers):
    known, best = set(numbers), 0
    for n in known:
        if n - 1 not in known:
            end = n
            while end in known:
                end += 1
            best = max(best, end - n)
    return best


def majority(votes):
    candidate, count = None, 0
    for vote in votes:
        if count == 0:
            candidate = vote
        count += 1 if vote == candidate else -1
    return candidate if votes.count(candidate) > len(votes) // 2 else None


def container(heights):
    i, j, best = 0, len(heights) - 1, 0
    while i < j:
        best = max(best, (j - i) * min(heights[i], heights[j]))
        if heights[i] < heights[j]:
            i += 1
        else:
            j -= 1
    return best


def _numbers(rng):
    return ([rng.randint(-4, 4) for _ in range(rng.randint(0, 9))],)


def _text(rng):
    return ("".join(rng.choices("abcd", k=rng.randint(0, 10))),)


CALLS = {
    longest_without_repeat: _text,
    minimum_window: lambda rng: (*_text(rng), "".join(rng.choices("abc", k=2))),
    three_sum: _numbers,
    move_zeroes: _numbers,
    remove_duplicates: _numbers,
    rotate: lambda rng: (*_numbers(rng), rng.randint(0, 9)),
    next_permutation: _numbers,
    product_except_self: _numbers,
    missing_numbers: lambda rng: (*_numbers(rng), -4, 5),
    longest_run: _numbers,
    majority: _numbers,
    container: _numbers,
}
