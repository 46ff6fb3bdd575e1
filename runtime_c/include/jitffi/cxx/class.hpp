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
#include "arg.hpp"
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
  return guarded([object] { return construct_object<T>(object), 0; });
}
template <class T>
JITFFI_OWN void destroy(jf_object* object) {
  reinterpret_cast<T*>(object)->~T();
}
/* The method that copies begin with: by T's copy constructor, of an object that is a T and nothing more; null for others. */
template <class T>
JITFFI_OWN int32_t copy(jf_function*, int32_t count, const jf_view* args, jf_value* out) {
  set_null(out);
  if (count != 1 || args->type_code != JF_OBJECT || args->v_object->type_code != TypeCode<T>::get()) return 0;
  return guarded([args, out] {
    set_object(out, make_object<T>(*reinterpret_cast<const T*>(args->v_object)).release());
    return 0;
  });
}

}  // namespace detail

/* The base of enumerations whose members are objects (JF_ENUM_KEY in types.h): Class<T, EnumObject>(...).member(name, value). */
struct EnumObject : Object {
  String name;
  Variant<int64_t, String> value;
};

namespace detail {

/* What a Class<T> collects, and does with it, whatever T is: code that is compiled once. */
class Builder {
 public:
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

 protected:
  /* `parent`: a type's code, 0 where it is not registered. */
  JITFFI_COLD Builder(const char* key, const char* doc, int32_t parent, const Where& where) : where_(where) {
    info_.key = kept(key);
    info_.doc = doc ? kept(doc) : nullptr;
    info_.parent = parent;
    if (!parent) fail("TypeError", "type '", "': its parent is not registered");
    code_ = jf_type_register(key, parent);
    if (!code_) throw_last();
    if (const jf_type_info* above = jf_type_info_of(parent)) info_.flags = above->flags & JF_TYPE_OWN_STRUCTURE;
  }
  JITFFI_COLD ~Builder() {
    for (jf_field& each : fields_) jf_any_release(&each.default_value);
  }

  JITFFI_COLD void add_field(const char* name, const char* type, const char* doc, jf_field field) {
    field.name = kept(name);
    field.type = type;
    field.doc = doc ? kept(doc) : nullptr;
    set_null(&field.default_value);
    fields_.push_back(field);
    last_ = field.name;
  }
  JITFFI_COLD jf_field& last_field() {
    if (fields_.empty()) fail("ValueError", "type '", "': it has no field yet that this is to be said of");
    return fields_.back();
  }
  JITFFI_COLD void set_nullable() {
    jf_field& field = last_field();
    if (field.kind != JF_FIELD_OBJECT) fail("TypeError", "type '", "': a field that is no reference is never null");
    if (std::strncmp(field.type, "optional[", 9) == 0) return;
    field.type = kept(std::string("optional[").append(field.type).append("]").c_str());
  }
  JITFFI_COLD void set_default(AnyValue value, uint32_t flag) {
    jf_field& field = last_field();
    jf_any_release(&field.default_value);
    value.move_to(&field.default_value);
    field.flags |= flag;
  }
  /* What messages call a method. */
  JITFFI_COLD const char* name_of(const char* method) const {
    if (std::strcmp(method, construct_name) == 0) return info_.key;
    return kept(std::string(info_.key).append(".").append(method).c_str());
  }
  JITFFI_COLD void add_method(const char* name, const Function& function, const char* doc, bool is_static) {
    const jf_method made = {name, doc, is_static, function.get()};
    check(jf_type_set_method(code_, &made));
    last_ = kept(name);
  }
  /* `made` is stolen; `params` are a method's, null of a packed one. */
  JITFFI_COLD void add_function(const char* name, jf_object* made, const jf_param_info* params, const char* doc,
                                bool is_static) {
    const Function function = ObjectRef::steal<Function>(made);
    detail::set_place(made, where_);
    if (!params && naming_) fail("TypeError", "type '", "': a packed method has no parameters to name");
    /* A function that has been given a name has what messages say of it to itself; memory is no argument, as an object is none. */
    const jf_call_info* info = reinterpret_cast<ClosureHead*>(made)->info;
    const bool has_object = !is_static || std::strcmp(name, construct_name) == 0;
    if (params && has_object) const_cast<jf_call_info*>(info)->params = params;
    if (std::strcmp(name, "__s_equal__") == 0 || std::strcmp(name, "__s_hash__") == 0)
      info_.flags |= JF_TYPE_OWN_STRUCTURE;
    if (naming_) name_next(function, is_static);
    add_method(name, function, doc, is_static);
  }
  JITFFI_COLD void name_next(const Function& function, bool is_static) {
    const std::vector<arg> named = std::exchange(named_, {});
    const std::string problem = std::exchange(naming_, nullptr)(function, is_static ? 0 : 1, named);
    if (!problem.empty()) raise("TypeError", problem);
  }
  JITFFI_COLD void add_copy(jf_packed_call call) {
    add_method("__jitffi_copy__", ObjectRef::steal<Function>(check(jf_function_new(call, nullptr, nullptr, nullptr))),
               nullptr, true);
  }
  /* Templates, so that programs without metadata, and without members, do not compile them. */
  template <class Value>
  JITFFI_COLD void add_metadata(const char* key, const Value& value) {
    if (!last_) fail("ValueError", "type '", "': metadata is that of a field or method");
    if (metadata_ == nullptr) metadata_ = Map<String, Map<String, AnyValue>>();
    Map<String, AnyValue> told;
    if (metadata_.contains(last_)) {
      told = metadata_[last_];
    } else {
      metadata_.set(last_, told);
    }
    told.set(key, value);
    tell_ = &Builder::tell<Value>;
  }
  template <class Value>
  JITFFI_COLD void add_member(const char* name, const Value& value, const Function& set) {
    if (members_ == nullptr) members_ = List<>();
    members_.append(name);
    members_.append(value.any());
    members_.append(set);
  }
  JITFFI_COLD void define() {
    keep_loaded_once(reinterpret_cast<const void*>(info_.destroy));
    info_.num_fields = static_cast<int32_t>(fields_.size());
    info_.fields = fields_.data();
    if (!jf_type_define(&info_)) throw_last();
    if (tell_) (this->*tell_)();
  }
  /* As the static methods that find them, for as long as the process. */
  template <class Member>
  JITFFI_COLD void make_members(Member (*make)()) {
    List<Member> all;
    for (int64_t i = 0; i < static_cast<int64_t>(members_.size()); i += 3) {
      const Member made = make();
      made->name = members_[i].cast<String>();
      made->value = members_[i + 1].cast<Variant<int64_t, String>>();
      members_[i + 2].cast<Function>()(made);
      all.append(made);
    }
    add_method("__members__", Function([all] { return all; }, name_of("__members__")), nullptr, true);
    const char* key = info_.key;
    auto find = [all, key](const String& name) -> Member {
      for (int64_t i = 0; i < static_cast<int64_t>(all.size()); i++) {
        const Member each = all[i];
        if (each->name == name) return each;
      }
      raise("ValueError", std::string(key).append(" has no member '").append(name.view()).append("'"));
    };
    add_method("__member__", Function(find, name_of("__member__")), nullptr, true);
  }

