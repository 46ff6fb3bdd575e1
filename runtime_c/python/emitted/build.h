/* What the compiler is told of emitted modules; package/build.h has the same for the extension of the package. */
#ifndef JITFFI_PYTHON_BUILD_H
#define JITFFI_PYTHON_BUILD_H

#define CORE_THREAD_LOCAL __thread /* any number of modules are loaded late */

#endif
