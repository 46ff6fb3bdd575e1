/* Functions of a library that are bound by a text of plain types, "(x: f64, i32) -> void": read, planned and described at once.
 * Whoever binds many and calls each a few times needs nothing of the package that knows signatures. A text that is spelled in
 * another way than signatures spell themselves, and one with a fault, is left to jitffi/signature, which says what is wrong.
 */
#include "code.h"
#include "function.h"
#include "parts.h"
#include "plan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __APPLE__
#define CACHES "Library/Caches"
#else
#define CACHES ".cache"
#endif

typedef struct {
  const char* at;
  size_t size;
} piece;

/* Names and types are one a parameter, the result's type comes last. `text`: the types alone; `shown`: see describe. */
typedef struct {
  PyObject *names, *types, *text, *shown;
  int has_name;
  Py_ssize_t last_unnamed; /* -1: none */
} read_text;

static void let_go(read_text* read) {
  Py_XDECREF(read->names);
  Py_XDECREF(read->types);
  Py_XDECREF(read->text);
  Py_XDECREF(read->shown);
}

/* Environment variables that want another way, and what they are without one. */
static int is_asked_otherwise(void) {
  static const char* const watching[] = {"JITFFI_DEBUG", "JITFFI_DUMP"};
  for (size_t i = 0; i < sizeof watching / sizeof watching[0]; i++) {
    const char* value = getenv(watching[i]);
    if (value != NULL && *value != 0) return 1;
  }
  const char* mode = getenv("JITFFI_COMPILE");
  return mode != NULL && *mode != 0 && strcmp(mode, "hot") != 0;
}

/* Whether an earlier process may have left code: what adapters/cache.py says of where it does. */
static int has_cache(void) {
  enum { LONGEST = 1024 };
  char path[LONGEST];
  const char *said = getenv("JITFFI_CACHE_DIR"), *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (said != NULL) return *said != 0 && access(said, F_OK) == 0;
  int size = LONGEST;
  if (caches != NULL && *caches == '/')
    size = snprintf(path, sizeof path, "%s/jitffi", caches);
  else if (home != NULL)
    size = snprintf(path, sizeof path, "%s/" CACHES "/jitffi", home);
  return size >= LONGEST || access(path, F_OK) == 0;
}

/* Python's keywords (Language Reference, 2.3.1); the tests compare them with the interpreter's. */
static int is_keyword(piece name) {
  static const char words[] =
      " False None True and as assert async await break class continue def del elif else except finally for from "
      "global "
      "if import in is lambda nonlocal not or pass raise return try while with yield ";
  enum { LONGEST = 8 };
  char word[LONGEST + 3] = " ";
  if (name.size > LONGEST) return 0;
  memcpy(word + 1, name.at, name.size);
  word[name.size + 1] = ' ';
  return strstr(words, word) != NULL;
}

/* Whether it can name a parameter, and no name that is made for one without, or for the function itself, is in its way. */
static int is_plain_name(piece name) {
  if (name.size == 0 || isdigit((unsigned char)name.at[0])) return 0;
  for (size_t i = 0; i < name.size; i++)
    if (!isalnum((unsigned char)name.at[i]) && name.at[i] != '_') return 0;
  if (name.size == 4 && memcmp(name.at, "self", 4) == 0) return 0;
  return (name.size < 4 || memcmp(name.at, "arg", 3) != 0) && !is_keyword(name);
}

static PyObject* interned(piece text) {
  PyObject* made = PyUnicode_FromStringAndSize(text.at, (Py_ssize_t)text.size);
  if (made != NULL) PyUnicode_InternInPlace(&made);
  return made;
}

