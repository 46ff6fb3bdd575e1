/* Classes whose objects are made of arguments, to be derived from in Python. */
#include <jitffi/jitffi.hpp>

using namespace jitffi;

struct Shape : Object {
  double width;
  double height;
  String name;
  static inline int alive = 0;
  Shape(double w, double h) : width(w), height(h), name("a name that no slot has room for") {
    if (w < 0) raise("ValueError", "a negative width");
    alive++;
  }
  Shape(const Shape&) = delete;
  ~Shape() { alive--; }
  double area() const { return width * height; }
};
/* Has a constructor without arguments, too, and holds others. */
struct Group : CyclicObject {
  List<> members;
  std::int64_t limit = 7;
  Group() = default;
  Group(std::int64_t most, List<> all) : members(all), limit(most) {}
};
struct Opaque : Shape {
  Opaque() : Shape(1, 1) {}
};

struct Mark : Object {
  double x = 1;
};
struct Line : Mark {
  std::int64_t n = 2;
};

JITFFI_STATIC_BLOCK(register_classes) {
  Class<Mark>("derived.Mark").options(JF_TYPE_COMPARES | JF_TYPE_FROZEN).field("x", &Mark::x);
  Class<Line, Mark>("derived.Line").options(JF_TYPE_COMPARES).field("n", &Line::n);
  Class<Shape>("derived.Shape")
      .init<double, double>()
      .field("width", &Shape::width)
      .default_value(0.5)
      .read_only("height", &Shape::height)
      .field("name", &Shape::name)
      .method("area", &Shape::area)
      .static_method("alive", [] { return Shape::alive; });
  Class<Group>("derived.Group").init<std::int64_t, List<>>().field("members", &Group::members).field("limit", &Group::limit);
  Class<Opaque, Shape>("derived.Opaque");
}

JITFFI_EXPORT_TYPED(area, [](const Shape* shape) { return shape->area(); });
JITFFI_EXPORT_TYPED(keep, [](AnyValue value) { return Function([value] { return value; }); });
JITFFI_EXPORT_ABI;
