/* Array<T> and FrozenMap<K, V>: containers that never change, as a Tuple of one type and any length is to a List.
 *
 *   Array<String> words = {"to", "be"};                       tuple[str, ...]; Python's jitffi.Tuple
 *   FrozenMap<String, int> counts = {{"to", 2}, {"be", 2}};   an object of type jitffi.FrozenMap, around a map of its own
 *
 * What is made of a List or Map copies its entries, but takes a Map that nobody else has. Copies of a reference are the same
 * container. Values that can change may be in them, and stay so. A FrozenMap as a key of a Map goes by its entries.
 */
#ifndef JITFFI_CXX_FROZEN_HPP
#define JITFFI_CXX_FROZEN_HPP

#include "../types.h"
#include "containers.hpp"

namespace jitffi {

template <class T = AnyValue>
class Array : public ObjectRef {
 public:
  static constexpr int32_t code = JF_TUPLE;
  static constexpr auto text() {
    if constexpr (detail::is_any<T>) {
      return text_of("tuple");
    } else {
      return "tuple[" + Type<T>::text() + ", ...]";
    }
  }
  static int32_t type() noexcept { return code; }
  static int32_t lift(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out,
                      jf_temps* temps) noexcept {
    return detail::lift_container<Array, detail::is_any<T>>(info, index, slot, out, temps);
  }

  Array() { object_ = detail::check(jf_tuple_new(nullptr, 0)); }
  Array(std::nullptr_t) noexcept {}
  Array(std::initializer_list<T> items) : Array(items.begin(), items.end()) {}
  Array(const std::vector<T>& items) : Array(items.begin(), items.end()) {}
  explicit Array(const List<T>& items) { object_ = detail::check(jf_tuple_of(items.get())); }
  /* The same array, as one of anything. */
  template <class U, class = std::enable_if_t<detail::is_any<T> && !std::is_same_v<T, U>>>
  Array(const Array<U>& other) noexcept : ObjectRef(other) {}
  template <class... Us, class = std::enable_if_t<detail::is_any<T> || sizeof...(Us) == 0>, class = void>
  Array(const Tuple<Us...>& other) noexcept : ObjectRef(other) {}
  template <class Iterator, class = decltype(*std::declval<Iterator&>()++)>
  Array(Iterator first, Iterator last) : Array(List<T>(first, last)) {}

