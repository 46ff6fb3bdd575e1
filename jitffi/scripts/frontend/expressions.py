"""Readers of expressions, all but calls (calls.py)."""

from __future__ import annotations

import operator

from jitffi.scripts.frontend import frames, kept, matches, modules, names, refusals, shared, templates
from jitffi.scripts.frontend.context import Context, meet, reads
from jitffi.scripts.frontend.python_calls import read_global, read_name
from jitffi.scripts.frontend.targets import is_member, read_target
from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.python import PyConst, SliceObject, Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_BINARY: dict[str, tree.BinaryOp] = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "LShift": "<<",
    "RShift": ">>", "BitAnd": "&", "BitOr": "|", "BitXor": "^",
}  # fmt: skip
_UNARY: dict[str, tree.UnaryOp] = {"USub": "-", "UAdd": "+", "Invert": "~", "Not": "not"}
_COMPARE: dict[str, tree.CompareOp] = {
    "Lt": "<", "LtE": "<=", "Eq": "==", "NotEq": "!=", "Gt": ">", "GtE": ">=", "Is": "is", "IsNot": "is not",
    "In": "in", "NotIn": "not in",
}  # fmt: skip
#: Attributes of modules that are built in, as constants of the module are.
_CONSTANTS = frozenset(
    (
        *[f"math.{name}" for name in ("e", "inf", "nan", "pi", "tau")],
        *[f"string.{name}" for name in ("ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits", "hexdigits")],
        *[f"string.{name}" for name in ("octdigits", "printable", "punctuation", "whitespace")],
    )
)
_CONVERSIONS = {-1: "", 115: "s", 114: "r", 97: "a"}
INT_TOO_LARGE = "ints of scripts have 64 bits, from -2**63 to 2**64 - 1: use a float, or two ints"
#: Ints that are native: an int of 64 bits, or one without a sign.
NATIVE_INTS = range(-(2**63), 2**64)
#: What stands behind `%` where an int is cut to 64 bits.
_CUT = 1 << 64
_NO_MATMUL = "scripts have no @: write loops over lists"


def binary_op(cx: Context, node: Any) -> tree.BinaryOp:
    """The operator of a BinOp or AugAssign."""
    op = _BINARY.get(type(node.op).__name__)
    if op is None and cx.foreign:
        return "@"
    if op is None:
        cx.refuse(node, _NO_MATMUL)
    return op


# -- constants and names ----------------------------------------------------------------------------------------------


def constant(cx: Context, place: tree.Place, value: Any) -> tree.Expr:
    """The node of a value that `names.is_constant`, or of a literal."""
    if type(value) is tuple:
        return tree.TupleOf(place, [constant(cx, place, each) for each in value])
    if type(value) is int and value not in NATIVE_INTS:
        cx.refuse_at(place, INT_TOO_LARGE)
    return tree.Const(place, value)


@reads("Constant")
def _constant(cx: Context, node: Any) -> tree.Expr:
    message = refusals.LITERALS.get(type(node.value).__name__)
    if cx.foreign and (message or not names.is_plain(node.value)):
        return PyConst(cx.place(node), node.value)
    if message:
        cx.refuse(node, message)
    return constant(cx, cx.place(node), node.value)


