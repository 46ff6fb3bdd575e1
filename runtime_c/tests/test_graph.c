/* Graphs as JSON and as bytes in C: what comes back, what stands for nothing, and failing allocations. */
#include "jitffi/ndarray.h"
#include "jitffi/structural.h"
#include "jitffi/types.h"
#include "testhelper.h"

typedef struct {
  jf_object header;
  jf_links links;
  double x;
  jf_value name;
  jf_object* next;
} node;

static int32_t code;

static void define(void) {
  const jf_value none = {JF_NULL, 0, {0}};
  const jf_field fields[] = {
      {"x", "f64", NULL, offsetof(node, x), JF_KIND_F64, JF_FIELD_HAS_DEFAULT, 0, {JF_FLOAT, 0, {.v_float64 = 2.5}}},
      {"name", "any", NULL, offsetof(node, name), JF_FIELD_SLOT, JF_FIELD_HAS_DEFAULT, 0, none},
      {"next", "optional[object]", NULL, offsetof(node, next), JF_FIELD_OBJECT, 0, 0, none},
  };
  const jf_type_info type = {.key = "test.Node",
                             .parent = JF_ROOT,
                             .size = sizeof(node),
                             .links = offsetof(node, links),
                             .num_fields = 3,
                             .fields = fields};
  code = jf_type_define(&type);
  CHECK(code != 0);
}

static jf_view view_of(const void* object) {
  jf_view view = {JF_OBJECT, 0, {0}};
  view.v_uint64 = JF_POINTER_WORD(object);
  return view;
}

/* A list of [1, "text", node -> array, map], and the node once more; new. */
static jf_object* sample(void) {
  jf_view texts[] = {slot_of_raw("a text that no slot has room for"), slot_of_int(300)};
  const int64_t shape[] = {3};
  jf_object* array = jf_ndarray_new(1, shape, (jf_dtype){JF_DL_INT, 16, 1}, 0);
  memcpy(jf_ndarray_tensor(array)->data, "abcdef", 6);
  node* made = (node*)(void*)jf_object_make_of(code);
  made->next = array;
  jf_object* map = jf_map_new(0, -1);
  jf_view value = view_of(made);
  CHECK(jf_map_set(map, &texts[0], &value) == 0 && jf_map_set(map, &texts[1], &texts[0]) == 0);
  jf_object* tuple = jf_tuple_new(texts, 2);
  jf_object* list = jf_list_of(texts, 2, -1);
  jf_view parts[] = {view_of(map), view_of(made), view_of(tuple)};
  for (int32_t i = 0; i < 3; i++) CHECK(jf_list_append(list, &parts[i]) == 0);
  jf_object_release(map);
  jf_object_release(tuple);
  jf_object_release(&made->header);
  return list;
}

static void check_same(const jf_value* a, jf_object* b) {
  const jf_view x = *a, y = view_of(b);
  CHECK(jf_structural_equal(&x, &y, 0) == 1);
}

static void test_both_forms(void) {
  jf_object* list = sample();
  const jf_view value = view_of(list);
  jf_value text = {JF_NULL, 0, {0}}, bytes = {JF_NULL, 0, {0}}, back = {JF_NULL, 0, {0}};
  CHECK(jf_to_json(&value, -1, &text) == 0 && jf_to_bytes(&value, &bytes) == 0);
  const jf_encoded characters = jf_any_text(&text), stored = jf_any_text(&bytes);
  CHECK(strstr(characters.data, "{\"type\": \"test.Node\", \"fields\": {\"x\": 2.5, \"name\": null, \"next\": ") !=
        NULL);
  CHECK(jf_from_json(characters.data, characters.size, &back) == 0);
  check_same(&back, list);
  jf_any_release(&back);
  back = (jf_value){JF_NULL, 0, {0}};
  CHECK(jf_from_bytes(stored.data, stored.size, &back) == 0);
  check_same(&back, list);
  jf_any_release(&back);
  jf_any_release(&text);
  jf_any_release(&bytes);
  jf_object_release(list);
}

static void test_version(void) {
  jf_value value = {JF_NULL, 0, {0}};
  const char newer[] =
      "{\"jitffi\": 1, \"root\": 1, \"nodes\": [{\"type\": \"test.Node\", \"version\": 2, \"fields\": {\"next\": "
      "null}}]}";
  CHECK(jf_from_json(newer, sizeof newer - 1, &value) == -1);
  CHECK_ERROR("ValueError: from_json: node 0: test.Node of version 2: here it has version 0");
  CHECK(jf_type_set_version(code, 2) == 0 && jf_type_version(code) == 2);
  CHECK(jf_from_json(newer, sizeof newer - 1, &value) == 0 && value.v_int64 == 1);
  CHECK(jf_type_set_version(code, 0) == 0);
  CHECK(jf_type_set_version(JF_LIST, 1) == -1);
  CHECK_ERROR("ValueError: a built-in type has no version");
}

