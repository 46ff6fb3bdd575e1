"""The hot steps that are inlined wherever a type needs them: type tests, exact ints, slot stores, range checks.

Each takes the emitter first and works at the current block; those that can miss take the label to leave by.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.ir.builder import NULL as NULL
from jitffi.ir.builder import V as V
from jitffi.ir.builder import const as const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.ir.builder import Builder
    from jitffi.ir.emitter import Emitter


def guard(e: Emitter, condition: V, otherwise: str, name: str = "is") -> None:
    """Go on below where *condition* holds, else leave to *otherwise*."""
    on = e.label(name)
    e.branch(condition, on, otherwise, likely=True)
    e.at(on)


def type_is(e: Emitter, obj: V, data: str) -> V:
    """Whether the exact type of *obj* is the one that the table calls *data*."""
    return e.icmp("eq", e.load("ptr", obj, e.layout["object.type"], "type"), e.data(data), "exact")


def embedded(e: Emitter, obj: V, otherwise: str) -> V:
    """The native object within an instance of a class with fields, which stays as long as the instance does; others
    leave to *otherwise*."""
    class_ = e.load("ptr", obj, e.layout["object.type"], "class")
    meta = e.load("ptr", class_, e.layout["object.type"], "meta")
    guard(e, e.icmp("eq", meta, e.load("ptr", e.data("embedding_meta"))), otherwise, "instance")
    found = e.load("ptr", obj, e.layout["wrapper.object"], "native")
    guard(e, e.icmp("eq", found, e.offset(obj, e.layout["instance.native"])), otherwise, "embeds")
    return found


def incref_singleton(e: Emitter, obj: V) -> None:
    """Count a reference to None, True or False; from 3.12 on they are immortal (PEP 683) and need none."""
    if not e.layout["immortal"]:
        count = e.load("i64", obj, e.layout["object.refcnt"], "count")
        e.store(e.add(count, const("i64", 1)), obj, e.layout["object.refcnt"])


def long_value(e: Emitter, obj: V, otherwise: str) -> V:
    """The value of an exact int of at most two 30-bit digits; others leave to *otherwise*.

    Up to 3.11 `ob_size` is the number of digits with the sign of the value (longintrepr.h); from 3.12 on `lv_tag` is
    digits << 3 | (0 positive, 1 zero, 2 negative) (cpython/longintrepr.h). The second digit is read only where there
    is one: it may lie beyond the object.
    """
    guard(e, type_is(e, obj, "long_type"), otherwise, "long")
    tag = e.load("i64", obj, e.layout["long.tag"], "tag")
    low = e.cast("zext", e.load("i32", obj, e.layout["long.digits"], "digit"), "i64")
    one, two, done = e.label("one"), e.label("two"), e.label("long.done")
    if e.layout["long.tagged"]:
        sign = e.sub(const("i64", 1), e.and_(tag, const("i64", 3)), "sign")
        e.branch(e.icmp("ult", tag, const("i64", 16), "compact"), one, two, likely=True)
    else:
        sign = tag
        e.branch(e.icmp("ult", e.add(tag, const("i64", 1)), const("i64", 3), "compact"), one, two, likely=True)
    e.at(one)
    small = e.mul(low, sign)
    e.br(done)
    e.at(two)
    if e.layout["long.tagged"]:
        guard(e, e.icmp("eq", e.lshr(tag, const("i64", 3)), const("i64", 2)), otherwise, "two")
        factor = sign
    else:
        # Of 0 to 4 only these two have no other bit than 4 set, and 2 (0) is not here: it was compact.
        either = e.and_(e.add(tag, const("i64", 2)), const("i64", -5))
        guard(e, e.icmp("eq", either, const("i64", 0)), otherwise, "two")
        factor = e.ashr(tag, const("i64", 1), "sign")
    high = e.cast("zext", e.load("i32", obj, e.layout["long.digits"] + 4, "digit"), "i64")
    large = e.mul(e.or_(low, e.shl(high, const("i64", 30))), factor)
    here = e.here
    e.br(done)
    e.at(done)
    return e.phi([(small, one), (large, here)], "long")


def fits(e: Emitter, value: V, bits: int, signed: bool) -> V:
    """Whether an i64 lies in the range of an integer type."""
    if signed:
        return e.icmp("eq", e.cast("sext", e.cast("trunc", value, f"i{bits}"), "i64"), value, "fits")
    if bits == 64:
        return e.icmp("sge", value, const("i64", 0), "fits")
    return e.icmp("ult", value, const("i64", 1 << bits), "fits")


def code_is(e: Emitter, slot: V, code: int) -> V:
    return e.icmp("eq", e.load("i32", slot, layout.SLOT_CODE, "code"), const("i32", code), "has.code")


def head(code: int, small_len: int = 0) -> V:
    """A slot's first 8 bytes as one constant."""
    return const("i64", (code & 0xFFFFFFFF) | small_len << 32)


