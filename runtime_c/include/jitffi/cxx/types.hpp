/* Type<T> of numbers, pointers, DLPack's values, and the standard library's text and vectors. */
#ifndef JITFFI_CXX_TYPES_HPP
#define JITFFI_CXX_TYPES_HPP

#include <limits>
#include <string_view>
#include <vector>

#include "any.hpp"

namespace jitffi {
namespace detail {

/* Temporaries that a reader needs. */
struct Temps {
  jf_temps temps = {nullptr};
  Temps() = default;
  Temps(const Temps&) = delete;
  Temps& operator=(const Temps&) = delete;
  ~Temps() {
    if (temps.head) jf_temps_release(&temps);
  }
};

template <class T>
constexpr int32_t kind_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return JF_KIND_BOOL;
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? JF_KIND_F32 : sizeof(T) == 8 ? JF_KIND_F64 : JF_KIND_LONGDOUBLE;
  } else {
    constexpr int32_t first = std::is_signed_v<T> ? JF_KIND_I8 : JF_KIND_U8;
    return first + (sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3);
  }
}
template <int32_t Kind>
constexpr auto text_of_kind() {
  if constexpr (Kind == JF_KIND_BOOL) {
    return text_of("bool");
  } else if constexpr (Kind == JF_KIND_F32) {
    return text_of("f32");
  } else if constexpr (Kind == JF_KIND_F64) {
    return text_of("f64");
  } else if constexpr (Kind <= JF_KIND_I64) {
    constexpr const char* sizes[] = {"i8", "i16", "i32", "i64"};
    if constexpr (Kind == JF_KIND_I8)
      return text_of("i8");
    else
      return Text<3>{{sizes[Kind - JF_KIND_I8][0], sizes[Kind - JF_KIND_I8][1], sizes[Kind - JF_KIND_I8][2], 0}};
  } else {
    constexpr const char* sizes[] = {"u8", "u16", "u32", "u64"};
    if constexpr (Kind == JF_KIND_U8)
      return text_of("u8");
    else
      return Text<3>{{sizes[Kind - JF_KIND_U8][0], sizes[Kind - JF_KIND_U8][1], sizes[Kind - JF_KIND_U8][2], 0}};
  }
}

/* Numbers that a slot has: not char, which is a character, nor long double. */
template <class T>
inline constexpr bool is_number =
    std::is_same_v<T, bool> || std::is_same_v<T, float> || std::is_same_v<T, double> ||
    (std::is_integral_v<T> && sizeof(T) <= 8 && !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> &&
     !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>);

template <class T>
constexpr bool fits(int64_t value) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<int64_t>(static_cast<T>(value)) == value;
  } else {
    return value >= 0 && (sizeof(T) == 8 || static_cast<int64_t>(static_cast<T>(value)) == value);
  }
}

/* Whether a double is no smaller or larger than the numbers of a floating-point type, or infinite, or no number. */
template <class T>
constexpr bool is_in_range(double value) {
  constexpr double most = static_cast<double>((std::numeric_limits<T>::max)()); /* which may be a macro */
  return sizeof(T) == sizeof(double) || !(value > most || value < -most) || value - value != 0;
}

}  // namespace detail

