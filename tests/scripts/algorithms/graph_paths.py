"""Shortest paths in weighted graphs."""

import heapq
from collections import defaultdict

INFINITY = float("inf")


def dijkstra(graph, start):
    distances = {node: INFINITY for node in graph}
    distances[start] = 0
    heap = [(0, start)]
    while heap:
        cost, u = heapq.heappop(heap)
        if cost > distances[u]:
            continue
        for v, weight in graph[u].items():
            if cost + weight < distances[v]:
                distances[v] = cost + weight
                heapq.heappush(heap, (distances[v], v))
    return distances


def bellman_ford(edges, count, source):
    distance = [INFINITY] * count
    distance[source] = 0.0
    for _ in range(count - 1):
        for u, v, w in edges:
            if distance[u] != INFINITY and distance[u] + w < distance[v]:
                distance[v] = distance[u] + w
    for u, v, w in edges:
        if distance[u] != INFINITY and distance[u] + w < distance[v]:
            raise Exception("Negative cycle found")
    return distance


def floyd_warshall(matrix):
    n = len(matrix)
    dist = [row[:] for row in matrix]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if dist[i][k] + dist[k][j] < dist[i][j]:
                    dist[i][j] = dist[i][k] + dist[k][j]
    return dist


def grid_path(grid, start, goal):
    height, width = len(grid), len(grid[0])
    came_from = {start: None}
    queue = [start]
    for x, y in queue:
        if (x, y) == goal:
            break
        for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            at = x + dx, y + dy
            if 0 <= at[0] < width and 0 <= at[1] < height and at not in came_from and grid[at[1]][at[0]] != "#":
                came_from[at] = (x, y)
                queue.append(at)
    else:
        return None
    path = [goal]
    while (before := came_from[path[-1]]) is not None:
        path.append(before)
    return path[::-1]


def a_star(grid, start, goal):
    def heuristic(a, b):
        return abs(a[0] - b[0]) + abs(a[1] - b[1])

    open_heap = [(heuristic(start, goal), 0, start)]
    costs = {start: 0}
    expanded = 0
    while open_heap:
        _, cost, current = heapq.heappop(open_heap)
        if current == goal:
            return cost, expanded
        expanded += 1
        y, x = current
        for ny, nx in [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]:
            if not (0 <= ny < len(grid) and 0 <= nx < len(grid[ny])) or grid[ny][nx] == "#":
                continue
            if cost + 1 < costs.get((ny, nx), INFINITY):
                costs[ny, nx] = cost + 1
                heapq.heappush(open_heap, (cost + 1 + heuristic((ny, nx), goal), cost + 1, (ny, nx)))
    return None, expanded


def critical_path(durations, needs):
    finish = {}

    def earliest(task):
        if task not in finish:
            finish[task] = durations[task] + max((earliest(each) for each in needs.get(task, ())), default=0)
        return finish[task]

    return max(earliest(task) for task in durations), dict(sorted(finish.items()))


def transposed(graph):
    turned = defaultdict(dict)
    for u, targets in graph.items():
        for v, weight in targets.items():
            turned[v][u] = weight
    return dict(turned)


def _weighted(rng, names="abcdef"):
    return {u: {v: rng.randint(1, 9) for v in rng.sample(names, rng.randint(0, 3))} for u in names}


def _grid(rng):
    return ["".join(rng.choices(".#", (4, 1), k=6)) for _ in range(5)]


CALLS = {
    dijkstra: lambda rng: (_weighted(rng), "a"),
    bellman_ford: lambda rng: ([(rng.randint(0, 4), rng.randint(0, 4), rng.randint(-1, 9)) for _ in range(8)], 5, 0),
    floyd_warshall: lambda rng: (
        [[0 if i == j else rng.choice((INFINITY, rng.randint(1, 9))) for j in range(5)] for i in range(5)],
    ),
    grid_path: lambda rng: (_grid(rng), (0, 0), (5, 4)),
    a_star: lambda rng: (_grid(rng), (0, 0), (4, 5)),
    critical_path: lambda rng: (
        {i: rng.randint(1, 5) for i in range(6)},
        {i: rng.sample(range(i), min(i, 2)) for i in range(6)},
    ),
    transposed: lambda rng: (_weighted(rng),),
}
