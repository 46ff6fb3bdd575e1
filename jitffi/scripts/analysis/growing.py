"""Ints that a script may soon take beyond 64 bits.

    value *= i                            grows, and so do value = value << 1 and value = value * 10 + digit
    a, b = b, a + b                       grows: what is added up are such sums themselves
    table[i] = table[i - 1] + table[i - 2]        likewise, of what is in a list
    return n * factorial(n - 1)           likewise, of the function's results
    total += x                            does not: that takes years
    value = value * 3 % m                 does not: the remainder is what it gets
    i = 2 * i + 1 ... heap[i]             does not: it is a place in memory

What is read in an expression flows to what gets the expression's value. A value grows where it flows in a circle, to
itself, and is multiplied on the way, or meets another that comes out of the circle. Beside them there are operations
whose results may be of any size: `1 << n`, `int(text)`, `int.from_bytes(data)`.

Where a call cannot be made again by Python, such expressions are of any type, and their ints grow.
"""

from __future__ import annotations

from jitffi.scripts.analysis import value_flow
from jitffi.scripts.analysis.value_flow import CUT
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.walk import BLOCKS, walk, walk_statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Final

    from jitffi.scripts.tree.types import Type

#: Bits of what is shifted, where nothing tells more of it: a byte.
_FEW: Final = 8
_MOST: Final = 63
_DIGITS: Final = 15
_NUMBERS: Final = ("int", "u64", "bool", "float", "char")


def of(function: tree.Function, script: Any, types: Iterable[Type]) -> tuple[set[object], set[object]]:
    """Two kinds of nodes, expressions and statements that change what they assign to: those whose ints may be larger;
    and those whose results are larger, or negative, where one of two is a U64, which has all bits as a rule. *script*:
    what calls of the function itself have as their callee; *types*: of the parameters."""
    cut = _cut_statements(function)
    masked = _masked(function, cut)
    growing = {*_in_circles(function, script, types, cut), *_shifts(function, masked), *_made_of_text(function)}
    found = (each for each in walk(function.body) if isinstance(each, tree.Binary | tree.AugAssign))
    return growing, {each for each in found if each.op in ("+", "-", "*", "<<") and each not in masked}


def has_growing(functions: Iterable[tuple[tree.Function, Any]]) -> bool:
    """Whether there is one of typed functions, an int."""
    for function, script in functions:
        growing, unmasked = of(function, script, [each.type for each in function.parameters])
        if any(_kind(node) in ("int", "u64") for node in growing) or any(_kind(node) == "u64" for node in unmasked):
            return True
    return False


def _kind(node: Any) -> str:
    """Of what it gives."""
    type_: Type = node.value.type if isinstance(node, tree.AugAssign) else node.type
    target = getattr(node, "target", None)
    if isinstance(target, tree.TargetLocal):
        type_ = target.variable.type
    elif isinstance(target, tree.TargetItem) and target.value.type.args:
        type_ = target.value.type.args[-1]
    elif isinstance(node, tree.Builtin) and node.args[0].type.kind in _NUMBERS:
        return ""
    return type_.kind


# -- circles ----------------------------------------------------------------------------------------------------------


def _in_circles(function: tree.Function, script: Any, types: Iterable[Type], fine: set[object]) -> Iterable[object]:
    flows = value_flow.flows(function, script)
    reached = value_flow.reached(flows)
    placed = value_flow.places(function, types)
    cut = {each.target for each in flows if each.is_cut}
    for flow in flows:
        circle = {each for each in reached[flow.target] if flow.target in reached[each]}
        inside = [(each, multiplied) for each, multiplied in flow.reads if each in circle]
        grows = any(multiplied for _, multiplied in inside) or sum(each is not None for each, _ in inside) > 1
        is_fine = flow.owner in fine or (flow.target in cut and not flow.is_shifted)
        if grows and not is_fine and not circle & placed:
            yield from flow.nodes


def _cut_statements(function: tree.Function) -> set[object]:
    """The statements behind which the lowest bits of what they assign are taken: they need not fit (cut.py)."""
    found: set[object] = set()
    waiting: list[Any] = [function.body]
    while waiting:
        body = waiting.pop()
        for stmt, after in zip(reversed(body[:-1]), reversed(body[1:]), strict=True):
            variable = value_flow.changed(stmt)
            if variable is None or value_flow.changed(after) is not variable:
                continue
            if (after in found and not _lowers(after)) or value_flow.operation(after) in CUT:
                found.add(stmt)
        waiting += [part for stmt in body for name in BLOCKS if (part := getattr(stmt, name, []))]
    return found


