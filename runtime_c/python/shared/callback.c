/* Callables as C function pointers: parameters and results of type func[...], and what they keep alive.
 *
 * A Function whose types are the same to C gives its own address. Any other callable gets a copy of the parameter's template, a Function that
 * has code for a C entry and calls what it is given; the copy lives for the call, or with the bound function.
 */
#include <pthread.h>
#include <string.h>

#include "call.h"
#include "callback.h"
#include "error.h"
#include "function.h"
#include "function_at.h"
#include "gil.h"
#include "handle.h"
#include "hooks.h"
#include "host_object.h"
#include "jitffi/runtime.h"
#include "raise.h"
#include "said.h"
#include "state.h"
#include "typed_function.h"

static void drop_function(void* function) { core_decref_anywhere(function); }

/* The template for parameter `index`, made on first use; the result's is the last. Borrowed. */
core_function* core_function_template(core_function* function, int32_t index) {
  if (function->copy) function = (core_function*)function->owner;
  Py_ssize_t n = function->info.num_params;
  Py_ssize_t at = index < 0 ? n : index;
  if (!function->templates) {
    function->templates = PyList_New(n + 1);
    if (!function->templates) return NULL;
    for (Py_ssize_t i = 0; i <= n; i++) PyList_SET_ITEM(function->templates, i, Py_NewRef(Py_None));
  }
  PyObject* found = PyList_GET_ITEM(function->templates, at);
  if (found == Py_None) {
    PyObject* made = core_hook_template(function, index);
    if (!made) return NULL;
    found = PyList_GET_ITEM(function->templates, at); /* another thread may have been faster: its own is in use */
    if (found == Py_None)
      PyList_SetItem(function->templates, at, found = made);
    else
      Py_DECREF(made);
  }
  return (core_function*)found;
}

/* New; NULL with an exception. One callable may be given for parameters of several types, and C may hold the pointer of each. */
static PyObject* kept_key(PyObject* callable, const char* types) {
  return Py_BuildValue("(NN)", PyLong_FromVoidPtr(callable), PyLong_FromVoidPtr((void*)types));
}

/* Keeps `made` as long as `function`, under its types and the address of `callable`, which `made` keeps alive or is: the same
 * callable is wrapped once, and no other can come to stand at a key. */
static int keep(core_function* function, PyObject* callable, core_function* made) {
  if (!function->kept && !(function->kept = PyDict_New())) return -1;
  PyObject* key = kept_key(callable, made->state.types);
  int status = key ? PyDict_SetItem(function->kept, key, (PyObject*)made) : -1;
  Py_XDECREF(key);
  return status;
}

static core_function* kept_for(core_function* function, PyObject* callable, core_function* template) {
  if (!function->kept) return NULL;
  PyObject* key = kept_key(callable, template->state.types);
  if (!key) return NULL;
  PyObject* found = PyDict_GetItemWithError(function->kept, key);
  Py_DECREF(key);
  return (core_function*)found;
}

static void take_back(void* function) {
  if (Py_IsInitialized() && core_has_gil())
    core_function_take_back(function);
  else
    drop_function(function);
}

/* A copy of the template that calls `object`, released with temps or kept. */
static int32_t wrap(core_function* owner, int32_t index, core_function* template, PyObject* object, void** out,
                    jf_temps* temps) {
  int lasting = owner->keep_callbacks || index < 0; /* nothing else could keep a result's callable alive */
  core_function* made = lasting ? kept_for(owner, object, template) : NULL;
  if (made) {
    *out = made->native;
    return 0;
  }
  if (lasting && PyErr_Occurred()) return -1;
  made = lasting ? core_function_copy(template, object, 1) : core_function_lend(template, object);
  if (!made) return -1;
  *out = made->native;
  if (lasting) {
    int status = keep(owner, object, made);
    Py_DECREF(made);
    return status;
  }
  if (jf_temps_add(temps, made, take_back) == 0) return 0;
  core_error_raise(&owner->state);
  return -1;
}

/* The end of a type in the text of a signature's types: at a comma, or what closes the brackets that it is in. */
static const char* end_of_type(const char* at) {
  int depth = 0;
  for (; *at != '\0' && (depth > 0 || (*at != ',' && *at != ')' && *at != ']')); at++)
    depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
  return at;
}

