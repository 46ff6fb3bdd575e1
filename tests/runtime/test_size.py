"""The runtime for microcontrollers: its core fits into 24 KB, and runs in memory of its own, without a system."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.builds import RUNTIME, run

from benchmarks import sizes


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
