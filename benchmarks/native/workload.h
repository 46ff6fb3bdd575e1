/* The values that lists are filled with, as views: what stands in an argument when somebody calls append. */
#ifndef BENCHMARKS_WORKLOAD_H
#define BENCHMARKS_WORKLOAD_H

#include <jitffi/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum workload_kind {
  SMALL_INTS,
  NONES,
  BOOLS,
  ASCII_CHARS,
  TEXT_5,
  TEXT_12,
  TEXT_20,
  UCS4_3,
  OBJECTS,
  LARGE_INTS,
  FLOATS,
  MIXED,
  KINDS
};

enum { WORKLOAD_LONGEST = 24 };
typedef struct {
  size_t size;
  jf_view* views;
  /* What the views borrow from, one each. */
  jf_span* spans;
  jf_ucs4_span* wide_spans;
  char (*texts)[WORKLOAD_LONGEST];
  jf_char32 (*wide)[4];
  jf_object** objects;
} workload;

/* Text of `length` bytes that differs from item to item, in the slot itself where it fits, as everybody packs it. */
static void workload_text(workload* all, size_t i, int length) {
  char digits[WORKLOAD_LONGEST];
  snprintf(digits, sizeof digits, "%0*zu", length, i);
  memcpy(all->texts[i], digits, (size_t)length + 1);
  all->texts[i][0] = 'w';
  if (length < 8) {
    all->views[i] = (jf_view){JF_SMALL_STR, length, {0}};
    memcpy(all->views[i].v_bytes, all->texts[i], (size_t)length);
    return;
  }
  all->spans[i] = (jf_span){all->texts[i], (size_t)length};
  all->views[i] = (jf_view){JF_STR_VIEW, 0, {.v_span = &all->spans[i]}};
}

static void workload_value(workload* all, enum workload_kind kind, size_t i) {
  jf_view* view = &all->views[i];
  const int64_t number = (int64_t)i;
  switch (kind) {
    case SMALL_INTS:
      *view = (jf_view){JF_INT, 0, {.v_int64 = number % 1000}};
      break;
    case NONES:
      *view = (jf_view){JF_NULL, 0, {0}};
      break;
    case BOOLS:
      *view = (jf_view){JF_BOOL, 0, {.v_int64 = number & 1}};
      break;
    case ASCII_CHARS:
      *view = (jf_view){JF_SMALL_STR, 1, {.v_bytes = {(char)(' ' + i % 95)}}};
      break;
    case TEXT_5:
      workload_text(all, i, 5);
      break;
    case TEXT_12:
      workload_text(all, i, 12);
      break;
    case TEXT_20:
      workload_text(all, i, 20);
      break;
    case UCS4_3:
      for (size_t k = 0; k < 3; k++) all->wide[i][k] = (jf_char32)(0x4E00 + (i >> (5 * k)) % 32);
      all->wide_spans[i] = (jf_ucs4_span){all->wide[i], 3};
      *view = (jf_view){JF_UCS4_VIEW, 0, {.v_ucs4_span = &all->wide_spans[i]}};
      break;
    case OBJECTS:
      all->objects[i] = jf_object_new(sizeof(jf_box), JF_ROOT, NULL);
      *view = (jf_view){JF_OBJECT, 0, {.v_object = all->objects[i]}};
      break;
    case LARGE_INTS:
      *view = (jf_view){JF_INT, 0, {.v_int64 = 7 * number + 3000}};
      break;
    case FLOATS:
      *view = (jf_view){JF_FLOAT, 0, {.v_float64 = (double)number + 0.5}};
      break;
    default: /* MIXED: a third each */
      workload_value(all, i % 3 == 0 ? LARGE_INTS : i % 3 == 1 ? TEXT_5 : FLOATS, i);
      break;
  }
}

/* Never given back: the process measures, and ends. */
static workload* workload_new(enum workload_kind kind, size_t size) {
  workload* all = calloc(1, sizeof *all);
  all->size = size;
  all->views = calloc(size, sizeof *all->views);
  all->spans = calloc(size, sizeof *all->spans);
  all->wide_spans = calloc(size, sizeof *all->wide_spans);
  all->texts = calloc(size, sizeof *all->texts);
  all->wide = calloc(size, sizeof *all->wide);
  all->objects = calloc(size, sizeof *all->objects);
  for (size_t i = 0; i < size; i++) workload_value(all, kind, i);
  return all;
}

/* Something that depends on what the view holds, so that nobody can leave reading it out. */
static inline int64_t workload_sum(const jf_view* view) {
  switch (view->type_code) {
    case JF_NULL:
      return 0;
    case JF_FLOAT:
      return (int64_t)view->v_float64;
    case JF_SMALL_STR:
      return view->small_len + view->v_bytes[0];
    case JF_SMALL_UCS4:
      return view->small_len + (int64_t)view->v_char32[0];
    case JF_ANY_PTR: {
      const jf_any* longer = view->v_handle;
      return longer->type_code == JF_SMALL_STR ? longer->small_len + longer->v_bytes[0]
                                               : longer->small_len + (int64_t)longer->v_char32[0];
    }
    case JF_OBJECT: {
      if (view->v_object->type_code == JF_STR)
        return (int64_t)((const jf_str*)view->v_object)->size + ((const jf_str*)view->v_object)->data[0];
      if (view->v_object->type_code == JF_UCS4)
        return (int64_t)((const jf_ucs4*)view->v_object)->size + (int64_t)((const jf_ucs4*)view->v_object)->data[0];
      return view->v_object->type_code;
    }
    default:
      return view->v_int64;
  }
}

#endif
