"""A value as one of another type, and values that are none: what dead code has."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from jitffi.scripts.lower.function import registry
from jitffi.scripts.lower.function.emit import FALSE, V, const
from jitffi.scripts.lower.function.outlined import Outlined
from jitffi.scripts.lower.function.values import MACHINE, OUTLIVES, TEXTS, Keep, Value, owned, text
from jitffi.scripts.tree.types import ANY, BOOL, CHAR, NEVER, STR

if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree import tree
    from jitffi.scripts.tree.types import Type


class Converting(Outlined):
    """See above."""

    #: What a conversion that fails calls its value: a variable's name, "result".
    naming = "value"

    def convert(self, value: Value, type_: Type) -> Value:
        """The value as a *type_* that joins its own: exact kinds stay; to ANY it becomes a slot; CHAR becomes STR; an
        ANY is tested, and is a TypeError where it is something else. Owned stays owned."""
        kind, to = value.kind, type_.kind
        if value.type == type_:
            return value
        if kind == to:
            fitted = registry.CONVERT[kind, kind](cast("Body", self), value, type_) if kind == "tuple" else None
            return fitted or self._retyped(value, type_)
        if kind == "never" or to == "never":
            return self.poison(type_)
        handler = registry.CONVERT.get((kind, to)) or registry.CONVERT.get((kind, "*" if kind == "any" else to))
        if handler is not None:
            return handler(cast("Body", self), value, type_)
        if to == "any":
            return self.to_any(value)
        if (kind, to) == (CHAR.kind, STR.kind):
            return self.char_text(value)
        if to == "float" and kind in ("int", "bool"):
            return Value(type_, self.e.cast("sitofp", self.e.zext(value.ssa, "i64"), "double"))
        if (kind, to) == ("bool", "int"):
            return Value(type_, self.e.zext(value.ssa, "i64"))
        # An annotation that never holds; if inference and we should disagree, no wrong result comes of it either.
        self.mistyped(value, type_)
        self.e.dead()
        return self.poison(type_)

    def mistyped(self, value: Value, type_: Type) -> None:
        """Close this block: the value is not what it was said to be."""
        names = [self.module.c_string(name) for name in (self.function_name, self.naming, str(type_))]
        self.call("jf_script_mistyped", *names, self.view(value))

    def lasting(self, value: Value) -> Value:
        """Good until the end of the scope unless variables are stored to: materialised, where it was volatile."""
        return self.materialise(value) if value.keep.kind == "volatile" else value

    def convert_parameter(self, value: Value, variable: tree.Variable) -> Value:
        """An argument as what a parameter of a script takes; lasting."""
        self.naming = variable.name
        found = self.lasting(self.convert(value, variable.type))
        self.naming = "value"
        return found

    @staticmethod
    def _retyped(value: Value, type_: Type) -> Value:
        """list[int] as list[any], say: the same object."""
        return Value(type_, value.v, value.keep, const=value.const) if value.kind not in TEXTS else value

    def to_any(self, value: Value) -> Value:
        """A slot with an owned copy of it (moved, where it was owned)."""
        slot = self.temp_slot()
        self.put(value, slot)
        return Value(ANY, slot, owned(slot))

    def borrowed_any(self, value: Value) -> Value:
        """A slot with a view of it, for who only reads."""
        return value if value.kind == "any" else Value(ANY, self.view(value), Keep("local"))

    # -- results -----------------------------------------------------------------------------------------

    def never(self) -> Value:
        """The value of what does not return: what follows is dead."""
        self.e.dead()
        return Value(NEVER, None)

    def poison(self, type_: Type) -> Value:
        """Some value of a type, in dead code."""
        if type_.kind in TEXTS:
            wide = V("i1", "poison") if type_ == STR else FALSE
            return text(type_, V("ptr", "poison"), V("i64", "poison"), wide, OUTLIVES)
        machine = "" if type_.kind in ("none", "never") else MACHINE.get(type_.kind, "ptr")
        return Value(type_, V(machine, "poison") if machine else None)

    def status(self, result: V, name: str = "is") -> Value:
        """A BOOL of a runtime function's int32_t that is 1 or 0."""
        return Value(BOOL, self.e.icmp("ne", result, const("i32", 0), name))
