/* Programs on values that come without types: text of any kind, a list of anything, ints in a box or not.
 *
 * All are packed functions but unicode_split: int32_t f(self, num_args, args, out), 0 or an error set.
 */
#include <jitffi/containers.h>
#include <jitffi/pad.h>

#define PACKED(name) int32_t name(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out)

static int32_t one_argument(int32_t num_args) {
  if (num_args == 1) return 0;
  jf_error_format("TypeError", "expected 1 argument, got %d", (int)num_args);
  return -1;
}

/* A list of the items of args[0], whatever has len() and []: each goes through an AnyPad<1> on the stack, where text of up to
 * 15 bytes or 4 characters needs no heap. */
PACKED(unicode_split_any) {
  (void)self;
  const int64_t size = one_argument(num_args) ? -1 : jf_any_size(&args[0]);
  jf_object* ret = size < 0 ? NULL : jf_list_new((size_t)size, 1);
  int32_t failed = ret == NULL;
  for (int64_t i = 0; i < size && !failed; i++) {
    const jf_view at = {JF_INT, 0, {.v_int64 = i}};
    jf_pad1 res = JF_PAD_INIT(1);
    jf_view item;
    failed = jf_any_at(&args[0], &at, &res.slot);
    jf_any_view(&res.slot, &item);
    if (!failed) failed = jf_list_append(ret, &item);
    jf_any_release(&res.slot);
  }
  if (failed) {
    jf_object_release(ret);
    return -1;
  }
  jf_out_object(out, ret);
  return 0;
}

/* list unicode_split(ucs4 word): the same with its types known. A C function; the characters are just there. */
jf_object* unicode_split(const jf_char32* word, size_t size) {
  jf_object* ret = jf_list_new(size, 0);
  for (size_t i = 0; ret != NULL && i < size; i++) {
    const jf_view res = {JF_SMALL_UCS4, 1, {.v_char32 = {word[i]}}};
    if (jf_list_append(ret, &res) == 0) continue;
    jf_object_release(ret);
    return NULL;
  }
  return ret;
}

/* x + 1. The caller may have an int or an int in a box: jf_any_view opens it. */
PACKED(my_int_func) {
  (void)self;
  jf_view x;
  if (one_argument(num_args)) return -1;
  jf_any_view(&args[0], &x);
  if (x.type_code != JF_INT) {
    jf_error_set("TypeError", "my_int_func: expected int");
    return -1;
  }
  *out = (jf_value){JF_INT, 0, {.v_int64 = x.v_int64 + 1}};
  return 0;
}

/* my_int_func(dict["x"]) by way of an object, as code does that knows nothing but objects: the int is boxed, passed, and
 * arrives as an int. The callee is whoever has that name. */
PACKED(caller) {
  (void)self;
  if (one_argument(num_args)) return -1;
  const jf_view key = {JF_SMALL_STR, 1, {.v_bytes = "x"}};
  jf_value found;
  jf_out_init(&found, 8);
  if (jf_any_at(&args[0], &key, &found)) return -1; /* KeyError; TypeError where it is no map */
  int32_t failed;
  jf_object* x = jf_any_to_object(&found, &failed);
  jf_any_release(&found);
  if (failed) return -1;
  jf_object* callee = jf_global_get("example.my_int_func");
  const jf_view boxed = {x ? JF_OBJECT : JF_NULL, 0, {.v_object = x}};
  int32_t status = -1;
  if (callee != NULL)
    status = jf_function_call(callee, 1, &boxed, out);
  else
    jf_global_fail_unknown("example.my_int_func");
  jf_object_release(callee);
  jf_object_release(x);
  return status;
}

/* The larger of two numbers, on slots: nothing is ever allocated. */
PACKED(larger_slot) {
  (void)self;
  int32_t is_less = -1;
  if (num_args == 2 && jf_any_compare(&args[0], &args[1], JF_LT, &is_less) == 0)
    return jf_any_retain(&args[is_less], out);
  if (num_args != 2) jf_error_set("TypeError", "larger: expected 2 arguments");
  return -1;
}

/* The same on objects. What the caller gives and gets is the same, too: it cannot tell which of the two it calls. */
jf_object* larger_object(jf_object* a, jf_object* b) {
  int32_t is_less;
  const jf_any left = {JF_OBJECT, 0, {.v_object = a}}, right = {JF_OBJECT, 0, {.v_object = b}};
  if (jf_any_compare(&left, &right, JF_LT, &is_less)) return NULL;
  jf_object* larger = is_less ? b : a;
  jf_object_retain(larger);
  return larger;
}

/* args[0] with args[1] appended. A list that the caller gives away is changed where it is, unless somebody else has it, too;
 * any other is copied first. */
PACKED(appended) {
  (void)self;
  jf_object* list = NULL;
  if (num_args == 2 && args[0].type_code == JF_RVALUE) {
    list = *args[0].v_rvalue; /* ours from here on */
    *args[0].v_rvalue = NULL;
  } else if (num_args == 2 && args[0].type_code == JF_OBJECT) {
    list = args[0].v_object;
    jf_object_retain(list);
  }
  if (list == NULL || list->type_code != JF_LIST) {
    jf_error_set("TypeError", "appended: expected a list and an item");
  } else if (jf_list_unshare(&list) == 0 && jf_list_append(list, &args[1]) == 0) {
    jf_out_object(out, list);
    return 0;
  }
  jf_object_release(list);
  return -1;
}

/* How many lists it takes to append 0 to `count` - 1: each is given away and comes back. */
int64_t lists_needed(jf_function* appends, int64_t count) {
  jf_object *list = jf_list_new(0, 1), *before = NULL;
  int64_t lists = 0;
  for (int64_t i = 0; i < count && list != NULL; i++) {
    if (list != before) lists++;
    before = list;
    const jf_view args[2] = {{JF_RVALUE, 0, {.v_rvalue = &list}}, {JF_INT, 0, {.v_int64 = i}}};
    jf_value out;
    jf_out_init(&out, 8);
    if (jf_function_call((jf_object*)appends, 2, args, &out)) return -1;
    list = out.v_object;
  }
  jf_object_release(list);
  return lists;
}
