/* One of three languages: what three_c.c and test_three_languages.py do, too, under names that begin with "cpp.". */
#include <jitffi/jitffi.hpp>

using namespace jitffi;

static AnyValue call(Args args) {
  return Function::global(args[0].cast<std::string>()).call_views(args.data() + 1, args.size() - 1);
}

JITFFI_REGISTER_GLOBAL("cpp.echo").set_body_typed([](AnyValue value) { return value; });
JITFFI_REGISTER_GLOBAL("cpp.call").set_body([](Args args, AnyValue* out) { *out = call(args); });
JITFFI_REGISTER_GLOBAL("cpp.caught").set_body([](Args args, AnyValue* out) {
  try {
    call(args);
  } catch (const Error& error) {
    *out = error;
  }
});
JITFFI_REGISTER_GLOBAL("cpp.names").set_body_typed([] { return Function::list_globals(); });
JITFFI_REGISTER_GLOBAL("cpp.change").set_body([](Args args, AnyValue*) {
  const std::string name = args[0];
  if (args.size() == 1) {
    Function::remove_global(name.c_str());
  } else {
    Function::set_global(name.c_str(), args[1].cast<Function>());
  }
});
JITFFI_REGISTER_GLOBAL("cpp.fail").set_body_typed([](const std::string& kind, const std::string& message) {
  raise(kind.c_str(), message);
});

struct Point : Object {
  double x = 1.5;
  double twice() const { return 2 * x; }
};
JITFFI_STATIC_BLOCK(define_point) { Class<Point>("cpp.Point").field("x", &Point::x).method("twice", &Point::twice); }

JITFFI_REGISTER_GLOBAL("cpp.apply").set_body([](Args args, AnyValue* out) {
  *out = args[0].cast<Function>().call_views(args.data() + 1, args.size() - 1);
});
JITFFI_REGISTER_GLOBAL("cpp.make").set_body_typed([] { return make_object<Point>(); });
JITFFI_REGISTER_GLOBAL("cpp.field").set_body([](Args args, AnyValue* out) {
  const ObjectRef object = args[0];
  const std::string name = args[1];
  if (args.size() == 2) {
    *out = get_field(object, name.c_str());
  } else {
    set_field(object, name.c_str(), args[2]);
  }
});
JITFFI_REGISTER_GLOBAL("cpp.method").set_body_typed([](ObjectRef object, const std::string& name) {
  return call_method(object, name.c_str());
});
JITFFI_REGISTER_GLOBAL("cpp.kind").set_body_typed([](const Error& error) { return error.kind(); });
JITFFI_REGISTER_GLOBAL("cpp.raise").set_body_typed([](const Error& error) { throw error; });
JITFFI_EXPORT_ABI;
