/* Places of a text in another. */
#ifndef JITFFI_SCRIPT_TEXT_SEARCH_H
#define JITFFI_SCRIPT_TEXT_SEARCH_H

#include "jitffi/script.h"

/* Place of the first, or the last, in text[start:end], or -1; the empty text is everywhere. */
int64_t jf_units_find(const jf_text* text, size_t start, size_t end, const jf_text* sub);
int64_t jf_units_rfind(const jf_text* text, size_t start, size_t end, const jf_text* sub);
/* How often in text[start:end], none overlapping, at most `most` times. */
size_t jf_units_count(const jf_text* text, size_t start, size_t end, const jf_text* sub, size_t most);

#endif
