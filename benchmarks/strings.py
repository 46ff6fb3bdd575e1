"""Text: native calls with it (text_calls.py), and UTF-8, checked, decoded to UCS4, and encoded from what a str holds.

    valid      is it UTF-8?                  Python has no such thing: its codec decodes
    to UCS4    4 bytes a character           Python's codec makes a str, of 1, 2 or 4 bytes a character
    to UTF-8   from 1, 2 or 4 bytes          its size first, then the text

The runtime's functions on UTF-8 are called through ctypes, as is the byte loop of native/bytewise.c, on texts so long
that this is lost in them.
"""

from __future__ import annotations

import ctypes
import random
from types import SimpleNamespace
from typing import Any, NamedTuple

from benchmarks import build, text_calls
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, equals, show

TITLE = "Text: native calls, and gigabytes of UTF-8 a second"
RELATION = "ratio"
LIMIT = "Python's codec"
OURS, LOOP = "jitffi", "byte loop"
SPEED = "GB/s"  # bytes a nanosecond

BYTES = 128 * 1024
_LATIN = "über Größe naïve façade élève château señor où là déjà vu que les mots sont und der die das nicht"


class Text(NamedTuple):
    """Text, and how a Python str of it holds it."""

    text: str
    utf8: bytes
    stored: bytes
    width: int


def _text(words: list[str], width: int) -> Text:
    """Random words, with a space behind each."""
    chosen = random.Random(1).choices(words, k=BYTES // 2)
    text = " ".join(chosen)
    while len(utf8 := text.encode()) > BYTES:
        text = text[: len(text) * BYTES // len(utf8)]
    return Text(text, utf8, text.encode({1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}[width]), width)


def texts() -> dict[str, Text]:
    from benchmarks.values import english

    random_text = random.Random(2)
    chinese = ["".join(chr(random_text.randrange(0x4E00, 0x9FA5)) for _ in range(20)) for _ in range(1000)]
    emoji = ["".join(chr(random_text.randrange(0x1F600, 0x1F64F)) for _ in range(5)) for _ in range(1000)]
    return {
        "ASCII": _text(english(), 1),
        "Latin": _text(_LATIN.split(), 1),
        "Chinese": _text(chinese, 2),
        "emoji": _text(emoji, 4),
    }


def _function(library: ctypes.CDLL, name: str, *arguments: Any) -> Any:
    function = getattr(library, name)
    function.restype, function.argtypes = ctypes.c_int64, arguments
    return function


def _rows(sample: Text) -> dict[str, dict[str, Case]]:
    from jitffi.base import config

    pointer, number, width = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
    ours, loop = ctypes.CDLL(str(config.library_file())), build.library("bytewise")
    to_ucs4 = pointer, number, pointer
    size, count = len(sample.utf8), len(sample.text)
    wide, narrow = ctypes.create_string_buffer(4 * count), ctypes.create_string_buffer(size)
    data = {"d": sample.utf8, "n": size}
    stored = {"d": sample.stored, "n": count, "w": sample.width, "out": narrow}
    ucs4 = sample.text.encode("utf-32-le")

    def case(statement: str, names: dict[str, Any], check: Any) -> Case:
        return Case(statement, names, check, per=1, loop=False)

    decode = case("d.decode()", {"d": sample.utf8}, equals(sample.text))
    return {
        "valid": {
            LIMIT: decode,
            LOOP: case("f(d, n)", {"f": _function(loop, "bytewise_valid", pointer, number), **data}, equals(size)),
            OURS: case("f(d, n)", {"f": _function(ours, "jf_utf8_valid", pointer, number), **data}, equals(size)),
        },
        "to UCS4": {
            LIMIT: decode,
            **{
                who: case("f(d, n, out)", {"f": f, **data, "out": wide}, lambda got: got == count and wide.raw == ucs4)
                for who, f in (
                    (LOOP, _function(loop, "bytewise_to_ucs4", *to_ucs4)),
                    (OURS, _function(ours, "jf_utf8_to_ucs4", *to_ucs4)),
                )
            },
        },
        "to UTF-8": {
            LIMIT: case("t.encode()", {"t": sample.text}, equals(sample.utf8)),
            LOOP: case(
                "f(d, n, w, out)",
                {"f": _function(loop, "bytewise_to_utf8", pointer, number, width, pointer), **stored},
                lambda got: got == size and narrow.raw == sample.utf8,
            ),
            OURS: case(
                "(f(d, n, w), g(d, n, w, out))[0]",
                {
                    "f": _function(ours, "jf_utf8_size", pointer, number, width),
                    "g": _function(ours, "jf_utf8_write", pointer, number, width, pointer),
                    **stored,
                },
                lambda got: got == size and narrow.raw == sample.utf8,
            ),
        },
    }


def bind() -> SimpleNamespace:
    return text_calls.bind()


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = text_calls.measure(settings, bound)
    samples = texts()
    rows = {script: _rows(sample) for script, sample in samples.items()}
    for what in ("valid", "to UCS4", "to UTF-8"):
        for script, sample in samples.items():
            times = compare(f"{what}: {script}", rows[script][what], settings.rounds)
            speeds = {who: [len(sample.utf8) / spent for spent in rounds] for who, rounds in times.samples.items()}
            measured.times.append(Times(times.case, SPEED, speeds, times.faults))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    """Ratios of times. Python's codec copies ASCII, and makes the narrowest str: it is asked for the same only where
    nothing is written."""
    goals = text_calls.judge([times for times in measured if times.unit != SPEED])
    for times in measured:
        others = (LIMIT, LOOP) if times.case.startswith("valid") else (LOOP,)
        for other in others if times.unit == SPEED and OURS in times.samples else ():
            both = f"{show(times.median(OURS))} / {show(times.median(other))} {SPEED}"
            goals.append(Goal(times.case, OURS, other, both, times.ratio(other, OURS), 1.0))
    return goals
