/* Structs of the caller's in scripts: generated code reads and writes their members by itself. Here is where it must fail. */
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "message.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

enum { MOST_SHOWN = 64 };

/* An error of `kind`: "geo.Point.x: expected u8 (0 to 255), got int 300", of which `expected` is what stands before "got". */
int32_t jf_struct_refuse(const char* kind, const char* expected, const jf_any* got) {
  jf_any scratch, made;
  const jf_any* slot = jf_any_resolve(got, &scratch);
  if (slot->type_code == JF_NULL) return JF_FAIL(kind, "%s, got None", expected);
  jf_value text = {JF_NULL, 0, {0}};
  if (jf_op_repr(got, &text) != 0) return -1;
  const jf_encoded encoded = jf_any_text(jf_any_resolve(&text, &made));
  if (encoded.kind == JF_TEXT_UCS4 || encoded.size > MOST_SHOWN)
    jf_error_format(kind, "%s, got %s", expected, jf_op_type_name(slot));
  else
    jf_error_format(kind, "%s, got %s %.*s", expected, jf_op_type_name(slot), (int)encoded.size,
                    (const char*)encoded.data);
  jf_any_release(&text);
  return -1;
}

/* IndexError of an array of structs; always -1. */
int32_t jf_struct_outside(const char* member, int64_t index, int64_t size) {
  return JF_FAIL("IndexError", "%s: index %lld is out of range: the length is %lld", member, (long long)index,
                 (long long)size);
}
