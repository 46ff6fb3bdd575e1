/* What the compiler is told of the extension of the package; emitted/build.h has the same for emitted modules. */
#ifndef JITFFI_PYTHON_BUILD_H
#define JITFFI_PYTHON_BUILD_H

/* The model of the executable's own variables: an address from a register, not from a function that looks it up. A few dozen
 * bytes of it are set aside for libraries loaded late (glibc, rtld.optional_static_tls). */
#define CORE_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

#endif
