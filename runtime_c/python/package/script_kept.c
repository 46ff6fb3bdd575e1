/* Arguments that a script only reads, converted once: a Python list or dict that is passed again and has not changed since.
 *
 *   first call     its address is noted
 *   second call    it is converted, and what it became is kept, beside what tells whether it changes
 *   from then on   the same native container, as long as it is still the same list or dict
 *
 * Only containers of what cannot change are kept: numbers, text, bytes, None and tuples of these. A list is unchanged if its
 * items are the same objects, which are held, so that no other can have their addresses. A dict says so itself: by its version
 * before CPython 3.12, by telling a watcher from then on.
 *
 * Analysis (jitffi/scripts/analysis/cells.py) says which parameters a variant only reads. What it does not see, a result that is the
 * argument itself, shows in the references: a container that somebody has after the call is kept no longer.
 */
#include "convert.h"
#include "function.h"
#include "jitffi/runtime.h"
#include "script.h"
#include "wrapper.h"

#include <string.h>

#include "jitffi/containers.h"

enum { LONGEST = 1 << 20, DEEPEST = 4 };

struct core_kept {
  const void* source; /* never looked into: it may be gone */
  jf_object* made;    /* owned; NULL: seen once */
  Py_ssize_t size;
  PyObject** items; /* of a list: as many, held */
  uint64_t version; /* of a dict */
  core_kept *next, *previous;
};

/* -- what cannot change ------------------------------------------------------------------------------------------ */

static int is_constant(PyObject* object, int depth) {
  if (PyUnicode_CheckExact(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object) || object == Py_None ||
      PyBytes_CheckExact(object) || PyBool_Check(object))
    return 1;
  if (!PyTuple_CheckExact(object) || depth == DEEPEST) return 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); i++)
    if (!is_constant(PyTuple_GET_ITEM(object, i), depth + 1)) return 0;
  return 1;
}

static int are_constants(PyObject* container) {
  if (PyList_CheckExact(container)) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(container); i++)
      if (!is_constant(PyList_GET_ITEM(container, i), 0)) return 0;
    return 1;
  }
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(container, &at, &key, &value);)
    if (!is_constant(key, 0) || !is_constant(value, 0)) return 0;
  return 1;
}

/* -- dicts --------------------------------------------------------------------------------------------------------- */

#if PY_VERSION_HEX < 0x030C0000

static int watch(core_kept* kept, PyObject* dict) {
  kept->version = ((PyDictObject*)dict)->ma_version_tag; /* no two states of any dicts have the same */
  return 1;
}

static int is_same_dict(const core_kept* kept, PyObject* dict) {
  return kept->version == ((PyDictObject*)dict)->ma_version_tag;
}

static void unwatch(core_kept* kept) { (void)kept; }

#else

static int watcher = -1;
static core_kept* watched = NULL; /* those of dicts that are; under the GIL */

/* The dict changes, or goes: who has kept it has not any more, and drops it when a call comes. */
static int on_change(PyDict_WatchEvent event, PyObject* dict, PyObject* key, PyObject* value) {
  (void)event, (void)key, (void)value;
  for (core_kept* each = watched; each != NULL; each = each->next)
    if (each->source == dict) each->source = NULL;
  return 0;
}

/* 0: it cannot be known when the dict changes. */
static int watch(core_kept* kept, PyObject* dict) {
  if (watcher < 0) watcher = PyDict_AddWatcher(on_change);
  if (watcher < 0 || PyDict_Watch(watcher, dict) != 0) {
    PyErr_Clear();
    return 0;
  }
  kept->next = watched;
  kept->previous = NULL;
  if (watched != NULL) watched->previous = kept;
  watched = kept;
  return 1;
}

static int is_same_dict(const core_kept* kept, PyObject* dict) {
  (void)kept, (void)dict;
  return 1; /* on_change has not said otherwise */
}

/* The dict may be gone where its source is NULL; else, it is there. */
static void unwatch(core_kept* kept) {
  if (kept->previous != NULL) kept->previous->next = kept->next;
  if (kept->next != NULL) kept->next->previous = kept->previous;
  if (watched == kept) watched = kept->next;
  for (const core_kept* each = watched; each != NULL; each = each->next)
    if (each->source == kept->source) return;
  if (kept->source != NULL && PyDict_Unwatch(watcher, (PyObject*)(uintptr_t)kept->source) != 0) PyErr_Clear();
}

