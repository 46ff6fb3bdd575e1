"""A value as one of another type, and values that are none: what dead code has."""

from __future__ import annotations

from jitffi.scripts.lower.function import registry
from jitffi.scripts.lower.function.emit import FALSE, V, const
from jitffi.scripts.lower.function.values import MACHINE, OUTLIVES, TEXTS, Value, text
from jitffi.scripts.tree.types import BOOL, CHAR, NEVER, OBJECT, STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree import tree
    from jitffi.scripts.tree.types import Type


def convert(b: Body, value: Value, type_: Type) -> Value:
    """The value as a *type_* that joins its own: exact kinds stay; to ANY it becomes a slot; CHAR becomes STR; an ANY
    is tested, and is a TypeError where it is something else. Owned stays owned."""
    kind, to = value.kind, type_.kind
    if value.type == type_:
        return value
    if kind == to:
        fitted = registry.CONVERT[kind, kind](b, value, type_) if kind in ("tuple", "array") else None
        return fitted or _retyped(value, type_)
    if kind == "never" or to == "never":
        return poison(type_)
    handler = registry.CONVERT.get((kind, to)) or registry.CONVERT.get((kind, "*" if kind == "any" else to))
    if handler is not None:
        return handler(b, value, type_)
    if to == "any":
        return b.storage.to_any(for_any(b, value))
    if (kind, to) == (CHAR.kind, STR.kind):
        return b.storage.char_text(value)
    if to == "float" and kind in ("int", "bool"):
        return Value(type_, b.e.cast("sitofp", b.e.zext(value.ssa, "i64"), "double"))
    if (kind, to) == ("bool", "int"):
        return Value(type_, b.e.zext(value.ssa, "i64"))
    # An annotation that never holds; if inference and we should disagree, no wrong result comes of it either.
    mistyped(b, value, type_)
    b.e.dead()
    return poison(type_)


def for_any(b: Body, value: Value) -> Value:
    """What a slot for any type gets of it: of an array the object that Python has of that, where there is Python, since
    operations on whole arrays are Python's."""
    return convert(b, value, OBJECT) if value.kind == "array" and b.function.takes_objects else value


def _retyped(value: Value, type_: Type) -> Value:
    """list[int] as list[any], say: the same object."""
    return Value(type_, value.v, value.keep, const=value.const) if value.kind not in TEXTS else value


def worded(type_: Type) -> str:
    """A type in messages, which know one kind of int."""
    return "int" if type_.kind == "u64" else str(type_)


def mistyped(b: Body, value: Value, type_: Type) -> None:
    """Close this block: the value is not what it was said to be."""
    names = [b.module.c_string(name) for name in (b.frame.function_name, b.naming, worded(type_))]
    b.frame.call("jf_script_mistyped", *names, b.storage.view(value))


def assign(b: Body, variable: tree.Variable, value: Value) -> None:
    """`variable = value`, whatever the value's type; as `Variables.store`."""
    b.variables.cells_of(variable)
    if variable.type.kind == "any":
        value = for_any(b, value)
    else:
        b.naming = variable.name.partition(".")[0]
        value = convert(b, value, variable.type)
        b.naming = "value"
    b.variables.store(variable, value)


def convert_parameter(b: Body, value: Value, variable: tree.Variable) -> Value:
    """An argument as what a parameter of a script takes; lasting."""
    b.naming = variable.name
    found = b.storage.lasting(convert(b, value, variable.type))
    b.naming = "value"
    return found


# -- results ---------------------------------------------------------------------------------------------------------


def never(b: Body) -> Value:
    """The value of what does not return: what follows is dead."""
    b.e.dead()
    return Value(NEVER, None)


def poison(type_: Type) -> Value:
    """Some value of a type, in dead code."""
    if type_.kind in TEXTS:
        wide = V("i1", "poison") if type_ == STR else FALSE
        return text(type_, V("ptr", "poison"), V("i64", "poison"), wide, OUTLIVES)
    machine = "" if type_.kind in ("none", "never") else MACHINE.get(type_.kind, "ptr")
    return Value(type_, V(machine, "poison") if machine else None)


def status(b: Body, result: V, name: str = "is") -> Value:
    """A BOOL of a runtime function's int32_t that is 1 or 0."""
    return Value(BOOL, b.e.icmp("ne", result, const("i32", 0), name))
