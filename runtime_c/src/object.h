/* Objects as the runtime makes and releases them: their types, and deep nests of containers. */
#ifndef JITFFI_SRC_OBJECT_H
#define JITFFI_SRC_OBJECT_H

#include <stddef.h>

#include "jitffi/abi.h"
#include "macros.h"

/* -- object.c -- */
/* As jf_object_new, but failure sets no error: for making errors, and under the lock. */
void* jf_object_make(size_t size, int32_t type_code, void (*deleter)(jf_object*));
/* The same, but what follows the header is the caller's to fill. */
void* jf_object_make_unset(size_t size, int32_t type_code, void (*deleter)(jf_object*));
/* Gives one reference up. 1: it was the last, and the caller must call the deleter. NULL is allowed. */
int32_t jf_object_drop(jf_object* object);

/* -- type.c -- */
/* What else is known of a run-time type: its definition (atomic, set once), and its methods, under the lock. */
typedef struct jf_methods jf_methods;
typedef struct {
  const struct jf_type_info* info;
  jf_methods* methods;
  int64_t version;     /* atomic; of how its objects are stored (structural.h) */
  size_t struct_align; /* atomic, set once, under the lock: it is a struct's (struct.c); 0: it is none's */
  size_t struct_size;  /* set before struct_align */
} jf_type_extra;
JF_SHARED jf_type_extra* jf_type_extra_of(int32_t code); /* NULL: the code is no run-time type's */

/* -- type_info.c -- */
JF_SHARED uint32_t jf_structures_defined(void); /* 1 << JF_STRUCTURE_* of all types that were ever defined */

/* -- object_fields.c -- */
jf_links* jf_object_links(const jf_object* object, const struct jf_type_info* type); /* of an object that has them */

/* -- pattern.c -- */
/* How a value of the type lies in a field: JF_KIND_*, JF_FIELD_SLOT, or JF_FIELD_OBJECT, which a slot can stand for. */
int32_t jf_field_kind_of(const char* type);

/* -- function.c -- */
void jf_function_set_deleter(jf_object* function, void (*deleter)(void*));
/* What tracebacks call it; NULL: it says that itself. */
const char* jf_function_name(const jf_object* function);
/* Names one that has no name so far. */
JF_SHARED int32_t jf_function_name_once(jf_object* function, const char* type, const char* name);

/* -- deferred_free.c: deep nests of containers are released without deep recursion -- */
/* For the deleter of a container that can hold containers: 1: go on, and call jf_deferred_free_leave in the end. 0: too deep,
 * the object was put aside and its deleter will be called again; return at once. `links` are the object's own, unused
 * from here on: an object leaves the cycle finder before. */
int32_t jf_deferred_free_enter(jf_object* object, jf_links* links);
void jf_deferred_free_leave(void);

#endif
