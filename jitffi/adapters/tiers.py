"""Compiling adapters: level 0 now, level 2 a quiet moment later or at exit, for the cache and for those in use.

One worker thread; it starts with the first compile, waits while compiles keep coming, and is joined at exit, when it
makes what is left as long as its time lasts. Loaded when the first adapter must be compiled.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from typing import TYPE_CHECKING

from jitffi.adapters import adapter, cache, code_store
from jitffi.adapters.blob import NotSelfContained, extract
from jitffi.base import apart, layout
from jitffi.conventions.base import Options
from jitffi.conventions.c import result_class
from jitffi.llvm import codegen
from jitffi.llvm.target import HOST, LOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.adapters.code_store import Blob, Compiled, Request

#: Compiles stop coming for this long before the worker begins, in seconds.
_QUIET = 0.1
#: LLVM's register allocator takes seconds for an adapter of a thousand parameters, and nothing can interrupt it: what
#: has more than this stays at level 0.
_MOST_PARAMETERS = 100
#: What may be spent at exit, in seconds; what is left then is compiled by the next process.
_AT_EXIT = 2.0


def adapter_text(request: Request, level: int = 2) -> str:
    """Return the IR of the module for *request*, as it is compiled at *level*."""
    return codegen.module_text(_function_text(request, level))


def _function_text(request: Request, level: int) -> str:
    entry, callee = adapter.convention(request.entry), adapter.convention(request.callee)
    options = Options.of(request.options)
    return adapter.build_adapter(request.symbol, request.sig, entry, callee, options, layout.HOST, level > 0)


def compile_now(request: Request, debug: bool = False) -> Compiled:
    """Compile at level 0; for a debugger, which is told of it, and for which it stays as it is."""
    if not debug:
        return compile_together([request])[0]
    obj = codegen.object_code(adapter_text(request, 0), 0, request.symbol)
    try:
        blob = extract(obj)[request.symbol]
    except NotSelfContained:
        return _linked(request, obj)
    mapped = blob.mapped(request, immortal=True)
    from jitffi.link import debugger

    functions = [(mapped.address, blob.size, request.symbol)]
    _shown.append(debugger.show(functions, mapped.address, blob.image, blob.frames))
    return code_store.Compiled(mapped, result_class(request.sig), 0)


def compile_together(requests: list[Request]) -> list[Compiled]:
    """Compile several adapters at level 0 in one module."""
    text = codegen.module_text("\n\n".join([_function_text(request, 0) for request in requests]))
    obj = codegen.object_code(text, 0, requests[0].symbol)
    try:
        codes = extract(obj)
    except NotSelfContained:
        return [_linked(each, codegen.object_code(adapter_text(each, 0), 0, each.symbol)) for each in requests]
    return [_mapped(request, codes[request.symbol], 0) for request in requests]


def _mapped(request: Request, blob: Blob, level: int) -> Compiled:
    mapped = blob.mapped(request)
    if level == 0:
        _worker.add(request)
    return code_store.Compiled(mapped, result_class(request.sig), level)


def _linked(request: Request, obj: bytes) -> Compiled:
    from jitffi.llvm.jit import Linked

    linked = Linked(obj, request.symbol)
    code_store.note_for_perf(request, linked.address, len(obj))
    return code_store.Compiled(linked, result_class(request.sig), 0)


#: Of code that is never unmapped.
_shown: list[object] = []


class _Worker:
    """Makes level 2 of what was compiled at level 0."""

    def __init__(self) -> None:
        self._wake = threading.Condition(threading.Lock())
        self._queue: list[Request] = []
        #: Who waits for the code of each request that is queued or being made.
        self._watchers: dict[str, list[Callable[[Compiled], None]]] = {}
        self._last = 0.0
        self._deadline: float | None = None
        self._thread: threading.Thread | None = None

    def improve(self, request: Request, install: Callable[[Compiled], None]) -> None:
        """Make level 2 of what has no code, without waiting for quiet."""
        living = code_store.living(request.key)
        if living is not None and living.level:
            return install(living)
        self.add(request, is_hot=True)
        self.watch(request.key, install)

    def add(self, request: Request, is_hot: bool = False) -> None:
        if len(request.sig.params) > _MOST_PARAMETERS:
            code_store.without_level_2.add(request.key)
            return
        with self._wake:
            if request.key in self._watchers:
                if is_hot:
                    self._queue.sort(key=lambda each: each.key != request.key)
                return  # compiled again, since its code had gone: no reason to wait longer
            self._watchers[request.key] = []
            if is_hot:  # before all that has been called once
                self._queue.insert(0, request)
            else:
                self._last = time.monotonic()
                self._queue.append(request)
            if self._thread is None and self._deadline is None:
                self._start()
            self._wake.notify()

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="jitffi-level-2", daemon=True)
        before = threading.stack_size()
        try:
            threading.stack_size(apart.STACK)
            thread.start()
        except RuntimeError:
            return  # no thread left, or the interpreter is about to end (3.12): level 0 does as well
        finally:
            threading.stack_size(before)
        self._thread = thread

    def watch(self, key: str, install: Callable[[Compiled], None]) -> None:
        """Without the lock, which a signal handler that raises could leave taken: this is called on any thread."""
        watchers = self._watchers.get(key)
        if watchers is None:
            return  # nothing better comes
        watchers.append(install)
        if self._watchers.get(key) is not watchers:  # it has come meanwhile, and may have gone past
            better = code_store.living(key)
            if better is not None and better.level:
                install(better)

    def _next(self) -> Request | None:
        """Wait for work and for quiet; None: stop."""
        with self._wake:
            while True:
                now = time.monotonic()
                if self._deadline is not None:
                    return self._queue.pop(0) if self._queue and now < self._deadline else None
                quiet = self._last + _QUIET - now
                if self._queue and quiet <= 0:
                    return self._queue.pop(0)
                self._wake.wait(quiet if self._queue else None)

    def _run(self) -> None:
        apart.ours.add(threading.get_ident())
        while (item := self._next()) is not None:
            try:
                self._improve(item)
            except (OSError, MemoryError):
                continue  # no memory for code, no room for a dump: level 0 stays, and the next one may fare better

    def _improve(self, request: Request) -> None:
        try:
            code = self._better_code(request)
        finally:
            with self._wake:
                watchers = self._watchers.pop(request.key, [])
        if code is None:
            code_store.without_level_2.add(request.key)
        if code is not None and watchers and self._deadline is None:
            better = _mapped(request, code, 2)
            code_store.remember(request, better)
            for install in watchers:
                install(better)

    def _better_code(self, request: Request) -> Blob | None:
        """The code of level 2, which goes to the cache; None where nobody would use it, or where it needs a linker."""
        with self._wake:
            watched = self._watchers.get(request.key) and self._deadline is None
        if not watched and cache.directory() is None:
            return None
        try:
            code = extract(codegen.object_code(adapter_text(request), 2, request.symbol))[request.symbol]
        except NotSelfContained:
            return None
        code_store.to_cache(request, code, result_class(request.sig))
        return code

    def finish(self) -> None:
        """At exit: make what is left, for the next process; without a cache there is nobody to make it for."""
        with self._wake:
            thread, self._thread = self._thread, None
            self._deadline = time.monotonic() + (_AT_EXIT if cache.directory() else 0.0)
            self._wake.notify()
        if thread is not None and thread.is_alive():
            apart.mend_import_lock()
            thread.join()

    def forked(self) -> None:
        """In a child: the thread is not here, and what is queued is the parent's to make."""
        self.__init__()  # type: ignore[misc]

    def forget(self) -> None:
        """Leave what is queued at level 0; for tests, whose functions have gone."""
        with self._wake:
            for each in self._queue:
                self._watchers.pop(each.key, None)
            self._queue.clear()

    def drain(self) -> None:
        """Make what is queued now, on this thread; for tests and benchmarks that want level 2."""
        while True:
            with self._wake:
                if not self._queue:
                    break
                item = self._queue.pop(0)
            self._improve(item)
        with LOCK:
            pass  # what the worker had taken is done


def when_better(key: str, install: Callable[[Compiled], None]) -> None:
    _worker.watch(key, install)


def improve(request: Request, install: Callable[[Compiled], None]) -> None:
    """Let level 2 be made of what has no code, and installed."""
    _worker.improve(request, install)


def drain() -> None:
    """Bring every function in use to level 2 before this returns."""
    _worker.drain()


def forget() -> None:
    """Leave at level 0 what waits for level 2."""
    _worker.forget()


def _warm_up() -> None:
    """Let LLVM compile something of everything once: what it does for the first time costs ten times as much, since its
    pages are read only then, and the first wrapper of a user should not have to pay for it."""
    from jitffi.signature.text import parse

    text = adapter_text(code_store.Request("python", "c", parse("(i64, f64, u8, str) -> i64")), 0)
    HOST.compile_object(text, 0)


_worker = _Worker()
with LOCK:
    _warm_up()
atexit.register(_worker.finish)
os.register_at_fork(after_in_child=_worker.forked)
