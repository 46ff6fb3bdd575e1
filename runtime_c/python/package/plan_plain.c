/* Plans of signatures of numbers, texts and addresses alone, which need none of the types' rows: a program that calls a function
 * once does without loading what knows all types. jitffi/conventions/plan.py makes the same of them, number by number.
 */
#include "plan.h"

#include "call.h"
#include "jitffi/runtime.h"
#include "parts.h"
#include "unbox.h"

#include <string.h>

#if defined(__x86_64__)
enum { GENERAL_REGISTERS = 6 };
#else
enum { GENERAL_REGISTERS = 8 };
#endif
enum { VECTOR_REGISTERS = 8, MOST_WORDS = 512, UCS4_WORDS = sizeof(core_ucs4_room) / sizeof(uint64_t) };

typedef struct {
  const char* name;
  uint8_t code, kind, words;
  char is_text; /* its result is a slot */
  char says_errno;
} plain_type;

static const plain_type types[] = {
    {"bool", CORE_PLAN_scalar, JF_KIND_BOOL, 1, 0, 0},
    {"i8", CORE_PLAN_scalar, JF_KIND_I8, 1, 0, 1},
    {"i16", CORE_PLAN_scalar, JF_KIND_I16, 1, 0, 1},
    {"i32", CORE_PLAN_scalar, JF_KIND_I32, 1, 0, 1},
    {"i64", CORE_PLAN_scalar, JF_KIND_I64, 1, 0, 1},
    {"u8", CORE_PLAN_scalar, JF_KIND_U8, 1, 0, 1},
    {"u16", CORE_PLAN_scalar, JF_KIND_U16, 1, 0, 1},
    {"u32", CORE_PLAN_scalar, JF_KIND_U32, 1, 0, 1},
    {"u64", CORE_PLAN_scalar, JF_KIND_U64, 1, 0, 1},
    {"f16", CORE_PLAN_scalar, JF_KIND_F16, 1, 0, 0},
    {"bf16", CORE_PLAN_scalar, JF_KIND_BF16, 1, 0, 0},
    {"f32", CORE_PLAN_scalar, JF_KIND_F32, 1, 0, 0},
    {"f64", CORE_PLAN_scalar, JF_KIND_F64, 1, 0, 0},
    {"cstr", CORE_PLAN_cstr, 0, 1, 0, 1},
    {"ptr", CORE_PLAN_ptr, 0, 1, 0, 1},
    {"str", CORE_PLAN_str, 0, 2, 1, 0},
    {"bytes", CORE_PLAN_bytes, 0, 2, 1, 0},
    {"ucs4", CORE_PLAN_ucs4, 0, UCS4_WORDS, 1, 0},
    {"void", CORE_PLAN_void, 0, 0, 0, 0},
};

/* What a text says, and whether None is a value of it. NULL: no plain type. */
static const plain_type* find(PyObject* text, int* is_optional) {
  static const char maybe[] = "optional[";
  Py_ssize_t size = 0;
  const char* name = PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &size) : NULL;
  if (name == NULL) {
    PyErr_Clear();
    return NULL;
  }
  *is_optional = strncmp(name, maybe, sizeof maybe - 1) == 0;
  if (*is_optional) {
    name += sizeof maybe - 1;
    size -= (Py_ssize_t)sizeof maybe;
  }
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (strlen(types[i].name) == (size_t)size && memcmp(types[i].name, name, (size_t)size) == 0) return &types[i];
  return NULL;
}

static int is_vector(const plain_type* type) {
  return type->code == CORE_PLAN_scalar && (type->kind == JF_KIND_F32 || type->kind == JF_KIND_F64);
}

typedef struct {
  core_plan head;
  core_plan_step steps[MOST_WORDS];
  core_plan_move moves[2 * MOST_WORDS];
  int general, vectors;
} maker;

static uint16_t take(maker* m, int words, int has_more_behind) {
  if (has_more_behind && m->head.num_words % 2 == 0) m->head.num_words++;
  const uint16_t at = m->head.num_words;
  m->head.num_words = (uint16_t)(at + words);
  return at;
}

static void move(maker* m, uint16_t place, uint32_t offset, int to_vector) {
  core_plan_move* made = &m->moves[m->head.num_moves++];
  *made = (core_plan_move){.offset = offset, .size = 8, .place = place};
  if (to_vector && m->vectors < VECTOR_REGISTERS)
    made->word = (uint16_t)(CORE_WORD_VECTOR + 2 * m->vectors++);
  else if (!to_vector && m->general < GENERAL_REGISTERS)
    made->word = (uint16_t)(CORE_WORD_GENERAL + m->general++);
  else
    made->word = (uint16_t)(CORE_WORD_STACK + m->head.num_stack++);
}

