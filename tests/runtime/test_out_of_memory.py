"""Without memory: MemoryError, and the process lives; also where a thread fails for the first time."""

import re
import subprocess

import pytest

from jitffi import _core
from jitffi.base.config import library_dir, library_file, script_library_file

#: A thread that has never come to the runtime; then there is no memory; then it does what fails.
SOURCE = r"""
#include <jitffi/runtime.h>
#include <jitffi/containers.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static sem_t start, used_up;
static int64_t what;
static char result[100];

static void fail(void) {
  static char text[200000];
  jf_object* found = NULL;
  memset(text, 'x', sizeof text - 1);
  if (what == 0) jf_error_set("ValueError", text);
  if (what == 1) found = jf_list_new(100000, 1);
  if (what == 2) jf_error_mark_pending();
  if (what == 3) jf_error_format("ValueError", "%s", text);
  if (what == 4) found = jf_str_new(text, sizeof text - 1);
  if (what == 5) found = jf_shape_new(NULL, 100000);
  (void)found;
}

static void* run(void* ignored) {
  sem_wait(&start);
  sem_wait(&used_up);
  fail();
  const jf_error* error = (const jf_error*)jf_error_peek();
  strcpy(result, error ? error->kind->data : "nothing");
  return ignored;
}

static void use_up(void) {
  const struct rlimit none = {0, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &none);
  for (size_t size = 1 << 20; size >= 16; size /= 2)
    while (malloc(size)) {
    }
}

const char* first_failure(int64_t number) {
  pthread_t thread;
  what = number;
  sem_init(&start, 0, 0);
  sem_init(&used_up, 0, 0);
  pthread_create(&thread, 0, run, 0);
  sem_post(&start);
  use_up();
  sem_post(&used_up);
  pthread_join(thread, 0);
  return result;
}
"""

PROGRAM = """
import ctypes, os, sys
library = ctypes.CDLL(sys.argv[1])
library.first_failure.restype = ctypes.c_char_p
result = library.first_failure(ctypes.c_int64(int(sys.argv[2])))
os.write(1, result)
os._exit(0)
"""


@pytest.mark.parametrize("what", range(6))
def test_the_first_failure_of_a_thread(build_library, run_python, what):
    kind = run_python(PROGRAM, build_library(SOURCE, runtime=True), str(what))
    assert kind == "MemoryError"


@pytest.mark.parametrize(
    "file",
    [_core.__file__, library_file(), library_dir() / "libjitffi_more.so", script_library_file()],
    ids=["_core", "runtime", "more", "script"],
)
def test_variables_of_threads_are_there_from_the_start(file):
    """And small, since what is set aside for that is shared by all libraries of the process."""
    relocations = subprocess.run(["readelf", "-rW", file], capture_output=True, text=True, check=True).stdout
    assert not re.search(r"R_\w+_(DTPMOD|TLSDESC)", relocations)
    headers = subprocess.run(["readelf", "-lW", file], capture_output=True, text=True, check=True).stdout
    size = int(re.search(r"^ +TLS( +0x\w+){4} +(0x\w+)", headers, re.M)[2], 16)
    assert size <= 128