#endif

/* -- keeping ------------------------------------------------------------------------------------------------------- */

/* What is kept is kept no more. */
static void drop(core_kept* kept) {
  if (kept->made != NULL) {
    if (kept->items == NULL) unwatch(kept);
    jf_object_release(kept->made);
    for (Py_ssize_t i = 0; kept->items != NULL && i < kept->size; i++) Py_DECREF(kept->items[i]);
    PyMem_Free(kept->items);
  }
  *kept = (core_kept){NULL, NULL, 0, NULL, 0, NULL, NULL};
}

void core_kept_free(core_kept* kept, int32_t count) {
  for (int32_t i = 0; kept != NULL && i < count; i++) drop(&kept[i]);
  PyMem_Free(kept);
}

static int is_same(const core_kept* kept, PyObject* container) {
  if (kept->items == NULL) return kept->source == container && is_same_dict(kept, container);
  return PyList_CheckExact(container) && PyList_GET_SIZE(container) == kept->size &&
         memcmp(kept->items, ((PyListObject*)container)->ob_item, (size_t)kept->size * sizeof(PyObject*)) == 0;
}

/* New: what the container becomes; NULL with an exception. */
static jf_object* convert(const core_script* script, PyObject* container) {
  return PyList_CheckExact(container) ? core_list_from(container, script->pool)
                                      : core_map_from(container, script->pool);
}

/* New: the same, and kept where that can be. */
static jf_object* convert_and_keep(core_kept* kept, const core_script* script, PyObject* container) {
  const Py_ssize_t size = PyObject_Length(container);
  const int is_list = PyList_CheckExact(container);
  jf_object* made = convert(script, container);
  if (made == NULL || size > LONGEST || !are_constants(container)) return made;
  /* Converting what cannot change runs no code. */
  if (is_list) {
    kept->items = PyMem_Malloc((size_t)size * sizeof *kept->items);
    if (kept->items == NULL) return made;
    for (Py_ssize_t i = 0; i < size; i++) kept->items[i] = Py_NewRef(PyList_GET_ITEM(container, i));
  } else if (!watch(kept, container)) {
    return made;
  }
  kept->size = size;
  jf_items_decode(made); /* scripts read characters, and will again */
  jf_object_retain(made);
  kept->made = made;
  return made;
}

/* While allocations are counted every call is told as a first one. */
static int is_counted(void) {
  void* (*allocate)(size_t, void*);
  void (*deallocate)(void*, void*);
  void* context;
  jf_get_allocator(&allocate, &deallocate, &context);
  return allocate != NULL || deallocate != NULL;
}

jf_object* core_kept_get(core_script* script, int32_t index, PyObject* container) {
  if (is_counted()) return convert(script, container);
  if (script->kept == NULL) script->kept = PyMem_Calloc((size_t)script->num_params, sizeof *script->kept);
  if (script->kept == NULL) return convert(script, container);
  core_kept* kept = &script->kept[index];
  if (kept->made != NULL && is_same(kept, container)) {
    /* One that a call is using can still be given away by it. */
    if (core_ref_count(kept->made) > 1) return convert(script, container);
    jf_object_retain(kept->made);
    return kept->made;
  }
  const int again = kept->made == NULL && kept->source == container;
  const int in_use = kept->made != NULL && core_ref_count(kept->made) > 1;
  if (in_use) return convert(script, container);
  drop(kept);
  kept->source = container;
  return again ? convert_and_keep(kept, script, container) : convert(script, container);
}

void core_kept_check(core_script* script, int32_t index, const jf_object* used) {
  core_kept* kept = script->kept != NULL ? &script->kept[index] : NULL;
  if (kept != NULL && kept->made == used && core_ref_count(used) > 2) drop(kept);
}

void core_kept_forget(core_script* script) {
  for (int32_t i = 0; script->kept != NULL && i < script->num_params; i++) drop(&script->kept[i]);
}