/* 0: such a result is not plain. */
static int add_result(maker* m, const plain_type* type, int is_optional, int pad) {
  core_plan_step* result = &m->head.result;
  const int is_number = type->code == CORE_PLAN_scalar;
  if ((is_number || type->code == CORE_PLAN_void) && is_optional) return 0;
  if ((m->head.flags & CORE_PLAN_ERRNO) && !type->says_errno) return 0;
  result->code = type->code;
  result->extra = type->kind;
  result->flags = is_optional ? CORE_STEP_OPTIONAL : 0;
  if (is_vector(type)) m->head.flags |= CORE_PLAN_VECTOR;
  if (!type->is_text) return 1;
  *result = (core_plan_step){.code = CORE_PLAN_slot, .flags = CORE_STEP_BY_ADDRESS};
  m->head.flags |= CORE_PLAN_IN_SLOT;
  m->head.slot_words = (uint16_t)(2 + pad);
  result->place = take(m, 1 + m->head.slot_words, 1);
  return 1;
}

static void add_step(maker* m, const plain_type* type, int is_optional, int index) {
  const int by_address = is_optional && type->code == CORE_PLAN_scalar;
  core_plan_step* step = &m->steps[index];
  *step = (core_plan_step){.code = type->code, .extra = type->kind};
  step->index = (int16_t)index;
  step->at = (uint16_t)index;
  step->flags = (uint16_t)((is_optional ? CORE_STEP_OPTIONAL : 0) | (by_address ? CORE_STEP_BY_ADDRESS : 0));
  step->place = take(m, by_address ? 3 : type->words, by_address);
}

static PyObject* finish(maker* m) {
  const size_t steps = m->head.num_steps * sizeof m->steps[0], moves = m->head.num_moves * sizeof m->moves[0];
  PyObject* bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(sizeof m->head + steps + moves));
  if (bytes == NULL) return NULL;
  char* at = PyBytes_AS_STRING(bytes);
  memcpy(at, &m->head, sizeof m->head);
  memcpy(at + sizeof m->head, m->steps, steps);
  memcpy(at + sizeof m->head + steps, m->moves, moves);
  return bytes;
}

PyObject* core_plan_of_plain(PyObject* texts, int flags, int pad) {
  int is_optional;
  const Py_ssize_t count = PyTuple_GET_SIZE(texts) - 1;
  if (!CORE_CALLS_NATIVE || count < 0 || count > MOST_WORDS / 4) Py_RETURN_NONE;
  maker* m = PyMem_Calloc(1, sizeof *m);
  if (m == NULL) return PyErr_NoMemory();
  m->head.flags = (uint16_t)flags;
  m->head.num_params = m->head.num_positional = m->head.num_steps = (uint16_t)count;
  const plain_type* type = find(PyTuple_GET_ITEM(texts, count), &is_optional);
  int is_plain = type != NULL && add_result(m, type, is_optional, pad);
  for (Py_ssize_t i = 0; i < count && is_plain; i++) {
    type = find(PyTuple_GET_ITEM(texts, i), &is_optional);
    is_plain = type != NULL && type->code != CORE_PLAN_void && m->head.num_words < MOST_WORDS - UCS4_WORDS;
    if (!is_plain) break;
    add_step(m, type, is_optional, (int)i);
    const int by_address = (m->steps[i].flags & CORE_STEP_BY_ADDRESS) != 0;
    move(m, m->steps[i].place, 0, is_vector(type) && !by_address);
    if (type->is_text) move(m, m->steps[i].place, 8, 0);
  }
  if (m->head.flags & CORE_PLAN_IN_SLOT) move(m, m->head.result.place, 0, 0);
  m->head.num_stack = (uint16_t)(m->head.num_stack + m->head.num_stack % 2);
  m->head.num_vectors = (uint16_t)m->vectors;
  PyObject* made = is_plain ? finish(m) : Py_NewRef(Py_None);
  PyMem_Free(m);
  return made;
}

/* plain_plan(types, flags, pad): the plan of parameters and a result of those texts, whose parameters Python passes in their order;
 * None where one is not plain. */
PyObject* core_plan_plain(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* texts;
  int flags, pad;
  if (!PyArg_ParseTuple(args, "O!ii", &PyTuple_Type, &texts, &flags, &pad)) return NULL;
  return core_plan_of_plain(texts, flags, pad);
}
