"""Scripts whose calls are short as long as their arguments are small: what their text tells of that.

A call takes as many rounds as its arguments tell, unless the text says otherwise: by large numbers, powers, recursion,
or what the module holds. What scripts do otherwise than Python is not for the interpreter either, since the first call
would do it Python's way.
"""

from __future__ import annotations

import _ast

from jitffi.base.annotations import annotations_of
from jitffi.scripts.api import dispatch
from jitffi.scripts.frontend import names, source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FunctionType
    from typing import Any

    #: That the annotation of each parameter names, and that of the result; behind them the text of that.
    Classes = tuple[type | str | None, ...]

#: What numbers and lengths of the arguments may come to together, by how deep loops are in each other: some
#: milliseconds of the interpreter's, also where each round goes through an argument once more, as `in` does.
_MOST = (None, 2_000, 150, 40, 15)
#: Numbers in the text or the module, which may be counts of rounds, and lengths of what the module holds.
_MOST_NUMBER, _MOST_LENGTH = 2_000, 10_000
_DEEPEST = 8

#: Classes that annotations name, and what is exactly of them is for code what it is for Python.
_EXACT = {each.__name__: each for each in (bool, int, float, str, bytes, list, dict, type(None))}
_SIZED = (str, bytes, list, tuple, dict, set, frozenset)
_LOOPS = (_ast.For, _ast.While)
_VIEWS = ("keys", "values", "items")
#: What has another value in scripts, and what goes through more than it is given.
_UNFIT_NAMES = ("hash", "permutations", "combinations", "combinations_with_replacement", "product")


class _UnfitError(Exception):
    """Code is to be made at once."""


def look_at(function: FunctionType) -> tuple[int | None, Classes] | None:
    """What the numbers and lengths of its arguments may come to together, None for anything, and the classes of what it
    takes and gives; None where calls may be long all the same, or code does not do quite what Python does."""
    try:
        classes = _classes(function)
        seen = _Seen()
        depth = seen.look_at(function, ())
    except (_UnfitError, SyntaxError, RecursionError):
        return None
    return None if depth and seen.has_much else (_MOST[min(depth, len(_MOST) - 1)], classes)


def _refuse_if(found: object) -> None:
    if found:
        raise _UnfitError


# -- annotations ------------------------------------------------------------------------------------------------------


def _classes(function: FunctionType) -> Classes:
    parameters, annotations = dispatch.parameters(function), annotations_of(function)
    found = {name: _class_of(function, each) for name, each in annotations.items()}
    result = annotations.get("return")
    text = "none" if result is None else getattr(result, "__forward_arg__", result)
    text = text.__name__ if type(text) is type else str(text)
    defaults = dict(zip(reversed(parameters), reversed(function.__defaults__ or ()), strict=False))
    defaults.update(function.__kwdefaults__ or {})
    _refuse_if(any(type(value) is not found.get(name, type(value)) for name, value in defaults.items()))
    return (*[found.get(each) for each in (*parameters, "return")], text)


def _class_of(function: FunctionType, annotation: Any) -> type:
    """What annotates several classes, or items that are checked, is unfit."""
    meant = dispatch.named(function, annotation)
    if isinstance(meant, str):
        found = _EXACT.get(meant.partition("[")[0])
    else:
        meant = type(None) if meant is None else getattr(meant, "__origin__", meant)
        found = meant if meant in _EXACT.values() else None
    if found is None:
        raise _UnfitError
    return found


# -- the text ---------------------------------------------------------------------------------------------------------


