/* What a Function asks of the package, whose class of it has a compiler. An emitted module answers from what was compiled
 * beforehand (emitted/hooks.c).
 */
#include "hooks.h"
#include "function.h"
#include "jitffi/abi.h"
#include "parts.h"
#include "script.h"
#include "variadic.h"

static PyObject* from_handle; /* Python: (address, name) -> builtin */
static PyObject* convert;     /* Python: (callable) -> builtin */

/* They are there once jitffi.api.callables is loaded, which a container of functions does not need by itself. -1 with an
 * exception. */
static int need_hooks(void) {
  if (convert) return 0;
  PyObject* module = PyImport_ImportModule("jitffi.api.callables");
  Py_XDECREF(module);
  return module ? 0 : -1;
}

/* Calls method `name` of the Python class; new reference. */
static PyObject* call_hook(core_function* function, const char* name, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (function->copy) function = (core_function*)function->owner;
  PyObject* method = PyObject_GetAttrString((PyObject*)function, name);
  PyObject* args = method ? Py_VaBuildValue(format, arguments) : NULL;
  va_end(arguments);
  PyObject* result = args ? PyObject_CallObject(method, args) : NULL;
  Py_XDECREF(args);
  Py_XDECREF(method);
  return result;
}

static int done(PyObject* answer) {
  Py_XDECREF(answer);
  return answer ? 0 : -1;
}

PyObject* core_hook_template(core_function* function, int32_t index) {
  return call_hook(function, "_make_template", "(i)", (int)index);
}

PyObject* core_hook_boxed(core_function* function, int32_t index, void* address) {
  PyObject* number = PyLong_FromVoidPtr(address);
  return number ? call_hook(function, "_box_callback", "(iN)", (int)index, number) : NULL;
}

int core_hook_native(core_function* function) { return done(call_hook(function, "_make_native", "()")); }

int core_hook_packed(core_function* function) {
  const core_function* origin = function->copy ? (core_function*)function->owner : function;
  if (!origin->packed && done(call_hook(function, "_make_packed", "()")) < 0) return -1;
  function->packed = origin->packed;
  return 0;
}

int core_hook_packed_code(core_function* function) { return done(call_hook(function, "_make_packed_code", "()")); }

int core_hook_python(core_function* function) { return done(call_hook(function, "_make_python", "()")); }

int core_hook_hot(core_function* function, int by_c) {
  PyObject* answer = call_hook(function, "_make_hot", "(i)", by_c);
  if (answer == Py_False) function->plan_limit = 0; /* there will be none */
  return done(answer);
}

int core_hook_first_call(core_function* function) { return done(call_hook(function, "_look_for_code", "()")); }

int core_hook_variant(core_function* function, uint64_t kinds, uint64_t ranks) {
  PyObject* answer = call_hook(function, "_make_variant", "(KK)", (unsigned long long)kinds, (unsigned long long)ranks);
  const int was_made = answer != Py_False;
  return done(answer) < 0 ? -1 : was_made;
}

PyObject* core_hook_class_number(core_function* function, PyObject* class) {
  return call_hook(function, "_class_number", "(O)", class);
}

PyObject* core_hook_first_calls(core_function* function) { return call_hook(function, "_first_calls", "()"); }

PyObject* core_hook_signature(core_function* function) { return call_hook(function, "_signature_text", "()"); }

PyObject* core_hook_description(core_function* function, PyObject* code, int line, int of_site) {
  PyObject* module = PyImport_ImportModule("jitffi.profiles.trace_definition");
  if (module == NULL) return NULL;
  if (function->copy) function = (core_function*)function->owner;
  PyObject* text = of_site ? PyObject_CallMethod(module, "of_site", "Oi", code != NULL ? code : Py_None, line)
                           : PyObject_CallMethod(module, "of_function", "O", function);
  Py_DECREF(module);
  return text;
}

PyObject* core_hook_builtin(core_function* function) { return call_hook(function, "_builtin", "()"); }

PyObject* core_hook_convert(PyObject* callable) {
  return need_hooks() == 0 ? PyObject_CallOneArg(convert, callable) : NULL;
}

PyObject* core_hook_function(jf_object* function, const char* name) {
  return need_hooks() == 0 ? PyObject_CallFunction(from_handle, "Ns", PyLong_FromVoidPtr(function), name) : NULL;
}