template <class T>
struct Type<T, std::enable_if_t<detail::is_number<T>>> {
  static constexpr int32_t kind = detail::kind_of<T>();
  static constexpr auto text() { return detail::text_of_kind<kind>(); }
  static void view(const T& value, jf_any* slot, jf_span*) noexcept {
    slot->small_len = 0;
    if constexpr (std::is_same_v<T, bool>) {
      slot->type_code = JF_BOOL;
      slot->v_int64 = value ? 1 : 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      slot->type_code = JF_FLOAT;
      slot->v_float64 = static_cast<double>(value);
    } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
      slot->type_code = value > static_cast<T>(INT64_MAX) ? JF_UINT : JF_INT;
      slot->v_uint64 = value;
    } else {
      slot->type_code = JF_INT;
      slot->v_int64 = static_cast<int64_t>(value);
    }
  }
  static int32_t give(T&& value, jf_value* out) noexcept {
    view(value, out, nullptr);
    return 0;
  }
  struct Exact {
    using Value = T;
    const jf_any* slot;
    explicit Exact(const jf_any* from) noexcept : slot(from) {}
    static bool fits(const jf_any* slot) noexcept {
      if constexpr (std::is_same_v<T, bool>) {
        return slot->type_code == JF_BOOL;
      } else if constexpr (std::is_floating_point_v<T>) {
        return slot->type_code == JF_FLOAT ? detail::is_in_range<T>(slot->v_float64) : slot->type_code == JF_INT;
      } else {
        return slot->type_code == JF_INT && detail::fits<T>(slot->v_int64);
      }
    }
    T get() const noexcept {
      if constexpr (std::is_same_v<T, bool>) {
        return slot->v_int64 != 0;
      } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(slot->type_code == JF_FLOAT ? slot->v_float64 : static_cast<double>(slot->v_int64));
      } else {
        return static_cast<T>(slot->v_uint64);
      }
    }
    static T take(jf_any* slot) noexcept { return Exact(slot).get(); }
  };
  struct Reader {
    T value;
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      if (Exact::fits(slot)) return value = Exact(slot).get(), 0;
      return convert(info, index, slot);
    }
    int32_t convert(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      uint64_t word;
      if (jf_lift_scalar(info, index, slot, kind, &word) != 0) return -1;
      if constexpr (std::is_same_v<T, bool>) {
        value = word != 0;
      } else {
        std::memcpy(&value, &word, sizeof value);
      }
      return 0;
    }
    T get() const noexcept { return value; }
  };
};

/* Enumerations are their underlying integers. */
template <class T>
struct Type<T, std::enable_if_t<std::is_enum_v<T>>> {
  using Number = std::underlying_type_t<T>;
  static constexpr auto text() { return Type<Number>::text(); }
  static void view(const T& value, jf_any* slot, jf_span* span) noexcept {
    Type<Number>::view(static_cast<Number>(value), slot, span);
  }
  static int32_t give(T&& value, jf_value* out) noexcept { return detail::give_copy(value, out); }
  struct Exact : Type<Number>::Exact {
    using Value = T;
    using Type<Number>::Exact::Exact;
    T get() const noexcept { return static_cast<T>(Type<Number>::Exact::get()); }
    static T take(jf_any* slot) noexcept { return Exact(slot).get(); }
  };
  struct Reader : Type<Number>::Reader {
    T get() const noexcept { return static_cast<T>(this->value); }
  };
};

/* Addresses: NULL is null. */
template <class T>
struct Type<T*, std::enable_if_t<std::is_void_v<T>>> {
  static constexpr auto text() { return text_of("ptr"); }
  static void view(T* const& value, jf_any* slot, jf_span*) noexcept {
    detail::set_slot(slot, value ? JF_HANDLE : JF_NULL, detail::word(value));
  }
  static int32_t give(T*&& value, jf_value* out) noexcept { return view(value, out, nullptr), 0; }
  struct Reader {
    void* value;
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      return jf_lift_ptr(info, index, slot, &value);
    }
    T* get() const noexcept { return value; }
  };
};

template <>
struct Type<std::nullptr_t> {
  static constexpr auto text() { return text_of("null"); }
  static void view(const std::nullptr_t&, jf_any* slot, jf_span*) noexcept { detail::set_null(slot); }
  static int32_t give(std::nullptr_t&&, jf_value* out) noexcept { return detail::set_null(out), 0; }
  struct Reader {
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      return slot->type_code == JF_NULL ? 0 : (jf_fail_type(info, index, slot), -1);
    }
    std::nullptr_t get() const noexcept { return nullptr; }
  };
};

template <>
struct Type<jf_dtype> {
  static constexpr auto text() { return text_of("dtype"); }
  static void view(const jf_dtype& value, jf_any* slot, jf_span*) noexcept {
    detail::set_slot(slot, JF_DTYPE, 0);
    slot->v_dtype = value;
  }
  static int32_t give(jf_dtype&& value, jf_value* out) noexcept { return view(value, out, nullptr), 0; }
  struct Reader {
    uint64_t word;
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      return jf_lift_scalar(info, index, slot, JF_KIND_DTYPE, &word);
    }
    jf_dtype get() const noexcept {
      jf_dtype value;
      std::memcpy(&value, &word, sizeof value);
      return value;
    }
  };
};

