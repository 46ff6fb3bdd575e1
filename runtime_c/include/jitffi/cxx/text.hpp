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

#include <iosfwd>

#include "object.hpp"

namespace jitffi {
namespace detail {

/* Whatever is text, or bytes, as an owned slot of one kind; *out is null before. */
template <int32_t Heap>
JITFFI_COLD int32_t copy_text(const jf_call_info* info, int32_t index, const jf_any* slot, jf_value* out) noexcept {
  Temps temps;
  if constexpr (Heap == JF_UCS4) {
    jf_ucs4_span span;
    return jf_lift_ucs4(info, index, slot, &span, &temps.temps) != 0 ? -1 : jf_out_ucs4(out, span.data, span.size);
  } else if constexpr (Heap == JF_STR) {
    jf_span span;
    return jf_lift_str(info, index, slot, &span, &temps.temps) != 0 ? -1 : jf_out_str(out, span.data, span.size);
  } else {
    jf_span span;
    return jf_lift_bytes(info, index, slot, &span, &temps.temps) != 0 ? -1 : jf_out_bytes(out, span.data, span.size);
  }
}

/* A slot that is always text of one kind. */
template <class Char, int32_t Small, int32_t Heap>
class TextBase {
 public:
  using View = std::basic_string_view<Char>;
  const Char* data() const {
    if (JF_EXPECT_NOT(slot_.type_code != Small)) return heap() ? heap()->data : converted().data();
    if constexpr (sizeof(Char) == 1) {
      return slot_.v_bytes;
    } else {
      return slot_.v_char32;
    }
  }
  /* Bytes, or code points. */
  std::size_t size() const {
    if (JF_EXPECT_NOT(slot_.type_code != Small)) return heap() ? heap()->size : converted().size();
    return static_cast<std::size_t>(slot_.small_len);
  }
  bool empty() const { return size() == 0; }
  const Char* begin() const { return data(); }
  const Char* end() const { return data() + size(); }
  View view() const { return View(data(), size()); }
  operator View() const { return view(); }
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
  JITFFI_COLD const TextBase& converted() const {
    TextBase made;
    if (slot_.type_code != JF_NULL) check(copy_text<Heap>(nullptr, 0, &slot_, made.null()));
    std::swap(const_cast<TextBase*>(this)->slot_, made.slot_);
    return *this;
  }
};

/* How the three compare, with each other and with what the standard library calls text. */
#define JITFFI_COMPARES(operation)                                                      \
  inline bool operator operation(std::string_view left, std::string_view right) {       \
    return left.compare(right) operation 0;                                             \
  }                                                                                     \
  inline bool operator operation(std::u32string_view left, std::u32string_view right) { \
    return left.compare(right) operation 0;                                             \
  }
JITFFI_COMPARES(==)
JITFFI_COMPARES(!=)
JITFFI_COMPARES(<)
JITFFI_COMPARES(>)
JITFFI_COMPARES(<=)
JITFFI_COMPARES(>=)
#undef JITFFI_COMPARES

}  // namespace detail

class UCS4String;

class String : public detail::TextBase<char, JF_SMALL_STR, JF_STR> {
 public:
  String() noexcept = default;
  String(const char* text) : String(std::string_view(text)) {}
  String(const std::string& text) : String(std::string_view(text)) {}
  String(std::string_view text) { detail::check(jf_out_str(null(), text.data(), text.size())); }
  String(const char* data, std::size_t size) : String(std::string_view(data, size)) {}
  String(const UCS4String& text);
  std::string str() const { return std::string(data(), size()); }
  operator std::string() const { return str(); }
  /* Ends in a NUL. */
  const char* c_str() const { return data(); }
  /* The byte at an index, which is in range. */
  char operator[](std::size_t index) const { return data()[index]; }
  friend String operator+(const String& left, const String& right) {
    std::string text;
    text.reserve(left.size() + right.size());
    text.append(left.data(), left.size()).append(right.data(), right.size());
    return String(text);
  }
  String& operator+=(const String& more) { return *this = *this + more; }
};

class UCS4String : public detail::TextBase<char32_t, JF_SMALL_UCS4, JF_UCS4> {
 public:
  UCS4String() noexcept = default;
  UCS4String(const char32_t* text) : UCS4String(std::u32string_view(text)) {}
  UCS4String(const std::u32string& text) : UCS4String(std::u32string_view(text)) {}
  UCS4String(std::u32string_view text) { detail::check(jf_out_ucs4(null(), text.data(), text.size())); }
  /* Of UTF-8. */
  UCS4String(const char* text) : UCS4String(String(text)) {}
  UCS4String(const String& text) { detail::check(detail::copy_text<JF_UCS4>(nullptr, 0, text.slot(), null())); }
  /* The character at an index, which is in range. */
  UCS4String operator[](std::size_t index) const { return UCS4String(view().substr(index, 1)); }
  /* As UTF-8; ValueError for a surrogate. */
  std::string str() const;
  friend UCS4String operator+(const UCS4String& left, const UCS4String& right) {
    return UCS4String(std::u32string(left.view()).append(right.view()));
  }
  UCS4String& operator+=(const UCS4String& more) { return *this = *this + more; }
};

class Bytes : public detail::TextBase<char, JF_SMALL_BYTES, JF_BYTES> {
 public:
  Bytes() noexcept = default;
  explicit Bytes(std::string_view bytes) : Bytes(bytes.data(), bytes.size()) {}
  explicit Bytes(const char* bytes) : Bytes(std::string_view(bytes)) {}
  Bytes(const void* data, std::size_t size) {
    detail::check(jf_out_bytes(null(), static_cast<const char*>(data), size));
  }
  char operator[](std::size_t index) const { return data()[index]; }
};

namespace detail {

template <class T, int32_t Small, int32_t Heap>
struct TextExact {
  static constexpr int32_t most = Small == JF_SMALL_UCS4 ? 2 : 7;
  using Value = T;
  const T& seen;
  explicit TextExact(const jf_any* slot) noexcept : seen(reinterpret_cast<const T&>(*slot)) {
    static_assert(sizeof(T) == sizeof(jf_any) && std::is_standard_layout_v<T>, "the slot, bit for bit");
  }
  static bool fits(const jf_any* slot) noexcept {
    if (JF_EXPECT_NOT(slot->type_code != Small))
      return slot->type_code == JF_OBJECT && slot->v_object->type_code == Heap;
    return slot->small_len <= most;
  }
  T get() const noexcept { return seen; }
  const T& ref() const noexcept { return seen; }
  static T take(jf_any* slot) noexcept {
    T taken;
    *taken.mutable_slot() = *slot;
    set_null(slot);
    return taken;
  }
};
template <class T, int32_t Small, int32_t Heap>
struct TextSlotReader : SlotReader<T> {
  int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
    if (TextExact<T, Small, Heap>::fits(slot)) return this->borrow(slot);
    jf_any made;
    set_null(&made);
    if (copy_text<Heap>(info, index, slot, &made) != 0) return -1;
    *this->own().mutable_slot() = made;
    return 0;
  }
};

/* Type<T> of the three: the slot as it is. */
template <class T, int32_t Small, int32_t Heap>
struct TextType {
  using Exact = TextExact<T, Small, Heap>;
  using Reader = TextSlotReader<T, Small, Heap>;
  static void view(const T& value, jf_any* slot, jf_span*) noexcept { *slot = *value.slot(); }
  static int32_t give(T&& value, jf_value* out) noexcept {
    T taken = static_cast<T&&>(value);
    *out = *taken.slot();
    set_slot(taken.mutable_slot(), JF_INT, 0); /* nothing that would be released */
    return 0;
  }
};

}  // namespace detail

