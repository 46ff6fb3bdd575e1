/* Arrays by DLPack: through the table of functions that a type has (DLPackExchangeAPI, dlpack.h 1.3), which costs no Python
 * call, else through __dlpack__.
 *
 * The capsule of __dlpack__ is marked as used, and its tensor held by temps: nobody else can take it over meanwhile.
 */
#include "array.h"
#include "dlpack_exchange.h"
#include "error.h"
#include "gil.h"
#include "jitffi/ndarray.h"
#include "unbox.h"

/* -- the exchange table -- */

/* Types that have a table, which lives for ever: so do these. */
enum { KNOWN_TYPES = 16 };
static struct {
  PyTypeObject* type;
  const core_exchange_table* table;
  PyObject* asked[2]; /* its methods is_conj and is_neg, as torch's tensors have; or NULL */
} known[KNOWN_TYPES];
static int known_count;

/* Where it is known; else known_count. */
static int place_of(const PyTypeObject* type) {
  int at = 0;
  while (at < known_count && known[at].type != type) at++;
  return at;
}

const core_exchange_table* core_exchange_table_of(PyTypeObject* type) {
  const int at = place_of(type);
  if (at < known_count) return known[at].table;
  PyObject* capsule = PyObject_GetAttrString((PyObject*)type, "__dlpack_c_exchange_api__");
  const core_exchange_table* table =
      capsule != NULL && PyCapsule_CheckExact(capsule) ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
  PyErr_Clear();
  Py_XDECREF(capsule);
  while (table != NULL && table->major != JF_DLPACK_MAJOR) table = table->previous;
  if (table != NULL && table->from_object == NULL && table->view_object == NULL) table = NULL;
  if (table == NULL || known_count == KNOWN_TYPES) return NULL;
  PyObject* is_conj = PyObject_GetAttrString((PyObject*)type, "is_conj");
  PyErr_Clear();
  PyObject* is_neg = PyObject_GetAttrString((PyObject*)type, "is_neg");
  PyErr_Clear();
  if (known_count == KNOWN_TYPES) { /* those attributes ran code that came here */
    Py_XDECREF(is_conj);
    Py_XDECREF(is_neg);
    return NULL;
  }
  known[known_count].type = (PyTypeObject*)Py_NewRef((PyObject*)type);
  known[known_count].asked[0] = is_conj;
  known[known_count].asked[1] = is_neg;
  known[known_count++].table = table;
  return table;
}

void core_exchange_register(PyTypeObject* type, const core_exchange_table* table) {
  if (place_of(type) < known_count || known_count == KNOWN_TYPES) return;
  known[known_count].type = (PyTypeObject*)Py_NewRef((PyObject*)type);
  known[known_count++].table = table;
}

static void set(const jf_dltensor* tensor, uint64_t flags, core_array* out) {
  out->format = NULL;
  out->descr = NULL;
  jf_array_of_tensor(tensor, flags & JF_DL_READ_ONLY ? JF_ARRAY_READ_ONLY : 0, out->strides, &out->array);
}

static void delete_versioned(void* managed) {
  if (((jf_dlversioned*)managed)->deleter != NULL) ((jf_dlversioned*)managed)->deleter(managed);
}

static void delete_legacy(void* managed) {
  if (((jf_dlmanaged*)managed)->deleter != NULL) ((jf_dlmanaged*)managed)->deleter(managed);
}

/* Deleters of other packages may run Python code, which no exception that is on its way should meet. */
static void give_back(void* managed, void (*delete)(void* managed)) {
  if (!Py_IsInitialized() || !core_has_gil()) {
    delete (managed);
    return;
  }
  PyObject* exception = core_error_fetch();
  delete (managed);
  if (exception != NULL) core_error_restore(exception);
}

void core_dlpack_release(void* managed) { give_back(managed, delete_versioned); }
void core_dlpack_release_legacy(void* managed) { give_back(managed, delete_legacy); }

/* Elements may be the imaginary parts of complex ones, which are two elements apart: no two are beside each other. */
static int may_be_parts(const jf_array* array) {
  for (int32_t i = 0; i < array->ndim; i++)
    if (array->shape[i] > 1 && array->strides[i] == array->item_size) return 0;
  return 1;
}

/* torch's table gives the memory of tensors whose elements are not what lies there, but that conjugated, or the imaginary parts of
 * conjugated ones, negated. Asking each would cost more than reading it. 1, or -1 with an exception. */
static int check_bits(PyObject* object, const jf_array* array) {
  const int is_complex = array->dtype.code == JF_DL_COMPLEX;
  if (!is_complex && !may_be_parts(array)) return 1;
  const int at = place_of(Py_TYPE(object));
  for (int i = is_complex ? 0 : 1; i < 2 && at < known_count && known[at].asked[i] != NULL; i++) {
    PyObject* answer = PyObject_CallOneArg(known[at].asked[i], object);
    const int is_set = answer != NULL ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    if (is_set > 0)
      PyErr_Format(PyExc_BufferError, "its elements are not what lies in its memory: take %s()",
                   i == 0 ? "resolve_conj" : "resolve_neg");
    if (is_set != 0) return -1;
  }
  return 1;
}

/* torch has no tensors that are read-only (torch.from_numpy, "non-writeable"); who asks for the bits is torch. */
static int may_be_read_only(const PyObject* object) {
  const int at = place_of(Py_TYPE(object));
  return at == known_count || known[at].asked[1] == NULL;
}

