/* A shim over the runtime's allocator that counts its bytes, and how often it is asked. One block of memory is found again by its
 * address, so counting can begin and end at any time; memory from before is simply not counted.
 */
#include <jitffi/runtime.h>
#include <stdlib.h>

#define COUNTED_API __attribute__((visibility("default")))

COUNTED_API void count_start(void);
COUNTED_API void count_stop(void);
COUNTED_API int64_t count_bytes(void);
COUNTED_API int64_t count_allocations(void);

enum { PLACES = 1 << 16 };
/* Live blocks of memory by address. What was there before counting began is not in it. */
static struct {
  void* memory;
  size_t size;
} live[PLACES];
static int64_t live_bytes, allocations;

static size_t place_of(const void* memory) {
  size_t at = (size_t)memory / 16 * 0x9E3779B97F4A7C15u >> 48;
  while (live[at].memory != NULL && live[at].memory != memory) at = (at + 1) % PLACES;
  return at;
}

static void* count_allocation(size_t size, void* context) {
  (void)context;
  void* memory = malloc(size);
  if (memory == NULL) return NULL;
  const size_t at = place_of(memory);
  live[at].memory = memory;
  live[at].size = size;
  live_bytes += (int64_t)size;
  allocations++;
  return memory;
}

static void count_release(void* memory, void* context) {
  (void)context;
  size_t at = place_of(memory);
  if (live[at].memory != NULL) {
    live_bytes -= (int64_t)live[at].size;
    /* Whoever stands behind may have wanted this place. */
    for (size_t next = (at + 1) % PLACES; live[next].memory != NULL; next = (next + 1) % PLACES) {
      const size_t wanted = (size_t)live[next].memory / 16 * 0x9E3779B97F4A7C15u >> 48;
      if ((next - wanted) % PLACES < (next - at) % PLACES) continue;
      live[at] = live[next];
      at = next;
    }
    live[at].memory = NULL;
  }
  free(memory);
}

void count_start(void) { jf_set_allocator(count_allocation, count_release, NULL); }
void count_stop(void) { jf_set_allocator(NULL, NULL, NULL); }
int64_t count_bytes(void) { return live_bytes; }
int64_t count_allocations(void) { return allocations; }
