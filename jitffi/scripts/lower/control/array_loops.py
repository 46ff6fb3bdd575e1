"""Loops over a range, or enumerate() of a text, that index arrays or vectors (containers/vectors.py) by its numbers are
written twice.

    for i in range(n):         all numbers below n are indices of x and of y, both are contiguous, y can be written?
        y[i] += a * x[i]           yes: the loop, of which LLVM finds that no check can fail: it uses vectors
                                   no:  the same loop, with the checks and strides that it takes

    for i in range(n):         all numbers below n are indices of x, z has room for n items more, and text is narrow?
        if text[i] == "a":         yes: no round leaves the loop to make room, so LLVM reads but once where items are,
            k += x[i]                   and nothing asks which text it is
        z.append(z[i] + k)         no:  the same loop, with all that

Both loops have all of their checks. In the first LLVM takes those out of which the condition, and what `assume` adds in
each round, say that they cannot fail. That is true in each round since

- the variables are not assigned to in the loop, so that they stand for the same arrays, vectors and texts;
- arrays and texts keep their lengths; vectors only grow: loops with a method that shortens one are left alone, and no
  other function has a vector;
- there was room before the loop for all that its rounds append together, to whichever vectors, one or several;
- a vector that each round appends one item to, without a `continue` around it, is longer by k after k rounds: what was
  an index in the first round, first + offset, is one in each, first + k + offset. It stays *ahead*.
"""

from __future__ import annotations

from jitffi.base.records import record
from jitffi.scripts.lower.containers import arrays, lists, vectors
from jitffi.scripts.lower.control.ranges import Range
from jitffi.scripts.lower.function.emit import V, const
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import rank_of
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Final

    from jitffi.scripts.lower.control.iterators import Iterator
    from jitffi.scripts.lower.function.body import Body

    #: `array[..., number + offset, ...]`: the array or vector, the axis along which that is, the offset, whether it is
    #: written.
    Use = tuple[tree.Variable, int, int, bool]

#: Indices further from the loop's number are left to their checks, and so are loops of more statements and expressions.
_FAR: Final = 64
_LARGE: Final = 200
_HIGHEST: Final = const("i64", (1 << 63) - 1 - _FAR)
#: No loop has room for as many rounds; that times _LARGE is an int.
_MANY: Final = const("i64", 1 << 48)
_LOOPS: Final = (tree.For, tree.While, tree.Comprehension)
#: Methods of vectors after which a size that was asked before says nothing.
_SHORTENING: Final = ("pop", "clear")


@record
class Uses:
    """What of a loop can be known before it; all variables are such as it does not assign to."""

    places: list[Use]
    #: The vectors that it appends to, if all of them are known; a round makes so many appends at most, to all together.
    grown: list[tree.Variable]
    appends: int
    #: Texts of which it takes characters.
    texts: list[tree.Variable]


def uses_in(found: Iterator, node: tree.For, changed: Collection[tree.Variable]) -> Uses | None:
    """What the loop's range says of uses of arrays and vectors; None: it is to be written once."""
    number = _number(found, node)
    parts = list(walk(node.body)) if number is not None else []
    if number is None or len(parts) > _LARGE or any(isinstance(each, _LOOPS) for each in parts):
        return None
    calls = [each for each in parts if isinstance(each, tree.Method) and each.value.type.kind == "vector"]
    appends = [each.value for each in calls if each.name == "append"]
    kinds = ("array",) if any(each.name in _SHORTENING for each in calls) else ("array", "vector")
    places = {use for each in parts if (use := _use(each, number, kinds)) is not None and use[0] not in changed}
    filled = filled_in(node, changed, "vector")
    if len(filled) < len(appends) or any(each.type.kind == "array" for each, *_ in places):
        filled = []  # nothing else is to be a condition for vector instructions
    is_steady = not any(isinstance(each, tree.Continue) for each in parts)
    ahead = {each for each in filled if is_steady and filled.count(each) == 1}
    places -= {use for use in places if use[0] not in ahead and use[0] in {_indexed(each, kinds) for each in appends}}
    if not places:
        return None
    ordered = sorted(places, key=lambda use: (use[0].name, *use[1:]))
    if any(variable.type.kind == "array" for variable, *_ in places):
        return Uses(ordered, [], 0, [])
    through = node.iterable.args if isinstance(node.iterable, tree.Builtin) else []
    characters = [each.value for each in parts if isinstance(each, tree.Item)]
    texts = {_indexed(each, ("str",)) for each in (*characters, *through)} - {None, *changed}
    return Uses(ordered, list(dict.fromkeys(filled)), len(appends), _by_name(texts))


def filled_in(node: tree.For, changed: Collection[tree.Variable], kind: str) -> list[tree.Variable]:
    """The vectors or lists that each round of a loop to its end appends to, once for each time. A loop that can be left
    may have few rounds, whatever its range is."""
    found: list[tree.Variable] = []
    if kind == "vector" and any(isinstance(each, tree.Break | tree.Return) for each in walk(node.body)):
        return found
    for stmt in node.body:
        call = stmt.value if isinstance(stmt, tree.ExprStmt) else None
        if isinstance(call, tree.Method) and call.name == "append":
            variable = _indexed(call.value, (kind,))
            if variable is not None and variable not in changed:
                found.append(variable)
    return found


