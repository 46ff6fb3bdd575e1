/* Module objects: exports by name, imports, and when the code behind them may go.
 *
 * One block holds the object, its exports sorted by name, and their texts. Imports, the number of functions in use and
 * whether it is loaded are under the runtime's mutex, and so is a search, which marks the modules it has been to.
 */
#include <stdlib.h>
#include <string.h>

#include "jitffi/module.h"
#include "jitffi/runtime.h"
#include "lock.h"
#include "macros.h"
#include "message.h"
#include "module.h"
#include "object.h"
#include "registry.h"
#include "tvm_ffi.h"

const char jf_tvmffi_export[] = "";

static uint32_t searches; /* under the lock */
static module* known;     /* under the lock: those whose memory has been told */

static void delete_module(jf_object* object);

module* jf_module_as(const jf_object* object) {
  return object && object->deleter == delete_module ? (module*)(uintptr_t)object : NULL;
}

JF_COLD module* jf_module_fail_other(const jf_object* object) {
  jf_error_format("TypeError", "expected module, got %s", object ? jf_type_key(object->type_code) : "null");
  return NULL;
}

static JF_COLD int32_t fail_unloaded(const module* m) { return jf_fail_name("module %s was unloaded", m->name); }

module* jf_module_loaded(const jf_object* object) {
  module* m = jf_module_as(object);
  if (!m) return jf_module_fail_other(object);
  if (jf_module_is_loaded(object)) return m;
  fail_unloaded(m);
  return NULL;
}

/* -- making -- */

static int compare_exports(const void* left, const void* right) {
  return strcmp(((const jf_export*)left)->name, ((const jf_export*)right)->name);
}

static size_t text_size(const char* text) { return text && text != jf_tvmffi_export ? strlen(text) + 1 : 0; }

/* A copy at *at, which goes behind it; NULL stays NULL, and so does what is known by its address. */
static const char* copy_text(const char* text, char** at) {
  if (!text || text == jf_tvmffi_export) return text;
  const size_t size = strlen(text) + 1;
  const char* copy = memcpy(*at, text, size);
  *at += size;
  return copy;
}

static module* make_module(const char* name, const jf_export* exports, size_t count) {
  size_t size = sizeof(module) + count * sizeof(jf_export) + text_size(name);
  for (size_t i = 0; i < count; i++) size += text_size(exports[i].name) + text_size(exports[i].signature);
  module* made = jf_object_new(size, JF_MODULE, delete_module);
  if (!made) return NULL;
  jf_export* copies = (jf_export*)(made + 1);
  char* at = (char*)(copies + count);
  made->name = copy_text(name, &at);
  for (size_t i = 0; i < count; i++) {
    copies[i].name = copy_text(exports[i].name, &at);
    copies[i].call = exports[i].call;
    copies[i].signature = copy_text(exports[i].signature, &at);
  }
  if (count) qsort(copies, count, sizeof *copies, compare_exports);
  made->exports = copies;
  made->count = count;
  made->loaded = 1;
  return made;
}

/* New; borrows all texts; owns owner only if it succeeds. */
jf_object* jf_module_new(const char* name, const jf_export* exports, size_t count, void* owner, void (*unload)(void*)) {
  char quoted[JF_QUOTE_SIZE], which[JF_QUOTE_SIZE];
  jf_quote(name, quoted, sizeof quoted);
  for (size_t i = 0; i < count; i++) {
    if (exports[i].name && *exports[i].name && exports[i].call) continue;
    jf_error_format("ValueError", "module %s: export %zu has no %s", quoted, i + 1,
                    exports[i].name && *exports[i].name ? "function" : "name");
    return NULL;
  }
  module* made = make_module(name, exports, count);
  if (!made) return NULL;
  for (size_t i = 1; i < count; i++) {
    if (strcmp(made->exports[i - 1].name, made->exports[i].name) != 0) continue;
    jf_error_format("ValueError", "module %s: %s is exported twice", quoted,
                    jf_quote(made->exports[i].name, which, sizeof which));
    jf_object_release(&made->header);
    return NULL;
  }
  made->owner = owner;
  made->unload = unload;
  return &made->header;
}

/* -- going -- */

static void unload_owner(module* m) {
  void (*unload)(void*) = m->unload;
  m->unload = NULL;
  if (unload) unload(m->owner);
}

static void forget_memory(module* m) {
  jf_lock();
  for (module** at = &known; *at; at = &(*at)->next_known) {
    if (*at != m) continue;
    *at = m->next_known;
    break;
  }
  jf_unlock();
}

