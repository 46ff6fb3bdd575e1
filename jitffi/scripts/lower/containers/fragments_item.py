"""Fragments that read the text of items of lists, tuples and maps, or of any slot (fragments.py)."""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.lower.containers.fragments import PAYLOAD, ZERO, Writer, fragment
from jitffi.scripts.lower.function.emit import NULL, V, const

#: In a jf_str: how many of its bytes are characters, once that was counted.
COUNTED = 40
#: In what `item.text` writes: the text's data, its size, whether it is wide, and the heap string that it lies in.
_SIZE, _WIDE, _OBJECT = 8, 16, 24
_HIGH = const("i64", -0x7F7F7F7F7F7F7F80)


def small_ascii(w: Writer, slot: V, length: V, found: str, ask: str) -> V:
    """The bytes of a SMALL_STR of up to 15 bytes, put together: one of 0x80 is among them where one is no ASCII.
    What is longer goes to *ask*; *found* is opened."""
    e = w.e
    first_at = e.here
    first = e.load("i64", slot, PAYLOAD, "first")
    longer, second = e.label("longer"), e.label("second")
    e.branch(e.icmp("ult", length, const("i32", 8), "one.word"), found, longer)
    e.at(longer)
    e.branch(e.icmp("ult", length, const("i32", 16), "two.words"), second, ask)
    e.at(second)
    word = e.load("i64", slot, PAYLOAD + 8, "word")
    beyond = e.shl(e.sub(const("i64", 15), e.zext(length, "i64", "size"), "beyond"), const("i64", 3), "beyond.bits")
    both = e.or_(first, e.shl(word, beyond, "text.of.word"), "both")
    e.br(found)
    e.at(found)
    bits = e.phi([(first, first_at), (both, second)], "bits")
    return e.icmp("eq", e.and_(bits, _HIGH, "high"), ZERO, "is.ascii")


@fragment("item.text", "i32", "ptr given, ptr out, ptr keep")
def _item_text(w: Writer, given: V, out: V, keep: V) -> None:
    """What jf_text_of says of a slot's text: 0; 1: it is no str; -1. ASCII and UCS4 are read here, into *out*; what has
    to be told or made, there."""
    e, memory = w.e, w.e.alloca("i64", "memory", 4)
    labels = [e.label(name) for name in ("small", "ucs4", "heap", "heap.ucs4")]
    slow, done = e.label("slow"), e.label("done")
    item, code = _behind(w, given)
    codes = (layout.SMALL_STR, layout.SMALL_UCS4, layout.STR, layout.UCS4)
    e.switch(code, slow, list(zip(codes, labels, strict=True)))
    found = [_small(w, item, labels[0], slow, done), _small_wide(w, item, labels[1], done)]
    found += [_heap(w, item, labels[2], slow, done), _heap_wide(w, item, labels[3], done)]
    e.at(done)
    names = ("data", "size", "wide", "object")
    told = [e.phi([(parts[i], at) for parts, at in found], name) for i, name in enumerate(names)]
    for part, offset in zip(told, (0, _SIZE, _WIDE, _OBJECT), strict=True):
        e.store(part, out, offset)
    e.ret(const("i32", 0))
    e.at(slow)
    # By way of memory of its own, so that *out* can be registers.
    status = w.fragment("item.text.slow", item, memory, keep)
    for type_, offset in (("ptr", 0), ("i64", _SIZE), ("i32", _WIDE), ("ptr", _OBJECT)):
        e.store(e.load(type_, memory, offset, "told"), out, offset)
    e.ret(status)


def _behind(w: Writer, given: V) -> tuple[V, V]:
    """The slot, or the object that it holds, and the code of that."""
    e = w.e
    held, look, before = e.label("held"), e.label("look"), e.here
    given_code = e.load("i32", given, 0, "given.code")
    e.branch(e.icmp("eq", given_code, const("i32", layout.OBJECT), "in.slot"), held, look)
    e.at(held)
    object_ = e.load("ptr", given, PAYLOAD, "held.object")
    held_code = e.load("i32", object_, 0, "held.code")
    e.br(look)
    e.at(look)
    return e.phi([(given, before), (object_, held)], "item"), e.phi([(given_code, before), (held_code, held)], "code")


#: The data, the size, whether it is wide and the object, and the block in which they are known.
_Found = tuple[tuple[V, V, V, V], str]
_NARROW, _IS_WIDE = const("i32", 0), const("i32", 1)


