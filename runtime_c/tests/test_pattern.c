/* Patterns: what each type takes, and what is said of what it does not take. */
#include <math.h>

#include "jitffi/ndarray.h"
#include "testhelper.h"

enum { MOST = 4 };

/* Containers of the frame, static ones: never counted. */
typedef struct {
  jf_list list;
  jf_item items[MOST];
} frame_list;

static jf_object* list_of(frame_list* at, int32_t code, size_t size, const jf_item* items) {
  memset(at, 0, sizeof *at);
  at->list.header.type_code = code;
  at->list.header.ref_count = 1;
  at->list.items = at->items;
  at->list.size = size;
  for (size_t i = 0; i < size; i++) at->items[i] = items[i];
  return &at->list.header;
}

static jf_item item(const jf_any* slot) { return (jf_item){.slot = slot}; }
static jf_item object(jf_object* made) { return (jf_item){.object = made}; }

/* 'y', or the first letter of the error. */
static int takes(const char* type, jf_any value) {
  const jf_pattern* pattern = jf_pattern_of(type);
  if (!CHECK(pattern != NULL)) return 0;
  frame_list list;
  const jf_item only = value.type_code == JF_OBJECT ? object(value.v_object) : item(&value);
  jf_any view = slot_of_object(list_of(&list, JF_LIST, 1, &only));
  if (jf_pattern_check(pattern, NULL, 0, &view) == 0) return 'y';
  jf_error* error = (jf_error*)jf_error_take();
  const int outcome = error->kind->data[0];
  jf_object_release(&error->header);
  return outcome;
}

static void test_scalars_follow_the_rules_of_packed_parameters(void) {
  const jf_any yes = {JF_BOOL, 0, {.v_int64 = 1}}, large = {JF_UINT, 0, {.v_uint64 = 1ull << 63}};
  const jf_any null = null_out(0), one = slot_of_int(1), half = slot_of_float(0.5);
  static const struct {
    const char* type;
    int64_t least, most;
  } ranges[] = {{"list[i8]", -128, 127},
                {"list[i16]", -32768, 32767},
                {"list[i32]", INT32_MIN, INT32_MAX},
                {"list[u8]", 0, 255},
                {"list[u16]", 0, 65535},
                {"list[u32]", 0, UINT32_MAX},
                {"list[u64]", 0, INT64_MAX},
                {"list[i64]", INT64_MIN, INT64_MAX}};
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
    const char* type = ranges[i].type;
    CHECK(takes(type, slot_of_int(ranges[i].least)) == 'y' && takes(type, slot_of_int(ranges[i].most)) == 'y');
    if (ranges[i].least != INT64_MIN) CHECK(takes(type, slot_of_int(ranges[i].least - 1)) == 'O');
    if (ranges[i].most != INT64_MAX) CHECK(takes(type, slot_of_int(ranges[i].most + 1)) == 'O');
    CHECK(takes(type, yes) == 'y' && takes(type, half) == 'T' && takes(type, null) == 'T');
    CHECK(takes(type, large) == (strcmp(type, "list[u64]") == 0 ? 'y' : 'O'));
  }
  CHECK(takes("list[f64]", one) == 'y' && takes("list[f64]", yes) == 'y' && takes("list[f64]", large) == 'y');
  CHECK(takes("list[f64]", half) == 'y' && takes("list[f64]", null) == 'T' &&
        takes("list[f64]", slot_of_raw("1")) == 'T');
  CHECK(takes("list[f32]", slot_of_float(1e39)) == 'O' && takes("list[f32]", slot_of_float(INFINITY)) == 'y');
  CHECK(takes("list[f16]", slot_of_float(65504)) == 'y' && takes("list[f16]", slot_of_int(70000)) == 'O');
  CHECK(takes("list[bf16]", slot_of_float(3.4e38)) == 'O' && takes("list[bf16]", half) == 'y');
  CHECK(takes("list[bool]", yes) == 'y' && takes("list[bool]", one) == 'T');
  CHECK(takes("list[ptr]", null) == 'y' && takes("list[ptr]", one) == 'y' && takes("list[ptr]", half) == 'T');
  CHECK(takes("list[any]", null) == 'y' && takes("list[object]", null) == 'T' && takes("list[object]", one) == 'y');
  CHECK(takes("list[optional[i8]]", null) == 'y' && takes("list[optional[i8]]", slot_of_int(128)) == 'O');
}