static void delete_module(jf_object* object) {
  module* m = (module*)object;
  size_t count;
  if (!jf_deferred_free_enter(object, &m->links)) return; /* a long chain of imports */
  module** imports = jf_module_take_imports(m, &count);   /* nobody else has the module any more */
  forget_memory(m);
  unload_owner(m);
  jf_module_release_imports(imports, count);
  jf_object_free(object);
  jf_deferred_free_leave();
}

/* Borrows module. */
int32_t jf_module_unload(jf_object* object) {
  module* m = jf_module_as(object);
  if (!m) return jf_module_fail_other(object), -1;
  size_t count = 0;
  module** imports = NULL;
  jf_lock();
  const int64_t in_use = m->in_use;
  const int32_t unloading = m->loaded && !in_use;
  if (unloading) {
    m->loaded = 0;
    imports = jf_module_take_imports(m, &count);
  }
  const int32_t loaded = m->loaded;
  jf_unlock();
  if (unloading) {
    unload_owner(m);
    jf_module_release_imports(imports, count);
    return 0;
  }
  if (!loaded) return 0;
  char quoted[JF_QUOTE_SIZE];
  jf_error_format("RuntimeError", "module %s cannot be unloaded: %lld function%s taken from it %s in use",
                  jf_quote(m->name, quoted, sizeof quoted), (long long)in_use, in_use == 1 ? "" : "s",
                  in_use == 1 ? "is" : "are");
  return -1;
}

/* Borrows module; 0 for what is none. */
int32_t jf_module_is_loaded(const jf_object* object) {
  const module* m = jf_module_as(object);
  if (!m) return 0;
  jf_lock();
  const int32_t loaded = m->loaded;
  jf_unlock();
  return loaded;
}

/* Borrows module; the owner stays the module's. */
void* jf_module_owner(const jf_object* object, void (*unload)(void*)) {
  const module* m = jf_module_as(object);
  return m && jf_module_is_loaded(object) && m->unload == unload ? m->owner : NULL;
}

/* -- functions -- */

/* Under the lock: one more function, and a reference. 0 where the module is dying already: another thread has dropped the
 * last reference, and waits for the lock to take it out of the list. */
