/* Types that programs define: what a definition is refused for, fields read and written, methods, cycles, deep chains. */
#include "jitffi/types.h"
#include "testhelper.h"

typedef struct {
  jf_object header;
  jf_links links;
  double x;
  int32_t n;
  uint8_t small;
  uint8_t is_set;
  jf_value name;
  jf_object* next;
} node;

static const jf_field node_fields[] = {
    {"x", "f64", "Where.", offsetof(node, x), JF_KIND_F64, JF_FIELD_HAS_DEFAULT, 0, {JF_FLOAT, 0, {.v_float64 = 1.5}}},
    {"n", "i32", NULL, offsetof(node, n), JF_KIND_I32, 0, 0, {JF_NULL, 0, {0}}},
    {"small", "u8", NULL, offsetof(node, small), JF_KIND_U8, 0, 0, {JF_NULL, 0, {0}}},
    {"is_set", "bool", NULL, offsetof(node, is_set), JF_KIND_BOOL, 0, 0, {JF_NULL, 0, {0}}},
    {"name", "any", NULL, offsetof(node, name), JF_FIELD_SLOT, 0, 0, {JF_NULL, 0, {0}}},
    {"next",
     "optional[object]",
     NULL,
     offsetof(node, next),
     JF_FIELD_OBJECT,
     JF_FIELD_NO_COMPARE,
     0,
     {JF_NULL, 0, {0}}},
};

static jf_type_info node_type(const char* key) {
  return (jf_type_info){.key = key,
                        .parent = JF_ROOT,
                        .size = sizeof(node),
                        .links = offsetof(node, links),
                        .flags = JF_TYPE_COMPARES | JF_TYPE_ORDERED | JF_TYPE_HASHES,
                        .num_fields = sizeof node_fields / sizeof node_fields[0],
                        .fields = node_fields};
}

static int32_t node_code(void) {
  const jf_type_info type = node_type("test.Node");
  const int32_t code = jf_type_define(&type);
  CHECK(code >= JF_FIRST_DYNAMIC);
  return code;
}

static node* new_node(void) {
  node* made = (node*)(void*)jf_object_make_of(node_code());
  CHECK(made != NULL);
  return made;
}

static void test_definition(void) {
  const int32_t code = node_code();
  const jf_type_info* info = jf_type_info_of(code);
  CHECK(info && info->num_fields == 6 && strcmp(info->key, "test.Node") == 0);
  CHECK(node_code() == code && jf_type_code("test.Node") == code);
  CHECK(jf_type_field(info, "n")->size == 4 && jf_type_field(info, "name")->size == 16);
  CHECK(jf_type_field(info, "nothing") == NULL && jf_type_info_of(JF_LIST) == NULL);
  jf_type_info other = node_type("test.Node");
  other.num_fields = 5;
  CHECK(jf_type_define(&other) == 0);
  CHECK_ERROR("ValueError: type 'test.Node': it is defined already, with other fields");
}

static void refuse(const char* type_text, int32_t offset, int32_t kind, const char* why) {
  char message[160];
  const jf_field fields[] = {{"other", "str", NULL, 32, JF_FIELD_SLOT, 0, 0, {JF_NULL, 0, {0}}},
                             {"f", type_text, NULL, offset, kind, 0, 0, {JF_NULL, 0, {0}}}};
  const jf_type_info type = {
      .key = "test.Refused", .parent = JF_ROOT, .size = 64, .links = 48, .num_fields = 2, .fields = fields};
  CHECK(jf_type_define(&type) == 0);
  snprintf(message, sizeof message, "ValueError: type 'test.Refused', field f: %s", why);
  CHECK_ERROR(message);
}

static void refuse_links(int32_t size, int32_t links) {
  const jf_type_info type = {.key = "test.Refused", .parent = JF_ROOT, .size = size, .links = links};
  CHECK(jf_type_define(&type) == 0);
  CHECK_ERROR("ValueError: type 'test.Refused': its links are outside its own part, or not aligned");
}

