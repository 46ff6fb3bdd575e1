"""Containers in containers of fields of registered classes: those that Python has of them, where scripts use them."""

from __future__ import annotations

import pytest

import jitffi
from tests.support import leaks
from tests.support.instances import Sum, outcome


def row_of(given):
    return given.rows[0]


def test_a_container_in_a_container_is_the_one_that_python_has() -> None:
    given, script = Sum(1, "", [[1]]), jitffi.script(row_of)
    for n in range(3):
        script(given).append(n)
    assert given.rows == [[1, 0, 1, 2]]


@jitffi.register_object("script_fields.Graph")
class Graph:
    rows: list[list[int]]
    edges: dict[str, list[int]]
    sums: list[Sum]
    deep: dict[tuple[int, int], list[dict[str, int]]]

    def put(self, word, n):
        if word not in self.edges:
            self.edges[word] = [n]
        self.edges[word].append(n)
        return self.edges[word]


def nested(graph, n):
    total, first = 0, graph.rows[0]
    for i in range(len(graph.rows)):
        for j in range(len(graph.rows[i])):
            total += graph.rows[i][j] * n
        row = graph.rows[i]
        row.append(n)
        row[0] += 1
    for row in graph.rows:
        total += len(row)
    graph.rows.append(first)
    graph.rows[0] *= 2
    graph.sums[0] += n
    graph.deep[1, n][0]["a"] += n
    graph.edges["b"] = graph.rows[0]
    return total, graph.put("a", n), graph.put("c", n), first, graph.rows[0] is first, [*graph.rows]


def graph_of(n):
    return Graph([[1, 2], [n]], {"a": [3]}, [Sum(1)], {(1, 2): [{"a": 1}], (1, 3): [{}]})


def test_containers_in_containers_are_those_that_python_has() -> None:
    script = jitffi.script(nested)
    for n in (2, 2, 3, 2**61):
        ours, theirs = graph_of(n), graph_of(n)
        assert outcome(script, ours, n) == outcome(nested, theirs, n)
        assert repr(ours) == repr(theirs)
    found = script(ours := graph_of(2), 2)
    assert found[1] is ours.edges["a"] and found[3] is ours.rows[0] is found[5][0]
    shown = [each for each in script.inspect_types().splitlines() if each.startswith("py ")]
    assert not [each for each in shown if "[j]" in each or "append(n)" in each]
    leaks.assert_nothing_stays(lambda: script(graph_of(2), 2))


def put_else(graph, given):
    graph.rows[0] = given
    return len(graph.rows[0]), graph.rows[0][1]


def put_by_method(graph, given):
    before = graph.rows[0][0]
    graph.rows.append(given)
    return before, graph.rows[-1][0], 1 in graph.rows[-1]


def put_by_keyword(graph, given):
    graph.edges.update(b=given)
    return graph.edges["b"][1]


def test_what_is_no_container_by_the_annotation_is_what_it_is() -> None:
    for function in (put_else, put_by_method, put_by_keyword):
        script = jitffi.script(function)
        for given in ("abc", (1, 2), {0: 1, 1: 2}, range(3), -5, [1, 2], jitffi.List([1, 3])):
            ours, theirs = graph_of(2), graph_of(2)
            assert outcome(script, ours, given) == outcome(function, theirs, given), given
            assert repr(ours) == repr(theirs), given


def test_what_others_put_there_is_an_error_that_says_so() -> None:
    def put(graph):
        graph.rows[0] = "abc"

    @jitffi.script
    def used(graph, other):
        graph.sums[0].x = 7
        other(graph)
        return len(graph.rows[0]) + graph.rows[0][1]

    with pytest.raises(TypeError, match="or a container in it, has become another type's"):
        used(graph_of(2), put)
