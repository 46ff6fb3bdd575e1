"""Making Functions: of a callee of any convention, with their entries; from the addresses of native functions."""

from __future__ import annotations

from _weakref import ref

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
        with IMPORTS:
            from jitffi.signature.model import NO_DEFAULT
            from jitffi.signature.text_signature import text_signature

        if pad_policy.current is not None:
            pad = pad_policy.current.of_typed(name, sig, pad)
        options = option_letters(sig, nogil, errno, pad)
        types = (*[p.type.text for p in sig.params], sig.result.text)
        values = [_core.NO_DEFAULT if p.default is NO_DEFAULT else p.default for p in sig.params]
        defaults = tuple(values) if sig.has_defaults else None
        order = None if sig.in_order else sig.order.for_runtime
        made = _core.new_function(
            Function, name, text_signature(name, sig, doc), tuple([p.name for p in sig.params]), types, sig.types,
            defaults, order, callee, target, self_handle, owner, failure_bits(sig, on_error), keep_callbacks,
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


# -- what the extension asks for ------------------------------------------------------------------------------


#: Functions by the addresses of the native ones that they hold, of each one at a time; and whether it holds its module.
_of_native: dict[int, tuple[ref[Function], bool]] = {}


def from_handle(address: int, name: str = "function") -> Any:
    """The builtin for a function object that native code made: the same one as long as anybody has it."""
    held, holds = _of_native.get(address, (None, True))
    known = held() if held is not None else None
    if known is None or not holds:
        # A function that was taken from a module holds it; one that a module's own code has made does not yet.
        hold = _core.module_hold(address)
        if known is None or hold is not None:
            known = _of_handle(address, name, hold)
    return _core.builtin(known)


def _of_handle(address: int, name: str, hold: Any) -> Function:
    call, text = _core.function_object(address)
    made = make(name, signature_of(text), "packed", call, owner=hold, self_handle=address)

    def forget(gone: ref[Function], of_native: dict[int, tuple[ref[Function], bool]] = _of_native) -> None:
        if of_native.get(address, (None, True))[0] is gone:
            del of_native[address]

    _of_native[address] = ref(made, forget), hold is not None
    return made
