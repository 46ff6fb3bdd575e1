/* Arrays and frozen maps: made and read by C++, as arguments, results and fields, of Python's and for Python. */
#include <jitffi/jitffi.hpp>

using namespace jitffi;

/* Before Python's own class of them is imported. */
static const FrozenMap<String, std::int64_t> early = {{"early", 1}};
static const Map<FrozenMap<String, std::int64_t>, int> keyed = {{early, 5}};

struct Call : Object {
  static constexpr char type_key[] = "frozen.Call";
  FrozenMap<String, AnyValue> attrs;
  Array<String> args;
  Optional<FrozenMap<>> maybe;
};
JITFFI_STATIC_BLOCK(register_call) {
  Class<Call>("frozen.Call").field("attrs", &Call::attrs).field("args", &Call::args).field("maybe", &Call::maybe);
}

JITFFI_EXPORT_TYPED(early, [] { return early; });
JITFFI_EXPORT_TYPED(keyed, [] { return keyed; });
JITFFI_EXPORT_TYPED(total, [](const FrozenMap<String, std::int64_t>& map) {
  std::int64_t sum = 0;
  for (const auto& [key, value] : map) sum += static_cast<std::int64_t>(key.size()) * value;
  return sum;
});
JITFFI_EXPORT_TYPED(same, [](FrozenMap<> map) { return map; });
JITFFI_EXPORT_TYPED(with, [](const FrozenMap<String, AnyValue>& map, const String& key, AnyValue value) {
  Map<String, AnyValue> changed = map.map();
  changed.set(key, value);
  return FrozenMap<String, AnyValue>(std::move(changed));
});
JITFFI_EXPORT_TYPED(call, [](const Array<String>& args) {
  Ref<Call> made = make_object<Call>();
  made->attrs = FrozenMap<String, AnyValue>{{"count", args.size()}};
  made->args = args + Array<String>{"end"};
  return made;
});
JITFFI_EXPORT_TYPED(backwards,
                    [](const Array<std::int64_t>& numbers) { return numbers.slice(JF_NO_INDEX, JF_NO_INDEX, -1); });
JITFFI_EXPORT_TYPED(problems, []() -> std::string {
  FrozenMap<String, std::int64_t> map = {{"a", 1}, {"b", 2}}, none;
  Map<String, std::int64_t> own = map.map();
  const FrozenMap<String, std::int64_t> copied(own);
  own.set("c", 3);
  if (map.size() != 2 || !none.empty() || map.at("b") != 2 || map["a"] != 1) return "size, at";
  if (map.get("x", 9) != 9 || map.contains("x") || map.count("a") != 1) return "get, contains";
  if (copied != map || copied == none || own.size() != 3) return "equal, changed";
  if (List<>{map} != List<>{copied} || !Set<>{map}.contains(copied) || List<>{map} == List<>{none}) return "as items";
  if (AnyValue(map).repr() != "FrozenMap({'a': 1, 'b': 2})") return AnyValue(map).repr();
  if (map.keys().vector() != std::vector<String>{"a", "b"} || map.values()[1] != 2) return "keys, values";
  const FrozenMap<> any = map;
  if (any.at("a") != 1 || AnyValue(any).cast<FrozenMap<String, std::int64_t>>() != map) return "any";
  try {
    (void)AnyValue(any).cast<FrozenMap<std::int64_t, std::int64_t>>();
    return "checked";
  } catch (const Error& error) {
    if (error.kind() != "TypeError") return error.what();
  }
  try {
    map.at("zzz");
    return "no key";
  } catch (const Error& error) {
    if (std::string(error.what()) != "KeyError: 'zzz'") return error.what();
  }
  const Array<int> numbers = std::vector<int>{3, 1, 2};
  if (numbers.size() != 3 || numbers[-1] != 2 || numbers.front() != 3 || numbers.back() != 2) return "array";
  if (numbers.find(1) != 1 || numbers.contains(7) || !Array<int>().empty()) return "find";
  if (numbers != Array<int>(List<int>{3, 1, 2}) || numbers == Array<int>{3}) return "array ==";
  const Array<> anything = Tuple<int, String>(1, "two");
  if (anything.at(1) != "two" || AnyValue(numbers).cast<Tuple<int, int, int>>().get<0>() != 3) return "tuple";
  if (numbers.vector() != std::vector<int>{3, 1, 2}) return "vector";
  return "";
});
JITFFI_EXPORT_ABI;
