/* ObjectRef: a counted reference to a native object, of which List, Map, Function and the others are; Ref<T>, one to an
 * object of a C++ class that derives from Object.
 *
 *   Ref<Point> p = make_object<Point>(3.0, 4.0);
 *   ObjectRef any = p;
 *   any.as<Point>()      a Ref<Point>, null where the object is of another type
 *   any.cast<Point>()    the same, but a TypeError
 */
#ifndef JITFFI_CXX_OBJECT_HPP
#define JITFFI_CXX_OBJECT_HPP

#include "../types.h"
#include "types.hpp"

namespace jitffi {

class ObjectRef;
template <class T>
class Ref;

namespace detail {
template <class T>
inline constexpr bool is_ref = std::is_base_of_v<ObjectRef, T>;
template <class R>
using RefTo = std::conditional_t<is_ref<R>, R, Ref<R>>;
}  // namespace detail

/* May be null. Its subclasses have nothing of their own but functions, `static constexpr int32_t code`, and text(). */
class ObjectRef {
 public:
  static constexpr int32_t code = JF_ROOT;
  static constexpr auto text() { return text_of("object"); }
  static int32_t lift(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out,
                      jf_temps* temps) noexcept {
    return jf_lift_object(info, index, slot, JF_ROOT, out, temps);
  }

  ObjectRef() noexcept = default;
  ObjectRef(std::nullptr_t) noexcept {}
  ObjectRef(const ObjectRef& other) noexcept : object_(other.object_) { retain(); }
  ObjectRef(ObjectRef&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  ObjectRef& operator=(const ObjectRef& other) noexcept { return *this = ObjectRef(other); }
  ObjectRef& operator=(ObjectRef&& other) noexcept {
    if (this != &other) {
      jf_object* before = object_;
      object_ = other.object_;
      other.object_ = nullptr;
      if (before) detail::release(before);
    }
    return *this;
  }
  ~ObjectRef() {
    if (object_) detail::release(object_);
  }

  /* From a reference that the caller has, or from one that stays the caller's; of the right type, which nobody checks. */
  template <class R = ObjectRef>
  static R steal(jf_object* object) noexcept {
    static_assert(sizeof(R) == sizeof(ObjectRef), "a reference is a pointer");
    R made = R(nullptr);
    static_cast<ObjectRef&>(made).object_ = object;
    return made;
  }
  template <class R = ObjectRef>
  static R borrow(jf_object* object) noexcept {
    R made = steal<R>(object);
    static_cast<ObjectRef&>(made).retain();
    return made;
  }

  jf_object* get() const noexcept { return object_; }
  jf_object* release() noexcept {
    jf_object* object = object_;
    object_ = nullptr;
    return object;
  }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  int32_t type_code() const noexcept { return object_ ? object_->type_code : JF_NULL; }
  const char* type_key() const noexcept { return jf_type_key(type_code()); }
  bool is_a(int32_t ancestor) const noexcept { return object_ && jf_type_is_a(object_->type_code, ancestor); }
  /* A Python object may hold more than one reference to what lies within it. */
  int32_t use_count() const noexcept { return object_ ? __atomic_load_n(&object_->ref_count, __ATOMIC_RELAXED) : 0; }
  bool unique() const noexcept { return use_count() == 1; }
  friend bool operator==(const ObjectRef& ref, std::nullptr_t) noexcept { return !ref.object_; }
  friend bool operator!=(const ObjectRef& ref, std::nullptr_t) noexcept { return ref.object_ != nullptr; }
  bool same_as(const ObjectRef& other) const noexcept { return object_ == other.object_; }
  /* Python's repr() of it; == is Python's, too. */
  std::string repr() const;

  /* Another kind of reference to the same object: R is a class of references, or that of an object. */
  template <class R>
  detail::RefTo<R> as() const noexcept {
    using To = detail::RefTo<R>;
    return is_a(To::type()) ? borrow<To>(object_) : To(nullptr);
  }
  template <class R>
  detail::RefTo<R> cast() const;
  static int32_t type() noexcept { return code; }

 protected:
  void retain() const noexcept {
    if (object_) detail::retain(object_);
  }
  jf_object* object_ = nullptr;
};

namespace detail {
/* Whether a class of references tells by a slot's codes that it holds an object of its type, as `view` writes it: `is_exact`. */
template <class R, class = void>
inline constexpr bool tells_exact = false;
template <class R>
inline constexpr bool tells_exact<R, std::void_t<decltype(R::is_exact(static_cast<const jf_any*>(nullptr)))>> = true;

template <class R>
class RefExact {
 public:
  using Value = R;
  explicit RefExact(const jf_any* slot) noexcept {
    static_assert(sizeof(R) == sizeof(ObjectRef), "a reference is a pointer");
    new (static_cast<void*>(&borrowed_.value)) R(ObjectRef::steal<R>(slot->v_object));
  }
  static bool fits(const jf_any* slot) noexcept { return R::is_exact(slot); }
  R get() const noexcept { return borrowed_.value; }
  const R& ref() const noexcept { return borrowed_.value; }
  static R take(jf_any* slot) noexcept {
    jf_object* object = slot->v_object;
    set_null(slot);
    return ObjectRef::steal<R>(object);
  }

