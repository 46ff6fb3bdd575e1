"""The classes that annotations of a script ask for: what is exactly of these is to code what it is to the interpreter.

runtime_c/python/package/script_first.c checks arguments by them. On the way of a cold start: imports next to nothing,
not the types of signatures either, which signature/annotations.py makes of annotations.

    int                  the class
    list[int]            (list, int), a tuple of the container's class and what its items are
    tuple[str, ...]      (tuple, str, ...)
    str | None           [str, NoneType], any of a list
"""

from __future__ import annotations

import _ast
import builtins

from jitffi.base.annotations import annotations_of, without_aliases
from jitffi.scripts.api.loop_text import refuse_if

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

_EXACT = (bool, int, float, str, bytes, list, dict, type(None))
_ITEMS: dict[Any, int] = {list: 1, dict: 2}
_UNIONS = ("UnionType", "Union", "_UnionGenericAlias")


def of_annotations(function: FunctionType) -> dict[str, Any]:
    """By name. Those of what is another value in code, as an int is where items are floats, are refused."""
    return {name: _of(function, each) for name, each in annotations_of(function).items()}


def is_indifferent(function: FunctionType, annotation: Any) -> bool:
    """Whether a variable is in code what it is without its *annotation*, a node."""
    found = _of_node(function, annotation)
    return type(found) is tuple and not has_floats(found)


def allows(wanted: Any, value: object) -> bool:
    """Whether a value that is no container is exactly that."""
    return any(allows(each, value) for each in wanted) if type(wanted) is list else type(value) is wanted


def text(wanted: Any) -> str:
    """What messages of scripts call it."""
    if type(wanted) is tuple:
        inner = ", ".join(map(text, wanted[1:]))
        return "tuple" if ... in wanted else f"{wanted[0].__name__}[{inner}]"
    names: dict[Any, str] = {type(None): "none", list: "list[any]", dict: "dict[any, any]"}
    return names[wanted] if wanted in names else getattr(wanted, "__name__", "any")


def has_floats(found: Any) -> bool:
    return any(map(has_floats, found)) if type(found) in (tuple, list) else found is float


def _of(function: FunctionType, annotation: Any) -> Any:
    if annotation is None:
        return type(None)
    text = getattr(annotation, "__forward_arg__", annotation)
    if type(text) is str:
        read: Any = compile(text, "", "eval", _ast.PyCF_ONLY_AST)
        return _of_node(function, read.body)
    annotation = without_aliases(annotation)
    origin, given = getattr(annotation, "__origin__", None), getattr(annotation, "__args__", ())
    if type(annotation).__name__ in _UNIONS:
        return [_of(function, each) for each in given]
    if origin is not None:
        return _container(origin, [each if each is ... else _of(function, each) for each in given])
    for each in _EXACT:
        if annotation is each:
            return each
    refuse_if(True)


def _of_node(function: FunctionType, node: Any) -> Any:
    """What is written as text."""
    if type(node) is _ast.Constant:
        return node.value if node.value is ... else _of(function, node.value)
    if type(node) is _ast.BinOp and type(node.op) is _ast.BitOr:
        return [_of_node(function, node.left), _of_node(function, node.right)]
    if type(node) is _ast.Subscript:
        items = node.slice.elts if type(node.slice) is _ast.Tuple else [node.slice]
        name = getattr(node.value, "id", getattr(node.value, "attr", ""))
        found = [_of_node(function, each) for each in items]
        if name in ("Optional", "Union"):
            return [*found, type(None)] if name == "Optional" else found
        return _container({"List": list, "Dict": dict, "Tuple": tuple}.get(name) or _named(function, node.value), found)
    return _of(function, _named(function, node))


def _named(function: FunctionType, node: Any) -> Any:
    """What a name stands for, where that is no text again."""
    refuse_if(type(node) is not _ast.Name)
    found = function.__globals__.get(node.id, getattr(builtins, node.id, ""))
    refuse_if(type(found) is str)
    return found


def _container(origin: Any, items: list[Any]) -> Any:
    refuse_if(not isinstance(origin, type) or (origin is not tuple and _ITEMS.get(origin) != len(items)))
    return (origin, *items)
