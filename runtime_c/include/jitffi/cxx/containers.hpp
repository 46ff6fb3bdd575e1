/* List<T>, Map<K, V>, Set<T>, Tuple<...>: references to the containers that Python and C share; List<> holds anything.
 *
 *   List<std::int64_t> numbers = {1, 2, 3};
 *   numbers.append(4);
 *   for (std::int64_t n : numbers) ...
 *
 * Items are read and checked as values of T at each access, so a list that another language has changed is safe. Copies of a
 * reference are the same container. A default-constructed one is new and empty.
 */
#ifndef JITFFI_CXX_CONTAINERS_HPP
#define JITFFI_CXX_CONTAINERS_HPP

#include <initializer_list>
#include <tuple>

#include "../pattern.h"
#include "text.hpp"

namespace jitffi {
namespace detail {

/* A value as a view, for as long as this lives. */
template <class T>
class Lent {
 public:
  explicit Lent(const T& value) : packed(value) { Type<Bare<Packed<T>>>::view(packed, &slot, &span); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  operator const jf_any*() const noexcept { return &slot; }

 private:
  Packed<T> packed;
  jf_any slot;
  jf_span span;
};

/* What a borrowed view of an item is as a T. */
template <class T>
T read_item(const jf_any* view) {
  static_assert(!Borrows<typename Type<T>::Reader>::value, "items are owned: say std::string or String");
  typename Type<T>::Reader reader;
  check(reader.read(&Conversion<T>::info, -1, view));
  return reader.get();
}

template <class T>
inline constexpr bool is_any = std::is_same_v<T, AnyValue>;

/* R::lift of containers: the items are checked, too, where their type says anything. */
template <class R, bool Plain>
JITFFI_OWN int32_t lift_container(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out,
                                  jf_temps* temps) noexcept {
  if (lift_code<R::code>(info, index, slot, out, temps) != 0) return -1;
  if constexpr (Plain) {
    return 0;
  } else {
    static const jf_pattern* const pattern = jf_pattern_of(type_text<R>.data);
    return pattern ? jf_pattern_check(pattern, info, index, slot) : -1;
  }
}

/* Goes over what has size() and operator[]; the size is asked for each time, for bodies that change the container. */
template <class C, class T>
class IndexIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = T;
  using reference = T;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  IndexIterator(const C* container, int64_t index) noexcept : container_(container), index_(index) {}
  T operator*() const { return container_->at(index_); }
  IndexIterator& operator++() noexcept { return ++index_, *this; }
  IndexIterator operator++(int) noexcept { return IndexIterator(container_, index_++); }
  bool operator==(const IndexIterator& other) const noexcept { return !(*this != other); }
  bool operator!=(const IndexIterator&) const noexcept { return index_ < static_cast<int64_t>(container_->size()); }

 private:
  const C* container_;
  int64_t index_;
};

}  // namespace detail

template <class T = AnyValue>
class List : public ObjectRef {
 public:
  static constexpr int32_t code = JF_LIST;
  static constexpr auto text() {
    if constexpr (detail::is_any<T>) {
      return text_of("list");
    } else {
      return "list[" + Type<T>::text() + "]";
    }
  }
  static int32_t type() noexcept { return code; }
  static int32_t lift(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out,
                      jf_temps* temps) noexcept {
    return detail::lift_container<List, detail::is_any<T>>(info, index, slot, out, temps);
  }

  List() : List(static_cast<std::size_t>(0)) {}
  /* Empty, with room for that many. */
  explicit List(std::size_t capacity) { object_ = detail::check(jf_list_new(capacity, -1)); }
  List(std::nullptr_t) noexcept {}
  List(std::initializer_list<T> items) : List(items.begin(), items.end()) {}
  List(const std::vector<T>& items) : List(items.begin(), items.end()) {}
  /* The same list, as one of anything. */
  template <class U, class = std::enable_if_t<detail::is_any<T> && !std::is_same_v<T, U>>>
  List(const List<U>& other) noexcept : ObjectRef(other) {}
  template <class Iterator, class = decltype(*std::declval<Iterator&>()++)>
  List(Iterator first, Iterator last) : List() {
    for (; first != last; ++first) append(*first);
  }