static void test_refused(void) {
  static const char outside[] = "its offset is outside the object's own part, or not aligned";
  static const char unfit[] = "its kind is not that of its type", overlapping[] = "it lies where another one does";
  refuse("func", 8, JF_FIELD_OBJECT, outside);
  refuse("any", 56, JF_FIELD_SLOT, outside);
  refuse("list[i64]", 20, JF_FIELD_OBJECT, outside);
  refuse("i64", INT32_MAX - 7, JF_KIND_I64, outside);
  refuse("any", 16, JF_KIND_I128, "no field is of that kind");
  refuse("any", 16, 66, "no field is of that kind");
  refuse("any", 16, JF_FIELD_OBJECT, unfit);
  refuse("i64", 16, JF_FIELD_OBJECT, unfit);
  refuse("i64", 16, JF_KIND_F64, unfit);
  refuse("device", 16, JF_KIND_I64, unfit);
  refuse("test.Node", 16, JF_KIND_I64, unfit);
  refuse("i8", 47, JF_KIND_I8, overlapping);
  refuse("any", 24, JF_FIELD_SLOT, overlapping);
  refuse("func", 56, JF_FIELD_OBJECT, "it lies where the links do");
  refuse_links(32, 24);
  refuse_links(64, 20);
  refuse_links(64, 8);
}

/* Numbers, as those of a union. */
static void test_one_place(void) {
  const jf_field fields[] = {{"word", "i64", NULL, 16, JF_KIND_I64, 0, 0, {JF_NULL, 0, {0}}},
                             {"number", "f64", NULL, 16, JF_KIND_F64, 0, 0, {JF_NULL, 0, {0}}}};
  const jf_type_info type = {.key = "test.Union", .parent = JF_ROOT, .size = 24, .num_fields = 2, .fields = fields};
  CHECK(jf_type_define(&type) != 0);
}

static void test_derived(void) {
  typedef struct {
    node base;
    int64_t more;
  } derived;
  const jf_field field = {"more", "i64", NULL, offsetof(derived, more), JF_KIND_I64, 0, 0, {JF_NULL, 0, {0}}};
  const jf_type_info type = {
      .key = "test.Derived", .parent = node_code(), .size = sizeof(derived), .num_fields = 1, .fields = &field};
  const int32_t code = jf_type_define(&type);
  const jf_type_info* info = jf_type_info_of(code);
  CHECK(info && info->num_fields == 7 && info->num_inherited == 6 && info->links == offsetof(node, links));
  CHECK(jf_type_is_a(code, node_code()));
  jf_object* made = jf_object_make_of(code);
  CHECK(made && ((derived*)(void*)made)->base.x == 1.5);
  jf_object_release(made);
}

/* As C++ lays out a class whose base ends in padding. */
static void test_padding_of_the_parent(void) {
  const jf_field base[] = {{"n", "i32", NULL, 16, JF_KIND_I32, 0, 0, {JF_NULL, 0, {0}}}};
  const jf_type_info parent = {.key = "test.Padded", .parent = JF_ROOT, .size = 24, .num_fields = 1, .fields = base};
  jf_field more[] = {{"m", "i32", NULL, 20, JF_KIND_I32, 0, 0, {JF_NULL, 0, {0}}}};
  jf_type_info child = {
      .key = "test.Within", .parent = jf_type_define(&parent), .size = 24, .num_fields = 1, .fields = more};
  const int32_t code = jf_type_define(&child);
  CHECK(code && jf_type_info_of(code)->num_fields == 2);
  more[0].offset = 16;
  child.key = "test.Over";
  CHECK(jf_type_define(&child) == 0);
  CHECK_ERROR("ValueError: type 'test.Over', field m: its offset is outside the object's own part, or not aligned");
}

static int32_t constructed, ended;
static int32_t construct_one(jf_object* object) {
  constructed++;
  ((jf_value*)(void*)((char*)object + 16))->type_code = JF_NULL;
  return 0;
}
static void destroy_one(jf_object* object) {
  ended++;
  jf_any_release((jf_value*)(void*)((char*)object + 16));
}