template <>
struct Type<String> : detail::TextType<String, JF_SMALL_STR, JF_STR> {
  static constexpr auto text() { return text_of("str"); }
};

template <>
struct Type<UCS4String> : detail::TextType<UCS4String, JF_SMALL_UCS4, JF_UCS4> {
  static constexpr auto text() { return text_of("ucs4"); }
};

template <>
struct Type<Bytes> : detail::TextType<Bytes, JF_SMALL_BYTES, JF_BYTES> {
  static constexpr auto text() { return text_of("bytes"); }
};

inline String::String(const UCS4String& text) : String(text.str()) {}
inline std::string UCS4String::str() const {
  const int64_t bytes = jf_ucs4_utf8_size(data(), size());
  if (bytes < 0) raise("ValueError", "a surrogate has no UTF-8");
  std::string made(static_cast<std::size_t>(bytes), '\0');
  jf_ucs4_to_utf8(data(), size(), &made[0]);
  return made;
}

template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const String& text) {
  return out << text.view();
}
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const UCS4String& text) {
  return out << text.str();
}
}  // namespace jitffi

template <>
struct std::hash<jitffi::String> {
  std::size_t operator()(const jitffi::String& text) const { return std::hash<std::string_view>()(text.view()); }
};
template <>
struct std::hash<jitffi::UCS4String> {
  std::size_t operator()(const jitffi::UCS4String& text) const { return std::hash<std::u32string_view>()(text.view()); }
};
template <>
struct std::hash<jitffi::Bytes> {
  std::size_t operator()(const jitffi::Bytes& bytes) const { return std::hash<std::string_view>()(bytes.view()); }
};

#endif