template <>
struct Type<jf_device> {
  static constexpr auto text() { return text_of("device"); }
  static void view(const jf_device& value, jf_any* slot, jf_span*) noexcept {
    detail::set_slot(slot, JF_DEVICE, 0);
    slot->v_device = value;
  }
  static int32_t give(jf_device&& value, jf_value* out) noexcept { return view(value, out, nullptr), 0; }
  struct Reader {
    uint64_t word;
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      return jf_lift_scalar(info, index, slot, JF_KIND_DEVICE, &word);
    }
    jf_device get() const noexcept {
      jf_device value;
      std::memcpy(&value, &word, sizeof value);
      return value;
    }
  };
};

/* -- text of the standard library ------------------------------------------------------------------------------- */

namespace detail {

/* Short text lies in the slot, longer text behind *span. */
inline void view_text(const char* data, std::size_t size, int32_t small, int32_t large, jf_any* slot, jf_span* span) {
  if (size <= 7) {
    set_slot(slot, small, 0);
    slot->small_len = static_cast<int32_t>(size);
    if (size) std::memcpy(slot->v_bytes, data, size);
    return;
  }
  *span = {data, size};
  set_slot(slot, large, detail::word(span));
}

struct TextReader : Temps {
  jf_span span;
  int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
    if (slot->type_code == JF_SMALL_STR) {
      span = {slot->v_bytes, static_cast<std::size_t>(slot->small_len)};
      return 0;
    }
    return jf_lift_str(info, index, slot, &span, &temps);
  }
};

}  // namespace detail

template <>
struct Type<std::string> {
  static constexpr auto text() { return text_of("str"); }
  static void view(const std::string& value, jf_any* slot, jf_span* span) noexcept {
    detail::view_text(value.data(), value.size(), JF_SMALL_STR, JF_STR_VIEW, slot, span);
  }
  static int32_t give(std::string&& value, jf_value* out) noexcept {
    return jf_out_str(out, value.data(), value.size());
  }
  struct Reader : detail::TextReader {
    std::string get() const { return std::string(span.data, span.size); }
  };
};

template <>
struct Type<std::string_view> {
  static constexpr auto text() { return text_of("str"); }
  static void view(const std::string_view& value, jf_any* slot, jf_span* span) noexcept {
    detail::view_text(value.data(), value.size(), JF_SMALL_STR, JF_STR_VIEW, slot, span);
  }
  static int32_t give(std::string_view&& value, jf_value* out) noexcept {
    return jf_out_str(out, value.data(), value.size());
  }
  struct Reader : detail::TextReader {
    bool in_place() const noexcept { return !temps.head; }
    std::string_view get() const noexcept { return std::string_view(span.data, span.size); }
  };
};

template <>
struct Type<const char*> {
  static constexpr auto text() { return text_of("cstr"); }
  static void view(const char* const& value, jf_any* slot, jf_span*) noexcept {
    detail::set_slot(slot, value ? JF_RAW_STR : JF_NULL, detail::word(value));
  }
  static int32_t give(const char*&& value, jf_value* out) noexcept {
    return value ? jf_out_str(out, value, std::strlen(value)) : (detail::set_null(out), 0);
  }
  struct Reader : detail::Temps {
    const char* value;
    bool in_place() const noexcept { return !temps.head; }
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      return jf_lift_cstr(info, index, slot, &value, &temps);
    }
    const char* get() const noexcept { return value; }
  };
};
/* -- slots --------------------------------------------------------------------------------------------------------- */

template <>
struct Type<AnyView> {
  static constexpr auto text() { return text_of("any"); }
  static void view(const AnyView& value, jf_any* slot, jf_span*) noexcept { *slot = *value.slot(); }
  static int32_t give(AnyView&& value, jf_value* out) noexcept { return jf_any_retain(value.slot(), out); }
  struct Reader {
    AnyView value;
    int32_t read(const jf_call_info*, int32_t, const jf_any* slot) noexcept {
      jf_any view;
      jf_any_view(slot, &view);
      value = AnyView(view);
      return 0;
    }
    AnyView get() const noexcept { return value; }
  };
};

