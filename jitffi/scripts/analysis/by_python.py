"""Which lines of a typed tree Python's own objects do, for people: `inspect_types` and the survey of modules.

Lists, dicts, sets and tuples of Python's own whose class is known are made, read and written where they lie by native
code, and are no reason to name a line; what is in them is anything, and what is done with that may be one.
"""

from __future__ import annotations

from jitffi.scripts.analysis import module_values
from jitffi.scripts.library import instances, rules
from jitffi.scripts.library.own import class_of, is_compared, is_pythons
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.defaulting import Defaulting
from jitffi.scripts.tree.templates import Template
from jitffi.scripts.tree.types import ANY, U64
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


#: Methods that no method is looked for, by the class and how many arguments they get.
_IN_PLACE: Final = frozenset(
    (("list", "append", 1), ("list", "pop", 0), ("list", "pop", 1), ("dict", "get", 1), ("dict", "get", 2),
     ("dict", "setdefault", 2)),
)  # fmt: skip
_MAKING: Final = frozenset(("list", "tuple", "set", "dict", "sorted"))


def by_python(function: tree.Function) -> dict[int, list[str]]:
    """What Python's own objects do, by line."""
    found: dict[int, list[str]] = {}
    nodes = list(walk(function.body))
    called = [node.callee for node in nodes if isinstance(node, pytree.PyCall | Defaulting)]
    called += [node.factory for node in nodes if isinstance(node, Defaulting) and node.factory is not None]
    told = {
        each.right for each in nodes if isinstance(each, tree.Binary) and each.type == U64 and rules.is_cut_to_u64(each)
    }
    for node in nodes:
        if isinstance(node, pytree.PyCall) and node.table is not None and node.type.kind != "object":
            told.update(walk(node.args))
        if isinstance(node, pytree.PyCall) and node.method is not None and node.method.owner:
            told.update(walk([node.callee]))  # super() is only called where the class is another one by now
    told.update(each.operands[1] for each in nodes if is_compared(each))
    for each in nodes:
        if isinstance(each, tree.Compare) and module_values.is_asked(each):
            told.add(each.operands[1])
        elif isinstance(each, tree.Method) and _is_plain_get(each):
            told.add(each.value)
    for each in nodes:
        over = each.iterable if isinstance(each, tree.For | tree.Clause) else None
        if isinstance(over, tree.Method) and module_values.is_gone_through(over):
            told.update((over, over.value))
    told |= {*called, *[each.value for each in called if isinstance(each, tree.Item)]}
    for node in nodes:
        said = "" if node in told else _described(node)
        if said and said not in found.setdefault(node.place.line, []):
            found[node.place.line].append(said)
    return dict(sorted(found.items()))


def _described(node: Any) -> str:
    """ "" where it is native."""
    if isinstance(node, Defaulting):
        return f"a call of {_shown(node.callee)}" if node.type.kind == "object" else ""
    if isinstance(node, pytree.PyCall):
        if isinstance(node.callee, tree.Item) and node.callee.value.type.defaulting:
            return ""
        if node.method is not None or instances.is_made_natively(node.makes):
            return ""
        is_native = (node.math or node.table is not None) and node.type.kind != "object"
        return "" if is_native else f"a call of {_shown(node.callee)}"
    if isinstance(node, tree.Method) and node.value.type.kind == "object":
        return "" if node.method is not None or _is_in_place(node) or is_looked_at(node) else f"a call of .{node.name}"
    if isinstance(node, tree.TargetItem) and _is_unknown_item(node):
        return "an item of an object"
    if isinstance(node, tree.Expr) and _is_made(node):
        return ""
    if isinstance(node, pytree.MadeFunction):
        return node.what
    if isinstance(node, tree.Item | tree.TargetItem) and isinstance(node.index, pytree.CellName):
        return f"the variable {node.index.name.strip()}"
    if isinstance(node, tree.Binary) and node.op == "%" and node.left.type.kind in ("str", "char", "bytes"):
        return "% of text"
    if isinstance(node, Template):
        kinds = {each.type.kind for each in node.args}
        of_bytes = isinstance(node.whole, bytes) and not kinds <= {"bytes", "int", "u64", "bool", "float"}
        return "% of text" if of_bytes or (node.alone and kinds & {"object", "any", "tuple"}) else ""
    if isinstance(node, pytree.MatchClass):
        return "a class pattern"
    if isinstance(node, pytree.ModuleDict):
        return "variables of the module"
    if isinstance(node, tree.Item | tree.TargetItem) and isinstance(node.index, tree.MemberName):
        return "" if _is_native_attribute(node, node.index) else f"the attribute .{node.index.name}"
    if isinstance(node, pytree.Global):
        return f"the name {node.outside.name}"
    if isinstance(node, pytree.Import | pytree.ImportFrom):
        return f"an import of {node.module}"
    if isinstance(node, pytree.PyConst):
        return f"the constant {node.value!r:.40}"
    if isinstance(node, tries.Raised | tries.Matches) or (isinstance(node, tries.Titled) and not node.is_told):
        return "an exception"
    if isinstance(node, tries.Enter):
        return "with"
    is_object = isinstance(node, tree.Expr) and node.type.kind == "object" and not node.type.key
    return "objects" if is_object and not isinstance(node, tree.Local) else ""


