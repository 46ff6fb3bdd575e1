"""What is tuned: a file with a function `workload`, or a callable.

    read(...)     Workload: what was given; pickles if its parts do
    load()        Loaded:   the file is run, once a process; from then on `run` is one pass over the items

A file's text is part of the Workload, so that a process on another machine needs no file: it is run there under that
name, its lines stand in linecache, where scripts and tracebacks look for their text, and its folder is in sys.path.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from jitffi.base.errors import ArgumentError
from jitffi.base.files import open_regular
from jitffi.tune.data.readers import existing

if TYPE_CHECKING:
    from jitffi.profiles.candidates import Pads

FUNCTION, SETUP = "workload", "setup"
#: `__name__` of a file that is run, and where sys.modules has it. Not "__main__": what stands below `if __name__ ==
#: "__main__"` is for other days. Not the file's own name, which a module of Python's may have.
MODULE = "__workload__"
#: Characters of an exception's text.
_MOST_WORDS = 300
#: The parameter that is given the candidate.
PAD = "pad"


class WorkloadError(ArgumentError):
    """A workload that cannot be loaded: one line."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Whether there is one for an item, one named `pad`, and whether that has a value of its own: the default."""

    item: bool
    pad: bool = False
    pad_default: bool = False


@dataclass(frozen=True, slots=True)
class Workload:
    """What is run, not loaded yet: either a file (`path` and its `text`), or `function`."""

    #: Of the file or of the function: what the profile calls it.
    name: str
    #: Absolute; "" without a file.
    path: str = ""
    text: str = ""
    function: Callable[..., Any] | None = None

    def load(self) -> Loaded:
        """Make it ready to run: a file is run, once a process. WorkloadError where it fails, or has no `workload`."""
        if self.function is not None:
            return Loaded(self.function, None, parameters_of(self.function))
        module = _module(self)
        function = getattr(module, FUNCTION, None)
        if function is None:
            raise WorkloadError(f"{self.path}: there is no function {FUNCTION!r} in it")
        try:
            return Loaded(function, getattr(module, SETUP, None), parameters_of(function))
        except TypeError as error:
            raise WorkloadError(f"{self.path}: {error}") from None


@dataclass(frozen=True, slots=True)
class Loaded:
    """A workload in this process."""

    function: Callable[..., Any]
    setup: Callable[..., Any] | None
    parameters: Parameters

    def prepare(self, items: Sequence[object]) -> None:
        """Call `setup` with a list of the items, if the file has one. For once a process; what it raises comes out.
        WorkloadError where there are no items, and the workload takes them."""
        if self.parameters.item and not items:
            raise WorkloadError("the workload is called with items, and there is no corpus")
        if self.setup is not None:
            self.setup(list(items))

    def run(self, items: Sequence[object], pads: Pads) -> None:
        """Make one pass: a call for each item, or one call if there is no parameter for it. What it raises comes out.

        A parameter `pad` gets *pads*, as a Candidate; by the default it is left out where the parameter has a value.
        Scripts are none of its business: `jitffi.profiles.pads.switch` is called before.
        """
        function, pad, more = self.function, pads.everywhere, {}
        if self.parameters.pad and not (pad is None and self.parameters.pad_default):
            from jitffi.profiles.pads import Candidate

            more[PAD] = Candidate(1, unspecified=True) if pad is None else Candidate(pad)
        if not self.parameters.item:
            function(**more)
        elif more:
            for item in items:
                function(item, **more)
        else:
            for item in items:
                function(item)


def read(given: object) -> Workload:
    """Return the workload of a file's path, or of a callable. A file is read and parsed, not run.

    Raises FileNotFoundError (an ArgumentError), OSError; SyntaxError of the file; TypeError for what is neither, and
    for a callable with other parameters than an item and `pad`.

    >>> read(len).name
    'len'
    """
    if isinstance(given, (str, os.PathLike)):
        return _read_file(os.fspath(given))
    if not callable(given):
        raise TypeError(f"workload: expected the path of a Python file, or a callable, got {type(given).__name__}")
    parameters_of(given)
    return Workload(str(getattr(given, "__qualname__", type(given).__qualname__)), function=given)


def _read_file(given: str | bytes) -> Workload:
    path = os.fsdecode(given)
    existing(path, "name a Python file")
    with open_regular(path) as file:
        data = file.read()
    if b"\0" in data:  # what Python says of it depends on its version
        raise WorkloadError(f"{path}: no Python text: there is a null byte in it")
    try:
        ast.parse(data, path)
    except SyntaxError as error:
        if error.lineno:
            raise
        raise WorkloadError(f"{path}: no Python text: {error.msg}") from None  # its encoding, which has no line
    path = os.path.abspath(path)
    return Workload(os.path.basename(path), path, importlib.util.decode_source(data))


def parameters_of(function: Callable[..., Any]) -> Parameters:
    """Return what *function* takes. What does not tell is called with an item.

    TypeError for what would do nothing when it is called (a generator, a coroutine), and for further parameters.

    >>> parameters_of(lambda item, pad=1: None)
    Parameters(item=True, pad=True, pad_default=True)
    >>> parameters_of(lambda: None)
    Parameters(item=False, pad=False, pad_default=False)
    """
    name = getattr(function, "__name__", type(function).__name__)
    if any(is_such(function) for is_such in _LAZY):
        raise TypeError(f"{name}: a workload is a plain function; a generator or an async one does nothing when called")
    try:
        signature = inspect.signature(function)
    except ValueError:  # a builtin that does not tell
        return Parameters(True)
    pad = signature.parameters.get(PAD)
    named = {} if pad is None or pad.kind not in _BY_NAME else {PAD: None}
    for items in ((None,), ()):
        with contextlib.suppress(TypeError):
            signature.bind(*items, **named)
            has_default = pad is not None and pad.default is not inspect.Parameter.empty
            return Parameters(bool(items), bool(named), bool(named) and has_default)
    raise TypeError(f"{name}{signature}: a workload has for parameters an item and then `pad`, or one of them")


_LAZY = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _module(workload: Workload) -> ModuleType:
    """Run the file and return its module. WorkloadError for whatever ends that."""
    path, text = workload.path, workload.text
    # Without a time of change: an entry that nobody compares with a file, which may not be there, or be another.
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    folder = os.path.dirname(path)
    if folder and folder not in sys.path:  # "": a text that was made, not read
        sys.path.insert(0, folder)
    module = ModuleType(MODULE)
    module.__file__ = path
    sys.modules[MODULE] = module
    try:
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:  # the user's, SystemExit too; Ctrl-C does not reach this process
        raise WorkloadError(in_words(error)) from error
    return module


def in_words(error: BaseException) -> str:
    """Return what an exception says, in one line, with the line of the workload's file that raised it, if any.

    >>> in_words(ValueError("no\\nnumber"))
    'ValueError: no number'
    """
    what = " ".join(str(error).split())
    words = what if isinstance(error, WorkloadError) else f"{type(error).__name__}: {what}".removesuffix(": ")
    words = words if len(words) <= _MOST_WORDS else words[: _MOST_WORDS - 3] + "..."
    path = getattr(sys.modules.get(MODULE), "__file__", "")
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == path]
    if not lines or isinstance(error, SyntaxError):  # which says where
        return words
    return f"{words} ({os.path.basename(path)}:{lines[-1]})"
