/* What the compiler knows of a callable: its parameters and result, and the text of them as a signature has it. */
#ifndef JITFFI_CXX_SIGNATURE_HPP
#define JITFFI_CXX_SIGNATURE_HPP

#include "standard.hpp"

namespace jitffi {

/* The arguments of a packed function. */
class Args {
 public:
  Args(const jf_view* views, int32_t count) noexcept : num_args(count), views_(views) {}
  const int32_t num_args;
  int32_t size() const noexcept { return num_args; }
  /* TypeError where there are not so many. */
  AnyView operator[](int32_t index) const {
    if (index < 0 || index >= num_args) fail(index);
    return AnyView(views_[index]);
  }
  const jf_view* data() const noexcept { return views_; }

 private:
  [[noreturn]] void fail(int32_t index) const {
    raise("TypeError", "argument " + std::to_string(index + 1) + " is missing: got " + std::to_string(num_args));
  }
  const jf_view* views_;
};

namespace detail {

/* The type that a parameter is read as, and a result given as: a pointer to an object, where it is a reference to one. */
template <class A>
using Read = std::conditional_t<std::is_lvalue_reference_v<A> && std::is_base_of_v<Object, Bare<A>>,
                                std::remove_reference_t<A>*, Bare<A>>;
template <class A>
inline constexpr bool is_changed = std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>> &&
                                   !std::is_base_of_v<Object, Bare<A>>;
template <class R>
inline constexpr bool is_result = IsKnown<std::conditional_t<std::is_void_v<R>, bool, Read<R>>>::value;
constexpr std::size_t length_of(const char* text) {
  std::size_t length = 0;
  while (text[length]) length++;
  return length;
}
/* Behind what it has written. */
constexpr char* put_text(char* to, const char* text) {
  while (*text) *to++ = *text++;
  return to;
}

template <class R, class... A>
struct Signature {
  static constexpr bool is_packed = false;
  using Pointer = R (*)(A...);
  using Indices = std::index_sequence_for<A...>;
  using Result = Bare<R>;
  static constexpr const char* result_text() {
    if constexpr (std::is_void_v<R>) {
      return "void";
    } else {
      return type_text<Read<R>>.data;
    }
  }
  /* Whether all types of a call are known; the compiler's message says what is wrong where they are not. */
  static constexpr bool is_known() {
    constexpr bool is_kept = !(is_changed<A> || ...), is_read = (IsReadable<Read<A>>::value && ...);
    static_assert(is_kept, "a parameter is a value or a const reference: what it gets is made for the call");
    static_assert(is_read, "a parameter is of a type that does not cross: it has no Type<T>");
    static_assert(is_result<R>, "the result is of a type that does not cross: it has no Type<T>");
    return is_kept && is_read && is_result<R>;
  }
  static constexpr auto text() {
    if constexpr (!is_known()) {
      return text_of("");
    } else {
      Text<((length_of(type_text<Read<A>>.data) + 2) + ... + (length_of(result_text()) + (sizeof...(A) ? 4 : 6)))>
          made{};
      char* to = put_text(made.data, "(");
      [[maybe_unused]] const char* between = "";
      ((to = put_text(put_text(to, between), type_text<Read<A>>.data), between = ", "), ...);
      put_text(put_text(to, ") -> "), result_text());
      return made;
    }
  }
  /* Whether C passes and returns all of it as this C++ compiler does. */
  template <class T>
  static constexpr bool is_plain = std::is_same_v<T, void*> || is_number<T>;
  static constexpr bool is_native = is_plain<std::conditional_t<std::is_void_v<R>, void*, R>> && (is_plain<A> && ...);
};
template <class R>
struct Signature<R, Args, AnyValue*> {
  static constexpr bool is_packed = true;
  using Indices = void;
  static constexpr bool is_known() { return true; }
  static constexpr bool is_native = false;
  static constexpr auto text() { return text_of(""); }
};
template <class R>
struct Signature<R, const Args&, AnyValue*> : Signature<R, Args, AnyValue*> {};

/* The Signature of whatever has one way to be called. */
template <class F, class = void>
struct SignatureOf {};
template <class R, class... A>
struct SignatureOf<R (*)(A...)> : Signature<R, A...> {
  static constexpr bool is_noexcept = false;
  using Of = Signature<R, A...>;
};
template <class R, class... A>
struct SignatureOf<R (*)(A...) noexcept> : Signature<R, A...> {
  static constexpr bool is_noexcept = true;
  using Of = Signature<R, A...>;
};
template <class T, class R, class... A>
struct SignatureOf<R (T::*)(A...)> : SignatureOf<R (*)(A...)> {};
template <class T, class R, class... A>
struct SignatureOf<R (T::*)(A...) const> : SignatureOf<R (*)(A...)> {};
template <class T, class R, class... A>
struct SignatureOf<R (T::*)(A...) noexcept> : SignatureOf<R (*)(A...)> {};
template <class T, class R, class... A>
struct SignatureOf<R (T::*)(A...) const noexcept> : SignatureOf<R (*)(A...)> {};
template <class T, class R, class... A>
struct SignatureOf<R (T::*)(A...) &> : SignatureOf<R (*)(A...)> {};
template <class T, class R, class... A>
struct SignatureOf<R (T::*)(A...) const&> : SignatureOf<R (*)(A...)> {};
template <class F>
struct SignatureOf<F, std::void_t<decltype(&F::operator())>> : SignatureOf<decltype(&F::operator())> {};

template <class F, class = void>
struct IsCallable : std::false_type {};
template <class F>
struct IsCallable<F, std::void_t<typename SignatureOf<F>::Of>> : std::true_type {};

template <class R, class... A>
JITFFI_OWN inline constexpr auto signature_text = Signature<R, A...>::text();
template <class S>
JITFFI_OWN inline constexpr auto text_of_signature = S::text();

/* The text that function objects with a C function of their own are compared by: one address per text. */
template <class S>
JITFFI_OWN inline const char* const interned_types = jf_intern(text_of_signature<S>.data);

}  // namespace detail
}  // namespace jitffi

#endif