static void test_plain(void) {
  jf_value value = {JF_NULL, 0, {0}}, text = {JF_NULL, 0, {0}};
  const char json[] =
      " [1, -2.5e3, {\"a\" : {\"$tuple\": [true, null]}}, \"\\u00e9\\ud83d\\ude00\\n\", 18446744073709551615]";
  CHECK(jf_from_json(json, sizeof json - 1, &value) == 0);
  CHECK(jf_to_json(&value, -1, &text) == 0);
  CHECK_TEXT(
      jf_any_text(&text).data,
      "[1, -2500.0, {\"a\": {\"$tuple\": [true, null]}}, \"\xc3\xa9\xf0\x9f\x98\x80\\n\", 18446744073709551615]");
  jf_any_release(&text);
  jf_any_release(&value);
}

static void test_refused(void) {
  jf_value value = {JF_NULL, 0, {0}};
  const char json[] = "[1, {\"a\": tru}]", utf8[] = "\"\xff\"";
  CHECK(jf_from_json(json, sizeof json - 1, &value) == -1 && value.type_code == JF_NULL);
  CHECK_ERROR("ValueError: from_json: byte 10: expected a value");
  CHECK(jf_from_json(utf8, sizeof utf8 - 1, &value) == -1);
  CHECK_ERROR("ValueError: from_json: byte 1: no UTF-8");
  CHECK(jf_from_bytes("jfg1\x01", 5, &value) == -1);
  CHECK_ERROR("ValueError: from_bytes: byte 5: the end, in a number");
  CHECK(jf_from_bytes(NULL, 0, &value) == -1);
  CHECK_ERROR("ValueError: from_bytes: byte 0: expected \"jfg1\": these are no bytes of to_bytes");
  const jf_view handle = {JF_HANDLE, 0, {0}};
  CHECK(jf_to_bytes(&handle, &value) == -1);
  CHECK_ERROR("TypeError: to_bytes: value: expected a value or container, got handle");
}

/* Each byte of what is stored, changed to some others: a value or an error, and nothing left of it. */
static void test_hostile(void) {
  jf_object* list = sample();
  const jf_view value = view_of(list);
  jf_value bytes = {JF_NULL, 0, {0}};
  CHECK(jf_to_bytes(&value, &bytes) == 0);
  const jf_encoded stored = jf_any_text(&bytes);
  char* broken = malloc(stored.size);
  static const unsigned char others[] = {0, 1, 2, 3, 4, 5, 8, 127, 128, 255};
  for (size_t i = 0; broken && i < stored.size; i++) {
    for (size_t k = 0; k < sizeof others; k++) {
      jf_value back = {JF_NULL, 0, {0}};
      memcpy(broken, stored.data, stored.size);
      broken[i] = (char)others[k];
      if (jf_from_bytes(broken, stored.size, &back) != 0) jf_object_release(jf_error_take());
      jf_any_release(&back);
    }
    jf_value back = {JF_NULL, 0, {0}};
    memcpy(broken, stored.data, i);
    CHECK(jf_from_bytes(broken, i, &back) == -1);
    jf_object_release(jf_error_take());
  }
  free(broken);
  jf_any_release(&bytes);
  jf_object_release(list);
  jf_cycles_collect();
}

#ifdef JITFFI_HOSTILE
static void test_no_memory(void) {
  jf_object* list = sample();
  const jf_view value = view_of(list);
  for (int64_t allowed = 0, failed = 1; failed; allowed++) {
    jf_value text = {JF_NULL, 0, {0}}, bytes = {JF_NULL, 0, {0}}, back = {JF_NULL, 0, {0}};
    jf_hostile_fail_after(allowed);
    failed = jf_to_json(&value, 1, &text) != 0;
    if (!failed) failed = jf_from_json(jf_any_text(&text).data, jf_any_text(&text).size, &back) != 0;
    jf_any_release(&back);
    back = (jf_value){JF_NULL, 0, {0}};
    if (!failed) failed = jf_to_bytes(&value, &bytes) != 0;
    if (!failed) failed = jf_from_bytes(jf_any_text(&bytes).data, jf_any_text(&bytes).size, &back) != 0;
    jf_hostile_fail_after(-1);
    if (failed) CHECK_ERROR("MemoryError: out of memory");
    jf_any_release(&back);
    jf_any_release(&text);
    jf_any_release(&bytes);
  }
  jf_object_release(list);
}
#endif

int main(void) {
  define();
  RUN(test_both_forms);
  RUN(test_plain);
  RUN(test_version);
  RUN(test_refused);
  RUN(test_hostile);
#ifdef JITFFI_HOSTILE
  RUN(test_no_memory);
#endif
  return finish();
}
