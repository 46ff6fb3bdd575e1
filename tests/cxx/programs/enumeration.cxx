/* An enumeration whose members are objects, declared in C++: see test_cxx_enumerations.py. */
#include <jitffi/jitffi.hpp>

using namespace jitffi;

struct Unit : EnumObject {
  double grams = 1;
};
struct Sign : EnumObject {};

JITFFI_STATIC_BLOCK(register_units) {
  Class<Unit, EnumObject>("tests.cxx.Unit")
      .field("grams", &Unit::grams)
      .member("GRAM", 0)
      .member("KILO", 1, [](Unit& made) { made.grams = 1000; })
      .method("is_large", [](const Unit* self) { return self->grams > 1; });
  Class<Sign, EnumObject>("tests.cxx.Sign").member("PLUS", "+").member("MINUS", "-");
}

JITFFI_EXPORT_TYPED(kilo, [] { return ObjectRef(Function::global("tests.cxx.member")("KILO").cast<Ref<Unit>>()); });
JITFFI_EXPORT_TYPED(grams, [](const Ref<Unit>& unit) { return unit->grams; });
JITFFI_EXPORT_TYPED(name_of, [](const Ref<EnumObject>& member) { return member->name; });
JITFFI_EXPORT_ABI;
