"""Functions of IR that are the same in every script: fast paths on lists, for values that no object stands for.

    put int       list[at] = value: int over int, in place
    append int    and of a float, of a character, of ASCII text: into a free slot of the list's pool

Each has a cold sibling, which calls the runtime. A module holds those that its code names, and LLVM inlines them.
What a slot, a list and a pool look like is ABI (abi.h): items of a list are addresses of slots, small ints' and ASCII
characters' those of static tables; all other slots are the pool's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jitffi import layout

if TYPE_CHECKING:
    from jitffi.ir.cabi import CABI

#: Offsets (abi.h: jf_list, jf_tuple, jf_map).
ITEMS, SIZE, CAPACITY, LIST_POOL = 16, 24, 32, 40
MAP_ENTRIES, MAP_USED, MAP_POOL = 16, 32, 72
#: The same in a pool.
FREE, FRESH, END, STRIDE = 8, 16, 24, 36
#: Codes of heap strings, and of a view of a reference that the callee may take.
HEAP_STR, HEAP_UCS4, RVALUE = 33, 34, -12
#: The static table of ints.
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
    "HEAP_STR": HEAP_STR,
    "HEAP_UCS4": HEAP_UCS4,
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
}


# A free slot of the pool, or NULL where there is none without an allocation.
_TAKE = """
define internal ptr @"script.pool.take"(ptr %pool) alwaysinline {
  %free.at = getelementptr i8, ptr %pool, i64 {FREE}
  %free = load ptr, ptr %free.at
  %none = icmp eq ptr %free, null
  br i1 %none, label %fresh, label %reuse
reuse:
  %next.at = getelementptr i8, ptr %free, i64 8
  %next = load ptr, ptr %next.at
  store ptr %next, ptr %free.at
  ret ptr %free
fresh:
  %fresh.at = getelementptr i8, ptr %pool, i64 {FRESH}
  %slot = load ptr, ptr %fresh.at
  %end.at = getelementptr i8, ptr %pool, i64 {END}
  %end = load ptr, ptr %end.at
  %full = icmp eq ptr %slot, %end
  br i1 %full, label %empty, label %take
take:
  %stride.at = getelementptr i8, ptr %pool, i64 {STRIDE}
  %stride = load i32, ptr %stride.at
  %wide = sext i32 %stride to i64
  %after = getelementptr i8, ptr %slot, i64 %wide
  store ptr %after, ptr %fresh.at
  ret ptr %slot
empty:
  ret ptr null
}
"""

# list[at] = a plain value of `bits`, by the runtime. at is in range.
_PUT_SLOW = """
define internal i32 @"script.list.put.slow"(ptr %list, i64 %at, i32 %code, i64 %bits) noinline cold {
  %view = alloca { i32, i32, i64 }
  store i32 %code, ptr %view
  %len.at = getelementptr i8, ptr %view, i64 4
  store i32 0, ptr %len.at
  %bits.at = getelementptr i8, ptr %view, i64 8
  store i64 %bits, ptr %bits.at
  %failed = call i32 @jf_list_set(ptr %list, i64 %at, ptr %view)
  ret i32 %failed
}
"""

# A small int over a small int changes the item's address only; any other int over such a one, the slot. A small int
# over an int of the pool gives the slot back. False where nothing was done.
_ITEM_PUT_INT = """
define internal i1 @"script.item.put.int"(ptr %place, ptr %pool, i64 %value) alwaysinline {
  %old = load ptr, ptr %place
  %old.word = ptrtoint ptr %old to i64
  %distance = sub i64 %old.word, ptrtoint (ptr @jf_static_ints to i64)
  %was.small = icmp ult i64 %distance, {INT_BYTES}
  %biased = add i64 %value, {BIAS}
  %small = icmp ult i64 %biased, {INTS}
  br i1 %small, label %to.small, label %to.large
to.small:
  %new = getelementptr { i64, i64 }, ptr @jf_static_ints, i64 %biased
  br i1 %was.small, label %swap, label %give
give:
  %code = load i32, ptr %old
  %was.int = icmp eq i32 %code, {INT}
  br i1 %was.int, label %give.back, label %other
give.back:
  %free.at = getelementptr i8, ptr %pool, i64 {FREE}
  %free = load ptr, ptr %free.at
  store i32 0, ptr %old
  %next.at = getelementptr i8, ptr %old, i64 8
  store ptr %free, ptr %next.at
  store ptr %old, ptr %free.at
  br label %swap
swap:
  store ptr %new, ptr %place
  ret i1 true
to.large:
  br i1 %was.small, label %take, label %own
own:
  %own.code = load i32, ptr %old
  %own.int = icmp eq i32 %own.code, {INT}
  br i1 %own.int, label %over, label %other
over:
  %payload = getelementptr i8, ptr %old, i64 8
  store i64 %value, ptr %payload
  ret i1 true
take:
  %slot = call ptr @"script.pool.take"(ptr %pool)
  %none = icmp eq ptr %slot, null
  br i1 %none, label %other, label %fill
fill:
  %head = zext i32 {INT} to i64
  store i64 %head, ptr %slot
  %bits.at = getelementptr i8, ptr %slot, i64 8
  store i64 %value, ptr %bits.at
  store ptr %slot, ptr %place
  ret i1 true
other:
  ret i1 false
}
"""

_PUT_INT = """
define internal i32 @"script.list.put.int"(ptr %list, i64 %at, i64 %value) inlinehint {
  %items.at = getelementptr i8, ptr %list, i64 {ITEMS}
  %items = load ptr, ptr %items.at
  %place = getelementptr ptr, ptr %items, i64 %at
  %pool = getelementptr i8, ptr %list, i64 {LIST_POOL}
  %done = call i1 @"script.item.put.int"(ptr %place, ptr %pool, i64 %value)
  br i1 %done, label %in.place, label %other
in.place:
  ret i32 0
other:
  %failed = call i32 @"script.list.put.slow"(ptr %list, i64 %at, i32 {INT}, i64 %value)
  ret i32 %failed
}
"""

# What an entry of a map holds += number: 1; 0: that is no int, or there is no room: nothing was done; -1.
_MAP_ADD_INT = """
define internal i32 @"script.map.add.int"(ptr %map, ptr %place, i64 %number) inlinehint {
  %old = load ptr, ptr %place
  %code = load i32, ptr %old
  %is.int = icmp eq i32 %code, {INT}
  br i1 %is.int, label %add, label %other
add:
  %value.at = getelementptr i8, ptr %old, i64 8
  %value = load i64, ptr %value.at
  %both = call { i64, i1 } @llvm.sadd.with.overflow.i64(i64 %value, i64 %number)
  %sum = extractvalue { i64, i1 } %both, 0
  %over = extractvalue { i64, i1 } %both, 1
  br i1 %over, label %overflow, label %put
put:
  %pool = getelementptr i8, ptr %map, i64 {MAP_POOL}
  %done = call i1 @"script.item.put.int"(ptr %place, ptr %pool, i64 %sum)
  %result = zext i1 %done to i32
  ret i32 %result
overflow:
  %failed = call i32 @jf_script_overflow()
  ret i32 %failed
other:
  ret i32 0
}
"""

# A float never has a static slot, so an old one's slot is the pool's.
_PUT_FLOAT = """
define internal i32 @"script.list.put.float"(ptr %list, i64 %at, double %value) inlinehint {
  %items.at = getelementptr i8, ptr %list, i64 {ITEMS}
  %items = load ptr, ptr %items.at
  %place = getelementptr ptr, ptr %items, i64 %at
  %old = load ptr, ptr %place
  %code = load i32, ptr %old
  %own = icmp eq i32 %code, {FLOAT}
  br i1 %own, label %over, label %other
over:
  %payload = getelementptr i8, ptr %old, i64 8
  store double %value, ptr %payload
  ret i32 0
other:
  %bits = bitcast double %value to i64
  %failed = call i32 @"script.list.put.slow"(ptr %list, i64 %at, i32 {FLOAT}, i64 %bits)
  ret i32 %failed
}
"""

_APPEND_SLOW = """
define internal i32 @"script.list.append.slow"(ptr %list, i32 %code, i64 %bits) noinline cold {
  %view = alloca { i32, i32, i64 }
  store i32 %code, ptr %view
  %len.at = getelementptr i8, ptr %view, i64 4
  store i32 0, ptr %len.at
  %bits.at = getelementptr i8, ptr %view, i64 8
  store i64 %bits, ptr %bits.at
  %failed = call i32 @jf_list_append(ptr %list, ptr %view)
  ret i32 %failed
}
"""


def _append_begin(parameters: str) -> str:
    """The place behind the last item, where the list has room; %full goes to %slow."""
    return (
        """
