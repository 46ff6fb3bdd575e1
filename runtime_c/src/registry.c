/* The global functions: names to function objects, for the whole process.
 *
 * Objects are retained under the lock and released after it, since a release may run a deleter.
 */
#include <stdlib.h>
#include <string.h>

#include "jitffi/runtime.h"
#include "lock.h"
#include "macros.h"
#include "message.h"
#include "object.h"
#include "registry.h"
#include "table.h"

typedef struct {
  jf_object* function; /* owned */
  jf_object* metadata; /* owned map; or NULL */
  char name[];
} global;

static jf_table globals; /* name -> global* */

static global* make_global(const char* name, jf_object* function) {
  size_t size = strlen(name) + 1;
  global* made = jf_alloc(sizeof *made + size);
  if (!made) {
    jf_error_no_memory();
    return NULL;
  }
  made->function = function;
  made->metadata = NULL;
  memcpy(made->name, name, size);
  return made;
}

static void free_global(global* gone) {
  jf_object_release(gone->function);
  jf_object_release(gone->metadata);
  jf_free(gone);
}

enum { PUT, REPLACED, TAKEN, NO_MEMORY };

/* Puts `made` into the table, or its function into the entry that is there and what was there into `made`. */
static int32_t put_or_swap(global* made, int32_t override_) {
  jf_lock();
  jf_entry* known = jf_table_find(&globals, made->name);
  int32_t outcome = TAKEN;
  if (!known) {
    outcome = jf_table_put(&globals, made->name, made) == 0 ? PUT : NO_MEMORY;
  } else if (override_) {
    global* present = known->value;
    const global before = *present;
    present->function = made->function;
    present->metadata = NULL;
    made->function = before.function;
    made->metadata = before.metadata;
    outcome = REPLACED;
  }
  jf_unlock();
  return outcome;
}

/* Borrows name, retains function. TypeError for what is no function, ValueError for a bad name or one that is taken. */
int32_t jf_global_set(const char* name, jf_object* function, int32_t override_) {
  if (!name || !*name) {
    jf_error_set("ValueError", "the name of a global function cannot be empty");
    return -1;
  }
  if (!function || !jf_type_is_a(function->type_code, JF_FUNCTION)) {
    char quoted[JF_QUOTE_SIZE];
    jf_error_format("TypeError", "global function %s: expected function, got %s", jf_quote(name, quoted, sizeof quoted),
                    function ? jf_type_key(function->type_code) : "null");
    return -1;
  }
  global* made = jf_function_name_once(function, NULL, name) == 0 ? make_global(name, function) : NULL;
  if (!made) return -1;
  jf_object_retain(function);
  int32_t outcome = put_or_swap(made, override_);
  if (outcome == PUT) return 0;
  free_global(made);
  if (outcome == TAKEN) jf_fail_name("global function %s is already registered; override replaces it", name);
  if (outcome == NO_MEMORY) jf_error_no_memory();
  return outcome == REPLACED ? 0 : -1;
}

/* New, or NULL without an error. Borrows name. */
jf_object* jf_global_get(const char* name) {
  jf_lock();
  jf_entry* known = jf_table_find(&globals, name);
  jf_object* function = known ? ((const global*)known->value)->function : NULL;
  jf_object_retain(function);
  jf_unlock();
  return function;
}

/* Borrows name. ValueError when it is unknown. */
int32_t jf_global_remove(const char* name) {
  jf_lock();
  jf_entry* known = jf_table_find(&globals, name);
  global* removed = known ? known->value : NULL;
  if (known) jf_table_erase(&globals, known);
  jf_unlock();
  if (!removed) {
    jf_global_fail_unknown(name);
    return -1;
  }
  free_global(removed);
  return 0;
}

/* Borrows name, retains metadata. TypeError for what is no map, ValueError for an unknown name. */
int32_t jf_global_set_metadata(const char* name, jf_object* metadata) {
  if (metadata && !jf_type_is_a(metadata->type_code, JF_MAP)) {
    jf_error_format("TypeError", "metadata is a map, not a %s", jf_type_key(metadata->type_code));
    return -1;
  }
  jf_object_retain(metadata);
  jf_lock();
  jf_entry* known = jf_table_find(&globals, name);
  jf_object* before = metadata;
  if (known) {
    global* present = known->value;
    before = present->metadata;
    present->metadata = metadata;
  }
  jf_unlock();
  jf_object_release(before);
  if (known) return 0;
  jf_global_fail_unknown(name);
  return -1;
}

