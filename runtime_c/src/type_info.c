/* Definitions of types: their fields and methods, kept for as long as the process.
 *
 * A definition is one block, published once: fields of all ancestors and its own, the texts, and what messages say of each.
 */
#include <string.h>

#include "jitffi/types.h"
#include "lock.h"
#include "message.h"
#include "object.h"

/* -- sizes and checks -- */

/* Bytes; 0: no field is of that kind. */
static int32_t size_of_kind(int32_t kind) {
  switch (kind) {
    case JF_KIND_BOOL:
    case JF_KIND_I8:
    case JF_KIND_U8:
      return 1;
    case JF_KIND_I16:
    case JF_KIND_U16:
    case JF_KIND_F16:
    case JF_KIND_BF16:
      return 2;
    case JF_KIND_I32:
    case JF_KIND_U32:
    case JF_KIND_F32:
    case JF_KIND_DTYPE:
      return 4;
    case JF_KIND_I64:
    case JF_KIND_U64:
    case JF_KIND_F64:
    case JF_KIND_DEVICE:
    case JF_FIELD_OBJECT:
      return 8;
    case JF_FIELD_SLOT:
      return (int32_t)sizeof(jf_value);
    default:
      return 0;
  }
}

static JF_COLD int32_t fail(const jf_type_info* type, const char* field, const char* what) {
  char quoted[JF_QUOTE_SIZE];
  jf_error_format("ValueError", "type %s%s%s: %s", jf_quote(type->key ? type->key : "", quoted, sizeof quoted),
                  field ? ", field " : "", field ? field : "", what);
  return -1;
}

/* Numbers may lie in one place, as those of a union. */
static int32_t overlaps(const jf_field* a, const jf_field* b) {
  return (a->kind >= JF_FIELD_SLOT || b->kind >= JF_FIELD_SLOT) && a->offset < b->offset + size_of_kind(b->kind) &&
         b->offset < a->offset + size_of_kind(a->kind);
}

static int32_t check_field(const jf_type_info* type, const jf_field* f, int32_t start) {
  if (!f->name || !*f->name || !f->type) return fail(type, NULL, "a field has no name or no type");
  const int32_t size = size_of_kind(f->kind);
  if (!size) return fail(type, f->name, "no field is of that kind");
  const int32_t usual = jf_field_kind_of(f->type);
  if (usual == JF_FIELD_OBJECT ? f->kind < JF_FIELD_SLOT : f->kind != usual)
    return fail(type, f->name, "its kind is not that of its type");
  const int32_t alignment = size < 8 ? size : 8;
  if (f->offset < start || f->offset % alignment || f->offset > (type->size ? type->size : INT32_MAX) - size)
    return fail(type, f->name, "its offset is outside the object's own part, or not aligned");
  const jf_field links = {.offset = type->links, .kind = JF_FIELD_SLOT};
  return type->links && overlaps(f, &links) ? fail(type, f->name, "it lies where the links do") : 0;
}

/* Where the fields of what has this parent may begin: C++ puts them into the padding at the end of a base class. */
static int32_t end_of_fields(const jf_type_info* above) {
  int32_t end = (int32_t)sizeof(jf_object);
  if (above && above->links) end = above->links + (int32_t)sizeof(jf_links);
  for (int32_t i = 0; above && i < above->num_fields; i++) {
    const int32_t behind = above->fields[i].offset + above->fields[i].size;
    if (behind > end) end = behind;
  }
  return end;
}

static int32_t check(const jf_type_info* type, const jf_type_info* above) {
  const int32_t start = end_of_fields(above);
  if (type->num_fields < 0 || (type->num_fields && !type->fields)) return fail(type, NULL, "its fields are missing");
  if (type->size && type->size < (above ? above->size : start))
    return fail(type, NULL, "it is smaller than its parent");
  const int32_t links = type->links, has_own = links && !(above && links == above->links);
  if (has_own &&
      (links < start || links % 8 || links > (type->size ? type->size : INT32_MAX) - (int32_t)sizeof(jf_links)))
    return fail(type, NULL, "its links are outside its own part, or not aligned");
  if (above && !above->size && type->size) return fail(type, NULL, "its parent's size is not known");
  for (int32_t i = 0; i < type->num_fields; i++) {
    const jf_field* f = &type->fields[i];
    if (check_field(type, f, start) != 0) return -1;
    if (above && jf_type_field(above, f->name)) return fail(type, f->name, "an ancestor has a field of that name");
    for (int32_t k = 0; k < i; k++) {
      if (strcmp(type->fields[k].name, f->name) == 0) return fail(type, f->name, "there are two of that name");
      if (overlaps(&type->fields[k], f)) return fail(type, f->name, "it lies where another one does");
    }
  }
  return 0;
}

