/* Sizes, offsets and codes of the ABI, asserted: compiling this file is the test. It has no code. */
#include "jitffi/containers.h"
#include "jitffi/ndarray.h"
#include "jitffi/runtime.h"

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)
#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)
#define CODE(name, number) _Static_assert((name) == (number), #name)

/* slots */
SIZE(jf_any, 16);
_Static_assert(_Alignof(jf_any) == 8, "slots are aligned to 8");
AT(jf_any, type_code, 0);
AT(jf_any, small_len, 4);
AT(jf_any, v_int64, JF_PAYLOAD_OFFSET);
AT(jf_any, v_uint64, JF_PAYLOAD_OFFSET);
AT(jf_any, v_float64, JF_PAYLOAD_OFFSET);
AT(jf_any, v_handle, JF_PAYLOAD_OFFSET);
AT(jf_any, v_object, JF_PAYLOAD_OFFSET);
AT(jf_any, v_rvalue, JF_PAYLOAD_OFFSET);
AT(jf_any, v_raw_str, JF_PAYLOAD_OFFSET);
AT(jf_any, v_span, JF_PAYLOAD_OFFSET);
AT(jf_any, v_ucs4_span, JF_PAYLOAD_OFFSET);
AT(jf_any, v_dtype, JF_PAYLOAD_OFFSET);
AT(jf_any, v_device, JF_PAYLOAD_OFFSET);
AT(jf_any, v_bytes, JF_PAYLOAD_OFFSET);
AT(jf_any, v_char32, JF_PAYLOAD_OFFSET);
CODE(JF_PAYLOAD_OFFSET, 8);
CODE(JF_MAX_CAPACITY, 8 + 8 * JF_MAX_PAD);
SIZE(jf_char32, 4);

/* what payloads hold */
SIZE(jf_dtype, 4);
AT(jf_dtype, code, 0);
AT(jf_dtype, bits, 1);
AT(jf_dtype, lanes, 2);
SIZE(jf_device, 8);
AT(jf_device, device_type, 0);
AT(jf_device, device_id, 4);
SIZE(jf_span, 2 * sizeof(void*));
AT(jf_span, data, 0);
AT(jf_span, size, sizeof(void*));
SIZE(jf_ucs4_span, 2 * sizeof(void*));
AT(jf_ucs4_span, data, 0);
AT(jf_ucs4_span, size, sizeof(void*));

/* objects: pointers and sizes take 8 bytes on every target */
SIZE(jf_object, 16);
AT(jf_object, type_code, 0);
AT(jf_object, ref_count, 4);
AT(jf_object, deleter, 8);
SIZE(jf_box, 24);
AT(jf_box, v_int64, 16);
AT(jf_box, v_dtype, 16);
AT(jf_box, v_device, 16);
SIZE(jf_str, 48);
AT(jf_str, data, 16);
AT(jf_str, size, 24);
AT(jf_str, hash, 32);
AT(jf_str, characters, 40);
SIZE(jf_ucs4, 48);
AT(jf_ucs4, data, 16);
AT(jf_ucs4, size, 24);
AT(jf_ucs4, hash, 32);
AT(jf_ucs4, characters, 40);
SIZE(jf_function, 48);
AT(jf_function, call, 16);
AT(jf_function, signature, 24);
AT(jf_function, native, 32);
AT(jf_function, types, 40);
/* DLPack's structs are the target's own */
AT(jf_ndarray, tensor, JF_NDARRAY_TENSOR);
AT(jf_dltensor, data, 0);
AT(jf_dltensor, device, sizeof(void*));
AT(jf_dltensor, ndim, sizeof(void*) + 8);
AT(jf_dltensor, dtype, sizeof(void*) + 12);
AT(jf_dltensor, shape, sizeof(void*) + 16);
AT(jf_dltensor, strides, 2 * sizeof(void*) + 16);
AT(jf_dltensor, byte_offset, 3 * sizeof(void*) + 16 + sizeof(void*) % 8);
SIZE(jf_dltensor, 3 * sizeof(void*) + 24 + sizeof(void*) % 8);
AT(jf_ndarray, flags, JF_NDARRAY_TENSOR + sizeof(jf_dltensor));
AT(jf_dlmanaged, manager_ctx, sizeof(jf_dltensor));
AT(jf_dlmanaged, deleter, sizeof(jf_dltensor) + sizeof(void*));
AT(jf_dlversioned, minor, 4);
AT(jf_dlversioned, manager_ctx, 8);
AT(jf_dlversioned, deleter, 8 + sizeof(void*));
AT(jf_dlversioned, flags, 8 + 2 * sizeof(void*));
AT(jf_dlversioned, tensor, 16 + 2 * sizeof(void*));
SIZE(jf_error, 56);
AT(jf_error, kind, 16);
AT(jf_error, message, 24);
AT(jf_error, traceback, 32);
AT(jf_error, cause, 40);
AT(jf_error, host, 48);
SIZE(jf_host_object, 32);
AT(jf_host_object, owner, 16);
AT(jf_host_object, handle, 24);
SIZE(jf_closure, 32);
AT(jf_closure, state, 0);
AT(jf_closure, body, 8);