/* What a pointer leads to, without `const`: "" for void. *size is set; NULL where the type is no pointer. */
static const char* pointee_of(const char* type, const char* end, size_t* size) {
  static const char maybe[] = "optional[", constant[] = "const ";
  if (strncmp(type, maybe, sizeof maybe - 1) == 0) {
    type += sizeof maybe - 1;
    end--;
  }
  *size = 0;
  if (end - type == 3 && memcmp(type, "ptr", 3) == 0) return "";
  *size = (size_t)(end - type);
  if (*size == 4 && memcmp(type, "cstr", 4) == 0) return type;
  if (*size < 5 || memcmp(type, "ptr[", 4) != 0 || end_of_type(type + 4) + 1 != end) return NULL;
  type += 4;
  if (strncmp(type, constant, sizeof constant - 1) == 0) type += sizeof constant - 1;
  *size = (size_t)(end - 1 - type);
  return *size == 4 && memcmp(type, "void", 4) == 0 ? (*size = 0, "") : type;
}

static int types_fit(const char* given, const char* given_end, const char* wanted, const char* wanted_end) {
  const size_t size = (size_t)(given_end - given);
  if (size == (size_t)(wanted_end - wanted) && memcmp(given, wanted, size) == 0) return 1;
  size_t given_size, wanted_size;
  const char* given_to = pointee_of(given, given_end, &given_size);
  const char* wanted_to = pointee_of(wanted, wanted_end, &wanted_size);
  if (given_to == NULL || wanted_to == NULL) return 0;
  if (given_size == 0 || wanted_size == 0) return 1;
  return given_size == wanted_size && memcmp(given_to, wanted_to, given_size) == 0;
}

int core_types_fit(const char* given, const char* wanted) {
  if (given == wanted) return 1;
  if (given == NULL || wanted == NULL) return 0;
  while (*given == *wanted && (*given == '(' || *given == ',')) {
    given += *given == ',' ? 2 : 1;
    wanted += *wanted == ',' ? 2 : 1;
    const char *end = end_of_type(given), *wanted_end = end_of_type(wanted);
    if (!types_fit(given, end, wanted, wanted_end)) return 0;
    given = end;
    wanted = wanted_end;
  }
  if (*given == ')' && strncmp(wanted, ", ...)", 6) == 0) wanted += 5; /* who calls passes the named ones as ever */
  return strcmp(given, wanted) == 0;
}

static int32_t callback_said(core_state* state, int32_t index, PyObject* said, int64_t extra, void* out,
                             jf_temps* temps) {
  (void)extra;
  return core_unbox_callback(state, index, said, out, temps);
}

int32_t core_unbox_callback(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps) {
  core_function* owner = core_function_of(state);
  if (PyFunction_Check(object)) { /* what most callables are */
    core_function* template = core_function_template(owner, index);
    return template ? wrap(owner, index, template, object, out, temps) : -1;
  }
  if (PyLong_Check(object) && !PyBool_Check(object)) {
    *out = PyLong_AsVoidPtr(object);
    if (*out) return 0;
    int overflow = PyErr_Occurred() != NULL;
    PyErr_Clear();
    core_raise_value(state, index, overflow ? PyExc_OverflowError : PyExc_ValueError, NULL, object);
    return -1;
  }
  if (!PyCallable_Check(object)) return core_unbox_said(state, index, object, callback_said, 0, out, temps);
  core_function* template = core_function_template(owner, index);
  if (!template) return -1;
  core_function* function = (core_function*)core_function_get(object);
  if (!function && PyCFunction_CheckExact(object)) function = (core_function*)core_hook_emitted(object);
  if (!function || !core_types_fit(function->state.types, template->state.types))
    return wrap(owner, index, template, object, out, temps);
  *out = core_function_native(function);
  if (!*out || core_note_passed(function) != 0) return -1;
  if (owner->keep_callbacks || index < 0) return keep(owner, (PyObject*)function, function);
  return 0;
}