 private:
  Borrowed<R> borrowed_;
};
}  // namespace detail

template <class R>
struct Type<R, std::enable_if_t<detail::is_ref<R>>> {
  static constexpr auto text() { return R::text(); }
  using Exact = std::conditional_t<detail::tells_exact<R>, detail::RefExact<R>, void>;
  static void view(const R& value, jf_any* slot, jf_span*) noexcept {
    detail::set_object(slot, static_cast<const ObjectRef&>(value).get());
  }
  static int32_t give(R&& value, jf_value* out) noexcept {
    jf_object* object = value.release();
    if (object && object->type_code >= JF_S2_FIRST && object->type_code <= JF_S2_LAST) {
      jf_out_object(out, object); /* a box is opened */
    } else {
      detail::set_object(out, object);
    }
    return 0;
  }
  struct Reader : detail::Temps {
    jf_object* object;
    detail::Borrowed<R> borrowed;
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      return R::lift(info, index, slot, &object, &temps);
    }
    R get() const noexcept { return ObjectRef::borrow<R>(object); }
    /* The caller's reference, for the call. */
    const R& ref() noexcept {
      static_assert(sizeof(R) == sizeof(ObjectRef), "a reference is a pointer");
      return *new (static_cast<void*>(&borrowed.value)) R(ObjectRef::steal<R>(object));
    }
    /* The same of an owned slot that was read, which gives its reference away. */
    R take(jf_any* slot) const noexcept {
      if (!detail::is_counted(*slot) || slot->v_object != object) return get();
      detail::set_null(slot);
      return ObjectRef::steal<R>(object);
    }
  };
};

/* By which object it is, for std::unordered_map and its like: == goes by content where the type has one. */
struct ObjectPtrHash {
  std::size_t operator()(const ObjectRef& ref) const noexcept { return std::hash<const void*>()(ref.get()); }
};
struct ObjectPtrEqual {
  bool operator()(const ObjectRef& left, const ObjectRef& right) const noexcept { return left.same_as(right); }
};

inline std::string ObjectRef::repr() const { return AnyView(*this).repr(); }
inline bool operator==(const ObjectRef& left, const ObjectRef& right) { return AnyView(left) == AnyView(right); }
inline bool operator!=(const ObjectRef& left, const ObjectRef& right) { return !(left == right); }

template <class R>
detail::RefTo<R> ObjectRef::cast() const {
  return AnyView(*this).template cast<detail::RefTo<R>>();
}

namespace detail {
template <int32_t Code>
bool is_of_code(const jf_any* slot) noexcept {
  const bool own = Code <= JF_S1_LAST;
  return slot->type_code == (own ? Code : JF_OBJECT) && (own || slot->v_object->type_code == Code);
}
/* What R::lift is for types that have a code, and nothing inside to be checked. */
template <int32_t Code>
int32_t lift_code(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out, jf_temps* temps) {
  if (is_of_code<Code>(slot)) {
    *out = slot->v_object;
    return 0;
  }
  return jf_lift_object(info, index, slot, Code, out, temps);
}
}  // namespace detail

namespace detail {
/* TypeError with another word for what is expected than the signature has; -1. */
inline int32_t fail_expected(const jf_call_info* info, int32_t index, const jf_any* slot,
                             const char* expected) noexcept {
  constexpr int32_t most = 32;
  jf_param_info params[most] = {};
  for (int32_t i = 0; i < info->num_params && i < most; i++) params[i].name = info->params[i].name;
  jf_call_info here = *info;
  here.result = expected;
  here.params = params;
  here.num_params = most;
  if (index >= 0 && index < most) params[index].type = expected;
  jf_fail_type(&here, index, slot);
  return -1;
}
}  // namespace detail

/* What a class of references has: its object's code, its text in signatures, construction from null. */
#define JITFFI_REF_OF(Class, object_code, signature_text)                                                       \
  static constexpr int32_t code = object_code;                                                                  \
  static constexpr auto text() { return signature_text; }                                                       \
  static int32_t type() noexcept { return object_code; }                                                        \
  static bool is_exact(const jf_any* slot) noexcept { return ::jitffi::detail::is_of_code<object_code>(slot); } \
  Class(std::nullptr_t) noexcept {}                                                                             \
  static int32_t lift(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out,             \
                      jf_temps* temps) noexcept {                                                               \
    return ::jitffi::detail::lift_code<object_code>(info, index, slot, out, temps);                             \
  }

/* An error as a value: the object that the exception carries. */
template <>
struct Type<Error> {
  static constexpr auto text() { return text_of("error"); }
  static void view(const Error& value, jf_any* slot, jf_span*) noexcept { detail::set_object(slot, value.object()); }
  static int32_t give(Error&& value, jf_value* out) noexcept { return detail::give_copy(value, out); }
  struct Reader : detail::Temps {
    jf_object* object;
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      if (slot->type_code == JF_OBJECT && jf_type_is_a(slot->v_object->type_code, JF_ERROR)) {
        object = slot->v_object;
        return 0;
      }
      return jf_lift_object(info, index, slot, JF_ERROR, &object, &temps); /* an exception of Python's, too */
    }
    Error get() const {
      jf_object_retain(object);
      return Error(object);
    }
  };
};

