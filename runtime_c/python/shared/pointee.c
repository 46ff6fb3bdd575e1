/* What pointers of one type point at, by the canonical text of the type: read once and kept for the life of the process, as
 * types of signatures are.
 *
 *   "ptr" | "ptr[" ["const "] (number | "cstr" | "void" | "struct NAME" | a struct's key | "func[...]" | another pointer) "]"
 *
 * Other spellings, and what is wrong with a text, are the business of whoever has the notation (hooks).
 */
#include "hooks.h"
#include "pointer.h"
#include "wide.h"

#include <string.h>

enum { BUCKETS = 256, MAX_DEPTH = 32 /* of the notation, too */ };

/* Guarded by the GIL. */
static core_pointee* table[BUCKETS];

typedef struct {
  const char* name;
  const char* format;
  jf_dtype dtype;
  uint8_t kind;
  uint8_t scalar;
} element;

static const element elements[] = {
    {"bool", "?", {6, 8, 1}, CORE_TO_NUMBER, JF_KIND_BOOL},
    {"i8", "b", {0, 8, 1}, CORE_TO_NUMBER, JF_KIND_I8},
    {"i16", "h", {0, 16, 1}, CORE_TO_NUMBER, JF_KIND_I16},
    {"i32", "i", {0, 32, 1}, CORE_TO_NUMBER, JF_KIND_I32},
    {"i64", "q", {0, 64, 1}, CORE_TO_NUMBER, JF_KIND_I64},
    {"u8", "B", {1, 8, 1}, CORE_TO_NUMBER, JF_KIND_U8},
    {"u16", "H", {1, 16, 1}, CORE_TO_NUMBER, JF_KIND_U16},
    {"u32", "I", {1, 32, 1}, CORE_TO_NUMBER, JF_KIND_U32},
    {"u64", "Q", {1, 64, 1}, CORE_TO_NUMBER, JF_KIND_U64},
    {"f16", "e", {2, 16, 1}, CORE_TO_NUMBER, JF_KIND_F16},
    {"bf16", NULL, {4, 16, 1}, CORE_TO_NUMBER, JF_KIND_BF16},
    {"f32", "f", {2, 32, 1}, CORE_TO_NUMBER, JF_KIND_F32},
    {"f64", "d", {2, 64, 1}, CORE_TO_NUMBER, JF_KIND_F64},
    {"c64", "Zf", {5, 64, 1}, CORE_TO_COMPLEX, JF_KIND_C64},
    {"c128", "Zd", {5, 128, 1}, CORE_TO_COMPLEX, JF_KIND_C128},
    {"longdouble", "g", {0, 0, 0}, CORE_TO_WIDE, JF_KIND_LONGDOUBLE},
    {"i128", NULL, {0, 0, 0}, CORE_TO_WIDE, JF_KIND_I128},
    {"u128", NULL, {0, 0, 0}, CORE_TO_WIDE, JF_KIND_U128},
    {"cstr", NULL, {0, 0, 0}, CORE_TO_TEXT, 0},
    {"void", NULL, {0, 0, 0}, CORE_TO_NOTHING, 0},
};
enum { ELEMENTS = sizeof elements / sizeof elements[0] };

typedef struct {
  const char* at;
  size_t size;
} span;

static int is(span text, const char* word) {
  return text.size == strlen(word) && memcmp(text.at, word, text.size) == 0;
}

static int skip(span* text, const char* word) {
  const size_t size = strlen(word);
  if (text->size < size || memcmp(text->at, word, size) != 0) return 0;
  text->at += size;
  text->size -= size;
  return 1;
}

static int is_ascii_name(span text) {
  for (size_t i = 0; i < text.size; i++) {
    const char c = text.at[i];
    const int is_letter = (c | 32) >= 'a' && (c | 32) <= 'z';
    if (!is_letter && c != '_' && !(i > 0 && c >= '0' && c <= '9')) return 0;
  }
  return text.size > 0;
}

