/* Optional and Variant: parameters and results that may be null or of several types, and what is taken for what. */
#include "check.hpp"

namespace variants_program {

using namespace jitffi;

static_assert(sizeof(Optional<int>) == 16 && sizeof(Optional<List<>>) == 8 && sizeof(Variant<int, String>) == 16,
              "as fields of objects have them");

static void optionals() {
  Optional<int> none, three = 3;
  CHECK(!none && three && *three == 3 && none.value_or(7) == 7 && three.value_or(7) == 3);
  CHECK_FAILS(none.value(), "ValueError: an Optional without a value");
  Optional<std::string> text = "a text that is longer than a slot";
  Optional<std::string> copy = text;
  text.reset();
  CHECK(!text && copy.value().size() == 33);
  CHECK(three == 3 && three != 4 && none == nullptr && three != nullptr && three == Optional<int>(3) && none != three);
  CHECK(copy->size() == 33);
  const AnyValue null;
  const Optional<int> of_null = null, of_seven = AnyValue(7);
  Optional<List<int>> no_list(null);
  three = null;
  CHECK(!of_null && of_seven == 7 && !no_list && !three);
  Optional<List<int>> list = List<int>{1, 2};
  CHECK(list->size() == 2 && (*list)[1] == 2);
  Function length = [](Optional<String> given, Optional<List<int>> items) -> Optional<std::int64_t> {
    if (!given) return std::nullopt;
    return static_cast<std::int64_t>(given.value().size() + (items ? items->size() : 0));
  };
  CHECK_TEXT(length.signature(), "(optional[str], optional[list[i32]]) -> optional[i64]");
  CHECK(length(nullptr, nullptr).is_null() && length("four", nullptr) == 4);
  CHECK(length("four", List<int>{1}) == 5 && length(Optional<String>("x"), Optional<List<int>>()) == 1);
  CHECK_FAILS(length(4, nullptr), "TypeError: function: argument 1: expected optional[str], got int 4");
}

static void as() {
  const AnyValue number = 3, text = "three";
  CHECK(number.as<int>() && *number.as<int>() == 3 && !text.as<int>() && *text.as<std::string>() == "three");
  CHECK(number.as<double>().value() == 3.0 && !number.as<List<>>() && !AnyValue(300).as<std::int8_t>());
}

static void variants() {
  Variant<std::int64_t, String> key = "name";
  CHECK(key.holds<String>() && !key.holds<std::int64_t>() && key.get<String>() == "name");
  key = std::int64_t(7);
  CHECK(key.holds<std::int64_t>() && key == (Variant<std::int64_t, String>(7)) && !key.get_if<String>());
  CHECK_FAILS(key.get<String>(), "TypeError: cast: result: expected str, got int 7");
  CHECK(key.visit([](const auto& held) { return sizeof(held) == sizeof(std::int64_t); }));
  Function kind = [](Variant<std::int64_t, double, String, List<int>, std::nullptr_t> value) {
    std::string said = "nothing";
    value.visit([&said](const auto& held) {
      using Held = std::decay_t<decltype(held)>;
      said = std::is_same_v<Held, std::int64_t> ? "int"
             : std::is_same_v<Held, double>     ? "float"
             : std::is_same_v<Held, String>     ? "str"
             : std::is_same_v<Held, List<int>>  ? "list"
                                                : "null";
    });
    return said;
  };
  CHECK(kind(1) == "int" && kind(1.0) == "float" && kind("a text that is longer than a slot") == "str");
  CHECK(kind(List<int>{1}) == "list" && kind(nullptr) == "null" && kind(true) == "int");
  CHECK_FAILS(kind(List<String>{"x"}),
              "TypeError: function: argument 1: expected i64 | f64 | str | list[i32] | null, got list");
  Function back = [](int which) -> Variant<int, String> {
    if (which == 0) return 0;
    return String("a text that is longer than a slot");
  };
  CHECK(back(0) == 0 && back(1).size() == 33);
}

PROGRAM(variants) {
  RUN(optionals);
  RUN(as);
  RUN(variants);
}

}  // namespace variants_program
