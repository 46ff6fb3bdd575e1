"""Fragments that append plain values and short text to lists (fragments.py)."""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.lower.containers.fragments import (
    CAPACITY,
    ITEMS,
    LIST_POOL,
    PAYLOAD,
    SIZE,
    STRIDE,
    ZERO,
    Writer,
    fragment,
)
from jitffi.scripts.lower.function.emit import V, const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


@fragment("list.append.slow", "i32", "ptr list, i32 code, i64 bits", "noinline cold")
def _append_slow(w: Writer, list_: V, code: V, bits: V) -> None:
    w.e.ret(w.outside("jf_list_append", list_, w.plain_view(code, bits)))


def _append(w: Writer, list_: V, find: Callable[[V, str], V], otherwise: Callable[[], V]) -> None:
    """Where the list has room, what *find* finds (given the pool, and where it goes without a slot) becomes the last
    item; else *otherwise* is done."""
    e = w.e
    room, slow = e.label("room"), e.label("slow")
    size = e.load("i64", list_, SIZE, "size")
    full = e.icmp("eq", size, e.load("i64", list_, CAPACITY, "capacity"), "full")
    pool = e.offset(list_, LIST_POOL, "pool")
    e.branch(full, slow, room)
    e.at(room)
    item = find(pool, slow)
    place = e.index(e.load("ptr", list_, ITEMS, "items"), e.abi.pointer_bytes, size, "place")
    e.store(item, place)
    e.store(e.add(size, const("i64", 1), "more"), list_, SIZE)
    e.ret(const("i32", 0))
    e.at(slow)
    e.ret(otherwise())


@fragment("list.append.int", "i32", "ptr list, i64 value")
def _append_int(w: Writer, list_: V, value: V) -> None:
    e = w.e

    def find(pool: V, slow: str) -> V:
        static, large, commit = e.label("static"), e.label("large"), e.label("commit")
        index, is_small = w.int_index(value)
        e.branch(is_small, static, large)
        e.at(static)
        new = w.static_slot("jf_static_ints", index)
        e.br(commit)
        e.at(large)
        slot = w.free_slot(pool, slow)
        w.fill(slot, layout.INT, value)
        filled = e.here
        e.br(commit)
        e.at(commit)
        return e.phi([(new, static), (slot, filled)], "item")

    _append(w, list_, find, lambda: w.fragment("list.append.slow", list_, const("i32", layout.INT), value))


@fragment("list.append.float", "i32", "ptr list, double value")
def _append_float(w: Writer, list_: V, value: V) -> None:
    def find(pool: V, slow: str) -> V:
        slot = w.free_slot(pool, slow)
        w.fill(slot, layout.FLOAT, value)
        return slot

    def otherwise() -> V:
        bits = w.e.cast("bitcast", value, "i64", "bits")
        return w.fragment("list.append.slow", list_, const("i32", layout.FLOAT), bits)

    _append(w, list_, find, otherwise)


@fragment("list.append.char.slow", "i32", "ptr list, i32 value", "noinline cold")
def _append_char_slow(w: Writer, list_: V, value: V) -> None:
    e = w.e
    append, done = e.label("append"), e.label("done")
    view = w.plain_view(const("i32", layout.NULL), ZERO)
    e.store(const("i32", layout.SLOT_SIZE - PAYLOAD), view, layout.SLOT_SMALL_LEN)  # its capacity
    no = w.outside("jf_char_out", value, view)
    e.branch(e.icmp("ne", no, const("i32", 0), "bad"), done, append)
    e.at(append)
    e.ret(w.outside("jf_list_append", list_, view))
    e.at(done)
    e.ret(no)


@fragment("list.append.char", "i32", "ptr list, i32 value")
def _append_char(w: Writer, list_: V, value: V) -> None:
    e = w.e

    def find(pool: V, slow: str) -> V:
        static, wide, commit = e.label("static"), e.label("wide"), e.label("commit")
        e.branch(e.icmp("ult", value, const("i32", 128), "is.ascii"), static, wide)
        e.at(static)
        new = w.static_slot("jf_static_chars", e.zext(value, "i64", "index"))
        e.br(commit)
        e.at(wide)
        slot = w.free_slot(pool, slow)
        e.store(const("i32", layout.SMALL_UCS4), slot)
        e.store(const("i32", 1), slot, layout.SLOT_SMALL_LEN)
        e.store(e.zext(value, "i64", "bits"), slot, PAYLOAD)
        filled = e.here
        e.br(commit)
        e.at(commit)
        return e.phi([(new, static), (slot, filled)], "item")

    _append(w, list_, find, lambda: w.fragment("list.append.char.slow", list_, value))


