"""Types of results, as CPython has them: of operators, and of builtins and methods whose results hold no arguments.

ANY is the answer for what CPython refuses, too: code for ANY calls a function that raises what CPython raises.
"""

from __future__ import annotations

from jitffi.scripts.library.methods import METHODS
from jitffi.scripts.tree.types import (
    ANY,
    BOOL,
    BYTES,
    CHAR,
    FLOAT,
    INT,
    NEVER,
    NONE,
    OBJECT,
    STR,
    U64,
    Type,
    list_of,
    tuple_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from jitffi.scripts.tree import tree

_WHOLE = ("int", "bool")
_ALL_WHOLE = (*_WHOLE, "u64")
_NUMBERS = ("int", "bool", "float")
_ALL_NUMBERS = (*_NUMBERS, "u64")
_TEXT = ("str", "char")


def is_index(type_: Type) -> bool:
    """Whether it may be an index; of ANY it is found out at run time."""
    return type_.kind in (*_ALL_WHOLE, "any", "object")


def const_type(value: object) -> Type:
    """The type of None, a bool, int, float, str or bytes."""
    if value is None:
        return NONE
    if isinstance(value, str):
        return CHAR if len(value) == 1 else STR
    if isinstance(value, int) and value >> 63 == 1:
        return U64
    return {bool: BOOL, int: INT, float: FLOAT, bytes: BYTES}[type(value)]


def unary(op: tree.UnaryOp, operand: Type) -> Type:
    if op == "not":
        return BOOL
    if operand.kind in _ALL_WHOLE:
        return U64 if operand.kind == "u64" and op == "+" else INT
    if operand.kind == "object":
        return OBJECT
    return FLOAT if operand.kind == "float" and op != "~" else ANY


def binary(op: tree.BinaryOp, left: Type, right: Type, exponent: object = None) -> Type:
    """Of operands without items; `exponent` is the right operand's value where it is a constant."""
    a, b = left.kind, right.kind
    if a in _ALL_NUMBERS and b in _ALL_NUMBERS:
        is_large = a in _ALL_WHOLE and b in _ALL_WHOLE and "u64" in (a, b)
        return _of_u64(op, a, b, exponent) if is_large else _arithmetic(op, a, b, exponent)
    if op == "+":
        # What is put behind a str is a str, or an error; a list takes a str with `+=`.
        if a in _TEXT and b in (*_TEXT, "any"):
            return STR
        return BYTES if a == b == "bytes" else ANY
    if op == "*":
        for times, text in ((a, b), (b, a)):
            if times in _WHOLE and text in _TEXT:
                return STR
            if times in _WHOLE and text == "bytes":
                return BYTES
    return ANY


def _arithmetic(op: tree.BinaryOp, a: str, b: str, exponent: object) -> Type:
    whole = a in _WHOLE and b in _WHOLE
    if op in ("<<", ">>"):
        return INT if whole else ANY
    if op in ("&", "|", "^"):
        if a == b == "bool":
            return BOOL
        return INT if whole else ANY
    if op == "**":
        if whole:
            return INT if type(exponent) is int and exponent >= 0 else ANY
        # A base below 0 with a fraction as exponent is a complex number, which scripts lack.
        return FLOAT
    return FLOAT if op == "/" or not whole else INT


def _of_u64(op: tree.BinaryOp, a: str, b: str, known: object) -> Type:
    """Of whole numbers of which one is a U64: what has 63 bits for sure is an int, and else is a U64, or too large."""
    least = known if isinstance(known, int) else -1
    if op == "/":
        return FLOAT
    if op == "**":
        return ANY
    if (op in ("//", ">>", "<<") and a != "u64") or (op == "%" and b != "u64"):
        return INT
    if (op == "&" and 0 <= least < 1 << 63) or (op == ">>" and 0 < least < 64) or (op == "//" and least > 1):
        return INT
    return U64


def is_beyond(node: tree.Expr) -> bool:
    """`~MASK`, of a constant that needs all of 64 bits, `-NUMBER` or `MASK << count`: the result needs more."""
    op = getattr(node, "op", "")
    operand = getattr(node, "left" if op == "<<" else "operand", None)
    value = getattr(operand, "value", None)
    return op in ("~", "-", "<<") and type(value) is int and value - (op == "-") >= 1 << 63


def is_cut_to_u64(node: tree.Binary) -> bool:
    """`x % 2**64`: of an int the lowest 64 bits."""
    return node.op == "%" and getattr(node.right, "value", None) == 1 << 64


def is_word(node: tree.Builtin) -> bool:
    """`int.from_bytes(data[i : i + 8], order)`: of bytes a number of 64 bits."""
    part = node.args[0] if node.name == "int.from_bytes" and node.args else None
    if node.keywords or getattr(part, "step", node) is not None:
        return False
    start, stop = _place(getattr(part, "start", None)), _place(getattr(part, "stop", None))
    return start[0] is stop[0] and start[1] == stop[1] - 8 and (start[0] is not None or start[1] >= 0)


def _place(node: Any) -> tuple[Any, int]:
    """A bound of a slice: a variable, None for none, and how far behind it."""
    if getattr(node, "op", "") == "+" and type(getattr(node.right, "value", None)) is int:
        return getattr(node.left, "variable", node), node.right.value
    value = 0 if node is None else getattr(node, "value", None)
    return (None, value) if type(value) is int else (getattr(node, "variable", node), 0)


#: Results that do not depend on the arguments. str() of a str is what it was; int() is an int, or an error.
_ALWAYS: Final = {
    "len": INT,
    "int": INT,
    "float": FLOAT,
    "str": STR,
    "bool": BOOL,
    "ord": INT,
    "chr": CHAR,
    "isinstance": BOOL,
    "print": NONE,
    "repr": STR,
    **dict.fromkeys(("bin", "hex", "oct", "ascii", "format"), STR),
    "int.from_bytes": INT,
    "bytes": BYTES,
    "any": BOOL,
    "all": BOOL,
    "hash": INT,
}


def builtin(name: str, args: list[Type]) -> Type | None:
    """The result of a builtin; None for those whose results are, or can hold, their arguments."""
    first = args[0].kind if args else "any"
    if name == "int" and first == "u64" and len(args) == 1:
        return U64
    found = _ALWAYS.get(name)
    if found is not None:
        return found
    if name == "abs":
        return U64 if first == "u64" else unary("-", args[0])
    if name == "round":
        if first == "float":
            if len(args) == 1 or args[1] == NONE:
                return INT
            return FLOAT if args[1].kind in _WHOLE else ANY
        return INT if first in _WHOLE else ANY
    if name == "divmod":
        if len(args) == 2 and first in _NUMBERS and args[1].kind in _NUMBERS:
            part = _arithmetic("//", first, args[1].kind, None)
            return tuple_of(part, part)
        return ANY
    if name == "pow" and len(args) == 3:
        return INT if all(arg.kind in _WHOLE for arg in args) else ANY
    return None


def total(item: Type, start: Type) -> Type:
    """Of sum(): of nothing at all it is `start`."""
    if item == NEVER:
        return start
    if item.kind in _NUMBERS and start.kind in _NUMBERS and start != BOOL:
        whole = item.kind in _WHOLE
        if start.kind in _WHOLE:
            return INT if whole else ANY
        return FLOAT
    return ANY


_ROWS: Final = {
    "new str": STR,
    "new bytes": BYTES,
    "int": INT,
    "int!": INT,
    "bool": BOOL,
    "bool!": BOOL,
    "none": NONE,
    "none!": NONE,
    "list[str]": list_of(STR),
    "list[bytes]": list_of(BYTES),
    "tuple[str, str, str]": tuple_of(STR, STR, STR),
    "tuple[bytes, bytes, bytes]": tuple_of(BYTES, BYTES, BYTES),
}


#: Kinds that have the methods of another.
_RECEIVERS: Final = {"char": "str", "bool": "int", "u64": "int"}


def row_result(kind: str, name: str) -> Type | None:
    """The result of a method of that kind of receiver, where its row alone says it; ANY where there is none."""
    row = METHODS.get(_RECEIVERS.get(kind, kind), {}).get(name)
    if row is None:
        return ANY
    if row.result == "view":
        return BYTES if kind == "bytes" else STR
    return _ROWS.get(row.result)


def takes(kind: str, name: str, args: list[str]) -> bool:
    """Whether that kind's method can take arguments of these kinds: str has no use for bytes, nor bytes for str."""
    row = METHODS[kind].get(name)
    if row is None:
        return False
    foreign = {"str": ("bytes",), "bytes": _TEXT}
    wanted = [param.type.partition("|")[0] for param in row.params]
    return not any(arg in foreign.get(param, ()) for param, arg in zip(wanted, args, strict=False))


def method_of_any(name: str, args: list[str]) -> Type:
    """The result of a method of a value of unknown type: what all methods of that name have in common that take
    arguments of these kinds."""
    found: set[Type] = set()
    for kind in METHODS:
        if takes(kind, name, args):
            result = row_result(kind, name)
            found.add(ANY if result is None else result)
    return found.pop() if len(found) == 1 else ANY


def class_kinds(classes: tuple[str, ...]) -> list[str]:
    """The kinds of types whose values isinstance finds to be of these classes."""
    also = {"int": ["int", "bool", "u64"], "str": ["str", "char"], "None": ["none"]}
    return [kind for name in classes for kind in also.get(name, [name])]


def unreachable(stmt: tree.Stmt) -> list[tree.Stmt]:
    """What stands for statements that the types have ruled out."""
    from jitffi.scripts.tree import tree

    return [tree.Raise(stmt.place, "SystemError", None)]


def falls_through(body: list[tree.Stmt]) -> bool:
    """Whether what stands behind these statements can be reached. (`while True` without a break does not end.)"""
    return all(_passes(stmt) for stmt in body)


def _passes(stmt: tree.Stmt) -> bool:
    from jitffi.scripts.tree import tree, tries

    if isinstance(stmt, tree.Return | tree.Raise | tree.Break | tree.Continue | tree.Leave):
        return False
    if isinstance(stmt, tries.Reraise | tries.Raised):
        return False
    if isinstance(stmt, tree.Labelled):
        return falls_through(stmt.body) or has_leave(stmt)
    if isinstance(stmt, tree.If):
        return falls_through(stmt.then) or falls_through(stmt.other)
    if isinstance(stmt, tree.While):
        forever = isinstance(stmt.test, tree.Const) and bool(stmt.test.value)
        broken = has_break(stmt.body)
        return broken or (not forever and falls_through(stmt.other))
    if isinstance(stmt, tree.For):
        return has_break(stmt.body) or falls_through(stmt.other)
    if isinstance(stmt, tries.Try):
        handled = any(falls_through(each.body) for each in stmt.handlers)
        return handled or (falls_through(stmt.body) and falls_through(stmt.other))
    return falls_through(stmt.body) if isinstance(stmt, tries.Leaving | tries.Titled) else True


def has_leave(labelled: tree.Labelled) -> bool:
    """Whether something leads behind it."""
    from jitffi.scripts.tree import tree
    from jitffi.scripts.tree.walk import walk_statements

    return any(isinstance(each, tree.Leave) and each.label == labelled.label for each in walk_statements(labelled.body))


def has_break(body: list[tree.Stmt], outer: int = 0) -> bool:
    """Whether a break in it ends the loop whose body it is, or the one that many further out."""
    from jitffi.scripts.tree import tree
    from jitffi.scripts.tree.walk import BLOCKS

    for stmt in body:
        if isinstance(stmt, tree.Break) and stmt.outer == outer:
            return True
        inner = outer + isinstance(stmt, tree.While | tree.For)
        for name in BLOCKS:
            if has_break(getattr(stmt, name, []), inner if name == "body" else outer):
                return True
    return False