/* A type derived from one that makes and ends its objects by itself. */
static void test_derived_from_one_that_constructs(void) {
  const jf_field base[] = {{"first", "any", NULL, 16, JF_FIELD_SLOT, 0, 0, {JF_NULL, 0, {0}}}};
  const jf_type_info parent = {.key = "test.Made",
                               .parent = JF_ROOT,
                               .size = 32,
                               .num_fields = 1,
                               .fields = base,
                               .construct = construct_one,
                               .destroy = destroy_one};
  const jf_field more[] = {{"second", "any", NULL, 32, JF_FIELD_SLOT, 0, 0, {JF_NULL, 0, {0}}}};
  const jf_type_info child = {
      .key = "test.MadeChild", .parent = jf_type_define(&parent), .size = 48, .num_fields = 1, .fields = more};
  jf_object* made = jf_object_make_of(jf_type_define(&child));
  const jf_type_info* info = jf_type_info_of(made->type_code);
  CHECK(constructed == 1 && info->num_constructed == 1 && info->num_fields == 2);
  const jf_view text = slot_of_raw("a text that is too long for any slot there is here");
  CHECK(jf_object_set(made, "first", &text) == 0 && jf_object_set(made, "second", &text) == 0);
  jf_object_destroy(made, info);
  CHECK(ended == 1 && construct_one(made) == 0);
  ((jf_value*)(void*)((char*)made + 32))->type_code = JF_NULL;
  jf_object_release(made);
  CHECK(ended == 2);
}

static void test_fields(void) {
  node* made = new_node();
  const jf_type_info* type = jf_type_info_of(made->header.type_code);
  jf_view value = slot_of_int(7);
  CHECK(made->x == 1.5 && made->n == 0 && made->name.type_code == JF_NULL && !made->next);
  CHECK(jf_object_set(&made->header, "x", &value) == 0 && made->x == 7.0);
  CHECK(jf_object_set(&made->header, "n", &value) == 0 && made->n == 7);
  value = slot_of_int(300);
  CHECK(jf_object_set(&made->header, "small", &value) == -1);
  CHECK_ERROR("OverflowError: test.Node.small: expected u8 (0 to 255), got int 300");
  value = slot_of_raw("a text that is too long for any slot there is here");
  CHECK(jf_object_set(&made->header, "name", &value) == 0 && made->name.type_code == JF_OBJECT);
  CHECK(jf_object_set(&made->header, "n", &value) == -1);
  CHECK_ERROR("TypeError: test.Node.n: expected i32, got str 'a text that is too long for any slot the'...");
  CHECK(jf_object_set(&made->header, "none", &value) == -1);
  CHECK_ERROR("AttributeError: test.Node has no field 'none'");
  jf_value got = {JF_NULL, 0, {0}};
  CHECK(jf_object_get(&made->header, "name", &got) == 0 && got.v_object == made->name.v_object);
  jf_any_release(&got);
  CHECK(jf_field_get(&made->header, jf_type_field(type, "x"), &got) == 0 && got.type_code == JF_FLOAT);
  jf_object_release(&made->header);
}

static void test_fields_of_a_type(void) {
  typedef struct {
    jf_object header;
    jf_links links;
    JF_WIDE(jf_object*, one);
    JF_WIDE(jf_object*, other);
  } pair;
  const jf_field fields[] = {
      {"one", "test.Node", NULL, offsetof(pair, one), JF_FIELD_OBJECT, JF_FIELD_OF_TYPE, 0, {JF_NULL, 0, {0}}},
      {"other", "optional[test.Pair]", NULL, offsetof(pair, other), JF_FIELD_OBJECT, JF_FIELD_OF_TYPE, 0, {0, 0, {0}}}};
  const jf_type_info type = {.key = "test.Pair",
                             .parent = JF_ROOT,
                             .size = sizeof(pair),
                             .links = offsetof(pair, links),
                             .num_fields = 2,
                             .fields = fields};
  const int32_t code = jf_type_define(&type);
  const jf_type_info* info = jf_type_info_of(code);
  CHECK(jf_type_parent(code) == JF_ROOT && jf_type_parent(JF_ROOT) == 0);
  jf_object* made = jf_object_make_of(code);
  node* value = new_node();
  jf_view view = slot_of_object(&value->header);
  CHECK(jf_field_takes(&info->fields[0], &value->header) == 1 && jf_field_takes(&info->fields[0], NULL) == 0);
  CHECK(jf_field_takes(&info->fields[1], made) == 1 && jf_field_takes(&info->fields[1], NULL) == 1);
  CHECK(jf_field_set(made, info, &info->fields[0], &view) == 0);
  CHECK(jf_field_set(made, info, &info->fields[1], &view) == -1);
  CHECK_ERROR("TypeError: test.Pair.other: expected optional[test.Pair], got test.Node");
  jf_object_release(&value->header);
  jf_object_release(made);
}