/* -- objects of C++ classes ------------------------------------------------------------------------------------------- */

/* The base of classes whose instances are native objects: 16 bytes of header, then the class's fields. No virtual
 * functions, whose table would lie where the header is. Made by make_object alone. */
class Object {
 public:
  Object& operator=(const Object&) = delete;
  jf_object* header() noexcept { return &header_; }
  const jf_object* header() const noexcept { return &header_; }

 protected:
  Object() noexcept : header_{0, 1, nullptr} {}
  Object(const Object& /* another object's header is its own */) noexcept : Object() {}
  ~Object() = default;

 private:
  jf_object header_;
};
static_assert(sizeof(Object) == 16, "the header of an object");

/* The base of classes whose objects can lead to themselves, or form long chains, by their fields: the finder of cycles knows
 * them, and a chain of any length is released without recursion. */
class CyclicObject : public Object {
 public:
  const jf_links* links() const noexcept { return &links_; }

 protected:
  CyclicObject() noexcept = default;
  CyclicObject(const CyclicObject& other) noexcept : Object(other) {}

 private:
  jf_links links_ = {};
};
static_assert(sizeof(CyclicObject) == 32, "header and links");

namespace detail {

template <class T, class = void>
struct HasKey : std::false_type {};
template <class T>
struct HasKey<T, std::void_t<decltype(T::type_key)>> : std::true_type {};

/* The run-time code of a class: set by Class<T>, or found by T::type_key. */
template <class T>
struct TypeCode {
  JITFFI_OWN static inline int32_t known = 0;
  JITFFI_OWN static int32_t get() noexcept {
    if constexpr (HasKey<T>::value) {
      if (!known) known = jf_type_code(type_text<Ref<T>>.data);
    }
    return known;
  }
};

/* Where the links of a class are; 0: it has none. */
template <class T>
inline constexpr int32_t links_of = std::is_base_of_v<CyclicObject, T> ? static_cast<int32_t>(sizeof(Object)) : 0;

template <class T>
JITFFI_OWN void delete_object(jf_object* object) {
  const jf_type_info* info = links_of<T> != 0 ? jf_type_info_of(object->type_code) : nullptr;
  if (info && !jf_object_end_enter(object, info)) return;
  reinterpret_cast<T*>(object)->~T();
  jf_object_free_sized(object, sizeof(T));
  if (info) jf_object_end_leave(info);
}

/* Constructs a T in the memory of a new object, whose header stays. */
template <class T, class... Args>
T* construct_object(jf_object* memory, Args&&... args) {
  static_assert(std::is_base_of_v<Object, T>, "a class derived from jitffi::Object");
  static_assert(!std::is_polymorphic_v<T>,
                "a class without virtual functions, whose table would lie in front of the header");
  static_assert(alignof(T) <= 16, "objects are aligned to 16");
  const jf_object header = *memory;
  T* made = new (static_cast<void*>(memory)) T(static_cast<Args&&>(args)...);
  made->header()->type_code = header.type_code;
  made->header()->deleter = header.deleter;
  return made;
}

}  // namespace detail