  std::size_t size() const noexcept { return object_ ? jf_list_size(object_) : 0; }
  bool empty() const noexcept { return size() == 0; }
  /* Negative indices count from the end; IndexError. */
  T at(int64_t index) const {
    jf_any view;
    detail::check(jf_list_peek(object_, index, &view));
    return detail::read_item<T>(&view);
  }
  T operator[](int64_t index) const { return at(index); }
  T front() const { return at(0); }
  T back() const { return at(-1); }
  void set(int64_t index, const T& value) const { detail::check(jf_list_set(object_, index, detail::Lent<T>(value))); }
  void append(const T& value) const { detail::check(jf_list_append(object_, detail::Lent<T>(value))); }
  void push_back(const T& value) const { append(value); }
  void pop_back() const { pop(); }
  void insert(int64_t index, const T& value) const {
    detail::check(jf_list_insert(object_, index, detail::Lent<T>(value)));
  }
  /* Takes the item out. */
  T pop(int64_t index = -1) const {
    AnyValue made;
    detail::check(jf_list_pop(object_, index, made.out()));
    return made.done().template cast<T>();
  }
  template <class U>
  void extend(const List<U>& items) const {
    detail::check(jf_list_extend(object_, items.get()));
  }
  void reserve(std::size_t capacity) const { detail::check(jf_list_reserve(object_, capacity)); }
  void clear() const noexcept { jf_list_clear(object_); }
  /* The position of the first equal item, or -1. */
  int64_t find(const T& value) const {
    const int64_t found = jf_list_find(object_, detail::Lent<T>(value), JF_NO_INDEX, JF_NO_INDEX);
    if (found < -1) detail::throw_last();
    return found;
  }
  bool contains(const T& value) const { return find(value) >= 0; }
  void reverse() const noexcept { jf_list_reverse(object_); }
  void sort(bool reverse = false) const { detail::check(jf_list_sort(object_, nullptr, reverse)); }
  List copy() const { return steal<List>(detail::check(jf_list_copy(object_))); }
  List slice(int64_t start, int64_t stop = JF_NO_INDEX, int64_t step = 1) const {
    return steal<List>(detail::check(jf_list_slice(object_, start, stop, step)));
  }
  std::vector<T> vector() const { return std::vector<T>(begin(), end()); }
  operator std::vector<T>() const { return vector(); }
  auto begin() const noexcept { return detail::IndexIterator<List, T>(this, 0); }
  auto end() const noexcept { return detail::IndexIterator<List, T>(this, 0); }
};

template <class K = AnyValue, class V = AnyValue>
class Map : public ObjectRef {
 public:
  static constexpr int32_t code = JF_MAP;
  static constexpr auto text() {
    if constexpr (detail::is_any<K> && detail::is_any<V>) {
      return text_of("map");
    } else {
      return "map[" + Type<K>::text() + ", " + Type<V>::text() + "]";
    }
  }
  static int32_t type() noexcept { return code; }
  static int32_t lift(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out,
                      jf_temps* temps) noexcept {
    return detail::lift_container < Map, detail::is_any<K> && detail::is_any < V >> (info, index, slot, out, temps);
  }

  Map() { object_ = detail::check(jf_map_new(0, -1)); }
  Map(std::nullptr_t) noexcept {}
  /* The same map, as one of anything. */
  template <class L, class W,
            class = std::enable_if_t<detail::is_any<K> && detail::is_any<V> && !std::is_same_v<Map, Map<L, W>>>>
  Map(const Map<L, W>& other) noexcept : ObjectRef(other) {}
  Map(std::initializer_list<std::pair<K, V>> entries) : Map() {
    for (const auto& entry : entries) set(entry.first, entry.second);
  }

  std::size_t size() const noexcept { return object_ ? jf_map_size(object_) : 0; }
  bool empty() const noexcept { return size() == 0; }
  /* KeyError where it is not there. */
  V at(const K& key) const {
    jf_any view;
    if (!peek(key, &view)) fail_key(key);
    return detail::read_item<V>(&view);
  }
  V operator[](const K& key) const { return at(key); }
  V get(const K& key, V otherwise) const {
    jf_any view;
    return peek(key, &view) ? detail::read_item<V>(&view) : std::move(otherwise);
  }
  /* None where it is not there. */
  Optional<V> get(const K& key) const {
    jf_any view;
    return peek(key, &view) ? Optional<V>(detail::read_item<V>(&view)) : Optional<V>();
  }
  using ObjectRef::get;
  bool contains(const K& key) const {
    jf_any view;
    return peek(key, &view);
  }
  void set(const K& key, const V& value) const {
    detail::check(jf_map_set(object_, detail::Lent<K>(key), detail::Lent<V>(value)));
  }
  std::size_t count(const K& key) const { return contains(key) ? 1 : 0; }
  /* Whether it was there. */
  bool erase(const K& key) const {
    const int32_t found = jf_map_delete(object_, detail::Lent<K>(key));
    if (found < 0) detail::throw_last();
    return found == 1;
  }
  void clear() const noexcept { jf_map_clear(object_); }
  Map copy() const { return steal<Map>(detail::check(jf_map_copy(object_))); }
  List<K> keys() const { return steal<List<K>>(detail::check(jf_map_keys(object_))); }
  List<V> values() const { return steal<List<V>>(detail::check(jf_map_values(object_))); }

