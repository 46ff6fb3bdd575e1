"""Calls of scripts, native functions, callables that come as values, and global functions.

    script      the variant, directly (variants.py); LLVM inlines what is small
    native      a C function of a signature of numbers and text: its address with C's own types, nothing packed
    others      jf_function_call: a view an argument, the result in a slot

What is native is reached by two symbols: its C function's and its function object's, named by `Module.outside`.
"""

from __future__ import annotations

from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.dynamic import is_host, is_of
from jitffi.scripts.lower.function import conversion, variants
from jitffi.scripts.lower.function.emit import V, const
from jitffi.scripts.lower.function.registry import expression
from jitffi.scripts.lower.function.values import NONE_VALUE, Value, bool_, float_, int_, owned
from jitffi.scripts.lower.numbers import as_float, as_int
from jitffi.scripts.lower.python import calls as python_calls
from jitffi.scripts.lower.python.boxing import boxed, passed
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, BYTES, FUNC, list_of
from jitffi.types.scalar import KINDS
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.scripts.lower.function.body import Body
    from jitffi.signature.model import Signature
    from jitffi.types.row import Row

_INTS = {f"{sign}{bits}": bits for sign in "iu" for bits in (8, 16, 32, 64)}


@expression(tree.Call)
def call(b: Body, node: tree.Call) -> Value:
    callee = node.callee
    target = b.storage.lasting(b.expr(callee.value)) if callee.value is not None else None
    if any(isinstance(each, tree.Spread) for each in node.args):
        return conversion.convert(b, _call_with_list(b, node, target), node.type)
    values = _arguments(b, node)
    if "never" in [each.kind for each in values]:
        return conversion.never(b)
    return conversion.convert(b, call_callee(b, callee, values, target), node.type)


def _call_with_list(b: Body, node: tree.Call, target: Value | None) -> Value:
    """With a list of the arguments, where stars are among them."""
    listed = tree.ListOf(node.place, node.args)
    listed.type = list_of(ANY)
    given = b.storage.lasting(b.expr(listed))
    callee = node.callee
    if callee.native is not None:
        function = b.module.outside_object(callee.native)
    else:
        assert target is not None, callee
        function = function_in(b, target)
    slot = b.frame.temp_slot()
    b.frame.check_stack()
    b.frame.call("jf_op_call_list", function, given.ssa, slot)
    return b.storage.any_in(slot)


def _arguments(b: Body, node: tree.Call) -> list[Value]:
    if not node.order:
        return b.exprs(node.args)
    values = dict(zip(node.order, b.exprs([node.args[i] for i in node.order]), strict=True))
    return [values[i] for i in range(len(node.args))]


def call_callee(b: Body, callee: tree.Callee, values: list[Value], target: Value | None = None) -> Value:
    """Call what `callee` names, but a builtin, with lasting values. *target*: the value of `callee.value`, evaluated
    once by whoever calls it often."""
    if callee.script is not None:
        return variants.call_script(b, callee, values)
    if callee.native is not None or callee.global_name:
        values = [passed(b, each) for each in values]
    if callee.native is not None:
        signature = callee.native.signature
        if _is_direct(callee.native, signature, values):
            return _call_native(b, callee.native, signature, values)
        return call_object(b, b.module.outside_object(callee.native), values)
    if callee.global_name:
        return _call_global(b, callee.global_name, values)
    assert callee.value is not None, callee
    target = target or b.storage.lasting(b.expr(callee.value))
    if target.kind == "object":
        return python_calls.call_object(b, target, [boxed(b, each) for each in values])
    if target.kind == "any" and b.function.takes_objects:
        return _call_any(b, target, values)
    return call_object(b, function_in(b, target), values)


def _call_any(b: Body, target: Value, values: list[Value]) -> Value:
    """What turns out to be an object of Python's is called by Python."""
    e, join = b.e, Join(b, ANY)
    native, other, done = e.label("function"), e.label("no.function"), e.label("called")
    e.branch(is_host(b, target.ssa), other, native)
    e.at(native)
    with b.frame.sometimes():
        join.set(call_object(b, function_in(b, target), values))
    e.br(done)
    e.at(other)
    with b.frame.sometimes():
        join.set(python_calls.call_object(b, boxed(b, target), [boxed(b, each) for each in values]))
    e.br(done)
    e.at(done)
    return join.get()


