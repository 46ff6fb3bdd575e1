"""Linking what was emitted: shared libraries, extension modules, WebAssembly, several objects into one.

Any linker that is there will do. In order: the one that JITFFI_LINKER names; a C compiler, $CC or cc, gcc, clang, for
another machine that distribution's (aarch64-linux-gnu-gcc); a bare linker, $LD or lld or ld; the package ziglang, which
brings lld along. A compiler is asked first since it knows where the C library is.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jitffi.base import config
from jitffi.base.errors import LinkError
from jitffi.base.symbol_names import ABI_VERSION, SIGNATURE_PREFIX

if TYPE_CHECKING:
    from jitffi.llvm.target import Target

#: What can be made: a shared library, a CPython extension module, a WebAssembly module, an object of several.
KINDS = ("so", "python", "wasm", "relocatable")

#: Newest first, as they are called where several versions are installed side by side.
_VERSIONS = tuple(range(30, 13, -1))
#: The distributions' names of processors, and ours where LLVM has another.
_ARCHES = {
    "amd64": "x86_64", "arm64": "aarch64", "i386": "i686", "i486": "i686", "i586": "i686", "ppc64le": "powerpc64le",
    "x86_64h": "x86_64",
}  # fmt: skip

#: Arguments of lld and GNU ld alike. No build id: it would be the one thing that two runs of two linkers differ in.
#: Bare linkers must be told to write the index of frames, by which exceptions find their way.
_SHARED = ("-shared", "--build-id=none", "--eh-frame-hdr", "-Bsymbolic-functions", "-z", "noexecstack")
_WASM = ("--no-entry", "--allow-undefined", "--stack-first", "--export-table", "--growable-table")
#: Callees and runtime are found when the library is loaded.
_MACHO = ("-undefined", "dynamic_lookup", "-no_uuid")
#: Where a host finds memory that the module does not use.
_WASM_EXPORTS = ("__heap_base",)


@dataclass(frozen=True)
class Tool:
    """A linker as a command, and whether it is a compiler, which takes a linker's options behind -Wl."""

    command: tuple[str, ...]
    compiler: bool = False

    def __str__(self) -> str:
        return shlex.join(self.command)

    def arguments(self, options: Sequence[str]) -> list[str]:
        """The options of a linker, as this tool takes them.

        >>> Tool(("cc",), compiler=True).arguments(["-shared", "-z", "noexecstack", "-lz"])
        ['-shared', '-Wl,-z,noexecstack', '-lz']
        """
        if not self.compiler:
            return list(options)
        words: list[str] = []
        for option in options:
            if words and words[-1] == "-Wl,-z":
                words[-1] += f",{option}"
            else:
                words.append(option if option.startswith(("-L", "-l", "-shared")) else f"-Wl,{option}")
        return words


def find(kind: str, target: Target) -> Tool:
    """Return the tool for files of that kind and target. LinkError says what to install where there is none."""
    named = os.environ.get("JITFFI_LINKER")
    if named:
        return _named(named, target)
    for tool in _candidates(target):
        return tool
    raise LinkError(f"no linker for {target.triple}: install {_advice(target)}, or name one in JITFFI_LINKER")


def link(
    objects: Sequence[Path],
    out: Path,
    *,
    kind: str,
    target: Target,
    libraries: Sequence[str] = (),
    exports: Sequence[str] = (),
    soname: str = "",
    tool: Tool | None = None,
) -> None:
    """Link *objects* into the file *out*, which is replaced.

    *libraries*: paths of objects, archives and shared libraries, and options of the linker, which begin with "-".
    *exports*: symbols that a wasm or extension module exports; elsewhere those that are visible. *soname*: the name by
    which those who link with a shared library find it. LinkError with the linker's own words where it fails.
    """
    assert kind in KINDS, kind
    tool = tool or find(kind, target)
    options = [word for word in libraries if word.startswith("-")]
    files = [str(path) for path in objects] + [word for word in libraries if not word.startswith("-")]
    with tempfile.TemporaryDirectory(prefix="jitffi-link-") as directory:
        work = Path(directory)
        if kind == "relocatable":
            words = [*_start(tool, target), "-r", *(["-nostdlib"] if tool.compiler else []), *files]
        elif target.object_format == "wasm":
            names = [f"--export={name}" for name in (*exports, *_WASM_EXPORTS)]
            words = [*_start(tool, target), *tool.arguments([*_WASM, *names]), *files, *tool.arguments(options)]
        else:
            words = [*_start(tool, target), *_shared(tool, target, kind, soname), *files, *tool.arguments(options)]
            if not tool.compiler and target.object_format == "coff":
                words += [f"/export:{name}{',data' * _is_data(name)}" for name in exports]
            if kind == "python" and target.object_format == "elf":
                words += tool.arguments([f"--version-script={_only(exports, work)}"])
            words += _runtime(tool, target, kind, objects, libraries, work)
        is_link = not tool.compiler and target.object_format == "coff"
        _run(tool, [*words, *([f"/out:{out}"] if is_link else ["-o", str(out)])], out)


