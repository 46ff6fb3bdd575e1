/* Values against patterns: what crosses into typed code is looked at once, item by item, and what is wrong in it is named.
 *
 * Nothing here calls out, so nothing changes while it is read; the depth is the pattern's.
 */
#include <math.h>
#include <string.h>

#include "decimal.h"
#include "jitffi/containers.h"
#include "jitffi/ndarray.h"
#include "jitffi/pattern.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "map.h"
#include "message.h"
#include "slot.h"

/* The way from the outermost container to the one that is being looked at, innermost first. */
typedef struct step step;
struct step {
  const step* outer;
  size_t index;
  const jf_item* key; /* NULL: a list or tuple */
};

/* What a message needs, the same during the whole walk. */
typedef struct {
  const jf_call_info* info;
  int32_t index;
  const jf_view* view;
  const jf_pattern* whole;
  int32_t exact; /* only the type's own form will do */
  int32_t quiet; /* nothing is reported */
} subject;

enum { IS_KEY = 1, IS_ITEM }; /* of a map; of a set, whose items have no place */
enum { RIGHT, WRONG_TYPE, OUT_OF_RANGE, WRONG_SIZE, WRONG_SIGNATURE };
enum { PATH_SIZE = 200, GOT_SIZE = 2 * JF_DESCRIBE_SIZE + PATH_SIZE + 64 };

/* -- messages -- */

/* Writes the way in front of `end`; what does not fit is left out, the outermost first. Returns where it begins. */
static char* write_path(const step* at, const char* start, char* end) {
  for (; at; at = at->outer) {
    char piece[JF_DESCRIBE_SIZE + 8];
    int size;
    if (at->key) {
      char described[JF_DESCRIBE_SIZE];
      jf_view key;
      jf_item_view(*at->key, &key);
      jf_any_describe(&key, described, sizeof described);
      const char* value = strchr(described, ' '); /* the type goes without saying */
      size = jf_print(piece, sizeof piece, "[%s]",
                      !value                           ? described
                      : strncmp(value, " of ", 4) == 0 ? "..."
                                                       : value + 1);
    } else {
      size = jf_print(piece, sizeof piece, "[%zu]", at->index);
    }
    if (end - start < size) break;
    end -= size;
    memcpy(end, piece, (size_t)size);
  }
  return end;
}

static void describe_item(jf_item item, int32_t outcome, char* out, size_t capacity) {
  jf_view view;
  jf_item_view(item, &view);
  if (outcome == WRONG_SIZE) {
    const size_t size = ((const jf_tuple*)(const void*)item.object)->size;
    jf_print(out, capacity, "tuple of %zu item%s", size, size == 1 ? "" : "s");
  } else if (outcome == WRONG_SIGNATURE) {
    jf_print(out, capacity, "function %s", ((const jf_function*)(const void*)item.object)->signature);
  } else {
    jf_any_describe(&view, out, capacity);
  }
}

/* "list with int 300 at [2], out of range for u8". `at` leads to the item; NULL: it is the whole. */
static JF_COLD int32_t refuse(const subject* s, const jf_pattern* pattern, jf_item item, const step* at, int32_t is_key,
                              int32_t outcome) {
  if (s->quiet) return -1;
  char path[PATH_SIZE], item_text[JF_DESCRIBE_SIZE], whole[JF_DESCRIBE_SIZE], got[GOT_SIZE];
  path[PATH_SIZE - 1] = 0;
  const char* way = write_path(at, path, path + PATH_SIZE - 1);
  describe_item(item, outcome, item_text, sizeof item_text);
  jf_any_describe(s->view, whole, sizeof whole);
  const int32_t out_of_range = outcome == OUT_OF_RANGE;
  jf_print(got, sizeof got, "%s%s%s%s%s%s%s%s", at || is_key ? whole : "", at || is_key ? " with " : "",
           is_key == IS_KEY ? "key " : "", item_text, *way ? " at " : "", way,
           out_of_range ? ", out of range for " : "", out_of_range ? pattern->name : "");
  return jf_fail_argument(out_of_range ? "OverflowError" : "TypeError", s->info, s->index, s->whole->name, "", got);
}

