/* What the contenders of `structs` call, which nobody can inline. */
#ifndef POINTS_H
#define POINTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POINTS_PUBLIC __attribute__((visibility("default")))

struct point {
  double x, y;
  int64_t id;
};
struct pair {
  double x, y;
};

POINTS_PUBLIC double by_pointer(const struct point* p);
POINTS_PUBLIC double by_value(struct pair p);
POINTS_PUBLIC struct pair moved(struct pair p, double by);
POINTS_PUBLIC double many(uint64_t n, const struct point* points);
POINTS_PUBLIC int sum_of(int count, ...);

#ifdef __cplusplus
}
#endif
#endif
