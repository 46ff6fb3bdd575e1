/* A program without exceptions: calls say by a status that they have failed, bodies by set_error; what nobody asks about aborts. */
#include <jitffi/jitffi.hpp>

using namespace jitffi;

JITFFI_REGISTER_GLOBAL("divide").set_body_typed([](std::int64_t a, std::int64_t b) -> std::int64_t {
  if (b == 0) {
    set_error("ZeroDivisionError", "division by zero");
    return 0;
  }
  return a / b;
});

static int fail(const char* what) {
  std::printf("wrong: %s\n", what);
  return 1;
}

int main(int argc, char**) {
  Function divide = Function::find_global("divide");
  AnyValue result;
  if (divide.try_call(&result, 6, 3) != 0 || result != 2) return fail("6 / 3");
  if (divide.try_call(&result, 6, 0) == 0 || !result.is_null()) return fail("6 / 0");
  if (Error(jf_error_take()).kind() != "ZeroDivisionError") return fail("the error of 6 / 0");
  if (divide.try_call(&result, "x", 1) == 0) return fail("'x' / 1");
  std::printf("%s\n", Error(jf_error_take()).what());
  Optional<int> number = AnyValue("x").as<int>();
  if (number || jf_error_peek()) return fail("as");
  if (argc > 1) divide(1, 0); /* aborts */
  return 0;
}