/* A key of one that is declared: in a text that is right it is what nothing else is. */
static int is_struct(span item, int is_trusted) {
  if (core_structs == NULL || item.size == 0) return 0;
  for (size_t i = 0; i < item.size; i++)
    if (strchr("[]() ,", item.at[i]) != NULL) return 0;
  return core_structs->is_key(item.at, item.size, is_trusted);
}

static core_pointee** bucket(span text) {
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (size_t i = 0; i < text.size; i++) hash = (hash ^ (uint8_t)text.at[i]) * 16777619u;
  return &table[hash % BUCKETS];
}

static core_pointee* found(span text) {
  for (core_pointee* each = *bucket(text); each != NULL; each = each->next)
    if (is(text, PyUnicode_AsUTF8(each->text))) return each; /* the text was made of UTF-8, which it keeps */
  return NULL;
}

static const core_pointee* pointee_of(span text, int is_trusted, int depth);

/* What the item's text says: 1; 0: there is no such item; -1: exception. */
static int read_item(span item, int is_trusted, int depth, core_pointee* out) {
  const span whole = item;
  for (size_t i = 0; i < ELEMENTS; i++) {
    if (!is(item, elements[i].name)) continue;
    out->kind = elements[i].kind;
    out->scalar = elements[i].scalar;
    out->dtype = elements[i].dtype;
    out->format = elements[i].format;
    out->size = out->kind == CORE_TO_WIDE   ? core_wide_size(out->scalar)
                : out->kind == CORE_TO_TEXT ? (int32_t)sizeof(void*)
                                            : out->dtype.bits / 8;
    return 1;
  }
  if (skip(&item, "struct ")) {
    out->kind = CORE_TO_NOTHING;
    return is_trusted ? item.size > 0 : is_ascii_name(item);
  }
  if (is_struct(item, is_trusted)) {
    out->kind = CORE_TO_STRUCT;
    return 1;
  }
  if (is_trusted && memchr(item.at, '.', item.size) != NULL && memchr(item.at, '[', item.size) == NULL) {
    out->kind = CORE_TO_NOTHING; /* a struct by its key */
    return 1;
  }
  out->size = (int32_t)sizeof(void*);
  if (skip(&item, "func[")) {
    out->kind = CORE_TO_FUNCTION;
    return is_trusted && item.size > 0 && item.at[item.size - 1] == ']';
  }
  if (skip(&item, "ptr")) {
    out->kind = CORE_TO_POINTER;
    out->target = depth < MAX_DEPTH ? pointee_of(whole, is_trusted, depth + 1) : NULL;
    return out->target != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
  }
  out->kind = CORE_TO_FLOAT8;
  out->size = 1;
  return skip(&item, "float8_") && jf_dtype_parse(whole.at, whole.size, &out->dtype) == 0 && out->dtype.bits == 8 &&
         out->dtype.lanes == 1;
}

/* Of a text that is not in the table. */
static const core_pointee* make(span text, int is_trusted, int depth) {
  core_pointee made = {0};
  span item = text;
  if (is(text, "ptr")) {
    item = (span){"void", 4};
  } else {
    if (!skip(&item, "ptr[") || item.size == 0 || item.at[item.size - 1] != ']') return NULL;
    item.size--;
    made.is_const = skip(&item, "const ");
    if (is(item, "void") && !made.is_const) return NULL; /* which is spelled ptr */
  }
  if (read_item(item, is_trusted, depth, &made) <= 0) return NULL;
  if (made.is_const) {
    char* plain = PyMem_Malloc(item.size + sizeof "ptr[]");
    if (plain == NULL) return (const core_pointee*)PyErr_NoMemory();
    const int size = PyOS_snprintf(plain, item.size + sizeof "ptr[]", "ptr[%.*s]", (int)item.size, item.at);
    made.plain = is(item, "void") ? pointee_of((span){"ptr", 3}, 1, depth)
                                  : pointee_of((span){plain, (size_t)size}, is_trusted, depth);
    PyMem_Free(plain);
    if (made.plain == NULL) return NULL;
  }
  core_pointee* kept = PyMem_Malloc(sizeof *kept);
  if (kept == NULL) return (const core_pointee*)PyErr_NoMemory();
  made.text = PyUnicode_FromStringAndSize(text.at, (Py_ssize_t)text.size);
  made.item_text = PyUnicode_FromStringAndSize(item.at, (Py_ssize_t)item.size);
  if (made.text == NULL || made.item_text == NULL || PyUnicode_AsUTF8(made.text) == NULL ||
      PyUnicode_AsUTF8(made.item_text) == NULL) {
    Py_XDECREF(made.text);
    Py_XDECREF(made.item_text);
    PyMem_Free(kept);
    return NULL;
  }
  core_pointee** place = bucket(text);
  *kept = made;
  kept->next = *place;
  if (kept->plain == NULL) kept->plain = kept;
  return *place = kept;
}

