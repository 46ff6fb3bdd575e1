/* A library whose functions, containers and fields are of functions with a signature. */
#include <jitffi/jitffi.hpp>

#include <string>

using namespace jitffi;
using Unary = TypedFunction<std::int64_t(std::int64_t)>;

class Holder : public Object {
 public:
  Unary f;
  Optional<TypedFunction<std::string(std::string, std::int64_t)>> g;
  List<Unary> all;
  Function any;
};

namespace {

const int registered = [] {
  Class<Holder>("typed_functions.Holder")
      .init<>()
      .field("f", &Holder::f)
      .field("g", &Holder::g)
      .field("all", &Holder::all)
      .field("any", &Holder::any)
      .metadata("unit", "mm")
      .metadata("sizes", List<>{1, 2})
      .method("run", [](Holder* self, std::int64_t x) { return self->f(x); })
      .metadata("pure", true);
  return 0;
}();

JITFFI_REGISTER_GLOBAL("typed_functions.apply")
    .set_body_typed([](const Unary& f, std::int64_t x) { return f(x); })
    .metadata("author", "me")
    .metadata("rank", 2);
JITFFI_REGISTER_GLOBAL("typed_functions.same").set_body_typed([](Unary f) { return f; });
JITFFI_REGISTER_GLOBAL("typed_functions.items").set_body_typed([](List<Unary> items) { return items; });
JITFFI_REGISTER_GLOBAL("typed_functions.map").set_body_typed([](Map<String, Unary> items) { return items; });
JITFFI_REGISTER_GLOBAL("typed_functions.maybe").set_body_typed([](Optional<Unary> f) { return f; });
JITFFI_REGISTER_GLOBAL("typed_functions.either").set_body_typed([](Variant<Unary, String> f) { return f; });
JITFFI_REGISTER_GLOBAL("typed_functions.adder").set_body_typed([](std::int64_t n) {
  return Unary([n](std::int64_t x) { return x + n; }, "adder");
});

}  // namespace
