"""int, float and bool: arithmetic, comparison, truth; constants of all types."""

from __future__ import annotations

import sys

from jitffi.scripts.lower.function.emit import FALSE, TRUE, V, const, double
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.values import NONE_VALUE, Value, bool_, float_, int_
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import BOOL, CHAR, FLOAT, INT, U64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body

ZERO, ONE = const("i64", 0), const("i64", 1)
LEAST = const("i64", -(1 << 63))
#: Ints up to this are floats without rounding.
EXACT = 1 << 53
DIVISION = "ZeroDivisionError"
#: By operator, of ints and of floats, in the words of the interpreter that compiles.
BY_ZERO = dict.fromkeys(("/", "//", "%"), "division by zero")
_FLOAT_BY_ZERO = dict(BY_ZERO)
if sys.version_info < (3, 14):
    BY_ZERO.update({"//": "integer division or modulo by zero", "%": "integer modulo by zero"})
    _FLOAT_BY_ZERO.update({"/": "float division by zero", "//": "float floor division by zero"})
    _FLOAT_BY_ZERO["%"] = "float modulo by zero" if sys.version_info >= (3, 13) else "float modulo"

_INT_TEST = {"<": "slt", "<=": "sle", "==": "eq", "!=": "ne", ">": "sgt", ">=": "sge"}
_FLOAT_TEST = {"<": "olt", "<=": "ole", "==": "oeq", "!=": "une", ">": "ogt", ">=": "oge"}
_SWAPPED = {"<": ">", "<=": ">=", "==": "==", "!=": "!=", ">": "<", ">=": "<="}


@expression(tree.Const)
def constant(b: Body, node: tree.Const) -> Value:
    value = node.value
    if value is None:
        return NONE_VALUE
    if isinstance(value, bool):
        return Value(BOOL, TRUE if value else FALSE, const=value)
    if isinstance(value, int) and value >> 64 > 0:  # `x % 2**64` of what is no int
        b.frame.overflow_if(TRUE)
        return int_constant(0)
    if isinstance(value, int):
        return int_constant(value)
    if isinstance(value, float):
        return Value(FLOAT, double(value), const=value)
    if node.type == CHAR:
        return Value(CHAR, const("i32", ord(value)), const=value)
    assert isinstance(value, (str, bytes)), value
    return b.storage.literal(value)


def int_constant(value: int) -> Value:
    """An INT, or a U64."""
    if value >> 63 > 0:
        return Value(U64, const("i64", value - (1 << 64)), const=value)
    return Value(INT, const("i64", value), const=value)


def as_int(b: Body, value: Value) -> V:
    """i64 of an INT, U64 or BOOL."""
    return b.e.zext(value.ssa, "i64", "int")


def as_float(b: Body, value: Value) -> V:
    """double of any number; an int is rounded as Python rounds it."""
    if value.kind == "float":
        return value.ssa
    if isinstance(value.const, int):
        return double(float(value.const))
    return b.e.cast("uitofp" if value.kind == "u64" else "sitofp", as_int(b, value), "double", "float")


def _known(value: Value) -> int | None:
    """The number that an int's value is, where it is constant."""
    return value.const if isinstance(value.const, int) else None


# -- arithmetic ----------------------------------------------------------------------------------------------


@of_kind("binary", "number")
def binary(b: Body, op: str, left: Value, right: Value) -> Value | None:
    if "float" in (left.kind, right.kind):
        return _float_binary(b, op, as_float(b, left), as_float(b, right))
    if op in ("&", "|", "^"):
        name = {"&": "and", "|": "or", "^": "xor"}[op]
        if left.kind == right.kind == "bool":
            return bool_(b.e.binary(name, left.ssa, right.ssa, "bits"))
        return int_(b.e.binary(name, as_int(b, left), as_int(b, right), "bits"))
    if op == "**":
        return _power(b, left, right)
    x, y = as_int(b, left), as_int(b, right)
    if op in _CHECKED:
        result, over = b.e.overflowing(_CHECKED[op], x, y, _NAMES[op])
        b.frame.overflow_if(over)
        return int_(result)
    if op == "/":
        return float_(_true_division(b, left, right, x, y))
    if op == "//":
        return int_(floor_division(b, x, y, _known(right)))
    if op == "%":
        return int_(modulo(b, x, y, _known(right)))
    return int_(_shift(b, op, x, right))


def step(b: Body, op: str, counter: Value, by: Value) -> Value:
    """counter + by, counter - by, of what is far from the end of the ints (analysis/counters.py)."""
    return int_(b.e.binary({"+": "add nsw", "-": "sub nsw"}[op], counter.ssa, as_int(b, by), _NAMES[op]))


_CHECKED = {"+": "sadd", "-": "ssub", "*": "smul"}
_NAMES = {"+": "sum", "-": "difference", "*": "product"}