define internal i32 @"script.list.append."""
        + parameters
        + """ inlinehint {
  %size.at = getelementptr i8, ptr %list, i64 {SIZE}
  %size = load i64, ptr %size.at
  %capacity.at = getelementptr i8, ptr %list, i64 {CAPACITY}
  %capacity = load i64, ptr %capacity.at
  %full = icmp eq i64 %size, %capacity
  %pool = getelementptr i8, ptr %list, i64 {LIST_POOL}
  br i1 %full, label %slow, label %room
"""
    )


# %item, from wherever, becomes the last one. Blocks behind this one must not be reached from it.
_APPEND_END = """
  %items.at = getelementptr i8, ptr %list, i64 {ITEMS}
  %items = load ptr, ptr %items.at
  %place = getelementptr ptr, ptr %items, i64 %size
  store ptr %item, ptr %place
  %more = add i64 %size, 1
  store i64 %more, ptr %size.at
  ret i32 0
"""

_APPEND_INT = (
    _append_begin('int"(ptr %list, i64 %value)')
    + """
room:
  %biased = add i64 %value, {BIAS}
  %small = icmp ult i64 %biased, {INTS}
  br i1 %small, label %static, label %large
static:
  %new = getelementptr { i64, i64 }, ptr @jf_static_ints, i64 %biased
  br label %commit
large:
  %slot = call ptr @"script.pool.take"(ptr %pool)
  %none = icmp eq ptr %slot, null
  br i1 %none, label %slow, label %fill
fill:
  %head = zext i32 {INT} to i64
  store i64 %head, ptr %slot
  %bits.at = getelementptr i8, ptr %slot, i64 8
  store i64 %value, ptr %bits.at
  br label %commit
commit:
  %item = phi ptr [ %new, %static ], [ %slot, %fill ]
"""
    + _APPEND_END
    + """
slow:
  %failed = call i32 @"script.list.append.slow"(ptr %list, i32 {INT}, i64 %value)
  ret i32 %failed
}
"""
)

