"""Fragments that write ints and floats over items of lists and maps (fragments.py)."""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.lower.containers.fragments import (
    END,
    FREE,
    FRESH,
    INTS,
    ITEMS,
    LIST_POOL,
    MAP_POOL,
    PAYLOAD,
    STRIDE,
    Writer,
    fragment,
)
from jitffi.scripts.lower.function.emit import FALSE, NULL, TRUE, V, const

_DONE = const("i32", 0)


@fragment("pool.take", "ptr", "ptr pool", "alwaysinline")
def _take(w: Writer, pool: V) -> None:
    """A free slot of the pool, or NULL where there is none without an allocation."""
    e = w.e
    fresh, reuse, take, empty = e.label("fresh"), e.label("reuse"), e.label("take"), e.label("empty")
    free = e.load("ptr", pool, FREE, "free")
    e.branch(e.is_null(free), fresh, reuse)
    e.at(reuse)
    e.store(e.load("ptr", free, PAYLOAD, "next"), pool, FREE)
    e.ret(free)
    e.at(fresh)
    slot = e.load("ptr", pool, FRESH, "slot")
    e.branch(e.icmp("eq", slot, e.load("ptr", pool, END, "end"), "full"), empty, take)
    e.at(take)
    stride = e.sext(e.load("i32", pool, STRIDE, "stride"), "i64")
    e.store(e.index(slot, 1, stride, "after"), pool, FRESH)
    e.ret(slot)
    e.at(empty)
    e.ret(NULL)


@fragment("list.put.slow", "i32", "ptr list, i64 at, i32 code, i64 bits", "noinline cold")
def _put_slow(w: Writer, list_: V, at: V, code: V, bits: V) -> None:
    """list[at] = a plain value, by the runtime. at is in range."""
    w.e.ret(w.outside("jf_list_set", list_, at, w.plain_view(code, bits)))


@fragment("item.put.int", "i1", "ptr place, ptr pool, i64 value", "alwaysinline")
def _item_put_int(w: Writer, place: V, pool: V, value: V) -> None:
    """A small int over a small int changes the item's address only; any other int over such a one, the slot. A small
    int over an int of the pool gives the slot back. False where nothing was done."""
    e = w.e
    to_small, to_large, other = e.label("to.small"), e.label("to.large"), e.label("other")
    old = e.load("ptr", place, 0, "old")
    table = e.cast("ptrtoint", w.module.data_symbol("jf_static_ints"), "i64", "table")
    distance = e.sub(e.cast("ptrtoint", old, "i64", "old.word"), table, "distance")
    was_small = e.icmp("ult", distance, const("i64", layout.SLOT_SIZE * INTS), "was.small")
    index, is_small = w.int_index(value)
    e.branch(is_small, to_small, to_large)
    e.at(to_small)
    _put_small(w, place, pool, old, was_small, w.static_slot("jf_static_ints", index), other)
    e.at(to_large)
    own, take, over = e.label("own"), e.label("take"), e.label("over")
    e.branch(was_small, take, own)
    e.at(own)
    e.branch(_is(w, old, layout.INT), over, other)
    e.at(over)
    e.store(value, old, PAYLOAD)
    e.ret(TRUE)
    e.at(take)
    slot = w.free_slot(pool, other)
    w.fill(slot, layout.INT, value)
    e.store(slot, place)
    e.ret(TRUE)
    e.at(other)
    e.ret(FALSE)


def _put_small(w: Writer, place: V, pool: V, old: V, was_small: V, new: V, other: str) -> None:
    e = w.e
    swap, give, give_back = e.label("swap"), e.label("give"), e.label("give.back")
    e.branch(was_small, swap, give)
    e.at(give)
    e.branch(_is(w, old, layout.INT), give_back, other)
    e.at(give_back)
    free = e.load("ptr", pool, FREE, "free")
    e.store(const("i32", 0), old)
    e.store(free, old, PAYLOAD)
    e.store(old, pool, FREE)
    e.br(swap)
    e.at(swap)
    e.store(new, place)
    e.ret(TRUE)


def _is(w: Writer, slot: V, code: int) -> V:
    return w.e.icmp("eq", w.e.load("i32", slot, 0, "code"), const("i32", code), "is.own")


def _place(w: Writer, list_: V, at: V) -> V:
    e = w.e
    return e.index(e.load("ptr", list_, ITEMS, "items"), e.abi.pointer_bytes, at, "place")


@fragment("list.put.int", "i32", "ptr list, i64 at, i64 value")
def _put_int(w: Writer, list_: V, at: V, value: V) -> None:
    e = w.e
    in_place, other = e.label("in.place"), e.label("other")
    done = w.fragment("item.put.int", _place(w, list_, at), e.offset(list_, LIST_POOL, "pool"), value)
    e.branch(done, in_place, other)
    e.at(in_place)
    e.ret(_DONE)
    e.at(other)
    e.ret(w.fragment("list.put.slow", list_, at, const("i32", layout.INT), value))


@fragment("map.add.int", "i32", "ptr map, ptr place, i64 number")
def _map_add_int(w: Writer, map_: V, place: V, number: V) -> None:
    """What an entry of a map holds += number: 1; 0: that is no int, the sum is none of 64 bits, or there is no room:
    nothing was done."""
    e = w.e
    add, put, other = e.label("add"), e.label("put"), e.label("other")
    old = e.load("ptr", place, 0, "old")
    e.branch(_is(w, old, layout.INT), add, other)
    e.at(add)
    total, over = e.overflowing("sadd", e.load("i64", old, PAYLOAD, "value"), number, "total")
    e.branch(over, other, put)
    e.at(put)
    done = w.fragment("item.put.int", place, e.offset(map_, MAP_POOL, "pool"), total)
    e.ret(e.zext(done, "i32"))
    e.at(other)
    e.ret(_DONE)


@fragment("list.put.float", "i32", "ptr list, i64 at, double value")
def _put_float(w: Writer, list_: V, at: V, value: V) -> None:
    """A float never has a static slot, so an old one's slot is the pool's."""
    e = w.e
    over, other = e.label("over"), e.label("other")
    old = e.load("ptr", _place(w, list_, at), 0, "old")
    e.branch(_is(w, old, layout.FLOAT), over, other)
    e.at(over)
    e.store(value, old, PAYLOAD)
    e.ret(_DONE)
    e.at(other)
    bits = e.cast("bitcast", value, "i64", "bits")
    e.ret(w.fragment("list.put.slow", list_, at, const("i32", layout.FLOAT), bits))
