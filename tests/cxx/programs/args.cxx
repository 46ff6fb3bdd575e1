/* Parameters that have names and defaults. */
#include <jitffi/jitffi.hpp>

using namespace jitffi;

struct Point : Object {
  double x, y;
  explicit Point(double x, double y) : x(x), y(y) {}
  double moved(double dx, double dy) const { return (x + dx) * (y + dy); }
};

JITFFI_STATIC_BLOCK(register_point) {
  Class<Point>("args.Point")
      .init<double, double>(arg("x"), arg("y") = 2.0)
      .field("x", &Point::x)
      .method("moved", &Point::moved, arg("dx"), arg("dy") = 1.5)
      .static_method("both", [](int a, bool b) { return b ? a : -a; }, arg("a") = 1, arg("b") = true);
}
JITFFI_REGISTER_GLOBAL("args.join")
    .set_body_typed(
        [](const List<String>& parts, const std::string& by, Optional<int> most) {
          std::string text;
          for (std::size_t i = 0; i < parts.size() && static_cast<int>(i) < most.value_or(9); i++)
            text += (i ? by : "") + parts[static_cast<std::int64_t>(i)].str();
          return text;
        },
        arg("parts"), arg("by") = ", it's a separator that is longer than a slot, ", arg("most") = nullptr);

struct Packed : Object {};

static std::int64_t native(std::int64_t a, std::int64_t b) noexcept { return a - b; }
JITFFI_REGISTER_GLOBAL("args.native").set_body_typed(native, arg("a"), arg("b") = 10);

JITFFI_EXPORT_TYPED(problems, []() -> std::string {
  const Function join = Function::global("args.join");
  if (join(List<String>{"a", "b"}, "-").cast<std::string>() != "a-b") return "one default";
  if (join(List<String>{"a"}).cast<std::string>() != "a") return "two defaults";
  if (call_method(make_object<Point>(1.0, 2.0), "moved", 1).cast<double>() != 7) return "a method's default";
  try {
    Registry("args.wrong").set_body_typed([](int a, int) { return a; }, arg("a"));
    return "too few names";
  } catch (const Error& error) {
    if (error.message() != "args.wrong: 1 parameters are named, of a function of type (i32, i32) -> i32")
      return error.message();
  }
  try {
    Class<Packed>("args.Packed").method("any", [](Args, AnyValue*) {}, arg("x"));
    return "names of a packed method";
  } catch (const Error& error) {
    if (error.message() != "type 'args.Packed': a packed method has no parameters to name") return error.message();
  }
  try {
    Registry("args.wrong").set_body_typed([](int a, int) { return a; }, arg("a") = 1, arg("b"));
    return "a default before none";
  } catch (const Error& error) {
    if (error.message() != "args.wrong: parameter 'b' has no default, and one before it has") return error.message();
  }
  return "";
});