/* -- single values -- */

static int32_t check_float(int32_t scalar, const jf_any* slot) {
  int32_t overflow = 0;
  double value = slot->v_float64;
  if (slot->type_code == JF_INT || slot->type_code == JF_BOOL) value = (double)slot->v_int64;
  if (slot->type_code == JF_UINT) value = (double)slot->v_uint64;
  if (scalar == JF_KIND_F32) overflow = isinf((float)value) && !isinf(value);
  if (scalar == JF_KIND_F16) jf_f16_from_f64(value, &overflow);
  if (scalar == JF_KIND_BF16) jf_bf16_from_f64(value, &overflow);
  return overflow ? OUT_OF_RANGE : RIGHT;
}

static int32_t is_text(jf_item item) {
  const int32_t code = *item.code;
  if (code == JF_SMALL_STR || code == JF_STR || code == JF_SMALL_UCS4 || code == JF_UCS4) return 1;
  if (code == JF_RAW_STR || code == JF_STR_VIEW || code == JF_UCS4_VIEW) return 1; /* a view's, before it is an item */
  return code > 0 && (jf_type_is_a(code, JF_STR) || jf_type_is_a(code, JF_UCS4));
}

static int32_t is_object_of(jf_item item, int32_t code) {
  return *item.code == code || (*item.code > 0 && jf_type_is_a(*item.code, code));
}

/* Whether an object's type is the one of the pattern's key, or below it. */
static int32_t is_of_key(jf_item item, const jf_pattern* p) {
  if (*item.code <= 0) return 0;
  int32_t code = __atomic_load_n(&p->code, __ATOMIC_RELAXED);
  if (code == 0) {
    code = jf_type_code(p->name);
    if (code <= 0) return 0;
    __atomic_store_n((int32_t*)&p->code, code, __ATOMIC_RELAXED); /* the code of a key is one for ever */
  }
  return *item.code == code || jf_type_is_a(*item.code, code);
}

static int32_t has_elements(jf_item array, const jf_pattern* p) {
  return memcmp(&jf_ndarray_tensor(array.object)->dtype, &p->most, sizeof(jf_dtype)) == 0;
}

static int32_t when(int32_t holds) { return holds ? RIGHT : WRONG_TYPE; }

/* Everything but containers, whose items are the caller's business. */
static inline int32_t check_single(const jf_pattern* p, jf_item item) {
  const int32_t code = *item.code;
  if (code == JF_NULL)
    return when(p->optional || p->kind == JF_PATTERN_ANY || p->kind == JF_PATTERN_PTR || p->kind == JF_PATTERN_NULL);
  switch (p->kind) {
    case JF_PATTERN_ANY:
    case JF_PATTERN_OBJECT:
      return RIGHT;
    case JF_PATTERN_INTEGER:
      if (code == JF_INT || code == JF_BOOL) {
        const int64_t value = item.slot->v_int64;
        return value >= p->least && (value < 0 || (uint64_t)value <= p->most) ? RIGHT : OUT_OF_RANGE;
      }
      if (code == JF_UINT) return item.slot->v_uint64 <= p->most ? RIGHT : OUT_OF_RANGE;
      return WRONG_TYPE;
    case JF_PATTERN_FLOAT:
      if (code == JF_FLOAT && p->scalar == JF_KIND_F64) return RIGHT;
      if (code != JF_FLOAT && code != JF_INT && code != JF_BOOL && code != JF_UINT) return WRONG_TYPE;
      return check_float(p->scalar, item.slot);
    case JF_PATTERN_BOOL:
      return when(code == JF_BOOL);
    case JF_PATTERN_STR:
    case JF_PATTERN_UCS4:
      return when(is_text(item));
    case JF_PATTERN_BYTES:
      return when(code == JF_SMALL_BYTES || code == JF_BYTE_ARRAY || is_object_of(item, JF_BYTES));
    case JF_PATTERN_PTR:
      return when(code == JF_HANDLE || code == JF_INT || code == JF_UINT);
    case JF_PATTERN_DTYPE:
      return when(code == JF_DTYPE);
    case JF_PATTERN_DEVICE:
      return when(code == JF_DEVICE);
    case JF_PATTERN_FUNC:
      if (!is_object_of(item, JF_FUNCTION)) return WRONG_TYPE;
      return p->types && !jf_function_has_types(item.object, p->types) ? WRONG_SIGNATURE : RIGHT;
    case JF_PATTERN_MODULE:
      return when(is_object_of(item, JF_MODULE));
    case JF_PATTERN_NULL:
      return WRONG_TYPE;
    case JF_PATTERN_TYPE:
      return when(is_of_key(item, p) && (p->most == 0 || has_elements(item, p)));
    case JF_PATTERN_LIST:
      return when(is_object_of(item, JF_LIST));
    case JF_PATTERN_MAP:
      return when(is_object_of(item, JF_MAP));
    case JF_PATTERN_SET:
      return when(code == JF_SET);
    default:
      return when(is_object_of(item, JF_TUPLE));
  }
}

