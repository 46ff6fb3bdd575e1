"""Code is kept while it runs, whoever drops its last owner: what it calls itself, say."""

import os
import subprocess

import pytest

#: `hook` calls what `set_hook` was given, and goes on. Its own frame must still be there then.
SOURCE = r"""
#include <stdint.h>
static int64_t (*hooked)(int64_t);
void set_hook(int64_t (*f)(int64_t)) { hooked = f; }
int64_t hook(int64_t x) { volatile int64_t result = hooked(x); return result + 1; }
"""

CALLER = r"""
#include <jitffi/runtime.h>
#include <pthread.h>
#include <string.h>
int64_t apply(int64_t (*f)(int64_t), int64_t x) { return f(x); }

typedef struct { int64_t (*f)(int64_t); int64_t x; } work;
static void* run(void* given) { work* w = given; w->x = w->f(w->x); return 0; }
int64_t apply_on_thread(int64_t (*f)(int64_t), int64_t x) {
  work w = {f, x};
  pthread_t thread;
  pthread_create(&thread, 0, run, &w);
  pthread_join(thread, 0);
  return w.x;
}

static jf_object* kept;
void keep(jf_object* function) { jf_object_retain(function); kept = function; }
void drop(void) { jf_object* mine = kept; kept = 0; jf_object_release(mine); }
int64_t call_kept(int64_t x) {
  jf_view arg;
  jf_value out;
  memset(&arg, 0, sizeof arg);
  arg.type_code = JF_INT;
  arg.v_int64 = x;
  jf_out_init(&out, 8);
  return jf_function_call(kept, 1, &arg, &out) == 0 ? out.v_int64 : -1;
}
"""

PROGRAM = """
import gc, sys
import jitffi
from jitffi import Function

how, thread, first, second, caller = sys.argv[1:]
caller = jitffi.load_library(caller)
apply = caller.bind(thread or "apply", "(ptr, i64) -> i64", nogil=bool(thread))
held = []

if how == "library":
    library = jitffi.load_library(first)
    hook, set_hook = library.bind("hook", "(i64) -> i64"), library.bind("set_hook", "(func[(i64) -> i64]) -> void")
else:
    library = jitffi.load_module(first) if how == "shared module" else jitffi.load_module(first, second)
    hook, set_hook = library.hook, library.set_hook
held += [hook, library, set_hook]

@jitffi.function("(i64) -> i64")
def drops(x):
    held.clear()
    caller.bind("drop", "() -> void")()
    gc.collect()
    return x

set_hook(Function(drops).native_address if how == "library" else drops)
if how.startswith("kept"):
    caller.bind("keep", "(object) -> void")(hook)
    call, args = caller.bind("call_kept", "(i64) -> i64", nogil=bool(thread)), (5,)
elif how == "packed address":
    made = Function(hook)
    call = Function.from_packed(made.packed_address, self_handle=made.handle, signature="(i64) -> i64")
    del made
    args = (5,)
else:
    call, args = apply, (Function(hook).native_address, 5)
del hook, library, set_hook
gc.collect()
assert call(*args) == 6 and not held
print("lives")
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory, build_library):
    import jitffi

    folder = tmp_path_factory.mktemp("hooks")
    source, obj, adapters = folder / "hook.c", folder / "hook.o", folder / "adapters.o"
    source.write_text(SOURCE)
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-fPIC", "-c", source, "-o", obj], check=True)
    sigs = ["hook: (i64) -> i64", "set_hook: (func[(i64) -> i64]) -> void"]
    jitffi.emit(sigs, adapters)
    module = jitffi.emit(sigs, folder / "module.so", link=[obj])
    return {
        "library": (build_library(SOURCE), ""),
        "objects": (str(adapters), str(obj)),
        "shared module": (str(module), ""),
        "kept": (str(adapters), str(obj)),
        "packed address": (str(adapters), str(obj)),
        "caller": build_library(CALLER, runtime=True),
    }


@pytest.mark.parametrize("thread", ["", "apply_on_thread"])
@pytest.mark.parametrize("how", ["library", "objects", "shared module", "kept", "packed address"])
def test_what_is_called_drops_its_caller(run_python, files, how, thread):
    assert run_python(PROGRAM, how, thread, *files[how], files["caller"]) == "lives\n"