/* Splits "name: type"; 0: the name is none, or one that another parameter has. */
static int split(const read_text* read, Py_ssize_t index, piece part, piece* name, piece* type) {
  const char* colon = memchr(part.at, ':', part.size);
  *name = (piece){NULL, 0};
  *type = part;
  if (colon == NULL) return 1;
  *name = (piece){part.at, (size_t)(colon - part.at)};
  if (name->size + 2 >= part.size || colon[1] != ' ' || !is_plain_name(*name)) return 0;
  *type = (piece){colon + 2, part.size - name->size - 2};
  for (Py_ssize_t i = 0; i < index; i++) {
    Py_ssize_t size;
    PyObject* other = PyTuple_GET_ITEM(read->names, i);
    const char* text = other == Py_None ? NULL : PyUnicode_AsUTF8AndSize(other, &size);
    if (text != NULL && (size_t)size == name->size && memcmp(text, name->at, name->size) == 0) return 0;
  }
  return 1;
}

static Py_ssize_t count_params(piece inside) {
  Py_ssize_t count = inside.size != 0;
  for (size_t i = 0; i < inside.size; i++) count += inside.at[i] == ',';
  return count;
}

/* Fills names and types. 1; 0: it is another text; -1 with an exception. */
static int read_params(read_text* read, piece inside, piece result) {
  const Py_ssize_t count = count_params(inside);
  read->last_unnamed = -1;
  read->names = PyTuple_New(count);
  read->types = PyTuple_New(count + 1);
  if (read->names == NULL || read->types == NULL) return -1;
  for (Py_ssize_t i = 0; i < count; i++) {
    const char* comma = memchr(inside.at, ',', inside.size);
    const piece part = {inside.at, comma != NULL ? (size_t)(comma - inside.at) : inside.size};
    piece name, type;
    if (comma != NULL && (part.size + 2 >= inside.size || comma[1] != ' ')) return 0;
    if (part.size == 0 || !split(read, i, part, &name, &type)) return 0;
    inside = comma != NULL ? (piece){comma + 2, inside.size - part.size - 2} : (piece){NULL, 0};
    read->has_name |= name.at != NULL;
    if (name.at == NULL) read->last_unnamed = i;
    PyTuple_SET_ITEM(read->names, i, name.at != NULL ? interned(name) : Py_NewRef(Py_None));
    PyTuple_SET_ITEM(read->types, i, interned(type));
    if (PyTuple_GET_ITEM(read->names, i) == NULL || PyTuple_GET_ITEM(read->types, i) == NULL) return -1;
  }
  PyTuple_SET_ITEM(read->types, count, interned(result));
  return PyTuple_GET_ITEM(read->types, count) != NULL ? 1 : -1;
}

static char* put(char* at, const char* text) {
  const size_t size = strlen(text);
  memcpy(at, text, size);
  return at + size;
}

/* "name($self, arg1, /, x)\n--\n\nname(i32, x: f64) -> void", which signature/text_signature.py makes of others; and the text of the
 * types alone. */
static int describe(read_text* read, const char* name, const char* text, const char* doc) {
  enum { A_PARAMETER = 16, THE_REST = 64 }; /* bytes beside names and texts */
  const Py_ssize_t count = PyTuple_GET_SIZE(read->names);
  const size_t size = 2 * strlen(name) + 2 * strlen(text) + strlen(doc) + (size_t)count * A_PARAMETER + THE_REST;
  char* const start = PyMem_Malloc(size);
  if (start == NULL) return PyErr_NoMemory() != NULL;
  char* at = put(start, "(");
  for (Py_ssize_t i = 0; i < count; i++)
    at = put(put(at, i ? ", " : ""), PyUnicode_AsUTF8(PyTuple_GET_ITEM(read->types, i)));
  at = put(put(at, ") -> "), PyUnicode_AsUTF8(PyTuple_GET_ITEM(read->types, count)));
  read->text = PyUnicode_FromStringAndSize(start, at - start);
  at = put(put(start, name), read->last_unnamed < 0 ? "($self, /" : "($self");
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* its = PyTuple_GET_ITEM(read->names, i);
    if (its == Py_None)
      at += sprintf(at, ", arg%zd", i + 1);
    else
      at = put(put(at, ", "), PyUnicode_AsUTF8(its));
    if (i == read->last_unnamed) at = put(at, ", /");
  }
  at = put(put(put(at, ")\n--\n\n"), name), text);
  if (*doc != 0) at = put(put(at, "\n\n"), doc);
  read->shown = PyBytes_FromStringAndSize(start, at - start);
  PyMem_Free(start);
  return read->text != NULL && read->shown != NULL ? 0 : -1;
}

