"""Builtins that go through an iterable: sum, min, max, any, all. What can be is one loop, without a list."""

from __future__ import annotations

import sys

from jitffi.scripts.lower import numbers
from jitffi.scripts.lower.builtins import builtin, out_any
from jitffi.scripts.lower.containers import items, lists, running, vectors
from jitffi.scripts.lower.containers.keys import keys_of
from jitffi.scripts.lower.control import iterators, loops
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.control.control import raise_kind
from jitffi.scripts.lower.function import operations
from jitffi.scripts.lower.function.emit import FALSE, TRUE, V, const, double
from jitffi.scripts.lower.function.side_effects import is_plain
from jitffi.scripts.lower.function.values import MACHINE, Value, bool_, float_, int_
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, FLOAT, Type, list_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body

_WHOLE = ("int", "bool")
_NUMBERS = ("int", "bool", "float")
ZERO = const("i64", 0)


def listed(b: Body, node: tree.Expr, type_: Type | None = None) -> Value:
    """A new list of what iterating over an expression gives, owned by this scope."""
    is_vector = node.type.kind == "vector" or (type_ is not None and type_.kind == "vector")
    if not iterators.is_virtual(node) and not is_vector:
        value = b.storage.lasting(b.expr(node))
        if value.kind not in ("set", "dict", "object", "str"):
            cell, pad = b.frame.temp_cell(), const("i32", b.module.pads.pool)
            symbol = "jf_op_list_copy" if value.kind == "list" else "jf_op_list"
            given = value.ssa if value.kind == "list" else b.storage.view(value)
            b.frame.call(symbol, given, pad, cell)
            return b.storage.from_cell(type_ or list_of(iterators.of_type(value.type)), cell)
        found = iterators.of_value(b, b.storage.materialise(value))
    else:
        found = iterators.iterate(b, node, is_alone=True)
    # A range that is too long for memory says so at once. What is at most so long may be shorter, and needs no more.
    is_range = isinstance(node, tree.Builtin) and node.name == "range"
    room = found.length(b) if is_range else None
    made = lists.new_list(b, room or ZERO, type_ or list_of(found.type))
    if not found.put_all(b, made):
        loops.rounds(b, found, lambda item: vectors.add(b, made, item), made=False)
    return made


def sequence(b: Body, node: tree.Expr) -> Value:
    """The same for who only reads it: a list itself is as good."""
    if not iterators.is_virtual(node) and node.type.kind == "list":
        return b.storage.materialise(b.expr(node))
    return listed(b, node)


# -- sum ------------------------------------------------------------------------------------------------------------


@builtin("sum")
def _sum(b: Body, node: tree.Builtin) -> Value:
    start_node = node.args[1] if len(node.args) > 1 else node.keywords.get("start")
    found = None
    kind = iterators.item_type(node.args[0]).kind
    start_kind = "int" if start_node is None else start_node.type.kind
    if kind in _NUMBERS and start_kind in ("int", "float"):
        found = iterators.iterate(b, node.args[0], is_alone=True)
        start = numbers.int_constant(0) if start_node is None else b.expr(start_node)
        if kind in _WHOLE and start_kind in _WHOLE:
            return _sum_ints(b, found, start)
        return _sum_floats(b, found, start, node.type)
    if start_node is None and running.is_made(node.args[0]):
        return running.total(b, node)
    iterable = sequence(b, node.args[0])
    start = numbers.int_constant(0) if start_node is None else b.storage.lasting(b.expr(start_node))
    return out_any(b, "jf_op_sum", b.storage.view(iterable), b.storage.view(start))


def _sum_ints(b: Body, found: iterators.Iterator, start: Value) -> Value:
    e = b.e
    total = e.alloca("i64", "total")
    e.store(numbers.as_int(b, start), total)

    def add(item: Value) -> None:
        both, over = e.overflowing("sadd", e.load("i64", total, 0, "total"), numbers.as_int(b, item), "total")
        b.frame.overflow_if(over)
        e.store(both, total)

    loops.rounds(b, found, add)
    return int_(e.load("i64", total, 0, "total"))


#: What a sum of floats remembers the rounding of.
_COMPENSATED = ("float",) if sys.version_info < (3, 14) else ("float", "int", "bool")


