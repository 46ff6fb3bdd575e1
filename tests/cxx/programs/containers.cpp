/* List, Map, Tuple and std::vector: typed views of one container; what is in them is checked at each access. */
#include "check.hpp"

namespace containers_program {

using namespace jitffi;

static void lists() {
  List<std::int64_t> numbers = {3, 1, 2};
  numbers.append(5);
  numbers.insert(0, 7);
  CHECK(numbers.size() == 5 && numbers[0] == 7 && numbers[-1] == 5);
  numbers.set(0, 9);
  numbers.sort();
  CHECK(numbers.vector() == std::vector<std::int64_t>{1, 2, 3, 5, 9});
  CHECK(numbers.pop() == 9 && numbers.pop(0) == 1 && numbers.find(5) == 2 && !numbers.contains(77));
  std::int64_t sum = 0;
  for (const std::int64_t n : numbers) sum += n;
  CHECK(sum == 10);
  CHECK(numbers.slice(1).vector() == std::vector<std::int64_t>{3, 5});
  CHECK_FAILS(numbers[3], "IndexError: list index out of range");
  List<std::int64_t> same = numbers, copy = numbers.copy();
  same.append(8);
  CHECK(numbers.size() == 4 && copy.size() == 3 && same.same_as(numbers));
  for (const std::int64_t n : numbers) {
    if (n < 0 || numbers.size() > 6) break;
    numbers.append(n); /* goes over what is added */
  }
  CHECK(numbers.size() == 7);
  List<std::string> words;
  words.reserve(3);
  words.append("a word that is long enough for the heap");
  words.extend(List<const char*>{"b", "c"});
  CHECK(words.size() == 3 && words[0].size() == 39 && words[2] == "c");
  CHECK(words.front().size() == 39 && words.back() == "c");
  words.pop_back();
  const List<> all = words; /* the same list, as one of anything */
  all.append(2.5);
  CHECK(words.size() == 3 && all.same_as(words));
  words.clear();
  CHECK(words.empty() && List<int>(nullptr).size() == 0);
}

static void a_list_that_changed() {
  List<> anything = {1, "two", 3.5, nullptr, List<int>{1}};
  CHECK_TEXT(AnyValue(anything).repr(), "[1, 'two', 3.5, None, [1]]");
  List<int> numbers = ObjectRef(anything).as<List<int>>();
  CHECK(numbers[0] == 1);
  CHECK_FAILS(numbers[1], "TypeError: cast: result: expected i32, got str 'two'");
  CHECK_FAILS(AnyValue(anything).cast<List<int>>(),
              "TypeError: cast: result: expected list[i32], got list with str 'two' at [1]");
  CHECK(!ObjectRef(anything).as<Map<>>() && !ObjectRef(nullptr).as<List<>>());
  CHECK_FAILS((ObjectRef(anything).cast<Map<>>()), "TypeError: cast: result: expected map, got list");
}

static void maps() {
  Map<String, double> sizes = {{"a", 1.5}, {"b", 2}};
  sizes.set("c", 3);
  CHECK(sizes.size() == 3 && sizes["a"] == 1.5 && sizes.get("z", -1) == -1 && sizes.contains("b"));
  CHECK_FAILS(sizes["nothing"], "KeyError: 'nothing'");
  double sum = 0;
  std::string keys;
  for (const auto& [key, value] : sizes) keys += key.str(), sum += value;
  CHECK(keys == "abc" && sum == 6.5);
  CHECK(sizes.erase("a") && !sizes.erase("a") && sizes.keys().size() == 2 && sizes.values()[0] == 2);
  CHECK_FAILS(for (const auto& entry : sizes) sizes.set(entry.first + "x", 1),
              "RuntimeError: map changed size during iteration");
  const Map<> untyped = sizes;
  CHECK(sizes.get("b") == 2.0 && !sizes.get("a") && untyped.get("b") && !sizes.unique());
  CHECK(untyped.count("b") == 1 && std::distance(untyped.begin(), untyped.end()) == 3);
  Map<> any = {{1, "one"}, {"two", List<>()}};
  CHECK_TEXT(AnyValue(any).repr(), "{1: 'one', 'two': []}");
  CHECK_FAILS((any[List<>()]), "TypeError: unhashable type: 'list'");
  CHECK_FAILS((AnyValue(any).cast<Map<String, String>>()),
              "TypeError: cast: result: expected map[str, str], got map with key int 1");
}

static void sets() {
  const Set<String> words = {"to", "be", "or", "to"};
  CHECK(words.size() == 3 && words.contains("be") && words.count("not") == 0 && !words.insert("or"));
  CHECK(words.insert("not") && words.erase("be") && !words.erase("be"));
  std::string all;
  for (const String& word : words) all += word.str();
  CHECK(all == "toornot" && words.items()[0] == "to");
  CHECK_FAILS(for (const String& word : words) words.insert(word + "x"),
              "RuntimeError: set changed size during iteration");
  Set<> numbers = {1, 2.5, 3};
  const Set<> few = Set<int>{3, 1};
  CHECK(few.is_subset_of(numbers) && !numbers.is_subset_of(few) && numbers.is_disjoint_from({4}));
  CHECK_TEXT(AnyValue(numbers - few).repr(), "{2.5}");
  CHECK((numbers & few) == few && (numbers | Set<>{4}).size() == 4 && (numbers ^ few) == Set<>{2.5});
  numbers -= few;
  CHECK(numbers == Set<>{2.5} && numbers.copy() == numbers);
  CHECK_FAILS(numbers.insert(List<>()), "TypeError: unhashable type: 'list'");
  CHECK_FAILS((AnyValue(numbers).cast<Set<int>>()),
              "TypeError: cast: result: expected set[i32], got set with float 2.5");
  numbers.clear();
  CHECK(numbers.empty() && Set<int>(nullptr).size() == 0);
}

static void tuples() {
  const Tuple<int, std::string> pair(1, "one");
  const auto [number, word] = pair;
  CHECK(number == 1 && word == "one" && pair.size() == 2 && pair[1] == "one");
  const Tuple<> any(1, 2.5, "three");
  CHECK(any.size() == 3);
  CHECK_TEXT(AnyValue(any).repr(), "(1, 2.5, 'three')");
  CHECK_FAILS((AnyValue(any).cast<Tuple<int, double>>()),
              "TypeError: cast: result: expected tuple[i32, f64], got tuple of 3 items");
  std::int64_t items = 0;
  for (const AnyValue& item : any) items += !item.is_null();
  CHECK(items == 3);
  Function both = []() -> Tuple<int, std::string> { return {1, "one"}; };
  CHECK(both() == pair && pair == (Tuple<int, std::string>{1, "one"}));
}

static void vectors() {
  const std::vector<int> numbers = {1, 2, 3};
  AnyValue value = numbers;
  CHECK_TEXT(value.repr(), "[1, 2, 3]");
  CHECK(value.cast<std::vector<int>>() == numbers);
  const List<std::vector<int>> rows = {numbers, {}};
  const Map<String, std::vector<int>> named = {{"a", numbers}};
  const Tuple<std::vector<int>, int> both(numbers, 4);
  CHECK(rows[0] == numbers && rows[1].empty() && named["a"] == numbers && both.get<0>() == numbers);
  const List<int> list = numbers;
  const std::vector<int> back = list;
  CHECK(back == numbers);
  Function total = [](const std::vector<double>& items) {
    double sum = 0;
    for (const double item : items) sum += item;
    return sum;
  };
  CHECK_TEXT(total.signature(), "(list[f64]) -> f64");
  CHECK(total(std::vector<double>{1, 2.5}).cast<double>() == 3.5 && total(numbers).cast<double>() == 6);
}

PROGRAM(containers) {
  RUN(lists);
  RUN(a_list_that_changed);
  RUN(maps);
  RUN(sets);
  RUN(tuples);
  RUN(vectors);
}

}  // namespace containers_program
