/* tvm-ffi's own library, where the process has it: errors, maps and its registry of functions are there.
 *
 * It is looked for by its functions' names when one of them is needed, and what was found stays.
 */
#include <string.h>

#include "jitffi/runtime.h"
#include "macros.h"
#include "message.h"
#include "tvm_ffi.h"

#ifndef JF_NO_SYSTEM
#include <dlfcn.h>
#endif

static struct {
  void (*version)(uint32_t* three);
  int (*function_set)(const jf_tvmffi_method_info* info, int replace);
  int (*function_get)(const jf_span* name, void** out);
  void (*error_take)(void** out);
  void (*error_set)(void* error);
  int (*error_new)(const jf_span* kind, const jf_span* message, const jf_span* backtrace, void** out);
  const void* (*type_info)(int32_t type_index);
} theirs;
static int32_t opened;

#ifdef JF_NO_SYSTEM
static void* address_of(const char* name) {
  (void)name;
  return NULL;
}
#else
/* Of what is loaded for all, as tvm-ffi's Python package has it, or of the library of that name. */
static void* address_of(const char* name) {
#ifdef __APPLE__
  static const char file[] = "libtvm_ffi.dylib";
#else
  static const char file[] = "libtvm_ffi.so";
#endif
  void* found = dlsym(RTLD_DEFAULT, name);
  void* library = found ? NULL : dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return found;
  found = dlsym(library, name);
  dlclose(library); /* who has loaded it keeps it */
  return found;
}
#endif

/* 0: all is there, found by any thread alike. 1: there is none. -1 with ImportError set: another one. */
static int32_t find_all(void) {
  static const char* const names[] = {"TVMFFIGetVersion",        "TVMFFIFunctionSetGlobalFromMethodInfo",
                                      "TVMFFIFunctionGetGlobal", "TVMFFIErrorMoveFromRaised",
                                      "TVMFFIErrorSetRaised",    "TVMFFIErrorCreate",
                                      "TVMFFIGetTypeInfo"};
  void** const to = (void**)&theirs;
  uint32_t version[3] = {0};
  _Static_assert(sizeof names / sizeof *names == sizeof theirs / sizeof(void*), "one name each");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void* address = address_of(names[i]);
    if (!address) return 1;
    __atomic_store_n(&to[i], address, __ATOMIC_RELAXED);
    if (i > 0) continue;
    theirs.version(version); /* the one call that every version has */
    if (version[0] == JF_TVMFFI_MAJOR && version[1] == JF_TVMFFI_MINOR) continue;
    jf_error_format("ImportError", "tvm-ffi %u.%u.%u has another ABI than %d.%d, which is known here", version[0],
                    version[1], version[2], JF_TVMFFI_MAJOR, JF_TVMFFI_MINOR);
    return -1;
  }
  __atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
  return 0;
}

/* As find_all. */
static int32_t find(void) { return __atomic_load_n(&opened, __ATOMIC_ACQUIRE) ? 0 : find_all(); }

int32_t jf_tvmffi_open(void) {
  const int32_t found = find();
  if (found > 0) jf_error_set("ImportError", "tvm-ffi is not loaded in this process: import tvm_ffi first");
  return found == 0 ? 0 : -1;
}

int32_t jf_tvmffi_has_big_int(void) {
  static int32_t known; /* 1: it has none, 2: it has them */
  int32_t found = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (found == 0) {
    if (!address_of("TVMFFIGetVersion")) return 1; /* a callee by the ABI alone, and a library may come yet */
    found = address_of("TVMFFIBigIntFromByteArray") ? 2 : 1;
    __atomic_store_n(&known, found, __ATOMIC_RELAXED);
  }
  return found == 2;
}

/* -- errors -------------------------------------------------------------------------------------------------------------- */

static char* copy(jf_span text) {
  char* made = jf_alloc(text.size + 1);
  if (!made) return NULL;
  if (text.size) memcpy(made, text.data, text.size);
  made[text.size] = 0;
  return made;
}

jf_object* jf_tvmffi_error_from(const jf_tvmffi_object* from) {
  const jf_tvmffi_error* error = (const jf_tvmffi_error*)from;
  char *kind = copy(error->kind), *message = copy(error->message), *backtrace = copy(error->backtrace);
  jf_object* made = kind && message && backtrace ? jf_error_new(kind, message, backtrace, NULL, NULL) : NULL;
  jf_free(kind);
  jf_free(message);
  jf_free(backtrace);
  return made;
}