  [[noreturn]] JITFFI_COLD void fail(const char* kind, const char* before, const char* after) const {
    raise(kind, std::string(before).append(info_.key).append(after));
  }

  static constexpr char construct_name[] = "__jitffi_construct__";
  jf_type_info info_ = {};
  int32_t code_ = 0;
  std::vector<jf_field> fields_; /* their defaults are owned */
  Where where_;                  /* where the class is registered: what tracebacks show of its methods */
  std::vector<arg> named_;       /* of the next method's parameters */
  std::string (*naming_)(const Function&, std::size_t,
                         const std::vector<arg>&) = nullptr; /* what names them so, if any */

 private:
  /* Texts are for ever, as types are. */
  static const char* kept(const char* text) {
    const char* made = jf_intern(text);
    if (!made) throw_last();
    return made;
  }
  template <class Value>
  JITFFI_COLD void tell() {
    add_method(JF_METADATA, Function([told = metadata_] { return told; }, name_of(JF_METADATA)), nullptr, true);
  }
  void (Builder::*tell_)() = nullptr;
  List<> members_ = nullptr; /* name, value and function of each */
  const char* last_ = nullptr;
  Map<String, Map<String, AnyValue>> metadata_ = nullptr;
};

}  // namespace detail

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
    info_.links = detail::links_of<T>();
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
    jf_field made = {};
    made.offset = detail::offset_of<T, B, M>(member);
    made.kind = detail::FieldKind<M>::value;
    made.flags = detail::FieldText<M>::flags;
    add_field(name, detail::FieldText<M>::get(), doc, made);
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
      const auto pointer = typename detail::SignatureOf<F>::Pointer(nullptr);
      return add(name, detail::with_object<T*>(callable, pointer), doc, false);
    } else {
      return add(name, std::move(callable), doc, false);
    }
  }
  /* With names of the parameters behind the object. */
  template <class F, class... A>
  Class& method(const char* name, F callable, const arg& first, const A&... args) {
    name_by({first, args...});
    return method(name, std::move(callable));
  }
  template <class F>
  Class& static_method(const char* name, F callable, const char* doc = nullptr) {
    return add(name, std::move(callable), doc, true);
  }
  template <class F, class... A>
  Class& static_method(const char* name, F callable, const arg& first, const A&... args) {
    name_by({first, args...});
    return static_method(name, std::move(callable));
  }
  /* The constructor that other languages call: make_object<T>(A...), and what constructs a T within objects of types that
   * they derive from it. `names` of the parameters, and defaults: arg. */
  template <class... A, class... N>
  Class& init(const N&... names) {
    add(
        Builder::construct_name,
        [](std::uint64_t memory, A... args) {
          detail::construct_object<T>(reinterpret_cast<jf_object*>(static_cast<std::uintptr_t>(memory)),
                                      std::forward<A>(args)...);
        },
        nullptr, true);
    if constexpr (sizeof...(N) != 0) name_by<arg>({arg(names)...});
    return add("__init__", [](A... args) { return make_object<T>(std::forward<A>(args)...); }, nullptr, true);
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
  void name_by(std::initializer_list<Arg> args) {
    named_ = args;
    naming_ = detail::name_params<Arg>;
  }
  template <class F>
  Class& add(const char* name, F callable, const char* doc, bool is_static) {
    using Of = typename detail::SignatureOf<F>::Of;
    jf_object* const made = detail::make_function<F>(std::move(callable), name_of(name));
    const jf_param_info* params = nullptr;
    if constexpr (!Of::is_packed) params = detail::Entry<Of>::of_method.params;
    add_function(name, made, params, doc, is_static);
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
