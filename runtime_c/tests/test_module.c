/* Modules: exports, imports, unloading; the system library; shared libraries. */
#include "jitffi/module.h"

#include "testhelper.h"

static int32_t answer(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)args;
  *out = slot_of_int(42 + num_args);
  return 0;
}

static int32_t other(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args, (void)args;
  *out = slot_of_int(7);
  return 0;
}

static int unloads;
static void count_unload(void* owner) { unloads += *(int*)owner; }

static const jf_export exports[] = {{"sub", other, NULL}, {"add", answer, "(a: i64) -> i64"}, {"mul", answer, NULL}};

static jf_object* new_module(const char* name, size_t count) {
  static int one = 1;
  return jf_module_new(name, exports, count, &one, count_unload);
}

/* The result of a function without arguments that gives an int; takes the function. -1 for none. */
static int64_t call(jf_object* function) {
  if (!CHECK(function)) return -1;
  jf_value out = null_out(8);
  CHECK(jf_function_call(function, 0, NULL, &out) == 0 && out.type_code == JF_INT);
  jf_object_release(function);
  return out.v_int64;
}

static void test_functions(void) {
  char name[] = "demo";
  jf_object* m = new_module(name, 3);
  name[0] = 'x';
  CHECK(m->type_code == JF_MODULE);
  CHECK_TEXT(jf_module_name(m), "demo");
  CHECK(call(jf_module_get(m, "add")) == 42 && call(jf_module_get(m, "sub")) == 7);
  jf_object* add = jf_module_get(m, "add");
  CHECK_TEXT(((jf_function*)add)->signature, "(a: i64) -> i64");
  jf_object_release(add);
  jf_object* sub = jf_module_get_own(m, "sub");
  CHECK(!((jf_function*)sub)->signature);
  jf_object_release(sub);
  CHECK(!jf_module_get_own(m, "nothing"));
  CHECK(!jf_module_get(m, "ad"));
  CHECK_ERROR("AttributeError: module 'demo' has no function 'ad'; did you mean 'add'?");
  CHECK(!jf_module_get(m, "something"));
  CHECK_ERROR("AttributeError: module 'demo' has no function 'something'");
  jf_object_release(m);
}

static void test_exports_are_sorted(void) {
  jf_object* m = new_module("demo", 3);
  size_t count;
  const jf_export* found = jf_module_exports(m, &count);
  CHECK(count == 3);
  CHECK_TEXT(found[0].name, "add");
  CHECK_TEXT(found[1].name, "mul");
  CHECK_TEXT(found[2].name, "sub");
  CHECK(found[0].call == answer && found[2].call == other);
  jf_object_release(m);
  jf_object* empty = jf_module_new("", NULL, 0, NULL, NULL);
  CHECK(jf_module_exports(empty, &count) != NULL && count == 0);
  CHECK(!jf_module_get_own(empty, "add"));
  jf_object_release(empty);
}

static void test_a_function_holds_its_module(void) {
  jf_object* m = new_module("demo", 3);
  unloads = 0;
  jf_object *add = jf_module_get(m, "add"), *again = jf_module_get(m, "add");
  CHECK(jf_module_of(add) == m && !jf_module_of(m) && !jf_module_of(NULL));
  CHECK(*(int*)jf_module_owner(m, count_unload) == 1 && !jf_module_owner(m, NULL) && !jf_module_owner(add, NULL));
  jf_object_release(m);
  CHECK(unloads == 0);
  CHECK(call(add) == 42 && unloads == 0);
  CHECK(call(again) == 42 && unloads == 1);
}

static void test_a_function_that_its_module_need_not_wait_for(void) {
  jf_object* m = new_module("demo", 3);
  unloads = 0;
  jf_object* add = jf_module_get(m, "add");
  jf_module_keep(add);
  CHECK(jf_module_unload(m) == 0 && unloads == 1);
  jf_module_keep(m); /* of no function: nothing */
  CHECK(call(add) == 42);
  jf_object_release(m);
}

