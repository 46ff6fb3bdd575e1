"""The package's own exceptions; every other failure is one of Python's classes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Wide enough for most signatures, narrow enough that the caret stays under its token in a terminal.
_WINDOW = 100


class SignatureError(ValueError):
    """A signature text or C prototype that cannot be used.

    *offset* and *length* mark the culprit in *text*. The message, which ends with *hint* if there is one, is followed
    by the culprit's line and a line of carets. ``line`` (from 1) and ``column`` (from 0) tell where that is.

    >>> print(SignatureError("unknown type 'f63'", "add(f63) -> f64", 4, 3, "did you mean 'f64'?"))
    unknown type 'f63'; did you mean 'f64'?
    add(f63) -> f64
        ^^^
    """

    __module__ = "jitffi"  # as users name it: tracebacks and pickles do, too

    def __init__(self, message: str, text: str = "", offset: int = 0, length: int = 1, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.text = text
        self.offset = min(max(offset, 0), len(text))
        self.length = max(length, 1)
        self.hint = hint
        before = text[: self.offset]
        self.line = before.count("\n") + 1
        self.column = self.offset - (before.rfind("\n") + 1)

    def __str__(self) -> str:
        first = f"{self.message}; {self.hint}" if self.hint else self.message
        if "\n" in self.text:
            first = f"line {self.line}: {first}"
        if not self.text:
            return first
        shown, carets = self._excerpt()
        return f"{first}\n{shown}\n{carets}"

    def __reduce__(self) -> tuple[type[SignatureError], tuple[str, str, int, int, str]]:
        return SignatureError, (self.message, self.text, self.offset, self.length, self.hint)

    def _excerpt(self) -> tuple[str, str]:
        """Return the part of the line around the column, and the carets below it."""
        line = self.text.split("\n")[self.line - 1]
        start, end, column = 0, len(line), self.column
        if end > _WINDOW:
            start = max(0, min(column - _WINDOW // 2, end - _WINDOW))
            end = start + _WINDOW
        head = "..." if start else ""
        tail = "..." if end < len(line) else ""
        # One column a character, whatever the text holds: tabs, NULs and lone surrogates would move or hide the caret.
        body = "".join(c if c.isprintable() else " " if c in "\t\r" else "\ufffd" for c in line[start:end])
        width = max(1, min(self.length, end - column))
        return head + body + tail, " " * (len(head) + column - start) + "^" * width


class ScriptError(SyntaxError):
    """Something that scripts do not have, or a script whose source cannot be read; the message says what to write
    instead.

    Shown as Python shows its SyntaxErrors: file and line, the source line, and carets below the culprit. ``filename``,
    ``lineno`` and ``offset`` (both from 1), ``text``, ``end_lineno`` and ``end_offset`` tell where that is.

    >>> error = ScriptError("scripts have no sets: ...", ("words.py", 3, 10, "    seen = {word}", 3, 16))
    >>> print(error)
    scripts have no sets: ... (words.py, line 3)
    """

    __module__ = "jitffi"

    def __reduce__(self) -> tuple[type[ScriptError], tuple[object, ...], dict[str, object]]:
        # Its own: tblib, which comes with Dask, pickles other errors with an __init__ in C without what they tell.
        return type(self), self.args, self.__dict__


def nearest(word: str, known: Iterable[str]) -> str:
    """Return "did you mean 'f64'?" for the name in *known* that is most like *word*, or "" when none is."""
    import difflib  # slow to import, and only needed once something is wrong

    # A long word is no typing error, and the comparison takes quadratic time.
    close = difflib.get_close_matches(word, known, n=1) if len(word) <= 40 else []
    return f"did you mean '{close[0]}'?" if close else ""


class ArgumentError(ValueError):
    """A SIG, or another argument of the command line, that cannot be used."""


class LinkError(OSError):
    """Nothing could be linked: there is no linker for the target, or it refused."""


class TargetError(ArgumentError):
    """A target, CPU or feature that LLVM does not know or that jitffi cannot emit for."""
