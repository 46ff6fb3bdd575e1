/* A function as a packed function: arguments and result have no types but those that they are read as. */
#include <jitffi/cxx/compat.hpp>
#include <jitffi/jitffi.hpp>

using namespace jitffi::compat;

void MyAdd(TVMArgs args, TVMRetValue* rv) {
  // automatically convert arguments to desired type.
  int a = args[0];
  int b = args[1];
  // automatically assign value return to rv
  *rv = a + b;
}

void CallPacked() {
  PackedFunc myadd = PackedFunc(MyAdd);
  // get back 3
  int c = myadd(1, 2);
  std::printf("myadd(1, 2): %d\n", c);

  // The same of a lambda, whose types are checked, and are its signature.
  PackedFunc typed = [](int x, int y) { return x + y; };
  std::printf("%s: %d\n", typed.signature(), static_cast<int>(typed(1, 2)));
  try {
    typed(1, "two");
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
}

int main() { CallPacked(); }
