/* Patterns: types of containers, unions and objects, in a form that values can be compared with.
 *
 *   list[tuple[str, optional[i64]]]      list --inner--> tuple --inner--> str --next--> i64, optional
 *
 * The text of a type is read once in the life of the process; a pattern is never freed, and but for `code` never changed.
 */
#ifndef JITFFI_PATTERN_H
#define JITFFI_PATTERN_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  JF_PATTERN_ANY,
  JF_PATTERN_OBJECT, /* whatever is not null */
  JF_PATTERN_BOOL,
  JF_PATTERN_INTEGER, /* a bool, too, as everywhere in the packed convention */
  JF_PATTERN_FLOAT,   /* an integer or bool, too */
  JF_PATTERN_PTR,
  JF_PATTERN_STR,
  JF_PATTERN_UCS4,
  JF_PATTERN_BYTES,
  JF_PATTERN_DTYPE,
  JF_PATTERN_DEVICE,
  JF_PATTERN_FUNC, /* with `types`, a function of that signature or without one */
  JF_PATTERN_MODULE,
  JF_PATTERN_NULL,
  JF_PATTERN_LIST,
  JF_PATTERN_MAP,
  JF_PATTERN_SET,
  JF_PATTERN_TUPLE,
  JF_PATTERN_TYPE, /* objects of the type whose key is `name`, which may be registered later; of a FrozenMap with what it holds */
  JF_PATTERN_UNION /* what any of the inner patterns is */
};

struct jf_pattern {
  const char* name; /* of the type alone, such as "list", "u8", "demo.Point" or "func[(i64) -> i64]" */
  int32_t kind;
  int32_t scalar;     /* JF_KIND_*, of a number or bool */
  int32_t optional;   /* null is a value of it */
  int32_t any_length; /* tuple[T, ...]: `inner` is the type of every item */
  size_t count;       /* inner patterns; 0 for a plain list, map or tuple, which hold anything */
  const jf_pattern* inner;
  const jf_pattern* next; /* the following one within the same brackets */
  int64_t least;          /* of integers */
  uint64_t most;          /* in its first bytes the jf_dtype of a tensor's elements, 0 for any */
  int32_t code;           /* of the type whose key is `name`; 0 while it is not known to be registered */
  const char* types;      /* of func[...]: what jf_function_types says of its signature; NULL of others */
};

/* The pattern of a type's canonical text: equal texts have the same. NULL with ValueError (no such type, or one that is
 * not for values in containers) or MemoryError set. */
JF_API const jf_pattern* jf_pattern_of(const char* type);
/* That of parameter `index` (-1: the result) of a function; as jf_pattern_of. */
JF_API const jf_pattern* jf_pattern_at(const jf_call_info* info, int32_t index);
/* Compares what a view holds with a pattern, walking into containers. -1 with TypeError or OverflowError set, which names
 * function and parameter, what was expected, and the value at fault with the way to it. */
JF_API int32_t jf_pattern_check(const jf_pattern* pattern, const jf_call_info* info, int32_t index,
                                const jf_view* view);
/* Whether a view holds a value of the type, and in the type's own form: as it stands where one was converted to it, an int
 * in a list[f64] does not. Sets no error. */
JF_API int32_t jf_pattern_holds(const jf_pattern* pattern, const jf_view* view);

/* A signature's text without names and defaults, interned: one address for all signatures of the same types. NULL with
 * MemoryError set. */
JF_API const char* jf_function_types(const char* signature);
/* Whether a function object is of these types, which jf_function_types gave: 1, 0, or -1 for one without a signature, which
 * checks what it is given itself. */
JF_API int32_t jf_function_has_types(const jf_object* function, const char* types);

#ifdef __cplusplus
}
#endif
#endif
