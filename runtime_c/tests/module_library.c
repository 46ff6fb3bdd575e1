/* A shared library as any C compiler makes it: none of our headers, the convention spelled out. */
#include <stdint.h>

typedef struct {
  int32_t code, length;
  int64_t value;
} slot;

#define EXPORT __attribute__((visibility("default")))

#ifdef MODULE_ABI
EXPORT const uint32_t __jfabi = MODULE_ABI;
#endif

static int64_t constructed, *destructions;

__attribute__((constructor)) static void construct(void) { constructed++; }
__attribute__((destructor)) static void destruct(void) {
  if (destructions) ++*destructions;
}

EXPORT const char __jfsig_add[] = "(a: i64, b: i64) -> i64";
EXPORT int32_t __jf_add(void* self, int32_t count, const slot* args, slot* out) {
  if (!self || count != 2) return -1;
  *out = (slot){-2, 0, args[0].value + args[1].value};
  return 0;
}

EXPORT int32_t __jf_constructed(void* self, int32_t count, const slot* args, slot* out) {
  (void)self, (void)count, (void)args;
  *out = (slot){-2, 0, constructed};
  return 0;
}

EXPORT int32_t __jf_count_destructions(void* self, int32_t count, const slot* args, slot* out) {
  (void)self, (void)count, (void)out;
  destructions = (int64_t*)(intptr_t)args[0].value;
  return 0;
}

/* None of these is a function of the module. */
EXPORT int32_t __jf_ = 1;
EXPORT int32_t __jf_data = 2;
EXPORT const char __jfsig_nothing[] = "() -> void";
EXPORT int64_t add(int64_t a, int64_t b) { return a + b; }
