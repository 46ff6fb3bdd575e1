/* The type table: names and parents of static codes, and codes given out at run time by type key.
 *
 * Run-time types live in blocks that never move, each entry written before its pointer is published, so that readers
 * need no lock. A type lists its ancestors from the root down to itself: "is a" is one look at the ancestor's own
 * depth.
 */
#include <string.h>

#include "jitffi/runtime.h"
#include "jitffi/types.h"
#include "lock.h"
#include "message.h"
#include "object.h"
#include "table.h"

typedef struct {
  const char* key;
  jf_type_extra extra;
  int32_t code;
  int32_t depth; /* of the root: 0 */
  int32_t ancestors[];
} type_entry;

enum { BLOCK_SIZE = 64, MAX_BLOCKS = 1024, MAX_DYNAMIC = BLOCK_SIZE * MAX_BLOCKS };

static type_entry** blocks[MAX_BLOCKS]; /* read without the lock */
static int32_t dynamic_count;           /* under the lock */
static jf_table by_key;                 /* key -> type_entry*, under the lock */

/* Where a name stands twice the first one is what jf_type_code finds. */
#define STATIC_TYPES(X)              \
  X(JF_MODULE, "module")             \
  X(JF_FUNCTION, "function")         \
  X(JF_NDARRAY, "ndarray")           \
  X(JF_BOXED_INT, "boxed int")       \
  X(JF_BOXED_FLOAT, "boxed float")   \
  X(JF_BOXED_BOOL, "boxed bool")     \
  X(JF_BOXED_HANDLE, "boxed handle") \
  X(JF_BOXED_DTYPE, "boxed dtype")   \
  X(JF_BOXED_DEVICE, "boxed device") \
  X(JF_BOXED_UINT, "boxed uint")     \
  X(JF_ROOT, "object")               \
  X(JF_STR, "str")                   \
  X(JF_UCS4, "ucs4")                 \
  X(JF_BYTES, "bytes")               \
  X(JF_LIST, "list")                 \
  X(JF_MAP, "map")                   \
  X(JF_TUPLE, "tuple")               \
  X(JF_ERROR, "error")               \
  X(JF_SHAPE, "shape")               \
  X(JF_HOST_OBJECT, "host object")   \
  X(JF_SET, "set")                   \
  X(JF_NULL, "null")                 \
  X(JF_INT, "int")                   \
  X(JF_FLOAT, "float")               \
  X(JF_BOOL, "bool")                 \
  X(JF_HANDLE, "handle")             \
  X(JF_DTYPE, "dtype")               \
  X(JF_DEVICE, "device")             \
  X(JF_DLTENSOR, "DLTensor")         \
  X(JF_RAW_STR, "str")               \
  X(JF_BYTE_ARRAY, "bytes")          \
  X(JF_OBJECT, "object")             \
  X(JF_RVALUE, "r-value reference")  \
  X(JF_SMALL_STR, "str")             \
  X(JF_SMALL_UCS4, "ucs4")           \
  X(JF_SMALL_BYTES, "bytes")         \
  X(JF_ANY_PTR, "any pointer")       \
  X(JF_STR_VIEW, "str")              \
  X(JF_UINT, "uint")                 \
  X(JF_UCS4_VIEW, "ucs4")
#define CODE(code, key) code,
#define KEY(code, key) key,
static const int8_t static_codes[] = {STATIC_TYPES(CODE)};
static const char* const static_keys[] = {STATIC_TYPES(KEY)};
enum { STATIC_COUNT = sizeof static_codes };

static const char* static_key(int32_t code) {
  for (size_t i = 0; i < STATIC_COUNT; i++) {
    if (static_codes[i] == code) return static_keys[i];
  }
  return NULL;
}

static int32_t static_code(const char* key) {
  for (size_t i = 0; i < STATIC_COUNT; i++) {
    if (strcmp(static_keys[i], key) == 0) return static_codes[i];
  }
  return 0;
}

static type_entry* dynamic_type(int32_t code) {
  int64_t index = (int64_t)code - JF_FIRST_DYNAMIC;
  if (index < 0 || index >= MAX_DYNAMIC) return NULL;
  type_entry** block = __atomic_load_n(&blocks[index / BLOCK_SIZE], __ATOMIC_ACQUIRE);
  return block ? __atomic_load_n(&block[index % BLOCK_SIZE], __ATOMIC_ACQUIRE) : NULL;
}

