"""What `emit` is called with, checked and made into what the emission goes on with: TypeError or ArgumentError."""

from __future__ import annotations

import keyword
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from jitffi.adapters import adapter
from jitffi.base.files import check_regular
from jitffi.emission.formats import FORMATS, Format
from jitffi.signature.signature_lists import ArgumentError, MissingFile

if TYPE_CHECKING:
    from jitffi.llvm.target import Target
    from jitffi.signature.datamodel import DataModel

AnyPath = str | os.PathLike[str]


def path_of(what: str, path: AnyPath) -> Path:
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise TypeError(f"{what} is a path, got {type(path).__name__}")
    if not os.fspath(path) or "\0" in os.fspath(path):
        raise ArgumentError(f"{what} is no path: {os.fspath(path)!r}")
    return Path(path)


def format_of(out: Path, format: str | None) -> Format:
    """Return what is to be written, by the ending of *out* unless it is said."""
    known = ", ".join(FORMATS)
    if format is None:
        if out.suffix[1:] not in FORMATS:
            endings = ", ".join(f".{form}" for form in FORMATS)
            ending = f"unknown ending {out.suffix!r}" if out.suffix else "it has no ending"
            raise ArgumentError(f"{out}: {ending}; known: {endings}; or say the format: {known}")
        return FORMATS[out.suffix[1:]]
    if not isinstance(format, str):
        raise TypeError(f"format is a str or None, got {type(format).__name__}")
    if format.removeprefix(".") not in FORMATS:
        raise ArgumentError(f"unknown format {format!r}; known: {known}")
    return FORMATS[format.removeprefix(".")]


def check_number(what: str, value: object, low: int, high: int | None) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{what} is an int, got {type(value).__name__}")
    if value < low or (high is not None and value > high):
        raise ArgumentError(f"{what} is {f'{low} or more' if high is None else f'{low} to {high}'}, not {value}")


def data_model(target: Target) -> DataModel:
    """What C's types are there; a prototype for this machine is read as everywhere else."""
    from jitffi.signature import datamodel

    return datamodel.HOST if target.is_host else datamodel.of(target.arch, target.system, target.pointer_bits)


def target_of(triple: str | None, cpu: str | None, features: str | None) -> Target:
    for what, text in (("target", triple), ("cpu", cpu), ("features", features)):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"{what} is a str or None, got {type(text).__name__}")
    from jitffi.llvm.target import Target, TargetError

    try:
        return Target.of(triple, cpu, features)
    except TargetError as error:
        raise ArgumentError(str(error)) from None


def check_format(form: Format, target: Target, entry: str, callee: str, out: Path) -> None:
    """Check that there is such a file for that target."""
    if form.refuse(target):
        raise ArgumentError(form.refuse(target))
    if adapter.convention(entry).needs_python or adapter.convention(callee).needs_python:
        from jitffi.emission import extension

        try:
            extension.check_target(target)
        except ValueError as error:
            raise ArgumentError(str(error)) from None
    if callee == "python" and entry != "python" and form.python_as:
        raise ArgumentError(
            "what calls Python's convention is part of an extension module: "
            "emit a .o, and link it into a .so whose entry is python"
        )
    if entry == "python" and form.python_as:
        stem = out.name.partition(".")[0]
        if not (stem.isidentifier() and stem.isascii()) or keyword.iskeyword(stem):
            raise ArgumentError(
                f"{out.name}: an extension module is imported by its file's name, which is no identifier"
            )


def libraries_of(link: Iterable[AnyPath] | AnyPath, form: Format) -> tuple[str, ...]:
    """Return what is to be linked with, each as the linker takes it."""
    if isinstance(link, str | os.PathLike):
        link = (link,)
    libraries = []
    for each in link:
        word = str(path_of("link", each))
        if not word.startswith("-") and not os.path.exists(word):
            raise MissingFile(f"{word}: no such file to link with")
        if not word.startswith("-"):
            check_regular(word)
        libraries.append(word)
    if libraries and not form.takes_libraries:
        others = [f".{each.name}" for each in FORMATS.values() if each.takes_libraries]
        fitting = f"{', '.join(others[:-1])} or {others[-1]}"
        raise ArgumentError(f"nothing is linked into a .{form.name} file: emit {fitting} to link with {libraries[0]}")
    return tuple(libraries)


def check_different(out: Path, *others: AnyPath | None) -> None:
    seen = {os.path.realpath(out)}
    for other in others:
        if other is not None:
            real = os.path.realpath(other)
            if real in seen:
                raise ArgumentError(f"{os.fspath(other)}: two files cannot have one name")
            seen.add(real)
