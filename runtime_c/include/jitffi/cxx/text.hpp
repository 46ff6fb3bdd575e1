/* String, UCS4String and Bytes: text and bytes in an owned slot, short ones without an object.
 *
 *   String     UTF-8: up to 7 bytes in the slot, else a shared heap str
 *   UCS4String code points: up to 2 in the slot; indices in constant time
 *   Bytes      up to 7 in the slot
 *
 * They never change, and copies share what is on the heap.
 */
#ifndef JITFFI_CXX_TEXT_HPP
#define JITFFI_CXX_TEXT_HPP

#include "object.hpp"

namespace jitffi {
namespace detail {

/* A slot that is always text of one kind. */
template <class Char, int32_t Small, int32_t Heap>
class TextBase {
 public:
  using View = std::basic_string_view<Char>;
  const Char* data() const {
    if constexpr (sizeof(Char) == 1) {
      if (slot_.type_code == Small) return slot_.v_bytes;
    } else {
      if (slot_.type_code == Small) return slot_.v_char32;
    }
    return heap() ? heap()->data : converted().data();
  }
  /* Bytes, or code points. */
  std::size_t size() const {
    if (slot_.type_code == Small) return static_cast<std::size_t>(slot_.small_len);
    return heap() ? heap()->size : converted().size();
  }
  bool empty() const { return size() == 0; }
  const Char* begin() const { return data(); }
  const Char* end() const { return data() + size(); }
  View view() const { return View(data(), size()); }
  operator View() const { return view(); }
  friend bool operator==(const TextBase& left, const TextBase& right) { return left.view() == right.view(); }
  friend bool operator==(const TextBase& left, View right) { return left.view() == right; }
  friend bool operator==(View left, const TextBase& right) { return left == right.view(); }
  friend bool operator!=(const TextBase& left, const TextBase& right) { return left.view() != right.view(); }
  friend bool operator!=(const TextBase& left, View right) { return left.view() != right; }
  friend bool operator!=(View left, const TextBase& right) { return left != right.view(); }
  friend bool operator<(const TextBase& left, const TextBase& right) { return left.view() < right.view(); }
  const jf_any* slot() const noexcept { return &slot_; }
  /* For readers and fields: the owned slot itself, which must be text of this kind afterwards. */
  jf_any* mutable_slot() noexcept { return &slot_; }

 protected:
  TextBase() noexcept { clear(); }
  TextBase(const TextBase& other) noexcept : slot_(other.slot_) {
    if (is_counted(slot_)) retain(slot_.v_object);
  }
  TextBase(TextBase&& other) noexcept : slot_(other.slot_) { other.clear(); }
  TextBase& operator=(const TextBase& other) noexcept {
    TextBase copy(other);
    std::swap(slot_, copy.slot_);
    return *this;
  }
  TextBase& operator=(TextBase&& other) noexcept {
    std::swap(slot_, other.slot_);
    return *this;
  }
  ~TextBase() {
    if (is_counted(slot_)) release(slot_.v_object);
  }
  void clear() noexcept { set_slot(&slot_, Small, 0); }
  jf_any* null() noexcept {
    set_null(&slot_);
    return &slot_;
  }
  jf_any slot_;