  /* In the order of insertion; RuntimeError where keys come or go meanwhile. */
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::pair<K, V>;
    using reference = value_type;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    explicit iterator(jf_object* map) : map_(map) { ++*this; }
    std::pair<K, V> operator*() const { return {detail::read_item<K>(&key_), detail::read_item<V>(&value_)}; }
    iterator& operator++() {
      const int32_t found = map_ ? jf_map_next(map_, &state_, &key_, &value_) : 0;
      if (found < 0) detail::throw_last();
      if (found == 0) map_ = nullptr;
      return *this;
    }
    bool operator==(const iterator& other) const noexcept { return map_ == other.map_; }
    bool operator!=(const iterator& other) const noexcept { return map_ != other.map_; }

   private:
    jf_object* map_;
    jf_map_iterator state_ = {};
    jf_any key_, value_;
  };
  iterator begin() const { return iterator(object_); }
  iterator end() const { return iterator(nullptr); }

 private:
  bool peek(const K& key, jf_any* view) const {
    const int32_t found = jf_map_peek(object_, detail::Lent<K>(key), view);
    if (found < 0) detail::throw_last();
    return found == 1;
  }
  [[noreturn]] static void fail_key(const K& key) { raise("KeyError", AnyValue(key).repr()); }
};

template <class T = AnyValue>
class Set : public ObjectRef {
 public:
  static constexpr int32_t code = JF_SET;
  static constexpr auto text() {
    if constexpr (detail::is_any<T>) {
      return text_of("set");
    } else {
      return "set[" + Type<T>::text() + "]";
    }
  }
  static int32_t type() noexcept { return code; }
  static int32_t lift(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out,
                      jf_temps* temps) noexcept {
    return detail::lift_container<Set, detail::is_any<T>>(info, index, slot, out, temps);
  }

  Set() { object_ = detail::check(jf_set_new(0, -1)); }
  Set(std::nullptr_t) noexcept {}
  Set(std::initializer_list<T> items) : Set(items.begin(), items.end()) {}
  /* The same set, as one of anything. */
  template <class U, class = std::enable_if_t<detail::is_any<T> && !std::is_same_v<T, U>>>
  Set(const Set<U>& other) noexcept : ObjectRef(other) {}
  template <class Iterator, class = decltype(*std::declval<Iterator&>()++)>
  Set(Iterator first, Iterator last) : Set() {
    for (; first != last; ++first) insert(*first);
  }

  std::size_t size() const noexcept { return object_ ? jf_set_size(object_) : 0; }
  bool empty() const noexcept { return size() == 0; }
  bool contains(const T& item) const { return told(jf_set_has(object_, detail::Lent<T>(item))); }
  std::size_t count(const T& item) const { return contains(item) ? 1 : 0; }
  /* Whether it was not there. */
  bool insert(const T& item) const { return told(jf_set_add(object_, detail::Lent<T>(item))); }
  /* Whether it was there. */
  bool erase(const T& item) const { return told(jf_set_discard(object_, detail::Lent<T>(item))); }
  void clear() const noexcept { jf_set_clear(object_); }
  Set copy() const { return steal<Set>(detail::check(jf_set_copy(object_))); }
  List<T> items() const { return steal<List<T>>(detail::check(jf_set_items(object_))); }
  bool is_subset_of(const Set& other) const { return told(jf_set_compare(object_, other.object_, JF_LE)); }
  bool is_disjoint_from(const Set& other) const { return told(jf_set_is_disjoint(object_, other.object_)); }
  Set operator|(const Set& other) const { return combine(other, JF_SET_UNION); }
  Set operator&(const Set& other) const { return combine(other, JF_SET_INTERSECTION); }
  Set operator-(const Set& other) const { return combine(other, JF_SET_DIFFERENCE); }
  Set operator^(const Set& other) const { return combine(other, JF_SET_SYMMETRIC_DIFFERENCE); }
  const Set& operator|=(const Set& other) const { return change(other, JF_SET_UNION); }
  const Set& operator&=(const Set& other) const { return change(other, JF_SET_INTERSECTION); }
  const Set& operator-=(const Set& other) const { return change(other, JF_SET_DIFFERENCE); }
  const Set& operator^=(const Set& other) const { return change(other, JF_SET_SYMMETRIC_DIFFERENCE); }

  /* In the order of insertion; RuntimeError where items come or go meanwhile. */
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using reference = T;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    explicit iterator(jf_object* set) : set_(set) { ++*this; }
    T operator*() const { return detail::read_item<T>(&item_); }
    iterator& operator++() {
      const int32_t found = set_ ? jf_set_next(set_, &state_, &item_) : 0;
      if (found < 0) detail::throw_last();
      if (found == 0) set_ = nullptr;
      return *this;
    }
    bool operator==(const iterator& other) const noexcept { return set_ == other.set_; }
    bool operator!=(const iterator& other) const noexcept { return set_ != other.set_; }

