"""The other side of `compiling`: `python -m benchmarks.first_wrapper TOOL LIBRARY COUNT` prints a fresh process's times
as JSON.

    load    whatever the tool needs before it can make a wrapper; for jitffi LLVM, the generator, their first-use costs
    first   from a name and a signature to the result of the first call
    each    the same for COUNT other signatures, divided by COUNT: all are bound, then each is called

Their functions are in a library that `c_source` is the text of; what they return is checked. The times are the thread's
own: what the processor does for others in between is no part of a compilation.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any

#: Type -> (its C parameters, what the function adds up of them, an argument, what that counts for)
TYPES: dict[str, tuple[tuple[str, ...], str, Any, int]] = {
    "bool": (("_Bool {}",), "{}", True, 1),
    "i32": (("int32_t {}",), "{}", -3, -3),
    "u8": (("uint8_t {}",), "{}", 200, 200),
    "i64": (("int64_t {}",), "(double){}", 1 << 40, 1 << 40),
    "f32": (("float {}",), "{}", 2.0, 2),
    "f64": (("double {}",), "{}", 4.0, 4),
    "str": (("const char* {}", "size_t {}_size"), "(double){}_size", "hello", 5),
    "bytes": (("const char* {}", "size_t {}_size"), "(double){}_size", b"bytes", 5),
}
RESULTS = {"f64": "double", "i64": "int64_t"}
COUNT = 100


def signatures() -> list[tuple[tuple[str, ...], str]]:
    """All that the library has: one to five parameters, all different."""
    chosen: dict[tuple[tuple[str, ...], str], None] = {}
    numbers = random.Random(1)
    while len(chosen) < COUNT:
        types = tuple(numbers.choices(list(TYPES), k=numbers.randint(1, 5)))
        chosen[types, numbers.choice(list(RESULTS))] = None
    return list(chosen)


def prototype(number: int, types: tuple[str, ...], result: str) -> str:
    parameters = [text.format(f"a{i}") for i, name in enumerate(types) for text in TYPES[name][0]]
    return f"{RESULTS[result]} f{number}({', '.join(parameters)})"


def c_source() -> str:
    lines = ["#include <stdint.h>", "#include <stddef.h>", '#define API __attribute__((visibility("default")))']
    lines.append("API int64_t add_i64(int64_t a, int64_t b) { return a + b; }")
    for number, (types, result) in enumerate(signatures()):
        total = " + ".join(TYPES[name][1].format(f"a{i}") for i, name in enumerate(types))
        lines.append(f"API {prototype(number, types, result)} {{ return {total}; }}")
    return "\n".join(lines) + "\n"


def _checked(function: Callable[..., Any], types: tuple[str, ...], result: str, split: bool) -> None:
    """Call it once. *split*: text goes as pointer and length."""
    arguments: list[Any] = []
    for name in types:
        value = TYPES[name][2]
        if split and name in ("str", "bytes"):
            data = value.encode() if name == "str" else value
            arguments += [data, len(data)]
        else:
            arguments.append(value)
    wanted = sum(TYPES[name][3] for name in types)
    got = function(*arguments)
    assert got == wanted and isinstance(got, float if result == "f64" else int), (types, got, wanted)


class Jitffi:
    split = False

    def __init__(self, library: str) -> None:
        import jitffi
        import jitffi.adapters.tiers

        self.library = jitffi.load_library(library)

    def make(self, name: str, types: tuple[str, ...], result: str) -> Callable[..., Any]:
        return self.library.bind(name, f"({', '.join(types)}) -> {result}")


class Ctypes:
    split = True

    def __init__(self, library: str) -> None:
        import ctypes as c

        text = (c.c_char_p, c.c_size_t)
        self.library = c.CDLL(library)
        self.types = {
            "bool": (c.c_bool,), "i32": (c.c_int32,), "u8": (c.c_uint8,), "i64": (c.c_int64,), "f32": (c.c_float,),
            "f64": (c.c_double,), "str": text, "bytes": text,
        }  # fmt: skip

    def make(self, name: str, types: tuple[str, ...], result: str) -> Callable[..., Any]:
        function = getattr(self.library, name)
        function.argtypes = [one for type_ in types for one in self.types[type_]]
        function.restype = self.types[result][0]
        return function


class Cffi:
    split = True

    def __init__(self, library: str) -> None:
        import cffi

        self.ffi = cffi.FFI()
        self.library = self.ffi.dlopen(library)

    def make(self, name: str, types: tuple[str, ...], result: str) -> Callable[..., Any]:
        text = "int64_t add_i64(int64_t, int64_t)" if name == "add_i64" else prototype(int(name[1:]), types, result)
        self.ffi.cdef(text + ";")
        return getattr(self.library, name)


TOOLS = {"jitffi": Jitffi, "ctypes": Ctypes, "cffi, loaded": Cffi}


def main(tool: str, library: str, count: int) -> None:
    points = [time.thread_time()]
    maker = TOOLS[tool](library)
    points.append(time.thread_time())
    assert maker.make("add_i64", ("i64", "i64"), "i64")(3, 4) == 7
    points.append(time.thread_time())
    chosen = signatures()[:count]
    made = [maker.make(f"f{number}", types, result) for number, (types, result) in enumerate(chosen)]
    for function, (types, result) in zip(made, chosen, strict=True):
        _checked(function, types, result, maker.split)
    points.append(time.thread_time())
    load, first, batch = (1e3 * (end - start) for start, end in itertools.pairwise(points))
    print(json.dumps({"load": load, "first": first, "each": batch / max(count, 1)}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
