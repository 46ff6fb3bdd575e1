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
    Class<Packed>("args.Packed").method("any", [](Args, AnyValue*) {}, arg("x"));
    return "names of a packed method";
  } catch (const Error& error) {
    if (error.message() != "type 'args.Packed': a packed method has no parameters to name") return error.message();
  }
  const Ref<Point> point = make_object<Point>(1.0, 2.0);
  for (const bool is_method : {true, false}) { /* a method's object is not counted, that of a global function is */
    try {
      is_method ? call_method(point, "moved", "x") : Function::global("args.moved")(point, "x");
      return "text is no number";
    } catch (const Error& error) {
      const std::string start = is_method ? "args.Point.moved: argument 1 'dx'" : "args.moved: argument 2 'dx'";
      if (error.message().find(start) != 0) return error.message();
    }
  }
  const auto refused = [](const std::string& why, auto&&... args) {
    try {
      Registry("args.wrong").set_body_typed([](int a, const String&) { return a; }, args...);
    } catch (const Error& error) {
      return error.message() == "args.wrong: " + why ? std::string() : error.message();
    }
    return "not refused: " + why;
  };
  for (const std::string& problem : {
           refused("1 parameter is named, of a function of type (i32, str) -> i32", arg("a")),
           refused("3 parameters are named, of a function of type (i32, str) -> i32", arg("a"), arg("b"), arg("c")),
           refused("parameter 2 'b': has no default, and one before it has", arg("a") = 1, arg("b")),
           refused("parameter 2 'a': has the name of one before it", arg("a"), arg("a")),
           refused("parameter 2 'b c': is no name", arg("a"), arg("b c")),
           refused("parameter 2 'b': its default: expected str, got int 1", arg("a"), arg("b") = 1),
           refused("parameter 1 'a': its default: expected i32, got int 4294967296, out of range for i32",
                   arg("a") = 1LL << 32, arg("b") = ""),
           refused("parameter 2 'b': its default is no number, text, bytes, truth value or null", arg("a"),
                   arg("b") = List<int>{1}),
       })
    if (!problem.empty()) return problem;
  return "";
});

JITFFI_REGISTER_GLOBAL("args.moved").set_body_method(&Point::moved, arg("dx"), arg("dy") = 3);
JITFFI_REGISTER_GLOBAL("args.refused").set_body_typed([](int a) { return a; }, arg("a") = "x");
JITFFI_EXPORT_TYPED(scaled, [](double x, double by) { return x * by; }, arg("x"), arg("by") = 2);
static int lost(int) { throw std::out_of_range("not here"); }
JITFFI_REGISTER_GLOBAL("args.lost").set_body_typed(lost, arg("i")); /* line of args.lost */
JITFFI_EXPORT_TYPED(lost_too, lost, arg("i") = 1);                  /* line of lost_too */
JITFFI_EXPORT_TYPED(lost_unnamed, [](int i) { return lost(i); });   /* line of lost_unnamed */
JITFFI_EXPORT_TYPED(unnamed, [](double x, double by) { return x - by; }, arg("x"), arg("x"));
