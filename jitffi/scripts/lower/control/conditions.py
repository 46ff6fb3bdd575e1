"""Expressions that are the same for all types: variables, operators by their operands' types, `and`, `or`, `if` with a
value, comparisons as bools; indexing and methods as far as the registry's tables."""

from __future__ import annotations

from jitffi.scripts.analysis.counters import is_step
from jitffi.scripts.library import rules
from jitffi.scripts.lower import masks, numbers, products, remainders
from jitffi.scripts.lower.containers import items, lists
from jitffi.scripts.lower.containers.items import is_unmade, unmade
from jitffi.scripts.lower.function import conversion, operations, registry
from jitffi.scripts.lower.function.emit import FALSE, NULL, TRUE, V, const
from jitffi.scripts.lower.function.lifetimes import DoesNotOutlive, outlives_call
from jitffi.scripts.lower.function.registry import expression
from jitffi.scripts.lower.function.side_effects import is_plain, without_effects
from jitffi.scripts.lower.function.values import COUNTED, MACHINE, OUTLIVES, TEXTS, Value, bool_, int_, owned, text
from jitffi.scripts.lower.python.contained import converted
from jitffi.scripts.lower.python.operators import compared
from jitffi.scripts.lower.text.anytext import in_display
from jitffi.scripts.lower.text.texts import chain, new_slot
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import BOOL, BYTES, FLOAT, INT, STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree.types import Type


class Join:
    """One value of several ways: `set` at the end of each, `get` where they have met.

    Registers go through memory. Text that may not outlive the call is kept by a slot of the scope, which stays null
    where it does: the result is "owned" by it then all the same, which costs a copy where it is stored."""

    def __init__(self, b: Body, type_: Type, outliving: bool = False) -> None:
        """*outliving*: all that will be set outlives the call."""
        self.b = b
        self.type = type_
        self.outliving = outliving and type_.kind in TEXTS
        self.p: V = NULL
        self.parts: list[V] = []
        kind, e = type_.kind, b.e
        if kind in MACHINE:
            self.p = e.alloca(MACHINE[kind], "either")
        elif kind in TEXTS:
            self.parts = [e.alloca(machine, f"either.{name}") for machine, name in _TEXT_PARTS]
        if not self.outliving and (kind in TEXTS or kind == "any"):
            self.p = new_slot(b)
        elif kind in COUNTED:
            self.p = b.frame.temp_owner(kind)

    def set(self, value: Value) -> None:
        b, e, kind = self.b, self.b.e, self.type.kind
        value = conversion.for_any(b, value) if kind == "any" else conversion.convert(b, value, self.type)
        if kind in MACHINE:
            e.store(value.ssa, self.p)
        elif kind in TEXTS:
            self._set_text(value)
        elif kind in COUNTED:
            e.store(b.storage.reference(value), self.p)
        elif kind == "any":
            b.storage.put(value, self.p)

    def _set_text(self, value: Value) -> None:
        b = self.b
        if self.outliving and value.keep.kind != "outlives":
            raise DoesNotOutlive
        if not self.outliving and value.keep.kind == "owned":
            value = b.storage.move_text(value, self.p)
        elif not self.outliving and value.keep.kind != "outlives":
            value = b.storage.materialise_text(value, self.p)
        for part, v in zip(self.parts, (value.data, value.size, value.wide), strict=True):
            b.e.store(v, part)

    def get(self) -> Value:
        e, kind = self.b.e, self.type.kind
        if kind in MACHINE:
            return Value(self.type, e.load(MACHINE[kind], self.p, 0, "either"))
        if kind in TEXTS:
            data, size, wide = (
                e.load(machine, part, 0, name) for (machine, name), part in zip(_TEXT_PARTS, self.parts, strict=True)
            )
            keep = OUTLIVES if self.outliving else owned(self.p)
            return text(self.type, data, size, wide if kind == "str" else FALSE, keep)
        if kind in COUNTED:
            return self.b.storage.from_cell(self.type, self.p)
        return Value(self.type, self.p, owned(self.p)) if kind == "any" else Value(self.type)


_TEXT_PARTS = (("ptr", "data"), ("i64", "size"), ("i1", "wide"))


@expression(tree.Local)
def local(b: Body, node: tree.Local) -> Value:
    value = b.variables.load(node.variable, node.check, node.is_free)
    if node.variable.is_unsteady:
        value = b.storage.materialise(value)
    return conversion.convert(b, value, node.type) if node.not_none else value