def floor_division(b: Body, x: V, y: V, known: int | None) -> V:
    """x // y. *known*: y, where it is constant."""
    e = b.e
    check_divisor(b, y, known, BY_ZERO["//"])
    if known in (None, -1):
        b.frame.overflow_if(e.and_(e.icmp("eq", x, LEAST), e.icmp("eq", y, const("i64", -1)), "over"))
    quotient, rest = e.binary("sdiv", x, y, "quotient"), e.binary("srem", x, y, "rest")
    return e.add(quotient, e.sext(_is_off(b, rest, y, known), "i64"), "floor")


def modulo(b: Body, x: V, y: V, known: int | None) -> V:
    """x % y, with the sign of y."""
    e = b.e
    check_divisor(b, y, known, BY_ZERO["%"])
    if known in (None, -1):  # the least int by -1 is a trap on some machines; by 1 it is 0, too
        y = e.select(e.icmp("eq", y, const("i64", -1)), ONE, y, "divisor")
    rest = e.binary("srem", x, y, "rest")
    return e.select(_is_off(b, rest, y, known), e.add(rest, y), rest, "modulo")


def check_divisor(b: Body, y: V, known: int | None, message: str) -> None:
    if not known:
        b.frame.raise_if(b.e.icmp("eq", y, ZERO, "is.zero"), DIVISION, message)


def _is_off(b: Body, rest: V, y: V, known: int | None) -> V:
    """The rest has another sign than the divisor, so the quotient was rounded up."""
    e = b.e
    if known is not None and known > 0:
        return e.icmp("slt", rest, ZERO, "off")
    differs = e.icmp("slt", e.xor(rest, y), ZERO)
    return e.and_(differs, e.icmp("ne", rest, ZERO), "off")


def _true_division(b: Body, left: Value, right: Value, x: V, y: V) -> V:
    e = b.e
    if not _known(right):
        b.frame.raise_if(e.icmp("eq", y, ZERO, "is.zero"), DIVISION, BY_ZERO["/"])
    tests = [_is_exact(b, v) for value, v in ((left, x), (right, y)) if not _fits(value)]
    quotient = e.float_binary("fdiv", as_float(b, left), as_float(b, right), "quotient")
    if not tests:
        return quotient
    result = e.alloca("double", "quotient")
    e.store(quotient, result)
    large, done = e.label("large"), e.label("divided")
    e.branch(tests[0] if len(tests) == 1 else e.and_(tests[0], tests[1]), done, large, likely=True)
    e.at(large)
    out = b.frame.scratch(8)
    b.frame.call("jf_int_div", x, y, out)
    e.store(e.load("double", out), result)
    e.br(done)
    e.at(done)
    return e.load("double", result, 0, "quotient")


def _fits(value: Value) -> bool:
    known = _known(value)
    return value.kind == "bool" or (known is not None and abs(known) <= EXACT)


def _is_exact(b: Body, value: V) -> V:
    shifted = b.e.add(value, const("i64", EXACT))
    return b.e.icmp("ule", shifted, const("i64", 2 * EXACT), "is.exact")


def shift_count(b: Body, value: Value) -> V:
    """By how many bits is shifted, unsigned; ValueError where it is negative."""
    count, known = as_int(b, value), _known(value)
    if value.kind == "int" and (known is None or known < 0):
        b.frame.raise_if(b.e.icmp("slt", count, ZERO), "ValueError", "negative shift count")
    return count


def _shift(b: Body, op: str, x: V, value: Value) -> V:
    e, most, known = b.e, const("i64", 63), _known(value)
    count = shift_count(b, value)
    shift = count if known is not None and 0 <= known < 64 else e.intrinsic("llvm.umin", "i64", count, most)
    if op == ">>":
        return e.binary("ashr", x, shift, "shifted")
    shifted = e.binary("shl", x, shift, "shifted")
    lost = e.icmp("ne", e.binary("ashr", shifted, shift), x, "lost")
    if shift is not count:
        beyond = e.and_(e.icmp("ugt", count, most), e.icmp("ne", x, ZERO))
        lost = e.or_(lost, beyond)
    b.frame.overflow_if(lost)
    return shifted


def _power(b: Body, left: Value, right: Value) -> Value:
    e, known = b.e, _known(right)
    x = as_int(b, left)
    if known is None or not 0 <= known <= 64:
        out = b.frame.temp_slot(0)
        b.frame.call("jf_int_pow", x, as_int(b, right), out)
        return b.storage.any_in(out)
    result: V | None = None
    square = x
    while known:
        if known & 1:
            result = square if result is None else _multiplied(b, result, square)
        known >>= 1
        if known:
            square = _multiplied(b, square, square)
    assert e.is_open
    return int_(result or ONE)


def _multiplied(b: Body, x: V, y: V) -> V:
    product, over = b.e.overflowing("smul", x, y, "product")
    b.frame.overflow_if(over)
    return product


