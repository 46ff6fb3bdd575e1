/* Machine code in memory: mapped writable, filled, then made executable; never both at once. */
#include <string.h>

#include "allocation.h"
#include "code.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "message.h"

#ifndef JF_NO_SYSTEM

#include <errno.h>
#include <sys/mman.h>

static JF_COLD void fail_mapping(const char* call, size_t size) {
  if (errno == ENOMEM) {
    jf_error_no_memory();
  } else {
    jf_error_format("OSError", "%s of %zu bytes of code: %s", call, size, strerror(errno));
  }
}

void* jf_map_writable(size_t size) {
#ifdef JITFFI_HOSTILE
  if (jf_hostile_refuses()) {
    jf_error_no_memory();
    return NULL;
  }
#endif
  void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) return memory;
  fail_mapping("mmap", size);
  return NULL;
}

int32_t jf_map_seal(void* memory, size_t size) {
#ifdef JITFFI_HOSTILE
  if (jf_hostile_refuses()) {
    jf_error_no_memory();
    return -1;
  }
#endif
  if (mprotect(memory, size, PROT_READ | PROT_EXEC) != 0) {
    fail_mapping("mprotect", size);
    return -1;
  }
  __builtin___clear_cache((char*)memory, (char*)memory + size);
  return 0;
}

static void unmap(void* memory, size_t size) { munmap(memory, size); }

#else

void* jf_map_writable(size_t size) {
  (void)size;
  jf_error_set("OSError", "this target has no memory for code that is made at run time");
  return NULL;
}

int32_t jf_map_seal(void* memory, size_t size) {
  (void)memory, (void)size;
  return -1;
}

static void unmap(void* memory, size_t size) { (void)memory, (void)size; }

#endif

/* New; borrows bytes. The caller unmaps it with the same size. */
void* jf_code_map(const void* bytes, size_t size) {
  void* memory = jf_map_writable(size);
  if (!memory) return NULL;
  memcpy(memory, bytes, size);
  if (jf_map_seal(memory, size) == 0) return memory;
  unmap(memory, size);
  return NULL;
}

/* Steals the mapping; NULL is allowed. Nobody may be running in it. */
void jf_code_unmap(void* code, size_t size) {
  if (code) unmap(code, size);
}
