"""Functions of IR that append plain values and short text to lists. See fragments.py."""

from __future__ import annotations

APPEND_SLOW = """
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
APPEND_END = """
  %items.at = getelementptr i8, ptr %list, i64 {ITEMS}
  %items = load ptr, ptr %items.at
  %place = getelementptr ptr, ptr %items, i64 %size
  store ptr %item, ptr %place
  %more = add i64 %size, 1
  store i64 %more, ptr %size.at
  ret i32 0
"""

APPEND_INT = (
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
    + APPEND_END
    + """
slow:
  %failed = call i32 @"script.list.append.slow"(ptr %list, i32 {INT}, i64 %value)
  ret i32 %failed
}
"""
)

APPEND_FLOAT = (
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
    + APPEND_END
    + """
slow:
  %bits = bitcast double %value to i64
  %failed = call i32 @"script.list.append.slow"(ptr %list, i32 {FLOAT}, i64 %bits)
  ret i32 %failed
}
"""
)

APPEND_CHAR_SLOW = """
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

APPEND_CHAR = (
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
    + APPEND_END
    + """
slow:
  %failed = call i32 @"script.list.append.char.slow"(ptr %list, i32 %value)
  ret i32 %failed
}
"""
)

# A jf_text; where size_t has 32 bits, the width is written over the upper half of the size.
APPEND_TEXT_SLOW = """
define internal i32 @"script.list.append.text.slow"(ptr %list, ptr %data, i64 %size, i32 %wide) noinline cold {
  %text = alloca { ptr, {SIZE_T}, i32 }
  store ptr %data, ptr %text
  %size.at = getelementptr { ptr, {SIZE_T}, i32 }, ptr %text, i32 0, i32 1
  store i64 %size, ptr %size.at, align 4
  %wide.at = getelementptr { ptr, {SIZE_T}, i32 }, ptr %text, i32 0, i32 2
  store i32 %wide, ptr %wide.at
  %failed = call i32 @jf_text_list_append(ptr %list, ptr %text)
  ret i32 %failed
}
"""

# ASCII text of up to 15 bytes, where the pool's slots have room for it: two words that overlap, so that no byte beside
# the text is read. One character has a static slot.
APPEND_TEXT = (
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
    + APPEND_END
    + """
slow:
  %failed = call i32 @"script.list.append.text.slow"(ptr %list, ptr %data, i64 %size.of, i32 %wide)
  ret i32 %failed
}
"""
)