_APPEND_FLOAT = (
    _append_begin('float"(ptr %list, double %value)')
    + """
room:
  %item = call ptr @"script.pool.take"(ptr %pool)
  %none = icmp eq ptr %item, null
  br i1 %none, label %slow, label %fill
fill:
  %head = zext i32 {FLOAT} to i64
  store i64 %head, ptr %item
  %bits.at = getelementptr i8, ptr %item, i64 8
  store double %value, ptr %bits.at
"""
    + _APPEND_END
    + """
slow:
  %bits = bitcast double %value to i64
  %failed = call i32 @"script.list.append.slow"(ptr %list, i32 {FLOAT}, i64 %bits)
  ret i32 %failed
}
"""
)

_APPEND_CHAR_SLOW = """
define internal i32 @"script.list.append.char.slow"(ptr %list, i32 %value) noinline cold {
  %view = alloca { i32, i32, i64 }
  store i32 -1, ptr %view
  %len.at = getelementptr i8, ptr %view, i64 4
  store i32 8, ptr %len.at
  %bits.at = getelementptr i8, ptr %view, i64 8
  store i64 0, ptr %bits.at
  %no = call i32 @jf_char_out(i32 {EXTENDED} %value, ptr %view)
  %bad = icmp ne i32 %no, 0
  br i1 %bad, label %done, label %append
append:
  %failed = call i32 @jf_list_append(ptr %list, ptr %view)
  ret i32 %failed
done:
  ret i32 %no
}
"""

