/* The functions of the C runtime, grouped by the file that owns them.
 *
 * Ownership words: "new" results carry a reference that the caller releases; "borrowed" arguments stay the
 * caller's; "steals" takes the caller's reference on success and on failure alike. Functions that return
 * int32_t give 0 for success; otherwise this thread's last error is set, and out-slots are null.
 * Everything is safe from any thread unless it says otherwise.
 */
#ifndef JITFFI_RUNTIME_H
#define JITFFI_RUNTIME_H

#include "abi.h"

#if defined(_WIN32)
#define JF_API __declspec(dllexport)
#else
#define JF_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* -- memory.c ------------------------------------------------------------------------------------------ */

/* Replaces the allocator. Memory is given back to whichever stands when it is freed, so call this first. The functions
 * must not call the runtime. NULL functions restore malloc and free. Other threads may allocate meanwhile, and it may be
 * called at any time, where old and new functions can each free what the other has allocated, and use no context. */
JF_API void jf_set_allocator(void* (*allocate)(size_t size, void* context),
                             void (*deallocate)(void* memory, void* context), void* context);
/* What was set; NULL functions: malloc and free. */
JF_API void jf_get_allocator(void* (**out_allocate)(size_t size, void* context),
                             void (**out_deallocate)(void* memory, void* context), void** out_context);
JF_API void* jf_alloc(size_t size); /* NULL when there is none; sets no error */
JF_API void jf_free(void* memory);  /* NULL is allowed */

JF_API uint32_t jf_abi_version(void); /* JF_ABI_VERSION of the library that runs */

/* -- object.c ------------------------------------------------------------------------------------------ */

JF_API void jf_object_retain(jf_object* object);  /* NULL and static objects are allowed */
JF_API void jf_object_release(jf_object* object); /* the last one calls the deleter */
/* Memory for an object of `size` bytes with its header set, count 1, the rest zero; NULL with MemoryError set. Counted
 * by jf_live_objects until jf_object_free, which a deleter calls last. deleter NULL here means jf_object_free. */
JF_API void* jf_object_new(size_t size, int32_t type_code, void (*deleter)(jf_object*));
JF_API void jf_object_free(jf_object* object);
/* The same of an object that was made with that size, or a larger one: nobody need find out how large it is. */
JF_API void jf_object_free_sized(jf_object* object, size_t size);
/* The same for an object with a struct: `size` bytes at 16, rounded up to `align`, behind its address, and aligned so (a
 * power of two). It is of type JF_ROOT until its maker sets the code of jf_type_register_struct. */
JF_API jf_object* jf_object_alloc(size_t size, size_t align);
JF_API int64_t jf_live_objects(void);
JF_API jf_object* jf_host_object_new(const void* owner, void* handle, void (*deleter)(jf_object*)); /* new */

/* -- type.c: the type table ----------------------------------------------------------------------------- */

/* The code of `key`, made on first sight below `parent` (a code; JF_ROOT for none). The same key with another parent is
 * a ValueError. 0 with the error set on failure. */
JF_API int32_t jf_type_register(const char* key, int32_t parent);
/* The code of the key of a struct of that size and alignment, which are recorded at first sight. 0 with ValueError set
 * where the key's are others, or its objects have fields. */
JF_API int32_t jf_type_register_struct(const char* key, size_t size, size_t align);
/* The struct in an object: of one whose type is no struct's, NULL. */
JF_API void* jf_struct_bytes(const jf_object* object);
JF_API int32_t jf_type_code(const char* key); /* 0: unknown, no error set */
/* A static name such as "int", "str"; "?" when unknown; never freed. */
JF_API const char* jf_type_key(int32_t type_code);
JF_API int32_t jf_type_is_a(int32_t type_code, int32_t ancestor); /* 1 or 0; a code is its own ancestor */

/* -- string.c ------------------------------------------------------------------------------------------ */

JF_API jf_object* jf_str_new(const char* data, size_t size);       /* new; copies; NULL with the error set */
JF_API jf_object* jf_bytes_new(const char* data, size_t size);     /* the same */
JF_API jf_object* jf_ucs4_new(const jf_char32* data, size_t size); /* the same of code points */
/* A heap str, bytes or UCS4 str (code JF_STR, JF_BYTES or JF_UCS4) of `size` bytes, or characters, and a NUL. The caller
 * writes all of them through *data before anybody else sees the object. */