/* A box has no subtypes: every reader opens it by its exact code. Nor has a set, whose code says how its entries lie. */
static int32_t may_be_parent(int32_t code) {
  if (code >= JF_FIRST_DYNAMIC) return dynamic_type(code) != NULL;
  return code > 0 && (code < JF_S2_FIRST || code > JF_S2_LAST) && code != JF_SET && static_key(code) != NULL;
}

/* A new entry, linked nowhere; NULL without memory. */
static type_entry* make_entry(const char* key, int32_t parent) {
  const type_entry* above = dynamic_type(parent);
  int32_t depth = above ? above->depth + 1 : parent == JF_ROOT ? 1 : 2;
  size_t ancestors_size = (size_t)(depth + 1) * sizeof(int32_t);
  size_t key_size = strlen(key) + 1;
  type_entry* entry = jf_alloc(sizeof *entry + ancestors_size + key_size);
  if (!entry) return NULL;
  entry->extra = (jf_type_extra){NULL};
  entry->depth = depth;
  entry->ancestors[0] = JF_ROOT;
  if (above) memcpy(entry->ancestors, above->ancestors, ancestors_size - sizeof(int32_t));
  if (!above && depth == 2) entry->ancestors[1] = parent;
  entry->key = memcpy((char*)entry + sizeof *entry + ancestors_size, key, key_size);
  return entry;
}

/* Under the lock. Gives the entry its code and makes it known. -1 without memory, and nothing is changed. */
static int32_t publish(type_entry* entry) {
  type_entry** block = blocks[dynamic_count / BLOCK_SIZE];
  if (!block) {
    block = jf_alloc(BLOCK_SIZE * sizeof *block);
    if (!block) return -1;
    memset(block, 0, BLOCK_SIZE * sizeof *block);
    __atomic_store_n(&blocks[dynamic_count / BLOCK_SIZE], block, __ATOMIC_RELEASE);
  }
  if (jf_table_put(&by_key, entry->key, entry) != 0) return -1;
  entry->code = entry->ancestors[entry->depth] = JF_FIRST_DYNAMIC + dynamic_count;
  __atomic_store_n(&block[dynamic_count % BLOCK_SIZE], entry, __ATOMIC_RELEASE);
  dynamic_count++;
  return 0;
}

enum { MADE, FOUND, OTHER_PARENT, TABLE_FULL, NO_MEMORY };

/* Finds the key's entry or makes `fresh` the one; in the first case the caller frees fresh. */
static int32_t find_or_publish(type_entry** fresh, int32_t* code) {
  int32_t parent = (*fresh)->ancestors[(*fresh)->depth - 1];
  jf_lock();
  jf_entry* known = jf_table_find(&by_key, (*fresh)->key);
  int32_t outcome = MADE;
  if (known) {
    const type_entry* entry = known->value;
    *code = entry->code;
    outcome = entry->ancestors[entry->depth - 1] == parent ? FOUND : OTHER_PARENT;
  } else if (dynamic_count == MAX_DYNAMIC) {
    outcome = TABLE_FULL;
  } else if (publish(*fresh) != 0) {
    outcome = NO_MEMORY;
  } else {
    *code = (*fresh)->code;
    *fresh = NULL;
  }
  jf_unlock();
  return outcome;
}

