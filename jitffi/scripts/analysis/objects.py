"""Objects of Python's among native operations, once types are known: those that know native values only get them as
values of any type; and what Python would see of a script's that is no object of its own is a ScriptError."""

from __future__ import annotations

from jitffi.base.errors import ScriptError
from jitffi.scripts.analysis.evaluate_python import parts_of
from jitffi.scripts.library.own import ITERATING, is_pythons, is_pythons_key, is_pythons_method, is_virtual
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.defaulting import Defaulting
from jitffi.scripts.tree.templates import Template
from jitffi.scripts.tree.types import ANY
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: What takes objects as they are, in all of its parts.
_TAKES: tuple[type, ...] = (
    tree.Unary, tree.Binary, tree.Compare, tree.Logic, tree.Choice, tree.Slice, tree.Call, tree.Callee, tree.Clause,
    tree.Assign, tree.AugAssign, tree.ExprStmt, tree.If, tree.While, tree.For, tree.Return, tree.Raise, tree.Assert,
    tree.Field, tree.Named, pytree.PyCall, pytree.Starred, pytree.Named, pytree.SliceObject, pytree.AsAny,
    pytree.AsText, tree.TargetSlice, Defaulting, tries.Unbind, tries.Matches, tries.Raised, tries.Enter,
    tries.Exits, pytree.NewCell, pytree.MadeFunction, pytree.IteratorOf, pytree.Stored, Template, pytree.MatchClass,
)  # fmt: skip
_BUILTINS = frozenset(
    ("len", "bool", "isinstance", "enumerate", "zip", "reversed", "str", "repr", "ascii", "format", "print")
)
#: Kinds that are no objects of Python's, and do not become one without being another.
_OWN = {"vector": "list", "struct": "struct", "elements": "struct"}


def adapt(function: tree.Function) -> None:
    """Change the typed tree so."""
    for node in list(walk(function.body)):
        if isinstance(node, tree.Method) and node.key is not None and node.value.type.kind not in ("object", "any"):
            node.key.python = None
        if isinstance(node, tree.Compare) and node.ops[0] in ("in", "not in") and len(node.ops) == 1:
            role = "sought" if node.operands[1] in function.in_fields else _ROLES.get(node.operands[1].type.kind, "")
            node.operands[0] = _native(node.operands[0], role) if role else node.operands[0]
        if isinstance(node, tree.Builtin) and node.name == "str" and len(node.args) > 1:
            node.args[0] = _native(node.args[0], "bytes")
        if isinstance(node, _TAKES) or not _is_native(node):
            continue
        if isinstance(node, tree.Method) and node.of_class:
            node.value = _native(node.value, "")
        role = "sought" if getattr(node, "value", None) in function.in_fields else _role(node)
        if role == "sought":
            _convert_indices(node)
        for name, part in list(vars(node).items()):
            if isinstance(part, tree.Expr):
                setattr(node, name, _native(part, role))
            elif isinstance(part, list):
                part[:] = [_native(each, role) for each in part]
            elif isinstance(part, dict):
                part.update({key: _native(each, role) for key, each in part.items()})
    _check(function)


def _is_native(node: Any) -> bool:
    """Whether it is done on native values, by its own types."""
    if isinstance(node, tree.TupleOf | tree.ListOf | tree.DictOf | tree.Comprehension | pytree.SetOf):
        return node.type.kind not in ("object", "tuple")
    if isinstance(node, tree.Spread):
        return not is_virtual(node.value)
    if isinstance(node, tree.Item | tree.TargetItem):
        return node.value.type.kind != "object" and not isinstance(node.index, tree.MemberName)
    if isinstance(node, tree.Method):
        return node.value.type.kind != "object" and not is_pythons_method(node)
    if isinstance(node, tree.Builtin):
        return not (node.name in _BUILTINS or is_pythons(node) or (node.name in ITERATING and len(node.args) == 1))
    return True


#: What values of these kinds are asked for: parts of texts, keys.
_ROLES = {"str": "text", "char": "text", "bytes": "bytes", "dict": "key", "set": "key"}
#: The same of values of any type, which may be objects.
_OF_ANY = ("text", "bytes", "key")


def _role(node: Any) -> str:
    """What objects are in a native operation, for which they may be of derived classes."""
    if isinstance(node, tree.Builtin):
        return "text" if node.name in ("int", "bytes") and len(node.args) == 2 else ""
    if isinstance(node, tree.Method):
        return _ROLES.get(node.of_class or node.value.type.kind, "")
    is_map = isinstance(node, tree.Item | tree.TargetItem) and node.value.type.kind == "dict"
    return "key" if is_map else ""


def _native(part: Any, role: str) -> Any:
    if not isinstance(part, tree.Expr) or isinstance(part, tree.Spread):
        return part
    is_any = part.type.kind == "any" and role in _OF_ANY and not isinstance(part, pytree.AsAny)
    if not is_any and (part.type.kind != "object" or is_virtual(part)):
        return part
    return _as_any(part, role)


def _as_any(part: tree.Expr, role: str) -> tree.Expr:
    made = pytree.AsAny(part.place, part, role)
    made.type = ANY
    return made


