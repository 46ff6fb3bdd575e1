"""Text that native code gives in another encoding than the type's, or that is no text."""

from __future__ import annotations

import pytest
from support.leaks import live_objects

import jitffi

SOURCE = r"""
#include "jitffi/runtime.h"
#include <string.h>

static const jf_char32 texts[][24] = {
    {0}, {'a', 0x20ac, 0}, {'l', 'o', 'n', 'g', ' ', 't', 'e', 'x', 't', 0x1f600, 0}, {'x', 0xd800, 0}, {0x110000, 0},
};

int32_t give(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args;
  const jf_char32* text = texts[args[0].v_int64];
  size_t size = 0;
  while (text[size]) size++;
  return jf_out_ucs4(out, text, size);
}

/* What a C caller sees: code and text, or -1. */
int32_t ask(int32_t (*function)(int64_t, jf_value*), int64_t which, char* text) {
  jf_value out = {JF_NULL, 0, {0}};
  if (function(which, &out) != 0) return -1;
  int32_t code = out.type_code;
  if (code == JF_SMALL_STR) strcpy(text, out.v_bytes);
  if (code == JF_OBJECT) {
    code = out.v_object->type_code;
    strcpy(text, ((const jf_str*)out.v_object)->data);
  }
  jf_any_release(&out);
  return code;
}
"""
TEXTS = ["", "a\u20ac", "long text\U0001f600"]


@pytest.fixture(scope="module")
def library(build_library):
    return jitffi.load_library(build_library(SOURCE, runtime=True))


def giver(library, signature):
    address = jitffi.Function(library.bind("give", "() -> void")).native_address
    return jitffi.Function.from_packed(address, name="give", signature=signature, keep_alive=library)


def test_a_c_caller_of_a_str_never_gets_code_points(library):
    function = giver(library, "(i64) -> str")
    ask, before = library.bind("ask", "(ptr, i64, ptr) -> i32"), live_objects()
    for i, (text, code) in enumerate(zip(TEXTS, (-13, -13, 33), strict=True)):
        place = bytearray(64)
        assert ask(function.native_address, i, place) == code
        assert place.split(b"\0")[0].decode() == text
        assert function(i) == text
    assert live_objects() == before


@pytest.mark.parametrize("type_", ["ucs4", "any", "optional[ucs4]"])
def test_what_is_no_character_is_refused(library, type_):
    function, before = giver(library, f"(i64) -> {type_}"), live_objects()
    assert [function(i) for i in range(3)] == TEXTS
    with pytest.raises(ValueError, match="character 1 of a UCS4 string is 0xd800, which is a surrogate"):
        function(3)
    with pytest.raises(ValueError, match="character 0 of a UCS4 string is 0x110000, which is beyond 0x10ffff"):
        function(4)
    assert live_objects() == before


def test_nor_does_str_take_it(library):
    with pytest.raises(UnicodeError, match="^give: result: expected str, got ucs4 with a code point"):
        giver(library, "(i64) -> str")(3)
