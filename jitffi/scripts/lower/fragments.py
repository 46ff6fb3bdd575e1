"""Functions of IR that are the same in every script: fast paths on lists, for values that no object stands for.

    put int       list[at] = value: int over int, in place
    append int    and of a float, of a character, of ASCII text: into a free slot of the list's pool

Each has a cold sibling, which calls the runtime. A module holds those that its code names, and LLVM inlines them.
What a slot, a list and a pool look like is ABI (abi.h): items of a list are addresses of slots, small ints' and ASCII
characters' those of static tables; all other slots are the pool's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jitffi.base import layout
from jitffi.scripts.lower import fragments_append, fragments_item, fragments_put

if TYPE_CHECKING:
    from jitffi.ir.cabi import CABI

#: Offsets (abi.h: jf_list, jf_tuple, jf_map; SIZE and CAPACITY in a jf_vector, too).
ITEMS, SIZE, CAPACITY, LIST_POOL = 16, 24, 32, 40
MAP_ENTRIES, MAP_USED, MAP_POOL = 16, 32, 72
#: The same in a jf_pool.
FREE, FRESH, END, STRIDE = 8, 16, 24, 36
#: The static table of ints (containers.h).
FIRST_INT, INTS = -128, 1152

_NAMES = {
    "ITEMS": ITEMS,
    "SIZE": SIZE,
    "CAPACITY": CAPACITY,
    "LIST_POOL": LIST_POOL,
    "MAP_POOL": MAP_POOL,
    "FREE": FREE,
    "FRESH": FRESH,
    "END": END,
    "STRIDE": STRIDE,
    "INT": layout.INT,
    "FLOAT": layout.FLOAT,
    "SMALL_STR": layout.SMALL_STR,
    "SMALL_UCS4": layout.SMALL_UCS4,
    "SMALL_BYTES": layout.SMALL_BYTES,
    "OBJECT": layout.OBJECT,
    "LIST": layout.LIST,
    "MAP": layout.MAP,
    "TUPLE": layout.TUPLE,
    "HEAP_BYTES": layout.BYTES,
    "HEAP_STR": layout.STR,
    "HEAP_UCS4": layout.UCS4,
    "SMALL_STR_1": layout.SMALL_STR & 0xFFFFFFFF | 1 << 32,
    "SMALL_UCS4_1": layout.SMALL_UCS4 & 0xFFFFFFFF | 1 << 32,
    "BIAS": -FIRST_INT,
    "INTS": INTS,
    "INT_BYTES": 16 * INTS,
}


class Fragment:
    """A function: its text, what it calls of ours, and of the runtime."""

    __slots__ = ("_text", "needs", "outside")

    def __init__(self, text: str, needs: tuple[str, ...], outside: tuple[str, ...]) -> None:
        self._text: Final = text
        self.needs: Final = needs
        self.outside: Final = outside

    def text(self, abi: CABI) -> str:
        """The function, for a target."""
        widen = "%size.64 = " + ("add i64 %size, 0" if abi.size == "i64" else "zext i32 %size to i64")
        names = {**_NAMES, "SIZE_T": abi.size, "SIZE_64": widen, "EXTENDED": abi.extension("i32", "signext")}
        text = self._text.strip()
        for name, value in names.items():
            text = text.replace("{" + name + "}", str(value))
        return text.replace(" {\n", " #0 {\n", 1)


#: What they call of the runtime: the types of the parameters; None: a table.
OUTSIDE: Final = {
    "jf_static_ints": None,
    "jf_static_chars": None,
    "jf_list_set": ["ptr", "i64", "ptr"],
    "jf_list_append": ["ptr", "ptr"],
    "jf_text_list_append": ["ptr", "ptr"],
    "jf_text_of": ["ptr", "ptr", "ptr"],
    "jf_char_out": ["i32", "ptr"],
    "jf_script_overflow": [],
    "jf_object_retain": ["ptr"],
    "jf_object_release": ["ptr"],
    "jf_any_view": ["ptr", "ptr"],
}


#: By name; the symbol is "script." and the name.
FRAGMENTS: Final = {
    name: Fragment(text, needs, outside)
    for name, text, needs, outside in (
        ("pool.take", fragments_put.TAKE, (), ()),
        ("list.put.slow", fragments_put.PUT_SLOW, (), ("jf_list_set",)),
        ("item.put.int", fragments_put.ITEM_PUT_INT, ("pool.take",), ("jf_static_ints",)),
        ("list.put.int", fragments_put.PUT_INT, ("item.put.int", "list.put.slow"), ()),
        ("map.add.int", fragments_put.MAP_ADD_INT, ("item.put.int",), ("jf_script_overflow",)),
        ("list.put.float", fragments_put.PUT_FLOAT, ("list.put.slow",), ()),
        ("list.append.slow", fragments_append.APPEND_SLOW, (), ("jf_list_append",)),
        ("list.append.int", fragments_append.APPEND_INT, ("pool.take", "list.append.slow"), ("jf_static_ints",)),
        ("list.append.float", fragments_append.APPEND_FLOAT, ("pool.take", "list.append.slow"), ()),
        ("list.append.char.slow", fragments_append.APPEND_CHAR_SLOW, (), ("jf_char_out", "jf_list_append")),
        (
            "list.append.char",
            fragments_append.APPEND_CHAR,
            ("pool.take", "list.append.char.slow"),
            ("jf_static_chars",),
        ),
        ("list.append.text.slow", fragments_append.APPEND_TEXT_SLOW, (), ("jf_text_list_append",)),
        ("item.text.slow", fragments_item.ITEM_TEXT_SLOW, (), ("jf_text_of",)),
        ("item.text", fragments_item.ITEM_TEXT, ("item.text.slow",), ()),
        ("item.char", fragments_item.ITEM_CHAR, (), ()),
        ("any.len", fragments_item.ANY_LEN, (), ()),
        ("any.view", fragments_item.ANY_VIEW, (), ("jf_any_view",)),
        ("any.take", fragments_item.ANY_TAKE, (), ("jf_object_retain", "jf_object_release")),
        (
            "list.append.text",
            fragments_append.APPEND_TEXT,
            ("pool.take", "list.append.text.slow"),
            ("jf_static_chars",),
        ),
    )
}
