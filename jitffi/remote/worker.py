"""What runs at a worker: it keeps what a session has sent and what stays there, and calls functions.

Nothing here compiles or loads a compiler: functions are called by the packed convention through their function objects.
"""

from __future__ import annotations

import linecache
import os
import pickle
import platform
import sys
import tempfile
import threading
import time
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jitffi
from jitffi import _core
from jitffi.link.script_library import script_library
from jitffi.remote.protocol import PROTOCOL, Answer, Failure, File, Handle, Machine, Request


class Held:
    """What a worker's process keeps for one session."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="jitffi-remote-")
        #: Modules by the digests of their files: of functions, or of Python.
        self.modules: dict[str, Any] = {}
        #: What handles stand for, by their numbers.
        self.kept: dict[int, Any] = {}
        self._numbers = 0
        self._lock = threading.Lock()

    # -- files ------------------------------------------------------------------------------------------------------

    def load(self, file: File) -> list[tuple[str, str]]:
        """Load a file, once, and return the names and signatures of what it exports."""
        with self._lock:
            module = self.modules.get(file.digest)
            if module is None:
                module = self.modules[file.digest] = self._loaded(file)
        if not isinstance(module, jitffi.Module):
            return []
        return [(name, "" if known is None else str(known)) for name, known in module.signatures.items()]

    def _loaded(self, file: File) -> Any:
        folder = Path(self.folder.name) / file.digest
        folder.mkdir()
        path = folder / file.name
        path.write_bytes(file.content)
        if path.suffix != ".py":
            script_library()  # which scripts name without a path: a library that is loaded is found by its name
            return jitffi.load_module(path)
        module = types.ModuleType(path.stem)
        module.__file__ = str(path)
        sys.modules.setdefault(module.__name__, module)  # exceptions that it defines are pickled by its name
        lines = file.content.decode().splitlines(keepends=True)
        linecache.cache[str(path)] = (len(file.content), None, lines, str(path))  # what it registers outlives the file
        exec(compile(file.content, str(path), "exec"), module.__dict__)
        return module

    def missing(self, digests: list[str]) -> list[str]:
        """Return those that were not sent to this process."""
        return [digest for digest in digests if digest not in self.modules]

    # -- functions --------------------------------------------------------------------------------------------------

    def find(self, digests: list[str], name: str) -> tuple[str, str] | None:
        """Return where a function is, the digest of its module or "" for the registry, and its signature; None."""
        for digest in digests:
            module = self.modules[digest]
            if isinstance(module, jitffi.Module) and name in module:
                known = module.signatures[name]
                return digest, "" if known is None else str(known)
        found = jitffi.get_global_func(name, allow_missing=True)
        return None if found is None else ("", _signature(found))

    def _owner(self, where: str | int) -> Any:
        """What has the function: what is kept here, a module, or None for the registry."""
        if isinstance(where, int):
            return self._of_number(where)
        return self.modules[where] if where else None

    def call(self, where: str | int, name: str, given: bytes, keep: bool) -> bytes:
        """Call a function with the arguments that *given* stands for, and return what its result is stored as. What
        cannot be stored stays here, arrays, too, with *keep*."""
        result = _core.call_packed(self._owner(where), name, *self._arguments(given))
        return jitffi.to_bytes([self._answered(result, keep)])

    def measure(self, where: str | int, name: str, given: bytes, number: int, repeat: int, least: float) -> list[float]:
        """Return seconds a call, *repeat* times: the mean of *number* calls, or of as many more as take *least*
        seconds."""
        owner, arguments = self._owner(where), self._arguments(given)
        call = _core.call_packed
        taken: list[float] = []
        call(owner, name, *arguments)
        while len(taken) < repeat:
            begin = time.perf_counter()
            for _ in range(number):
                call(owner, name, *arguments)
            seconds = time.perf_counter() - begin
            if seconds < least and not taken:
                number = max(number + 1, min(10 * number, int(1.1 * number * least / max(seconds, 1e-9))))
            else:
                taken.append(seconds / number)
        return taken

    def _arguments(self, given: bytes) -> list[Any]:
        return [self._resolved(value) for value in jitffi.from_bytes(given)]

    def _resolved(self, value: Any) -> Any:
        """What was sent, with what stays here in the place of its handles."""
        if isinstance(value, Handle):
            return self._of_number(value.number)
        if isinstance(value, (jitffi.List, jitffi.Tuple)):
            items = [self._resolved(item) for item in value]
            if all(new is old for new, old in zip(items, value, strict=True)):
                return value
            return items if isinstance(value, jitffi.List) else tuple(items)
        if isinstance(value, jitffi.Map):
            found = {key: self._resolved(item) for key, item in value.items()}
            return value if all(found[key] is item for key, item in value.items()) else found
        return value

    def _of_number(self, number: int) -> Any:
        try:
            return self.kept[number]
        except KeyError:
            raise LookupError(f"nothing with the number {number} is kept at this worker: it was freed") from None

    # -- what stays ---------------------------------------------------------------------------------------------------

    def _answered(self, value: Any, keep: bool) -> Any:
        if callable(value) and isinstance(value, (jitffi.Function, types.BuiltinFunctionType)):
            return self.keep(value, "function", getattr(value, "__name__", ""), [], _signature(value))
        if keep and isinstance(value, jitffi.NDArray):
            return self.keep(value, "array", str(value.dtype), list(value.shape), "")
        return value

    def keep(self, value: Any, kind: str, text: str, shape: list[int], signature: str) -> Handle:
        with self._lock:
            self._numbers += 1
            self.kept[self._numbers] = value
            return Handle(kind, self._numbers, text, shape, signature)

    def store(self, given: bytes) -> bytes:
        """Keep an array."""
        (array,) = jitffi.from_bytes(given)
        return jitffi.to_bytes([self._answered(array, True)])

    def fetch(self, number: int) -> bytes:
        return jitffi.to_bytes([self._of_number(number)])

    def free(self, numbers: list[int]) -> None:
        for number in numbers:
            self.kept.pop(number, None)

    def machine(self) -> Machine:
        python = platform.python_version()
        return Machine(triple(), python, jitffi.__version__, PROTOCOL, os.getpid())


_held: dict[str, Held] = {}
_lock = threading.Lock()


def answer(request: Request) -> Answer:
    """Do what a session asks; whatever is raised on the way is in the answer."""
    try:
        if request.what == "close":
            with _lock:
                held = _held.pop(request.session, None)
            if held is not None:
                held.kept.clear()
                held.modules.clear()
                held.folder.cleanup()
            return Answer()
        with _lock:
            held = _held.get(request.session) or _held.setdefault(request.session, Held())
        method: Callable[..., Any] = getattr(held, request.what)
        return Answer(method(*request.arguments))
    except BaseException as error:  # SystemExit, too: it would end the worker
        return Answer(failure=_failure(error))


def _failure(error: BaseException) -> Failure:
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:
        pickled = None
    shown = "".join(traceback.format_exception(error))
    return Failure(type(error).__name__, str(error), shown, pickled)


def _signature(function: Any) -> str:
    signature = getattr(_core.function_of(function), "signature", None)
    return "" if signature is None else str(signature)


def triple() -> str:
    """This machine, as compilers name it; without asking one."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    if sys.platform != "linux":
        return f"{machine}-{sys.platform}"
    return f"{machine}-unknown-linux-{'gnu' if platform.libc_ver()[0] == 'glibc' else 'musl'}"
