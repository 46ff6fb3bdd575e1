/* map count(str text): how often each word is in it. Words are what stands between ASCII white space. */
#include <jitffi/containers.h>

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Keys up to 15 bytes lie in the map's own slots; looked up, a word is a view of the text, and nothing is copied. */
static int32_t count_one(jf_object* map, const char* word, size_t size) {
  jf_span span = {word, size};
  const jf_view key = {JF_STR_VIEW, 0, {.v_span = &span}};
  jf_view count;
  const int32_t found = jf_map_peek(map, &key, &count);
  if (found < 0) return -1;
  const jf_view more = {JF_INT, 0, {.v_int64 = found ? count.v_int64 + 1 : 1}};
  return jf_map_set(map, &key, &more);
}

jf_object* count(const char* text, size_t size) {
  jf_object* map = jf_map_new(0, 1);
  const char* const end = text + size;
  while (map != NULL && text < end) {
    const char* word = text;
    while (text < end && !is_space(*text)) text++;
    if (text > word && count_one(map, word, (size_t)(text - word))) {
      jf_object_release(map);
      return NULL;
    }
    text++;
  }
  return map;
}