namespace detail {
/* What values of a type without views are made into, to be viewed. */
template <class A>
using Packed = std::conditional_t<IsViewed<A>::value, const A&, AnyValue>;
/* Whether a view of 16 bytes is, bit for bit, a value. */
inline bool is_as_owned(const jf_any* slot) noexcept {
  switch (slot->type_code) {
    case JF_NULL:
    case JF_INT:
    case JF_FLOAT:
    case JF_BOOL:
    case JF_HANDLE:
    case JF_DTYPE:
    case JF_DEVICE:
    case JF_UINT:
    case JF_MODULE:
    case JF_FUNCTION:
    case JF_NDARRAY:
      return true;
    case JF_SMALL_STR:
    case JF_SMALL_BYTES:
      return slot->small_len <= 7;
    case JF_SMALL_UCS4:
      return slot->small_len <= 2;
    case JF_OBJECT:
      return slot->v_object->type_code > JF_S2_LAST;
    default:
      return false;
  }
}
}  // namespace detail

template <int N>
struct Type<AnyPad<N>> {
  static constexpr auto text() { return text_of("any"); }
  static void view(const AnyPad<N>& value, jf_any* slot, jf_span*) noexcept { jf_any_view(value.slot(), slot); }
  static int32_t give(AnyPad<N>&& value, jf_value* out) noexcept { return value.move_to(out); }
  struct Reader : detail::SlotReader<AnyPad<N>> {
    int32_t read(const jf_call_info*, int32_t, const jf_any* slot) noexcept {
      if (detail::is_as_owned(slot)) return this->borrow(slot);
      return copy(slot);
    }
    JITFFI_COLD int32_t copy(const jf_any* slot) noexcept {
      jf_any view;
      jf_any_view(slot, &view);
      AnyPad<N>& made = this->own();
      const int32_t status = jf_any_retain(&view, made.out());
      made.done();
      return status;
    }
  };
};

inline std::string AnyBase::repr() const {
  AnyPad<15> made;
  detail::check(jf_any_repr(&slot_, made.out()));
  return made.cast<std::string>();
}

/* Python's ==: 1 == 1.0 == true, text by its characters, containers by content. */
inline bool operator==(const AnyBase& left, const AnyBase& right) {
  const int32_t equal = jf_any_equal(left.slot(), right.slot());
  if (equal < 0) detail::throw_last();
  return equal != 0;
}
inline bool operator!=(const AnyBase& left, const AnyBase& right) { return !(left == right); }
template <class T, class = detail::IfValue<T>>
bool operator==(const AnyBase& left, const T& right) {
  AnyView view;
  jf_span span;
  Type<detail::Passed<T>>::view(right, const_cast<jf_any*>(view.slot()), &span);
  return left == static_cast<const AnyBase&>(view);
}
template <class T, class = detail::IfValue<T>>
bool operator!=(const AnyBase& left, const T& right) {
  return !(left == right);
}
template <class T, class = detail::IfValue<T>>
bool operator==(const T& left, const AnyBase& right) {
  return right == left;
}
template <class T, class = detail::IfValue<T>>
bool operator!=(const T& left, const AnyBase& right) {
  return !(right == left);
}

/* Python's order; TypeError between types that have none. */
template <class L, class R, class = std::enable_if_t<std::is_base_of_v<AnyBase, L> || std::is_base_of_v<AnyBase, R>>>
bool compare(const L& left, const R& right, int32_t operation) {
  const AnyView views[2] = {left, right};
  int32_t result = 0;
  detail::check(jf_any_compare(views[0].slot(), views[1].slot(), operation, &result));
  return result != 0;
}
template <class L, class R>
auto operator<(const L& left, const R& right) -> decltype(compare(left, right, JF_LT)) {
  return compare(left, right, JF_LT);
}
template <class L, class R>
auto operator<=(const L& left, const R& right) -> decltype(compare(left, right, JF_LE)) {
  return compare(left, right, JF_LE);
}
template <class L, class R>
auto operator>(const L& left, const R& right) -> decltype(compare(left, right, JF_GT)) {
  return compare(left, right, JF_GT);
}
template <class L, class R>
auto operator>=(const L& left, const R& right) -> decltype(compare(left, right, JF_GE)) {
  return compare(left, right, JF_GE);
}

}  // namespace jitffi

#endif