def _is_native_attribute(node: tree.Item | tree.TargetItem, name: tree.MemberName) -> bool:
    """Whether it is of a struct or array, or a field or property of a registered class, in place."""
    is_read = isinstance(node, tree.Item) and isinstance(name, pytree.AttributeName) and name.method is not None
    if node.value.type.kind in ("struct", "array") or is_read:
        return True
    if isinstance(node, tree.TargetItem) and isinstance(name, pytree.AttributeName) and name.setter is not None:
        return True
    field = instances.find(node.value.type, name.name)
    if field is None or isinstance(node, tree.TargetItem):
        return field is not None and not field.is_container
    return not field.is_container or node.type.kind != "object"


def _is_unknown_item(node: tree.TargetItem) -> bool:
    type_ = node.value.type
    return type_.kind == "object" and not type_.args and not isinstance(node.index, tree.MemberName)


def _shown(callee: tree.Expr) -> str:
    if isinstance(callee, pytree.Global):
        return callee.outside.name
    if isinstance(callee, tree.Item) and isinstance(callee.index, tree.MemberName):
        return f"{_shown(callee.value) if isinstance(callee.value, pytree.Global) else ''}.{callee.index.name}"
    return callee.variable.name if isinstance(callee, tree.Local) else "what an expression gives"


def _is_in_place(node: tree.Method) -> bool:
    plain = not node.keywords and node.key is None
    return plain and (class_of(node.value.type), node.name, len(node.args)) in _IN_PLACE


def _is_plain_get(node: tree.Method) -> bool:
    is_global = isinstance(node.value, pytree.Global) and node.type == ANY
    return is_global and module_values.gives_plain(node, node.value.type, [each.type.kind for each in node.args[1:]])


def is_looked_at(node: tree.Method) -> bool:
    """Whether native code does it where the object is of the class that it is of as a rule: `append` of what is in a
    dict, list or tuple of Python's own, and `get` of a dict of the module."""
    value = node.value
    is_item = isinstance(value, tree.Method | tree.Item) and class_of(value.value.type) != ""
    return (node.name == "append" and len(node.args) == 1 and is_item) or _is_plain_get(node)


def _is_made(node: tree.Expr) -> bool:
    """Whether native code makes the container, or reads an item or slice of it."""
    if isinstance(node, tree.Item):
        is_dict = class_of(node.value.type) == "dict"
        return is_dict or (class_of(node.value.type) != "" and node.index.type.kind in ("int", "bool"))
    if isinstance(node, tree.Slice):
        return class_of(node.value.type) != "" and node.step is None
    if class_of(node.type) == "":
        return False
    if isinstance(node, tree.Builtin):
        return node.name in _MAKING and not is_pythons(node)
    if isinstance(node, tree.Method | tree.Binary):
        parts = (node.value,) if isinstance(node, tree.Method) else (node.left, node.right)
        return all(each.type.kind != "object" for each in parts)
    return isinstance(node, tree.ListOf | tree.TupleOf | tree.DictOf | tree.Comprehension | pytree.SetOf)