_APPEND_CHAR = (
    _append_begin('char"(ptr %list, i32 %value)')
    + """
room:
  %ascii = icmp ult i32 %value, 128
  br i1 %ascii, label %static, label %wide
static:
  %index = zext i32 %value to i64
  %new = getelementptr { i64, i64 }, ptr @jf_static_chars, i64 %index
  br label %commit
wide:
  %slot = call ptr @"script.pool.take"(ptr %pool)
  %none = icmp eq ptr %slot, null
  br i1 %none, label %slow, label %fill
fill:
  store i32 {SMALL_UCS4}, ptr %slot
  %len.at = getelementptr i8, ptr %slot, i64 4
  store i32 1, ptr %len.at
  %bits = zext i32 %value to i64
  %bits.at = getelementptr i8, ptr %slot, i64 8
  store i64 %bits, ptr %bits.at
  br label %commit
commit:
  %item = phi ptr [ %new, %static ], [ %slot, %fill ]
"""
    + _APPEND_END
    + """
slow:
  %failed = call i32 @"script.list.append.char.slow"(ptr %list, i32 %value)
  ret i32 %failed
}
"""
)

_APPEND_TEXT_SLOW = """
define internal i32 @"script.list.append.text.slow"(ptr %list, ptr %data, i64 %size, i32 %wide) noinline cold {
  %text = alloca { ptr, i64, i32 }
  store ptr %data, ptr %text
  %size.at = getelementptr i8, ptr %text, i64 8
  store i64 %size, ptr %size.at
  %wide.at = getelementptr i8, ptr %text, i64 16
  store i32 %wide, ptr %wide.at
  %failed = call i32 @jf_text_list_append(ptr %list, ptr %text)
  ret i32 %failed
}
"""

