"""Inference of calls: builtins, methods, scripts and functions of others."""

from __future__ import annotations

from jitffi.scripts.analysis import evaluate_defaulting, evaluate_sets, nested_containers
from jitffi.scripts.analysis.cells import Cell, Tup, Value, is_any, is_never, kind_of, type_of, value_of
from jitffi.scripts.analysis.evaluate_python import is_object, to_python
from jitffi.scripts.analysis.evaluate_targets import made_as
from jitffi.scripts.analysis.module_values import gives_plain
from jitffi.scripts.library import rules
from jitffi.scripts.library.methods import OF_ITEMS
from jitffi.scripts.library.own import THROUGH, is_virtual
from jitffi.scripts.tree import tree, types
from jitffi.scripts.tree.types import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NEVER,
    NONE,
    OBJECT,
    STR,
    TUPLE,
    Type,
    dict_of,
    list_of,
    object_of,
    set_of,
    tuple_of,
)
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.analysis.evaluate import Evaluator
    from jitffi.signature import model


# -- builtins --------------------------------------------------------------------------------------------------


#: What int() of fits into 64 bits, or says that it does not.
_SMALL = frozenset(("int", "u64", "bool", "float", "char"))
#: Builtins that a Counter or defaultdict is as good for as a dict.
_OF_ALL_DICTS = frozenset(("len", "bool", "isinstance"))


def builtin(ev: Evaluator, node: tree.Builtin) -> Value:
    if node.name in ("min", "max"):
        return _extreme(ev, node)
    if node.name in ("list", "sorted", "tuple", "set", "dict", "sum"):
        return _of_items(ev, node)
    if node.name in ("any", "all") and node.args:
        ev.iterate(node.args[0])
        return BOOL
    if node.name == "next":
        return ev.either([ev.iterate(node.args[0]), *[ev.expr(each) for each in node.args[1:]]])
    if node.name in _OF_ALL_DICTS:
        ev.passing.update(node.args)
    args = [ev.expr(each) for each in node.args]
    for each in node.keywords.values():
        ev.expr(each)
    if node.name not in _OF_ALL_DICTS:
        ev.cells.give_defaulting(*args)
    types = [type_of(arg) for arg in args]
    found = rules.builtin(node.name, types)
    if node in ev.grows and types[0].kind not in _SMALL:
        return ANY
    if found is not None:
        # Results that do not depend on arguments are there at once: a recursion through len() needs no second look.
        return value_of(found)
    if node.name == "pow" and len(args) == 2:
        exponent = node.args[1].value if isinstance(node.args[1], tree.Const) else None
        return ev.binary(node, "**", args[0], args[1], exponent)
    for arg in args:
        ev.cells.escape(arg)
    return ANY


def _is_pythons(ev: Evaluator, node: tree.Builtin, whole: Value) -> bool:
    """Whether an object's builtin does it (lower/python/own.py)."""
    if not node.args or not is_object(whole) or is_virtual(node.args[0]):
        return False
    key = node.key
    target = None if key is None or key.value is None else ev.expr(key.value)
    if target is not None:
        return is_object(target)
    return key is None or bool(key.builtin)


def _extreme(ev: Evaluator, node: tree.Builtin) -> Value:
    if len(node.args) == 1:
        found = item = ev.iterate(node.args[0])
        if _is_pythons(ev, node, ev.values[node.args[0]]):
            for each in node.keywords.values():
                to_python(ev, ev.expr(each))
            return OBJECT
    else:
        found = item = ev.either([ev.expr(each) for each in node.args])
    for name, each in node.keywords.items():
        value = ev.expr(each)
        if name == "default":
            found = ev.cells.join(found, value)
    _key(ev, node, item)
    return found


