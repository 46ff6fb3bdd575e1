"""The C functions that code of scripts calls: one row each, with its types, how it fails, and what it may do.

A row is all that a call site must know, so that `Frame.call` (scripts/lower/function/frame.py) adds the check and what
LLVM is told. The methods of str and bytes are rows of their own (scripts/library/methods.py), whose prototypes follow
from them. tests/runtime/test_script_entry_points.py compares all with the headers.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.ir.cabi import CABI

#: What LLVM is told of a function that it cannot see into, by the row's word for its effects.
_EFFECTS = {
    "cold": " cold",
    "asks": " cold memory(inaccessiblemem: readwrite)",
    "reads": " willreturn memory(read)",
}


class ScriptFunction:
    """One function. Types are LLVM's, and "size" for size_t.

    `fails`: which result means that the last error is set: "nonzero", "negative", "null", "always"; "" never does, and
    of "status" there are more ways than two, which call sites tell apart. `effects`: "cold", it raises, so that code
    which leads there is moved out of the way; "reads", it only looks, and between two calls nothing else has changed;
    "asks", it is cold and changes nothing that the code sees; "captures", it leaves the address of an argument, or
    of what lies in it, in another.
    """

    __slots__ = ("args", "effects", "fails", "name", "result")

    def __init__(self, name: str, result: str, args: str, fails: str = "", effects: str = "") -> None:
        self.name: Final = name
        self.result: Final = result
        self.args: Final = tuple(args.split())
        self.fails: Final = fails
        self.effects: Final = effects

    def declaration(self, abi: CABI) -> str:
        """LLVM's, with "{}" for its name."""
        types = [abi.size if each == "size" else each for each in self.args]
        result = abi.size if self.result == "size" else self.result
        taken = ", ".join([f"{each} {abi.extension(each, 'signext')}".strip() for each in types])
        head = f"declare {abi.extension(result, 'signext')} {result}".replace("  ", " ")
        return f"{head} {{}}({taken}) #1{_EFFECTS.get(self.effects, '')}"


