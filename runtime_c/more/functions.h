/* The functions of the shared runtime's second part, which few processes need: X for those with a result, V for those without.
 *
 *     X(result, name, parameters, arguments, the result where the part cannot be loaded)
 */
#ifndef JITFFI_MORE_FUNCTIONS_H
#define JITFFI_MORE_FUNCTIONS_H

#include "../src/tvm_ffi.h"
#include "jitffi/legacy.h"
#include "jitffi/structural.h"
#include "jitffi/tvm_ffi.h"

#define JF_MORE(X, V)                                                                                                 \
  /* structural_*.c */                                                                                                \
  X(int32_t, jf_structural_equal, (const jf_any* a, const jf_any* b, uint32_t flags), (a, b, flags), -1)              \
  X(int32_t, jf_structural_mismatch, (const jf_any* a, const jf_any* b, uint32_t flags, jf_value* out),               \
    (a, b, flags, out), -1)                                                                                           \
  X(int32_t, jf_structural_hash, (const jf_any* value, uint32_t flags, uint64_t* hash), (value, flags, hash), -1)     \
  /* graph_*.c */                                                                                                     \
  X(int32_t, jf_to_json, (const jf_any* value, int32_t indent, jf_value* out), (value, indent, out), -1)              \
  X(int32_t, jf_from_json, (const char* text, size_t size, jf_value* out), (text, size, out), -1)                     \
  X(int32_t, jf_to_bytes, (const jf_any* value, jf_value* out), (value, out), -1)                                     \
  X(int32_t, jf_from_bytes, (const void* data, size_t size, jf_value* out), (data, size, out), -1)                    \
  X(int32_t, jf_type_set_version, (int32_t code, int64_t version), (code, version), -1)                               \
  X(int64_t, jf_type_version, (int32_t code), (code), 0)                                                              \
  /* legacy.c */                                                                                                      \
  X(int32_t, jf_legacy_views,                                                                                         \
    (const jf_call_info* info, int32_t count, const int32_t* codes, const jf_legacy_value* values, jf_view* views),   \
    (info, count, codes, values, views), -1)                                                                          \
  X(int32_t, jf_legacy_invoke,                                                                                        \
    (const jf_call_info* info, jf_legacy_call call, void* self, int32_t count, const jf_view* args, jf_value* out),   \
    (info, call, self, count, args, out), -1)                                                                         \
  X(int32_t, jf_legacy_give, (const jf_call_info* info, jf_value* value, int32_t* code, jf_legacy_value* result),     \
    (info, value, code, result), -1)                                                                                  \
  X(jf_object*, jf_legacy_function,                                                                                   \
    (jf_legacy_call call, void* self, void* owner, void (*deleter)(void*), const char* name, const char* signature),  \
    (call, self, owner, deleter, name, signature), NULL)                                                              \
  X(jf_object*, jf_tvm_function,                                                                                      \
    (jf_tvm_call call, void* resource, void* owner, void (*deleter)(void*), const char* name, const char* signature), \
    (call, resource, owner, deleter, name, signature), NULL)                                                          \
  X(int32_t, jf_legacy_entry,                                                                                         \
    (void* self, int32_t count, const int32_t* codes, const jf_legacy_value* values, int32_t* out_code,               \
     jf_legacy_value* out),                                                                                           \
    (self, count, codes, values, out_code, out), -1)                                                                  \
  X(int32_t, jf_tvm_entry, (void* args, int32_t* codes, int32_t count, void* out, int32_t* out_code, void* resource), \
    (args, codes, count, out, out_code, resource), -1)                                                                \
  /* tvm_ffi_*.c */                                                                                                   \
  X(int32_t, jf_tvmffi_open, (void), (), -1)                                                                          \
  V(jf_tvmffi_failed, (void), ())                                                                                     \
  V(jf_tvmffi_raise, (void), ())                                                                                      \
  X(jf_object*, jf_tvmffi_global_get, (const char* name), (name), NULL)                                               \
  X(int32_t, jf_tvmffi_global_set, (const char* name, jf_object* function, int32_t replace),                          \
    (name, function, replace), -1)                                                                                    \
  X(int32_t, jf_tvmffi_global_set_described,                                                                          \
    (const char* name, jf_object* function, const char* metadata, const char* doc, int32_t replace),                  \
    (name, function, metadata, doc, replace), -1)                                                                     \
  X(jf_object*, jf_tvmffi_function,                                                                                   \
    (jf_tvmffi_call call, void* self, void* owner, void (*deleter)(void*), const char* signature),                    \
    (call, self, owner, deleter, signature), NULL)                                                                    \
  X(jf_object*, jf_tvmffi_wrap, (void* function), (function), NULL)                                                   \
  X(void*, jf_tvmffi_unwrap, (jf_object * function), (function), NULL)                                                \
  X(jf_tvmffi_call, jf_tvmffi_target, (const jf_object* function, void** self), (function, self), NULL)               \
  X(int32_t, jf_tvmffi_entry, (void* self, const jf_tvmffi_any* args, int32_t count, jf_tvmffi_any* result),          \
    (self, args, count, result), -1)                                                                                  \
  X(int32_t, jf_tvmffi_invoke, (jf_tvmffi_call call, void* self, int32_t count, const jf_view* args, jf_value* out),  \
    (call, self, count, args, out), -1)                                                                               \
  V(jf_tvmffi_retain, (void* object), (object))                                                                       \
  V(jf_tvmffi_release, (void* object), (object))                                                                      \
  X(int32_t, jf_tvmffi_get, (jf_object * object, const char* name, jf_value* out), (object, name, out), -1)           \
  X(int32_t, jf_tvmffi_set, (jf_object * object, const char* name, const jf_view* value), (object, name, value), -1)  \
  X(int32_t, jf_tvmffi_view, (const jf_tvmffi_any* any, jf_view* view, jf_temps* temps), (any, view, temps), -1)      \
  X(int32_t, jf_tvmffi_argument, (jf_view * view, jf_temps * temps), (view, temps), -1)                               \
  X(int32_t, jf_tvmffi_give, (jf_value * value, jf_tvmffi_any * result), (value, result), -1)                         \
  X(int32_t, jf_tvmffi_take, (jf_tvmffi_any * result, jf_value * out), (result, out), -1)                             \
  X(void*, jf_tvmffi_owner, (const jf_object* function, void (*deleter)(void*)), (function, deleter), NULL)           \
  X(int32_t, jf_tvmffi_set_deleter, (jf_object * function, void (*deleter)(void*)), (function, deleter), 0)

#define JF_MORE_FIELD(result, name, parameters, arguments, failed) __typeof__(name)* name;
#define JF_MORE_FIELD_V(name, parameters, arguments) __typeof__(name)* name;

typedef struct {
  const char* version; /* of both parts: the same */
  JF_MORE(JF_MORE_FIELD, JF_MORE_FIELD_V)
} jf_more_functions;

extern JF_API const jf_more_functions jf_more; /* the second part's only symbol */

#endif
