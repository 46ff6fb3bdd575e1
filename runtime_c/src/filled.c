/* The words for integers that arrays fill in: given ones that differ, and arrays beyond the integer's type. */
#include "jitffi/array.h"
#include "macros.h"
#include "message.h"
#include "value.h"

static const char* name_of(const jf_call_info* info, int32_t index, char* number, size_t capacity) {
  const char* name = info && info->params && index >= 0 && index < info->num_params ? info->params[index].name : NULL;
  if (name) {
    jf_print(number, capacity, "'%s'", name);
  } else {
    jf_print(number, capacity, "argument %d", (int)index + 1);
  }
  return number;
}

/* Borrows info. Never fails. */
size_t jf_filled_words(const jf_call_info* info, int32_t index, int64_t given, int32_t source, int32_t exact,
                       int64_t there, char* buffer, size_t capacity) {
  char name[JF_QUOTE_SIZE], number[24];
  int length;
  const int32_t is_unsigned = *jf_expected_type(info, index, "") == 'u';
  jf_print(number, sizeof number, is_unsigned ? "%llu" : "%lld", (long long)given);
  if (there < 0) {
    length = jf_print(buffer, capacity, "expected %s, got %s", is_unsigned ? "less than 2**63" : "0 or more", number);
  } else {
    length = jf_print(buffer, capacity, "expected %s%lld, as %s has, got %s", exact ? "" : "at most ", (long long)there,
                      name_of(info, source, name, sizeof name), number);
  }
  return length < 0 ? 0 : (size_t)length;
}

/* Borrows info. Never fails. */
size_t jf_beyond_words(const jf_call_info* info, int32_t index, int64_t there, int32_t source, char* buffer,
                       size_t capacity) {
  char name[JF_QUOTE_SIZE];
  const int length =
      jf_print(buffer, capacity, "expected %s, got %lld of %s", jf_expected_type(info, index, "a smaller integer"),
               (long long)there, name_of(info, source, name, sizeof name));
  return length < 0 ? 0 : (size_t)length;
}

/* Borrows info. ValueError. */
int32_t jf_refuse_filled(const jf_call_info* info, int32_t index, int64_t given, int32_t source, int32_t exact,
                         int64_t there) {
  char words[JF_ARRAY_WORDS];
  jf_filled_words(info, index, given, source, exact, there, words, sizeof words);
  return jf_fail_place("ValueError", info, index, words);
}
