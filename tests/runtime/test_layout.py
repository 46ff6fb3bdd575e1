"""Three opinions of every layout: jitffi/base/layout.py, the C headers as a C compiler reads them, and LLVM.

What is the interpreter's is compared with the interpreter's own objects, byte by byte.
"""

from __future__ import annotations

import ctypes
import re
import struct
import sys

import llvmlite.binding as llvm
import pytest

import jitffi
from jitffi import _core
from jitffi.api.functions import Function
from jitffi.api.making import make
from jitffi.base import config, layout, symbol_names
from jitffi.base.layout import Layout
from jitffi.link.objects import DYNSYM, Elf
from jitffi.llvm.target import HOST
from jitffi.scripts.lower.containers import fragments
from jitffi.scripts.lower.function import frame
from jitffi.signature.model import Signature

#: layout.py's name: what it is in C.
CONSTANTS = {
    "SLOT_SIZE": "sizeof(jf_any)",
    "SLOT_CODE": "offsetof(jf_any, type_code)",
    "SLOT_SMALL_LEN": "offsetof(jf_any, small_len)",
    "SLOT_PAYLOAD": "offsetof(jf_any, v_int64)",
    "MAX_PAD": "JF_MAX_PAD",
    "MAX_CAPACITY": "JF_MAX_CAPACITY",
    "SMALL_TEXT": "sizeof(jf_any) - JF_PAYLOAD_OFFSET - 1",
    "FUNCTION_CALL": "offsetof(jf_function, call)",
    "FUNCTION_NATIVE": "offsetof(jf_function, native)",
    "FUNCTION_TYPES": "offsetof(jf_function, types)",
    "FUNCTION_CAPTURES": "sizeof(jf_function)",
    "STR_DATA": "offsetof(jf_str, data)",
    "STR_SIZE": "offsetof(jf_str, size)",
    "CLOSURE_STATE": "offsetof(jf_closure, state)",
    "CLOSURE_RESULT_CLASS": "offsetof(jf_closure, result_class)",
}
#: Offsets that scripts' code has in it: fragments.py's name, and all that it stands for.
SCRIPT_OFFSETS = {
    "ITEMS": ["offsetof(jf_list, items)", "offsetof(jf_tuple, items)", "offsetof(jf_vector, data)"],
    "SIZE": [f"offsetof(jf_{name}, size)" for name in ("list", "tuple", "map", "vector")],
    "CAPACITY": ["offsetof(jf_list, capacity)", "offsetof(jf_vector, capacity)"],
    "LIST_POOL": ["offsetof(jf_list, pool)"],
    "MAP_ENTRIES": ["offsetof(jf_map, entries)"],
    "MAP_USED": ["offsetof(jf_map, used)"],
    "MAP_POOL": ["offsetof(jf_map, pool)"],
    **{name.upper(): [f"offsetof(jf_pool, {name})"] for name in ("free", "fresh", "end", "stride")},
    "FIRST_INT": ["JF_STATIC_INT_FIRST"],
    "INTS": ["JF_STATIC_INTS"],
}
CODES = [name for name in vars(layout) if name.isupper() and name not in CONSTANTS and name != "HOST"]

#: Sizes and offsets of the specification (sections 1, 3 and 5): struct, LLVM's type, (field, index in it).
STRUCTS = [
    ("jf_any", "{i32, i32, i64}", [("type_code", 0), ("small_len", 1), ("v_int64", 2), ("v_float64", 2)]),
    ("jf_object", "{i32, i32, ptr}", [("type_code", 0), ("ref_count", 1), ("deleter", 2)]),
    ("jf_box", "{i32, i32, ptr, i64}", [("header", 0), ("v_int64", 3), ("v_float64", 3)]),
    ("jf_str", "{i32, i32, ptr, ptr, i64, i64, i64}", [("data", 3), ("size", 4), ("hash", 5), ("characters", 6)]),
    (
        "jf_function",
        "{i32, i32, ptr, ptr, ptr, ptr, ptr}",
        [("header", 0), ("call", 3), ("signature", 4), ("native", 5), ("types", 6)],
    ),
    ("jf_span", "{ptr, i64}", [("data", 0), ("size", 1)]),
    ("jf_closure", "{ptr, ptr, i32, i32, ptr}", [("state", 0), ("body", 1), ("result_class", 2), ("next_free", 4)]),
    (
        "jf_call_info",
        "{ptr, i32, i32, ptr, ptr, ptr}",
        [("name", 0), ("num_params", 1), ("params", 3), ("result", 4), ("result_pattern", 5)],
    ),
    ("jf_param_info", "{ptr, ptr, ptr}", [("name", 0), ("type", 1), ("pattern", 2)]),
    ("jf_temps", "{ptr}", [("head", 0)]),
]


