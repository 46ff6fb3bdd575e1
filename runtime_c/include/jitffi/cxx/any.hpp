/* AnyView, AnyValue and AnyPad<N>: slots as C++ values; Type<T>, all that is known about a C++ type that crosses.
 *
 *   AnyView     16 bytes that borrow: good while what they were made of is
 *   AnyPad<N>   16 + 8N bytes that own; AnyValue is AnyPad<0>
 *
 * Each converts from and to every type that has a Type<T>, implicitly. What a T accepts is what a parameter of that type
 * accepts, and what it does not is a TypeError or OverflowError.
 */
#ifndef JITFFI_CXX_ANY_HPP
#define JITFFI_CXX_ANY_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "../containers.h"
#include "error.hpp"

namespace jitffi {

/* Text that the compiler puts together, for signatures. */
template <std::size_t N>
struct Text {
  char data[N + 1];
};
template <std::size_t N>
constexpr Text<N - 1> text_of(const char (&literal)[N]) {
  Text<N - 1> made{};
  for (std::size_t i = 0; i + 1 < N; i++) made.data[i] = literal[i];
  return made;
}
template <std::size_t N, std::size_t M>
constexpr Text<N + M> operator+(const Text<N>& left, const Text<M>& right) {
  Text<N + M> made{};
  for (std::size_t i = 0; i < N; i++) made.data[i] = left.data[i];
  for (std::size_t i = 0; i < M; i++) made.data[N + i] = right.data[i];
  return made;
}
template <std::size_t N, std::size_t M>
constexpr Text<N + M - 1> operator+(const Text<N>& left, const char (&right)[M]) {
  return left + text_of(right);
}
template <std::size_t N, std::size_t M>
constexpr Text<N + M - 1> operator+(const char (&left)[N], const Text<M>& right) {
  return text_of(left) + right;
}

/* What is known about a C++ type. A specialization has
 *
 *   static constexpr auto text();                                   its text in signatures
 *   static int32_t give(T&&, jf_value* out);                        an owned slot; -1 with the error set
 *   static void view(const T&, jf_any* slot, jf_span* span);        a view that borrows from the value, and from *span;
 *                                                                   without it arguments are made by `give`
 *   struct Reader { int32_t read(const jf_call_info*, int32_t index, const jf_any*); T get(); }
 *                                                                   the value of parameter `index`, and what it needs
 *   struct Exact                                                    for values that lie in a slot, of the form that `view`
 *                                                                   gives, and so need no conversion; may be left out:
 *     using Value = T;
 *     static bool fits(const jf_any*);                              whether the slot is of that form
 *     explicit Exact(const jf_any*);                                of one that fits, and of what `view` gives
 *     T get(); const T& ref();                                      the value; one of them may be left out
 *     static T take(jf_any*);                                       for results: the value of an owned slot that fits, which
 *                                                                   is null then
 * Further types are added by specializing it. */
namespace detail {
/* What is known by the members that a type has (standard.hpp), where nobody has said anything of the type itself. */
template <class T, class = void>
struct OtherType {};
}  // namespace detail
template <class T, class = void>
struct Type : detail::OtherType<T> {};
template <>
struct Type<std::nullptr_t>; /* comparisons ask for it before types.hpp has it */

template <class T>
using Bare = std::remove_cv_t<std::remove_reference_t<T>>;

namespace detail {

/* Types as they are passed: arrays of characters as pointers. */
template <class T>
using Passed = std::conditional_t<std::is_same_v<std::decay_t<T>, char*>, const char*, std::decay_t<T>>;

template <class T, class = void>
struct IsKnown : std::false_type {};
template <class T>
struct IsKnown<T, std::void_t<decltype(Type<T>::give(std::declval<T>(), static_cast<jf_value*>(nullptr)))>>
    : std::true_type {};
template <class T, class = void>
struct IsViewed : std::false_type {};
template <class T>
struct IsViewed<T, std::void_t<decltype(Type<T>::view(std::declval<const T&>(), static_cast<jf_any*>(nullptr),
                                                      static_cast<jf_span*>(nullptr)))>> : std::true_type {};
template <class T, class = void>
struct IsReadable : std::false_type {};
template <class T>
struct IsReadable<T, std::void_t<typename Type<T>::Reader>> : std::true_type {};

template <class T, class = void>
inline constexpr bool has_exact = false;
template <class T> /* of its own, and not of a type whose Type<T> it is derived from */
inline constexpr bool has_exact<T, std::void_t<typename Type<T>::Exact::Value>> =
    std::is_same_v<typename Type<T>::Exact::Value, T>;

template <class T>
JITFFI_OWN inline constexpr auto type_text = Type<T>::text();

/* For conversions that belong to no function. */
template <class T>
struct Conversion {
  JITFFI_OWN static constexpr jf_call_info info = {"cast", 0, 0, nullptr, type_text<T>.data, nullptr};
};

/* A pointer as a payload: JF_POINTER_WORD without a cast of C's. */
inline uint64_t word(const void* pointer) noexcept { return reinterpret_cast<std::uintptr_t>(pointer); }
inline void set_null(jf_any* slot) {
  slot->type_code = JF_NULL;
  slot->small_len = 0;
  slot->v_uint64 = 0;
}
inline void set_slot(jf_any* slot, int32_t code, uint64_t payload) {
  slot->type_code = code;
  slot->small_len = 0;
  slot->v_uint64 = payload;
}
inline void set_object(jf_any* slot, jf_object* object) {
  if (!object) return set_null(slot);
  set_slot(slot, object->type_code <= JF_S1_LAST ? object->type_code : JF_OBJECT, detail::word(object));
}
/* As jf_object_retain and jf_object_release, which these are where the compiler has no atomics of its own; not of NULL. */
inline void retain(jf_object* object) noexcept {
#if defined(__GNUC__)
  if (object->deleter) __atomic_fetch_add(&object->ref_count, 1, __ATOMIC_RELAXED);
#else
  jf_object_retain(object);
#endif
}
inline void release(jf_object* object) noexcept {
#if defined(__GNUC__)
  if (!object->deleter) return;
  /* Only who has a reference makes another: of data and functions, which no table leads to, one reference is the last. */
  if ((object->type_code == JF_FUNCTION || (object->type_code >= JF_STR && object->type_code <= JF_TUPLE)) &&
      __atomic_load_n(&object->ref_count, __ATOMIC_ACQUIRE) == 1) {
    __atomic_store_n(&object->ref_count, 0, __ATOMIC_RELAXED);
  } else {
    if (__atomic_fetch_sub(&object->ref_count, 1, __ATOMIC_RELEASE) != 1) return;
    (void)__atomic_load_n(&object->ref_count, __ATOMIC_ACQUIRE);
  }
  object->deleter(object);
#else
  jf_object_release(object);
#endif
}

/* A T that borrows: its bytes, made without a reference of their own, are never destroyed. */
template <class T>
union Borrowed {
  T value;
  Borrowed() noexcept {}
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {}
};

/* What a parameter is given whose type is one slot: the caller's own where it is of that form, which the call borrows, else a
 * copy that is owned. */
template <class T>
class SlotReader {
 public:
  T get() noexcept {
    if (owns_) return static_cast<T&&>(held_.value);
    return *seen_;
  }
  const T& ref() const noexcept { return *seen_; }

