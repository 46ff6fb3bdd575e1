/* What the files that sort lists share. */
#ifndef JITFFI_LIST_SORT_H
#define JITFFI_LIST_SORT_H

#include "jitffi/abi.h"
#include "slot.h"

/* An item with what it is compared by. */
typedef struct {
  union {
    int64_t integer;
    double number;
    uint64_t prefix; /* of text: its first 8 bytes, in order of their weight */
  };
  jf_encoded text;
  const jf_any* key; /* what a comparison by jf_any_compare is given */
  jf_item item;
} jf_record;

/* 1: a is less; 0: it is not; -1: failed. */
typedef int32_t (*jf_record_less)(const jf_record* a, const jf_record* b);

/* Sorts `count` records, with as many more behind them as scratch, by the comparisons that CPython's list.sort makes. 0;
 * -1: one of them has failed, and none was made since. */
int32_t jf_sort_as_python(jf_record* records, size_t count, jf_record_less less);

#endif
