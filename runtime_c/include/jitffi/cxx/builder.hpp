/* What Class<T> of class.hpp is made of: all of it that is the same whatever T is, and so is compiled once. */
#ifndef JITFFI_CXX_BUILDER_HPP
#define JITFFI_CXX_BUILDER_HPP

#include "../types.h"
#include "arg.hpp"
#include "registry.hpp"

namespace jitffi {
namespace detail {

/* What a Class<T> collects, and does with it. */
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
    for (int32_t i = 0; i < info_.num_fields; i++) jf_any_release(&fields_[i].default_value);
    std::free(fields_);
  }

  JITFFI_COLD void add_field(const char* name, const char* type, const char* doc, std::size_t offset, int32_t kind,
                             uint32_t flags) {
    jf_field field = {};
    field.offset = static_cast<int32_t>(offset);
    field.kind = kind;
    field.flags = flags;
    field.name = kept(name);
    field.type = type;
    field.doc = doc ? kept(doc) : nullptr;
    set_null(&field.default_value);
    const std::size_t count = static_cast<std::size_t>(info_.num_fields);
    void* more = std::realloc(fields_, (count + 1) * sizeof(jf_field));
    if (!more) raise(Error(nullptr));
    fields_ = static_cast<jf_field*>(more);
    fields_[count] = field;
    info_.num_fields++;
    last_ = field.name;
  }
  JITFFI_COLD jf_field& last_field() {
    if (!fields_) fail("ValueError", "type '", "': it has no field yet that this is to be said of");
    return fields_[info_.num_fields - 1];
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
  /* The same of a callable that its bytes are. */
  JITFFI_COLD void add_bytes(const char* name, const ClosureCode& code, const void* callable, const char* doc,
                             bool is_static) {
    add_function(name, copy_closure(code, callable, name_of(name)), code.method_params, doc, is_static);
  }
  JITFFI_COLD void name_next(const Function& function, bool is_static) {
    const Naming naming = naming_;
    naming_ = nullptr;
    const std::string problem = naming(function, is_static ? 0 : 1, named_, num_named_);
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
    info_.fields = fields_;
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
  jf_field* fields_ = nullptr; /* info_.num_fields; their defaults are owned */
  Where where_;                /* where the class is registered: what tracebacks show of its methods */
  using Naming = std::string (*)(const Function&, std::size_t, const arg*, std::size_t);
  Naming naming_ = nullptr; /* what names the next method's parameters, if any, as these say */
  const arg* named_ = nullptr;
  std::size_t num_named_ = 0;

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
}  // namespace jitffi

#endif
