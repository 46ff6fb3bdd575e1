/* Imports of modules: references to other modules, which a search goes along (module.c). Rings are allowed; their references
 * are released when a module is unloaded or forgets them.
 */
#include <string.h>

#include "jitffi/module.h"
#include "jitffi/runtime.h"
#include "lock.h"
#include "message.h"
#include "module.h"

/* Steals what jf_module_take_imports gave; not under the lock. */
void jf_module_release_imports(module** imports, size_t count) {
  for (size_t i = 0; i < count; i++) jf_object_release(&imports[i]->header);
  jf_free(imports);
}

/* The references are the caller's from now on. */
module** jf_module_take_imports(module* m, size_t* count) {
  module** imports = m->imports;
  *count = m->import_count;
  m->imports = NULL;
  m->import_count = m->import_room = 0;
  return imports;
}

/* Under the lock: room for one more import; -1 without memory. */
static int32_t reserve_import(module* m) {
  if (m->import_count < m->import_room) return 0;
  const size_t room = m->import_room ? m->import_room * 2 : 4;
  module** grown = jf_alloc(room * sizeof(module*));
  if (!grown) return -1;
  if (m->import_count) memcpy(grown, m->imports, m->import_count * sizeof(module*));
  jf_free(m->imports);
  m->imports = grown;
  m->import_room = room;
  return 0;
}

/* Borrows module, retains imported. */
int32_t jf_module_import(jf_object* object, jf_object* imported) {
  module *m = jf_module_loaded(object), *other = m ? jf_module_loaded(imported) : NULL;
  if (!other) return -1;
  int32_t known = m == other, status = 0;
  jf_lock();
  for (size_t i = 0; i < m->import_count && !known; i++) known = m->imports[i] == other;
  if (!known) status = reserve_import(m);
  if (!known && status == 0) {
    jf_object_retain(imported);
    m->imports[m->import_count++] = other;
  }
  jf_unlock();
  if (status != 0) jf_error_no_memory();
  return status;
}

/* Borrows module. */
void jf_module_clear_imports(jf_object* object) {
  module* m = jf_module_as(object);
  if (!m) return;
  size_t count;
  jf_lock();
  module** imports = jf_module_take_imports(m, &count);
  jf_unlock();
  jf_module_release_imports(imports, count);
}

/* Borrows module; 0 for what is none. */
size_t jf_module_count_imports(jf_object* object) {
  module* m = jf_module_as(object);
  if (!m) return 0;
  jf_lock();
  const size_t count = m->import_count;
  jf_unlock();
  return count;
}

/* New; borrows module. */
jf_object* jf_module_imported(jf_object* object, size_t index) {
  module* m = jf_module_as(object);
  if (!m) return NULL;
  jf_lock();
  jf_object* found = index < m->import_count ? &m->imports[index]->header : NULL;
  jf_object_retain(found);
  jf_unlock();
  return found;
}
