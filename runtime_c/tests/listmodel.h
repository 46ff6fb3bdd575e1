/* Plain C values that a list is compared with, and rows of them, for tests against a model. */
#ifndef JITFFI_LISTMODEL_H
#define JITFFI_LISTMODEL_H

#include "listhelper.h"

enum { MOST = 300, IDS = 12 };

typedef struct {
  int kind; /* as in listhelper.h; 'o': object number `number` */
  double number;
  char text[40];
} value;

typedef struct {
  value at[2 * MOST + 40];
  size_t size;
} row;

static uint64_t state;
static jf_object* objects[IDS];

static inline uint32_t below(uint32_t limit) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (uint32_t)(state >> 32) % limit;
}

static inline value random_value(void) {
  value made = {.kind = "nTFiiifffsssswwwbo"[below(18)]};
  if (made.kind == 'i') made.number = below(2) ? (double)below(2000) - 300 : (double)state - 9e18;
  if (made.kind == 'i') made.number = (double)(int64_t)made.number;
  if (made.kind == 'f') made.number = below(3) ? below(100) / 4.0 : -1e300;
  if (made.kind == 'o') made.number = below(IDS);
  if (strchr("swb", made.kind)) {
    const uint32_t longest = below(3) ? 9 : 38, length = below(longest);
    for (uint32_t i = 0; i < length; i++) made.text[i] = (char)('a' + below(3));
  }
  return made;
}

/* A view of it, of any code that can hold it; text lives in the scratch. */
static inline jf_view view_of(const value* from, word_scratch* scratch, wide_slot* wide) {
  char word[48];
  if (from->kind == 'n') return jf_static_null;
  if (from->kind == 'T' || from->kind == 'F') return from->kind == 'T' ? jf_static_true : jf_static_false;
  if (from->kind == 'i') return slot_of_int((int64_t)from->number);
  if (from->kind == 'f') return slot_of_float(from->number);
  if (from->kind == 'o') return slot_of_object(objects[(int)from->number]);
  word[0] = (char)from->kind;
  strcpy(word + 1, from->text);
  memset(scratch, 0, sizeof *scratch);
  const size_t length = strlen(word);
  for (size_t i = 1; i < length; i++) ((char*)scratch->chars)[1200 - 48 + i] = word[i];
  jf_view view = view_of_word(word, length, scratch);
  if (view.type_code != JF_UCS4_VIEW) scratch->span.data = (char*)scratch->chars + 1200 - 47; /* word dies */
  if (below(2)) return view;
  jf_out_init(&wide->slot, 128);
  jf_any_retain(&view, &wide->slot); /* small, of at most 38 characters: 32 for UCS4 */
  if (wide->slot.type_code == JF_OBJECT || wide->slot.type_code == JF_NULL) {
    jf_object_release(jf_error_take());
    jf_any_release(&wide->slot);
    return view;
  }
  jf_any_view(&wide->slot, &view);
  return view;
}

static inline int same(const value* expected, jf_item item) {
  jf_any view, scratch;
  jf_item_view(item, &view);
  if (expected->kind == 'o') return view.type_code == JF_OBJECT && view.v_object == objects[(int)expected->number];
  const jf_any* slot = jf_any_resolve(&view, &scratch);
  const jf_encoded text = jf_any_text(slot);
  switch (expected->kind) {
    case 'n':
      return slot->type_code == JF_NULL;
    case 'T':
    case 'F':
      return slot->type_code == JF_BOOL && slot->v_int64 == (expected->kind == 'T');
    case 'i':
      return slot->type_code == JF_INT && slot->v_int64 == (int64_t)expected->number;
    case 'f':
      return slot->type_code == JF_FLOAT && slot->v_float64 == expected->number;
    case 'w':
      if (text.kind != JF_TEXT_UCS4 || text.size != strlen(expected->text)) return 0;
      for (size_t i = 0; i < text.size; i++) {
        if (((const jf_char32*)text.data)[i] != (jf_char32)expected->text[i]) return 0;
      }
      return 1;
    default:
      return text.kind == (expected->kind == 's' ? JF_TEXT_UTF8 : JF_TEXT_BYTES) &&
             text.size == strlen(expected->text) && memcmp(text.data, expected->text, text.size) == 0;
  }
}

static inline int same_rows(const row* expected, const jf_object* actual) {
  const jf_list* items = (const jf_list*)actual;
  if (!CHECK(items && items->size == expected->size)) return 0;
  for (size_t i = 0; i < items->size; i++) {
    if (!CHECK(same(&expected->at[i], items->items[i]))) return 0;
  }
  return 1;
}

/* By Python's ==. */
static inline int equal_values(const value* a, const value* b) {
  const int is_text = a->kind == 's' || a->kind == 'w';
  if (is_text || a->kind == 'b') {
    return (is_text ? b->kind == 's' || b->kind == 'w' : b->kind == 'b') && strcmp(a->text, b->text) == 0;
  }
  if (a->kind == 'n' || a->kind == 'o') return a->kind == b->kind && a->number == b->number;
  if (!strchr("TFif", b->kind)) return 0;
  const double left = a->kind == 'T' ? 1 : a->number, right = b->kind == 'T' ? 1 : b->number;
  return left == right;
}

static inline void splice(row* to, size_t start, size_t removed, const row* from) {
  memmove(&to->at[start + from->size], &to->at[start + removed], (to->size - start - removed) * sizeof(value));
  memcpy(&to->at[start], from->at, from->size * sizeof(value));
  to->size = to->size - removed + from->size;
}

#endif