def function_in(b: Body, value: Value) -> V:
    """The function object of a value that is called; TypeError where it is none."""
    if value.kind == "func":
        return value.ssa
    if value.kind != "any":
        b.frame.raise_("TypeError", f"'{PYTHON_NAMES.get(value.kind, value.kind)}' object is not callable")
        b.e.dead()
        return V("ptr", "poison")
    e = b.e
    on, cold = e.label("callable"), e.label("not.callable")
    e.branch(is_of(b, value.ssa, "func"), on, cold, likely=True)
    e.at(cold)
    b.frame.call("jf_script_misfit", b.module.c_string("'{}' object is not callable"), value.ssa)
    e.at(on)
    return e.load("ptr", value.ssa, 8, "function")


#: What CPython calls the types that nothing can be got from by iterating, and characters.
PYTHON_NAMES = {
    "char": "str", "none": "NoneType", "int": "int", "u64": "int", "float": "float", "bool": "bool", "func": "function",
}  # fmt: skip


def call_object(b: Body, function: V, values: list[Value]) -> Value:
    """The packed call; an ANY of a temporary. Whoever is called may call this function, which nobody counts."""
    slot = b.frame.temp_slot()
    b.frame.check_stack()
    b.frame.call("jf_function_call", function, const("i32", len(values)), b.storage.views(values), slot)
    return b.storage.any_in(slot)


def _call_global(b: Body, name: str, values: list[Value]) -> Value:
    """Looked up at each call: it may be registered anew."""
    e, text = b.e, b.module.c_string(name)
    found = b.frame.call("jf_global_get", text)
    unknown, known = e.label("unknown"), e.label("known")
    e.branch(e.is_null(found), unknown, known, likely=False)
    e.at(unknown)
    b.frame.call("jf_global_fail_unknown", text)
    b.frame.fail()
    e.at(known)
    return call_object(b, b.storage.new_object(FUNC, found).ssa, values)


# -- C functions ---------------------------------------------------------------------------------------------


def _is_direct(function: Any, signature: Signature | None, values: list[Value]) -> bool:
    """Whether C is called with these values as they are: what else there is goes through the packed call, which knows
    all types and how to say what is wrong."""
    if signature is None or getattr(function, "_callee", "") != "c" or "e" in getattr(function, "_options", ""):
        return False
    if len(values) != len(signature.params) or signature.result.name not in (*_DIRECT_RESULTS, *_INTS):
        return False
    return all(value.kind in _TAKES.get(p.type.name, ()) for value, p in zip(values, signature.params, strict=True))


_DIRECT_RESULTS = ("void", "bool", "f32", "f64", "str", "ucs4", "bytes", "any")
_TAKES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_INTS, ("int",)),
    "bool": ("bool",),
    "f64": ("float", "int"),
    "str": ("str", "char"),
    "bytes": ("bytes",),
}


def _call_native(b: Body, function: Any, signature: Signature, values: list[Value]) -> Value:
    e, abi = b.e, b.abi
    rows = [row(p.type) for p in signature.params]
    args: list[tuple[V, str]] = []
    symbol = b.module.outside_code(function)
    for i, (r, value) in enumerate(zip(rows, values, strict=True)):
        parts = _integer(b, symbol, function, i, r, value) if r.type.name in _INTS else _to_c(b, r, value)
        args += [(part, abi.extension(part.type, r.extension)) for part in parts]
    result = row(signature.result)
    slot = b.frame.temp_slot() if result.in_slot else None
    if slot is not None:
        args.append((slot, ""))
    machine, sign = ("i32", "signext") if result.in_slot else (result.result, result.extension)
    extension = abi.extension(machine, sign) if machine.startswith("i") else ""
    types = ", ".join([f"{v.type} {attribute}".strip() for v, attribute in args])
    head = " ".join(filter(None, (extension, machine)))
    throws = b.module.catches
    address = b.module.unit.declare(symbol, f"declare {head} {{}}({types})" + ("" if throws else " #1"))
    given = ", ".join([" ".join(filter(None, (v.type, attribute, v.text))) for v, attribute in args])
    on, landing = e.label("came.back"), e.label("caught")
    text = f"{'invoke' if throws else 'call'} {head} {address.text}({given})"
    text += f" to label %{on} unwind label %{landing}" if throws else ""
    returned = V("void", "")
    if machine == "void":
        e.emit(text)
    else:
        returned = e.value(machine, "returned", text)
    if throws:
        e.leads_to(on, landing)
        _land(b, function.__name__, landing)
        e.at(on)
    _check_pending(b)
    if slot is not None:
        b.frame.fail_if(e.icmp("ne", returned, const("i32", 0), "failed"))
        return Value(ANY, slot, owned(slot))
    return _from_c(b, signature.result.name, returned)


