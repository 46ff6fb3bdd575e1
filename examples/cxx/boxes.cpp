/* Values and objects in one: text without types, and boxed ints that are ints where ints are asked for. */
#include <jitffi/cxx/compat.hpp>
#include <jitffi/jitffi.hpp>

using namespace jitffi::compat;

// First class any value
AnyValue unicode_split_any(const AnyValue& word) {
  // universal container
  List ret;
  for (size_t i = 0; i < word.size(); ++i) {
    // efficient small string support
    AnyValue res = word[i];
    ret.push_back(res);
  }
  return ret;
}

// The same with types: an index of a UCS4String takes constant time.
List<UCS4String> unicode_split(const UCS4String& word) {
  List<UCS4String> ret;
  for (size_t i = 0; i < word.size(); ++i) {
    UCS4String res = word[i];
    ret.push_back(res);
  }
  return ret;
}

// Unify object and POD value handling:
// passing an boxed int object to int function and get out int automatically without conversion
int MyIntFunc(AnyValue x) {
  int xval = x;
  return xval + 1;
}

int Caller(Map<String, BoxInt> dict) {
  BoxInt x = dict["x"];
  return MyIntFunc(x);
}

int main() {
  std::printf("%s\n", unicode_split_any("w\u00f6rd").repr().c_str());
  std::printf("%s\n", AnyValue(unicode_split(U"w\u00f6rd")).repr().c_str());
  PackedFunc caller = Caller;
  std::printf("%s: %d\n", caller.signature(), static_cast<int>(caller(Map<String, BoxInt>{{"x", 41}})));
  try {
    caller(Map<String, double>{{"x", 1.5}});
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
}
