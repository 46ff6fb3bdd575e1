/* Copying a few bytes without a call. */
#ifndef JITFFI_COPY_H
#define JITFFI_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* memcpy of bytes that are few, mostly: by words that overlap. */
static inline __attribute__((always_inline)) void jf_copy(void* to, const void* from, size_t size) {
  if (size > 32) {
    memcpy(to, from, size);
  } else if (size >= 16) {
    char first[16], last[16];
    memcpy(first, from, 16);
    memcpy(last, (const char*)from + size - 16, 16);
    memcpy(to, first, 16);
    memcpy((char*)to + size - 16, last, 16);
  } else if (size >= 8) {
    uint64_t first, last;
    memcpy(&first, from, 8);
    memcpy(&last, (const char*)from + size - 8, 8);
    memcpy(to, &first, 8);
    memcpy((char*)to + size - 8, &last, 8);
  } else if (size >= 4) {
    uint32_t first, last;
    memcpy(&first, from, 4);
    memcpy(&last, (const char*)from + size - 4, 4);
    memcpy(to, &first, 4);
    memcpy((char*)to + size - 4, &last, 4);
  } else if (size) {
    const char first = *(const char*)from, middle = ((const char*)from)[size / 2], last = ((const char*)from)[size - 1];
    *(char*)to = first;
    ((char*)to)[size / 2] = middle;
    ((char*)to)[size - 1] = last;
  }
}

#endif
