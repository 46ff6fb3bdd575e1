"""The numbers by their names: which there are, and the bytes of each."""

from __future__ import annotations

from jitffi.signature.model import PLAIN_NAMES

_SIZED = [each for each in PLAIN_NAMES if each[-1].isdigit() and not each.startswith("ucs")]
#: Those whose names end in their bits, in the order of the runtime's JF_KIND_* (runtime.h).
INTEGERS = tuple(each for each in _SIZED if each[0] in "iu")
FLOATS = tuple(each for each in _SIZED if each[0] not in "iu")

#: Bytes of each; those of longdouble and of pointers are the machine's.
SIZES = {
    "bool": 1, **{name: int(name.lstrip("iubf")) // 8 for name in _SIZED},
    "c64": 8, "c128": 16, "i128": 16, "u128": 16,
}  # fmt: skip
