"""The C functions of the extension that code of scripts calls for lists, dicts and tuples of Python's own: rows as
those for other objects of Python's (script_object_entry_points.py), beside which they are compared with their header.
"""

from __future__ import annotations

from jitffi.runtime.script_entry_points import ScriptFunction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


_ROWS = (
    ("core_op_int", "i32", "ptr ptr", ""),
    ("core_op_pass", "i32", "ptr ptr ptr", "nonzero", "captures"),
    ("core_op_box_stored", "ptr", "ptr", "null"),
    ("core_op_own", "ptr", "ptr", "null"),
    ("core_op_text_partition", "ptr", "ptr ptr i32", "null"),
    ("core_op_text_split", "ptr", "ptr ptr i64 i32", "null"),
    ("core_op_list_new", "ptr", "i64", "null"),
    ("core_op_tuple_new", "ptr", "i64", "null"),
    ("core_op_list_append", "i32", "ptr ptr", "nonzero", "captures"),
    ("core_op_append_of", "ptr", "ptr ptr ptr ptr", "null"),
    ("core_op_append", "ptr", "ptr ptr", "null"),
    ("core_op_list_set", "i32", "ptr i64 ptr", "nonzero", "captures"),
    ("core_op_list_pop", "ptr", "ptr i64", "null"),
    ("core_op_list_sort", "i32", "ptr", "nonzero"),
    ("core_op_list_slice", "ptr", "ptr i64 i64", "null"),
    ("core_op_guessed", "ptr", "ptr i32", "null"),
    ("core_op_guessed_native", "i32", "ptr i32", "nonzero"),
    ("core_op_guessed_text", "i32", "ptr ptr ptr", "nonzero"),
    ("core_op_set_new", "ptr", "", "null"),
    ("core_op_set_add", "i32", "ptr ptr", "nonzero"),
    ("core_op_dict_new", "ptr", "", "null"),
    ("core_op_dict_item", "ptr", "ptr ptr", "null"),
    ("core_op_dict_item_text", "ptr", "ptr ptr", "null"),
    ("core_op_dict_find", "i32", "ptr ptr ptr", "negative"),
    ("core_op_dict_find_text", "i32", "ptr ptr ptr", "negative"),
    ("core_op_contains_text", "i32", "ptr ptr", "negative"),
    ("core_op_dict_update", "i32", "ptr ptr", "nonzero"),
    ("core_op_dict_set", "i32", "ptr ptr ptr", "nonzero"),
    ("core_op_dict_set_text", "i32", "ptr ptr ptr", "nonzero"),
    ("core_op_dict_setdefault", "ptr", "ptr ptr ptr", "null"),
    ("core_op_dict_setdefault_text", "ptr", "ptr ptr ptr", "null"),
    ("core_op_dict_count", "i32", "ptr ptr i64 i64", "nonzero"),
    ("core_op_dict_count_text", "i32", "ptr ptr i64 i64", "nonzero"),
    ("core_op_dict_walk", "void", "ptr ptr", ""),
    ("core_op_dict_next", "i32", "ptr ptr ptr ptr", "negative"),
)

#: By name.
SCRIPT_CONTAINER_FUNCTIONS: Final = {row[0]: ScriptFunction(*row) for row in _ROWS}
assert len(SCRIPT_CONTAINER_FUNCTIONS) == len(_ROWS)
