/* arg: names of a C++ function's parameters, and defaults, which other languages know, too.
 *
 *   JITFFI_REGISTER_GLOBAL("demo.scale").set_body_typed(scale, arg("x"), arg("by") = 2);
 *   Class<Point>("demo.Point").method("move", &Point::move, arg("dx"), arg("dy") = 0);
 *   JITFFI_EXPORT_TYPED(scale, [](double x, double by) { return x * by; }, arg("x"), arg("by") = 2);
 *
 * In the signature's text they are keywords for Python, and errors say them. Who gives fewer arguments than there are, from any
 * language, has the defaults given. All parameters are named, or none; a method's object is called self. Names and defaults that do not
 * fit are refused where the function is registered.
 */
#ifndef JITFFI_CXX_ARG_HPP
#define JITFFI_CXX_ARG_HPP

#include "../pattern.h"
#include "function.hpp"

namespace jitffi {

class arg {
 public:
  explicit arg(const char* name) : name_(name) {}
  /* The default: a number, text, bytes, truth value or null. */
  template <class V, class = std::enable_if_t<!std::is_same_v<Bare<V>, arg>>>
  arg operator=(V&& value) const {
    arg made(name_);
    made.value_ = std::forward<V>(value);
    made.has_value_ = true;
    return made;
  }
  const char* name() const noexcept { return name_; }
  const AnyValue* value() const noexcept { return has_value_ ? &value_ : nullptr; }

