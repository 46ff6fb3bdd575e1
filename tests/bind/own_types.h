/* Included by own.h. */
#pragma once

typedef struct own_handle own_handle;
struct own_point {
    double x, y;
    unsigned flag : 1;
};

typedef void (*own_free_fn)(void *);

/* Called for each: text is not terminated. */
typedef int own_visit_fn(void *user, const char *text, size_t length, const char *name);
