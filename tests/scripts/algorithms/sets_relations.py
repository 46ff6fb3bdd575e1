"""Sets and relations."""

from itertools import combinations


def jaccard(a, b, alternative_union=False):
    if isinstance(a, set) and isinstance(b, set):
        union = len(a) + len(b) if alternative_union else len(a.union(b))
        return len(a.intersection(b)) / union
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        both = [element for element in a if element in b]
        return len(both) / (len(a) + len([element for element in b if element not in a]))
    raise ValueError("Set a and b must either both be sets or be either a list or a tuple.")


def is_equivalence(pairs, items):
    pairs = frozenset(pairs)
    reflexive = all((x, x) in pairs for x in items)
    symmetric = all((b, a) in pairs for a, b in pairs)
    transitive = all((a, d) in pairs for a, b in pairs for c, d in pairs if b == c)
    return reflexive, symmetric, transitive


def closure(pairs):
    closed = set(pairs)
    while True:
        more = {(a, d) for a, b in closed for c, d in closed if b == c} - closed
        if not more:
            return closed
        closed |= more


def set_cover(universe, subsets):
    left, chosen = set(universe), []
    while left:
        best = max(sorted(subsets), key=lambda name: len(subsets[name] & left))
        if not subsets[best] & left:
            return None
        chosen.append(best)
        left -= subsets[best]
    return chosen


def apriori(baskets, least):
    items = {frozenset([item]) for basket in baskets for item in basket}
    frequent = {}
    size = 1
    while items:
        counts = {each: sum(each <= basket for basket in baskets) for each in items}
        kept = {each: count for each, count in counts.items() if count >= least}
        frequent.update(kept)
        size += 1
        items = {a | b for a, b in combinations(kept, 2) if len(a | b) == size}
    return {tuple(sorted(each)): count for each, count in sorted(frequent.items(), key=lambda pair: sorted(pair[0]))}


def partitions(items):
    if not items:
        yield []
        return
    first, *rest = items
    for each in partitions(rest):
        for i, block in enumerate(each):
            yield each[:i] + [[first] + block] + each[i + 1 :]
        yield [[first]] + each


def count_partitions(n):
    return sum(1 for _ in partitions(list(range(n))))


def symmetric_difference(*groups):
    result = set()
    for group in groups:
        result ^= set(group)
    return result


def common(*groups):
    return sorted(set.intersection(*map(set, groups))) if groups else []


def mutual_friends(friends, a, b):
    known = {name: set(others) for name, others in friends.items()}
    both = known.get(a, set()) & known.get(b, set())
    both.discard(a)
    return both or None


def _pairs(rng):
    return [(rng.randint(0, 2), rng.randint(0, 2)) for _ in range(rng.randint(0, 9))]


CALLS = {
    jaccard: lambda rng: rng.choice((({1, 2}, {2, 3}), ([1, 2], (2, 5)), ({1}, [1]))),
    is_equivalence: lambda rng: (_pairs(rng), range(3)),
    closure: lambda rng: (_pairs(rng),),
    set_cover: lambda rng: (range(5), {"a": {0, 1}, "b": {1, 2, 3}, "c": {rng.randint(3, 5)}, "d": {3, 4}}),
    apriori: lambda rng: ([frozenset(rng.sample("abcd", rng.randint(1, 3))) for _ in range(6)], 2),
    partitions: lambda rng: (list("abc")[: rng.randint(0, 3)],),
    count_partitions: lambda rng: (rng.randint(0, 5),),
    symmetric_difference: lambda rng: ([1, 2], {2, rng.randint(0, 3)}, "ab"),
    common: lambda rng: ("abc", "bcd", rng.choice(("b", "xc"))),
    mutual_friends: lambda rng: ({"a": ["b", "c"], "b": ["a", "c", "d"]}, "a", rng.choice("bz")),
}