/* Attribute `name` of a module that is imported. */
static PyObject* imported(const char* from, const char* name) {
  PyObject* module = PyImport_ImportModule(from);
  PyObject* found = module ? PyObject_GetAttrString(module, name) : NULL;
  Py_XDECREF(module);
  return found;
}

PyObject* core_hook_type(PyObject* spec) {
  PyObject* parse = imported("jitffi.signature.text", "parse_type");
  PyObject* class = parse ? imported("jitffi.signature.model", "Type") : NULL;
  const int is_type = class ? PyObject_IsInstance(spec, class) : -1;
  PyObject* type = is_type > 0 ? Py_NewRef(spec) : NULL;
  if (is_type == 0 && PyUnicode_Check(spec)) type = PyObject_CallOneArg(parse, spec);
  if (is_type == 0 && !PyUnicode_Check(spec))
    PyErr_Format(PyExc_TypeError, "expected a type, as its text or a jitffi.Type, got %.200s", Py_TYPE(spec)->tp_name);
  Py_XDECREF(parse);
  Py_XDECREF(class);
  return type;
}

PyObject* core_hook_types(PyObject* text) {
  PyObject* type = core_hook_type(text);
  PyObject* signature = type ? PyObject_GetAttrString(type, "signature") : NULL;
  PyObject* types = signature ? PyObject_GetAttrString(signature, "types") : NULL;
  Py_XDECREF(type);
  Py_XDECREF(signature);
  return types;
}

PyObject* core_hook_function_at(PyObject* type_text, PyObject* name, void* address, PyObject* kept) {
  PyObject* maker = imported("jitffi.api.function_fields", "at_address");
  PyObject* made =
      maker ? PyObject_CallFunction(maker, "OONO", type_text, name, PyLong_FromVoidPtr(address), kept) : NULL;
  Py_XDECREF(maker);
  return made;
}

PyObject* core_hook_callback(PyObject* type_text, PyObject* name, PyObject* callable) {
  PyObject* maker = imported("jitffi.api.function_fields", "of_callable");
  PyObject* made = maker ? PyObject_CallFunction(maker, "OOO", type_text, name, callable) : NULL;
  Py_XDECREF(maker);
  return made;
}

static PyObject* templates; /* dict: the address of a pattern -> Function */

PyObject* core_hook_typed(const jf_pattern* pattern) {
  PyObject* key = PyLong_FromVoidPtr((void*)(uintptr_t)pattern);
  if (!templates) templates = PyDict_New();
  PyObject* made = key && templates ? Py_XNewRef(PyDict_GetItemWithError(templates, key)) : NULL;
  if (!made && key && templates && !PyErr_Occurred()) {
    PyObject* maker = imported("jitffi.api.function_fields", "template");
    made = maker ? PyObject_CallFunction(maker, "s", pattern->name) : NULL;
    Py_XDECREF(maker);
    if (made && PyDict_SetItem(templates, key, made) < 0) Py_CLEAR(made);
  }
  Py_XDECREF(key);
  return made;
}

PyObject* core_hook_struct(PyObject* key) {
  PyObject* class_of = imported("jitffi.api.structs", "class_of");
  PyObject* class = class_of ? PyObject_CallOneArg(class_of, key) : NULL;
  Py_XDECREF(class_of);
  return class;
}

void core_hook_freed(core_function* function) {
  core_script_free(function->script);
  core_variadic_free(function->variadic);
}

int core_type_ready(PyTypeObject* type) { return PyType_Ready(type); }

/* All builtins of the package have a Function as their `__self__`. */
PyObject* core_hook_emitted(PyObject* builtin) {
  (void)builtin;
  return NULL;
}

static PyObject* set_hooks(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *first, *second;
  if (!PyArg_ParseTuple(args, "OO", &first, &second)) return NULL;
  /* Interpreters beside the main one get the module from its dict up to 3.11, and on request later (PEP 489, "m_size"). Its state is
   * the process's: hooks of theirs would serve the main one, after their end, too. */
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError, "jitffi does not support sub-interpreters");
    return NULL;
  }
  Py_XSETREF(from_handle, Py_NewRef(first));
  Py_XSETREF(convert, Py_NewRef(second));
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"set_hooks", set_hooks, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds set_hooks to the module; -1 with an exception set on failure. */
int core_hooks_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