 protected:
  SlotReader() noexcept = default;
  ~SlotReader() {
    if (owns_) held_.value.~T();
  }
  int32_t borrow(const jf_any* slot) noexcept {
    if constexpr (sizeof(T) == sizeof(jf_any)) {
      static_assert(std::is_standard_layout_v<T>, "nothing but the slot, which it is bit for bit");
      seen_ = reinterpret_cast<const T*>(slot);
    } else {
      new (static_cast<void*>(&held_.value)) T();
      *const_cast<jf_any*>(held_.value.slot()) = *slot;
      seen_ = &held_.value;
    }
    return 0;
  }
  /* A T of its own, to be filled. */
  T& own() noexcept {
    owns_ = true;
    seen_ = new (static_cast<void*>(&held_.value)) T();
    return held_.value;
  }

 private:
  Borrowed<T> held_;
  const T* seen_ = nullptr;
  bool owns_ = false;
};

/* Whether an owned slot holds something to be released. */
inline bool is_counted(const jf_any& slot) { return slot.type_code > 0 || slot.type_code == JF_OBJECT; }

/* What Type<T>::give is where nothing is gained by moving. */
template <class T>
int32_t give_copy(const T& value, jf_value* out) {
  jf_any view;
  jf_span span;
  Type<T>::view(value, &view, &span);
  return jf_any_retain(&view, out);
}

}  // namespace detail

class AnyBase;
class AnyView;
template <int N>
class AnyPad;
using AnyValue = AnyPad<0>;
template <class T>
class Optional;

namespace detail {

/* What is a value, and no slot itself: of slots it is not asked whether they are known, which it is too early for. */
template <class T>
constexpr bool is_value() {
  if constexpr (std::is_base_of_v<AnyBase, Bare<T>>) {
    return false;
  } else {
    return IsKnown<Passed<T>>::value;
  }
}
template <class T>
using IfValue = std::enable_if_t<is_value<T>()>;
/* std::optional and std::variant, by their members (standard.hpp). */
template <class T, class = void>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool
    is_optional<T, std::void_t<decltype(std::declval<const T&>().has_value()), decltype(std::declval<T&>().reset()),
                               decltype(std::declval<T&>().emplace(std::declval<typename T::value_type>()))>> = true;
template <class T, class = void>
inline constexpr bool is_variant = false;
template <template <class...> class V, class... Ts>
inline constexpr bool
    is_variant<V<Ts...>, std::void_t<decltype(std::declval<const V<Ts...>&>().valueless_by_exception())>> = true;
/* Types that are constructed from slots, and need no conversion to them: one way is enough. */
template <class T>
struct TakesSlots : std::false_type {};
template <class T>
struct TakesSlots<Optional<T>> : std::true_type {};
/* Conversions that need not be spelled: a const char* would borrow from what is often a temporary. */
template <class T>
constexpr bool is_converted() {
  if constexpr (std::is_base_of_v<AnyBase, T> || TakesSlots<T>::value || std::is_same_v<T, const char*> ||
                std::is_same_v<T, std::nullptr_t>) {
    return false;
  } else {
    return IsReadable<T>::value;
  }
}
template <class T>
using IfConverts = std::enable_if_t<is_converted<T>()>;
template <class T>
using IfOptional = std::enable_if_t<is_optional<T>>;
template <class T>
using IfOptionalOrView = std::enable_if_t<is_optional<T> || std::is_same_v<T, std::string_view>>;
/* Readers of types that borrow have it: whether the value lies in the slot itself, and not in the reader. */
template <class Reader, class = void>
struct Borrows : std::false_type {};
template <class Reader>
struct Borrows<Reader, std::void_t<decltype(&Reader::in_place)>> : std::true_type {};

}  // namespace detail

/* What views and values have in common: reading. */
class AnyBase {
 public:
  int32_t type_code() const noexcept { return slot_.type_code; }
  bool is_null() const noexcept { return slot_.type_code == JF_NULL; }
  const jf_any* slot() const noexcept { return &slot_; }

