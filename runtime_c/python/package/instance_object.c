/* Making instances: by position and keyword, with defaults and what follows the constructor.
 *
 * A class without a constructor in Python is called without a detour: its vectorcall does all of it.
 */
#include <string.h>

#include "box.h"
#include "error.h"
#include "fast_paths.h"
#include "handle.h"
#include "instance.h"
#include "script_object.h"
#include "unbox.h"
#include "unbox_item.h"

enum { MOST_MEMBERS = 1024, WORD_BITS = 64 };

static core_member* member_at(const core_class_info* info, Py_ssize_t index) {
  return (core_member*)PyTuple_GET_ITEM(info->members, index);
}

/* -- bare ones -- */

static core_instance* allocate(PyTypeObject* class, const core_class_info* info) {
  core_instance* made = info->unused;
  if (class != info->class) return (core_instance*)class->tp_alloc(class, 0);
  if (made != NULL) {
    core_class_info* known = (core_class_info*)(uintptr_t)info;
    known->unused = (core_instance*)(void*)made->attributes;
    known->num_unused--;
    _Py_NewReference((PyObject*)made); /* its reference to the class it has kept */
  } else if (info->is_collected || PyType_IS_GC(class)) {
    made = PyObject_GC_New(core_instance, class);
  } else {
    made = PyObject_New(core_instance, class);
  }
  return made;
}

/* Short, and of a size that is a multiple of eight. */
static inline void copy_words(char* to, const char* from, int32_t size) {
  for (int32_t i = 0; i < size; i += (int32_t)sizeof(uint64_t)) memcpy(to + i, from + i, sizeof(uint64_t));
}

/* 0, or -1 with TypeError. */
static int check_size(const core_class_info* info) {
  if (info->type->size != 0) return 0;
  PyErr_Format(PyExc_TypeError, "%s: only native code makes its objects", info->type->key);
  return -1;
}

core_instance* core_instance_bare(PyTypeObject* class, const core_class_info* info) {
  core_instance* made = info->type->size != 0 || check_size(info) == 0 ? allocate(class, info) : NULL;
  if (made == NULL) return NULL;
  jf_object* object = core_embedded(made);
  made->wrapper.object = object;
  made->wrapper.weak_references = NULL;
  made->wrapper.key = NULL;
  made->wrapper.moving = made->wrapper.is_made = made->wrapper.is_ending = 0;
  made->wrapper.is_starting = 0;
  made->wrapper.banked = 0;
  made->wrapper.counted = 0; /* all of these are one word */
  made->attributes = NULL;
  copy_words((char*)object, info->initial, info->type->size);
  if (info->type->construct != NULL && info->type->construct(object) != 0) {
    object->ref_count = 1;
    made->wrapper.object = NULL; /* there is nothing to release */
    core_error_raise(NULL);
    Py_DECREF(made);
    return NULL;
  }
  if (PyType_IS_GC(class) && class == info->class) PyObject_GC_Track(made);
  return made;
}

/* -- filling -- */

static int set_default(core_member* member, core_instance* instance) {
  PyObject* value = member->default_value;
  if (member->field->flags & JF_FIELD_HAS_FACTORY) {
    value = PyObject_CallNoArgs(value);
    if (value == NULL) return -1;
  } else {
    Py_INCREF(value);
  }
  const int status = core_member_set(member, &instance->wrapper, value);
  Py_DECREF(value);
  return status;
}

static int fail_missing(const core_class_info* info, PyObject* name, int is_keyword_only) {
  const char* kind = is_keyword_only ? "keyword-only " : "";
  PyErr_Format(PyExc_TypeError, "%s: missing required %sargument '%U'", info->type->key, kind, name);
  return -1;
}

static int fail_count(const core_class_info* info, Py_ssize_t given) {
  PyErr_Format(PyExc_TypeError, "%s: expected at most %d positional argument%s, got %zd", info->type->key,
               info->num_positions, info->num_positions == 1 ? "" : "s", given);
  return -1;
}

/* The place in `members` of what a keyword names, or the core_init_only_index of what only the constructor takes; -1 with
 * TypeError. */
