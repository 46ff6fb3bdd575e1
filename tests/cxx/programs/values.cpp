/* Slots as C++ values: what each type becomes, what is refused, text of every size and width. */
#include "check.hpp"

#include <sstream>
#include <unordered_map>

namespace values_program {

using namespace jitffi;

enum class Color : std::int16_t { red = 1, green = 2 };

static void numbers() {
  AnyValue value = 3;
  CHECK(value.type_code() == JF_INT && value.cast<int>() == 3);
  const double half = AnyValue(0.5);
  CHECK(half == 0.5);
  value = true;
  CHECK(value.type_code() == JF_BOOL && bool(value));
  value = UINT64_MAX;
  CHECK(value.type_code() == JF_UINT && value.cast<std::uint64_t>() == UINT64_MAX);
  value = Color::green;
  CHECK(value.cast<Color>() == Color::green && value.cast<std::int64_t>() == 2);
  CHECK(AnyView(7).cast<double>() == 7.0);
  CHECK(AnyValue(1) == 1.0 && AnyValue(1) != 2 && AnyValue("a") == "a");
  CHECK_FAILS(AnyValue(300).cast<std::int8_t>(), "OverflowError: cast: result: expected i8 (-128 to 127), got int 300");
  CHECK_FAILS(AnyValue(-1).cast<std::uint32_t>(),
              "OverflowError: cast: result: expected u32 (0 to 4294967295), got int -1");
  CHECK_FAILS(AnyValue(1.5).cast<int>(), "TypeError: cast: result: expected i32, got float 1.5");
  CHECK_FAILS(AnyValue(1).cast<bool>(), "TypeError: cast: result: expected bool, got int 1");
}

static void copies() {
  const std::string text(100, 'x');
  AnyValue a = text, b = a, c = std::move(a);
  CHECK(a.is_null() && b == c && c.cast<std::string>() == text);
  AnyValue &same = b, &alias = c;
  b = same;
  c = std::move(alias);
  CHECK(b.cast<std::string_view>().size() == 100 && c == b);
  AnyPad<3> wide = "twenty-three characters";
  CHECK(wide.size() == 23 && wide.slot()->type_code == JF_SMALL_STR);
  AnyValue narrow = wide;
  CHECK(narrow.type_code() == JF_OBJECT && narrow == wide);
  AnyPad<3> wider = narrow, moved = std::move(wider);
  CHECK(moved == narrow && wider.is_null());
  const AnyView view = wide;
  CHECK(view.type_code() == JF_ANY_PTR && view.cast<std::string>() == "twenty-three characters");
  narrow = nullptr;
  CHECK(narrow.is_null() && AnyValue() == AnyValue(nullptr));
}

static void text() {
  for (std::size_t size = 0; size < 30; size++) {
    const std::string made(size, 'a');
    CHECK(AnyValue(made).cast<std::string>() == made);
    CHECK(AnyValue(made).cast<std::string_view>() == made || size == 0);
    CHECK(AnyView(made).cast<String>() == String(made));
    const String string = made;
    String copy = string, moved = std::move(copy);
    String other = "before", last = "last";
    other = moved;
    last = std::move(other);
    CHECK(last == moved);
    CHECK(copy.empty() && moved == string && moved.str() == made && AnyValue(moved) == AnyValue(made));
    CHECK(Bytes(made).size() == size && AnyValue(Bytes(made)).cast<Bytes>() == Bytes(made));
  }
  const std::string with_nul("a\0b, and more", 13);
  CHECK(AnyValue(with_nul).cast<std::string>() == with_nul);
  CHECK_FAILS(AnyView{with_nul}, "ValueError: an AnyView cannot hold text with an embedded NUL: make it an AnyValue");
  CHECK_FAILS(AnyValue(with_nul).cast<const char*>(),
              "ValueError: cast: result: expected cstr, got str with an embedded NUL at byte 1");
  CHECK_TEXT((String("left, ") + "right").str(), "left, right");
  const UCS4String wide = U"w\u00f6rd, longer than a slot";
  CHECK(wide.size() == 24 && wide[1] == UCS4String(U"\u00f6"));
  CHECK_TEXT(wide.str(), "w\u00f6rd, longer than a slot");
  CHECK(AnyValue(wide).cast<std::string>() == wide.str() && AnyValue(wide.str()).cast<UCS4String>() == wide);
  CHECK_FAILS(AnyValue(wide).cast<std::string_view>(),
              "TypeError: the text must be converted: take it as a std::string");
  CHECK_FAILS(AnyValue(5).cast<std::string>(), "TypeError: cast: result: expected str, got int 5");
  CHECK_FAILS(AnyValue("x").cast<Bytes>(), "TypeError: cast: result: expected bytes, got str 'x'");
}

static void others() {
  int here = 0;
  CHECK(AnyValue(static_cast<void*>(&here)).cast<void*>() == &here);
  CHECK(AnyValue(static_cast<void*>(nullptr)).is_null());
  const jf_dtype f32 = {2, 32, 1};
  CHECK(AnyValue(f32).cast<jf_dtype>().bits == 32 && AnyValue("float32").cast<jf_dtype>().code == 2);
  const jf_device gpu = {2, 1};
  CHECK(AnyValue(gpu).cast<jf_device>().device_id == 1);
  CHECK_TEXT(AnyValue(gpu).repr().substr(0, 3), AnyView(gpu).repr().substr(0, 3));
}

static void python_operations() {
  const AnyValue word = "w\u00f6rd";
  List<> letters;
  for (std::size_t i = 0; i < word.size(); ++i) {
    AnyValue letter = word[i];
    letters.push_back(letter);
  }
  CHECK_TEXT(AnyValue(letters).repr(), "['w', '\u00f6', 'r', 'd']");
  CHECK_FAILS(AnyValue(3).size(), "TypeError: object of type 'int' has no len()");
  CHECK_FAILS(word[9], "IndexError: string index out of range");
  CHECK(AnyValue(letters)[-1] == "d");
  CHECK(AnyValue(1) < 2.5 && 3 >= AnyValue(2) && AnyValue("a") <= "b" && !(AnyValue(List<int>{2}) > List<int>{3}));
  CHECK_FAILS((void)(AnyValue(1) < "a"), "TypeError: '<' not supported between instances of 'int' and 'str'");
  CHECK(1 == AnyValue(1) && "a" != AnyValue("b") && List<int>{1} == List<int>{1} && List<int>{1} != List<int>());
}

static void text_of_the_standard_library() {
  String word = "a word", other = word;
  CHECK(word < "b" && "b" > word && word <= other && word >= std::string("a") && word != std::string_view("b"));
  word += ", and more";
  CHECK_TEXT(word.c_str(), "a word, and more");
  CHECK(word[2] == 'w' && other.size() == 6 && Bytes("ab")[1] == 'b');
  UCS4String wide = "w\u00f6rd";
  wide += U"!" + UCS4String(std::u32string(U"?"));
  CHECK(wide == U"w\u00f6rd!?" && String(wide) == "w\u00f6rd!?" && UCS4String(word).size() == word.size());
  std::unordered_map<String, int> counts;
  counts[word] = 3;
  CHECK(counts[String(word.c_str())] == 3 && std::hash<UCS4String>()(wide) == std::hash<UCS4String>()(wide));
  std::ostringstream out;
  out << word << wide << AnyValue("text") << AnyValue(2.5) << List<String>{"x"};
  CHECK_TEXT(out.str(), "a word, and morew\u00f6rd!?text2.5['x']");
}

PROGRAM(values) {
  RUN(numbers);
  RUN(copies);
  RUN(text);
  RUN(others);
  RUN(python_operations);
  RUN(text_of_the_standard_library);
}

}  // namespace values_program