/* The same of a text. */
static int read_signature(read_text* read, const char* name, const char* text, const char* doc) {
  static const char arrow[] = ") -> ";
  const char* end = text[0] == '(' ? strstr(text, arrow) : NULL;
  if (end == NULL) return 0;
  const char* result = end + sizeof arrow - 1;
  const int is_read = read_params(read, (piece){text + 1, (size_t)(end - text - 1)}, (piece){result, strlen(result)});
  return is_read > 0 && describe(read, name, text, doc) < 0 ? -1 : is_read;
}

/* The text's UTF-8, where it is ASCII without NUL; NULL without an exception for another. */
static const char* plain_text(PyObject* object) {
  if (!PyUnicode_Check(object) || !PyUnicode_IS_ASCII(object)) return NULL;
  Py_ssize_t size;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == NULL) PyErr_Clear();
  return text != NULL && strlen(text) == (size_t)size ? text : NULL;
}

/* Calls before code is asked for. */
static uint32_t limit_of(int is_unseen, int is_never) {
  if (is_never) return 0;
  return is_unseen ? 1 : CORE_PLAN_LIMIT;
}

/* bind_plain(cls, library, name, text, doc, owner, is_unseen, nogil, errno, never): a Function called by its plan, whose owner is as
 * it is; None where it takes more than this. is_unseen: the first call looks whether there is code for it; never: it has none. */
PyObject* core_bind_plain(PyObject* module, PyObject* args) {
  PyObject *cls, *library, *name, *signature, *doc, *owner, *made = NULL;
  int is_unseen, nogil, is_errno, is_never;
  if (!PyArg_ParseTuple(args, "OOOOOOpppp", &cls, &library, &name, &signature, &doc, &owner, &is_unseen, &nogil,
                        &is_errno, &is_never))
    return NULL;
  const char *called = plain_text(name), *text = plain_text(signature), *said = plain_text(doc);
  if (called == NULL || text == NULL || said == NULL || strchr(called, '.') != NULL || is_asked_otherwise())
    Py_RETURN_NONE;
  is_unseen = !is_never && (is_unseen || has_cache());
  void* handle = core_library_handle(library);
  if (handle == NULL && PyErr_Occurred()) return NULL;
  void* address = core_library_symbol(handle, called);
  if (address == NULL) Py_RETURN_NONE;
  read_text read = {0};
  const int is_read = read_signature(&read, called, text, said);
  PyObject* plan = NULL;
  const int flags =
      (read.has_name ? CORE_PLAN_KEYWORDS : 0) | (nogil ? CORE_PLAN_NOGIL : 0) | (is_errno ? CORE_PLAN_ERRNO : 0);
  if (is_read > 0) plan = core_plan_of_plain(read.types, flags, JF_MAX_PAD);
  if (plan != NULL && plan != Py_None) {
    PyObject* number = PyLong_FromVoidPtr(address);
    PyObject* given = number == NULL ? NULL
                                     : Py_BuildValue("OOOOOOOOsNiOii", cls, name, read.shown, read.names, read.types,
                                                     read.text, Py_None, Py_None, "c", number, 0, owner, 0, 0);
    made = given != NULL ? core_new_function(module, given) : NULL;
    Py_XDECREF(given);
    if (made != NULL) core_plan_set((core_function*)made, plan, read.has_name, limit_of(is_unseen, is_never));
    if (made != NULL) ((core_function*)made)->is_unseen = (char)is_unseen;
  } else if (is_read == 0 || plan == Py_None) {
    made = Py_NewRef(Py_None);
  }
  Py_XDECREF(plan);
  let_go(&read);
  return made;
}
