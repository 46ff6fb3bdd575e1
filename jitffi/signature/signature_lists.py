"""Named signatures as users write them: `name: (i64, i64) -> i64`, a C prototype, or `@FILE` with one a line."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from jitffi.base.errors import ArgumentError as ArgumentError
from jitffi.base.errors import SignatureError
from jitffi.base.files import open_regular
from jitffi.signature.cnames import C_KEYWORDS
from jitffi.signature.model import Signature

if TYPE_CHECKING:
    from jitffi.signature.datamodel import DataModel

    Model = Callable[[], DataModel] | None

#: The name of a function whose signature comes without one.
UNNAMED = "f"


class MissingFile(ArgumentError, FileNotFoundError):
    """A file that an argument names and that is not there."""


def read(arguments: Iterable[str], model: Model = None) -> dict[str, Signature]:
    """Return the signatures of *arguments* by name, in their order. *model* is asked what C's types are on the machine
    that they are for; None: on this one.

    SignatureError for a bad SIG; ArgumentError for a name that is no C identifier, and two of one name; MissingFile.

    >>> {name: str(sig) for name, sig in read(("add: (i64, i64) -> i64", "double hypot(double, double);")).items()}
    {'add': '(i64, i64) -> i64', 'hypot': '(f64, f64) -> f64'}
    """
    found: dict[str, Signature] = {}
    for argument in arguments:
        lines = _lines(argument[1:]) if argument.startswith("@") else [("", argument)]
        for place, text in lines:
            try:
                name, sig = read_one(text, model)
            except SignatureError as error:
                raise SignatureError(
                    f"{place}{error.message}", error.text, error.offset, error.length, error.hint
                ) from None
            except ArgumentError as error:
                raise ArgumentError(f"{place}{error}") from None
            add(found, name, sig, place)
    return found


def add(found: dict[str, Signature], name: str, sig: Signature, place: str = "") -> None:
    """Put one more into *found*. ArgumentError where there is one of that name, or the name is no C identifier."""
    check_name(name, place)
    if name in found:
        raise ArgumentError(f"{place}two signatures are named {name!r}; rename one of them")
    found[name] = sig


def check_name(name: str, place: str = "") -> None:
    """ArgumentError for a name that no C function can have.

    >>> check_name("add")
    >>> check_name("double")
    Traceback (most recent call last):
    ...
    jitffi.base.errors.ArgumentError: 'double' is no C identifier: it is a keyword
    """
    if not (name.isascii() and name.isidentifier()):
        raise ArgumentError(f"{place}{name!r} is no C identifier: letters, digits and _, no digit at first")
    if name in C_KEYWORDS:
        raise ArgumentError(f"{place}{name!r} is no C identifier: it is a keyword")


def read_one(text: str, model: Model = None) -> tuple[str, Signature]:
    """Return name and signature of one SIG that is no file. SignatureError where it is neither of the two notations.

    >>> read_one("(i64) -> i64")
    ('f', Signature.parse('(i64) -> i64'))
    """
    head, _, rest = text.partition(":")
    if head.strip() and rest.lstrip().startswith("(") and "(" not in head:
        check_name(head.strip())
    name, sig = _prototype(text, model) if is_prototype(text) else _text(text)
    name = UNNAMED if name is None else name
    check_name(name)
    return name, sig


def is_prototype(text: str) -> bool:
    """Whether *text* is meant as C: our own notation has an arrow, or begins with `(` or `name:`.

    >>> is_prototype("int f(int x);"), is_prototype("f: (i32)"), is_prototype("f(i32) -> i32")
    (True, False, False)
    """
    head, colon, _ = text.partition(":")
    named = bool(colon) and head.strip().isidentifier()
    return not (named or "->" in text or text.lstrip().startswith("(") or not text.strip())


def _text(text: str) -> tuple[str | None, Signature]:
    from jitffi.signature.text import parse_named

    return parse_named(text)


def _prototype(text: str, model: Model) -> tuple[str, Signature]:
    from jitffi.signature.cdecl import parse_prototype

    return parse_prototype(text) if model is None else parse_prototype(text, model())


def _lines(path: str) -> list[tuple[str, str]]:
    """Return the lines of a file that hold a SIG, each with its place; `#` begins a comment line.

    `-` is standard input.
    """
    try:
        with open(0, "rb", closefd=False) if path == "-" else open_regular(path, pipes=True) as file:
            text = io.TextIOWrapper(file, encoding="utf-8-sig").read()
    except FileNotFoundError:
        raise MissingFile(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{path}: no UTF-8 text: {error.reason} at byte {error.start}") from None
    numbered = [(f"{path}:{n}: ", line.rstrip()) for n, line in enumerate(text.split("\n"), 1)]
    lines = [(place, line) for place, line in numbered if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        raise ArgumentError(f"{path}: no signature in it")
    return lines
