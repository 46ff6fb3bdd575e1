/* What containers ask of objects of defined types, answered by their fields: equality, order, hash, text, children.
 *
 * Fields that are objects are held while they are asked: that can run code of others, which may change the fields.
 */
#include <string.h>

#include "jitffi/types.h"
#include "message.h"
#include "object.h"
#include "slot.h"
#include "value.h"

static const jf_type_info* type_of(const jf_object* object) { return jf_type_info_of(object->type_code); }

/* The object of a resolved slot, and its type; NULL where it has no definition. */
static const jf_type_info* defined(const jf_any* slot, jf_object** object) {
  *object = jf_any_object(slot);
  return *object ? type_of(*object) : NULL;
}

/* A value of a field for as long as it is needed. */
typedef struct {
  jf_view view;
  jf_object* object;
} held;

static held hold(const jf_object* object, const jf_field* field) {
  held found;
  jf_field_view(object, field, &found.view);
  found.object = jf_any_object(&found.view);
  jf_object_retain(found.object);
  return found;
}

static void let_go(const held* found) { jf_object_release(found->object); }

static int32_t field_equal(const jf_object* a, const jf_object* b, const jf_field* field) {
  held x = hold(a, field), y = hold(b, field);
  const int32_t same = x.object && x.object == y.object ? 1 : jf_any_equal(&x.view, &y.view);
  let_go(&x);
  let_go(&y);
  return same;
}

/* Objects of one type, by fields. */
static int32_t fields_equal(const jf_type_info* type, const jf_object* a, const jf_object* b) {
  for (int32_t i = 0; i < type->num_fields; i++) {
    if (type->fields[i].flags & JF_FIELD_NO_COMPARE) continue;
    const int32_t same = field_equal(a, b, &type->fields[i]);
    if (same != 1) return same;
  }
  return 1;
}

static int32_t equal(const jf_any* a, const jf_any* b) {
  jf_object *x, *y;
  const jf_type_info* type = defined(a, &x);
  (void)defined(b, &y);
  if (x && x == y) return 1;
  if (!x || !y || !type || x->type_code != y->type_code || (type->flags & JF_TYPE_COMPARES) == 0) return 0;
  if (jf_value_enter("in comparison") != 0) return -1;
  const int32_t same = fields_equal(type, x, y);
  jf_value_leave();
  return same;
}

static int32_t fields_compare(const jf_type_info* type, const jf_object* a, const jf_object* b, int32_t operation,
                              int32_t* result) {
  for (int32_t i = 0; i < type->num_fields; i++) {
    const jf_field* field = &type->fields[i];
    if (field->flags & JF_FIELD_NO_COMPARE) continue;
    const int32_t same = field_equal(a, b, field);
    if (same < 0) return -1;
    if (same) continue;
    held x = hold(a, field), y = hold(b, field);
    const int32_t status = jf_any_compare(&x.view, &y.view, operation, result);
    let_go(&x);
    let_go(&y);
    return status;
  }
  *result = operation == JF_LE || operation == JF_GE || operation == JF_EQ;
  return 0;
}

static int32_t compare(const jf_any* a, const jf_any* b, int32_t operation, int32_t* result) {
  jf_object *x, *y;
  const jf_type_info* type = defined(a, &x);
  (void)defined(b, &y);
  if (operation == JF_EQ || operation == JF_NE) {
    const int32_t same = equal(a, b);
    if (same < 0) return -1;
    *result = same == (operation == JF_EQ);
    return 0;
  }
  static const char* const symbols[] = {[JF_LT] = "<", [JF_LE] = "<=", [JF_GT] = ">", [JF_GE] = ">="};
  if (!x || !y || !type || x->type_code != y->type_code || (type->flags & JF_TYPE_ORDERED) == 0) {
    jf_error_format("TypeError", "'%s' not supported between instances of '%s' and '%s'", symbols[operation],
                    jf_value_type_name(a), jf_value_type_name(b));
    return -1;
  }
  if (jf_value_enter("in comparison") != 0) return -1;
  const int32_t status = fields_compare(type, x, y, operation, result);
  jf_value_leave();
  return status;
}

static int32_t fields_hash(const jf_type_info* type, const jf_object* object, uint64_t* hash) {
  uint64_t sum = UINT64_C(0x5D1F0A7B) + (uint64_t)type->code;
  for (int32_t i = 0; i < type->num_fields; i++) {
    if (type->fields[i].flags & (JF_FIELD_NO_COMPARE | JF_FIELD_NO_HASH)) continue;
    held x = hold(object, &type->fields[i]);
    uint64_t of_field = 0;
    const int32_t status = jf_any_hash(&x.view, &of_field);
    let_go(&x);
    if (status != 0) return -1;
    sum = (sum ^ of_field) * UINT64_C(0x9E3779B97F4A7C15);
    sum ^= sum >> 29;
  }
  *hash = sum;
  return 0;
}

