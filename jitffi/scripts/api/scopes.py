"""Which names in the text of a function are its variables, and which stand for something outside.

    words = [word for word in text if len(word) > n]
    ^ its own ^ of the comprehension        ^ outside

Where a name is both, as in `[xs for xs in xs]`, it is in both sets.
"""

from __future__ import annotations

import _ast

from jitffi.scripts.api.loop_text import GENERATED, all_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SCOPES = (_ast.FunctionDef, _ast.Lambda, *GENERATED)


class Scopes:
    """The names in the *body* of a function: those that are variables of it, or of what is in it, and those outside."""

    def __init__(self, body: list[Any], parameters: tuple[str, ...]) -> None:
        self.bound: set[str] = set()
        self.outside: set[str] = set()
        self._enter(body, frozenset(parameters))

    def _enter(self, body: list[Any], around: frozenset[str]) -> None:
        """What is in a scope, with what is in those in it; *around*: variables that it sees, and its parameters."""
        inside = list(body)
        for node in inside:  # grows; the first iterable of a comprehension is evaluated outside of it
            inside += [] if type(node) in _SCOPES else _children(node)
            inside += [node.generators[0].iter] if type(node) in GENERATED else []
        bound = {name for node in inside for name in _bound_by(node)}
        bound |= {each for node in inside if type(node) in GENERATED for each in _named_in(node)}
        around |= bound
        self.bound |= around
        for node in inside:
            if type(node) is _ast.Name and node.id not in around:
                self.outside.add(node.id)
            elif type(node) is _ast.FunctionDef or type(node) is _ast.Lambda:
                self._enter([*node.args.defaults, *[each for each in node.args.kw_defaults if each]], around)
                given = [each.arg for each in all_below(node.args) if type(each) is _ast.arg]
                self._enter(node.body if type(node) is _ast.FunctionDef else [node.body], around.union(given))
            elif type(node) in GENERATED:
                self._enter(_children(node), around)


def _children(node: Any) -> list[Any]:
    parts = [part if type(part) is list else [part] for part in vars(node).values()]
    return [each for part in parts for each in part if isinstance(each, _ast.AST)]


def _named_in(node: Any) -> list[str]:
    """What `:=` of a comprehension sets outside of it."""
    if type(node) is _ast.FunctionDef or type(node) is _ast.Lambda:
        return []
    own = [node.target.id] if type(node) is _ast.NamedExpr else []
    return own + [name for each in _children(node) for name in _named_in(each)]


def _bound_by(node: Any) -> list[str]:
    kind = type(node)
    if kind is _ast.Name:
        return [] if type(node.ctx) is _ast.Load else [node.id]
    if kind in (_ast.FunctionDef, _ast.ExceptHandler, _ast.MatchAs, _ast.MatchStar):
        return [node.name] if node.name else []
    return [node.rest] if kind is _ast.MatchMapping and node.rest else []