static void test_code_of_a_module(void) {
  char code[64];
  jf_object *m = new_module("demo", 1), *other_one = new_module("other", 1);
  unloads = 0;
  CHECK(!jf_module_hold(code));
  jf_module_set_memory(other_one, code + 32, 32);
  jf_module_set_memory(m, code, 32);
  jf_module_set_memory(m, code, 64); /* once */
  jf_object* holder = jf_module_hold(code + 31);
  CHECK(jf_module_of(holder) == m && !jf_module_hold(code + 64));
  CHECK(jf_module_unload(m) == -1);
  CHECK_ERROR("RuntimeError: module 'demo' cannot be unloaded: 1 function taken from it is in use");
  jf_object_release(m);
  CHECK(unloads == 0);
  jf_object_release(holder);
  CHECK(unloads == 1 && !jf_module_hold(code));
  CHECK(jf_module_unload(other_one) == 0 && !jf_module_hold(code + 40));
  jf_object_release(other_one);
}

static void test_unloading(void) {
  jf_object* m = new_module("demo", 3);
  size_t count;
  unloads = 0;
  jf_object *add = jf_module_get(m, "add"), *sub = jf_module_get(m, "sub");
  CHECK(jf_module_unload(m) == -1);
  CHECK_ERROR("RuntimeError: module 'demo' cannot be unloaded: 2 functions taken from it are in use");
  jf_object_release(sub);
  CHECK(jf_module_unload(m) == -1);
  CHECK_ERROR("RuntimeError: module 'demo' cannot be unloaded: 1 function taken from it is in use");
  CHECK(jf_module_is_loaded(m) && unloads == 0);
  jf_object_release(add);
  CHECK(jf_module_unload(m) == 0 && !jf_module_is_loaded(m) && unloads == 1);
  CHECK(jf_module_unload(m) == 0 && unloads == 1);
  CHECK(!jf_module_get(m, "add"));
  CHECK_ERROR("ValueError: module 'demo' was unloaded");
  CHECK(!jf_module_get_own(m, "add"));
  CHECK_ERROR("ValueError: module 'demo' was unloaded");
  CHECK(!jf_module_exports(m, &count) && count == 0);
  CHECK_ERROR("ValueError: module 'demo' was unloaded");
  CHECK(jf_module_import(m, m) == -1);
  CHECK_ERROR("ValueError: module 'demo' was unloaded");
  CHECK_TEXT(jf_module_name(m), "demo");
  jf_object_release(m);
  CHECK(unloads == 1);
}

static void test_imports(void) {
  static const jf_export far[] = {{"far", other, NULL}, {"add", other, NULL}};
  jf_object *a = new_module("a", 2), *b = jf_module_new("b", NULL, 0, NULL, NULL);
  jf_object* c = jf_module_new("c", far, 2, NULL, NULL);
  CHECK(jf_module_import(a, b) == 0 && jf_module_import(b, c) == 0 && jf_module_import(a, b) == 0);
  CHECK(b->ref_count == 2 && jf_module_count_imports(a) == 1);
  jf_object* imported = jf_module_imported(a, 0);
  CHECK(imported == b && !jf_module_imported(a, 1));
  jf_object_release(imported);
  CHECK(call(jf_module_get(a, "far")) == 7);  /* through b */
  CHECK(call(jf_module_get(a, "add")) == 42); /* its own first */
  CHECK(call(jf_module_get(b, "add")) == 7);
  CHECK(!jf_module_get_own(a, "far"));
  jf_object* held = jf_module_get(a, "far");
  CHECK(jf_module_unload(a) == 0); /* the function is c's */
  CHECK(jf_module_unload(c) == -1);
  CHECK_ERROR("RuntimeError: module 'c' cannot be unloaded: 1 function taken from it is in use");
  jf_object_release(held);
  CHECK(b->ref_count == 1);
  CHECK(jf_module_unload(c) == 0);
  CHECK(!jf_module_get(b, "far")); /* an import that was unloaded is passed over */
  CHECK_ERROR("AttributeError: module 'b' has no function 'far'");
  jf_object_release(a);
  jf_object_release(b);
  jf_object_release(c);
}

