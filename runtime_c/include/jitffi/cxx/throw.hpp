/* Errors whose messages are written as to a stream.
 *
 *   JITFFI_THROW(ValueError) << "no pass " << name;
 *   JITFFI_CHECK(index < size, IndexError) << "of " << size;      "check failed: index < size: of 3"
 *
 * The kind is the name of one of Python's exceptions, or one that jitffi.register_error knows. Nothing is written where a check
 * holds.
 */
#ifndef JITFFI_CXX_THROW_HPP
#define JITFFI_CXX_THROW_HPP

#include <sstream>

#include "error.hpp"

namespace jitffi {
namespace detail {

class MessageText {
 public:
  template <class T>
  MessageText& operator<<(const T& value) {
    stream_ << value;
    return *this;
  }
  MessageText& operator<<(std::ostream& (*manipulator)(std::ostream&)) {
    stream_ << manipulator;
    return *this;
  }
  std::string text() const { return stream_.str(); }

 private:
  std::ostringstream stream_;
};
/* & is weaker than <<, and stronger than ?: */
struct Thrower {
  const char* kind;
  const char* failed; /* the check, or "" */
  Where where;
  [[noreturn]] JITFFI_COLD void operator&(const MessageText& message) const {
    const std::string text = message.text();
    raise(kind, std::string(failed).append(*failed && !text.empty() ? ": " : "").append(text), where);
  }
};

template <bool IsQuoted>
constexpr const char* kind_text(const char* text) {
  static_assert(!IsQuoted, "the kind of an error stands without quotation marks: JITFFI_THROW(ValueError)");
  return text;
}

}  // namespace detail
}  // namespace jitffi

#define JITFFI_KIND(kind) ::jitffi::detail::kind_text<(#kind)[0] == '"'>(#kind)
#define JITFFI_THROW(kind) \
  ::jitffi::detail::Thrower{JITFFI_KIND(kind), "", ::jitffi::Where::here()} & ::jitffi::detail::MessageText()
#define JITFFI_CHECK(condition, kind)                                                                                \
  (condition) ? static_cast<void>(0)                                                                                 \
              : ::jitffi::detail::Thrower{JITFFI_KIND(kind), "check failed: " #condition, ::jitffi::Where::here()} & \
                    ::jitffi::detail::MessageText()

#endif
