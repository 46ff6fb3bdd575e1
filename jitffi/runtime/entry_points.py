"""The entry points that generated code calls: one row each, with its types and how it reports failure.

The row says all that a call site must know: LLVM types of the result and the arguments, and what a failing
call looks like, so that `Emitter.helper` adds the check and no caller can forget it. Rows and the extension's
table are compared when this module is loaded: a name in one and not in the other is an ImportError.
"""

from __future__ import annotations

from jitffi import _core

#: Where each stands in the extension's table.
_PLACES = {name: place for place, name in enumerate(_core.TABLE)}


class Helper:
    """One entry point. `fails` is "" (never), or which result means failure and where the error is then: "nonzero
    python", "null python" (the Python exception is set), "nonzero runtime", "null runtime" (the last error is), "second
    python", "second runtime" (the second member of a pair is not zero; the first is the value), "nonzero text" (the
    exception is set, and the function may be called again with what the argument stands for).
    """

    __slots__ = ("args", "cold_index", "fails", "index", "name", "result")

    def __init__(self, name: str, result: str, args: str, fails: str = "") -> None:
        self.name = name
        self.result = result
        self.args = tuple(args.split())
        self.fails = tuple(fails.split())
        self.index = _PLACES[name]
        #: Its stub that keeps the caller's registers, where it has one.
        self.cold_index = _PLACES.get("cold_" + name, -1)


#: Addresses of objects and variables, not of functions.
DATA = (
    "float_type", "long_type", "unicode_type", "bytes_type", "dtype_type", "device_type", "none", "true", "false",
    "pending_count", "numpy", "embedding_meta",
)  # fmt: skip

