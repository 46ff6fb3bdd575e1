/* jitffi.Pointer: an address that knows what it points at, how far its memory goes where that is known, and who owns it.
 *
 *   Pointer --type--> pointee                 what pointers of one type point at, by their canonical text; for ever
 *           --owner-> memory                  what jitffi.new has made, and what Python puts into it
 *                     owned                   native memory with a function that frees it
 *                     any other object        what the address came from, kept alive
 */
#ifndef JITFFI_PYTHON_POINTER_H
#define JITFFI_PYTHON_POINTER_H

#include "function.h"
#include "interpreter.h"
#include "jitffi/runtime.h"
#include "state.h"

/* -- pointee.c: types of pointers ------------------------------------------------------------------------------- */

enum {
  CORE_TO_NUMBER,  /* integers, floats and bool: `scalar` says which */
  CORE_TO_FLOAT8,  /* dtype.code says which */
  CORE_TO_COMPLEX, /* `scalar` says which; so it does of the next */
  CORE_TO_WIDE,    /* long double, integers of 128 bits */
  CORE_TO_STRUCT,  /* of a declaration: `info` is found when it is needed */
  CORE_TO_TEXT,
  CORE_TO_POINTER,
  CORE_TO_FUNCTION,
  CORE_TO_NOTHING /* void and opaque structs: no item can be read, and none has a size */
};

typedef struct core_pointee core_pointee;
typedef struct core_struct_info core_struct_info;
struct core_pointee {
  core_pointee* next;         /* in the table */
  const core_pointee* plain;  /* the same without const; itself where it has none */
  const core_pointee* target; /* CORE_TO_POINTER: what the items are */
  PyObject* text;             /* "ptr[const f32]" */
  PyObject* item_text;        /* "f32" */
  PyObject* type;             /* what Python calls it; NULL until it is asked for, as numpy */
  PyObject* numpy;            /* NumPy's dtype */
  const core_struct_info* info;
  const char* format; /* of the module struct; NULL where that has none */
  jf_dtype dtype;     /* lanes 0: no number */
  int32_t kind;
  int32_t scalar; /* JF_KIND_* */
  int32_t size;   /* bytes of an item; 0: none, or not known before core_pointee_complete */
  int32_t is_const;
};

/* The type of that text in canonical spelling, "ptr[f32]". What stands in func[...] is not looked at: is_trusted says that it is
 * right. NULL, with MemoryError or without an exception where the text is none. */
const core_pointee* core_pointee_of(const char* text, size_t size, int is_trusted);
/* Of a text in any spelling, or a Type. NULL with an exception. */
const core_pointee* core_pointee_from(PyObject* spec);
/* The size of a struct, which may be declared after pointers to it. -1 with an exception where it has none. */
int core_pointee_complete(const core_pointee* type);
PyObject* core_pointee_type(const core_pointee* type);  /* new: a Type; text in emitted modules */
PyObject* core_pointee_numpy(const core_pointee* type); /* new: NumPy's dtype; NULL with an exception */
/* Whether a pointer of type `got` goes where one of type `wanted` is asked for: const may come to it. */
int core_pointee_is_void(const core_pointee* type); /* ptr, or ptr[const void] */
int core_pointee_fits(const core_pointee* wanted, const core_pointee* got);

/* -- pointer_object.c ------------------------------------------------------------------------------------------------ */

typedef struct {
  PyObject_HEAD char* address;
  const core_pointee* type;
  PyObject* owner; /* NULL: not known */
  PyObject* weak_references;
  Py_ssize_t before; /* bytes in front of the address and behind it; room -1: not known */
  Py_ssize_t room;
  Py_ssize_t length; /* items; -1: not known */
  char is_owning;    /* it may close the owner */
} core_pointer;
extern PyTypeObject core_pointer_type;
int core_pointer_init(PyObject* module);
static inline int core_is_pointer(PyObject* object) { return Py_TYPE(object) == &core_pointer_type; }
/* New; owner may be NULL, and is borrowed. */
PyObject* core_pointer_make(const core_pointee* type, const void* address, Py_ssize_t before, Py_ssize_t room,
                            PyObject* owner);
/* 0, or -1 with ValueError: what it points at was closed; for reading also NULL. */
int core_pointer_check_open(const core_pointer* p);
int core_pointer_check(const core_pointer* p);

/* -- pointer_cast.c -------------------------------------------------------------------------------------------------- */

PyObject* core_pointer_cast(PyObject* type, PyObject* source); /* jitffi.cast; new, NULL with an exception */

