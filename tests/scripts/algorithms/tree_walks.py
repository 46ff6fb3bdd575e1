"""Binary trees: of tuples, of dicts, and of objects."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Tree:
    value: int
    left: Tree | None = None
    right: Tree | None = None


def insert(root, value):
    if root is None:
        return Tree(value)
    if value < root.value:
        root.left = insert(root.left, value)
    elif value > root.value:
        root.right = insert(root.right, value)
    return root


def built(values):
    root = None
    for value in values:
        root = insert(root, value)
    return root


def in_order(root):
    return [*in_order(root.left), root.value, *in_order(root.right)] if root else []


def pre_order_walk(root):
    if root:
        yield root.value
        yield from pre_order_walk(root.left)
        yield from pre_order_walk(root.right)


def pre_order(values):
    return list(pre_order_walk(built(values)))


def level_order(values):
    root = built(values)
    levels, row = [], [root] if root else []
    while row:
        levels.append([node.value for node in row])
        row = [child for node in row for child in (node.left, node.right) if child]
    return levels


def height(root):
    return 0 if root is None else 1 + max(height(root.left), height(root.right))


def diameter(values):
    longest = 0

    def depth(node):
        nonlocal longest
        if node is None:
            return 0
        left, right = depth(node.left), depth(node.right)
        longest = max(longest, left + right)
        return 1 + max(left, right)

    depth(built(values))
    return longest


def delete(root, value):
    if root is None:
        return None
    if value < root.value:
        root.left = delete(root.left, value)
    elif value > root.value:
        root.right = delete(root.right, value)
    elif root.left is None or root.right is None:
        return root.left or root.right
    else:
        smallest = root.right
        while smallest.left:
            smallest = smallest.left
        root.value = smallest.value
        root.right = delete(root.right, smallest.value)
    return root


def without(values, gone):
    root = built(values)
    for value in gone:
        root = delete(root, value)
    return in_order(root), height(root)


def evaluated(tree):
    """Of an expression as nested tuples."""
    match tree:
        case (op, left, right):
            a, b = evaluated(left), evaluated(right)
            if op == "+":
                return a + b
            if op == "-":
                return a - b
            if op == "*":
                return a * b
            if op == "/":
                return a / b
            raise ValueError(f"unknown operator {op!r}")
        case int() | float():
            return tree
        case _:
            raise TypeError(type(tree).__name__)


def trie_of(words):
    trie = {}
    for word in words:
        node = trie
        for ch in word:
            node = node.setdefault(ch, {})
        node["$"] = True
    return trie


def with_prefix(words, prefix):
    node = trie_of(words)
    for ch in prefix:
        if ch not in node:
            return []
        node = node[ch]
    found = []

    def collect(node, word):
        for ch, child in node.items():
            if ch == "$":
                found.append(word)
            else:
                collect(child, word + ch)

    collect(node, prefix)
    return sorted(found)


def _values(rng):
    return ([rng.randint(0, 20) for _ in range(rng.randint(0, 12))],)


def _expression(rng, depth=3):
    if depth == 0 or rng.random() < 0.3:
        return rng.choice((rng.randint(0, 5), 2.5, "x" if rng.random() < 0.1 else 1))
    return (rng.choice("+-*/%"), _expression(rng, depth - 1), _expression(rng, depth - 1))


CALLS = {
    insert: lambda rng: (built(_values(rng)[0]), rng.randint(0, 20)),
    built: _values,
    in_order: lambda rng: (built(_values(rng)[0]),),
    pre_order_walk: lambda rng: (built(_values(rng)[0]),),
    pre_order: _values,
    level_order: _values,
    height: lambda rng: (built(_values(rng)[0]),),
    diameter: _values,
    delete: lambda rng: (built(_values(rng)[0]), rng.randint(0, 20)),
    without: lambda rng: (*_values(rng), [rng.randint(0, 20) for _ in range(4)]),
    evaluated: lambda rng: (_expression(rng),),
    trie_of: lambda rng: (["".join(rng.choices("ab", k=rng.randint(0, 3))) for _ in range(5)],),
    with_prefix: lambda rng: (
        ["".join(rng.choices("ab", k=rng.randint(0, 4))) for _ in range(8)],
        rng.choice(("", "a", "ba")),
    ),
}
