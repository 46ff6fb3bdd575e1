/* What stored machine code depends on beside its key: `_core.CPU`, `_core.BUILD` and `_core.VERSION`. */
#include <stdio.h>

#include "function.h"
#include "parts.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__linux__)
#include <sys/auxv.h>
#endif

#if !defined(__x86_64__) && defined(__linux__)
/* The first line of a file in *line, which is empty where there is none. */
static void read_line(const char* path, char* line, int size) {
  FILE* file = fopen(path, "re");
  if (!file || !fgets(line, size, file)) line[0] = 0;
  line[strcspn(line, "\n")] = 0;
  if (file) fclose(file);
}
#endif

/* Everything that LLVM's own detection of the host looks at: vendor, model, and all feature words (Intel SDM, CPUID; Linux,
 * Documentation/arch/arm64/cpu-feature-registers.rst). */
static void describe_cpu(char* buffer, size_t size) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  size_t used = (size_t)snprintf(buffer, size, "x86_64");
  const unsigned leaves[][2] = {{0, 0},    {1, 0},    {7, 0},    {7, 1},          {0xD, 1},
                                {0x14, 0}, {0x19, 0}, {0x24, 0}, {0x80000001, 0}, {0x80000008, 0}};
  for (size_t i = 0; i < sizeof leaves / sizeof leaves[0] && used < size; i++) {
    if (!__get_cpuid_count(leaves[i][0], leaves[i][1], &a, &b, &c, &d)) continue;
    if (leaves[i][0] == 1) b = 0; /* the core that we run on */
    used += (size_t)snprintf(buffer + used, size - used, " %x:%x:%x:%x", a, b, c, d);
  }
#elif defined(__linux__)
  char model[32]; /* the first core's, whichever we run on */
  read_line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", model, sizeof model);
  snprintf(buffer, size, "%s %lx:%lx", model, getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
#else
  snprintf(buffer, size, "any");
#endif
}

/* Adds the texts to the module; -1 with an exception set on failure. */
int core_machine_init(PyObject* module) {
  char cpu[1024];
  describe_cpu(cpu, sizeof cpu);
#if defined(__x86_64__)
  const char* arch = "x86_64";
#elif defined(__aarch64__)
  const char* arch = "aarch64";
#elif defined(__riscv) && __riscv_xlen == 64
  const char* arch = "riscv64";
#else
  const char* arch = "other";
#endif
  char build[128];
  snprintf(build, sizeof build, "%s-%x-%zu", arch, (unsigned)PY_VERSION_HEX, sizeof(core_function));
  return PyModule_AddStringConstant(module, "CPU", cpu) < 0 || PyModule_AddStringConstant(module, "BUILD", build) < 0 ||
                 PyModule_AddStringConstant(module, "VERSION", JITFFI_VERSION) < 0
             ? -1
             : 0;
}