static void test_rings_of_imports(void) {
  jf_object* ring[3];
  for (int i = 0; i < 3; i++) ring[i] = new_module(i ? "b" : "a", i == 2 ? 3 : 0);
  for (int i = 0; i < 3; i++) CHECK(jf_module_import(ring[i], ring[(i + 1) % 3]) == 0);
  CHECK(jf_module_import(ring[0], ring[0]) == 0 && jf_module_count_imports(ring[0]) == 1);
  for (int i = 0; i < 3; i++) CHECK(call(jf_module_get(ring[i], "mul")) == 42);
  CHECK(!jf_module_get(ring[0], "nothing"));
  CHECK_ERROR("AttributeError: module 'a' has no function 'nothing'");
  jf_module_clear_imports(ring[1]);
  for (int i = 0; i < 3; i++) jf_object_release(ring[i]);
}

static void test_a_long_chain_of_imports(void) {
  enum { LENGTH = 200000 };
  jf_object* first = new_module("m", 0);
  jf_object* last = first;
  jf_object_retain(last);
  for (int i = 1; i < LENGTH; i++) {
    jf_object* next = new_module("m", i == LENGTH - 1 ? 3 : 0);
    jf_module_import(last, next);
    jf_object_release(last);
    last = next;
  }
  CHECK(call(jf_module_get(first, "add")) == 42);
  jf_object_release(last);
  jf_object_release(first);
}

static void test_what_is_no_module(void) {
  jf_object *text = jf_str_new("x", 1), *m = new_module("demo", 1);
  size_t count;
  CHECK(!jf_module_get(text, "x"));
  CHECK_ERROR("TypeError: expected module, got str");
  CHECK(jf_module_import(m, text) == -1);
  CHECK_ERROR("TypeError: expected module, got str");
  CHECK(jf_module_import(m, NULL) == -1);
  CHECK_ERROR("TypeError: expected module, got null");
  CHECK(jf_module_unload(text) == -1);
  CHECK_ERROR("TypeError: expected module, got str");
  CHECK(!jf_module_exports(text, &count));
  CHECK_ERROR("TypeError: expected module, got str");
  CHECK_TEXT(jf_module_name(text), "");
  CHECK(!jf_module_imported(text, 0) && jf_module_count_imports(text) == 0 && !jf_module_is_loaded(text));
  jf_module_clear_imports(text);
  jf_object_release(text);
  jf_object_release(m);
}

static void test_bad_exports(void) {
  const jf_export twice[] = {{"a", answer, NULL}, {"b", answer, NULL}, {"a", other, NULL}};
  const jf_export unnamed[] = {{"a", answer, NULL}, {"", answer, NULL}};
  const jf_export empty[] = {{"a", NULL, NULL}};
  unloads = 0;
  int one = 1;
  CHECK(!jf_module_new("demo", twice, 3, &one, count_unload));
  CHECK_ERROR("ValueError: module 'demo': 'a' is exported twice");
  CHECK(!jf_module_new("demo", unnamed, 2, &one, count_unload));
  CHECK_ERROR("ValueError: module 'demo': export 2 has no name");
  CHECK(!jf_module_new("demo", empty, 1, &one, count_unload));
  CHECK_ERROR("ValueError: module 'demo': export 1 has no function");
  CHECK(unloads == 0); /* the owner is still the caller's */
}

static void test_abi_versions(void) {
  CHECK(jf_module_check_abi("demo.so", JF_ABI_VERSION) == 0 && jf_module_check_abi("demo.so", 0) == 0);
  CHECK(jf_module_check_abi("demo.so", 0x10000) == -1);
  CHECK_ERROR("OSError: demo.so: was made for ABI 1.0, this runtime has 0.0");
  CHECK(jf_module_check_abi("demo.so", JF_ABI_VERSION + 1) == -1);
  CHECK_ERROR("OSError: demo.so: was made for ABI 0.1, this runtime has 0.0");
}

/* -- the system library: what an object file would define, and the macro that registers it -- */

JF_EXPORT(system_add);
JF_EXPORT(untyped);

const char __jfsig_system_add[] = "() -> i64";
int32_t __jf_system_add(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out);
int32_t __jf_system_add(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  return answer(self, num_args, args, out);
}
int32_t __jf_untyped(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out);
int32_t __jf_untyped(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  return other(self, num_args, args, out);
}