/* What views an object has no flags, and keeps nothing: only an owned tensor says that it is read-only, or is kept. */
static int has_to_own(const PyObject* object, uint64_t spec) {
  const uint64_t flags = spec >> 24;
  return flags & JF_SPEC_KEPT || (flags & JF_SPEC_WRITABLE && !(flags & JF_SPEC_SHOWN && !may_be_read_only(object)));
}

static int read_table(const core_exchange_table* table, PyObject* object, uint64_t spec, core_array* out,
                      jf_temps* temps) {
  if (table->view_object != NULL && (table->from_object == NULL || !has_to_own(object, spec))) {
    jf_dltensor tensor;
    if (table->view_object(object, &tensor) != 0) return -1;
    for (int32_t i = 0; tensor.shape != NULL && i < tensor.ndim && i < JF_MAX_RANK; i++)
      out->shape[i] = tensor.shape[i];
    if (tensor.shape != NULL) tensor.shape = out->shape;
    set(&tensor, 0, out);
    return check_bits(object, &out->array);
  }
  jf_dlversioned* managed = NULL;
  if (table->from_object(object, &managed) != 0 || managed == NULL) return -1;
  if (jf_temps_add(temps, managed, core_dlpack_release) != 0) {
    core_error_raise(NULL);
    return -1;
  }
  set(&managed->tensor, managed->flags, out);
  return check_bits(object, &out->array);
}

/* -- __dlpack__ -- */

/* 1: the object is on the CPU, or does not say where; 0: it is elsewhere, the array says so; -1 with an exception. */
static int is_on_cpu(PyObject* object, core_array* out) {
  PyObject* pair = PyObject_CallMethod(object, "__dlpack_device__", NULL);
  int type = JF_CPU, id = 0;
  if (pair == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 1;
  }
  const char* const wrong = "ii;__dlpack_device__ returns a tuple of the device's type and number";
  const int fits = PyTuple_Check(pair) && PyArg_ParseTuple(pair, wrong, &type, &id);
  if (!PyTuple_Check(pair)) PyErr_SetString(PyExc_TypeError, wrong + 3);
  Py_DECREF(pair);
  if (!fits) return -1;
  if (type == JF_CPU) return 1;
  core_array_init(out, NULL);
  out->array.name = Py_TYPE(object)->tp_name;
  out->array.ndim = -1;
  out->array.device = (jf_device){type, id};
  return 0;
}

/* New; NULL with an exception. What knows no versions takes no arguments. */
static PyObject* capsule_of(PyObject* method) {
  PyObject* none = PyTuple_New(0);
  PyObject* options = Py_BuildValue("{s:(ii),s:O}", "max_version", JF_DLPACK_MAJOR, JF_DLPACK_MINOR, "copy", Py_False);
  PyObject* capsule = none != NULL && options != NULL ? PyObject_Call(method, none, options) : NULL;
  if (capsule == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    capsule = PyObject_CallNoArgs(method);
  }
  Py_XDECREF(none);
  Py_XDECREF(options);
  return capsule;
}

/* The tensor is ours from now on, and in temps. 1; -1 with an exception. */
static int take(PyObject* capsule, const char* used, void* managed, void (*release)(void*), jf_temps* temps) {
  if (PyCapsule_SetName(capsule, used) != 0) return -1;
  if (jf_temps_add(temps, managed, release) == 0) return 1;
  core_error_raise(NULL);
  return -1;
}

/* Borrows the capsule. 1; -1 with TypeError. */
static int read_capsule(PyObject* capsule, core_array* out, jf_temps* temps) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    jf_dlversioned* managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    if (managed->major == JF_DLPACK_MAJOR) {
      if (take(capsule, "used_dltensor_versioned", managed, core_dlpack_release, temps) < 0) return -1;
      set(&managed->tensor, managed->flags, out);
      return 1;
    }
    PyErr_Format(PyExc_BufferError, "__dlpack__ gave version %u of DLPack, expected %d", managed->major,
                 JF_DLPACK_MAJOR);
    return -1;
  }
  if (PyCapsule_IsValid(capsule, "dltensor")) {
    jf_dlmanaged* managed = PyCapsule_GetPointer(capsule, "dltensor");
    if (take(capsule, "used_dltensor", managed, core_dlpack_release_legacy, temps) < 0) return -1;
    set(&managed->tensor, 0, out);
    return 1;
  }
  PyErr_SetString(PyExc_TypeError, "__dlpack__ returned no new DLPack capsule");
  return -1;
}

int core_read_dlpack_table(PyObject* object, uint64_t spec, core_array* out, jf_temps* temps) {
  const core_exchange_table* table = core_exchange_table_of(Py_TYPE(object));
  return table != NULL ? read_table(table, object, spec, out, temps) : 0;
}

int core_read_known_table(PyObject* object, uint64_t spec, core_array* out, jf_temps* temps) {
  const int at = place_of(Py_TYPE(object));
  if (at == known_count || PyObject_CheckBuffer(object)) return 0;
  return read_table(known[at].table, object, spec, out, temps);
}

int core_read_dlpack(PyObject* object, int anywhere, core_array* out, jf_temps* temps) {
  PyObject* method = PyObject_GetAttrString(object, "__dlpack__");
  if (method == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
  }
  const int on_cpu = anywhere ? 1 : is_on_cpu(object, out);
  PyObject* capsule = on_cpu > 0 ? capsule_of(method) : NULL;
  Py_DECREF(method);
  if (on_cpu == 0) return 1;
  if (capsule == NULL || core_keep_python(temps, capsule) != 0) return -1;
  return read_capsule(capsule, out, temps);
}