def _sum_floats(b: Body, found: iterators.Iterator, start: Value, type_: Type) -> Value:
    """From Python 3.12 on what rounding loses is added in the end, from 3.14 on what it loses of ints, too."""
    e, exact = b.e, sys.version_info >= (3, 12)
    total, lost, some = e.alloca("double", "total"), e.alloca("double", "lost"), e.alloca("i1", "some")
    e.store(numbers.as_float(b, start), total)
    e.store(double(0.0), lost)
    e.store(FALSE, some)

    def add(item: Value) -> None:
        old, x = e.load("double", total, 0, "total"), numbers.as_float(b, item)
        both = e.float_binary("fadd", old, x)
        if exact and item.kind in _COMPENSATED:
            sizes = [e.intrinsic("llvm.fabs", "double", v) for v in (old, x)]
            larger = e.fcmp("oge", sizes[0], sizes[1])
            big, small = e.select(larger, old, x), e.select(larger, x, old)
            rest = e.float_binary("fadd", e.float_binary("fsub", big, both), small)
            e.store(e.float_binary("fadd", e.load("double", lost), rest), lost)
        e.store(both, total)
        e.store(TRUE, some)

    loops.rounds(b, found, add)
    result = e.load("double", total, 0, "total")
    if exact:
        rest = e.load("double", lost, 0, "lost")
        size = e.intrinsic("llvm.fabs", "double", rest)
        is_finite = e.fcmp("olt", size, double(float("inf")))
        result = e.select(is_finite, e.float_binary("fadd", result, rest), result)
    if type_ == FLOAT:
        return float_(result)
    join = Join(b, ANY)
    floats, ints, done = e.label("floats"), e.label("none"), e.label("summed")
    e.branch(e.load("i1", some), floats, ints)
    e.at(floats)
    join.set(float_(result))
    e.br(done)
    e.at(ints)
    join.set(start)
    e.br(done)
    e.at(done)
    return join.get()


# -- min, max -------------------------------------------------------------------------------------------------------


@builtin("min", "max")
def _extreme(b: Body, node: tree.Builtin) -> Value:
    is_max = node.name == "max"
    if len(node.args) > 1:
        return _extreme_of_arguments(b, node, is_max)
    kind = iterators.item_type(node.args[0]).kind
    if node.key is None and kind in MACHINE:
        return _extreme_scalar(b, node, iterators.iterate(b, node.args[0], is_alone=True), is_max)
    if running.is_made(node.args[0]):
        return running.extreme(b, node, is_max, lambda: _fail_empty(b, node.name))
    iterable = sequence(b, node.args[0])
    if node.key is None and "default" not in node.keywords:
        return out_any(b, "jf_op_extreme", b.storage.view(iterable), const("i32", int(is_max)))
    return _extreme_item(b, node, iterable, is_max)


def _extreme_of_arguments(b: Body, node: tree.Builtin, is_max: bool) -> Value:
    values = b.exprs(node.args)
    if node.key is None and len({value.kind for value in values}) == 1 and values[0].kind in MACHINE:
        best = values[0]
        for value in values[1:]:
            best = better(b, is_max, best, value)
        return best
    made = lists.new_list(b, const("i64", len(values)), list_of(ANY))
    for value in values:
        lists.append(b, made.ssa, value)
    if node.key is None:
        return out_any(b, "jf_op_extreme", b.storage.view(made), const("i32", int(is_max)))
    return _extreme_item(b, node, made, is_max)


def better(b: Body, is_max: bool, best: Value, value: Value) -> Value:
    """min or max of two values in registers; the first where neither is better."""
    if best.kind in ("int", "float"):
        return numbers.extreme(b, is_max, best, value)
    test = b.e.icmp("ugt" if is_max else "ult", value.ssa, best.ssa, "better")
    return Value(best.type, b.e.select(test, value.ssa, best.ssa))


def _fail_empty(b: Body, name: str) -> None:
    """Close the block."""
    what = "iterable argument is empty" if sys.version_info >= (3, 12) else "arg is an empty sequence"
    b.frame.raise_("ValueError", f"{name}() {what}")


def _extreme_scalar(b: Body, node: tree.Builtin, found: iterators.Iterator, is_max: bool) -> Value:
    e = b.e
    machine = MACHINE[found.type.kind]
    best, some = e.alloca(machine, "best"), e.alloca("i1", "some")
    e.store(FALSE, some)
    e.store(double(0.0) if machine == "double" else const(machine, 0), best)

    def compare(item: Value) -> None:
        old = Value(item.type, e.load(machine, best, 0, "best"))
        new = better(b, is_max, old, item)
        e.store(e.select(e.load("i1", some), new.ssa, item.ssa), best)
        e.store(TRUE, some)

    default = b.storage.lasting(b.expr(node.keywords["default"])) if "default" in node.keywords else None
    loops.rounds(b, found, compare)
    join = Join(b, node.type)
    there, empty, done = e.label("some"), e.label("empty"), e.label("best")
    e.branch(e.load("i1", some), there, empty, likely=True)
    e.at(empty)
    if default is None:
        _fail_empty(b, node.name)
    else:
        with b.frame.sometimes():
            join.set(default)
        e.br(done)
    e.at(there)
    join.set(Value(found.type, e.load(machine, best, 0, "best")))
    e.br(done)
    e.at(done)
    return join.get()


