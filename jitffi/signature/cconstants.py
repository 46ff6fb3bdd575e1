"""Constant integer expressions in C declarations, from the C parser's nodes: lengths, bits, alignments, enumerators."""

from __future__ import annotations

import ast
import operator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    #: Size and alignment of what a node declares.
    Extent = Callable[[Any], tuple[int, int]]

_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
_UNARY: dict[str, Callable[[int], int]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "!": operator.not_,
}
_MAX_BITS = 128  # more than any type of C has


class NotConstantError(ValueError):
    """What is no constant, or has a value that only a compiler knows."""


def evaluate(node: Any, names: Mapping[str, int], extent: Extent) -> int:
    """Return the value of an expression. *names*: the enumerators; *extent*: of types. NotConstantError where it has
    none."""
    kind = type(node).__name__
    if kind == "Constant":
        return _constant(node)
    if kind == "ID" and node.name in names:
        return names[node.name]
    if kind == "UnaryOp" and node.op in ("sizeof", "_Alignof"):
        return extent(node.expr.type)[node.op == "_Alignof"] if type(node.expr).__name__ == "Typename" else _no(node)
    if kind == "UnaryOp" and node.op in _UNARY:
        return int(_UNARY[node.op](evaluate(node.expr, names, extent)))
    if kind == "Cast":
        return evaluate(node.expr, names, extent)
    if kind == "TernaryOp":
        chosen = node.iftrue if evaluate(node.cond, names, extent) else node.iffalse
        return evaluate(chosen, names, extent)
    if kind == "BinaryOp":
        return _binary(node.op, *[evaluate(each, names, extent) for each in (node.left, node.right)])
    return _no(node)


def _constant(node: Any) -> int:
    if node.type == "char":
        value = ast.literal_eval(node.value.lstrip("LuU8"))
        return ord(value) if len(value) == 1 else _no(node)
    if "int" not in node.type:
        return _no(node)
    digits = node.value.rstrip("uUlL")
    return int(digits, 8) if digits.isdigit() and digits[0] == "0" else int(digits, 0)


def _binary(op: str, left: int, right: int) -> int:
    if op in ("&&", "||"):
        return int(bool(left and right) if op == "&&" else bool(left or right))
    if op in ("/", "%"):
        if right == 0:
            raise NotConstantError("a division by zero")
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if op == "/" else left - quotient * right
    if op not in _BINARY or op in ("<<", ">>") and not 0 <= right < _MAX_BITS:
        raise NotConstantError("a value that only a compiler knows")
    return int(_BINARY[op](left, right))


def _no(node: Any) -> int:
    name = getattr(node, "name", None)
    raise NotConstantError(
        f"{name!r}, which is not known" if isinstance(name, str) else "a value that only a compiler knows"
    )
