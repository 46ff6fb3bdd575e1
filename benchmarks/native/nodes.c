/* A method of the objects of the group `objects`, as a C programmer writes it who knows where their fields lie. */
#include <jitffi/abi.h>

struct node {
  jf_object header;
  jf_links links;
  double x;
  int64_t id;
};

__attribute__((visibility("default"))) double twice(const struct node* self) { return 2 * self->x; }