static Py_ssize_t find_keyword(const core_class_info* info, PyObject* name) {
  PyObject* place = PyDict_GetItemWithError(info->indices, name);
  if (place != NULL) return PyLong_AsSsize_t(place);
  if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s: there is no argument '%S'", info->type->key, name);
  return -1;
}

/* What a constructor has been given. */
typedef struct {
  uint64_t bits[MOST_MEMBERS / WORD_BITS];          /* of members */
  PyObject* for_init_only[1 + CORE_MOST_INIT_ONLY]; /* borrowed, NULL for what was not given, behind a place for self */
} given_set;

static void start(given_set* given, const core_class_info* info) {
  for (Py_ssize_t i = 0; i <= PyTuple_GET_SIZE(info->members) / WORD_BITS; i++) given->bits[i] = 0;
  for (int32_t i = 0; i < info->num_init_only; i++) given->for_init_only[1 + i] = NULL;
}

static int test_and_set(given_set* given, Py_ssize_t at) {
  uint64_t* word = &given->bits[at / WORD_BITS];
  const uint64_t bit = UINT64_C(1) << (at % WORD_BITS);
  const int was = (*word & bit) != 0;
  *word |= bit;
  return was;
}

static int fail_given(const core_class_info* info, PyObject* name) {
  PyErr_Format(PyExc_TypeError, "%s: argument '%S' is given by position and by name", info->type->key, name);
  return -1;
}

static int set_keyword(core_instance* instance, const core_class_info* info, given_set* given, PyObject* name,
                       PyObject* value) {
  const Py_ssize_t at = find_keyword(info, name);
  if (at == -1) return -1;
  PyObject** for_init_only = at < 0 ? &given->for_init_only[1 + core_init_only_index((int32_t)at)] : NULL;
  if (for_init_only != NULL ? *for_init_only != NULL : test_and_set(given, at)) return fail_given(info, name);
  if (for_init_only == NULL) return core_member_set(member_at(info, at), &instance->wrapper, value);
  *for_init_only = value;
  return 0;
}

/* Of what nothing was given for: defaults, which are not among the initial bytes, what the type itself has made, or an
 * error. */
static int set_rest(core_instance* instance, const core_class_info* info, given_set* given) {
  for (int32_t i = 0; i < info->num_init_only; i++) {
    const core_init_only* each = &info->init_only[i];
    if (given->for_init_only[1 + i] != NULL) continue;
    if (each->default_value == NULL) return fail_missing(info, each->name, each->is_keyword_only);
    given->for_init_only[1 + i] = each->default_value;
  }
  const Py_ssize_t made = info->type->construct != NULL ? info->type->num_constructed : 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(info->members); i++) {
    core_member* member = member_at(info, i);
    if (member->initial || (given->bits[i / WORD_BITS] >> (i % WORD_BITS) & 1)) continue;
    if (member->default_value == NULL) {
      if (member->field->flags & JF_FIELD_NO_INIT || i < made) continue;
      return fail_missing(info, member->name, (member->field->flags & JF_FIELD_KEYWORD_ONLY) != 0);
    }
    if (set_default(member, instance) != 0) return -1;
  }
  return 0;
}

static inline int set_plain(const core_member* member, core_instance* instance, PyObject* value) {
  if (member->enumeration != NULL || instance->wrapper.object == NULL) return 0;
  char* at = (char*)instance->wrapper.object + member->field->offset; /* made again, it may lie elsewhere */
  int64_t number;
  if (member->field->kind == JF_KIND_F64 && PyFloat_CheckExact(value)) {
    memcpy(at, &((PyFloatObject*)value)->ob_fval, sizeof(double));
    return 1;
  }
  if (member->field->kind != JF_KIND_I64 || !PyLong_CheckExact(value) || !fast_int(value, &number)) return 0;
  memcpy(at, &number, sizeof number);
  return 1;
}

/* All arguments by position, one for each member: what most calls are. */
static int fill_all(core_instance* instance, const core_class_info* info, PyObject* const* args) {
  for (Py_ssize_t i = 0; i < info->num_positions; i++) {
    core_member* member = member_at(info, i);
    if (!set_plain(member, instance, args[i]) && core_member_set(member, &instance->wrapper, args[i]) != 0) return -1;
  }
  return 0;
}

