/* The registry: functions of every kind under names, found, listed, replaced and removed. */
#include <jitffi/cxx/compat.hpp>
#include <jitffi/jitffi.hpp>

using namespace jitffi::compat;

struct Accumulator {
  double total;
  double add(double x) const { return total + x; }
};

// An Accumulator crosses as the number that it is.
template <>
struct jitffi::Type<Accumulator> : jitffi::Type<double> {
  static int32_t give(Accumulator&& value, jf_value* out) {
    return jitffi::Type<double>::give(std::move(value.total), out);
  }
  struct Reader : jitffi::Type<double>::Reader {
    Accumulator get() const { return {value}; }
  };
};

static double half(double x) { return x / 2; }

TVM_REGISTER_GLOBAL("demo.half").set_body_typed(half);
TVM_REGISTER_GLOBAL("demo.count").set_body([](TVMArgs args, TVMRetValue* rv) { *rv = args.size(); });
TVM_REGISTER_GLOBAL("demo.size").set_body_method(&List<>::size);
TVM_REGISTER_GLOBAL("demo.add").set_body_method(&Accumulator::add);

int main() {
  for (const std::string& name : Registry::ListNames()) {
    std::printf("%s %s\n", name.c_str(), PackedFunc::global(name).signature());
  }
  auto count = Registry::Get("demo.count");
  std::printf("count: %d\n", static_cast<int>((*count)(1, "two", nullptr)));
  std::printf("size: %d\n", static_cast<int>((*Registry::Get("demo.size"))(List<>{1, "two"})));
  std::printf("add: %g\n", static_cast<double>((*Registry::Get("demo.add"))(1.5, 2)));

  Registry::Register("demo.half", true).set_body_typed([](int x) { return x / 2; });
  std::printf("half of 5: %g\n", static_cast<double>((*Registry::Get("demo.half"))(5)));
  try {
    Registry::Register("demo.half").set_body_typed(half);
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
  Registry::Remove("demo.half");
  std::printf("removed: %s\n", Registry::Get("demo.half") == nullptr ? "yes" : "no");
}
