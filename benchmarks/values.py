"""The runtime's containers from C, by the pad of their slots, beside a C array of tagged structs. ns an operation.

    append      to an empty list that grows, and the list's end
    get         an owned copy in a local of the same pad
    pop         the last item, which is appended again
    map         its keys are text of 5 characters, its values ints
    split       a text into words, or into characters, each appended to a list; ns a word or character

native/containers.c has the loops, native/array.c those of the array, which knows no objects and no maps.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator
from typing import Any

from benchmarks import build
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare

TITLE = "Containers in C, by pad"
RELATION = "ratio"
LIMIT = "C array"

COUNT = 1000
PADS = range(5)
WORDS, CHARACTERS = 2000, 100000
#: Name -> number of the kind in native/workload.h.
KINDS = {"ints": 9, "text of 5": 4, "ucs4 of 3": 7}
_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int64
_ONE = {"list_append": _NUMBER, "list_get": _NUMBER, "list_pop_append": _NUMBER, "list_make": _POINTER}


def _loaded(name: str, *links: str) -> ctypes.CDLL:
    library = build.library(name, *links)
    library.values_workload.restype, library.values_workload.argtypes = _POINTER, (ctypes.c_int32, _NUMBER)
    for function, result in _ONE.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = _POINTER, _NUMBER
    for function in ("split_words", "split_wide_words", "split_characters"):
        getattr(library, function).restype = _NUMBER
        getattr(library, function).argtypes = _POINTER, _NUMBER, _NUMBER
    return library


def _contenders() -> dict[str, tuple[ctypes.CDLL, int]]:
    links = build.against_runtime()
    array, runtime = _loaded("array", *links), _loaded("containers", *links)
    runtime.map_make.restype, runtime.map_make.argtypes = _POINTER, (_POINTER, _NUMBER)
    runtime.map_fill.restype, runtime.map_fill.argtypes = _NUMBER, (_POINTER, _NUMBER)
    runtime.map_get.restype, runtime.map_get.argtypes = _NUMBER, (_POINTER, _POINTER, _NUMBER)
    return {LIMIT: (array, 0), **{f"pad {pad}": (runtime, pad) for pad in PADS}}


def _case(function: Any, *arguments: Any, per: int, result: int) -> Case:
    names = dict(zip("abcd", arguments, strict=False))
    return Case(f"f({', '.join(names)})", {"f": function, **names}, result.__eq__, per=per, loop=False)


def _sum(kind: str) -> int:
    """What the items of a workload come to: see workload_sum."""
    if kind == "ints":
        return sum(7 * i + 3000 for i in range(COUNT))
    return sum(5 + ord("w") if kind == "text of 5" else 3 + 0x4E00 + i % 32 for i in range(COUNT))


def _lists() -> Iterator[tuple[str, dict[str, Case]]]:
    contenders = _contenders()
    for kind, number in KINDS.items():
        rows: dict[str, dict[str, Case]] = {"append": {}, "get": {}, "pop and append": {}}
        for who, (library, pad) in contenders.items():
            work = library.values_workload(number, COUNT)
            made = library.list_make(work, pad)
            rows["append"][who] = _case(library.list_append, work, pad, per=COUNT, result=COUNT)
            rows["get"][who] = _case(library.list_get, made, pad, per=COUNT, result=_sum(kind))
            rows["pop and append"][who] = _case(library.list_pop_append, made, pad, per=COUNT, result=COUNT)
        yield from ((f"{what}: {kind}", cases) for what, cases in rows.items())


def _maps() -> Iterator[tuple[str, dict[str, Case]]]:
    fill, get = {}, {}
    for who, (library, pad) in list(_contenders().items())[1:]:
        keys = library.values_workload(KINDS["text of 5"], COUNT)
        made = library.map_make(keys, pad)
        fill[who] = _case(library.map_fill, keys, pad, per=COUNT, result=COUNT)
        wanted = sum(7 * i + 300 for i in range(COUNT))
        get[who] = _case(library.map_get, made, keys, pad, per=COUNT, result=wanted)
    yield "map: set", fill
    yield "map: get", get


def english() -> list[str]:
    """Words as they come in English text, punctuation included: what `help()` says of the language."""
    from pydoc_data.topics import topics

    words = (word for name in sorted(topics) for word in topics[name].split() if word.isascii())
    return list(itertools.islice(words, WORDS))


def _splits() -> Iterator[tuple[str, dict[str, Case]]]:
    words = " ".join(english())
    # No ASCII: those characters have static slots. Many: a list of them is larger than a cache near the processor.
    characters = "".join(chr(0x4E00 + 37 * i % 20000) for i in range(CHARACTERS))
    texts = {
        "English words, UTF-8": ("split_words", words.encode(), 1, WORDS),
        "English words, UCS4": ("split_wide_words", words.encode("utf-32-le"), 4, WORDS),
        "characters, UCS4": ("split_characters", characters.encode("utf-32-le"), 4, CHARACTERS),
    }
    for row, (function, text, width, count) in texts.items():
        cases = {}
        for who, (library, pad) in _contenders().items():
            held = ctypes.create_string_buffer(text, len(text))
            loop = getattr(library, function)
            cases[who] = _case(loop, held, len(text) // width, pad, per=count, result=count)
        yield f"split: {row}", cases


def measure(settings: Settings) -> Measured:
    rows = itertools.chain(_lists(), _maps(), _splits())
    return Measured([compare(row, cases, settings.rounds) for row, cases in rows])


def judge(measured: list[Times]) -> list[Goal]:
    """None: what the pads do for whom is what is to be seen."""
    return []
