"""Graphs of 100,000 nodes: equality and hashes by structure, JSON and bytes, ns a node.

A graph is a binary tree of objects of one's own type (a number, a text, two references), or of lists. tvm_ffi has its
py_class, whose fields lie in native memory as ours do, its List, its structural_equal and structural_hash and its JSON
graph, which has no binary form.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, ratio_goal

TITLE = "Graphs of 100,000 nodes, ns a node"
RELATION = "ratio"
LIMIT = "tvm_ffi"
OURS = "jitffi"
NODES = 100_000
#: Rows whose ratio to the limit is to be at most 1.
GOALS = ("equality of objects", "hash of objects", "hash of lists", "JSON of objects", "JSON of lists")


def _tree(make: Any, leaf: Any) -> Any:
    """The root of a tree of NODES nodes, of which each comes behind its children."""
    made = [make(number % 7, "leaf", leaf, leaf) for number in range((NODES + 1) // 2)]
    while len(made) > 1:
        rest = made[len(made) // 2 * 2 :]
        pairs = zip(made[::2], made[1::2], strict=False)
        made = [make(3, "node", left, right) for left, right in pairs] + rest
    return made[0]


def _cases_of(m: Any, kind: str, make: Any) -> dict[str, Case]:
    a, b = _tree(make, None), _tree(make, None)
    names = {"m": m, "a": a, "b": b, "t": m.to_json(a), "d": m.to_bytes(a) if m.to_bytes else b""}

    def is_same(made: Any) -> bool:
        return m.equal(made, a) is True

    found = {
        f"equality of {kind}": Case("m.equal(a, b)", names, lambda same: same is True, NODES),
        f"hash of {kind}": Case("m.hash(a)", names, lambda number: number == m.hash(b), NODES),
        f"JSON of {kind}": Case("m.to_json(a)", names, lambda made: len(made) > NODES, NODES),
        f"JSON of {kind}, read": Case("m.from_json(t)", names, is_same, NODES),
    }
    if m.to_bytes:
        found[f"bytes of {kind}"] = Case("m.to_bytes(a)", names, lambda made: len(made) > NODES, NODES)
        found[f"bytes of {kind}, read"] = Case("m.from_bytes(d)", names, is_same, NODES)
    return found


def cases(m: Any) -> dict[str, Case]:
    """Every row, of a class with fields, a class of lists, and functions."""
    listed = _cases_of(m, "lists", lambda value, _, left, right: m.List([value, left, right]))
    return _cases_of(m, "objects", m.Node) | listed


def _ours() -> dict[str, Case]:
    import jitffi

    @jitffi.register_object("benchmarks.graphs.Node", eq=False)
    class Node(jitffi.Object):
        value: int
        name: str
        left: Any
        right: Any

    return cases(
        SimpleNamespace(
            Node=Node,
            List=jitffi.List,
            equal=jitffi.structural_equal,
            hash=jitffi.structural_hash,
            to_json=jitffi.to_json,
            from_json=jitffi.from_json,
            to_bytes=jitffi.to_bytes,
            from_bytes=jitffi.from_bytes,
        )
    )


def _tvm_ffi() -> dict[str, Case]:
    tvm = build.installed("tvm_ffi")
    from tvm_ffi import serialization
    from tvm_ffi.dataclasses import py_class

    class Node(tvm.Object):  # type: ignore[name-defined, misc]
        value: int
        name: str
        left: Any
        right: Any

    return cases(
        SimpleNamespace(
            Node=py_class("benchmarks.graphs.Node", structural_eq="tree")(Node),
            List=tvm.Array,
            equal=tvm.structural_equal,
            hash=tvm.structural_hash,
            to_json=serialization.to_json_graph_str,
            from_json=serialization.from_json_graph_str,
            to_bytes=None,
        )
    )


def measure(settings: Settings) -> Measured:
    measured = Measured()
    contenders = {OURS: _ours()}
    contenders |= peers.gathered({LIMIT: _tvm_ffi}, measured.remarks) if settings.peers else {}
    for row in contenders[OURS]:
        taking_part = {who: made[row] for who, made in contenders.items() if row in made}
        measured.times.append(compare(row, taking_part, max(5, settings.rounds // 6)))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    return [goal for times in measured if times.case in GOALS for goal in ratio_goal(times, OURS, LIMIT, 1.0)]
