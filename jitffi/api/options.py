"""The letters of the options that a function is bound with: part of what its code is found by."""

from __future__ import annotations

from jitffi.base import pad_policy

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