def facts():
    """Every C expression that is asked for."""
    expressions = [*CONSTANTS.values(), *[f"JF_{name}" for name in CODES], *sum(SCRIPT_OFFSETS.values(), [])]
    expressions += ["sizeof(jf_iteration)", "sizeof(jf_text)"]
    for name, _, fields in STRUCTS:
        expressions += [f"sizeof({name})", f"_Alignof({name})", *[f"offsetof({name}, {field})" for field, _ in fields]]
    return expressions


@pytest.fixture(scope="module")
def c(build_library):
    """What the C compiler makes of an expression."""
    values = ", ".join(f"(int64_t)({expression})" for expression in facts())
    source = f"""
    #include "jitffi/runtime.h"
    #include "jitffi/script.h"
    static const int64_t values[] = {{ {values} }};
    int64_t fact(int32_t i) {{ return values[i]; }}
    """
    fact = jitffi.load_library(build_library(source)).bind("fact", "(i32) -> i64")
    return {expression: fact(i) for i, expression in enumerate(facts())}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_those_of_the_header(c, name):
    assert getattr(layout, name) == c[CONSTANTS[name]], name


@pytest.mark.parametrize("name", SCRIPT_OFFSETS)
def test_offsets_in_scripts_are_those_of_the_headers(c, name):
    for expression in SCRIPT_OFFSETS[name]:
        assert getattr(fragments, name) == c[expression], expression


def test_frames_of_scripts_have_room(c):
    assert c["sizeof(jf_iteration)"] <= frame.ITERATION_SIZE
    assert c["sizeof(jf_text)"] == 24


@pytest.mark.parametrize("name", CODES)
def test_type_codes_are_those_of_the_header(c, name):
    assert getattr(layout, name) == c[f"JF_{name}"], name


def test_names_of_symbols_are_those_of_the_header(build_library):
    header = """
    #include "jitffi/abi.h"
    const char* call(void) { return JITFFI_CALL_PREFIX; }
    const char* signature(void) { return JITFFI_SIGNATURE_PREFIX; }
    const char* version(void) { return JITFFI_ABI_SYMBOL; }
    JITFFI_EXPORT_ABI;
    JITFFI_EXPORT(f, "(i64) -> i64") { out->type_code = JF_NULL; return 0; }
    """
    library = build_library(header)
    texts = jitffi.load_library(library)
    names = [symbol_names.PACKED_PREFIX, symbol_names.SIGNATURE_PREFIX, symbol_names.ABI_VERSION]
    assert [texts.bind(name, "() -> cstr")() for name in ("call", "signature", "version")] == names
    with open(library, "rb") as file:
        exported = {symbol.name for symbol in Elf(file.read()).symbols(DYNSYM)}
    assert {f"{names[0]}f", f"{names[1]}f", names[2]} <= exported


def test_the_header_has_the_codes_of_the_specification():
    header = (config.include_dir() / "jitffi" / "abi.h").read_text()
    codes = {name: int(value) for name, value in re.findall(r"\bJF_(\w+) = (-?\d+),", header)}
    slots = "NULL INT FLOAT BOOL HANDLE DTYPE DEVICE DLTENSOR RAW_STR BYTE_ARRAY OBJECT RVALUE SMALL_STR SMALL_UCS4"
    slots += " SMALL_BYTES ANY_PTR STR_VIEW UINT UCS4_VIEW"
    assert [codes[name] for name in slots.split()] == list(range(-1, -20, -1))
    assert [codes[name] for name in ("MODULE", "FUNCTION", "NDARRAY")] == [1, 2, 3]
    boxes = [codes[f"BOXED_{name}"] for name in ("INT", "FLOAT", "BOOL", "HANDLE", "DTYPE", "DEVICE", "UINT")]
    assert boxes == list(range(16, 23))
    objects = "ROOT STR UCS4 BYTES LIST MAP TUPLE ERROR SHAPE HOST_OBJECT"
    assert [codes[name] for name in objects.split()] == list(range(32, 42))


@pytest.mark.parametrize(("name", "form", "fields"), STRUCTS, ids=[name for name, _, _ in STRUCTS])
def test_llvm_lays_structs_out_as_c_does(c, name, form, fields):
    layout_text = f'target datalayout = "{HOST.data_layout}"\n'
    module = llvm.parse_assembly(f"{layout_text}%t = type {form}\n@g = global %t zeroinitializer")
    type_ = next(iter(module.struct_types))
    data = llvm.create_target_data(HOST.data_layout)
    assert data.get_abi_size(type_) == c[f"sizeof({name})"], name
    assert data.get_abi_alignment(type_) == c[f"_Alignof({name})"] == 8, name
    for field, index in fields:
        assert data.get_element_offset(type_, index) == c[f"offsetof({name}, {field})"], f"{name}.{field}"


# -- the interpreter ---------------------------------------------------------------------------------------------------


def word(address, form="Q"):
    return struct.unpack(form, ctypes.string_at(address, struct.calcsize(form)))[0]