/* New, or NULL without an error. Borrows name. */
jf_object* jf_global_metadata(const char* name) {
  jf_lock();
  jf_entry* known = jf_table_find(&globals, name);
  jf_object* metadata = known ? ((const global*)known->value)->metadata : NULL;
  jf_object_retain(metadata);
  jf_unlock();
  return metadata;
}

/* -- listing -- */

/* One block: the pointers, then the names. */
typedef struct {
  size_t count;
  char* names[];
} name_list;

static int compare_names(const void* left, const void* right) {
  return strcmp(*(char* const*)left, *(char* const*)right);
}

/* Copies of all names, unsorted; NULL without memory. */
static name_list* copy_names(void) {
  jf_lock();
  size_t size = sizeof(name_list) + globals.count * sizeof(char*);
  for (size_t i = 0; i < globals.capacity; i++) {
    if (globals.entries[i].key) size += strlen(globals.entries[i].key) + 1;
  }
  name_list* list = jf_alloc(size);
  if (list) {
    list->count = 0;
    char* text = (char*)(list->names + globals.count);
    for (size_t i = 0; i < globals.capacity; i++) {
      const char* key = globals.entries[i].key;
      if (!key) continue;
      size_t length = strlen(key) + 1;
      list->names[list->count++] = memcpy(text, key, length);
      text += length;
    }
  }
  jf_unlock();
  return list;
}

static name_list* sorted_names(void) {
  name_list* list = copy_names();
  if (list) qsort(list->names, list->count, sizeof(char*), compare_names);
  return list;
}

/* Borrows context; visit borrows the names. -1 with MemoryError, else what visit returned last, 0 if it was never
 * called. */
int32_t jf_global_list(int32_t (*visit)(const char*, void*), void* context) {
  name_list* list = sorted_names();
  if (!list) {
    jf_error_no_memory();
    return -1;
  }
  int32_t status = 0;
  for (size_t i = 0; i < list->count && status == 0; i++) status = visit(list->names[i], context);
  jf_free(list);
  return status;
}

/* -- the nearest name -- */

enum { LONGEST = 64 };

/* Characters to insert, remove or replace to make one of the other; longer names are too far. */
size_t jf_edit_distance(const char* left, const char* right) {
  const size_t rows = strlen(left), columns = strlen(right);
  size_t costs[LONGEST + 1]; /* of one row */
  if (rows > LONGEST || columns > LONGEST) return SIZE_MAX;
  for (size_t j = 0; j <= columns; j++) costs[j] = j;
  for (size_t i = 1; i <= rows; i++) {
    size_t diagonal = costs[0];
    costs[0] = i;
    for (size_t j = 1; j <= columns; j++) {
      size_t best = diagonal + (left[i - 1] != right[j - 1]);
      diagonal = costs[j];
      if (costs[j] + 1 < best) best = costs[j] + 1;
      if (costs[j - 1] + 1 < best) best = costs[j - 1] + 1;
      costs[j] = best;
    }
  }
  return costs[columns];
}

/* Borrows name. Sets the ValueError; without memory it has no suggestion. */
void jf_global_fail_unknown(const char* name) {
  name_list* list = sorted_names(); /* sorted: of two equally near names always the same one */
  char quoted[JF_QUOTE_SIZE], nearest_quoted[JF_QUOTE_SIZE];
  const char* nearest = NULL;
  size_t least = strlen(name) / 3 + 1; /* as many slips as one makes, not another name altogether */
  for (size_t i = 0; list && i < list->count; i++) {
    size_t distance = jf_edit_distance(name, list->names[i]);
    if (distance < least || (distance == least && !nearest)) {
      least = distance;
      nearest = list->names[i];
    }
  }
  jf_quote(name, quoted, sizeof quoted);
  if (nearest) {
    jf_error_format("ValueError", "unknown global function %s; did you mean %s?", quoted,
                    jf_quote(nearest, nearest_quoted, sizeof nearest_quoted));
  } else {
    jf_error_format("ValueError", "unknown global function %s", quoted);
  }
  jf_free(list);
}
