"""Functions of IR that are the same in every script: fast paths on lists and slots, written when a script names them.

    put int       list[at] = value: int over int, in place                            fragments_put.py
    append int    and of a float, of a character, of ASCII text: into a free slot     fragments_append.py
                  of the list's pool
    item text     and a character                                                   fragments_item.py
    any len       and a view of what a slot holds, and taking it                    fragments_any.py
    object retain and release                                                       fragments_object.py

Most have a cold sibling, which calls the runtime. A module holds those that its code names, and LLVM inlines them.
What a slot, a list and a pool look like is ABI (abi.h): items of a list are addresses of slots, small ints' and ASCII
characters' those of static tables; all other slots are the pool's own.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.lower.function.emit import Emit, V, const
from jitffi.scripts.lower.function.functions import FUNCTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from jitffi.scripts.lower.function.module import Module

#: Offsets (abi.h: jf_list, jf_tuple, jf_map; SIZE and CAPACITY in a jf_vector, too).
ITEMS, SIZE, CAPACITY, LIST_POOL = 16, 24, 32, 40
MAP_ENTRIES, MAP_USED, MAP_POOL = 16, 32, 72
#: The same in a jf_pool.
FREE, FRESH, END, STRIDE = 8, 16, 24, 36
#: The static table of ints (containers.h).
FIRST_INT, INTS = -128, 1152

PAYLOAD = layout.SLOT_PAYLOAD
ZERO = const("i64", 0)


class Writer:
    """A fragment under construction: its builder, and what it calls and reads outside."""

    def __init__(self, module: Module) -> None:
        self.module: Final = module
        self.e: Final = Emit(module.abi)

    def fragment(self, name: str, *args: V) -> V:
        """Call another fragment."""
        return self.e.call(FRAGMENTS[name].result, self.module.fragment(name), list(args))

    def outside(self, symbol: str, *args: V) -> V:
        """Call a function of the runtime; what it says of failure is the fragment's to hand on."""
        row = FUNCTIONS[symbol]
        return self.e.call(row.result, self.module.declare(row, list(args)), list(args))

    def static_slot(self, table: str, index: V) -> V:
        """The address of a slot of one of the runtime's static tables."""
        return self.e.index(self.module.data_symbol(table), layout.SLOT_SIZE, index, "static.slot")

    def int_index(self, value: V) -> tuple[V, V]:
        """The index in the static table of ints, and whether it is there."""
        index = self.e.add(value, const("i64", -FIRST_INT), "biased")
        return index, self.e.icmp("ult", index, const("i64", INTS), "is.small")

    def plain_view(self, code: V, bits: V) -> V:
        """A slot of the frame with a plain value in it."""
        view = self.e.alloca("i64", "view", 2)
        self.e.store(code, view)
        self.e.store(const("i32", 0), view, layout.SLOT_SMALL_LEN)
        self.e.store(bits, view, PAYLOAD)
        return view

    def fill(self, slot: V, code: int, bits: V) -> None:
        """Write a plain value into a slot of a pool."""
        self.e.store(const("i64", code & 0xFFFFFFFF), slot)
        self.e.store(bits, slot, PAYLOAD)

    def free_slot(self, pool: V, none: str) -> V:
        """A free slot of a pool; where there is none without an allocation the code goes on at *none*."""
        fill = self.e.label("fill")
        slot = self.fragment("pool.take", pool)
        self.e.branch(self.e.is_null(slot), none, fill)
        self.e.at(fill)
        return slot


class Fragment:
    """A function: its prototype, and what writes its body."""

    __slots__ = ("_attributes", "_params", "_write", "name", "result")

    def __init__(self, name: str, result: str, params: str, attributes: str, write: Callable[..., None]) -> None:
        self.name: Final = name
        self.result: Final = result
        self._params: Final = [tuple(each.split()) for each in params.split(", ")]
        self._attributes: Final = attributes
        self._write: Final = write

    def text(self, module: Module) -> str:
        """The function, for a module's target."""
        w = Writer(module)
        values = [V(type_, "%" + w.e.unique(name)) for type_, name in self._params]
        start = w.e.label("start")
        w.e.will_lead_to(start)
        w.e.at(start)
        self._write(w, *values)
        extension = module.abi.extension
        given = [" ".join(filter(None, (v.type, extension(v.type, "signext"), v.text))) for v in values]
        result = f"{extension(self.result, 'signext')} {self.result}".strip()
        head = f'define internal {result} @"script.{self.name}"({", ".join(given)}) {self._attributes} #0 {{'
        return w.e.text(head, start)


#: By name; the symbol is "script." and the name.
FRAGMENTS: Final[dict[str, Fragment]] = {}


def fragment(
    name: str, result: str, params: str, attributes: str = "inlinehint"
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """@fragment("list.put.int", "i32", "ptr list, i64 at, i64 value"): enters what writes that function's body."""

    def enter(write: Callable[..., None]) -> Callable[..., None]:
        assert name not in FRAGMENTS, name
        FRAGMENTS[name] = Fragment(name, result, params, attributes, write)
        return write

    return enter