  /* The value as a T, as a parameter of that type takes it; throws where it is none. */
  template <class T>
  T cast() const {
    if constexpr (detail::has_exact<T>) {
      if (Type<T>::Exact::fits(&slot_)) return typename Type<T>::Exact(&slot_).get();
      return converted<T>();
    } else {
      return read<T>();
    }
  }
  /* The same, but none where it is none. */
  template <class T>
  Optional<T> as() const;
  template <class T, class = detail::IfConverts<T>>
  operator T() const& {
    return cast<T>();
  }
  /* `std::optional<int> x = any` does not compile, being as ambiguous of all as it is of what is const: the constructor of
   * std::optional would make an int of the value, and null is none. cast<std::optional<int>>() and as<int>() say what is meant. */
  template <class T, class = detail::IfOptional<T>>
  operator T() & = delete;
  /* Nor does `std::string_view x = f()`: short text lies in the value itself, which is gone by then. */
  template <class T, class = detail::IfOptionalOrView<T>>
  operator T() && = delete;

  /* Python's len(), [], ==, repr(), of whatever it is. */
  std::size_t size() const {
    const int64_t found = jf_any_size(&slot_);
    if (found < 0) detail::throw_last();
    return static_cast<std::size_t>(found);
  }
  template <class Key, class = std::enable_if_t<detail::IsKnown<detail::Passed<Key>>::value>>
  AnyPad<0> operator[](const Key& key) const;
  std::string repr() const;
  /* The native object in it, borrowed; NULL where it is none. */
  jf_object* object() const noexcept { return detail::is_counted(slot_) ? slot_.v_object : nullptr; }

 protected:
  AnyBase() noexcept { detail::set_null(&slot_); }
  jf_any slot_;