/* -- pointer_item.c: one item ---------------------------------------------------------------------------------------- */

PyObject* core_item_read(const core_pointer* p, char* at);                     /* new; NULL with an exception */
int core_item_write(const core_pointer* p, Py_ssize_t index, PyObject* value); /* -1 with an exception */

/* An item as it stands somewhere: behind a pointer, or in a struct. All borrowed. */
typedef struct core_place core_place;
struct core_place {
  const core_pointee* type;                    /* of a pointer to it */
  PyObject* owner;                             /* of the memory; NULL: not known */
  PyObject* expected;                          /* what messages call its type */
  PyObject* (*where)(const core_place* place); /* "ptr[i8]: item 3: "; new */
  Py_ssize_t index;
  const void* of; /* the pointer or field */
};
PyObject* core_place_read(const core_place* place, char* at);
int core_place_write(const core_place* place, char* at, PyObject* value);
PyObject* core_number_read(int32_t scalar, const char* at); /* CORE_TO_NUMBER alone */

/* -- pointer_view.c: many items ---------------------------------------------------------------------------------------- */

extern PyBufferProcs core_pointer_buffer;
PyObject* core_pointer_array(PyObject* self, PyObject* shape);
PyObject* core_pointer_text(PyObject* self, PyObject* args, PyObject* keywords);
int core_pointer_view_init(void);
/* New: what keeps a pointer's memory for a view of so many bytes of it, as an exporter of theirs. */
PyObject* core_pointer_memory(core_pointer* p, Py_ssize_t size);

/* -- pointer_memory.c: jitffi.new ------------------------------------------------------------------------------------ */

PyObject* core_pointer_new(PyObject* spec, PyObject* initial);
PyObject* core_memory_new(Py_ssize_t size); /* new: so many bytes, all zero */
/* A text in an array of C's char is as C's initialisers put it there: its bytes, and zeros behind them. 1: done; 0: it is none;
 * -1: exception, or none where *length says that it is longer. Bytes are numbers to an array of u8, as many as it has. */
int core_text_write(const core_pointee* type, char* at, Py_ssize_t size, PyObject* value, Py_ssize_t* length);
char* core_memory_start(PyObject* memory, PyObject*** kept); /* of such memory: its first byte, and what it keeps */
int core_is_memory(PyObject* object);
int core_memory_init(void);

/* -- keep.c: what Python puts into memory ------------------------------------------------------------------------------ */

/* Who has the memory of an owner, and keeps what is put there: what jitffi.new has made, or an instance of a struct. */
typedef struct {
  PyObject* object; /* borrowed */
  char* start;
  PyObject** kept; /* dict: distance from the start -> object; NULL: nothing */
} core_keeper;
/* 1, or 0: the owner is NULL, or keeps nothing. */
int core_keeper_of(PyObject* owner, core_keeper* out);
/* What Python has put there, borrowed; NULL: nothing. Sets no exception. */
PyObject* core_kept_at(PyObject* owner, const char* at);
/* object NULL: nothing any more. Owners that keep nothing do nothing. -1 with MemoryError. */
int core_keep_at(PyObject* owner, const char* at, PyObject* object);
/* The bytes are copied, and what is kept with them; what was kept there goes. -1 with MemoryError, and nothing is copied. */
int core_copy_kept(PyObject* to_owner, char* to, PyObject* from_owner, const char* from, Py_ssize_t size);

/* -- structs -------------------------------------------------------------------------------------------------------------- */