# ASCII text of up to 15 bytes, where the pool's slots have room for it: two words that overlap, so that no byte beside
# the text is read. One character has a static slot.
_APPEND_TEXT = (
    _append_begin('text"(ptr %list, ptr %data, i64 %size.of, i32 %wide)')
    + """
room:
  %stride.at = getelementptr i8, ptr %pool, i64 {STRIDE}
  %stride = load i32, ptr %stride.at
  %payload = sub i32 %stride, 8
  %payload.size = zext i32 %payload to i64
  %fits = icmp ult i64 %size.of, %payload.size
  %short = icmp ult i64 %size.of, 16
  %ascii = icmp eq i32 %wide, 0
  %both = and i1 %fits, %short
  %all = and i1 %both, %ascii
  br i1 %all, label %small, label %slow
small:
  %many = icmp ugt i64 %size.of, 1
  br i1 %many, label %pooled, label %one
one:
  %empty = icmp eq i64 %size.of, 0
  br i1 %empty, label %slow, label %static
static:
  %char = load i8, ptr %data
  %index = zext i8 %char to i64
  %new = getelementptr { i64, i64 }, ptr @jf_static_chars, i64 %index
  br label %commit
pooled:
  %slot = call ptr @"script.pool.take"(ptr %pool)
  %none = icmp eq ptr %slot, null
  br i1 %none, label %slow, label %fill
fill:
  store i32 {SMALL_STR}, ptr %slot
  %len.at = getelementptr i8, ptr %slot, i64 4
  %len = trunc i64 %size.of to i32
  store i32 %len, ptr %len.at
  %to = getelementptr i8, ptr %slot, i64 8
  %eight = icmp ugt i64 %size.of, 7
  br i1 %eight, label %long, label %below
long:
  %word = load i64, ptr %data, align 1
  store i64 %word, ptr %to
  %last.offset = sub i64 %size.of, 8
  %last.at = getelementptr i8, ptr %data, i64 %last.offset
  %last = load i64, ptr %last.at, align 1
  %surplus = sub i64 16, %size.of
  %surplus.bits = shl i64 %surplus, 3
  %over = icmp ugt i64 %surplus.bits, 63
  %shifted = lshr i64 %last, %surplus.bits
  %rest = select i1 %over, i64 0, i64 %shifted
  %rest.at = getelementptr i8, ptr %to, i64 8
  store i64 %rest, ptr %rest.at
  br label %commit
below:
  %four = icmp ugt i64 %size.of, 3
  br i1 %four, label %middle, label %two
middle:
  %a4 = load i32, ptr %data, align 1
  %b4.offset = sub i64 %size.of, 4
  %b4.at = getelementptr i8, ptr %data, i64 %b4.offset
  %b4 = load i32, ptr %b4.at, align 1
  %a4.wide = zext i32 %a4 to i64
  %b4.wide = zext i32 %b4 to i64
  %b4.bits = shl i64 %b4.offset, 3
  %b4.high = shl i64 %b4.wide, %b4.bits
  %word4 = or i64 %a4.wide, %b4.high
  store i64 %word4, ptr %to
  br label %commit
two:
  %a2 = load i16, ptr %data, align 1
  %b2.offset = sub i64 %size.of, 2
  %b2.at = getelementptr i8, ptr %data, i64 %b2.offset
  %b2 = load i16, ptr %b2.at, align 1
  %a2.wide = zext i16 %a2 to i64
  %b2.wide = zext i16 %b2 to i64
  %b2.bits = shl i64 %b2.offset, 3
  %b2.high = shl i64 %b2.wide, %b2.bits
  %word2 = or i64 %a2.wide, %b2.high
  store i64 %word2, ptr %to
  br label %commit
commit:
  %item = phi ptr [ %new, %static ], [ %slot, %long ], [ %slot, %middle ], [ %slot, %two ]
"""
    + _APPEND_END
    + """
slow:
  %failed = call i32 @"script.list.append.text.slow"(ptr %list, ptr %data, i64 %size.of, i32 %wide)
  ret i32 %failed
}
"""
)

