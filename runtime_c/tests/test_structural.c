/* Structural equality, mismatches and hashes in C: fields by their flags, structures of types, depth, failing allocations. */
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

static int32_t define(const char* key, int32_t structure, uint32_t name_flags, uint32_t next_flags) {
  const jf_value none = {JF_NULL, 0, {0}};
  const jf_field fields[] = {
      {"x", "f64", NULL, offsetof(node, x), JF_KIND_F64, 0, 0, none},
      {"name", "any", NULL, offsetof(node, name), JF_FIELD_SLOT, name_flags, 0, none},
      {"next", "optional[object]", NULL, offsetof(node, next), JF_FIELD_OBJECT, next_flags, 0, none},
  };
  const jf_type_info type = {.key = key,
                             .parent = JF_ROOT,
                             .size = sizeof(node),
                             .links = offsetof(node, links),
                             .structure = structure,
                             .num_fields = 3,
                             .fields = fields};
  const int32_t code = jf_type_define(&type);
  CHECK(code != 0);
  return code;
}

static int32_t tree, variable, lambda;

static node* make(int32_t code, double x, jf_object* next) {
  node* made = (node*)(void*)jf_object_make_of(code);
  CHECK(made != NULL);
  if (!made) abort();
  made->x = x;
  made->next = next;
  return made;
}

static jf_view view_of(const void* object) {
  jf_view view = {JF_OBJECT, 0, {0}};
  view.v_uint64 = JF_POINTER_WORD(object);
  return view;
}

static int32_t equal(const void* a, const void* b, uint32_t flags) {
  const jf_view x = view_of(a), y = view_of(b);
  uint64_t of_x = 1, of_y = 2;
  const int32_t same = jf_structural_equal(&x, &y, flags);
  CHECK(jf_structural_hash(&x, flags, &of_x) == 0 && jf_structural_hash(&y, flags, &of_y) == 0);
  CHECK(same != 1 || of_x == of_y);
  return same;
}

static void release(void* object) { jf_object_release((jf_object*)object); }

static void test_fields(void) {
  node *a = make(tree, 1, &make(tree, 2, NULL)->header), *b = make(tree, 1, &make(tree, 2, NULL)->header);
  CHECK(equal(a, b, 0) == 1);
  ((node*)(void*)b->next)->x = 3;
  CHECK(equal(a, b, 0) == 0);
  const jf_view x = view_of(a), y = view_of(b);
  jf_value paths = {JF_NULL, 0, {0}}, text = {JF_NULL, 0, {0}};
  CHECK(jf_structural_mismatch(&x, &y, 0, &paths) == 0);
  CHECK(jf_any_repr(&paths, &text) == 0);
  CHECK_TEXT(jf_any_text(&text).data, "(((0, 'next'), (0, 'x')), ((0, 'next'), (0, 'x')))");
  jf_any_release(&paths);
  jf_any_release(&text);
  CHECK(jf_structural_mismatch(&x, &x, 0, &paths) == 1 && paths.type_code == JF_NULL);
  release(a);
  release(b);
}

static void test_variables(void) {
  node *x = make(variable, 0, NULL), *y = make(variable, 0, NULL);
  CHECK(equal(x, x, 0) == 1 && equal(x, y, 0) == 0 && equal(x, y, JF_MAP_FREE_VARS) == 1);
  node *f = make(lambda, 0, &x->header), *g = make(lambda, 0, &y->header);
  f->name = view_of(x);
  g->name = view_of(y);
  jf_object_retain(&x->header);
  jf_object_retain(&y->header);
  CHECK(equal(f, g, 0) == 0); /* the name comes before the field that binds */
  f->x = g->x = 1;
  jf_any_release(&g->name);
  g->name = view_of(x);
  jf_object_retain(&x->header);
  CHECK(equal(f, g, 0) == 0);
  release(f);
  release(g);
}

static void test_depth(void) {
#ifdef JITFFI_HOSTILE /* where it takes seconds */
  enum { DEPTH = 100000 };
#else
  enum { DEPTH = 1000000 };
#endif
  node *a = NULL, *b = NULL;
  for (int32_t i = 0; i < DEPTH; i++) {
    a = make(tree, i, a ? &a->header : NULL);
    b = make(tree, i, b ? &b->header : NULL);
  }
  CHECK(equal(a, b, 0) == 1);
  release(a);
  release(b);
}

static void test_within(void) {
  node* a = make(tree, 1, NULL);
  a->next = &a->header;
  jf_object_retain(&a->header);
  const jf_view x = view_of(a);
  uint64_t hash = 7;
  CHECK(jf_structural_equal(&x, &x, 0) == 1);
  CHECK(jf_structural_hash(&x, 0, &hash) == -1 && hash == 0);
  CHECK_ERROR("ValueError: structural_hash: value.next: a container within itself");
  a->next = NULL;
  release(a);
  release(a);
}

#ifdef JITFFI_HOSTILE
static void test_no_memory(void) {
  node *a = make(tree, 1, NULL), *b = make(tree, 1, NULL);
  for (int32_t i = 0; i < 40; i++) {
    a = make(tree, i, &a->header);
    b = make(tree, i, &b->header);
  }
  node* last = b;
  while (last->next) last = (node*)(void*)last->next;
  last->x = 5;
  const jf_view x = view_of(a), y = view_of(b);
  for (int64_t allowed = 0;; allowed++) {
    jf_value paths = {JF_NULL, 0, {0}};
    jf_hostile_fail_after(allowed);
    const int32_t same = jf_structural_mismatch(&x, &y, 0, &paths);
    jf_hostile_fail_after(-1);
    jf_any_release(&paths);
    if (same == 0) break;
    CHECK_ERROR("MemoryError: out of memory");
  }
  release(a);
  release(b);
}
#endif

int main(void) {
  tree = define("test.Tree", JF_STRUCTURE_TREE, 0, 0);
  variable = define("test.Variable", JF_STRUCTURE_FREE_VAR, JF_FIELD_IGNORED, 0);
  lambda = define("test.Lambda", JF_STRUCTURE_TREE, 0, JF_FIELD_DEFINES);
  RUN(test_fields);
  RUN(test_variables);
  RUN(test_depth);
  RUN(test_within);
#ifdef JITFFI_HOSTILE
  RUN(test_no_memory);
#endif
  return finish();
}
