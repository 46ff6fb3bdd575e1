"""What is put into a container in a field of a registered object, and looked for there: of an object of Python's,
Python's own container says what it is in it, or that it is nothing for it, as an int of more than 64 bits."""

from __future__ import annotations

from jitffi.scripts.lower import dynamic
from jitffi.scripts.lower.function.emit import const
from jitffi.scripts.lower.function.values import Value, local
from jitffi.scripts.tree.types import ANY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree import tree


def contained(b: Body, container: tree.Expr, value: Value) -> Value:
    """What the container takes of a value that is put into it: in a field, Python's own says what it is there."""
    if value.kind not in ("any", "object") or container not in b.function.in_fields:
        return value
    return converted(b, b.storage.borrowed_any(value), "put")


#: What is done with an object, as core_op_contained() has it.
_ROLES: Final = {"put": 0, "sought": 1, "index": 2, "bound": 3, "int": 4, "text": 5, "bytes": 6, "key": 7}


def converted(b: Body, value: Value, role: str) -> Value:
    """The same of a value of any type. One that is only "sought", and nothing that can be in there, is as it is; one
    that is an "index", a "bound" of a part, or an "int" that is asked for, is the int that it gives as such; one that
    is asked for as "text" or "bytes", or is a "key", is what it is derived from, as far as that is native."""
    e, found = b.e, b.e.alloca("ptr", "contained")
    convert, done = e.label("convert"), e.label("contained")
    e.store(value.ssa, found)
    e.branch(dynamic.is_host(b, value.ssa), convert, done, likely=False)
    e.at(convert)
    with b.frame.sometimes():
        slot = b.frame.temp_slot(0)
        b.frame.call("core_op_contained", value.ssa, const("i32", _ROLES[role]), slot)
        e.store(slot, found)
    e.br(done)
    e.at(done)
    return Value(ANY, e.load("ptr", found, 0, "value"), local(None))