# The text of an item of a list, tuple or map, or of any slot: into %out, which is
#     | data ptr | size i64 | wide i32 | -- | object ptr |     the object: the heap string that it lies in, or NULL
# What jf_text_of says: 0; 1: no str; -1. ASCII and UCS4 are read here; what has to be told or made there.
_ITEM_TEXT = """
define internal i32 @"script.item.text"(ptr %given, ptr %out, ptr %keep) inlinehint {
  %memory = alloca [4 x i64]
  %size.out = getelementptr i8, ptr %out, i64 8
  %wide.out = getelementptr i8, ptr %out, i64 16
  %object.out = getelementptr i8, ptr %out, i64 24
  %given.code = load i32, ptr %given
  %in.slot = icmp eq i32 %given.code, {OBJECT}
  br i1 %in.slot, label %held, label %look
held:
  %held.at = getelementptr i8, ptr %given, i64 8
  %held.object = load ptr, ptr %held.at
  %held.code = load i32, ptr %held.object
  br label %look
look:
  %item = phi ptr [ %given, %0 ], [ %held.object, %held ]
  %code = phi i32 [ %given.code, %0 ], [ %held.code, %held ]
  %payload = getelementptr i8, ptr %item, i64 8
  switch i32 %code, label %slow [ i32 {SMALL_STR}, label %small  i32 {SMALL_UCS4}, label %ucs4
                                  i32 {HEAP_STR}, label %heap  i32 {HEAP_UCS4}, label %heap.ucs4 ]
small:
  %len.at = getelementptr i8, ptr %item, i64 4
  %len = load i32, ptr %len.at
  %len.size = zext i32 %len to i64
  %first = load i64, ptr %payload
  %one.word = icmp ult i32 %len, 8
  br i1 %one.word, label %ascii, label %two.words
two.words:
  %short = icmp ult i32 %len, 16
  br i1 %short, label %second, label %slow
second:
  %second.at = getelementptr i8, ptr %item, i64 16
  %word = load i64, ptr %second.at
  %beyond = sub i64 15, %len.size
  %beyond.bits = shl i64 %beyond, 3
  %text.of.word = shl i64 %word, %beyond.bits
  %all = or i64 %first, %text.of.word
  br label %ascii
ascii:
  %bits = phi i64 [ %first, %small ], [ %all, %second ]
  %high = and i64 %bits, -9187201950435737472
  %is.ascii = icmp eq i64 %high, 0
  br i1 %is.ascii, label %done, label %slow
ucs4:
  %chars.at = getelementptr i8, ptr %item, i64 4
  %chars = load i32, ptr %chars.at
  %chars.size = zext i32 %chars to i64
  br label %done
heap:
  %heap.size.at = getelementptr i8, ptr %item, i64 24
  %heap.size = load i64, ptr %heap.size.at
  %counted.at = getelementptr i8, ptr %item, i64 40
  %counted = load atomic i64, ptr %counted.at monotonic, align 8
  %heap.ascii = icmp eq i64 %heap.size, %counted
  br i1 %heap.ascii, label %heap.data, label %slow
heap.data:
  %heap.data.at = getelementptr i8, ptr %item, i64 16
  %heap.text = load ptr, ptr %heap.data.at
  br label %done
heap.ucs4:
  %wide.size.at = getelementptr i8, ptr %item, i64 24
  %wide.size = load i64, ptr %wide.size.at
  %wide.data.at = getelementptr i8, ptr %item, i64 16
  %wide.text = load ptr, ptr %wide.data.at
  br label %done
done:
  %data = phi ptr [ %payload, %ascii ], [ %payload, %ucs4 ], [ %heap.text, %heap.data ], [ %wide.text, %heap.ucs4 ]
  %size = phi i64 [ %len.size, %ascii ], [ %chars.size, %ucs4 ], [ %heap.size, %heap.data ], [ %wide.size, %heap.ucs4 ]
  %wide = phi i32 [ 0, %ascii ], [ 1, %ucs4 ], [ 0, %heap.data ], [ 1, %heap.ucs4 ]
  %object = phi ptr [ null, %ascii ], [ null, %ucs4 ], [ %item, %heap.data ], [ %item, %heap.ucs4 ]
  store ptr %data, ptr %out
  store i64 %size, ptr %size.out
  store i32 %wide, ptr %wide.out
  store ptr %object, ptr %object.out
  ret i32 0
slow: ; by way of memory of its own, so that %out can be registers
  %status = call i32 @"script.item.text.slow"(ptr %item, ptr %memory, ptr %keep)
  %slow.data = load ptr, ptr %memory
  store ptr %slow.data, ptr %out
  %slow.size.at = getelementptr i8, ptr %memory, i64 8
  %slow.size = load i64, ptr %slow.size.at
  store i64 %slow.size, ptr %size.out
  %slow.wide.at = getelementptr i8, ptr %memory, i64 16
  %slow.wide = load i32, ptr %slow.wide.at
  store i32 %slow.wide, ptr %wide.out
  %slow.object.at = getelementptr i8, ptr %memory, i64 24
  %slow.object = load ptr, ptr %slow.object.at
  store ptr %slow.object, ptr %object.out
  ret i32 %status
}
"""

