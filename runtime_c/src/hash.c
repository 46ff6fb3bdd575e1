/* Hashes: equal values have equal ones. Numbers have CPython's, so that objects of the host agree with them; text has one
 * for all its encodings, which heap strings keep, as tuples keep theirs. */
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "macros.h"
#include "slot.h"
#include "value.h"

static uint64_t kept(uint64_t hash, uint64_t* cache) {
  if (!hash) hash = 1; /* 0 says that it was not computed */
  __atomic_store_n(cache, hash, __ATOMIC_RELAXED);
  return hash;
}

static uint64_t hash_text(jf_encoded text) {
  if (text.kind == JF_TEXT_UTF8) return jf_hash_utf8(text.data, text.size);
  if (text.kind == JF_TEXT_UCS4) return jf_hash_ucs4(text.data, text.size);
  return jf_hash_bytes(text.data, text.size);
}

/* The hash is at the same place in heap str, UCS4 and bytes. */
static uint64_t hash_of_text(const jf_any* slot) {
  if (slot->type_code != JF_OBJECT) return hash_text(jf_any_text(slot));
  jf_str* str = (jf_str*)slot->v_object;
  const uint64_t known = __atomic_load_n(&str->hash, __ATOMIC_RELAXED);
  if (known) return known;
  const uint64_t hash = hash_text(jf_any_text(slot));
  return str->header.deleter ? kept(hash, &str->hash) : hash; /* a static object may be in read-only memory */
}

static uint64_t combine(uint64_t sum, uint64_t hash) {
  sum ^= hash * UINT64_C(0xBF58476D1CE4E5B9);
  sum = (sum << 29 | sum >> 35) * UINT64_C(0x94D049BB133111EB);
  return sum ^ sum >> 32;
}

/* Of most values of tuples: ints that are their own hash, text that lies there; 0: of others, nothing was done. */
static inline int32_t fast_hash(const jf_view* view, uint64_t* hash) {
  const jf_any* slot = view->type_code == JF_ANY_PTR && view->v_handle ? view->v_handle : view;
  switch (slot->type_code) {
    case JF_INT:
      *hash = slot->v_uint64;
      return slot->v_uint64 < (UINT64_C(1) << 61) - 1;
    case JF_SMALL_STR:
      if ((uint32_t)slot->small_len >= JF_MAX_CAPACITY) return 0;
      *hash = jf_hash_utf8((const char*)slot + JF_PAYLOAD_OFFSET, (size_t)slot->small_len);
      return 1;
    case JF_STR_VIEW:
      if (!slot->v_span || !slot->v_span->data) return 0;
      *hash = jf_hash_utf8(slot->v_span->data, slot->v_span->size);
      return 1;
    default:
      return 0;
  }
}

enum { TUPLE_SEED = 0x2A7D1F35 };
static int32_t hash_resolved(const jf_any* slot, uint64_t* hash);

/* The tuple never changes, and holds its items for as long as the caller holds it. */
static int32_t hash_items(const jf_tuple* tuple, uint64_t* hash) {
  uint64_t sum = TUPLE_SEED + tuple->size;
  for (size_t i = 0; i < tuple->size; i++) {
    jf_any scratch;
    const jf_any* slot = jf_item_slot(tuple->items[i], &scratch);
    uint64_t of_item;
    if (!fast_hash(slot, &of_item) && hash_resolved(slot, &of_item) != 0) return -1;
    sum = combine(sum, of_item);
  }
  *hash = sum;
  return 0;
}

static int32_t hash_tuple(jf_tuple* tuple, uint64_t* hash) {
  *hash = __atomic_load_n(&tuple->hash, __ATOMIC_RELAXED);
  if (*hash) return 0;
  if (jf_value_enter("while hashing") != 0) return -1;
  const int32_t status = hash_items(tuple, hash);
  jf_value_leave();
  if (status == 0) *hash = kept(*hash, &tuple->hash);
  return status;
}