 private:
  const char* name_;
  AnyValue value_;
  bool has_value_ = false;
};

namespace detail {

/* What stands in a function object in the place of what messages say of it, and goes with it. A template, as the functions are, so
 * that programs that name no parameters do not compile it. */
template <class Arg>
struct NamedParams {
  CallInfo told; /* first */
  jf_packed_call call;
  jf_deleter destroy;
  jf_param_info* params;
  AnyValue* defaults; /* one a parameter */
  bool has_defaults;
  NamedParams(const ClosureHead* head, std::size_t count)
      : told(*reinterpret_cast<const CallInfo*>(head->info)),
        call(head->function.call),
        destroy(head->function.header.deleter),
        params(new jf_param_info[count]()),
        defaults(nullptr),
        has_defaults(false) {
    told.info.params = params;
  }
  NamedParams(const NamedParams&) = delete;
  NamedParams& operator=(const NamedParams&) = delete;
  ~NamedParams() {
    delete[] params;
    delete[] defaults;
  }
};
template <class Arg>
JITFFI_OWN NamedParams<Arg>* named_params(jf_object* function) {
  const jf_call_info* info = reinterpret_cast<ClosureHead*>(function)->info;
  return reinterpret_cast<NamedParams<Arg>*>(const_cast<jf_call_info*>(info));
}
template <class Arg>
JITFFI_OWN int32_t call_with_defaults(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  const NamedParams<Arg>* named = named_params<Arg>(&self->header);
  const int32_t count = named->told.info.num_params;
  if (num_args < named->told.info.num_required || num_args >= count) return named->call(self, num_args, args, out);
  jf_any few[8];
  jf_any* all = count <= 8 ? few : static_cast<jf_any*>(std::malloc(static_cast<std::size_t>(count) * sizeof(jf_any)));
  if (!all) {
    jf_error_set_object(nullptr);
    set_null(out);
    return -1;
  }
  for (int32_t i = 0; i < num_args; i++) all[i] = args[i];
  for (int32_t i = num_args; i < count; i++) jf_any_view(named->defaults[i].slot(), &all[i]);
  const int32_t status = named->call(self, count, all, out);
  if (all != few) std::free(all);
  return status;
}
template <class Arg>
JITFFI_OWN void destroy_named(jf_object* function) {
  NamedParams<Arg>* named = named_params<Arg>(function);
  named->destroy(function);
  delete named;
}

JITFFI_COLD inline const char* interned(const std::string& text) {
  const char* made = jf_intern(text.c_str());
  if (!made) throw_last();
  return made;
}

inline bool is_name(const std::string& text) {
  const auto is_letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !is_letter(text[0])) return false;
  for (char c : text)
    if (!is_letter(c) && (c < '0' || c > '9')) return false;
  return true;
}
/* A signature's text has numbers, truth values, text, bytes and null. */
inline bool is_plain(const jf_any& value) {
  if (value.type_code == JF_OBJECT) return value.v_object->type_code >= JF_STR && value.v_object->type_code <= JF_BYTES;
  return value.type_code < 0 && value.type_code != JF_HANDLE && value.type_code != JF_DTYPE &&
         value.type_code != JF_DEVICE;
}
/* What is wrong with the default of parameter `index`; "" where it fits, or where only a call can tell. */
template <class Value>
JITFFI_COLD std::string default_problem(const jf_call_info& info, int32_t index, const Value& value) {
  jf_any view;
  jf_any_view(value.slot(), &view);
  if (!is_plain(*value.slot())) return "its default is no number, text, bytes, truth value or null";
  const jf_pattern* pattern = jf_pattern_at(&info, index);
  if (pattern && jf_pattern_check(pattern, &info, index, &view) == 0) return "";
  const Error error = Error::take_last();
  if (!pattern) return "";
  const std::string message = error.message();
  const std::size_t argument = message.find(": argument ");
  const std::size_t at = argument == std::string::npos ? argument : message.find(": ", argument + 2);
  return std::string("its default: ").append(message, at == std::string::npos ? 0 : at + 2, std::string::npos);
}
/* What is wrong with the name of parameter `index`, or its default: "" for nothing. `named` has those before it. */
template <class Arg>
JITFFI_COLD std::string param_problem(const NamedParams<Arg>& named, const Arg& given, const jf_call_info& info,
                                      int32_t index) {
  if (!is_name(given.name())) return "is no name";
  for (int32_t i = 0; i < index; i++)
    if (std::strcmp(named.params[i].name, given.name()) == 0) return "has the name of one before it";
  if (given.value()) return default_problem(info, index, *given.value());
  return named.has_defaults ? "has no default, and one before it has" : "";
}
/* The signature's text with names and defaults. */
template <class Arg>
JITFFI_COLD std::string named_text(const jf_call_info& info, std::size_t bound, const Arg* args, std::size_t count) {
  std::string text = "(";
  if (bound) text.append("self: ").append(info.params[0].type);
  for (std::size_t i = 0; i < count; i++) {
    text.append(i + bound ? ", " : "").append(args[i].name()).append(": ").append(info.params[i + bound].type);
    if (args[i].value()) text.append(" = ").append(args[i].value()->repr());
  }
  return text.append(") -> ").append(info.result);
}

/* `function` is a new one, of C++'s, that has been given a name: nobody has called it yet. `bound`: 1 where it is a method. What is
 * wrong with the names, which it has not got then; "" for nothing. */
template <class Arg>
JITFFI_COLD std::string name_params(const Function& function, std::size_t bound, const Arg* args, std::size_t count) {
  ClosureHead* head = reinterpret_cast<ClosureHead*>(function.get());
  const jf_call_info& info = *head->info;
  std::string problem = std::string(info.name).append(": ");
  if (!info.params || static_cast<std::size_t>(info.num_params) != count + bound) {
    problem.append(std::to_string(count)).append(count == 1 ? " parameter is" : " parameters are");
    return problem.append(" named, of a function of type ").append(function.signature());
  }
  struct Owner {
    NamedParams<Arg>* named;
    ~Owner() { delete named; }
  } owner{new NamedParams<Arg>(head, count + bound)};
  NamedParams<Arg>& named = *owner.named;
  if (bound) named.params[0] = {info.params[0].name ? info.params[0].name : "self", info.params[0].type, nullptr};
  named.told.info.num_required = static_cast<int32_t>(bound);
  for (std::size_t i = 0; i < count; i++) {
    const std::string found = param_problem(named, args[i], info, static_cast<int32_t>(i + bound));
    if (!found.empty()) {
      problem.append("parameter ").append(std::to_string(i + 1)).append(" '").append(args[i].name());
      return problem.append("': ").append(found);
    }
    named.params[i + bound] = {interned(args[i].name()), info.params[i + bound].type, nullptr};
    if (!args[i].value()) {
      named.told.info.num_required++;
      continue;
    }
    if (!named.defaults) named.defaults = new AnyValue[count + bound];
    named.defaults[i + bound] = *args[i].value();
    named.has_defaults = true;
  }
  head->function.signature = interned(named_text(info, bound, args, count));
  if (named.has_defaults) head->function.call = call_with_defaults<Arg>;
  head->function.header.deleter = destroy_named<Arg>;
  head->info = &named.told.info;
  owner.named = nullptr;
  return "";
}

}  // namespace detail
}  // namespace jitffi

#endif
