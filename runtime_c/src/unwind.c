/* C++ exceptions that code which is called throws: where they land in the caller, and what error becomes of them.
 *
 * Generated code describes its frames by tables of the Itanium C++ ABI, as compilers do. The unwinder asks the personality
 * below about each such frame; every call of foreign code has a landing, which takes whatever comes: jf_caught makes the
 * last error of it.
 *
 * The unwinder is GCC's, which C++ exceptions go through on this system, and the language's runtime is the one that has
 * thrown: both are looked for when there is an exception, and no library is linked for them.
 */
#include <string.h>

#include "jitffi/emitted.h"
#include "jitffi/runtime.h"

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__) || defined(__riscv))

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

static struct {
  __typeof__(_Unwind_GetIP)* get_ip;
  __typeof__(_Unwind_SetIP)* set_ip;
  __typeof__(_Unwind_SetGR)* set_register;
  __typeof__(_Unwind_GetRegionStart)* get_start;
  __typeof__(_Unwind_GetLanguageSpecificData)* get_table;
} unwinder;

static void find(void* handle, void* field, const char* name) {
  void* address = dlsym(handle, name);
  __atomic_store((void**)field, &address, __ATOMIC_RELEASE);
}

/* A program that is linked statically has its own. */
#pragma weak _Unwind_GetIP
#pragma weak _Unwind_SetIP
#pragma weak _Unwind_SetGR
#pragma weak _Unwind_GetRegionStart
#pragma weak _Unwind_GetLanguageSpecificData

static int32_t use_linked(void) {
  if (!_Unwind_GetIP || !_Unwind_SetIP || !_Unwind_SetGR || !_Unwind_GetRegionStart || !_Unwind_GetLanguageSpecificData)
    return 0;
  unwinder.get_ip = _Unwind_GetIP;
  unwinder.set_ip = _Unwind_SetIP;
  unwinder.set_register = _Unwind_SetGR;
  unwinder.get_start = _Unwind_GetRegionStart;
  __atomic_store_n(&unwinder.get_table, _Unwind_GetLanguageSpecificData, __ATOMIC_RELEASE);
  return 1;
}

/* Whether it is there; any thread finds the same. */
static int32_t has_unwinder(void) {
  if (__atomic_load_n(&unwinder.get_table, __ATOMIC_ACQUIRE)) return 1;
  if (use_linked()) return 1;
  void* handle = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return 0;
  find(handle, &unwinder.get_ip, "_Unwind_GetIP");
  find(handle, &unwinder.set_ip, "_Unwind_SetIP");
  find(handle, &unwinder.set_register, "_Unwind_SetGR");
  find(handle, &unwinder.get_start, "_Unwind_GetRegionStart");
  find(handle, &unwinder.get_table, "_Unwind_GetLanguageSpecificData");
  return unwinder.get_table != NULL;
}

/* -- where an exception lands -------------------------------------------------------------------------------------- */

static uint64_t read_number(const uint8_t** at) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const uint8_t byte = *(*at)++;
    value |= (uint64_t)(byte & 0x7f) << (shift & 63);
    if (!(byte & 0x80)) return value;
  }
}

/* A field of a table of call sites, whose form is DW_EH_PE_uleb128 or DW_EH_PE_udata4. */
static uint64_t read_field(const uint8_t** at, uint8_t form) {
  if (form == 1) return read_number(at);
  uint32_t value;
  memcpy(&value, *at, sizeof value);
  *at += sizeof value;
  return value;
}

/* The address for a frame that is at a call; 0: exceptions pass it. Tables are LLVM's, of our own functions. */
static uintptr_t landing_of(struct _Unwind_Context* context) {
  const uint8_t* at = unwinder.get_table(context);
  if (!at) return 0;
  const uintptr_t start = unwinder.get_start(context), offset = unwinder.get_ip(context) - 1 - start;
  if (*at++ != 0xff) return 0;               /* landings are relative to the function's start */
  if (*at++ != 0xff) (void)read_number(&at); /* where its types are: all are caught */
  const uint8_t form = *at++;
  const uint64_t size = read_number(&at);
  for (const uint8_t* end = at + size; at < end;) {
    const uint64_t from = read_field(&at, form), length = read_field(&at, form), landing = read_field(&at, form);
    (void)read_number(&at); /* what is done there */
    if (offset >= from && offset - from < length) return landing ? start + landing : 0;
  }
  return 0;
}

int jf_personality(int version, int actions, uint64_t language, void* exception, void* frame) {
  struct _Unwind_Context* context = frame;
  (void)language;
  if (version != 1 || !has_unwinder()) return _URC_FATAL_PHASE1_ERROR;
  if (actions & _UA_FORCE_UNWIND) return _URC_CONTINUE_UNWIND; /* a thread that ends itself */
  const uintptr_t landing = landing_of(context);
  if (!landing) return _URC_CONTINUE_UNWIND;
  if (actions & _UA_SEARCH_PHASE) return _URC_HANDLER_FOUND;
  unwinder.set_register(context, __builtin_eh_return_data_regno(0), (uintptr_t)exception);
  unwinder.set_register(context, __builtin_eh_return_data_regno(1), 1);
  unwinder.set_ip(context, landing);
  return _URC_INSTALL_CONTEXT;
}