  std::size_t size() const noexcept { return object_ ? jf_tuple_size(object_) : 0; }
  bool empty() const noexcept { return size() == 0; }
  /* Negative indices count from the end; IndexError. */
  T at(int64_t index) const {
    jf_any view;
    detail::check(jf_tuple_peek(object_, index, &view));
    return detail::read_item<T>(&view);
  }
  T operator[](int64_t index) const { return at(index); }
  T front() const { return at(0); }
  T back() const { return at(-1); }
  /* The first equal item's index, or -1. */
  int64_t find(const T& value) const {
    const int64_t found = jf_tuple_find(object_, detail::Lent<T>(value), JF_NO_INDEX, JF_NO_INDEX);
    if (found < -1) detail::throw_last();
    return found;
  }
  bool contains(const T& value) const { return find(value) >= 0; }
  Array slice(int64_t start, int64_t stop = JF_NO_INDEX, int64_t step = 1) const {
    return steal<Array>(detail::check(jf_tuple_slice(object_, start, stop, step)));
  }
  Array operator+(const Array& more) const {
    return steal<Array>(detail::check(jf_tuple_concat(object_, more.object_)));
  }
  std::vector<T> vector() const { return std::vector<T>(begin(), end()); }
  operator std::vector<T>() const { return vector(); }
  auto begin() const noexcept { return detail::IndexIterator<Array, T>(this, 0); }
  auto end() const noexcept { return detail::IndexIterator<Array, T>(this, 0); }
};

namespace detail {

/* As Python defines the type, by the same fields: whoever comes first does. */
struct FrozenMapObject {
  jf_object header;
  jf_links links;
  jf_object* map;
};
inline constexpr char frozen_map_key[] = "jitffi.FrozenMap";

/* The map of a FrozenMap, or a Map itself, as a slot; null for anything else. */
inline jf_any map_within(const jf_any* slot) noexcept {
  jf_any found;
  set_null(&found);
  if (!is_counted(*slot)) return found;
  if (jf_type_is_a(slot->v_object->type_code, JF_MAP)) return *slot;
  if (jf_type_is_a(slot->v_object->type_code, jf_type_code(frozen_map_key)))
    set_object(&found, reinterpret_cast<const FrozenMapObject*>(slot->v_object)->map);
  return found;
}
/* What containers do with one, as Python's class does: by its entries. */
inline int32_t frozen_equal(const jf_any* a, const jf_any* b) noexcept {
  const jf_any left = map_within(a), right = map_within(b);
  return left.type_code == JF_NULL || right.type_code == JF_NULL ? 0 : jf_any_equal(&left, &right);
}
inline int32_t frozen_hash(jf_object* object, uint64_t* hash) noexcept {
  const jf_object* map = reinterpret_cast<const FrozenMapObject*>(object)->map;
  jf_map_iterator state = {};
  jf_view key, value;
  int32_t found;
  *hash = 0;
  while ((found = jf_map_next(map, &state, &key, &value)) > 0) {
    uint64_t of_key = 0, of_value = 0;
    if (jf_any_hash(&key, &of_key) != 0 || jf_any_hash(&value, &of_value) != 0) return -1;
    *hash += (of_key ^ (of_value * 0x9e3779b97f4a7c15U)) * 0xbf58476d1ce4e5b9U; /* in whatever order */
  }
  return found;
}
JITFFI_COLD inline int32_t frozen_repr(jf_object* object, jf_value* out) noexcept {
  jf_any slot;
  set_object(&slot, object);
  slot = map_within(&slot);
  return guarded([&] { /* for what has no memory */
                       AnyValue text;
                       if (jf_any_repr(&slot, text.out()) != 0) return -1;
                       return Type<std::string>::give("FrozenMap(" + text.done().cast<std::string>() + ")", out);
  });
}
inline const jf_type_operations& frozen_operations() {
  static const jf_type_operations made = [] {
    jf_type_operations all = jf_field_operations;
    all.equal = frozen_equal;
    all.hash = frozen_hash;
    all.repr = frozen_repr;
    return all;
  }();
  return made;
}
JITFFI_COLD inline const jf_type_info* define_frozen_map() {
  if (const jf_type_info* known = jf_type_info_of(jf_type_code(frozen_map_key))) return known;
  jf_field field = {};
  field.name = "_map";
  field.type = "map";
  field.offset = static_cast<int32_t>(offsetof(FrozenMapObject, map));
  field.kind = JF_FIELD_OBJECT;
  field.flags = JF_FIELD_READ_ONLY;
  set_null(&field.default_value);
  jf_type_info info = {};
  info.key = frozen_map_key;
  info.parent = JF_ROOT;
  info.size = static_cast<int32_t>(sizeof(FrozenMapObject));
  info.links = static_cast<int32_t>(offsetof(FrozenMapObject, links));
  info.flags = JF_TYPE_FROZEN;
  info.num_fields = 1;
  info.fields = &field;
  const int32_t code = jf_type_define(&info);
  if (!code || jf_type_set_operations(code, &frozen_operations()) != 0) throw_last();
  return jf_type_info_of(code);
}
inline const jf_type_info* frozen_map_type() {
  static const jf_type_info* const type = define_frozen_map();
  return type;
}
/* New; steals the map. NULL with the error set, for no map, too. */
JITFFI_COLD inline jf_object* make_frozen_map(jf_object* map) {
  ObjectRef kept = ObjectRef::steal(map);
  const jf_type_info* type = frozen_map_type();
  jf_object* made = map ? jf_object_make_bare(type->code) : nullptr;
  if (made) jf_field_store_object(made, type, &type->fields[0], kept.release());
  return made;
}

}  // namespace detail

template <class K = AnyValue, class V = AnyValue>
class FrozenMap : public ObjectRef {
  using Inner = Map<K, V>;
  static constexpr bool is_any = detail::is_any<K> && detail::is_any<V>;

