"""Sorts that take quadratic time."""


def bubble_sort(items):
    n = len(items)
    for i in range(n):
        swapped = False
        for j in range(n - i - 1):
            if items[j] > items[j + 1]:
                items[j], items[j + 1] = items[j + 1], items[j]
                swapped = True
        if not swapped:
            break
    return items


def insertion_sort(items):
    for i in range(1, len(items)):
        key = items[i]
        j = i - 1
        while j >= 0 and key < items[j]:
            items[j + 1] = items[j]
            j -= 1
        items[j + 1] = key
    return items


def selection_sort(items):
    for i in range(len(items)):
        smallest = i
        for k in range(i + 1, len(items)):
            if items[k] < items[smallest]:
                smallest = k
        if smallest != i:
            items[smallest], items[i] = items[i], items[smallest]
    return items


def shell_sort(items):
    gap = len(items) // 2
    while gap > 0:
        for i in range(gap, len(items)):
            temp = items[i]
            j = i
            while j >= gap and items[j - gap] > temp:
                items[j] = items[j - gap]
                j -= gap
            items[j] = temp
        gap //= 2
    return items


def gnome_sort(items):
    i = 1
    while i < len(items):
        if i == 0 or items[i - 1] <= items[i]:
            i += 1
        else:
            items[i - 1], items[i] = items[i], items[i - 1]
            i -= 1
    return items


def _numbers(rng):
    kind = rng.choice((int, float, str))
    return ([kind(rng.randint(-20, 20)) for _ in range(rng.randint(0, 12))],)


CALLS = dict.fromkeys((bubble_sort, insertion_sort, selection_sort, shell_sort, gnome_sort), _numbers)
