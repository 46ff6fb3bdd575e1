/* A test is a function; a check that fails is printed and counted. At the end no object and no error is left. */
#ifndef CHECK_HPP
#define CHECK_HPP

#include <jitffi/jitffi.hpp>

inline int failed = 0;

inline void check(bool holds, const char* what, const char* file, int line) {
  if (holds) return;
  failed++;
  std::printf("%s:%d: %s\n", file, line, what);
}
inline void check_text(const std::string& actual, const std::string& expected, const char* file, int line) {
  if (actual == expected) return;
  failed++;
  std::printf("%s:%d: expected \"%s\"\n  got \"%s\"\n", file, line, expected.c_str(), actual.c_str());
}
#define CHECK(...) check((__VA_ARGS__) ? true : false, #__VA_ARGS__, __FILE__, __LINE__)
#define CHECK_TEXT(actual, expected) check_text(actual, expected, __FILE__, __LINE__)
/* The statement throws a jitffi::Error whose text is "kind: message". */
#define CHECK_FAILS(statement, expected)            \
  do {                                              \
    std::string text = "nothing was thrown";        \
    try {                                           \
      statement;                                    \
    } catch (const jitffi::Error& error) {          \
      text = error.kind() + ": " + error.message(); \
    }                                               \
    check_text(text, expected, __FILE__, __LINE__); \
  } while (false)

inline void run(void (*test)(), const char* name) {
  const int before = failed;
  const std::int64_t live = jf_live_objects();
  test();
  if (jf_live_objects() != live) {
    failed++;
    std::printf("%d objects are left\n", static_cast<int>(jf_live_objects() - live));
  }
  CHECK(!jf_error_peek());
  if (failed > before) std::printf("FAILED %s\n", name);
}
#define RUN(test) run(test, #test)

/* PROGRAM(name) { ... }: what `programs name` runs, in a namespace of its own. */
struct Program {
  const char* name;
  void (*body)();
  const Program* next;
  static inline const Program* first = nullptr;
  Program(const char* name_, void (*body_)()) : name(name_), body(body_), next(first) { first = this; }
};
#define PROGRAM(name)                        \
  static void body();                        \
  static const Program program(#name, body); \
  static void body()

#endif