static void test_system_library(void) {
  jf_object *all = jf_system_library(NULL), *some = jf_system_library("system_"), *none = jf_system_library("none.");
  size_t count;
  CHECK(jf_module_exports(all, &count) && count == 2);
  CHECK_TEXT(jf_module_exports(all, &count)[0].signature, "() -> i64");
  CHECK(!jf_module_exports(all, &count)[1].signature);
  CHECK(call(jf_module_get(all, "system_add")) == 42 && call(jf_module_get(all, "untyped")) == 7);
  CHECK(jf_module_exports(some, &count) && count == 1);
  CHECK(call(jf_module_get(some, "add")) == 42);
  CHECK_TEXT(jf_module_name(all), "system");
  CHECK_TEXT(jf_module_name(some), "system_");
  CHECK(jf_module_exports(none, &count) && count == 0);
  jf_object_release(all), jf_object_release(some), jf_object_release(none);
}

static void test_registering(void) {
  jf_export_table table = {exports, 3, NULL}, shadow = {exports + 1, 1, NULL}, absent = {exports, 1, NULL};
  size_t count;
  jf_module_register(&table);
  jf_module_register(&shadow); /* "add" again: the first stays */
  jf_module_unregister(&absent);
  jf_object* m = jf_system_library("");
  CHECK(jf_module_exports(m, &count) && count == 5);
  jf_module_unregister(&table);
  jf_object* after = jf_system_library("");
  CHECK(jf_module_exports(after, &count) && count == 3);
  jf_module_unregister(&shadow);
  CHECK(call(jf_module_get(m, "sub")) == 7);
  jf_object_release(m), jf_object_release(after);
}

/* -- shared libraries; LIBRARIES is the folder that the build puts them into -- */

#ifdef LIBRARIES
#include <dlfcn.h>

static void test_a_library_that_is_open(void) {
  const char* path = LIBRARIES "/libmodule_library.so";
  int one = 1;
  unloads = 0;
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  jf_object* m = jf_module_of_library(handle, path, &one, count_unload);
  CHECK(call(jf_module_get(m, "constructed")) == 1);
  jf_object_release(m);
  CHECK(unloads == 1);
  dlclose(handle);
  path = LIBRARIES "/libmodule_library_newer.so";
  handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(!jf_module_of_library(handle, path, &one, count_unload) && unloads == 1); /* the owner is still the caller's */
  CHECK_ERROR("OSError: " LIBRARIES "/libmodule_library_newer.so: was made for ABI 3.5, this runtime has 0.0");
  dlclose(handle);
}

static void test_loading(void) {
  jf_object* m = jf_module_load(LIBRARIES "/libmodule_library.so");
  if (!CHECK(m)) return;
  size_t count;
  const jf_export* found = jf_module_exports(m, &count);
  CHECK_TEXT(jf_module_name(m), "libmodule_library");
  CHECK(count == 3);
  CHECK_TEXT(found[0].name, "add");
  CHECK_TEXT(found[0].signature, "(a: i64, b: i64) -> i64");
  CHECK_TEXT(found[1].name, "constructed");
  CHECK_TEXT(found[2].name, "count_destructions");
  CHECK(!found[2].signature);
  CHECK(call(jf_module_get(m, "constructed")) == 1);
  int64_t destructions = 0;
  jf_view args[] = {slot_of_int(20), slot_of_int(22)}, where = slot_of_int((int64_t)(intptr_t)&destructions);
  jf_value out = null_out(8);
  jf_object* count_them = jf_module_get(m, "count_destructions");
  CHECK(jf_function_call(count_them, 1, &where, &out) == 0);
  jf_object_release(count_them);
  jf_object* add = jf_module_get(m, "add");
  jf_object* holder = jf_module_hold((const char*)(uintptr_t)found[0].call + 1);
  CHECK(jf_module_of(holder) == m);
  jf_object_release(holder);
  jf_object_release(m); /* the function holds the library */
  CHECK(jf_function_call(add, 2, args, &out) == 0 && out.v_int64 == 42 && destructions == 0);
  jf_object_release(add);
  CHECK(destructions == 1);
}

