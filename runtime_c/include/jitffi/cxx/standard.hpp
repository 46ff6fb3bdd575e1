/* Type<T> of the standard library's containers, copied from and to what other languages have:
 *
 *   std::vector, deque, list; std::array      list[T]; of an array's size exactly
 *   std::map, unordered_map                   map[K, V]
 *   std::set, unordered_set                   set[T]
 *   std::pair, tuple                          tuple[A, B]
 *   std::optional, std::variant               optional[T]; A | B, where an empty class, as std::monostate, is null
 *
 * They are known by their members and not by their names, so that nobody pays for headers that are not used, and containers of
 * other libraries with the same members cross, too. std::function is in function.hpp.
 */
#ifndef JITFFI_CXX_STANDARD_HPP
#define JITFFI_CXX_STANDARD_HPP

#include "variant.hpp"

namespace jitffi {
namespace detail {

template <class T, class = void>
inline constexpr bool is_sequence = false;
template <class T>
inline constexpr bool
    is_sequence<T, std::void_t<decltype(std::declval<T&>().push_back(std::declval<typename T::value_type>())),
                               decltype(std::declval<const T&>().begin()), decltype(std::declval<const T&>().size())>> =
        true;
template <class T, class = void>
inline constexpr bool is_text = false;
template <class T>
inline constexpr bool is_text<T, std::void_t<typename T::traits_type>> = true;
template <class T, class = void>
inline constexpr bool is_mapping = false; /* no multimap, which has no at() */
template <class T>
inline constexpr bool
    is_mapping<T, std::void_t<typename T::mapped_type, decltype(std::declval<const T&>().begin()),
                              decltype(std::declval<T&>().at(std::declval<const typename T::key_type&>()))>> = true;
template <class T, class = void>
inline constexpr bool is_set = false; /* no multiset, whose insert() always does */
template <class T>
inline constexpr bool
    is_set<T, std::void_t<typename T::key_type, decltype(std::declval<const T&>().begin()),
                          decltype(std::declval<T&>().insert(std::declval<typename T::value_type>()).second)>> = true;

enum class Standard { none, sequence, mapping, set, optional, variant };
/* Asked of every type: of what is neither a container nor a variant by one look. */
template <class T, class = void>
inline constexpr Standard standard = is_variant<T> ? Standard::variant : Standard::none;
template <class T>
inline constexpr Standard standard<T, std::void_t<typename T::value_type>> = is_mapping<T>    ? Standard::mapping
                                                                             : is_set<T>      ? Standard::set
                                                                             : is_optional<T> ? Standard::optional
                                                                             : is_text<T>     ? Standard::none
                                                                             : is_sequence<T> ? Standard::sequence
                                                                                              : Standard::none;

template <class T, Standard>
struct StandardType;

template <class T>
struct StandardType<T, Standard::sequence> {
  using Items = List<typename T::value_type>;
  static constexpr auto text() { return Type<Items>::text(); }
  static int32_t give(T&& value, jf_value* out) {
    const Items made(value.size());
    for (const auto& item : value) made.append(item);
    return Type<Items>::give(Items(made), out);
  }
  struct Reader : Type<Items>::Reader {
    T get() const {
      const Items items = ObjectRef::borrow<Items>(this->object);
      return T(items.begin(), items.end());
    }
  };
};

template <class T>
struct StandardType<T, Standard::mapping> {
  using Entries = Map<typename T::key_type, typename T::mapped_type>;
  static constexpr auto text() { return Type<Entries>::text(); }
  static int32_t give(T&& value, jf_value* out) {
    Entries made;
    for (const auto& entry : value) made.set(entry.first, entry.second);
    return Type<Entries>::give(std::move(made), out);
  }
  struct Reader : Type<Entries>::Reader {
    T get() const {
      T made;
      for (auto&& [key, value] : ObjectRef::borrow<Entries>(this->object)) {
        made.emplace(std::move(key), std::move(value));
      }
      return made;
    }
  };
};

template <class T>
struct StandardType<T, Standard::set> {
  using Items = Set<typename T::value_type>;
  static constexpr auto text() { return Type<Items>::text(); }
  static int32_t give(T&& value, jf_value* out) { return Type<Items>::give(Items(value.begin(), value.end()), out); }
  struct Reader : Type<Items>::Reader {
    T get() const {
      T made;
      for (auto&& item : ObjectRef::borrow<Items>(this->object)) made.insert(std::move(item));
      return made;
    }
  };
};

/* What is read where it may be null; what borrows says so, as other readers do. */
template <class T, bool IsBorrowed = Borrows<typename Type<T>::Reader>::value>
struct NullableReader {
  typename Type<T>::Reader inner;
  bool is_null = true;
  int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) {
    is_null = slot->type_code == JF_NULL;
    return is_null ? 0 : inner.read(info, index, slot);
  }
};
template <class T>
struct NullableReader<T, true> : NullableReader<T, false> {
  bool in_place() const noexcept { return this->is_null || this->inner.in_place(); }
};
template <class T>
struct StandardType<T, Standard::optional> {
  using Value = typename T::value_type;
  static constexpr auto text() {
    if constexpr (is_any<Value>) {
      return text_of("any");
    } else {
      return "optional[" + Type<Value>::text() + "]";
    }
  }
  static int32_t give(T&& value, jf_value* out) {
    return value.has_value() ? Type<Value>::give(Value(*std::move(value)), out) : (set_null(out), 0);
  }
  struct Reader : NullableReader<Value> {
    T get() { return this->is_null ? T() : T(this->inner.get()); }
  };
};

using std::get; /* for the parser; that of a variant is found by its argument */
template <class T>
struct StandardType<T, Standard::variant>;
template <template <class...> class V, class... Ts>
struct StandardType<V<Ts...>, Standard::variant> {
  using Whole = V<Ts...>;
  template <class T>
  using Held = std::conditional_t<std::is_empty_v<T> && !IsReadable<T>::value, std::nullptr_t, T>;
  using Union = Variant<Held<Ts>...>;
  static constexpr auto text() { return Union::text(); }
  static int32_t give(Whole&& value, jf_value* out) { return give_from<0>(std::move(value), out); }
  struct Reader : Type<Union>::Reader {
    Whole get() { return take<0, Ts...>(this->value); }
  };

