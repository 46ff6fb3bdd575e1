"""One iteration at a time: text, pieces of text, lists, tuples, dicts, and values of any type. The protocol is
told in iterators.py."""

from __future__ import annotations

from jitffi.scripts.lower.containers import fragments, items, lists, vectors
from jitffi.scripts.lower.control.interrupts import Stretch
from jitffi.scripts.lower.function.emit import NULL, P, V, const
from jitffi.scripts.lower.function.values import OUTLIVES, Value, char, int_, volatile
from jitffi.scripts.tree.types import ANY, CHAR, INT, Type, tuple_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body

ZERO, ONE = const("i64", 0), const("i64", 1)
#: JF_OVER_*.
OVER_ITEMS, OVER_VALUES, OVER_PAIRS, OVER_REVERSED, OVER_STARRED = 0, 1, 2, 3, 4


class Iterator:
    """One iteration. `type`: what its items are."""

    type: Type = ANY
    #: `parts` has values.
    has_parts = False
    #: What it gives of any type lies in a container, where a round without side effects finds it to its end.
    of_items = False
    #: Text that it gives is good until the next round, where `keep_texts` was called.
    lends = True
    #: Where text is that had to be made of an item, until the next round; None: it is gone when the item was taken.
    keep: P | None = None

    def keep_texts(self, b: Body) -> None:
        """Text of an item is good until the next round."""
        self.keep = b.frame.temp_slot(0)

    def slot(self, b: Body) -> P | None:
        """`keep`, null."""
        if self.keep is not None:
            b.frame.release_slot(self.keep, 0)
        return self.keep

    def stretch(self, b: Body, rounds: int) -> bool:
        """The loop begins here: ask after that many rounds whether the script is to end. False: whoever goes through
        the rounds counts them."""
        return False

    def next(self, b: Body, done: str) -> None:
        raise NotImplementedError

    def position(self) -> V | None:
        """The number of this round's item, from 0, where the iteration has it."""
        return None

    def bounds(self) -> tuple[V, V] | None:
        """The first `number` and the one behind the last, where each round's is one more than that before it, and no
        round changes the last."""
        return None

    def number(self) -> V:
        """This round's, where there are bounds: a range's item itself, of text the position of its item."""
        raise NotImplementedError

    def item(self, b: Body) -> Value:
        raise NotImplementedError

    def parts(self, b: Body) -> list[Value] | None:
        return None

    def put_all(self, b: Body, list_: Value) -> bool:
        """Append all items to a list, at once. False: that goes one by one; nothing is written."""
        return False

    def length(self, b: Body) -> V | None:
        """How many items there will be at most, if that is known now: room for a list of them."""
        return None


def counter(b: Body, start: V, name: str = "next") -> V:
    """An i64 of the frame, set now."""
    place = b.e.alloca("i64", name)
    b.e.store(start, place)
    return place


# -- text -----------------------------------------------------------------------------------------------------------


class Text(Iterator):
    """The characters of a STR, the ints of a BYTES."""

    def __init__(self, b: Body, value: Value, backwards: bool = False) -> None:
        self.type = INT if value.kind == "bytes" else CHAR
        self._value: Final = value
        self._backwards: Final = backwards
        self._at = counter(b, value.size if backwards else ZERO)
        self._stretch: Stretch | None = None
        self._item = ZERO

    def stretch(self, b: Body, rounds: int) -> bool:
        if not self._backwards:
            self._stretch = Stretch(b, self._at, self._value.size, False, rounds)
        return not self._backwards

    def next(self, b: Body, done: str) -> None:
        e = b.e
        if self._stretch is not None:
            at = self._stretch.next(b, done)
        else:
            on = e.label("round")
            at = e.load("i64", self._at, 0, "at")
            e.branch(e.icmp("ne", at, ZERO if self._backwards else self._value.size), on, done)
            e.at(on)
        after = e.sub(at, ONE) if self._backwards else e.add(at, ONE)
        e.store(after, self._at)
        self._item = after if self._backwards else at

    def position(self) -> V | None:
        return None if self._backwards else self._item

    def bounds(self) -> tuple[V, V] | None:
        return None if self._backwards else (ZERO, self._value.size)

    def number(self) -> V:
        return self._item

    def item(self, b: Body) -> Value:
        if self._value.kind == "bytes":
            byte = b.e.load("i8", b.e.index(self._value.data, 1, self._item), 0, "byte")
            return int_(b.e.zext(byte, "i64"))
        return char(char_at(b, self._value, self._item))

    def length(self, b: Body) -> V | None:
        return self._value.size


