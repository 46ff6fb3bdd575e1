/* Calls from C++ to C++ by jitffi.hpp: the loops of benchmarks/cxx.py. */
#include <jitffi/jitffi.hpp>

using namespace jitffi;

struct Point : Object {
  double x = 1;
};

static TypedFunction<int64_t(int64_t, int64_t)> add([](int64_t a, int64_t b) { return a + b; });
static Function any = add;
static TypedFunction<int64_t(const String&)> length([](const String& text) { return int64_t(text.size()); });
static TypedFunction<Ref<Point>(Ref<Point>)> same([](Ref<Point> point) { return point; });

extern "C" JITFFI_PUBLIC int64_t loop_typed(int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum = add(sum, 1);
  return sum;
}
extern "C" JITFFI_PUBLIC int64_t loop_any(int64_t n) {
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
extern "C" JITFFI_PUBLIC int64_t loop_short(int64_t n) { return text("short", n); }
extern "C" JITFFI_PUBLIC int64_t loop_long(int64_t n) { return text("text that is too long for a slot", n); }
extern "C" JITFFI_PUBLIC int64_t loop_object(int64_t n) {
  static const int32_t code = (Class<Point>("benchmarks.Point").field("x", &Point::x), Ref<Point>::type());
  (void)code;
  const Ref<Point> point = make_object<Point>();
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += same(point)->x == 1;
  return sum;
}
extern "C" JITFFI_PUBLIC int64_t loop_make(int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) {
    const Function made = [i](int64_t x) { return x + i; };
    sum += made.get() != nullptr;
  }
  return sum;
}