JF_API jf_object* jf_str_alloc(int32_t type_code, size_t size, char** data);
/* Bytes of UTF-8 that the code points need; -1 when one is a surrogate or beyond 0x10FFFF. */
JF_API int64_t jf_ucs4_utf8_size(const jf_char32* data, size_t size);
JF_API void jf_ucs4_to_utf8(const jf_char32* data, size_t size, char* out); /* exactly that many bytes, no NUL */

/* -- slot.c; check.c and describe.c have jf_any_ok and jf_any_describe ----------------------------------- */

/* Null, with the capacity that the memory behind the slot has (payload bytes, a multiple of 8). */
JF_API void jf_out_init(jf_value* out, int32_t capacity);
/* Payload bytes that a null out-slot has room for, by the rules of the out-slot. */
JF_API int32_t jf_out_capacity(const jf_value* out);
/* Writes text or bytes into a null out-slot: in place up to its capacity, else a heap object. */
JF_API int32_t jf_out_str(jf_value* out, const char* data, size_t size);
JF_API int32_t jf_out_bytes(jf_value* out, const char* data, size_t size);
JF_API int32_t jf_out_ucs4(jf_value* out, const jf_char32* data, size_t size);
/* Writes an object into an out-slot under the right code, unboxed where it is a box; steals it; NULL becomes null. */
JF_API void jf_out_object(jf_value* out, jf_object* object);

/* View to value: *out (a null out-slot with its capacity) gets an owned copy; the view stays as it was, but for an
 * r-value reference, which is moved. */
JF_API int32_t jf_any_retain(const jf_view* view, jf_value* out);
JF_API void jf_any_release(jf_value* value); /* leaves it null */
/* An argument that the callee may take: a view of *reference, which is NULL afterwards where it did. */
JF_API void jf_any_rvalue(jf_object** reference, jf_view* out);
/* An owned value from a slot of any pad to a null out-slot of any capacity: text that does not fit becomes a heap object.
 * *from is null afterwards; on failure both are as before. */
JF_API int32_t jf_any_move(jf_value* from, jf_value* out);
/* Value (of any pad) to view: 16 bytes that borrow from *value, an any pointer when a small value is longer. A boxed
 * value is unboxed. */
JF_API void jf_any_view(const jf_any* value, jf_view* out);
/* The object for a view: a new reference; small and plain values are boxed, borrowed text becomes a heap object, null
 * gives NULL without an error. *failed (may be NULL) is 1 when NULL means failure. */
JF_API jf_object* jf_any_to_object(const jf_view* view, int32_t* failed);
/* 1 if the slot keeps its invariants; *why (may be NULL) gets the sentence that is broken. */
JF_API int32_t jf_any_ok(const jf_any* slot, int32_t is_value, const char** why);
/* What the slot holds, for messages: "int 3", "str 'abc'", "float", "null"; the value when it is short. NUL-terminated,
 * cut to capacity. Returns its length. */
JF_API size_t jf_any_describe(const jf_any* slot, char* buffer, size_t capacity);

/* -- dlpack.c: the names of data types and devices ------------------------------------------------------- */

enum { JF_DTYPE_SIZE = 32, JF_DEVICE_SIZE = 32 };
/* "float32", "int8x4", "bool", "bfloat16", "float8_e4m3fn", "handle": 0, or -1 where the text names no data type; no
 * error is set. */
JF_API int32_t jf_dtype_parse(const char* text, size_t size, jf_dtype* out);
/* The canonical name, which jf_dtype_parse reads back; cut to capacity, NUL-terminated. Returns its length. */
JF_API size_t jf_dtype_format(jf_dtype dtype, char* buffer, size_t capacity);
/* "cuda:1", "cpu": 0, or -1 where the text names no device; no error is set. */
JF_API int32_t jf_device_parse(const char* text, size_t size, jf_device* out);
JF_API size_t jf_device_format(jf_device device, char* buffer, size_t capacity);
JF_API const char* jf_device_name(int32_t device_type); /* static; NULL for a number without a name */

/* -- error.c ------------------------------------------------------------------------------------------- */

