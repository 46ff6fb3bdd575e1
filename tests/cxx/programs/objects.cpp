/* Classes: fields and methods that C knows by name, references and casts, inheritance, circles and long chains. */
#include <cmath>
#include <unordered_map>

#include "check.hpp"

namespace objects_program {

using namespace jitffi;

struct Point : Object {
  double x = 0, y = 0;
  Point() = default;
  Point(double x_, double y_) : x(x_), y(y_) {}
  double norm() const { return std::sqrt(x * x + y * y); }
  void scale(double by) { x *= by, y *= by; }
};

enum class Color : std::int16_t { red = 1, green = 2 };

struct Named : Point {
  String name = "none";
  std::int8_t small = 0;
  Named() = default;
};
/* Its first field lies in the padding of the base. */
struct Everything : Named {
  bool flag = false;
  Color color = Color::red;
  std::uint64_t large = 0;
  UCS4String wide;
  Bytes bytes;
  AnyValue any;
  Optional<std::int64_t> maybe;
  Variant<std::int64_t, String> either;
  List<std::int64_t> list;
  Map<String, double> map;
  Optional<Function> callback;
  Optional<Ref<Point>> point;
  int hidden = 5; /* no field */
};
struct Node : CyclicObject {
  std::int64_t value = 0;
  Optional<Ref<Node>> next;
  List<> children;
  ~Node() { destroyed++; }
  static inline int destroyed = 0;
};

/* Says itself that its note does not count. */
struct Noted : Object {
  AnyValue body;
  String note;
};

JITFFI_STATIC_BLOCK(register_classes) {
  Class<Noted>("test.Noted")
      .field("body", &Noted::body)
      .field("note", &Noted::note)
      .method("__s_equal__", [](const Noted* a, const Noted* b, Function equal) { return equal(a->body, b->body); })
      .method("__s_hash__", [](const Noted* a, AnyView start, Function hash) { return hash(a->body, start); })
      .options(JF_TYPE_FROZEN);
  Class<Point>("test.Point", "A place.")
      .field("x", &Point::x, "Along.")
      .default_value(0.5)
      .field("y", &Point::y)
      .options(JF_TYPE_COMPARES | JF_TYPE_HASHES)
      .init<double, double>()
      .method("norm", &Point::norm, "How far.")
      .method("scale", &Point::scale)
      .method("plus", [](const Point* left,
                         const Point* right) { return make_object<Point>(left->x + right->x, left->y + right->y); })
      .static_method("origin", [] { return make_object<Point>(); });
  Class<Named, Point>("test.Named").field("name", &Named::name).field("small", &Named::small);
  Class<Everything, Named>("test.Everything")
      .field("flag", &Everything::flag)
      .field("color", &Everything::color)
      .read_only("large", &Everything::large)
      .field("wide", &Everything::wide)
      .field("bytes", &Everything::bytes)
      .field("any", &Everything::any)
      .field("maybe", &Everything::maybe)
      .field("either", &Everything::either)
      .field("list", &Everything::list)
      .field("map", &Everything::map)
      .field("callback", &Everything::callback)
      .field("point", &Everything::point);
  Class<Node>("test.Node").field("value", &Node::value).field("next", &Node::next).field("children", &Node::children);
}

static void references() {
  Ref<Point> p = make_object<Point>(3.0, 4.0);
  CHECK(p->norm() == 5 && p.use_count() == 1);
  ObjectRef any = p;
  CHECK(any.as<Point>().same_as(p) && !any.as<Named>() && !any.as<List<>>());
  CHECK(p.use_count() == 2);
  CHECK_FAILS(any.cast<Named>(), "TypeError: cast: result: expected test.Named, got test.Point");
  CHECK_FAILS(AnyValue(3).cast<Ref<Point>>(), "TypeError: cast: result: expected test.Point, got int 3");
  Ref<Named> named = make_object<Named>();
  Ref<Point> base = named;
  CHECK(base.as<Named>() && base->norm() == 0 && named->name == "none" && std::string(base.type_key()) == "test.Named");
  AnyValue value = named;
  CHECK(value.cast<Ref<Point>>().same_as(named) && value.cast<ObjectRef>().as<Named>());
  Function norm = [](const Point* point) { return point->norm(); };
  CHECK(norm(p).cast<double>() == 5 && norm(named).cast<double>() == 0);
  CHECK_FAILS(norm(List<>()), "TypeError: function: argument 1: expected test.Point, got list");
  CHECK_FAILS(norm(nullptr), "TypeError: function: argument 1: expected test.Point, got null");
  List<Ref<Point>> points = {p, named};
  CHECK(points[0]->x == 3 && points.size() == 2);
  struct Other : Object {};
  CHECK_FAILS(make_object<Other>(), "TypeError: an object of a class that is not registered");
}

static void fields() {
  Ref<Everything> all = make_object<Everything>();
  set_field(all, "x", 2);
  set_field(all, "name", "a name that is longer than a slot");
  set_field(all, "flag", true);
  set_field(all, "color", 2);
  set_field(all, "wide", "w\u00f6rd, in UTF-8");
  set_field(all, "bytes", Bytes("bytes"));
  set_field(all, "any", List<>{1});
  set_field(all, "maybe", 3);
  set_field(all, "either", "text");
  set_field(all, "list", List<std::int64_t>{1, 2});
  set_field(all, "map", Map<String, double>{{"a", 1.5}});
  set_field(all, "callback", Function([](int x) { return x + 1; }));
  set_field(all, "point", make_object<Point>(1.0, 2.0));
  CHECK(all->x == 2 && all->name.size() == 33 && all->flag && all->color == Color::green);
  CHECK(all->wide == UCS4String(U"w\u00f6rd, in UTF-8") && all->bytes.size() == 5 && all->maybe.value() == 3);
  CHECK(all->either.holds<String>() && all->list[1] == 2 && all->map["a"] == 1.5);
  CHECK((*all->callback)(1) == 2 && all->point->get()->y == 2);
  set_field(all, "name", UCS4String(U"w\u00f6rd, in UCS4"));
  CHECK_TEXT(all->name.str(), "w\u00f6rd, in UCS4");
  set_field(all, "point", nullptr);
  CHECK(!all->point && get_field(all, "point").is_null() && get_field(all, std::string("maybe")) == 3);
  CHECK_FAILS(set_field(all, "point", List<>()),
              "TypeError: test.Everything.point: expected optional[test.Point], got list");
  CHECK_FAILS(set_field(all, "small", 300), "OverflowError: test.Named.small: expected i8 (-128 to 127), got int 300");
  CHECK_FAILS(set_field(all, "large", 1), "AttributeError: test.Everything.large: it is read-only");
  CHECK_FAILS(get_field(all, "hidden"), "AttributeError: test.Everything has no field 'hidden'");
  CHECK(all->hidden == 5);
  ObjectRef made = make_object_of("test.Point");
  CHECK(made.as<Point>()->x == 0.5 && made.as<Point>()->y == 0);
  ObjectRef other = make_object_of("test.Everything");
  CHECK(other.as<Everything>()->hidden == 5 && other.as<Everything>()->name == "none" &&
        other.as<Everything>()->list.empty());
  CHECK(AnyValue(make_object<Point>(1, 2)) == AnyValue(make_object<Point>(1, 2)));
  CHECK_TEXT(AnyValue(make_object<Point>(1, 2)).repr(), "Point(x=1.0, y=2.0)");
}

static void methods() {
  Ref<Point> p = make_object<Point>(3.0, 4.0);
  CHECK(call_method(p, "norm").cast<double>() == 5);
  call_method(p, "scale", 2);
  CHECK(p->x == 6 && call_method(make_object<Named>(), "norm").cast<double>() == 0);
  CHECK(call_method(p, "plus", p).cast<Ref<Point>>()->y == 16);
  CHECK_FAILS(call_method(p, "scale", "x"), "TypeError: test.Point.scale: argument 1: expected f64, got str 'x'");
  Function itself = [](Point& point) -> const Point& { return point; };
  CHECK_TEXT(itself.signature(), "(object) -> object");
  CHECK(itself(p).cast<Ref<Point>>().same_as(p));
  CHECK(p.use_count() == 1);
  Function init = ObjectRef::steal<Function>(jf_type_method(Ref<Point>::type(), "__init__"));
  CHECK(init(1, 2).cast<Ref<Point>>()->y == 2);
  Function origin = ObjectRef::steal<Function>(jf_type_method(Ref<Point>::type(), "origin"));
  CHECK(origin().cast<Ref<Point>>()->norm() == 0);
}

static void structure() {
  const Ref<Node> a = make_object<Node>(), b = make_object<Node>();
  a->children.append(List<>{1, "two"});
  b->children.append(List<>{1, "two"});
  for (const AnyValue& again : {from_json(to_json(a, 2)), from_bytes(to_bytes(a))}) CHECK(structural_equal(a, again));
  CHECK_FAILS(from_json("[1"), "ValueError: from_json: byte 2: expected ','");
  CHECK_FAILS(from_bytes("x"), "ValueError: from_bytes: byte 0: expected \"jfg1\": these are no bytes of to_bytes");
  CHECK(structural_equal(a, b) && structural_hash(a) == structural_hash(b) && !first_structural_mismatch(a, b));
  std::unordered_map<Ref<Node>, int, ObjectPtrHash, ObjectPtrEqual> each = {{a, 1}, {b, 2}};
  std::unordered_map<Ref<Node>, int, StructuralHash, StructuralEqual> alike = {{a, 1}, {b, 2}};
  CHECK(each.size() == 2 && each[b] == 2 && alike.size() == 1 && alike[b] == 1);
  b->value = 2;
  CHECK(!structural_equal(a, b) && AnyValue(a) != AnyValue(b));
  const auto [here, there] = first_structural_mismatch(a, b).value();
  CHECK(AnyValue(here) == AnyValue(there) && here.size() == 1);
  CHECK(here[0].cast<Tuple<>>()[1] == "value");
  const Ref<Noted> first = make_object<Noted>(), second = make_object<Noted>();
  first->body = a;
  first->note = "first";
  second->body = b;
  CHECK(!structural_equal(first, second));
  b->value = a->value;
  CHECK(structural_equal(first, second) && structural_hash(first) == structural_hash(second));
}

static void circles_and_chains() {
  Node::destroyed = 0;
  {
    Ref<Node> a = make_object<Node>(), b = make_object<Node>();
    a->next = b;
    b->next = a;
    a->children.append(b);
  }
  CHECK(Node::destroyed == 0 && jf_cycles_collect() > 0 && Node::destroyed == 2);
  Ref<Node> last = make_object<Node>();
  for (int i = 0; i < 200000; i++) {
    Ref<Node> before = make_object<Node>();
    before->next = std::move(last);
    last = std::move(before);
  }
  last = nullptr;
  CHECK(Node::destroyed == 200003);
}

static void refused() {
  struct Late : Object { /* without the method that copies, which would be left */
    Late() = default;
    Late(const Late&) = delete;
    Ref<Node> node;
    int number = 0;
  };
  struct Child : Late {};
  CHECK_FAILS((Class<Child, Late>("test.Child")), "TypeError: type 'test.Child': its parent is not registered");
  CHECK_FAILS(Class<Late>("test.Late").nullable(),
              "ValueError: type 'test.Late': it has no field yet that this is to be said of");
  Class<Late>("test.Late").field("number", &Late::number);
  CHECK_FAILS(Class<Late>("test.Late").field("other", &Late::number),
              "ValueError: type 'test.Late': it is defined already, with other fields");
  Class<Late>("test.Late").field("number", &Late::number);
}

PROGRAM(objects) {
  RUN(references);
  RUN(fields);
  RUN(methods);
  RUN(structure);
  RUN(circles_and_chains);
  RUN(refused);
}

}  // namespace objects_program
