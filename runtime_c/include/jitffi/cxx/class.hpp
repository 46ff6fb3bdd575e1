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

#include "../types.h"
#include "registry.hpp"

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

/* Where a member lies in a T, which is asked for before there is one. */
template <class T, class B, class M>
JITFFI_OWN int32_t offset_of(M B::* member) {
  alignas(16) static unsigned char memory[sizeof(T)];
  const B* object = reinterpret_cast<const T*>(memory);
  return static_cast<int32_t>(reinterpret_cast<const unsigned char*>(&(object->*member)) - memory);
}

/* The type's text as a field: the key of an object's own class. */
template <class M>
struct FieldText {
  static constexpr uint32_t flags = 0;
  static std::string get() { return type_text<M>.data; }
};
template <class T>
struct FieldText<Ref<T>> {
  static constexpr uint32_t flags = JF_FIELD_OF_TYPE;
  static std::string get() {
    if (!Ref<T>::type()) raise("TypeError", "a field is of a class that is not registered yet");
    return jf_type_key(Ref<T>::type());
  }
};
template <class T>
struct FieldText<Optional<Ref<T>>> : FieldText<Ref<T>> {
  static std::string get() { return "optional[" + FieldText<Ref<T>>::get() + "]"; }
};

template <class T>
JITFFI_OWN int32_t construct(jf_object* object) {
  return guarded([object] { return construct_object<T>(object), 0; });
}
template <class T>
JITFFI_OWN void destroy(jf_object* object) {
  reinterpret_cast<T*>(object)->~T();
}

}  // namespace detail

/* The base of enumerations whose members are objects (JF_ENUM_KEY in types.h): Class<T, EnumObject>(...).member(name, value). */
struct EnumObject : Object {
  String name;
  Variant<int64_t, String> value;
};

/* The builder. Parent: a class that is registered, which T derives from. */
template <class T, class Parent = Object>
class Class {
  static_assert(std::is_base_of_v<Parent, T> && std::is_base_of_v<Object, Parent>,
                "T derives from Parent, that from Object");

 public:
  explicit Class(const char* key, const char* doc = nullptr) : key_(key), doc_(doc ? doc : "") {
    if constexpr (std::is_same_v<Parent, EnumObject>) define_enum();
    parent_ = std::is_same_v<Parent, Object> ? static_cast<int32_t>(JF_ROOT) : detail::TypeCode<Parent>::get();
    if (!parent_) raise("TypeError", "type '" + key_ + "': its parent is not registered");
    code_ = jf_type_register(key, parent_);
    if (!code_) detail::throw_last();
    detail::TypeCode<T>::known = code_;
  }
  Class(const Class&) = delete;
  Class& operator=(const Class&) = delete;
  ~Class() noexcept(false) {
    if (std::uncaught_exceptions() != 0) return;
    define();
    if constexpr (std::is_base_of_v<EnumObject, T>) make_members();
  }

  template <class B, class M>
  Class& field(const char* name, M B::* member, const char* doc = nullptr) {
    static_assert(detail::FieldKind<M>::value >= 0,
                  "fields are numbers, String, Bytes, AnyValue, Optional, Variant and references");
    static_assert(detail::FieldKind<M>::value != JF_FIELD_OBJECT || sizeof(M) == sizeof(void*),
                  "a reference is a pointer");
    texts_.push_back({name, detail::FieldText<M>::get(), doc ? doc : ""});
    jf_field made = {};
    made.offset = detail::offset_of<T, B, M>(member);
    made.kind = detail::FieldKind<M>::value;
    made.flags = detail::FieldText<M>::flags;
    fields_.push_back(made);
    defaults_.emplace_back();
    return *this;
  }
  template <class B, class M>
  Class& read_only(const char* name, M B::* member, const char* doc = nullptr) {
    field(name, member, doc);
    return flag(JF_FIELD_READ_ONLY);
  }
  /* Of the last field: JF_FIELD_*. */
  Class& flag(uint32_t flags) {
    fields_.back().flags |= flags;
    return *this;
  }
  /* What constructors of other languages give the last field without being told. */
  Class& default_value(AnyValue value) {
    defaults_.back() = std::move(value);
    return flag(JF_FIELD_HAS_DEFAULT);
  }
  /* The same, made for each object by a function of no arguments. */
  Class& default_factory(Function make) {
    defaults_.back() = std::move(make);
    return flag(JF_FIELD_HAS_FACTORY);
  }
  /* JF_TYPE_*, and what structural operations take an object for: JF_STRUCTURE_*. */
  Class& options(uint32_t flags, int32_t structure = JF_STRUCTURE_TREE) {
    flags_ = flags;
    structure_ = structure;
    return *this;
  }

  /* A member function, or a callable whose first argument is the object. */
  template <class B, class R, class... A>
  Class& method(const char* name, R (B::*function)(A...), const char* doc = nullptr) {
    return add(
        name, [function](T* self, A... args) -> R { return (self->*function)(std::forward<A>(args)...); }, doc, false);
  }
  template <class B, class R, class... A>
  Class& method(const char* name, R (B::*function)(A...) const, const char* doc = nullptr) {
    return add(
        name, [function](T* self, A... args) -> R { return (self->*function)(std::forward<A>(args)...); }, doc, false);
  }
  template <class F, class = std::enable_if_t<!std::is_member_pointer_v<F>>>
  Class& method(const char* name, F callable, const char* doc = nullptr) {
    return add(name, std::move(callable), doc, false);
  }
  template <class F>
  Class& static_method(const char* name, F callable, const char* doc = nullptr) {
    return add(name, std::move(callable), doc, true);
  }
  /* The constructor that other languages call: make_object<T>(A...), and what constructs a T within objects of types that
   * they derive from it. */
  template <class... A>
  Class& init() {
    add(
        "__jitffi_construct__",
        [](std::uint64_t memory, A... args) {
          detail::construct_object<T>(reinterpret_cast<jf_object*>(static_cast<std::uintptr_t>(memory)),
                                      std::forward<A>(args)...);
        },
        nullptr, true);
    return add("__init__", [](A... args) { return make_object<T>(std::forward<A>(args)...); }, nullptr, true);
  }