def char_at(b: Body, value: Value, at: V) -> V:
    """The code point at an index that is in range."""
    e = b.e
    if value.wide.text == "false":
        return e.zext(e.load("i8", e.index(value.data, 1, at), 0, "byte"), "i32")
    wide, narrow, done = e.label("wide"), e.label("narrow"), e.label("char")
    e.branch(value.wide, wide, narrow)
    e.at(wide)
    long = e.load("i32", e.index(value.data, 4, at), 0, "point")
    e.br(done)
    e.at(narrow)
    short = e.zext(e.load("i8", e.index(value.data, 1, at), 0, "byte"), "i32")
    e.br(done)
    e.at(done)
    return e.phi([(long, wide), (short, narrow)], "char")


class Split(Iterator):
    """The pieces that text.split() would put into a list."""

    def __init__(self, b: Body, value: Value, separator: Value | None, most: V) -> None:
        self.type = value.type
        self._split = b.frame.scratch(8 * 8)
        self._piece = b.frame.scratch(24)
        # A piece lasts as long as the text, whose heap string keeps it where somebody wants it to last longer.
        self._keep = OUTLIVES if value.keep.kind == "outlives" else volatile(b.storage.heap_of(value))
        given = NULL if separator is None else b.storage.text(separator)
        b.frame.call("jf_text_split_init", self._split, b.storage.text(value), given, most)

    def next(self, b: Body, done: str) -> None:
        on = b.e.label("round")
        symbol = "jf_text_split_next" if self.type.kind == "str" else "jf_bytes_split_next"
        more = b.frame.call(symbol, self._split, self._piece)
        b.e.branch(b.e.icmp("ne", more, const("i32", 0)), on, done)
        b.e.at(on)

    def item(self, b: Body) -> Value:
        return b.storage.read_text(self.type, self._piece, self._keep)


# -- containers -----------------------------------------------------------------------------------------------------


class Sequence(Iterator):
    """Items of a list or tuple."""

    of_items = True

    def __init__(self, b: Body, value: Value, backwards: bool = False) -> None:
        self._value: Final = value
        self._backwards: Final = backwards
        self.type = self._type_of(value.type)
        self._at = counter(b, self._size(b) if backwards else ZERO)
        self._item = ZERO

    def _type_of(self, container: Type) -> Type:
        return lists.item_type(container)

    def _size(self, b: Body) -> V:
        return b.e.load_size(self._value.ssa, fragments.SIZE)

    def next(self, b: Body, done: str) -> None:
        e = b.e
        on = e.label("round")
        at = e.load("i64", self._at, 0, "at")
        if self._backwards:
            at = e.sub(at, ONE)
        # Of a list that has become shorter the rest is not there; from 0 back it is far beyond.
        e.branch(e.icmp("ult", at, self._size(b)), on, done)
        e.at(on)
        e.store(at if self._backwards else e.add(at, ONE), self._at)
        self._item = at

    def position(self) -> V | None:
        return None if self._backwards else self._item

    def item(self, b: Body) -> Value:
        if self._value.kind == "vector":
            return vectors.read(b, self._value, self._item)
        return items.read(b, lists.item_at(b, self._value.ssa, self._item), self.type, self.slot(b))

    def length(self, b: Body) -> V | None:
        return self._size(b)


