/* Refusing integers that arrays fill in: the runtime's words, raised in Python. */
#include "array_filled.h"

#include "call.h"
#include "jitffi/array.h"
#include "raise.h"

static int32_t fail(const core_state* state, int32_t index, PyObject* exception, const char* words) {
  PyObject* where = core_where(state, index);
  if (where) PyErr_Format(exception, "%U%s", where, words);
  Py_XDECREF(where);
  return -1;
}

int32_t core_refuse_filled(core_state* state, int32_t index, int64_t given, int32_t source, int32_t exact,
                           int64_t there) {
  char words[JF_ARRAY_WORDS];
  jf_filled_words(state->info, index, given, source, exact, there, words, sizeof words);
  return fail(state, index, PyExc_ValueError, words);
}

int32_t core_refuse_beyond(core_state* state, int32_t index, int64_t there, int32_t source) {
  char words[JF_ARRAY_WORDS];
  jf_beyond_words(state->info, index, there, source, words, sizeof words);
  return fail(state, index, PyExc_OverflowError, words);
}
