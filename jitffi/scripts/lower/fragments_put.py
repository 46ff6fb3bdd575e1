"""Functions of IR that write ints and floats over items of lists and maps. See fragments.py."""

from __future__ import annotations

# A free slot of the pool, or NULL where there is none without an allocation.
TAKE = """
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
PUT_SLOW = """
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
ITEM_PUT_INT = """
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

PUT_INT = """
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
MAP_ADD_INT = """
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
PUT_FLOAT = """
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