/* -- one block -- */

static char* copy_text(char** at, const char* text) {
  if (!text) return NULL;
  const size_t size = strlen(text) + 1;
  char* copy = memcpy(*at, text, size);
  *at += size;
  return copy;
}

static size_t text_size(const char* text) { return text ? strlen(text) + 1 : 0; }

static size_t texts_size(const jf_type_info* type, int32_t inherited_names) {
  size_t size = text_size(type->key) + text_size(type->doc) + (size_t)inherited_names;
  for (int32_t i = 0; i < type->num_fields; i++) {
    const jf_field* f = &type->fields[i];
    size += 2 * text_size(f->name) + text_size(f->type) + text_size(f->doc) + text_size(type->key);
  }
  return size;
}

/* -1 with the error that setting the field would have. What names types that are not there yet is seen then. */
static int32_t check_default(const jf_field* f, const jf_call_info* error) {
  uint64_t word;
  if ((f->flags & JF_FIELD_HAS_DEFAULT) == 0 || (f->flags & JF_FIELD_OF_TYPE)) return 0;
  if (f->kind < JF_FIELD_SLOT) return jf_lift_scalar(error, JF_FIELD_INDEX, &f->default_value, f->kind, &word);
  const jf_pattern* pattern = jf_pattern_of(f->type);
  if (pattern) return jf_pattern_check(pattern, error, JF_FIELD_INDEX, &f->default_value);
  jf_object_release(jf_error_take());
  return 0;
}

static int32_t copy_default(jf_field* f, const jf_value* given, const jf_call_info* error) {
  f->default_value = (jf_value){JF_NULL, 0, {0}};
  if ((f->flags & (JF_FIELD_HAS_DEFAULT | JF_FIELD_HAS_FACTORY)) == 0) return 0;
  if (jf_any_retain(given, &f->default_value) != 0) return -1;
  if (check_default(f, error) == 0) return 0;
  jf_any_release(&f->default_value);
  return -1;
}

static void write_error(jf_call_info* error, char** at, const char* key, const jf_field* f) {
  const size_t key_size = strlen(key), name_size = strlen(f->name);
  char* name = *at;
  memcpy(name, key, key_size);
  name[key_size] = '.';
  memcpy(name + key_size + 1, f->name, name_size + 1);
  *at += key_size + name_size + 2;
  *error = (jf_call_info){.name = name, .result = f->type};
}

/* New; NULL with the error set. */
static jf_type_info* make_info(const jf_type_info* given, const jf_type_info* above) {
  const int32_t inherited = above ? above->num_fields : 0, count = inherited + given->num_fields;
  const size_t fields_size = (size_t)count * sizeof(jf_field), errors_size = (size_t)count * sizeof(jf_call_info);
  char* block = jf_alloc(sizeof(jf_type_info) + fields_size + errors_size + texts_size(given, 0));
  if (!block) {
    jf_error_no_memory();
    return NULL;
  }
  jf_type_info* made = (jf_type_info*)(void*)block;
  jf_field* fields = (jf_field*)(void*)(made + 1);
  jf_call_info* errors = (jf_call_info*)(void*)(fields + count);
  char* at = (char*)(errors + count);
  *made = *given;
  made->key = copy_text(&at, given->key);
  made->doc = copy_text(&at, given->doc);
  made->fields = fields;
  made->errors = errors;
  made->num_fields = count;
  made->num_inherited = inherited;
  if (above && !made->links) made->links = above->links;
  made->num_constructed = made->construct || made->destroy ? count : above ? above->num_constructed : 0;
  if (above && made->num_constructed < count) {
    made->construct = above->construct;
    made->destroy = above->destroy;
  }
  if (inherited) {
    memcpy(fields, above->fields, (size_t)inherited * sizeof *fields);
    memcpy(errors, above->errors, (size_t)inherited * sizeof *errors);
  }
  for (int32_t i = 0; i < given->num_fields; i++) {
    jf_field* f = &fields[inherited + i];
    *f = given->fields[i];
    f->name = copy_text(&at, f->name);
    f->type = copy_text(&at, f->type);
    f->doc = copy_text(&at, f->doc);
    f->size = size_of_kind(f->kind);
    if (made->flags & JF_TYPE_FROZEN) f->flags |= JF_FIELD_READ_ONLY; /* in types that are derived from it, too */
    write_error(&errors[inherited + i], &at, made->key, f);
    if (copy_default(f, &given->fields[i].default_value, &errors[inherited + i]) != 0) {
      while (i-- > 0) jf_any_release(&fields[inherited + i].default_value);
      jf_free(block);
      return NULL;
    }
  }
  return made;
}

