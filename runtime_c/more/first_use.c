/* What the shared runtime has in the place of its second part's functions: each loads that part when it is first called.
 *
 * Graphs as JSON and bytes, structural comparison, and the conventions of others are a third of the code, and few processes come
 * to them. The part lies beside the library. It stays loaded: callers keep addresses in it.
 */
#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#include "functions.h"

#define NAME "libjitffi_more.so"

static const jf_more_functions* loaded;

/* Where the library is, with the part's name in place of its own; the name alone where that is not known. */
static void find(char* path) {
  Dl_info info;
  const char* last = dladdr(&loaded, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
  const size_t size = last ? (size_t)(last + 1 - info.dli_fname) : 0;
  const size_t kept = size + sizeof NAME <= PATH_MAX ? size : 0;
  if (kept) memcpy(path, info.dli_fname, kept);
  memcpy(path + kept, NAME, sizeof NAME);
}

/* NULL with ImportError set. Threads that come at once load the same. */
static JF_COLD const jf_more_functions* load(void) {
  char path[PATH_MAX];
  find(path);
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const jf_more_functions* found = handle ? dlsym(handle, "jf_more") : NULL;
  if (!found) {
    const char* why = dlerror();
    jf_error_format("ImportError", "the second part of jitffi's runtime cannot be loaded: %s", why ? why : path);
    return NULL;
  }
  if (strcmp(found->version, JITFFI_VERSION) != 0) {
    jf_error_format("ImportError", "%s is of version %s, and the runtime of " JITFFI_VERSION, path, found->version);
    return NULL;
  }
  __atomic_store_n(&loaded, found, __ATOMIC_RELEASE);
  return found;
}

static inline const jf_more_functions* more(void) {
  const jf_more_functions* found = __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
  return __builtin_expect(found != NULL, 1) ? found : load();
}

#define CALL(result, name, parameters, arguments, failed) \
  result name parameters {                                \
    const jf_more_functions* found = more();              \
    return found ? found->name arguments : (failed);      \
  }
#define CALL_V(name, parameters, arguments)  \
  void name parameters {                     \
    const jf_more_functions* found = more(); \
    if (found) found->name arguments;        \
  }
JF_MORE(CALL, CALL_V)
