"""Making Functions: of a callee of any convention, with their entries."""

from __future__ import annotations

from jitffi import _core
from jitffi.adapters.code_store import Request
from jitffi.api import entries
from jitffi.api.functions import Function
from jitffi.api.options import failure_bits, option_letters
from jitffi.base import pad_policy
from jitffi.base.fork_locks import IMPORTS
from jitffi.base.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.signature.model import Signature

    #: A name, its text signature, the names of parameters, the types and their text, defaults, and the order.
    _Described = tuple[
        str, bytes, tuple[str | None, ...], tuple[str, ...], str, tuple[Any, ...] | None, tuple[int, ...] | None
    ]


def integer(value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"expected an address as int, got {type(value).__name__}")
    return value


def check_address(address: int) -> None:
    if integer(address) == 0:
        raise ValueError("expected an address, got NULL")


def signature_of(signature: Signature | str | None) -> Signature | None:
    """A Signature from itself, from its text, or from a C prototype."""
    if signature is None:
        return None
    with IMPORTS:  # what has no signature needs none of this, and scripts are loaded without
        from jitffi.signature.model import Signature
        from jitffi.signature.text import parse

    return signature if isinstance(signature, Signature) else parse(signature)


def read_plainly(text: str, nogil: bool, errno: bool) -> tuple[Signature, str]:
    """The signature and the letters of the options of a function that was bound by a text of plain types alone."""
    sig = signature_of(text)
    assert sig is not None
    return sig, option_letters(sig, nogil, errno, None)


def from_native(
    address: int, signature: Signature | str, name: str = "native", keep_alive: object = None,
    nogil: bool = False, errno: bool = False, keep_callbacks: bool = False, pad: int | None = None,
) -> Function:  # fmt: skip
    check_address(address)
    sig = signature_of(signature)
    if sig is None:
        raise TypeError(f"{name}: a native function needs a signature")
    return make(
        name, sig, "c", address, owner=keep_alive, nogil=nogil, errno=errno, keep_callbacks=keep_callbacks, pad=pad
    )


def make(
    name: str, sig: Signature | None, callee: str, target: object, *, owner: object = None, self_handle: int = 0,
    nogil: bool = False, errno: bool = False, keep_callbacks: bool = False, on_error: object = 0, doc: str = "",
    origin: tuple[Any, ...] | None = None, entry: bool = True, pad: int | None = None, variant: bool = False,
    compile: str | None = None,
) -> Function:  # fmt: skip
    """Return a new Function of convention *callee*: *target* is an address, or a callable for "python". *variant*: for
    the variable arguments of one kind of calls."""
    if sig is None:
        if pad is not None and not getattr(pad, "unspecified", False):
            raise TypeError(f"{name}: pad is for functions with a signature")
        made = _core.new_function(
            Function, name, None, None, None, None, None, None, callee, target, self_handle, owner, 0, keep_callbacks
        )
        options = ""
    else:
        if pad_policy.current is not None:
            pad = pad_policy.current.of_typed(name, sig, pad)
        options = option_letters(sig, nogil, errno, pad)
        made = _core.new_function(
            Function, *described(name, sig, doc), callee, target, self_handle, owner, failure_bits(sig, on_error),
            keep_callbacks,
        )  # fmt: skip
        if "owned[" in sig.types:
            late("jitffi.api.ownership").give_releases(made, sig, callee, owner, nogil)
    made._sig, made._callee, made._options, made._origin = sig, callee, options, origin
    if sig is not None and entry and sig.variadic and callee == "c" and not variant:
        given = {"owner": owner, "nogil": nogil, "errno": errno, "keep_callbacks": keep_callbacks, "pad": pad}
        given["compile"] = compile
        late("jitffi.api.variadic").equip(made, Request("python", callee, sig, options), given)
    elif sig is not None and entry:
        entries.equip_when_called(made, Request("python", callee, sig, options), compile)
    return made  # type: ignore[no-any-return]


def described(name: str, sig: Signature, doc: str = "") -> _Described:
    """What `_core.new_function` is told of a function of that name and signature."""
    with IMPORTS:
        from jitffi.signature.model import NO_DEFAULT
        from jitffi.signature.text_signature import text_signature

    types = (*[p.type.text for p in sig.params], sig.result.text)
    values = [_core.NO_DEFAULT if p.default is NO_DEFAULT else p.default for p in sig.params]
    defaults = tuple(values) if sig.has_defaults else None
    order = None if sig.in_order else sig.order.for_runtime
    names = tuple([p.name for p in sig.params])
    return name, text_signature(name, sig, doc), names, types, sig.types, defaults, order
