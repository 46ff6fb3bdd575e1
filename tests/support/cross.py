"""Other machines to run C programs on: cross compilers, the runtime built with their toolchain files, and emulators."""

from __future__ import annotations

import functools
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from jitffi.base import config
from support.builds import RUNTIME, cross_runtime, run


def _found(*names: str) -> str | None:
    return next((found for name in names if (found := shutil.which(name))), None)


class Machine:
    """A kind of machine: how C is compiled for it, and how a program is run here."""

    def __init__(
        self, name: str, triple: str | None, compiler: list[str], runner: list[str], toolchain: str = ""
    ) -> None:
        self.name = name
        self.triple = triple
        self._compiler = compiler
        self._runner = runner
        self._toolchain = toolchain

    def need(self) -> None:
        """Skip the test where a tool is missing."""
        for command in (self._compiler, self._runner):
            if command and _found(command[0]) is None:
                pytest.skip(f"no {command[0]}, with which programs for {self.name} are made or run")
        if self._toolchain and (_found("cmake") is None or _found("ninja") is None):
            pytest.skip("no cmake and ninja to build the runtime with")
        if reason := self._trial():
            pytest.skip(reason)

    @functools.cache  # noqa: B019 - the machines are there as long as the process
    def _trial(self) -> str:
        """Why not even a program that does nothing can be made and run: what the compiler or the runner says."""
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder, "empty.c"), Path(folder, "empty")
            source.write_text("#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n")
            for command in ([*self._compiler, "-o", str(program), str(source)], [*self._runner, str(program)]):
                done = subprocess.run(command, capture_output=True, text=True, timeout=120)
                if done.returncode:
                    said = (done.stderr or done.stdout).strip().partition("\n")[0]
                    return f"{command[0]} makes or runs no program for {self.name}: {said}"
        return ""

    def compile(self, output: Path, sources: list[Path], *options: str) -> None:
        """A program of C sources and objects, with the runtime in it."""
        self.need()
        libraries = self.libraries() if self._toolchain else shlex.split(config.flags("libs"))
        includes = ["-I", str(RUNTIME / "include")] if self._toolchain else shlex.split(config.flags("includes"))
        threads = ["-lm"] if "wasm" in self.name else ["-pthread", "-lm"]
        run(*self._compiler, *options, *includes, "-o", output, *sources, *libraries, *threads)

    def run(self, program: Path) -> str:
        return run(*self._runner, program)

    @functools.cache  # noqa: B019 - the machines are there as long as the process
    def libraries(self) -> list[str]:
        folder = cross_runtime(self._toolchain)
        # What scripts call needs the runtime.
        return [str(folder / f"libjitffi_{part}.a") for part in ("script", "runtime")]


_WASI = [_found("node", "nodejs") or "node", "--no-warnings", str(RUNTIME / "cmake" / "toolchains" / "run-wasi.mjs")]
MACHINES = {
    machine.name: machine
    for machine in (
        Machine("host", None, [_found("cc", "gcc", "clang") or "cc"], []),
        Machine(
            "aarch64", "aarch64-linux-gnu", ["aarch64-linux-gnu-gcc", "-static"],
            [_found("qemu-aarch64", "qemu-aarch64-static") or "qemu-aarch64"], "aarch64-linux-gnu",
        ),
        Machine(
            "riscv64", "riscv64-linux-gnu", ["riscv64-linux-gnu-gcc", "-static"],
            [_found("qemu-riscv64", "qemu-riscv64-static") or "qemu-riscv64"], "riscv64-linux-gnu",
        ),
        Machine(
            "arm", "armv7-linux-gnueabihf", ["arm-linux-gnueabihf-gcc", "-static"],
            [_found("qemu-arm", "qemu-arm-static") or "qemu-arm"], "armv7-linux-gnueabihf",
        ),
        Machine("wasm32", "wasm32-wasi", ["clang", "--target=wasm32-wasi"], _WASI, "wasm32-wasi"),
    )
}  # fmt: skip


def run_in_wasmtime(program: Path) -> str | None:
    """What a program for wasm32 prints in wasmtime; None where that is not installed."""
    try:
        import wasmtime
    except ImportError:
        return None
    engine = wasmtime.Engine()
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    store, config = wasmtime.Store(engine), wasmtime.WasiConfig()
    said = program.with_suffix(".said")
    config.stdout_file = str(said)
    store.set_wasi(config)
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, str(program)))
    instance.exports(store)["_start"](store)
    return said.read_text(encoding="utf-8")


def wasm_libraries() -> list[str]:
    """What a WebAssembly module for JavaScript has in it beside what is emitted; skips where it cannot be made."""
    machine = MACHINES["wasm32"]
    machine.need()
    options = ("-print-file-name=libc.a", "-print-libgcc-file-name")
    return [*machine.libraries(), *[run("clang", "--target=wasm32-wasi", option).strip() for option in options]]
