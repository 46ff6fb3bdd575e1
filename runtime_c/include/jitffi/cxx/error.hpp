/* Errors: what C++ throws becomes the thread's last error, and a failed call throws jitffi::Error.
 *
 *   catch (const jitffi::Error& error)     kind(), message(), traceback(); object() is the very object that was raised,
 *                                          which brings the same Python exception back where it is thrown again
 *
 * Without exceptions (-fno-exceptions) what would throw writes its message to stderr and aborts; Function::try_call
 * returns a status instead, and a function's body reports by set_error.
 */
#ifndef JITFFI_CXX_ERROR_HPP
#define JITFFI_CXX_ERROR_HPP

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeinfo>
#include <utility>

#include "../runtime.h"

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define JITFFI_EXCEPTIONS 1
#else
#define JITFFI_EXCEPTIONS 0
#endif

/* Before what is each library's own, where two of them have classes of the same name: without it the linker makes one of inline
 * variables, and of static ones in templates, for the whole process. */
#if defined(__GNUC__) && !defined(_WIN32)
#define JITFFI_OWN __attribute__((visibility("hidden")))
#else
#define JITFFI_OWN
#endif

/* What is called where something is wrong, or of another kind than expected: not inlined where it is called. */
#if defined(__GNUC__)
#define JITFFI_COLD __attribute__((cold, noinline))
#else
#define JITFFI_COLD
#endif

/* What is inlined wherever it is called, small though it does not look to clang: calls of functions. */
#if defined(__GNUC__)
#define JITFFI_INLINE __attribute__((always_inline))
#else
#define JITFFI_INLINE
#endif

/* What is not inlined where it is called, so that the usual way needs no registers for it. */
#if defined(__GNUC__)
#define JITFFI_APART __attribute__((noinline))
#else
#define JITFFI_APART
#endif

namespace jitffi {

/* A place in a program: of whoever leaves out an argument of this type. Tracebacks show it, Python's too. */
struct Where {
  const char* file;
  int line;
  const char* function;
  static constexpr Where here(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                              const char* function = __builtin_FUNCTION()) noexcept {
    return {file, line, function};
  }
  JITFFI_COLD std::string traceback() const {
    char number[24];
    std::snprintf(number, sizeof number, "%d", line);
    std::string made = "  File \"";
    made.append(file).append("\", line ").append(number).append(", in ").append(function).append("\n");
    return made;
  }
};

template <class T>
class Optional;

/* An error object, and the exception that carries it. Copies share the object. */
class Error : public std::runtime_error {
 public:
  Error(const char* kind, const std::string& message, const Where& where = Where::here())
      : Error(jf_error_new(kind, without_nul(message).c_str(), where.traceback().c_str(), nullptr, nullptr)) {}
  /* With the error that led to this one. */
  Error(const char* kind, const std::string& message, const Error& cause, const Where& where = Where::here())
      : Error(jf_error_new(kind, without_nul(message).c_str(), where.traceback().c_str(), cause.object_, nullptr)) {}
  /* Steals a reference to a jf_error; NULL, which is what there is when memory has run out, is a MemoryError. */
  JITFFI_COLD explicit Error(jf_object* object) : std::runtime_error(text_of(object)), object_(object) {}
  Error(const Error& other) noexcept : std::runtime_error(other), object_(other.object_), lines_(other.lines_) {
    jf_object_retain(object_);
    jf_object_retain(lines_);
  }
  Error& operator=(const Error& other) noexcept {
    std::runtime_error::operator=(other);
    jf_object_retain(other.object_);
    jf_object_retain(other.lines_);
    jf_object_release(std::exchange(object_, other.object_));
    jf_object_release(std::exchange(lines_, other.lines_));
    return *this;
  }
  ~Error() override {
    jf_object_release(object_);
    jf_object_release(lines_);
  }
  /* The thread's last error, which is none any more then. */
  JITFFI_COLD static Error take_last() {
    jf_object* lines = jf_error_take_lines();
    Error made(jf_error_take());
    made.lines_ = lines;
    return made;
  }
  /* Makes it the thread's last error. */
  void set_last() const noexcept {
    jf_object_retain(object_);
    jf_object_retain(lines_);
    jf_error_set_object(object_);
    jf_error_add_lines(lines_);
  }