 public:
  static constexpr auto text() {
    if constexpr (is_any) {
      return text_of(detail::frozen_map_key);
    } else {
      return "jitffi.FrozenMap[" + Type<K>::text() + ", " + Type<V>::text() + "]";
    }
  }
  static int32_t type() { return detail::frozen_map_type()->code; }
  /* Of a map that may change, as a dict of Python's is, a copy is made for the call. */
  static int32_t lift(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out,
                      jf_temps* temps) noexcept {
    const bool is_map = detail::is_counted(*slot) && jf_type_is_a(slot->v_object->type_code, JF_MAP);
    if (!is_map && jf_lift_object(info, index, slot, type(), out, temps) != 0) return -1;
    jf_object* map = is_map ? slot->v_object : reinterpret_cast<const detail::FrozenMapObject*>(*out)->map;
    if constexpr (!is_any) {
      static const jf_pattern* const pattern = jf_pattern_of(detail::type_text<Inner>.data);
      jf_any entries;
      detail::set_object(&entries, map);
      if (!pattern || jf_pattern_check(pattern, info, index, &entries) != 0) return -1;
    }
    if (!is_map) return 0;
    *out = detail::make_frozen_map(jf_map_copy(map));
    return *out ? jf_temps_add(temps, *out, [](void* made) { jf_object_release(static_cast<jf_object*>(made)); }) : -1;
  }

  FrozenMap() : FrozenMap(Inner()) {}
  FrozenMap(std::nullptr_t) noexcept {}
  FrozenMap(std::initializer_list<std::pair<K, V>> entries) : FrozenMap(Inner(entries)) {}
  explicit FrozenMap(const Inner& map) : FrozenMap(map.copy()) {}
  explicit FrozenMap(Inner&& map) {
    object_ = detail::check(detail::make_frozen_map(map.use_count() == 1 ? map.release() : map.copy().release()));
  }
  /* The same map, as one of anything. */
  template <class L, class W, class = std::enable_if_t<is_any && !std::is_same_v<Inner, Map<L, W>>>>
  FrozenMap(const FrozenMap<L, W>& other) noexcept : ObjectRef(other) {}

  std::size_t size() const noexcept { return inner().size(); }
  bool empty() const noexcept { return size() == 0; }
  /* KeyError where it is not there. */
  V at(const K& key) const { return inner().at(key); }
  V operator[](const K& key) const { return at(key); }
  V get(const K& key, V otherwise) const { return inner().get(key, std::move(otherwise)); }
  Optional<V> get(const K& key) const { return inner().get(key); }
  using ObjectRef::get;
  bool contains(const K& key) const { return inner().contains(key); }
  std::size_t count(const K& key) const { return inner().count(key); }
  List<K> keys() const { return inner().keys(); }
  List<V> values() const { return inner().values(); }
  /* Another map of the same entries, which may be changed. */
  Inner map() const { return inner().copy(); }
  using iterator = typename Inner::iterator;
  iterator begin() const { return inner().begin(); }
  iterator end() const { return inner().end(); }
  /* By their entries, in whatever order. */
  friend bool operator==(const FrozenMap& left, const FrozenMap& right) { return left.inner() == right.inner(); }
  friend bool operator!=(const FrozenMap& left, const FrozenMap& right) { return !(left == right); }

 private:
  /* The map in the object, or none; nobody changes it. */
  const Inner& inner() const noexcept {
    static_assert(sizeof(Inner) == sizeof(jf_object*), "a reference is a pointer");
    static const Inner none(nullptr);
    if (!object_) return none;
    return reinterpret_cast<const Inner&>(reinterpret_cast<const detail::FrozenMapObject*>(object_)->map);
  }
};

}  // namespace jitffi

#endif