static int fill(core_instance* instance, const core_class_info* info, PyObject* const* args, Py_ssize_t count,
                given_set* given) {
  if (count > info->num_positions) return fail_count(info, count);
  for (Py_ssize_t i = 0; i < count; i++) {
    const int32_t at = info->positions[i];
    if (at < 0) {
      given->for_init_only[1 + core_init_only_index(at)] = args[i];
      continue;
    }
    core_member* member = member_at(info, at);
    test_and_set(given, at);
    if (!set_plain(member, instance, args[i]) && core_member_set(member, &instance->wrapper, args[i]) != 0) return -1;
  }
  return 0;
}

/* The fields that are computed, and __post_init__, where the class has them, with what the constructor of `info` was given for
 * it. */
static int finish(core_instance* instance, const core_class_info* info, given_set* given) {
  static PyObject* names[2];
  if (names[0] == NULL && (names[0] = PyUnicode_InternFromString("__jitffi_compute__")) == NULL) return -1;
  if (names[1] == NULL && (names[1] = PyUnicode_InternFromString("__post_init__")) == NULL) return -1;
  for (int i = 0; i < 2; i++) {
    if (_PyType_Lookup(Py_TYPE(instance), names[i]) == NULL) continue;
    given->for_init_only[0] = (PyObject*)instance;
    PyObject* done =
        PyObject_VectorcallMethod(names[i], given->for_init_only, 1 + (i == 1 ? (size_t)info->num_init_only : 0), NULL);
    if (done == NULL) return -1;
    Py_DECREF(done);
  }
  return 0;
}

/* -- constructed in place -- */

/* New: an instance whose native object is not constructed yet, and is not there for anybody. */
static PyObject* make_unconstructed(PyTypeObject* class, const core_class_info* info) {
  core_instance* made = allocate(class, info);
  if (made == NULL) return NULL;
  made->wrapper.object = NULL;
  made->wrapper.weak_references = NULL;
  made->wrapper.key = NULL;
  made->wrapper.moving = made->wrapper.is_made = made->wrapper.is_ending = made->wrapper.is_starting = 0;
  made->wrapper.banked = 0;
  made->wrapper.counted = 0;
  made->attributes = NULL;
  if (PyType_IS_GC(class) && class == info->class) PyObject_GC_Track(made);
  return (PyObject*)made;
}

/* Calls the native constructor. Its arguments may lead to any code. */
static int construct(core_instance* instance, const core_class_info* info, PyObject* args) {
  jf_object* object = core_embedded(instance);
  PyObject* constructor = core_function_box_named(info->constructor, info->type->key);
  PyObject* address = PyLong_FromVoidPtr(object);
  PyObject* before = address != NULL ? PyTuple_Pack(1, address) : NULL;
  PyObject* all = before != NULL ? PySequence_Concat(before, args) : NULL;
  core_function* function = constructor != NULL ? (core_function*)core_function_get(constructor) : NULL;
  if (function != NULL) core_be_method(function); /* the address is none of the arguments that messages count */
  copy_words((char*)object, info->initial, info->type->size);
  instance->wrapper.is_starting = 1;
  PyObject* done = constructor != NULL && all != NULL ? PyObject_CallObject(constructor, all) : NULL;
  instance->wrapper.is_starting = 0;
  if (done != NULL) {
    instance->wrapper.object = object;
    jf_object_track(object, info->type);
    core_members_find_null(info, object);
  }
  Py_XDECREF(done);
  Py_XDECREF(all);
  Py_XDECREF(before);
  Py_XDECREF(address);
  Py_XDECREF(constructor);
  return done != NULL ? 0 : -1;
}

/* Of the fields that classes derived from that of `info` have: as they are for constructors in Python. */
static int set_later_defaults(core_instance* instance, const core_class_info* info) {
  const core_class_info* own = core_instance_info(instance);
  for (Py_ssize_t i = info->type->num_fields; i < PyTuple_GET_SIZE(own->members); i++) {
    if (member_at(own, i)->default_value != NULL && set_default(member_at(own, i), instance) != 0) return -1;
  }
  return 0;
}

