"""STR, BYTES and CHAR: index, slice, +, *, comparison, `in`, and text that grows.

A text is three registers: data, size (characters) and wide (four bytes a character; never of BYTES). A slice is part of
the same memory and has the same owner, so it costs a few instructions. What is written here as a few blocks is what
runs for each character of somebody's loop; all else is a call.
"""

from __future__ import annotations

from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import FALSE, SLOT_ATTRIBUTES, P, V, const
from jitffi.scripts.lower.function.registry import of_kind
from jitffi.scripts.lower.function.values import Keep, Value, char, int_, text
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import BYTES, INT, STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree.types import Type

#: For an index that is not given (containers.h), and the least that is one.
NO_INDEX = -(2**63)
ZERO = const("i64", 0)
ONE = const("i64", 1)
#: n of slots of text that goes nowhere: up to 47 bytes or 12 characters.
TEMPORARY_PAD = 5


def is_text(value: Value) -> bool:
    """It is a str."""
    return value.kind in ("str", "char")


def as_text(b: Body, value: Value) -> Value:
    """A CHAR as a STR; STR and BYTES as they are."""
    return b.storage.char_text(value) if value.kind == "char" else value


# -- characters and parts ----------------------------------------------------------------------------------------------


def at(b: Body, value: Value, index: V) -> V:
    """The address of a character."""
    e = b.e
    if value.wide.text in ("true", "false"):
        return e.index(value.data, 4 if value.wide.text == "true" else 1, index)
    shift = e.select(value.wide, const("i64", 2), ZERO, "shift")
    return e.index(value.data, 1, e.binary("shl", index, shift, "bytes"))


def char_at(b: Body, value: Value, index: V) -> V:
    """The code point, or byte, number *index* of a STR or BYTES as an i32; the index is in range."""
    e = b.e
    if value.wide.text == "true":
        return e.load("i32", e.index(value.data, 4, index), 0, "char")
    if value.wide.text == "false":
        return e.zext(e.load("i8", e.index(value.data, 1, index), 0, "byte"), "i32", "char")
    wide, narrow, done = e.label("wide"), e.label("narrow"), e.label("char")
    e.branch(value.wide, wide, narrow)
    e.at(wide)
    point = e.load("i32", e.index(value.data, 4, index), 0, "point")
    e.br(done)
    e.at(narrow)
    byte = e.zext(e.load("i8", e.index(value.data, 1, index), 0, "byte"), "i32")
    e.br(done)
    e.at(done)
    return e.phi([(point, wide), (byte, narrow)], "char")


def checked_index(b: Body, index: Value, size: V, message: str) -> V:
    """An INT counted from the start; IndexError where there is nothing."""
    e, i = b.e, index.ssa
    if isinstance(index.const, int):
        i = i if index.const >= 0 else e.add(i, size, "index")
    else:
        i = e.select(e.icmp("slt", i, ZERO, "from.end"), e.add(i, size), i, "index")
    b.frame.raise_if(e.icmp("uge", i, size, "is.beyond"), "IndexError", message)
    return i


def number(b: Body, value: Value) -> Value | None:
    """What stands for an INT where Python takes an index."""
    if value.kind == "bool":
        return int_(b.e.zext(value.ssa, "i64"))
    if value.kind == "any":
        out = P(b.frame.scratch(8).text, SLOT_ATTRIBUTES)
        b.frame.call("jf_op_index", b.storage.view(value), out)
        return int_(b.e.load("i64", out, 0, "index"))
    return conversion.convert(b, value, INT) if value.kind in ("int", "u64") else None


@of_kind("item", "str", "bytes")
def item(b: Body, value: Value, index: Value, type_: Type) -> Value | None:
    value = as_text(b, value)
    if index.kind == "any":
        out = P(b.frame.scratch(8).text, SLOT_ATTRIBUTES)
        what = b.module.c_string("string" if value.kind == "str" else "byte")
        b.frame.call("jf_op_index_of", b.storage.view(index), what, out)
        given: Value | None = int_(b.e.load("i64", out, 0, "index"))
    else:
        given = index if index.kind == "int" else number(b, index)
    if given is None:
        return None
    name = "string index out of range" if value.kind == "str" else "index out of range"
    found = char_at(b, value, checked_index(b, given, value.size, name))
    return char(found) if value.kind == "str" else int_(b.e.zext(found, "i64"))


