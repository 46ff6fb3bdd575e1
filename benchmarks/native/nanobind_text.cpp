/* The functions of script_functions.py in C++17, as somebody writes them who takes the time: std::string, std::vector and
 * std::unordered_map, UTF-8, white space and case of ASCII. What returns a container does so twice: converted to Python's,
 * and as the number of its items, the container staying here. */
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nb = nanobind;
using Words = std::vector<std::string>;
using Counts = std::unordered_map<std::string, int64_t>;

namespace {

size_t length_of(unsigned char first) { return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4; }
bool is_space(unsigned char c) { return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31); }

Words unicode_split(std::string_view text) {
  Words out;
  for (size_t at = 0; at < text.size();) {
    const size_t size = length_of(text[at]);
    out.emplace_back(text.substr(at, size));
    at += size;
  }
  return out;
}

Words split(std::string_view text) {
  Words out;
  size_t at = 0;
  while (at < text.size()) {
    while (at < text.size() && is_space(text[at])) ++at;
    const size_t begin = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    if (at > begin) out.emplace_back(text.substr(begin, at - begin));
  }
  return out;
}

std::string lower_strip(std::string_view text) {
  size_t begin = 0, end = text.size();
  while (begin < end && is_space(text[begin])) ++begin;
  while (end > begin && is_space(text[end - 1])) --end;
  std::string out(text.substr(begin, end - begin));
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  return out;
}

Counts word_count(std::string_view text) {
  Counts counts;
  for (const std::string& word : split(text)) ++counts[word];
  return counts;
}

std::string join(const Words& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i) out += ' ';
    out += words[i];
  }
  return out;
}

int64_t vowels(std::string_view text) {
  int64_t n = 0;
  for (char c : text)
    if (c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u') ++n;
  return n;
}

std::vector<int64_t> tokenize(std::string_view text, const Counts& vocabulary) {
  std::vector<int64_t> ids;
  for (const std::string& word : split(text)) {
    for (size_t start = 0; start < word.size();) {
      size_t end = word.size();
      int64_t found = -1;
      for (; start < end; --end) {
        const auto at = vocabulary.find(word.substr(start, end - start));
        if (at != vocabulary.end()) {
          found = at->second;
          break;
        }
      }
      if (found < 0) end = start + 1;
      ids.push_back(found);
      start = end;
    }
  }
  return ids;
}

Counts ngrams(std::string_view text, size_t n) {
  Counts counts;
  for (size_t i = 0; i + n <= text.size(); ++i) ++counts[std::string(text.substr(i, n))];
  return counts;
}

int64_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<int64_t> previous(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = int64_t(j);
  for (size_t i = 0; i < a.size(); ++i) {
    current[0] = int64_t(i) + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      int64_t cost = previous[j];
      if (a[i] != b[j]) cost = 1 + std::min({cost, previous[j + 1], current[j]});
      current[j + 1] = cost;
    }
    std::swap(previous, current);
  }
  return previous[b.size()];
}

struct Vocabulary : Counts {};
struct Kept : Words {};

}  // namespace

NB_MODULE(nanobind_text, m) {
  m.def("unicode_split", unicode_split);
  m.def("split", split);
  m.def("lower_strip", lower_strip);
  m.def("word_count", word_count);
  m.def("vowels", vowels);
  m.def("edit_distance", edit_distance);
  nb::class_<Vocabulary>(m, "Vocabulary").def("__init__", [](Vocabulary* self, const Counts& of) {
    new (self) Vocabulary{of};
  });
  nb::class_<Kept>(m, "Kept").def("__init__", [](Kept* self, const Words& of) { new (self) Kept{of}; });
  m.def("join", [](const Kept& words) { return join(words); });
  m.def("join_native", [](const Kept& words) { return join(words).size(); });
  m.def("tokenize", [](std::string_view text, const Vocabulary& of) { return tokenize(text, of); });
  m.def("ngrams", ngrams);
  m.def("unicode_split_native", [](std::string_view text) { return unicode_split(text).size(); });
  m.def("split_native", [](std::string_view text) { return split(text).size(); });
  m.def("lower_strip_native", [](std::string_view text) { return lower_strip(text).size(); });
  m.def("word_count_native", [](std::string_view text) { return word_count(text).size(); });
  m.def("tokenize_native", [](std::string_view text, const Vocabulary& of) { return tokenize(text, of).size(); });
  m.def("ngrams_native", [](std::string_view text, size_t n) { return ngrams(text, n).size(); });
}
