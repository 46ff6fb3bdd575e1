/* Values by their structure, whatever object they are: equality, the place of the first difference, and hashes.
 *
 * Containers are compared by their items, objects of defined types by their fields in order, whether they have == or not;
 * the type says what an object is taken for (JF_STRUCTURE_*, types.h), the flags of a field whether it is left out
 * (JF_FIELD_IGNORED) or binds the variables in it (JF_FIELD_DEFINES). All else is compared as jf_any_equal does it. No depth is
 * too deep: nothing here recurses. Arguments are borrowed.
 */
#ifndef JITFFI_STRUCTURAL_H
#define JITFFI_STRUCTURAL_H

#include "containers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flags. */
enum {
  JF_MAP_FREE_VARS = 1 << 0, /* variables that no field has bound are bound where they are met first */
  JF_SKIP_ELEMENTS = 1 << 1  /* arrays are compared by data type and shape alone */
};

/* -- structural_equal.c -- */

/* 1 or 0; -1 with the error set, which is what an object's own comparison fails with. Cycles are equal where they lead the
 * same way; keys of maps are those that are ==, and of the others, objects, the next one in order. */
JF_API int32_t jf_structural_equal(const jf_any* a, const jf_any* b, uint32_t flags);

/* The steps of a path, from the outermost value to the place. */
enum {
  JF_STEP_FIELD,      /* its name */
  JF_STEP_INDEX,      /* an int */
  JF_STEP_KEY,        /* a key of a map */
  JF_STEP_MISSING = 3 /* added: that field, index or key is not there */
};
/* As jf_structural_equal, and where the values differ *out, a null slot, is a tuple of two paths, in a and in b: tuples of
 * (JF_STEP_*, name, index or key). */
JF_API int32_t jf_structural_mismatch(const jf_any* a, const jf_any* b, uint32_t flags, jf_value* out);

/* -- structural_hash.c -- */

/* Equal for values that are structurally equal, within one process. -1 with the error set: TypeError for what has no hash,
 * ValueError for a value within itself. */
JF_API int32_t jf_structural_hash(const jf_any* value, uint32_t flags, uint64_t* hash);

/* -- graph_json.c, graph_parse.c, graph_read.c: graphs as text ----------------------------------------------- */

/* JSON, UTF-8, into a null out-slot: plain JSON where the value is a tree of containers and values, else numbered nodes, which
 * keep what is shared and what leads in a circle (docs/guide/graphs.md). `indent`: spaces a level, -1 for one line. TypeError
 * for what has no such form: functions, objects without fields, handles. */
JF_API int32_t jf_to_json(const jf_any* value, int32_t indent, jf_value* out);
/* The value of either form. ValueError that says where it is none, for types and fields that there are not, and for fields
 * that do not fit; a field that is not told has its default. */
JF_API int32_t jf_from_json(const char* text, size_t size, jf_value* out);

/* The version of a defined type, 0 at first, is stored with its objects: one that is stored is refused where it is newer than
 * the type's, with a ValueError that tells both. -1 with ValueError: a negative version, or a built-in type. */
JF_API int32_t jf_type_set_version(int32_t code, int64_t version);
JF_API int64_t jf_type_version(int32_t code);

/* -- graph_store.c, graph_load.c: graphs as bytes ------------------------------------------------------------ */

/* The same nodes in a compact form, bytes, little-endian everywhere. */
JF_API int32_t jf_to_bytes(const jf_any* value, jf_value* out);
/* Any bytes may be given: ValueError with the position where they are no such form. What is made of them takes no more
 * memory than they account for. */
JF_API int32_t jf_from_bytes(const void* data, size_t size, jf_value* out);

#ifdef __cplusplus
}
#endif
#endif
