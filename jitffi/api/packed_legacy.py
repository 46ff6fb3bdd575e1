"""C functions of the old packed convention, and of TVM's entry of that age, as functions (ABI section 5)."""

from __future__ import annotations

from jitffi import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def from_packed_legacy(
    address: int, signature: str | None = None, *, self_handle: int = 0, tvm_entry: bool = False,
    keep_alive: object = None,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function for the C function at *address*, whose values and their codes come in two arrays.

    *signature* is canonical text that the function object carries. *tvm_entry*: it takes them in the order of TVM's
    entries, `(args, type_codes, num_args, out, out_code, resource)`. *self_handle* is its first argument, or that
    entry's resource. *keep_alive* is held as long as the function. A failure is any result but 0, with the last error
    set. TypeError for what is no address, ValueError for NULL.
    """
    for number in (address, self_handle):
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(f"from_packed_legacy: expected an address as int, got {type(number).__name__}")
    made: Callable[..., Any] = _core.legacy_function(address, self_handle, keep_alive, signature, tvm_entry)
    return made