static void test_versions_of_libraries(void) {
  jf_object* m = jf_module_load(LIBRARIES "/libmodule_library_same.so");
  CHECK(call(jf_module_get(m, "constructed")) == 1);
  jf_object_release(m);
  CHECK(!jf_module_load(LIBRARIES "/libmodule_library_newer.so"));
  CHECK_ERROR("OSError: " LIBRARIES "/libmodule_library_newer.so: was made for ABI 3.5, this runtime has 0.0");
}

static void test_files_that_are_no_libraries(void) {
  CHECK(!jf_module_load(LIBRARIES "/no such library.so"));
  jf_object* error = jf_error_take();
  CHECK_TEXT(((jf_error*)error)->kind->data, "OSError");
  CHECK(strstr(((jf_error*)error)->message->data, "no such library.so"));
  jf_object_release(error);
  CHECK(!jf_module_load(__FILE__));
  CHECK_ERROR("OSError: " __FILE__ ": is no shared library: not an ELF file");
  CHECK(jf_module_check_library(LIBRARIES "/libmodule_library.so") == 0);
}

/* Cut short anywhere: refused, and never mapped. */
static void test_libraries_cut_short(void) {
  static char content[1 << 16];
  const char* path = LIBRARIES "/cut.so";
  FILE* file = fopen(LIBRARIES "/libmodule_library.so", "rb");
  const size_t size = fread(content, 1, sizeof content, file);
  fclose(file);
  for (size_t kept = 0; kept < 4096; kept += 61) {
    file = fopen(path, "wb");
    CHECK(file && fwrite(content, 1, kept, file) == kept && fclose(file) == 0);
    CHECK(!jf_module_load(path));
    jf_object_release(jf_error_take());
  }
  file = fopen(path, "wb");
  content[18] = 0x28, content[19] = 0; /* e_machine */
  CHECK(file && fwrite(content, 1, size, file) == size && fclose(file) == 0);
  CHECK(!jf_module_load(path));
  jf_error* error = (jf_error*)jf_error_take();
  CHECK(strstr(error->message->data, "/cut.so: is for ARM, this machine is "));
  jf_object_release(&error->header);
  remove(path);
}

static int32_t load_and_take(void) {
  jf_object* m = jf_module_load(LIBRARIES "/libmodule_library.so");
  jf_object* function = m ? jf_module_get(m, "add") : NULL;
  const int32_t status = function ? jf_module_import(m, m) : -1;
  jf_object_release(function);
  jf_object_release(m);
  return status;
}
#endif

static int32_t make_and_use(void) {
  jf_object *m = new_module("demo", 3), *n = m ? jf_system_library("") : NULL, *f = n ? jf_module_get(m, "add") : NULL;
  int32_t status = f ? 0 : -1;
  for (int i = 0; i < 6 && status == 0; i++) {
    jf_object* more = new_module("more", 0);
    status = more ? jf_module_import(m, more) : -1;
    jf_object_release(more);
  }
  jf_object_release(f), jf_object_release(n), jf_object_release(m);
  return status;
}

static void test_without_memory(void) {
  SURVIVES(make_and_use);
#ifdef LIBRARIES
  SURVIVES(load_and_take);
#endif
}

int main(void) {
  RUN(test_functions);
  RUN(test_exports_are_sorted);
  RUN(test_a_function_holds_its_module);
  RUN(test_a_function_that_its_module_need_not_wait_for);
  RUN(test_code_of_a_module);
  RUN(test_unloading);
  RUN(test_imports);
  RUN(test_rings_of_imports);
  RUN(test_a_long_chain_of_imports);
  RUN(test_what_is_no_module);
  RUN(test_bad_exports);
  RUN(test_abi_versions);
  RUN(test_system_library);
  RUN(test_registering);
#ifdef LIBRARIES
  RUN(test_a_library_that_is_open);
  RUN(test_loading);
  RUN(test_versions_of_libraries);
  RUN(test_files_that_are_no_libraries);
  RUN(test_libraries_cut_short);
#endif
  RUN(test_without_memory);
  return finish();
}
