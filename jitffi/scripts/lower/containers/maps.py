"""Dicts: displays, and look-ups by keys that are borrowed."""

from __future__ import annotations

from jitffi.scripts.library.own import class_of
from jitffi.scripts.lower import dynamic
from jitffi.scripts.lower.containers import items, lists
from jitffi.scripts.lower.containers.items import is_unmade, unmade
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.function import operations, registry
from jitffi.scripts.lower.function.emit import NULL, P, V, const
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.values import NONE_VALUE, SCALARS, Value, int_
from jitffi.scripts.lower.python import own
from jitffi.scripts.lower.python.contained import contained
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, INT, Type, dict_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body


def new_map(b: Body, capacity: int, type_: Type) -> Value:
    """An empty dict, owned by this scope."""
    room, pad = b.frame.size_arg(const("i64", capacity)), const("i32", b.module.pads.pool)
    return b.storage.new_object(type_, b.frame.call("jf_map_new", room, pad))


@expression(tree.DictOf)
def display(b: Body, node: tree.DictOf) -> Value:
    made = new_map(b, len(node.keys), node.type)
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            _put_all(b, made, b.storage.lasting(b.expr(value)))
            continue
        set_item(b, made, key_of(b, made, key), b.storage.lasting(b.expr(value)))
    return made


def _put_all(b: Body, made: Value, other: Value) -> None:
    """`**other` of a display; TypeError for what is no mapping."""
    if other.kind == "any":
        other = _mapping(b, other)
    if other.kind == "dict":
        b.frame.call("jf_map_update", made.ssa, other.ssa)
    elif other.kind != "never":
        b.frame.call("jf_script_misfit", b.module.c_string("'{}' object is not a mapping"), b.storage.view(other))
        b.e.dead()


def _mapping(b: Body, value: Value) -> Value:
    """A value of any type as the dict that it must be."""
    e = b.e
    on, cold = e.label("mapping"), e.label("no.mapping")
    e.branch(dynamic.is_of(b, value.ssa, "dict"), on, cold, likely=True)
    e.at(cold)
    b.frame.call("jf_script_misfit", b.module.c_string("'{}' object is not a mapping"), value.ssa)
    e.at(on)
    return Value(dict_of(ANY, ANY), e.load("ptr", value.ssa, 8, "mapping"), value.keep)


def key_of(b: Body, container: Value, node: tree.Expr) -> Value:
    """What indexes it, good while other things are evaluated; of a tuple display in a dict or array the parts are
    enough, as long as nobody puts it in."""
    if container.kind in ("dict", "array", "elements") and is_unmade(node):
        return as_native(b, unmade(b, node)) if container.kind != "dict" else unmade(b, node)
    if container.kind == "object":
        return own.key_of(b, node)
    return b.storage.lasting(b.expr(node))


def as_native(b: Body, key: Value) -> Value:
    """The same parts, objects of Python's among them as values of any type: indices of an array."""
    assert key.parts is not None
    parts = [b.storage.borrowed_any(each) if each.kind == "object" else each for each in key.parts]
    return Value(key.type, None, parts=parts)


def _view(b: Body, key: Value) -> P:
    return b.storage.view(key if key.parts is None else lists.new_tuple(b, key.parts, key.type))


def _count(b: Body, parts: list[Value]) -> V:
    return b.frame.size_arg(const("i64", len(parts)))


@of_kind("set_item", "dict")
def set_item(b: Body, map_: Value, key: Value, value: Value) -> bool:
    value = items.fitted(b, value, map_.type.args[1] if map_.type.args else ANY)
    view = items.stored(b, value) if items.is_movable(value) else b.storage.view(value)
    if key.parts is not None:
        given = items.stored_views(b, key.parts)
        b.frame.call("jf_op_map_set_views", map_.ssa, given, _count(b, key.parts), view)
        items.done(b, value)
        return True
    b.frame.call("jf_op_map_set", map_.ssa, b.storage.view(key), view)
    items.done(b, value)
    return True