def _number(found: Iterator, node: tree.For) -> tree.Variable | None:
    """The variable that has the number of each round in all of it: a range's, or the first of enumerate()."""
    if found.bounds() is None:
        return None
    target = node.target
    if isinstance(target, tree.TargetTuple) and found.has_parts and len(target.targets) == 2 and target.star < 0:
        target = target.targets[0]
    elif not isinstance(found, Range):
        return None
    if not isinstance(target, tree.TargetLocal) or target.variable in _assigned(node):
        return None
    return target.variable


def _indexed(value: tree.Expr, kinds: Collection[str]) -> tree.Variable | None:
    """The variable of one of these kinds that an expression is, and that is bound for sure."""
    if not isinstance(value, tree.Local) or value.check or value.variable.type.kind not in kinds:
        return None
    return value.variable


def _by_name(variables: Collection[tree.Variable | None]) -> list[tree.Variable]:
    return sorted((each for each in variables if each is not None), key=lambda each: each.name)


def _assigned(node: tree.For) -> set[tree.Variable]:
    return {each.variable for each in walk(node.body) if isinstance(each, tree.TargetLocal)}


def _use(node: object, number: tree.Variable, kinds: Collection[str]) -> Use | None:
    if not isinstance(node, tree.Item | tree.TargetItem):
        return None
    variable = _indexed(node.value, kinds)
    indices = node.index.items if isinstance(node.index, tree.TupleOf) else [node.index]
    if variable is None or len(indices) != _rank(variable):
        return None
    for axis, index in enumerate(indices):
        offset = _offset(index, number)
        if offset is not None:
            return variable, axis, offset, isinstance(node, tree.TargetItem)
    return None


def _offset(index: tree.Expr, number: tree.Variable) -> int | None:
    """Of `number`, `number + 1`, `number - 1`; else None."""
    if isinstance(index, tree.Local):
        return 0 if index.variable is number else None
    if not isinstance(index, tree.Binary) or index.op not in ("+", "-") or not isinstance(index.right, tree.Const):
        return None
    by = index.right.value
    if type(by) is not int or not 0 <= by <= _FAR or not isinstance(index.left, tree.Local):
        return None
    return None if index.left.variable is not number else by if index.op == "+" else -by


def _rank(variable: tree.Variable) -> int:
    return 1 if variable.type.kind == "vector" else rank_of(variable.type)


def _length(b: Body, variable: tree.Variable, axis: int) -> V:
    value = b.variables.load(variable)
    return lists.length(b, value) if value.kind == "vector" else arrays.length_of(b, value, axis)


def assume(b: Body, found: Iterator, uses: Uses) -> None:
    """In a round of the loop that no use can fail in, what LLVM does not find by itself: that indices beside the number
    are in range, too; and all indices of a vector, since to LLVM an append to another may have changed its size."""
    e = b.e
    e.assume(e.icmp("ult", found.number(), _HIGHEST))
    for variable, axis, offset, _ in uses.places:
        if offset or variable.type.kind == "vector":
            at = e.add(found.number(), const("i64", offset))
            e.assume(e.icmp("ult", at, _length(b, variable, axis)))
    for variable in uses.grown:
        vectors.assume_room(b, b.variables.load(variable))


def condition(b: Body, found: Iterator, uses: Uses) -> V:
    """The i1 under which no use can fail: of each array, vector and axis the first and last index, a stride of 1 along
    the last axis, and that it can be written; that texts are narrow, and that there is room for all that is appended,
    even if it is to one vector alone."""
    e = b.e
    conditions = []
    bounds = found.bounds()
    assert bounds is not None, "the loop has numbers"
    first, end = bounds
    least = min(offset for _, _, offset, _ in uses.places)
    conditions.append(e.icmp("sge", first, const("i64", max(-least, 0)), "from.start"))
    conditions.append(e.icmp("slt", end, _HIGHEST, "no.overflow"))
    for variable, axis, offset, is_written in uses.places:
        length = _length(b, variable, axis)
        if variable in uses.grown:
            conditions.append(e.icmp("ult", e.add(first, const("i64", offset)), length, "ahead"))
            continue
        last = e.add(end, const("i64", offset)) if offset else end
        conditions.append(e.icmp("ule", last, length, "to.end"))
        if variable.type.kind == "vector":
            continue
        array = b.variables.load(variable)
        if axis == rank_of(variable.type) - 1:
            conditions.append(e.icmp("eq", arrays.stride_of(b, array, axis), const("i64", 1), "contiguous"))
        if is_written:
            conditions.append(e.not_(arrays.is_read_only(b, array)))
    conditions += [e.not_(b.variables.load(each).wide) for each in uses.texts]
    rounds = e.sub(end, first)
    if uses.grown:
        conditions.append(e.icmp("sle", rounds, _MANY, "countable"))
    for variable in uses.grown:
        more = e.mul(rounds, const("i64", uses.appends))
        conditions.append(vectors.has_room(b, b.variables.load(variable), more))
    whole = conditions[0]
    for each in conditions[1:]:
        whole = e.and_(whole, each)
    return whole