JF_API void jf_error_set(const char* kind, const char* message); /* copies both */
/* printf's language; on wasm %e, %f and %g all write the shortest text that reads back. */
JF_API void jf_error_format(const char* kind, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
JF_API void jf_error_set_object(jf_object* error); /* steals; NULL: MemoryError */
/* new; copies the texts, retains cause and host; traceback, cause and host may be NULL; NULL when out of memory */
JF_API jf_object* jf_error_new(const char* kind, const char* message, const char* traceback, jf_object* cause,
                               jf_object* host);
/* new: an OSError "[Errno number] message", which is of the number's class in Python, and has it as its errno; NULL when out of
 * memory */
JF_API jf_object* jf_error_of_errno(int number, const char* message, jf_object* cause);
/* The last error has passed through this place: a line of its traceback, which Python shows as an entry of its own. Nothing
 * without an error. */
JF_API void jf_error_add_frame(const char* file, int32_t line, const char* function);
/* jf_error_format with the place where this stands in the traceback, and -1: return JF_RAISE("ValueError", "no %s", name); */
#define JF_RAISE(...) (jf_error_format(__VA_ARGS__), jf_error_add_frame(__FILE__, __LINE__, __func__), -1)
/* What the last error has passed through while somebody else holds it, who sees it as it was: new, a str of lines as those of a traceback,
 * to be asked for before jf_error_take, which drops them; NULL: nothing. jf_error_add_lines gives them to an error that is set again,
 * and steals them. */
JF_API jf_object* jf_error_take_lines(void);
JF_API void jf_error_add_lines(jf_object* lines);
JF_API jf_object* jf_error_take(void); /* new; clears it and its pending mark; NULL when there is none */
JF_API jf_object* jf_error_peek(void); /* borrowed; NULL when there is none */
/* The pending error: the callee behind a C function that has no way to fail has failed. Keeps the first. */
JF_API void jf_error_mark_pending(void);
JF_API int32_t jf_error_is_pending(void); /* on this thread */
/* What an error was raised while handling, and what its class is called with, both borrowed; NULL: nothing. Not of errors with a
 * host exception, which has these. */
JF_API jf_object* jf_error_context(const jf_object* error);
JF_API jf_object* jf_error_args(const jf_object* error);

/* What an except clause is handling: in the frame of who does, from begin or known to end. */
typedef struct jf_handled jf_handled;
struct jf_handled {
  jf_handled* outer; /* the clause around, of this thread */
  jf_object* error;  /* owned; NULL where it has not been made so far */
  const char* kind;  /* what it would be made of: a message, or a key by `raise` */
  const char* message;
  int32_t (*raise)(const char* kind, const jf_any* key);
  jf_any key;       /* owned */
  const char* file; /* where it was caught */
  const char* function;
  void* before; /* what was being handled in the embedding language, while `is_shown` */
  int32_t line; /* of the file; 0: the error has it in its traceback */
  int16_t is_shown;
  int16_t is_open;
};
/* The last error is taken. The places are good for ever. */
JF_API void jf_handled_begin(jf_handled* handled, const char* file, const char* function, int32_t line);
/* The same of an error that nobody has made, and nobody will unless it is asked for. */
JF_API void jf_handled_known(jf_handled* handled, const char* kind, const char* message, const char* file,
                             const char* function, int32_t line);
/* The same of one with a key, which `raise` makes, always with -1. *key is moved. */
JF_API void jf_handled_key(jf_handled* handled, int32_t (*raise)(const char* kind, const jf_any* key), jf_value* key,
                           const char* file, const char* function, int32_t line);
JF_API jf_object* jf_handled_error(jf_handled* handled); /* borrowed, and made now where it was not */
JF_API int32_t jf_handled_reraise(jf_handled* handled);  /* it is the last error again; always -1 */
JF_API void jf_handled_failed(
    jf_handled* handled);                        /* the clause ends with the last error, whose context this becomes */
JF_API void jf_handled_end(jf_handled* handled); /* nothing where it has ended */
JF_API jf_handled* jf_handled_innermost(void);   /* of this thread; NULL: nothing is being handled */
JF_API void jf_handled_show(void);               /* the embedding language is told of what is being handled */

/* What the embedding language does with errors, for code that catches them. */
typedef struct {
  int32_t (*is_a)(const jf_object* error, const char* name); /* 1 where it is one of a built-in class there, else 0 */
  void (*show)(jf_handled* innermost);                       /* of those from there outwards, what is not shown */
  void (*hide)(jf_handled* handled);                         /* what was being handled before is so again */
  jf_object* (*handled)(void);                               /* new: what is being handled; NULL: nothing */
} jf_host_errors;
JF_API void jf_set_host_errors(const jf_host_errors* host); /* static; NULL: there is none */
JF_API const jf_host_errors* jf_get_host_errors(void);      /* NULL: there is none */
/* How many threads have a pending error: while it is 0, which one load tells, nobody need ask jf_error_is_pending. */
JF_API const int32_t* jf_error_pending_count(void);

/* -- lock.c -------------------------------------------------------------------------------------------- */

/* The lock that code of the embedding language runs under. */
typedef struct {
  void* (*unlock)(void); /* gives it up; what `relock` takes it again by; NULL: this thread has not got it */
  void (*relock)(void* unlocked);
} jf_host_lock;
JF_API void jf_set_host_lock(const jf_host_lock* lock); /* static; NULL: there is none */
/* Around what waits for another thread, which may call the embedding language meanwhile: the thread gives its lock up, and
 * touches no container that others have, too. NULL where there was none to be given up. */
JF_API void* jf_host_unlock(void);
JF_API void jf_host_relock(void* unlocked); /* NULL is allowed */

/* -- function.c ---------------------------------------------------------------------------------------- */

/* new. `captures` is stored at 48 as one pointer, `deleter` (may be NULL) is called with it in the end. signature is
 * copied (may be NULL); native and types start as NULL. */
JF_API jf_object* jf_function_new(jf_packed_call call, void* captures, void (*deleter)(void* captures),
                                  const char* signature);
/* What `function` captures if `deleter` is its deleter, which is how its maker knows it again; else NULL. */
JF_API void* jf_function_captures(const jf_object* function, void (*deleter)(void* captures));
/* What tracebacks call it; `name` lives as long as it does. Who registers a function, or makes it a method, names it where it has no
 * name so far. Of functions that jf_function_new has not made, nothing. */
JF_API void jf_function_set_name(jf_object* function, const char* name);
/* After callee->call(callee, num_args, args, out) of one's own has failed: *out is null, there is an error, and its traceback shows
 * the function. */
JF_API void jf_call_failed(const jf_function* callee, jf_value* out);
/* Calls it. A failure without an error set, or a result beside a failure, is mended here. */
JF_API int32_t jf_function_call(jf_object* function, int32_t num_args, const jf_view* args, jf_value* out);
/* One address per text, for ever: equal texts are equal pointers. NULL with MemoryError set. */
JF_API const char* jf_intern(const char* text);

/* -- registry.c ---------------------------------------------------------------------------------------- */

/* Retains the function; ValueError when the name is taken and override_ is 0. */
JF_API int32_t jf_global_set(const char* name, jf_object* function, int32_t override_);
JF_API jf_object* jf_global_get(const char* name); /* new; NULL when unknown, no error set */
JF_API int32_t jf_global_remove(const char* name); /* 0 removed; ValueError when unknown */
/* What is known of the function of that name, beside its signature, for tools: a map, which is retained; NULL for nothing. Another
 * function under the name has none. ValueError when the name is unknown. */
JF_API int32_t jf_global_set_metadata(const char* name, jf_object* metadata);
JF_API jf_object* jf_global_metadata(const char* name); /* new; NULL without any, no error set */
/* Sets the ValueError for a name that is not registered, with the nearest one that is. */
JF_API void jf_global_fail_unknown(const char* name);
/* Calls visit with each name, sorted, and context; stops when it returns non-zero and returns that. Names are copies
 * made before the first call, so visit may use the registry. */
JF_API int32_t jf_global_list(int32_t (*visit)(const char* name, void* context), void* context);

/* -- lift.c, raise.c, half.c: what packed entries do with an argument, off the fast path ----------------- */

typedef struct jf_pattern jf_pattern; /* pattern.h */
typedef struct {
  const char* name;          /* NULL: positional only */
  const char* type;          /* canonical text */
  const jf_pattern* pattern; /* of a container type; NULL: looked up by the text */
} jf_param_info;

/* "self": what the first parameter of a type's method is called. Messages count the arguments behind it, as Python does. It is this
 * address that tells; the object that any other function takes first is argument 1, whatever it is called. */
JF_API extern const char jf_self[];

/* What an error message says of a function. Arguments are counted from 1. */
typedef struct {
  const char* name;
  int32_t num_params;
  int32_t num_required;
  const jf_param_info* params;
  const char* result; /* canonical text of the result's type */
  const jf_pattern* result_pattern;
} jf_call_info;
/* The last error has passed through the call of that function: a line of its traceback, by name and types. */
JF_API void jf_error_add_call(const jf_call_info* info);

/* Temporaries of one call, released newest first. Zero-initialised; not shared between threads. */
typedef struct jf_temp jf_temp;
typedef struct {
  jf_temp* head;
} jf_temps;
/* Steals resource: on failure it has been released. */
JF_API int32_t jf_temps_add(jf_temps* temps, void* resource, void (*release)(void* resource));
JF_API void jf_temps_release(jf_temps* temps);

/* Scalar kinds, as the lift functions take them. */
enum {
  JF_KIND_BOOL,
  JF_KIND_I8,
  JF_KIND_I16,
  JF_KIND_I32,
  JF_KIND_I64,
  JF_KIND_U8,
  JF_KIND_U16,
  JF_KIND_U32,
  JF_KIND_U64,
  JF_KIND_F16,
  JF_KIND_BF16,
  JF_KIND_F32,
  JF_KIND_F64,
  JF_KIND_DTYPE,
  JF_KIND_DEVICE,
  JF_KIND_LONGDOUBLE, /* in slots a float */
  JF_KIND_I128,       /* this and the others are in no slot */
  JF_KIND_U128,
  JF_KIND_C64,
  JF_KIND_C128
};

/* How objects of another language are read where a number, bytes, an error or a struct are asked for: `code` is JF_INT,
 * JF_FLOAT, JF_BYTE_ARRAY, JF_ERROR, of which *out holds a new one, or a struct's, whose bytes *out is a handle of; `span` is
 * memory that *out may point at, what else is made lives in `temps`. 1: *out is set; 0: the object is none; -1 with the error
 * set. */
JF_API void jf_set_host_reader(int32_t (*read)(jf_object* object, int32_t code, jf_any* out, jf_span* span,
                                               jf_temps* temps));
/* Places that are no parameter's: the result, and a field, whose whole name `info` has ("demo.Point.x"). */
enum { JF_RESULT_INDEX = -1, JF_FIELD_INDEX = -2 };
/* Each reads parameter `index` (from 0; or one of these) of `info` from a view and gives what C wants, by the rules of
 * the packed call: boxes are opened, ranges checked, text of any kind taken. On failure TypeError, OverflowError or
 * ValueError names function, position, name, expected and actual. `out` is 8 bytes: integers sign- or zero-extended to
 * 64 bits, bool 0 or 1, f64 as double, f32 as float in the low half, longdouble as double, floats of 16 bits as
 * those, zero-extended; a data type in the low half and a device as they lie in memory, both also from text that names
 * one (else ValueError). */
JF_API int32_t jf_lift_scalar(const jf_call_info* info, int32_t index, const jf_view* view, int32_t kind, void* out);
/* Between a float in a slot and a long double in memory; one beyond a float's range is an OverflowError. */
JF_API int32_t jf_lift_longdouble(const jf_call_info* info, int32_t index, const jf_view* view, void* out);
JF_API int32_t jf_lower_longdouble(const jf_call_info* info, int32_t index, const void* value, jf_view* out);
JF_API int32_t jf_lift_ptr(const jf_call_info* info, int32_t index, const jf_view* view, void** out);
JF_API int32_t jf_lift_str(const jf_call_info* info, int32_t index, const jf_view* view, jf_span* out, jf_temps* temps);
JF_API int32_t jf_lift_bytes(const jf_call_info* info, int32_t index, const jf_view* view, jf_span* out,
                             jf_temps* temps);
JF_API int32_t jf_lift_cstr(const jf_call_info* info, int32_t index, const jf_view* view, const char** out,
                            jf_temps* temps);
/* UCS4 in place, UTF-8 converted; what is no UTF-8 is a UnicodeDecodeError. */
JF_API int32_t jf_lift_ucs4(const jf_call_info* info, int32_t index, const jf_view* view, jf_ucs4_span* out,
                            jf_temps* temps);
/* *out is borrowed from the view, or from temps where a box had to be made. `code`: JF_ROOT for any object, JF_FUNCTION
 * for a function. */
JF_API int32_t jf_lift_object(const jf_call_info* info, int32_t index, const jf_view* view, int32_t code,
                              jf_object** out, jf_temps* temps);
/* The same for list, map and tuple types: the items are checked, too. *out is borrowed from the view. */
JF_API int32_t jf_lift_container(const jf_call_info* info, int32_t index, const jf_view* view, jf_object** out);
/* Whether a view holds what the type says, of unions and null. */
JF_API int32_t jf_lift_checked(const jf_call_info* info, int32_t index, const jf_view* view);
/* A struct whose type's key the signature has: *out is borrowed from what the view holds, an object of jf_object_alloc, or
 * one of another language that has such a struct; the others make such an object of a copy, which temps hold, or the null
 * out-slot. */
JF_API int32_t jf_lift_struct(const jf_call_info* info, int32_t index, const jf_view* view, size_t size, size_t align,
                              void** out);
JF_API int32_t jf_lower_struct(const jf_call_info* info, int32_t index, const void* bytes, size_t size, size_t align,
                               jf_view* view, jf_temps* temps);
JF_API int32_t jf_out_struct(const jf_call_info* info, const void* bytes, size_t size, size_t align, jf_value* out);
/* The failure itself, for generated code: "expected <type>, got <value>" (TypeError), wrong number of arguments. */
JF_API void jf_fail_type(const jf_call_info* info, int32_t index, const jf_view* got);
JF_API void jf_fail_arity(const jf_call_info* info, int32_t num_args);
/* Half-precision conversions, exact to the last bit (round to nearest, ties to even). *overflow is set to 1 where a
 * finite number becomes infinite, else left alone. */
JF_API uint16_t jf_f16_from_f64(double value, int32_t* overflow);
JF_API double jf_f64_from_f16(uint16_t bits);
JF_API uint16_t jf_bf16_from_f64(double value, int32_t* overflow);
JF_API double jf_f64_from_bf16(uint16_t bits);

/* -- code.c, closure.c: machine code in memory ----------------------------------------------------------- */

/* Maps a copy of position-independent machine code, readable and executable, never writable at the same time. NULL with
 * OSError or MemoryError set. */
JF_API void* jf_code_map(const void* bytes, size_t size);
JF_API void jf_code_unmap(void* code, size_t size);

/* A closure: a C function pointer of its own that enters `body` with the address of its jf_closure in the register of
 * LLVM's `nest` parameter. The record stays readable after death, until it is given to another closure. */
typedef struct {
  JF_WIDE(void*, state); /* what body finds first; the dead state once it is dead */
  JF_WIDE(void*, body);
  int32_t result_class;      /* what a call after death returns: see below */
  int32_t reserved;          /* the runtime's: how many bytes back the code is */
  JF_WIDE(void*, next_free); /* of a dead one the runtime's; of a live one its maker's, null at first */
} jf_closure;
enum {
  JF_RESULT_INTEGER,
  JF_RESULT_FLOAT, /* f64 */
  JF_RESULT_STATUS,
  JF_RESULT_BODY,
  JF_RESULT_LONGDOUBLE,
  JF_RESULT_WIDE,           /* an integer of 128 bits */
  JF_RESULT_COMPLEX,        /* c128 */
  JF_RESULT_SINGLE,         /* f32 */
  JF_RESULT_SINGLE_COMPLEX, /* c64 */
  JF_RESULT_IN_MEMORY = 16  /* as JF_RESULT_BODY; so many bytes more, and the caller has memory for them */
};
JF_API jf_closure* jf_closure_new(void* state, void* body, int32_t result_class); /* NULL with the error set */
JF_API void* jf_closure_address(const jf_closure* closure); /* what C calls, as long as the closure lives */
/* The closure, alive or dead, whose code is at an address; NULL: there is other code, or none. */
JF_API jf_closure* jf_closure_at(const void* address);
/* From now on calls set the pending error ("called after its Function was released") and return zero; for
 * JF_RESULT_STATUS they set the last error and return -1. For JF_RESULT_BODY they still enter the body, which finds the
 * record's result_class negated, calls jf_closure_dead and returns what zero is to it. Its record is reused as late as can be.
 * `dead_state` is what the body finds of a call that another thread was just making: NULL where there are none. */
JF_API void jf_closure_kill(jf_closure* closure, void* dead_state);
/* The same of a closure that stays with its maker, who wakes it for another state, or kills it once it is awake. */
JF_API void jf_closure_sleep(jf_closure* closure, void* dead_state);
JF_API void jf_closure_wake(jf_closure* closure, void* state, void* body, int32_t result_class);
JF_API void jf_closure_dead(void); /* sets the pending error */

#ifdef __cplusplus
}
#endif
#endif
