"""Spanning trees and strong components."""

import heapq


class DisjointSet:
    def __init__(self, size):
        self.parent = list(range(size))
        self.rank = [0] * size

    def find(self, x):
        while self.parent[x] != x:
            self.parent[x] = self.parent[self.parent[x]]
            x = self.parent[x]
        return x

    def union(self, x, y):
        x, y = self.find(x), self.find(y)
        if x == y:
            return False
        if self.rank[x] < self.rank[y]:
            x, y = y, x
        self.parent[y] = x
        if self.rank[x] == self.rank[y]:
            self.rank[x] += 1
        return True


def kruskal(count, edges):
    forest = DisjointSet(count)
    chosen = []
    for weight, u, v in sorted(edges):
        if forest.union(u, v):
            chosen.append((u, v, weight))
    return chosen


def prim(graph):
    visited = {0}
    edges = [(cost, 0, to) for to, cost in graph[0]]
    heapq.heapify(edges)
    total, tree = 0, []
    while edges:
        cost, frm, to = heapq.heappop(edges)
        if to in visited:
            continue
        visited.add(to)
        tree.append((frm, to))
        total += cost
        for following, price in graph[to]:
            if following not in visited:
                heapq.heappush(edges, (price, to, following))
    return total, tree


def strong_components(graph):
    """Tarjan's."""
    index_of, low, on_stack, stack, found = {}, {}, set(), [], []
    counter = 0

    def connect(v):
        nonlocal counter
        index_of[v] = low[v] = counter
        counter += 1
        stack.append(v)
        on_stack.add(v)
        for w in graph[v]:
            if w not in index_of:
                connect(w)
                low[v] = min(low[v], low[w])
            elif w in on_stack:
                low[v] = min(low[v], index_of[w])
        if low[v] == index_of[v]:
            group = []
            while True:
                w = stack.pop()
                on_stack.discard(w)
                group.append(w)
                if w == v:
                    break
            found.append(sorted(group))

    for v in graph:
        if v not in index_of:
            connect(v)
    return sorted(found)


def bridges(graph):
    times, low, found = {}, {}, []

    def search(at, parent, time):
        times[at] = low[at] = time
        for to in graph[at]:
            if to == parent:
                continue
            if to not in times:
                search(to, at, time + 1)
                low[at] = min(low[at], low[to])
                if low[to] > times[at]:
                    found.append((min(at, to), max(at, to)))
            else:
                low[at] = min(low[at], times[to])

    for node in graph:
        if node not in times:
            search(node, None, 0)
    return sorted(found)


def coloured(graph, colours):
    result = {}
    for node in sorted(graph, key=lambda n: (-len(graph[n]), n)):
        taken = {result[each] for each in graph[node] if each in result}
        free = next((colour for colour in colours if colour not in taken), None)
        if free is None:
            return None
        result[node] = free
    return result


def _undirected(rng, count=7):
    graph = {i: set() for i in range(count)}
    for _ in range(8):
        a, b = rng.sample(range(count), 2)
        graph[a].add(b)
        graph[b].add(a)
    return {k: sorted(v) for k, v in graph.items()}


CALLS = {
    kruskal: lambda rng: (6, [(rng.randint(1, 9), rng.randint(0, 5), rng.randint(0, 5)) for _ in range(10)]),
    prim: lambda rng: ({i: [(j, abs(i - j) * 3 % 7 + 1) for j in range(5) if j != i] for i in range(5)},),
    strong_components: lambda rng: ({i: rng.sample(range(7), rng.randint(0, 3)) for i in range(7)},),
    bridges: lambda rng: (_undirected(rng),),
    coloured: lambda rng: (_undirected(rng), ["red", "green", "blue"][: rng.randint(2, 3)]),
}