static int32_t take_use(module* m) {
  int32_t count = __atomic_load_n(&m->header.ref_count, __ATOMIC_RELAXED);
  do {
    if (count <= 0) return 0;
  } while (
      !__atomic_compare_exchange_n(&m->header.ref_count, &count, count + 1, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  m->in_use++;
  return 1;
}

/* The deleter of functions: what they capture is the module, with one reference and one use of it. */
static void release_function(void* captures) {
  module* m = captures;
  jf_lock();
  m->in_use--;
  jf_unlock();
  jf_object_release(&m->header);
}

static void release_kept(void* captures) { jf_object_release(&((module*)captures)->header); }

/* What a function was given with that deleter, or NULL. */
static module* captured(const jf_object* function, void (*deleter)(void*)) {
  module* m = jf_function_captures(function, deleter);
  return m ? m : jf_tvmffi_owner(function, deleter);
}

/* Borrows function; the module lives as long as it. */
jf_object* jf_module_of(const jf_object* function) {
  module* m = captured(function, release_function);
  if (!m) m = captured(function, release_kept);
  return m ? &m->header : NULL;
}

/* Borrows function. */
void jf_module_keep(jf_object* function) {
  module* m = captured(function, release_function);
  if (!m) return;
  if (!jf_tvmffi_set_deleter(function, release_kept)) jf_function_set_deleter(function, release_kept);
  jf_lock();
  m->in_use--;
  jf_unlock();
}

/* Borrows module; once. */
void jf_module_set_memory(jf_object* object, const void* memory, size_t size) {
  module* m = jf_module_as(object);
  if (!m || m->memory) return;
  jf_lock();
  m->memory = memory;
  m->memory_size = size;
  m->next_known = known;
  known = m;
  jf_unlock();
}

/* New, or NULL without an error. */
jf_object* jf_module_hold(const void* code) {
  const uintptr_t address = (uintptr_t)code;
  jf_lock();
  module* m = known;
  while (m && !(m->loaded && address - (uintptr_t)m->memory < m->memory_size)) m = m->next_known;
  if (m && !take_use(m)) m = NULL;
  jf_unlock();
  if (!m) return NULL;
  jf_packed_call call;
  memcpy(&call, &code, sizeof call);
  jf_object* holder = jf_function_new(call, m, release_function, NULL);
  if (holder) return holder;
  release_function(m);
  jf_object_release(jf_error_take());
  return NULL;
}

static const jf_export* find_export(const module* m, const char* name) {
  const jf_export wanted = {name, NULL, NULL};
  return m->count ? bsearch(&wanted, m->exports, m->count, sizeof wanted, compare_exports) : NULL;
}

/* Under the lock: breadth first, so that what is nearer is found first. *found_in is the module it belongs to. */
static const jf_export* search(module* start, const char* name, module** found_in) {
  module* last = start;
  searches++;
  start->search = searches;
  start->next = NULL;
  for (module* m = start; m; m = m->next) {
    const jf_export* found = m->loaded ? find_export(m, name) : NULL;
    *found_in = m;
    if (found) return found;
    for (size_t i = 0; i < m->import_count; i++) {
      module* imported = m->imports[i];
      if (imported->search == searches) continue;
      imported->search = searches;
      imported->next = NULL;
      last->next = imported;
      last = imported;
    }
  }
  return NULL;
}

/* New, or NULL: with an error unless *missing is set. */
static jf_object* get(module* m, const char* name, int32_t with_imports, int32_t* missing) {
  module* home = m;
  jf_lock();
  const int32_t loaded = m->loaded;
  const jf_export* found = !loaded ? NULL : with_imports ? search(m, name, &home) : find_export(m, name);
  if (found) take_use(home);
  jf_unlock();
  *missing = loaded && !found;
  if (!loaded) fail_unloaded(m);
  if (!found) return NULL;
  const char* text = found->signature && *found->signature ? found->signature : NULL;
  jf_tvmffi_call theirs;
  memcpy(&theirs, &found->call, sizeof theirs);
  jf_object* function = found->signature == jf_tvmffi_export
                            ? jf_tvmffi_function(theirs, NULL, home, release_function, NULL)
                            : jf_function_new(found->call, home, release_function, text);
  if (!function) release_function(home);
  if (function) jf_function_set_name(function, found->name);
  return function;
}

static JF_COLD void fail_missing(const module* m, const char* name) {
  char quoted[JF_QUOTE_SIZE], wanted[JF_QUOTE_SIZE], nearest[JF_QUOTE_SIZE];
  size_t least = SIZE_MAX;
  const jf_export* best = NULL;
  for (size_t i = 0; i < m->count; i++) {
    const size_t distance = jf_edit_distance(name, m->exports[i].name);
    if (distance >= least || distance > strlen(name) / 3 + 1) continue;
    least = distance;
    best = &m->exports[i];
  }
  jf_error_format("AttributeError", "module %s has no function %s%s%s%s", jf_quote(m->name, quoted, sizeof quoted),
                  jf_quote(name, wanted, sizeof wanted), best ? "; did you mean " : "",
                  best ? jf_quote(best->name, nearest, sizeof nearest) : "", best ? "?" : "");
}

/* New; borrows both. */
jf_object* jf_module_get(jf_object* object, const char* name) {
  module* m = jf_module_as(object);
  int32_t missing = 0;
  if (!m) return jf_module_fail_other(object), NULL;
  jf_object* function = get(m, name, 1, &missing);
  if (missing) fail_missing(m, name);
  return function;
}

/* New; borrows both. */
jf_object* jf_module_get_own(jf_object* object, const char* name) {
  module* m = jf_module_as(object);
  int32_t missing = 0;
  if (!m) return jf_module_fail_other(object), NULL;
  return get(m, name, 0, &missing);
}

/* Borrows module; what it gives is the module's. */
const jf_export* jf_module_exports(jf_object* object, size_t* count) {
  const module* m = jf_module_loaded(object);
  *count = m ? m->count : 0;
  return m ? m->exports : NULL;
}

/* Borrows module; the text is the module's. */
const char* jf_module_name(const jf_object* object) {
  const module* m = jf_module_as(object);
  return m ? m->name : "";
}

/* Borrows file. */
int32_t jf_module_check_abi(const char* file, uint32_t version) {
  const uint32_t major = version >> 16, minor = version & 0xFFFF;
  if (major == JF_ABI_MAJOR && minor <= JF_ABI_MINOR) return 0;
  jf_error_format("OSError", "%s: was made for ABI %u.%u, this runtime has %d.%d", file, (unsigned)major,
                  (unsigned)minor, JF_ABI_MAJOR, JF_ABI_MINOR);
  return -1;
}
