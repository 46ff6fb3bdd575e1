"""What makes containers and bytes of what can be iterated over: displays of lists, list, tuple, dict, bytes, sorted;
and sorting in place."""

from __future__ import annotations

from jitffi.scripts.lower.builtins import builtin, coded
from jitffi.scripts.lower.containers import items, lists, maps, vectors
from jitffi.scripts.lower.containers.aggregates import ZERO, listed, sequence
from jitffi.scripts.lower.containers.keys import keys_of
from jitffi.scripts.lower.control import iterators, loops, sorted_items
from jitffi.scripts.lower.function import conversion, registry
from jitffi.scripts.lower.function.emit import FALSE, const, double
from jitffi.scripts.lower.function.registry import expression
from jitffi.scripts.lower.function.values import NONE_VALUE, Value, bool_, float_, int_
from jitffi.scripts.lower.text import texts
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, list_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body


@expression(tree.ListOf)
def list_display(b: Body, node: tree.ListOf) -> Value:
    made = lists.new_list(b, const("i64", len(node.items)), node.type)
    for each in node.items:
        if isinstance(each, tree.Undefined):
            vectors.add(b, made, _nothing(made))
        elif isinstance(each, tree.Spread):
            found = iterators.iterate_starred(b, each.value)
            if not found.put_all(b, made):
                loops.rounds(b, found, lambda item: vectors.add(b, made, item), made=False)
        else:
            vectors.add(b, made, b.expr(each))
    return made


def _nothing(made: Value) -> Value:
    """What stands in a list where nobody reads it."""
    if made.kind != "vector" or not made.type.args:
        return NONE_VALUE
    kind = made.type.args[0].kind
    return float_(double(0.0)) if kind == "float" else bool_(FALSE) if kind == "bool" else int_(const("i64", 0))


# -- containers of the items ----------------------------------------------------------------------------------------


@builtin("list")
def _list(b: Body, node: tree.Builtin) -> Value:
    return listed(b, node.args[0], node.type) if node.args else lists.new_list(b, ZERO, node.type)


@builtin("tuple")
def _tuple(b: Body, node: tree.Builtin) -> Value:
    if not node.args:
        return lists.new_tuple(b, [], node.type)
    given = node.args[0]
    if not iterators.is_virtual(given) and given.type.kind == "tuple":
        return b.expr(given)
    made = b.frame.call("jf_tuple_of", sequence(b, given).ssa)
    return b.storage.new_object(node.type, made)


@builtin("dict")
def _dict(b: Body, node: tree.Builtin) -> Value:
    if node.args and not iterators.is_virtual(node.args[0]):
        cell = b.frame.temp_cell()
        value = b.storage.lasting(b.expr(node.args[0]))
        b.frame.call("jf_op_dict", b.storage.view(value), const("i32", b.module.pads.pool), cell)
        made = b.storage.from_cell(node.type, cell)
    else:
        made = maps.new_map(b, len(node.keywords), node.type)
        if node.args:
            _put_pairs(b, made, node.args[0])
    for name, each in node.keywords.items():
        maps.set_item(b, made, b.storage.literal(name), b.storage.lasting(b.expr(each)))
    return made


def _put_pairs(b: Body, made: Value, node: tree.Expr) -> None:
    """The pairs that enumerate, zip or items() would give."""
    e, found = b.e, iterators.iterate(b, node)
    if found.type.kind == "tuple" and found.type.args is not None and len(found.type.args) == 2:
        again, done = e.label("each"), e.label("all")
        e.br(again)
        e.at(again)
        with b.frame.scope():
            found.next(b, done)
            parts = found.parts(b)
            if parts is None:
                pair, args = b.storage.lasting(found.item(b)), found.type.args
                parts = [
                    items.read(b, lists.item_at(b, pair.ssa, const("i64", i)), each) for i, each in enumerate(args)
                ]
            maps.set_item(b, made, b.storage.materialise(parts[0]), b.storage.materialise(parts[1]))
        e.br(again)
        e.at(done)
        return
    pairs = lists.new_list(b, ZERO, list_of(ANY))
    loops.rounds(b, found, lambda item: lists.append(b, pairs.ssa, item), made=False)
    b.frame.call("jf_op_map_update", made.ssa, b.storage.view(pairs))


@builtin("bytes")
def _bytes(b: Body, node: tree.Builtin) -> Value:
    if not node.args:
        return b.storage.literal(b"")
    if len(node.args) > 1:
        receiver, method = coded(b, node, "encode")
        method.type = node.type
        found = registry.METHOD["str" if receiver.kind in ("str", "char") else "any"](b, method, receiver)
        assert found is not None
        return conversion.convert(b, found, node.type)
    value = sequence(b, node.args[0]) if iterators.is_virtual(node.args[0]) else b.storage.lasting(b.expr(node.args[0]))
    if value.kind == "bytes":
        return value
    slot = b.frame.temp_slot()
    b.frame.call("jf_op_bytes", b.storage.view(value), slot)
    return b.storage.result_text(node.type, slot)


# -- sorted ---------------------------------------------------------------------------------------------------------


@builtin("sorted")
def _sorted(b: Body, node: tree.Builtin) -> Value:
    if texts.is_text_sorted(node):
        made = lists.new_list(b, ZERO, node.type)
        found = iterators.of_value(b, texts.text_sorted(b, node.args[0]))
        loops.rounds(b, found, lambda item: vectors.add(b, made, item), made=False)
        return made
    if sorted_items.of_dict(node) is not None:
        return listed(b, node, node.type)
    made = listed(b, node.args[0], node.type)
    sort(b, node, node.key, made, node.keywords.get("reverse"))
    return made


def sort(b: Body, node: tree.Expr, key: tree.Callee | None, given: Value, reverse: tree.Expr | None) -> None:
    """Sort a list in place."""
    backwards = sorted_items.backwards(b, reverse)
    if key is None:
        b.frame.call("jf_op_sort", given.ssa, backwards)
        return
    keys = keys_of(b, node, key, given)
    b.frame.call("jf_op_sort_by", given.ssa, keys.ssa, backwards)


@builtin("range", "enumerate", "zip", "reversed")
def _virtual(b: Body, node: tree.Builtin) -> Value:
    """Where something takes any iterable, a list stands for what is only iterated over."""
    return listed(b, node)
