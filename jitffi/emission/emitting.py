"""How `emit` writes files: all is checked, then compiled, many signatures in pieces, then linked where that is due."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from jitffi.adapters import adapter
from jitffi.base import layout
from jitffi.base.symbol_names import ABI_VERSION, SIGNATURE_PREFIX
from jitffi.emission import arguments, inputs
from jitffi.emission.arguments import AnyPath
from jitffi.emission.formats import Format
from jitffi.signature.signature_lists import ArgumentError

if TYPE_CHECKING:
    from jitffi.api.kernels import Kernel
    from jitffi.emission.parallel import Piece, Settings
    from jitffi.link.system_linker import Tool
    from jitffi.llvm.target import Target
    from jitffi.scripts.api.script import Script
    from jitffi.signature.model import Signature

#: Called with how many signatures are compiled, and with how many there are.
Progress = Callable[[int, int], None]


def prepare(
    sigs: Any,
    out: AnyPath,
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
    header: AnyPath | None = None,
    stub: AnyPath | None = None,
    js: AnyPath | None = None,
    link: Iterable[AnyPath] | AnyPath = (),
    jobs: int = 1,
) -> Emission:
    """Check the arguments of `emit`, and that there is what it takes to do it; what it returns does it."""
    from jitffi.emission.parallel import Settings

    place = arguments.path_of("out", out)
    form = arguments.format_of(place, format)
    for convention in (entry, callee):
        try:
            adapter.convention(convention)
        except ValueError as error:
            raise ArgumentError(str(error)) from None
    pad = 0 if getattr(pad, "unspecified", False) else pad  # of a jitffi.profiles.pads.Candidate
    arguments.check_number("pad", pad, 0, layout.MAX_PAD)
    arguments.check_number("opt", opt, 0, 3)
    arguments.check_number("jobs", jobs, 1, None)
    triple = form.target if target is None else target
    # Only C prototypes ask for the machine before the rest is checked: LLVM takes its time to load.
    machine_of = functools.cache(lambda: arguments.target_of(triple, cpu, features))
    scripts: dict[str, Script] = {}
    kernels: dict[str, Kernel] = {}
    found = inputs.signatures(sigs, lambda: arguments.data_model(machine_of()), scripts, kernels)
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
    arguments.check_format(form, machine, entry, callee, place)
    libraries = arguments.libraries_of(link, form)
    es_module = None if js is None else arguments.path_of("js", js)
    if es_module is not None:
        from jitffi.emission import javascript

        javascript.check(found, place, es_module, form.name, entry, libraries)
    arguments.check_different(place, header, stub, es_module, es_module and javascript.declaration_file(es_module))
    in_python = adapter.convention(entry).needs_python
    kind = (form.python_as if in_python else "") or form.linked_as or "relocatable"
    tool = None
    if form.linked_as or libraries:
        from jitffi.link import system_linker as linker

        tool = linker.find(kind, machine)
    settings = Settings(entry, callee, callee_name, (machine.triple, cpu, features), pad, opt)
    more = [
        None if path is None else arguments.path_of(what, path) for what, path in (("header", header), ("stub", stub))
    ]
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
