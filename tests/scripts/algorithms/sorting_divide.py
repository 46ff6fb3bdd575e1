"""Sorts that divide and conquer."""


def merge(left, right):
    result = []
    while left and right:
        result.append((left if left[0] <= right[0] else right).pop(0))
    return result + left + right


def merge_sort(items):
    if len(items) <= 1:
        return items
    mid = len(items) // 2
    return merge(merge_sort(items[:mid]), merge_sort(items[mid:]))


def quick_sort(items):
    if len(items) < 2:
        return items
    pivot, *rest = items
    smaller = [x for x in rest if x < pivot]
    larger = [x for x in rest if x >= pivot]
    return [*quick_sort(smaller), pivot, *quick_sort(larger)]


def partition(items, low, high):
    pivot = items[high]
    i = low - 1
    for j in range(low, high):
        if items[j] <= pivot:
            i += 1
            items[i], items[j] = items[j], items[i]
    items[i + 1], items[high] = items[high], items[i + 1]
    return i + 1


def quick_sort_in_place(items, low=0, high=None):
    if high is None:
        high = len(items) - 1
    if low < high:
        at = partition(items, low, high)
        quick_sort_in_place(items, low, at - 1)
        quick_sort_in_place(items, at + 1, high)
    return items


def heapify(items, index, size):
    largest = index
    left, right = 2 * index + 1, 2 * index + 2
    if left < size and items[left] > items[largest]:
        largest = left
    if right < size and items[right] > items[largest]:
        largest = right
    if largest != index:
        items[index], items[largest] = items[largest], items[index]
        heapify(items, largest, size)


def heap_sort(items):
    n = len(items)
    for i in range(n // 2 - 1, -1, -1):
        heapify(items, i, n)
    for i in range(n - 1, 0, -1):
        items[0], items[i] = items[i], items[0]
        heapify(items, 0, i)
    return items


def inversions(items):
    if len(items) <= 1:
        return items, 0
    mid = len(items) // 2
    left, a = inversions(items[:mid])
    right, b = inversions(items[mid:])
    merged, count, i, j = [], a + b, 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
            count += len(left) - i
    merged += left[i:]
    merged += right[j:]
    return merged, count


def _numbers(rng):
    return ([rng.randint(-9, 9) for _ in range(rng.randint(0, 12))],)


CALLS = {
    merge: lambda rng: (sorted(_numbers(rng)[0]), sorted(_numbers(rng)[0])),
    merge_sort: _numbers,
    quick_sort: _numbers,
    partition: lambda rng: ([rng.randint(0, 9) for _ in range(6)], 0, 5),
    quick_sort_in_place: _numbers,
    heapify: lambda rng: ([rng.randint(0, 9) for _ in range(7)], 0, 7),
    heap_sort: _numbers,
    inversions: _numbers,
}
