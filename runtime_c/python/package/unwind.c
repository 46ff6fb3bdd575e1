/* Frames of generated code, told to the unwinder: its own tables lead there only from what the system's loader has loaded. */
#include "unwind.h"
#include "jitffi/emitted.h"
#include "parts.h"
#include "state.h"

#include <dlfcn.h>

static struct {
  void* handle;
  void (*register_frame)(void*);
  void (*deregister_frame)(void*);
} unwinder;

static void find(void* field, const char* name) {
  void* address = dlsym(unwinder.handle, name);
  memcpy(field, &address, sizeof address);
}

int32_t core_frames_register(void* frames) {
  if (!unwinder.handle) {
    void* handle = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_LOCAL);
    unwinder.handle = handle ? handle : &unwinder;
    if (handle) find(&unwinder.register_frame, "__register_frame");
    if (handle) find(&unwinder.deregister_frame, "__deregister_frame");
  }
  if (!unwinder.register_frame || !unwinder.deregister_frame) return 0;
  unwinder.register_frame(frames);
  return 1;
}

void core_frames_deregister(void* frames) { unwinder.deregister_frame(frames); }

void core_caught(core_state* state, void* exception) { jf_caught(state->info->name, exception); }

/* Adds PERSONALITY, an address, to the module; -1 with an exception set on failure. */
int core_unwind_init(PyObject* module) {
  void* address;
  void (*const function)(void) = (void (*)(void))jf_personality;
  memcpy(&address, &function, sizeof address);
  return PyModule_AddObject(module, "PERSONALITY", PyLong_FromVoidPtr(address));
}
