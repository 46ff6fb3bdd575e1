"""Counters and defaultdicts that are native Maps: made, counted in, and asked for keys that are not in them."""

from __future__ import annotations

from jitffi.scripts.library.own import class_of
from jitffi.scripts.lower.containers import lists, maps, sets
from jitffi.scripts.lower.control import iterators, loops
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.control.evaluated import evaluated
from jitffi.scripts.lower.function import operations
from jitffi.scripts.lower.function.emit import FALSE, V, const, double
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.values import Value, bool_, float_, int_
from jitffi.scripts.lower.python import calls, own
from jitffi.scripts.lower.python.boxing import boxed, builtin_object
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.defaulting import Defaulting
from jitffi.scripts.tree.types import ANY, COUNTER, INT, OBJECT, Type, dict_of, list_of, object_of, set_of, tuple_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body

_ZERO = const("i64", 0)


@expression(Defaulting)
def made(b: Body, node: Defaulting) -> Value:
    if node.type.kind == "object":
        return _pythons(b, node)
    map_ = maps.new_map(b, 0, node.type)
    if node.over is not None:
        count_all(b, map_, node.over)
    return map_


def _pythons(b: Body, node: Defaulting) -> Value:
    """What calling the class gives."""
    target = boxed(b, b.storage.lasting(b.expr(node.callee)))
    given = [each for each in (node.over, node.factory) if each is not None]
    return calls.call_object(b, target, [_object(b, each) for each in given])


def _object(b: Body, node: tree.Expr) -> Value:
    """An argument; a list of what is only gone through."""
    if not iterators.is_virtual(node):
        return boxed(b, b.storage.lasting(b.expr(node)))
    found = iterators.iterate(b, node)
    listed = own.new_list(b)
    loops.rounds(b, found, lambda item: own.append(b, listed, own.of_value(b, item)), made=False)
    return listed


@of_kind("defaulting", "as_python")
def as_python(b: Body, map_: Value) -> Value:
    """Python's Counter or defaultdict in the place of a Map that is needed no more."""
    default = map_.type.default
    name = COUNTER if default == COUNTER else "defaultdict"
    cls = b.frame.call("core_op_import_from", *[b.module.python_attribute(each) for each in ("collections", name)])
    items = boxed(b, b.storage.lasting(map_), object_of("dict"))
    given = [items] if default == COUNTER else [builtin_object(b, default), items]
    return calls.call_object(b, b.storage.new_object(OBJECT, cls), given)


# -- counting ---------------------------------------------------------------------------------------------------------


def count_all(b: Body, map_: Value, node: tree.Expr) -> None:
    """What `update` of a Counter does: items are counted, the counts of a dict are added."""
    if not iterators.is_virtual(node) and node.type.kind == "dict":
        value = b.storage.materialise(b.expr(node))
        call = tree.Method(node.place, evaluated(node.place, value), "items", [], {})
        loops.rounds(b, iterators.iterate(b, call), lambda item: _add_pair(b, map_, item), made=False)
        return
    found = iterators.iterate(b, node)
    loops.rounds(b, found, lambda item: add(b, map_, _key(b, item), int_(const("i64", 1))), made=False)


def _key(b: Body, item: Value) -> Value:
    if item.parts is not None:
        return Value(item.type, None, parts=[b.storage.lasting(each) for each in item.parts])
    return b.storage.lasting(item)


def _add_pair(b: Body, map_: Value, item: Value) -> None:
    assert item.parts is not None
    key, number = (b.storage.lasting(each) for each in item.parts)
    add(b, map_, key, number)


def add(b: Body, map_: Value, key: Value, more: Value) -> None:
    """`map[key] += more` of an int, where what is missing is 0."""
    e = b.e
    fresh, other, done = e.label("fresh"), e.label("other"), e.label("counted")
    e.switch(maps.counted(b, map_, key, more, more), other, [(1, done), (2, fresh)])
    e.at(fresh)
    with b.frame.sometimes():
        maps.set_item(b, map_, key, more)
    e.br(done)
    e.at(other)
    with b.frame.sometimes():
        old = b.storage.lasting(item(b, map_, key))
        maps.set_item(b, map_, key, b.storage.lasting(operations.binary(b, "+", old, more)))
    e.br(done)
    e.at(done)