def _lowers(stmt: Any) -> bool:
    """Whether upper bits come down in it, `x ^= x >> 7`."""
    return any(isinstance(each, tree.Binary) and each.op in (*CUT, "/") for each in walk([stmt.value]))


# -- operations that give ints of any size ----------------------------------------------------------------------------


def _shifts(function: tree.Function, masked: set[object]) -> Iterable[object]:
    """`x << n`, unless the result is masked, or n is small."""
    small = _small(function)
    for node in walk(function.body):
        if not isinstance(node, tree.Binary | tree.AugAssign) or node.op != "<<" or node in masked:
            continue
        count = node.right if isinstance(node, tree.Binary) else node.value
        left = getattr(getattr(node, "left", None), "value", None)
        bits = left.bit_length() if type(left) is int else _FEW
        most = _most(count, small)
        if most is None or most + bits > _MOST:
            yield node


def _masked(function: tree.Function, cut: set[object]) -> set[object]:
    """What is below a mask, `(x << n | y) & MASK`: a constant, or a variable that may be one."""
    found = cut.copy()
    for stmt in cut:
        found.update(walk([stmt.value]) if isinstance(stmt, tree.Assign) else ())
    for node in walk(function.body):
        if not isinstance(node, tree.Binary) or node.op != "&":
            continue
        for inner, mask in ((node.left, node.right), (node.right, node.left)):
            if not isinstance(mask, tree.Const | tree.Local):
                continue
            for each in walk([inner]):
                is_bit = isinstance(each, tree.Binary) and isinstance(each.left, tree.Const)
                if isinstance(mask, tree.Const) or not is_bit:  # `seen & (1 << n)`
                    found.add(each)
    return found


def _small(function: tree.Function) -> dict[tree.Variable, int]:
    """The variables that only a range of constants gives values to, and the largest of each."""
    found: dict[tree.Variable, int] = {}
    loops = [(each.target, each.iterable) for each in walk_statements(function.body) if isinstance(each, tree.For)]
    clauses = [each for each in walk(function.body) if isinstance(each, tree.Clause)]
    for target, iterable in [*loops, *[(each.target, each.iterable) for each in clauses]]:
        if isinstance(target, tree.TargetLocal) and isinstance(iterable, tree.Builtin) and iterable.name == "range":
            most = [_most(each, {}) for each in iterable.args]
            if not target.variable.is_unsteady and None not in most:
                found[target.variable] = max(each for each in most if each is not None)
    assigned = [each.variable for each in walk(function.body) if isinstance(each, tree.TargetLocal)]
    return {variable: most for variable, most in found.items() if assigned.count(variable) == 1}


def _most(node: tree.Expr, small: dict[tree.Variable, int]) -> int | None:
    """The largest that an expression can be, where it cannot be negative; None: not known."""
    if isinstance(node, tree.Const):
        return node.value if type(node.value) is int and node.value >= 0 else None
    if isinstance(node, tree.Local):
        return small.get(node.variable)
    if not isinstance(node, tree.Binary):
        return None
    left, right = _most(node.left, small), _most(node.right, small)
    if node.op in ("&", "%"):
        return right
    if left is None or right is None:
        return None
    of_two: dict[str, Callable[[int, int], int]] = {"+": int.__add__, "*": int.__mul__, "-": lambda x, _: x}
    return of_two[node.op](left, right) if node.op in of_two else None


def _made_of_text(function: tree.Function) -> Iterable[object]:
    """`int(...)`, of text or an object, and `int.from_bytes(...)`; but of a short slice, or for `chr`."""
    characters = {each.args[0] for each in walk(function.body) if isinstance(each, tree.Builtin) and each.name == "chr"}
    for node in walk(function.body):
        if isinstance(node, tree.Builtin) and node.name in ("int", "int.from_bytes") and node.args:
            given = node.args[0]
            is_part = isinstance(given, tree.Slice) and (node.name != "int" or _is_short(given))
            if not is_part and node not in characters:
                yield node


def _is_short(node: tree.Slice) -> bool:
    """Whether so many characters cannot be an int of more than 64 bits, be it hexadecimal."""
    start = 0 if node.start is None else getattr(node.start, "value", None)
    stop = getattr(node.stop, "value", None)
    return type(start) is int and type(stop) is int and start >= 0 and 0 <= stop - start <= _DIGITS
