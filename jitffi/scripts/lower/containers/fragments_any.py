"""Fragments on slots of any kind: their length, a view of them, and taking what they hold (fragments.py)."""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.lower.containers.fragments import PAYLOAD, SIZE, ZERO, Writer, fragment
from jitffi.scripts.lower.containers.fragments_item import COUNTED, small_ascii
from jitffi.scripts.lower.function.emit import FALSE, TRUE, V, const

_UNKNOWN = const("i64", -1)
#: The last code that stands in a slot itself, where other objects' slots say OBJECT.
_LAST_OWN = 3


@fragment("any.len", "i64", "ptr slot")
def _any_len(w: Writer, slot: V) -> None:
    """len() of what a slot holds where it is there to be read, or -1."""
    e = w.e
    object_, text, small, told = e.label("object"), e.label("str"), e.label("small"), e.label("told")
    ask, heap, sized = e.label("ask"), e.label("heap"), e.label("sized")
    smalls = [(code, small) for code in (layout.SMALL_UCS4, layout.SMALL_BYTES)]
    code = e.load("i32", slot, 0, "code")
    e.switch(code, ask, [(layout.OBJECT, object_), (layout.SMALL_STR, text), *smalls])
    e.at(text)
    length = e.load("i32", slot, layout.SLOT_SMALL_LEN, "len")
    size = e.zext(length, "i64", "size")
    e.ret(e.select(small_ascii(w, slot, length, told, ask), size, _UNKNOWN, "found"))
    e.at(small)
    e.ret(e.zext(e.load("i32", slot, layout.SLOT_SMALL_LEN, "len"), "i64"))
    e.at(object_)
    held = e.load("ptr", slot, PAYLOAD, "held")
    sizes = (layout.LIST, layout.MAP, layout.SET, layout.TUPLE, layout.UCS4, layout.BYTES)
    e.switch(e.load("i32", held, 0, "held.code"), ask, [*[(each, sized) for each in sizes], (layout.STR, heap)])
    e.at(heap)
    e.ret(e.load_atomic("i64", held, COUNTED, "counted"))
    e.at(sized)
    e.ret(e.load("i64", held, SIZE, "size"))
    e.at(ask)
    e.ret(_UNKNOWN)


def _small_bytes(w: Writer, slot: V, code: V) -> V:
    """Of small text: how much of its slot it takes."""
    e = w.e
    length = e.load("i32", slot, layout.SLOT_SMALL_LEN, "len")
    is_ucs4 = e.icmp("eq", code, const("i32", layout.SMALL_UCS4), "is.ucs4")
    four, and_nul = e.shl(length, const("i32", 2), "four"), e.add(length, const("i32", 1), "and.nul")
    return e.select(is_ucs4, four, and_nul, "bytes")


def _is_small_text(w: Writer, code: V) -> V:
    above = w.e.sub(code, const("i32", layout.SMALL_BYTES), "above")
    return w.e.icmp("ult", above, const("i32", 3), "is.text")


@fragment("any.view", "void", "ptr slot, ptr out")
def _any_view(w: Writer, slot: V, out: V) -> None:
    """out = a view of what a slot of any pad holds: its two words, but of text that takes more."""
    e = w.e
    text, plain, small = e.label("text"), e.label("plain"), e.label("small")
    copy, long = e.label("copy"), e.label("long")
    code, payload = e.load("i32", slot, 0, "code"), e.load("i64", slot, PAYLOAD, "payload")
    e.branch(_is_small_text(w, code), text, plain)
    e.at(text)
    e.branch(e.icmp("ult", _small_bytes(w, slot, code), const("i32", 9), "is.short"), small, long)
    e.at(small)
    head = e.load("i64", slot, 0, "head")
    e.br(copy)
    e.at(plain)
    bare = e.zext(code, "i64", "bare")
    e.br(copy)
    e.at(copy)
    e.store(e.phi([(head, small), (bare, plain)], "first"), out)
    e.store(payload, out, PAYLOAD)
    e.ret(None)
    e.at(long)
    w.outside("jf_any_view", slot, out)
    e.ret(None)


