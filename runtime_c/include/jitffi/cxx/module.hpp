/* Module: functions by name from a library; NDArray: arrays in native memory, with the DLTensor in them.
 *
 *   Module plugin = Module::load("./plugin.so");
 *   int three = plugin["add"](1, 2);
 *   NDArray zeros = NDArray::zeros<float>({2, 3});
 *
 * As a parameter an NDArray may be kept: on the memory of the caller's array, which is held, or a copy of a borrowed DLTensor. A
 * jf_dltensor* is borrowed for the call, and always the caller's own memory.
 */
#ifndef JITFFI_CXX_MODULE_HPP
#define JITFFI_CXX_MODULE_HPP

#include "../array.h"
#include "../module.h"
#include "function.hpp"

namespace jitffi {

class Module : public ObjectRef {
 public:
  JITFFI_REF_OF(Module, JF_MODULE, text_of("module"))

  Module() noexcept = default;
  /* A shared library, by its path, or by a name without a slash for the loader to find. */
  static Module load(const char* path) { return steal<Module>(detail::check(jf_module_load(path))); }
  static Module load(const std::string& path) { return load(path.c_str()); }
  /* What is linked into the program under names that begin with the prefix. */
  static Module system(const char* prefix = "") { return steal<Module>(detail::check(jf_system_library(prefix))); }

  std::string name() const { return jf_module_name(object_); }
  /* AttributeError where neither the module nor an import has it. The function holds the module. */
  Function operator[](const char* name) const { return steal<Function>(detail::check(jf_module_get(object_, name))); }
  Function operator[](const std::string& name) const { return (*this)[name.c_str()]; }
  /* Null where there is none. */
  Function find(const char* name) const noexcept { return steal<Function>(jf_module_get_own(object_, name)); }
  Function find(const std::string& name) const noexcept { return find(name.c_str()); }
  std::vector<std::string> list_functions() const {
    std::size_t count = 0;
    const jf_export* exports = jf_module_exports(object_, &count);
    if (!exports && jf_error_peek()) detail::throw_last();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; i++) names.emplace_back(exports[i].name);
    return names;
  }
  void import_module(const Module& other) { detail::check(jf_module_import(object_, other.object_)); }
  bool is_loaded() const noexcept { return object_ && jf_module_is_loaded(object_); }
  /* RuntimeError while functions that were taken from it live. */
  void unload() { detail::check(jf_module_unload(object_)); }
};

/* Dimensions, which never change. */
class ShapeTuple : public ObjectRef {
 public:
  JITFFI_REF_OF(ShapeTuple, JF_SHAPE, text_of("shape"))

  ShapeTuple() : ShapeTuple(nullptr, 0) {}
  ShapeTuple(const int64_t* dims, std::size_t count) { object_ = detail::check(jf_shape_new(dims, count)); }
  ShapeTuple(std::initializer_list<int64_t> dims) : ShapeTuple(dims.begin(), dims.size()) {}
  ShapeTuple(const std::vector<int64_t>& dims) : ShapeTuple(dims.data(), dims.size()) {}
  std::size_t size() const noexcept { return object_ ? shape()->size : 0; }
  const int64_t* data() const noexcept { return object_ ? shape()->data : nullptr; }
  int64_t operator[](std::size_t index) const noexcept { return data()[index]; }
  const int64_t* begin() const noexcept { return data(); }
  const int64_t* end() const noexcept { return data() + size(); }
  operator std::vector<int64_t>() const { return std::vector<int64_t>(begin(), end()); }

 private:
  const jf_shape* shape() const noexcept { return reinterpret_cast<const jf_shape*>(object_); }
};

/* The data type of elements that are T in C++. */
template <class T>
constexpr jf_dtype dtype_of() {
  static_assert(std::is_arithmetic_v<T>, "elements are numbers");
  return {static_cast<uint8_t>(std::is_same_v<T, bool>       ? JF_DL_BOOL
                               : std::is_floating_point_v<T> ? JF_DL_FLOAT
                               : std::is_signed_v<T>         ? JF_DL_INT
                                                             : JF_DL_UINT),
          sizeof(T) * 8, 1};
}

class NDArray : public ObjectRef {
 public:
  static constexpr int32_t code = JF_NDARRAY;
  static constexpr auto text() { return text_of("tensor"); }
  static int32_t type() noexcept { return code; }
  static int32_t lift(const jf_call_info* info, int32_t index, const jf_any* slot, jf_object** out,
                      jf_temps* temps) noexcept {
    if (slot->type_code == JF_NDARRAY) return *out = slot->v_object, 0;
    *out = slot->type_code == JF_DLTENSOR
               ? jf_lend_tensor(info, index, nullptr, static_cast<jf_dltensor*>(slot->v_handle), any_spec, nullptr)
               : jf_lift_tensor_result(info, index, slot, any_spec, nullptr);
    return *out ? jf_temps_add(temps, *out, [](void* made) { jf_object_release(static_cast<jf_object*>(made)); }) : -1;
  }
  /* Of any element, rank and device. */
  static constexpr uint64_t any_spec = JF_DL_HANDLE | static_cast<uint64_t>(JF_RANK_ANY) << 16 |
                                       static_cast<uint64_t>(JF_SPEC_WRITABLE | JF_SPEC_ANYWHERE) << 24 |
                                       static_cast<uint64_t>(UINT32_MAX) << 32;

