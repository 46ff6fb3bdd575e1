"""Walks through graphs: adjacency as a dict of lists."""

from collections import deque


def breadth_first(graph, start):
    explored, queue = {start}, deque([start])
    result = [start]
    while queue:
        v = queue.popleft()
        for w in graph[v]:
            if w not in explored:
                explored.add(w)
                result.append(w)
                queue.append(w)
    return result


def depth_first(graph, start):
    explored, stack = set(), [start]
    order = []
    while stack:
        v = stack.pop()
        if v in explored:
            continue
        explored.add(v)
        order.append(v)
        for adjacent in reversed(graph[v]):
            if adjacent not in explored:
                stack.append(adjacent)
    return order


def shortest_path(graph, start, goal):
    if start == goal:
        return [start]
    queue = [[start]]
    explored = set()
    while queue:
        path = queue.pop(0)
        node = path[-1]
        if node not in explored:
            for neighbour in graph[node]:
                new_path = list(path)
                new_path.append(neighbour)
                queue.append(new_path)
                if neighbour == goal:
                    return new_path
            explored.add(node)
    return []


def topological_sort(graph):
    indegree = {node: 0 for node in graph}
    for neighbours in graph.values():
        for node in neighbours:
            indegree[node] += 1
    queue = [node for node in graph if indegree[node] == 0]
    order = []
    while queue:
        node = queue.pop(0)
        order.append(node)
        for each in graph[node]:
            indegree[each] -= 1
            if indegree[each] == 0:
                queue.append(each)
    if len(order) != len(graph):
        raise ValueError("cycle exists")
    return order


def has_cycle(graph):
    visited, stacked = set(), set()

    def visit(node):
        visited.add(node)
        stacked.add(node)
        for each in graph[node]:
            if each not in visited:
                if visit(each):
                    return True
            elif each in stacked:
                return True
        stacked.remove(node)
        return False

    return any(visit(node) for node in graph if node not in visited)


def is_bipartite(graph):
    colour = {}
    for root in graph:
        if root in colour:
            continue
        colour[root] = 0
        stack = [root]
        while stack:
            u = stack.pop()
            for v in graph[u]:
                if v not in colour:
                    colour[v] = 1 - colour[u]
                    stack.append(v)
                elif colour[v] == colour[u]:
                    return False
    return True


def components(graph):
    seen = set()
    for node in graph:
        if node not in seen:
            group = set(depth_first(graph, node)) - seen
            seen |= group
            yield sorted(group)


def _graph(rng, names="abcdefg"):
    return {name: rng.sample(names, rng.randint(0, 3)) for name in names}


CALLS = {
    breadth_first: lambda rng: (_graph(rng), "a"),
    depth_first: lambda rng: (_graph(rng), "a"),
    shortest_path: lambda rng: (_graph(rng), "a", "f"),
    topological_sort: lambda rng: ({i: rng.sample(range(i), min(i, rng.randint(0, 2))) for i in range(7)},),
    has_cycle: lambda rng: (_graph(rng),),
    is_bipartite: lambda rng: (_graph(rng),),
    components: lambda rng: (_graph(rng),),
}