def augment(b: Body, map_: Value, key: Value, op: str, node: tree.Expr) -> bool:
    """`map[key] += number` by one look-up; False where it is more than that."""
    is_int = map_.type.args is not None and map_.type.args[1] == node.type == INT
    is_known = isinstance(node, tree.Const) or (isinstance(node, tree.Local) and not node.check)
    if not (is_int and is_known and op == "+" and map_.type.default in (COUNTER, "int")):
        return False
    add(b, map_, key, b.expr(node))
    return True


# -- items ------------------------------------------------------------------------------------------------------------


@of_kind("defaulting", "item")
def item(b: Body, map_: Value, key: Value) -> Value:
    """`map[key]`, in the place of a dict's."""
    assert map_.type.args
    e, type_ = b.e, map_.type.args[1]
    entry = maps.find(b, map_, key)
    if type_.kind in ("list", "set", "dict"):
        return _container(b, map_, key, entry)
    there, missing, done = e.label("found"), e.label("missing"), e.label("got")
    if map_.type.default == COUNTER:
        join = Join(b, type_)
        e.branch(e.is_null(entry), missing, there)
        e.at(there)
        join.set(maps.value_of(b, map_, entry))
        e.br(done)
        e.at(missing)
        join.set(int_(_ZERO))
        e.br(done)
        e.at(done)
        return join.get()
    place = e.alloca("ptr", "entry")
    e.store(entry, place)
    e.branch(e.is_null(entry), missing, done, likely=False)
    e.at(missing)
    with b.frame.sometimes():
        maps.set_item(b, map_, key, _default(b, map_))
        e.store(maps.find(b, map_, key), place)
    e.br(done)
    e.at(done)
    return maps.value_of(b, map_, e.load("ptr", place, 0, "entry"))


def _container(b: Body, map_: Value, key: Value, entry: V) -> Value:
    """The list, set or dict of an entry. Where there is none a new one is put in, which is not looked for again."""
    e = b.e
    place = e.alloca("ptr", "container")
    there, missing, done = e.label("found"), e.label("missing"), e.label("got")
    e.branch(e.is_null(entry), missing, there, likely=False)
    e.at(there)
    found = maps.value_of(b, map_, entry)
    e.store(found.ssa, place)
    e.br(done)
    e.at(missing)
    with b.frame.sometimes():
        made = _default(b, map_)
        maps.set_item(b, map_, key, made)
        e.store(made.ssa, place)
    e.br(done)
    e.at(done)
    return Value(found.type, e.load("ptr", place, 0, "container"), found.keep)


def _default(b: Body, map_: Value) -> Value:
    """What a defaultdict puts in."""
    assert map_.type.args
    name, type_ = map_.type.default, map_.type.args[1]
    if name == "list":
        return lists.new_list(b, _ZERO, type_ if type_.kind == "list" else list_of(ANY))
    if name == "set":
        return sets.new_set(b, type_ if type_.kind == "set" else set_of(ANY))
    if name == "dict":
        return maps.new_map(b, 0, type_ if type_.kind == "dict" else dict_of(ANY, ANY))
    if name == "str":
        return b.storage.literal("")
    return float_(double(0.0)) if name == "float" else bool_(FALSE) if name == "bool" else int_(_ZERO)


@of_kind("defaulting", "most_common")
def most_common(b: Body, node: pytree.PyCall, counter: Value) -> Value:
    """`counter.most_common(n)`: the items by their counts, those of equal counts as they were put in."""
    counter = b.storage.materialise(counter)
    number = b.storage.lasting(b.expr(node.args[0])) if node.args else None
    key, value = counter.type.args or (ANY, ANY)
    found = _listed(b, node, counter, "items", list_of(tuple_of(key, value)))
    counts = _listed(b, node, counter, "values", list_of(value))
    b.frame.call("jf_op_sort_by", found.ssa, counts.ssa, const("i32", 1))
    if number is not None and number.kind == "int":
        most = int_(b.e.intrinsic("llvm.smax", "i64", number.ssa, _ZERO))
        found = operations.slice(b, found, None, most, None)
    return own.converted(b, found, node.type) if class_of(node.type) else found


def _listed(b: Body, node: tree.Expr, counter: Value, name: str, type_: Type) -> Value:
    call = tree.Method(node.place, evaluated(node.place, counter), name, [], {})
    call.type = type_
    return b.storage.materialise(b.expr(call))