def store_slot(e: Emitter, slot: V, code: int, payload: V) -> None:
    """Write code and payload; `small_len` becomes 0 in the same store."""
    e.store(head(code), slot, layout.SLOT_CODE)
    store_payload(e, slot, payload)


def store_payload(e: Builder, slot: V, payload: V) -> None:
    """Write all 8 bytes of a payload; a pointer of 4 stands in the low half."""
    e.store(payload, slot, layout.SLOT_PAYLOAD)
    if payload.type == "ptr" and e.abi.pointer_bytes == 4:
        e.store(const("i32", 0), slot, layout.SLOT_PAYLOAD + 4)


def store_span(e: Emitter, data: V, size: V) -> V:
    """Put pointer and length into the frame as a jf_span; return its address."""
    span = new_span(e)
    e.store(data, span)
    e.store(size, span, e.abi.pointer_bytes)
    return span


def new_span(e: Emitter) -> V:
    """Room for a jf_span, which is the target's own: a pointer and a size_t."""
    return e.frame(2 * e.abi.pointer_bytes, "span")


def load_span(e: Emitter, span: V) -> tuple[V, V]:
    return e.load("ptr", span, 0, "data"), e.load(e.abi.size, span, e.abi.pointer_bytes, "size")


def new_out_slot(e: Emitter, capacity: int, name: str) -> V:
    """A null out-slot of the frame that tells its capacity, set up in the entry block for whatever releases it."""
    slot = e.frame(layout.SLOT_PAYLOAD + capacity, name)
    e.setup(head(layout.NULL, capacity if capacity > 8 else 0), slot, layout.SLOT_CODE)
    e.setup(const("i64", 0), slot, layout.SLOT_PAYLOAD)
    return slot


def info(e: Emitter) -> V:
    """The jf_call_info that error messages are made from."""
    return e.linkage.info(e)


def refuse_null(e: Emitter, index: int, pointer: V) -> None:
    """Fail where C gave NULL for parameter *index* (-1: the result) of a type that has no None."""
    null, fine = e.label("null"), e.label("not.null")
    e.branch(e.is_null(pointer), null, fine, likely=False)
    e.at(null)
    e.helper("fail_null", e.state, const("i32", index))
    e.br(fine)
    e.at(fine)


def kept_text(e: Emitter, index: int, text: V) -> V:
    """A copy of what C reads behind the call, as the result or in the place *index*, that lives until this closure's
    next call on this thread; NULL of NULL."""
    some, done, here = e.label("keep"), e.label("kept"), e.here
    e.branch(e.is_null(text), done, some)
    e.at(some)
    copy = e.helper("keep_cstr", e.state, text, const("i32", index))
    there = e.here
    e.br(done)
    e.at(done)
    return e.phi([(text, here), (copy, there)], "kept")


def keep_arguments(e: Emitter, but: int = -1) -> None:
    """Hold the objects that arrays were read from, but that of the parameter *but*, while other code may run."""
    for index, obj in e.arguments.items():
        if index != but and not e.keeps_arguments:
            e.helper("keep_argument", e.temps(), obj)


def settle_result(e: Emitter, index: int, slot: V) -> Callable[[], object] | None:
    """What empties the slot of a result (index -1) once it is read in C: it may have held a box. Plain values own
    nothing."""
    return (lambda: e.helper("any_release", slot)) if index < 0 else None
