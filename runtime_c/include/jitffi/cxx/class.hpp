/* Class<T>: registers a class that derives from Object, with fields and methods that Python and C know, too.
 *
 *   struct Point : jitffi::Object {
 *     double x = 0, y = 0;
 *     Point() = default;
 *     Point(double x, double y) : x(x), y(y) {}
 *     double norm() const;
 *   };
 *   JITFFI_STATIC_BLOCK(register_point) {
 *     Class<Point>("demo.Point").init<double, double>().field("x", &Point::x).field("y", &Point::y).method("norm", &Point::norm);
 *   }
 *
 * A field is a number, String, UCS4String, Bytes, AnyValue, Optional, Variant, or a reference (List, Map, Ref<T>, ...). What is
 * no field is the class's own business. The type is defined when the builder goes, at the end of the statement.
 */
#ifndef JITFFI_CXX_CLASS_HPP
#define JITFFI_CXX_CLASS_HPP

#include <exception>

#include "builder.hpp"

namespace jitffi {
namespace detail {

/* How a field of a C++ type is stored; -1: not at all. */
template <class M>
constexpr int32_t field_kind() {
  if constexpr (is_number<M>) {
    return kind_of<M>();
  } else if constexpr (std::is_enum_v<M>) {
    return kind_of<std::underlying_type_t<M>>();
  } else if constexpr (std::is_same_v<M, jf_dtype>) {
    return JF_KIND_DTYPE;
  } else if constexpr (std::is_same_v<M, jf_device>) {
    return JF_KIND_DEVICE;
  } else if constexpr (is_ref<M>) {
    return JF_FIELD_OBJECT;
  } else {
    return -1;
  }
}
template <class T>
struct FieldKind {
  static constexpr int32_t value = field_kind<T>();
};
template <>
struct FieldKind<String> {
  static constexpr int32_t value = JF_FIELD_SLOT;
};
template <>
struct FieldKind<UCS4String> : FieldKind<String> {};
template <>
struct FieldKind<Bytes> : FieldKind<String> {};
template <>
struct FieldKind<AnyValue> : FieldKind<String> {};
template <class... Ts>
struct FieldKind<Variant<Ts...>> : FieldKind<String> {};
template <class T>
struct FieldKind<Optional<T>> {
  static constexpr int32_t value = is_ref<T> ? JF_FIELD_OBJECT : JF_FIELD_SLOT;
};

/* The type's text as a field, which is for ever: the key of an object's own class. */
template <class M>
struct FieldText {
  static constexpr uint32_t flags = 0;
  static const char* get() { return type_text<M>.data; }
};
/* The key of a class; `optional`: of what may be null. */
JITFFI_COLD inline const char* text_of_class(int32_t type, bool optional) {
  if (!type) raise("TypeError", "a field is of a class that is not registered yet");
  const char* key = jf_type_key(type);
  if (!optional) return key;
  const char* made = jf_intern(std::string("optional[").append(key).append("]").c_str());
  if (!made) throw_last();
  return made;
}
template <class T>
struct FieldText<Ref<T>> {
  static constexpr uint32_t flags = JF_FIELD_OF_TYPE;
  static const char* get() { return text_of_class(Ref<T>::type(), false); }
};
template <class T>
struct FieldText<Optional<Ref<T>>> : FieldText<Ref<T>> {
  static const char* get() { return text_of_class(Ref<T>::type(), true); }
};

template <class T>
JITFFI_OWN int32_t construct(jf_object* object) {
  int32_t status;
  JITFFI_GUARDED(status, (construct_object<T>(object), 0));
  return status;
}
template <class T>
JITFFI_OWN void destroy(jf_object* object) {
  reinterpret_cast<T*>(object)->~T();
}
/* The method that copies begin with: by T's copy constructor, of an object that is a T and nothing more; null for others. */
template <class T>
JITFFI_OWN int32_t copy(jf_function*, int32_t count, const jf_view* args, jf_value* out) {
  set_null(out);
  const int32_t type = TypeCode<T>::get();
  if (count != 1 || args->type_code != JF_OBJECT || args->v_object->type_code != type) return 0;
  jf_object* object = static_cast<jf_object*>(jf_object_new(sizeof(T), type, nullptr));
  if (!object) return -1;
  int32_t status;
  JITFFI_GUARDED(status, (construct_object<T>(object, *reinterpret_cast<const T*>(args->v_object)), 0));
  if (status != 0) {
    if (!JITFFI_EXCEPTIONS) reinterpret_cast<T*>(object)->~T(); /* there is one, and an error that was there before */
    return jf_object_free(object), -1;
  }
  finish_object(object, delete_object<T>, links_of<T> != 0);
  set_object(out, object);
  return 0;
}

}  // namespace detail

/* The base of enumerations whose members are objects (JF_ENUM_KEY in types.h): Class<T, EnumObject>(...).member(name, value). */
struct EnumObject : Object {
  String name;
  Variant<int64_t, String> value;
};

/* The builder. Parent: a class that is registered, which T derives from. */
template <class T, class Parent = Object>
class Class : detail::Builder {
  static_assert(std::is_base_of_v<Parent, T> && std::is_base_of_v<Object, Parent>,
                "T derives from Parent, that from Object");

