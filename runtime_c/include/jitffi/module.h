/* Modules: functions by name, from a shared library, from linked code, or from the program itself.
 *
 *   module --> exports: name, packed function, signature      (fixed when it is made)
 *          --> imports: other modules, looked into for what it has not itself
 *          --> owner: the library or the code, given up by unload when nobody needs it any more
 *
 * A function taken from a module holds it: its code stays loaded as long as the function lives. Other things that come
 * out of a module do not: an object whose deleter, or a function object whose call, is the module's own code must be
 * released before the module is unloaded, or be kept together with what jf_module_hold gives. Text, containers and boxes
 * are the runtime's, and stay.
 */
#ifndef JITFFI_MODULE_H
#define JITFFI_MODULE_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char* name;
  jf_packed_call call;   /* gets the function object that was taken from the module as `self` */
  const char* signature; /* canonical text; "": it takes whatever it is given; NULL: nothing says what it takes */
} jf_export;

/* -- module.c ------------------------------------------------------------------------------------------ */

/* new; copies name and exports with their texts. Owns `owner` from now on: unload (may be NULL) is called with it once,
 * when the module is unloaded or dies. ValueError for an export without a name, and for two of one name; on failure the
 * owner is still the caller's. */
JF_API jf_object* jf_module_new(const char* name, const jf_export* exports, size_t count, void* owner,
                                void (*unload)(void* owner));
/* Borrowed; "" for what is no module. */
JF_API const char* jf_module_name(const jf_object* module);
/* new: the function of that name, from the module itself or else from the nearest of its imports. AttributeError when
 * there is none, with the nearest name; ValueError when the module was unloaded. */
JF_API jf_object* jf_module_get(jf_object* module, const char* name);
/* The same from the module alone, and NULL without an error when it has none. */
JF_API jf_object* jf_module_get_own(jf_object* module, const char* name);
/* Retains `imported`. Once is enough, and rings of imports are allowed; they stay loaded until one of them is unloaded or
 * forgets its imports. */
JF_API int32_t jf_module_import(jf_object* module, jf_object* imported);
JF_API void jf_module_clear_imports(jf_object* module);
JF_API size_t jf_module_count_imports(jf_object* module);
JF_API jf_object* jf_module_imported(jf_object* module, size_t index); /* new; NULL behind the last, without an error */
/* Its own exports, sorted by name, as long as the module lives; NULL with ValueError when it was unloaded. */
JF_API const jf_export* jf_module_exports(jf_object* module, size_t* count);
/* Unloads it now. RuntimeError while functions taken from it live; nothing where it was unloaded before. From then on
 * everything but its name is a ValueError. */
JF_API int32_t jf_module_unload(jf_object* module);
JF_API int32_t jf_module_is_loaded(const jf_object* module);
/* Says that `size` bytes from `memory` on are the module's code and data, which is how jf_module_hold finds it. */
JF_API void jf_module_set_memory(jf_object* module, const void* memory, size_t size);
/* new: an object that holds the module which that code is in, as a function taken from it does; NULL where it is in none,
 * or without memory, never with an error. For function objects that a module has made itself. */
JF_API jf_object* jf_module_hold(const void* code);
/* Borrowed: the module that a function was taken from, or NULL. */
JF_API jf_object* jf_module_of(const jf_object* function);
/* What was taken with that function is no use any more that keeps its module from being unloaded: the owner keeps the
 * code by itself from now on, for ever. Its maker says so, before another thread has the function. */
JF_API void jf_module_keep(jf_object* function);
/* Its owner, if `unload` is what unloads it, which is how its maker knows it again, and it is loaded; else NULL. */
JF_API void* jf_module_owner(const jf_object* module, void (*unload)(void* owner));
/* ABI of a file, as its `__jfabi` says, for this runtime: 0, or -1 with OSError naming the file and both versions. */
JF_API int32_t jf_module_check_abi(const char* file, uint32_t version);

/* -- system.c: functions that are linked into the program ------------------------------------------------- */

/* A table of exports that the program registers at start-up. Static: it is linked into a list as it is, so that
 * registering needs no memory and cannot fail. */
typedef struct jf_export_table jf_export_table;
struct jf_export_table {
  const jf_export* exports;
  size_t count;
  jf_export_table* next; /* the runtime's */
};
JF_API void jf_module_register(jf_export_table* table);   /* from now on jf_system_library has them */
JF_API void jf_module_unregister(jf_export_table* table); /* for a library that may be unloaded */
/* new: a module of what has been registered until now under names that begin with `prefix` (NULL: ""), which is left out
 * of them. Of two of one name the one registered first. */
JF_API jf_object* jf_system_library(const char* prefix);

#if defined(__GNUC__)
/* JF_EXPORT(add) in one C or C++ file of a program registers what an object file exports as `add`, before main. */
#ifdef __cplusplus
#define JF_EXTERN_C extern "C"
#else
#define JF_EXTERN_C extern
#endif
#define JF_PRAGMA(text) _Pragma(#text)
#if defined(__wasm__) /* nothing is unloaded there, and a destructor would need a C library */
#define JF_UNREGISTER(name)
#else
#define JF_UNREGISTER(name) \
  __attribute__((destructor)) static void jf_unregister_##name(void) { jf_module_unregister(&jf_table_of_##name); }
#endif
#define JF_EXPORT(name)                                                              \
  JF_EXTERN_C int32_t __jf_##name(jf_function*, int32_t, const jf_view*, jf_value*); \
  JF_EXTERN_C const char __jfsig_##name[];                                           \
  JF_PRAGMA(weak __jfsig_##name) /* it may be missing */                             \
  static jf_export jf_export_of_##name = {#name, __jf_##name, NULL};                 \
  static jf_export_table jf_table_of_##name = {&jf_export_of_##name, 1, NULL};       \
  __attribute__((constructor)) static void jf_register_##name(void) {                \
    jf_export_of_##name.signature = __jfsig_##name;                                  \
    jf_module_register(&jf_table_of_##name);                                         \
  }                                                                                  \
  JF_UNREGISTER(name)                                                                \
  typedef int jf_exported_##name /* takes the semicolon */
#endif

/* -- load.c: shared libraries --------------------------------------------------------------------------- */

/* new: a shared library that exports `__jf_<name>`, and `__jfsig_<name>` where a signature is known, or `__tvm_ffi_<name>` of
 * tvm-ffi's convention (jitffi/tvm_ffi.h), opened with dlopen: a path, or a name without a slash for the loader to find. OSError, in the loader's words or ours; not on targets
 * without shared libraries. */
JF_API jf_object* jf_module_load(const char* path);
/* new: the same of a library that is open, `handle` being dlopen's; `file` is for messages and gives the name. owner and
 * unload are jf_module_new's. */
JF_API jf_object* jf_module_of_library(void* handle, const char* file, void* owner, void (*unload)(void* owner));
/* Looks at a file before dlopen does, which crashes where one was cut short: 0 (also where it cannot be read), or -1
 * with OSError: no shared library, of another machine, truncated. */
JF_API int32_t jf_module_check_library(const char* path);

#ifdef __cplusplus
}
#endif
#endif
