/* Which registered class an argument is an instance of: a number of the script's own, for which it has variants.
 *
 *   class   exactly that, and everything that the number goes by as it was then: a version of each class --> number
 *           else Python is asked (Script._class_number), and says by which classes it goes
 *
 * A class that is changed again and again has no number in the end: its objects are objects as others.
 */
#include "function.h"
#include "hooks.h"
#include "instance.h"
#include "script.h"

enum { MOST_BEHIND = 8, MOST_LOOKS = 64 };

typedef struct {
  PyTypeObject* class; /* borrowed: a registered class is never freed */
  uint32_t version;
} seen_class;

typedef struct {
  int32_t number, count, looks;
  seen_class seen[MOST_BEHIND]; /* itself first */
} known_class;

struct core_script_classes {
  Py_ssize_t count;
  known_class known[];
};

static int is_as_seen(const known_class* known) {
  for (int32_t i = 0; i < known->count; i++)
    if (known->seen[i].class->tp_version_tag != known->seen[i].version) return 0;
  return 1;
}

static known_class* find(const core_script* script, const PyTypeObject* class) {
  core_script_classes* const classes = script->classes;
  for (Py_ssize_t i = 0; classes != NULL && i < classes->count; i++)
    if (classes->known[i].seen[0].class == class) return &classes->known[i];
  return NULL;
}

/* A new one; NULL with an exception. */
static known_class* add(core_script* script, PyTypeObject* class) {
  const Py_ssize_t count = script->classes != NULL ? script->classes->count : 0;
  core_script_classes* grown =
      PyMem_Realloc(script->classes, sizeof *grown + (size_t)(count + 1) * sizeof grown->known[0]);
  if (grown == NULL) return (known_class*)PyErr_NoMemory();
  script->classes = grown;
  grown->count = count + 1;
  grown->known[count] = (known_class){.seen = {{class, 0}}};
  return &grown->known[count];
}

/* Of a type that has been changed, or that nothing was looked up in yet, a new one; 0: it gets none. */
static uint32_t version_of(PyTypeObject* class) {
  PyObject* name = PyUnicode_InternFromString("__class__");
  if (name == NULL) PyErr_Clear();
  if (name != NULL) (void)_PyType_Lookup(class, name);
  Py_XDECREF(name);
  return class->tp_version_tag;
}

/* What Python says of the class: its number, and a tuple of the classes that it goes by. -1 with an exception. */
static int64_t look(core_function* f, PyTypeObject* class) {
  PyObject* said = core_hook_class_number(f, (PyObject*)class);
  int number = 0;
  PyObject* behind = NULL;
  if (said == NULL || !PyArg_ParseTuple(said, "iO!", &number, &PyTuple_Type, &behind)) {
    Py_XDECREF(said);
    return -1;
  }
  known_class* known = find(f->script, class); /* now: what Python ran may have called the script */
  if (known == NULL) known = add(f->script, class);
  if (known != NULL) {
    const int is_steady = ++known->looks < MOST_LOOKS;
    known->number = is_steady ? number : 0;
    known->count = is_steady ? (int32_t)PyTuple_GET_SIZE(behind) : 0;
    for (int32_t i = 0; i < known->count; i++) {
      PyTypeObject* each = (PyTypeObject*)PyTuple_GET_ITEM(behind, i);
      known->seen[i] = (seen_class){each, version_of(each)};
      if (known->seen[i].version == 0) known->number = 0; /* nothing would tell that it is changed */
    }
    number = known->number;
  }
  Py_DECREF(said);
  return known != NULL ? number : -1;
}

int64_t core_script_class(core_function* f, PyObject* object) {
  PyTypeObject* const class = Py_TYPE(object);
  const core_class_info* info = core_class_info_of((PyObject*)class);
  if (info == NULL || info->class != class) return 0; /* of one that is derived from it nothing is known */
  const known_class* known = find(f->script, class);
  if (known != NULL && is_as_seen(known)) return known->number;
  return look(f, class);
}
