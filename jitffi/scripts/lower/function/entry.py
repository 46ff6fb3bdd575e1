"""Packed entries (ABI section 5): slots in, an out-slot, around a variant.

    int32_t __jf_name(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out)

Each argument's kind is looked at, and it goes on as what the variant takes: text as it lies, or widened into a slot of
this frame; objects borrowed; ANY as it came. An int parameter takes True as 1, a float parameter an int; whatever else
comes is a TypeError. The variant writes text and ANY results straight to `out`.
"""

from __future__ import annotations

from jitffi.adapters.unit import byte_array
from jitffi.base import layout
from jitffi.base.symbol_names import PACKED_PREFIX, SIGNATURE_PREFIX
from jitffi.scripts.lower.containers import arrays, items, structs
from jitffi.scripts.lower.dynamic import is_of
from jitffi.scripts.lower.function import conversion, variants
from jitffi.scripts.lower.function.body import Body
from jitffi.scripts.lower.function.emit import NULL, READ_ATTRIBUTES, SLOT_ATTRIBUTES, P, V, const
from jitffi.scripts.lower.function.values import OBJECTS, Value, local
from jitffi.scripts.tree.types import ANY, OBJECT, OWN_KINDS, is_guessed, is_guessed_native, key_of_items, promised

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.module import Module
    from jitffi.scripts.lower.function.variants import Variant
    from jitffi.scripts.tree import tree
    from jitffi.signature.model import Signature

RVALUE = const("i32", layout.RVALUE)
#: CORE_PYTHON_REFERENCE (script_object.h).
PYTHON_REFERENCE = -64
#: CORE_TEXT_GIVEN (script.h).
TEXT_GIVEN = const("i32", 0x74786574)
#: What items of a list seem to be, as script_guess.c counts them, from 1.
GUESSES = ("str", "int", "float")
#: Of registered objects, of one class all.
REGISTERED = 6
#: Masks of jf_op_isinstance of what a parameter of a kind takes beside itself, and what then reads it.
_NUMBERS = {"int": (1, "jf_op_index"), "u64": (1, "jf_op_index"), "float": (5, "jf_op_float"), "bool": (2, "")}


def define(module: Module, variant: Variant, symbol: str, signature: Signature | None) -> None:
    """Write the entry. With a signature its defaults may be left out, and `__jfsig_` says it."""
    function = variant.function
    b = Body(module, function)
    e = b.e
    args, out = P("%args", READ_ATTRIBUTES), P("%out", SLOT_ATTRIBUTES)
    start = e.label("start")
    for name in ("self", "num_args", "args", "out"):
        e.unique(name)
    e.will_lead_to(start)
    e.at(start)
    given = _arranged(b, symbol, function, signature, args)
    values = []
    for i, variable in enumerate(function.parameters):
        slot = P(e.offset(given, layout.SLOT_SIZE * i, f"{variable.name}.slot").text, READ_ATTRIBUTES)
        values.append(_lifted(b, variable, slot))
    arrays.check_lengths(b, function.parameters, values)
    result = variants.call(b, variant, values, out)
    if function.result.kind == "object":
        b.frame.call("core_op_result", b.storage.reference(result), out)
    elif not variants.in_slot(function.result):
        b.storage.put(result, out)
    if e.is_reached:
        b.frame.release_scope(b.frame.scopes[0])
        e.br(b.exits.leave_label())
    elif e.is_open:
        e.unreachable()
    b.exits.write_leave(lambda: e.ret(const("i32", 0)))
    b.frame.write_failures(const("i32", -1))
    extension = module.abi.extension("i32", "signext")
    head = f'define {extension} i32 @"{symbol}"(ptr %self, i32 {extension} %num_args, ptr %args, ptr %out) #0 {{'
    module.unit.functions.append(e.text(head.replace("  ", " "), start))
    module.unit.defined.add(symbol)
    if signature is not None:
        text = byte_array(str(signature).encode() + bytes(1))
        module.unit.define(SIGNATURE_PREFIX + symbol.removeprefix(PACKED_PREFIX), f"{text}, align 1", "constant")


