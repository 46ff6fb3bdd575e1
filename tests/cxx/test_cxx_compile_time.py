"""What programs of jitffi.hpp cost the compiler, as far as it can be counted: functions, and the standard headers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from support.builds import ROOT
from support.cxx import COMPILERS, compiled

HEADERS = ROOT / "runtime_c/include/jitffi/cxx"
START = """
#include <jitffi/jitffi.hpp>
using namespace jitffi;
struct One : Object { double x = 0, y = 0; double get() const { return x; } double put(double by) { return x += by; } };
struct Two : Object { double x = 0; };
JITFFI_REGISTER_GLOBAL("first").set_body_typed([](double x, int64_t y) { return x + double(y); });
JITFFI_STATIC_BLOCK(classes) {
  Class<One>("test.One").field("x", &One::x).method("get", &One::get)MORE;
  REST
}
"""
MORE = """
    .field("y", &One::y)
    .method("put", &One::put)
    .method("same", [](const One* one) { return one->x; })"""
REST = """
  Registry("second").set_body_typed([](double x, int64_t y) { return x * double(y); });
  Class<Two>("test.Two").field("x", &Two::x);"""


def functions(folder: Path, compiler: str, more: str, rest: str) -> int:
    source = folder / "source.cpp"
    source.write_text(START.replace("MORE", more).replace("REST", rest))
    made = compiled(source, folder / "source.o", "-c", "-O0", compiler=compiler)
    listed = subprocess.run(["nm", made], check=True, capture_output=True, text=True).stdout
    return len(re.findall(r"^[0-9a-f]+ [tTwW] ", listed, re.MULTILINE))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_what_is_registered_is_few_functions(compiler: str, tmp_path: Path) -> None:
    """A function 5, a field none, methods 6 and 19, a class 17: the program's own are counted."""
    first = functions(tmp_path, compiler, "", "")
    assert first < 220
    assert functions(tmp_path, compiler, MORE, REST) - first <= 47


#: <functional>, <memory>, <iostream> and their like would each cost a tenth of a second where jitffi.hpp is included.
STANDARD = """
cstddef cstdint cstdio cstdlib cstring dlfcn.h exception initializer_list iosfwd limits new optional sstream stdexcept
string string_view system_error tuple type_traits typeinfo utility vector
"""


def test_the_standard_headers_are_these() -> None:
    text = "\n".join(each.read_text() for each in HEADERS.glob("*.hpp"))
    assert set(re.findall(r"^#include <(.*)>", text, re.MULTILINE)) == set(STANDARD.split())