def _land(b: Body, name: str, landing: str) -> None:
    """What is done with an exception: the error of a callback below comes first."""
    e = b.e
    e.at(landing)
    pair = e.value("{ ptr, i32 }", "landed", "landingpad { ptr, i32 } catch ptr null")
    exception = e.value("ptr", "exception", f"extractvalue {pair}, 0")
    b.frame.call("jf_caught", b.module.c_string(name), exception)
    b.frame.call("jf_take_pending")
    b.frame.fail()


def _check_pending(b: Body) -> None:
    """What a callback below could not raise there is raised here."""
    e = b.e
    count = b.module.unit.declare("jf_pending_count", "{} = external global i32")
    ask, fine = e.label("ask.pending"), e.label("fine")
    pending = e.load("i32", count, 0, "pending")
    e.branch(e.icmp("eq", pending, const("i32", 0)), fine, ask, likely=True)
    e.at(ask)
    taken = b.frame.call("jf_take_pending")
    e.branch(e.icmp("eq", taken, const("i32", 0)), fine, b.frame.failing())
    e.at(fine)


def _integer(b: Body, symbol: str, function: Any, index: int, r: Row, value: Value) -> list[V]:
    """An integer of that row's width; the OverflowError of what does not fit names function and parameter."""
    e, name, x = b.e, r.type.name, as_int(b, value)
    bits, signed = _INTS[name], name[0] == "i"
    if bits == 64 and signed:
        return [x]
    narrow = e.trunc(x, f"i{bits}")
    back = e.cast("sext" if signed else "zext", narrow, "i64")
    fits = e.icmp("sge", x, const("i64", 0)) if bits == 64 else e.icmp("eq", back, x, "fits")
    on, cold = e.label("in.range"), e.label("out.of.range")
    e.branch(fits, on, cold, likely=True)
    e.at(cold)
    unit = b.module.unit
    if f".info.{symbol}" not in unit.defined:
        unit.info(symbol, function.__name__, function.signature)
    info, out = V("ptr", f'@".info.{symbol}"'), b.frame.scratch(8)
    kind = const("i32", KINDS.index(name))
    b.frame.call("jf_lift_scalar", info, const("i32", index), b.storage.view(int_(x)), kind, out)
    e.at(on)
    return [narrow]


def _to_c(b: Body, r: Row, value: Value) -> list[V]:
    name = r.type.name
    if name == "f64":
        return [as_float(b, value)]
    if name == "bool":
        return [value.ssa]
    if name == "bytes":
        return [value.data, b.frame.size_arg(value.size)]
    return _utf8(b, value)


def _utf8(b: Body, value: Value) -> list[V]:
    """Address and size: ASCII as it lies, other text encoded into a temporary."""
    e = b.e
    if value.kind == "char":
        value = b.storage.char_text(value)
    if value.wide.text == "false":
        return [value.data, b.frame.size_arg(value.size)]
    data, size = e.alloca("ptr", "utf8"), e.alloca("i64", "utf8.size")
    e.store(value.data, data)
    e.store(value.size, size)
    wide, done = e.label("encode"), e.label("utf8")
    e.branch(value.wide, wide, done, likely=False)
    e.at(wide)
    slot = b.frame.temp_slot()
    encoding, errors = (b.storage.text(b.storage.literal(text)) for text in ("utf-8", "strict"))
    b.frame.call("jf_text_encode", b.storage.text(value), encoding, errors, slot)
    encoded = b.storage.read(slot, BYTES, owned(slot))
    e.store(encoded.data, data)
    e.store(encoded.size, size)
    e.br(done)
    e.at(done)
    return [e.load("ptr", data, 0, "utf8"), b.frame.size_arg(e.load("i64", size, 0, "utf8.size"))]


def _from_c(b: Body, name: str, returned: V) -> Value:
    e = b.e
    if name == "void":
        return NONE_VALUE
    if name in _INTS:
        if name == "u64":
            b.frame.overflow_if(e.icmp("slt", returned, const("i64", 0)))
        return int_(e.cast("sext" if name[0] == "i" else "zext", returned, "i64"))
    if name == "bool":
        return bool_(returned if returned.type == "i1" else e.icmp("ne", returned, const(returned.type, 0)))
    return float_(e.cast("fpext", returned, "double"))