static void test_own_form_and_place(void) {
  const jf_any whole = slot_of_int(1), half = slot_of_float(0.5);
  const jf_item ints[] = {item(&half), item(&whole)};
  frame_list list;
  jf_any floats = slot_of_object(list_of(&list, JF_LIST, 1, ints));
  const jf_pattern* pattern = jf_pattern_of("list[f64]");
  if (!CHECK(pattern != NULL)) return;
  CHECK(jf_pattern_holds(pattern, &floats));
  floats = slot_of_object(list_of(&list, JF_LIST, 2, ints));
  CHECK(!jf_pattern_holds(pattern, &floats) && jf_pattern_check(pattern, NULL, 0, &floats) == 0);
  CHECK(!jf_pattern_holds(pattern, &whole) && jf_error_peek() == NULL);
  const jf_param_info params[] = {{"a", "list[f64]", NULL}, {"b", "i64", pattern}};
  const jf_call_info info = {"f", 2, 2, params, "list[f64]", NULL};
  CHECK(jf_pattern_at(&info, 0) == pattern && jf_pattern_at(&info, 1) == pattern &&
        jf_pattern_at(&info, -1) == pattern);
  CHECK(jf_pattern_at(NULL, 0) == jf_pattern_of("any"));
}

static void test_text_and_objects(void) {
  const jf_any small = {JF_SMALL_STR, 1, {.v_bytes = "a"}}, wide = {JF_SMALL_UCS4, 1, {.v_char32 = {'a'}}};
  const jf_any raw = {JF_SMALL_BYTES, 1, {.v_bytes = "a"}}, dtype = {JF_DTYPE, 0, {0}}, device = {JF_DEVICE, 0, {0}};
  jf_object* text = jf_str_new("a", 1);
  jf_object* bytes = jf_bytes_new("a", 1);
  CHECK(takes("list[str]", small) == 'y' && takes("list[str]", wide) == 'y' && takes("list[ucs4]", small) == 'y');
  CHECK(takes("list[str]", slot_of_object(text)) == 'y' && takes("list[str]", slot_of_object(bytes)) == 'T');
  CHECK(takes("list[bytes]", slot_of_object(bytes)) == 'y' && takes("list[bytes]", raw) == 'y');
  CHECK(takes("list[bytes]", small) == 'T' && takes("list[str]", raw) == 'T');
  CHECK(takes("list[dtype]", dtype) == 'y' && takes("list[dtype]", device) == 'T' &&
        takes("list[device]", device) == 'y');
  CHECK(takes("list[list]", slot_of_object(text)) == 'T' && takes("list[func]", slot_of_object(text)) == 'T');
  jf_object_release(text);
  jf_object_release(bytes);
}

static void check_fails(const char* type, jf_object* value, const char* expected) {
  const jf_param_info param = {"xs", type, NULL};
  const jf_call_info info = {"f", 1, 1, &param, "void", NULL};
  const jf_any view = slot_of_object(value);
  jf_object* out;
  CHECK(jf_lift_container(&info, 0, &view, &out) == -1);
  CHECK_ERROR(expected);
}

static void test_messages_lead_to_the_value(void) {
  const jf_any a = {JF_SMALL_STR, 1, {.v_bytes = "a"}}, three = slot_of_int(3), large = slot_of_int(300);
  frame_list outer, inner, pair, other;
  list_of(&inner, JF_LIST, 3, (jf_item[]){item(&a), item(&a), item(&three)});
  check_fails("list[str]", &inner.list.header,
              "TypeError: f: argument 1 'xs': expected list[str], got list with int 3 at [2]");
  list_of(&outer, JF_LIST, 1, (jf_item[]){object(&inner.list.header)});
  check_fails("list[list[str]]", &outer.list.header,
              "TypeError: f: argument 1 'xs': expected list[list[str]], got list with int 3 at [0][2]");
  list_of(&inner, JF_LIST, 2, (jf_item[]){item(&three), item(&large)});
  check_fails(
      "list[u8]", &inner.list.header,
      "OverflowError: f: argument 1 'xs': expected list[u8], got list with int 300 at [1], out of range for u8");
  list_of(&pair, JF_TUPLE, 2, (jf_item[]){item(&three), item(&a)});
  check_fails("tuple[i64, str, str]", &pair.list.header,
              "TypeError: f: argument 1 'xs': expected tuple[i64, str, str], got tuple of 2 items");
  check_fails("tuple[i64, ...]", &pair.list.header,
              "TypeError: f: argument 1 'xs': expected tuple[i64, ...], got tuple with str 'a' at [1]");
  check_fails("list", &pair.list.header, "TypeError: f: argument 1 'xs': expected list, got tuple");
  list_of(&other, JF_LIST, 1, (jf_item[]){object(&pair.list.header)});
  check_fails("list[tuple[str]]", &other.list.header,
              "TypeError: f: argument 1 'xs': expected list[tuple[str]], got list with tuple of 2 items at [0]");
  jf_map_entry entries[3] = {
      {1, item(&a), item(&three)}, {2, {NULL}, {NULL}}, {3, item(&three), object(&pair.list.header)}};
  jf_map map = {.header = {.type_code = JF_MAP, .ref_count = 1}, .entries = entries, .size = 2, .used = 3};
  check_fails("map[str, any]", &map.header,
              "TypeError: f: argument 1 'xs': expected map[str, any], got map with key int 3");
  check_fails("map[any, str]", &map.header,
              "TypeError: f: argument 1 'xs': expected map[any, str], got map with int 3 at ['a']");
  list_of(&other, JF_LIST, 1, (jf_item[]){object(&map.header)});
  check_fails("list[map[any, optional[i64]]]", &other.list.header,
              "TypeError: f: argument 1 'xs': expected list[map[any, optional[i64]]], got list with tuple at [0][3]");
}