/* Whether it may stand for one of that parameter's types, of which C functions that give a pointer on can have another. */
static int is_of_type(core_state* state, int32_t index, core_function* f) {
  const jf_pattern* p = core_function_pattern(state, index);
  if (!p) return -1;
  if (p->types == f->state.types) return 1;
  core_function* template = core_function_template(core_function_of(state), index);
  return template ? core_types_fit(f->state.types, template->state.types) : -1;
}

/* A Python callable that C has as a pointer comes back as itself. */
PyObject* core_box_callback(core_state* state, int32_t index, void* address) {
  if (!address) {
    core_fail_null(state, index);
    core_error_raise(state);
    return NULL;
  }
  core_function* f = core_function_at(address);
  const int is_ours = f ? is_of_type(state, index, f) : 0;
  if (is_ours < 0) return NULL;
  if (is_ours && f->copy) return Py_NewRef(f->callable);
  if (is_ours) return core_hook_builtin(f);
  return core_hook_boxed(core_function_of(state), index, address);
}

/* A function object in a slot: its own C function if it is of these types, else a closure around it. A result's slot is
 * released before the C function is called, so what it held is kept. */
static int32_t lift_function(core_state* state, int32_t index, jf_function* function, void** out, jf_temps* temps) {
  core_function* owner = core_function_of(state);
  core_function* template = core_function_template(owner, index);
  int lasting = owner->keep_callbacks || index < 0;
  if (!lasting && template && function->types == template->state.types && function->native) {
    *out = function->native;
    return 0;
  }
  PyObject* callable = template ? core_function_box(&function->header) : NULL;
  if (!callable) return -1;
  int32_t status = core_unbox_callback(state, index, callable, out, temps);
  if (status == 0 && jf_temps_add(temps, callable, drop_function) == 0) return 0;
  if (status == 0)
    core_error_raise(state); /* jf_temps_add has dropped it */
  else
    Py_DECREF(callable);
  return -1;
}

int32_t core_lift_callback(core_state* state, int32_t index, const jf_view* view, void** out, jf_temps* temps) {
  if (view->type_code == JF_HANDLE) {
    *out = view->v_handle;
    return 0;
  }
  jf_object* function;
  if (view->type_code == JF_INT || jf_lift_object(state->info, index, view, JF_FUNCTION, &function, temps) != 0) {
    if (view->type_code == JF_INT) jf_fail_type(state->info, index, view);
    return -1;
  }
  void* token = core_enter_python(state, NULL);
  if (!token) return -1;
  int32_t status = lift_function(state, index, (jf_function*)function, out, temps);
  if (status != 0) core_error_from_python();
  core_leave_python(state, token, NULL);
  return status;
}

/* -- texts that C has, results and what is in places ------------------------------------------------------------------------------------- */

struct core_kept_text {
  core_kept_text* next;
  pthread_t thread;
  int32_t index; /* of the place; -1: the result */
  size_t capacity;
  char* text;
};

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

/* A copy of `text` that lives until this Function's next call on this thread, or its death; `index`: of a place, -1 of the result.
 * NULL with the last error set. */
const char* core_keep_cstr(core_state* state, const char* text, int32_t index) {
  core_function* f = core_function_of(state);
  pthread_t self = pthread_self();
  size_t size = strlen(text) + 1;
  pthread_mutex_lock(&kept_lock);
  core_kept_text* kept = f->kept_texts;
  while (kept && !(kept->index == index && pthread_equal(kept->thread, self))) kept = kept->next;
  if (!kept && (kept = calloc(1, sizeof *kept))) {
    kept->thread = self;
    kept->index = index;
    kept->next = f->kept_texts;
    f->kept_texts = kept;
  }
  if (kept && kept->capacity < size) {
    char* larger = realloc(kept->text, size);
    if (larger) {
      kept->text = larger;
      kept->capacity = size;
    } else {
      kept = NULL;
    }
  }
  pthread_mutex_unlock(&kept_lock);
  if (!kept) {
    jf_error_format("MemoryError", "%s: no memory for its result", state->info->name);
    return NULL;
  }
  return memmove(kept->text, text, size); /* of what is kept already, too */
}

void core_kept_texts_free(core_kept_text* texts) {
  while (texts) {
    core_kept_text* next = texts->next;
    free(texts->text);
    free(texts);
    texts = next;
  }
}