 private:
  using Object = std::conditional_t<sizeof(Char) == 1, jf_str, jf_ucs4>;
  const Object* heap() const noexcept {
    if (slot_.type_code != JF_OBJECT || slot_.v_object->type_code != Heap) return nullptr;
    return reinterpret_cast<const Object*>(slot_.v_object);
  }
  /* In a field of an object another language stores what its type allows: null before it is set, text of the other width. */
  const TextBase& converted() const {
    TextBase made;
    if (slot_.type_code != JF_NULL) {
      Temps temps;
      jf_any* out = made.null();
      if constexpr (Heap == JF_UCS4) {
        jf_ucs4_span span;
        check(jf_lift_ucs4(nullptr, 0, &slot_, &span, &temps.temps) != 0 ? -1 : jf_out_ucs4(out, span.data, span.size));
      } else if constexpr (Heap == JF_STR) {
        jf_span span;
        check(jf_lift_str(nullptr, 0, &slot_, &span, &temps.temps) != 0 ? -1 : jf_out_str(out, span.data, span.size));
      } else {
        jf_span span;
        check(jf_lift_bytes(nullptr, 0, &slot_, &span, &temps.temps) != 0 ? -1
                                                                          : jf_out_bytes(out, span.data, span.size));
      }
    }
    std::swap(const_cast<TextBase*>(this)->slot_, made.slot_);
    return *this;
  }
};

}  // namespace detail

class String : public detail::TextBase<char, JF_SMALL_STR, JF_STR> {
 public:
  String() noexcept = default;
  String(const char* text) : String(std::string_view(text)) {}
  String(const std::string& text) : String(std::string_view(text)) {}
  String(std::string_view text) { detail::check(jf_out_str(null(), text.data(), text.size())); }
  String(const char* data, std::size_t size) : String(std::string_view(data, size)) {}
  std::string str() const { return std::string(data(), size()); }
  operator std::string() const { return str(); }
  friend String operator+(const String& left, const String& right) {
    std::string text;
    text.reserve(left.size() + right.size());
    text.append(left.data(), left.size()).append(right.data(), right.size());
    return String(text);
  }
};

class UCS4String : public detail::TextBase<char32_t, JF_SMALL_UCS4, JF_UCS4> {
 public:
  UCS4String() noexcept = default;
  UCS4String(const char32_t* text) : UCS4String(std::u32string_view(text)) {}
  UCS4String(std::u32string_view text) { detail::check(jf_out_ucs4(null(), text.data(), text.size())); }
  /* The character at an index, which is in range. */
  UCS4String operator[](std::size_t index) const { return UCS4String(view().substr(index, 1)); }
  /* As UTF-8; ValueError for a surrogate. */
  std::string str() const;
};

class Bytes : public detail::TextBase<char, JF_SMALL_BYTES, JF_BYTES> {
 public:
  Bytes() noexcept = default;
  explicit Bytes(std::string_view bytes) : Bytes(bytes.data(), bytes.size()) {}
  Bytes(const void* data, std::size_t size) {
    detail::check(jf_out_bytes(null(), static_cast<const char*>(data), size));
  }
};

namespace detail {

/* Type<T> of the three: the slot as it is. */
template <class T>
struct TextType {
  static void view(const T& value, jf_any* slot, jf_span*) noexcept { *slot = *value.slot(); }
  static int32_t give(T&& value, jf_value* out) noexcept {
    T taken = std::move(value);
    *out = *taken.slot();
    set_slot(taken.mutable_slot(), JF_INT, 0); /* nothing that would be released */
    return 0;
  }
};

}  // namespace detail

template <>
struct Type<String> : detail::TextType<String> {
  static constexpr auto text() { return text_of("str"); }
  struct Reader {
    String value;
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      if (slot->type_code == JF_SMALL_STR && slot->small_len <= 7) {
        *value.mutable_slot() = *slot;
        return 0;
      }
      detail::TextReader reader;
      if (slot->type_code == JF_OBJECT && slot->v_object->type_code == JF_STR) {
        detail::retain(slot->v_object);
        *value.mutable_slot() = *slot;
        return 0;
      }
      if (reader.read(info, index, slot) != 0) return -1;
      jf_any made;
      detail::set_null(&made);
      if (jf_out_str(&made, reader.span.data, reader.span.size) != 0) return -1;
      *value.mutable_slot() = made;
      return 0;
    }
    String get() noexcept { return std::move(value); }
    const String& ref() const noexcept { return value; }
  };
};

template <>
struct Type<UCS4String> : detail::TextType<UCS4String> {
  static constexpr auto text() { return text_of("ucs4"); }
  struct Reader {
    UCS4String value;
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      detail::Temps temps;
      jf_ucs4_span span;
      if (slot->type_code == JF_OBJECT && slot->v_object->type_code == JF_UCS4) {
        detail::retain(slot->v_object);
        *value.mutable_slot() = *slot;
        return 0;
      }
      if (jf_lift_ucs4(info, index, slot, &span, &temps.temps) != 0) return -1;
      jf_any made;
      detail::set_null(&made);
      if (jf_out_ucs4(&made, span.data, span.size) != 0) return -1;
      *value.mutable_slot() = made;
      return 0;
    }
    UCS4String get() noexcept { return std::move(value); }
    const UCS4String& ref() const noexcept { return value; }
  };
};

template <>
struct Type<Bytes> : detail::TextType<Bytes> {
  static constexpr auto text() { return text_of("bytes"); }
  struct Reader {
    Bytes value;
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      detail::Temps temps;
      jf_span span;
      if (slot->type_code == JF_OBJECT && slot->v_object->type_code == JF_BYTES) {
        detail::retain(slot->v_object);
        *value.mutable_slot() = *slot;
        return 0;
      }
      if (jf_lift_bytes(info, index, slot, &span, &temps.temps) != 0) return -1;
      jf_any made;
      detail::set_null(&made);
      if (jf_out_bytes(&made, span.data, span.size) != 0) return -1;
      *value.mutable_slot() = made;
      return 0;
    }
    Bytes get() noexcept { return std::move(value); }
    const Bytes& ref() const noexcept { return value; }
  };
};

inline std::string UCS4String::str() const {
  const int64_t bytes = jf_ucs4_utf8_size(data(), size());
  if (bytes < 0) raise("ValueError", "a surrogate has no UTF-8");
  std::string made(static_cast<std::size_t>(bytes), '\0');
  jf_ucs4_to_utf8(data(), size(), &made[0]);
  return made;
}

}  // namespace jitffi

#endif
