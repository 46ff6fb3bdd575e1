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
/* Made of arguments alone, and copied by C++, with what Python does not know of; its reference is null at first. */
struct Token : CyclicObject {
  std::int64_t n;
  Ref<Token> next = nullptr;
  std::string hidden;
  explicit Token(std::int64_t given) : n(given), hidden("no " + std::to_string(given)) {}
};
/* The same without arguments. */
struct Link : CyclicObject {
  std::int64_t n = 1;
  Ref<Link> next = nullptr;
  List<> all;
  String name = "a name that no slot has room for";
};

JITFFI_STATIC_BLOCK(register_classes) {
  Class<Mark>("derived.Mark").options(JF_TYPE_COMPARES | JF_TYPE_FROZEN).field("x", &Mark::x);
  Class<Line, Mark>("derived.Line").options(JF_TYPE_COMPARES).field("n", &Line::n);
  Class<Token>("derived.Token")
      .init<std::int64_t>()
      .field("n", &Token::n)
      .field("next", &Token::next)
      .method("told", [](const Token* self) { return self->hidden; });
  Class<Link>("derived.Link")
      .field("n", &Link::n)
      .field("next", &Link::next)
      .field("all", &Link::all)
      .field("name", &Link::name);
  Class<Shape>("derived.Shape")
      .init<double, double>()
      .field("width", &Shape::width)
      .default_value(0.5)
      .read_only("height", &Shape::height)
      .field("name", &Shape::name)
      .method("area", &Shape::area)
      .static_method("alive", [] { return Shape::alive; });
  Class<Group>("derived.Group")
      .init<std::int64_t, List<>>("limit", "members")
      .field("members", &Group::members)
      .nullable()
      .field("limit", &Group::limit);
  Class<Opaque, Shape>("derived.Opaque");
}

JITFFI_EXPORT_TYPED(area, [](const Shape* shape) { return shape->area(); });
JITFFI_EXPORT_TYPED(keep, [](AnyValue value) { return Function([value] { return value; }); });
JITFFI_EXPORT_ABI;
