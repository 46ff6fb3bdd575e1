"""Values as Python's own objects, and back: constants are there already, numbers and text are made."""

from __future__ import annotations

from jitffi.scripts.library import python_symbols
from jitffi.scripts.lower import dynamic
from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import NULL, V, const
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.values import Value, local
from jitffi.scripts.lower.python.contained import converted
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree.types import ANY, OBJECT, STR, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from jitffi.scripts.lower.function.body import Body

_PLAIN = ("none", "bool", "int", "u64", "float", "char", "str", "bytes")
_NATIVE = ("list", "set", "dict", "tuple", "func", "array")
#: Constants of more bytes are made when they are needed.
_MOST_BYTES = 200


def constant(b: Body, value: object) -> Value:
    """An object that is there as long as the code."""
    return Value(OBJECT, b.module.python_constant(value), const=value)


def builtin(b: Body, symbol: str) -> Value:
    """A class of the interpreter's, by its name in C."""
    return Value(OBJECT, b.module.data_symbol(symbol))


def builtin_object(b: Body, name: str) -> Value:
    """A builtin by its name, whatever modules make of that."""
    return Value(OBJECT, b.module.data_symbol(python_symbols.builtin(name)))


@of_kind("convert", *[(kind, "object") for kind in (*_PLAIN, "any")])
@of_kind("convert", *[(kind, "object") for kind in _NATIVE])
def boxed(b: Body, value: Value, type_: Type = OBJECT) -> Value:
    """The value as an object of Python's."""
    if value.kind == "object":
        return value
    if value.kind == "none":
        return constant(b, None)
    if value.const is not ... and _is_short(value.const):
        return constant(b, value.const)
    if value.kind == "bool":
        true, false = b.module.python_constant(True), b.module.python_constant(False)
        return Value(OBJECT, b.e.select(value.ssa, true, false))
    origin = value.origin or value.given
    if origin is not None:
        return _original(b, value, origin)
    if type_.args and value.kind in ("list", "set", "dict"):  # whose class is known, and read without a look
        return b.storage.new_object(type_, b.frame.call("core_op_own", value.ssa))
    if type_.args and value.kind == "any":  # a tuple that a round has made, say, and that lay in a list of the script's
        return b.storage.new_object(type_, b.frame.call("core_op_box_stored", b.storage.view(value)))
    return b.storage.new_object(OBJECT, _made(b, value))


def _original(b: Body, value: Value, origin: V) -> Value:
    """The str that the text was read of, where it was read of one."""
    e = b.e
    other, done, place = e.label("no.origin"), e.label("boxed"), b.frame.temp_owner("object")
    before = e.here
    e.branch(e.is_null(origin), other, done)
    e.at(other)
    made = _made(b, value)
    e.store(made, place)
    there = e.here
    e.br(done)
    e.at(done)
    return Value(OBJECT, e.phi([(origin, before), (made, there)], "text"), local(None))


def _is_short(value: object) -> bool:
    return not isinstance(value, str | bytes) or len(value) <= _MOST_BYTES


def _made(b: Body, value: Value) -> V:
    kind = value.kind
    if kind in ("int", "float", "char"):
        return b.frame.call(f"core_op_box_{kind}", value.ssa)
    if kind in ("str", "bytes"):
        return b.frame.call("core_op_box_text" if kind == "str" else "core_op_box_bytes", b.storage.text(value))
    if kind == "tuple":
        return b.frame.call("core_op_own", value.ssa)
    if kind in _NATIVE:
        return b.frame.call("core_op_box_native", value.ssa)
    assert kind in ("any", "u64"), value
    return b.frame.call("core_op_box", b.storage.view(value))


def boxed_all(b: Body, values: Iterable[Value]) -> list[V]:
    """The addresses of several, which are there to the end of the scope."""
    return [boxed(b, each).ssa for each in values]


def object_in(b: Body, value: Value | None) -> V:
    """NULL for nothing."""
    return NULL if value is None else boxed(b, value).ssa


@of_kind("convert", *[("object", kind) for kind in (*_PLAIN, *_NATIVE)])
def unboxed(b: Body, value: Value, type_: Type) -> Value:
    """What an annotation says that an object is; TypeError where it is something else."""
    view = b.storage.object_view(value, "core_op_view_as" if type_.kind in _PLAIN else "core_op_view")
    return dynamic.guard(b, Value(ANY, view, local(None)), type_)


def as_any(b: Body, value: Value) -> Value:
    """A view of the native value that it is, for who only reads; good to the end of the scope."""
    return Value(ANY, b.storage.view(value), local(None))


def passed(b: Body, value: Value) -> Value:
    """An argument of a function of others: of an object what it is for them; good to the end of the scope."""
    if value.kind != "object":
        return value
    slot = b.frame.temp_slot()
    b.frame.call("core_op_pass", b.storage.lasting(value).ssa, slot, b.frame.scratch(16))
    return b.storage.any_in(slot)


def owned_object(b: Body, object_: V) -> Value:
    """What a call has given."""
    return b.storage.new_object(OBJECT, object_)


@expression(pytree.AsAny)
def _as_any(b: Body, node: pytree.AsAny) -> Value:
    value = b.expr(node.value)
    if value.kind != "object":
        found = conversion.convert(b, value, ANY)
        is_asked = b.function.takes_objects and node.role not in ("", "sought")
        return converted(b, b.storage.lasting(found), node.role) if is_asked else found
    found = as_any(b, b.storage.lasting(value))
    return converted(b, found, node.role) if node.role else found


@expression(pytree.AsText)
def _as_text(b: Body, node: pytree.AsText) -> Value:
    return conversion.convert(b, b.storage.lasting(b.expr(node.value)), STR)


@expression(pytree.PyConst)
def _constant(b: Body, node: pytree.PyConst) -> Value:
    return constant(b, node.value)


@expression(pytree.Import)
def _import(b: Body, node: pytree.Import) -> Value:
    name = b.module.python_attribute(node.module)
    return owned_object(b, b.frame.call("core_op_import", name, const("i32", int(node.is_whole))))


@expression(pytree.ImportFrom)
def _import_from(b: Body, node: pytree.ImportFrom) -> Value:
    names = [b.module.python_attribute(each) for each in (node.module, node.name)]
    return owned_object(b, b.frame.call("core_op_import_from", *names))


@expression(pytree.Global)
def _global(b: Body, node: pytree.Global) -> Value:
    return owned_object(b, b.frame.call("core_op_global", b.module.python_name(node.outside)))