@expression(tree.Unary)
def unary(b: Body, node: tree.Unary) -> Value:
    if node.op == "not":
        return condition(b, node)
    operand = b.storage.lasting(b.expr(node.operand))
    if operand.kind == "never":
        return conversion.never(b)
    if rules.is_beyond(node):
        if node.op == "~":
            return _beyond(b, "^", operand, int_(const("i64", -1)))
        return _beyond(b, "-", int_(const("i64", 0)), operand)
    handler = registry.UNARY.get(operand.kind)
    found = handler(b, node.op, operand) if handler else None
    if found is None:
        found = registry.UNARY["any"](b, node.op, operand)
    assert found is not None
    return conversion.convert(b, found, node.type)


def _beyond(b: Body, op: str, left: Value, right: Value) -> Value:
    """What is a larger int, where there is an interpreter, and else an error."""
    found = registry.BINARY["any"](b, op, left, right)
    assert found is not None
    return found


_WHOLE: Final = frozenset(("int", "u64", "bool"))


@expression(tree.Binary)
def binary(b: Body, node: tree.Binary) -> Value:
    found = masks.masked(b, node) or remainders.of_product(b, node) or chain(b, node)
    if found is not None:
        return found
    part = products.shift(b, node)
    if part is not None:
        return conversion.convert(b, part, node.type)
    left, right = two(b, node.left, node.right)
    if node.type.kind == "any" and left.kind in _WHOLE and right.kind in _WHOLE:
        return _beyond(b, node.op, left, right)
    if isinstance(node.left, tree.Local) and node.left.variable in b.counters and is_step(node.right, node.op):
        return numbers.step(b, node.op, left, right)
    return conversion.convert(b, operations.binary(b, node.op, left, right), node.type)


@expression(tree.Compare)
def compare(b: Body, node: tree.Compare) -> Value:
    if len(node.ops) > 1:
        return condition(b, node)
    inside = in_display(b, node) if node.ops[0] in ("in", "not in") else None
    if inside is not None:
        return bool_(inside)
    key, container = node.operands
    if node.ops[0] in ("in", "not in") and container.type.kind in ("dict", "set") and is_unmade(key):
        return bool_(operations.compare(b, node.ops[0], unmade(b, key), b.storage.lasting(b.expr(container))))
    alike = _display_equal(b, node)
    if alike is not None:
        return alike
    left, right = two(b, *node.operands)
    if node.type.kind == "object":
        return compared(b, node.ops[0], left, right)
    return bool_(operations.compare(b, node.ops[0], left, right))


#: Kinds of parts that are equal where their values are.
_EXACT: Final = frozenset(("str", "char", "int", "bool"))


def _display_equal(b: Body, node: tree.Compare) -> Value | None:
    """`(x, y) == pair` of plain values, part by part: no tuple is made. None for other comparisons."""
    op, (left, right) = node.ops[0], node.operands
    types = right.type.args
    if op not in ("==", "!=") or not is_unmade(left) or right.type.kind != "tuple" or types is None:
        return None
    both = [*[each.type for each in left.items], *types]
    if len(left.items) != len(types) or any(each.kind not in _EXACT for each in both):
        return None
    e, join = b.e, Join(b, BOOL)
    parts, other = b.exprs(left.items), b.storage.lasting(b.expr(right))
    differ, done = e.label("differ"), e.label("compared")
    for i, (part, type_) in enumerate(zip(parts, types, strict=True)):
        same = e.label("same")
        item = items.read(b, lists.item_at(b, other.ssa, const("i64", i)), type_)
        e.branch(operations.compare(b, "==", part, item), same, differ)
        e.at(same)
    join.set(bool_(TRUE if op == "==" else FALSE))
    e.br(done)
    e.at(differ)
    join.set(bool_(FALSE if op == "==" else TRUE))
    e.br(done)
    e.at(done)
    return join.get()


def two(b: Body, left: tree.Expr, right: tree.Expr) -> tuple[Value, Value]:
    """Both operands, from the left, good for an operation on them: text and numbers need not be materialised for one
    that runs nothing else."""
    value = b.expr(left)
    both = is_plain(value.type) and is_plain(right.type) and without_effects(right)
    value = value if both else b.storage.lasting(value)
    other = b.expr(right)
    return value, other if both else b.storage.lasting(other)