 public:
  explicit Class(const char* key, const char* doc = nullptr, const Where& where = Where::here())
      : Builder(key, doc, parent_code(), where) {
    detail::TypeCode<T>::known = code_;
  }
  ~Class() noexcept(false) {
    if (std::uncaught_exceptions() != 0) return;
    if constexpr (std::is_base_of_v<EnumObject, T>) {
      info_.flags = JF_TYPE_FROZEN | JF_TYPE_ENUM;
      info_.structure = JF_STRUCTURE_UNIQUE;
    }
    info_.size = static_cast<int32_t>(sizeof(T));
    info_.construct = jf_construct_refused;
    if constexpr (std::is_default_constructible_v<T>) info_.construct = detail::construct<T>;
    info_.destroy = detail::destroy<T>;
    info_.links = detail::links_of<T>;
    define();
    if constexpr (std::is_copy_constructible_v<T> && !std::is_base_of_v<EnumObject, T>) add_copy(detail::copy<T>);
    if constexpr (std::is_base_of_v<EnumObject, T>) {
      make_members<Ref<EnumObject>>([]() -> Ref<EnumObject> { return make_object<T>(); });
    }
  }

  template <class B, class M>
  Class& field(const char* name, M B::* member, const char* doc = nullptr) {
    static_assert(detail::FieldKind<M>::value >= 0,
                  "fields are numbers, enums, String, UCS4String, Bytes, AnyValue, Optional, Variant and references");
    static_assert(detail::FieldKind<M>::value != JF_FIELD_OBJECT || sizeof(M) == sizeof(void*),
                  "a reference is a pointer");
    /* Where the member lies in a T, which is asked for before there is one. */
    constexpr std::uintptr_t anywhere = 1 << 16;
    const B* object = reinterpret_cast<const T*>(anywhere);
    const std::size_t offset = reinterpret_cast<std::uintptr_t>(&(object->*member)) - anywhere;
    add_field(name, detail::FieldText<M>::get(), doc, offset, detail::FieldKind<M>::value, detail::FieldText<M>::flags);
    return *this;
  }
  template <class B, class M>
  Class& read_only(const char* name, M B::* member, const char* doc = nullptr) {
    field(name, member, doc);
    return flag(JF_FIELD_READ_ONLY);
  }
  /* Of the last field: JF_FIELD_*. */
  Class& flag(uint32_t flags) {
    last_field().flags |= flags;
    return *this;
  }
  /* The last field, a reference, takes null from other languages, whether or not the class has ever left one there. */
  Class& nullable() {
    set_nullable();
    return *this;
  }
  /* What constructors of other languages give the last field without being told. */
  Class& default_value(AnyValue value) {
    set_default(std::move(value), JF_FIELD_HAS_DEFAULT);
    return *this;
  }
  /* The same, made for each object by a function of no arguments. */
  Class& default_factory(Function make) {
    set_default(std::move(make), JF_FIELD_HAS_FACTORY);
    return *this;
  }
  /* What tools are told of the last field or method: metadata("unit", "mm"). */
  Class& metadata(const char* key, const AnyValue& value) {
    add_metadata(key, value);
    return *this;
  }
  /* JF_TYPE_*, and what structural operations take an object for: JF_STRUCTURE_*. */
  Class& options(uint32_t flags, int32_t structure = JF_STRUCTURE_TREE) {
    info_.flags = flags | (info_.flags & JF_TYPE_OWN_STRUCTURE);
    info_.structure = structure;
    return *this;
  }

  /* A member function, or a callable whose first argument is the object. */
  template <class F>
  Class& method(const char* name, F callable, const char* doc = nullptr) {
    if constexpr (std::is_member_function_pointer_v<F>) {
      const detail::WithObject<T*, F> made{callable};
      add_bytes(name, detail::CodeOf<detail::WithObject<T*, F>>::code, &made, doc, false);
      return *this;
    } else {
      return add(name, static_cast<F&&>(callable), doc, false);
    }
  }
  /* With names of the parameters behind the object. */
  template <class F, class... A>
  Class& method(const char* name, F callable, const arg& first, const A&... args) {
    const arg named[] = {first, args...};
    name_by(named, 1 + sizeof...(A));
    return method(name, static_cast<F&&>(callable));
  }
  template <class F>
  Class& static_method(const char* name, F callable, const char* doc = nullptr) {
    return add(name, static_cast<F&&>(callable), doc, true);
  }
  template <class F, class... A>
  Class& static_method(const char* name, F callable, const arg& first, const A&... args) {
    const arg named[] = {first, args...};
    name_by(named, 1 + sizeof...(A));
    return static_method(name, static_cast<F&&>(callable));
  }
  /* The constructor that other languages call: make_object<T>(A...), and what constructs a T within objects of types that
   * they derive from it. `names` of the parameters, and defaults: arg. */
  template <class... A, class... N>
  Class& init(const N&... names) {
    add(
        Builder::construct_name,
        [](std::uint64_t memory, A... args) {
          detail::construct_object<T>(reinterpret_cast<jf_object*>(static_cast<std::uintptr_t>(memory)),
                                      static_cast<A&&>(args)...);
        },
        nullptr, true);
    const auto make = [](A... args) { return make_object<T>(static_cast<A&&>(args)...); };
    if constexpr (sizeof...(N) != 0) {
      const arg named[] = {arg(names)...};
      name_by(named, sizeof...(N));
      return add("__init__", make, nullptr, true);
    } else {
      return add("__init__", make, nullptr, true);
    }
  }

