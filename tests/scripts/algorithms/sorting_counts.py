"""Sorts without comparisons."""


def counting_sort(items):
    if not items:
        return []
    low, high = min(items), max(items)
    counts = [0] * (high - low + 1)
    for number in items:
        counts[number - low] += 1
    for i in range(1, len(counts)):
        counts[i] += counts[i - 1]
    ordered = [0] * len(items)
    for number in reversed(items):
        ordered[counts[number - low] - 1] = number
        counts[number - low] -= 1
    return ordered


def radix_sort(items, base=10):
    place = 1
    most = max(items, default=0)
    while place <= most:
        buckets = [list() for _ in range(base)]
        for number in items:
            buckets[number // place % base].append(number)
        at = 0
        for bucket in buckets:
            for number in bucket:
                items[at] = number
                at += 1
        place *= base
    return items


def bucket_sort(items, count=10):
    if len(items) == 0:
        return []
    low, high = min(items), max(items)
    buckets = [[] for _ in range(min(int(high - low) + 1, count))]
    for each in items:
        buckets[min(int(each - low), count - 1)].append(each)
    return [v for bucket in buckets for v in sorted(bucket)]


def sort_words_by_letter(words):
    for position in range(max(map(len, words), default=0) - 1, -1, -1):
        buckets = {}
        for word in words:
            buckets.setdefault(word[position : position + 1], []).append(word)
        words = [word for letter in sorted(buckets) for word in buckets[letter]]
    return words


def dutch_flag(sequence):
    low, mid, high = 0, 0, len(sequence) - 1
    while mid <= high:
        if sequence[mid] == 0:
            sequence[low], sequence[mid] = sequence[mid], sequence[low]
            low += 1
            mid += 1
        elif sequence[mid] == 1:
            mid += 1
        elif sequence[mid] == 2:
            sequence[mid], sequence[high] = sequence[high], sequence[mid]
            high -= 1
        else:
            raise ValueError(f"The elements inside the sequence must contain only {(0, 1, 2)} values")
    return sequence


def _numbers(rng):
    return ([rng.randint(0, 150) for _ in range(rng.randint(0, 15))],)


CALLS = {
    counting_sort: _numbers,
    radix_sort: _numbers,
    bucket_sort: lambda rng: ([rng.uniform(-5, 9) for _ in range(rng.randint(0, 9))],),
    sort_words_by_letter: lambda rng: (["".join(rng.choices("abc", k=rng.randint(0, 4))) for _ in range(8)],),
    dutch_flag: lambda rng: ([rng.randint(0, 2 + (rng.random() < 0.1)) for _ in range(9)],),
}