static void test_operations(void) {
  node *a = new_node(), *b = new_node();
  jf_any x = slot_of_object(&a->header), y = slot_of_object(&b->header);
  uint64_t one = 0, two = 1;
  int32_t result = 0;
  CHECK(jf_any_equal(&x, &y) == 1 && jf_any_hash(&x, &one) == 0 && jf_any_hash(&y, &two) == 0 && one == two);
  a->n = 1;
  CHECK(jf_any_equal(&x, &y) == 0);
  CHECK(jf_any_compare(&x, &y, JF_GT, &result) == 0 && result == 1);
  CHECK(jf_any_compare(&x, &y, JF_LE, &result) == 0 && result == 0);
  const jf_any number = slot_of_int(3);
  CHECK(jf_any_equal(&x, &number) == 0);
  jf_value text = {JF_NULL, 0, {0}};
  jf_object_retain(&a->header);
  a->next = &a->header;
  CHECK(jf_any_repr(&x, &text) == 0);
  CHECK(strcmp(((jf_str*)(void*)text.v_object)->data,
               "Node(x=1.5, n=1, small=0, is_set=False, name=None, next=Node(...))") == 0);
  jf_any_release(&text);
  a->next = NULL;
  jf_object_release(&a->header);
  jf_object_release(&a->header);
  jf_object_release(&b->header);
}

static int32_t answer(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)args;
  *out = slot_of_int(40 + num_args);
  return 0;
}

static int32_t count_method(const jf_method* method, void* context) {
  CHECK(strcmp(method->name, "answer") == 0 && method->is_static == 0 && strcmp(method->doc, "What it is.") == 0);
  ++*(int*)context;
  return 0;
}

static int32_t find_code(int32_t code, void* context) { return code == *(int32_t*)context; }

static void test_methods(void) {
  int32_t code = node_code();
  jf_object* function = jf_function_new(answer, NULL, NULL, NULL);
  const jf_method method = {"answer", "What it is.", 0, function};
  CHECK(jf_type_set_method(code, &method) == 0 && jf_type_set_method(code, &method) == 0);
  CHECK(jf_type_set_method(JF_LIST, &method) == -1);
  CHECK_ERROR("ValueError: type code 36: it is no registered type's, and can have no methods");
  jf_object* found = jf_type_method(code, "answer");
  CHECK(found == function && jf_type_method(code, "nothing") == NULL);
  jf_object_release(found);
  int count = 0;
  CHECK(jf_type_each_method(code, count_method, &count) == 0 && count == 1);
  CHECK(jf_type_list(find_code, &code) == 1);
  node* made = new_node();
  const jf_any args[2] = {slot_of_object(&made->header), slot_of_int(1)};
  jf_value out = {JF_NULL, 0, {0}};
  CHECK(jf_method_call("answer", 2, args, &out) == 0 && out.v_int64 == 42);
  out = (jf_value){JF_NULL, 0, {0}};
  CHECK(jf_method_call("nothing", 1, args, &out) == -1);
  CHECK_ERROR("AttributeError: test.Node has no method 'nothing'");
  CHECK(jf_method_call("answer", 1, &args[1], &out) == -1);
  CHECK_ERROR("TypeError: method 'answer': its first argument is no object");
  jf_object_release(&made->header);
  const jf_method gone = {"answer", NULL, 0, NULL};
  CHECK(jf_type_set_method(code, &gone) == 0 && jf_type_method(code, "answer") == NULL);
  CHECK(jf_type_each_method(code, count_method, &count) == 0 && count == 1);
  jf_object_release(function);
}

static void test_cycle(void) {
  const int64_t before = jf_live_objects();
  node *a = new_node(), *b = new_node();
  jf_view view = slot_of_object(&b->header);
  CHECK(jf_object_set(&a->header, "next", &view) == 0);
  view = slot_of_object(&a->header);
  CHECK(jf_object_set(&b->header, "next", &view) == 0);
  jf_object_release(&b->header);
  CHECK(jf_cycles_collect() == 0);
  jf_object_release(&a->header);
  CHECK(jf_cycles_collect() == 2 && jf_live_objects() == before);
}