def _arranged(b: Body, symbol: str, function: tree.Function, signature: Signature | None, args: P) -> V:
    """One view a parameter, or the error of a wrong number of arguments."""
    e, n = b.e, len(function.parameters)
    num_args = V("i32", "%num_args")
    all_there = e.icmp("eq", num_args, const("i32", n), "all")
    if signature is None:
        message = f"{function.name}() takes {n} argument{'' if n == 1 else 's'}"
        b.frame.raise_if(e.not_(all_there), "TypeError", message)
        return args
    unit = b.module.unit
    info = unit.info(symbol, function.name, signature)
    right, wrong, place = e.label("arity"), e.label("wrong.arity"), e.alloca("ptr", "given")
    e.store(args, place)
    e.branch(all_there, right, wrong, likely=True)
    e.at(wrong)
    if signature.num_required < n:
        space = e.alloca("i64", "arranged", 2 * n)
        views = unit.defaults(symbol, signature)
        e.store(b.frame.call("jf_arrange", info, views, num_args, args, space), place)
        e.br(right)
    else:
        b.frame.call("jf_fail_arity", info, num_args)
        b.frame.fail()
    e.at(right)
    return e.load("ptr", place, 0, "given")


def _lifted(b: Body, variable: tree.Variable, slot: P) -> Value:
    """The parameter's value, which outlives the call."""
    kind, type_, e = variable.type.kind, variable.type, b.e
    if kind in ("str", "bytes"):
        return _lifted_text(b, variable, slot)
    if kind in _NUMBERS:
        return _lifted_number(b, variable, slot)
    if kind == "object":
        given = b.frame.call("core_op_argument", slot, b.frame.temp_reference())
        if key_of_items(type_):
            return b.storage.new_object(type_, b.frame.call("core_op_guessed", given, const("i32", REGISTERED)))
        if not is_guessed(type_):
            return Value(type_, given)
        guess = const("i32", GUESSES.index(promised(type_).kind) + 1)
        return b.storage.new_object(type_, b.frame.call("core_op_guessed", given, guess))
    if kind == "any":
        view = b.frame.scratch(layout.SLOT_SIZE)
        given = _of_reference(b, slot) if b.function.takes_objects else slot
        b.frame.call("jf_op_argument", _opened(b, given), b.frame.temp_slot(0), view)
        return Value(ANY, P(view.text, READ_ATTRIBUTES))
    if kind == "char":
        found = _lifted_text(b, variable, slot)
        return conversion.convert(b, found, type_)
    if kind == "array":
        # The variants are written by now, and where one of them keeps an array that is known.
        slot = _of_reference(b, slot) if b.function.takes_objects else slot
        return arrays.given(b, _opened(b, slot), type_, variable.name, borrowed=not b.module.keeps_arrays)
    if kind == "struct":
        return structs.given(b, slot, type_, lambda: mistyped(b, variable, slot))
    if kind in OBJECTS:
        slot = _opened(b, slot)
    if kind in OWN_KINDS and b.function.takes_objects:
        slot = _of_reference(b, slot)
    right, wrong = e.label(f"{variable.name}.typed"), e.label(f"{variable.name}.mistyped")
    e.branch(is_of(b, slot, "none" if kind == "never" else kind), right, wrong, likely=True)
    e.at(wrong)
    mistyped(b, variable, slot)
    e.at(right)
    if kind not in OBJECTS:
        return Value(type_, const=None)
    object_ = e.load("ptr", slot, 8, variable.name)
    items.expect_length(b, object_, type_, lambda: mistyped(b, variable, slot))
    if b.function.takes_objects and type_.args and is_guessed_native(type_, variable.declared):
        b.frame.call("core_op_guessed_native", object_, const("i32", GUESSES.index(type_.args[0].kind) + 1))
    return Value(type_, object_)


def _of_reference(b: Body, slot: P) -> P:
    """The slot, or a view of the object of Python's that was passed as it is."""
    e = b.e
    place, other, done = e.alloca("ptr", "argument"), e.label("python"), e.label("argument")
    e.store(slot, place)
    is_python = e.icmp("eq", e.load("i32", slot, 0, "code"), const("i32", PYTHON_REFERENCE))
    e.branch(is_python, other, done, likely=False)
    e.at(other)
    e.store(b.storage.view(Value(OBJECT, e.load("ptr", slot, 8, "object"))), place)
    e.br(done)
    e.at(done)
    return P(e.load("ptr", place, 0, "argument").text, READ_ATTRIBUTES)


def mistyped(b: Body, variable: tree.Variable, slot: P) -> None:
    words = (b.frame.function_name, variable.name, conversion.worded(variable.type))
    names = [b.module.c_string(each) for each in words]
    b.frame.call("jf_script_mistyped", *names, slot)