/* Of a value that is right otherwise. */
static int32_t has_own_form(const jf_pattern* p, jf_item item) {
  const int32_t code = *item.code;
  if (code == JF_NULL) return 1;
  if (p->kind == JF_PATTERN_FLOAT) return p->scalar == JF_KIND_F64 ? code == JF_FLOAT : 0;
  if (p->kind == JF_PATTERN_INTEGER) return code != JF_BOOL;
  if (p->kind == JF_PATTERN_PTR) return code == JF_HANDLE;
  if (p->types) return jf_function_has_types(item.object, p->types) == 1;
  if (p->kind == JF_PATTERN_UCS4) return code == JF_SMALL_UCS4 || code == JF_UCS4;
  return 1;
}

/* -- containers -- */

static int32_t check(const subject* s, const jf_pattern* p, jf_item item, const step* at, int32_t is_key);

/* A container that says what it holds, or a union. */
static inline int32_t has_items(const jf_pattern* p) { return p->kind >= JF_PATTERN_LIST && p->count != 0; }

/* How many of the first items are what nearly all items of such a list are: one compare an item, or two. */
static size_t count_usual(const jf_pattern* p, const jf_item* items, size_t size) {
  size_t i = 0;
  switch (p->kind) {
    case JF_PATTERN_ANY:
      return size;
    case JF_PATTERN_INTEGER: {
      const uint64_t least = (uint64_t)p->least; /* differences wrap, and are compared as such */
      const uint64_t span = (p->most < INT64_MAX ? p->most : INT64_MAX) - least;
      while (i < size && *items[i].code == JF_INT && items[i].slot->v_uint64 - least <= span) i++;
      return i;
    }
    case JF_PATTERN_FLOAT:
      if (p->scalar != JF_KIND_F64) return 0;
      while (i < size && *items[i].code == JF_FLOAT) i++;
      return i;
    case JF_PATTERN_STR:
      while (i < size && (*items[i].code == JF_SMALL_STR || *items[i].code == JF_STR)) i++;
      return i;
    default:
      return 0;
  }
}

/* `size` items of one type. */
static int32_t check_uniform(const subject* s, const jf_pattern* p, const jf_item* items, size_t size,
                             const step* outer) {
  const int32_t nested = has_items(p), exact = s->exact;
  for (size_t i = nested ? 0 : count_usual(p, items, size); i < size; i++) {
    if (!nested && check_single(p, items[i]) == RIGHT && (!exact || has_own_form(p, items[i]))) continue;
    const step here = {outer, i, NULL};
    if (check(s, p, items[i], &here, 0) != 0) return -1;
  }
  return 0;
}

static int32_t check_tuple(const subject* s, const jf_pattern* p, jf_item item, const step* at) {
  const jf_tuple* tuple = (const jf_tuple*)(const void*)item.object;
  if (p->any_length) return check_uniform(s, p->inner, tuple->items, tuple->size, at);
  if (tuple->size != p->count) return refuse(s, p, item, at, 0, WRONG_SIZE);
  const jf_pattern* inner = p->inner;
  for (size_t i = 0; i < tuple->size; i++, inner = inner->next) {
    const step here = {at, i, NULL};
    if (check(s, inner, tuple->items[i], &here, 0) != 0) return -1;
  }
  return 0;
}

