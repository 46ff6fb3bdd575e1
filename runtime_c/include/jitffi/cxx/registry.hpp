/* Registration and export: functions under global names before main or at dlopen, and as symbols of a library.
 *
 *   JITFFI_REGISTER_GLOBAL("myadd").set_body_typed([](int a, int b) { return a + b; });
 *   JITFFI_EXPORT_TYPED(myadd, [](int a, int b) { return a + b; });
 *
 * JITFFI_EXPORT of abi.h takes a signature's text and a body that reads slots; JITFFI_EXPORT_TYPED a callable, whose types
 * are the text. They are two macros because nothing tells a text and a callable apart before the compiler proper.
 */
#ifndef JITFFI_CXX_REGISTRY_HPP
#define JITFFI_CXX_REGISTRY_HPP

#include "arg.hpp"

namespace jitffi {

/* One name to be registered. `replaces`: a function that has the name is replaced, else it is an error. `where`: what tracebacks show
 * of its calls. */
class Registry {
 public:
  explicit Registry(std::string name, bool replaces = false, const Where& where = Where::here())
      : name_(std::move(name)), override_(replaces), where_(where) {}

  virtual ~Registry() = default;

  /* By TVM's names: Registry::Register("name").set_body(f). */
  static Registry Register(const std::string& name, bool can_override = false, const Where& where = Where::here()) {
    return Registry(name, can_override, where);
  }
  /* Whether there was such a function. */
  static bool Remove(const std::string& name) {
    if (jf_global_remove(name.c_str()) == 0) return true;
    jf_object_release(jf_error_take());
    return false;
  }
  static std::vector<std::string> ListNames() { return Function::list_globals(); }
  class Found; /* compat.hpp */
  static Found Get(const std::string& name);

  template <class F>
  JITFFI_INLINE Registry& set_body(F&& callable) {
    if constexpr (detail::is_ref<Bare<F>>) {
      return set(callable);
    } else {
      return set_new(detail::make_function<std::decay_t<F>>(static_cast<F&&>(callable), name_.c_str()));
    }
  }
  /* A callable by its own types. */
  template <class F>
  Registry& set_body_typed(F&& callable) {
    return set_body(static_cast<F&&>(callable));
  }
  /* With names of the parameters, and defaults. */
  template <class F, class... A>
  Registry& set_body_typed(F&& callable, const arg& first, const A&... args) {
    const arg named[] = {first, args...};
    return set_named(placed(Function(static_cast<F&&>(callable), name_.c_str())), 0, named, 1 + sizeof...(A));
  }
  /* set_body_typed<int(int)>(callable): by these, for what can be called in several ways, as [](auto x) { ... }. */
  template <class Of, class F, class = std::enable_if_t<std::is_function_v<Of>>>
  Registry& set_body_typed(F&& callable) {
    return set(TypedFunction<Of>(static_cast<F&&>(callable), name_.c_str()));
  }
  /* A method: its first argument is the object, a Ref<T> where T derives from Object, else a T. */
  template <class Method, class = std::enable_if_t<std::is_member_function_pointer_v<Method>>>
  Registry& set_body_method(Method method) {
    return set(body_of<Target<typename detail::ClassOf<Method>::Type>>(method));
  }
  /* With names of the parameters behind the object. */
  template <class Method, class... A, class = std::enable_if_t<std::is_member_function_pointer_v<Method>>>
  Registry& set_body_method(Method method, const arg& first, const A&... args) {
    const arg named[] = {first, args...};
    return set_named(body_of<Target<typename detail::ClassOf<Method>::Type>>(method), 1, named, 1 + sizeof...(A));
  }
  /* set_body_method<Reference>(&T::f): the object is what the reference's operator-> leads to. */
  template <class Reference, class Method,
            class = std::enable_if_t<std::is_member_function_pointer_v<Method> && detail::is_ref<Reference>>>
  Registry& set_body_method(Method method) {
    return set(body_of<Reference>(method));
  }

  /* What tools are told of the function, which is set: metadata("author", "me"). */
  Registry& metadata(const char* key, const AnyValue& value) {
    Map<String, AnyValue> told;
    if (jf_object* known = jf_global_metadata(name_.c_str())) told = ObjectRef::steal<Map<String, AnyValue>>(known);
    told.set(key, value);
    describe(told);
    return *this;
  }

 protected:
  virtual void put(const Function& function) { Function::set_global(name_.c_str(), function, override_); }
  virtual void refuse(const std::string& problem) { raise("TypeError", problem); }
  virtual void describe(const Map<String, AnyValue>& told) {
    detail::check(jf_global_set_metadata(name_.c_str(), told.get()));
  }

  std::string name_;
  bool override_;
  Where where_;

 private:
  template <class T>
  using Target = std::conditional_t<std::is_base_of_v<Object, T>, Ref<T>, T>;
  template <class First, class Method>
  Function body_of(Method method) {
    return placed(Function(detail::WithObject<First, Method>{method}, name_.c_str()));
  }
  Function placed(Function function) const {
    detail::set_place(function.get(), where_);
    return function;
  }
  template <class Arg>
  Registry& set_named(const Function& function, std::size_t bound, const Arg* args, std::size_t count) {
    const std::string problem = detail::name_params(function, bound, args, count);
    if (problem.empty()) return set(function);
    refuse(problem);
    return *this;
  }
  Registry& set_new(jf_object* function) { return set(placed(ObjectRef::steal<Function>(function))); }
  Registry& set(const Function& function) {
    put(function);
    return *this;
  }
};

namespace detail {
/* Before main nobody can catch: a name that is taken is said on stderr, and keeps the function that it has. */
class StaticRegistry final : public Registry {
 public:
  using Registry::Registry;

