"""Flows, matchings and tours."""

from collections import deque
from itertools import permutations


def max_flow(capacity, source, sink):
    """Edmonds and Karp's; the capacities become what is left of them."""
    n, flow = len(capacity), 0
    while True:
        parent = [-1] * n
        parent[source] = source
        queue = deque([source])
        while queue and parent[sink] == -1:
            u = queue.popleft()
            for v in range(n):
                if parent[v] == -1 and capacity[u][v] > 0:
                    parent[v] = u
                    queue.append(v)
        if parent[sink] == -1:
            return flow
        path, v = float("inf"), sink
        while v != source:
            path = min(path, capacity[parent[v]][v])
            v = parent[v]
        flow += path
        v = sink
        while v != source:
            u = parent[v]
            capacity[u][v] -= path
            capacity[v][u] += path
            v = u


def matching(graph):
    match = {}

    def augment(u, seen):
        for v in graph[u]:
            if v not in seen:
                seen.add(v)
                if v not in match or augment(match[v], seen):
                    match[v] = u
                    return True
        return False

    count = sum(augment(u, set()) for u in graph)
    return count, dict(sorted(match.items()))


def tour(distances):
    n = len(distances)
    best = min(
        permutations(range(1, n)), key=lambda order: sum(distances[a][b] for a, b in zip((0, *order), (*order, 0)))
    )
    return [0, *best, 0]


def held_karp(distances):
    n = len(distances)
    best = {(1 << i, i): (distances[0][i], 0) for i in range(1, n)}
    for size in range(2, n):
        for subset in range(1 << n):
            if subset & 1 or bin(subset).count("1") != size:
                continue
            for k in range(1, n):
                if subset >> k & 1:
                    before = subset & ~(1 << k)
                    best[subset, k] = min(
                        (best[before, m][0] + distances[m][k], m) for m in range(1, n) if before >> m & 1
                    )
    everything = (1 << n) - 2
    return min(best[everything, k][0] + distances[k][0] for k in range(1, n)) if n > 1 else 0


def nearest_neighbour(distances, start=0):
    left, at, order = set(range(len(distances))) - {start}, start, [start]
    while left:
        at = min(left, key=lambda city: (distances[at][city], city))
        left.remove(at)
        order.append(at)
    return order


def page_rank(links, damping=0.85, rounds=20):
    ranks = dict.fromkeys(links, 1 / len(links))
    for _ in range(rounds):
        fresh = {page: (1 - damping) / len(links) for page in links}
        for page, targets in links.items():
            for target in targets or links:
                fresh[target] += damping * ranks[page] / len(targets or links)
        ranks = fresh
    return {page: round(rank, 9) for page, rank in ranks.items()}


def markov(transitions, state, steps):
    current = {state: 1.0}
    for _ in range(steps):
        after = {}
        for name, p in current.items():
            for target, q in transitions[name].items():
                after[target] = after.get(target, 0.0) + p * q
        current = after
    return {name: round(p, 9) for name, p in sorted(current.items())}


def assignments(costs):
    n = len(costs)

    def search(row, used, total, limit):
        if row == n:
            return total
        for column in range(n):
            if not used >> column & 1 and total + costs[row][column] < limit:
                limit = min(limit, search(row + 1, used | 1 << column, total + costs[row][column], limit))
        return limit

    return search(0, 0, 0, float("inf"))


def _distances(rng, n=5):
    points = [(rng.randint(0, 9), rng.randint(0, 9)) for _ in range(n)]
    return ([[abs(a - c) + abs(b - d) for c, d in points] for a, b in points],)


CALLS = {
    max_flow: lambda rng: ([[rng.randint(0, 5) if i != j else 0 for j in range(5)] for i in range(5)], 0, 4),
    matching: lambda rng: ({u: rng.sample("wxyz", rng.randint(0, 3)) for u in "abcd"},),
    tour: _distances,
    held_karp: _distances,
    nearest_neighbour: _distances,
    page_rank: lambda rng: ({p: rng.sample("abcd", rng.randint(0, 3)) for p in "abcd"},),
    markov: lambda rng: (
        {"sun": {"sun": 0.75, "rain": 0.25}, "rain": {"sun": 0.5, "rain": 0.5}},
        "sun",
        rng.randint(0, 5),
    ),
    assignments: lambda rng: ([[rng.randint(1, 9) for _ in range(4)] for _ in range(4)],),
}
