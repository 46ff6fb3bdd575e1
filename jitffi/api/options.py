"""The options that a function is bound with: their letters, which its code is found by, and what a failure is."""

from __future__ import annotations

from jitffi.base import pad_policy
from jitffi.base.fork_locks import IMPORTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.signature.model import Signature


def option_letters(sig: Signature, nogil: bool, errno: bool, pad: int | None) -> str:
    letters = "b" if not sig.in_order and sig.order.has_defaults_by_name else ""
    if any(p.name is not None for p in sig.params):
        letters += "k"
    if sig.has_defaults:
        letters += "d"
    return letters + ("n" if nogil else "") + ("e" if errno else "") + _pad_option(pad)


def _pad_option(pad: int | None) -> str:
    """The part of the options that says so; "" for the default."""
    if pad is None:
        return ""
    if not isinstance(pad, int) or isinstance(pad, bool):
        raise TypeError(f"pad is an int from 0 to {pad_policy.MAX_PAD} or None, not {type(pad).__name__}")
    if not 0 <= pad <= pad_policy.MAX_PAD:
        raise ValueError(f"pad is 0 to {pad_policy.MAX_PAD}, not {pad}")
    return "" if pad == pad_policy.MAX_PAD else f"p{pad}"


def failure_bits(sig: Signature, on_error: object) -> int:
    """The bits of the value that a C entry returns on failure."""
    if on_error is None or on_error == 0 and not isinstance(on_error, float):
        return 0
    with IMPORTS:
        from jitffi.conventions.on_error import bits

    return bits(sig, on_error)
