/* An emitted extension module: who may load it, and what happens when it is executed.
 *
 * The object has PyInit_*, which comes here at once. Nothing runs before the interpreter's version is known but Py_GetVersion and what
 * raises ImportError, which every version has; whatever else not every version has is a weak symbol (weak.h), so that the
 * module can be loaded for as long as it takes to say so.
 */
#include "call.h"
#include "emitted.h"
#include "function.h"
#include "hooks.h"

#include <string.h>

static const core_emitted_module* the_module;
static PyObject* classes; /* a module that nobody imports: what the parts add */
static char* full_name;
static enum { NEW, STARTED, FAILED } state;

#define STRING(x) #x
#define VERSION_TEXT(major, minor) STRING(major) "." STRING(minor)

/* 1, or 0 with ImportError. */
static int is_right_version(const core_emitted_module* module) {
  const char* running = Py_GetVersion();
  const size_t size = strlen(module->compiled);
  const int is_free_threaded = strstr(running, "free-threading") != NULL;
  char text[256];
  if (strncmp(running, module->compiled, size) != 0 || running[size] != '.' || is_free_threaded) {
    size_t shown = strcspn(running, ".");
    if (running[shown] == '.') shown += 1 + strcspn(running + shown + 1, ". ");
    snprintf(text, sizeof text, "%.80s was made for CPython %s, this is CPython %.*s%s; emit it again with this one",
             module->name, module->compiled, (int)shown, running, is_free_threaded ? " without the GIL" : "");
  } else if (strcmp(module->compiled, VERSION_TEXT(PY_MAJOR_VERSION, PY_MINOR_VERSION)) != 0 ||
             strcmp(module->version, JITFFI_VERSION) != 0) {
    snprintf(text, sizeof text,
             "%.80s was emitted by jitffi %s for CPython %s, and linked with what jitffi %s has for CPython %s",
             module->name, module->version, module->compiled, JITFFI_VERSION,
             VERSION_TEXT(PY_MAJOR_VERSION, PY_MINOR_VERSION));
  } else {
    return 1;
  }
  PyErr_SetString(PyExc_ImportError, text);
  return 0;
}

/* The class's name becomes the module's: "jitffi.List" is "demo.List" here. */
int core_type_ready(PyTypeObject* type) {
  if (type->tp_flags & Py_TPFLAGS_READY) return 0;
  const char* dot = strrchr(type->tp_name, '.');
  if (dot == NULL) return PyType_Ready(type);
  const char* name = dot + 1;
  const size_t size = strlen(full_name) + strlen(name) + 2;
  char* text = PyMem_Malloc(size); /* for ever, as the class is */
  if (!text) {
    PyErr_NoMemory();
    return -1;
  }
  PyOS_snprintf(text, size, "%s.%s", full_name, name);
  type->tp_name = text;
  return PyType_Ready(type);
}

const char* core_emitted_name(void) { return full_name; }

int core_emitted_add_structs(PyObject* names) {
  return the_module->structs != NULL ? core_emitted_structs(names, the_module->structs, the_module->structs_size) : 0;
}

/* What is there once in the process. -1 with an exception. */
static int start(PyObject* module) {
  const char* name = PyModule_GetName(module);
  full_name = name ? PyMem_Malloc(strlen(name) + 1) : NULL;
  if (!full_name) {
    if (name) PyErr_NoMemory();
    return -1;
  }
  strcpy(full_name, name);
  classes = PyModule_New(name);
  if (!classes || core_call_init(classes) < 0) return -1;
  for (const core_part* part = the_module->parts; *part; part++)
    if ((*part)(classes) < 0) return -1;
  for (const core_emitted* const* at = the_module->functions; *at; at++)
    if (!core_emitted_function(*at)) return -1;
  return 0;
}

static int add_functions(PyObject* module) {
  PyObject* name = PyModule_GetNameObject(module);
  int status = name ? 0 : -1;
  for (const core_emitted* const* at = the_module->functions; *at && status == 0; at++) {
    PyMethodDef* def = &(*at)->storage->function.def;
    PyObject* builtin = PyCFunction_NewEx(def, module, name);
    status = builtin ? PyModule_AddObjectRef(module, def->ml_name, builtin) : -1;
    Py_XDECREF(builtin);
  }
  Py_XDECREF(name);
  return status;
}

/* The classes of what functions return can be found in the module, but where a function has that name. */
static int add_classes(PyObject* module) {
  PyObject *key, *value;
  Py_ssize_t position = 0;
  PyObject* to = PyModule_GetDict(module);
  while (PyDict_Next(PyModule_GetDict(classes), &position, &key, &value)) {
    if (!PyType_Check(value) || value == (PyObject*)Py_TYPE(core_no_default)) continue;
    if (!PyDict_SetDefault(to, key, value)) return -1;
  }
  return 0;
}

static int execute(PyObject* module) {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_Format(PyExc_ImportError, "%s does not support sub-interpreters", the_module->name);
    return -1;
  }
  if (state == FAILED) {
    PyErr_Format(PyExc_ImportError, "%s could not be started when it was first imported", the_module->name);
    return -1;
  }
  if (state == NEW) {
    state = start(module) < 0 ? FAILED : STARTED;
    if (state == FAILED) return -1;
  }
  return add_functions(module) < 0 || add_classes(module) < 0 ? -1 : 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void*)execute},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_size = 0, .m_slots = slots};

PyObject* core_emitted_init(const core_emitted_module* module) {
  if (!is_right_version(module)) return NULL;
  the_module = module;
  definition.m_name = module->name;
  return PyModuleDef_Init(&definition);
}

/* One of the module's functions is the builtin of its storage's definition. */
PyObject* core_hook_emitted(PyObject* builtin) {
  const PyMethodDef* def = ((PyCFunctionObject*)builtin)->m_ml;
  for (const core_emitted* const* at = the_module->functions; *at; at++) {
    core_function* function = &(*at)->storage->function;
    if (&function->def == def) return function->native ? (PyObject*)function : NULL;
  }
  return NULL;
}
