/* Optional<T> and Variant<Ts...>: what may be null, and what is one of several; 8 bytes where T is a reference, else a slot.
 *
 *   if (Optional<int> number = any.as<int>()) use(*number);
 *   Variant<std::int64_t, String> key = "name";
 *   key.visit([](const auto& held) { ... });
 *
 * Both can be fields of objects as they are. A Variant takes the type that a value is exactly, else the first that it converts to.
 */
#ifndef JITFFI_CXX_VARIANT_HPP
#define JITFFI_CXX_VARIANT_HPP

#include <optional>

#include "containers.hpp"

namespace jitffi {

template <class... Ts>
class Variant;

namespace detail {

template <class... Ts>
struct TakesSlots<Variant<Ts...>> : std::true_type {};
template <class... Ts>
using First = std::tuple_element_t<0, std::tuple<Ts...>>;

/* Where an Optional keeps what it has. */
template <class T, bool IsRef>
class OptionalPlace {
 public:
  OptionalPlace() noexcept = default;
  explicit OptionalPlace(T value) : value_(std::move(value)) {}
  bool has_value() const noexcept { return !value_.is_null(); }
  T get() const { return value_.template cast<T>(); }
  void view(jf_any* slot) const noexcept { jf_any_view(value_.slot(), slot); }

 private:
  AnyValue value_;
};
template <class T>
class OptionalPlace<T, true> {
 public:
  OptionalPlace() noexcept : value_(nullptr) {}
  explicit OptionalPlace(T value) : value_(std::move(value)) {}
  bool has_value() const noexcept { return static_cast<const ObjectRef&>(value_) != nullptr; }
  const T& get() const noexcept { return value_; }
  void view(jf_any* slot) const noexcept { set_object(slot, static_cast<const ObjectRef&>(value_).get()); }

 private:
  T value_;
};

/* Whether an Optional<T> is made of a value as a T is; the last question is not asked of what has a constructor of its own. */
template <class T, class U>
constexpr bool makes_optional() {
  using Value = Bare<U>;
  if constexpr (std::is_same_v<Value, T> || std::is_same_v<Value, Optional<T>> ||
                std::is_same_v<Value, std::nullptr_t> || std::is_base_of_v<AnyBase, Value>) {
    return false;
  } else {
    return std::is_convertible_v<U&&, T>;
  }
}
/* What -> gives where there is no T to point at. */
template <class T>
struct Arrow {
  T value;
  const T* operator->() const noexcept { return &value; }
};

/* Whether a slot holds a T in T's own form. */
template <class T>
JITFFI_OWN bool holds(const jf_any* slot) {
  if constexpr (is_any<T>) {
    return true;
  } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
    return slot->type_code == JF_NULL;
  } else if constexpr (is_ref<T>) {
    jf_object* object = is_counted(*slot) ? slot->v_object : nullptr;
    if (!object || !jf_type_is_a(object->type_code, T::type())) return false;
  }
  if constexpr (!std::is_same_v<T, std::nullptr_t>) {
    static const jf_pattern* const pattern = jf_pattern_of(type_text<T>.data);
    if (!pattern) throw_last();
    return jf_pattern_holds(pattern, slot) != 0;
  }
}

}  // namespace detail

template <class T>
class Optional {
  static_assert(!detail::Borrows<typename Type<T>::Reader>::value,
                "what it holds is its own: say std::string or String");

 public:
  Optional() noexcept = default;
  Optional(std::nullptr_t) noexcept {}
  Optional(std::nullopt_t) noexcept {}
  Optional(T value) : place_(std::move(value)) {}
  /* Of a slot: none where it is null. */
  template <class U, class = std::enable_if_t<std::is_base_of_v<AnyBase, U> && !std::is_same_v<U, T>>>
  Optional(const U& value) : Optional(value.template cast<Optional>()) {}
  template <class U, class = std::enable_if_t<detail::makes_optional<T, U>()>, class = void>
  Optional(U&& value) : place_(T(static_cast<U&&>(value))) {}

