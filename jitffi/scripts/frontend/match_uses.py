"""What is done with matches. They lie in the frame: scripts test them and ask them for groups. Everything else makes a
Python object of one, and is a ScriptError, once the types are known."""

from __future__ import annotations

from jitffi.base.errors import ScriptError
from jitffi.scripts.tree import regexes, tree
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from typing import Any


def check(function: tree.Function, variables: Container[tree.Variable] = ()) -> None:
    """ScriptError for what is done with a match that scripts lack. *variables*: matches, before types are known."""
    nodes = list(walk(function.body))
    fine = {id(each) for node in nodes for each in _fine(node, variables)}
    for node in nodes:
        if isinstance(node, tree.Expr) and id(node) not in fine and _is_match(node, variables):
            place, message = node.place, "a match is only tested here, and asked for its groups: it is no value"
            source = function.source[place.line - function.place.line] if function.source else ""
            where = (function.filename, place.line, place.column + 1, source, place.end_line, place.end_column + 1)
            raise ScriptError(message, where)


def _is_match(node: tree.Expr, variables: Container[tree.Variable]) -> bool:
    known = isinstance(node, tree.Local) and node.variable in variables
    return known or node.type.kind == "match" or isinstance(node, regexes.Matches | regexes.Find)


def _fine(node: Any, variables: Container[tree.Variable]) -> Iterator[Any]:
    """What may be a match, of a node's parts."""
    if isinstance(node, tree.Assign):
        given = [each.variable for each in node.targets if isinstance(each, tree.TargetLocal)]
        if len(given) == len(node.targets) and all(v in variables or v.type.kind == "match" for v in given):
            yield node.value
    elif isinstance(node, tree.If | tree.While | tree.Choice | tree.Assert):
        yield from _tested(node.test)
    elif isinstance(node, tree.Clause):
        yield from (each for condition in node.conditions for each in _tested(condition))
    elif isinstance(node, tree.Unary) and node.op == "not":
        yield from _tested(node.operand)
    elif isinstance(node, tree.Builtin) and node.name == "bool":
        yield from node.args
    elif isinstance(node, tree.Compare) and node.ops[0] in ("is", "is not") and len(node.ops) == 1:
        if any(isinstance(each, tree.Const) and each.value is None for each in node.operands):
            yield from node.operands
    elif isinstance(node, regexes.GroupOf | regexes.PlaceOf | regexes.LastOf):
        yield node.match
    elif isinstance(node, tree.ExprStmt):
        yield node.value
    if isinstance(node, tree.For | tree.Clause) and isinstance(node.target, tree.TargetTuple):
        yield node.iterable


def _tested(test: tree.Expr) -> Iterator[tree.Expr]:
    yield test
    if isinstance(test, tree.Logic):
        for each in test.operands:
            yield from _tested(each)