def _of_items(ev: Evaluator, node: tree.Builtin) -> Value:
    keywords = {name: ev.expr(each) for name, each in node.keywords.items()}
    item = ev.iterate(node.args[0]) if node.args else NEVER
    whole = ev.values[node.args[0]] if node.args else NEVER
    if _is_pythons(ev, node, whole):
        for each in keywords.values():
            to_python(ev, each)
        if len(node.args) > 1:
            to_python(ev, ev.expr(node.args[1]))
        return OBJECT if node.name == "sum" else object_of("list" if node.name == "sorted" else node.name)
    if node.name == "sum":
        start = ev.expr(node.args[1]) if len(node.args) > 1 else keywords.get("start", INT)
        if not isinstance(item, Type) or not isinstance(start, Type):
            ev.cells.escape(item)
            ev.cells.escape(start)
            return ANY
        return NEVER if is_never(start) else rules.total(item, start)
    if node.name == "tuple":
        if isinstance(whole, Tup) or not node.args:
            return whole if isinstance(whole, Tup) else Tup(())
        ev.cells.escape(item)
        return NEVER if is_never(whole) else TUPLE
    if node.name == "dict":
        made = ev.site(node, "dict", kind="dict")
        for value in keywords.values():
            ev.cells.put(made, STR, value)
        if node.args:
            _put_pairs(ev, made, whole, item)
        return made_as(made)
    if node.name == "set":
        return ev.made(node, item, kind="set")
    _key(ev, node, item)
    return ev.made(node, item)


def _put_pairs(ev: Evaluator, made: Cell, whole: Value, item: Value) -> None:
    """What dict() and update() take, a dict or pairs, is put into the dict."""
    if isinstance(whole, Cell) and whole.kind == "dict":
        ev.cells.put(made, *whole.find().contents)
    elif isinstance(item, Tup) and len(item.items) == 2:
        ev.cells.put(made, *item.items)
    elif not is_never(item):
        inner = ev.item_of(item)
        ev.cells.put(made, inner, inner)


def _key(ev: Evaluator, node: tree.Builtin, item: Value) -> None:
    """`key=` is called with each item; without one items are compared."""
    if node.key is None:
        ev.cells.give_defaulting(*([item] if node.name != "list" else []))
    else:
        call(ev, node, node.key, [STR if is_char(item) else item])


def is_char(value: Value) -> bool:
    return isinstance(value, Type) and value.kind == "char"


# -- methods ---------------------------------------------------------------------------------------------------


_TEXTS = frozenset(("str", "char", "bytes", "any"))
#: Methods of lists and dicts that leave them as they are.
READING = frozenset(
    (
        "index", "count", "copy", "get", "keys", "values", "items", "union", "intersection", "difference",
        "symmetric_difference", "issubset", "issuperset", "isdisjoint",
    )
)  # fmt: skip


VIEWS = ("keys", "values", "items")
#: What a method that a class is asked for is of.
_OWNERS = {"str": STR, "bytes": BYTES, "int": INT, "float": FLOAT}


def method(ev: Evaluator, node: tree.Method) -> Value:
    receiver = ev.expr(node.value)
    if node.of_class:
        receiver = _OWNERS[node.of_class]
    kind = kind_of(receiver)
    if (node.name in ("join", "extend") or node.name in OF_ITEMS) and len(node.args) == 1:
        item = ev.iterate(node.args[0])
        args = [ev.values[node.args[0]]]
    else:
        item = NEVER
        args = [ev.expr(each) for each in node.args]
    keywords = {name: ev.expr(each) for name, each in node.keywords.items()}
    if is_never(receiver):
        return NEVER
    nested_containers.note_method(ev.cells.places, node.name, receiver, args)
    if kind == "object" or (kind in _TEXTS and node.name in THROUGH and args and is_object(args[0])):
        for value in [*args, *keywords.values()]:
            to_python(ev, value)
        for each in () if node.key is None else (node.key.python, node.key.value):
            if each is not None:
                to_python(ev, ev.expr(each))
        is_plain = isinstance(receiver, Type) and gives_plain(node, receiver, [kind_of(each) for each in args[1:]])
        return ANY if is_plain else OBJECT
    if isinstance(receiver, Cell):
        if args:
            ev.cells.ask(receiver, args[0])
        if node.name not in READING:
            ev.cells.write(receiver)
        if receiver.find().default:
            result = evaluate_defaulting.method(ev, node, receiver.find(), args, item)
            if result is not None:
                return result
        if kind == "set":
            result = evaluate_sets.method(ev, node, receiver, args, item)
        else:
            found = _of_list if kind == "list" else _of_dict
            result = found(ev, node, receiver, args, keywords, item)
        if result is not None:
            return result
    elif kind != "any":
        result = rules.row_result(kind, node.name)
        if result is not None and not is_any(result):
            return _fresh(ev, node, result)
    for value in [*args, *keywords.values()]:
        ev.cells.escape(value)
    if node.key is not None:
        call(ev, node, node.key, [ANY])
        if kind == "any" and node.key.python is not None:
            to_python(ev, ev.expr(node.key.python))
    if kind != "any" or ev.cells.places.allowed:
        return ANY  # an object's method gives what it likes
    return _fresh(ev, node, rules.method_of_any(node.name, [kind_of(each) for each in args]))