def _opened(b: Body, slot: P) -> P:
    """The slot, or a view of the object where the argument is a reference that could be taken."""
    e = b.e
    place, opened, done = e.alloca("ptr", "opened"), e.label("reference"), e.label("opened")
    e.store(slot, place)
    code = e.load("i32", slot, 0, "code")
    e.branch(e.icmp("eq", code, RVALUE), opened, done, likely=False)
    e.at(opened)
    object_ = e.load("ptr", e.load("ptr", slot, 8, "reference"), 0, "object")
    memory = b.frame.scratch(layout.SLOT_SIZE)
    object_code = e.load("i32", object_, 0, "object.code")
    own = e.icmp("sle", object_code, const("i32", 3), "own.code")  # of S1: the object's own code stands in the slot
    e.store(e.zext(e.select(own, object_code, const("i32", layout.OBJECT)), "i64"), memory)
    e.store_word(object_, memory)
    e.store(memory, place)
    e.br(done)
    e.at(done)
    return P(e.load("ptr", place, 0, "slot").text, READ_ATTRIBUTES)


def _lifted_text(b: Body, variable: tree.Variable, slot: P) -> Value:
    e = b.e
    text = b.frame.scratch(24)
    slot = _opened(b, slot)
    if variable.type.kind == "bytes":
        status = b.frame.call("jf_bytes_of", slot, text)
    else:
        status = b.frame.call("jf_text_of", slot, text, b.frame.temp_slot(0))
    right, wrong, no_text = (e.label(f"{variable.name}.{what}") for what in ("text", "no.text", "mistyped"))
    e.branch(e.icmp("eq", status, const("i32", 0)), right, wrong, likely=True)
    e.at(wrong)
    e.branch(e.icmp("slt", status, const("i32", 0)), b.frame.failing(), no_text)
    e.at(no_text)
    mistyped(b, variable, slot)
    e.at(right)
    found = b.storage.read_text(variable.type, text, local(None, NULL))
    if b.function.takes_objects:
        found.given = _given(b, slot)
    return found


def _given(b: Body, slot: P) -> V:
    """The str or bytes that the text of an argument is read of; NULL for text of others."""
    e = b.e
    place, python, done = e.alloca("ptr", "given"), e.label("given"), e.label("argument")
    e.store(NULL, place)
    e.branch(e.icmp("eq", e.load("i32", slot, 4, "length"), TEXT_GIVEN), python, done)
    e.at(python)
    span = e.load("ptr", slot, 8, "span")
    e.store(e.load("ptr", e.offset(span, -b.abi.pointer_bytes), 0, "text"), place)
    e.br(done)
    e.at(done)
    return e.load("ptr", place, 0, "given")


def _lifted_number(b: Body, variable: tree.Variable, slot: P) -> Value:
    e, kind = b.e, variable.type.kind
    machine = {"float": "double"}.get(kind, "i64")
    mask, reader = _NUMBERS[kind]
    found = e.alloca(machine, variable.name)
    right, other, done = (e.label(f"{variable.name}.{what}") for what in (kind, "other", "lifted"))
    e.branch(is_of(b, slot, kind), right, other, likely=True)
    e.at(right)
    e.store(e.load(machine, slot, 8, "payload"), found)
    e.br(done)
    e.at(other)
    takes, wrong = e.label(f"{variable.name}.takes"), e.label(f"{variable.name}.mistyped")
    is_number = b.frame.call("jf_op_isinstance", slot, const("i32", mask))
    e.branch(e.icmp("ne", is_number, const("i32", 0)), takes, wrong)
    e.at(wrong)
    mistyped(b, variable, slot)
    e.at(takes)
    if reader:
        out = b.frame.scratch(8)
        b.frame.call(reader, slot, out)
        if kind == "u64":
            b.frame.overflow_if(e.icmp("slt", e.load("i64", out, 0, "number"), const("i64", 0)))
        e.store(e.load(machine, out, 0, "number"), found)
    else:
        truth = b.frame.call("jf_op_truth", slot)
        e.store(e.zext(truth, "i64"), found)
    e.br(done)
    e.at(done)
    value = e.load(machine, found, 0, variable.name)
    return Value(variable.type, e.trunc(value, "i1") if kind == "bool" else value)
