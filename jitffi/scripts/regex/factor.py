"""Alternatives of a pattern as a tree of characters: `foo|far|bar` is `f(?:oo|ar)|bar`, all the way down.

Alternatives that begin with different characters exclude each other, so those between two with the same first one can
be moved behind both; their order among themselves stays, and with it what is tried first.
"""

from __future__ import annotations

from jitffi.scripts.regex.nodes import Alt, Char, Node, parts_of, sequence


def choice(choices: list[Node]) -> Node:
    """The node for alternatives."""
    made: list[Node] = []
    batch: list[Node] = []
    for each in choices:
        parts = parts_of(each)
        if parts and isinstance(parts[0], Char) and _fits(parts[0], batch):
            batch.append(each)
            continue
        made += _grouped(batch)
        batch = [each] if parts and isinstance(parts[0], Char) else []
        made += [] if batch else [each]
    made += _grouped(batch)
    return made[0] if len(made) == 1 else Alt(made)


def _first(node: Node) -> Char:
    first = parts_of(node)[0]
    assert isinstance(first, Char)
    return first


def _fits(char: Char, batch: list[Node]) -> bool:
    """Whether its set is that of each in the batch, or has nothing in common with it."""
    firsts = {_first(each).chars for each in batch}
    return all(char.chars == each or char.chars.is_disjoint(each) for each in firsts)


def _grouped(batch: list[Node]) -> list[Node]:
    by_first: dict[object, list[Node]] = {}
    for each in batch:
        by_first.setdefault(_first(each).chars, []).append(each)
    made: list[Node] = []
    for same in by_first.values():
        if len(same) == 1:
            made += same
        else:
            rest = choice([sequence(parts_of(each)[1:]) for each in same])
            made.append(sequence([_first(same[0]), rest]))
    return made
