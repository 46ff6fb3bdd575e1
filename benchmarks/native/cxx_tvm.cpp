/* Calls from C++ to C++ by tvm_ffi: the loops of benchmarks/cxx.py. */
#include <tvm/ffi/tvm_ffi.h>

using namespace tvm::ffi;

#define PUBLIC extern "C" __attribute__((visibility("default")))

struct PointObj : public Object {
  double x = 1;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("benchmarks.cxx.Point", PointObj, Object);
};
struct Point : public ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Point, ObjectRef, PointObj);
};

static TypedFunction<int64_t(int64_t, int64_t)> add([](int64_t a, int64_t b) { return a + b; });
static Function any = add.packed();
static TypedFunction<int64_t(const String&)> length([](const String& text) { return int64_t(text.size()); });
static TypedFunction<Point(Point)> same([](Point point) { return point; });

PUBLIC int64_t loop_typed(int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum = add(sum, 1);
  return sum;
}
PUBLIC int64_t loop_any(int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum = any(sum, 1).cast<int64_t>();
  return sum;
}
static int64_t text(const char* data, int64_t n) {
  const String string = data;
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += length(string) != 0;
  return sum;
}
PUBLIC int64_t loop_short(int64_t n) { return text("short", n); }
PUBLIC int64_t loop_long(int64_t n) { return text("text that is too long for a slot", n); }
PUBLIC int64_t loop_object(int64_t n) {
  const Point point(make_object<PointObj>());
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += same(point)->x == 1;
  return sum;
}
PUBLIC int64_t loop_make(int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) {
    const Function made = Function::FromTyped([i](int64_t x) { return x + i; });
    sum += made != nullptr;
  }
  return sum;
}
