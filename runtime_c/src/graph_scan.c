/* The tokens of JSON: strings, counts, brackets, and values that are passed over. */
#include <string.h>

#include "graph_parse.h"
#include "jitffi/text.h"
#include "utf8.h"

int32_t jf_json_fail(const jf_json* j, const char* what) {
  jf_error_format("ValueError", "from_json: byte %lld: %s", (long long)(j->at - j->start), what);
  return -1;
}

void jf_json_space(jf_json* j) {
  while (j->at < j->end && (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r')) j->at++;
}

int32_t jf_json_take(jf_json* j, char c) {
  jf_json_space(j);
  if (j->at >= j->end || *j->at != c) return 0;
  j->at++;
  return 1;
}

int32_t jf_json_expect(jf_json* j, char c) {
  const char what[] = {'e', 'x', 'p', 'e', 'c', 't', 'e', 'd', ' ', '\'', c, '\'', 0};
  return jf_json_take(j, c) ? 0 : jf_json_fail(j, what);
}

static int32_t add(jf_json* j, const char* piece, size_t size) {
  char* at = jf_growing_room(&j->string, size + 1);
  if (!at) return -1;
  memcpy(at, piece, size);
  at[size] = 0;
  j->string.size += size;
  return 0;
}

/* Four hexadecimal digits at j->at; -1: they are none. */
static int32_t read_unit(jf_json* j) {
  int32_t unit = 0;
  if (j->end - j->at < 4) return -1;
  for (int32_t i = 0; i < 4; i++) {
    const char c = *j->at++;
    const int32_t digit = c >= '0' && c <= '9'                 ? c - '0'
                          : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                               : -1;
    if (digit < 0) return -1;
    unit = unit << 4 | digit;
  }
  return unit;
}

static int32_t read_escape(jf_json* j) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char c = j->at < j->end ? *j->at++ : 0;
  const char* found = c ? strchr(from, c) : NULL;
  if (found) return add(j, &to[found - from], 1);
  int32_t unit = c == 'u' ? read_unit(j) : -1;
  if (unit < 0) return jf_json_fail(j, "no escape");
  uint32_t character = (uint32_t)unit;
  if ((unit & 0xFC00) == 0xD800 && j->end - j->at > 6 && j->at[0] == '\\' && j->at[1] == 'u') {
    j->at += 2;
    unit = read_unit(j);
    if ((unit & 0xFC00) != 0xDC00) return jf_json_fail(j, "half of a pair of surrogates");
    character = 0x10000 + ((character & 0x3FF) << 10 | ((uint32_t)unit & 0x3FF));
  }
  char encoded[4];
  const size_t size = jf_utf8_encode(character, encoded);
  return size ? add(j, encoded, size) : jf_json_fail(j, "half of a pair of surrogates");
}

int32_t jf_json_string(jf_json* j) {
  j->string.size = 0;
  if (jf_json_expect(j, '"') != 0 || add(j, "", 0) != 0) return -1;
  while (j->at < j->end) {
    const char* from = j->at;
    while (j->at < j->end && *j->at != '"' && *j->at != '\\' && (unsigned char)*j->at >= 0x20) j->at++;
    if (add(j, from, (size_t)(j->at - from)) != 0) return -1;
    if (j->at == j->end) break;
    const char c = *j->at;
    if (c != '"' && c != '\\') return jf_json_fail(j, "a control character in a string");
    j->at++;
    if (c == '"') return 0;
    if (read_escape(j) != 0) return -1;
  }
  return jf_json_fail(j, "a string without an end");
}

int32_t jf_json_count(jf_json* j, int64_t* number) {
  jf_json_space(j);
  const char* from = j->at;
  *number = 0;
  while (j->at < j->end && *j->at >= '0' && *j->at <= '9' && j->at - from < 18)
    *number = *number * 10 + (*j->at++ - '0');
  return j->at > from ? 0 : jf_json_fail(j, "expected an int from 0 on");
}

static int32_t skip_string(jf_json* j) {
  for (j->at++; j->at < j->end; j->at++) {
    if (*j->at == '\\') {
      j->at++;
    } else if (*j->at == '"') {
      j->at++;
      return 0;
    }
  }
  j->at = j->end;
  return jf_json_fail(j, "a string without an end");
}

int32_t jf_json_skip(jf_json* j) {
  int64_t depth = 0;
  jf_json_space(j);
  const char* from = j->at;
  while (j->at < j->end) {
    const char c = *j->at;
    if (depth == 0 && j->at > from && (c == ',' || c == ']' || c == '}')) return 0;
    if (c == '"') {
      if (skip_string(j) != 0) return -1;
    } else {
      if (c == '[' || c == '{') depth++;
      if ((c == ']' || c == '}') && --depth < 0) break;
      j->at++;
    }
  }
  return depth == 0 && j->at > from && j->at == j->end ? 0 : jf_json_fail(j, "expected a value");
}
