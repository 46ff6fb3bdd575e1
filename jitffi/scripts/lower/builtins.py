"""Builtins, but for those that go through an iterable (aggregates.py): by the kinds of their arguments."""

from __future__ import annotations

from jitffi.scripts.library.own import is_pythons
from jitffi.scripts.lower import dynamic, numbers
from jitffi.scripts.lower.containers import lists
from jitffi.scripts.lower.control.evaluated import evaluated
from jitffi.scripts.lower.function import conversion, operations, registry
from jitffi.scripts.lower.function.emit import NULL, V, const, double
from jitffi.scripts.lower.function.registry import expression
from jitffi.scripts.lower.function.values import NONE_VALUE, TEXTS, Value, bool_, char, float_, int_, local
from jitffi.scripts.lower.python import calls as python_calls
from jitffi.scripts.lower.python import patterns
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.body import Body

#: f(body, node) -> Value, by name; other files enter theirs.
BUILTINS: dict[str, Callable[[Body, tree.Builtin], Value]] = {}

#: The masks of jf_op_isinstance, and the kinds of types that are that class for sure.
_CLASSES = {
    "int": (1, ("int", "bool", "u64")),
    "bool": (2, ("bool",)),
    "float": (4, ("float",)),
    "str": (8, ("str", "char")),
    "bytes": (16, ("bytes",)),
    "list": (32, ("list",)),
    "tuple": (64, ("tuple",)),
    "dict": (128, ("dict",)),
    "None": (256, ("none",)),
    "NoneType": (256, ("none",)),
}


def builtin(
    *names: str,
) -> Callable[[Callable[[Body, tree.Builtin], Value]], Callable[[Body, tree.Builtin], Value]]:
    """@builtin("len")"""

    def enter(function: Callable[[Body, tree.Builtin], Value]) -> Callable[[Body, tree.Builtin], Value]:
        for name in names:
            BUILTINS[name] = function
        return function

    return enter


@expression(tree.Builtin)
def call(b: Body, node: tree.Builtin) -> Value:
    if is_pythons(node):
        return conversion.convert(b, python_calls.call_builtin(b, node), node.type)
    return conversion.convert(b, BUILTINS[node.name](b, node), node.type)


def out_int(b: Body, symbol: str, *args: V) -> Value:
    """An INT that a call leaves in memory; it can fail."""
    out = b.frame.scratch(8)
    b.frame.call(symbol, *args, out)
    return int_(b.e.load("i64", out, 0, "int"))


def out_any(b: Body, symbol: str, *args: V) -> Value:
    """An ANY that a call leaves in a slot; it can fail."""
    slot = b.frame.temp_slot()
    b.frame.call(symbol, *args, slot)
    return b.storage.any_in(slot)


def out_str(b: Body, symbol: str, *args: V) -> Value:
    slot = b.frame.temp_slot()
    b.frame.call(symbol, *args, slot)
    return b.storage.result_text(STR, slot)


@builtin("len")
def _len(b: Body, node: tree.Builtin) -> Value:
    value = b.expr(node.args[0])
    # Their size is there, without a call of anybody.
    stays = value.kind in (*TEXTS, "list", "vector", "set", "dict", "tuple", "array")
    return int_(operations.length(b, value if stays else b.storage.lasting(value)))


@builtin("abs")
def _abs(b: Body, node: tree.Builtin) -> Value:
    value = b.expr(node.args[0])
    if value.kind in ("int", "float", "bool"):
        return numbers.absolute(b, value)
    if value.kind == "u64":
        return value
    return out_any(b, "jf_op_abs", b.storage.view(value))


@builtin("round")
def _round(b: Body, node: tree.Builtin) -> Value:
    values = b.exprs(node.args)
    digits = values[1] if len(values) > 1 else NONE_VALUE
    if values[0].kind in ("int", "bool") and digits.kind == "none":
        return int_(numbers.as_int(b, values[0]))
    return out_any(b, "jf_op_round", b.storage.view(values[0]), b.storage.view(digits))


