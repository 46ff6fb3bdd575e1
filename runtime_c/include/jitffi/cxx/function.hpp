/* Function: a packed function as a C++ callable, and any C++ callable as a packed function; TypedFunction<R(Args...)>.
 *
 *   Function add = [](int a, int b) { return a + b; };     typed: arguments are checked by the lambda's own types
 *   Function sum = [](Args args, AnyValue* out) { ... };   packed: whatever it is given
 *   int three = add(1, 2);
 *   TypedFunction<int(int, int)> typed = add;              results are converted, arguments are not packed at run time
 *
 * What a callable captures lies in the function object and is destroyed once, with it. Calls allocate nothing. A call enters
 * the callee as it stands: as with a std::function, it must not be the last reference to a function that is replaced while it
 * runs.
 */
#ifndef JITFFI_CXX_FUNCTION_HPP
#define JITFFI_CXX_FUNCTION_HPP

#include "../emitted.h"
#include "closure.hpp"

namespace jitffi {

namespace detail {

/* -- calling a packed function ---------------------------------------------------------------------------------------- */

JITFFI_COLD inline int32_t fail_call(const jf_function* callee, jf_value* out) noexcept {
  if (callee) return jf_call_failed(callee, out), -1;
  set_null(out);
  jf_error_set("TypeError", "cannot call null");
  return -1;
}
/* The views of a call's arguments, which borrow from them. */
template <class... A>
class PackedArgs {
 public:
  JITFFI_INLINE explicit PackedArgs(const A&... args) noexcept {
    if constexpr (sizeof...(A) == 0) {
      set_null(views_);
    } else {
      std::size_t i = 0;
      ((Type<A>::view(args, &views_[i], &spans_[i]), i++), ...);
    }
  }
  PackedArgs(const PackedArgs&) = delete;
  PackedArgs& operator=(const PackedArgs&) = delete;
  static constexpr int32_t count = sizeof...(A);
  JITFFI_INLINE const jf_view* data() const noexcept { return views_; }
  /* Enters the function as it stands. -1 with the error set; *out is null then. */
  JITFFI_INLINE int32_t call(jf_object* function, jf_value* out) const noexcept {
    jf_function* callee = reinterpret_cast<jf_function*>(function);
    if (callee && callee->call(callee, count, views_, out) == 0) return 0;
    return fail_call(callee, out);
  }

 private:
  jf_any views_[sizeof...(A) ? sizeof...(A) : 1];
  jf_span spans_[sizeof...(A) ? sizeof...(A) : 1];
};

/* How a TypedFunction takes an argument of type A: what a call borrows anyway is not copied for it. */
template <class A>
using Given =
    std::conditional_t<std::is_reference_v<A> || std::is_trivially_copyable_v<A> || !IsViewed<A>::value, A, const A&>;

}  // namespace detail

/* As long as it lives, its thread has given Python's lock up, if it had it: around what waits for another thread, which may
 * call Python. Containers that others have, too, are not to be touched meanwhile. */
class Unlocked {
 public:
  Unlocked() : unlocked_(jf_host_unlock()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() { jf_host_relock(unlocked_); }

 private:
  void* unlocked_;
};

class Function : public ObjectRef {
 public:
  JITFFI_REF_OF(Function, JF_FUNCTION, text_of("func"))

  Function() noexcept = default;
  /* The name is what messages call it. */
  template <class F, class = std::enable_if_t<detail::IsCallable<std::decay_t<F>>::value && !detail::is_ref<Bare<F>>>>
  Function(F&& callable, const char* name = nullptr) {
    object_ = detail::make_function<std::decay_t<F>>(static_cast<F&&>(callable), name);
  }

