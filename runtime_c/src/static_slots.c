/* The slots that all containers share: null, the bools, small integers, characters of ASCII.
 *
 * Where there is a system, the tables are written when the library is loaded: constants would be 22 KB of every file that has
 * the runtime in it. Elsewhere they are constants, which lie in a microcontroller's flash, and nobody must call constructors.
 */
#include "macros.h"

#ifndef JF_NO_SYSTEM /* what all others are told to be constant is declared under another name here, where it is written */
#define jf_static_ints constant_ints
#define jf_static_chars constant_chars
#define jf_static_ucs4_chars constant_ucs4_chars
#include "jitffi/containers.h"
#undef jf_static_ints
#undef jf_static_chars
#undef jf_static_ucs4_chars

JF_API jf_any jf_static_ints[JF_STATIC_INTS];
JF_API jf_any jf_static_chars[JF_STATIC_CHARS], jf_static_ucs4_chars[JF_STATIC_CHARS];

/* Before the constructors of programs, which may have lists. */
__attribute__((constructor(101))) static void write_tables(void) {
  for (int32_t i = 0; i < JF_STATIC_INTS; i++)
    jf_static_ints[i] = (jf_any){JF_INT, 0, {.v_int64 = i + JF_STATIC_INT_FIRST}};
  for (int32_t i = 0; i < JF_STATIC_CHARS; i++) {
    jf_static_chars[i] = (jf_any){JF_SMALL_STR, 1, {.v_int64 = 0}};
    jf_static_chars[i].v_bytes[0] = (char)i;
    jf_static_ucs4_chars[i] = (jf_any){JF_SMALL_UCS4, 1, {.v_int64 = 0}};
    jf_static_ucs4_chars[i].v_char32[0] = (jf_char32)i;
  }
}

#else
#include "jitffi/containers.h"

#define INT1(n) {JF_INT, 0, {.v_int64 = (n)}},
#define INT4(n) INT1(n) INT1((n) + 1) INT1((n) + 2) INT1((n) + 3)
#define INT16(n) INT4(n) INT4((n) + 4) INT4((n) + 8) INT4((n) + 12)
#define INT128(n) \
  INT16(n)        \
  INT16((n) + 16) INT16((n) + 32) INT16((n) + 48) INT16((n) + 64) INT16((n) + 80) INT16((n) + 96) INT16((n) + 112)
#define CHAR1(n) {JF_SMALL_STR, 1, {.v_bytes = {(n)}}},
#define CHAR4(n) CHAR1(n) CHAR1((n) + 1) CHAR1((n) + 2) CHAR1((n) + 3)
#define CHAR16(n) CHAR4(n) CHAR4((n) + 4) CHAR4((n) + 8) CHAR4((n) + 12)
#define WIDE1(n) {JF_SMALL_UCS4, 1, {.v_char32 = {(n)}}},
#define WIDE4(n) WIDE1(n) WIDE1((n) + 1) WIDE1((n) + 2) WIDE1((n) + 3)
#define WIDE16(n) WIDE4(n) WIDE4((n) + 4) WIDE4((n) + 8) WIDE4((n) + 12)

const jf_any jf_static_ints[JF_STATIC_INTS] = {INT128(-128) INT128(0) INT128(128) INT128(256) INT128(384) INT128(512)
                                                   INT128(640) INT128(768) INT128(896)};
const jf_any jf_static_chars[JF_STATIC_CHARS] = {CHAR16(0) CHAR16(16) CHAR16(32) CHAR16(48) CHAR16(64) CHAR16(80)
                                                     CHAR16(96) CHAR16(112)};
const jf_any jf_static_ucs4_chars[JF_STATIC_CHARS] = {WIDE16(0) WIDE16(16) WIDE16(32) WIDE16(48) WIDE16(64) WIDE16(80)
                                                          WIDE16(96) WIDE16(112)};

_Static_assert(JF_STATIC_INTS == JF_STATIC_INT_LAST - JF_STATIC_INT_FIRST + 1 && JF_STATIC_INTS == 9 * 128,
               "the table");
#endif

const jf_any jf_static_null = {JF_NULL, 0, {0}};
const jf_any jf_static_false = {JF_BOOL, 0, {0}};
const jf_any jf_static_true = {JF_BOOL, 0, {1}};
