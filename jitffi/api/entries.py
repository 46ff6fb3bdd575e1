"""The entries of a function: the machine code that it gets at once or at its first call, and a better one later."""

from __future__ import annotations

from _weakref import ref

from jitffi import _core
from jitffi.adapters import plans
from jitffi.adapters.code_store import Request, find
from jitffi.base.late import late
from jitffi.base.off_thread import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.adapters import batches
    from jitffi.adapters.code_store import Compiled
    from jitffi.api.functions import Function
else:  # for what is compiled
    batches = late("jitffi.adapters.batches")


def equip(function: Function, request: Request, set_entry: Callable[[Function, Compiled, Request], None]) -> None:
    """Give *function* the entry of *request*, and a better one when it is made."""
    found = None if plans.at_once() else find(request)
    if found is not None:
        return _install(function, found, request, set_entry)
    return run(_equip_apart, function, request, set_entry)


def _equip_apart(
    function: Function, request: Request, set_entry: Callable[[Function, Compiled, Request], None]
) -> None:
    _install(function, batches.code_for(request), request, set_entry)


def _install(
    function: Function, compiled: Compiled, request: Request, set_entry: Callable[[Function, Compiled, Request], None]
) -> None:
    set_entry(function, compiled, request)
    if compiled.level == 0:
        weak = ref(function)

        def install(better: Compiled) -> None:
            alive = weak()
            if alive is not None:
                set_entry(alive, better, request)

        batches.use_better(request, install)


def _has_been_equipped(
    function: Function, request: Request, set_entry: Callable[[Function, Compiled, Request], None], mode: str
) -> bool:
    """Whether *function* has got code for the entry, since it is to have it at once or there is some."""
    if plans.at_once() or mode == "now":
        equip(function, request, set_entry)
        return True
    found = find(request) if mode != "never" else None
    if found is not None:
        _install(function, found, request, set_entry)
    return found is not None


def equip_native(function: Function, request: Request, closure: bool) -> None:
    """Give *function* its C entry, with a *closure* or for copies: code if there is some for it, else a plan where it
    calls a Python callable."""
    set_entry, mode = set_c if closure else set_template, plans.mode(None)
    if _has_been_equipped(function, request, set_entry, mode):
        return
    plan = plans.callback_plan_for(request)
    if plan is None:
        equip(function, request, set_entry)
    else:
        _core.set_callback_plan(function, *plan, closure, plans.LIMIT if mode == "hot" else 0)


def equip_packed(function: Function, request: Request) -> None:
    """Give *function* its packed entry: code if there is some for it, else let the first call make it. TypeError where
    slots cannot carry the signature."""
    if not _has_been_equipped(function, request, set_packed, plans.mode(None)):
        batches.check(request)
        _core.set_first_packed_call(function)


def equip_when_called(function: Function, request: Request, compile: str | None = None) -> None:
    """Give *function* its Python entry: code if there is some for it, else a plan to call by, else let the first call
    make it. *compile*: when code is made (adapters/plans.py)."""
    mode = plans.mode(compile)
    if plans.at_once():
        return equip(function, request, _set_python)
    found = find(request) if mode != "never" else None
    if found is not None:
        return _install(function, found, request, _set_python)
    plan = plans.plan_for(request) if mode != "now" else None
    if plan is not None:
        return _core.set_plan(function, plan, "k" in request.options, plans.LIMIT if mode == "hot" else 0)
    # Before it waits: a first call on another thread may compile, and install, what waits.
    _core.set_first_call(function, "k" in request.options)
    batches.put(function, request, install_python)


def look_for_code(function: Function, request: Request) -> None:
    """The first call of a function that was bound without a look at what there is: give it the code for it, if any."""
    found = find(request)
    if found is not None:
        return _install(function, found, request, _set_python)
    return _core.set_plan_limit(function, plans.LIMIT)


def make_code(function: Function, request: Request, by_c: bool) -> bool:
    """Let level 2 of *function*, which is called by a plan, be made in the background. False: there is none."""
    weak, set_entry = ref(function), _set_python
    if by_c:
        request, set_entry = Request("c", "python", request.sig), set_template

    def install(better: Compiled) -> None:
        alive = weak()
        if alive is not None:
            set_entry(alive, better, request)

    return plans.improve(request, install)


def install_python(function: Function, compiled: Compiled, request: Request) -> None:
    _install(function, compiled, request, _set_python)


def _set_python(function: Function, compiled: Compiled, request: Request) -> None:
    _core.set_python_entry(function, compiled.code, "k" in request.options)
    function._compiled = compiled


def set_packed(function: Function, compiled: Compiled, request: Request) -> None:
    _core.set_packed_entry(function, compiled.code)


def set_c(function: Function, compiled: Compiled, request: Request) -> None:
    _core.set_c_entry(function, compiled.code, compiled.result_class, True)


def set_template(function: Function, compiled: Compiled, request: Request) -> None:
    _core.set_c_entry(function, compiled.code, compiled.result_class, False)