/* What code that modules without structs have asks of struct_call.c: NULL where there are none. */
struct core_array;
typedef struct {
  const core_struct_info* (*find)(const char* key, size_t size); /* NULL with an exception */
  /* Whether it has a class already, or what stands in a right text can be nothing else. */
  int (*is_key)(const char* key, size_t size, int is_trusted);
  /* Bytes of one, and of an item at its flexible end (0: it has none). */
  void (*extent)(const core_struct_info* info, Py_ssize_t* size, Py_ssize_t* item_size);
  PyObject* (*view)(const core_struct_info* info, char* at, PyObject* owner, Py_ssize_t items, int is_const); /* new */
  /* The bytes of an instance of that struct, of any for NULL; NULL without an exception: it is none. */
  char* (*address)(const core_struct_info* info, PyObject* object, int* is_const);
  /* The bytes of an instance of the struct whose objects have that code; NULL: it is none. Sets no exception. */
  char* (*lent)(PyObject* object, int32_t code);
  /* New: an instance with the struct in an object; NULL: it has none that is declared here, or with an exception. */
  PyObject* (*boxed)(const jf_object* object);
  int (*is_alike)(const core_struct_info* a, const core_struct_info* b); /* one struct in C, by two modules */
  Py_ssize_t (*bytes)(PyObject* instance);
  const core_struct_info* (*info)(PyObject* object); /* of a class; NULL: it is none */
  PyObject* (*key)(const core_struct_info* info);    /* borrowed */
  int (*keeper)(PyObject* owner, core_keeper* out);  /* as core_keeper_of */
  PyObject* (*numpy)(const core_struct_info* info);  /* new: NumPy's dtype */
  int (*set_classes)(core_function* function);       /* state.classes; -1 with MemoryError */
  /* The element of an array gets the code JF_SPEC_STRUCT where it is the struct of that parameter; -1 with an exception. */
  int (*set_element)(core_state* state, int32_t index, PyObject* object, struct core_array* found);
  /* Whether NumPy says that a class of ctypes' is laid out as the struct, and calls its members the same; sets no exception. */
  int (*is_ctypes)(const core_struct_info* info, PyObject* class);
  /* 1: the address and the length of the array of structs that the object is; 0: the readers are to look at it. */
  int (*items)(core_state* state, int32_t index, PyObject* object, uint64_t spec, int64_t* out);
  /* Of an array of parameter `index`: NumPy's dtype, borrowed, and the bytes of an element; -1 with an exception. */
  int (*element)(core_state* state, int32_t index, PyObject** descr, int64_t* size);
} core_struct_api;
extern const core_struct_api* core_structs;

static inline Py_ssize_t core_struct_flexible(const core_pointee* type) {
  Py_ssize_t size, item_size = 0;
  if (type->info != NULL) core_structs->extent(type->info, &size, &item_size);
  return item_size;
}

/* -- pointer_owned.c: memory that a C function frees ----------------------------------------------------------------- */

/* New: the pointer to memory that `release` is called with, once, when nothing leads to it any more or close() is called. It
 * keeps `source`, the Function that gave the memory, and so the library of `release`. On failure the memory has been freed. */
PyObject* core_pointer_own(core_function* source, const core_pointee* type, void* address, void* release);
/* What C has given, and nobody has got: it is freed, NULL is nothing. Exceptions and errors stay as they are. */
void core_free_owned(core_state* state, void* address, void* release);
int core_is_owned(PyObject* owner);
int core_owned_is_dead(PyObject* owner);
void core_owned_count(PyObject* owner,
                      int views); /* 1: a view more; -1: one less; of other owners nothing is counted */
PyObject* core_owned_close(const core_pointer* p);
int core_owned_init(void);

/* -- pointer_call.c: arguments and results --------------------------------------------------------------------------- */

/* What a reader of arrays needs to know of a pointer. */
typedef struct {
  void* address;
  const char* item; /* "f32" */
  int64_t length;   /* items; -1: not known */
  jf_dtype dtype;   /* lanes 0: the items are no numbers */
  int32_t is_const;
  const core_struct_info* info; /* NULL: the items are no structs */
  int64_t size;                 /* bytes of an item */
} core_pointer_info;
/* 1, 0 where the object is no Pointer, or -1 with ValueError where its memory was freed. */
int32_t core_pointer_view(PyObject* object, core_pointer_info* out);
/* Its memory stays as long as temps, though it be an owned one's; -1 with MemoryError. */
int32_t core_pointer_hold(core_pointer* p, jf_temps* temps);
/* A result or a callback's argument, of a type ptr[T] which may stand in optional[...]: there NULL is None, else a ValueError. */
PyObject* core_box_pointer(core_state* state, int32_t index, void* address);
/* The same of a type owned[ptr[T], ...]: the pointer keeps the Function, and so what has `release`. On failure the memory has been
 * freed. */
PyObject* core_box_owned(core_state* state, int32_t index, void* address, void* release);
/* Of a type owned[cstr, ...]: a str, and the text has been freed, also on failure. */
PyObject* core_take_cstr(core_state* state, int32_t index, void* text, void* release);
/* An argument of a type ptr[T] whose T is no number: a pointer to the same. */
int32_t core_unbox_pointer(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps);
/* An argument of the type ptr or ptr[const void], which alone takes a pointer to const: 1 and the address; 0: no Pointer; -1. */
int core_address_for_ptr(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps);

#endif
