"""Many signatures, compiled in pieces by several processes.

A piece is as many signatures whatever the number of processes is, so the bytes are the same for every number. Each
process is a Python that reads pieces from its standard input and writes what became of them: it has nothing of what the
caller's program has done or locked, and the caller's program is not run again in it.
"""

from __future__ import annotations

import pickle
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from jitffi.base.apart import apart
from jitffi.signature.model import Signature

if TYPE_CHECKING:
    from jitffi.llvm.target import Target

#: Signatures of a piece. Small enough that the last ones do not leave the other processes without work, large enough
#: that the runtime's declarations, which each piece repeats, do not count.
PIECE = 64

_HEAD = struct.Struct("<Q")
_SERVE = "import sys; sys.path[:] = {path!r}; from jitffi.emission.parallel import serve; serve()"


@dataclass(frozen=True)
class Settings:
    """What all pieces have in common; the target by what makes it."""

    entry: str
    callee: str
    callee_name: str | None
    target: tuple[str, str | None, str | None]
    pad: int
    opt: int


@dataclass(frozen=True)
class Piece:
    """Some of the signatures; *form* is objfile's. *module*: the extension module that the piece makes of its Python
    entries, or, where it `is_apart`, of those of the other pieces. *text*: the IR, where it is there already; all of
    it `is_ours`."""

    sigs: dict[str, Signature]
    settings: Settings
    form: str
    module: str | None = None
    is_apart: bool = False
    text: str = ""
    is_ours: bool = True

    @property
    def count(self) -> int:
        """How many adapters there are to compile."""
        is_more = self.is_apart or (self.text and self.settings.entry != "packed")  # has an adapter, too
        return 0 if is_more else len(self.sigs)


def cut(sigs: dict[str, Signature]) -> list[dict[str, Signature]]:
    """Return the pieces, in their order.

    >>> [len(piece) for piece in cut({f"f{i}": None for i in range(130)})]
    [64, 64, 2]
    """
    items = list(sigs.items())
    return [dict(items[at : at + PIECE]) for at in range(0, len(items), PIECE)]


def compile_pieces(pieces: Sequence[Piece], jobs: int, done: Callable[[int], None]) -> list[bytes]:
    """Return each piece's code, compiled by *jobs* processes; by this one where that is 1, or one piece all there is.

    *done* is called with the number of signatures of each piece that is ready. What a piece raises is raised here, of
    several the first one's.
    """
    if min(jobs, len(pieces)) == 1 or not sys.executable:
        codes = []
        for piece in pieces:
            codes.append(compile_piece(piece))
            done(piece.count)
        return codes
    return _Crew(pieces, min(jobs, len(pieces))).run(done)


def compile_piece(piece: Piece) -> bytes:
    from jitffi.emission import adapter_modules
    from jitffi.llvm import object_files
    from jitffi.llvm.target import Target

    s = piece.settings
    target = Target.of(*s.target)
    if piece.text:
        text = piece.text
    elif piece.is_apart:
        assert piece.module is not None
        text = adapter_modules.extension_text(piece.sigs, piece.module, target)
    else:
        names = {"callee_name": s.callee_name, "module": piece.module}
        text = adapter_modules.module_text(
            piece.sigs, entry=s.entry, callee=s.callee, target=target, pad=s.pad, **names
        )
    return object_files.compile_text(text, target, s.opt, piece.form, piece.is_ours)


@apart
def merge(codes: Sequence[bytes], target: Target, opt: int, form: str) -> bytes:
    """Return one file of the pieces' bitcode, which is optimised already."""
    import llvmlite.binding as llvm

    from jitffi.llvm import object_files
    from jitffi.llvm.target import LOCK

    with LOCK:
        context = llvm.create_context()  # as in compile_here
        module = llvm.parse_bitcode(codes[0], context)
        for code in codes[1:]:
            module.link_in(llvm.parse_bitcode(code, context))
        made = object_files.FORMS[form](module, lambda: target.machine(opt))
        module.close()
        context.close()
    return made


class _Crew:
    """The processes, each with a thread here that gives it one piece after the other."""

    def __init__(self, pieces: Sequence[Piece], jobs: int) -> None:
        self._pieces = pieces
        self._waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._ready: queue.SimpleQueue[tuple[int, bytes | Exception]] = queue.SimpleQueue()
        for i in range(len(pieces)):
            self._waiting.put(i)
        command = [sys.executable, "-c", _SERVE.format(path=sys.path)]
        # A session of their own: Ctrl-C is for us, who end them.
        self._processes = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
            for _ in range(jobs)
        ]

    def run(self, done: Callable[[int], None]) -> list[bytes]:
        threads = [threading.Thread(target=self._feed, args=(p,), daemon=True) for p in self._processes]
        codes: dict[int, bytes] = {}
        try:
            for thread in threads:
                thread.start()
            failed: tuple[int, Exception] | None = None
            for _ in self._pieces:
                i, code = self._ready.get()
                if isinstance(code, bytes):
                    codes[i] = code
                    done(self._pieces[i].count)
                elif failed is None or i < failed[0]:
                    failed = i, code
            if failed is not None:
                raise failed[1]
        finally:
            for process in self._processes:
                process.kill()
                process.wait()
                for pipe in (process.stdin, process.stdout):
                    _close(pipe)
        return [codes[i] for i in range(len(self._pieces))]

    def _feed(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        while True:
            try:
                i = self._waiting.get_nowait()
            except queue.Empty:
                return
            try:
                _write(process.stdin, self._pieces[i])
                code = _read(process.stdout)
            except (OSError, EOFError, ValueError):
                names = list(self._pieces[i].sigs)
                code = RuntimeError(f"the process that compiled {names[0]} to {names[-1]} ended: {process.wait()}")
            self._ready.put((i, code))


def _close(pipe: IO[bytes] | None) -> None:
    try:
        if pipe is not None:
            pipe.close()
    except OSError:  # what was still to be written
        pass


def _write(pipe: IO[bytes], value: Any) -> None:
    data = pickle.dumps(value)
    pipe.write(_HEAD.pack(len(data)) + data)
    pipe.flush()


def _read(pipe: IO[bytes]) -> Any:
    head = pipe.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise EOFError
    (size,) = _HEAD.unpack(head)
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


def serve() -> None:
    """What each process does: pieces in, code or an exception out, until there is no more."""
    import os

    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed by others does not get among our answers
    while True:
        try:
            piece = _read(source)
        except EOFError:
            return
        try:
            answer: Any = compile_piece(piece)
        except Exception as error:
            answer = error
        _write(sink, answer)