def test_objects_of_the_interpreter():
    at = _core.LAYOUT
    number, data, text = 1.5, b"bytes", "ascii text"
    assert word(id(number) + at["object.type"]) == id(float)
    assert word(id(number) + at["float.value"], "d") == 1.5
    assert word(id(data) + at["bytes.size"]) == 5
    assert ctypes.string_at(id(data) + at["bytes.data"], 6) == b"bytes\0"
    assert word(id(text) + at["unicode.length"]) == len(text)
    assert ctypes.string_at(id(text) + at["unicode.data"], len(text) + 1) == text.encode() + b"\0"
    fresh = object()
    counted = sys.getrefcount(fresh) - (sys.version_info < (3, 14))  # then arguments are borrowed
    assert word(id(fresh) + at["object.refcnt"]) & 0xFFFFFFFF == counted
    assert at["immortal"] == (sys.version_info >= (3, 12))


def test_only_compact_ascii_is_read_in_place():
    at = _core.LAYOUT

    def is_ascii(text):
        return word(id(text) + at["unicode.state"], "I") & at["unicode.mask"] == at["unicode.ascii"]

    class Text(str):
        pass

    assert all(map(is_ascii, ("", "a", "a\0b", "x" * 1000, "\x7f")))
    assert not any(map(is_ascii, ("\x80", "\xe9", "\u20ac", "\U0001f600", Text("abc"))))


def test_digits_of_ints():
    at = _core.LAYOUT
    for value in (1, 5, -5, 2**30 - 1, 1 - 2**30, 2**30, -(2**31), 2**60 - 1, 1 - 2**60):
        tag, digits = word(id(value) + at["long.tag"], "q"), id(value) + at["long.digits"]
        if at["long.tagged"]:
            count, sign = tag >> 3, 1 - (tag & 3)
        else:
            count, sign = abs(tag), (tag > 0) - (tag < 0)
        assert sum(word(digits + 4 * i, "I") << 30 * i for i in range(count)) * sign == value
    # From 3.14 on bit 2 says that the int is immortal.
    assert word(id(0) + at["long.tag"], "q") & ~4 == (1 if at["long.tagged"] else 0)


def test_the_state_of_a_function():
    sig = Signature.parse("(a: i64, b: f64 = 1.0) -> i64")
    function = make("named", sig, "c", 0x1234, on_error=-3)
    state = id(function) + layout.HOST["function.state"]
    at = layout.HOST.state
    assert word(state + at["target"]) == 0x1234
    assert ctypes.string_at(word(state + at["types"])) == sig.types.encode()
    assert word(state + at["self"]) == word(state + at["kw_names"]) == 0
    assert word(state + at["on_error"], "q") == -3
    info = word(state + at["info"])
    assert ctypes.string_at(word(info)) == b"named"
    assert (word(info + 8, "i"), word(info + 12, "i")) == (2, 1)
    params, result = word(info + 16), word(info + 24)
    assert [ctypes.string_at(word(params + 8 * i)) for i in (0, 1, 3, 4)] == [b"a", b"i64", b"b", b"f64"]
    assert ctypes.string_at(result) == b"i64"
    table = word(state + at["table"])
    assert word(table + 8 * _core.TABLE.index("none")) == id(None)


def test_the_names_of_a_call_by_keyword_are_remembered():
    function = Function(jitffi.function("(a: i64, b: i64, c: i64) -> i64")(lambda a, b, c: a + b + c))
    state, at = id(function) + layout.HOST["function.state"], layout.HOST.state
    call = _core.builtin(function)
    for _ in range(2):
        assert call(1, b=2, c=3) == 6
        names = ctypes.cast(word(state + at["kw_names"]), ctypes.py_object).value
        assert names == ("b", "c") and word(state + at["kw_given"]) == 1
        assert call(1, c=3, b=2) == 6  # not in order: not this one


def test_a_function_object():
    function = Function(jitffi.function("(i64) -> i64")(abs))
    handle, native = function.handle, function.native_address
    assert word(handle, "i") == layout.FUNCTION
    assert word(handle + layout.FUNCTION_CALL) == function.packed_address
    assert word(handle + layout.FUNCTION_CAPTURES) == id(function) + layout.HOST["function.state"]
    assert ctypes.string_at(word(handle + layout.FUNCTION_TYPES)) == b"(i64) -> i64"
    again = Function(jitffi.function("(i64) -> i64")(abs))
    assert word(again.handle + layout.FUNCTION_TYPES) == word(handle + layout.FUNCTION_TYPES)  # interned
    assert again.native_address != native


def test_the_key_tells_layouts_apart():
    fields = dict(_core.LAYOUT)
    assert Layout(fields).key == layout.HOST.key
    for name in fields:
        assert Layout({**fields, name: fields[name] + 8}).key != layout.HOST.key
