"""The packed convention of before in Python: C functions that follow it, and addresses by which it calls others.

What goes over is the runtime's (runtime_c/include/jitffi/legacy.h).
"""

from __future__ import annotations

from jitffi import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jitffi.signature.model import Signature


def from_packed_legacy(
    address: int, signature: Signature | str | None = None, *, name: str = "packed_legacy", self_handle: int = 0,
    tvm_entry: bool = False, keep_alive: object = None,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function for the C function at *address*, whose values and their codes come in two arrays.

    *signature*: what it takes and gives, as of `Function.from_packed`; without one arguments are passed as what they
    are. *name* is what messages call it. *tvm_entry*: it takes them in the order of TVM's entries, `(args, type_codes,
    num_args, out, out_code, resource)`. *self_handle* is its first argument, or that entry's resource. *keep_alive* is
    held as long as the function. A failure is any result but 0, with the last error set. TypeError for what is no
    address, OverflowError for what has more than 64 bits, ValueError for NULL.

    >>> import jitffi
    >>> join = jitffi.convert(lambda x, y: x + y)
    >>> address, handle = jitffi.to_packed_legacy(join)
    >>> jitffi.from_packed_legacy(address, self_handle=handle)("a", "b")
    'ab'
    """
    from jitffi.api.making import signature_of

    for number in (address, self_handle):
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(f"from_packed_legacy: expected an address as int, got {type(number).__name__}")
        if number >> 64:
            raise OverflowError(f"from_packed_legacy: expected an address of up to 64 bits, got int {number}")
    if not isinstance(name, str):
        raise TypeError(f"from_packed_legacy: expected str for the name, got {type(name).__name__}")
    sig = signature_of(signature)
    text = None if sig is None else str(sig)
    made: Callable[..., Any] = _core.legacy_function(address, name, self_handle, keep_alive, text, bool(tvm_entry))
    return made


def to_packed_legacy(function: Callable[..., Any], *, tvm_entry: bool = False) -> tuple[int, int]:
    """Return the address of C code by which the convention calls a *function*, and what that gets as its self.

    With *tvm_entry* it is code in the order of TVM's entries, and what that gets as its resource. Both are good as long
    as *function* is. TypeError for what is no function of ours.

    >>> import jitffi
    >>> shown = jitffi.convert(print)
    >>> address, handle = jitffi.to_packed_legacy(shown)
    >>> address != 0 and handle != 0
    True
    """
    found = _core.function_of(function)
    if found is None:
        got = type(function).__name__
        raise TypeError(f"to_packed_legacy: expected a function of jitffi, got {got}; convert() makes one")
    return _core.legacy_entries()[bool(tvm_entry)], _core.handle(found)
