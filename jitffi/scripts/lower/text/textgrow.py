"""Text that grows in its variable's slot: `variable += value` and `variable = variable + a + b`."""

from __future__ import annotations

from jitffi.scripts.lower.function.emit import SLOT_ATTRIBUTES, P, const
from jitffi.scripts.lower.function.registry import of_kind
from jitffi.scripts.lower.function.values import Keep, Value
from jitffi.scripts.lower.text.anytext import if_str, text_of_sum
from jitffi.scripts.lower.text.texts import build, grown, is_text
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body


def grow(b: Body, stmt: tree.Assign) -> bool:
    """`variable = variable + a + b` as `variable += a + b`, where all are text."""
    found = grown(stmt)
    if found is None or found[0].type != STR or not all(part.type.kind in ("str", "char") for part in found[1]):
        return False
    variable, parts = found
    left = stmt.value
    while isinstance(left, tree.Binary):
        left = left.left
    b.expr(left)  # it may be unbound
    values = b.exprs(parts)
    return augment(b, variable, "+", values[0] if len(values) == 1 else build(b, values))


@of_kind("augment", "str")
def augment(b: Body, variable: tree.Variable, op: str, value: Value) -> bool:
    """`variable += value`: in its slot while there is room, so that many of them take linear time."""
    cells = b.variables.cells_of(variable)
    if op == "+" and value.kind == "any" and cells.room is not None:
        before = b.variables.load(variable)
        if_str(
            b, value,
            lambda more: _grow(b, variable, more),
            lambda: b.variables.store(variable, text_of_sum(b, before, value)),
        )  # fmt: skip
        return True
    if op != "+" or not is_text(value) or cells.room is None:
        return False
    _grow(b, variable, value)
    return True


def _grow(b: Body, variable: tree.Variable, value: Value) -> None:
    cells = b.variables.cells_of(variable)
    assert cells.room is not None
    now = b.frame.scratch(3 * b.abi.pointer_bytes)
    more = b.storage.text(value)
    b.storage.write_text(b.variables.load(variable), now)
    capacity = const("i64", 8 + 8 * cells.pad)
    slot, room = P(cells.p.text, SLOT_ATTRIBUTES), P(cells.room.text, SLOT_ATTRIBUTES)
    b.frame.call("jf_text_grow", slot, capacity, room, more, now)
    b.variables.set_text(cells, b.storage.read_text(variable.type, now, Keep("outlives")))


@of_kind("augment", "bytes")
def augment_bytes(b: Body, variable: tree.Variable, op: str, value: Value) -> bool:
    """The same of bytes."""
    cells = b.variables.cells_of(variable)
    if op != "+" or value.kind != "bytes" or cells.room is None:
        return False
    now = b.frame.scratch(3 * b.abi.pointer_bytes)
    more = b.storage.text(value)
    b.storage.write_text(b.variables.load(variable), now)
    slot, room = P(cells.p.text, SLOT_ATTRIBUTES), P(cells.room.text, SLOT_ATTRIBUTES)
    b.frame.call("jf_bytes_grow", slot, room, more, now)
    b.variables.set_text(cells, b.storage.read_text(variable.type, now, Keep("outlives")))
    return True