  /* Of an enumeration: a member, which is made when the type is defined, and whose own fields `set`, called with it, fills. */
  template <class F = void (*)(T&)>
  Class& member(const char* name, Variant<int64_t, String> value, F set = [](T&) {}) {
    static_assert(std::is_base_of_v<EnumObject, T>, "members are of classes that derive from EnumObject");
    members_.push_back({name, std::move(value), Function([set](T* made) { set(*made); })});
    return *this;
  }

 private:
  struct Member {
    std::string name;
    Variant<int64_t, String> value;
    Function set;
  };
  static void define_enum() {
    if (detail::TypeCode<EnumObject>::known) return;
    Class<EnumObject>(JF_ENUM_KEY).read_only("name", &EnumObject::name).read_only("value", &EnumObject::value);
  }
  /* As the static methods that find them, for as long as the process. */
  void make_members() {
    List<Ref<T>> all;
    for (const Member& each : members_) {
      Ref<T> made = make_object<T>();
      made->name = String(each.name.c_str());
      made->value = each.value;
      each.set(made);
      all.append(made);
    }
    add("__members__", [all] { return all; }, nullptr, true);
    const std::string key = key_;
    add(
        "__member__",
        [all, key](const std::string& name) -> Ref<T> {
          for (const Ref<T>& each : all) {
            if (each->name == name.c_str()) return each;
          }
          raise("ValueError", key + " has no member '" + name + "'");
        },
        nullptr, true);
  }
  struct Texts {
    std::string name, type, doc;
  };
  template <class F>
  Class& add(const char* name, F callable, const char* doc, bool is_static) {
    const Function function(std::move(callable), (key_ + "." + name).c_str());
    const jf_method made = {name, doc, is_static, function.get()};
    detail::check(jf_type_set_method(code_, &made));
    return *this;
  }
  void define() {
    for (std::size_t i = 0; i < fields_.size(); i++) {
      fields_[i].name = texts_[i].name.c_str();
      fields_[i].type = texts_[i].type.c_str();
      fields_[i].doc = texts_[i].doc.empty() ? nullptr : texts_[i].doc.c_str();
      fields_[i].default_value = *defaults_[i].slot();
    }
    detail::keep_loaded_once(reinterpret_cast<const void*>(&detail::destroy<T>));
    jf_type_info info = {};
    info.key = key_.c_str();
    info.doc = doc_.empty() ? nullptr : doc_.c_str();
    info.parent = parent_;
    info.flags = flags_;
    info.structure = structure_;
    if constexpr (std::is_base_of_v<EnumObject, T>) {
      info.flags = JF_TYPE_FROZEN | JF_TYPE_ENUM;
      info.structure = JF_STRUCTURE_UNIQUE;
    }
    info.num_fields = static_cast<int32_t>(fields_.size());
    info.fields = fields_.data();
    info.size = static_cast<int32_t>(sizeof(T));
    info.construct = jf_construct_refused;
    if constexpr (std::is_default_constructible_v<T>) info.construct = detail::construct<T>;
    info.destroy = detail::destroy<T>;
    info.links = detail::links_of<T>();
    if (!jf_type_define(&info)) detail::throw_last();
  }

  std::string key_, doc_;
  int32_t parent_ = 0, code_ = 0, structure_ = JF_STRUCTURE_TREE;
  uint32_t flags_ = 0;
  std::vector<jf_field> fields_;
  std::vector<Texts> texts_;
  std::vector<AnyValue> defaults_;
  std::vector<Member> members_;
};

/* Fields and methods by name, of objects of any registered type, C++'s or not. */
inline AnyValue get_field(const ObjectRef& object, const char* name) {
  AnyValue made;
  if (object == nullptr) raise("TypeError", "null has no fields");
  detail::check(jf_object_get(object.get(), name, made.out()));
  return made;
}
template <class V>
void set_field(const ObjectRef& object, const char* name, const V& value) {
  if (object == nullptr) raise("TypeError", "null has no fields");
  const detail::PackedArgs<detail::Passed<V>> packed(value);
  detail::check(jf_object_set(object.get(), name, packed.data()));
}
template <class... A>
AnyValue call_method(const ObjectRef& object, const char* name, const A&... args) {
  const detail::PackedArgs<ObjectRef, detail::Passed<A>...> packed(object, args...);
  AnyValue made;
  detail::check(jf_method_call(name, packed.count, packed.data(), made.out()));
  return made;
}
/* A new object of a type by its key, with the defaults of its fields. */
inline ObjectRef make_object_of(const char* key) {
  const int32_t code = jf_type_code(key);
  if (!code) raise("TypeError", std::string("unknown type '") + key + "'");
  return ObjectRef::steal(detail::check(jf_object_make_of(code)));
}

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