_ROWS = (
    # Python object -> native value; (state, index, object, ...)
    ("unbox_scalar", "{ i64, i64 }", "ptr i32 ptr i32", "second python"),
    ("unbox_wide", "i32", "ptr i32 ptr i32 ptr", "nonzero python"),
    ("unbox_ptr", "i32", "ptr i32 ptr ptr ptr", "nonzero python"),
    ("unbox_str", "i32", "ptr i32 ptr ptr", "nonzero text"),
    ("unbox_cstr", "i32", "ptr i32 ptr ptr", "nonzero text"),
    ("unbox_bytes", "i32", "ptr i32 ptr ptr ptr", "nonzero python"),
    ("unbox_ucs4", "i32", "ptr i32 ptr ptr ptr", "nonzero python"),
    ("unbox_object", "i32", "ptr i32 ptr i32 ptr ptr", "nonzero python"),
    ("unbox_any", "i32", "ptr i32 ptr ptr ptr", "nonzero python"),
    ("unbox_container", "i32", "ptr i32 ptr ptr", "nonzero python"),
    ("unbox_union", "i32", "ptr i32 ptr ptr ptr", "nonzero python"),
    ("unbox_union_out", "i32", "ptr ptr ptr", "nonzero python"),
    ("sole_object", "i32", "ptr i32 ptr", "nonzero python"),
    ("sole_view", "i32", "ptr i32 ptr", "nonzero python"),
    ("unbox_callback", "i32", "ptr i32 ptr ptr ptr", "nonzero python"),
    ("unbox_function", "i32", "ptr i32 ptr ptr ptr", "nonzero python"),
    ("unbox_str_out", "i32", "ptr ptr ptr", "nonzero python"),
    ("unbox_bytes_out", "i32", "ptr ptr ptr", "nonzero python"),
    ("unbox_ucs4_out", "i32", "ptr ptr ptr", "nonzero python"),
    ("unbox_any_out", "i32", "ptr ptr ptr", "nonzero python"),
    # native value -> Python object
    ("box_i64", "ptr", "i64", "null python"),
    ("box_u64", "ptr", "i64", "null python"),
    ("box_f64", "ptr", "double", "null python"),
    ("box_wide", "ptr", "ptr i32 i32 ptr", "null python"),
    ("box_ptr", "ptr", "ptr", "null python"),
    ("box_str", "ptr", "ptr size", "null python"),
    ("box_bytes", "ptr", "ptr size", "null python"),
    ("box_ucs4", "ptr", "ptr size", "null python"),
    ("box_dtype", "ptr", "i32", "null python"),
    ("box_device", "ptr", "i64", "null python"),
    ("box_cstr", "ptr", "ptr i32 ptr", "null python"),
    ("box_object", "ptr", "ptr", "null python"),
    ("take_object", "ptr", "ptr", "null python"),
    ("box_view", "ptr", "ptr", "null python"),
    ("box_slot", "ptr", "ptr", "null python"),
    ("box_callback", "ptr", "ptr i32 ptr", "null python"),
    # the call itself
    ("raise_arity", "void", "ptr i64", ""),
    ("call_again", "ptr", "ptr ptr i64 ptr", "null python"),
    ("arrange", "ptr", "ptr ptr i64 ptr ptr", "null python"),
    ("arrange_packed", "ptr", "ptr i32 ptr ptr", "null runtime"),
    ("call_python", "ptr", "ptr ptr i64", "null python"),
    ("decref", "void", "ptr", ""),
    ("decref_array", "void", "ptr i64", ""),
    ("enter_python", "ptr", "ptr ptr", "null runtime"),
    ("leave_python", "void", "ptr ptr ptr", ""),
    ("release_gil", "ptr", "ptr", ""),
    ("acquire_gil", "void", "ptr", ""),
    ("error_raise", "void", "ptr", ""),
    ("error_from_python", "void", "", ""),
    ("error_pending", "void", "", ""),
    ("take_pending", "i32", "", ""),
    ("is_pending", "i32", "", ""),
    ("errno_failed", "i32", "ptr", "nonzero runtime"),
    ("caught", "void", "ptr ptr", ""),
    ("null_result", "i32", "ptr i32", "nonzero runtime"),
    ("fail_null", "i32", "ptr i32", "nonzero runtime"),
    ("keep_cstr", "ptr", "ptr ptr i32", "null runtime"),
    ("check_out", "i32", "ptr ptr i32", "nonzero runtime"),
    # the C runtime
    ("lift_scalar", "{ i64, i64 }", "ptr i32 ptr i32", "second runtime"),
    ("lift_longdouble", "i32", "ptr i32 ptr ptr", "nonzero runtime"),
    ("lower_longdouble", "i32", "ptr i32 ptr ptr", "nonzero runtime"),
    ("lift_ptr", "i32", "ptr i32 ptr ptr", "nonzero runtime"),
    ("lift_str", "i32", "ptr i32 ptr ptr ptr", "nonzero runtime"),
    ("lift_bytes", "i32", "ptr i32 ptr ptr ptr", "nonzero runtime"),
    ("lift_ucs4", "i32", "ptr i32 ptr ptr ptr", "nonzero runtime"),
    ("lift_cstr", "i32", "ptr i32 ptr ptr ptr", "nonzero runtime"),
    ("lift_object", "i32", "ptr i32 ptr i32 ptr ptr", "nonzero runtime"),
    ("closure_dead", "void", "", ""),
    ("lift_struct", "i32", "ptr i32 ptr size size ptr", "nonzero runtime"),
    ("lower_struct", "i32", "ptr i32 ptr size size ptr ptr", "nonzero runtime"),
    ("out_struct", "i32", "ptr ptr size size ptr", "nonzero runtime"),
    ("lift_container", "i32", "ptr i32 ptr ptr", "nonzero runtime"),
    ("lift_checked", "i32", "ptr i32 ptr", "nonzero runtime"),
    ("lift_callback", "i32", "ptr i32 ptr ptr ptr", "nonzero runtime"),
    ("lift_function", "i32", "ptr i32 ptr ptr ptr", "nonzero runtime"),
    ("lower_callback", "i32", "ptr i32 ptr ptr ptr", "nonzero runtime"),
    ("lift_array", "i32", "ptr i32 ptr i64 ptr ptr", "nonzero runtime"),
    ("lift_tensor", "i32", "ptr i32 ptr i64 ptr ptr", "nonzero runtime"),
    ("lower_tensor", "i32", "ptr i32 ptr i64 ptr ptr", "nonzero runtime"),
    ("lift_tensor_result", "ptr", "ptr i32 ptr i64 ptr", "null runtime"),
    ("take_tensor", "ptr", "ptr ptr i64 ptr", "null runtime"),
    ("fill_tensor", "void", "ptr i64 ptr", ""),
    ("copy_array", "ptr", "i64 ptr ptr", "null runtime"),
    ("new_array", "ptr", "ptr i32 i64 ptr ptr ptr", "null runtime"),
    ("out_values", "i32", "ptr ptr i32", "nonzero runtime"),
    ("take_parts", "i32", "ptr ptr ptr i32", "nonzero runtime"),
    ("take_array", "i32", "ptr i32 ptr i64 ptr", "nonzero runtime"),
    ("fail_length", "i32", "ptr i32 ptr i32 i64 i32 i64", "nonzero runtime"),
    ("fail_filled", "i32", "ptr i32 i64 i32 i32 i64", "nonzero runtime"),
    ("unbox_array", "i32", "ptr i32 ptr i64 ptr ptr", "nonzero python"),
    ("unbox_tensor", "i32", "ptr i32 ptr i64 ptr ptr", "nonzero python"),
    ("tensor_object", "ptr", "ptr i32 ptr i64 ptr", "null python"),
    ("tensor_value", "i32", "ptr i32 ptr i64 ptr ptr", "nonzero python"),
    ("box_tensor", "ptr", "ptr i32 ptr ptr ptr i64 ptr", "null python"),
    ("tensor_back", "void", "ptr ptr", ""),
    ("unbox_pointer", "i32", "ptr i32 ptr ptr ptr", "nonzero python"),
    ("box_pointer", "ptr", "ptr i32 ptr", "null python"),
    ("unbox_struct", "i32", "ptr i32 ptr ptr ptr", "nonzero python"),
    ("box_struct", "ptr", "ptr i32 ptr", "null python"),
    ("unbox_texts", "i32", "ptr i32 ptr ptr ptr", "nonzero python"),
    ("box_texts", "ptr", "ptr i32 ptr i64", "null python"),
    ("box_owned", "ptr", "ptr i32 ptr ptr", "null python"),
    ("take_cstr", "ptr", "ptr i32 ptr ptr", "null python"),
    ("free_owned", "void", "ptr ptr ptr", ""),
    ("refuse_length", "i32", "ptr i32 ptr i32 i64 i32 i64", "nonzero python"),
    ("keep_argument", "i32", "ptr ptr", "nonzero python"),
    ("make_array", "ptr", "ptr i32 i64 ptr ptr", "null python"),
    ("box_array", "ptr", "ptr i32 i64 ptr", "null python"),
    ("array_value", "i32", "ptr i32 ptr i64 ptr ptr ptr", "nonzero python"),
    ("array_back", "i32", "ptr i32 ptr i64 ptr", "nonzero python"),
    ("unbox_array_out", "i32", "ptr i32 ptr i64 ptr", "nonzero python"),
    ("take_tuple", "ptr", "ptr i64", "null python"),
    ("take_apart", "i32", "ptr ptr ptr i64", "nonzero python"),
    ("refuse_filled", "i32", "ptr i32 i64 i32 i32 i64", "nonzero python"),
    ("refuse_beyond", "i32", "ptr i32 i64 i32", "nonzero python"),
    ("argument_missing", "i32", "ptr i32", "nonzero python"),
    ("packed_arity", "void", "ptr i32", ""),
    # the packed convention of before
    ("legacy_views", "i32", "ptr i32 ptr ptr ptr", "nonzero runtime"),
    ("legacy_invoke", "i32", "ptr ptr ptr i32 ptr ptr", "nonzero runtime"),
    ("legacy_give", "i32", "ptr ptr ptr ptr", "nonzero runtime"),
    # tvm-ffi's convention
    ("tvmffi_view", "i32", "ptr ptr ptr", "nonzero runtime"),
    ("tvmffi_argument", "i32", "ptr ptr", "nonzero runtime"),
    ("tvmffi_give", "i32", "ptr ptr", "nonzero runtime"),
    ("tvmffi_take", "i32", "ptr ptr", "nonzero runtime"),
    ("tvmffi_failed", "void", "", ""),
    ("tvmffi_raise", "void", "", ""),
    ("any_view", "void", "ptr ptr", ""),
    ("any_retain", "i32", "ptr ptr", "nonzero runtime"),
    ("any_release", "void", "ptr", ""),
    ("out_str", "i32", "ptr ptr size", "nonzero runtime"),
    ("out_bytes", "i32", "ptr ptr size", "nonzero runtime"),
    ("out_object", "void", "ptr ptr", ""),
    ("object_retain", "void", "ptr", ""),
    ("object_release", "void", "ptr", ""),
    ("temps_release", "void", "ptr", ""),
    ("f64_from_f16", "double", "i16", ""),
    ("f64_from_bf16", "double", "i16", ""),
    ("strlen", "size", "ptr", ""),
)

absent = {*DATA, *[row[0] for row in _ROWS]} - set(_core.TABLE)
if absent:
    raise ImportError(f"jitffi._core lacks entry points that jitffi.runtime.entry_points describes: {sorted(absent)}")
HELPERS = {row[0]: Helper(*row) for row in _ROWS}
DATA_INDEX = {name: _core.TABLE.index(name) for name in DATA}

unknown = set(_core.TABLE) - set(HELPERS) - set(DATA) - {"cold_" + name for name in HELPERS}
if unknown:
    raise ImportError(
        f"jitffi._core has entry points that jitffi.runtime.entry_points does not describe: {sorted(unknown)}"
    )