/* A counted reference to an object of a class that derives from Object. */
template <class T>
class Ref : public ObjectRef {
 public:
  static constexpr int32_t code = JF_ROOT;
  /* The type's key where the class says it: `static constexpr char type_key[] = "demo.Point";`. */
  static constexpr auto text() {
    if constexpr (detail::HasKey<T>::value) {
      return text_of(T::type_key);
    } else {
      return text_of("object");
    }
  }
  static int32_t type() noexcept { return detail::TypeCode<T>::get(); }
  static bool is_exact(const jf_any* slot) noexcept {
    if (slot->type_code != JF_OBJECT) return false;
    const int32_t found = slot->v_object->type_code;
    return found == type() || jf_type_is_a(found, type());
  }
  static int32_t lift(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out,
                      jf_temps* temps) noexcept {
    const int32_t expected = type();
    *out = slot->type_code == JF_OBJECT ? slot->v_object : nullptr;
    if (slot->type_code == JF_RVALUE && jf_lift_object(info, index, slot, JF_ROOT, out, temps) != 0) return -1;
    if (*out && ((*out)->type_code == expected || (expected && jf_type_is_a((*out)->type_code, expected)))) return 0;
    return detail::fail_expected(info, index, slot, expected ? jf_type_key(expected) : "object of a registered class");
  }

  Ref() noexcept = default;
  Ref(std::nullptr_t) noexcept {}
  /* Another reference to the object. */
  explicit Ref(T* object) noexcept {
    object_ = object ? object->header() : nullptr;
    retain();
  }
  template <class U, class = std::enable_if_t<std::is_base_of_v<T, U>>>
  Ref(const Ref<U>& other) noexcept : ObjectRef(other) {}
  T* get() const noexcept { return reinterpret_cast<T*>(object_); }
  T* operator->() const noexcept { return get(); }
  T& operator*() const noexcept { return *get(); }
};

namespace detail {
/* Memory for an object of a registered class; TypeError for others. */
inline jf_object* new_object(std::size_t size, int32_t type) {
  if (!type) raise("TypeError", "an object of a class that is not registered");
  return check(static_cast<jf_object*>(jf_object_new(size, type, nullptr)));
}
/* After its constructor. */
inline void finish_object(jf_object* object, jf_deleter deleter, bool is_cyclic) noexcept {
  object->deleter = deleter;
  const jf_type_info* info = is_cyclic ? jf_type_info_of(object->type_code) : nullptr;
  if (info) jf_object_track(object, info);
}
}  // namespace detail

/* A new object of a registered class; TypeError for others. */
template <class T, class... Args>
Ref<T> make_object(Args&&... args) {
  jf_object* object = detail::new_object(sizeof(T), detail::TypeCode<T>::get());
#if JITFFI_EXCEPTIONS
  try {
    detail::construct_object<T>(object, static_cast<Args&&>(args)...);
  } catch (...) {
    jf_object_free(object);
    throw;
  }
#else
  detail::construct_object<T>(object, static_cast<Args&&>(args)...);
#endif
  detail::finish_object(object, detail::delete_object<T>, detail::links_of<T> != 0);
  return ObjectRef::steal<Ref<T>>(object);
}

/* A pointer to an object is borrowed: as a parameter it is never NULL. */
template <class T>
struct Type<T*, std::enable_if_t<std::is_base_of_v<Object, std::remove_cv_t<T>>>> {
  using Pointed = Ref<std::remove_cv_t<T>>;
  static constexpr auto text() { return Pointed::text(); }
  static void view(T* const& value, jf_any* slot, jf_span*) noexcept {
    detail::set_object(slot, value ? const_cast<jf_object*>(value->header()) : nullptr);
  }
  static int32_t give(T*&& value, jf_value* out) noexcept { return detail::give_copy<T*>(value, out); }
  struct Exact {
    using Value = T*;
    jf_object* object;
    explicit Exact(const jf_any* slot) noexcept : object(slot->v_object) {}
    static bool fits(const jf_any* slot) noexcept { return Pointed::is_exact(slot); }
    T* get() const noexcept { return reinterpret_cast<T*>(object); }
  };
  struct Reader : detail::Temps {
    jf_object* object;
    bool in_place() const noexcept { return true; }
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      return Pointed::lift(info, index, slot, &object, &temps);
    }
    T* get() const noexcept { return reinterpret_cast<T*>(object); }
  };
};

}  // namespace jitffi

#endif