def value_offset(b: Body) -> int:
    """Of the value in an entry: behind the hash and the key."""
    return 8 + b.abi.pointer_bytes


#: Kinds of keys that have a hash.
HASHED = frozenset((*SCALARS, "str", "bytes"))


def _look_up(b: Body, symbol: str, map_: Value, key: Value, *out: V) -> V:
    view = b.storage.view(key)
    keys = (view, b.frame.size_arg(const("i64", 0)))
    return b.frame.call(symbol, map_.ssa, view, *out, worded=key.kind in HASHED, keys=keys)


def find(b: Body, map_: Value, key: Value) -> V:
    """The entry of a key, or NULL."""
    out = b.frame.scratch(8)
    if key.parts is not None:
        given, count = b.storage.views(key.parts), _count(b, key.parts)
        keys = (given, count)
        b.frame.call("jf_map_seek_views", map_.ssa, given, count, out, worded=False, keys=keys)
        return b.e.load("ptr", out, 0, "entry")
    _look_up(b, "jf_map_seek", map_, key, out)
    return b.e.load("ptr", out, 0, "entry")


def seek(b: Body, map_: Value, key: Value) -> V:
    """The entry of a key; KeyError, which the call that looks again makes, where there is none."""
    e = b.e
    entry = find(b, map_, key)
    on, cold = e.label("found"), e.label("missing")
    e.branch(e.is_null(entry), cold, on, likely=False)
    e.at(cold)
    view, catcher = _view(b, key), b.frame.region.catcher
    if catcher is None or not catcher.take_key(view):
        b.frame.call("jf_op_map_item", map_.ssa, view, b.frame.temp_slot(0), checked=False)
        b.frame.fail()
    e.at(on)
    return entry


def value_of(b: Body, map_: Value, entry: V) -> Value:
    """The value of an entry, where it lies."""
    assert map_.type.args
    return items.read(b, b.e.load("ptr", entry, value_offset(b), "value"), map_.type.args[1])


@of_kind("item", "dict")
def item(b: Body, map_: Value, key: Value, type_: Type) -> Value:
    if map_.type.default:
        return registry.DEFAULTING["item"](b, map_, key)
    return value_of(b, map_, seek(b, map_, key))


@of_kind("contains", "dict")
def contains(b: Body, map_: Value, key: Value) -> V:
    if key.parts is not None:
        return b.e.not_(b.e.is_null(find(b, map_, key)))
    found = _look_up(b, "jf_map_has", map_, key)
    return b.e.icmp("ne", found, const("i32", 0), "is")


def method(b: Body, name: str, map_: Value, args: list[Value | None], type_: Type) -> Value | None:
    """get, and what its row does not say."""
    if name == "pop":
        slot, default = b.frame.temp_slot(), args[1]
        key = args[0]
        assert key
        otherwise = NULL if default is None else b.storage.view(default)
        b.frame.call("jf_op_map_pop", map_.ssa, b.storage.view(key), otherwise, slot)
        return b.storage.any_in(slot)
    if name == "update" and args[0] is not None and args[0].kind == "dict":
        b.frame.call("jf_map_update", map_.ssa, args[0].ssa)
        return NONE_VALUE
    if name != "get" or type_.kind not in SCALARS or type_.kind in ("none", "never"):
        return None
    key, default = args[0], args[1]
    if key is None or default is None:
        return None
    e, join = b.e, Join(b, type_)
    entry = find(b, map_, key)
    there, missing, done = e.label("found"), e.label("missing"), e.label("got")
    e.branch(e.is_null(entry), missing, there)
    e.at(there)
    join.set(value_of(b, map_, entry))
    e.br(done)
    e.at(missing)
    join.set(default)
    e.br(done)
    e.at(done)
    return join.get()


# -- counting -------------------------------------------------------------------------------------------------------


