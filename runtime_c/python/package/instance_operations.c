/* Operations that native code finds on objects of a class whose ==, hash or text are Python's. */
#include "error.h"
#include "host_object.h"
#include "instance.h"

/* Where the class says by itself what is equal, what its hash and its text are, containers have to ask it. */
static const jf_type_operations* operations_of(const PyTypeObject* class) {
  const int own_compare = class->tp_richcompare != core_object_type.tp_richcompare;
  const int own_hash = class->tp_hash != core_object_type.tp_hash && class->tp_hash != PyObject_HashNotImplemented;
  const int own_repr = class->tp_repr != core_object_type.tp_repr;
  if (!own_compare && !own_hash && !own_repr) return &jf_field_operations;
  jf_type_operations* made = PyMem_Calloc(1, sizeof *made); /* as long as the process */
  if (made == NULL) return (const jf_type_operations*)PyErr_NoMemory();
  *made = jf_field_operations;
  if (own_compare) made->equal = core_python_operations.equal;
  if (own_compare) made->compare = core_python_operations.compare;
  if (own_hash || own_compare) made->hash = core_python_operations.hash;
  if (own_repr) made->repr = core_python_operations.repr;
  return made;
}

/* A class may leave those of native code, which agree with its own: containers with its objects stay as they are. */
static int keeps_native(const PyTypeObject* class) {
  PyObject* said = PyDict_GetItemString(class->tp_dict, "__jitffi_native_operations__");
  return said == Py_True;
}

int core_set_operations(const core_class_info* info, const PyTypeObject* class) {
  if (keeps_native(class)) return 0;
  const jf_type_operations* operations = operations_of(class);
  if (operations == NULL) return -1;
  if (jf_type_set_operations(info->type->code, operations) == 0) return 0;
  core_error_raise(NULL);
  return -1;
}