def _bound(b: Body, value: Value | None) -> tuple[Value | None, V | None] | None:
    """An end of a slice: the INT, or None where it is not given; and whether it is None, where only the run knows. None
    for both: what Python does not take."""
    if value is None or value.kind == "none":
        return None, None
    if value.kind != "any":
        given = number(b, value)
        return None if given is None else (given, None)
    e = b.e
    bound = bound_of_any(b, value)
    absent = e.icmp("eq", bound, const("i64", NO_INDEX), "is.none")
    return int_(e.select(absent, ZERO, bound, "bound")), absent


def bound_of_any(b: Body, value: Value, none: bool = True) -> V:
    """An ANY as a bound of a slice, NO_INDEX for None."""
    out = P(b.frame.scratch(8).text, SLOT_ATTRIBUTES)
    b.frame.call("jf_op_bound", b.storage.view(value), const("i32", int(none)), out)
    return b.e.load("i64", out, 0, "bound")


def _clip(b: Body, bound: Value, size: V) -> V:
    """Where an end of a slice lies: 0 to size."""
    e, given = b.e, bound.ssa
    if isinstance(bound.const, int) and bound.const >= 0:
        return e.intrinsic("llvm.umin", "i64", given, size)
    from_end = e.intrinsic("llvm.smax", "i64", e.add(given, size), ZERO)
    if isinstance(bound.const, int):
        return from_end
    return e.select(e.icmp("slt", given, ZERO), from_end, e.intrinsic("llvm.smin", "i64", given, size), "clipped")


@of_kind("slice", "str", "bytes", "char")
def slice_(b: Body, value: Value, start: Value | None, stop: Value | None, step: Value | None) -> Value | None:
    """`value[start:stop:step]`: a part of the same memory where the step is 1."""
    value = as_text(b, value)
    first, last, stride = _bound(b, start), _bound(b, stop), _bound(b, step)
    if first is None or last is None or stride is None:
        return None
    if stride[0] is not None and stride[0].const != 1:
        return _stepped(b, value, [first, last, stride])
    e = b.e
    begin = ZERO if first[0] is None else _clip(b, first[0], value.size)
    if first[0] is not None and first[1] is not None:
        begin = e.select(first[1], ZERO, begin, "start")
    end = value.size if last[0] is None else _clip(b, last[0], value.size)
    if last[0] is not None and last[1] is not None:
        end = e.select(last[1], value.size, end, "stop")
    size = end if first[0] is None else e.sub(end, begin, "size")
    if first[0] is not None and last[0] is not None:
        size = e.intrinsic("llvm.smax", "i64", size, ZERO)
    data = value.data if first[0] is None else at(b, value, begin)
    return text(value.type, data, size, value.wide, value.keep)


def _stepped(b: Body, value: Value, bounds: list[tuple[Value | None, V | None]]) -> Value:
    e, given = b.e, []
    for bound, absent in bounds:
        at = const("i64", NO_INDEX)
        if bound is not None:
            at = explicit(b, bound)
            at = at if absent is None else e.select(absent, const("i64", NO_INDEX), at)
        given.append(at)
    slot = new_slot(b)
    symbol = "jf_text_slice" if value.kind == "str" else "jf_bytes_slice"
    b.frame.call(symbol, b.storage.text(value), *given, slot)
    return b.storage.result_text(value.type, slot)


def explicit(b: Body, index: Value) -> V:
    """An INT that is never taken for one that is not given, and means the same."""
    if isinstance(index.const, int):
        return const("i64", max(index.const, NO_INDEX + 1))
    return b.e.intrinsic("llvm.smax", "i64", index.ssa, const("i64", NO_INDEX + 1))


# -- new text ----------------------------------------------------------------------------------------------------------


def _of_texts(node: tree.Binary) -> bool:
    kinds = (node.left.type.kind, node.right.type.kind)
    return kinds == ("bytes", "bytes") or all(kind in ("str", "char") for kind in kinds)


def new_slot(b: Body, node: tree.Expr | None = None) -> P:
    """Where a new text goes. One that is stored in a variable has the variable's pad; of others most fit into a few
    words, so that what is only looked at, or put into a list, is never on the heap."""
    if node is not None and b.stored is not None and b.stored[0] is node:
        return b.frame.temp_slot(b.stored[1])
    return b.frame.temp_slot(max(TEMPORARY_PAD, b.frame.temporary_pad))


