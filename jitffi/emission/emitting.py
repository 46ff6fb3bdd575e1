"""How `emit` writes files: all is checked, then compiled, many signatures in pieces, then linked where that is due."""

from __future__ import annotations

import contextlib
import functools
import keyword
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from jitffi.adapters import adapter
from jitffi.base import layout
from jitffi.base.files import check_regular
from jitffi.base.symbol_names import ABI_VERSION, SIGNATURE_PREFIX
from jitffi.emission import inputs
from jitffi.emission.formats import FORMATS, Format
from jitffi.signature.signature_lists import ArgumentError, MissingFile

if TYPE_CHECKING:
    from jitffi.api.kernels import Kernel
    from jitffi.emission.parallel import Piece, Settings
    from jitffi.link.system_linker import Tool
    from jitffi.llvm.target import Target
    from jitffi.scripts.api.script import Script
    from jitffi.signature.datamodel import DataModel
    from jitffi.signature.model import Signature

#: Called with how many signatures are compiled, and with how many there are.
Progress = Callable[[int, int], None]


_Path = str | os.PathLike[str]


def prepare(
    sigs: Any,
    out: _Path,
    *,
    format: str | None = None,
    entry: str = "packed",
    callee: str = "c",
    callee_name: str | None = None,
    target: str | None = None,
    cpu: str | None = None,
    features: str | None = None,
    pad: int = 0,
    opt: int = 2,
    header: _Path | None = None,
    stub: _Path | None = None,
    js: _Path | None = None,
    link: Iterable[_Path] | _Path = (),
    jobs: int = 1,
) -> Emission:
    """Check the arguments of `emit`, and that there is what it takes to do it; what it returns does it."""
    from jitffi.emission.parallel import Settings

    place = _path("out", out)
    form = _format(place, format)
    for convention in (entry, callee):
        try:
            adapter.convention(convention)
        except ValueError as error:
            raise ArgumentError(str(error)) from None
    pad = 0 if getattr(pad, "unspecified", False) else pad  # of a jitffi.profiles.pads.Candidate
    _number("pad", pad, 0, layout.MAX_PAD)
    _number("opt", opt, 0, 3)
    _number("jobs", jobs, 1, None)
    triple = form.target if target is None else target
    # Only C prototypes ask for the machine before the rest is checked: LLVM takes its time to load.
    machine_of = functools.cache(lambda: _target(triple, cpu, features))
    scripts: dict[str, Script] = {}
    kernels: dict[str, Kernel] = {}
    found = inputs.signatures(sigs, lambda: _data_model(machine_of()), scripts, kernels)
    callers = {name: sig for name, sig in found.items() if name not in scripts and name not in kernels}
    inputs.check_callee_name(callee_name, callers, entry, callee)
    for name, sig in found.items():
        try:
            if sig.variadic:
                adapter.refuse_variadic(sig)
            if name in kernels:
                adapter.check(sig, entry, "c", "")
            elif name not in scripts:
                adapter.check(sig, entry, callee, "")
            elif entry != "packed":
                adapter.check(sig, entry, "packed", "")
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
    machine = machine_of()
    _fits(form, machine, entry, callee, place)
    libraries = _libraries(link, form)
    es_module = None if js is None else _path("js", js)
    if es_module is not None:
        from jitffi.emission import javascript

        javascript.check(found, place, es_module, form.name, entry, libraries)
    _different(place, header, stub, es_module, es_module and javascript.declaration_file(es_module))
    in_python = adapter.convention(entry).needs_python
    kind = (form.python_as if in_python else "") or form.linked_as or "relocatable"
    tool = None
    if form.linked_as or libraries:
        from jitffi.link import system_linker as linker

        tool = linker.find(kind, machine)
    settings = Settings(entry, callee, callee_name, (machine.triple, cpu, features), pad, opt)
    more = [None if path is None else _path(what, path) for what, path in (("header", header), ("stub", stub))]
    return Emission(
        found,
        scripts,
        kernels,
        place,
        form,
        kind,
        settings,
        machine,
        more[0],
        more[1],
        libraries,
        jobs,
        tool,
        es_module,
    )