/* Borrows key. Types live for ever. 0 with ValueError or MemoryError set. */
int32_t jf_type_register(const char* key, int32_t parent) {
  char quoted[JF_QUOTE_SIZE];
  if (!key || !*key) {
    jf_error_set("ValueError", "a type key cannot be empty");
    return 0;
  }
  int32_t builtin = static_code(key);
  if (builtin) {
    if (builtin > 0 && builtin != JF_ROOT && parent == JF_ROOT) return builtin;
    jf_error_format("ValueError", "type key %s belongs to a built-in type", jf_quote(key, quoted, sizeof quoted));
    return 0;
  }
  if (!may_be_parent(parent)) {
    jf_error_format("ValueError", "type %s: type code %d cannot be a parent", jf_quote(key, quoted, sizeof quoted),
                    parent);
    return 0;
  }
  type_entry* entry = make_entry(key, parent);
  int32_t code = 0;
  int32_t outcome = entry ? find_or_publish(&entry, &code) : NO_MEMORY;
  jf_free(entry);
  switch (outcome) {
    case OTHER_PARENT:
      jf_error_format("ValueError", "type %s is already registered below another parent, %s",
                      jf_quote(key, quoted, sizeof quoted),
                      jf_type_key(dynamic_type(code)->ancestors[dynamic_type(code)->depth - 1]));
      return 0;
    case TABLE_FULL:
      jf_error_format("OverflowError", "more than %d registered types", (int)MAX_DYNAMIC);
      return 0;
    case NO_MEMORY:
      jf_error_no_memory();
      return 0;
    default:
      return code;
  }
}

/* Borrows key. Never fails. */
int32_t jf_type_code(const char* key) {
  int32_t code = static_code(key);
  if (code) return code;
  jf_lock();
  jf_entry* known = jf_table_find(&by_key, key);
  if (known) code = ((const type_entry*)known->value)->code;
  jf_unlock();
  return code;
}

/* Borrows key. 0, or -1 with ValueError or MemoryError set. */
int32_t jf_type_alias(const char* key, int32_t code) {
  char quoted[JF_QUOTE_SIZE];
  type_entry* entry = dynamic_type(code);
  if (!key || !*key || !entry || static_code(key)) {
    jf_error_format("ValueError", "type key %s cannot be another name of type code %d",
                    jf_quote(key ? key : "", quoted, sizeof quoted), code);
    return -1;
  }
  const size_t size = strlen(key) + 1;
  char* copy = jf_alloc(size); /* for ever, as the type */
  if (!copy) return jf_error_no_memory(), -1;
  memcpy(copy, key, size);
  jf_lock();
  const jf_entry* known = jf_table_find(&by_key, key);
  const int32_t is_same = known && known->value == entry, is_other = known && !is_same;
  const int32_t status = known ? 0 : jf_table_put(&by_key, copy, entry);
  jf_unlock();
  if (known || status != 0) jf_free(copy);
  if (is_other) jf_error_format("ValueError", "type key %s names another type", jf_quote(key, quoted, sizeof quoted));
  if (status != 0) jf_error_no_memory();
  return is_other || status != 0 ? -1 : 0;
}

/* Borrowed, for ever. Never fails. */
const char* jf_type_key(int32_t type_code) {
  const type_entry* entry = dynamic_type(type_code);
  const char* key = entry ? entry->key : static_key(type_code);
  return key ? key : "?";
}

jf_type_extra* jf_type_extra_of(int32_t code) {
  type_entry* entry = dynamic_type(code);
  return entry ? &entry->extra : NULL;
}

/* 0: none. Never fails. */
int32_t jf_type_parent(int32_t code) {
  const type_entry* entry = dynamic_type(code);
  return entry ? entry->ancestors[entry->depth - 1] : code > 0 && code != JF_ROOT ? JF_ROOT : 0;
}

/* Never fails; an unknown code is only its own descendant. */
int32_t jf_type_is_a(int32_t type_code, int32_t ancestor) {
  if (type_code == ancestor) return 1;
  if (type_code <= 0 || ancestor <= 0) return 0;
  const type_entry* entry = dynamic_type(type_code);
  if (!entry) return ancestor == JF_ROOT && static_key(type_code) != NULL;
  if (ancestor < JF_FIRST_DYNAMIC) return ancestor == JF_ROOT || entry->ancestors[1] == ancestor;
  const type_entry* above = dynamic_type(ancestor);
  return above && above->depth <= entry->depth && entry->ancestors[above->depth] == ancestor;
}

/* Borrows context. What visit returned that was not 0, else 0. */
int32_t jf_type_list(int32_t (*visit)(int32_t code, void* context), void* context) {
  int32_t stop = 0;
  for (size_t i = 0; i < STATIC_COUNT && !stop; i++) {
    if (static_codes[i] > 0) stop = visit(static_codes[i], context);
  }
  for (int32_t code = JF_FIRST_DYNAMIC; !stop && dynamic_type(code); code++) stop = visit(code, context);
  return stop;
}