/* containers */
SIZE(jf_item, sizeof(void*)); /* containers are read through functions, their arrays are the target's own */
SIZE(jf_pool_block, 16);
AT(jf_pool_block, next, 0);
AT(jf_pool_block, slots, 8);
SIZE(jf_pool, 40);
AT(jf_pool, blocks, 0);
AT(jf_pool, free, 8);
AT(jf_pool, fresh, 16);
AT(jf_pool, end, 24);
AT(jf_pool, pad, 32);
AT(jf_pool, stride, 36);
SIZE(jf_links, 16);
AT(jf_links, next, 0);
AT(jf_links, previous, 8);
SIZE(jf_list, 96);
AT(jf_list, items, 16);
AT(jf_list, size, 24);
AT(jf_list, capacity, 32);
AT(jf_list, pool, 40);
AT(jf_list, links, 80);
SIZE(jf_tuple, 56);
AT(jf_tuple, items, 16);
AT(jf_tuple, size, 24);
AT(jf_tuple, hash, 32);
AT(jf_tuple, links, 40);
SIZE(jf_map_entry, 8 + 2 * sizeof(void*));
AT(jf_map_entry, hash, 0);
AT(jf_map_entry, key, 8);
AT(jf_map_entry, value, 8 + sizeof(void*));
SIZE(jf_set_entry, 16);
AT(jf_set_entry, hash, 0);
AT(jf_set_entry, key, 8);
SIZE(jf_map, 128);
AT(jf_map, entries, 16);
AT(jf_map, size, 24);
AT(jf_map, used, 32);
AT(jf_map, capacity, 40);
AT(jf_map, index, 48);
AT(jf_map, index_mask, 56);
AT(jf_map, version, 64);
AT(jf_map, pool, 72);
AT(jf_map, links, 112);
SIZE(jf_shape, 32);
AT(jf_shape, data, 16);
AT(jf_shape, size, 24);
SIZE(jf_str_core, 24);
AT(jf_str_core, small, 0);
AT(jf_str_core, ml.data, 0);
AT(jf_str_core, ml.size, 8);
AT(jf_str_core, zero, 16);
AT(jf_str_core, category, 20);
SIZE(jf_ucs4_core, 24);
AT(jf_ucs4_core, small, 0);
AT(jf_ucs4_core, ml.data, 0);
AT(jf_ucs4_core, ml.size, 8);
AT(jf_ucs4_core, zero, 16);
AT(jf_ucs4_core, category, 20);
CODE(JF_CORE_MEDIUM, -1);
CODE(JF_CORE_LARGE, -2);
CODE(JF_STATIC_INTS, JF_STATIC_INT_LAST - JF_STATIC_INT_FIRST + 1);

/* codes */
CODE(JF_NULL, -1);
CODE(JF_INT, -2);
CODE(JF_FLOAT, -3);
CODE(JF_BOOL, -4);
CODE(JF_HANDLE, -5);
CODE(JF_DTYPE, -6);
CODE(JF_DEVICE, -7);
CODE(JF_DLTENSOR, -8);
CODE(JF_RAW_STR, -9);
CODE(JF_BYTE_ARRAY, -10);
CODE(JF_OBJECT, -11);
CODE(JF_RVALUE, -12);
CODE(JF_SMALL_STR, -13);
CODE(JF_SMALL_UCS4, -14);
CODE(JF_SMALL_BYTES, -15);
CODE(JF_ANY_PTR, -16);
CODE(JF_STR_VIEW, -17);
CODE(JF_UINT, -18);
CODE(JF_UCS4_VIEW, -19);
CODE(JF_MODULE, 1);
CODE(JF_FUNCTION, 2);
CODE(JF_NDARRAY, 3);
CODE(JF_BOXED_INT, 16);
CODE(JF_BOXED_FLOAT, 17);
CODE(JF_BOXED_BOOL, 18);
CODE(JF_BOXED_HANDLE, 19);
CODE(JF_BOXED_DTYPE, 20);
CODE(JF_BOXED_DEVICE, 21);
CODE(JF_BOXED_UINT, 22);
CODE(JF_ROOT, 32);
CODE(JF_STR, 33);
CODE(JF_UCS4, 34);
CODE(JF_BYTES, 35);
CODE(JF_LIST, 36);
CODE(JF_MAP, 37);
CODE(JF_SET, 42);
CODE(JF_TUPLE, 38);
CODE(JF_ERROR, 39);
CODE(JF_SHAPE, 40);
CODE(JF_HOST_OBJECT, 41);
CODE(JF_FIRST_DYNAMIC, 128);
