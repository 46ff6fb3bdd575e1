"""Code on demand: functions that are bound wait uncompiled, and the first call of one compiles others with it.

LLVM takes longer to set up a compilation than for an adapter in it, and of a hundred functions that are bound a
program may call three. So binding checks that an adapter can be made, and the first call makes it; those bound before
it that still wait come along, up to a number that keeps the first call short. On the way of a warm start: imports next
to nothing.
"""

from __future__ import annotations

import os
from _weakref import ref

from jitffi.adapters import code_store
from jitffi.base.fork_locks import IMPORTS, LLVM
from jitffi.base.off_thread import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.adapters.code_store import Compiled, Request
    from jitffi.api.functions import Function
    from jitffi.signature.model import Signature

    Install = Callable[[Function, Compiled, Request], None]

#: Adapters in one module: each costs a third of one alone, and the first call waits for all.
TOGETHER = 16


class _Waiting:
    """What waits for the code of one request."""

    __slots__ = ("functions", "install", "request")

    def __init__(self, request: Request, install: Install) -> None:
        self.request = request
        self.install = install
        self.functions: list[ref[Function]] = []


_waiting: dict[str, _Waiting] = {}


_check: Callable[[Signature, str, str, str], None] | None = None


def _load_check() -> Callable[[Signature, str, str, str], None]:
    with IMPORTS:
        from jitffi.adapters import adapter
        from jitffi.types import table

        table.load_all()
    return adapter.check


def check(request: Request) -> None:
    """TypeError where a convention cannot carry the signature."""
    global _check
    if _check is None:
        _check = run(_load_check)
    _check(request.sig, request.entry, request.callee, request.options)


def put(function: Function, request: Request, install: Install) -> None:
    """Let *function* wait for its first call. TypeError where a convention cannot carry the signature."""
    check(request)
    entry = _waiting.get(request.key)
    if entry is None:
        entry = _waiting.setdefault(request.key, _Waiting(request, install))
    key = request.key

    def forget(gone: ref[Function]) -> None:
        # Nobody will call it any more: with the last one the request goes, too.
        left = _waiting.get(key)
        if left is not None and gone in left.functions:
            left.functions.remove(gone)
            if not left.functions:
                del _waiting[key]

    entry.functions.append(ref(function, forget))


def compile_for(function: Function, request: Request, install: Install) -> None:
    """Compile *request*, by which *function* is called, and some of those that wait; install the code in whatever waits
    for it."""
    with IMPORTS, LLVM:  # as a fork does; and who comes for the same meanwhile finds it made
        from jitffi.adapters import tiers

        if "_compiled" in function.__dict__:  # not hasattr: a Function has an attribute of its own name, too
            return
        first = _waiting.pop(request.key, None) or _Waiting(request, install)
        first.functions.append(ref(function))  # which is there already, unless another has gone wrong
        chosen = [first]
        for key in list(_waiting)[: TOGETHER - 1]:
            other = _waiting.pop(key, None)
            if other is not None:
                chosen.append(other)
        compiled = tiers.compile_together([each.request for each in chosen])
        for each, code in zip(chosen, compiled, strict=True):
            code_store.remember(each.request, code)
            there = [waits for reference in each.functions if (waits := reference()) is not None]
            for waits in {id(waits): waits for waits in there}.values():
                each.install(waits, code, each.request)


# -- one alone ------------------------------------------------------------------------------------------------------


def code_for(request: Request) -> Compiled:
    """Return the code for *request*. TypeError where a convention cannot carry the signature."""
    debug = os.environ.get("JITFFI_DEBUG")
    if debug:
        return _compile(request, debug=True)
    found = code_store.find(request)
    if found is None:
        found = _compile(request)
        code_store.remember(request, found)
    return found


def _compile(request: Request, debug: bool = False) -> Compiled:
    with IMPORTS:
        from jitffi.adapters import tiers

    return tiers.compile_now(request, debug)


def text(request: Request) -> str:
    """The IR of the code for *request*."""
    with IMPORTS:
        from jitffi.adapters import tiers

    return tiers.adapter_text(request)


def assembly(request: Request) -> str:
    with IMPORTS:
        from jitffi.llvm import codegen

    return codegen.assembly(text(request))


def use_better(request: Request, install: Callable[[Compiled], None]) -> None:
    """Call *install* when better code for *request* has been made; it must not keep alive what it installs into."""
    from jitffi.adapters import tiers  # which made what there is

    tiers.when_better(request.key, install)
