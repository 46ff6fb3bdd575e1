/* A packed function of a module that makes a list of the words of UCS4 text, each as UCS4, in slots of the pad that its
 * caller chooses: `split(text: ucs4, pad: i64) -> list`. */
#include <jitffi/containers.h>
#include <jitffi/runtime.h>

#define API __attribute__((visibility("default")))

API const char __jfsig_split[] = "(text: ucs4, pad: i64) -> list";
API int32_t __jf_split(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out);

static int32_t text_of(const jf_view* view, jf_ucs4_span* out) {
  if (view->type_code == JF_UCS4_VIEW) {
    *out = *view->v_ucs4_span;
  } else if (view->type_code == JF_SMALL_UCS4) {
    *out = (jf_ucs4_span){view->v_char32, (size_t)view->small_len};
  } else if (view->type_code == JF_OBJECT && view->v_object->type_code == JF_UCS4) {
    const jf_ucs4* text = (const jf_ucs4*)view->v_object;
    *out = (jf_ucs4_span){text->data, text->size};
  } else {
    jf_error_set("TypeError", "expected ucs4");
    return -1;
  }
  return 0;
}

int32_t __jf_split(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  jf_ucs4_span text;
  (void)self;
  if (num_args != 2 || args[1].type_code != JF_INT) {
    jf_error_set("TypeError", "expected ucs4 and an int");
    return -1;
  }
  if (text_of(&args[0], &text) != 0) return -1;
  jf_object* list = jf_list_new(0, (int32_t)args[1].v_int64);
  int32_t failed = list == NULL;
  const jf_char32 *at = text.data, *end = text.data + text.size;
  while (!failed) {
    while (at < end && *at == ' ') at++;
    if (at == end) break;
    jf_ucs4_span word = {at, 0};
    while (at < end && *at != ' ') at++;
    word.size = (size_t)(at - word.data);
    failed = jf_list_append(list, &(jf_view){JF_UCS4_VIEW, 0, {.v_ucs4_span = &word}});
  }
  if (failed) {
    if (list) jf_object_release(list);
    return -1;
  }
  jf_out_object(out, list);
  return 0;
}