def _float_binary(b: Body, op: str, x: V, y: V) -> Value | None:
    e = b.e
    if op in ("+", "-", "*"):
        return float_(e.float_binary({"+": "fadd", "-": "fsub", "*": "fmul"}[op], x, y))
    if op == "**":
        out = b.frame.scratch(8)
        b.frame.call("jf_float_pow", x, y, out)
        return float_(e.load("double", out))
    if op not in ("/", "//", "%"):
        return None
    if not y.text.startswith("0x") or y.text.strip("0x8") == "":
        b.frame.raise_if(e.fcmp("oeq", y, double(0.0), "is.zero"), DIVISION, _FLOAT_BY_ZERO[op])
    if op == "/":
        return float_(e.float_binary("fdiv", x, y))
    return float_(b.frame.call("jf_float_mod" if op == "%" else "jf_float_floordiv", x, y))


@of_kind("unary", "int", "float", "bool")
def unary(b: Body, op: str, operand: Value) -> Value | None:
    if operand.kind == "float":
        if op == "~":
            return None
        if op == "-" and isinstance(operand.const, float):
            return Value(FLOAT, double(-operand.const), const=-operand.const)
        return float_(b.e.fneg(operand.ssa)) if op == "-" else operand
    known, x = _known(operand), as_int(b, operand)
    if op == "+":
        return int_(x) if known is None else int_constant(int(known))
    if op == "~":
        return int_(b.e.xor(x, const("i64", -1)))
    if known is not None and known != -(1 << 63):
        return int_constant(-known)
    return int_(negated(b, x))


def negated(b: Body, x: V) -> V:
    result, over = b.e.overflowing("ssub", ZERO, x, "negated")
    b.frame.overflow_if(over)
    return result


def absolute(b: Body, value: Value) -> Value:
    """abs() of a number."""
    if value.kind == "float":
        return float_(b.e.intrinsic("llvm.fabs", "double", value.ssa))
    x = as_int(b, value)
    if value.kind == "bool":
        return int_(x)
    b.frame.overflow_if(b.e.icmp("eq", x, LEAST))
    return int_(b.e.value("i64", "absolute", f"call i64 @llvm.abs.i64({x}, i1 true)"))


def extreme(b: Body, is_max: bool, first: Value, second: Value) -> Value:
    """min or max of two values of one numeric kind; the first where neither is better, as Python."""
    assert first.kind == second.kind, (first, second)
    if first.kind == "int":
        return int_(b.e.intrinsic("llvm.smax" if is_max else "llvm.smin", "i64", first.ssa, second.ssa))
    better = test(b, ">" if is_max else "<", second, first)
    return Value(first.type, b.e.select(better, second.ssa, first.ssa))


# -- comparison and truth --------------------------------------------------------------------------------------


@of_kind("compare", "number")
def test(b: Body, op: str, left: Value, right: Value) -> V:
    e = b.e
    if left.kind == right.kind == "float":
        return e.fcmp(_FLOAT_TEST[op], left.ssa, right.ssa)
    if left.kind == right.kind == "bool" and op in ("==", "!="):
        return e.icmp(_INT_TEST[op], left.ssa, right.ssa)
    if right.kind == "float":
        return _mixed_test(b, op, left, right.ssa)
    if left.kind == "float":
        return _mixed_test(b, _SWAPPED[op], right, left.ssa)
    return e.icmp(_INT_TEST[op], as_int(b, left), as_int(b, right))


def _mixed_test(b: Body, op: str, left: Value, y: V) -> V:
    """int op float, exactly. Rounding keeps the order: it is not enough only where the rounded int equals the float."""
    e = b.e
    near = as_float(b, left)
    by_float = e.fcmp(_FLOAT_TEST[op], near, y)
    if _fits(left):
        return by_float
    x = as_int(b, left)
    there = e.value("i64", "int", f"call i64 @llvm.fptosi.sat.i64.f64({y})")
    beyond = e.fcmp("oeq", y, double(2.0**63), "beyond")
    if op in ("<", "<=", "!="):
        by_int = e.or_(beyond, e.icmp(_INT_TEST[op], x, there))
    else:
        by_int = e.and_(e.not_(beyond), e.icmp(_INT_TEST[op], x, there))
    return e.select(e.fcmp("oeq", near, y), by_int, by_float, "test")


@of_kind("truth", "int", "float")
def truth(b: Body, value: Value) -> V:
    if value.kind == "int":
        return b.e.icmp("ne", value.ssa, ZERO, "truth")
    return b.e.fcmp("une", value.ssa, double(0.0), "truth")


def truncated(b: Body, value: Value) -> V:
    """int(value) of a float: in one instruction where it has 63 bits."""
    e = b.e
    place = e.alloca("i64", "truncated")
    quick, slow, done = e.label("quick"), e.label("slow"), e.label("truncated")
    size = e.intrinsic("llvm.fabs", "double", value.ssa)
    e.branch(e.fcmp("olt", size, double(2.0**63), "fits"), quick, slow, likely=True)
    e.at(quick)
    e.store(e.cast("fptosi", value.ssa, "i64", "int"), place)
    e.br(done)
    e.at(slow)
    out = b.frame.scratch(8)
    b.frame.call("jf_op_int", b.storage.view(value), out)
    e.store(e.load("i64", out, 0, "int"), place)
    e.br(done)
    e.at(done)
    return e.load("i64", place, 0, "int")
