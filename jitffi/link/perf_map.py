"""The map file by which `perf report` names functions of generated code (perf's jit-interface.txt)."""

from __future__ import annotations

import os


def write_for_perf(functions: list[tuple[int, int, str]]) -> None:
    """Add a line for each function: address, size in bytes, name."""
    with open(f"/tmp/perf-{os.getpid()}.map", "a") as file:
        file.writelines(f"{address:x} {size:x} {name}\n" for address, size, name in functions)
