/* The standard library's containers, std::optional, std::variant and std::function as parameters, results and values. */
#include "check.hpp"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <variant>

/* A container and a callable with rows of their own, which come before what their members say. */
template <class T>
struct Sized : std::vector<T> {
  using std::vector<T>::vector;
};
struct Switch {
  bool is_on;
  bool operator()() const { return is_on; }
};
template <class T>
struct jitffi::Type<Sized<T>> : jitffi::Type<std::uint64_t> {
  static int32_t give(Sized<T>&& value, jf_value* out) { return jitffi::Type<std::uint64_t>::give(value.size(), out); }
  struct Reader : jitffi::Type<std::uint64_t>::Reader {
    Sized<T> get() const { return Sized<T>(static_cast<std::size_t>(this->value)); }
  };
};
template <class T>
struct jitffi::Type<T, std::enable_if_t<std::is_base_of_v<Switch, T>>> : jitffi::Type<bool> {
  static int32_t give(T&& value, jf_value* out) { return jitffi::Type<bool>::give(value(), out); }
  struct Reader : jitffi::Type<bool>::Reader {
    T get() const { return {this->value}; }
  };
};

namespace standard_program {

using namespace jitffi;

static void own_rows() {
  Function longer = [](Sized<int> sized, Switch by_one) {
    if (by_one()) sized.push_back(0);
    return std::make_pair(sized, by_one);
  };
  CHECK_TEXT(longer.signature(), "(u64, bool) -> tuple[u64, bool]");
  CHECK_TEXT(longer(2, true).repr(), "(3, True)");
}

using Any = std::variant<std::monostate, std::int64_t, std::string, std::vector<int>>;

static void parameters_and_results() {
  Function all = [](std::optional<int> maybe, const std::map<std::string, std::deque<double>>& map,
                    std::pair<int, std::string> pair, Any any, std::array<int, 2> array) {
    std::unordered_map<std::string, std::size_t> sizes;
    for (const auto& [key, items] : map) sizes[key] = items.size();
    return std::make_tuple(maybe, sizes, pair, any, array);
  };
  CHECK_TEXT(all.signature(),
             "(optional[i32], map[str, list[f64]], tuple[i32, str], null | i64 | str | list[i32], list[i32]) -> "
             "tuple[optional[i32], map[str, u64], tuple[i32, str], null | i64 | str | list[i32], list[i32]]");
  const Map<String, List<double>> map = {{"a", {1, 2.5}}};
  const std::pair<int, std::string> pair = {1, "x"};
  CHECK_TEXT(all(nullptr, map, pair, nullptr, List<int>{1, 2}).repr(), "(None, {'a': 2}, (1, 'x'), None, [1, 2])");
  CHECK_TEXT(all(std::optional<int>(3), std::map<std::string, std::deque<double>>(), Tuple<int, String>(2, "y"),
                 std::vector<int>{4}, std::array<int, 2>{5, 6})
                 .repr(),
             "(3, {}, (2, 'y'), [4], [5, 6])");
  CHECK_FAILS(all(1, map, pair, 2.5, List<int>{1, 2}),
              "TypeError: function: argument 4: expected null | i64 | str | list[i32], got float 2.5");
  CHECK_FAILS(all(1, map, pair, 2, List<int>{1, 2, 3}), "ValueError: function: argument 5: expected 2 items, got 3");
  CHECK_FAILS(all(1, map, Tuple<int>(1), 2, List<int>{1, 2}),
              "TypeError: function: argument 3: expected tuple[i32, str], got tuple of 1 item");
}

static void values() {
  const std::map<int, std::string> map = {{1, "one"}};
  CHECK(AnyValue(map).cast<std::map<int, std::string>>() == map);
  const std::set<std::string> words = {"to", "be"};
  CHECK(AnyValue(words).cast<std::unordered_set<std::string>>().count("be") == 1);
  Function lengths = [](const std::unordered_set<std::string>& given) {
    std::set<std::size_t> found;
    for (const auto& word : given) found.insert(word.size());
    return found;
  };
  CHECK_TEXT(lengths.signature(), "(set[str]) -> set[u64]");
  CHECK(lengths(words).cast<std::set<std::size_t>>() == std::set<std::size_t>{2});
  CHECK(AnyValue(std::optional<int>()).is_null() && !AnyValue(nullptr).cast<std::optional<int>>());
  CHECK(AnyValue(7).cast<Any>().index() == 1 && AnyValue(List<int>{7}).cast<Any>().index() == 3);
  CHECK(AnyValue(nullptr).cast<Any>().index() == 0 && AnyValue(Any("text")) == "text");
  const auto [number, text] = AnyValue(std::make_pair(1, "one")).cast<std::pair<int, std::string>>();
  CHECK(number == 1 && text == "one");
  const std::vector<bool> bits = AnyValue(std::vector<bool>{true, false});
  CHECK(bits[0] && !bits[1]);
}

/* std::optional's own constructor would take a null for an int, so nothing converts to it unsaid. */
static_assert(!std::is_convertible_v<AnyValue&, std::optional<int>> &&
              !std::is_convertible_v<const AnyValue&, std::optional<int>> &&
              !std::is_convertible_v<AnyView, std::optional<std::string>> && std::is_convertible_v<AnyValue&, Any>);

static void optionals() {
  AnyValue null, three = 3, text = "three";
  std::optional<int> of_null = Optional<int>(null), of_three = three.as<int>(), of_text = text.as<int>();
  CHECK(!of_null && of_three == 3 && !of_text);
  of_three = Optional<int>(null);
  const Optional<int> back = of_null, again = std::optional<int>(4);
  CHECK(!of_three && !back && *again == 4);
  const Optional<std::string> copy = std::optional<const char*>("four");
  CHECK_TEXT(*copy, "four");
  const std::variant<std::int64_t, std::string> held = Variant<std::int64_t, String>("five");
  CHECK_TEXT(std::get<1>(held), "five");
}

static void functions() {
  Function added = [](std::function<int(int)> f, std::optional<std::string_view> text) {
    return [f, size = static_cast<int>(text.value_or("none").size())](int x) { return f(x) + size; };
  };
  CHECK_TEXT(added.signature(), "(func[(i32) -> i32], optional[str]) -> func");
  const auto twice = [](int x) { return 2 * x; };
  Function six = added(twice, "eleven");
  CHECK(six(3) == 12);
  const std::function<int(int)> four = added(twice, nullptr).cast<std::function<int(int)>>();
  CHECK(four(3) == 10);
  CHECK(List<Function>{four}[0](1) == 6 && AnyValue(std::function<int()>()).is_null());
}

PROGRAM(standard) {
  RUN(parameters_and_results);
  RUN(values);
  RUN(optionals);
  RUN(functions);
  RUN(own_rows);
}

}  // namespace standard_program
