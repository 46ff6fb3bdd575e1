"""A C++ library, built by g++, by its own header: words counted in a std::map behind functions with C linkage."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess

import pytest

import jitffi
from jitffi.bind.cxx.clang import compiler

HEADER = """
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace words {

class counter;

/** How words are compared. */
enum class match : std::uint8_t { exact, folded = 4 };

/** A word's place among all. */
struct share {
    std::int64_t times;
    double part = 0;
    bool any() const { return times > 0; }
};

using visit = bool (*)(const char *word, share found, void *data);
constexpr int FAILED = -1;

/** Only C++ code can call this. */
std::size_t length(std::string_view text);

extern "C" {

/** A new counter, or NULL; words_free frees it. */
counter *words_new(match how = match::exact) noexcept;
void words_free(counter *counted) noexcept;
match words_how(const counter *counted) noexcept;

/** Count the words of a text: how many there were, or FAILED. */
int words_add(counter *counted, const char *text) noexcept;
share words_share(const counter *counted, const char *word) noexcept;

/** Call for each word, in order, until that returns false: how many were visited. */
std::size_t words_each(const counter *counted, visit each, void *data) noexcept;
/** What went wrong last. */
extern const char *words_error;
}
}
"""
SOURCE = """
#include "words.hpp"
#include <cctype>
#include <map>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

namespace words {
class counter {
  public:
    explicit counter(match how) : how_(how) {}
    int add(const std::string &text) {
        std::istringstream stream(text);
        int count = 0;
        for (std::string word; stream >> word; ++count) {
            if (word == "throw") throw std::runtime_error("a word that throws");
            if (how_ == match::folded)
                for (char &letter : word) letter = static_cast<char>(std::tolower(letter));
            ++times_[word];
            ++all_;
        }
        return count;
    }
    match how_;
    std::map<std::string, std::int64_t> times_;
    std::int64_t all_ = 0;
};
std::size_t length(std::string_view text) { return text.size(); }
extern "C" {
const char *words_error = "";
counter *words_new(match how) noexcept { return new (std::nothrow) counter(how); }
void words_free(counter *counted) noexcept { delete counted; }
match words_how(const counter *counted) noexcept { return counted->how_; }
int words_add(counter *counted, const char *text) noexcept {
    try {
        return counted->add(text);
    } catch (const std::exception &) {
        words_error = "a word that throws";
        return FAILED;
    }
}
share words_share(const counter *counted, const char *word) noexcept {
    auto found = counted->times_.find(word);
    std::int64_t times = found == counted->times_.end() ? 0 : found->second;
    return {times, counted->all_ ? double(times) / double(counted->all_) : 0};
}
std::size_t words_each(const counter *counted, visit each, void *data) noexcept {
    std::size_t visited = 0;
    for (const auto &[word, times] : counted->times_) {
        ++visited;
        if (!each(word.c_str(), words_share(counted, word.c_str()), data)) break;
    }
    return visited;
}
}
}
"""


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """The module of the library."""
    cxx = shutil.which("g++") or shutil.which("clang++")
    if cxx is None or compiler() is None:
        pytest.skip("no C++ compiler, or no clang++")
    folder = tmp_path_factory.mktemp("words")
    (folder / "words.hpp").write_text(HEADER)
    (folder / "words.cpp").write_text(SOURCE)
    command = [cxx, "-std=c++17", "-O1", "-shared", "-fPIC", "-o", folder / "libwords.so", folder / "words.cpp"]
    subprocess.run(command, check=True, timeout=120)
    made = jitffi.bind_header(folder / "words.hpp", str(folder / "libwords.so"), folder / "words_bound.py")
    assert [(each.name, each.reason) for each in made.refused] == [("length", "it has C++ linkage")]
    spec = importlib.util.spec_from_file_location("words_bound", folder / "words_bound.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TEXT = "the cat and The dog and the bird"


@pytest.mark.parametrize("how", ["match_exact", "match_folded"])
def test_words_are_counted(words, how):
    counted = words.words_new(words.match[how])
    lines = [word.lower() if how == "match_folded" else word for word in TEXT.split()]
    try:
        assert words.words_how(counted) is words.match[how]
        assert words.words_add(counted, TEXT) == len(lines)
        for word in {*lines, "none"}:
            found = words.words_share(counted, word)
            assert (found.times, found.part) == (lines.count(word), lines.count(word) / len(lines))
        seen = {}

        def each(word, found, data):
            seen[word] = found.times
            return len(seen) < 3

        assert words.words_each(counted, each, None) == 3
        assert seen == {word: lines.count(word) for word in sorted(set(lines))[:3]}
    finally:
        words.words_free(counted)


def test_exceptions_stay_on_the_other_side(words):
    counted = words.words_new(words.match_exact)
    try:
        assert words.words_add(counted, "one throw two") == words.FAILED
        assert words.words_error.value == "a word that throws"
        assert words.words_share(counted, "one").part == 1.0

        def each(word, found, data):
            raise LookupError(word)

        with pytest.raises(LookupError, match="one"):
            words.words_each(counted, each, None)
    finally:
        words.words_free(counted)


def test_the_header_is_the_documentation(words):
    assert "Count the words of a text" in words.words_add.__doc__
    assert "How words are compared." in words.match.__doc__
    with pytest.raises(OverflowError):
        words.words_new(256)