  /* Of an enumeration: a member, which is made when the type is defined, and whose own fields `set`, called with it, fills. */
  template <class F = void (*)(T&)>
  Class& member(const char* name, Variant<int64_t, String> value, F set = [](T&) {}) {
    static_assert(std::is_base_of_v<EnumObject, T>, "members are of classes that derive from EnumObject");
    add_member(name, std::move(value), Function([set](T* made) { set(*made); }));
    return *this;
  }

 private:
  static int32_t parent_code() {
    if constexpr (std::is_same_v<Parent, Object>) {
      return JF_ROOT;
    } else {
      if constexpr (std::is_same_v<Parent, EnumObject>) define_enum();
      return detail::TypeCode<Parent>::get();
    }
  }
  static void define_enum() {
    if (detail::TypeCode<EnumObject>::known) return;
    Class<EnumObject>(JF_ENUM_KEY).read_only("name", &EnumObject::name).read_only("value", &EnumObject::value);
  }
  template <class Arg>
  void name_by(const Arg* args, std::size_t count) {
    named_ = args;
    num_named_ = count;
    naming_ = detail::name_params<Arg>;
  }
  template <class F>
  JITFFI_INLINE Class& add(const char* name, F callable, const char* doc, bool is_static) {
    if constexpr (std::is_member_function_pointer_v<F>) {
      using Owner = typename detail::ClassOf<F>::Type;
      using First = std::conditional_t<std::is_base_of_v<Object, Owner>, Owner*, Owner>;
      return add(name, detail::WithObject<First, F>{callable}, doc, is_static);
    } else if constexpr (detail::is_bytes<F>) {
      add_bytes(name, detail::CodeOf<F>::code, &callable, doc, is_static);
    } else {
      jf_object* const made = detail::make_function<F>(static_cast<F&&>(callable), name_of(name));
      add_function(name, made, detail::CodeOf<F>::code.method_params, doc, is_static);
    }
    return *this;
  }
};

/* Fields and methods by name, of objects of any registered type, C++'s or not. */
inline AnyValue get_field(const ObjectRef& object, const char* name) {
  AnyValue made;
  if (object == nullptr) raise("TypeError", "null has no fields");
  detail::check(jf_object_get(object.get(), name, made.out()));
  return made;
}
inline AnyValue get_field(const ObjectRef& object, const std::string& name) { return get_field(object, name.c_str()); }
template <class V>
void set_field(const ObjectRef& object, const char* name, const V& value) {
  if (object == nullptr) raise("TypeError", "null has no fields");
  const detail::PackedArgs<detail::Passed<V>> packed(value);
  detail::check(jf_object_set(object.get(), name, packed.data()));
}
template <class V>
void set_field(const ObjectRef& object, const std::string& name, const V& value) {
  set_field(object, name.c_str(), value);
}
template <class... A>
AnyValue call_method(const ObjectRef& object, const char* name, const A&... args) {
  const detail::PackedArgs<ObjectRef, detail::Passed<A>...> packed(object, args...);
  AnyValue made;
  detail::check(jf_method_call(name, packed.count, packed.data(), made.out()));
  return made;
}
template <class... A>
AnyValue call_method(const ObjectRef& object, const std::string& name, const A&... args) {
  return call_method(object, name.c_str(), args...);
}
/* A new object of a type by its key, with the defaults of its fields. */
inline ObjectRef make_object_of(const char* key) {
  const int32_t code = jf_type_code(key);
  if (!code) raise("TypeError", std::string("unknown type '") + key + "'");
  return ObjectRef::steal(detail::check(jf_object_make_of(code)));
}
inline ObjectRef make_object_of(const std::string& key) { return make_object_of(key.c_str()); }

/* JITFFI_STATIC_BLOCK(name) { ... } runs before main, or at dlopen; what it throws is said on stderr. */
#define JITFFI_STATIC_BLOCK(name)                                                                \
  static void name();                                                                            \
  [[maybe_unused]] static const bool name##_has_run = ::jitffi::detail::run_static(#name, name); \
  static void name()

namespace detail {
inline bool run_static(const char* name, void (*block)()) {
  const int32_t status = guarded([block] { return block(), 0; });
  if (status != 0) std::fprintf(stderr, "jitffi: %s: %s\n", name, Error(jf_error_take()).what());
  return status == 0;
}
}  // namespace detail

}  // namespace jitffi

#endif
