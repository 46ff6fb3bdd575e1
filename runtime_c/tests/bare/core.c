/* The core of the runtime on a machine without operating system: slots, objects, strings, functions, errors, types and the
 * registry, in memory of its own. Built without a C library's start, and run under qemu's user mode, whose two system calls it
 * knows. Its size is the core's (benchmarks/sizes.py). */
#include <string.h>

#include "jitffi/memory_pool.h"
#include "jitffi/runtime.h"

static uint64_t memory[1024];

static int32_t add(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  if (num_args != 2) return JF_RAISE("TypeError", "expected %d arguments, got %d", 2, num_args);
  for (int32_t i = 0; i < num_args; i++) {
    char got[64];
    jf_any_describe(&args[i], got, sizeof got);
    if (args[i].type_code != JF_INT) return JF_RAISE("TypeError", "expected i64, got %s", got);
  }
  *out = (jf_value){.type_code = JF_INT};
  out->v_int64 = args[0].v_int64 + args[1].v_int64;
  return 0;
}

static int functions(void) {
  jf_object* made = jf_function_new(add, NULL, NULL, "(i64, i64) -> i64");
  if (!made || jf_global_set("add", made, 0) != 0) return 1;
  jf_object_release(made);
  jf_object* found = jf_global_get("add");
  jf_view args[2] = {{.type_code = JF_INT}, {.type_code = JF_INT}};
  args[0].v_int64 = 40, args[1].v_int64 = 2;
  jf_value out;
  jf_out_init(&out, 8);
  if (jf_function_call(found, 2, args, &out) != 0 || out.v_int64 != 42) return 2;
  jf_out_init(&out, 8);
  args[1].type_code = JF_FLOAT;
  args[1].v_float64 = 1.5;
  if (jf_function_call(found, 2, args, &out) == 0) return 3;
  jf_error* error = (jf_error*)jf_error_take();
  if (!error || strcmp(error->kind->data, "TypeError") != 0) return 4;
  if (strcmp(error->message->data, "expected i64, got float 1.5") != 0) return 5;
  jf_object_release(&error->header);
  jf_object_release(found);
  return jf_global_remove("add") == 0 ? 0 : 6;
}

static int values(void) {
  jf_object* text = jf_str_new("text that takes the heap", 24);
  jf_view view = {.type_code = JF_OBJECT};
  view.v_uint64 = JF_POINTER_WORD(text);
  jf_value out, small;
  jf_out_init(&out, 8);
  jf_out_init(&small, 8);
  if (!text || jf_any_retain(&view, &out) != 0 || text->ref_count != 2) return 11;
  if (jf_out_str(&small, "short", 5) != 0 || small.type_code != JF_SMALL_STR) return 12;
  jf_any_release(&out);
  jf_object_release(text);
  const int32_t code = jf_type_register("core.Type", JF_ROOT);
  return code >= JF_FIRST_DYNAMIC && jf_type_is_a(code, JF_ROOT) ? 0 : 13;
}

/* What there is no memory for is an error, and nothing is lost. */
static int exhaustion(void) {
  jf_object* held[64];
  int count = 0;
  while (count < 64 && (held[count] = jf_str_new("some text that takes a few hundred bytes of the pool, if it is made "
                                                 "often enough, and so the pool is soon at its end",
                                                 116)) != NULL)
    count++;
  if (count == 64) return 21;
  jf_error* error = (jf_error*)jf_error_take();
  if (!error || strcmp(error->kind->data, "MemoryError") != 0) return 22;
  jf_object_release(&error->header);
  while (count > 0) jf_object_release(held[--count]);
  return 0;
}

static int run(void) {
  jf_memory_pool pool;
  jf_memory_pool_init(&pool, memory, sizeof memory);
  jf_set_allocator(jf_memory_pool_allocate, jf_memory_pool_deallocate, &pool);
  int failed = functions();
  if (!failed) failed = values();
  if (!failed) failed = exhaustion();
  if (!failed) failed = functions();
  return failed ? failed : jf_live_objects() == 0 ? 0 : 31;
}

/* Counters of 8 bytes, on machines that have no such instruction; there is one thread. */
uint64_t __atomic_fetch_add_8(volatile void* at, uint64_t value, int order) {
  (void)order;
  const uint64_t before = *(volatile uint64_t*)at;
  *(volatile uint64_t*)at = before + value;
  return before;
}
uint64_t __atomic_load_8(const volatile void* at, int order) {
  (void)order;
  return *(const volatile uint64_t*)at;
}
void __atomic_store_8(volatile void* at, uint64_t value, int order) {
  (void)order;
  *(volatile uint64_t*)at = value;
}

#if defined(__riscv)
/* The linker addresses small data from gp, which a C library's start would have set. */
__asm__(".globl _start\n_start:\n.option push\n.option norelax\nla gp, __global_pointer$\n.option pop\nj start\n");
#define START start
#else
#define START _start
#endif
void START(void);

void START(void) {
  const int status = run();
#if defined(__arm__)
  register int r0 __asm__("r0") = status;
  register int r7 __asm__("r7") = 1;
  __asm__ volatile("svc 0" ::"r"(r0), "r"(r7));
#elif defined(__riscv)
  register int a0 __asm__("a0") = status;
  register int a7 __asm__("a7") = 93;
  __asm__ volatile("ecall" ::"r"(a0), "r"(a7));
#endif
  for (;;) {
  }
}
