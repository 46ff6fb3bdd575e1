"""Real text to tune on: what Python and Debian ship, found on this machine, and where it was found.

    english       prose: what `help()` says of the language; else docstrings
    cjk           phrases of Chinese and Japanese, a space between them: translations that Debian's programs bring; else
                  the samples of Python's encodings; else names of Unicode's ideographs
    characters    the same text as a few long runs without any space: nothing in it is ASCII
    cyrillic      words, from translations; else names of letters
    identifiers   the names in the source of Python's library, as they come
    log           /var/log/dpkg.log; else alternatives.log; else lines that `logging` makes of the files of the library
    json          lines of JSON: the metadata of installed packages, Python's build, tables of the library

A corpus is made of lines, long enough that the call which takes one costs little beside it. The first source that has
enough is taken; each is read in sorted order, so that the same machine gives the same text.
"""

from __future__ import annotations

import ast
import functools
import gettext
import io
import itertools
import json
import logging
import pathlib
import re
import sysconfig
import tokenize
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

#: Characters of a corpus, roughly: larger than a cache near the processor, and read in a moment.
SIZE = 400_000
#: Of one line.
LINE = 2000
STDLIB = pathlib.Path(sysconfig.get_paths()["stdlib"])
_LOCALES = ("/usr/share/locale", "/usr/share/locale-langpack", "/usr/local/share/locale")
_LOGS = ("/var/log/dpkg.log", "/var/log/alternatives.log")
_SAMPLES = STDLIB / "test" / "cjkencodings"
_CJK = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
_CYRILLIC = re.compile("[\u0400-\u04ff]+")


class Corpus(NamedTuple):
    """`lines` of text, and the `source` that they were found in, for people."""

    lines: tuple[str, ...]
    source: str

    def write(self, path: str | pathlib.Path) -> pathlib.Path:
        """Make a text file of it. Return its path."""
        path = pathlib.Path(path)
        path.write_text("".join(line + "\n" for line in self.lines), encoding="utf-8")
        return path


# -- pieces to lines --------------------------------------------------------------------------------------------------


def _joined(pieces: Iterable[str], between: str = " ", size: int = SIZE) -> tuple[str, ...]:
    """Lines of about LINE characters, of pieces that have *between* between them, until *size* is reached."""
    lines: list[str] = []
    line: list[str] = []
    length = total = 0
    for piece in pieces:
        line.append(piece)
        length += len(piece) + len(between)
        if length >= LINE:
            lines.append(between.join(line))
            total += length
            line, length = [], 0
            if total >= size:
                return tuple(lines)
    if line:
        lines.append(between.join(line))
    return tuple(lines)


def _first(sources: Iterable[tuple[str, Callable[[], Iterable[str]]]], between: str = " ") -> Corpus:
    """The first source with half of what is wanted, else the largest."""
    best = Corpus((), "nothing")
    for name, pieces in sources:
        try:
            found = Corpus(_joined(pieces(), between), name)
        except (OSError, ImportError):
            continue
        if _size(found) >= SIZE // 2:
            return found
        if _size(found) > _size(best):
            best = found
    return best


def _size(corpus: Corpus) -> int:
    return sum(map(len, corpus.lines))


# -- what is shipped --------------------------------------------------------------------------------------------------


def _library() -> Iterator[pathlib.Path]:
    """The modules of Python's library, without its tests and what has been installed beside them."""
    yield from sorted(STDLIB.glob("*.py"))
    for package in ("asyncio", "collections", "concurrent", "email", "http", "importlib", "json", "unittest", "xml"):
        yield from sorted((STDLIB / package).rglob("*.py"))


def _topics() -> Iterator[str]:
    from pydoc_data.topics import topics

    for name in sorted(topics):
        yield from (word for word in topics[name].split() if word.isascii())


def _docstrings() -> Iterator[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path in _library():
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, kinds):
                yield from (word for word in (ast.get_docstring(node) or "").split() if word.isascii())


def _translated(languages: Iterable[str], wanted: re.Pattern[str]) -> Iterator[str]:
    """What the translations of Debian's programs say in these languages; the largest first, as prose is in them."""
    places = [pathlib.Path(root, name, "LC_MESSAGES") for root in _LOCALES for name in languages]
    files = {path.resolve() for place in places if place.is_dir() for path in place.glob("*.mo")}
    for path in sorted(files, key=lambda path: (-path.stat().st_size, path.name, str(path))):
        try:
            with path.open("rb") as file:
                catalogue = gettext.GNUTranslations(file)._catalog
        except (OSError, ValueError, UnicodeError, LookupError):
            continue
        for text in catalogue.values():
            yield from wanted.findall(text)