   private:
    jf_object* set_;
    jf_map_iterator state_ = {};
    jf_any item_;
  };
  iterator begin() const { return iterator(object_); }
  iterator end() const { return iterator(nullptr); }

 private:
  static bool told(int32_t status) {
    if (status < 0) detail::throw_last();
    return status == 1;
  }
  Set combine(const Set& other, int32_t operation) const {
    return steal<Set>(detail::check(jf_set_combine(object_, other.object_, operation)));
  }
  const Set& change(const Set& other, int32_t operation) const {
    detail::check(jf_set_change(object_, other.object_, operation));
    return *this;
  }
};

/* Tuple<A, B>: of exactly these; Tuple<>: of anything, any number. std::get's work is get<I>(), so that
 * `auto [a, b] = tuple` does what it says. */
template <class... Ts>
class Tuple : public ObjectRef {
  template <class... Us>
  using IfItems = std::enable_if_t<(sizeof...(Us) == sizeof...(Ts) || sizeof...(Ts) == 0) &&
                                   (detail::IsKnown<detail::Passed<Us>>::value && ...)>;

 public:
  static constexpr int32_t code = JF_TUPLE;
  static constexpr auto text() {
    if constexpr (sizeof...(Ts) == 0) {
      return text_of("tuple");
    } else {
      return "tuple[" + joined<Ts...>() + "]";
    }
  }
  static int32_t type() noexcept { return code; }
  static int32_t lift(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out,
                      jf_temps* temps) noexcept {
    return detail::lift_container<Tuple, sizeof...(Ts) == 0>(info, index, slot, out, temps);
  }

  Tuple(std::nullptr_t) noexcept {}
  template <class... Us, class = std::enable_if_t<sizeof...(Us) >= 2>, class = IfItems<Us...>>
  Tuple(const Us&... values) : Tuple(std::in_place, values...) {}
  template <class... Us, class = std::enable_if_t<sizeof...(Us) <= 1>, class = IfItems<Us...>, class = void>
  explicit Tuple(const Us&... values) : Tuple(std::in_place, values...) {}

  std::size_t size() const noexcept { return object_ ? jf_tuple_size(object_) : 0; }
  AnyValue at(int64_t index) const {
    AnyValue made;
    detail::check(jf_tuple_get(object_, index, made.out()));
    return std::move(made.done());
  }
  AnyValue operator[](int64_t index) const { return at(index); }
  using ObjectRef::get;
  template <std::size_t I>
  auto get() const {
    jf_any view;
    detail::check(jf_tuple_peek(object_, static_cast<int64_t>(I), &view));
    return detail::read_item<std::tuple_element_t<I, std::tuple<Ts...>>>(&view);
  }
  auto begin() const noexcept { return detail::IndexIterator<Tuple, AnyValue>(this, 0); }
  auto end() const noexcept { return detail::IndexIterator<Tuple, AnyValue>(this, 0); }

 private:
  template <class... Us>
  Tuple(std::in_place_t, const Us&... values) {
    if constexpr (sizeof...(Us) == 0) {
      object_ = detail::check(jf_tuple_new(nullptr, 0));
    } else if constexpr (sizeof...(Ts) == 0) {
      make<detail::Packed<detail::Passed<Us>>...>(values...);
    } else {
      make<detail::Packed<Ts>...>(values...);
    }
  }
  template <class First, class... Rest>
  static constexpr auto joined() {
    if constexpr (sizeof...(Rest) == 0) {
      return Type<First>::text();
    } else {
      return Type<First>::text() + ", " + joined<Rest...>();
    }
  }
  template <class... Us>
  void make(const Us&... values) {
    jf_any views[sizeof...(Us)];
    jf_span spans[sizeof...(Us)];
    std::size_t i = 0;
    ((Type<Bare<Us>>::view(values, &views[i], &spans[i]), i++), ...);
    object_ = detail::check(jf_tuple_new(views, sizeof...(Us)));
  }
};
template <class... Us>
Tuple(const Us&...) -> Tuple<detail::Passed<Us>...>;

}  // namespace jitffi

template <class... Ts>
struct std::tuple_size<jitffi::Tuple<Ts...>> : std::integral_constant<std::size_t, sizeof...(Ts)> {};
template <std::size_t I, class... Ts>
struct std::tuple_element<I, jitffi::Tuple<Ts...>> : std::tuple_element<I, std::tuple<Ts...>> {};

#endif