static const core_pointee* pointee_of(span text, int is_trusted, int depth) {
  const core_pointee* known = found(text);
  return known != NULL ? known : make(text, is_trusted, depth);
}

const core_pointee* core_pointee_of(const char* text, size_t size, int is_trusted) {
  return pointee_of((span){text, size}, is_trusted, 0);
}

static const core_pointee* of_str(PyObject* text, int is_trusted) {
  Py_ssize_t size = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text, &size);
  return utf8 != NULL ? core_pointee_of(utf8, (size_t)size, is_trusted) : NULL;
}

const core_pointee* core_pointee_from(PyObject* spec) {
  const core_pointee* type = PyUnicode_Check(spec) ? of_str(spec, 0) : NULL;
  if (type != NULL || (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))) return type;
  PyErr_Clear();
  PyObject* known = core_hook_type(spec);
  PyObject* text = known != NULL ? PyObject_Str(known) : NULL;
  if (text != NULL) type = of_str(text, 1);
  if (text != NULL && type == NULL && !PyErr_Occurred())
    PyErr_Format(PyExc_TypeError, "expected the type of a pointer, ptr[T], got %U", text);
  Py_XDECREF(known);
  Py_XDECREF(text);
  return type;
}

int core_pointee_complete(const core_pointee* type) {
  core_pointee* known = (core_pointee*)(uintptr_t)type;
  if (type->kind != CORE_TO_STRUCT || type->info != NULL) return 0;
  Py_ssize_t length, size, item_size;
  const char* key = PyUnicode_AsUTF8AndSize(type->item_text, &length);
  const core_struct_info* info = key != NULL ? core_structs->find(key, (size_t)length) : NULL;
  if (info == NULL) return -1;
  core_structs->extent(info, &size, &item_size);
  if (size > INT32_MAX) {
    PyErr_Format(PyExc_OverflowError, "%U: its items are too large", type->text);
    return -1;
  }
  known->size = (int32_t)size;
  known->info = info;
  return 0;
}

PyObject* core_pointee_type(const core_pointee* type) {
  core_pointee* known = (core_pointee*)(uintptr_t)type;
  if (known->type == NULL) {
    PyObject* made = core_hook_type(type->text);
    if (made == NULL) return NULL;
    Py_XSETREF(known->type, made); /* asking may have asked, too */
  }
  return Py_NewRef(known->type);
}

int core_pointee_is_void(const core_pointee* type) {
  return PyUnicode_CompareWithASCIIString(type->plain->text, "ptr") == 0;
}

static int are_alike(const core_pointee* a, const core_pointee* b) {
  if (a->kind != CORE_TO_STRUCT || b->kind != CORE_TO_STRUCT || core_structs == NULL) return 0;
  if (core_pointee_complete(a) == 0 && core_pointee_complete(b) == 0) return core_structs->is_alike(a->info, b->info);
  PyErr_Clear(); /* one has no members yet */
  return 0;
}

int core_pointee_fits(const core_pointee* wanted, const core_pointee* got) {
  if (wanted == got || (wanted->is_const && wanted->plain == got)) return 1;
  if (got->is_const && !wanted->is_const) return 0;
  return core_pointee_is_void(wanted) || are_alike(wanted, got);
}
