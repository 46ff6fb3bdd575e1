/* What native code may be given that runs without the interpreter's lock: lists, maps and sets that nobody else can change.
 *
 * Containers have no lock of their own, and any Python thread may use a wrapper while this call runs. So a list or map is
 * taken only when the call holds the sole reference, one that was converted for it or one that is moved into it, and so is
 * each list and map inside. Tuples may be shared, if nothing that can change is in them.
 */
#include "unlock.h"
#include "jitffi/containers.h"
#include "jitffi/pattern.h"
#include "jitffi/runtime.h"
#include "raise.h"
#include "state.h"
#include "wrapper.h"

static int can_change(const jf_object* object) {
  return jf_type_is_a(object->type_code, JF_LIST) || jf_type_is_a(object->type_code, JF_MAP) ||
         object->type_code == JF_SET;
}

/* The first list or map that others can reach, too, among those that this one leads to; NULL: there is none, or an exception
 * is set. `shared`: others reach `object` itself. */
static jf_object* shared_inside(jf_object* object, int shared);

static jf_object* shared_item(jf_item item, int shared) {
  if (*item.code <= 0) return NULL;
  jf_object* object = item.object;
  shared |= core_ref_count(object) > 1;
  if (shared && can_change(object)) return object;
  return shared_inside(object, shared);
}

static jf_object* shared_of_items(const jf_item* items, size_t size, int shared) {
  jf_object* found = NULL;
  for (size_t i = 0; i < size && found == NULL && !PyErr_Occurred(); i++) found = shared_item(items[i], shared);
  return found;
}

/* What has no links leads to no list and no map. */
static jf_object* shared_inside(jf_object* object, int shared) {
  const jf_list* list = (const jf_list*)object; /* a tuple is read alike */
  const jf_map* map = (const jf_map*)object;
  const int is_map = jf_type_is_a(object->type_code, JF_MAP) || object->type_code == JF_SET;
  const int is_tuple = jf_type_is_a(object->type_code, JF_TUPLE);
  if (!is_map && !is_tuple && !jf_type_is_a(object->type_code, JF_LIST)) return NULL;
  if ((is_map ? map->links.next : is_tuple ? ((const jf_tuple*)object)->links.next : list->links.next) == NULL)
    return NULL;
  if (Py_EnterRecursiveCall(" in a container for a call without the GIL")) return NULL;
  jf_object* found = is_map ? NULL : shared_of_items(list->items, list->size, shared);
  for (size_t i = 0; is_map && i < map->used && found == NULL && !PyErr_Occurred(); i++) {
    const jf_map_entry* entry = jf_map_at(map, i);
    if (entry->key.code == NULL) continue;
    const jf_item value = jf_map_value(map, entry);
    found = shared_item(entry->key, shared);
    if (found == NULL) found = shared_item(value, shared);
  }
  Py_LeaveRecursiveCall();
  return found;
}

/* ValueError. */
static int32_t fail_shared(core_state* state, int32_t index, const jf_object* object, int is_inside) {
  PyObject* where = core_where(state, index);
  if (where == NULL) return -1;
  PyErr_Format(
      PyExc_ValueError,
      "%Uexpected a %s of which the call, which runs without the GIL, has the only reference, got one %sthat is "
      "shared: pass a Python %s, or move it with _move()",
      where, jf_type_key(object->type_code), is_inside ? "inside " : "",
      object->type_code == JF_SET                ? "set"
      : jf_type_is_a(object->type_code, JF_LIST) ? "list"
                                                 : "dict");
  Py_DECREF(where);
  return -1;
}

/* Only converting to a container's type notes whether this very call moves the wrapper. */
static int gives_up(const core_state* state, int32_t index, jf_object* object) {
  const jf_pattern* pattern = jf_pattern_at(state->info, index);
  if (pattern == NULL) jf_object_release(jf_error_take());
  return pattern != NULL && pattern->kind >= JF_PATTERN_LIST && core_wrapper_give_up(object);
}

/* Borrows object; NULL is allowed. A wrapper that is being moved from gives its reference up here: when nothing else can
 * fail. ValueError. */
int32_t core_sole_object(core_state* state, int32_t index, jf_object* object) {
  if (object == NULL) return 0;
  const int shared = core_ref_count(object) > 1, is_mutable = can_change(object);
  const jf_object* inside = shared_inside(object, shared && !is_mutable);
  if (PyErr_Occurred()) return -1;
  if (inside != NULL) return fail_shared(state, index, inside, 1);
  if (!shared || !is_mutable || (core_ref_count(object) == 2 && gives_up(state, index, object))) return 0;
  return fail_shared(state, index, object, 0);
}

/* The same for what a view (NULL is allowed) holds; an r-value reference leads into a wrapper, which other threads can see. */
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