  template <class... A>
  AnyValue operator()(const A&... args) const {
    AnyValue result;
    detail::check(try_call(&result, args...));
    return result;
  }
  /* 0, or -1 with the thread's last error set: for programs without exceptions. */
  template <class... A>
  JITFFI_INLINE int32_t try_call(AnyValue* result, const A&... args) const {
    static_assert((detail::IsKnown<detail::Passed<A>>::value && ...),
                  "an argument is of a type that does not cross: it has no Type<T>");
    return call_packed(result, detail::Packed<detail::Passed<A>>(args)...);
  }
  /* With arguments that are slots. */
  AnyValue call_views(const jf_view* args, int32_t count) const {
    AnyValue result;
    detail::check(jf_function_call(object_, count, args, result.out()));
    result.done();
    return result;
  }
  /* By the names of TVM's documents. */
  void CallPacked(Args args, AnyValue* result) const { *result = call_views(args.data(), args.size()); }
  void CallPacked(int32_t count, const AnyView* args, AnyValue* result) const {
    *result = call_views(count > 0 ? args->slot() : nullptr, count);
  }
  /* Its signature's text; "" where it has none. */
  const char* signature() const noexcept {
    const char* text = object_ ? reinterpret_cast<const jf_function*>(object_)->signature : nullptr;
    return text ? text : "";
  }

  /* The registry of global functions. */
  static Function global(const char* name) {
    jf_object* found = jf_global_get(name);
    if (!found) jf_global_fail_unknown(name);
    return steal<Function>(detail::check(found));
  }
  static Function global(const std::string& name) { return global(name.c_str()); }
  /* Null where there is none. */
  static Function find_global(const char* name) noexcept { return steal<Function>(jf_global_get(name)); }
  static Function find_global(const std::string& name) noexcept { return find_global(name.c_str()); }
  static void set_global(const char* name, const Function& function, bool override_ = false) {
    detail::check(jf_global_set(name, function.get(), override_));
  }
  static void set_global(const std::string& name, const Function& function, bool override_ = false) {
    set_global(name.c_str(), function, override_);
  }
  static void remove_global(const char* name) { detail::check(jf_global_remove(name)); }
  static void remove_global(const std::string& name) { remove_global(name.c_str()); }
  static std::vector<std::string> list_globals() {
    std::vector<std::string> names;
    detail::check(detail::guarded([&names] {
      return jf_global_list(
          [](const char* name, void* context) {
            return detail::guarded(
                [&] { return static_cast<std::vector<std::string>*>(context)->emplace_back(name), 0; });
          },
          &names);
    }));
    return names;
  }

 private:
  template <class... A>
  JITFFI_INLINE int32_t call_packed(AnyValue* result, const A&... args) const {
    const detail::PackedArgs<A...> packed(args...);
    const int32_t status = packed.call(object_, result->out());
    result->done();
    return status;
  }
};

template <class Of>
class TypedFunction;
template <class R, class... A>
class TypedFunction<R(A...)> : public Function {
  using Signature = detail::Signature<R, A...>;

 public:
  /* What Python passes is wrapped where it has another signature; what C++ and C pass is converted at each call. */
  static constexpr auto text() { return "func[" + Signature::text() + "]"; }

  TypedFunction() noexcept = default;
  TypedFunction(std::nullptr_t) noexcept {}
  TypedFunction(const Function& function) noexcept : Function(function) {}
  TypedFunction(Function&& function) noexcept : Function(std::move(function)) {}
  template <class F, class = std::enable_if_t<std::is_invocable_r_v<R, F&, A...> && !detail::is_ref<Bare<F>>>>
  TypedFunction(F callable, const char* name = nullptr)
      : TypedFunction(std::move(callable), name,
                      std::conditional_t<std::is_invocable_r_v<R, F&, detail::Given<A>...>, R (*)(detail::Given<A>...),
                                         R (*)(A...)>()) {}

  const Function& packed() const noexcept { return *this; }
  JITFFI_INLINE R operator()(detail::Given<A>... args) const {
    static_assert(Signature::is_known());
    if constexpr (Signature::is_native) {
      const jf_function* callee = reinterpret_cast<const jf_function*>(object_);
      if (callee && callee->native && callee->types == detail::interned_types<Signature>) {
        return call_native(callee, args...);
      }
    }
    return call_packed(object_, detail::Packed<Bare<A>>(args)...);
  }