def count(b: Body, node: tree.Assign) -> bool:
    """`counts[key] = counts.get(key, start) + number`, of ints, by one look-up. False for other assignments: nothing is
    written then."""
    if len(node.targets) != 1:
        return False
    target, value = node.targets[0], node.value
    if not (isinstance(target, tree.TargetItem) and isinstance(value, tree.Binary) and value.op == "+"):
        return False
    get, number = value.left, value.right
    if not (isinstance(get, tree.Method) and get.name == "get" and len(get.args) == 2 and not get.keywords):
        return False
    if not (_is_place(target.value, get.value) and _is_key(target.index, get.args[0])):
        return False
    start = get.args[1]
    constants = [each.value for each in (start, number) if isinstance(each, tree.Const) and type(each.value) is int]
    map_type = target.value.type
    is_own = class_of(map_type) == "dict"
    if is_own and len(constants) == 2 and not abs(sum(constants)) >> 63:
        return _count_own(b, target, sum(constants), constants[1])
    if (
        len(constants) < 2
        or abs(sum(constants)) >> 63
        or map_type.kind != "dict"
        or not map_type.args
        or map_type.args[1] not in (INT, ANY)
    ):
        return False
    e = b.e
    map_ = b.storage.lasting(b.expr(target.value))
    key = contained(b, target.value, key_of(b, map_, target.index))
    first, more = b.expr(start), b.expr(number)
    sum_ = operations.binary(b, "+", first, more)
    fresh, other, done = e.label("fresh"), e.label("other"), e.label("counted")
    e.switch(counted(b, map_, key, sum_, more), other, [(1, done), (2, fresh)])
    e.at(fresh)
    set_item(b, map_, key, sum_)
    e.br(done)
    e.at(other)
    old = b.storage.lasting(value_of(b, map_, seek(b, map_, key)))  # no int, or a large one
    set_item(b, map_, key, contained(b, target.value, operations.binary(b, "+", old, int_(more.ssa))))
    e.br(done)
    e.at(done)
    return True


def _count_own(b: Body, target: tree.TargetItem, first: int, more: int) -> bool:
    """Of a dict of Python's own."""
    dict_ = b.expr(target.value)
    key = own.key_of(b, target.index)
    own.count(b, dict_, key, const("i64", first), const("i64", more))
    return True


def counted(b: Body, map_: Value, key: Value, first: Value, more: Value) -> V:
    """What jf_map_count says."""
    sums = first.ssa, more.ssa
    if key.parts is not None:
        views, size = b.storage.views(key.parts), _count(b, key.parts)
        return b.frame.call("jf_map_count_views", map_.ssa, views, size, *sums, worded=False, keys=(views, size))
    return _look_up(b, "jf_map_count", map_, key, *sums)


def _is_place(a: tree.Expr, other: tree.Expr) -> bool:
    """The same variable, or the same field of a registered object in one."""
    if not (isinstance(a, tree.Item) and isinstance(other, tree.Item) and a.value.type.key):
        return _is_local(a, other)
    if not (isinstance(a.index, tree.MemberName) and isinstance(other.index, tree.MemberName)):
        return False
    return (
        a.type.kind == other.type.kind == "dict"
        and a.index.name == other.index.name
        and _is_local(a.value, other.value)
    )


def _is_key(a: tree.Expr, other: tree.Expr) -> bool:
    """A variable, or a tuple of variables and constants, that is the same in both."""
    if not (isinstance(a, tree.TupleOf) and isinstance(other, tree.TupleOf)):
        return _is_local(a, other) or _is_same(a, other)
    if not is_unmade(a) or len(a.items) != len(other.items):
        return False
    return all(_is_local(x, y) or _is_same(x, y) for x, y in zip(a.items, other.items, strict=True))


def _is_same(a: tree.Expr, other: tree.Expr) -> bool:
    if not (isinstance(a, tree.Const) and isinstance(other, tree.Const)):
        return False
    return type(a.value) is type(other.value) and a.value == other.value


def _is_local(a: tree.Expr, other: tree.Expr) -> bool:
    """Both are the same variable, which needs no test."""
    if not (isinstance(a, tree.Local) and isinstance(other, tree.Local)):
        return False
    return a.variable is other.variable and not a.check and not other.check
