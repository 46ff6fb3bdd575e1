"""The source text of a Python function: where its block of lines begins and ends, and Python's tree of it.

Neither `inspect` nor `ast` nor `tokenize`: a warm start needs the text for its key in the cache and nothing else, and
each of them would take longer to import than all the rest. The block is found by the compiler itself: the first line is
the code object's, and a line that is indented no deeper ends the block as soon as what is before it can be parsed.
"""

from __future__ import annotations

import sys
from _ast import AST, AnnAssign, Attribute, Constant, FunctionDef, If, Module, Name, PyCF_ONLY_AST
from _blake2 import blake2b

from jitffi.base.errors import ScriptError
from jitffi.scripts.frontend import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ast import AsyncFunctionDef, expr, stmt
    from types import FunctionType
    from typing import Any, Final, NoReturn

    Located = expr | stmt

#: How often a line that looks like the end may turn out not to be one (the end of a long string, say) until the whole
#: file is parsed, which costs its length but once.
_MOST_TRIES = 8
_BLOCKS = ("body", "handlers", "orelse", "finalbody")


class Source:
    """The lines of one function, and its node in Python's tree, with positions that are the file's."""

    __slots__ = ("filename", "first_line", "lines", "name", "node")

    def __init__(self, name: str, filename: str, first_line: int, lines: list[str], node: FunctionDef) -> None:
        self.name: Final = name
        self.filename: Final = filename
        #: Of the first decorator, or else of `def`; from 1.
        self.first_line: Final = first_line
        self.lines: Final = lines
        self.node: Final = node

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    @property
    def digest(self) -> bytes:
        """A hash of all that the text decides about the code: what it says and where it stands."""
        # Under -O there are no asserts.
        head = f"{self.filename}\n{self.first_line}\n{__debug__}\n"
        return blake2b((head + self.text).encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def line(self, number: int) -> str:
        """A line of the file by its number there."""
        index = number - self.first_line
        return self.lines[index] if 0 <= index < len(self.lines) else ""

    def column(self, line: int, offset: int) -> int:
        """Python's tree counts bytes of UTF-8; a column is in characters."""
        text = self.line(line)
        return (
            offset if text.isascii() else len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore"))
        )

    def error(self, message: str, line: int, column: int, end_line: int, end_column: int) -> ScriptError:
        text = self.line(line)
        if end_line != line:
            end_column = len(text)
        return ScriptError(message, (self.filename, line, column + 1, text, line, max(end_column, column + 1) + 1))

    def refuse(self, node: Located, message: str) -> NoReturn:
        """Raise the error of a node of Python's tree."""
        line, end_line = node.lineno, node.end_lineno or node.lineno
        start = self.column(line, node.col_offset)
        raise self.error(message, line, start, end_line, self.column(end_line, node.end_col_offset or 0))


def of(function: FunctionType) -> Source:
    """Return the source of a function. ScriptError where there is none, or where it cannot be a script's."""
    code = function.__code__
    lines = _lines(function)
    first = code.co_firstlineno
    if not lines:
        _no_source(function, _NONE)
    if not 0 < first <= len(lines):
        _no_source(function, _of_another(function))
    if code.co_name == "<lambda>":
        raise _at_line(function, lines, "a lambda is no script: write a def")
    if _has_private_names(function):
        raise _at_line(function, lines, "names that begin with __ are its class's own in a method: write one _")
    node, count = _parse(lines, first, code.co_filename)
    if not isinstance(node, FunctionDef):
        if node is not None and type(node).__name__ == "AsyncFunctionDef":
            raise _at_line(function, lines, "scripts have no async: write a plain def")
        _no_source(function, _of_another(function))
    arguments = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    if node.name != code.co_name or arguments != list(code.co_varnames[: code.co_argcount]):
        _no_source(function, _of_another(function))
    return Source(function.__name__, code.co_filename, first, lines[first - 1 : first - 1 + count], node)


def refuse_method(function: FunctionType) -> None:
    """ScriptError for a method of a class."""
    around = function.__qualname__.rpartition(".")[0]
    if around and not around.endswith("<locals>") and _lines(function):
        message = f"a method is no script: move it out of the class {around}, to the module"
        raise _at_line(function, _lines(function), message)


def _has_private_names(function: FunctionType) -> bool:
    """Whether names in it are others than its text says, as those that are private to a class are."""
    classes = [each.lstrip("_") for each in function.__qualname__.split(".")[:-1]]
    private = tuple([f"_{each}__" for each in classes if each])
    waiting = [function.__code__] if private else []
    while waiting:
        code = waiting.pop()
        if any(each.startswith(private) for each in (*code.co_names, *code.co_varnames, *code.co_freevars)):
            return True
        waiting += [each for each in code.co_consts if type(each) is type(code)]
    return False


_NONE = "has no source text: a script's text is read, so write it into a file"
_CHANGED = "is not in its file any more as it was when it was imported: import it again"


def _of_another(function: FunctionType) -> str:
    """What to say where the text under its file's name is not its own: of exec all that runs is "<string>", and since
    3.13 what `python -c` runs has its text there."""
    return _NONE if function.__code__.co_filename == "<string>" else _CHANGED


def digest(function: FunctionType) -> bytes:
    """A hash of the function's text and place, and of what its annotations stand for: half of the key of its code
    (names.py has the other half)."""
    return names.meaning(function, *parts(function))


def parts(function: FunctionType) -> tuple[bytes, list[str]]:
    """A hash of its text and place, and the names in its annotations."""
    found = of(function)
    return found.digest, sorted(_annotation_names(found.node))


def _annotation_names(node: FunctionDef) -> set[str]:
    """The names in annotations of the parameters and variables, those of modules' attributes with dots."""
    args = node.args
    waiting: list[Any] = [node.returns, *(each.annotation for each in (*args.posonlyargs, *args.args))]
    blocks: list[Any] = list(node.body)
    while blocks:
        inner: Any = blocks.pop()
        if type(inner) is AnnAssign:
            waiting.append(inner.annotation)
        for part in _BLOCKS:
            blocks += getattr(inner, part, ())
    found = set()
    while waiting:
        inner = waiting.pop()
        if type(inner) is Name:
            found.add(inner.id)
        elif type(inner) is Attribute:
            found.add(_dotted(inner))
        elif type(inner) is Constant and type(inner.value) is str:
            found.update(inner.value.replace("[", " ").replace("]", " ").replace(",", " ").replace("|", " ").split())
        elif isinstance(inner, AST):
            for part in vars(inner).values():
                waiting += part if isinstance(part, list) else [part]
    return found - {""}


def _dotted(node: Any) -> str:
    """`module.name`; "" for what is an attribute of something else."""
    if type(node) is Attribute:
        before = _dotted(node.value)
        return before and f"{before}.{node.attr}"
    return node.id if type(node) is Name else ""


def _no_source(function: FunctionType, what: str) -> NoReturn:
    code = function.__code__
    raise ScriptError(
        f"{function.__name__} {what}", (code.co_filename, code.co_firstlineno, 1, None, code.co_firstlineno, 0)
    )


def _at_line(function: FunctionType, lines: list[str], message: str) -> ScriptError:
    code = function.__code__
    text = lines[code.co_firstlineno - 1]
    start = len(text) - len(text.lstrip()) + 1
    position = (code.co_filename, code.co_firstlineno, start, text, code.co_firstlineno, len(text.rstrip()) + 1)
    return ScriptError(message, position)


# -- the lines of a file ----------------------------------------------------------------------------------------------

#: The last file that was read: name, what it was like, lines. A module has its scripts one after the other.
_last: tuple[str, tuple[int, int], list[str]] = ("", (0, 0), [])


def _lines(function: FunctionType) -> list[str]:
    """All lines of the function's file, without their ends; none where there is no file."""
    filename = function.__code__.co_filename
    if filename.startswith("<frozen "):
        filename = function.__globals__.get("__file__") or filename
    # Text that a notebook, or whoever has called exec, has put there: it has no time of change. The module has no cache
    # yet where its import was interrupted, or goes on in another thread.
    entry = getattr(sys.modules.get("linecache"), "cache", {}).get(filename)
    if entry is None or len(entry) == 1 or entry[1] is not None:
        lines = _read(filename)
        if lines is not None:
            return lines
    import linecache

    return [line.rstrip("\r\n") for line in linecache.getlines(filename, function.__globals__)]


def _read(filename: str) -> list[str] | None:
    """The lines of a file on disk."""
    global _last
    if filename.startswith("<"):
        return None
    import os

    try:
        info = os.stat(filename)
        mark = (info.st_size, info.st_mtime_ns)
        if _last[0] == filename and _last[1] == mark:
            return _last[2]
        with open(filename, "rb") as file:
            content = file.read()
        text = _decode(content)
    except (OSError, ValueError):  # also UnicodeDecodeError, and names with a NUL
        return None
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    _last = filename, mark, lines
    return lines


def _decode(content: bytes) -> str:
    if any(b"coding" in line for line in content.split(b"\n", 2)[:2]):
        import io
        import tokenize

        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding)
    return content.decode("utf-8-sig")