@fragment("any.take", "i32", "ptr item, ptr slot, i32 pad")
def _any_take(w: Writer, item: V, slot: V, pad: V) -> None:
    """slot = item, of a variable's own slot, which holds something: what was there is released when the new value was
    taken. Nothing is done, and 1 returned, for text that takes more than three words, or more than the slot has."""
    e = w.e
    object_, plain, put, other = e.label("object"), e.label("plain"), e.label("put"), e.label("other")
    code = e.load("i32", item, 0, "code")
    e.branch(e.icmp("sgt", code, const("i32", 0), "is.object"), object_, plain)
    e.at(object_)
    is_own = e.icmp("sle", code, const("i32", _LAST_OWN), "is.own")
    slot_head = e.zext(e.select(is_own, code, const("i32", layout.OBJECT), "slot.code"), "i64", "slot.head")
    word = e.cast("ptrtoint", item, "i64", "word")
    w.outside("jf_object_retain", item)
    e.br(put)
    e.at(plain)
    values = _plain(w, item, code, pad, put, other)
    e.at(put)
    ways = [((slot_head, word, ZERO, FALSE), object_), *values]
    names = ("new.head", "new.word", "new.third", "is.three")
    head, first, third, is_three = (e.phi([(v[i], at) for v, at in ways], name) for i, name in enumerate(names))
    _release(w, slot)
    three, done = e.label("put.third"), e.label("done")
    e.store(head, slot)
    e.store(first, slot, PAYLOAD)
    e.branch(is_three, three, done)
    e.at(three)
    e.store(third, slot, PAYLOAD + 8)
    e.br(done)
    e.at(done)
    e.ret(const("i32", 0))
    e.at(other)
    e.ret(const("i32", 1))


def _plain(w: Writer, item: V, code: V, pad: V, put: str, other: str) -> list[tuple[tuple[V, V, V, V], str]]:
    """The words of what is no object, whether they are three, and the blocks from which these go to *put*."""
    e = w.e
    text, long, three = e.label("text"), e.label("long"), e.label("three")
    before, head, payload = e.here, e.load("i64", item, 0, "head"), e.load("i64", item, PAYLOAD, "payload")
    e.branch(_is_small_text(w, code), text, put)
    e.at(text)
    bytes_ = _small_bytes(w, item, code)
    e.branch(e.icmp("ult", bytes_, const("i32", 9), "is.short"), put, long)
    e.at(long)
    fits = e.icmp("ult", bytes_, const("i32", 17), "fits.three")
    e.branch(e.and_(fits, e.icmp("ne", pad, const("i32", 0), "has.three"), "three.words"), three, other)
    e.at(three)
    third = e.load("i64", item, PAYLOAD + 8, "third")
    e.br(put)
    two = (head, payload, ZERO, FALSE)
    return [(two, before), (two, text), ((head, payload, third, TRUE), three)]


def _release(w: Writer, slot: V) -> None:
    """Release the object that a slot holds, if it does."""
    e = w.e
    release, done = e.label("release"), e.label("released")
    code = e.load("i32", slot, 0, "old.code")
    in_slot = e.icmp("eq", code, const("i32", layout.OBJECT), "old.object")
    e.branch(e.or_(in_slot, e.icmp("sgt", code, const("i32", 0), "old.own"), "is.held"), release, done)
    e.at(release)
    w.outside("jf_object_release", e.load("ptr", slot, PAYLOAD, "old"))
    e.br(done)
    e.at(done)


@fragment("any.add", "i32", "ptr slot, ptr other, i1 less")
def _any_add(w: Writer, slot: V, other: V, less: V) -> None:
    """slot += other, or -=, of two ints or two floats; 1, and nothing is done, of what else they are or needs more than
    64 bits."""
    e = w.e
    ints, floats, look, ask, done = (e.label(name) for name in ("ints", "floats", "look", "ask", "done"))
    code = e.load("i32", slot, 0, "code")
    e.branch(e.icmp("eq", code, e.load("i32", other, 0, "other.code"), "are.alike"), look, ask)
    e.at(look)
    e.switch(code, ask, [(layout.INT, ints), (layout.FLOAT, floats)])
    e.at(ints)
    a, b = (e.load("i64", each, PAYLOAD, "int") for each in (slot, other))
    (more, is_more), (fewer, is_fewer) = e.overflowing("sadd", a, b, "sum"), e.overflowing("ssub", a, b, "difference")
    fits = e.label("fits")
    e.branch(e.select(less, is_fewer, is_more, "is.beyond"), ask, fits)
    e.at(fits)
    e.store(e.select(less, fewer, more, "total"), slot, PAYLOAD)
    e.br(done)
    e.at(floats)
    x, y = (e.load("double", each, PAYLOAD, "float") for each in (slot, other))
    e.store(e.select(less, e.float_binary("fsub", x, y), e.float_binary("fadd", x, y), "total"), slot, PAYLOAD)
    e.br(done)
    e.at(done)
    e.ret(const("i32", 0))
    e.at(ask)
    e.ret(const("i32", 1))
