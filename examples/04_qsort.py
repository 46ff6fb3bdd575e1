"""qsort and bsearch with Python comparators. `optional[i64]` is `const int64_t*` in C."""

import array

import jitffi

libc = jitffi.load_library(None)
COMPARE = "func[(a: optional[i64], b: optional[i64]) -> i32]"
qsort = libc.bind("qsort", f"(base: ptr, count: u64, size: u64, compare: {COMPARE}) -> void")
bsearch = libc.bind("bsearch", f"(key: ptr, base: ptr, count: u64, size: u64, compare: {COMPARE}) -> ptr")

numbers = array.array("q", [170, 45, 75, -90, 802, 24, 2, 66])
qsort(numbers, len(numbers), 8, lambda a, b: (a > b) - (a < b))
print(numbers.tolist())


# Decorated, the comparator has one address for as long as it lives.
@jitffi.function("(optional[i64], optional[i64]) -> i32")
def compare(a, b):
    return (a > b) - (a < b)


start = numbers.buffer_info()[0]
found = bsearch(array.array("q", [75]), numbers, len(numbers), 8, compare)
print("75 is at", (found - start) // 8, "and 3 at", bsearch(array.array("q", [3]), numbers, len(numbers), 8, compare))

try:
    qsort(numbers, len(numbers), 8, lambda a, b: a // (b - b))
except ZeroDivisionError as error:
    print("out of the comparator:", error)
