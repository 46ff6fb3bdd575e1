"""Arrays: nd-arrays whose elements are read and written where they lie, in whatever strides.

    jf_ndarray   16 DLTensor: data, device, ndim, dtype, shape -> i64 each, strides -> i64 each, byte_offset (0);  flags

An nd-array never changes but for its elements, so what it says of itself is loaded as what never does: LLVM asks once,
in front of a loop. Elements may lie at any address. Ints, floats and bools are a script's own: what an element does not
hold is an OverflowError, as NumPy has it for Python's ints.
"""

from __future__ import annotations

from jitffi.scripts.lower import dynamic, numbers
from jitffi.scripts.lower.containers import lists
from jitffi.scripts.lower.function import conversion, operations
from jitffi.scripts.lower.function.emit import FALSE, NULL, V, const, double
from jitffi.scripts.lower.function.registry import of_kind
from jitffi.scripts.lower.function.values import Value, bool_, float_, int_
from jitffi.scripts.tree.types import ANY, FLOAT, INT, array_item, rank_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.emit import P
    from jitffi.scripts.tree import tree
    from jitffi.scripts.tree.types import Type

#: Of an element: DLDataTypeCode, bits, LLVM's type in memory, and what NumPy calls it.
ELEMENTS: Final = {
    "f64": (2, 64, "double", "float64"),
    "f32": (2, 32, "float", "float32"),
    "i64": (0, 64, "i64", "int64"),
    "i32": (0, 32, "i32", "int32"),
    "i16": (0, 16, "i16", "int16"),
    "i8": (0, 8, "i8", "int8"),
    "u64": (1, 64, "i64", "uint64"),
    "u32": (1, 32, "i32", "uint32"),
    "u16": (1, 16, "i16", "uint16"),
    "u8": (1, 8, "i8", "uint8"),
    "bool": (6, 8, "i8", "bool"),
}
_TENSOR, _READ_ONLY = 16, 1
#: JF_ARRAY_BORROWED.
_BORROWED = 1 << 24
ZERO = const("i64", 0)


def _element(array: Value) -> str:
    assert array.type.args
    return array.type.args[0].kind


# -- what an array says of itself -----------------------------------------------------------------------------------


def _fixed(b: Body, type_: str, pointer: V, offset: int, name: str, also: str = "") -> V:
    """What stands there as long as the array lives."""
    e = b.e
    align = b.abi.pointer_bytes if type_ == "ptr" else 8
    place = e.offset(pointer, offset)
    return e.value(type_, name, f"load {type_}, ptr {place.text}, align {align}, !invariant.load !{{}}{also}")


def _data(b: Body, array: Value) -> V:
    return _fixed(b, "ptr", array.ssa, _TENSOR, "data")


def length_of(b: Body, array: Value, axis: int = 0) -> V:
    shape = _fixed(b, "ptr", array.ssa, _TENSOR + 16 + b.abi.pointer_bytes, "shape")
    return _fixed(b, "i64", shape, 8 * axis, "length", f", !range !{{i64 0, i64 {(1 << 63) - 1}}}")


def stride_of(b: Body, array: Value, axis: int = 0) -> V:
    """In elements."""
    strides = _fixed(b, "ptr", array.ssa, _TENSOR + 16 + 2 * b.abi.pointer_bytes, "strides")
    return _fixed(b, "i64", strides, 8 * axis, "stride")


