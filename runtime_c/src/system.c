/* The system library: functions that are linked into the program, and registered by constructors before main.
 *
 * Tables are linked into a list as they are. There is no order between constructors, so nothing here may need another
 * to have run: the mutex is initialised statically, and memory is not needed.
 */
#include <string.h>

#include "jitffi/module.h"
#include "jitffi/runtime.h"
#include "lock.h"
#include "message.h"

static jf_export_table* tables; /* under the lock, the last one registered first */

/* Borrows table, until it is unregistered. */
void jf_module_register(jf_export_table* table) {
  jf_lock();
  table->next = tables;
  tables = table;
  jf_unlock();
}

/* Nothing where it is not registered. */
void jf_module_unregister(jf_export_table* table) {
  jf_lock();
  for (jf_export_table** at = &tables; *at; at = &(*at)->next) {
    if (*at != table) continue;
    *at = table->next;
    break;
  }
  jf_unlock();
}

/* Under the lock: puts what has the prefix into `into`, of which there are `count` before; returns how many there are
 * then. into NULL only counts. */
static size_t collect(const char* prefix, jf_export* into) {
  const size_t size = strlen(prefix);
  size_t count = 0;
  for (const jf_export_table* table = tables; table; table = table->next) {
    for (size_t i = 0; i < table->count; i++) {
      const jf_export* export = &table->exports[i];
      if (strncmp(export->name, prefix, size) != 0 || !export->name[size]) continue;
      if (into) {
        into[count] = *export;
        into[count].name += size;
      }
      count++;
    }
  }
  return count;
}

/* Of those of one name the last stays: the list is the other way round. */
static size_t drop_repeated(jf_export* exports, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    int32_t again = 0;
    for (size_t j = i + 1; j < count && !again; j++) again = strcmp(exports[i].name, exports[j].name) == 0;
    if (!again) exports[kept++] = exports[i];
  }
  return kept;
}

/* New; borrows prefix. */
jf_object* jf_system_library(const char* prefix) {
  if (!prefix) prefix = "";
  jf_lock();
  size_t count = collect(prefix, NULL);
  jf_export* exports = jf_alloc((count ? count : 1) * sizeof *exports);
  if (exports) collect(prefix, exports);
  jf_unlock();
  if (!exports) {
    jf_error_no_memory();
    return NULL;
  }
  count = drop_repeated(exports, count);
  jf_object* made = jf_module_new(*prefix ? prefix : "system", exports, count, NULL, NULL);
  jf_free(exports);
  return made;
}