class Map(Iterator):
    """Keys, values or both of a dict, or the items of a set, in order, from its entries."""

    of_items = True

    def __init__(self, b: Body, value: Value, what: str) -> None:
        assert value.type.args
        self._types = value.type.args
        self._parts: Final = len(self._types)
        self._what: Final = what
        self.has_parts = what == "items"
        self.type = {"keys": self._types[0], "values": self._types[-1], "items": tuple_of(*self._types)}[what]
        self._value: Final = value
        self._size = b.e.load_size(value.ssa, fragments.SIZE)
        self._at = counter(b, ZERO)
        self._entry = NULL
        self._key_keep: P | None = None

    def next(self, b: Body, done: str) -> None:
        e, map_ = b.e, self._value.ssa
        again, look, there = e.label("entry"), e.label("look"), e.label("there")
        same = e.icmp("eq", e.load_size(map_, fragments.SIZE), self._size, "same.size")
        kind = "dictionary" if self._parts == 2 else "Set"
        b.frame.raise_if(e.not_(same), "RuntimeError", f"{kind} changed size during iteration")
        e.br(again)
        e.at(again)
        at = e.load("i64", self._at, 0, "at")
        e.branch(e.icmp("ult", at, e.load_size(map_, fragments.MAP_USED)), look, done)
        e.at(look)
        e.store(e.add(at, ONE), self._at)
        entries = e.load("ptr", map_, fragments.MAP_ENTRIES, "entries")
        self._entry = e.index(entries, 8 + self._parts * b.abi.pointer_bytes, at, "entry")
        removed = e.is_null(e.load("ptr", self._entry, 8, "key"))
        e.branch(removed, again, there)
        e.at(there)

    def keep_texts(self, b: Body) -> None:
        super().keep_texts(b)
        self._key_keep = b.frame.temp_slot(0)

    def _key_slot(self, b: Body) -> P | None:
        if self._key_keep is not None:
            b.frame.release_slot(self._key_keep, 0)
        return self._key_keep

    def _read(self, b: Body, index: int) -> Value:
        item = b.e.load("ptr", self._entry, 8 + index * b.abi.pointer_bytes, "item")
        return items.read(b, item, self._types[index], self.slot(b) if index else self._key_slot(b))

    def put_all(self, b: Body, list_: Value) -> bool:
        wanted = list_.type.args[0] if list_.type.args else ANY
        if self._what != "items" or list_.kind != "list" or items.becomes_float(self.type, wanted):
            return False
        b.frame.call("jf_map_items_to", self._value.ssa, list_.ssa)
        return True

    def item(self, b: Body) -> Value:
        if self._what != "items":
            return self._read(b, 1 if self._what == "values" else 0)
        return lists.new_tuple(b, [self._read(b, 0), self._read(b, 1)])

    def parts(self, b: Body) -> list[Value] | None:
        return [self._read(b, 0), self._read(b, 1)] if self._what == "items" else None

    def length(self, b: Body) -> V | None:
        return self._size


class Dynamic(Iterator):
    """Of a value of any type."""

    def __init__(self, b: Body, value: Value, what: int = OVER_ITEMS) -> None:
        self._state = b.frame.temp_iteration()
        self._slot = b.frame.temp_slot()
        b.frame.call("jf_iterate", self._state, b.storage.view(value), const("i32", what))

    def next(self, b: Body, done: str) -> None:
        e = b.e
        on = e.label("round")
        b.frame.release_slot(self._slot, b.frame.pad_of(self._slot))
        more = b.frame.call("jf_iterate_next", self._state, self._slot)
        b.frame.fail_if(e.icmp("slt", more, const("i32", 0), "failed"))
        e.branch(e.icmp("ne", more, const("i32", 0)), on, done)
        e.at(on)

    def item(self, b: Body) -> Value:
        return Value(ANY, self._slot, volatile())