static void test_what_is_right_is_borrowed(void) {
  const jf_any a = {JF_SMALL_STR, 1, {.v_bytes = "a"}}, one = slot_of_int(1), null = null_out(0);
  frame_list pair, list;
  list_of(&pair, JF_TUPLE, 2, (jf_item[]){item(&a), item(&one)});
  list_of(&list, JF_LIST, 2, (jf_item[]){object(&pair.list.header), item(&null)});
  jf_call_info info = {"f", 0, 0, NULL, "list[optional[tuple[str, i8]]]", NULL};
  jf_any view = slot_of_object(&list.list.header);
  jf_object* out = NULL;
  CHECK(jf_lift_container(&info, -1, &view, &out) == 0 && out == &list.list.header);
  info.result_pattern = jf_pattern_of("tuple");
  CHECK(jf_lift_container(&info, -1, &view, &out) == -1);
  CHECK_ERROR("TypeError: f: result: expected list[optional[tuple[str, i8]]], got list");
  jf_object* moved = &list.list.header;
  const jf_any rvalue = {JF_RVALUE, 0, {.v_rvalue = &moved}}; /* borrowed, not taken */
  CHECK(jf_lift_container(NULL, 0, &rvalue, &out) == 0 && out == moved);
  info.result_pattern = jf_pattern_of("list");
  CHECK(jf_lift_container(&info, -1, &rvalue, &out) == -1); /* no result is a reference to somebody's */
  jf_object_release(jf_error_take());
  info.result_pattern = jf_pattern_of("optional[list]");
  CHECK(jf_lift_container(&info, -1, &null, &out) == 0 && out == NULL);
}

static void test_texts_have_one_pattern(void) {
  const jf_pattern* pattern = jf_pattern_of("map[str, list[optional[f32]]]");
  CHECK(pattern && pattern == jf_pattern_of("map[str, list[optional[f32]]]"));
  CHECK(pattern->kind == JF_PATTERN_MAP && pattern->count == 2 && pattern->inner->kind == JF_PATTERN_STR);
  CHECK(pattern->inner->next->inner->optional && pattern->inner->next->inner->scalar == JF_KIND_F32);
  static const char* const wrong[] = {
      "",           "lis",        "list[",        "list[]",    "list[i64",       "map[i64]",
      "list[i64]]", "tuple[...]", "optional[i64", "func[i64]", "tuple[i64, ...", "list[i64, i64]",
      "void",       "tuple[a.]",  "i64 |",        "| i64",     "i64 || str",     "a.b[i64]"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    CHECK(jf_pattern_of(wrong[i]) == NULL);
    jf_object* error = jf_error_take();
    CHECK(error && strcmp(((jf_error*)error)->kind->data, "ValueError") == 0);
    jf_object_release(error);
  }
}

static jf_call_info union_info = {.name = "f", .num_params = 1, .num_required = 1};

/* Whether the type takes it; else the error is `error`. */
static int32_t fits(const char* type, jf_any value, const char* error) {
  const jf_param_info param = {"x", type, NULL};
  union_info.params = &param;
  if (jf_lift_checked(&union_info, 0, &value) == 0) return 1;
  if (error) CHECK_ERROR(error);
  if (!error) jf_object_release(jf_error_take());
  return 0;
}