  /* From and to std::optional. */
  template <class O,
            class = std::enable_if_t<detail::is_optional<O> && std::is_convertible_v<typename O::value_type, T>>,
            class = void, class = void>
  Optional(const O& value) : Optional() {
    if (value.has_value()) *this = Optional(T(*value));
  }
  template <class O,
            class = std::enable_if_t<detail::is_optional<O> && std::is_convertible_v<T, typename O::value_type>>>
  operator O() const {
    O made;
    if (has_value()) made.emplace(place_.get());
    return made;
  }

  bool has_value() const noexcept { return place_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  /* ValueError without one. */
  T value() const {
    if (!has_value()) raise("ValueError", "an Optional without a value");
    return place_.get();
  }
  T operator*() const { return value(); }
  /* What it leads to is good for the expression. */
  auto operator->() const {
    if constexpr (detail::is_ref<T>) {
      return &place_.get();
    } else {
      return detail::Arrow<T>{value()};
    }
  }
  template <class U>
  T value_or(U&& otherwise) const {
    return has_value() ? place_.get() : static_cast<T>(std::forward<U>(otherwise));
  }
  void reset() noexcept { *this = Optional(); }
  void view(jf_any* slot) const noexcept { place_.view(slot); }
  friend bool operator==(const Optional& left, std::nullptr_t) noexcept { return !left; }
  friend bool operator!=(const Optional& left, std::nullptr_t) noexcept { return left.has_value(); }
  /* As values are equal: Python's ==. */
  friend bool operator==(const Optional& left, const Optional& right) { return left.any() == right.any(); }
  friend bool operator!=(const Optional& left, const Optional& right) { return left.any() != right.any(); }

 private:
  AnyView any() const noexcept {
    jf_any slot;
    view(&slot);
    return AnyView(slot);
  }
  detail::OptionalPlace<T, detail::is_ref<T>> place_;
};

template <class T>
struct Type<Optional<T>> {
  static constexpr auto text() {
    if constexpr (detail::is_any<T>) {
      return text_of("any");
    } else {
      return "optional[" + Type<T>::text() + "]";
    }
  }
  static void view(const Optional<T>& value, jf_any* slot, jf_span*) noexcept { value.view(slot); }
  static int32_t give(Optional<T>&& value, jf_value* out) noexcept { return detail::give_copy(value, out); }
  struct Reader {
    typename Type<T>::Reader inner;
    bool is_null = true;
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      is_null = slot->type_code == JF_NULL;
      return is_null ? 0 : inner.read(info, index, slot);
    }
    Optional<T> get() { return is_null ? Optional<T>() : Optional<T>(inner.get()); }
  };
};

inline Optional<Error> Error::cause() const {
  jf_object* found = object_ ? fields()->cause : nullptr;
  if (!found) return nullptr;
  jf_object_retain(found);
  return Error(found);
}

template <class T>
Optional<T> AnyBase::as() const {
  typename Type<T>::Reader reader;
  if (reader.read(&detail::Conversion<T>::info, -1, &slot_) == 0) return reader.get();
  jf_object_release(jf_error_take());
  return nullptr;
}

/* As Python prints it: text as it is, all else by its repr. */
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const AnyBase& value) {
  const Optional<std::string> text = value.as<std::string>();
  return out << (text ? *text : value.repr());
}
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const ObjectRef& object) {
  return out << object.repr();
}

template <class... Ts>
class Variant {
  template <class T>
  static constexpr bool is_one = (std::is_same_v<T, Ts> || ...);
  template <class T>
  static constexpr bool converts() {
    if constexpr (is_one<Bare<T>> || std::is_same_v<Bare<T>, Variant>) {
      return false;
    } else {
      return std::is_constructible_v<AnyValue, T>;
    }
  }

 public:
  /* The first of the types, as it is by default. */
  Variant() : Variant(detail::First<Ts...>()) {}
  template <class T, class = std::enable_if_t<is_one<Bare<T>>>>
  Variant(T&& value) : value_(static_cast<T&&>(value)) {}
  /* What converts to one of the types; TypeError for other slots. */
  template <class T, class = std::enable_if_t<converts<T>()>, class = void>
  Variant(T&& value) : Variant(take(AnyValue(static_cast<T&&>(value)))) {}