  NDArray() noexcept = default;
  NDArray(std::nullptr_t) noexcept {}
  /* On the CPU, in C order, its elements not set. */
  static NDArray empty(const std::vector<int64_t>& shape, jf_dtype dtype) {
    return steal<NDArray>(detail::check(jf_ndarray_new(static_cast<int32_t>(shape.size()), shape.data(), dtype, 0)));
  }
  template <class T>
  static NDArray zeros(const std::vector<int64_t>& shape) {
    NDArray made = empty(shape, dtype_of<T>());
    if (const std::size_t bytes = static_cast<std::size_t>(made.size()) * sizeof(T)) {
      std::memset(made.data<T>(), 0, bytes);
    }
    return made;
  }
  /* One dimension, the elements copied. */
  template <class T>
  static NDArray of(const std::vector<T>& elements) {
    NDArray made = empty({static_cast<int64_t>(elements.size())}, dtype_of<T>());
    if (!elements.empty()) std::memcpy(made.data<T>(), elements.data(), elements.size() * sizeof(T));
    return made;
  }
  /* Takes the tensor over, and calls its deleter in the end. */
  static NDArray from_dlpack(jf_dlversioned* tensor) {
    return steal<NDArray>(detail::check(jf_ndarray_from_dlpack_versioned(tensor)));
  }
  jf_dlversioned* to_dlpack() const {
    jf_dlversioned* made = jf_ndarray_to_dlpack_versioned(object_);
    if (!made) detail::throw_last();
    return made;
  }

  jf_dltensor* tensor() const noexcept { return jf_ndarray_tensor(object_); }
  int32_t ndim() const noexcept { return tensor()->ndim; }
  int64_t shape(int32_t dimension) const noexcept { return tensor()->shape[dimension]; }
  ShapeTuple shape() const { return ShapeTuple(tensor()->shape, static_cast<std::size_t>(ndim())); }
  jf_dtype dtype() const noexcept { return tensor()->dtype; }
  jf_device device() const noexcept { return tensor()->device; }
  int64_t size() const noexcept { return jf_dltensor_items(tensor()); }
  bool is_contiguous() const noexcept { return jf_dltensor_is_contiguous(tensor()) != 0; }
  bool is_read_only() const noexcept {
    return (reinterpret_cast<const jf_ndarray*>(object_)->flags & JF_DL_READ_ONLY) != 0;
  }
  /* The first element; TypeError where the elements are no T. */
  template <class T>
  T* data() const {
    return elements_of<T>(tensor());
  }
  template <class T>
  static T* elements_of(const jf_dltensor* tensor) {
    constexpr jf_dtype expected = dtype_of<std::remove_const_t<T>>();
    const jf_dtype found = tensor->dtype;
    if (found.code != expected.code || found.bits != expected.bits || found.lanes != 1) {
      char names[2][JF_DTYPE_SIZE];
      jf_dtype_format(expected, names[0], sizeof names[0]);
      jf_dtype_format(found, names[1], sizeof names[1]);
      raise("TypeError", std::string("expected an array of ") + names[0] + ", got " + names[1]);
    }
    return reinterpret_cast<T*>(static_cast<char*>(tensor->data) + tensor->byte_offset);
  }
};

/* A tensor that is borrowed for the call. */
template <>
struct Type<jf_dltensor*> {
  static constexpr auto text() { return text_of("tensor"); }
  static void view(jf_dltensor* const& value, jf_any* slot, jf_span*) noexcept {
    detail::set_slot(slot, value ? JF_DLTENSOR : JF_NULL, detail::word(value));
  }
  static int32_t give(jf_dltensor*&& value, jf_value* out) noexcept { return detail::give_copy(value, out); }
  struct Reader : detail::Temps {
    struct {
      jf_dltensor tensor;
      int64_t dims[2 * JF_MAX_RANK];
    } found;
    bool in_place() const noexcept { return false; }
    int32_t read(const jf_call_info* info, int32_t index, const jf_any* slot) noexcept {
      return jf_lift_tensor(info, index, slot, NDArray::any_spec, &found.tensor, &temps);
    }
    jf_dltensor* get() noexcept { return &found.tensor; }
  };
};

}  // namespace jitffi

#endif
