/* Layout facts for the code generator, from this interpreter's own headers: `_core.LAYOUT`, a dict of name to int.
 *
 * Offsets come from offsetof; the two bit fields that generated code tests come from a struct that is zeroed, has the bits set,
 * and is read as a word. Nothing here is written down as a number.
 */
#include "../emitted/emitted.h"
#include "cold.h"
#include "dlpack.h"
#include "function.h"
#include "instance.h"
#include "jitffi/pattern.h"
#include "numpy_array.h"
#include "parts.h"
#include "state.h"
#include "struct.h"
#include "unbox.h"

static int put(PyObject* dict, const char* name, long long value) {
  PyObject* number = PyLong_FromLongLong(value);
  int failed = !number || PyDict_SetItemString(dict, name, number) < 0;
  Py_XDECREF(number);
  return failed ? -1 : 0;
}

/* The word that holds PyASCIIObject.state: which bits a compact ASCII str is told by, and their values. */
static int put_unicode(PyObject* dict) {
  PyASCIIObject mask, ascii;
  memset(&mask, 0, sizeof mask);
  memset(&ascii, 0, sizeof ascii);
  mask.state.kind = 7;
  mask.state.compact = 1;
  mask.state.ascii = 1;
  ascii.state.kind = PyUnicode_1BYTE_KIND;
  ascii.state.compact = 1;
  ascii.state.ascii = 1;
#if PY_VERSION_HEX < 0x030C0000
  mask.state.ready = 1; /* legacy strings may be not ready (PEP 623 removed them in 3.12) */
  ascii.state.ready = 1;
#endif
  uint32_t mask_word, ascii_word;
  memcpy(&mask_word, &mask.state, sizeof mask_word);
  memcpy(&ascii_word, &ascii.state, sizeof ascii_word);
  return put(dict, "unicode.state", offsetof(PyASCIIObject, state)) || put(dict, "unicode.mask", mask_word) ||
         put(dict, "unicode.ascii", ascii_word) || put(dict, "unicode.length", offsetof(PyASCIIObject, length)) ||
         put(dict, "unicode.data", sizeof(PyASCIIObject));
}

static int put_long(PyObject* dict) {
#if PY_VERSION_HEX >= 0x030C0000
  return put(dict, "long.tagged", 1) || put(dict, "long.tag", offsetof(PyLongObject, long_value.lv_tag)) ||
         put(dict, "long.digits", offsetof(PyLongObject, long_value.ob_digit));
#else
  return put(dict, "long.tagged", 0) || put(dict, "long.tag", offsetof(PyVarObject, ob_size)) ||
         put(dict, "long.digits", offsetof(PyLongObject, ob_digit));
#endif
}

static int put_state(PyObject* dict) {
  return put(dict, "state.target", offsetof(core_state, target)) ||
         put(dict, "state.table", offsetof(core_state, table)) || put(dict, "state.self", offsetof(core_state, self)) ||
         put(dict, "state.types", offsetof(core_state, types)) ||
         put(dict, "state.kw_names", offsetof(core_state, kw_names)) ||
         put(dict, "state.kw_given", offsetof(core_state, kw_given)) ||
         put(dict, "state.on_error", offsetof(core_state, on_error)) ||
         put(dict, "state.info", offsetof(core_state, info)) ||
         put(dict, "state.classes", offsetof(core_state, classes)) ||
         put(dict, "state.releases", offsetof(core_state, releases)) ||
         put(dict, "struct.data", offsetof(core_struct, data)) ||
         put(dict, "struct.kept", offsetof(core_struct, kept)) ||
         put(dict, "function.state", offsetof(core_function, state)) ||
         put(dict, "emitted.size", sizeof(core_storage)) ||
         put(dict, "emitted.function", offsetof(core_storage, function)) ||
         put(dict, "emitted.state", offsetof(core_storage, function.state)) ||
         put(dict, "emitted.info", offsetof(core_storage, function.info));
}