def _only(exports: Sequence[str], work: Path) -> Path:
    """A file that tells the linker what is visible: what else there is in an extension module is its own affair."""
    script = work / "exports"
    names = "".join([f" {name};" for name in exports])
    script.write_text(f"{{ global:{names} local: *; }};\n")
    return script


def _start(tool: Tool, target: Target) -> list[str]:
    """What a compiler must be told of the target where the linker sees it by the objects."""
    if not tool.compiler or target.is_host:
        return []
    if "clang" in Path(tool.command[0]).name:
        return [f"--target={target.triple}", "-fuse-ld=lld", "-nostdlib"]
    return ["-target", _zig_target(target.triple)] if tool.command[-1] == "cc" and "ziglang" in tool.command else []


def _shared(tool: Tool, target: Target, kind: str, soname: str) -> list[str]:
    if target.object_format == "elf":
        hide = ["--exclude-libs=ALL", "--gc-sections"] if kind == "python" else []
        named = [f"-soname={soname}"] if soname else []
        return tool.arguments([*_SHARED, *hide, *named])
    if target.object_format == "macho" and not tool.compiler:
        named = ["-install_name", f"@rpath/{soname}"] if soname else []
        arch = "arm64" if _arch(target.triple) == "aarch64" else "x86_64"
        return ["-dylib", "-arch", arch, "-platform_version", "macos", "11.0", "11.0", *_MACHO, *named]
    if target.object_format == "coff" and not tool.compiler:
        return ["/dll", "/noentry", "/nodefaultlib", "/brepro"]  # brepro: no time of day in it
    if target.object_format == "macho":
        named = [f"-install_name,@rpath/{soname}"] if soname else []
        return ["-shared", *[f"-Wl,{word}" for word in ("-undefined,dynamic_lookup", *named)]]
    return ["-shared"]


def _runtime(
    tool: Tool, target: Target, kind: str, objects: Sequence[Path], libraries: Sequence[str], work: Path
) -> list[str]:
    """What brings the runtime: its archives in an extension module, else the shared one by its name."""
    as_needed = tool.arguments(["--as-needed"]) if target.object_format == "elf" else []
    libc = [] if tool.compiler or not target.is_host else _host_libraries()
    if kind == "python":
        where = config.library_dir()
        archives = [where / f"libjitffi_{part}.a" for part in ("python", "script", "runtime")]
        for archive in archives:
            if not archive.is_file():
                raise LinkError(f"{archive}: no such file; extension modules need it of this installation")
        return [*map(str, archives), *as_needed, *(["-lm"] if tool.compiler else libc)]
    if any("libjitffi_runtime" in Path(word).name for word in libraries):
        return [*as_needed, *libc]
    if target.is_host:
        return [*as_needed, str(config.script_library_file()), str(config.library_file()), *libc]
    if target.object_format != "elf" or not any(b"\0jf_" in path.read_bytes() for path in objects):
        return []
    # No runtime for that machine here: libraries that have nothing but their names, so that the loader looks for them.
    is_script = any(b"\0jf_script_" in path.read_bytes() for path in objects)
    stub_libraries = [work / f"libjitffi_{part}.so" for part in ["script"] * is_script + ["runtime"]]
    for stub in stub_libraries:
        words = [*_start(tool, target), *_shared(tool, target, "so", stub.name), *map(str, objects)]
        _run(tool, [*words, *(["-nostdlib"] if tool.compiler else []), "-o", str(stub)], stub)
    return [*tool.arguments(["--no-as-needed"]), *map(str, stub_libraries)]


