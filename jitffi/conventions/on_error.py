"""`on_error=`: the value that a C entry without an error channel returns on failure, as the bits that it stores."""

from __future__ import annotations

import struct

from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.signature.model import Signature


def bits(sig: Signature, value: object) -> int:
    """Return *value* as the result's own bits, zero-extended. TypeError or OverflowError where it is no value of the
    result's type."""
    result, name = row(sig.result), sig.result.text
    if not result.failure_format:
        raise TypeError(f"on_error: a result of type {name} has no value for failure")
    is_bool = bool not in result.failure_classes and isinstance(value, bool)
    if not isinstance(value, result.failure_classes) or is_bool:
        raise TypeError(f"on_error: expected {name}, got {type(value).__name__} {value!r}")
    try:
        return int.from_bytes(struct.pack("<" + result.failure_format, result.failure(value)), "little")
    except (struct.error, OverflowError):
        raise OverflowError(f"on_error: expected {name}, got {value!r}") from None