/* -- what it says ------------------------------------------------------------------------------------------------------- */

/* Of the C++ runtime that has thrown: GCC's libstdc++, or LLVM's libc++abi, which has the same interface here. */
typedef struct {
  void* (*begin_catch)(void*);
  void (*end_catch)(void);
  void* (*current_type)(void);
  char* (*demangle)(const char*, char*, size_t*, int*);
  void* handle;
} cxx_runtime;

/* Its classes that are kinds of Python's, derived ones before their bases. */
static const struct {
  const char *type, *kind;
} kinds[] = {
    {"_ZTISt9bad_alloc", "MemoryError"},         {"_ZTISt12out_of_range", "IndexError"},
    {"_ZTISt16invalid_argument", "ValueError"},  {"_ZTISt12domain_error", "ValueError"},
    {"_ZTISt12length_error", "ValueError"},      {"_ZTISt11range_error", "ValueError"},
    {"_ZTISt14overflow_error", "OverflowError"}, {"_ZTISt15underflow_error", "ArithmeticError"},
    {"_ZTISt12system_error", "OSError"},         {"_ZTISt8bad_cast", "TypeError"},
    {"_ZTISt10bad_typeid", "TypeError"},         {"_ZTISt9exception", "RuntimeError"},
};

static int32_t is_cxx(uint64_t class) {
  const uint64_t language = class >> 8;
  return language == 0x474E5543432B2B || language == 0x434C4E47432B2B; /* GNUCC++, CLNGC++; then 0, or 1 of a copy */
}

/* The runtime whose code destroys the exception; 0: it cannot be asked. */
static int32_t find_runtime(cxx_runtime* found, const struct _Unwind_Exception* exception) {
  Dl_info info;
  void* destroys;
  memcpy(&destroys, &exception->exception_cleanup, sizeof destroys);
  if (!dladdr(destroys, &info) || !info.dli_fname) return 0;
  found->handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!found->handle) found->handle = dlopen(NULL, RTLD_LAZY); /* it is linked into the program */
  void* addresses[4];
  const char* const names[] = {"__cxa_begin_catch", "__cxa_end_catch", "__cxa_current_exception_type",
                               "__cxa_demangle"};
  for (int i = 0; i < 4; i++) addresses[i] = dlsym(found->handle, names[i]);
  memcpy(found, addresses, sizeof addresses);
  return addresses[0] && addresses[1] && addresses[2];
}

/* The object that was thrown: it lies behind the header; a copy's header, as std::rethrow_exception makes it, has its address in the
 * first word (libstdc++ unwind-cxx.h, __cxa_dependent_exception). NULL: not known. */
static void* object_of(struct _Unwind_Exception* exception) {
  enum { GNU = 'G', COPY = 1, HEADER = 80 };
  if ((exception->exception_class & 0xff) != COPY) return exception + 1;
  if (exception->exception_class >> 56 != GNU) return NULL;
  void* object;
  memcpy(&object, (char*)exception - HEADER, sizeof object);
  return object;
}

/* What a catch clause does: the object as one of the class `base`, or NULL. Both runtimes have it as the fifth virtual
 * function of std::type_info (libstdc++ <typeinfo>: __do_catch; libc++abi private_typeinfo.h: can_catch). */
static void* as_class(void* base, void* type, void* object) {
  typedef char (*catches)(void* base, void* type, void** object, unsigned outer);
  catches function;
  memcpy(&function, *(char**)base + 4 * sizeof(void*), sizeof function);
  return function(base, type, &object, 1) ? object : NULL;
}

/* The third virtual function of std::exception. */
static const char* what(void* exception) {
  typedef const char* (*says)(void* exception);
  says function;
  memcpy(&function, *(char**)exception + 2 * sizeof(void*), sizeof function);
  return function(exception);
}

/* errno of a std::system_error: behind the text of its base stand the number and its category (<system_error> of both), whose third
 * virtual function is its name. 0 where it is of another category. */
static int error_number(const char* exception) {
  typedef const char* (*says)(void* category);
  int32_t number;
  void* category;
  memcpy(&number, exception + 2 * sizeof(void*), sizeof number);
  memcpy(&category, exception + 3 * sizeof(void*), sizeof category);
  says name;
  memcpy(&name, *(char**)category + 2 * sizeof(void*), sizeof name);
  const char* found = name(category);
  return strcmp(found, "system") == 0 || strcmp(found, "generic") == 0 ? number : 0;
}

