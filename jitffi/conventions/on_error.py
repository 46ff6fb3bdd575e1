"""`on_error=`: the value that a C entry without an error channel returns on failure, as the bits that it stores."""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.signature.model import Signature

_FORMATS = {
    "bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
    "f32": "f", "f64": "d", "ptr": "Q",
}  # fmt: skip


def bits(sig: Signature, value: object) -> int:
    """Return *value* as the result's own bits, zero-extended. TypeError or OverflowError where it is no value of the
    result's type."""
    name = sig.result.text
    if name not in _FORMATS:
        raise TypeError(f"on_error: a result of type {name} has no value for failure")
    wanted = {"bool": bool, "f32": (int, float), "f64": (int, float)}.get(name, int)
    if not isinstance(value, wanted) or isinstance(value, bool) and name != "bool":  # type: ignore[arg-type]
        raise TypeError(f"on_error: expected {name}, got {type(value).__name__} {value!r}")
    try:
        return int.from_bytes(struct.pack("<" + _FORMATS[name], value), "little")
    except (struct.error, OverflowError):
        raise OverflowError(f"on_error: expected {name}, got {value!r}") from None
