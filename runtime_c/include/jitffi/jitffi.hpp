/* The C++ interface, C++17: all of it in headers, over the C functions of the runtime, which a program links.
 *
 *   #include <jitffi/jitffi.hpp>
 *
 *   int main() {
 *     jitffi::Function print = jitffi::Function::global("print");
 *     print("hello", 42, jitffi::List<double>{1.5, 2.5});
 *   }
 *
 * cxx/ has a header for each idea; each can be included alone.
 */
#ifndef JITFFI_JITFFI_HPP
#define JITFFI_JITFFI_HPP

#include "cxx/class.hpp"
#include "cxx/frozen.hpp"
#include "cxx/module.hpp"
#include "cxx/registry.hpp"
#include "cxx/structural.hpp"
#include "cxx/throw.hpp"

#endif