def _small(w: Writer, item: V, label: str, slow: str, done: str) -> _Found:
    e, ascii_ = w.e, w.e.label("ascii")
    e.at(label)
    length = e.load("i32", item, layout.SLOT_SMALL_LEN, "len")
    size = e.zext(length, "i64", "size")
    data = e.offset(item, PAYLOAD, "data")
    e.branch(small_ascii(w, item, length, ascii_, slow), done, slow)
    return (data, size, _NARROW, NULL), ascii_


def _small_wide(w: Writer, item: V, label: str, done: str) -> _Found:
    e = w.e
    e.at(label)
    size = e.zext(e.load("i32", item, layout.SLOT_SMALL_LEN, "len"), "i64", "size")
    data = e.offset(item, PAYLOAD, "data")
    e.br(done)
    return (data, size, _IS_WIDE, NULL), label


def _heap(w: Writer, item: V, label: str, slow: str, done: str) -> _Found:
    """ASCII where it is known to have as many characters as bytes."""
    e, narrow = w.e, w.e.label("heap.ascii")
    e.at(label)
    size = e.load("i64", item, layout.STR_SIZE, "size")
    e.branch(e.icmp("eq", size, e.load_atomic("i64", item, COUNTED, "counted"), "is.ascii"), narrow, slow)
    e.at(narrow)
    data = e.load("ptr", item, layout.STR_DATA, "data")
    e.br(done)
    return (data, size, _NARROW, item), narrow


def _heap_wide(w: Writer, item: V, label: str, done: str) -> _Found:
    e = w.e
    e.at(label)
    size = e.load("i64", item, layout.STR_SIZE, "size")
    data = e.load("ptr", item, layout.STR_DATA, "data")
    e.br(done)
    return (data, size, _IS_WIDE, item), label


@fragment("item.text.slow", "i32", "ptr item, ptr out, ptr keep", "noinline cold")
def _item_text_slow(w: Writer, item: V, out: V, keep: V) -> None:
    e, word = w.e, w.module.abi.pointer_bytes
    view, text = e.alloca("i64", "view", 2), e.alloca("i64", "text", 3)
    object_, ask, found, done = e.label("object"), e.label("ask"), e.label("found"), e.label("done")
    before = e.here
    e.branch(e.icmp("sgt", e.load("i32", item, 0, "code"), const("i32", 0), "is.object"), object_, ask)
    e.at(object_)
    e.store(const("i32", layout.OBJECT), view)
    e.store(const("i32", 0), view, layout.SLOT_SMALL_LEN)
    e.store_word(item, view, PAYLOAD)
    e.br(ask)
    e.at(ask)
    slot = e.phi([(item, before), (view, object_)], "slot")
    status = w.outside("jf_text_of", slot, text, keep)
    e.branch(e.icmp("ne", status, const("i32", 0), "failed"), done, found)
    e.at(found)
    e.store(e.load("ptr", text, 0, "data"), out)
    e.store(e.load_size(text, word), out, _SIZE)
    e.store(e.load("i32", text, 2 * word, "wide"), out, _WIDE)
    made, kept = _held(w, keep)
    is_held, own = _held(w, slot)
    e.store(e.select(made, kept, e.select(is_held, own, NULL, "lies.in"), "owner"), out, _OBJECT)
    e.br(done)
    e.at(done)
    e.ret(status)


def _held(w: Writer, slot: V) -> tuple[V, V]:
    """Whether a slot holds an object, and its payload."""
    e = w.e
    is_held = e.icmp("eq", e.load("i32", slot, 0, "code"), const("i32", layout.OBJECT), "is.held")
    return is_held, e.load("ptr", slot, PAYLOAD, "held")


@fragment("item.char", "i32", "ptr item")
def _item_char(w: Writer, item: V) -> None:
    """The code point of an item that is one character, or -1 where that takes more than a look."""
    e, one = w.e, 1 << 32
    narrow, other, wide, none = e.label("narrow"), e.label("other"), e.label("wide"), e.label("none")
    head = e.load("i64", item, 0, "head")
    e.branch(e.icmp("eq", head, const("i64", layout.SMALL_STR & 0xFFFFFFFF | one), "is.str"), narrow, other)
    e.at(narrow)
    char = e.zext(e.load("i8", item, PAYLOAD, "byte"), "i32", "char")
    e.ret(e.select(e.icmp("ult", char, const("i32", 128), "is.ascii"), char, const("i32", -1), "found"))
    e.at(other)
    e.branch(e.icmp("eq", head, const("i64", layout.SMALL_UCS4 & 0xFFFFFFFF | one), "is.ucs4"), wide, none)
    e.at(wide)
    e.ret(e.load("i32", item, PAYLOAD, "point"))
    e.at(none)
    e.ret(const("i32", -1))
