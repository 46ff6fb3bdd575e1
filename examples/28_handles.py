"""What C hands out and wants back: files, aligned memory and text, freed once, by the function that C has for it."""

import numpy as np

import jitffi

libc = jitffi.load_library("libc.so.6")

# A handle is a pointer to a struct that nobody looks into; `fclose` is called when it is closed or nothing leads to it.
fopen = libc.bind("fopen", "(path: cstr, mode: cstr) -> owned[ptr[struct FILE], fclose]", errno=True)
fputs = libc.bind("fputs", "(text: cstr, file: ptr[struct FILE]) -> i32")
with fopen("/dev/null", "w") as file:
    print("written:", fputs("hello\n", file) >= 0, file)
print("closed: ", file)
try:
    fputs("too late", file)
except ValueError as error:
    print(error)
try:
    fopen("/no/such/file", "r")
except FileNotFoundError as error:
    print(error)

# Memory: arrays that are views of it keep it, and it cannot be closed under them.
memalign = libc.bind("posix_memalign", "(memory: out[owned[ptr[f64], free]], alignment: u64, size: u64) -> void")
memory = memalign(4096, 8000)
numbers = memory.array(10, 100)
numbers[:] = np.arange(100)
print("aligned:", memory.address % 4096 == 0)
try:
    memory.close()
except BufferError as error:
    print(error)
del memory
print("sum:    ", numbers.sum())
del numbers  # now it is freed

# Text is copied to a str, and freed at once.
realpath = libc.bind("realpath", "(path: cstr, room: ptr) -> optional[owned[cstr, free]]")
print("path:   ", realpath("/dev/../dev/./null", None), realpath("/no/such/file", None))

# Prototypes say nothing of who frees: `types=` does.
strdup = libc.bind("strdup", "char *strdup(const char *text);", types={"return": "owned[cstr, free]"})
print(jitffi.Function(strdup).signature)
