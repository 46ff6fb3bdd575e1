/* Stands in for what is not written yet; each gives way to the real one. */
#include "internal.h"

__attribute__((weak)) void jf_cycles_track(jf_object* container) { (void)container; }
__attribute__((weak)) void jf_cycles_untrack(jf_object* container) { (void)container; }
__attribute__((weak)) int32_t jf_any_equal(const jf_any* a, const jf_any* b) { return memcmp(a, b, sizeof *a) == 0; }
__attribute__((weak)) int32_t jf_any_compare(const jf_any* a, const jf_any* b, int32_t operation, int32_t* result) {
  (void)operation;
  *result = a->v_int64 < b->v_int64;
  return 0;
}
__attribute__((weak)) const jf_type_operations* jf_type_get_operations(int32_t type_code) {
  (void)type_code;
  return NULL;
}