/* Arguments by position are the native constructor's, those by name the fields' that come with the class of `info`. */
static int init_in_place(core_instance* instance, const core_class_info* info, PyObject* args, PyObject* names) {
  if (instance->wrapper.object != NULL || instance->wrapper.is_starting) {
    PyErr_Format(PyExc_TypeError, "%s: its native part is constructed already", Py_TYPE(instance)->tp_name);
    return -1;
  }
  given_set given;
  PyObject *name, *value;
  Py_ssize_t position = 0;
  start(&given, info);
  for (Py_ssize_t i = 0; i < info->type->num_constructed; i++) test_and_set(&given, i);
  while (names != NULL && PyDict_Next(names, &position, &name, &value)) {
    const Py_ssize_t at = find_keyword(info, name);
    if (at >= info->type->num_constructed || at < -1) continue;
    if (at >= 0) core_init_refuse_name(info, name);
    return -1;
  }
  int status = construct(instance, core_instance_info(instance), args);
  if (status == 0) status = set_later_defaults(instance, info);
  position = 0;
  while (status == 0 && names != NULL && PyDict_Next(names, &position, &name, &value))
    status = set_keyword(instance, info, &given, name, value);
  if (status == 0) status = set_rest(instance, info, &given);
  return status == 0 ? finish(instance, info, &given) : -1;
}

/* The same of a vector of arguments. */
static int init_in_place_from(core_instance* instance, const core_class_info* info, PyObject* const* args,
                              Py_ssize_t count, PyObject* names) {
  PyObject* all = PyTuple_New(count);
  PyObject* named = PyDict_New();
  int status = all != NULL && named != NULL ? 0 : -1;
  for (Py_ssize_t i = 0; status == 0 && i < count; i++) PyTuple_SET_ITEM(all, i, Py_NewRef(args[i]));
  for (Py_ssize_t i = 0; status == 0 && names != NULL && i < PyTuple_GET_SIZE(names); i++)
    status = PyDict_SetItem(named, PyTuple_GET_ITEM(names, i), args[count + i]);
  if (status == 0) status = init_in_place(instance, info, all, named);
  Py_XDECREF(all);
  Py_XDECREF(named);
  return status;
}

/* -- what the type calls -- */

/* New: what the type's own maker makes of the arguments. */
static PyObject* make_foreign(PyTypeObject* class, const core_class_info* info, PyObject* const* args, size_t count,
                              PyObject* names) {
  PyObject* maker = core_function_box_named(info->maker, info->type->key);
  const int is_right = maker != NULL && core_init_check_names(info, maker, names) == 0;
  PyObject* made = is_right ? PyObject_Vectorcall(maker, args, count, names) : NULL;
  Py_XDECREF(maker);
  if (made == NULL) return NULL;
  if (!core_is_wrapper(made) || !PyObject_TypeCheck(made, info->class)) {
    PyErr_Format(PyExc_TypeError, "%s: its maker gave %.200s", info->type->key, Py_TYPE(made)->tp_name);
    Py_CLEAR(made);
  } else if (class != info->class && core_instance_info((core_instance*)made)->class == info->class) {
    PyErr_Format(PyExc_TypeError, "%s: its own maker makes it, and no class derived in Python", class->tp_name);
    Py_CLEAR(made);
  } else {
    ((core_wrapper*)made)->is_made = 1;
    core_members_find_null(core_instance_info((core_instance*)made), ((core_wrapper*)made)->object);
  }
  return made;
}

