/* What an emitted extension module is made of: constants that jitffi/emission/extension.py writes, and the storage of its functions.
 *
 *   PyInit_demo --> core_emitted_init(&module)
 *   module { name, parts, functions --> function { about, entry, target, callbacks --> template { about, body, entry } } }
 *
 * A function's state is static, since its code reaches it by a relocation: it is part of a whole Function in static storage.
 */
#ifndef JITFFI_PYTHON_EMITTED_H
#define JITFFI_PYTHON_EMITTED_H

#include "function.h"

typedef struct core_emitted core_emitted;

/* Static storage: zero until the module is executed. */
typedef struct {
  void* collector[4]; /* the garbage collector looks at what stands before an object (its PyGC_Head): never tracked */
  core_function function;
  const core_emitted* emitted;
} core_storage;

/* A function, or a type func[...] of a parameter or result. Offsets are reported to Python by layout.c. */
struct core_emitted {
  core_storage* storage;
  const char* about; /* of marshal: (name, doc or None, names, types, text of the types, defaults or None, signature) */
  int64_t about_size;
  void* entry;  /* Python entry; of a type func[...]: its callee is a C function, which comes with `self`'s state */
  void* target; /* C function of exactly these types, or NULL */
  void* body;   /* C entry whose callee is a callable, which comes with a closure's state; NULL for functions */
  const core_emitted* const* callbacks; /* one a parameter, then the result: a type func[...] or NULL; NULL for none */
  int32_t flags;                        /* METH_* of the entry */
  int32_t result_class;                 /* JF_RESULT_* of the body */
};

/* Makes what is in the runtime for some types known; `names` collects their classes. -1 with an exception. */
typedef int (*core_part)(PyObject* names);

typedef struct {
  const char* name;                     /* without packages */
  const char* version;                  /* of jitffi, that the object was emitted by */
  const char* compiled;                 /* "3.11": the interpreter that it is for */
  const core_part* parts;               /* NULL at the end */
  const core_emitted* const* functions; /* NULL at the end */
  const char* structs;                  /* of marshal (jitffi/emission/struct_classes.py); NULL: there are none */
  int64_t structs_size;
} core_emitted_module;

/* What PyInit_* returns: the module's definition; NULL with ImportError where the interpreter is of another version. */
PyObject* core_emitted_init(const core_emitted_module* module);
/* structs.c: the classes of the module's structs, added to `names`. -1 with an exception. */
int core_emitted_structs(PyObject* names, const char* about, int64_t size);
/* The same of this module. */
int core_emitted_add_structs(PyObject* names);
/* The module's own text, "demo"; NULL before core_emitted_init. */
const char* core_emitted_name(void);
/* Fills the storage (of the package's own callbacks: a new Function) from the constants. NULL with an exception. */
core_function* core_emitted_function(const core_emitted* emitted);
/* The parts. Each starts what it needs itself. */
int core_part_callables(PyObject* names);
int core_part_dlpack(PyObject* names);
int core_part_pointers(PyObject* names);
int core_part_structs(PyObject* names);
int core_part_values(PyObject* names);

#endif
