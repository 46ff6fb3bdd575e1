/* AnyPad<n>: slots with 8n more payload bytes, for C code. One layout for every n, and no code of its own for any.
 *
 *   jf_pad2 word = JF_PAD_INIT(2);           a null that tells its capacity: 24 payload bytes
 *   jf_list_get(list, i, &word.slot);        whoever writes it may use all of them
 *   jf_any_view(&word.slot, &args[0]);       16 bytes that borrow from it
 *   jf_any_release(&word.slot);
 *
 * A pointer to one is a pointer to its first 16 bytes, a jf_value; functions that write slots read the capacity there.
 */
#ifndef JITFFI_PAD_H
#define JITFFI_PAD_H

#include "runtime.h"

#define JF_PAD_CAPACITY(n) (8 + 8 * (n))
#define JF_PAD_SIZE(n) (16 + 8 * (n))

/* The type for any constant n from 0 to 15. */
#define JF_ANY_PAD(n)                    \
  union {                                \
    jf_any slot;                         \
    unsigned char bytes[JF_PAD_SIZE(n)]; \
  }
#define JF_PAD_INIT(n)                 \
  {                                    \
    {                                  \
      JF_NULL, JF_PAD_CAPACITY(n), {0} \
    }                                  \
  }

typedef JF_ANY_PAD(0) jf_pad0;
typedef JF_ANY_PAD(1) jf_pad1;
typedef JF_ANY_PAD(2) jf_pad2;
typedef JF_ANY_PAD(3) jf_pad3;
typedef JF_ANY_PAD(4) jf_pad4;
typedef JF_ANY_PAD(5) jf_pad5;
typedef JF_ANY_PAD(6) jf_pad6;
typedef JF_ANY_PAD(7) jf_pad7;
typedef JF_ANY_PAD(8) jf_pad8;
typedef JF_ANY_PAD(9) jf_pad9;
typedef JF_ANY_PAD(10) jf_pad10;
typedef JF_ANY_PAD(11) jf_pad11;
typedef JF_ANY_PAD(12) jf_pad12;
typedef JF_ANY_PAD(13) jf_pad13;
typedef JF_ANY_PAD(14) jf_pad14;
typedef JF_ANY_PAD(15) jf_pad15;

#endif