@reads("Name")
def _name(cx: Context, node: Any) -> tree.Expr:
    name = node.id
    if name in cx.kept:
        if cx.foreign:
            kept.keep(cx, cx.kept[name][0])
        cx.refuse(node, refusals.GENERATOR)
    variable = cx.scope.find(name)
    if variable is not None and variable in cx.cells:
        return shared.value_of(cx, cx.place(node), variable, name, hasattr(node, "is_around"))
    if variable is not None and variable in cx.told:
        return tries.Told(cx.place(node), hasattr(node, "is_formatted"))
    if variable is not None:
        check = not cx.is_bound(variable)
        if variable in cx.boxes:
            if check and cx.foreign:
                kept.into_cell(cx, node, variable, name)
            if check:
                cx.refuse(
                    node, f"{name!r} may not be assigned here yet, and a function inside uses it: assign it before"
                )
            return tree.Item(cx.place(node), tree.Local(cx.place(node), variable), tree.Const(cx.place(node), 0))
        if check and "." in variable.name:
            cx.refuse(node, f"{name!r} is read before the `for {name}` of its comprehension: put that one first")
        variable.maybe_unbound |= check
        return tree.Local(cx.place(node), variable, check, check and cx.is_free(name))
    if name in cx.functions or name in cx.generators:
        if cx.foreign:
            kept.keep(cx, cx.functions[name].node if name in cx.functions else cx.generators[name])
        cx.refuse(node, f"scripts call functions inside of functions, and do not keep or pass on {name}")
    if not cx.is_outside(name):
        cx.refuse(
            node,
            f"the lambda of list.sort sees its own parameter only, and {name!r} is a variable around it: write "
            "items[:] = sorted(items, key=...)",
        )
    if name == "__debug__":
        return tree.Const(cx.place(node), __debug__)
    value = cx.outside(name)
    if cx.foreign and (name in cx.globals or not _is_built_in(cx, node, value)):
        return read_global(cx, node)
    if value is names.MISSING and cx.resolve is None and names.is_constant_name(name):
        return tree.Const(cx.place(node), None)  # not read yet: known when code is made
    if names.is_constant(value) and names.is_constant_name(name):
        cx.constants[name] = value
        return constant(cx, cx.place(node), value)
    defined(cx, node, value)
    cx.refuse(node, _why_not_a_value(cx, name, value))


def _is_built_in(cx: Context, node: Any, value: Any) -> bool:
    is_constant = names.is_constant_name(node.id) and names.is_plain(value)
    return is_constant and (type(value) is not tuple or cx.is_looked_into(node))


def defined(cx: Context, node: Any, value: Any) -> None:
    """ScriptError where a name stands for nothing."""
    if value is names.MISSING:
        hint = cx.nearest_name(node.id) or ": assign it, or pass it as a parameter"
        cx.refuse(node, f"name {node.id!r} is not defined{hint}")


def _why_not_a_value(cx: Context, name: str, value: Any) -> str:
    if names.builtin_name(value):
        instead = refusals.BUILTINS.get(name)
        return f"scripts have no {name}: {instead}" if instead else f"a builtin is no value in a script: call {name}"
    if names.python_function(value) or names.jitffi_function(value):
        return f"a function is no value in a script: call {name}, or take a callable as a parameter"
    if name in cx.function.__code__.co_freevars:
        return f"scripts are no closures: {name!r} is a variable of the function around, pass it as a parameter"
    if names.is_constant(value):
        return (
            f"scripts see no variables of the module: pass {name!r} as a parameter, or name it {name.upper()} where "
            "it is a constant"
        )
    if names.is_constant_name(name):
        return (
            f"constants of scripts are None, bool, int, float, str, bytes and tuples of them: pass {name!r}, of type "
            f"{type(value).__name__}, as a parameter"
        )
    return f"scripts see no variables of the module: pass {name!r} as a parameter"


# -- operators --------------------------------------------------------------------------------------------------------