static void test_deep_chain(void) {
  const int64_t before = jf_live_objects();
  const int32_t code = node_code();
  jf_object* last = NULL;
  for (int i = 0; i < 200000; i++) {
    node* made = (node*)(void*)jf_object_make_bare(code);
    jf_object_track(&made->header, jf_type_info_of(code));
    made->next = last;
    last = &made->header;
  }
  jf_object_release(last);
  CHECK(jf_live_objects() == before);
}

static int32_t fail_construct(jf_object* object) {
  (void)object;
  jf_error_set("ValueError", "not today");
  return -1;
}

static int destroyed;
static void destroy(jf_object* object) {
  (void)object;
  destroyed++;
}

static void test_own_construction(void) {
  jf_type_info type = {.key = "test.Own", .parent = JF_ROOT, .size = 32, .destroy = destroy};
  jf_object* made = jf_object_make_of(jf_type_define(&type));
  jf_object_release(made);
  CHECK(destroyed == 1);
  type = (jf_type_info){.key = "test.Failing", .parent = JF_ROOT, .size = 32, .construct = fail_construct};
  CHECK(jf_object_make_of(jf_type_define(&type)) == NULL);
  CHECK_ERROR("ValueError: not today");
  type = (jf_type_info){.key = "test.Refused", .parent = JF_ROOT, .size = 32, .construct = jf_construct_refused};
  CHECK(jf_object_make_of(jf_type_define(&type)) == NULL);
  CHECK_ERROR(
      "TypeError: objects of type test.Refused cannot be made here: only its own constructor makes them, of arguments");
  type = (jf_type_info){.key = "test.Opaque", .parent = JF_ROOT};
  CHECK(jf_object_make_of(jf_type_define(&type)) == NULL);
  CHECK_ERROR("TypeError: objects of type test.Opaque cannot be made here: only who defined it knows their size");
}

static void test_stores(void) {
  node* made = new_node();
  const jf_type_info* type = jf_type_info_of(made->header.type_code);
  jf_field_store_object(&made->header, type, jf_type_field(type, "next"), jf_list_new(0, -1));
  jf_value value = {JF_NULL, 0, {0}};
  jf_out_str(&value, "abc", 3);
  jf_field_store_slot(&made->header, type, jf_type_field(type, "name"), &value);
  CHECK(value.type_code == JF_NULL && made->name.type_code == JF_SMALL_STR && made->next->type_code == JF_LIST);
  jf_view view;
  jf_field_view(&made->header, jf_type_field(type, "next"), &view);
  CHECK(view.type_code == JF_OBJECT && view.v_object == made->next);
  jf_fields_release(&made->header, type);
  CHECK(!made->next && made->name.type_code == JF_NULL && made->x == 1.5);
  CHECK(jf_object_end_enter(&made->header, type) == 1);
  jf_object_end_leave(type);
  CHECK(jf_field_operations.traverse != NULL);
  jf_object_release(&made->header);
}

static void test_alias(void) {
  const int32_t code = jf_type_register("test.Aliased", JF_ROOT), other = jf_type_register("test.Other", JF_ROOT);
  CHECK(jf_type_code("test.Awaited") == 0);
  CHECK(jf_type_alias("test.Awaited", code) == 0 && jf_type_alias("test.Awaited", code) == 0);
  CHECK(jf_type_code("test.Awaited") == code && strcmp(jf_type_key(code), "test.Aliased") == 0);
  CHECK(jf_type_alias("test.Awaited", other) == -1);
  CHECK_ERROR("ValueError: type key 'test.Awaited' names another type");
  CHECK(jf_type_alias("str", code) == -1);
  jf_object_release(jf_error_take());
  CHECK(jf_type_alias("", code) == -1);
  jf_object_release(jf_error_take());
}

int main(void) {
  RUN(test_definition);
  RUN(test_refused);
  RUN(test_one_place);
  RUN(test_derived);
  RUN(test_padding_of_the_parent);
  RUN(test_derived_from_one_that_constructs);
  RUN(test_fields);
  RUN(test_fields_of_a_type);
  RUN(test_operations);
  RUN(test_methods);
  RUN(test_cycle);
  RUN(test_deep_chain);
  RUN(test_own_construction);
  RUN(test_stores);
  RUN(test_alias);
  return finish();
}
