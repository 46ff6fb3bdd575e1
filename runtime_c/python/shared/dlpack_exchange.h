/* DLPack's table of functions of a type, by which its arrays change hands without Python calls (DLPackExchangeAPI, dlpack.h 1.3). */
#ifndef JITFFI_PYTHON_DLPACK_EXCHANGE_H
#define JITFFI_PYTHON_DLPACK_EXCHANGE_H

#include "interpreter.h"
#include "jitffi/ndarray.h"

#define CORE_EXCHANGE_ATTRIBUTE "__dlpack_c_exchange_api__" /* of a type: a capsule of the next name, with the table */
#define CORE_EXCHANGE_CAPSULE "dlpack_exchange_api"

/* All but `allocate` need the GIL. None waits for a device. Those that fail give -1, with an exception. */
typedef struct core_exchange_table core_exchange_table;
struct core_exchange_table {
  uint32_t major;
  uint32_t minor;
  const core_exchange_table* previous; /* of an older major version, or NULL */
  /* New elements like the prototype's: its data type, device and shape. */
  int (*allocate)(jf_dltensor* prototype, jf_dlversioned** out, void* context,
                  void (*fail)(void* context, const char* kind, const char* message));
  int (*from_object)(PyObject* object, jf_dlversioned** out);
  int (*to_object)(jf_dlversioned* tensor, PyObject** out);   /* takes the tensor over */
  int (*view_object)(PyObject* object, jf_dltensor* out);     /* may be NULL; borrowed until control is given away */
  int (*stream)(int32_t device_type, int32_t id, void** out); /* which a device works on now */
};

/* -- array_dlpack.c -- */
/* Lives for ever; NULL: none of a version that is known here, or one type too many. Sets no exception. */
const core_exchange_table* core_exchange_table_of(PyTypeObject* type);
/* The same of a type that has none itself: for who knows its objects. Both live for ever. Nothing where there are too many types. */
void core_exchange_register(PyTypeObject* type, const core_exchange_table* table);
/* Call the deleter of a jf_dlversioned, of a jf_dlmanaged, if it has one; by any thread, whatever exception is set. */
void core_dlpack_release(void* managed);
void core_dlpack_release_legacy(void* managed);

#endif
