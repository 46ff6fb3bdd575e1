/* Lists and tuples from and to text, for tests: items with a space between them, "n" null, "t" and "f" bools, "i5" an
 * int, "f1.5" a float, "sabc" a str, "wabc" a UCS4 str, "babc" bytes; an object shows as "o".
 */
#ifndef JITFFI_LISTHELPER_H
#define JITFFI_LISTHELPER_H

#include "testhelper.h"

#define CHECK_LIST(list, expected) check_list(list, expected, __FILE__, __LINE__)

/* The view of one word; text of it lives as long as the scratch, which has room for the word as UCS4. */
typedef struct {
  jf_span span;
  jf_ucs4_span wide;
  jf_char32 chars[300];
} word_scratch;

static inline jf_view view_of_word(const char* word, size_t length, word_scratch* scratch) {
  if (length == 1 && *word == 'n') return (jf_view){JF_NULL, 0, {0}};
  if (length == 1 && (*word == 't' || *word == 'f')) return (jf_view){JF_BOOL, 0, {*word == 't'}};
  if (*word == 'i') return slot_of_int(atoll(word + 1));
  if (*word == 'f') return slot_of_float(atof(word + 1));
  scratch->span = (jf_span){word + 1, length - 1};
  for (size_t i = 1; i < length; i++) scratch->chars[i - 1] = (unsigned char)word[i];
  scratch->wide = (jf_ucs4_span){scratch->chars, length - 1};
  if (*word == 'w') return (jf_view){JF_UCS4_VIEW, 0, {.v_ucs4_span = &scratch->wide}};
  return (jf_view){*word == 'b' ? JF_BYTE_ARRAY : JF_STR_VIEW, 0, {.v_span = &scratch->span}};
}

static inline jf_object* list_of_text_pad(const char* text, int32_t pad) {
  jf_object* list = jf_list_new(0, pad);
  while (list && *text) {
    word_scratch scratch;
    const size_t length = strcspn(text, " ");
    const jf_view view = view_of_word(text, length, &scratch);
    if (jf_list_append(list, &view) != 0) {
      jf_object_release(list);
      return NULL;
    }
    text += length;
    if (*text) text++;
  }
  return list;
}

static inline jf_object* list_of_text(const char* text) { return list_of_text_pad(text, -1); }

/* Of a resolved slot. Returns its length. */
static inline size_t write_word(const jf_any* slot, char* out) {
  const jf_encoded text = jf_any_text(slot);
  if (slot->type_code == JF_NULL) return (size_t)sprintf(out, "n");
  if (slot->type_code == JF_BOOL) return (size_t)sprintf(out, "%c", slot->v_int64 ? 't' : 'f');
  if (slot->type_code == JF_INT) return (size_t)sprintf(out, "i%lld", (long long)slot->v_int64);
  if (slot->type_code == JF_FLOAT) return (size_t)sprintf(out, "f%g", slot->v_float64);
  if (text.kind == JF_TEXT_UTF8) return (size_t)sprintf(out, "s%.*s", (int)text.size, (const char*)text.data);
  if (text.kind == JF_TEXT_BYTES) return (size_t)sprintf(out, "b%.*s", (int)text.size, (const char*)text.data);
  if (text.kind == JF_TEXT_NONE) return (size_t)sprintf(out, "o");
  *out = 'w';
  for (size_t i = 0; i < text.size; i++) out[i + 1] = (char)((const jf_char32*)text.data)[i];
  return text.size + 1;
}

/* Compares a list or a tuple with its text; NULL is not equal to any. */
static inline int check_list(const jf_object* list, const char* expected, const char* file, int line) {
  static char text[65536];
  size_t length = 0;
  const jf_list* items = (const jf_list*)list;
  for (size_t i = 0; items && i < items->size; i++) {
    jf_any view, scratch;
    jf_item_view(items->items[i], &view);
    if (i) text[length++] = ' ';
    length += write_word(jf_any_resolve(&view, &scratch), text + length);
  }
  text[length] = 0;
  return check_text(list ? text : NULL, expected, file, line);
}

#endif