PyObject* core_instance_vectorcall(PyObject* class, PyObject* const* args, size_t flags, PyObject* names) {
  const core_class_info* info = ((core_instance_class*)class)->info;
  const Py_ssize_t count = PyVectorcall_NARGS(flags), named = names != NULL ? PyTuple_GET_SIZE(names) : 0;
  if (info->maker != NULL) return make_foreign((PyTypeObject*)class, info, args, (size_t)count, names);
  core_instance* made = core_instance_bare((PyTypeObject*)class, info);
  if (made == NULL) return NULL;
  made->wrapper.moving = info->type->construct == NULL ? CORE_FRESH : 0;
  int status;
  given_set given;
  if (named == 0 && info->is_in_order && count == info->num_positions && count == PyTuple_GET_SIZE(info->members)) {
    status = fill_all(made, info, args);
  } else {
    start(&given, info);
    status = fill(made, info, args, count, &given);
    for (Py_ssize_t i = 0; i < named && status == 0; i++)
      status = set_keyword(made, info, &given, PyTuple_GET_ITEM(names, i), args[count + i]);
    if (status == 0) status = set_rest(made, info, &given);
  }
  made->wrapper.moving = 0;
  if (status == 0 && info->has_post_init) status = finish(made, info, &given);
  made->wrapper.is_made = 1;
  if (status != 0) Py_CLEAR(made);
  return (PyObject*)made;
}

/* Numbers and short text are what they are, others become Python's objects first. */
static int set_view(core_member* member, core_instance* instance, const jf_view* view) {
  char* at = (char*)instance->wrapper.object + member->field->offset;
  const int32_t kind = member->enumeration == NULL && instance->wrapper.object != NULL ? member->field->kind : -1;
  if (kind == JF_KIND_F64 && view->type_code == JF_FLOAT) {
    memcpy(at, &view->v_float64, sizeof view->v_float64);
    return 0;
  }
  if (kind == JF_KIND_I64 && view->type_code == JF_INT) {
    memcpy(at, &view->v_int64, sizeof view->v_int64);
    return 0;
  }
  if (kind == JF_FIELD_SLOT && instance->wrapper.moving == CORE_FRESH && member->text == JF_STR &&
      view->type_code == JF_STR_VIEW) {
    jf_value made = {JF_NULL, 0, {0}};
    if (raised(jf_out_str(&made, view->v_span->data, view->v_span->size)) != 0) return -1;
    memcpy(at, &made, sizeof made);
    return 0;
  }
  PyObject* value = view->type_code == CORE_PYTHON_REFERENCE ? Py_NewRef(view->v_handle) : core_box_view(view);
  const int status = value != NULL ? core_member_set(member, &instance->wrapper, value) : -1;
  Py_XDECREF(value);
  return status;
}

static int fill_from_views(core_instance* instance, const core_class_info* info, const jf_view* args, Py_ssize_t count,
                           PyObject* names) {
  const Py_ssize_t named = names != NULL ? PyTuple_GET_SIZE(names) : 0;
  given_set given;
  if (count > info->num_positions) return fail_count(info, count);
  start(&given, info);
  for (Py_ssize_t i = 0; i < count + named; i++) {
    PyObject* name = i < count ? NULL : PyTuple_GET_ITEM(names, i - count);
    const Py_ssize_t at = name == NULL ? info->positions[i] : find_keyword(info, name);
    if (at == -1) return -1;
    if (test_and_set(&given, at)) return fail_given(info, name);
    if (set_view(member_at(info, at), instance, &args[i]) != 0) return -1;
  }
  return set_rest(instance, info, &given);
}

int core_instance_takes_views(PyObject* class) {
  if (!core_is_instance_meta(Py_TYPE(class)) || ((PyTypeObject*)class)->tp_vectorcall != core_instance_vectorcall)
    return 0;
  const core_class_info* info = ((core_instance_class*)class)->info;
  return info->maker == NULL && !info->has_post_init && info->num_init_only == 0;
}

PyObject* core_instance_from_views(PyObject* class, const jf_view* args, Py_ssize_t count, PyObject* names) {
  const core_class_info* info = ((core_instance_class*)class)->info;
  core_instance* made = core_instance_bare((PyTypeObject*)class, info);
  if (made == NULL) return NULL;
  made->wrapper.moving = info->type->construct == NULL ? CORE_FRESH : 0;
  const int status = fill_from_views(made, info, args, count, names);
  made->wrapper.moving = 0;
  made->wrapper.is_made = 1;
  if (status != 0) Py_CLEAR(made);
  return (PyObject*)made;
}

