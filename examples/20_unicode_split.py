"""Text taken apart by a script, with and without types: no character costs an allocation."""

import ctypes

import jitffi
from jitffi.base import config


@jitffi.script
def unicode_split_any(word):
    ret = []
    for i in range(len(word)):
        res = word[i]
        ret.append(res)
    return ret


@jitffi.script
def unicode_split(word: str) -> list[str]:
    ret: list[str] = []
    for i in range(len(word)):
        res: str = word[i]
        ret.append(res)
    return ret


# Every allocation of the runtime goes through these two while they are set.
runtime = ctypes.CDLL(str(config.library_file()))
malloc, free = ctypes.CDLL(None).malloc, ctypes.CDLL(None).free
malloc.restype, malloc.argtypes, free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
counted = 0


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
def allocate(size, context):
    global counted
    counted += 1
    return malloc(size)


release = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda memory, context: free(memory))


def allocations(function, text):
    """How many one call makes."""
    global counted
    counted = 0
    runtime.jf_set_allocator(allocate, release, None)
    characters = function(text)
    made, counted = counted, 0
    del characters
    runtime.jf_set_allocator(None, None, None)
    return made


for function in (unicode_split_any, unicode_split):
    assert function("naïve 日本語 🙂") == list("naïve 日本語 🙂")
    for text in ("The quick brown fox " * 50, "日本語のテキスト。" * 100):
        once, twice = allocations(function, text), allocations(function, 2 * text)
        # What there is are the list and its blocks of slots, a few for any length.
        each = (twice - once) / len(text)
        print(f"{function.__name__:18} {len(text):5} characters, {once:2} allocations; {each:.0f} more per character")