static void free_info(jf_type_info* info) {
  if (!info) return;
  for (int32_t i = info->num_inherited; i < info->num_fields; i++)
    jf_any_release((jf_value*)(uintptr_t)&info->fields[i].default_value);
  jf_free(info);
}

/* -- defining -- */

static int32_t same_text(const char* a, const char* b) { return strcmp(a ? a : "", b ? b : "") == 0; }

static int32_t same_fields(const jf_type_info* a, const jf_type_info* b) {
  if (a->num_fields != b->num_fields || a->size != b->size || a->links != b->links) return 0;
  for (int32_t i = 0; i < a->num_fields; i++) {
    const jf_field *x = &a->fields[i], *y = &b->fields[i];
    if (!same_text(x->name, y->name) || !same_text(x->type, y->type) || x->offset != y->offset || x->kind != y->kind)
      return 0;
  }
  return 1;
}

/* Of definitions with the same fields, whether all the rest is the same, too. */
static int32_t same_rest(const jf_type_info* a, const jf_type_info* b) {
  if (!same_text(a->doc, b->doc) || a->flags != b->flags || a->structure != b->structure ||
      a->construct != b->construct || a->destroy != b->destroy)
    return 0;
  for (int32_t i = 0; i < a->num_fields; i++) {
    const jf_field *x = &a->fields[i], *y = &b->fields[i];
    if (!same_text(x->doc, y->doc) || x->flags != y->flags) return 0;
    if (memcmp(&x->default_value, &y->default_value, sizeof x->default_value) != 0) return 0;
  }
  return 1;
}

static uint32_t structures;

uint32_t jf_structures_defined(void) { return __atomic_load_n(&structures, __ATOMIC_RELAXED); }

/* Takes fresh. One that there was before stays, behind the new one: others may be reading it. */
static int32_t publish(jf_type_extra* extra, jf_type_info* fresh) {
  jf_lock();
  const jf_type_info* known = extra->info;
  const int32_t is_struct = extra->struct_align != 0;
  const int32_t fits = !is_struct && (!known || same_fields(known, fresh)),
                is_new = !known || !fits || !same_rest(known, fresh);
  if (fits && is_new) {
    fresh->former = known;
    __atomic_fetch_or(&structures, 1U << (fresh->structure & 31), __ATOMIC_RELAXED);
    __atomic_store_n(&extra->info, fresh, __ATOMIC_RELEASE);
  }
  jf_unlock();
  if (fits) {
    if (!is_new) free_info(fresh);
    return 0;
  }
  fail(fresh, NULL, is_struct ? "it is a struct's" : "it is defined already, with other fields");
  free_info(fresh);
  return -1;
}

/* Borrows type. 0 with ValueError or MemoryError set. */
int32_t jf_type_define(const jf_type_info* type) {
  const jf_type_info* above = jf_type_info_of(type->parent);
  if (check(type, above) != 0) return 0;
  if (!type->size && above && above->size) {
    fail(type, NULL, "its parent has a size, and it has none");
    return 0;
  }
  jf_type_info* made = make_info(type, above);
  if (!made) return 0;
  made->code = jf_type_register(type->key, type->parent);
  jf_type_extra* extra = jf_type_extra_of(made->code);
  if (!extra) {
    if (made->code) fail(type, NULL, "it is a built-in type");
    free_info(made);
    return 0;
  }
  const int32_t code = made->code;
  if (publish(extra, made) != 0) return 0;
  if (jf_type_get_operations(code) == NULL && jf_type_set_operations(code, &jf_field_operations) != 0) return 0;
  return code;
}

/* Borrowed, for ever. Never fails. */
const jf_type_info* jf_type_info_of(int32_t code) {
  const jf_type_extra* extra = jf_type_extra_of(code);
  return extra ? __atomic_load_n(&extra->info, __ATOMIC_ACQUIRE) : NULL;
}

/* Borrowed, for ever. Never fails. */
const jf_field* jf_type_field(const jf_type_info* type, const char* name) {
  for (int32_t i = 0; i < type->num_fields; i++) {
    if (strcmp(type->fields[i].name, name) == 0) return &type->fields[i];
  }
  return NULL;
}