_ITEM_TEXT_SLOW = """
define internal i32 @"script.item.text.slow"(ptr %item, ptr %out, ptr %keep) noinline cold {
  %view = alloca { i32, i32, i64 }
  %text = alloca { ptr, {SIZE_T}, i32 }
  %code = load i32, ptr %item
  %is.object = icmp sgt i32 %code, 0
  br i1 %is.object, label %object, label %ask
object:
  store i32 {OBJECT}, ptr %view
  %len.at = getelementptr i8, ptr %view, i64 4
  store i32 0, ptr %len.at
  %payload = getelementptr i8, ptr %view, i64 8
  store i64 0, ptr %payload
  store ptr %item, ptr %payload
  br label %ask
ask:
  %slot = phi ptr [ %item, %0 ], [ %view, %object ]
  %status = call i32 @jf_text_of(ptr %slot, ptr %text, ptr %keep)
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %done, label %found
found:
  %data = load ptr, ptr %text
  %size.at = getelementptr { ptr, {SIZE_T}, i32 }, ptr %text, i64 0, i32 1
  %size = load {SIZE_T}, ptr %size.at
  %wide.at = getelementptr { ptr, {SIZE_T}, i32 }, ptr %text, i64 0, i32 2
  %wide = load i32, ptr %wide.at
  store ptr %data, ptr %out
  %size.out = getelementptr i8, ptr %out, i64 8
  {SIZE_64}
  store i64 %size.64, ptr %size.out
  %wide.out = getelementptr i8, ptr %out, i64 16
  store i32 %wide, ptr %wide.out
  %keep.code = load i32, ptr %keep
  %made = icmp eq i32 %keep.code, {OBJECT}
  %kept.at = getelementptr i8, ptr %keep, i64 8
  %kept = load ptr, ptr %kept.at
  ; a slot can hold the object, too
  %slot.code = load i32, ptr %slot
  %slot.heap = icmp eq i32 %slot.code, {OBJECT}
  %own.at = getelementptr i8, ptr %slot, i64 8
  %own = load ptr, ptr %own.at
  %lies.in = select i1 %slot.heap, ptr %own, ptr null
  %owner = select i1 %made, ptr %kept, ptr %lies.in
  %object.out = getelementptr i8, ptr %out, i64 24
  store ptr %owner, ptr %object.out
  br label %done
done:
  ret i32 %status
}
"""

# slot = item, of a variable's own slot, which holds something: what was there is released when the new value was taken.
# Nothing is done, and 1 returned, for text that takes more than three words, or more than the slot has.
_ANY_TAKE = """
define internal i32 @"script.any.take"(ptr %item, ptr %slot, i32 %pad) inlinehint {
  %code = load i32, ptr %item
  %is.object = icmp sgt i32 %code, 0
  br i1 %is.object, label %object, label %plain
object:
  %own = icmp sle i32 %code, 3
  %slot.code = select i1 %own, i32 %code, i32 {OBJECT}
  %slot.head = zext i32 %slot.code to i64
  %word = ptrtoint ptr %item to i64
  call void @jf_object_retain(ptr %item)
  br label %two
plain:
  %head = load i64, ptr %item
  %payload.at = getelementptr i8, ptr %item, i64 8
  %payload = load i64, ptr %payload.at
  %above = sub i32 %code, {SMALL_BYTES}
  %is.text = icmp ult i32 %above, 3
  br i1 %is.text, label %text, label %two
text:
  %len.at = getelementptr i8, ptr %item, i64 4
  %len = load i32, ptr %len.at
  %is.ucs4 = icmp eq i32 %code, {SMALL_UCS4}
  %four = shl i32 %len, 2
  %and.nul = add i32 %len, 1
  %bytes = select i1 %is.ucs4, i32 %four, i32 %and.nul
  %short = icmp ult i32 %bytes, 9
  br i1 %short, label %two, label %long
long:
  %fits.three = icmp ult i32 %bytes, 17
  %has.three = icmp ne i32 %pad, 0
  %three.words = and i1 %fits.three, %has.three
  br i1 %three.words, label %three, label %other
three:
  %third.at = getelementptr i8, ptr %item, i64 16
  %third = load i64, ptr %third.at
  br label %two
two:
  %new.head = phi i64 [ %slot.head, %object ], [ %head, %plain ], [ %head, %text ], [ %head, %three ]
  %new.word = phi i64 [ %word, %object ], [ %payload, %plain ], [ %payload, %text ], [ %payload, %three ]
  %new.third = phi i64 [ 0, %object ], [ 0, %plain ], [ 0, %text ], [ %third, %three ]
  %is.three = phi i1 [ false, %object ], [ false, %plain ], [ false, %text ], [ true, %three ]
  %old.code = load i32, ptr %slot
  %old.object = icmp eq i32 %old.code, {OBJECT}
  %old.own = icmp sgt i32 %old.code, 0
  %held = or i1 %old.object, %old.own
  br i1 %held, label %release, label %put
release:
  %old.at = getelementptr i8, ptr %slot, i64 8
  %old = load ptr, ptr %old.at
  call void @jf_object_release(ptr %old)
  br label %put
put:
  store i64 %new.head, ptr %slot
  %to = getelementptr i8, ptr %slot, i64 8
  store i64 %new.word, ptr %to
  br i1 %is.three, label %put.third, label %done
put.third:
  %third.to = getelementptr i8, ptr %slot, i64 16
  store i64 %new.third, ptr %third.to
  br label %done
done:
  ret i32 0
other:
  ret i32 1
}
"""

