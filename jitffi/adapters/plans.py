"""When code is made for a Python entry: at its first call, when it is called often, or never; and what calls go by till
then.

    bind       code in the cache?  else a plan (conventions/plan.py), by which the extension calls without code
    called     LIMIT times: a thread loads LLVM and makes level 2 in the background, which takes the entry's place
    "now"      no plan: the first call compiles, and others with it (batches.py)

What has no plan is compiled by its first call, whatever is asked for. On the way of a cold start: imports next to
nothing.
"""

from __future__ import annotations

import atexit
import os

from jitffi import _core
from jitffi.adapters import code_store
from jitffi.base.fork_locks import IMPORTS
from jitffi.base.pad_policy import MAX_PAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.adapters.code_store import Compiled, Request

#: Calls of a function that ask for its code: those before take as long as a few wrappers take to compile.
LIMIT = _core.PLAN_LIMIT
MODES = ("now", "hot", "never")
#: Letters of options, and the bits of plans that say the same (runtime_c/python/package/plan.h).
_FLAGS = {"n": 1, "e": 2, "k": 4, "d": 8, "b": 16}

#: Plans that take as long to make as it takes to bind, to be found again.
_plans: dict[str, bytes | None] = {}
_callback_plans: dict[str, tuple[bytes, int] | None] = {}
_MOST_PLANS = 1000
_is_over = False


def at_once() -> bool:
    """Whether to compile when bound: someone looks on."""
    return bool(os.environ.get("JITFFI_DEBUG") or os.environ.get("JITFFI_DUMP"))


def mode(asked: str | None) -> str:
    """*asked*, or what JITFFI_COMPILE says for all. ValueError for what is no mode."""
    if asked is None:
        asked = os.environ.get("JITFFI_COMPILE") or "hot"
        if asked not in MODES:
            raise ValueError(f"JITFFI_COMPILE is one of {', '.join(MODES)}, not {asked!r}")
    elif not isinstance(asked, str) or asked not in MODES:
        raise ValueError(f"compile is one of {', '.join(map(repr, MODES))}, not {asked!r}")
    return asked


def plan_for(request: Request) -> bytes | None:
    """The plan of a Python entry; None where it needs code."""
    if request.entry != "python":
        return None
    plain = _plain(request) if request.callee == "c" else None
    if plain is not None:
        return plain
    key = request.key
    if key not in _plans:
        if len(_plans) >= _MOST_PLANS:
            _plans.clear()
        _plans[key] = _made(request)
    return _plans[key]


def _plain(request: Request) -> bytes | None:
    """The plan of numbers, texts and addresses alone, whose rows nobody needs; None: it is another."""
    sig = request.sig
    if not sig.in_order or sig.fixed is not None:
        return None
    letters, _, pad = request.options.partition("p")
    flags = sum(bit for letter, bit in _FLAGS.items() if letter in letters)
    return _core.plain_plan((*[p.type.text for p in sig.params], sig.result.text), flags, int(pad or MAX_PAD))


def _made(request: Request) -> bytes | None:
    with IMPORTS:
        from jitffi.conventions import callee_plan, plan
        from jitffi.conventions.options import Options

    options = Options.of(request.options)
    if request.callee == "c":
        found = plan.numbers(request.sig, options)
    else:
        found = callee_plan.numbers(request.sig, options, request.callee)
    return None if found is None else _core.plan(found)


def callback_plan_for(request: Request) -> tuple[bytes, int] | None:
    """The plan of a C entry of a Python callable, and how its closures return once they have died; None where it needs
    code."""
    if request.entry != "c" or request.callee != "python":
        return None
    key = request.key
    if key not in _callback_plans:
        with IMPORTS:
            from jitffi.conventions.callback_plan import numbers

        if len(_callback_plans) >= _MOST_PLANS:
            _callback_plans.clear()
        found = numbers(request.sig)
        _callback_plans[key] = None if found is None else (_core.plan(found[0]), found[1])
    return _callback_plans[key]


class _Waiting:
    """Requests for level 2 while LLVM is being loaded."""

    def __init__(self) -> None:
        self.requests: list[tuple[Request, Callable[[Compiled], None]]] = []
        self.is_loading = False
        self.has_failed = False  # there is no LLVM
        self.ends_first = False

    def take(self) -> tuple[Request, Callable[[Compiled], None]] | None:
        try:
            return self.requests.pop(0)
        except IndexError:  # there is none, or another thread has it
            return None


_waiting = _Waiting()


def improve(request: Request, install: Callable[[Compiled], None]) -> bool:
    """Let level 2 be made in the background, and call *install* with it, which must not keep alive what it installs
    into. False: there is no level 2."""
    if _waiting.has_failed or request.key in code_store.without_level_2:
        return False
    _waiting.requests.append((request, install))
    if not _waiting.is_loading and not _is_over:
        from jitffi.base import apart

        if not _waiting.ends_first:  # before what waits for the thread
            atexit.register(_finish)
            _waiting.ends_first = True
        _waiting.is_loading = True  # before the thread, which may be done with it first
        if not apart.start(_load):
            _waiting.is_loading = False
    return True


def _load() -> None:
    try:
        with IMPORTS:
            from jitffi.adapters import tiers
        while _waiting.is_loading:
            while not _is_over and (asked := _waiting.take()) is not None:
                tiers.improve(*asked)
            _waiting.is_loading = False
            if _waiting.requests and not _is_over:  # one has come between: whoever asked saw a thread that loads
                _waiting.is_loading = True
    except ImportError:
        _waiting.has_failed = True
    finally:
        _waiting.is_loading = False


def _finish() -> None:
    """At exit: nothing is handed to LLVM any more."""
    global _is_over
    _is_over = True


def _forked() -> None:
    """In a child: what was asked for is the parent's to make, and asked for again here."""
    _waiting.requests, _waiting.is_loading = [], False


os.register_at_fork(after_in_child=_forked)