/* That of the tuple of these values. -1 with the error set. */
int32_t jf_views_hash(const jf_view* views, size_t count, uint64_t* hash) {
  uint64_t sum = TUPLE_SEED + count;
  for (size_t i = 0; i < count; i++) {
    uint64_t of_item;
    if (!fast_hash(&views[i], &of_item) && jf_any_hash(&views[i], &of_item) != 0) return -1;
    sum = combine(sum, of_item);
  }
  *hash = sum ? sum : 1; /* as kept() */
  return 0;
}

/* That of the tuple of the same ints, which it is equal to. */
static uint64_t hash_shape(const jf_shape* shape) {
  uint64_t sum = TUPLE_SEED + shape->size;
  for (size_t i = 0; i < shape->size; i++) {
    const jf_any number = {.type_code = JF_INT, .v_int64 = shape->data[i]};
    sum = combine(sum, jf_number_hash(&number));
  }
  return sum ? sum : 1; /* as kept() */
}

static uint64_t hash_error(const jf_error* error) {
  const uint64_t kind = jf_hash_utf8(error->kind->data, error->kind->size);
  return combine(combine(JF_ERROR, kind), jf_hash_utf8(error->message->data, error->message->size));
}

static int32_t hash_by(const jf_type_operations* operations, jf_object* object, uint64_t* hash) {
  if (jf_value_enter("while hashing") != 0) return -1;
  const int32_t status = operations->hash(object, hash);
  jf_value_leave();
  return status ? -1 : 0;
}

static JF_COLD int32_t fail_unhashable(const jf_any* slot) {
  jf_error_format("TypeError", "unhashable type: '%s'", jf_value_type_name(slot));
  return -1;
}

static int32_t hash_object(const jf_any* slot, int32_t kind, uint64_t* hash) {
  const jf_type_operations* operations = jf_value_operations(slot, kind);
  if (operations && operations->hash) return hash_by(operations, slot->v_object, hash);
  /* Equality without a hash to go with it: what is equal might be in two places. */
  if (operations && operations->equal) return fail_unhashable(slot);
  switch (kind) {
    case JF_VALUE_LIST:
    case JF_VALUE_MAP:
    case JF_VALUE_SET:
      return fail_unhashable(slot);
    case JF_VALUE_TUPLE:
      return hash_tuple((jf_tuple*)slot->v_object, hash);
    case JF_VALUE_SHAPE:
      *hash = hash_shape((const jf_shape*)slot->v_object);
      return 0;
    default:
      if (jf_type_is_a(slot->v_object->type_code, JF_NDARRAY)) return fail_unhashable(slot); /* elements change */
      *hash = jf_type_is_a(slot->v_object->type_code, JF_ERROR) ? hash_error((const jf_error*)slot->v_object)
                                                                : combine(JF_OBJECT, (uintptr_t)slot->v_object);
      return 0;
  }
}

static int32_t hash_resolved(const jf_any* slot, uint64_t* hash) {
  const int32_t kind = jf_value_kind(slot);
  switch (kind) {
    case JF_VALUE_BAD:
      return jf_value_fail_bad(slot);
    case JF_VALUE_NULL:
      *hash = JF_HASH_OF_NULL;
      return 0;
    case JF_VALUE_NUMBER:
      *hash = jf_number_hash(slot);
      return 0;
    case JF_VALUE_PLAIN:
      *hash = combine((uint64_t)-slot->type_code, slot->v_uint64);
      return 0;
    case JF_VALUE_TEXT:
    case JF_VALUE_BYTES:
      *hash = hash_of_text(slot);
      return 0;
    default:
      return hash_object(slot, kind, hash);
  }
}

/* Borrows. -1 with the error set, *hash is 0 then. */
int32_t jf_any_hash(const jf_any* value, uint64_t* hash) {
  jf_any scratch;
  const int32_t status = hash_resolved(jf_any_resolve(value, &scratch), hash);
  if (status != 0) *hash = 0;
  return status;
}
