"""Data structures as classes, and functions that use them."""

from collections import OrderedDict


class Node:
    def __init__(self, data, next_node=None):
        self.data = data
        self.next = next_node


class LinkedList:
    def __init__(self, items=()):
        self.head = None
        for item in reversed(list(items)):
            self.head = Node(item, self.head)

    def __iter__(self):
        node = self.head
        while node:
            yield node.data
            node = node.next

    def reverse(self):
        before = None
        node = self.head
        while node:
            node.next, before, node = before, node, node.next
        self.head = before


class LRUCache:
    def __init__(self, capacity):
        self.capacity = capacity
        self.entries = OrderedDict()

    def get(self, key):
        if key not in self.entries:
            return -1
        self.entries.move_to_end(key)
        return self.entries[key]

    def put(self, key, value):
        self.entries[key] = value
        self.entries.move_to_end(key)
        if len(self.entries) > self.capacity:
            self.entries.popitem(last=False)


class Fenwick:
    def __init__(self, size):
        self.tree = [0] * (size + 1)

    def add(self, index, value):
        index += 1
        while index < len(self.tree):
            self.tree[index] += value
            index += index & -index

    def prefix(self, count):
        total = 0
        while count > 0:
            total += self.tree[count]
            count -= count & -count
        return total


def reversed_list(items):
    linked = LinkedList(items)
    linked.reverse()
    return list(linked)


def middle(items):
    slow = fast = LinkedList(items).head
    while fast and fast.next:
        slow = slow.next
        fast = fast.next.next
    return slow.data if slow else None


def cache_hits(requests, capacity):
    cache, hits = LRUCache(capacity), 0
    for key in requests:
        if cache.get(key) == -1:
            cache.put(key, key * 2)
        else:
            hits += 1
    return hits, list(cache.entries.items())


def range_sums(numbers, queries):
    tree = Fenwick(len(numbers))
    for i, number in enumerate(numbers):
        tree.add(i, number)
    return [tree.prefix(b) - tree.prefix(a) for a, b in queries]


def balanced(text):
    stack = []
    pairs = {")": "(", "]": "[", "}": "{"}
    for ch in text:
        if ch in pairs.values():
            stack.append(ch)
        elif ch in pairs and (not stack or stack.pop() != pairs[ch]):
            return False
    return not stack


def next_greater(numbers):
    result = [-1] * len(numbers)
    stack = []
    for i, number in enumerate(numbers):
        while stack and numbers[stack[-1]] < number:
            result[stack.pop()] = number
        stack.append(i)
    return result


def largest_rectangle(heights):
    best, stack = 0, []
    for i, height in enumerate([*heights, 0]):
        start = i
        while stack and stack[-1][1] > height:
            start, tall = stack.pop()
            best = max(best, tall * (i - start))
        stack.append((start, height))
    return best


def _numbers(rng):
    return ([rng.randint(0, 9) for _ in range(rng.randint(0, 10))],)


CALLS = {
    reversed_list: _numbers,
    middle: _numbers,
    cache_hits: lambda rng: (*_numbers(rng), rng.randint(1, 3)),
    range_sums: lambda rng: ([1, 2, 3, 4, 5], [(rng.randint(0, 2), rng.randint(2, 5)) for _ in range(3)]),
    balanced: lambda rng: ("".join(rng.choices("([{}])", k=rng.randint(0, 6))),),
    next_greater: _numbers,
    largest_rectangle: _numbers,
}