def condition(b: Body, node: tree.Expr) -> Value:
    """The bool of what only branches."""
    e, join = b.e, Join(b, BOOL)
    then, other, done = e.label("true"), e.label("false"), e.label("condition")
    b.truth(node, then, other)
    for label, value in ((then, TRUE), (other, FALSE)):
        e.at(label)
        join.set(bool_(value))
        e.br(done)
    e.at(done)
    return join.get()


@expression(tree.Logic)
def logic(b: Body, node: tree.Logic) -> Value:
    if node.type == BOOL and all(each.type == BOOL for each in node.operands):
        return condition(b, node)
    e, join = b.e, Join(b, node.type, b.variables.guesses and outlives_call(node, b.variables.outliving))
    done = e.label("decided")
    for each in node.operands[:-1]:
        value = b.storage.lasting(b.expr(each))
        decides, on = e.label("decides"), e.label("and" if node.is_and else "or")
        e.branch(operations.is_true(b, value), *((on, decides) if node.is_and else (decides, on)))
        e.at(decides)
        with b.frame.sometimes():
            join.set(value)
        e.br(done)
        e.at(on)
    join.set(b.expr(node.operands[-1]))
    e.br(done)
    e.at(done)
    return join.get()


@expression(tree.Choice)
def choice(b: Body, node: tree.Choice) -> Value:
    e, join = b.e, Join(b, node.type, b.variables.guesses and outlives_call(node, b.variables.outliving))
    then, other, done = e.label("if"), e.label("else"), e.label("chosen")
    b.truth(node.test, then, other)
    for label, part in ((then, node.then), (other, node.other)):
        e.at(label)
        join.set(b.expr(part))
        e.br(done)
    e.at(done)
    return join.get()


@expression(tree.Slice)
def slice_(b: Body, node: tree.Slice) -> Value:
    value = b.expr(node.value)
    if not (value.kind in TEXTS and all(without_effects(part) for part in (node.start, node.stop, node.step))):
        value = b.storage.lasting(value)
    parts = (node.start, node.stop, node.step)
    start, stop, step = (b.storage.lasting(b.expr(part)) if part else None for part in parts)
    return conversion.convert(b, operations.slice(b, value, start, stop, step), node.type)


@expression(tree.Method)
def method(b: Body, node: tree.Method) -> Value:
    receiver = b.expr(node.value)
    if node.of_class and receiver.kind != "never":
        receiver = _of_class(b, node, receiver)
    if receiver.kind == "never":
        return conversion.convert(b, conversion.never(b), node.type)
    given = [*node.args, *node.keywords.values()]
    stays = receiver.kind in TEXTS or (receiver.kind == "list" and node.name == "append")
    if not (stays and all(is_plain(each.type) and without_effects(each) for each in given)):
        receiver = b.storage.lasting(receiver)
    handler = registry.METHOD.get("str" if receiver.kind == "char" else receiver.kind)
    found = handler(b, node, receiver) if handler else None
    if found is None:
        found = registry.METHOD["any"](b, node, receiver)
    assert found is not None
    return conversion.convert(b, found, node.type)


#: Of a class whose methods may be asked for: the mask of jf_op_isinstance, the kinds that are of it, and the type.
_OWNERS: Final = {
    "str": (8, ("str", "char"), STR),
    "bytes": (16, ("bytes",), BYTES),
    "int": (1, ("int", "bool", "u64"), INT),
    "float": (4, ("float",), FLOAT),
}


def _of_class(b: Body, node: tree.Method, receiver: Value) -> Value:
    """The receiver of a method that a class was asked for, as what it must be."""
    mask, kinds, type_ = _OWNERS[node.of_class]
    if receiver.kind in kinds:
        return receiver
    e = b.e
    on, cold = e.label("is.owner"), e.label("no.owner")
    view = b.storage.view(receiver)
    found = b.frame.call("jf_op_isinstance", view, const("i32", mask))
    e.branch(e.icmp("ne", found, const("i32", 0)), on, cold, likely=True)
    e.at(cold)
    words = f"descriptor '{node.name}' for '{node.of_class}' objects doesn't apply to a '{{}}' object"
    b.frame.call("jf_script_misfit", b.module.c_string(words), view)
    e.at(on)
    if receiver.kind not in ("any", "object"):
        return conversion.never(b)
    receiver = b.storage.lasting(receiver if receiver.kind == "any" else b.storage.borrowed_any(receiver))
    if b.function.takes_objects and type_.kind in TEXTS:
        receiver = converted(b, receiver, "text" if type_ == STR else "bytes")
    return conversion.convert(b, receiver, type_)
