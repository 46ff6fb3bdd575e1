/* Patterns are made here: a type's text, read once and kept for ever.
 *
 *   type = one { "|" one }
 *   one  = name | "func" "[" signature "]" | ("optional" | "list" | "set" | "map" | "tuple") "[" type { "," type } [ "," "..." ] "]"
 *        | "jitffi.FrozenMap" "[" type "," type "]" | "tensor" [ "[" number "]" ]
 */
#include <string.h>

#include "function_types.h"
#include "jitffi/ndarray.h"
#include "jitffi/pattern.h"
#include "jitffi/runtime.h"
#include "jitffi/types.h"
#include "lock.h"
#include "message.h"
#include "object.h"
#include "table.h"

typedef struct {
  const char* name;
  int32_t kind;
  int32_t field; /* how it lies in objects */
  int64_t least;
  uint64_t most;
} plain_type;

static const plain_type plain_types[] = {
    {"any", JF_PATTERN_ANY, JF_FIELD_SLOT, 0, 0},
    {"object", JF_PATTERN_OBJECT, JF_FIELD_OBJECT, 0, 0},
    {"bool", JF_PATTERN_BOOL, JF_KIND_BOOL, 0, 1},
    {"i8", JF_PATTERN_INTEGER, JF_KIND_I8, INT8_MIN, INT8_MAX},
    {"i16", JF_PATTERN_INTEGER, JF_KIND_I16, INT16_MIN, INT16_MAX},
    {"i32", JF_PATTERN_INTEGER, JF_KIND_I32, INT32_MIN, INT32_MAX},
    {"i64", JF_PATTERN_INTEGER, JF_KIND_I64, INT64_MIN, INT64_MAX},
    {"u8", JF_PATTERN_INTEGER, JF_KIND_U8, 0, UINT8_MAX},
    {"u16", JF_PATTERN_INTEGER, JF_KIND_U16, 0, UINT16_MAX},
    {"u32", JF_PATTERN_INTEGER, JF_KIND_U32, 0, UINT32_MAX},
    {"u64", JF_PATTERN_INTEGER, JF_KIND_U64, 0, UINT64_MAX},
    {"f16", JF_PATTERN_FLOAT, JF_KIND_F16, 0, 0},
    {"bf16", JF_PATTERN_FLOAT, JF_KIND_BF16, 0, 0},
    {"f32", JF_PATTERN_FLOAT, JF_KIND_F32, 0, 0},
    {"f64", JF_PATTERN_FLOAT, JF_KIND_F64, 0, 0},
    {"ptr", JF_PATTERN_PTR, JF_FIELD_SLOT, 0, 0},
    {"str", JF_PATTERN_STR, JF_FIELD_SLOT, 0, 0},
    {"ucs4", JF_PATTERN_UCS4, JF_FIELD_SLOT, 0, 0},
    {"bytes", JF_PATTERN_BYTES, JF_FIELD_SLOT, 0, 0},
    {"dtype", JF_PATTERN_DTYPE, JF_KIND_DTYPE, 0, 0},
    {"device", JF_PATTERN_DEVICE, JF_KIND_DEVICE, 0, 0},
    {"func", JF_PATTERN_FUNC, JF_FIELD_OBJECT, 0, 0},
    {"module", JF_PATTERN_MODULE, JF_FIELD_OBJECT, 0, 0},
    {"null", JF_PATTERN_NULL, JF_FIELD_SLOT, 0, 0},
    {"list", JF_PATTERN_LIST, JF_FIELD_OBJECT, 0, 0},
    {"map", JF_PATTERN_MAP, JF_FIELD_OBJECT, 0, 0},
    {"set", JF_PATTERN_SET, JF_FIELD_OBJECT, 0, 0},
    {"tuple", JF_PATTERN_TUPLE, JF_FIELD_OBJECT, 0, 0},
};
enum { PLAIN_COUNT = sizeof plain_types / sizeof plain_types[0], MAX_DEPTH = 40 };

/* -- reading -- */

typedef struct {
  const char* at;
  jf_pattern* free; /* the next node */
  char* names;      /* where the next key goes */
  int32_t depth;
} reader;

static void skip_spaces(reader* r) {
  while (*r->at == ' ') r->at++;
}

/* Whether `token` is next; goes past it. */
static int32_t accept(reader* r, const char* token) {
  skip_spaces(r);
  size_t size = strlen(token);
  if (strncmp(r->at, token, size) != 0) return 0;
  r->at += size;
  return 1;
}