@builtin("int")
def _int(b: Body, node: tree.Builtin) -> Value:
    values = b.exprs(node.args)
    if not values:
        return numbers.int_constant(0)
    value = values[0]
    if node.type.kind == "any":
        base = numbers.ZERO if len(values) == 1 else dynamic.index(b, values[1])
        has_base = const("i32", len(values) - 1)
        return out_any(b, "jf_op_int_of_any_size", b.storage.view(value), has_base, base)
    if len(values) > 1:
        return out_int(b, "jf_op_int_base", b.storage.view(value), dynamic.index(b, values[1]))
    if value.kind in ("int", "bool"):
        return int_(numbers.as_int(b, value))
    if value.kind == "u64":
        return value
    if value.kind == "float":
        return int_(numbers.truncated(b, value))
    return out_int(b, "jf_op_int", b.storage.view(value))


@builtin("float")
def _float(b: Body, node: tree.Builtin) -> Value:
    if not node.args:
        return float_(double(0.0))
    value = b.expr(node.args[0])
    if value.kind in ("int", "u64", "float", "bool"):
        return float_(numbers.as_float(b, value))
    out = b.frame.scratch(8)
    b.frame.call("jf_op_float", b.storage.view(value), out)
    return float_(b.e.load("double", out, 0, "float"))


@builtin("str")
def _str(b: Body, node: tree.Builtin) -> Value:
    if not node.args:
        return b.storage.literal("")
    if len(node.args) > 1:
        receiver, method = coded(b, node, "decode")
        method.type = STR
        found = registry.METHOD["bytes" if receiver.kind == "bytes" else "any"](b, method, receiver)
        assert found is not None
        return conversion.convert(b, found, STR)
    value = b.expr(node.args[0])
    if value.kind == "str":
        return value
    if value.kind == "char":
        return b.storage.char_text(value)
    if value.kind == "int":
        buffer, text = b.frame.scratch(24), b.frame.scratch(24)
        b.frame.call("jf_text_of_int", value.ssa, buffer, text)
        return b.storage.read_text(STR, text, local(None))
    return out_str(b, "jf_op_str", b.storage.shown(_held(b, value)))


def coded(b: Body, node: tree.Builtin, method: str) -> tuple[Value, tree.Method]:
    """The first argument of str() or bytes(), and the call of its method that is meant. What cannot be is a TypeError
    of the builtin."""
    values = [b.storage.lasting(b.expr(each)) for each in node.args]
    views = [b.storage.view(each) for each in values[1:]]
    b.frame.call("jf_op_coding", b.module.c_string(node.name), *[*views, NULL][:2])
    b.frame.call(f"jf_op_{method[:2]}codable", b.storage.view(values[0]))
    read: list[tree.Expr] = [evaluated(node.place, each) for each in values]
    return values[0], tree.Method(node.place, read[0], method, read[1:], {})


@builtin("repr")
def _repr(b: Body, node: tree.Builtin) -> Value:
    return out_str(b, "jf_op_repr", b.storage.shown(_held(b, b.expr(node.args[0]))))


def _held(b: Body, value: Value) -> Value:
    """What others may write the text of, by code that can take it out of where it lies."""
    return value if value.kind in TEXTS or value.kind == "char" else b.storage.lasting(value)


@builtin("bool")
def _bool(b: Body, node: tree.Builtin) -> Value:
    return bool_(operations.is_true(b, b.storage.lasting(b.expr(node.args[0])))) if node.args else bool_(const("i1", 0))


@builtin("ord")
def _ord(b: Body, node: tree.Builtin) -> Value:
    value = b.expr(node.args[0])
    if value.kind == "char":
        return int_(b.e.zext(value.ssa, "i64"))
    return out_int(b, "jf_op_ord", b.storage.view(value))


