"""One function, called as Python has it and as a script, with random arguments that fit: what differs."""

from __future__ import annotations

import contextlib
import inspect
import io
import random
import signal
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from survey_library.shown import show, without_addresses
from survey_library.values import KINDS, kind_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

#: Calls that are tried to find some that fit, and how long each may take.
TRIES, SECONDS = 80, 0.2
#: After so many seconds a function is not called again: it takes long to compile.
ENOUGH = 5
_LARGE = "int of more than 64 bits"
#: Audit events of what has effects on files, processes and the network: they are errors while a function is called.
_EFFECTS = (
    "os.", "shutil.", "subprocess.", "socket.", "webbrowser.", "ftplib.", "smtplib.", "urllib.", "pty.", "signal.",
    "fcntl.", "syslog.", "tempfile.", "nntplib.", "telnetlib.", "poplib.", "imaplib.", "http.", "pdb.",
    "resource.",
)  # fmt: skip
_HARMLESS = ("os.listdir", "os.scandir", "os.walk", "os.fwalk", "signal.setitimer")
_calling = False


class TooLong(BaseException):
    """A call of Python's own function that takes longer than is waited for."""


class Found(NamedTuple):
    """Of one function: the calls that were compared, those among them that returned, and the differences."""

    compared: int
    returned: int
    differences: list[str]


def deny_effects() -> None:
    """From now on calls that are compared come to nothing outside of the process, and time stands still."""
    time.time = lambda: 1_700_000_000.25

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if _calling:
            written = event == "open" and (type(args[0]) is int or set(str(args[1] or "r")) & set("wax+"))
            if written or (event.startswith(_EFFECTS) and event not in _HARMLESS):
                raise PermissionError(f"survey: {event}")

    sys.addaudithook(hook)


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def outcome(function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> tuple[str, ...]:
    """Whether it returned, the result or exception, what was printed, and the arguments afterwards."""
    global _calling
    random.seed(1)
    printed = io.StringIO()
    _calling = True
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                found = ("returned", show(function(*args, **named)))
            except TooLong:
                raise
            except BaseException as error:
                found = (type(error).__name__, show(error))
        return *found, without_addresses(printed.getvalue()), show((args, named))
    finally:
        _calling = False


class _Chooser:
    """Chooses arguments, and remembers which kinds have fitted."""

    def __init__(self, function: Callable[..., Any], rng: random.Random) -> None:
        self.rng = rng
        self.fitted: dict[str, list[str]] = {}
        self.parameters = list(inspect.signature(function).parameters.values())

    def choose(self) -> list[tuple[inspect.Parameter, str]]:
        chosen = []
        rng = self.rng
        for each in self.parameters:
            repeated = each.kind is each.VAR_POSITIONAL
            if each.kind is each.VAR_KEYWORD or (each.default is not each.empty and rng.random() < 0.6):
                continue
            for _ in range(rng.choice((0, 1, 1, 2)) if repeated else 1):
                chosen.append((each, kind_for(rng, each.name, self.fitted.get(each.name, []))))
        return chosen

    def note(self, chosen: list[tuple[inspect.Parameter, str]]) -> None:
        for each, kind in chosen:
            self.fitted.setdefault(each.name, []).append(kind)


def _arguments(chosen: list[tuple[inspect.Parameter, str]], seed: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    rng = random.Random(seed)
    args: list[Any] = []
    named: dict[str, Any] = {}
    for each, kind in chosen:
        value = KINDS[kind](rng)
        by_name = each.kind is each.KEYWORD_ONLY or (
            each.default is not each.empty and each.kind is not each.POSITIONAL_ONLY
        )
        if by_name:
            named[each.name] = value
        else:
            args.append(value)
    return tuple(args), named


def accepted(function: Callable[..., Any], got: tuple[str, ...]) -> bool:
    """Whether scripts may differ so: annotations are promises, and what comes to an int beyond 64 bits behind a first
    effect is an error that says so."""
    if got[0] == "OverflowError":
        return _LARGE in got[1]
    return got[0] == "TypeError" and bool(function.__annotations__) and "': expected " in got[1]


def compare(function: Callable[..., Any], script: Callable[..., Any], seed: int, most: int) -> Found:
    """Call both with the same arguments, *most* times with such that fit, and a third as often with others."""
    rng = random.Random(f"{seed} {function.__module__} {function.__name__}")
    try:
        chooser = _Chooser(function, rng)
    except ValueError:
        return Found(0, 0, [])
    compared = returned = failed = 0
    differences: list[str] = []
    end = time.monotonic() + ENOUGH
    for _ in range(TRIES):
        if returned >= most or time.monotonic() > end:
            break
        chosen, number = chooser.choose(), rng.randrange(1 << 30)
        try:
            with _time_limit(SECONDS):
                wanted = outcome(function, *_arguments(chosen, number))
                again = outcome(function, *_arguments(chosen, number))
        except TooLong:
            continue
        if wanted != again:
            continue
        if wanted[0] == "returned":
            chooser.note(chosen)
            returned += 1
        elif failed > most // 3:
            continue
        else:
            failed += 1
        compared += 1
        got = outcome(script, *_arguments(chosen, number))
        if got != wanted and not accepted(function, got):
            differences.append(
                f"{show(_arguments(chosen, number))[:300]}\n      Python {wanted}\n      script {got}"[:3000]
            )
            if len(differences) > 2:
                break
    return Found(compared, returned, differences)
