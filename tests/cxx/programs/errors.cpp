/* What is thrown on one side of a call arrives on the other: standard exceptions by kind, Errors as the same object. */
#include "check.hpp"

namespace errors_program {

using namespace jitffi;

template <class E>
static void throws(const char* kind) {
  Function fails = [](const std::string& message) { throw E(message); };
  CHECK_FAILS(fails("a message"), std::string(kind) + ": a message");
}

static void standard_exceptions() {
  throws<std::invalid_argument>("ValueError");
  throws<std::domain_error>("ValueError");
  throws<std::length_error>("ValueError");
  throws<std::range_error>("ValueError");
  throws<std::out_of_range>("IndexError");
  throws<std::overflow_error>("OverflowError");
  throws<std::underflow_error>("ArithmeticError");
  throws<std::runtime_error>("RuntimeError");
  throws<std::logic_error>("RuntimeError");
  Function no_memory = [] { throw std::bad_alloc(); };
  CHECK_FAILS(no_memory(), "MemoryError: out of memory");
  Function no_cast = [] { throw std::bad_cast(); };
  CHECK_FAILS(no_cast(), "TypeError: std::bad_cast");
  Function no_file = [](int number) { throw std::system_error(number, std::generic_category(), "open"); };
  CHECK_FAILS(no_file(2), "OSError: [Errno 2] open: No such file or directory");
  Function literal = [](Args, AnyValue*) { throw "a text"; };
  CHECK_FAILS(literal(), "RuntimeError: a text");
  Function owned = [](Args, AnyValue*) { throw std::string("another"); };
  CHECK_FAILS(owned(), "RuntimeError: another");
  Function other = [](Args, AnyValue*) { throw 3; };
  CHECK_FAILS(other(), "RuntimeError: an exception that is no std::exception");
}

static void the_same_object() {
  const Error original("demo.Custom", "a message");
  Function fails = [original] { throw original; };
  Function passes_on = [fails] {
    try {
      fails();
    } catch (const Error& error) {
      CHECK_TEXT(error.what(), "demo.Custom: a message");
      throw;
    }
  };
  try {
    passes_on();
    CHECK(false);
  } catch (const std::runtime_error& error) {
    const Error& caught = dynamic_cast<const Error&>(error);
    CHECK(caught.object() == original.object() && caught.kind() == "demo.Custom");
    const std::string lines = caught.traceback().substr(original.traceback().size());
    const std::string line = "  File \"<native>\", line 1, in function() -> void\n"; /* of either function */
    CHECK_TEXT(lines, (line + line).c_str());
  }
}

static void errors_as_values() {
  CHECK_TEXT(Error("ValueError", std::string("a\0b", 3)).message(), "a\\x00b");
  const Error error("KeyError", "'x'");
  Error copy("ValueError", "another");
  copy = error;
  CHECK(copy.object() == error.object() && copy.message() == "'x'");
  AnyValue value = error;
  CHECK(value.cast<Error>().object() == error.object());
  Function message = [](const Error& given) { return given.message(); };
  CHECK_TEXT(message.signature(), "(error) -> str");
  CHECK(message(error) == "'x'");
  CHECK_FAILS(message(3), "TypeError: function: argument 1: expected error, got int 3");
  CHECK_FAILS(throw value.cast<Error>(), "KeyError: 'x'");
  const Error later("RuntimeError", "later", error);
  CHECK(later.cause()->object() == error.object() && !error.cause() && later.cause()->kind() == "KeyError");
}

static void nested() {
  Function fails = [] {
    try {
      raise("KeyError", "'x'");
    } catch (...) {
      std::throw_with_nested(std::invalid_argument("outer"));
    }
  };
  try {
    fails();
    CHECK(false);
  } catch (const Error& error) {
    CHECK_TEXT(error.what(), "ValueError: outer");
    CHECK(error.cause()->kind() == "KeyError" && error.cause()->message() == "'x'");
  }
}

static void places() {
  const int line = __LINE__ + 1;
  const Error made("ValueError", "here");
  const std::string end = "errors.cpp\", line " + std::to_string(line) + ", in places\n", found = made.traceback();
  CHECK_TEXT(found.substr(found.size() - end.size()), end);
  Function fails = [] { raise("KeyError", "'x'"); };
  try {
    fails();
  } catch (const Error& error) {
    CHECK(error.traceback().find("errors.cpp\", line " + std::to_string(line + 3) + ", in ") != std::string::npos);
  }
}

static void without_throwing() {
  Function divide = [](int a, int b) {
    if (b == 0) raise("ZeroDivisionError", "division by zero");
    return a / b;
  };
  AnyValue result;
  CHECK(divide.try_call(&result, 6, 3) == 0 && result == 2);
  CHECK(divide.try_call(&result, 6, 0) != 0 && result.is_null());
  CHECK_TEXT(Error(jf_error_take()).kind(), "ZeroDivisionError");
}

static void half_way() {
  int destroyed = 0;
  struct Guard {
    int* count;
    ~Guard() { ++*count; }
  };
  Function fails = [&destroyed](std::string, List<int>, AnyValue) -> std::string {
    Guard guard{&destroyed};
    throw std::runtime_error("half way");
  };
  CHECK_FAILS(fails(std::string(50, 'x'), List<int>{1, 2}, List<>{std::string(50, 'y')}), "RuntimeError: half way");
  CHECK_FAILS(fails(std::string(50, 'x'), List<double>{1.5}, 1),
              "TypeError: function: argument 2: expected list[i32], got list with float 1.5 at [0]");
  CHECK(destroyed == 1);
}

struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct ParseError : CompileError {
  using CompileError::CompileError;
};

static void own_classes() {
  Function compile = [](int what) {
    if (what == 0) throw CompileError("zero");
    if (what == 1) throw ParseError("one");
    try {
      throw std::out_of_range("inside");
    } catch (...) {
      std::throw_with_nested(ParseError("outside"));
    }
  };
  CHECK_FAILS(compile(0), "RuntimeError: zero");
  register_exception<CompileError>("errors.CompileError");
  CHECK_FAILS(compile(1), "errors.CompileError: one");
  register_exception<ParseError>("SyntaxError");
  CHECK_FAILS(compile(0), "errors.CompileError: zero");
  CHECK_FAILS(compile(1), "SyntaxError: one");
  try {
    compile(2);
  } catch (const Error& error) {
    CHECK_TEXT(error.kind() + ": " + error.message(), "SyntaxError: outside");
    CHECK(error.cause().value().kind() == "IndexError");
  }
  CHECK_FAILS(Function([]() -> int { throw std::length_error("as before"); })(), "ValueError: as before");
}

static int checked(int number) {
  JITFFI_CHECK(number > 0, ValueError) << "of " << String("a text") << ' ' << AnyValue(List<>{number, "two"});
  if (number == 1) JITFFI_CHECK(number > 1, errors.Own);
  JITFFI_THROW(IndexError) << std::hex << number << std::endl;
}

static void written_as_to_a_stream() {
  CHECK_FAILS(checked(0), "ValueError: check failed: number > 0: of a text [0, 'two']");
  CHECK_FAILS(checked(1), "errors.Own: check failed: number > 1");
  CHECK_FAILS(checked(30), "IndexError: 1e\n");
  try {
    checked(2);
  } catch (const Error& error) {
    CHECK(error.traceback().find("errors.cpp\", line ") != std::string::npos);
    CHECK(error.traceback().find(", in checked\n") != std::string::npos);
  }
}

PROGRAM(errors) {
  RUN(written_as_to_a_stream);
  RUN(own_classes);
  RUN(standard_exceptions);
  RUN(the_same_object);
  RUN(errors_as_values);
  RUN(nested);
  RUN(places);
  RUN(without_throwing);
  RUN(half_way);
}

}  // namespace errors_program