void jf_tvmffi_failed(void) {
  static const char in_host[] = "EnvErrorAlreadySet"; /* the error is the embedding language's */
  void* error = NULL;
  if (__atomic_load_n(&opened, __ATOMIC_ACQUIRE) || (!jf_error_peek() && find_all() == 0)) theirs.error_take(&error);
  if (!error && jf_error_peek()) return; /* who was called has set ours */
  const jf_span kind = error ? ((jf_tvmffi_error*)error)->kind : (jf_span){"", 0};
  const int32_t is_hosts = !error || (kind.size == sizeof in_host - 1 && !memcmp(kind.data, in_host, kind.size));
  const jf_tvmffi_host* host = jf_tvmffi_host_now();
  if (is_hosts && host && host->take_error()) {
    /* it is ours now */
  } else if (error) {
    jf_error_set_object(jf_tvmffi_error_from(error));
  } else {
    jf_error_set("RuntimeError", "a function of tvm-ffi's convention failed without an error");
  }
  if (error) jf_tvmffi_release(error);
}

static jf_span text_of(const jf_str* text) { return text ? (jf_span){text->data, text->size} : (jf_span){"", 0}; }

jf_tvmffi_object* jf_tvmffi_error_to(jf_object* object) {
  const jf_error* error = (const jf_error*)object;
  const jf_span kind = text_of(error->kind), message = text_of(error->message);
  jf_span trace = text_of(error->traceback);
  jf_value told = {.type_code = JF_NULL};
  jf_temps temps = {NULL};
  void* made = NULL;
  if (jf_tvmffi_open() != 0) return NULL;
  const jf_tvmffi_host* host = jf_tvmffi_host_now();
  if (error->host && host) host->traceback_of(object, &told);
  if (told.type_code != JF_NULL && jf_lift_str(NULL, 0, &told, &trace, &temps) != 0) jf_object_release(jf_error_take());
  if (theirs.error_new(&kind, &message, &trace, &made) != 0) jf_tvmffi_failed();
  jf_temps_release(&temps);
  jf_any_release(&told);
  return made;
}

void jf_tvmffi_raise(void) {
  jf_object* error = jf_error_take();
  if (!error) return;
  if (find() != 0) { /* there is nobody else to tell */
    jf_error_set_object(error);
    return;
  }
  void* made = jf_tvmffi_error_to(error);
  jf_object_release(error);
  if (!made) return;
  theirs.error_set(made);
  jf_tvmffi_release(made);
}

/* -- its functions by name ----------------------------------------------------------------------------------------------- */

/* New; NULL with the error set, and where there is none without one. */
static void* get(const char* name) {
  const jf_span text = {name, strlen(name)};
  void* found = NULL;
  if (jf_tvmffi_open() == 0 && theirs.function_get(&text, &found) != 0) jf_tvmffi_failed();
  return found;
}

int32_t jf_tvmffi_call_global(int32_t which, const jf_tvmffi_any* args, size_t count, jf_tvmffi_any* result) {
  static const char* const names[] = {"ffi.Map", "ffi.MapForwardIterFunctor", "ffi.DictForwardIterFunctor",
                                      "ffi.ReprPrint"};
  static void* known[TVMFFI_GLOBALS];
  void* function = __atomic_load_n(&known[which], __ATOMIC_ACQUIRE);
  if (!function) {
    function = get(names[which]); /* kept for ever: a second one of another thread is the same */
    __atomic_store_n(&known[which], function, __ATOMIC_RELEASE);
  }
  if (!function && !jf_error_peek()) jf_error_format("ImportError", "tvm-ffi has no function %s", names[which]);
  if (!function) return -1;
  if (count > INT32_MAX) {
    jf_error_set("OverflowError", "a container is too large for a call into tvm-ffi");
    return -1;
  }
  *result = (jf_tvmffi_any){0};
  if (((jf_tvmffi_function_object*)function)->call(function, args, (int32_t)count, result) == 0) return 0;
  jf_tvmffi_failed();
  return -1;
}

const void* jf_tvmffi_type_info(int32_t type_index) { return theirs.type_info(type_index); }

jf_object* jf_tvmffi_global_get(const char* name) {
  void* found = get(name);
  if (!found) return NULL;
  jf_object* made = jf_tvmffi_wrap(found);
  jf_tvmffi_release(found);
  return made;
}

int32_t jf_tvmffi_global_set(const char* name, jf_object* function, int32_t replace) {
  return jf_tvmffi_global_set_described(name, function, "", "", replace);
}

int32_t jf_tvmffi_global_set_described(const char* name, jf_object* function, const char* metadata, const char* doc,
                                       int32_t replace) {
  void* made = jf_tvmffi_open() == 0 ? jf_tvmffi_unwrap(function) : NULL;
  if (!made) return -1;
  const jf_tvmffi_method_info info = {.name = {name, strlen(name)},
                                      .doc = {doc, strlen(doc)},
                                      .metadata = {metadata, strlen(metadata)},
                                      .method = {.type_index = JF_TVMFFI_FUNCTION, .v_object = made}};
  const int32_t failed = theirs.function_set(&info, replace);
  jf_tvmffi_release(made);
  if (failed) jf_tvmffi_failed();
  return failed ? -1 : 0;
}
