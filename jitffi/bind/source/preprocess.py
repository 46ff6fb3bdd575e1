"""A header as the C preprocessor leaves it, with its definitions and marks of which line came from where.

The text has the form that `cc -E -dD` writes, whoever wrote it: a C compiler where there is one, else `builtin`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from jitffi.base.files import kind_of
from jitffi.bind.source import builtin
from jitffi.bind.source.errors import HeaderError, HeaderNotFound

TIMEOUT = 120
_NUMBERED = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\\U([0-9a-fA-F]{8})|\\u([0-9a-fA-F]{4})')


@dataclass(frozen=True)
class Preprocessed:
    """The text, what wrote it ("" for ourselves), and the headers that were left out because they are nowhere."""

    text: str
    by: str = ""
    missing: tuple[str, ...] = ()


def compiler() -> list[str] | None:
    """Return the command of the C compiler: $CC, or the first of cc, gcc and clang that there is; else None."""
    named = shlex.split(os.environ.get("CC", ""))
    for command in (named, ["cc"], ["gcc"], ["clang"]):
        if command and shutil.which(command[0]):
            return command
    return None


def preprocess(
    headers: Sequence[str], include_dirs: Sequence[str] = (), defines: Sequence[str] = (), use_compiler: bool = True
) -> Preprocessed:
    """Preprocess *headers*: files, or what `#include <...>` finds. HeaderNotFound, or HeaderError with the reason."""
    paths = [path_of(header) for header in headers]
    command = compiler() if use_compiler else None
    if command is None:
        text, missing = builtin.preprocess(paths, include_dirs, defines)
        return Preprocessed(text, "", tuple(missing))
    options = [f"-I{each}" for each in include_dirs] + [f"-D{each}" for each in defines]
    try:
        done = subprocess.run(
            [*command, "-E", "-dD", "-Wfatal-errors", "-x", "c", *options, "-"],
            input=inclusions(paths).encode("utf-8", "surrogateescape"), capture_output=True, timeout=TIMEOUT,
            env={**os.environ, "LC_ALL": "C"},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HeaderError(f"{command[0]} -E: {error}") from None
    if done.returncode != 0:
        raise failure(headers, f"{os.path.basename(command[0])} -E", done.stderr.decode("utf-8", "replace"))
    return Preprocessed(_letters(done.stdout.decode("utf-8", "surrogateescape")), os.path.basename(command[0]))


def inclusions(paths: Sequence[str]) -> str:
    """Return the lines that include files and what `#include <...>` finds."""
    return "".join([f'#include "{path}"\n' if os.path.isabs(path) else f"#include <{path}>\n" for path in paths])


def path_of(header: str) -> str:
    """A file's path, or the name as it is. HeaderNotFound for what can be neither."""
    if not header or re.search(r'[\n\0">]', header):
        raise HeaderNotFound(f"{header!r} is no name of a header")
    if os.path.isdir(header):
        raise HeaderNotFound(f"{header}: is a directory")
    if os.path.exists(header) and not os.path.isfile(header):
        raise HeaderNotFound(f"{header}: is {kind_of(os.stat(header).st_mode)}, no regular file")
    return os.path.abspath(header) if os.path.isfile(header) else header


def _letters(text: str) -> str:
    """Return the text with the letters that are not ASCII as such, which gcc writes by their numbers in names."""

    def one(found: re.Match[str]) -> str:
        code = int(found[1] or found[2], 16) if found[1] or found[2] else 0
        return chr(code) if 0x7F < code < 0x110000 and not 0xD800 <= code < 0xE000 else found.group()

    return _NUMBERED.sub(one, text) if "\\u" in text or "\\U" in text else text


def failure(headers: Sequence[str], command: str, message: str) -> HeaderError:
    """The compiler's first complaint as an error of ours."""
    first = next((line for line in message.splitlines() if "error:" in line), message.strip().partition("\n")[0])
    place, _, reason = first.partition("error:")
    missing = re.search(r"'?([^\s':]+)'?(?: file not found|: No such file)", reason)
    if missing and missing[1] in headers:
        return HeaderNotFound(f"{missing[1]}: no such header; -I DIR adds a directory to look in")
    where = re.search(r"([^/:]+:\d+):\d*:?", place)
    return HeaderError(f"{command}: {where[1] + ': ' if where else ''}{reason.strip() or 'failed'}")