 private:
  template <std::size_t I>
  static int32_t give_from(Whole&& value, jf_value* out) {
    if constexpr (I == sizeof...(Ts)) {
      raise("ValueError", "a variant without a value");
    } else if (value.index() != I) {
      return give_from<I + 1>(std::move(value), out);
    } else if constexpr (std::is_same_v<Held<std::tuple_element_t<I, std::tuple<Ts...>>>, std::nullptr_t>) {
      return set_null(out), 0;
    } else {
      return Type<std::tuple_element_t<I, std::tuple<Ts...>>>::give(get<I>(std::move(value)), out);
    }
  }
  template <std::size_t I, class First, class... Rest>
  static Whole take(const Union& value) {
    if constexpr (sizeof...(Rest) != 0) {
      if (!value.template holds<Held<First>>()) return take<I + 1, Rest...>(value);
    }
    if constexpr (std::is_same_v<Held<First>, std::nullptr_t>) {
      return Whole(std::in_place_index<I>);
    } else {
      return Whole(std::in_place_index<I>, value.template get<First>());
    }
  }
};

/* A pair or a tuple. */
template <class T, class Indices, class... Ts>
struct StandardTuple;
template <class T, std::size_t... I, class... Ts>
struct StandardTuple<T, std::index_sequence<I...>, Ts...> {
  using Items = Tuple<Ts...>;
  static constexpr auto text() { return Type<Items>::text(); }
  static int32_t give(T&& value, jf_value* out) { return Type<Items>::give(Items(get<I>(value)...), out); }
  struct Reader : Type<Items>::Reader {
    T get() const {
      const Items items = ObjectRef::borrow<Items>(this->object);
      return T(items.template get<I>()...);
    }
  };
};

template <class A, class T, std::size_t N, class = void>
inline constexpr bool is_array = false;
template <class A, class T, std::size_t N>
inline constexpr bool is_array<A, T, N, std::enable_if_t<std::tuple_size<A>::value == N>> =
    std::is_same_v<typename A::value_type, T>;

template <class T>
struct OtherType<T, std::enable_if_t<standard<T> != Standard::none>> : StandardType<T, standard<T>> {};
template <class A, class B>
struct OtherType<std::pair<A, B>> : StandardTuple<std::pair<A, B>, std::index_sequence<0, 1>, A, B> {};
template <class T, class... Ts>
struct OtherType<std::tuple<T, Ts...>>
    : StandardTuple<std::tuple<T, Ts...>, std::index_sequence_for<T, Ts...>, T, Ts...> {};

template <template <class, std::size_t> class Array, class T, std::size_t N>
struct OtherType<Array<T, N>, std::enable_if_t<is_array<Array<T, N>, T, N>>> {
  static constexpr auto text() { return Type<List<T>>::text(); }
  static int32_t give(Array<T, N>&& value, jf_value* out) {
    return Type<List<T>>::give(List<T>(value.begin(), value.end()), out);
  }
  struct Reader : Type<List<T>>::Reader {
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      if (Type<List<T>>::Reader::read(info, index, slot) != 0) return -1;
      const std::size_t size = jf_list_size(this->object);
      if (size == N) return 0;
      if (index < 0) {
        jf_error_format("ValueError", "%s: result: expected %zu items, got %zu", info->name, N, size);
      } else {
        jf_error_format("ValueError", "%s: argument %d: expected %zu items, got %zu", info->name, index + 1, N, size);
      }
      return -1;
    }
    Array<T, N> get() const {
      const List<T> items = ObjectRef::borrow<List<T>>(this->object);
      Array<T, N> made{};
      for (std::size_t i = 0; i < N; i++) made[i] = items.at(static_cast<int64_t>(i));
      return made;
    }
  };
};

}  // namespace detail
}  // namespace jitffi

#endif