 private:
  /* The callable by the types of this function, not by its own. */
  template <class F, class... P>
  TypedFunction(F callable, const char* name, R (*)(P...))
      : Function(
            [callable = std::move(callable)](P... args) mutable -> R { return callable(static_cast<P&&>(args)...); },
            name) {}
  R call_native(const jf_function* callee, A... args) const {
    const auto native = reinterpret_cast<R (*)(A...)>(callee->native);
    if constexpr (std::is_void_v<R>) {
      native(args...);
      check_pending(callee);
    } else {
      const R result = native(args...);
      check_pending(callee);
      return result;
    }
  }
  /* A callback that has failed below a C function, which cannot say so. */
  static void check_pending(const jf_function* callee) {
    if (__atomic_load_n(&jf_pending_count, __ATOMIC_RELAXED) == 0 || !jf_take_pending()) return;
    jf_value none = {};
    jf_call_failed(callee, &none);
    detail::throw_last();
  }
  template <class... T>
  JITFFI_INLINE static R call_packed(jf_object* callee, const T&... args) {
    const detail::PackedArgs<T...> packed(args...);
    AnyPad<std::is_same_v<Bare<R>, std::string> ? 5 : 0> result;
    if (packed.call(callee, result.out()) != 0) detail::throw_last();
    if constexpr (std::is_same_v<Bare<R>, AnyValue>) {
      result.done();
      return result;
    } else if constexpr (!std::is_void_v<R>) {
      static_assert(!detail::Borrows<typename Type<Bare<R>>::Reader>::value,
                    "results are owned: say std::string, String or Ref<T>");
      if constexpr (detail::has_exact<Bare<R>> && !detail::Borrows<typename Type<Bare<R>>::Reader>::value) {
        jf_any* const slot = const_cast<jf_any*>(result.slot());
        if (Type<Bare<R>>::Exact::fits(slot)) return Type<Bare<R>>::Exact::take(slot);
        return converted(result);
      } else {
        return read(result);
      }
    }
  }
  template <class Result>
  JITFFI_COLD static R converted(const Result& result) {
    return read(result);
  }
  template <class Result>
  static R read(const Result& result) {
    typename Type<Bare<R>>::Reader reader;
    if (reader.read(&result_info, -1, result.slot()) != 0) detail::throw_last();
    if constexpr (detail::is_ref<Bare<R>>) {
      return reader.take(const_cast<jf_any*>(result.slot()));
    } else {
      return reader.get();
    }
  }
  JITFFI_OWN static constexpr jf_call_info result_info = {"function", 0, 0, nullptr, Signature::result_text(), nullptr};
};

namespace detail {
template <class T>
inline constexpr bool is_std_function = false;
template <template <class> class F, class R, class... A>
inline constexpr bool is_std_function<F<R(A...)>> =
    !is_ref<F<R(A...)>> && std::is_constructible_v<F<R(A...)>, R (*)(A...)>;
template <class F>
inline constexpr bool is_function =
    IsCallable<F>::value && !is_ref<F> && !is_std_function<F> && standard<F> == Standard::none;

/* Lambdas and the like, as arguments, results and items: they become functions by their own types. */
template <class F>
struct OtherType<F, std::enable_if_t<is_function<F>>> {
  static constexpr auto text() { return text_of("func"); }
  static int32_t give(F&& value, jf_value* out) { return Type<Function>::give(Function(std::move(value)), out); }
};

/* std::function, and its like: what it is made of calls the function that was passed, and holds it. */
template <template <class> class F, class R, class... A>
struct OtherType<F<R(A...)>, std::enable_if_t<is_std_function<F<R(A...)>>>> {
  using Typed = TypedFunction<R(A...)>;
  static constexpr auto text() { return Typed::text(); }
  static int32_t give(F<R(A...)>&& value, jf_value* out) {
    return value ? Type<Typed>::give(Typed(std::move(value)), out) : (set_null(out), 0);
  }
  struct Reader : Type<Typed>::Reader {
    F<R(A...)> get() const { return Type<Typed>::Reader::get(); }
  };
};

}  // namespace detail
}  // namespace jitffi

#endif