  /* A Python exception's name: "ValueError". */
  std::string kind() const { return object_ ? field(fields()->kind) : "MemoryError"; }
  std::string message() const { return object_ ? field(fields()->message) : "out of memory"; }
  /* The error that led to this one; none where there is no such. */
  Optional<Error> cause() const;
  /* Text, most recent call first; "" without one. */
  std::string traceback() const {
    return object_ ? field(fields()->traceback) + field(reinterpret_cast<const jf_str*>(lines_)) : "";
  }
  /* Borrowed; NULL for an error that there was no memory for. */
  jf_object* object() const noexcept { return object_; }

 private:
  const jf_error* fields() const { return reinterpret_cast<const jf_error*>(object_); }
  static std::string field(const jf_str* text) { return text ? std::string(text->data, text->size) : std::string(); }
  /* C's text ends at the first NUL: they are written as escapes, as those of Python's messages are. */
  JITFFI_COLD static std::string without_nul(std::string text) {
    for (std::size_t at = 0; (at = text.find('\0', at)) != std::string::npos;) text.replace(at, 1, "\\x00");
    return text;
  }
  JITFFI_COLD static std::string text_of(jf_object* object) {
    if (!object) return "MemoryError: out of memory";
    const jf_error* error = reinterpret_cast<const jf_error*>(object);
    return field(error->kind).append(": ").append(field(error->message));
  }
  jf_object* object_;
  jf_object* lines_ = nullptr; /* of the traceback, since it was raised, where somebody else holds the object */
};

/* Makes it the thread's last error, without throwing: for bodies of functions that are compiled without exceptions. */
inline void set_error(const char* kind, const char* message) noexcept { jf_error_set(kind, message); }

[[noreturn]] inline void raise(const Error& error) {
#if JITFFI_EXCEPTIONS
  throw error;
#else
  std::fprintf(stderr, "jitffi: %s\n", error.what());
  std::abort();
#endif
}
/* raise("ValueError", "why"): kinds are Python's names, or those that jitffi.register_error knows. */
[[noreturn]] inline void raise(const char* kind, const std::string& message, const Where& where = Where::here()) {
  raise(Error(kind, message, where));
}

namespace detail {

/* Throws the thread's last error, which is none any more then. */
[[noreturn]] JITFFI_COLD inline void throw_last() { raise(Error::take_last()); }
inline void check(int32_t status) {
  if (status != 0) throw_last();
}
/* A new object, or the reason why there is none. */
inline jf_object* check(jf_object* made) {
  if (!made) throw_last();
  return made;
}

/* JITFFI_GUARDED(status, expression): the status is that of the expression, 0 or -1 with the last error set; -1, and the last error,
 * for what it throws. A macro, since a function would be compiled for each of what calls it. */
#if JITFFI_EXCEPTIONS
#define JITFFI_GUARDED(status, ...)        \
  try {                                    \
    status = __VA_ARGS__;                  \
  } catch (const ::jitffi::Error& error) { \
    ::jitffi::detail::caught(&error);      \
    status = -1;                           \
  } catch (...) {                          \
    ::jitffi::detail::caught(nullptr);     \
    status = -1;                           \
  }
inline jf_object* converted(const char* kind, const std::exception& error, int number = 0) noexcept;

/* The kind of a program's own exceptions. */
struct ExceptionKind {
  const char* kind;
  /* Whether the exception that is being handled is one of them: then *made is new, or NULL where there is no memory. */
  bool (*convert)(const char* kind, jf_object** made) noexcept;
  const ExceptionKind* next;
};
/* Those that this library has told, the last one first. */
JITFFI_OWN inline const ExceptionKind* exception_kinds = nullptr;
template <class E>
bool convert_own(const char* kind, jf_object** made) noexcept {
  try {
    throw;
  } catch (const E& error) {
    *made = converted(kind, error);
    return true;
  } catch (...) {
    return false;
  }
}
/* errno of such a code; 0 where it is of another kind. */
inline int error_number(const std::error_code& code) noexcept {
  const bool is_errno = code.category() == std::system_category() || code.category() == std::generic_category();
  return is_errno ? code.value() : 0;
}
/* New: the exception that is being handled, as an error object; NULL where there is no memory. Kinds are those of exceptions
 * that native code throws. */
JITFFI_COLD inline jf_object* current_error() noexcept {
  jf_object* own = nullptr;
  for (const auto* each = __atomic_load_n(&exception_kinds, __ATOMIC_ACQUIRE); each; each = each->next) {
    if (each->convert(each->kind, &own)) return own;
  }
  try {
    throw;
  } catch (const Error& error) {
    jf_object_retain(error.object());
    return error.object();
  } catch (const std::bad_alloc&) {
    return nullptr;
  } catch (const std::out_of_range& error) {
    return converted("IndexError", error);
  } catch (const std::overflow_error& error) {
    return converted("OverflowError", error);
  } catch (const std::underflow_error& error) {
    return converted("ArithmeticError", error);
  } catch (const std::system_error& error) {
    return converted("OSError", error, error_number(error.code()));
  } catch (const std::bad_cast& error) {
    return converted("TypeError", error);
  } catch (const std::bad_typeid& error) {
    return converted("TypeError", error);
  } catch (const std::invalid_argument& error) {
    return converted("ValueError", error);
  } catch (const std::domain_error& error) {
    return converted("ValueError", error);
  } catch (const std::length_error& error) {
    return converted("ValueError", error);
  } catch (const std::range_error& error) {
    return converted("ValueError", error);
  } catch (const std::exception& error) {
    return converted("RuntimeError", error);
  } catch (const char* text) {
    return jf_error_new("RuntimeError", text ? text : "", nullptr, nullptr, nullptr);
  } catch (const std::string& text) {
    return jf_error_new("RuntimeError", text.c_str(), nullptr, nullptr, nullptr);
  } catch (...) {
    return jf_error_new("RuntimeError", "an exception that is no std::exception", nullptr, nullptr, nullptr);
  }
}
/* What std::throw_with_nested has put below becomes the cause; `number` is an OSError's errno. */
inline jf_object* converted(const char* kind, const std::exception& error, int number) noexcept {
  jf_object* cause = nullptr;
#if defined(__cpp_rtti) || defined(_CPPRTTI)
  const auto* outer = dynamic_cast<const std::nested_exception*>(&error);
  if (outer && outer->nested_ptr()) {
    try {
      outer->rethrow_nested();
    } catch (...) {
      cause = current_error();
    }
  }
#endif
  jf_object* made = number != 0 ? jf_error_of_errno(number, error.what(), cause)
                                : jf_error_new(kind, error.what(), nullptr, cause, nullptr);
  jf_object_release(cause);
  return made;
}
/* The exception that is being handled, which is that error unless it is NULL, becomes the last error. */
JITFFI_COLD inline void caught(const Error* error) noexcept {
  if (error) {
    error->set_last();
  } else {
    jf_error_set_object(current_error());
  }
}
#else
#define JITFFI_GUARDED(status, ...) status = __VA_ARGS__, status = status != 0 || jf_error_peek() ? -1 : 0
#endif
template <class Body>
int32_t guarded(Body&& body) {
  int32_t status;
  JITFFI_GUARDED(status, body());
  return status;
}

}  // namespace detail

#if JITFFI_EXCEPTIONS
/* What this library's functions throw of class E, or one derived from it, is an error of that kind from now on: the name of one of
 * Python's exceptions, or one that jitffi.register_error knows. What is told last is asked first. */
template <class E>
void register_exception(const char* kind) {
  static_assert(std::is_base_of_v<std::exception, E>, "an exception class derives from std::exception");
  const char* kept = jf_intern(kind);
  if (!kept) detail::throw_last();
  auto* made = new detail::ExceptionKind{kept, detail::convert_own<E>,
                                         __atomic_load_n(&detail::exception_kinds, __ATOMIC_RELAXED)};
  while (!__atomic_compare_exchange_n(&detail::exception_kinds, &made->next, made, false, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {
  }
}
#endif
}  // namespace jitffi

#endif