_SIGNS: dict[str, Callable[[int], int]] = {"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}


def _folded(node: Any) -> int | None:
    """The int that an expression of nothing but literals is: 2**63 - 1 has parts beyond 64 bits, and -2**63, too."""
    kind = type(node).__name__
    if kind == "Constant":
        value: Any = node.value
        return int(value) if type(value) is int else None
    if kind == "UnaryOp":
        operand, op = _folded(node.operand), type(node.op).__name__
        return None if operand is None or op not in _SIGNS else _SIGNS[op](operand)
    if kind != "BinOp":
        return None
    right = _folded(node.right)  # first: a long sum of other things is left at once
    left = None if right is None else _folded(node.left)
    if left is None or right is None or abs(left) >> 128:
        return None
    op = type(node.op).__name__
    if op == "Add":
        return left + right
    if op == "Sub":
        return left - right
    if op == "Mult":
        return left * right
    if op in ("FloorDiv", "Mod") and right:
        return left // right if op == "FloorDiv" else left % right
    if op in ("BitAnd", "BitOr", "BitXor"):
        return left & right if op == "BitAnd" else left | right if op == "BitOr" else left ^ right
    if op == "RShift" and right >= 0:
        return left >> min(right, 256)
    if op == "LShift" and 0 <= right <= 256:
        return left << right
    if op == "Pow" and 0 <= right <= 64 * 64 // max(left.bit_length(), 1):
        return int(left**right)
    return None


def _number(cx: Context, node: Any, number: int) -> tree.Expr:
    if cx.foreign and number not in NATIVE_INTS:
        return PyConst(cx.place(node), number)
    return constant(cx, cx.place(node), number)


@reads("UnaryOp")
def _unary(cx: Context, node: Any) -> tree.Expr:
    number = _folded(node)
    if number is not None:
        return _number(cx, node, number)
    return tree.Unary(cx.place(node), _UNARY[type(node.op).__name__], cx.expr(node.operand))


@reads("BinOp")
def _binary(cx: Context, node: Any) -> tree.Expr:
    number = _folded(node)
    if number is not None:
        return _number(cx, node, number)
    op = binary_op(cx, node)
    made = templates.percent(cx, node) if op == "%" else None
    if made is not None:
        return made
    if (
        not cx.foreign
        and op == "%"
        and (type(node.left).__name__ == "JoinedStr" or type(getattr(node.left, "value", 0)) in (str, bytes))
    ):
        cx.refuse(node, "scripts have no % of text: write an f-string")
    left = cx.expr(node.left)
    cut = op == "%" and _is_cut(cx, node.right)
    return tree.Binary(cx.place(node), op, left, _cut(cx, node.right) if cut else cx.expr(node.right))


def _is_cut(cx: Context, node: Any) -> bool:
    """Whether it is 2**64, written or as a constant of the module."""
    name = node.id if type(node).__name__ == "Name" else ""
    if name and names.is_constant_name(name) and cx.is_outside(name) and name not in cx.globals:
        value = cx.outside(name)
        return type(value) is int and value == _CUT
    return _folded(node) == _CUT


def _cut(cx: Context, node: Any) -> tree.Expr:
    """That, which is an object of Python's for all but an int, and too large where there is none."""
    if type(node).__name__ == "Name":
        cx.constants[node.id] = _CUT
    return PyConst(cx.place(node), _CUT) if cx.foreign else tree.Const(cx.place(node), _CUT)


@reads("Compare")
def _compare(cx: Context, node: Any) -> tree.Expr:
    if cx.foreign and len(node.ops) == 1 and type(node.ops[0]).__name__ in ("In", "NotIn"):
        known = _constant_set(cx, node.comparators[0])
        if known is not None:
            return tree.Compare(cx.place(node), [cx.expr(node.left), known], [_COMPARE[type(node.ops[0]).__name__]])
    operands = [*(cx.expr(each) for each in (node.left, node.comparators[0])), *_conditional(cx, node.comparators[1:])]
    return tree.Compare(cx.place(node), operands, [_COMPARE[type(op).__name__] for op in node.ops])


def _constant_set(cx: Context, node: Any) -> tree.Expr | None:
    """Of `x in {"a", "b"}` the set that is made once, as CPython's compiler does; None for others."""
    if type(node).__name__ != "Set" or any(type(each).__name__ != "Constant" for each in node.elts):
        return None
    return PyConst(cx.place(node), frozenset(each.value for each in node.elts))


@reads("BoolOp")
def _logic(cx: Context, node: Any) -> tree.Expr:
    operands = [cx.expr(node.values[0]), *_conditional(cx, node.values[1:])]
    return tree.Logic(cx.place(node), type(node.op).__name__ == "And", operands)


def _conditional(cx: Context, nodes: list[Any]) -> list[tree.Expr]:
    """Read what may not be evaluated: what it binds may not be bound behind it."""
    before = cx.bound
    found = [cx.expr(each) for each in nodes]
    cx.bound = before
    return found


@reads("IfExp")
def _choice(cx: Context, node: Any) -> tree.Expr:
    test = cx.expr(node.test)
    before = cx.bound
    then = cx.expr(node.body)
    after_then, cx.bound = cx.bound, before
    other = cx.expr(node.orelse)
    cx.bound = meet(after_then, cx.bound)
    return tree.Choice(cx.place(node), test, then, other)


@reads("NamedExpr")
def _named(cx: Context, node: Any) -> tree.Expr:
    value = cx.expr(node.value)
    with cx.in_function():
        target = read_target(cx, node.target)
    if cx.foreign and isinstance(target, tree.TargetItem) and target.value.place is target.place:
        return Stored(cx.place(node), target, value)
    if not isinstance(target, tree.TargetLocal):
        cx.refuse(node, f"a function inside uses {node.target.id!r}: assign to it before")
    target.variable.is_unsteady = True
    return tree.Named(cx.place(node), target, value)


@reads("Lambda")
def _lambda(cx: Context, node: Any) -> tree.Expr:
    if not cx.foreign:
        cx.refuse(node, refusals.PYTHONS["Lambda"])
    return kept.function(cx, node)


# -- items ------------------------------------------------------------------------------------------------------------


@reads("Subscript")
def _subscript(cx: Context, node: Any) -> tree.Expr:
    found = matches.item(cx, node)
    if found is not None:
        return found
    value = cx.expr(node.value)
    kind = type(node.slice).__name__
    if kind == "Slice":
        start, stop, step = (cx.optional(each) for each in (node.slice.lower, node.slice.upper, node.slice.step))
        return tree.Slice(cx.place(node), value, start, stop, step)
    return tree.Item(cx.place(node), value, index(cx, node.slice))


def index(cx: Context, node: Any) -> tree.Expr:
    """What stands in brackets and is no slice."""
    if type(node).__name__ == "Tuple":
        if cx.foreign and any(type(each).__name__ == "Slice" for each in node.elts):
            return tree.TupleOf(cx.place(node), [_index_part(cx, each) for each in node.elts])
        for each in node.elts:
            if type(each).__name__ == "Slice":
                cx.refuse(each, "scripts have slices of one dimension: write items[start:stop] for each")
    return cx.expr(node)


def _index_part(cx: Context, node: Any) -> tree.Expr:
    if type(node).__name__ != "Slice":
        return cx.expr(node)
    return SliceObject(cx.place(node), *[cx.optional(each) for each in (node.lower, node.upper, node.step)])


@reads("Attribute")
def _attribute(cx: Context, node: Any) -> tree.Expr:
    found = matches.attribute(cx, node)
    if found is not None:
        return found
    if not cx.foreign and not is_member(cx, node):
        cx.refuse(node, attribute_message(cx, node))
    known = modules.dotted(cx, node)
    if known is not None and known[0] in _CONSTANTS and names.is_plain(known[1]):
        cx.constants[known[0]] = known[1]
        return constant(cx, cx.place(node), known[1])
    if known is not None:
        frames.refuse(cx, node, known[1])
    return tree.Item(cx.place(node), cx.expr(node.value), read_name(cx, node))


def attribute_message(cx: Context, node: Any) -> str:
    """Why there is no such attribute."""
    base, name = node.value, node.attr
    found = modules.dotted(cx, node)
    if found is not None:
        return modules.why_not(cx, *found)
    owner_of = modules.dotted(cx, base)
    if owner_of is not None:
        return f"scripts see no variables of modules: pass {owner_of[0]}.{name} as a parameter"
    if type(base).__name__ == "Name" and cx.is_outside(base.id):
        value = cx.outside(base.id)
        owner = names.builtin_name(value)
        if owner:
            return refusals.CLASS_METHODS.get(f"{owner}.{name}", f"scripts call methods of values: write x.{name}(...)")
        if value is not names.MISSING and not names.is_constant(value):
            return f"scripts see no attributes of {base.id}: pass {base.id}.{name} as a parameter"
    if name in ("shape", "ndim", "size"):
        return "scripts ask an array for its lengths by len: write len(x), and len(x[0]) for the next dimension"
    return f"scripts have no attributes but methods, which are called: write .{name}(...), or use a dict or a tuple"


# -- f-strings --------------------------------------------------------------------------------------------------------


@reads("JoinedStr")
def _format(cx: Context, node: Any) -> tree.Expr:
    parts: list[Any] = cx.in_format(node, lambda: [_part(cx, each) for each in node.values])
    return tree.Format(cx.place(node), parts)


def _part(cx: Context, node: Any) -> Any:
    if type(node).__name__ == "Constant":
        return node.value
    value = cx.expr(node.value)
    spec = None if node.format_spec is None else cx.expr(node.format_spec)
    return tree.Field(value, _CONVERSIONS[node.conversion], spec)  # type: ignore[arg-type]