def is_read_only(b: Body, array: Value) -> V:
    behind = _TENSOR + 16 + 3 * b.abi.pointer_bytes
    flags = _fixed(b, "i64", array.ssa, (behind + 7) // 8 * 8 + 8, "flags")
    return b.e.icmp("ne", b.e.binary("and", flags, const("i64", _READ_ONLY)), ZERO, "is.read.only")


# -- elements -------------------------------------------------------------------------------------------------------


def _at(b: Body, array: Value, index: Value, axis: int) -> V:
    """The index of an item along a dimension, from 0; IndexError where there is none."""
    e, size = b.e, length_of(b, array, axis)
    given = at = lists.as_int(b, index)
    if not (isinstance(index.const, int) and index.const >= 0):
        at = e.select(e.icmp("slt", given, ZERO, "from.end"), e.add(given, size), given, "index")
    on, cold = e.label("inside"), e.label("outside")
    e.branch(e.icmp("ult", at, size, "is.inside"), on, cold, likely=True)
    e.at(cold)
    function = "core_op_array_outside" if array.type.is_in_field else "jf_array_outside"
    b.frame.call(function, given, size, const("i32", axis))
    e.at(on)
    return at


def _place(b: Body, array: Value, indices: list[V]) -> V:
    """The address of an element by indices that are in range."""
    e = b.e
    parts = [e.mul(at, stride_of(b, array, axis)) for axis, at in enumerate(indices)]
    number = parts[0]
    for part in parts[1:]:
        number = e.add(number, part)
    return e.index(_data(b, array), ELEMENTS[_element(array)][1] // 8, number, "element.at")


def read(b: Body, array: Value, indices: list[V]) -> Value:
    """The element at indices that are in range, one a dimension."""
    return read_number(b, _element(array), _place(b, array, indices))


def read_number(b: Body, element: str, place: V) -> Value:
    """What lies at an address, aligned or not."""
    e = b.e
    code, _, machine, _ = ELEMENTS[element]
    found = e.load(machine, place, 0, "element", align=1)
    if code == 2:
        return float_(e.cast("fpext", found, "double"))
    if element == "bool":
        return bool_(e.icmp("ne", found, const("i8", 0), "element"))
    if element == "u64":
        b.frame.overflow_if(e.icmp("slt", found, ZERO))
    return int_(e.cast("sext" if code == 0 else "zext", found, "i64"))


def number(b: Body, element: str, value: Value, in_field: bool = False) -> V:
    """A value as it lies in an array, as NumPy converts it: floats are cut off. *in_field*: as NDArray does."""
    e = b.e
    code, bits, machine, name = ELEMENTS[element]
    if element == "bool":
        return e.zext(operations.is_true(b, value), "i8")
    if code == 2:
        wide = conversion.convert(b, value, FLOAT).ssa
        narrow = e.cast("fptrunc", wide, machine)
        if in_field and machine == "float":
            _refuse_infinite(b, wide, narrow)
        return narrow
    if value.kind == element == "u64":
        return value.ssa
    whole = numbers.truncated(b, value) if value.kind == "float" else conversion.convert(b, value, INT).ssa
    narrow = whole if bits == 64 else e.trunc(whole, machine)
    if element == "u64":
        fits = e.icmp("sge", whole, ZERO, "fits")
    elif bits == 64:
        return whole
    else:
        fits = e.icmp("eq", e.cast("sext" if code == 0 else "zext", narrow, "i64"), whole, "fits")
    on, cold = e.label("fits"), e.label("too.large")
    e.branch(fits, on, cold, likely=True)
    e.at(cold)
    if in_field:
        b.frame.call("core_op_array_beyond", whole, double(0.0), b.module.c_string(name))
    else:
        b.frame.call("jf_array_overflow", whole, b.module.c_string(name))
    e.at(on)
    return narrow


def _refuse_infinite(b: Body, wide: V, narrow: V) -> None:
    """OverflowError for a number that only becomes infinite."""
    e, cold, on = b.e, b.e.label("too.large"), b.e.label("fits")
    infinity = double(float("inf"))
    is_infinite = e.fcmp("oeq", e.intrinsic("llvm.fabs", "double", e.cast("fpext", narrow, "double")), infinity)
    was = e.fcmp("oeq", e.intrinsic("llvm.fabs", "double", wide), infinity)
    e.branch(e.and_(is_infinite, e.not_(was)), cold, on, likely=False)
    e.at(cold)
    b.frame.call("core_op_array_beyond", ZERO, wide, b.module.c_string(ELEMENTS["f32"][3]))
    e.at(on)


def _indices(b: Body, array: Value, index: Value) -> list[V] | None:
    """Where that is, along the first dimensions; None: it is no index of such an array."""
    given = [index] if index.parts is None else index.parts
    if not 0 < len(given) <= rank_of(array.type):
        return None
    if not all(lists.is_int(each) or each.kind == "any" for each in given):
        return None
    whole = [each if lists.is_int(each) else int_(dynamic.index(b, each)) for each in given]
    return [_at(b, array, each, axis) for axis, each in enumerate(whole)]


def row(b: Body, array: Value, at: V) -> Value:
    """The view of what is at an index in range, of more than one dimension."""
    return b.storage.new_object(array_item(array.type), b.frame.call("jf_array_row", array.ssa, at))


@of_kind("item", "array")
def item(b: Body, array: Value, index: Value, type_: Type) -> Value | None:
    indices = _indices(b, array, index)
    if indices is None:
        return _refused(b, "an index of an array is an int, or as many as it has dimensions", "IndexError")
    if len(indices) == rank_of(array.type):
        return read(b, array, indices)
    found = array
    for at in indices:
        found = row(b, found, at)
    return found


@of_kind("set_item", "array")
def set_item(b: Body, array: Value, index: Value, value: Value) -> bool:
    in_field = array.type.is_in_field
    if not in_field:
        b.frame.raise_if(is_read_only(b, array), "ValueError", "assignment destination is read-only")
    indices = _indices(b, array, index)
    if in_field:
        b.frame.raise_if(is_read_only(b, array), "ValueError", "NDArray: it is read-only")
    if indices is None or len(indices) < rank_of(array.type):
        _refused(b, "scripts write the elements of arrays one by one: give an index for each dimension", "TypeError")
        return True
    b.e.store(number(b, _element(array), value, in_field), _place(b, array, indices), 0, align=1)
    return True


# -- the whole ------------------------------------------------------------------------------------------------------


@of_kind("length", "array")
def length(b: Body, array: Value) -> V:
    return length_of(b, array)


@of_kind("slice", "array")
def slice_of(b: Body, array: Value, start: Value | None, stop: Value | None, step: Value | None) -> Value | None:
    """A view."""
    whole = [int_(dynamic.index(b, each)) if each and each.kind == "any" else each for each in (start, stop, step)]
    given = lists.bounds(b, *whole)
    if given is None:
        return None
    return b.storage.new_object(array.type, b.frame.call("jf_array_slice", array.ssa, *given))


def set_slice(b: Body, array: Value, start: Value | None, stop: Value | None, step: Value | None, value: Value) -> bool:
    """`array[start:stop:step] = value`, a number or an array of the same elements."""
    if value.kind not in ("int", "float", "bool") and value.type != array.type:
        return False
    b.frame.raise_if(is_read_only(b, array), "ValueError", "assignment destination is read-only")
    part = slice_of(b, array, start, stop, step)
    if part is None:
        return False
    if value.kind == "array":
        b.frame.call("jf_array_copy", part.ssa, value.ssa)
        return True
    e, element = b.e, number(b, _element(array), value)
    whole = {"double": "i64", "float": "i32"}.get(element.type)
    bits = element if whole is None else e.cast("bitcast", element, whole)
    b.frame.call("jf_array_fill", part.ssa, e.zext(bits, "i64"))
    return True


def _refused(b: Body, message: str, kind: str = "TypeError") -> Value:
    b.frame.raise_(kind, message)
    b.e.dead()
    return conversion.poison(ANY)


@of_kind("binary", "array")
def binary(b: Body, op: str, left: Value, right: Value) -> Value:
    return _refused(b, f"scripts have no '{op}' of whole arrays: write the loop over their elements")


@of_kind("unary", "array")
def unary(b: Body, op: str, operand: Value) -> Value:
    return _refused(b, f"scripts have no '{op}' of whole arrays: write the loop over their elements")


@of_kind("compare", "array")
def compare(b: Body, op: str, left: Value, right: Value) -> V:
    _refused(b, f"scripts have no '{op}' of whole arrays: write the loop over their elements")
    return FALSE


@of_kind("truth", "array")
def truth(b: Body, value: Value) -> V:
    message = "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
    _refused(b, message, "ValueError")
    return FALSE


# -- from elsewhere -------------------------------------------------------------------------------------------------


def given(b: Body, slot: P, type_: Type, name: str, borrowed: bool = False) -> Value:
    """The array of that type that a slot holds; TypeError where it holds something else. *borrowed*: a DLTensor is one,
    too, as nothing of it is kept."""
    assert type_.args
    code, bits, _, _ = ELEMENTS[type_.args[0].kind]
    spec = const("i64", code | bits << 8 | rank_of(type_) << 16 | _BORROWED * borrowed)
    names = [b.module.c_string(each) for each in (b.frame.function_name, name, str(type_))]
    return Value(type_, b.frame.call("jf_array_argument", slot, spec, *names, b.frame.temp_cell()))


def check_lengths(b: Body, parameters: list[tree.Variable], values: list[Value]) -> None:
    """Fail where lengths are not those that the parameters' types say, or that one name says of another array."""
    e = b.e
    bound: dict[str, tuple[tree.Variable, V]] = {}
    for parameter, value in zip(parameters, values, strict=True):
        for axis, length in enumerate(parameter.lengths):
            here = length_of(b, value, axis)
            if length == "*" or bound.setdefault(length, (parameter, here))[0] is parameter and not length.isdigit():
                continue
            other, there = (None, const("i64", int(length))) if length.isdigit() else bound[length]
            on, cold = e.label("agrees"), e.label("differs")
            e.branch(e.icmp("eq", here, there, "agrees"), on, cold, likely=True)
            e.at(cold)
            names = [b.module.c_string(each) for each in (b.frame.function_name, parameter.name, length)]
            by = NULL if other is None else b.module.c_string(other.name)
            b.frame.call("jf_array_mismatch", *names, here, by, there)
            e.at(on)


@of_kind("convert", ("any", "array"))
def guard(b: Body, value: Value, type_: Type) -> Value:
    return Value(type_, given(b, b.storage.view(value), type_, b.naming).ssa, dynamic.lasts(value))


@of_kind("convert", ("array", "array"))
def refuse_other(b: Body, value: Value, type_: Type) -> Value:
    conversion.mistyped(b, value, type_)
    b.e.dead()
    return conversion.poison(type_)
