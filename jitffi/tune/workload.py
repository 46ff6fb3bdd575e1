"""What is tuned: a file with a function `workload`, a callable, or scripts and what drives them.

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
    """A workload that cannot be loaded: one line, with the file and the line where there is one."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Whether there is one for an item, one named `pad`, and whether that has a value of its own: the default."""

    item: bool
    pad: bool = False
    pad_default: bool = False


@dataclass(frozen=True, slots=True)
class Workload:
    """What is run, not loaded yet: either a file (`path` and its `text`), or `function`, with `scripts` to drive."""

    #: Of the file or of the function: what the profile calls it.
    name: str
    #: Absolute; "" without a file.
    path: str = ""
    text: str = ""
    function: Callable[..., Any] | None = None
    #: What `function` is called with, before the item.
    scripts: tuple[Any, ...] = ()

    def load(self) -> Loaded:
        """Make it ready to run: a file is run, once a process. WorkloadError where it fails, or has no `workload`."""
        if self.function is not None:
            return Loaded(self.function, self.scripts, None, parameters_of(self.function, len(self.scripts)))
        module = _module(self)
        function = getattr(module, FUNCTION, None)
        if function is None:
            raise WorkloadError(f"{self.path}: there is no function {FUNCTION!r} in it")
        try:
            found = parameters_of(function)
        except TypeError as error:
            code = getattr(function, "__code__", None)
            line = f":{code.co_firstlineno}" if code is not None and code.co_filename == self.path else ""
            raise WorkloadError(f"{self.path}{line}: {error}") from None
        return Loaded(function, (), getattr(module, SETUP, None), found)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A workload in this process."""

    function: Callable[..., Any]
    scripts: tuple[Any, ...]
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
        function, scripts, pad, more = self.function, self.scripts, pads.everywhere, {}
        if self.parameters.pad and not (pad is None and self.parameters.pad_default):
            from jitffi.profiles.pads import Candidate

            more[PAD] = Candidate(1, unspecified=True) if pad is None else Candidate(pad)
        if not self.parameters.item:
            function(*scripts, **more)
        elif scripts or more:
            for item in items:
                function(*scripts, item, **more)
        else:
            for item in items:
                function(item)


# -- what is given ----------------------------------------------------------------------------------------------------


def read(given: object) -> Workload:
    """Return the workload of a file's path, of a callable, or of a tuple: scripts, and what is called with them and an
    item. A file is read and parsed, not run.

    Raises FileNotFoundError (an ArgumentError), OSError; SyntaxError of the file; TypeError for what is none of these,
    and for a callable with other parameters than an item and `pad`.

    >>> read(len).name
    'len'
    """
    if isinstance(given, (str, os.PathLike)):
        return _read_file(os.fspath(given))
    *scripts, function = given if isinstance(given, tuple) and given else (given,)
    for each in (*scripts, function):
        if not callable(each):
            raise TypeError(
                "workload: expected the path of a Python file, a callable, or a tuple of scripts and the callable that "
                f"drives them, got {type(each).__name__}"
            )
    parameters_of(function, len(scripts))
    return Workload(_name(function), "", "", function, tuple(scripts))


def _name(function: Any) -> str:
    while not hasattr(function, "__qualname__") and hasattr(function, "func"):  # functools.partial
        function = function.func
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def _read_file(given: str | bytes) -> Workload:
    path = os.fsdecode(given)
    existing(path, "name a Python file")
    with open_regular(path) as file:
        data = file.read()
    if b"\0" in data:  # what Python says of it depends on its version
        raise WorkloadError(f"{path}: no Python text: there is a null byte in it")
    ast.parse(data, path)
    path = os.path.abspath(path)
    return Workload(os.path.basename(path), path, importlib.util.decode_source(data))


# -- parameters --------------------------------------------------------------------------------------------------------


def parameters_of(function: Callable[..., Any], scripts: int = 0) -> Parameters:
    """Return what *function* takes, beside the first *scripts* parameters. What does not tell is called with an item.

    TypeError for what would do nothing when it is called (a generator, a coroutine), and for further parameters.

    >>> parameters_of(lambda item, pad=1: None)
    Parameters(item=True, pad=True, pad_default=True)
    >>> parameters_of(lambda: None)
    Parameters(item=False, pad=False, pad_default=False)
    """
    name = getattr(function, "__name__", type(function).__name__)
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{name}: a workload is a plain function, not an async one")
    if inspect.isgeneratorfunction(function):
        raise TypeError(f"{name}: a workload is a plain function; a generator does nothing when it is called")
    if not callable(function):
        raise TypeError(f"a workload is a function, not {type(function).__name__}")
    try:
        signature = inspect.signature(function)
    except ValueError:  # a builtin that does not tell
        return Parameters(True)
    pad = signature.parameters.get(PAD)
    named = {} if pad is None or pad.kind not in _BY_NAME else {PAD: None}
    for items in ((None,), ()):
        with contextlib.suppress(TypeError):
            signature.bind(*(None,) * scripts, *items, **named)
            has_default = pad is not None and pad.default is not inspect.Parameter.empty
            return Parameters(bool(items), bool(named), bool(named) and has_default)
    before = f"one for each of the {scripts} scripts, then " if scripts else ""
    raise TypeError(f"{name}{signature}: a workload has for parameters {before}an item and `pad`, or one of them")


_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


# -- a file that is run -----------------------------------------------------------------------------------------------

#: What has been run in this process: the file's path and text with its module.
_run: dict[tuple[str, str], ModuleType] = {}


def _module(workload: Workload) -> ModuleType:
    """Return the module of the file, which is run the first time. WorkloadError for whatever ends that."""
    path, text = workload.path, workload.text
    module = _run.get((path, text))
    if module is not None:
        sys.modules[MODULE] = module  # another file's may have come in between
        return module
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
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the user's, SystemExit too
        del sys.modules[MODULE]
        raise WorkloadError(_explain(error, path)) from error
    _run[path, text] = module
    return module


def in_words(error: BaseException) -> str:
    """Return what an exception says, in one line, with the line of the workload's file that raised it, if any.

    >>> in_words(ValueError("no\\nnumber"))
    'ValueError: no number'
    """
    what = " ".join(str(error).split())
    words = what if isinstance(error, WorkloadError) else f"{type(error).__name__}: {what}".removesuffix(": ")
    words = words if len(words) <= _MOST_WORDS else words[: _MOST_WORDS - 3] + "..."
    found = [(path, line) for path, _ in _run if (line := _line(error, path))]
    if isinstance(error, WorkloadError) or not found:
        return words
    return f"{words} ({os.path.basename(found[0][0])}:{found[0][1]})"


def _explain(error: BaseException, path: str) -> str:
    """Return file and line, and what went wrong there."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:  # of what it imports, or of a script in it
        return f"{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}"
    return f"{path}:{_line(error, path)}: {in_words(error)}"


def _line(error: BaseException, path: str) -> int:
    """Return the last line of the file on the way to where it was raised; 0: it was not on it."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == path]
    return lines[-1] if lines else 0
