"""Who generates what: each file of this package enters its functions here; Body asks by the class of a node, and
operations.py by the kinds of values.

A function for a kind may return None: "not mine after all". Then the operation is done on views, by dynamic.py, with
the results and errors that Python has for whatever is in them; so no file needs a complete table.
"""

from __future__ import annotations

from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.emit import V
    from jitffi.scripts.lower.function.values import Value
    from jitffi.scripts.tree.types import Type

    F = TypeVar("F", bound="Callable[..., Any]")


#: f(body, node) -> Value
EXPRESSIONS: dict[type[tree.Expr], Callable[[Body, Any], Value]] = {}
#: f(body, node)
STATEMENTS: dict[type[tree.Stmt], Callable[[Body, Any], None]] = {}
#: f(body, op, left, right) -> Value | None, by `kind_of_two`.
BINARY: dict[str, Callable[[Body, str, Value, Value], Value | None]] = {}
#: f(body, op, operand) -> Value | None; "not" never comes here.
UNARY: dict[str, Callable[[Body, str, Value], Value | None]] = {}
#: f(body, op, left, right) -> i1 | None, for < <= == != > >=, by `kind_of_two`.
COMPARE: dict[str, Callable[[Body, str, Value, Value], V | None]] = {}
#: f(body, container, item) -> i1 | None: `item in container`, by the container's kind.
CONTAINS: dict[str, Callable[[Body, Value, Value], V | None]] = {}
#: f(body, value) -> i1
TRUTH: dict[str, Callable[[Body, Value], V]] = {}
#: f(body, value) -> i64 | None: len(value)
LENGTH: dict[str, Callable[[Body, Value], V | None]] = {}
#: f(body, value, index, type) -> Value | None: `value[index]`, of the type that inference found.
ITEM: dict[str, Callable[[Body, Value, Value, Type], Value | None]] = {}
#: f(body, value, start, stop, step) -> Value | None: `value[start:stop:step]`.
SLICE: dict[str, Callable[[Body, Value, Value | None, Value | None, Value | None], Value | None]] = {}
#: f(body, container, index, value) -> done: `container[index] = value`.
SET_ITEM: dict[str, Callable[[Body, Value, Value, Value], bool]] = {}
#: f(body, container, index): `del container[index]`; "slice": of an object, with the bounds in the index's place.
DELETE_ITEM: dict[str, Callable[[Body, Value, Any], None]] = {}
#: f(body, node, receiver) -> Value | None: a tree.Method; the receiver is evaluated, the arguments are not.
METHOD: dict[str, Callable[[Body, tree.Method, Value], Value | None]] = {}
#: f(body, variable, op, value) -> done: `variable op= value` of a variable of that kind, in place.
AUGMENT: dict[str, Callable[[Body, tree.Variable, str, Value], bool]] = {}
#: f(body, container, index, statement) -> done: `container[index] op= value` as one operation; only container and
#: index are evaluated so far; False: nothing was written.
AUGMENT_ITEM: dict[str, Callable[[Body, Value, Value, tree.AugAssign], bool]] = {}
#: f(body, value, type) -> Value, by (kind, kind of the type).
CONVERT: dict[tuple[str, str], Callable[[Body, Value, Type], Value]] = {}

#: f(body, node, stays) -> control.iterators.Iterator, by the class of what is only gone through.
ITERATE: dict[Any, Callable[[Body, Any, Callable[[tree.Variable], bool]], Any]] = {}
#: What Counters and defaultdicts have (containers/defaulting.py): "item", f(body, map, key), "most_common", f(body,
#: node, counter).
DEFAULTING: dict[str, Callable[..., Value]] = {}
#: f(body, node) -> Value | None: what makes a container of Python's own (python/own_makers.py).
MAKERS: list[Callable[[Body, Any], Value | None]] = []
#: f(body, node, then, other): leaves where a field that is asked for its truth holds nothing (python/instances.py).
UNSET: list[Callable[[Body, tree.Expr, str, str], None]] = []

_TABLES: dict[str, dict[Any, Any]] = {
    "binary": BINARY,
    "unary": UNARY,
    "compare": COMPARE,
    "contains": CONTAINS,
    "truth": TRUTH,
    "length": LENGTH,
    "item": ITEM,
    "slice": SLICE,
    "set_item": SET_ITEM,
    "delete_item": DELETE_ITEM,
    "method": METHOD,
    "augment": AUGMENT,
    "augment_item": AUGMENT_ITEM,
    "convert": CONVERT,
    "iterate": ITERATE,
    "defaulting": DEFAULTING,
}


def expression(*classes: type[tree.Expr]) -> Callable[[F], F]:
    """@expression(tree.ListOf)"""

    def enter(function: F) -> F:
        for each in classes:
            EXPRESSIONS[each] = function
        return function

    return enter


def statement(*classes: type[tree.Stmt]) -> Callable[[F], F]:
    """@statement(tree.For)"""

    def enter(function: F) -> F:
        for each in classes:
            STATEMENTS[each] = function
        return function

    return enter


def of_kind(what: str, *kinds: Any) -> Callable[[F], F]:
    """@of_kind("binary", "str", "char")"""

    def enter(function: F) -> F:
        for kind in kinds:
            _TABLES[what][kind] = function
        return function

    return enter


def kind_of_item(value: Value, index: Value) -> str:
    """The kind that has the say of `value[index]`: "member" of an attribute of what is no struct. char is "str"."""
    if index.kind == "member" and value.kind != "struct":
        return "member"
    return "str" if value.kind == "char" else value.kind


def kind_of_two(left: Value, right: Value) -> str:
    """The kind that has the say of `left op right`: "object" where either is one, "any" where either is ANY; "number"
    where both are numbers; else the first that is no number. char and str are "str"."""
    kinds = [left.kind, right.kind]
    if "object" in kinds:
        return "object"
    if "any" in kinds:
        return "any"
    for kind in kinds:
        if kind not in ("int", "float", "bool"):
            return "str" if kind == "char" else kind
    return "number"