# The code point of an item that is one character, or -1 where that takes more than a look.
_ITEM_CHAR = """
define internal i32 @"script.item.char"(ptr %item) inlinehint {
  %head = load i64, ptr %item
  %payload = getelementptr i8, ptr %item, i64 8
  %str = icmp eq i64 %head, {SMALL_STR_1}
  br i1 %str, label %narrow, label %other
narrow:
  %byte = load i8, ptr %payload
  %char = zext i8 %byte to i32
  %ascii = icmp ult i32 %char, 128
  %found = select i1 %ascii, i32 %char, i32 -1
  ret i32 %found
other:
  %ucs4 = icmp eq i64 %head, {SMALL_UCS4_1}
  br i1 %ucs4, label %wide, label %none
wide:
  %point = load i32, ptr %payload
  ret i32 %point
none:
  ret i32 -1
}
"""

#: By name; the symbol is "script." and the name.
FRAGMENTS: Final = {
    name: Fragment(text, needs, outside)
    for name, text, needs, outside in (
        ("pool.take", _TAKE, (), ()),
        ("list.put.slow", _PUT_SLOW, (), ("jf_list_set",)),
        ("item.put.int", _ITEM_PUT_INT, ("pool.take",), ("jf_static_ints",)),
        ("list.put.int", _PUT_INT, ("item.put.int", "list.put.slow"), ()),
        ("map.add.int", _MAP_ADD_INT, ("item.put.int",), ("jf_script_overflow",)),
        ("list.put.float", _PUT_FLOAT, ("list.put.slow",), ()),
        ("list.append.slow", _APPEND_SLOW, (), ("jf_list_append",)),
        ("list.append.int", _APPEND_INT, ("pool.take", "list.append.slow"), ("jf_static_ints",)),
        ("list.append.float", _APPEND_FLOAT, ("pool.take", "list.append.slow"), ()),
        ("list.append.char.slow", _APPEND_CHAR_SLOW, (), ("jf_char_out", "jf_list_append")),
        ("list.append.char", _APPEND_CHAR, ("pool.take", "list.append.char.slow"), ("jf_static_chars",)),
        ("list.append.text.slow", _APPEND_TEXT_SLOW, (), ("jf_text_list_append",)),
        ("item.text.slow", _ITEM_TEXT_SLOW, (), ("jf_text_of",)),
        ("item.text", _ITEM_TEXT, ("item.text.slow",), ()),
        ("item.char", _ITEM_CHAR, (), ()),
        ("any.take", _ANY_TAKE, (), ("jf_object_retain", "jf_object_release")),
        ("list.append.text", _APPEND_TEXT, ("pool.take", "list.append.text.slow"), ("jf_static_chars",)),
    )
}