@dataclass(frozen=True)
class Emission:
    """What will be written where; `run` does it."""

    sigs: dict[str, Signature]
    scripts: dict[str, Script]
    kernels: dict[str, Kernel]
    out: Path
    form: Format
    kind: str
    settings: Settings
    target: Target
    header: Path | None
    stub: Path | None
    libraries: tuple[str, ...]
    jobs: int
    tool: Tool | None
    js: Path | None = None

    def run(self, progress: Progress = lambda done, total: None) -> Path:
        """Write the files and return the path of the first."""
        from jitffi.base.outputs import Outputs

        with Outputs() as outputs:
            out = outputs.add(self.out, executable=self.form.is_executable)
            texts = [(outputs.add(path), text()) for path, text in self._texts()]
            for path, text in texts:
                path.write_text(text, encoding="utf-8")
            if self.tool is None:
                out.write_bytes(self.content(self.form.name, progress))
            else:
                self._link(out, progress)
        return self.out

    def _texts(self) -> list[tuple[Path, Callable[[], str]]]:
        found: list[tuple[Path, Callable[[], str]]] = []
        s = self.settings
        if self.header is not None:
            from jitffi.emission import header

            name = self.header.name
            found.append(
                (
                    self.header,
                    lambda: header.text(
                        self.sigs,
                        entry=s.entry,
                        callee=s.callee,
                        callee_name=s.callee_name,
                        file_name=name,
                        complete=self._complete,
                    ),  # fmt: skip
                )
            )
        if self.stub is not None:
            from jitffi.emission import stub

            found.append((self.stub, lambda: stub.text(self.sigs, entry=s.entry, file_name=self.out.name)))
        if self.js is not None:
            from jitffi.emission import javascript

            callee_name = s.callee_name
            found += javascript.files(self.sigs, self.out, self.js, callee_name=callee_name, complete=self._complete)
        return found

    def content(self, form: str, progress: Progress = lambda done, total: None) -> bytes:
        """Of a file that is not linked; of many signatures put together from pieces."""
        from jitffi.emission import parallel

        if not self._is_cut():
            return self._pieces(form, progress)[0]
        if form == "o" and self.target.object_format == "elf":
            from jitffi.link import merge

            # Machine code is most of the work, and so shared by the processes.
            pieces = self._pieces(form, progress)
            with contextlib.suppress(merge.NotMergeable):
                return merge.merge(pieces)
        return parallel.merge(self._pieces("bc", progress), self.target, self.settings.opt, form)

    def _is_cut(self) -> bool:
        from jitffi.emission import parallel

        # Where LLVM may end the process, only objfile knows how to go about it.
        count = len(self.sigs)
        is_mixed = bool(self._complete) and (count > 1 or self.settings.entry != "packed")
        return (count > parallel.PIECE and self.target.known) or is_mixed

    def _pieces(self, form: str, progress: Progress) -> list[bytes]:
        from jitffi.emission import parallel

        ready = 0

        def done(number: int) -> None:
            nonlocal ready
            ready += number
            progress(ready, len(self.sigs))

        progress(0, len(self.sigs))
        module = self.out.name.partition(".")[0] if self.settings.entry == "python" else ""
        module = module if module.isidentifier() and module.isascii() else ""
        if not self._is_cut():
            pieces = self._of_complete(form) or [parallel.Piece(self.sigs, self.settings, form, module or None)]
        else:
            plain = {name: sig for name, sig in self.sigs.items() if name not in self._complete}
            pieces = [parallel.Piece(part, self.settings, form) for part in parallel.cut(plain)]
            pieces += self._of_complete(form)
            if module:
                pieces.append(parallel.Piece(self.sigs, self.settings, form, module, is_apart=True))
        return parallel.compile_pieces(pieces, self.jobs, done)

    @property
    def _complete(self) -> set[str]:
        """The names of what calls nothing that others have."""
        return {*self.scripts, *self.kernels}

    def _of_complete(self, form: str) -> list[Piece]:
        from jitffi.emission import kernels, parallel, scripts
        from jitffi.llvm.kernels import is_plain

        settings = self.settings
        sigs = {name: self.sigs[name] for name in self.scripts}
        pieces = []
        for name, script in self.scripts.items():
            text = scripts.text(name, script, self.target)
            pieces.append(parallel.Piece({name: sigs[name]}, settings, form, text=text))
        if sigs and settings.entry != "packed":
            pieces.append(parallel.Piece(sigs, replace(settings, callee="packed", callee_name=None), form))
        for name, kernel in self.kernels.items():
            text, own = kernels.text(kernel, settings.entry, self.target, settings.pad), {name: kernel.sig}
            is_ours = self.target.is_host and is_plain(kernel.ir)
            pieces.append(parallel.Piece(own, settings, form, text=text, is_ours=is_ours))
            if settings.entry not in ("packed", "c"):
                pieces.append(parallel.Piece(own, replace(settings, callee="c", callee_name=None), form))
        return pieces

    def _link(self, out: Path, progress: Progress) -> None:
        from jitffi.emission import adapter_modules
        from jitffi.link import system_linker

        with TemporaryDirectory(prefix="jitffi-") as directory:
            files = []
            for i, code in enumerate(self._pieces("o", progress)):
                files.append(Path(directory, f"{i}.o"))
                files[-1].write_bytes(code)
            exports, entry = [ABI_VERSION], adapter.convention(self.settings.entry)
            for name, sig in self.sigs.items():
                exports += [adapter_modules.symbol_of(entry.name, name), *entry.described(name, sig)]
                exports += [f"{SIGNATURE_PREFIX}{name}"] * entry.tells_signature
            if self.js is not None:
                from jitffi.emission import javascript

                exports += [f"jf_{name}" for name in javascript.EXPORTS]
            if self.kind == "python":
                exports = [f"PyInit_{self.out.name.partition('.')[0]}"]
            # Under its own name: a WebAssembly module has it inside.
            linked = Path(directory, "linked", self.out.name)
            linked.parent.mkdir()
            system_linker.link(
                files,
                linked,
                kind=self.kind,
                target=self.target,
                libraries=self.libraries,
                exports=exports,
                soname=self.out.name if self.kind == "so" else "",
                tool=self.tool,
            )
            copyfile(linked, out)


