/* The global functions. */
#include "testhelper.h"

static int32_t nothing(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args, (void)args, (void)out;
  return 0;
}

static jf_object* new_function(void) { return jf_function_new(nothing, NULL, NULL, NULL); }

static void test_set_get_remove(void) {
  jf_object* function = new_function();
  CHECK(!jf_global_get("demo.add"));
  CHECK(jf_global_set("demo.add", function, 0) == 0);
  CHECK(function->ref_count == 2);
  jf_object* got = jf_global_get("demo.add");
  CHECK(got == function);
  jf_object_release(got);
  CHECK(jf_global_remove("demo.add") == 0 && !jf_global_get("demo.add"));
  CHECK(function->ref_count == 1);
  jf_object_release(function);
}

static void test_override(void) {
  jf_object *first = new_function(), *second = new_function();
  CHECK(jf_global_set("demo.add", first, 1) == 0);
  CHECK(jf_global_set("demo.add", second, 0) == -1);
  CHECK_ERROR("ValueError: global function 'demo.add' is already registered; override replaces it");
  CHECK(first->ref_count == 2 && second->ref_count == 1);
  CHECK(jf_global_set("demo.add", second, 1) == 0);
  CHECK(first->ref_count == 1 && second->ref_count == 2);
  jf_object_release(first);
  jf_object_release(second);
  CHECK(jf_global_remove("demo.add") == 0);
}

static void test_metadata(void) {
  jf_object *function = new_function(), *map = jf_map_new(0, -1);
  CHECK(jf_global_set_metadata("demo.add", map) == -1 && map->ref_count == 1);
  CHECK_ERROR("ValueError: unknown global function 'demo.add'");
  CHECK(jf_global_set("demo.add", function, 0) == 0 && !jf_global_metadata("demo.add"));
  CHECK(jf_global_set_metadata("demo.add", function) == -1);
  CHECK_ERROR("TypeError: metadata is a map, not a function");
  CHECK(jf_global_set_metadata("demo.add", map) == 0 && map->ref_count == 2);
  jf_object* got = jf_global_metadata("demo.add");
  CHECK(got == map && jf_global_set_metadata("demo.add", NULL) == 0 && map->ref_count == 2);
  CHECK(jf_global_set_metadata("demo.add", map) == 0);
  CHECK(jf_global_set("demo.add", function, 1) == 0 && !jf_global_metadata("demo.add"));
  CHECK(jf_global_set_metadata("demo.add", map) == 0 && jf_global_remove("demo.add") == 0);
  CHECK(map->ref_count == 2 && !jf_global_metadata("demo.add"));
  jf_object_release(got);
  jf_object_release(map);
  jf_object_release(function);
}

static void test_what_cannot_be_registered(void) {
  jf_object* text = jf_str_new("x", 1);
  CHECK(jf_global_set("demo.text", text, 0) == -1);
  CHECK_ERROR("TypeError: global function 'demo.text': expected function, got str");
  CHECK(jf_global_set("demo.null", NULL, 0) == -1);
  CHECK_ERROR("TypeError: global function 'demo.null': expected function, got null");
  CHECK(jf_global_set("", text, 0) == -1);
  CHECK_ERROR("ValueError: the name of a global function cannot be empty");
  jf_object_release(text);
}

static void test_unknown_names(void) {
  jf_object* function = new_function();
  CHECK(jf_global_remove("x") == -1);
  CHECK_ERROR("ValueError: unknown global function 'x'");
  jf_global_set("demo.add", function, 0);
  jf_global_set("demo.sub", function, 0);
  CHECK(jf_global_remove("demo.ad") == -1);
  CHECK_ERROR("ValueError: unknown global function 'demo.ad'; did you mean 'demo.add'?");
  jf_global_fail_unknown("dmo.sub");
  CHECK_ERROR("ValueError: unknown global function 'dmo.sub'; did you mean 'demo.sub'?");
  jf_global_fail_unknown("something else\n");
  CHECK_ERROR("ValueError: unknown global function 'something else\\n'");
  CHECK(jf_global_remove("demo.add") == 0 && jf_global_remove("demo.sub") == 0);
  jf_object_release(function);
}

typedef struct {
  char text[256];
  int stop_after;
} visited;

static int32_t visit(const char* name, void* context) {
  visited* seen = context;
  strcat(seen->text, name);
  strcat(seen->text, " ");
  jf_object* function = jf_global_get(name); /* the registry may be used meanwhile */
  CHECK(function != NULL);
  jf_object_release(function);
  return --seen->stop_after == 0 ? 42 : 0;
}

static void test_listing(void) {
  jf_object* function = new_function();
  visited all = {"", -1}, some = {"", 2}, none = {"", -1};
  CHECK(jf_global_list(visit, &none) == 0);
  CHECK_TEXT(none.text, "");
  jf_global_set("c", function, 0);
  jf_global_set("a", function, 0);
  jf_global_set("b.longer.name", function, 0);
  CHECK(jf_global_list(visit, &all) == 0);
  CHECK_TEXT(all.text, "a b.longer.name c ");
  CHECK(jf_global_list(visit, &some) == 42);
  CHECK_TEXT(some.text, "a b.longer.name ");
  jf_global_remove("a"), jf_global_remove("b.longer.name"), jf_global_remove("c");
  jf_object_release(function);
}

/* A deleter that uses the registry while an entry is replaced or removed. */
static void use_registry(void* captures) {
  (void)captures;
  jf_object* function = new_function();
  CHECK(jf_global_set("demo.inner", function, 1) == 0);
  CHECK(jf_global_remove("demo.inner") == 0);
  jf_object_release(function);
}

static void test_deleters_may_use_the_registry(void) {
  jf_object* function = jf_function_new(nothing, NULL, use_registry, NULL);
  jf_global_set("demo.outer", function, 0);
  jf_object_release(function);
  function = jf_function_new(nothing, NULL, use_registry, NULL);
  CHECK(jf_global_set("demo.outer", function, 1) == 0);
  jf_object_release(function);
  CHECK(jf_global_remove("demo.outer") == 0);
}

static int32_t register_many(void) {
  jf_object* function = new_function();
  if (!function) return -1;
  int32_t status = 0, count = 0;
  char name[32];
  for (; count < 40 && status == 0; count += status == 0) {
    snprintf(name, sizeof name, "hostile.%d", (int)count);
    status = jf_global_set(name, function, 0);
  }
  CHECK(function->ref_count == 1 + count);
  visited seen = {"", 1};
  if (status == 0 && jf_global_list(visit, &seen) == -1) status = -1;
  while (count-- > 0) {
    snprintf(name, sizeof name, "hostile.%d", (int)count);
    CHECK(jf_global_remove(name) == 0);
  }
  jf_object_release(function);
  return status;
}

static void test_without_memory(void) { SURVIVES(register_many); }

int main(void) {
  RUN(test_without_memory); /* first: the table has still to grow */
  RUN(test_set_get_remove);
  RUN(test_override);
  RUN(test_metadata);
  RUN(test_what_cannot_be_registered);
  RUN(test_unknown_names);
  RUN(test_listing);
  RUN(test_deleters_may_use_the_registry);
  return finish();
}
