/* What native code may be given that runs without the interpreter's lock: a list or map that nobody else can change.
 *
 * Containers have no lock of their own, and any Python thread may use a face while this call runs. So a container is
 * taken only when the call holds the sole reference: one that was converted for it, or one that is moved into it.
 */
#include "core.h"

static int is_shared(const jf_object* object) {
  return object != NULL && core_ref_count(object) > 1 &&
         (jf_type_is_a(object->type_code, JF_LIST) || jf_type_is_a(object->type_code, JF_MAP));
}

/* Borrows object; NULL is allowed. A face that is being moved from gives its reference up here: when nothing else can
 * fail. ValueError. */
int32_t core_sole_object(core_state* state, int32_t index, jf_object* object) {
  if (!is_shared(object) || (core_ref_count(object) == 2 && core_face_give_up(object))) return 0;
  PyObject* where = core_where(state, index);
  if (where == NULL) return -1;
  PyErr_Format(PyExc_ValueError,
               "%Uexpected a %s of which the call, which runs without the GIL, has the only reference, got one that is "
               "shared: pass a Python %s, or move it with _move()",
               where, jf_type_key(object->type_code), jf_type_is_a(object->type_code, JF_LIST) ? "list" : "dict");
  Py_DECREF(where);
  return -1;
}

/* The same for what a view (NULL is allowed) holds; an r-value reference leads into a face, which other threads can see. */
int32_t core_sole_view(core_state* state, int32_t index, const jf_view* view) {
  if (view == NULL) return 0;
  jf_object* object = view->type_code == JF_OBJECT ? view->v_object : NULL;
  if (view->type_code != JF_RVALUE || *view->v_rvalue == NULL) return core_sole_object(state, index, object);
  PyObject* where = core_where(state, index);
  if (where == NULL) return -1;
  PyErr_Format(PyExc_ValueError, "%Ucannot be moved into a call that runs without the GIL", where);
  Py_DECREF(where);
  return -1;
}
