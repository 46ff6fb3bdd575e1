"""Whether a call that has failed can be made again, by the interpreter: nothing that anybody else sees has changed.

What scripts cannot hold, an int of more than 64 bits say, is an exception in the middle of a call. Where the call has
changed nothing but what it has made itself, the Python function is called in its place, from the start. Everything that
is not known to change nothing counts as a change.
"""

from __future__ import annotations

from collections import Counter

from jitffi.scripts.library.own import class_of
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import regexes, tree, tries
from jitffi.scripts.tree.defaulting import Defaulting
from jitffi.scripts.tree.templates import Template
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

    from jitffi.scripts.tree.variable import Variable

#: Nodes that change nothing themselves.
_PLAIN = (
    tree.Const, tree.Local, tree.Unary, tree.Binary, tree.Compare, tree.Logic, tree.Choice, tree.Item, tree.Slice,
    tree.Field, tree.Format, tree.ListOf, tree.TupleOf, tree.DictOf, tree.Clause, tree.Comprehension, tree.TargetLocal,
    tree.TargetTuple, tree.Assign, tree.ExprStmt, tree.If, tree.While, tree.For, tree.Break,
    tree.Continue, tree.Return, tree.Raise, tree.Assert, tree.Pass, tree.Named, tree.Spread, tree.Undefined,
    tree.Labelled, tree.Leave, tries.Try, tries.Handler, tries.Leaving, tries.Reraise, tries.Unbind,
    tries.Raised, tries.Matches, tries.Titled, tries.Told, tries.Enter, tries.Exits,
    tree.MemberName, pytree.CellName, pytree.AttributeName, pytree.NewCell, pytree.Default,
    pytree.MadeFunction,
    pytree.IteratorOf, pytree.MatchClass, pytree.Stored, pytree.Import, pytree.ImportFrom, pytree.Global,
    pytree.PyConst, Template,
    pytree.PyCall, pytree.Starred, pytree.Named, pytree.SliceObject, pytree.AsAny, pytree.AsText, pytree.SetOf,
    Defaulting, regexes.Subject, regexes.Find, regexes.Matches, regexes.GroupOf, regexes.PlaceOf, regexes.LastOf,
    regexes.Substituted, regexes.Split,
)  # fmt: skip
#: What is changed in a value of these types was made here, where the parameters do not say that they are changed.
_OWN = frozenset(("list", "set", "dict"))
#: Operations on objects of Python's count while they run, where they may change something (script_effect.h).
_VALUES = frozenset(
    (
        "none", "bool", "int", "u64", "float", "char", "str", "bytes", "tuple", "never", "any", "list", "set", "dict",
        "object",
    )
)  # fmt: skip
#: Values that no container of the caller's can be in.
_SCALARS = _VALUES - {"tuple", "any", "list", "set", "dict", "object"}
_NUMBERS = frozenset(("bool", "int", "u64", "float"))
#: What makes a container that nobody else has.
_MAKERS = (tree.ListOf, tree.DictOf, tree.Comprehension, pytree.SetOf)
_MAKING = frozenset(("list", "set", "dict", "sorted"))
#: Methods that change a container; others of what is no object change nothing.
_CHANGING = frozenset(
    (
        "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "add", "discard", "update",
        "setdefault", "popitem", "difference_update", "intersection_update", "symmetric_difference_update", "subtract",
    )
)  # fmt: skip
#: Methods that change no container.
_READING = frozenset(("get", "items", "keys", "values", "index", "count", "copy"))


def is_repeatable(trees: Iterable[tree.Function]) -> bool:
    """Of a variant, the first, and all that it calls."""
    root, *called = trees
    if root.changes_arguments or any(each.type.kind not in _VALUES for each in root.parameters):
        return False
    has_containers = any(each.type.kind not in _SCALARS for each in root.parameters)
    outer, stored = set[str](), set[str]()  # names of variables: of functions around the script, and those in cells
    for each in (root, *called):
        made_here = _made_here(each)
        for node in walk(each.body):
            if isinstance(node, pytree.OuterCell):
                outer.add(node.outside.name)
            elif isinstance(node, tree.TargetItem) and isinstance(node.index, pytree.CellName):
                stored.add(node.index.name.lstrip())
            elif isinstance(node, tree.AugAssign):
                if has_containers and _may_grow(node, made_here):
                    return False
            elif not _changes_nothing(node, made_here, each.in_fields):
                return False
    return not outer & stored


