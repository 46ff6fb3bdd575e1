"""The stack of choices of one function: frames of words, the last of which says where to go on.

    | saved word | ... | number of the place |     number 0, at the bottom: there is no other choice

It begins in the function's frame and moves to the heap when it grows. Some of the frames are no choices but the old
value of a variable, which going back brings back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jitffi.ir.builder import NULL, Builder, V, const
from jitffi.scripts.regex.chars import call

if TYPE_CHECKING:
    from jitffi.adapters.unit import Unit

#: Words in the function's frame.
FIRST: Final = 256
#: Rounds until the first question whether to end, of some nanoseconds each.
ROUNDS: Final = 1 << 15
#: How often it is gone back, a character of the text and beside that, until it is remembered where nothing matched.
AFTER = (4, 1024)


class Clock:
    """Counts work down, and asks now and then whether the script is to end."""

    def __init__(self, unit: Unit, builder: Builder, failed: str) -> None:
        self.unit: Final = unit
        self.e: Final = builder
        self._failed: Final = failed
        self._left, self._rounds = builder.alloca("i64", "left"), builder.alloca("i64", "rounds")
        for each in (self._left, self._rounds):
            builder.setup(const("i64", ROUNDS), each)

    def count(self, rounds: V) -> None:
        e = self.e
        on, ask, go = e.label("in.time"), e.label("ask"), e.label("go.on")
        left = e.sub(e.load("i64", self._left, 0, "left"), rounds, "left")
        e.store(left, self._left)
        e.branch(e.icmp("slt", left, const("i64", 0)), ask, on, likely=False)
        e.at(ask)
        more = call(self.unit, e, "jf_script_interrupted", e.load("i64", self._rounds, 0, "rounds"))
        e.branch(e.icmp("slt", more, const("i64", 0)), self._failed, go, likely=False)
        e.at(go)
        e.store(more, self._rounds)
        e.store(more, self._left)
        e.br(on)
        e.at(on)


class Memory:
    """Bits for places of the code and positions that a search has been at, once it takes long: what began there has led
    nowhere, and would again. So a pattern takes time by the length of the text, not by the number of its ways through
    it."""

    def __init__(self, unit: Unit, builder: Builder, end: V) -> None:
        self.unit: Final = unit
        self.e: Final = builder
        self._end: Final = end
        self._bits, self._left = builder.alloca("ptr", "memory"), builder.alloca("i64", "going.back")
        self._places = 0

    def begin(self) -> None:
        """From so many times of going back on it is worth it."""
        e = self.e
        e.store(NULL, self._bits)
        e.store(e.add(e.mul(self._end, const("i64", AFTER[0])), const("i64", AFTER[1])), self._left)

    def once(self, at: V, back: str) -> None:
        """Go on where nothing has begun here, at that position, yet."""
        e = self.e
        bits, look, on, new = e.load("ptr", self._bits, 0, "bits"), e.label("memory"), e.label("first"), e.label("new")
        e.branch(e.is_null(bits), on, look, likely=True)
        e.at(look)
        row = e.mul(e.add(self._end, const("i64", 1)), const("i64", self._places))
        self._places += 1
        bit = e.add(row, at, "bit")
        byte = e.index(bits, 1, e.lshr(bit, const("i64", 3)), "byte")
        mask = e.shl(const("i8", 1), e.trunc(e.and_(bit, const("i64", 7)), "i8"), "mask")
        before = e.load("i8", byte, 0, "before")
        e.branch(e.icmp("eq", e.and_(before, mask), const("i8", 0)), new, back)
        e.at(new)
        e.store(e.or_(before, mask), byte)
        e.br(on)
        e.at(on)

    def gone_back(self) -> None:
        """Once more; the last time that is let pass, bits are made."""
        e = self.e
        if not self._places:
            return
        left = e.sub(e.load("i64", self._left, 0, "left"), const("i64", 1), "left")
        e.store(left, self._left)
        make, on = e.label("remember"), e.label("known")
        e.branch(e.icmp("eq", left, const("i64", 0)), make, on, likely=False)
        e.at(make)
        bits = e.mul(e.add(self._end, const("i64", 1)), const("i64", self._places), "bits")
        size = e.add(e.lshr(bits, const("i64", 3)), const("i64", 1), "size")
        e.store(call(self.unit, e, "jf_regex_memory", size), self._bits)
        e.br(on)
        e.at(on)

    def leave(self) -> None:
        call(self.unit, self.e, "jf_regex_free", self.e.load("ptr", self._bits, 0, "bits"), NULL)


class Stack:
    """Pushes, and what is written once at the end: going back. *failed*: where it is gone to without memory."""

    def __init__(self, unit: Unit, builder: Builder, clock: Clock, memory: Memory, failed: str) -> None:
        e = self.e = builder
        self.memory: Final = memory
        self.unit: Final = unit
        self._clock: Final = clock
        #: Where to branch to go back to the last choice.
        self.back: Final = e.label("back")
        self._failed: Final = failed
        self._places: dict[str, int] = {}
        #: Those that code which is reached goes on at.
        self._live: set[str] = set()
        self._first: Final = e.alloca("i64", "stack", FIRST)
        self._base, self._limit, self._top = (e.alloca("ptr", name) for name in ("base", "limit", "top"))
        self._undos: dict[tuple[str, int], tuple[str, V, int]] = {}

    def begin(self) -> None:
        """Before the first attempt."""
        e = self.e
        self.memory.begin()
        e.store(const("i64", 0), self._first)
        e.store(self._first, self._base)
        e.store(e.offset(self._first, 8 * FIRST), self._limit)
        self.clear()

    def clear(self) -> None:
        """Nothing but the bottom."""
        self.cut(const("i64", 8))

    def height(self) -> V:
        """Its bytes, which `cut` goes back to."""
        e = self.e
        top, base = (e.cast("ptrtoint", e.load("ptr", each, 0, "at"), "i64") for each in (self._top, self._base))
        return e.sub(top, base, "height")

    def cut(self, height: V) -> None:
        e = self.e
        e.store(e.index(e.load("ptr", self._base, 0, "base"), 1, height), self._top)

    def push(self, words: list[V], name: str) -> str:
        """A choice: the label where it is gone on. Whoever opens that block begins with `pop`."""
        label = self.e.label(name)
        self._push(words, label)
        return label

    def push_again(self, words: list[V], label: str) -> None:
        """Another one that is gone on with at the same place."""
        self._push(words, label)

    def _push(self, words: list[V], label: str) -> None:
        e, size = self.e, 8 * len(words) + 8
        number = self._places.setdefault(label, len(self._places) + 1)
        if not e.is_dead:
            e.will_lead_to(label)
            self._live.add(label)
        after = e.offset(e.load("ptr", self._top, 0, "top"), size, "after")
        there, full = e.label("room"), e.label("full")
        e.branch(e.icmp("ule", after, e.load("ptr", self._limit, 0, "limit")), there, full, likely=True)
        e.at(full)
        self._grow()
        e.br(there)
        e.at(there)
        top = e.load("ptr", self._top, 0, "top")
        for i, word in enumerate(words):
            e.store(word, top, 8 * i)
        e.store(const("i64", number), top, size - 8)
        e.store(e.offset(top, size, "after"), self._top)

    def _grow(self) -> None:
        e = self.e
        base, height = e.load("ptr", self._base, 0, "base"), self.height()
        limit = e.cast("ptrtoint", e.load("ptr", self._limit, 0, "limit"), "i64")
        size = e.sub(limit, e.cast("ptrtoint", base, "i64"), "size")
        made = call(self.unit, e, "jf_regex_grow", base, size, self._first)
        on, failed = e.label("grown"), e.label("no.memory")
        e.branch(e.is_null(made), failed, on, likely=False)
        e.at(failed)
        e.store(self._first, self._base)
        e.br(self._failed)
        e.at(on)
        e.store(made, self._base)
        e.store(e.index(made, 2, size), self._limit)
        e.store(e.index(made, 1, height), self._top)

    def pop(self, count: int) -> list[V]:
        """The words of the choice that is gone on with, which is off the stack then."""
        e = self.e
        top = e.offset(e.load("ptr", self._top, 0, "top"), -8 * count, "frame")
        e.store(top, self._top)
        return [e.load("i64", top, 8 * i, "word") for i in range(count)]

    def undo(self, variable: V, offset: int = 0) -> None:
        """Going back from here on brings back the i64 that is in the variable, or in memory, now."""
        key = (variable.text, offset)
        if key not in self._undos:
            self._undos[key] = (self.e.label("undo"), variable, offset)
        self._push([self.e.load("i64", variable, offset, "old")], self._undos[key][0])

    def leave(self) -> None:
        """At every way out."""
        e = self.e
        self.memory.leave()
        base, some, none = e.load("ptr", self._base, 0, "base"), e.label("free"), e.label("freed")
        e.branch(e.icmp("eq", base, self._first), none, some, likely=True)
        e.at(some)
        call(self.unit, e, "jf_regex_free", base, self._first)
        e.br(none)
        e.at(none)

    def finish(self, nowhere: str) -> None:
        """Write what going back does; *nowhere* is the label for where there is no choice left."""
        e = self.e
        for label, variable, offset in self._undos.values():
            e.at(label)
            e.store(self.pop(1)[0], variable, offset)
            e.br(self.back)
        e.at(self.back)
        self._clock.count(const("i64", 1))
        self.memory.gone_back()
        top = e.offset(e.load("ptr", self._top, 0, "top"), -8, "last")
        e.store(top, self._top)
        number = e.load("i64", top, 0, "number")
        e.switch(number, nowhere, [(n, label) for label, n in self._places.items() if label in self._live])