def _fresh(ev: Evaluator, node: tree.Expr, result: Type) -> Value:
    """A new value of that type, made here."""
    return ev.made(node, result.args[0]) if result.kind == "list" and result.args else value_of(result)


def _of_list(
    ev: Evaluator, node: tree.Method, receiver: Cell, args: list[Value], keywords: dict[str, Value], item: Value
) -> Value | None:
    """Of a list; None where it has no such method."""
    name = node.name
    if name == "append" and len(args) == 1:
        ev.cells.put(receiver, args[0])
    elif name == "insert" and len(args) == 2:
        ev.cells.put(receiver, args[1])
    elif name == "extend":
        ev.cells.put(receiver, item)
    elif name == "sort":
        if node.key is not None:
            call(ev, node, node.key, [receiver.find().contents[0]])
    elif name == "pop":
        return receiver.find().contents[0]
    elif name == "copy":
        return ev.made(node, receiver.find().contents[0])
    else:
        result = rules.row_result("list", name)
        return None if is_any(result or ANY) else result
    return NONE


def _of_dict(
    ev: Evaluator, node: tree.Method, receiver: Cell, args: list[Value], keywords: dict[str, Value], item: Value
) -> Value | None:
    """Of a dict; None where it has no such method."""
    name = node.name
    key, value = receiver.find().contents
    default = args[1] if len(args) > 1 else NONE
    if name in ("get", "setdefault"):
        ev.cells.read(receiver)
    if name == "get" and args:
        return ev.cells.join(value, default)
    if name == "setdefault" and args:
        ev.cells.put(receiver, args[0], default)
        return receiver.find().contents[1]
    if name == "pop" and args:
        return ev.cells.join(value, default) if len(args) > 1 else value
    if name == "popitem":
        return NEVER if is_never(key) else Tup((key, value))
    if name in VIEWS and node not in ev.passing:
        ev.cells.give(receiver)  # only Python's own have views
    if name in ("keys", "values"):
        return ev.made(node, key if name == "keys" else value)
    if name == "items":
        return ev.made(node, NEVER if is_never(key) else Tup((key, value)))
    if name == "copy":
        return ev.made(node, key, value, kind="dict")
    if name == "update":
        for word, each in keywords.items():
            del word
            ev.cells.put(receiver, STR, each)
        if args:
            _put_pairs(ev, receiver, args[0], item)
        return NONE
    return NONE if name == "clear" else None


# -- functions -------------------------------------------------------------------------------------------------


def call(ev: Evaluator, node: object, callee: tree.Callee, args: list[Value]) -> Value:
    target = None if callee.value is None else ev.expr(callee.value)
    if callee.script is not None:
        return _call_script(ev, node, callee, args)
    if callee.builtin:
        return ANY
    for arg in args:
        if callee.value is None:
            ev.cells.escape(arg)
        else:
            to_python(ev, arg)
    if target is not None and is_object(target):
        return OBJECT
    signature = getattr(callee.native, "signature", None)
    result = ANY if signature is None else native_type(signature.result)
    ev.cells.places.add_outer(result)
    return value_of(result)


def _call_script(ev: Evaluator, node: object, callee: tree.Callee, args: list[Value]) -> Value:
    if any(is_never(arg) for arg in args):
        if not ev.final:
            return NEVER
        args = [ANY if is_never(arg) else arg for arg in args]
    callee.variant, summary = ev.call(callee.script, [type_of(arg) for arg in args])
    if summary is None:
        return NEVER
    params, result = ev.thawed(node, summary)
    for arg, param in zip(args, params, strict=True):
        ev.cells.join(param, arg)
    return result


def native_type(type_: model.Type) -> Type:
    """The type of a result of a function with a signature; ANY for what scripts have no type of."""
    if type_.name == "tuple":
        ends = type_.args[-1:] == (Ellipsis,)
        return TUPLE if ends or not type_.args else tuple_of(*[native_type(each) for each in type_.args])
    if type_.name in ("list", "map", "set"):
        inner = [native_type(each) for each in type_.args]
        if type_.name == "map":
            return dict_of(*(inner or [ANY, ANY]))
        return (list_of if type_.name == "list" else set_of)(*(inner or [ANY]))
    found: Type = getattr(types, row(type_).script_result)
    return found