/* NumPy's arrays, and what generated code compares their dtypes with: by the names of elements in signatures. */
static int put_numpy(PyObject* dict) {
#define PUT_ELEMENT(name, text) \
  if (put(dict, "numpy." #name, offsetof(core_numpy_types, descr) + CORE_NUMPY_##name * sizeof(PyObject*))) return -1;
  CORE_NUMPY_ELEMENTS(PUT_ELEMENT)
  return put(dict, "numpy.ndarray", offsetof(core_numpy_types, ndarray)) ||
         put(dict, "ndarray.data", offsetof(core_ndarray, data)) ||
         put(dict, "ndarray.nd", offsetof(core_ndarray, nd)) ||
         put(dict, "ndarray.dimensions", offsetof(core_ndarray, dimensions)) ||
         put(dict, "ndarray.strides", offsetof(core_ndarray, strides)) ||
         put(dict, "ndarray.descr", offsetof(core_ndarray, descr)) ||
         put(dict, "ndarray.flags", offsetof(core_ndarray, flags)) || put(dict, "ndarray.flag.c", CORE_NDARRAY_C) ||
         put(dict, "ndarray.flag.f", CORE_NDARRAY_F) || put(dict, "ndarray.flag.aligned", CORE_NDARRAY_ALIGNED) ||
         put(dict, "ndarray.flag.writeable", CORE_NDARRAY_WRITEABLE);
}

_Static_assert(sizeof(digit) == 4 && PyLong_SHIFT == 30, "generated code reads ints of 30-bit digits");
_Static_assert(sizeof(((PyObject*)0)->ob_type) == 8, "64-bit targets only");

/* Instances of classes with fields, whose native objects lie within them, and the type that a parameter wants. */
static int put_instance(PyObject* dict) {
  return put(dict, "wrapper.object", offsetof(core_wrapper, object)) ||
         put(dict, "instance.native", sizeof(core_instance)) ||
         put(dict, "info.params", offsetof(jf_call_info, params)) || put(dict, "param.size", sizeof(jf_param_info)) ||
         put(dict, "param.pattern", offsetof(jf_param_info, pattern)) ||
         put(dict, "pattern.code", offsetof(jf_pattern, code));
}

/* Adds LAYOUT to the module; -1 with an exception set on failure. */
int core_layout_init(PyObject* module) {
  PyObject* dict = PyDict_New();
  if (!dict) return -1;
#if PY_VERSION_HEX >= 0x030C0000
  int immortal = 1;
#else
  int immortal = 0;
#endif
  if (put(dict, "object.refcnt", offsetof(PyObject, ob_refcnt)) ||
      put(dict, "object.type", offsetof(PyObject, ob_type)) ||
      put(dict, "type.version", offsetof(PyTypeObject, tp_version_tag)) || put(dict, "immortal", immortal) ||
      put(dict, "preserve.most", core_cold_preserves) || put(dict, "float.value", offsetof(PyFloatObject, ob_fval)) ||
      put(dict, "bytes.size", offsetof(PyVarObject, ob_size)) ||
      put(dict, "list.items", offsetof(PyListObject, ob_item)) ||
      put(dict, "tuple.items", offsetof(PyTupleObject, ob_item)) ||
      put(dict, "dict.used", offsetof(PyDictObject, ma_used)) || put(dict, "set.used", offsetof(PySetObject, used)) ||
      put(dict, "bytes.data", offsetof(PyBytesObject, ob_sval)) ||
      put(dict, "dtype.value", offsetof(core_dtype, value)) ||
      put(dict, "device.value", offsetof(core_device, value)) || put(dict, "ucs4.room", sizeof(core_ucs4_room)) ||
      put_long(dict) || put_unicode(dict) || put_state(dict) || put_numpy(dict) || put_instance(dict)) {
    Py_DECREF(dict);
    return -1;
  }
  if (PyModule_AddObject(module, "LAYOUT", dict) < 0) {
    Py_DECREF(dict);
    return -1;
  }
  return 0;
}