static void test_unions(void) {
  const jf_any null = null_out(0);
  CHECK(fits("i64 | str", slot_of_int(1), NULL) && fits("i64 | str", slot_of_raw("a"), NULL));
  CHECK(!fits("i64 | str", slot_of_float(1.5), "TypeError: f: argument 1 'x': expected i64 | str, got float 1.5"));
  CHECK(!fits("i8 | str", slot_of_int(300), "TypeError: f: argument 1 'x': expected i8 | str, got int 300"));
  CHECK(fits("i64 | str | null", null, NULL) && fits("i64 | optional[str]", null, NULL) &&
        !fits("i64 | str", null, NULL));
  CHECK(fits("null", null, NULL) && !fits("null", slot_of_int(0), NULL));
  jf_object* list = jf_list_new(0, -1);
  const jf_any one = slot_of_int(1), text = slot_of_raw("a"), number = slot_of_float(0.5);
  CHECK(jf_list_append(list, &one) == 0 && jf_list_append(list, &text) == 0);
  CHECK(fits("list[i64 | str]", slot_of_object(list), NULL) && !fits("list[i64] | str", slot_of_object(list), NULL));
  CHECK(jf_list_append(list, &number) == 0);
  CHECK(!fits("list[i64 | str]", slot_of_object(list),
              "TypeError: f: argument 1 'x': expected list[i64 | str], got list with float 0.5 at [2]"));
  jf_object_release(list);
}

static void test_objects_of_a_type(void) {
  CHECK(fits("shape", slot_of_int(1), NULL) == 0 && jf_pattern_of("test.later")->kind == JF_PATTERN_TYPE);
  jf_object* object = jf_object_new(sizeof *object, jf_type_register("test.sooner", JF_ROOT), NULL);
  CHECK(fits("test.sooner", slot_of_object(object), NULL) && fits("list | test.sooner", slot_of_object(object), NULL));
  CHECK(!fits("test.later", slot_of_object(object),
              "TypeError: f: argument 1 'x': expected test.later, got test.sooner"));
  CHECK(fits("object", slot_of_object(object), NULL) && !fits("optional[test.later]", slot_of_int(1), NULL));
  jf_object_release(object);
}

static void test_elements_of_tensors(void) {
  const int64_t shape[] = {2};
  jf_object* array = jf_ndarray_new(1, shape, (jf_dtype){JF_DL_FLOAT, 64, 1}, 0);
  jf_object* list = jf_list_new(0, -1);
  const jf_any item = slot_of_object(array);
  CHECK(jf_list_append(list, &item) == 0);
  CHECK(fits("tensor[f64]", item, NULL) && fits("tensor", item, NULL) && fits("ndarray", item, NULL));
  CHECK(fits("list[tensor[f64]]", slot_of_object(list), NULL) && fits("optional[tensor[f64]]", item, NULL));
  CHECK(!fits("tensor[f32]", item, "TypeError: f: argument 1 'x': expected tensor[f32], got ndarray"));
  CHECK(!fits("list[tensor[i64]]", slot_of_object(list), NULL) && !fits("tensor[f64]", slot_of_int(1), NULL));
  CHECK(jf_pattern_of("tensor[f64") == NULL && jf_pattern_of("tensor[]") == NULL &&
        jf_pattern_of("tensor[f64, n]") == NULL);
  jf_object_release(jf_error_take());
  jf_object_release(list);
  jf_object_release(array);
}

/* As Python and C++ define it. */
typedef struct {
  jf_object header;
  jf_links links;
  jf_object* map;
} frozen_map;

static void test_what_a_frozen_map_holds(void) {
  CHECK(jf_pattern_of("list[jitffi.FrozenMap[str, i64]]")->inner->count == 2);
  CHECK(!jf_pattern_of("jitffi.FrozenMap[str]") && !jf_pattern_of("test.later[str, i64]"));
  frozen_map* frozen = (frozen_map*)jf_object_new(sizeof *frozen, jf_type_register("jitffi.FrozenMap", JF_ROOT), NULL);
  const jf_any key = slot_of_raw("a"), value = slot_of_float(0.5);
  frozen->map = NULL;
  CHECK(fits("jitffi.FrozenMap[str, i64]", slot_of_object(&frozen->header), NULL)); /* before it is made */
  frozen->map = jf_map_new(0, -1);
  CHECK(jf_map_set(frozen->map, &key, &value) == 0);
  CHECK(fits("optional[jitffi.FrozenMap[str, f64]]", slot_of_object(&frozen->header), NULL));
  CHECK(
      !fits("jitffi.FrozenMap[str, i64]", slot_of_object(&frozen->header),
            "TypeError: f: argument 1 'x': expected jitffi.FrozenMap[str, i64], got jitffi.FrozenMap with float 0.5 at "
            "['a']"));
  jf_object_release(frozen->map);
  jf_object_release(&frozen->header);
}