static const plain_type* find_plain(const char* name, size_t size) {
  for (size_t i = 0; i < PLAIN_COUNT; i++) {
    if (strlen(plain_types[i].name) == size && memcmp(plain_types[i].name, name, size) == 0) return &plain_types[i];
  }
  return NULL;
}

int32_t jf_field_kind_of(const char* type) {
  const plain_type* plain = find_plain(type, strlen(type));
  return plain ? plain->field : JF_FIELD_OBJECT;
}

static jf_pattern* read_type(reader* r);

/* What is within a container's brackets, the first of which has been read. 0, or -1 for what is no type. */
static int32_t read_inner(reader* r, jf_pattern* into) {
  jf_pattern* last = NULL;
  do {
    if (into->count == 1 && into->kind == JF_PATTERN_TUPLE && accept(r, "...")) {
      into->any_length = 1;
      break;
    }
    jf_pattern* inner = read_type(r);
    if (!inner) return -1;
    if (last) {
      last->next = inner;
    } else {
      into->inner = inner;
    }
    last = inner;
    into->count++;
  } while (accept(r, ","));
  const int32_t is_single = into->kind == JF_PATTERN_LIST || into->kind == JF_PATTERN_SET;
  const size_t wanted = into->kind == JF_PATTERN_TUPLE ? into->count : is_single ? 1 : 2;
  return into->count == wanted && accept(r, "]") ? 0 : -1;
}

/* The signature of func[...], whose name has been read up to the bracket; `made->name` becomes all of it. 0, or -1 for what is
 * no type, and without memory. */
static int32_t read_signature(reader* r, jf_pattern* made) {
  const char* end = jf_function_end(r->at);
  if (*end != ']' || r->at[1] != '(') return -1;
  const size_t size = (size_t)(end + 1 - r->at), head = sizeof "func" - 1;
  char* name = memcpy(r->names, r->at - head, head + size);
  name[head + size - 1] = 0; /* in place of the bracket, for now */
  made->types = jf_function_types(name + head + 1);
  name[head + size - 1] = ']';
  name[head + size] = 0;
  made->name = name;
  r->names += head + size + 1;
  r->at = end + 1;
  return made->types ? 0 : -1;
}

/* Of a tensor, whose bracket has been read. 0, or -1 for what are no numbers. */
static int32_t read_elements(reader* r, jf_pattern* into) {
  static const jf_dtype elements[] = {
      /* by JF_KIND_* */
      {JF_DL_BOOL, 8, 1},    {JF_DL_INT, 8, 1},    {JF_DL_INT, 16, 1},  {JF_DL_INT, 32, 1},  {JF_DL_INT, 64, 1},
      {JF_DL_UINT, 8, 1},    {JF_DL_UINT, 16, 1},  {JF_DL_UINT, 32, 1}, {JF_DL_UINT, 64, 1}, {JF_DL_FLOAT, 16, 1},
      {JF_DL_BFLOAT, 16, 1}, {JF_DL_FLOAT, 32, 1}, {JF_DL_FLOAT, 64, 1}};
  const size_t size = strcspn(r->at, "]");
  const plain_type* plain = find_plain(r->at, size);
  if (!plain || plain->field > JF_KIND_F64 || !r->at[size]) return -1;
  memcpy(&into->most, &elements[plain->field], sizeof *elements);
  r->at += size + 1;
  return 0;
}

/* The key of an object type: it has a dot, or is registered. What is kept of a tensor is an nd-array. */
static jf_pattern* read_key(reader* r) {
  static const char ends[] = " ,[]|", tensor[] = "tensor";
  const size_t size = strcspn(r->at, ends);
  char* name = memcpy(r->names, r->at, size);
  name[size] = 0;
  const int is_tensor = strcmp(name, tensor) == 0;
  const int32_t first = (unsigned char)*name | 32;
  if (!((first >= 'a' && first <= 'z') || *name == '_' || first >= 0x80) || name[size - 1] == '.' ||
      (r->at[size] == '[' && !is_tensor && strcmp(name, "jitffi.FrozenMap") != 0) ||
      (!memchr(name, '.', size) && !is_tensor && jf_type_code(name) <= 0))
    return NULL;
  r->at += size;
  r->names += size + 1;
  jf_pattern* made = r->free++;
  made->name = is_tensor ? jf_type_key(JF_NDARRAY) : name;
  made->kind = JF_PATTERN_TYPE;
  if (!accept(r, "[")) return made;
  return (is_tensor ? read_elements(r, made) : read_inner(r, made)) == 0 ? made : NULL;
}

