/* Callables to functions and back: captures, arguments, the registry, the direct way to a C function. */
#include "check.hpp"

#include <functional>
#include <memory>

struct Pair {
  int left, right;
};
/* A type of one's own that crosses: what Type<T> is for. */
template <>
struct jitffi::Type<Pair> {
  static constexpr auto text() { return jitffi::Type<jitffi::Tuple<int, int>>::text(); }
  static int32_t give(Pair&& value, jf_value* out) {
    return jitffi::Type<jitffi::Tuple<int, int>>::give(jitffi::Tuple<int, int>(value.left, value.right), out);
  }
  struct Reader : jitffi::Type<jitffi::Tuple<int, int>>::Reader {
    Pair get() const {
      const auto [left, right] = jitffi::Type<jitffi::Tuple<int, int>>::Reader::get();
      return {left, right};
    }
  };
};

namespace functions_program {

using namespace jitffi;

static void my_add(Args args, AnyValue* out) {
  const int a = args[0], b = args[1];
  *out = a + b;
}
static double twice(double x) { return 2 * x; }
static std::int64_t native_calls = 0;
static std::int64_t add_native(std::int64_t a, std::int64_t b) noexcept { return native_calls++, a + b; }

struct Counter : Object {
  static constexpr char type_key[] = "test.Counter";
  std::int64_t count = 0;
  std::int64_t add(std::int64_t n) { return count += n; }
};

JITFFI_REGISTER_GLOBAL("test.myadd").set_body(my_add);
JITFFI_REGISTER_GLOBAL("test.twice").set_body_typed(twice);
JITFFI_REGISTER_GLOBAL("test.length").set_body_typed([](const std::string& text) { return text.size(); });
JITFFI_REGISTER_GLOBAL("test.count").set_body_method(&Counter::add);
JITFFI_REGISTER_GLOBAL("test.size").set_body_method(&List<int>::size);

static void packed() {
  Function add = my_add;
  const int three = add(1, 2);
  CHECK(three == 3);
  CHECK_TEXT(add.signature(), "");
  CHECK_FAILS(add(1), "TypeError: argument 2 is missing: got 1");
  CHECK_FAILS(add(1, "x"), "TypeError: cast: result: expected i32, got str 'x'");
  Function count = [](Args args, AnyValue* out) { *out = args.size(); };
  CHECK(count().cast<int>() == 0 && count(1, nullptr, "x", 2.5, List<>(), add, AnyValue(1)).cast<int>() == 7);
  CHECK_FAILS(Function()(1), "TypeError: cannot call null");
}

static void typed() {
  Function add = [](std::int64_t a, double b) { return a + b; };
  CHECK_TEXT(add.signature(), "(i64, f64) -> f64");
  CHECK(add(1, 2.5).cast<double>() == 3.5);
  CHECK_FAILS(add(1), "TypeError: function: expected 2 arguments, got 1");
  Function named(twice, "twice");
  CHECK_FAILS(named("x"), "TypeError: twice: argument 1: expected f64, got str 'x'");
  Function nothing = [] {};
  CHECK_TEXT(nothing.signature(), "() -> void");
  CHECK(nothing().is_null());
  Function all = [](bool, std::int8_t, std::uint16_t, float, void*, const char* c, std::string_view v, const String& s,
                    UCS4String, Bytes, AnyView, const AnyValue&, ObjectRef, Function, List<>, Map<String, int>,
                    Tuple<int, double>, jf_dtype, jf_device) { return std::string(c) + std::string(v) + s.str(); };
  CHECK_TEXT(all.signature(),
             "(bool, i8, u16, f32, ptr, cstr, str, str, ucs4, bytes, any, any, object, func, list, map[str, i32], "
             "tuple[i32, f64], dtype, device) -> str");
  const Map<String, int> map = {{"a", 1}};
  const std::string long_text(40, 'l');
  AnyValue result = all(true, 1, 2, 0.5, nullptr, "c,", "a view of text,", long_text, UCS4String(), Bytes("b"), 1, 2,
                        List<>(), add, List<>(), map, Tuple<int, double>(1, 2), jf_dtype{0, 8, 1}, jf_device{1, 0});
  CHECK(result == "c,a view of text," + long_text);
}

enum class Size : std::uint8_t { small = 1, large = 200 };

/* Functions all of whose parameters lie in slots as they are, with arguments that do, and with others. */
static void exact_and_converted() {
  Function sum = [](std::uint64_t a, double b, float c, bool d, Size e) {
    return static_cast<double>(a) + b + static_cast<double>(c) + (d ? 0.25 : 0) + static_cast<int>(e);
  };
  CHECK(sum(1, 2.0, 4.0, true, Size::large) == 207.25 && sum(true, 2, 4, false, 200) == 207);
  CHECK(sum(UINT64_MAX, 0.0, 0.0, false, Size::small) == 18446744073709551616.0);
  CHECK_FAILS(sum(-1, 2.0, 4.0, true, 1),
              "OverflowError: function: argument 1: expected u64 (0 to 18446744073709551615), got int -1");
  CHECK_FAILS(sum(1, 2.0, 4.0, true, 256), "OverflowError: function: argument 5: expected u8 (0 to 255), got int 256");
  CHECK_FAILS(sum(1, 2.0), "TypeError: function: expected 5 arguments, got 2");
  CHECK_FAILS(sum(1, 2.0, 1e39, true, 1),
              "OverflowError: function: argument 3: expected f32 (-3.4028235e+38 to 3.4028235e+38), got float 1e+39");
  CHECK(sum(1, 2.0, -std::numeric_limits<double>::infinity(), true, 1) == -std::numeric_limits<double>::infinity());
  TypedFunction<double(int, int, int, bool, int)> from_ints = sum;
  CHECK(from_ints(1, 2, 3, true, 1) == 7.25);
  Function joined = [](const String& a, UCS4String b, const Bytes& c) { return a.str() + b.str() + c.data(); };
  CHECK(joined("a", UCS4String("b"), Bytes("c")) == "abc" &&
        joined(UCS4String("long text, "), "b", Bytes("c")) == "long text, bc");
  CHECK_FAILS(joined("a", "b", 3), "TypeError: function: argument 3: expected bytes, got int 3");
  Function call = [](const Function& f, Function g) { return f(g(1)); };
  CHECK(call([](int x) { return x + 1; }, [](int x) { return 3 * x; }) == 4);
  CHECK_FAILS(call(nullptr, call), "TypeError: function: argument 1: expected func, got null");
  Function thrower([](std::int64_t x) -> std::int64_t { throw std::out_of_range(std::to_string(x)); }, "thrower");
  TypedFunction<std::int64_t(std::int64_t)> typed = thrower;
  CHECK_FAILS(typed(3), "IndexError: 3");
  CHECK_FAILS(thrower(true), "IndexError: 1");
  try {
    thrower(AnyValue(4));
  } catch (const Error& error) {
    CHECK_TEXT(error.traceback(), "  File \"<native>\", line 1, in thrower(i64) -> i64\n");
  }
}

static void own_types() {
  Function swap = [](Pair pair) { return Pair{pair.right, pair.left}; };
  CHECK_TEXT(swap.signature(), "(tuple[i32, i32]) -> tuple[i32, i32]");
  const Pair swapped = swap(Pair{1, 2});
  CHECK(swapped.left == 2 && swapped.right == 1);
}

static void captures() {
  auto shared = std::make_shared<int>(5);
  {
    Function get = [shared] { return *shared; };
    Function copy = get;
    CHECK(shared.use_count() == 2 && get().cast<int>() == 5 && copy.same_as(get));
    AnyValue value = std::move(get);
    CHECK(shared.use_count() == 2 && value.cast<Function>()().cast<int>() == 5);
    std::function<int(int)> plain = [shared](int n) { return n + *shared; };
    Function wrapped = plain;
    CHECK(wrapped(1).cast<int>() == 6);
    Function counter = [count = 0]() mutable { return ++count; };
    CHECK(counter().cast<int>() == 1 && counter().cast<int>() == 2);
  }
  CHECK(shared.use_count() == 1);
  Function keeps = [only = std::make_unique<int>(3)] { return *only; };
  CHECK(keeps().cast<int>() == 3);
  Function compose = [](Function f, Function g) { return Function([f, g](AnyView x) { return f(g(x)); }); };
  Function add_one = [](int x) { return x + 1; };
  Function both = compose(add_one, compose(add_one, add_one));
  CHECK(both(1).cast<int>() == 4);
}

static void typed_functions() {
  TypedFunction<std::string(const std::string&, int)> repeat = [](const std::string& text, int times) {
    std::string made;
    while (times-- > 0) made += text;
    return made;
  };
  CHECK(repeat("ab", 3) == "ababab" && repeat("a long piece of text, ", 3).size() == 66);
  Function untyped = repeat;
  CHECK_TEXT(untyped.signature(), "(str, i32) -> str");
  TypedFunction<int(AnyView)> number = [](AnyView x) { return x.cast<int>(); };
  CHECK(number(3) == 3 && number(AnyValue(4)) == 4);
  Function packed = my_add;
  TypedFunction<std::int64_t(std::int64_t, std::int64_t)> add = packed;
  CHECK(add(1, 2) == 3);
  TypedFunction<List<int>(int)> wrong = packed;
  CHECK_FAILS(wrong(1), "TypeError: argument 2 is missing: got 1");
  TypedFunction<List<int>(int, int)> other = packed;
  CHECK_FAILS(other(1, 2), "TypeError: function: result: expected list[i32], got int 3");
  TypedFunction<void()> none;
  CHECK_FAILS(none(), "TypeError: cannot call null");
  std::function<int(int)> outside = TypedFunction<int(int)>([](int x) { return x * x; });
  CHECK(outside(5) == 25);
}

static std::int32_t references(const jf_object* object) { return object->ref_count; }

static void borrowed() {
  const List<int> list = {1};
  const std::string plain(40, 't');
  const String text = plain;
  TypedFunction<int(List<int>)> lists = [](const List<int>& given) { return given.use_count(); };
  TypedFunction<int(List<int>)> owned = [](List<int> given) { return given.use_count(); };
  TypedFunction<int(String)> texts = [](const String& given) { return references(given.slot()->v_object); };
  Function values = [](const AnyValue& given) { return references(given.object()); };
  CHECK(lists(list) == 1 && owned(list) == 2 && texts(text) == 1 && values(list) == 1 && values(text) == 1);
  String kept_text;
  List<int> kept_list;
  AnyValue kept;
  Function keep = [&](const String& first, const List<int>& second, const AnyValue& third) {
    kept_text = first;
    kept_list = second;
    kept = third;
  };
  keep(String(plain), List<int>{1, 2}, std::string(plain));
  CHECK(kept_text == plain && kept_list == (List<int>{1, 2}) && kept == plain);
  keep(UCS4String(text), List<int>(), nullptr);
  CHECK(kept_text == plain && kept_list.empty() && kept.is_null());
  CHECK_FAILS(keep(1, list, 2), "TypeError: function: argument 1: expected str, got int 1");
  AnyPad<15> wide;
  Function widen = [&wide](const AnyPad<15>& given) { wide = given; };
  widen(plain);
  CHECK(wide == plain);
}

static void objects() {
  const Ref<Counter> one = make_object<Counter>(), two = make_object<Counter>();
  Function add = &Counter::add;
  CHECK_TEXT(add.signature(), "(test.Counter, i64) -> i64");
  CHECK(add(one, 3) == 3 && add(two, 4) == 4);
  Function merge = [](Counter& into, const Counter& from) { return into.count += from.count; };
  CHECK_TEXT(merge.signature(), "(test.Counter, test.Counter) -> i64");
  CHECK(merge(one, two) == 7 && one->count == 7 && one.use_count() == 1);
  CHECK_FAILS(merge(one, 1), "TypeError: function: argument 2: expected test.Counter, got int 1");
  Function is_empty = &List<int>::empty;
  CHECK(is_empty(List<int>()) == true);
}

static void called_by_other_names() {
  TypedFunction<int(int)> add_one = [](int x) { return x + 1; };
  const AnyView args[] = {4};
  AnyValue result;
  add_one.packed().CallPacked(1, args, &result);
  CHECK(result == 5);
  CHECK_FAILS(Function(my_add).CallPacked(Args(args[0].slot(), 1), &result), "TypeError: argument 2 is missing: got 1");
}

static void direct() {
  Function add = add_native;
  native_calls = 0;
  TypedFunction<std::int64_t(std::int64_t, std::int64_t)> typed = add;
  jf_function* object = reinterpret_cast<jf_function*>(add.get());
  CHECK(object->native == reinterpret_cast<void*>(add_native));
  CHECK_TEXT(object->types, "(i64, i64) -> i64");
  object->call = nullptr; /* never entered */
  CHECK(typed(40, 2) == 42 && native_calls == 1);
  TypedFunction<void()> pending = [] {};
  Function fails([]() noexcept { jf_error_set("ValueError", "below"), jf_error_mark_pending(); });
  void (*below)() noexcept = []() noexcept { jf_error_set("ValueError", "below"), jf_error_mark_pending(); };
  pending = Function(below);
  CHECK_FAILS(pending(), "ValueError: below");
  CHECK(!jf_error_is_pending());
}

static void registered() {
  CHECK(Function::global("test.myadd")(2, 3).cast<int>() == 5);
  CHECK(Function::global("test.length")("four").cast<int>() == 4);
  CHECK(Function::global("test.size")(List<int>{1, 2}).cast<int>() == 2);
  CHECK_FAILS(Function::global("test.length")(4), "TypeError: test.length: argument 1: expected str, got int 4");
  CHECK_FAILS(Function::global("test.mysub"),
              "ValueError: unknown global function 'test.mysub'; did you mean 'test.myadd'?");
  CHECK(!Function::find_global("test.mysub"));
  const std::vector<std::string> names = Function::list_globals();
  for (const std::string& name : names) CHECK(Function::find_global(name));
  CHECK(names == std::vector<std::string>{"test.count", "test.length", "test.myadd", "test.size", "test.twice"});
  Function::set_global("test.new", twice);
  CHECK_FAILS(Function::set_global("test.new", twice),
              "ValueError: global function 'test.new' is already registered; override replaces it");
  Function::set_global("test.new", [](double x) { return 3 * x; }, true);
  CHECK(Function::global("test.new")(2).cast<double>() == 6);
  Function::remove_global("test.new");
  Registry("test.later").set_body_typed([] { return 1; });
  CHECK(Function::global("test.later")().cast<int>() == 1);
  Function::remove_global("test.later");
}

static void unregister() {
  for (const std::string& name : Function::list_globals()) Function::remove_global(name);
}

PROGRAM(functions) {
  jf_type_register(Counter::type_key, JF_ROOT);
  RUN(packed);
  RUN(typed);
  RUN(exact_and_converted);
  RUN(own_types);
  RUN(captures);
  RUN(typed_functions);
  RUN(borrowed);
  RUN(objects);
  RUN(called_by_other_names);
  RUN(direct);
  RUN(registered);
  const std::int64_t live = jf_live_objects();
  unregister();
  CHECK(jf_live_objects() == live - 5);
}

}  // namespace functions_program