  template <class T>
  bool holds() const {
    static_assert(is_one<T>, "none of its types");
    return detail::holds<T>(value_.slot());
  }
  /* TypeError where it holds another. */
  template <class T>
  T get() const {
    static_assert(is_one<T>, "none of its types");
    return value_.template cast<T>();
  }
  template <class T>
  Optional<T> get_if() const {
    return holds<T>() ? Optional<T>(get<T>()) : Optional<T>();
  }
  /* The same, as values of any type have it. */
  template <class T>
  Optional<T> as() const {
    return get_if<T>();
  }
  /* visitor(value) for the type that it holds; its result, of the type that it has for the first of them. */
  template <class Visitor>
  auto visit(Visitor&& visitor) const -> decltype(visitor(std::declval<detail::First<Ts...>>())) {
    return visit_as<Visitor&, Ts...>(visitor);
  }
  const AnyValue& any() const noexcept { return value_; }
  /* To std::variant. */
  template <class V, class = std::enable_if_t<detail::is_variant<V>>>
  operator V() const {
    return value_.template cast<V>();
  }
  friend bool operator==(const Variant& left, const Variant& right) { return left.value_ == right.value_; }
  friend bool operator!=(const Variant& left, const Variant& right) { return left.value_ != right.value_; }

  /* The first type that a value is, else the first that takes it: -1 with TypeError set. */
  int32_t assign(const jf_call_info* info, int32_t index, const jf_any* slot) {
    if ((try_exact<Ts>(slot) || ...) || (try_convert<Ts>(info, index, slot) || ...)) return 0;
    return detail::fail_expected(info, index, slot, expected.data);
  }
  /* A union; of whatever is an object, or anything, that alone. */
  static constexpr auto text() {
    if constexpr ((detail::is_any<Ts> || ...)) {
      return text_of("any");
    } else {
      return expected;
    }
  }

 private:
  template <class First, class... Rest>
  static constexpr auto joined() {
    if constexpr (sizeof...(Rest) == 0) {
      return Type<First>::text();
    } else {
      return Type<First>::text() + " | " + joined<Rest...>();
    }
  }
  JITFFI_OWN static constexpr auto expected = joined<Ts...>();
  JITFFI_COLD static Variant take(const AnyValue& value) {
    Variant made;
    detail::check(made.assign(&detail::Conversion<Variant>::info, -1, value.slot()));
    return made;
  }
  template <class Visitor, class Type, class... Rest>
  auto visit_as(Visitor visitor) const -> decltype(visitor(std::declval<detail::First<Ts...>>())) {
    if constexpr (sizeof...(Rest) != 0) {
      if (!holds<Type>()) return visit_as<Visitor, Rest...>(visitor);
    }
    return visitor(get<Type>());
  }
  template <class T>
  bool try_exact(const jf_any* slot) {
    if (!detail::holds<T>(slot)) return false;
    value_ = AnyView(*slot);
    return true;
  }
  template <class T>
  bool try_convert(const jf_call_info* info, int32_t index, const jf_any* slot) {
    if constexpr (detail::IsReadable<T>::value) {
      typename Type<T>::Reader reader;
      if (reader.read(info, index, slot) == 0) return value_ = reader.get(), true;
      jf_object_release(jf_error_take());
    }
    return false;
  }
  AnyValue value_;
};

template <class... Ts>
struct Type<Variant<Ts...>> {
  static constexpr auto text() { return Variant<Ts...>::text(); }
  static void view(const Variant<Ts...>& value, jf_any* slot, jf_span*) noexcept {
    jf_any_view(value.any().slot(), slot);
  }
  static int32_t give(Variant<Ts...>&& value, jf_value* out) noexcept { return detail::give_copy(value, out); }
  struct Reader {
    Variant<Ts...> value;
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) {
      return value.assign(info, index, slot);
    }
    Variant<Ts...> get() { return std::move(value); }
  };
};

}  // namespace jitffi

#endif