 private:
  void put(const Function& function) override {
    if (jf_global_set(name_.c_str(), function.get(), override_) == 0) return;
    std::fprintf(stderr, "jitffi: %s was not registered: %s\n", name_.c_str(), Error(jf_error_take()).what());
  }
  void refuse(const std::string& problem) override {
    std::fprintf(stderr, "jitffi: %s was not registered: TypeError: %s\n", name_.c_str(), problem.c_str());
  }
  void describe(const Map<String, AnyValue>& told) override {
    if (jf_global_set_metadata(name_.c_str(), told.get()) != 0) jf_object_release(jf_error_take());
  }
};
}  // namespace detail

#define JITFFI_JOIN_(left, right) left##right
#define JITFFI_JOIN(left, right) JITFFI_JOIN_(left, right)
/* JITFFI_REGISTER_GLOBAL("name"), or ("name", true) to replace what has the name. */
#define JITFFI_REGISTER_GLOBAL(...)                                                               \
  [[maybe_unused]] static const ::jitffi::Registry JITFFI_JOIN(jitffi_registered_, __COUNTER__) = \
      ::jitffi::detail::StaticRegistry(__VA_ARGS__)

/* The packed function `name` of a module, of a callable that captures nothing, with the text of its types; behind it may stand names of
 * its parameters. What is wrong with those is said on stderr, and it is exported without. */
#define JITFFI_EXPORT_TYPED(name, ...)                                                                                \
  static const auto jitffi_callable_##name = ::jitffi::detail::exported(#name, ::jitffi::Where::here(), __VA_ARGS__); \
  extern "C" {                                                                                                        \
  extern JITFFI_PUBLIC const decltype(::jitffi::detail::text_of(jitffi_callable_##name)) __jfsig_##name;              \
  JITFFI_KEPT const decltype(::jitffi::detail::text_of(jitffi_callable_##name)) __jfsig_##name =                      \
      ::jitffi::detail::text_of(jitffi_callable_##name);                                                              \
  }                                                                                                                   \
  JITFFI_C JITFFI_PUBLIC int32_t __jf_##name(jf_function*, int32_t, const jf_view*, jf_value*);                       \
  JITFFI_C JITFFI_PUBLIC int32_t __jf_##name(jf_function*, int32_t num_args, const jf_view* args, jf_value* out) {    \
    return ::jitffi::detail::enter_exported(                                                                          \
        jitffi_callable_##name, {{#name, 0, 0, nullptr, nullptr, nullptr}, __FILE__, __LINE__}, num_args, args, out); \
  }                                                                                                                   \
  static_assert(true, "takes the semicolon")

namespace detail {
template <class F>
constexpr auto text_of(const F&) {
  return SignatureOf<F>::text();
}
template <class F>
constexpr F exported(const char*, const Where&, F callable) {
  return callable;
}
template <class F>
int32_t enter_exported(const F& callable, CallInfo told, int32_t num_args, const jf_view* args, jf_value* out) {
  using Of = typename SignatureOf<F>::Of;
  told.info = Entry<Of>::info(told.info.name);
  F copy = callable;
  if (Steps<Of>::enter(copy, &told.info, num_args, args, out) == 0) return 0;
  return failed(&told.info, out);
}

/* The same with names: a function object, which has the text once the library is loaded. */
template <class F, std::size_t count>
struct NamedExport {
  struct Text {
    char data[sizeof(SignatureOf<F>::text()) + 256 * count];
  };
  Function function;
  Text text = {};
  NamedExport(const char* name, const Where& where, F callable, const arg (&args)[count])
      : function(std::move(callable), name) {
    set_place(function.get(), where);
    std::string problem = name_params(function, 0, args, count);
    std::string made = problem.empty() ? function.signature() : SignatureOf<F>::text().data;
    if (made.size() >= sizeof text.data) {
      problem = std::string(name) + ": its names and defaults are too long for a signature that is exported";
      made = SignatureOf<F>::text().data;
    }
    std::memcpy(text.data, made.c_str(), made.size() + 1);
    if (!problem.empty()) std::fprintf(stderr, "jitffi: %s\n", problem.c_str());
  }
};
template <class F, class... A>
NamedExport<F, 1 + sizeof...(A)> exported(const char* name, const Where& where, F callable, const arg& first,
                                          const A&... args) {
  const arg named[] = {first, args...};
  return NamedExport<F, 1 + sizeof...(A)>(name, where, std::move(callable), named);
}
template <class F, std::size_t count>
typename NamedExport<F, count>::Text text_of(const NamedExport<F, count>& named) {
  return named.text;
}
template <class F, std::size_t count>
int32_t enter_exported(const NamedExport<F, count>& named, const CallInfo&, int32_t num_args, const jf_view* args,
                       jf_value* out) {
  jf_function* function = reinterpret_cast<jf_function*>(named.function.get());
  return function->call(function, num_args, args, out);
}
}  // namespace detail

}  // namespace jitffi

#endif