static int32_t call_nothing(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  (void)self, (void)count, (void)args, (void)out;
  return 0;
}

static int has_types(const char* signature, const char* types) {
  jf_object* function = jf_function_new(call_nothing, NULL, NULL, signature);
  const int32_t has = jf_function_has_types(function, jf_function_types(types));
  jf_object_release(function);
  return has;
}

static void test_types_of_functions(void) {
  static const char* const texts[][2] = {
      {"(a: i64, b: str = \"x, (y: \\\"\") -> void", "(i64, str) -> void"},
      {"(a: i64 = -1, f: func[(b: f64 = 1.5) -> func[() -> str]]) -> list[i64]",
       "(i64, func[(f64) -> func[() -> str]]) -> list[i64]"},
      {"() -> tuple[i64, ...]", "() -> tuple[i64, ...]"},
      {"(x: f64[n, 4 @ lda] = None, n: i64 = (), ...) -> i64 | str", "(f64[n, 4 @ lda], i64, ...) -> i64 | str"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    CHECK_TEXT(jf_function_types(texts[i][0]), texts[i][1]);
    CHECK(jf_function_types(texts[i][0]) == jf_function_types(texts[i][1]));
    CHECK(has_types(texts[i][0], texts[i][1]) == 1 && has_types(texts[i][0], "(i64) -> i64") == 0);
  }
  CHECK(has_types(NULL, "(i64) -> i64") == -1);
  static const char* const none[] = {"", "(", "(a: ", "(a: i64 = \"", "func[(", "(func[(func[(", "(]", "() -> ]"};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) CHECK(jf_function_types(none[i]) != NULL);
}

static void test_functions(void) {
  jf_object* typed = jf_function_new(call_nothing, NULL, NULL, "(n: i64) -> str");
  jf_object* untyped = jf_function_new(call_nothing, NULL, NULL, NULL);
  const jf_any one = slot_of_object(typed), other = slot_of_object(untyped);
  CHECK(fits("func", one, NULL) && fits("func[(i64) -> str]", one, NULL) && fits("func[(x: i64) -> str]", one, NULL));
  CHECK(fits("func[(f64) -> str]", other, NULL) &&
        fits("optional[func[() -> str]]", (jf_any){.type_code = JF_NULL}, NULL));
  CHECK(!fits("func[(f64) -> str]", one,
              "TypeError: f: argument 1 'x': expected func[(f64) -> str], got function (n: i64) -> str"));
  CHECK(!fits("func[() -> void] | i64", one, NULL) && fits("func[(i64) -> str] | i64", one, NULL));
  CHECK(!jf_pattern_of("func[i64]") && !jf_pattern_of("func[(i64) -> i64") && !jf_pattern_of("list[func[()]"));
  jf_object_release(jf_error_take());
  jf_object_release(typed);
  jf_object_release(untyped);
}

static int32_t make_function(void) { return jf_pattern_of("func[(a: i16, b: i8) -> void] | str") ? 0 : -1; }
static void test_functions_without_memory(void) { SURVIVES(make_function); }

static int32_t make_union(void) { return jf_pattern_of("i64 | test.made | list[i32 | null]") ? 0 : -1; }
static void test_unions_without_memory(void) { SURVIVES(make_union); }

static int32_t make_pattern(void) { return jf_pattern_of("tuple[list[i64], list[i32], map[i8, i8]]") ? 0 : -1; }
static void test_without_memory(void) { SURVIVES(make_pattern); }

int main(void) {
  RUN(test_scalars_follow_the_rules_of_packed_parameters);
  RUN(test_own_form_and_place);
  RUN(test_text_and_objects);
  RUN(test_messages_lead_to_the_value);
  RUN(test_what_is_right_is_borrowed);
  RUN(test_texts_have_one_pattern);
  RUN(test_unions);
  RUN(test_objects_of_a_type);
  RUN(test_elements_of_tensors);
  RUN(test_what_a_frozen_map_holds);
  RUN(test_types_of_functions);
  RUN(test_functions);
  RUN(test_functions_without_memory);
  RUN(test_unions_without_memory);
  RUN(test_without_memory);
  return finish();
}
