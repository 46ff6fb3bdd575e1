/* A library that Python loads: exports with the text of their types, names that are registered at dlopen. */
#include <future>

#include <jitffi/jitffi.hpp>

using namespace jitffi;

JITFFI_REGISTER_GLOBAL("plugin.callhello").set_body([](Args args, AnyValue*) {
  Function f = args[0];
  f("hello world");
});
JITFFI_REGISTER_GLOBAL("plugin.apply").set_body_typed([](Function f, List<> args) {
  std::vector<jf_any> views;
  for (const AnyValue& arg : args) views.push_back(*AnyView(arg).slot());
  return f.call_views(views.data(), static_cast<std::int32_t>(views.size()));
});
JITFFI_REGISTER_GLOBAL("plugin.adder").set_body_typed([](int n) { return Function([n](int x) { return x + n; }); });
JITFFI_REGISTER_GLOBAL("plugin.rethrow").set_body_typed([](Function f) {
  try {
    f();
  } catch (const Error& error) {
    if (error.kind() == "KeyError") return "caught " + error.message();
    throw;
  }
  return std::string("nothing");
});
JITFFI_REGISTER_GLOBAL("plugin.keep").set_body_typed([](AnyValue value) {
  static AnyValue kept;
  std::swap(kept, value);
  return value;
});

struct Point : Object {
  static constexpr char type_key[] = "plugin.Point";
  double x = 0;
};
JITFFI_STATIC_BLOCK(register_point) { Class<Point>("plugin.Point").field("x", &Point::x); }

JITFFI_EXPORT_TYPED(total, [](const List<Ref<Point>>& points) {
  double sum = 0;
  for (const Ref<Point> point : points) sum += point->x;
  return sum;
});
JITFFI_EXPORT_TYPED(either, [](Variant<std::int64_t, String, List<int>, std::nullptr_t> value) { return value; });
JITFFI_EXPORT_TYPED(kind, [](const Error& error) { return error.kind(); });
JITFFI_EXPORT_TYPED(maybe, [](Optional<Ref<Point>> point) { return point ? (*point)->x : -1.0; });

static double scale(double x, double factor) { return x * factor; }

JITFFI_EXPORT_TYPED(add, [](std::int64_t a, std::int64_t b) { return a + b; });
JITFFI_EXPORT_TYPED(scale, scale);
JITFFI_EXPORT_TYPED(join, [](const List<String>& words, std::string_view by) {
  std::string made;
  for (const String& word : words) made += (made.empty() ? "" : std::string(by)) + word.str();
  return made;
});
JITFFI_EXPORT_TYPED(count, [](Args args, AnyValue* out) { *out = args.size(); });
JITFFI_EXPORT_TYPED(fail, [](const std::string& message) { throw std::out_of_range(message); });
JITFFI_EXPORT_TYPED(no_file, [](int number) { throw std::system_error(number, std::system_category(), "open"); });
JITFFI_EXPORT_TYPED(sizes, [](Map<String, Bytes> named) {
  Map<String, std::int64_t> made;
  for (const auto& [name, bytes] : named) made.set(name, static_cast<std::int64_t>(bytes.size()));
  return made;
});
JITFFI_EXPORT_TYPED(echo, [](AnyView value) { return AnyValue(value); });
JITFFI_EXPORT_TYPED(double_in_place, [](jf_dltensor* tensor) {
  double* at = NDArray::elements_of<double>(tensor);
  for (std::int64_t i = 0; i < jf_dltensor_items(tensor); i++) at[i] *= 2;
});
JITFFI_EXPORT_TYPED(keep_array, [](NDArray array) { return array; });
JITFFI_EXPORT_TYPED(load, [](const std::string& path) { return Module::load(path); });
JITFFI_EXPORT_TYPED(refuse, [](const std::string& word) { raise("KeyError", word); });
JITFFI_EXPORT_TYPED(made, [](const std::string& word) { return Error("KeyError", word); });
JITFFI_EXPORT_TYPED(raise_given, [](const Error& error) { raise(error); });
JITFFI_EXPORT_TYPED(refuse_because, [](const std::string& word) {
  try {
    raise("KeyError", word);
  } catch (const Error& error) {
    throw Error("ValueError", "outer", error);
  }
});
JITFFI_EXPORT_TYPED(on_thread, [](TypedFunction<int(int)> function, int x) {
  const Unlocked unlocked;
  return std::async(std::launch::async, [&] { return function(x); }).get();
});
JITFFI_EXPORT_TYPED(turned, [](const ShapeTuple& shape) { return ShapeTuple{shape[1], shape[0]}; });
JITFFI_EXPORT_ABI;