static int32_t hash_of(jf_object* object, uint64_t* hash) {
  const jf_type_info* type = type_of(object);
  if (!type || (type->flags & JF_TYPE_COMPARES) == 0) {
    *hash = (uint64_t)((uintptr_t)object >> 4);
    return 0;
  }
  if ((type->flags & JF_TYPE_HASHES) == 0) {
    jf_error_format("TypeError", "unhashable type: '%s'", type->key);
    return -1;
  }
  if (jf_value_enter("while hashing") != 0) return -1;
  const int32_t status = fields_hash(type, object, hash);
  jf_value_leave();
  return status;
}

/* -- text -- */

typedef struct {
  char* data;
  size_t size, capacity;
} text;

static int32_t put(text* t, const char* piece, size_t size) {
  if (size > t->capacity - t->size) {
    const size_t capacity = 2 * t->capacity + size + 64;
    char* data = jf_alloc(capacity);
    if (!data) {
      jf_error_no_memory();
      return -1;
    }
    if (t->size) memcpy(data, t->data, t->size);
    jf_free(t->data);
    t->data = data;
    t->capacity = capacity;
  }
  memcpy(t->data + t->size, piece, size);
  t->size += size;
  return 0;
}

static int32_t put_field(text* t, const jf_object* object, const jf_field* field, int32_t is_first) {
  if ((!is_first && put(t, ", ", 2) != 0) || put(t, field->name, strlen(field->name)) != 0 || put(t, "=", 1) != 0)
    return -1;
  held x = hold(object, field);
  jf_value shown = {JF_NULL, 0, {0}};
  int32_t status = jf_any_repr(&x.view, &shown);
  let_go(&x);
  if (status != 0) return -1;
  const jf_encoded piece = jf_any_text(&shown);
  status = put(t, piece.data, piece.size);
  jf_any_release(&shown);
  return status;
}

/* The objects that are being written on this thread, innermost first. */
typedef struct writing {
  const struct writing* outer;
  const jf_object* object;
} writing;
static __thread const writing* now;

static int32_t is_being_written(const jf_object* object) {
  for (const writing* at = now; at; at = at->outer) {
    if (at->object == object) return 1;
  }
  return 0;
}

static int32_t put_fields(text* t, const jf_type_info* type, const jf_object* object) {
  int32_t is_first = 1;
  if (is_being_written(object)) return put(t, "...", 3);
  if (jf_value_enter("while getting the repr of an object") != 0) return -1;
  const writing here = {now, object};
  int32_t status = 0;
  now = &here;
  for (int32_t i = 0; i < type->num_fields && status == 0; i++) {
    if (type->fields[i].flags & JF_FIELD_NO_REPR) continue;
    status = put_field(t, object, &type->fields[i], is_first);
    is_first = 0;
  }
  now = here.outer;
  jf_value_leave();
  return status;
}

/* "Point(x=1.0, names=['a'])": the last part of the key, and the fields. */
static int32_t repr(jf_object* object, jf_value* out) {
  const jf_type_info* type = type_of(object);
  text t = {NULL, 0, 0};
  const char* key = type ? type->key : jf_type_key(object->type_code);
  const char* dot = strrchr(key, '.');
  const char* name = dot && dot[1] ? dot + 1 : key;
  int32_t status = put(&t, name, strlen(name));
  if (status == 0) status = put(&t, "(", 1);
  if (status == 0 && type) status = put_fields(&t, type, object);
  if (status == 0) status = put(&t, ")", 1);
  if (status == 0) status = jf_out_str(out, t.data, t.size);
  jf_free(t.data);
  return status;
}

/* -- children -- */

static int32_t traverse(jf_object* object, int32_t (*visit)(jf_object* child, void* context), void* context) {
  const jf_type_info* type = type_of(object);
  int32_t stop = 0;
  for (int32_t i = 0; type && i < type->num_fields && !stop; i++) {
    if (type->fields[i].kind < JF_FIELD_SLOT) continue;
    jf_view view;
    jf_field_view(object, &type->fields[i], &view);
    jf_object* child = jf_any_object(&view);
    if (child) stop = visit(child, context);
  }
  return stop;
}

static void clear(jf_object* object) {
  const jf_type_info* type = type_of(object);
  if (type) jf_fields_release(object, type);
}

const jf_type_operations jf_field_operations = {
    .equal = equal, .hash = hash_of, .compare = compare, .repr = repr, .traverse = traverse, .clear = clear};
