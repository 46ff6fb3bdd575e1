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
JITFFI_EXPORT_ABI;
