"""Functions for the function objects that native code made: of each one at a time, and like the last of its kind."""

from __future__ import annotations

from _weakref import ref

from jitffi import _core
from jitffi.adapters import plans
from jitffi.adapters.code_store import Request, find, living
from jitffi.api import entries
from jitffi.api.functions import Function
from jitffi.api.making import described, make, signature_of
from jitffi.api.options import option_letters
from jitffi.base import pad_policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.signature.model import Signature

#: Functions by the addresses of the native ones that they hold; and whether each holds its module.
_of_native: dict[int, tuple[ref[Function], bool]] = {}


def from_handle(address: int, name: str = "function") -> Any:
    """The builtin for a function object that native code made: the same one as long as anybody has it."""
    held, holds = _of_native.get(address, (None, True))
    known = held() if held is not None else None
    if known is None or not holds:
        # A function that was taken from a module holds it; one that a module's own code has made does not yet.
        hold = _core.module_hold(address)
        if known is None or hold is not None:
            known = _new(address, name, hold)
    return _core.builtin(known)


def _new(address: int, name: str, hold: Any) -> Function:
    call, text = _core.function_object(address)
    kind = None if pad_policy.current is not None else _kinds.get((name, text))
    if kind is None:
        sig = signature_of(text)
        made = make(name, sig, "packed", call, owner=hold, self_handle=address)
        if text is not None and sig is not None and pad_policy.current is None and "owned[" not in sig.types:
            _remember(name, text, sig)
    else:
        made = kind.another(call, address, hold)

    def forget(gone: ref[Function], of_native: dict[int, tuple[ref[Function], bool]] = _of_native) -> None:
        if of_native.get(address, (None, True))[0] is gone:
            del of_native[address]

    entry = ref(made, forget), hold is not None
    there = _of_native.setdefault(address, entry)
    other = there[0]()
    if other is not None and (there[1] or hold is None):  # this one, or another thread's
        return other
    _of_native[address] = entry
    return made


class _Kind:
    """What the Functions of one name and signature have in common. To find it out takes ten times as long as to make
    one, and one that nobody holds is made each time that Python gets it."""

    __slots__ = ("attributes", "code", "described", "limit", "plan", "request", "takes_code", "with_keywords")

    def __init__(self, name: str, sig: Signature, request: Request, plan: bytes | None) -> None:
        self.described = (Function, *described(name, sig))
        self.attributes = {"_sig": sig, "_callee": "packed", "_options": request.options, "_origin": None}
        self.request = request
        self.takes_code = plans.mode(None) != "never"
        self.code = find(request) if self.takes_code else None
        self.plan = plan
        self.limit = plans.LIMIT if plans.mode(None) == "hot" else 0
        self.with_keywords = "k" in request.options

    def another(self, call: int, address: int, hold: Any) -> Function:
        made: Function = _core.new_function(*self.described, "packed", call, address, hold, 0, False)
        made.__dict__.update(self.attributes)
        if self.takes_code:
            self.code = living(self.request.key) or self.code
        if self.code is not None:
            entries.install_python(made, self.code, self.request)
        elif self.plan is not None:
            _core.set_plan(made, self.plan, self.with_keywords, self.limit)
        return made


_kinds: dict[tuple[str, str | None], _Kind] = {}
_MOST_KINDS = 256


def _remember(name: str, text: str, sig: Signature) -> None:
    """Keep what the next function of this name and signature needs, where it has code or a plan by now."""
    request = Request("python", "packed", sig, option_letters(sig, False, False, None))
    plan = plans.plan_for(request)
    mode = plans.mode(None)
    if plans.at_once() or ((plan is None or mode == "now") and (mode == "never" or find(request) is None)):
        return
    if len(_kinds) >= _MOST_KINDS:
        _kinds.clear()
    _kinds[name, text] = _Kind(name, sig, request, plan)
