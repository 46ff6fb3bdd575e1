"""What is known of the groups of any match of a pattern."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from jitffi.scripts.regex.nodes import Alt, Atomic, Group, Node, Seq, children
from jitffi.scripts.regex.read import Pattern

if TYPE_CHECKING:
    from collections.abc import Iterator


@cache
def always(pattern: Pattern) -> frozenset[int]:
    """The groups that every match sets."""
    return frozenset(_always(pattern.nodes(pattern.alphabets[0]))) | {0}


def _always(node: Node) -> Iterator[int]:
    if isinstance(node, Group):
        yield node.index
    if isinstance(node, Group | Seq | Atomic):
        for each in children(node):
            yield from _always(each)


@cache
def has_last(pattern: Pattern) -> bool:
    """Whether every match sets some group."""
    return _sets(pattern.nodes(pattern.alphabets[0]))


def _sets(node: Node) -> bool:
    if isinstance(node, Group):
        return True
    if isinstance(node, Alt):
        return all(map(_sets, node.choices))
    return isinstance(node, Seq | Atomic) and any(map(_sets, children(node)))