@fragment("list.append.text.slow", "i32", "ptr list, ptr data, i64 size, i32 wide", "noinline cold")
def _append_text_slow(w: Writer, list_: V, data: V, size: V, wide: V) -> None:
    """By way of a jf_text."""
    e, word = w.e, w.module.abi.pointer_bytes
    text = e.alloca("i64", "text", 3)
    e.store(data, text)
    e.store_size(size, text, word)
    e.store(wide, text, 2 * word)
    e.ret(w.outside("jf_text_list_append", list_, text))


@fragment("list.append.text", "i32", "ptr list, ptr data, i64 size, i32 wide")
def _append_text(w: Writer, list_: V, data: V, size: V, wide: V) -> None:
    """ASCII text of up to 15 bytes, where the pool's slots have room for it. One character has a static slot."""
    e = w.e

    def find(pool: V, slow: str) -> V:
        small, one, static, pooled = e.label("small"), e.label("one"), e.label("static"), e.label("pooled")
        commit = e.label("commit")
        payload = e.sub(e.load("i32", pool, STRIDE, "stride"), const("i32", PAYLOAD), "payload")
        fits = e.icmp("ult", size, e.zext(payload, "i64", "payload.size"), "fits")
        both = e.and_(fits, e.icmp("ult", size, const("i64", 16), "is.short"), "both")
        e.branch(e.and_(both, e.icmp("eq", wide, const("i32", 0), "is.ascii"), "all"), small, slow)
        e.at(small)
        e.branch(e.icmp("ugt", size, const("i64", 1), "many"), pooled, one)
        e.at(one)
        e.branch(e.icmp("eq", size, ZERO, "is.empty"), slow, static)
        e.at(static)
        new = w.static_slot("jf_static_chars", e.zext(e.load("i8", data, 0, "char"), "i64", "index"))
        e.br(commit)
        e.at(pooled)
        slot = w.free_slot(pool, slow)
        e.store(const("i32", layout.SMALL_STR), slot)
        e.store(e.trunc(size, "i32", "len"), slot, layout.SLOT_SMALL_LEN)
        written = _write_short(w, data, size, e.offset(slot, PAYLOAD, "to"), commit)
        e.at(commit)
        return e.phi([(new, static), *[(slot, label) for label in written]], "item")

    _append(w, list_, find, lambda: w.fragment("list.append.text.slow", list_, data, size, wide))


def _write_short(w: Writer, data: V, size: V, to: V, done: str) -> list[str]:
    """Write 2 to 15 bytes and the zeros behind them: two words that overlap, so that no byte beside the text is read.
    The blocks that lead to *done*."""
    e = w.e
    long, below, middle, two = e.label("long"), e.label("below"), e.label("middle"), e.label("two")
    e.branch(e.icmp("ugt", size, const("i64", 7), "eight"), long, below)
    e.at(long)
    e.store(e.load("i64", data, 0, "word", align=1), to)
    last = e.load("i64", e.index(data, 1, e.sub(size, const("i64", 8), "last.offset"), "last.at"), 0, "last", align=1)
    surplus = e.shl(e.sub(const("i64", 16), size, "surplus"), const("i64", 3), "surplus.bits")
    over = e.icmp("ugt", surplus, const("i64", 63), "over")
    e.store(e.select(over, ZERO, e.lshr(last, surplus), "rest"), to, 8)
    e.br(done)
    e.at(below)
    e.branch(e.icmp("ugt", size, const("i64", 3), "four"), middle, two)
    for label, type_, bytes_ in ((middle, "i32", 4), (two, "i16", 2)):
        e.at(label)
        first = e.load(type_, data, 0, "first", align=1)
        offset = e.sub(size, const("i64", bytes_), "offset")
        second = e.load(type_, e.index(data, 1, offset, "second.at"), 0, "second", align=1)
        high = e.shl(e.zext(second, "i64"), e.shl(offset, const("i64", 3), "offset.bits"), "high")
        e.store(e.or_(e.zext(first, "i64"), high, "word"), to)
        e.br(done)
    return [long, middle, two]
