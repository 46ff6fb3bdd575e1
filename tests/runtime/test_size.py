"""The runtime for microcontrollers: its core fits into 24 KB, and runs in memory of its own, without a system."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.builds import RUNTIME, run

from benchmarks import sizes
from jitffi.base import config

SECOND = config.library_dir() / "libjitffi_more.so"
has_parts = pytest.mark.skipif(not SECOND.exists(), reason="the runtime is in one part")


@pytest.mark.parametrize("machine", [each for each in sizes.MACHINES if each.runner], ids=lambda each: each.name)
def test_the_core_fits_and_runs(machine, tmp_path):
    if not machine.is_there or shutil.which(machine.runner) is None:
        pytest.skip(f"no {machine.compiler} or {machine.runner}")
    try:
        objects = sizes.compiled(machine, tmp_path)
    except SystemExit as error:
        if "string.h: No such file" in str(error):
            pytest.skip(f"{machine.compiler} has no C library")
        raise
    program = sizes.linked_core(machine, objects, tmp_path)
    text, _, bss = sizes.sizes(program)
    assert text <= 24 * 1024 and bss <= 16 * 1024
    run(machine.runner, program)


@has_parts
@pytest.mark.skipif(platform.machine() != "x86_64" or shutil.which("size") is None, reason="no size, or not x86-64")
def test_the_shared_library_has_less_code_than_160_kb():
    lines = run("size", "-A", "-d", config.library_dir() / "libjitffi_runtime.so").splitlines()
    assert next(int(line.split()[1]) for line in lines if line.startswith(".text ")) < 160 * 1024


FEW_NEED_IT = """
import jitffi, pathlib
def is_loaded():
    return "libjitffi_more" in pathlib.Path("/proc/self/maps").read_text()
values = jitffi.List([1, "text", jitffi.Map({"key": 2.5})])
assert repr(values) and not is_loaded()
try:
    print(jitffi.to_json(values), jitffi.structural_equal(values, values), is_loaded())
except ImportError as error:
    print(error)
"""


@has_parts
def test_the_second_part_is_loaded_when_it_is_needed(tmp_path):
    def output(**variables):
        command = [sys.executable, "-c", FEW_NEED_IT]
        return subprocess.run(
            command, env={**os.environ, **variables}, capture_output=True, text=True, check=True
        ).stdout

    assert output() == '[1, "text", {"key": 2.5}] True True\n'
    shutil.copy(config.library_dir() / "libjitffi_runtime.so", tmp_path)
    said = output(LD_LIBRARY_PATH=str(tmp_path))
    assert (
        said.startswith("the second part of jitffi's runtime cannot be loaded: ")
        and str(tmp_path / SECOND.name) in said
    )
    (tmp_path / SECOND.name).symlink_to(SECOND)
    assert output(LD_LIBRARY_PATH=str(tmp_path)) == output()


def test_every_file_has_a_group():
    names = {path.stem for path in (RUNTIME / "src").glob("*.c")}
    assert {sizes.group(name) for name in names} == set(sizes.GROUPS)


POOL = r"""
#include "jitffi/memory_pool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  static char memory[4099];
  jf_memory_pool pool;
  jf_memory_pool_init(&pool, memory + 1, sizeof memory - 1);
  void* blocks[64] = {NULL};
  size_t sizes[64] = {0};
  srand(1);
  for (int i = 0; i < 200000; i++) {
    const int at = rand() % 64;
    for (size_t j = 0; blocks[at] && j < sizes[at]; j++)
      if (((unsigned char*)blocks[at])[j] != at) return 1;
    jf_memory_pool_deallocate(blocks[at], &pool);
    sizes[at] = (size_t)(rand() % 200);
    blocks[at] = jf_memory_pool_allocate(sizes[at], &pool);
    if (blocks[at] && ((uintptr_t)blocks[at] & 15)) return 2;
    if (blocks[at]) memset(blocks[at], at, sizes[at]);
    if (pool.used > pool.limit) return 3;
  }
  for (int i = 0; i < 64; i++) jf_memory_pool_deallocate(blocks[i], &pool);
  if (pool.used != 0 || pool.free->next != NULL || pool.free->size != pool.limit) return 4;
  if (jf_memory_pool_allocate((size_t)-1, &pool) || jf_memory_pool_allocate(5000, &pool)) return 5;
  void* all = jf_memory_pool_allocate(pool.limit - 16, &pool);
  if (!all || pool.free || jf_memory_pool_allocate(0, &pool)) return 6;
  jf_memory_pool_init(&pool, memory, 8);
  if (jf_memory_pool_allocate(1, &pool)) return 7;
  puts("all is well");
  return 0;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_pool_gives_what_it_has(tmp_path: Path):
    (tmp_path / "pool.c").write_text(POOL)
    flags = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", RUNTIME / "include"]
    run("cc", *flags, tmp_path / "pool.c", "-o", tmp_path / "pool")
    assert run(tmp_path / "pool") == "all is well\n"