 private:
  template <class T>
  JITFFI_COLD T converted() const {
    return read<T>();
  }
  template <class T>
  T read() const {
    typename Type<T>::Reader reader;
    detail::check(reader.read(&detail::Conversion<T>::info, -1, &slot_));
    if constexpr (detail::Borrows<typename Type<T>::Reader>::value) {
      if (!reader.in_place()) raise("TypeError", "the text must be converted: take it as a std::string");
    }
    return reader.get();
  }
};

class AnyView : public AnyBase {
 public:
  AnyView() noexcept = default;
  AnyView(std::nullptr_t) noexcept {}
  explicit AnyView(const jf_any& slot) noexcept { slot_ = slot; }
  template <int N>
  AnyView(const AnyPad<N>& value) noexcept {
    jf_any_view(value.slot(), &slot_);
  }
  /* Borrows from the value: ValueError for longer text that is no NUL-terminated std::string, and longer bytes, which need
   * more than a slot. */
  template <class T, class = detail::IfValue<T>, class = std::enable_if_t<detail::IsViewed<detail::Passed<T>>::value>>
  AnyView(const T& value) {
    jf_span span = {nullptr, 0};
    Type<detail::Passed<T>>::view(value, &slot_, &span);
    if constexpr (std::is_same_v<T, std::string>) {
      if (slot_.type_code != JF_STR_VIEW) return;
      if (std::strlen(span.data) != span.size) {
        raise("ValueError", "an AnyView cannot hold text with an embedded NUL: make it an AnyValue");
      }
      detail::set_slot(&slot_, JF_RAW_STR, detail::word(span.data));
    } else if (span.data) {
      raise("ValueError", "an AnyView cannot hold text of that size: make it an AnyValue");
    }
  }
};
static_assert(sizeof(AnyView) == 16, "views lie in arrays as slots do");

namespace detail {
template <int N>
struct Padding {
  unsigned char bytes[8 * static_cast<std::size_t>(N)];
};
template <>
struct Padding<0> {};
}  // namespace detail

template <int N>
class AnyPad : public AnyBase, private detail::Padding<N> {
  static_assert(N >= 0 && N <= JF_MAX_PAD, "a pad is from 0 to 15");

 public:
  AnyPad() noexcept = default;
  AnyPad(std::nullptr_t) noexcept {}
  AnyPad(const AnyPad& other) : AnyBase() { copy(other.slot()); }
  AnyPad(AnyPad&& other) noexcept { take(other); }
  template <int M>
  AnyPad(const AnyPad<M>& other) {
    copy(other.slot());
  }
  AnyPad(const AnyView& view) { copy(view.slot()); }
  template <class T, class = detail::IfValue<T>>
  AnyPad(T&& value) {
    using Known = detail::Passed<T>;
    detail::check(Type<Known>::give(Known(static_cast<T&&>(value)), out()));
    done();
  }
  ~AnyPad() {
    if (detail::is_counted(slot_)) detail::release(slot_.v_object);
  }
  AnyPad& operator=(const AnyPad& other) { return *this = AnyPad(other); }
  AnyPad& operator=(AnyPad&& other) noexcept {
    if (this != &other) {
      jf_any before = slot_; /* released last: its deleter may look here */
      take(other);
      if (detail::is_counted(before)) detail::release(before.v_object);
    }
    return *this;
  }
  template <class T, class = std::enable_if_t<!std::is_base_of_v<AnyPad, Bare<T>>>>
  AnyPad& operator=(T&& value) {
    return *this = AnyPad(static_cast<T&&>(value));
  }
  void reset() noexcept { jf_any_release(&slot_); }
  /* Null that tells its capacity, for a C function that writes a result into it. */
  jf_value* out() noexcept {
    if (detail::is_counted(slot_)) jf_any_release(&slot_);
    detail::set_null(&slot_);
    slot_.small_len = N ? 8 + 8 * N : 0;
    return &slot_;
  }
  /* After a C function has written: a null forgets the capacity. */
  AnyPad& done() noexcept {
    if (N != 0 && slot_.type_code == JF_NULL) slot_.small_len = 0;
    return *this;
  }
  /* The owned slot into an out-slot; it is null then. */
  int32_t move_to(jf_value* out) noexcept {
    if (N != 0) return jf_any_move(&slot_, out);
    *out = slot_;
    detail::set_null(&slot_);
    return 0;
  }

 private:
  void copy(const jf_any* from) {
    if (!N && from->type_code <= JF_NULL && from->type_code >= JF_DEVICE) {
      slot_ = *from;
      return;
    }
    jf_any view;
    jf_any_view(from, &view);
    detail::check(jf_any_retain(&view, out()));
    done();
  }
  void take(AnyPad& other) noexcept {
    std::memcpy(static_cast<void*>(this), &other, sizeof *this);
    detail::set_null(&other.slot_);
  }
};
static_assert(sizeof(AnyPad<0>) == 16 && sizeof(AnyPad<15>) == 136, "slots as the ABI has them");

template <class Key, class>
AnyValue AnyBase::operator[](const Key& key) const {
  jf_any view;
  jf_span span;
  Type<detail::Passed<Key>>::view(key, &view, &span);
  AnyValue made;
  detail::check(jf_any_at(&slot_, &view, made.out()));
  return made;
}

}  // namespace jitffi

#endif