# -- checks ------------------------------------------------------------------------------------------------------


def _path(what: str, path: _Path) -> Path:
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise TypeError(f"{what} is a path, got {type(path).__name__}")
    if not os.fspath(path) or "\0" in os.fspath(path):
        raise ArgumentError(f"{what} is no path: {os.fspath(path)!r}")
    return Path(path)


def _format(out: Path, format: str | None) -> Format:
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


def _number(what: str, value: object, low: int, high: int | None) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{what} is an int, got {type(value).__name__}")
    if value < low or (high is not None and value > high):
        raise ArgumentError(f"{what} is {f'{low} or more' if high is None else f'{low} to {high}'}, not {value}")


def _data_model(target: Target) -> DataModel:
    """What C's types are there; a prototype for this machine is read as everywhere else."""
    from jitffi.signature import datamodel

    return datamodel.HOST if target.is_host else datamodel.of(target.arch, target.system, target.pointer_bits)


def _target(triple: str | None, cpu: str | None, features: str | None) -> Target:
    for what, text in (("target", triple), ("cpu", cpu), ("features", features)):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"{what} is a str or None, got {type(text).__name__}")
    from jitffi.llvm.target import Target, TargetError

    try:
        return Target.of(triple, cpu, features)
    except TargetError as error:
        raise ArgumentError(str(error)) from None


def _fits(form: Format, target: Target, entry: str, callee: str, out: Path) -> None:
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


def _libraries(link: Iterable[_Path] | _Path, form: Format) -> tuple[str, ...]:
    """Return what is to be linked with, each as the linker takes it."""
    if isinstance(link, str | os.PathLike):
        link = (link,)
    libraries = []
    for each in link:
        word = str(_path("link", each))
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


def _different(out: Path, *others: _Path | None) -> None:
    seen = {os.path.realpath(out)}
    for other in others:
        if other is not None:
            real = os.path.realpath(other)
            if real in seen:
                raise ArgumentError(f"{os.fspath(other)}: two files cannot have one name")
            seen.add(real)
