/* C++ exceptions that callees throw: where they land in generated code, and what error becomes of them.
 *
 * Generated code describes its frames by tables of the Itanium C++ ABI, as compilers do (compile/blob.py). The unwinder
 * asks the personality below about each such frame; every call of foreign code has a landing, which takes whatever
 * comes: core_caught makes the last error of it. So no exception passes a frame of ours, or of Python's below it.
 *
 * The unwinder is GCC's, which C++ exceptions go through on this system, and the language's runtime is the one that has
 * thrown: both are looked for when they are needed, and no library is linked for them.
 */
#include <dlfcn.h>
#include <unwind.h>

#include "unwind.h"

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__) || defined(__riscv))

static struct {
  void* handle;
  void (*register_frame)(void*);
  void (*deregister_frame)(void*);
  __typeof__(_Unwind_GetIP)* get_ip;
  __typeof__(_Unwind_SetIP)* set_ip;
  __typeof__(_Unwind_SetGR)* set_register;
  __typeof__(_Unwind_GetRegionStart)* get_start;
  __typeof__(_Unwind_GetLanguageSpecificData)* get_table;
} unwinder;

static int32_t find(void* field, const char* name) {
  void* address = dlsym(unwinder.handle, name);
  memcpy(field, &address, sizeof address);
  return address != NULL;
}

/* Whether it is there: with the interpreter's lock held. */
static int32_t has_unwinder(void) {
  if (unwinder.handle) return unwinder.register_frame != NULL;
  unwinder.handle = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!unwinder.handle) {
    unwinder.handle = &unwinder;
    return 0;
  }
  const int32_t all = find(&unwinder.get_ip, "_Unwind_GetIP") && find(&unwinder.set_ip, "_Unwind_SetIP") &&
                      find(&unwinder.set_register, "_Unwind_SetGR") &&
                      find(&unwinder.get_start, "_Unwind_GetRegionStart") &&
                      find(&unwinder.get_table, "_Unwind_GetLanguageSpecificData") &&
                      find(&unwinder.deregister_frame, "__deregister_frame");
  return all && find(&unwinder.register_frame, "__register_frame");
}

int32_t core_frames_register(void* frames) {
  if (!has_unwinder()) return 0;
  unwinder.register_frame(frames);
  return 1;
}

void core_frames_deregister(void* frames) { unwinder.deregister_frame(frames); }

/* -- where an exception lands ---------------------------------------------------------------------------------------- */

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

static _Unwind_Reason_Code personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                       struct _Unwind_Exception* exception, struct _Unwind_Context* context) {
  (void)class;
  if (version != 1) return _URC_FATAL_PHASE1_ERROR;
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
    {"_ZTISt14overflow_error", "OverflowError"}, {"_ZTISt9exception", "RuntimeError"},
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

static void describe(const core_state* state, cxx_runtime* runtime, void* object) {
  void* type = runtime->current_type();
  const char *kind = "RuntimeError", *says = NULL;
  for (size_t i = 0; type && object && !says && i < sizeof kinds / sizeof kinds[0]; i++) {
    void* base = dlsym(runtime->handle, kinds[i].type);
    void* thrown = base ? as_class(base, type, object) : NULL;
    if (!thrown) continue;
    kind = kinds[i].kind;
    says = what(thrown);
  }
  const char* mangled = type ? ((const char**)type)[1] : "an unknown class";
  int status = -1;
  char* name = runtime->demangle ? runtime->demangle(mangled, NULL, NULL, &status) : NULL;
  jf_error_format(kind, "%s: %s%s%s", state->info->name, name ? name : mangled, says ? ": " : "", says ? says : "");
  free(name);
}

/* Makes the last error of what was thrown, and ends it. */
void core_caught(core_state* state, void* thrown) {
  struct _Unwind_Exception* exception = thrown;
  cxx_runtime runtime;
  if (!is_cxx(exception->exception_class)) {
    /* It stays in memory: some languages end the process where others destroy their exceptions. */
    jf_error_format("RuntimeError", "%s: an exception of another language", state->info->name);
  } else if (find_runtime(&runtime, exception)) {
    runtime.begin_catch(exception);
    describe(state, &runtime, object_of(exception));
    runtime.end_catch();
  } else {
    jf_error_format("RuntimeError", "%s: a C++ exception", state->info->name);
    if (exception->exception_cleanup) exception->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, exception);
  }
}

#else

int32_t core_frames_register(void* frames) { return (void)frames, 0; }
void core_frames_deregister(void* frames) { (void)frames; }
static void personality(void) {}
void core_caught(core_state* state, void* exception) { (void)state, (void)exception; }

#endif

/* Adds PERSONALITY, an address, to the module; -1 with an exception set on failure. */
int core_unwind_init(PyObject* module) {
  void* address;
  void* const function = (void*)personality;
  memcpy(&address, &function, sizeof address);
  return PyModule_AddObject(module, "PERSONALITY", PyLong_FromVoidPtr(address));
}