def build(b: Body, pieces: Sequence[Value], node: tree.Expr | None = None) -> Value:
    """One text of several STR and CHAR, or of several BYTES. *node*: the expression whose value it is."""
    type_ = BYTES if pieces and pieces[0].kind == "bytes" else STR
    if len(pieces) == 0:
        return b.storage.literal("")
    prefix = "jf_bytes" if type_ == BYTES else "jf_text"
    slot = new_slot(b, node)
    if len(pieces) == 2:
        left, right = (b.storage.text(piece) for piece in pieces)
        b.frame.call(f"{prefix}_concat", left, right, slot)
    else:
        stride = 3 * b.abi.pointer_bytes
        array = b.frame.scratch(stride * len(pieces))
        for i, piece in enumerate(pieces):
            b.storage.write_text(as_text(b, piece), b.e.offset(array, stride * i))
        count = const("i64", len(pieces))
        b.frame.call(f"{prefix}_build", P(array.text, SLOT_ATTRIBUTES), count, slot)
    return b.storage.result_text(type_, slot)


def chain(b: Body, node: tree.Binary) -> Value | None:
    """`x + y + z` of STR or of BYTES; None, and nothing is written, where it is something else."""
    if node.op != "+" or not _of_texts(node):
        return None
    parts: list[tree.Expr] = []
    left: tree.Expr = node
    while isinstance(left, tree.Binary) and left.op == "+" and left.type == node.type and _of_texts(left):
        parts.append(left.right)
        left = left.left
    parts.append(left)
    return build(b, b.exprs(parts[::-1]), node)


@of_kind("binary", "str", "bytes")
def binary(b: Body, op: str, left: Value, right: Value) -> Value | None:
    if op == "+" and (is_text(left) and is_text(right) or left.kind == right.kind == "bytes"):
        return build(b, [left, right])
    if op == "*":
        value, times = (right, left) if left.kind in ("int", "bool") else (left, right)
        count = number(b, times) if times.kind in ("int", "bool") else None
        if count is None:
            return None
        value, slot = as_text(b, value), new_slot(b)
        symbol = "jf_bytes_repeat" if value.kind == "bytes" else "jf_text_repeat"
        b.frame.call(symbol, b.storage.text(value), count.ssa, slot)
        return b.storage.result_text(value.type, slot)
    return None


def is_text_sorted(node: tree.Expr) -> bool:
    """`sorted(text)`"""
    if not isinstance(node, tree.Builtin) or node.name != "sorted" or node.keywords or node.key is not None:
        return False
    return node.type.kind == "list" and len(node.args) == 1 and node.args[0].type.kind in ("str", "char")


def text_sorted(b: Body, node: tree.Expr) -> Value:
    """A text's characters by their code points, as a text."""
    value, slot = as_text(b, b.storage.lasting(b.expr(node))), new_slot(b)
    b.frame.call("jf_text_sorted", b.storage.text(value), slot)
    return b.storage.result_text(STR, slot)


def grown(stmt: tree.Stmt) -> tuple[tree.Variable, list[tree.Expr]] | None:
    """The variable and what is put behind it, of `variable = variable + a + b`."""
    target = stmt.targets[0] if isinstance(stmt, tree.Assign) and len(stmt.targets) == 1 else None
    if not (isinstance(stmt, tree.Assign) and isinstance(target, tree.TargetLocal)):
        return None
    parts: list[tree.Expr] = []
    left = stmt.value
    while isinstance(left, tree.Binary) and left.op == "+":
        parts.append(left.right)
        left = left.left
    same = isinstance(left, tree.Local) and left.variable is target.variable
    return (target.variable, parts[::-1]) if parts and same else None


def one_byte(b: Body, number: V) -> Value:
    """A BYTES of one byte; ValueError where the number is none."""
    b.frame.raise_if(b.e.icmp("ugt", number, const("i64", 255)), "ValueError", "byte must be in range(0, 256)")
    memory = b.frame.scratch(8)
    b.e.store(b.e.trunc(number, "i8"), memory)
    return text(BYTES, memory, ONE, FALSE, Keep("local"))
