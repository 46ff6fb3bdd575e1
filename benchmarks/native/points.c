#include "points.h"

#include <stdarg.h>

double by_pointer(const struct point* p) { return p->x + p->y; }

double by_value(struct pair p) { return p.x + p.y; }

struct pair moved(struct pair p, double by) { return (struct pair){p.x + by, p.y + by}; }

double many(uint64_t n, const struct point* points) { return points[n - 1].x; }

int sum_of(int count, ...) {
  va_list all;
  int sum = 0;
  va_start(all, count);
  for (int i = 0; i < count; i++) sum += va_arg(all, int);
  va_end(all);
  return sum;
}
