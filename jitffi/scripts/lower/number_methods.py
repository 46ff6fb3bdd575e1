"""Methods of int and float, and what is written of ints: bin, hex, oct; int.from_bytes."""

from __future__ import annotations

import sys

from jitffi.scripts.library.methods import METHODS
from jitffi.scripts.lower import dynamic, numbers
from jitffi.scripts.lower.builtins import builtin, out_any, out_int
from jitffi.scripts.lower.function import conversion, operations
from jitffi.scripts.lower.function.emit import FALSE, TRUE, P, V, const, double
from jitffi.scripts.lower.function.registry import of_kind
from jitffi.scripts.lower.function.values import Value, bool_, int_, u64
from jitffi.scripts.lower.python import calls as python_calls
from jitffi.scripts.lower.text import formats, textcalls
from jitffi.scripts.lower.text.texts import as_text, is_text
from jitffi.scripts.tree.types import BYTES, STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree import tree

#: Before the order of the bytes is looked at.
_LENGTH_IS_FIRST: Final = sys.version_info >= (3, 15)
_BASES: Final = {"bin": "#b", "oct": "#o", "hex": "#x"}


@builtin("bin", "oct", "hex")
def _digits(b: Body, node: tree.Builtin) -> Value:
    if node.args[0].type.kind == "any" and b.function.takes_objects:
        return python_calls.call_builtin(b, node)  # it may be larger
    value = b.expr(node.args[0])
    number = value if value.kind == "u64" else int_(dynamic.index(b, value))
    return formats.formatted(b, number, b.storage.literal(_BASES[node.name]))


@builtin("ascii")
def _ascii(b: Body, node: tree.Builtin) -> Value:
    return formats.ascii_(b, b.storage.lasting(b.expr(node.args[0])))


@builtin("format")
def _format(b: Body, node: tree.Builtin) -> Value:
    values = b.exprs(node.args)
    spec = values[1] if len(values) > 1 else None
    if spec is not None and not is_text(spec):
        _expect_str(b, spec, "format() argument 2 must be str, not {!}")
        spec = conversion.convert(b, spec, STR)
    return as_text(b, formats.formatted(b, values[0], spec))


def _expect_str(b: Body, value: Value, words: str) -> None:
    """TypeError where a value is no str."""
    e = b.e
    on, cold = e.label("is.str"), e.label("no.str")
    found = b.frame.call("jf_op_isinstance", b.storage.view(value), const("i32", 8))
    e.branch(e.icmp("ne", found, const("i32", 0)), on, cold, likely=True)
    e.at(cold)
    b.frame.call("jf_script_misfit", b.module.c_string(words), b.storage.view(value))
    e.at(on)


def _order(b: Body, value: Value | None, name: str) -> P:
    """A byte order as text."""
    if value is None:
        value = b.storage.literal("big")
    if not is_text(value):
        _expect_str(b, value, f"{name}() argument 'byteorder' must be str, not {{!}}")
        value = conversion.convert(b, value, STR)
    return b.storage.text(value)


def _flag(b: Body, value: Value | None) -> V:
    return const("i32", 0) if value is None else b.e.zext(operations.is_true(b, value), "i32")


@builtin("int.from_bytes")
def _from_bytes(b: Body, node: tree.Builtin) -> Value:
    values = b.exprs(node.args)
    signed = node.keywords.get("signed")
    flag = None if signed is None else b.storage.lasting(b.expr(signed))
    order = _order(b, values[1] if len(values) > 1 else None, "from_bytes")
    if node.type.kind == "u64":
        is_whole = b.e.zext(b.e.icmp("eq", values[0].size, const("i64", 8)), "i32")
        return u64(out_int(b, "jf_int_from_bytes", b.storage.view(values[0]), order, is_whole).ssa)
    symbol = "jf_int_of_any_size_from_bytes" if node.type.kind == "any" else "jf_int_from_bytes"
    return (out_any if node.type.kind == "any" else out_int)(
        b, symbol, b.storage.view(values[0]), order, _flag(b, flag)
    )


# -- methods ---------------------------------------------------------------------------------------------------------


@of_kind("method", "int", "u64", "bool")
def of_int(b: Body, node: tree.Method, receiver: Value) -> Value | None:
    row = METHODS["int"].get(node.name)
    given = None if row is None or len(node.args) > 2 else textcalls.arguments(row, node)
    if given is None:
        return None
    e, number = b.e, numbers.as_int(b, receiver)
    if node.name == "is_integer":
        return bool_(TRUE)
    if node.name == "to_bytes":
        args = [None if each is None else b.storage.lasting(b.expr(each)) for each in given]
        length = const("i64", 1) if args[0] is None else dynamic.index(b, args[0])
        slot = b.frame.temp_slot()
        order, flag = _order(b, args[1], "to_bytes"), _flag(b, args[2])
        if _LENGTH_IS_FIRST:
            negative = e.icmp("slt", length, const("i64", 0), "negative")
            b.frame.raise_if(negative, "ValueError", "length cannot be negative")
        if receiver.kind == "u64":  # whose eight bytes are those of the negative number of the same bits
            large = e.icmp("slt", number, const("i64", 0), "is.large")
            other = e.or_(e.icmp("ne", length, const("i64", 8)), e.icmp("ne", flag, const("i32", 0)))
            b.frame.overflow_if(e.and_(large, other))
            flag = e.or_(flag, e.zext(large, "i32"))
        b.frame.call("jf_int_to_bytes", number, length, order, flag, slot)
        return b.storage.result_text(BYTES, slot)
    # Of the magnitude: that of -2**63 is right as an unsigned number.
    negative = FALSE if receiver.kind == "u64" else e.icmp("slt", number, const("i64", 0), "negative")
    size = e.select(negative, e.sub(const("i64", 0), number), number, "magnitude")
    if node.name == "bit_count":
        return int_(e.intrinsic("llvm.ctpop", "i64", size))
    return int_(e.sub(const("i64", 64), e.intrinsic("llvm.ctlz", "i64", size, FALSE)))


@of_kind("method", "float")
def of_float(b: Body, node: tree.Method, receiver: Value) -> Value | None:
    if node.name != "is_integer" or node.args or node.keywords:
        return None
    e = b.e
    whole = e.intrinsic("llvm.trunc", "double", receiver.ssa)
    size = e.intrinsic("llvm.fabs", "double", receiver.ssa)
    return bool_(e.and_(e.fcmp("oeq", whole, receiver.ssa), e.fcmp("olt", size, double(float("inf")))))