_ROWS = (
    # script.h: text
    ("jf_text_of", "i32", "ptr ptr ptr", "status", "captures"),
    ("jf_bytes_of", "i32", "ptr ptr", "status", "captures"),
    ("jf_text_out", "i32", "ptr ptr", "nonzero"),
    ("jf_bytes_to", "i32", "ptr ptr", "nonzero"),
    ("jf_char_out", "i32", "i32 ptr", "nonzero"),
    ("jf_text_translate", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_bytes_translate", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_text_hold", "i32", "ptr ptr ptr", "nonzero", "captures"),
    ("jf_bytes_hold", "i32", "ptr ptr ptr", "nonzero", "captures"),
    ("jf_text_list_append", "i32", "ptr ptr", "nonzero"),
    ("jf_text_equal", "i32", "ptr ptr", "", "reads"),
    ("jf_text_compare", "i32", "ptr ptr", "", "reads"),
    ("jf_text_concat", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_bytes_concat", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_text_repeat", "i32", "ptr i64 ptr", "nonzero"),
    ("jf_bytes_repeat", "i32", "ptr i64 ptr", "nonzero"),
    ("jf_text_sorted", "i32", "ptr ptr", "nonzero"),
    ("jf_text_slice", "i32", "ptr i64 i64 i64 ptr", "nonzero"),
    ("jf_bytes_slice", "i32", "ptr i64 i64 i64 ptr", "nonzero"),
    ("jf_text_append", "i32", "ptr ptr ptr ptr", "nonzero", "captures"),
    ("jf_text_grow", "i32", "ptr i64 ptr ptr ptr", "nonzero", "captures"),
    ("jf_bytes_grow", "i32", "ptr ptr ptr ptr", "nonzero", "captures"),
    ("jf_text_build", "i32", "ptr i64 ptr", "nonzero", "captures"),
    ("jf_bytes_build", "i32", "ptr i64 ptr", "nonzero"),
    ("jf_text_of_int", "void", "i64 ptr ptr", "", "captures"),
    ("jf_text_split_init", "i32", "ptr ptr ptr i64", "nonzero"),
    ("jf_text_split_next", "i32", "ptr ptr", ""),
    ("jf_bytes_split_next", "i32", "ptr ptr", ""),
    ("jf_char_flags", "i32", "i32", "", "reads"),
    # script.h: values of any type
    ("jf_op_grow", "i32", "i32 ptr ptr ptr", "nonzero"),
    ("jf_op_binary", "i32", "i32 ptr ptr ptr", "nonzero"),
    ("jf_op_inplace", "i32", "i32 ptr ptr", "nonzero"),
    ("jf_op_argument", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_op_unary", "i32", "i32 ptr ptr", "nonzero"),
    ("jf_op_compare", "i32", "i32 ptr ptr", "negative"),
    ("jf_op_failed", "i32", "", "always"),
    ("jf_op_failed_key", "i32", "ptr size", "always"),
    ("jf_op_contains", "i32", "ptr ptr", "negative"),
    ("jf_op_is", "i32", "ptr ptr", "", "reads"),
    ("jf_op_truth", "i32", "ptr", "negative"),
    ("jf_op_len", "i32", "ptr ptr", "nonzero"),
    ("jf_op_item", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_op_set_item", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_op_delete_item", "i32", "ptr ptr", "nonzero"),
    ("jf_op_slice", "i32", "ptr ptr ptr ptr ptr", "nonzero"),
    ("jf_op_set_slice", "i32", "ptr ptr ptr ptr ptr", "nonzero"),
    ("jf_op_delete_slice", "i32", "ptr ptr ptr ptr", "nonzero"),
    ("jf_op_str", "i32", "ptr ptr", "nonzero"),
    ("jf_op_repr", "i32", "ptr ptr", "nonzero"),
    ("jf_op_ascii", "i32", "ptr ptr", "nonzero"),
    ("jf_op_format", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_op_int", "i32", "ptr ptr", "nonzero"),
    ("jf_op_int_base", "i32", "ptr i64 ptr", "nonzero"),
    ("jf_op_int_of_any_size", "i32", "ptr i32 i64 ptr", "nonzero"),
    ("jf_op_float", "i32", "ptr ptr", "nonzero"),
    ("jf_op_index", "i32", "ptr ptr", "nonzero"),
    ("jf_op_abs", "i32", "ptr ptr", "nonzero"),
    ("jf_op_round", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_op_divmod", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_op_pow3", "i32", "ptr ptr ptr ptr", "nonzero"),
    ("jf_op_ord", "i32", "ptr ptr", "nonzero"),
    ("jf_op_chr", "i32", "i64 ptr", "nonzero"),
    ("jf_op_hash", "i32", "ptr ptr", "nonzero"),
    ("jf_op_isinstance", "i32", "ptr i32", ""),
    ("jf_op_print", "i32", "ptr i32 ptr ptr", "nonzero"),
    ("jf_op_list", "i32", "ptr i32 ptr", "nonzero"),
    ("jf_op_unpack", "i32", "ptr i64 i32 i32 ptr", "nonzero"),
    ("jf_op_bytes", "i32", "ptr ptr", "nonzero"),
    ("jf_op_decodable", "i32", "ptr", "nonzero"),
    ("jf_op_encodable", "i32", "ptr", "nonzero"),
    ("jf_op_coding", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_op_byte_text", "i32", "ptr ptr ptr", "status"),
    ("jf_op_bound", "i32", "ptr i32 ptr", "nonzero"),
    ("jf_op_index_of", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_op_dict", "i32", "ptr i32 ptr", "nonzero"),
    ("jf_op_sum", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_op_sum_item", "i32", "ptr ptr ptr ptr", "nonzero"),
    ("jf_op_extreme", "i32", "ptr i32 ptr", "nonzero"),
    ("jf_op_sort_by", "i32", "ptr ptr i32", "nonzero"),
    ("jf_op_sort", "i32", "ptr i32", "nonzero"),
    ("jf_op_map_sorted", "i32", "ptr i32 i32 ptr ptr", "nonzero"),
    ("jf_op_extend", "i32", "ptr ptr", "nonzero"),
    ("jf_op_list_pop", "i32", "ptr i64 ptr", "nonzero"),
    ("jf_op_list_remove", "i32", "ptr ptr", "nonzero"),
    ("jf_op_list_index", "i32", "ptr ptr i64 i64 ptr", "nonzero"),
    ("jf_op_list_count", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_op_list_copy", "i32", "ptr i32 ptr", "nonzero"),
    ("jf_op_map_item", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_op_map_set", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_op_map_set_views", "i32", "ptr ptr size ptr", "nonzero"),
    ("jf_op_map_get", "i32", "ptr ptr ptr ptr", "nonzero"),
    ("jf_op_map_setdefault", "i32", "ptr ptr ptr ptr", "nonzero"),
    ("jf_op_map_pop", "i32", "ptr ptr ptr ptr", "nonzero"),
    ("jf_op_map_popitem", "i32", "ptr ptr", "nonzero"),
    ("jf_op_map_keys", "i32", "ptr i32 ptr", "nonzero"),
    ("jf_op_map_values", "i32", "ptr i32 ptr", "nonzero"),
    ("jf_op_map_items", "i32", "ptr i32 ptr", "nonzero"),
    ("jf_op_map_update", "i32", "ptr ptr", "nonzero"),
    ("jf_op_map_copy", "i32", "ptr i32 ptr", "nonzero"),
    ("jf_op_set", "i32", "ptr i32 ptr", "nonzero"),
    ("jf_op_set_add", "i32", "ptr ptr", "nonzero"),
    ("jf_op_set_add_views", "i32", "ptr ptr size", "nonzero"),
    ("jf_op_set_discard", "i32", "ptr ptr", "nonzero"),
    ("jf_op_set_remove", "i32", "ptr ptr", "nonzero"),
    ("jf_op_set_pop", "i32", "ptr ptr", "nonzero"),
    ("jf_op_set_combine", "i32", "ptr ptr i32 ptr", "nonzero"),
    ("jf_op_set_change", "i32", "ptr ptr i32", "nonzero"),
    ("jf_op_set_compare", "i32", "ptr ptr i32", "negative"),
    # script.h: numbers
    ("jf_int_pow", "i32", "i64 i64 ptr", "nonzero"),
    ("jf_int_rest_of_product", "i64", "i64 i64 i64 i64", ""),
    ("jf_float_mod", "double", "double double", ""),
    ("jf_float_floordiv", "double", "double double", ""),
    ("jf_float_pow", "i32", "double double ptr", "nonzero"),
    ("jf_int_div", "i32", "i64 i64 ptr", "nonzero"),
    ("jf_int_to_bytes", "i32", "i64 i64 ptr i32 ptr", "nonzero"),
    ("jf_int_from_bytes", "i32", "ptr ptr i32 ptr", "nonzero"),
    ("jf_int_of_any_size_from_bytes", "i32", "ptr ptr i32 ptr", "nonzero"),
    # script.h: iteration, vectors
    ("jf_iterate", "i32", "ptr ptr i32", "nonzero", "captures"),
    ("jf_iterate_next", "i32", "ptr ptr", "status"),
    ("jf_iterate_end", "void", "ptr", ""),
    ("jf_vector_new", "ptr", "size", "null"),
    ("jf_vector_grow", "i32", "ptr", "nonzero"),
    ("jf_vector_reserve", "i32", "ptr size", "nonzero"),
    ("jf_vector_repeat", "ptr", "ptr i64", "null"),
    ("jf_vector_concat", "ptr", "ptr ptr", "null"),
    ("jf_vector_slice", "ptr", "ptr i64 i64 i64", "null"),
    ("jf_vector_pop", "i32", "ptr i64 ptr", "nonzero"),
    ("jf_vector_clear", "void", "ptr", ""),
    ("jf_vector_reverse", "void", "ptr", ""),
    # script.h: arrays
    ("jf_array_argument", "ptr", "ptr i64 ptr ptr ptr ptr", "null", "captures"),
    ("jf_array_slice", "ptr", "ptr i64 i64 i64", "null"),
    ("jf_array_row", "ptr", "ptr i64", "null"),
    ("jf_array_fill", "void", "ptr i64", ""),
    ("jf_array_copy", "i32", "ptr ptr", "nonzero"),
    ("jf_array_mismatch", "i32", "ptr ptr ptr i64 ptr i64", "always", "cold"),
    ("jf_array_outside", "i32", "i64 i64 i32", "always", "cold"),
    ("jf_array_overflow", "i32", "i64 ptr", "always", "cold"),
    # script.h: structs
    ("jf_struct_refuse", "i32", "ptr ptr ptr", "always", "cold"),
    ("jf_struct_outside", "i32", "ptr i64 i64", "always", "cold"),
    # script.h: errors, and the ends of loops and stacks
    ("jf_script_too_many", "i32", "i64 i64", "always"),
    ("jf_script_raise", "i32", "ptr ptr", "always", "cold"),
    ("jf_script_fail", "i32", "ptr ptr", "always", "cold"),
    ("jf_script_unbound", "i32", "ptr", "always", "cold"),
    ("jf_script_mistyped", "i32", "ptr ptr ptr ptr", "always", "cold"),
    ("jf_script_misfit", "i32", "ptr ptr", "always", "cold"),
    ("jf_script_overflow", "i32", "", "always", "cold"),
    ("jf_script_no_method", "i32", "ptr ptr", "always", "cold"),
    ("jf_script_stack_limit", "i64", "", ""),
    ("jf_script_interrupted", "i64", "i64", "negative", "asks"),
    ("jf_script_trace", "void", "ptr ptr i32", "", "cold"),
    # script.h: regular expressions
    ("jf_regex_grow", "ptr", "ptr i64 ptr", "null", "captures"),
    ("jf_regex_memory", "ptr", "i64", ""),
    ("jf_regex_free", "void", "ptr ptr", ""),
    ("jf_script_catches", "i32", "ptr", "", "cold"),
    ("jf_script_handles", "i32", "ptr", "", "cold"),
    ("jf_script_handle_key", "void", "ptr ptr ptr ptr i32", "", "captures"),
    ("jf_script_forget", "void", "", "", "cold"),
    ("jf_script_reraise", "i32", "ptr ptr i32", "always", "cold"),
    # containers.h
    ("jf_list_new", "ptr", "size i32", "null"),
    ("jf_list_reserve", "i32", "ptr size", "nonzero"),
    ("jf_list_set", "i32", "ptr i64 ptr", "nonzero"),
    ("jf_list_append", "i32", "ptr ptr", "nonzero"),
    ("jf_list_insert", "i32", "ptr i64 ptr", "nonzero"),
    ("jf_list_extend", "i32", "ptr ptr", "nonzero"),
    ("jf_list_assign", "i32", "ptr i64 i64 i64 ptr", "nonzero"),
    ("jf_list_reverse", "void", "ptr", ""),
    ("jf_list_clear", "void", "ptr", ""),
    ("jf_tuple_new", "ptr", "ptr size", "null"),
    ("jf_tuple_of", "ptr", "ptr", "null"),
    ("jf_tuple_of_parts", "ptr", "ptr size i32", "null"),
    ("jf_list_slice", "ptr", "ptr i64 i64 i64", "null"),
    ("jf_list_concat", "ptr", "ptr ptr", "null"),
    ("jf_list_repeat", "ptr", "ptr i64", "null"),
    ("jf_tuple_slice", "ptr", "ptr i64 i64 i64", "null"),
    ("jf_tuple_concat", "ptr", "ptr ptr", "null"),
    ("jf_tuple_repeat", "ptr", "ptr i64", "null"),
    ("jf_list_append_parts", "i32", "ptr ptr size i32", "nonzero"),
    ("jf_map_new", "ptr", "size i32", "null"),
    ("jf_set_new", "ptr", "size i32", "null"),
    ("jf_map_copy", "ptr", "ptr", "null"),
    ("jf_map_seek", "i32", "ptr ptr ptr", "negative"),
    ("jf_map_has", "i32", "ptr ptr", "negative"),
    ("jf_map_seek_views", "i32", "ptr ptr size ptr", "negative"),
    ("jf_map_clear", "void", "ptr", ""),
    ("jf_map_update", "i32", "ptr ptr", "nonzero"),
    ("jf_map_items_to", "i32", "ptr ptr", "nonzero"),
    ("jf_map_count", "i32", "ptr ptr i64 i64", "negative"),
    ("jf_map_count_views", "i32", "ptr ptr size i64 i64", "negative"),
    # runtime.h, emitted.h
    ("jf_handled_begin", "void", "ptr ptr ptr i32", "", "cold"),
    ("jf_handled_known", "void", "ptr ptr ptr ptr ptr i32", "", "captures"),
    ("jf_handled_show", "void", "", "", "cold"),
    ("jf_handled_reraise", "i32", "ptr", "always", "cold"),
    ("jf_handled_failed", "void", "ptr", "", "cold"),
    ("jf_handled_end", "void", "ptr", ""),
    ("jf_arrange", "ptr", "ptr ptr i32 ptr ptr", "null"),
    ("jf_take_pending", "i32", "", "status"),
    ("jf_caught", "void", "ptr ptr", ""),
    ("jf_any_view", "void", "ptr ptr", "", "captures"),
    ("jf_object_retain", "void", "ptr", ""),
    ("jf_object_release", "void", "ptr", ""),
    ("jf_any_retain", "i32", "ptr ptr", "nonzero"),
    ("jf_any_move", "i32", "ptr ptr", "nonzero"),
    ("jf_op_call_list", "i32", "ptr ptr ptr", "nonzero"),
    ("jf_function_call", "i32", "ptr i32 ptr ptr", "nonzero"),
    ("jf_global_get", "ptr", "ptr", "status"),
    ("jf_global_fail_unknown", "void", "ptr", ""),
    ("jf_lift_scalar", "i32", "ptr i32 ptr i32 ptr", "always"),
    ("jf_fail_arity", "void", "ptr i32", ""),
    # of C itself
    ("memcmp", "i32", "ptr ptr size", ""),
)  # fmt: skip

#: By name.
SCRIPT_FUNCTIONS: Final = {row[0]: ScriptFunction(*row) for row in _ROWS}
assert len(SCRIPT_FUNCTIONS) == len(_ROWS)