@builtin("chr")
def _chr(b: Body, node: tree.Builtin) -> Value:
    e = b.e
    number = dynamic.index(b, b.expr(node.args[0]))
    place = e.alloca("i32", "chr")
    e.store(e.trunc(number, "i32"), place)
    cold, on = e.label("no.chr"), e.label("chr")
    e.branch(e.icmp("ult", number, const("i64", 0x110000)), on, cold, likely=True)
    e.at(cold)
    out = b.frame.scratch(8)
    b.frame.call("jf_op_chr", number, out)
    e.store(e.load("i32", out, 0), place)
    e.br(on)
    e.at(on)
    return char(e.load("i32", place, 0, "chr"))


@builtin("isinstance")
def _isinstance(b: Body, node: tree.Builtin) -> Value:
    value = b.expr(node.args[0])
    mask = 0
    for name in node.classes:
        mask |= _CLASSES[name][0]
    if value.kind == "object" and node.is_pattern:
        return patterns.fits(b, value, is_mapping="dict" in node.classes)
    if value.kind == "object":
        return conversion.status(b, b.frame.call("core_op_isinstance", value.ssa, const("i32", mask)))
    kinds = [kind for name in node.classes for kind in _CLASSES[name][1]]
    if value.kind != "any":
        return bool_(const("i1", int(value.kind in kinds)))
    if node.is_pattern and b.function.takes_objects:
        return patterns.any_fits(b, value, mask, is_mapping="dict" in node.classes)
    return conversion.status(b, b.frame.call("jf_op_isinstance", b.storage.view(value), const("i32", mask)))


@builtin("print")
def _print(b: Body, node: tree.Builtin) -> Value:
    e, size = b.e, b.abi.pointer_bytes
    values = b.exprs(node.args)
    ends = {name: b.storage.lasting(b.expr(each)) for name, each in node.keywords.items()}
    array = b.frame.scratch(size * max(len(values), 1))
    for i, value in enumerate(values):
        e.store(b.storage.shown(value), array, size * i)
    given = [_print_text(b, ends.get(name), otherwise) for name, otherwise in (("sep", " "), ("end", "\n"))]
    b.frame.call("jf_op_print", array, const("i32", len(values)), *given)
    return NONE_VALUE


def _print_text(b: Body, value: Value | None, otherwise: str) -> V:
    if value is None or value.kind == "none":
        return b.storage.text(b.storage.literal(otherwise))
    if value.kind not in ("str", "char"):
        value = conversion.convert(b, b.storage.borrowed_any(value), STR)
    return b.storage.text(value)


@builtin("divmod")
def _divmod(b: Body, node: tree.Builtin) -> Value:
    left, right = b.exprs(node.args)
    if left.kind in ("int", "bool") and right.kind in ("int", "bool"):
        # The message of // is not that of divmod() in every version: the division that fails is the runtime's.
        x, y = numbers.as_int(b, left), numbers.as_int(b, right)
        known = right.const if isinstance(right.const, int) else None
        parts = [int_(numbers.floor_division(b, x, y, known)), int_(numbers.modulo(b, x, y, known))]
        return lists.new_tuple(b, parts, node.type)
    return out_any(b, "jf_op_divmod", b.storage.view(left), b.storage.view(right))


@builtin("pow")
def _pow(b: Body, node: tree.Builtin) -> Value:
    if len(node.args) == 3 and b.function.takes_objects and any(each.type.kind == "any" for each in node.args):
        return python_calls.call_builtin(b, node)  # they may be objects
    values = b.exprs(node.args)
    if len(values) == 2 and node.type.kind == "any":
        return dynamic.binary(b, "**", values[0], values[1])
    if len(values) == 2:
        return operations.binary(b, "**", values[0], values[1])
    return out_any(b, "jf_op_pow3", *[b.storage.view(value) for value in values])


@builtin("hash")
def _hash(b: Body, node: tree.Builtin) -> Value:
    return out_int(b, "jf_op_hash", b.storage.view(b.expr(node.args[0])))
