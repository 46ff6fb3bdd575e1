"""The stack of choices of one function: frames of words, the last of which says where to go on.

    | saved word | ... | number of the place |     number 0, at the bottom: there is no other choice

It begins in the function's frame and moves to the heap when it grows. Some of the frames are no choices but the old
value of a variable, which going back brings back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jitffi.ir.builder import Builder, V, const
from jitffi.scripts.regex.chars import call

if TYPE_CHECKING:
    from jitffi.adapters.unit import Unit

#: Words in the function's frame.
FIRST: Final = 256
#: Rounds until the first question whether to end, of some nanoseconds each.
ROUNDS: Final = 1 << 15


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


class Stack:
    """Pushes, and what is written once at the end: going back. *failed*: where it is gone to without memory."""

    def __init__(self, unit: Unit, builder: Builder, clock: Clock, failed: str) -> None:
        e = self.e = builder
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
        top = e.offset(e.load("ptr", self._top, 0, "top"), -8, "last")
        e.store(top, self._top)
        number = e.load("i64", top, 0, "number")
        e.switch(number, nowhere, [(n, label) for label, n in self._places.items() if label in self._live])