class _Seen:
    """What the text of a script, and of the functions that are compiled along with it, has."""

    def __init__(self) -> None:
        #: Of what loops may go through.
        self.has_much = False

    def look_at(self, function: FunctionType, above: tuple[FunctionType, ...]) -> int:
        """How deep loops are in each other, those of functions that it calls taken for the innermost."""
        _refuse_if(function in above or len(above) == _DEEPEST or (above and annotations_of(function)))
        tree = source.of(function).node
        _refuse_if(_is_recursive_inside(tree))
        plain = set(_plain_views(tree))
        for node in _nodes(tree):
            self._look_at_node(node, tree, plain)
        outside = [names.outside(function, name) for name in names.global_names(function)]
        return _depth(tree) + max([self._look_at_value(function, each, above) for each in outside], default=0)

    def _look_at_node(self, node: Any, tree: _ast.FunctionDef, plain: set[Any]) -> None:
        kind = type(node)
        self.has_much |= kind in (_ast.LShift, _ast.Pow)
        if kind is _ast.Constant:
            self.has_much |= _is_large(node.value)
        elif kind is _ast.Name:
            _refuse_if(node.id in _UNFIT_NAMES)
        elif kind is _ast.Attribute:
            _refuse_if(node.attr in _UNFIT_NAMES or (node.attr in _VIEWS and node not in plain))
        elif kind is _ast.Compare:
            _refuse_if(_asks_for_identity(node))
        elif kind is _ast.AnnAssign:
            raise _UnfitError
        elif kind is _ast.FunctionDef and node is not tree:
            arguments = node.args
            every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
            _refuse_if(node.returns or any(each is not None and each.annotation for each in every))

    def _look_at_value(self, function: FunctionType, value: Any, above: tuple[FunctionType, ...]) -> int:
        self.has_much |= _is_large(value)
        python = names.python_function(value)
        if python is None:
            module = value.__name__ if isinstance(value, type(_ast)) else type(value).__module__
            # Patterns of Python's can take exponential time.
            is_ours = names.jitffi_function(value) is not None or module.partition(".")[0] == "jitffi"
            _refuse_if(is_ours or names.pattern_of(value) is not None or module == "re")
        elif value is not python:
            given = value._given
            _refuse_if(given.strict or given.returns != "python")
        elif names.is_of_library(function, python):
            _refuse_if(python.__module__ == "re")
        else:
            return self.look_at(python, (*above, function))
        return 0


def _is_large(value: object) -> bool:
    kind = type(value)
    if kind is int or kind is float:
        return not -_MOST_NUMBER <= value <= _MOST_NUMBER  # type: ignore[operator]
    return kind in _SIZED and len(value) > _MOST_LENGTH  # type: ignore[arg-type]


def _below(node: Any) -> Iterator[Any]:
    for part in vars(node).values():
        yield from [each for each in (part if isinstance(part, list) else [part]) if isinstance(each, _ast.AST)]


def _nodes(tree: Any) -> Iterator[Any]:
    """The node and all below."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _below(node)


def _depth(node: Any) -> int:
    """How deep loops are in each other, those of a comprehension among them."""
    own = 1 if type(node) in _LOOPS else len(getattr(node, "generators", ()))
    return own + max(map(_depth, _below(node)), default=0)


def _is_recursive_inside(tree: _ast.FunctionDef) -> bool:
    inner = [each for each in _nodes(tree) if type(each) is _ast.FunctionDef and each is not tree]
    known = {each.name for each in inner}
    return any(type(node) is _ast.Name and node.id in known for each in inner for node in _nodes(each))


def _plain_views(tree: _ast.FunctionDef) -> Iterator[Any]:
    """`d.items` where something goes through `d.items()` at once."""
    for node in _nodes(tree):
        kind = type(node)
        used = [node.iter] if kind in (_ast.For, _ast.comprehension) else []
        if kind is _ast.Call and type(node.func) is _ast.Name:
            used = node.args
        yield from [each.func for each in used if type(each) is _ast.Call]


def _asks_for_identity(node: _ast.Compare) -> bool:
    """Whether that is `is`, of other things than None and the like."""
    if not any(type(each) in (_ast.Is, _ast.IsNot) for each in node.ops):
        return False
    return not any(type(each) is _ast.Constant and type(each.value) in (bool, type(None)) for each in node.comparators)
