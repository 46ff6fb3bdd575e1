/* A library that Python loads: functions under global names, of which one calls back into Python. */
#include <jitffi/cxx/compat.hpp>
#include <jitffi/jitffi.hpp>

using namespace jitffi::compat;

void MyAdd(TVMArgs args, TVMRetValue* rv) {
  int a = args[0];
  int b = args[1];
  *rv = a + b;
}

// register a global packed function in c++
TVM_REGISTER_GLOBAL("myadd").set_body(MyAdd);

TVM_REGISTER_GLOBAL("callhello").set_body([](TVMArgs args, TVMRetValue*) {
  PackedFunc f = args[0];
  f("hello world");
});

// Python registers this one, and C++ calls it.
TVM_REGISTER_GLOBAL("lower").set_body_typed([](String text) -> String {
  static auto lower_call = Registry::Get("example.lower_call");
  return (*lower_call)(text);
});

// As a function of the module, too, by its own types.
JITFFI_EXPORT_TYPED(add, [](std::int64_t a, std::int64_t b) { return a + b; });
JITFFI_EXPORT_ABI;