def _samples() -> Iterator[str]:
    for path in sorted(_SAMPLES.glob("*-utf8.txt")):
        yield from _CJK.findall(path.read_text(encoding="utf-8", errors="ignore"))


def _repeated(pieces: Callable[[], Iterable[str]]) -> Callable[[], Iterator[str]]:
    """What is too little, over and over."""
    return lambda: itertools.cycle(list(pieces()))


def _ideographs() -> Iterator[str]:
    """Two to seven characters that compatibility ideographs stand for: no prose, but what prose is written in."""
    known = [chr(point) for point in range(0xF900, 0xFAD0) if unicodedata.name(chr(point), "")]
    characters = "".join(unicodedata.normalize("NFKC", each) for each in known)
    for at in itertools.count():
        start, length = 37 * at % len(characters), 2 + at % 6
        yield characters[start : start + length] or characters[:2]


def _letters() -> Iterator[str]:
    letters = [chr(point) for point in range(0x430, 0x450)]
    for at in itertools.count():
        yield "".join(letters[(7 * at + 11 * k) % 32] for k in range(2 + at % 11))


def _names() -> Iterator[str]:
    for path in _library():
        with path.open("rb") as file:
            for token in tokenize.tokenize(file.readline):
                if token.type == tokenize.NAME:
                    yield token.string


def _lines_of(path: str) -> Callable[[], Iterator[str]]:
    def lines() -> Iterator[str]:
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
        yield from (line for line in text.splitlines() if line)

    return lines


def _logged() -> Iterator[str]:
    """What a program would log that looks at the library's files."""
    stream = io.StringIO()
    logger = logging.Logger("library", logging.INFO)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger.addHandler(handler)
    for number, path in enumerate(sorted(filter(Path.is_file, STDLIB.rglob("*.py")))[:4000]):
        logger.log(logging.WARNING if number % 7 == 0 else logging.INFO, "%s: %d bytes", path, path.stat().st_size)
    yield from stream.getvalue().splitlines()


def _objects() -> Iterator[str]:
    """JSON as programs exchange it, an object each."""
    import html.entities
    import importlib.metadata
    import mimetypes
    import token

    for distribution in sorted(importlib.metadata.distributions(), key=lambda each: each.metadata["Name"] or ""):
        described = distribution.metadata.json
        yield json.dumps({key: str(value)[:60] for key, value in described.items()})
    tables = [sysconfig.get_config_vars(), mimetypes.types_map, html.entities.html5, html.entities.name2codepoint]
    for table in [*tables, token.tok_name, sysconfig.get_paths()]:
        rows = [(str(key), str(value)[:30]) for key, value in table.items()]
        for at in range(0, len(rows), 20):
            yield json.dumps(dict(rows[at : at + 20]))


# -- the corpora ------------------------------------------------------------------------------------------------------


@functools.cache
def english() -> Corpus:
    return _first([("pydoc_data.topics", _topics), ("docstrings of Python's library", _docstrings)])


_CJK_SOURCES = (
    ("Debian's translations", lambda: _translated(("ja", "zh_CN", "zh_TW"), _CJK)),
    ("Python's test.cjkencodings, repeated", _repeated(_samples)),
    ("Unicode's compatibility ideographs", _ideographs),
)


@functools.cache
def cjk() -> Corpus:
    return _first(_CJK_SOURCES)


@functools.cache
def characters() -> Corpus:
    """A few runs of characters that are long lists: each of 50000."""
    phrases = cjk()
    run = "".join("".join(line.split()) for line in phrases.lines)
    pieces = [run[at : at + 50_000] for at in range(0, len(run), 50_000)]
    return Corpus(tuple(piece for piece in pieces if len(piece) == 50_000)[:4] or (run,), phrases.source)


@functools.cache
def cyrillic() -> Corpus:
    translations = ("Debian's translations", lambda: _translated(("ru", "uk", "bg", "sr"), _CYRILLIC))
    return _first([translations, ("letters of the alphabet", _letters)])


@functools.cache
def identifiers() -> Corpus:
    return _first([("tokens of Python's library", _names)])


@functools.cache
def log() -> Corpus:
    kept = [(path, _lines_of(path)) for path in _LOGS]
    return _first([*kept, ("logging, of the library's files", _logged)], "\n")


@functools.cache
def json_lines() -> Corpus:
    return Corpus(tuple(itertools.islice(_objects(), 1000)), "metadata of installed packages, Python's own tables")


CORPORA: dict[str, Callable[[], Corpus]] = {
    "english": english,
    "characters": characters,
    "cjk": cjk,
    "cyrillic": cyrillic,
    "identifiers": identifiers,
    "log": log,
    "json": json_lines,
}