def _is_better(b: Body, keys: Value, number: V, best: V, is_max: bool) -> V:
    """The key of that number beats the one whose number lies at *best*."""
    type_ = lists.item_type(keys.type)
    new = items.read(b, lists.item_at(b, keys.ssa, number), type_)
    old = items.read(b, lists.item_at(b, keys.ssa, b.e.load("i64", best)), type_)
    if type_.kind not in MACHINE:
        new, old = b.storage.materialise(new), b.storage.materialise(old)
    return operations.compare(b, ">" if is_max else "<", new, old)


def _extreme_item(b: Body, node: tree.Builtin, given: Value, is_max: bool) -> Value:
    """With a key or a default: the index of the best key, and the item there."""
    e = b.e
    default = b.storage.lasting(b.expr(node.keywords["default"])) if "default" in node.keywords else None
    keys = given if node.key is None else keys_of(b, node, node.key, given)
    join = Join(b, node.type)
    best, at = e.alloca("i64", "best"), e.alloca("i64", "at")
    e.store(ZERO, best)
    e.store(const("i64", 1), at)
    some, empty, again, look, take, on, found, done = [
        e.label(name) for name in ("some", "empty", "again", "look", "better", "on", "found", "best")
    ]
    e.branch(e.icmp("ne", operations.length(b, keys), ZERO), some, empty, likely=True)
    e.at(empty)
    if default is None:
        _fail_empty(b, node.name)
    else:
        with b.frame.sometimes():
            join.set(default)
        e.br(done)
    e.at(some)
    e.br(again)
    e.at(again)
    number = e.load("i64", at, 0, "number")
    e.branch(e.icmp("ult", number, operations.length(b, keys)), look, found)
    e.at(look)
    with b.frame.scope():
        is_better = _is_better(b, keys, number, best, is_max)
    e.store(e.add(number, const("i64", 1)), at)
    e.branch(is_better, take, on)
    e.at(take)
    e.store(number, best)
    e.br(on)
    e.at(on)
    e.br(again)
    e.at(found)
    place = lists.place_of(b, given.ssa, int_(e.load("i64", best)), "list index out of range")
    join.set(items.read(b, lists.item_at(b, given.ssa, place), lists.item_type(given.type)))
    e.br(done)
    e.at(done)
    return join.get()


# -- any, all -------------------------------------------------------------------------------------------------------


@builtin("any", "all")
def _every(b: Body, node: tree.Builtin) -> Value:
    e, is_all = b.e, node.name == "all"
    result = e.alloca("i1", node.name)
    e.store(TRUE if is_all else FALSE, result)
    plain = is_plain(iterators.item_type(node.args[0]))
    found = iterators.iterate(b, node.args[0], is_alone=plain)
    again, decided, done = e.label("each"), e.label("decided"), e.label("done")
    e.br(again)
    e.at(again)
    with b.frame.scope():
        found.next(b, done)
        item = found.item(b)
        truth = operations.is_true(b, item if item.kind in MACHINE else b.storage.lasting(item))
    e.branch(truth, *((again, decided) if is_all else (decided, again)))
    e.at(decided)
    e.store(FALSE if is_all else TRUE, result)
    e.br(done)
    e.at(done)
    return bool_(e.load("i1", result, 0, node.name))


# -- next -----------------------------------------------------------------------------------------------------------


@builtin("next")
def _next(b: Body, node: tree.Builtin) -> Value:
    """The first item of what nobody else goes through."""
    e = b.e
    found = iterators.iterate(b, node.args[0])
    default = b.storage.lasting(b.expr(node.args[1])) if len(node.args) > 1 else None
    join, none, done = Join(b, node.type), e.label("none"), e.label("first")
    with b.frame.scope():
        found.next(b, none)
        join.set(found.item(b))
    e.br(done)
    e.at(none)
    if default is None:
        raise_kind(b, "StopIteration", None)
    else:
        with b.frame.sometimes():
            join.set(default)
        e.br(done)
    e.at(done)
    return join.get()