@functools.cache
def _host_libraries() -> list[str]:
    """The C library of this process, for linkers that do not know where one is; an unversioned symbol could be bound to
    what it was many versions ago."""
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return []
    paths = dict.fromkeys(line.split(maxsplit=5)[5] for line in lines if line.count("/"))
    wanted = ("libc.so.", "libm.so.", "libpthread.so.", "libc.musl", "ld-musl")
    return [path for path in paths if Path(path).name.startswith(wanted) and os.path.isfile(path)]


# -- looking for tools -------------------------------------------------------------------------------------------


def _named(text: str, target: Target) -> Tool:
    """The tool that JITFFI_LINKER names: a linker by its name, else a compiler."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise LinkError(f"JITFFI_LINKER={text}: {error}") from None
    path = shutil.which(words[0]) if words else None
    if path is None:
        raise LinkError(f"JITFFI_LINKER={text}: no such program; name one that links for {target.triple}, or unset it")
    name = Path([word for word in words if not word.startswith("-")][-1]).name  # python -m ziglang ld.lld
    is_linker = any(
        part.rstrip("-.0123456789") in ("ld", "lld", "wasm-ld", "gold", "mold") for part in (name, _stem(name))
    )
    if name.startswith(("rust-lld", "lld")) and "-flavor" not in words:
        words += ["-flavor", "wasm" if target.object_format == "wasm" else "gnu"]
    return Tool((path, *words[1:]), compiler=not is_linker and "lld" not in name)


def _stem(name: str) -> str:
    """
    >>> _stem("ld.lld-14"), _stem("aarch64-linux-gnu-ld"), _stem("wasm-ld-14"), _stem("gcc")
    ('ld', 'ld', 'ld', 'gcc')
    """
    return name.partition(".")[0].rstrip("-0123456789").rpartition("-")[2]


def _candidates(target: Target) -> Iterator[Tool]:
    """The tools there are for *target*, best first."""
    if target.object_format == "wasm":
        yield from _programs(("wasm-ld", *[f"wasm-ld-{n}" for n in _VERSIONS]))
        yield from _programs(("rust-lld",), "-flavor", "wasm")
        yield from _ziglang("wasm-ld")
        return
    for words in _compilers(target):
        path = shutil.which(words[0])
        if path is not None and _makes((path, *words[1:]), target):
            yield Tool((path, *words[1:]), compiler=True)
    if target.object_format == "elf":
        own = _words("LD")
        yield from _programs(own[:1], *own[1:])
        yield from _programs([f"{prefix}-ld" for prefix in _prefixes(target.triple)])
        yield from _programs(("ld.lld", *[f"ld.lld-{n}" for n in _VERSIONS]))
        if target.is_host:
            yield from _programs(("ld",))
        yield from _programs(("rust-lld",), "-flavor", "gnu")
        yield from _ziglang("ld.lld")
    else:
        yield from _ziglang("cc")  # which has C libraries for them, too
        name = _LLD[target.object_format]
        yield from _programs((name, *[f"{name}-{n}" for n in _VERSIONS]))


#: lld by the name that decides which linker it is.
_LLD = {"macho": "ld64.lld", "coff": "lld-link"}


def _is_data(name: str) -> bool:
    """Whether an exported symbol is a constant, which importers do not call."""
    return name == ABI_VERSION or name.startswith(SIGNATURE_PREFIX)


def _programs(names: Sequence[str], *more: str) -> Iterator[Tool]:
    for name in names:
        path = shutil.which(name)
        if path is not None:
            yield Tool((path, *more))


def _ziglang(program: str) -> Iterator[Tool]:
    if importlib.util.find_spec("ziglang") is not None:
        yield Tool((sys.executable, "-m", "ziglang", program), compiler=program == "cc")


def _words(variable: str) -> list[str]:
    """The command that a variable holds; none where it holds no words of a shell."""
    try:
        return shlex.split(os.environ.get(variable, ""))
    except ValueError:
        return []


def _compilers(target: Target) -> list[list[str]]:
    own = [words] if (words := _words("CC")) else []
    if target.is_host:
        return [*own, ["cc"], ["gcc"], ["clang"]]
    return [*own, *[[f"{prefix}-gcc"] for prefix in _prefixes(target.triple)]]


def _prefixes(triple: str) -> list[str]:
    """What the tools for a target may be called by.

    >>> _prefixes("arm64-unknown-linux-gnu"), _prefixes("riscv64-linux-gnu")
    (['arm64-unknown-linux-gnu', 'aarch64-linux-gnu'], ['riscv64-linux-gnu'])
    """
    parts = triple.split("-")
    if len(parts) == 4 or (len(parts) == 3 and parts[1] in ("unknown", "pc", "none")):
        parts = [parts[0], *parts[2:]]
    parts[0] = _arch(triple)
    return list(dict.fromkeys([triple, "-".join(parts)]))


def _arch(triple: str) -> str:
    """
    >>> _arch("arm64-apple-darwin"), _arch("armv7a-linux-gnueabihf"), _arch("riscv64gc-unknown-linux-gnu")
    ('aarch64', 'arm', 'riscv64')
    """
    arch = triple.partition("-")[0]
    if arch.startswith(("armv", "thumb")):
        return "arm"
    return _ARCHES.get(arch, arch[:7] if arch.startswith("riscv") else arch)


@functools.cache
def _machine_of(compiler: tuple[str, ...]) -> str:
    """What a compiler says that it compiles for; "" where it does not say."""
    try:
        done = subprocess.run([*compiler, "-dumpmachine"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _makes(compiler: tuple[str, ...], target: Target) -> bool:
    machine = _machine_of(compiler)
    return _arch(machine) == _arch(target.triple) if machine else False


def _zig_target(triple: str) -> str:
    """
    >>> _zig_target("arm64-apple-darwin23"), _zig_target("x86_64-pc-windows-msvc"), _zig_target("riscv64-linux-musl")
    ('aarch64-macos', 'x86_64-windows-gnu', 'riscv64-linux-musl')
    """
    arch = {"i686": "x86"}.get(_arch(triple), _arch(triple))
    if "darwin" in triple or "macos" in triple:
        return f"{arch}-macos"
    if "windows" in triple:
        return f"{arch}-windows-gnu"
    return "-".join([arch, *_prefixes(triple)[-1].split("-")[1:]])


def _advice(target: Target) -> str:
    if target.object_format == "wasm":
        return "lld (for its wasm-ld), or ziglang from PyPI"
    if target.object_format != "elf":
        return "lld, or ziglang from PyPI"
    if target.is_host:
        return "gcc, clang or lld, or ziglang from PyPI"
    return f"gcc-{_prefixes(target.triple)[-1].replace('_', '-')} or lld, or ziglang from PyPI"


# -- running them ------------------------------------------------------------------------------------------------

#: Of what a linker complains of, so many lines are shown.
_SHOWN = 4
#: Words of the lines that say what is wrong.
_TELLING = ("error", "undefined", "cannot", "multiple definition", "duplicate")


def _run(tool: Tool, words: Sequence[str], out: Path) -> None:
    """Run the linker. LinkError with its complaints in one line, and no *out* then."""
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            [*tool.command, *words],
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except OSError as error:
        raise LinkError(f"{tool}: {error.strerror}") from None
    if done.returncode == 0:
        return
    out.unlink(missing_ok=True)
    said = done.stderr or done.stdout
    # The objects' directory is a temporary one that is gone when this is read.
    text = re.sub(rf"{re.escape(tempfile.gettempdir())}{os.sep}jitffi-\w+{os.sep}(linked{os.sep})?", "", said)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if any(word in line for word in _TELLING)] or lines
    if len(telling) > 1:  # what a compiler says of its linker's end tells nothing more
        telling = [line for line in telling if "ld returned" not in line and "linker command failed" not in line]
    more = f" (and {len(telling) - _SHOWN} more)" if len(telling) > _SHOWN else ""
    said = "; ".join(telling[:_SHOWN]) or f"exit code {done.returncode}"
    name = " ".join(tool.command[2:]) if "-m" in tool.command else Path(tool.command[0]).name
    raise LinkError(f"{name} cannot link this: {said}{more}")
