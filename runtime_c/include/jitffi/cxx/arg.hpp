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

#include <vector>

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

/* What stands in a function object in the place of what messages say of it, and goes with it. A template, as Naming is, so that
 * programs that name no parameters do not compile it. */
template <class Arg>
struct NamedParams {
  CallInfo told; /* first */
  jf_packed_call call;
  jf_deleter destroy;
  std::vector<jf_param_info> params;
  std::vector<AnyValue> defaults; /* of the parameters behind those that have to be given */
};
template <class Arg>
JITFFI_OWN NamedParams<Arg>* named_params(jf_object* function) {
  const jf_call_info* info = reinterpret_cast<ClosureHead*>(function)->info;
  return reinterpret_cast<NamedParams<Arg>*>(const_cast<jf_call_info*>(info));
}
template <class Arg>
JITFFI_OWN int32_t call_with_defaults(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  const NamedParams<Arg>* named = named_params<Arg>(&self->header);
  if (num_args < named->told.info.num_required || num_args >= named->told.info.num_params) {
    return named->call(self, num_args, args, out);
  }
  return guarded([&] {
    std::vector<jf_any> all(static_cast<std::size_t>(named->told.info.num_params));
    for (int32_t i = 0; i < named->told.info.num_params; i++) {
      jf_any* at = &all[static_cast<std::size_t>(i)];
      if (i < num_args) {
        *at = args[i];
      } else {
        jf_any_view(named->defaults[static_cast<std::size_t>(i - named->told.info.num_required)].slot(), at);
      }
    }
    return named->call(self, named->told.info.num_params, all.data(), out);
  });
}
template <class Arg>
JITFFI_OWN void destroy_named(jf_object* function) {
  NamedParams<Arg>* named = named_params<Arg>(function);
  named->destroy(function);
  delete named;
}

/* The types in the brackets of a signature's text, and last what follows them. */
template <class Text>
JITFFI_COLD std::vector<Text> split_signature(const Text& text) {
  std::vector<Text> found;
  int depth = 0;
  std::size_t from = 1;
  for (std::size_t i = 0; i < text.size(); i++) {
    depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
    const bool is_end = depth == 0 && text[i] == ')';
    if (!is_end && (depth != 1 || text[i] != ',')) continue;
    if (i > from) found.push_back(text.substr(from, i - from));
    from = i + 2;
    if (!is_end) continue;
    found.push_back(text.substr(i));
    break;
  }
  return found;
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
  return "its default: " + (at == std::string::npos ? message : message.substr(at + 2));
}
/* What is wrong with a name, or its default: "" for nothing. `named` has those before it. */
template <class Arg>
JITFFI_COLD std::string param_problem(const NamedParams<Arg>& named, const Arg& given, const jf_call_info& info,
                                      int32_t index) {
  if (!is_name(given.name())) return "is no name";
  for (const jf_param_info& before : named.params)
    if (std::string(before.name) == given.name()) return "has the name of one before it";
  if (given.value()) return default_problem(info, index, *given.value());
  return named.defaults.empty() ? "" : "has no default, and one before it has";
}

/* `function` is a new one, of C++'s, that has been given a name: nobody has called it yet. `bound`: 1 where it is a method. What is
 * wrong with the names, which it has not got then; "" for nothing. */
template <class Arg>
JITFFI_COLD std::string name_params(const Function& function, std::size_t bound, const std::vector<Arg>& args) {
  ClosureHead* head = reinterpret_cast<ClosureHead*>(function.get());
  const std::vector<std::string> types = split_signature(std::string(function.signature()));
  const std::string name = std::string(head->info->name) + ": ";
  if (types.size() != args.size() + bound + 1) {
    return name + std::to_string(args.size()) + (args.size() == 1 ? " parameter is" : " parameters are") +
           " named, of a function of type " + function.signature();
  }
  NamedParams<Arg> named{
      *reinterpret_cast<const CallInfo*>(head->info), head->function.call, head->function.header.deleter, {}, {}};
  std::string text = bound ? "(self: " + types[0] : "(";
  if (bound) {
    const jf_param_info& object = head->info->params[0]; /* called jf_self in a class's method */
    named.params.push_back({object.name ? object.name : "self", object.type, nullptr});
  }
  named.told.info.num_required = static_cast<int32_t>(bound);
  for (std::size_t i = 0; i < args.size(); i++) {
    const AnyValue* value = args[i].value();
    const std::string problem = param_problem(named, args[i], *head->info, static_cast<int32_t>(i + bound));
    if (!problem.empty()) return name + "parameter " + std::to_string(i + 1) + " '" + args[i].name() + "': " + problem;
    named.params.push_back({interned(args[i].name()), head->info->params[i + bound].type, nullptr});
    text.append(i + bound ? ", " : "").append(args[i].name()).append(": ").append(types[i + bound]);
    if (value) {
      named.defaults.push_back(*value);
      text.append(" = ").append(value->repr());
    } else {
      named.told.info.num_required++;
    }
  }
  head->function.signature = interned(text + types.back());
  if (!named.defaults.empty()) head->function.call = call_with_defaults<Arg>;
  auto* kept = new NamedParams<Arg>(std::move(named));
  kept->told.info.params = kept->params.data();
  head->function.header.deleter = destroy_named<Arg>;
  head->info = &kept->told.info;
  return "";
}

}  // namespace detail
}  // namespace jitffi

#endif
