"""Searches in sequences."""

from bisect import bisect_left


def linear_search(sequence, target):
    for index, item in enumerate(sequence):
        if item == target:
            return index
    return -1


def binary_search(items, target):
    left, right = 0, len(items) - 1
    while left <= right:
        mid = left + (right - left) // 2
        if items[mid] == target:
            return mid
        if target < items[mid]:
            right = mid - 1
        else:
            left = mid + 1
    return None


def binary_search_recursive(items, target, left=0, right=None):
    right = len(items) - 1 if right is None else right
    if right < left:
        return -1
    mid = (left + right) // 2
    if items[mid] == target:
        return mid
    elif items[mid] > target:
        return binary_search_recursive(items, target, left, mid - 1)
    return binary_search_recursive(items, target, mid + 1, right)


def by_library(items, target):
    index = bisect_left(items, target)
    return index if index != len(items) and items[index] == target else None


def interpolation_search(items, target):
    low, high = 0, len(items) - 1
    while low <= high and items[low] <= target <= items[high]:
        if items[low] == items[high]:
            return low if items[low] == target else None
        at = low + (target - items[low]) * (high - low) // (items[high] - items[low])
        if items[at] == target:
            return at
        if items[at] < target:
            low = at + 1
        else:
            high = at - 1


def ternary_search(f, low, high, steps=60):
    for _ in range(steps):
        third = (high - low) / 3
        a, b = low + third, high - third
        if f(a) < f(b):
            low = a
        else:
            high = b
    return round((low + high) / 2, 6)


def quick_select(items, index):
    if index >= len(items) or index < 0:
        return None
    pivot = items[len(items) // 2]
    smaller, equal, larger = [], [], []
    for element in items:
        if element < pivot:
            smaller.append(element)
        elif element > pivot:
            larger.append(element)
        else:
            equal.append(element)
    m, count = len(smaller), len(equal)
    if m <= index < count + m:
        return pivot
    if m > index:
        return quick_select(smaller, index)
    return quick_select(larger, index - (m + count))


def two_sum(numbers, target):
    seen = {}
    for index, number in enumerate(numbers):
        if target - number in seen:
            return [seen[target - number], index]
        seen[number] = index
    return []


def _sorted(rng):
    return sorted(rng.choices(range(40), k=rng.randint(0, 20))), rng.randint(0, 40)


def _any(rng):
    items = rng.choices(range(20), k=rng.randint(0, 15))
    return items, rng.randint(0, 20)


CALLS = {
    linear_search: _any,
    binary_search: _sorted,
    binary_search_recursive: _sorted,
    by_library: _sorted,
    interpolation_search: _sorted,
    ternary_search: lambda rng: ((lambda x, at=rng.uniform(-3, 3): (x - at) ** 2), -5, 5),
    quick_select: _any,
    two_sum: _any,
}
