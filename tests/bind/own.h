/* What a header may hold, small. */
#ifndef OWN_H
#define OWN_H

#include <stddef.h>
#include "own_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the library was built. */
#define OWN_VERSION "1.2 \"x\""
#define OWN_NUMBER 0x1a2bu
#define OWN_RATIO (1.5 / 2)

/** What may go wrong.
 *
 *  Negative ones are errors.
 */
#define OWN_OK 0           /**< nothing did */
#define OWN_ERROR (-1)     // something
#define OWN_BUSY (OWN_ERROR - 1)
#define OWN_FLAGS (OWN_A | OWN_FLAG(4)) /* of all kinds */
#define OWN_TRANSIENT ((own_free_fn)-1)

#define OWN_FLAG(n) (1u << (n))
#define OWN_SIZE sizeof(own_handle)
#define own_total own_sum
#define OWN_API __attribute__((visibility("default")))
#define OWN_NOTHING

enum { OWN_A = 1, OWN_B, OWN_LAST = OWN_B << 4 };

/* The kinds of things. */
typedef enum own_kind {
    OWN_KIND_NONE = 'a', /* as it is at first */
    OWN_KIND_SOME,
} own_kind;

/* Opens NAME for reading.
 * It may be NULL, and lambda is ignored. */
OWN_API own_handle *own_open(const char *restrict name, own_kind kind, int lambda);
OWN_API void own_close(own_handle *); ///< Never fails.

/* Adds up.

   The rest is long, and for both:
   one
   two
   three
   four */
double own_sum(const double values[], size_t count) __attribute__((pure, nonnull(1)));
float own_sumf(const float *values, size_t count);

int own_each(own_handle *handle,
             own_visit_fn visit,
             void *user);
void own_sort(void *base, size_t n, int (*compare)(const void *, const void *));
void *own_find(own_handle *__handle, int __x, int x);
own_free_fn own_swap(own_free_fn with);
int print(unsigned char c, signed char s, _Bool b);
__extension__ long long own_wide(unsigned long long), own_other(long);

/* Refused. */
int own_printf(const char *format, ...);
void own_vprintf(const char *format, __builtin_va_list ap);
_Float128 own_long(_Float128 x);
long double _Complex own_complex(double x);
struct own_point own_middle(struct own_point a, struct own_point b);
int own_renamed(int) __asm__("own_renamed_64");
typedef float own_four __attribute__((vector_size(16)));
own_four own_vector(own_four x);
static inline int own_inline(int x)
{
    return ({ int y = x; if (y) { y = '}'; } y; }); /* "{" */
}
extern int own_counter;
int own_strange(int x) @ 3;
int own_unknown(own_nothing x);
int own_missing(void);
int own_twice(int);
long own_twice(int);

#ifdef __cplusplus
}
#endif
#endif
