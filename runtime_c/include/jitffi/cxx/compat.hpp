/* The names that TVM's documents have for what is here, so that programs written by them compile.
 *
 *   using namespace jitffi::compat;
 *   void MyAdd(TVMArgs args, TVMRetValue* rv) { ... }
 *   TVM_REGISTER_GLOBAL("myadd").set_body(MyAdd);
 *   auto f = Registry::Get("myadd");
 *
 * A program that spells `tvm::runtime::` says: namespace tvm { namespace runtime = jitffi::compat; }
 */
#ifndef JITFFI_CXX_COMPAT_HPP
#define JITFFI_CXX_COMPAT_HPP

#include <string>

#include "module.hpp"
#include "registry.hpp"

namespace jitffi {

/* What has the name now: `auto f = Registry::Get(name); if (f != nullptr) (*f)(1, 2);` */
class Registry::Found {
 public:
  explicit Found(Function function) noexcept : function_(std::move(function)) {}
  const Function& operator*() const noexcept { return function_; }
  const Function* operator->() const noexcept { return &function_; }
  explicit operator bool() const noexcept { return static_cast<bool>(function_); }
  /* const PackedFunc* f = Registry::Get(name): the function is kept for as long as the process. */
  operator const Function*() const {
    struct Kept {
      Function function;
      Kept* next;
    };
    static Kept* all = nullptr;
    if (!function_) return nullptr;
    Kept* first = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
    for (const Kept* each = first; each; each = each->next)
      if (each->function.get() == function_.get()) return &each->function;
    auto* made = new Kept{function_, first}; /* of two threads each may add one: both are good */
    while (!__atomic_compare_exchange_n(&all, &made->next, made, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    return &made->function;
  }
  friend bool operator==(const Found& found, std::nullptr_t) noexcept { return !found; }
  friend bool operator!=(const Found& found, std::nullptr_t) noexcept { return static_cast<bool>(found); }

 private:
  Function function_;
};
inline Registry::Found Registry::Get(const std::string& name) { return Found(Function::find_global(name.c_str())); }

namespace compat {

using TVMArgs = Args;
using TVMArgValue = AnyView;
using TVMRetValue = AnyValue;
using PackedFunc = Function;
template <class F>
using TypedPackedFunc = TypedFunction<F>;
template <class T = AnyValue>
using Array = List<T>;
using jitffi::AnyPad;
using jitffi::AnyValue;
using jitffi::AnyView;
using jitffi::Error;
using jitffi::List;
using jitffi::Map;
using jitffi::Module;
using jitffi::NDArray;
using jitffi::Object;
using jitffi::ObjectRef;
using jitffi::Registry;
using jitffi::ShapeTuple;
using jitffi::String;
using jitffi::UCS4String;
using DLTensor = jf_dltensor;
using DLDevice = jf_device;
using DLDataType = jf_dtype;

/* A number as an object: what goes into it boxes, what comes out of it unboxes. */
template <class T, int32_t Code>
class Box : public ObjectRef {
 public:
  static constexpr int32_t code = Code;
  static constexpr auto text() { return Type<T>::text(); }
  static int32_t type() noexcept { return code; }
  static int32_t lift(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out,
                      jf_temps* temps) noexcept {
    typename Type<T>::Reader reader;
    if (reader.read(info, index, slot) != 0) return -1;
    *out = box(reader.get());
    return *out ? jf_temps_add(temps, *out, [](void* made) { jf_object_release(static_cast<jf_object*>(made)); }) : -1;
  }
  Box(std::nullptr_t) noexcept {}
  Box(T value) { object_ = detail::check(box(value)); }
  T value() const { return AnyValue(*this).template cast<T>(); }
  operator T() const { return value(); }

 private:
  static jf_object* box(const T& value) noexcept {
    jf_any slot;
    Type<T>::view(value, &slot, nullptr);
    return jf_any_to_object(&slot, nullptr);
  }
};
using BoxInt = Box<int64_t, JF_BOXED_INT>;
using BoxFloat = Box<double, JF_BOXED_FLOAT>;
using BoxBool = Box<bool, JF_BOXED_BOOL>;

}  // namespace compat
}  // namespace jitffi

#ifndef TVM_REGISTER_GLOBAL
#define TVM_REGISTER_GLOBAL(name) JITFFI_REGISTER_GLOBAL(name)
#endif

#endif
