/* A test is a function; a check that fails is printed and counted. Around each test: no object and no error is left. */
#ifndef JITFFI_TESTHELPER_H
#define JITFFI_TESTHELPER_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "code.h"
#include "cycles.h"
#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/pad.h"
#include "jitffi/pattern.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "lock.h"
#include "macros.h"
#include "message.h"
#include "object.h"
#include "pool.h"
#include "registry.h"
#include "slot.h"
#include "table.h"
#include "utf8.h"

#if defined(__SANITIZE_ADDRESS__)
/* Read by AddressSanitizer, which otherwise ends the program where malloc would return NULL. */
const char* __asan_default_options(void);
__attribute__((visibility("default"))) const char* __asan_default_options(void) {
  return "allocator_may_return_null=1";
}
#endif

/* Threads, forks and machine code made at run time: everywhere but on wasm. */
#if defined(__wasm__)
#define HAVE_PROCESSES 0
#else
#define HAVE_PROCESSES 1
#endif
/* LLVM gives 32-bit ARM's `nest` parameter no register of its own, so nothing can lead a stub's record past the arguments. */
#if defined(__wasm__) || defined(__arm__)
#define HAVE_CLOSURES 0
#else
#define HAVE_CLOSURES 1
#endif

static int checks_failed, tests_passed, tests_failed;

#define CHECK(condition) check((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_TEXT(actual, expected) check_text(actual, expected, __FILE__, __LINE__)
#define RUN(test) run_test(test, #test)

static inline int check(int holds, const char* what, const char* file, int line) {
  if (!holds) checks_failed++, printf("%s:%d: %s\n", file, line, what);
  return holds;
}

static inline int check_text(const char* actual, const char* expected, const char* file, int line) {
  int holds = actual && strcmp(actual, expected) == 0;
  if (!holds) checks_failed++, printf("%s:%d: expected \"%s\"\n  got \"%s\"\n", file, line, expected, actual);
  return holds;
}

/* Takes the last error and compares "kind: message". */
#define CHECK_ERROR(expected) check_error(expected, __FILE__, __LINE__)
static inline void check_error(const char* expected, const char* file, int line) {
  jf_error* error = (jf_error*)jf_error_take();
  char text[1024] = "no error";
  if (error) snprintf(text, sizeof text, "%s: %s", error->kind->data, error->message->data);
  check_text(text, expected, file, line);
  jf_object_release((jf_object*)error);
}

static inline void run_test(void (*test)(void), const char* name) {
  const int failed_before = checks_failed;
  const int64_t live_before = jf_live_objects();
  test();
  if (!CHECK(!jf_error_peek())) jf_object_release(jf_error_take());
  CHECK(!jf_error_is_pending());
  CHECK(jf_live_objects() == live_before);
  if (checks_failed > failed_before) tests_failed++, printf("FAILED %s\n", name);
  if (checks_failed == failed_before) tests_passed++;
}

/* Runs the operation; in the hostile build also with allocation 0, 1, 2, ... and all after it failing, until none fails
 * any more. It returns 0, having cleaned up, or -1 with MemoryError set and nothing left behind. */
#define SURVIVES(operation) survives(operation, #operation)
static inline void survives(int32_t (*operation)(void), const char* name) {
#ifdef JITFFI_HOSTILE
  for (int64_t count = 0, failed = 1; failed && count < 1000; count++) {
    const int64_t live_before = jf_live_objects();
    jf_hostile_fail_after(count);
    int32_t status = operation();
    failed = jf_hostile_failed();
    jf_hostile_fail_after(-1);
    if (status != 0 && CHECK(failed)) CHECK_ERROR("MemoryError: out of memory");
    if (!CHECK(jf_live_objects() == live_before)) printf("  in %s, allocation %d\n", name, (int)count);
  }
#endif
  if (!CHECK(operation() == 0)) printf("  in %s\n", name), jf_object_release(jf_error_take());
}

static inline int finish(void) {
  printf("%d passed, %d failed\n", tests_passed, tests_failed);
  return tests_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline jf_any slot_of_int(int64_t value) { return (jf_any){JF_INT, 0, {.v_int64 = value}}; }
static inline jf_any slot_of_float(double value) { return (jf_any){JF_FLOAT, 0, {.v_float64 = value}}; }
static inline jf_any slot_of_raw(const char* text) { return (jf_any){JF_RAW_STR, 0, {.v_raw_str = text}}; }
static inline jf_any slot_of_object(void* object) { return (jf_any){JF_OBJECT, 0, {.v_object = object}}; }
static inline jf_any null_out(int32_t capacity) { return (jf_any){JF_NULL, capacity, {0}}; }

/* An AnyPad<15>. */
typedef union {
  jf_any slot;
  char bytes[JF_PAYLOAD_OFFSET + JF_MAX_CAPACITY];
} wide_slot;

#endif