static void describe(const char* name, cxx_runtime* runtime, void* object) {
  void* type = runtime->current_type();
  const char *kind = "RuntimeError", *says = NULL;
  int number = 0;
  for (size_t i = 0; type && object && !says && i < sizeof kinds / sizeof kinds[0]; i++) {
    void* base = dlsym(runtime->handle, kinds[i].type);
    void* thrown = base ? as_class(base, type, object) : NULL;
    if (!thrown) continue;
    kind = kinds[i].kind;
    says = what(thrown);
    if (strcmp(kind, "OSError") == 0) number = error_number(thrown);
  }
  const char* mangled = type ? ((const char**)type)[1] : "an unknown class";
  int status = -1;
  char* class = runtime->demangle ? runtime->demangle(mangled, NULL, NULL, &status) : NULL;
  if (number != 0) {
    char text[512];
    snprintf(text, sizeof text, "%s%s%s: %s", name, *name ? ": " : "", class ? class : mangled, says);
    jf_error_set_object(jf_error_of_errno(number, text, NULL));
  } else {
    jf_error_format(kind, "%s%s%s%s%s", name, *name ? ": " : "", class ? class : mangled, says ? ": " : "",
                    says ? says : "");
  }
  free(class);
}

/* `name`: of the function that was called, or "". Ends the exception. */
void jf_caught(const char* name, void* thrown) {
  struct _Unwind_Exception* exception = thrown;
  const char* colon = *name ? ": " : "";
  cxx_runtime runtime;
  if (!is_cxx(exception->exception_class)) {
    /* It stays in memory: some languages end the process where others destroy their exceptions. */
    jf_error_format("RuntimeError", "%s%san exception of another language", name, colon);
  } else if (find_runtime(&runtime, exception)) {
    runtime.begin_catch(exception);
    describe(name, &runtime, object_of(exception));
    runtime.end_catch();
  } else {
    jf_error_format("RuntimeError", "%s%sa C++ exception", name, colon);
    if (exception->exception_cleanup) exception->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, exception);
  }
}

#else

int jf_personality(int version, int actions, uint64_t language, void* exception, void* frame) {
  (void)version, (void)actions, (void)language, (void)exception, (void)frame;
  return 8; /* _URC_CONTINUE_UNWIND: exceptions pass */
}
void jf_caught(const char* name, void* exception) { (void)name, (void)exception; }

#endif

/* -- calls of C code ------------------------------------------------------------------------------------------------ */

/* int32_t jf_call_guarded(jf_function* callee, int32_t num_args, const jf_view* args, jf_value* out, jf_packed_call call):
 * call(callee, num_args, args, out), and -1 with the last error where it throws. C has no words for a landing. */
#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__)) && defined(__ELF__)

#if defined(__x86_64__)
#define BEFORE "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
#define CALL "callq *%r8\n"
#define CAUGHT "movq %rax, %rdi\ncallq jf_guard_caught\n"
#define AFTER "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\nretq\n"
#define AGAIN ".cfi_adjust_cfa_offset 8\n"
#else
#define BEFORE "stp x29, x30, [sp, #-16]!\n.cfi_def_cfa_offset 16\n.cfi_offset x29, -16\n.cfi_offset x30, -8\n"
#define CALL "blr x4\n"
#define CAUGHT "bl jf_guard_caught\n"
#define AFTER "ldp x29, x30, [sp], #16\n.cfi_restore x29\n.cfi_restore x30\n.cfi_def_cfa_offset 0\nret\n"
#define AGAIN ".cfi_def_cfa_offset 16\n.cfi_offset x29, -16\n.cfi_offset x30, -8\n"
#endif

/* Used by the code below alone. */
__attribute__((visibility("hidden"), used)) int32_t jf_guard_caught(void* exception) {
  jf_caught("", exception);
  return -1;
}

/* Pointers are relative (DW_EH_PE_pcrel | DW_EH_PE_sdata4, 0x1b), that of the personality to its address (0x9b). */
__asm__(
    ".text\n.p2align 4\n.globl jf_call_guarded\n.type jf_call_guarded, %function\n"
    "jf_call_guarded:\n.cfi_startproc\n.cfi_personality 0x9b, .Ljf_guard_personality\n.cfi_lsda 0x1b, "
    ".Ljf_guard_table\n" BEFORE ".Ljf_guard_begin:\n" CALL ".Ljf_guard_end:\n" AFTER
    ".Ljf_guard_land:\n" AGAIN CAUGHT AFTER
    ".cfi_endproc\n.size jf_call_guarded, .-jf_call_guarded\n"
    ".section .gcc_except_table,\"a\",%progbits\n.Ljf_guard_table:\n.byte 0xff, 0xff, 1\n.uleb128 8\n"
    ".uleb128 .Ljf_guard_begin - jf_call_guarded\n.uleb128 .Ljf_guard_end - .Ljf_guard_begin\n"
    ".uleb128 .Ljf_guard_land - jf_call_guarded\n.uleb128 1\n.zero 4\n"
    ".section .data.rel.ro,\"aw\",%progbits\n.p2align 3\n.Ljf_guard_personality:\n.quad jf_personality\n.text\n");

#else

int32_t jf_call_guarded(jf_function* callee, int32_t num_args, const jf_view* args, jf_value* out,
                        jf_packed_call call) {
  return call(callee, num_args, args, out);
}

#endif