def may_have_changed(trees: Iterable[tree.Function]) -> bool:
    """Whether a call may come to where it is not made again: it prints, raises, or Python does something for it."""
    found = list(trees)
    return not is_repeatable(found) or any(_is_change(node) for each in found for node in walk(each.body))


def _is_change(node: Any) -> bool:
    if isinstance(node, tree.Builtin):
        calls_python = node.name == "int" and bool(node.args) and node.args[0].type.kind == "object"  # __int__
        return node.name == "print" or calls_python
    if isinstance(node, tree.Callee | tree.Method | tree.TargetItem | tree.TargetSlice):
        return node.value is not None and _is_counted(node.value)
    return isinstance(node, pytree.PyCall | tries.Raised | tries.Enter)


def _may_grow(node: tree.AugAssign, made_here: set[Variable]) -> bool:
    """Whether it may change a container of the caller's in place: `item += [1]` of what may be any value."""
    if isinstance(node.target, tree.TargetLocal):
        if node.target.variable in made_here:
            return False
        type_ = node.target.variable.type
    elif isinstance(node.target, tree.TargetItem):
        type_ = (node.target.value.type.args or (node.target.value.type,))[-1]
    else:
        return False  # its target is a node, too
    return type_.kind == "any" and (node.op == "*" or node.value.type.kind not in _NUMBERS)


def _made_here(function: tree.Function) -> set[Variable]:
    """The variables that only ever have what the function has made, and numbers and texts."""
    bound: Counter[Variable] = Counter(function.parameters)
    made: Counter[Variable] = Counter()
    for node in walk(function.body):
        if not isinstance(node, tree.Local) and hasattr(node, "variable"):
            bound[node.variable] += 1
        if isinstance(node, tree.Assign) and _makes(node.value):
            made.update(each.variable for each in node.targets if isinstance(each, tree.TargetLocal))
        elif isinstance(node, tree.AugAssign) and isinstance(node.target, tree.TargetLocal):
            made[node.target.variable] += 1
    return {variable for variable, times in made.items() if times == bound[variable]}


def _makes(node: tree.Expr) -> bool:
    if isinstance(node, tree.Binary):
        return _makes(node.left)
    is_made = isinstance(node, _MAKERS) or (isinstance(node, tree.Builtin) and node.name in _MAKING)
    return is_made or node.type.kind in _SCALARS


def _changes_nothing(node: Any, made_here: set[tree.Variable], fields: Collection[tree.Expr]) -> bool:
    if isinstance(node, tree.TargetItem | tree.TargetSlice):
        return _is_counted(node.value) or _is_own(node.value, made_here, fields)
    if isinstance(node, tree.DeleteItem):
        return True  # its target is a node, too
    if isinstance(node, tree.Method):
        if node.value.type.kind == "object":
            reads = class_of(node.value.type) != "" and node.name in _READING
            return reads or _is_counted(node.value) or _is_own(node.value, made_here, fields)
        if _is_field(node.value, fields) and node.name in _CHANGING:
            return False
        is_fine = node.value.type.kind in _VALUES and (node.value.type.kind != "any" or node.name not in _CHANGING)
        return node.of_class != "" or is_fine
    if isinstance(node, tree.Callee):
        return node.script is not None or node.builtin != "" or (node.value is not None and _is_counted(node.value))
    if isinstance(node, tree.Call | tree.Builtin):
        return True  # its callee is a node, too; what is printed is counted
    return type(node) in _PLAIN


def _is_counted(value: tree.Expr) -> bool:
    """Whether calls, methods and attributes of it are Python's to do, which counts them."""
    return value.type.kind == "object" and class_of(value.type) == "" and not value.type.key


def _is_attribute(value: tree.Expr) -> bool:
    """Whether it is of a registered object."""
    return isinstance(value, tree.Item) and value.value.type.key != ""


def _is_field(value: tree.Expr, fields: Collection[tree.Expr]) -> bool:
    return _is_attribute(value) or value in fields


def _is_own(container: tree.Expr, made_here: set[tree.Variable], fields: Collection[tree.Expr]) -> bool:
    if _is_field(container, fields):
        return False
    if isinstance(container, tree.Local) and container.variable in made_here:
        return True
    return container.type.kind in _OWN
