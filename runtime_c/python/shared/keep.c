/* What Python puts into memory is kept by whoever has that: by its distance from the start, for as long as it stands there. */
#include "pointer.h"

#include <string.h>

const core_struct_api* core_structs;

int core_keeper_of(PyObject* owner, core_keeper* out) {
  if (owner == NULL) return 0;
  if (!core_is_memory(owner)) return core_structs != NULL ? core_structs->keeper(owner, out) : 0;
  out->object = owner;
  out->start = core_memory_start(owner, &out->kept);
  return 1;
}

PyObject* core_kept_at(PyObject* owner, const char* at) {
  core_keeper keeper;
  if (!core_keeper_of(owner, &keeper) || *keeper.kept == NULL) return NULL;
  PyObject* key = PyLong_FromSsize_t(at - keeper.start);
  PyObject* found = key != NULL ? PyDict_GetItemWithError(*keeper.kept, key) : NULL;
  Py_XDECREF(key);
  PyErr_Clear();
  return found;
}

/* Borrowed: the dict, made where there is none. The collector looks at the keeper from then on. NULL with MemoryError. */
static PyObject* need_dict(const core_keeper* keeper) {
  if (*keeper->kept == NULL && (*keeper->kept = PyDict_New()) != NULL && !PyObject_GC_IsTracked(keeper->object))
    PyObject_GC_Track(keeper->object);
  return *keeper->kept;
}

int core_keep_at(PyObject* owner, const char* at, PyObject* object) {
  core_keeper keeper;
  if (!core_keeper_of(owner, &keeper) || (object == NULL && *keeper.kept == NULL)) return 0;
  PyObject* kept = need_dict(&keeper);
  PyObject* key = kept != NULL ? PyLong_FromSsize_t(at - keeper.start) : NULL;
  int status = key != NULL ? 0 : -1;
  if (status == 0 && object != NULL) status = PyDict_SetItem(kept, key, object);
  if (status == 0 && object == NULL && PyDict_Contains(kept, key) > 0) status = PyDict_DelItem(kept, key);
  Py_XDECREF(key);
  return status;
}

/* Adds to the dict what is kept in the `size` bytes at `at`, or outside of them, by its distance and `shift`. -1 with MemoryError. */
static int add_kept(PyObject* to, const core_keeper* keeper, const char* at, Py_ssize_t size, int is_inside,
                    Py_ssize_t shift) {
  PyObject *offset, *object;
  Py_ssize_t position = 0;
  int status = 0;
  while (status == 0 && *keeper->kept != NULL && PyDict_Next(*keeper->kept, &position, &offset, &object)) {
    const Py_ssize_t distance = PyLong_AsSsize_t(offset);
    const char* place = keeper->start + distance;
    if ((place >= at && place < at + size) != is_inside) continue;
    PyObject* key = PyLong_FromSsize_t(distance + shift);
    status = key != NULL ? PyDict_SetItem(to, key, object) : -1;
    Py_XDECREF(key);
  }
  return status;
}

int core_copy_kept(PyObject* to_owner, char* to, PyObject* from_owner, const char* from, Py_ssize_t size) {
  core_keeper source, target;
  PyObject* before = NULL;
  const int has_source = core_keeper_of(from_owner, &source) && *source.kept != NULL;
  if (core_keeper_of(to_owner, &target) && (has_source || *target.kept != NULL)) {
    PyObject* made = PyDict_New(); /* first: code that the collector runs may change both, what comes then runs none */
    int status = made != NULL ? add_kept(made, &target, to, size, 0, 0) : -1;
    if (status == 0 && has_source)
      status = add_kept(made, &source, from, size, 1, (to - target.start) - (from - source.start));
    if (status != 0) {
      Py_XDECREF(made);
      return -1;
    }
    before = *target.kept;
    *target.kept = made;
    if (!PyObject_GC_IsTracked(target.object)) PyObject_GC_Track(target.object);
  }
  memmove(to, from, (size_t)size);
  Py_XDECREF(before); /* last: the bytes are the new ones */
  return 0;
}