static int32_t check_map(const subject* s, const jf_pattern* p, const jf_map* map, const step* at) {
  const jf_pattern* values = p->inner->next; /* NULL: a set */
  for (size_t i = 0; i < map->used; i++) {
    const jf_map_entry* entry = jf_map_at(map, i);
    if (!entry->key.code) continue; /* removed */
    const step here = {at, 0, &entry->key};
    if (check(s, p->inner, entry->key, at, values ? IS_KEY : IS_ITEM) != 0) return -1;
    if (values && check(s, values, entry->value, &here, 0) != 0) return -1;
  }
  return 0;
}

/* What fits none of the alternatives is told as the whole union's. */
static int32_t check_union(const subject* s, const jf_pattern* p, jf_item item, const step* at, int32_t is_key) {
  subject quiet = *s;
  quiet.quiet = 1;
  for (const jf_pattern* each = p->inner; each; each = each->next) {
    if (check(&quiet, each, item, at, is_key) == 0) return 0;
  }
  return refuse(s, p, item, at, is_key, WRONG_TYPE);
}

/* As Python and C++ define it. */
typedef struct {
  jf_object header;
  jf_links links;
  const jf_map* map; /* NULL while it is made */
} frozen_map;

static int32_t check(const subject* s, const jf_pattern* p, jf_item item, const step* at, int32_t is_key) {
  if (p->kind == JF_PATTERN_UNION) return check_union(s, p, item, at, is_key);
  const int32_t outcome = check_single(p, item);
  if (outcome != RIGHT) return refuse(s, p, item, at, is_key, outcome);
  if (s->exact && !has_own_form(p, item)) return -1;
  if (!has_items(p) || *item.code == JF_NULL) return 0;
  if (p->kind == JF_PATTERN_LIST) {
    const jf_list* list = (const jf_list*)(const void*)item.object;
    return check_uniform(s, p->inner, list->items, list->size, at);
  }
  if (p->kind == JF_PATTERN_MAP || p->kind == JF_PATTERN_SET)
    return check_map(s, p, (const jf_map*)(const void*)item.object, at);
  if (p->kind == JF_PATTERN_TYPE) {
    const jf_map* map = ((const frozen_map*)(const void*)item.object)->map;
    return map ? check_map(s, p, map, at) : 0;
  }
  return check_tuple(s, p, item, at);
}

static int32_t check_view(const jf_pattern* pattern, const jf_call_info* info, int32_t index, const jf_view* view,
                          int32_t exact) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  jf_object* object = jf_any_object(slot);
  jf_item item = {.slot = slot};
  if (object) item.object = object;
  const subject s = {info, index, slot, pattern, exact, exact};
  return check(&s, pattern, item, NULL, 0);
}

/* Borrows all. -1 with TypeError or OverflowError set. */
int32_t jf_pattern_check(const jf_pattern* pattern, const jf_call_info* info, int32_t index, const jf_view* view) {
  return check_view(pattern, info, index, view, 0);
}

/* Borrows all. Never fails. */
int32_t jf_pattern_holds(const jf_pattern* pattern, const jf_view* view) {
  return check_view(pattern, NULL, 0, view, 1) == 0;
}

/* Borrows all; *out is borrowed from the view. -1 with the error set, and *out is unspecified. */
int32_t jf_lift_container(const jf_call_info* info, int32_t index, const jf_view* view, jf_object** out) {
  const jf_pattern* pattern = jf_pattern_at(info, index);
  if (!pattern || jf_pattern_check(pattern, info, index, view) != 0) return -1;
  if (index < 0 && view->type_code == JF_RVALUE) { /* a result is taken over, and this one owns nothing */
    jf_fail_type(info, index, view);
    return -1;
  }
  jf_any scratch;
  *out = jf_any_object(jf_any_resolve(view, &scratch)); /* NULL: null, where the type takes it */
  return 0;
}

/* Borrows all. -1 with the error set. */
int32_t jf_lift_checked(const jf_call_info* info, int32_t index, const jf_view* view) {
  const jf_pattern* pattern = jf_pattern_at(info, index);
  return pattern ? jf_pattern_check(pattern, info, index, view) : -1;
}