#: Which arguments of methods are indices, and what these are.
_INDICES = {"pop": (slice(0, 1), "int"), "insert": (slice(0, 1), "int"), "index": (slice(1, None), "bound")}


def _convert_indices(node: Any) -> None:
    """Of a list or tuple in a field, as Python does."""
    if node.value.type.kind not in ("list", "tuple"):
        return
    if isinstance(node, tree.Item | tree.TargetItem):
        node.index = _index(node.index, "index")
    elif isinstance(node, tree.Method) and node.name in _INDICES:
        at, role = _INDICES[node.name]
        node.args[at] = [_index(each, role) for each in node.args[at]]


def _index(node: tree.Expr, role: str) -> tree.Expr:
    return _as_any(node, role) if node.type.kind in ("any", "object") else node


# -- what Python sees -------------------------------------------------------------------------------------------------


def _check(function: tree.Function) -> None:
    for node in walk(function.body):
        is_method = isinstance(node, tree.Method) and node.value.type.kind == "object"
        if is_method and node.key is not None and not is_pythons_key(node.key):
            _refuse(function, node, "a list of Python's own is not sorted by a function of scripts: write sorted()")
        for part in _seen(node):
            kind = part.type.kind
            if kind in _OWN or (kind == "tuple" and not _is_plain(part)):
                _refuse(function, part, f"Python would get a copy of this {_OWN.get(kind, kind)} of the script's")


def _is_plain(part: tree.Expr) -> bool:
    """A tuple of what cannot change."""
    waiting = [part.type]
    while waiting:
        type_ = waiting.pop()
        if type_.args is None or type_.kind in _OWN:
            return False
        waiting += type_.args if type_.kind == "tuple" else ()
    return True


def _seen(node: Any) -> Iterator[tree.Expr]:
    """The expressions whose values Python gets."""
    if isinstance(node, Defaulting):
        over = node.over if node.type.kind == "object" else None
        if over is not None:
            yield over.value if isinstance(over, tree.Comprehension) and over.is_lazy else over
    elif isinstance(node, pytree.PyCall):
        callee = node.callee
        is_method = isinstance(callee, tree.Item) and isinstance(callee.index, tree.MemberName)
        yield callee.value if isinstance(callee, tree.Item) and is_method else callee
        yield from (each for each in node.args if not isinstance(each, pytree.Starred | pytree.Named))
    elif isinstance(node, pytree.Starred | pytree.Named):
        yield node.value
    elif isinstance(node, pytree.MadeFunction):
        yield from parts_of(node)
    elif isinstance(node, pytree.MatchClass):
        yield from (node.subject, node.cls)
    elif isinstance(node, pytree.NewCell | pytree.IteratorOf | pytree.Stored):
        yield from () if node.value is None else (node.value,)
    elif isinstance(node, tree.Item | tree.TargetItem):
        if isinstance(node.index, tree.MemberName) and node.value.type.kind != "struct":
            yield node.value
        elif node.value.type.kind == "object":
            yield node.index
    elif isinstance(node, tree.Method) and node.value.type.kind == "object":
        yield from node.args
        yield from node.keywords.values()
    elif isinstance(node, tree.Assign):
        for target in node.targets:
            if isinstance(target, tree.TargetItem | tree.TargetSlice) and _is_objects(target):
                yield node.value
    elif isinstance(node, tree.AugAssign):
        target = node.target
        if (
            isinstance(target, tree.TargetItem | tree.TargetSlice)
            and _is_objects(target)
            or isinstance(target, tree.TargetLocal)
            and target.variable.type.kind == "object"
        ):
            yield node.value
    elif isinstance(node, tries.Raised):
        yield from (each for each in (node.value, node.cause) if each is not None)
    elif isinstance(node, tries.Enter):
        yield node.manager
    elif isinstance(node, tree.Binary) and "object" in (node.left.type.kind, node.right.type.kind):
        yield node.left
        yield node.right
    elif isinstance(node, tree.Compare):
        for op, left, right in zip(node.ops, node.operands, node.operands[1:], strict=False):
            kinds = (left.type.kind, right.type.kind)
            if op in ("in", "not in") and kinds[1] == "object":
                yield left
            elif op not in ("in", "not in", "is", "is not") and "object" in kinds:
                yield from (left, right)
    elif isinstance(node, tree.Call) and node.callee.value is not None and node.callee.value.type.kind == "object":
        yield from node.args


def _is_objects(target: tree.TargetItem | tree.TargetSlice) -> bool:
    is_attribute = isinstance(target, tree.TargetItem) and isinstance(target.index, tree.MemberName)
    return target.value.type.kind == "object" or (is_attribute and target.value.type.kind != "struct")


def _refuse(function: tree.Function, node: tree.Expr, message: str) -> None:
    place = node.place
    at = place.line - function.place.line
    text = function.source[at] if 0 <= at < len(function.source) else ""
    end = place.end_column if place.end_line == place.line else len(text)
    column = place.column + 1
    raise ScriptError(message, (function.filename, place.line, column, text, place.line, max(end, column) + 1))
