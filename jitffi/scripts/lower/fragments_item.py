"""Functions of IR that read items, and slots of any kind. See fragments.py."""

from __future__ import annotations

# The text of an item of a list, tuple or map, or of any slot: into %out, which is
#     | data ptr | size i64 | wide i32 | -- | object ptr |     the object: the heap string that it lies in, or NULL
# What jf_text_of says: 0; 1: no str; -1. ASCII and UCS4 are read here; what has to be told or made there.
ITEM_TEXT = """
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

ITEM_TEXT_SLOW = """
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
ANY_TAKE = """
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

# len() of what a slot holds where it is there to be read, or -1.
ANY_LEN = """
define internal i64 @"script.any.len"(ptr %slot) inlinehint {
  %code = load i32, ptr %slot
  switch i32 %code, label %ask [ i32 {OBJECT}, label %object  i32 {SMALL_STR}, label %str
                                 i32 {SMALL_UCS4}, label %small  i32 {SMALL_BYTES}, label %small ]
str:
  %text.len.at = getelementptr i8, ptr %slot, i64 4
  %text.len = load i32, ptr %text.len.at
  %text.size = zext i32 %text.len to i64
  %text.at = getelementptr i8, ptr %slot, i64 8
  %text = load i64, ptr %text.at
  %one.word = icmp ult i32 %text.len, 8
  br i1 %one.word, label %told, label %longer
longer:
  %two.words = icmp ult i32 %text.len, 16
  br i1 %two.words, label %second, label %ask
second:
  %second.at = getelementptr i8, ptr %slot, i64 16
  %word = load i64, ptr %second.at
  %beyond = sub i64 15, %text.size
  %beyond.bits = shl i64 %beyond, 3
  %text.of.word = shl i64 %word, %beyond.bits
  %both = or i64 %text, %text.of.word
  br label %told
told:
  %bits = phi i64 [ %text, %str ], [ %both, %second ]
  %high = and i64 %bits, -9187201950435737472
  %ascii = icmp eq i64 %high, 0
  %found = select i1 %ascii, i64 %text.size, i64 -1
  ret i64 %found
small:
  %len.at = getelementptr i8, ptr %slot, i64 4
  %len = load i32, ptr %len.at
  %len.size = zext i32 %len to i64
  ret i64 %len.size
object:
  %object.at = getelementptr i8, ptr %slot, i64 8
  %held = load ptr, ptr %object.at
  %held.code = load i32, ptr %held
  %size.at = getelementptr i8, ptr %held, i64 {SIZE}
  switch i32 %held.code, label %ask [ i32 {LIST}, label %sized  i32 {MAP}, label %sized  i32 {TUPLE}, label %sized
                                      i32 {HEAP_UCS4}, label %sized  i32 {HEAP_BYTES}, label %sized
                                      i32 {HEAP_STR}, label %heap ]
heap:
  %counted.at = getelementptr i8, ptr %held, i64 40
  %counted = load atomic i64, ptr %counted.at monotonic, align 8
  ret i64 %counted
sized:
  %size = load i64, ptr %size.at
  ret i64 %size
ask:
  ret i64 -1
}
"""

# The code point of an item that is one character, or -1 where that takes more than a look.
ITEM_CHAR = """
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

# out = a view of what a slot of any pad holds: its two words, but of text that takes more.
ANY_VIEW = """
define internal void @"script.any.view"(ptr %slot, ptr %out) inlinehint {
  %code = load i32, ptr %slot
  %payload.at = getelementptr i8, ptr %slot, i64 8
  %payload = load i64, ptr %payload.at
  %above = sub i32 %code, {SMALL_BYTES}
  %is.text = icmp ult i32 %above, 3
  br i1 %is.text, label %text, label %plain
text:
  %len.at = getelementptr i8, ptr %slot, i64 4
  %len = load i32, ptr %len.at
  %is.ucs4 = icmp eq i32 %code, {SMALL_UCS4}
  %four = shl i32 %len, 2
  %and.nul = add i32 %len, 1
  %bytes = select i1 %is.ucs4, i32 %four, i32 %and.nul
  %short = icmp ult i32 %bytes, 9
  br i1 %short, label %small, label %long
small:
  %head = load i64, ptr %slot
  br label %copy
plain:
  %bare = zext i32 %code to i64
  br label %copy
copy:
  %first = phi i64 [ %head, %small ], [ %bare, %plain ]
  store i64 %first, ptr %out
  %second = getelementptr i8, ptr %out, i64 8
  store i64 %payload, ptr %second
  ret void
long:
  call void @jf_any_view(ptr %slot, ptr %out)
  ret void
}
"""