/* NULL: object's own says which methods an abstract class lacks. */
static PyObject* refuse_abstract(PyTypeObject* class) {
  PyObject* none = PyTuple_New(0);
  PyObject* made = none != NULL ? PyBaseObject_Type.tp_new(class, none, NULL) : NULL;
  Py_XDECREF(none);
  Py_XDECREF(made); /* that is never there */
  return NULL;
}

/* For constructors in Python: every default is there, what has none is null or zero. */
PyObject* core_instance_new(PyTypeObject* class, PyObject* args, PyObject* names) {
  const core_class_info* info = core_class_info_of((PyObject*)class);
  if (info == NULL)
    return PyErr_Format(PyExc_TypeError,
                        "%.200s is not registered, so it has no objects: %s @jitffi.register_object(key)",
                        class->tp_name, class == &core_object_type ? "derive a class, with" : "decorate it with");
  if (class->tp_flags & Py_TPFLAGS_IS_ABSTRACT) return refuse_abstract(class);
  if (core_constructs_in_place(class, info)) return make_unconstructed(class, info);
  if (info->maker != NULL) {
    PyObject* const* items = PySequence_Fast_ITEMS(args);
    if (names == NULL || PyDict_GET_SIZE(names) == 0)
      return make_foreign(class, info, items, (size_t)PyTuple_GET_SIZE(args), NULL);
    return PyErr_Format(PyExc_TypeError, "%.200s: its maker takes no keywords", class->tp_name);
  }
  core_instance* made = core_instance_bare(class, info);
  for (Py_ssize_t i = 0; made != NULL && info->has_defaults && i < PyTuple_GET_SIZE(info->members); i++) {
    core_member* member = member_at(info, i);
    if (member->default_value != NULL && !member->initial && class->tp_init != core_instance_init_fields &&
        set_default(member, made) != 0)
      Py_CLEAR(made);
  }
  return (PyObject*)made;
}

/* Whether the fields of an instance may be set by a constructor; else AttributeError. */
static int may_be_made(const core_instance* instance) {
  const core_class_info* info = core_instance_info(instance);
  if (!instance->wrapper.is_made || !(info->type->flags & JF_TYPE_FROZEN)) return 1;
  PyErr_Format(PyExc_AttributeError, "%s: it is frozen, and cannot be made again", info->type->key);
  return 0;
}

int core_instance_set_fields(PyObject* self, const core_class_info* info, PyObject* const* args, Py_ssize_t count,
                             PyObject* names) {
  core_instance* instance = (core_instance*)self;
  if (core_constructs_in_place(Py_TYPE(self), core_instance_info(instance)))
    return init_in_place_from(instance, info, args, count, names);
  if (info->maker != NULL) return 0; /* it has had the arguments */
  if (!may_be_made(instance)) return -1;
  given_set given;
  start(&given, info);
  int status = fill(instance, info, args, count, &given);
  for (Py_ssize_t i = 0; status == 0 && names != NULL && i < PyTuple_GET_SIZE(names); i++)
    status = set_keyword(instance, info, &given, PyTuple_GET_ITEM(names, i), args[count + i]);
  if (status == 0) status = set_rest(instance, info, &given);
  return status != 0 ? -1 : info->has_post_init ? finish(instance, info, &given) : 0;
}

int core_instance_init_fields(PyObject* self, PyObject* args, PyObject* names) {
  core_instance* instance = (core_instance*)self;
  const core_class_info* info = core_instance_info(instance);
  if (core_constructs_in_place(Py_TYPE(self), info)) return init_in_place(instance, info, args, names);
  if (info->maker != NULL) return 0; /* it has had the arguments */
  if (!may_be_made(instance)) return -1;
  given_set given;
  start(&given, info);
  int status = fill(instance, info, PySequence_Fast_ITEMS(args), PyTuple_GET_SIZE(args), &given);
  Py_ssize_t position = 0;
  PyObject *name, *value;
  while (status == 0 && names != NULL && PyDict_Next(names, &position, &name, &value))
    status = set_keyword(instance, info, &given, name, value);
  if (status == 0) status = set_rest(instance, info, &given);
  return status == 0 ? finish(instance, info, &given) : -1;
}
