/* Calls whose number of arguments is found out while the script runs. */
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "value.h"

/* Calls a function with the items of a list, which nobody else has. Borrows both; *out is a null out-slot. */
int32_t jf_op_call_list(jf_object* function, jf_object* arguments, jf_value* out) {
  enum { IN_FRAME = 16 };
  const jf_list* list = (const jf_list*)arguments;
  jf_view frame[IN_FRAME];
  jf_view* views = list->size <= IN_FRAME ? frame : jf_alloc(list->size * sizeof *views);
  if (views == NULL || list->size > INT32_MAX) {
    jf_error_set("MemoryError", "no memory for the arguments of a call");
    if (views != frame) jf_free(views);
    return -1;
  }
  views[0] = (jf_view){JF_NULL, 0, {0}}; /* a compiler does not see that nothing of it is read without arguments */
  for (size_t i = 0; i < list->size; i++) jf_item_view(list->items[i], &views[i]);
  const int32_t status = jf_function_call(function, (int32_t)list->size, views, out);
  if (views != frame) jf_free(views);
  return status;
}