static jf_pattern* read_named(reader* r) {
  skip_spaces(r);
  const size_t size = strspn(r->at, "abcdefghijklmnopqrstuvwxyz0123456789");
  const plain_type* plain = strchr(" ,[]|", r->at[size]) ? find_plain(r->at, size) : NULL;
  if (!plain) return read_key(r);
  r->at += size;
  jf_pattern* made = r->free++;
  made->name = plain->name;
  made->kind = plain->kind;
  made->scalar = plain->field;
  made->least = plain->least;
  made->most = plain->most;
  if (plain->kind == JF_PATTERN_FUNC && *r->at == '[' && read_signature(r, made) != 0) return NULL;
  if (plain->kind >= JF_PATTERN_LIST && accept(r, "[") && read_inner(r, made) != 0) return NULL;
  return made;
}

static jf_pattern* read_one(reader* r) {
  const int32_t optional = accept(r, "optional[");
  jf_pattern* made = optional ? read_type(r) : read_named(r);
  if (made && optional) {
    made->optional = 1;
    if (!accept(r, "]")) made = NULL;
  }
  return made;
}

/* The union that begins with `first`, behind whose end there is a "|". */
static jf_pattern* read_union(reader* r, jf_pattern* first) {
  jf_pattern *made = r->free++, *last = first;
  made->name = "union";
  made->kind = JF_PATTERN_UNION;
  made->inner = first;
  made->count = 1;
  made->optional = first->optional || first->kind == JF_PATTERN_NULL;
  do {
    jf_pattern* next = read_one(r);
    if (!next) return NULL;
    made->optional |= next->optional || next->kind == JF_PATTERN_NULL;
    last->next = next;
    last = next;
    made->count++;
  } while (accept(r, "|"));
  return made;
}

/* NULL for what is no type. */
static jf_pattern* read_type(reader* r) {
  if (r->depth == MAX_DEPTH) return NULL;
  r->depth++;
  jf_pattern* made = read_one(r);
  if (made && accept(r, "|")) made = read_union(r, made);
  r->depth--;
  return made;
}

/* -- keeping -- */

static jf_table known; /* under the lock */

static const jf_pattern* find(const char* type) {
  jf_lock();
  jf_entry* entry = jf_table_find(&known, type);
  const jf_pattern* found = entry ? entry->value : NULL;
  jf_unlock();
  return found;
}

/* The pattern that everybody has from now on: this one or, of two threads, the first one's. NULL without memory. */
static const jf_pattern* publish(const char* type, jf_pattern* fresh) {
  jf_lock();
  jf_entry* entry = jf_table_find(&known, type);
  const jf_pattern* found = entry ? entry->value : NULL;
  if (!found && jf_table_put(&known, type, fresh) == 0) found = fresh;
  jf_unlock();
  return found;
}

/* Borrows type. NULL with ValueError or MemoryError set. */
const jf_pattern* jf_pattern_of(const char* type) {
  const jf_pattern* found = find(type);
  if (found) return found;
  size_t nodes = 2;
  for (const char* c = type; *c; c++) nodes += *c == '[' || *c == ',' ? 1 : *c == '|' ? 2 : 0;
  const size_t size = strlen(type) + 1;
  jf_pattern* fresh = jf_alloc(nodes * sizeof *fresh + 2 * size + nodes);
  if (!fresh) {
    jf_error_no_memory();
    return NULL;
  }
  memset(fresh, 0, nodes * sizeof *fresh);
  char* text = memcpy(fresh + nodes, type, size);
  reader r = {text, fresh + 1, text + size, 0};
  jf_pattern* root = read_type(&r);
  if (!root || *r.at) {
    jf_free(fresh);
    jf_fail_name("%s is no type that values can be checked for", type);
    return NULL;
  }
  *fresh = *root; /* the first node, by which it is known and freed */
  found = publish(text, fresh);
  if (found != fresh) jf_free(fresh);
  if (!found) jf_error_no_memory();
  return found;
}

/* Borrows info. NULL with the error set. */
const jf_pattern* jf_pattern_at(const jf_call_info* info, int32_t index) {
  const jf_pattern* kept = NULL;
  if (info && index < 0) kept = info->result_pattern;
  if (info && info->params && index >= 0 && index < info->num_params) kept = info->params[index].pattern;
  return kept ? kept : jf_pattern_of(jf_expected_type(info, index, "any"));
}