# -- the block --------------------------------------------------------------------------------------------------------


def _parse(lines: list[str], first: int, filename: str) -> tuple[FunctionDef | AsyncFunctionDef | Any, int]:
    """The node of the function whose first line that is, and how many lines it has. None where there is none."""
    head = lines[first - 1]
    indent = len(head) - len(head.lstrip())
    last = len(lines)
    at, tries = first, 0
    while tries < _MOST_TRIES:
        at += 1
        while at <= last and not _ends_block(lines[at - 1], indent):
            at += 1
        end = min(at - 1, last)
        try:
            node = _block(lines[first - 1 : end], first, indent, filename)
        except SyntaxError:
            tries += 1
            if at > last:
                break
            continue
        return node, _trim(lines, first, end, indent)
    return _find(lines, first, filename)


def _ends_block(line: str, indent: int) -> bool:
    inner = line.lstrip()
    return bool(inner) and inner[0] != "#" and len(line) - len(inner) <= indent


def _trim(lines: list[str], first: int, end: int, indent: int) -> int:
    """How many lines there are without the comments and blank lines at the end that are not of the block."""
    while end > first:
        line = lines[end - 1]
        inner = line.lstrip()
        if inner and (inner[0] != "#" or len(line) - len(inner) > indent):
            break
        end -= 1
    return end - first + 1


def _block(lines: list[str], first: int, indent: int, filename: str) -> Any:
    # Not dedented, which would change strings of several lines, but put into an `if`; and as far down as in the file.
    before = ["if 1:"] if indent else []
    padding = "\n" * (first - 1 - len(before))
    body = _compile(padding + "\n".join([*before, *lines, ""]), filename).body
    node = body[0] if body else None
    return node.body[0] if indent and isinstance(node, If) else node


def _compile(text: str, filename: str) -> Module:
    return compile(text, filename, "exec", PyCF_ONLY_AST, True)  # type: ignore[return-value]


def _find(lines: list[str], first: int, filename: str) -> tuple[Any, int]:
    """The same by the tree of the whole file."""
    try:
        waiting: list[Any] = [_compile("\n".join([*lines, ""]), filename)]
    except SyntaxError:
        return None, 0
    while waiting:
        node = waiting.pop()
        decorators = getattr(node, "decorator_list", ())
        if hasattr(node, "args") and (decorators[0] if decorators else node).lineno == first:
            return node, node.end_lineno - first + 1
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, part, ())
            waiting += inside if isinstance(inside, list) else []
    return None, 0
