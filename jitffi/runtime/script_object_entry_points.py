"""The C functions of the extension that code of scripts calls for Python's own objects: rows as those of the library.

All of them need the interpreter's lock, and none is in a file. tests/runtime/test_script_object_entry_points.py
compares them with their header and with what the extension has.
"""

from __future__ import annotations

from jitffi.runtime.script_entry_points import ScriptFunction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


_ROWS = (
    # counting, and values as objects and back
    ("core_op_retain", "void", "ptr", ""),
    ("core_op_release", "void", "ptr", ""),
    ("core_op_view", "i32", "ptr ptr ptr", "nonzero", "captures"),
    ("core_op_view_as", "i32", "ptr ptr ptr", "nonzero", "captures"),
    ("core_op_view_shown", "i32", "ptr ptr ptr", "nonzero", "captures"),
    ("core_op_put", "i32", "ptr ptr", "nonzero"),
    ("core_op_box", "ptr", "ptr", "null"),
    ("core_op_box_int", "ptr", "i64", "null"),
    ("core_op_box_float", "ptr", "double", "null"),
    ("core_op_box_char", "ptr", "i32", "null"),
    ("core_op_box_text", "ptr", "ptr", "null"),
    ("core_op_box_bytes", "ptr", "ptr", "null"),
    ("core_op_box_native", "ptr", "ptr", "null"),
    ("core_op_subject", "i32", "ptr ptr", "nonzero"),
    ("core_op_argument", "ptr", "ptr ptr", "null", "captures"),
    ("core_op_result", "void", "ptr ptr", "", "captures"),
    # operators, comparison, truth
    ("core_op_binary", "ptr", "i32 ptr ptr", "null"),
    ("core_op_inplace", "ptr", "i32 ptr ptr", "null"),
    ("core_op_unary", "ptr", "i32 ptr", "null"),
    ("core_op_compare", "ptr", "i32 ptr ptr", "null"),
    ("core_op_test", "i32", "i32 ptr ptr", "negative"),
    ("core_op_truth", "i32", "ptr", "negative"),
    ("core_op_isinstance", "i32", "ptr i32", ""),
    ("core_op_math", "double", "i32 double double", ""),
    # items and attributes
    ("core_op_length", "i32", "ptr ptr", "nonzero"),
    ("core_op_item", "ptr", "ptr ptr", "null"),
    ("core_op_item_at", "ptr", "ptr i64", "null"),
    ("core_op_set_item", "i32", "ptr ptr ptr", "nonzero"),
    ("core_op_slice", "ptr", "ptr ptr ptr", "null"),
    ("core_op_contains", "i32", "ptr ptr", "negative"),
    ("core_op_attribute", "ptr", "ptr ptr ptr", "null"),
    ("core_op_set_attribute", "i32", "ptr ptr ptr ptr", "nonzero"),
    ("core_op_field", "i32", "ptr ptr i64 ptr ptr", "nonzero"),
    ("core_op_set_field", "i32", "ptr ptr ptr i64 ptr", "nonzero"),
    ("core_op_object_at", "ptr", "ptr", "null"),
    ("core_op_object_field", "ptr", "ptr ptr i64 ptr", "null"),
    ("core_op_slot_field", "i32", "ptr ptr i64 ptr ptr", "nonzero"),
    ("core_op_container_at", "ptr", "ptr i32", "null"),
    ("core_op_container_field", "ptr", "ptr ptr i64 ptr", "null"),
    ("core_op_array_at", "ptr", "ptr i32", ""),
    ("core_op_array_field", "ptr", "ptr ptr i64 i32 ptr", "null"),
    ("core_op_array_outside", "i32", "i64 i64 i32", "always"),
    ("core_op_array_beyond", "i32", "i64 double ptr", "always"),
    ("core_op_object_item", "ptr", "ptr", "null"),
    ("core_op_contained", "i32", "ptr i32 ptr", "nonzero"),
    ("core_op_is_method", "i32", "ptr ptr ptr ptr i32 ptr", ""),
    # iteration
    ("core_op_iterator", "ptr", "ptr", "null"),
    ("core_op_next", "i32", "ptr ptr", "status"),
    ("core_op_unpack", "i32", "ptr i64 ptr", "nonzero"),
    ("core_op_unpack_rest", "i32", "ptr i64 i64 ptr", "nonzero"),
    # calls
    ("core_op_call", "ptr", "ptr ptr i64 ptr", "null"),
    ("core_op_make", "ptr", "ptr ptr i64 ptr", "null"),
    ("core_op_new", "ptr", "ptr ptr", ""),
    ("core_op_made", "i32", "ptr", "nonzero"),
    ("core_op_call_method", "ptr", "ptr ptr i64 ptr ptr", "null"),
    ("core_op_method", "ptr", "ptr ptr ptr ptr", "null"),
    ("core_op_call_found", "ptr", "ptr ptr i64 ptr", "null"),
    ("core_op_call_spread", "ptr", "ptr ptr i64 ptr ptr", "null"),
    ("core_op_global", "ptr", "ptr", "null"),
    ("core_op_import", "ptr", "ptr i32", "null"),
    ("core_op_import_from", "ptr", "ptr ptr", "null"),
    ("core_op_cell", "ptr", "ptr", "null", "captures"),
    ("core_op_cell_get", "ptr", "ptr ptr i32", "null"),
    ("core_op_cell_set", "void", "ptr ptr", "", "captures"),
    ("core_op_function", "ptr", "ptr ptr ptr i64 ptr ptr", "null", "captures"),
    ("core_op_fits", "i32", "ptr i32", ""),
    ("core_op_match_class", "ptr", "ptr ptr i64 ptr", "null"),
    # exceptions
    ("core_op_raise", "i32", "ptr ptr", "always", "cold"),
    ("core_op_caught", "ptr", "", "null", "cold"),
    ("core_op_told", "i32", "ptr i32 ptr", "nonzero"),
    ("core_op_catches", "i32", "ptr", "negative", "cold"),
    ("core_op_enter", "ptr", "ptr ptr", "null"),
    ("core_op_exit", "i32", "ptr i32", "negative"),
)

#: By name.
SCRIPT_OBJECT_FUNCTIONS: Final = {row[0]: ScriptFunction(*row) for row in _ROWS}
assert len(SCRIPT_OBJECT_FUNCTIONS) == len(_ROWS)
