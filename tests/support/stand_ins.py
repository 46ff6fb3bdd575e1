"""Tests that are left out of an ordinary run, since others stand for them; JITFFI_TARGETS=all runs all.

Each takes seconds, and would fail alone only where its own machine, seed, form or instrument is what matters.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def _each(name: str, *parameters: str) -> list[str]:
    return [f"{name}[{parameter}" for parameter in parameters]


#: What is left out, by what is behind `tests/` and how its parameters begin, and what stands for it.
LEFT_OUT = {
    "runtime/test_sanitized.py::test_valgrind_sees_no_wrong_access": "the instrumented builds",
    "runtime/test_runtime_c.py::test_c_tests_pass": "the instrumented build, and those of other machines",
    "docs/test_benchmarks.py::test_every_group_runs_and_has_our_figures[slow": "the other groups",
    "tune/test_tune_autotune.py::test_the_best_pad_of_a_callable": "that of a script",
    "tune/test_tune_cli.py::test_examples_are_tuned_as_they_are": "docs/test_examples.py",
    "tune/test_tune_cli.py::test_a_corpus_larger_than_memory": "tune/test_tune_corpus.py",
    "tune/test_tune_cli.py::test_junk_and_a_giant_line_and_a_file_that_prints_and_has_no_main_part": "its neighbours",
    "tune/test_tune_cli.py::test_a_scheduler_of_another_process": "tune/test_tune_remote.py",
    "tune/test_tune_search.py::test_what_looks_faster_and_has_not_won_says_why": "its neighbours",
    "tune/test_tune_search.py::test_what_a_disturbed_run_discards_comes_back": "tune/test_tune_contention.py",
    "tune/test_tune_pads.py::test_candidates_of_typed_functions": "those of scripts",
    "scripts/test_op_format.py::test_every_type_and_precision_of_floats": "its random specs",
    "real/test_bind.py::test_modules_and_their_users_pass_pyright": "mypy, and typed/test_typing.py",
    "real/test_git2_task.py::test_log_with_the_suggested_side_file": "the log of a small repository",
    **dict.fromkeys(
        _each("runtime/test_runtime_cross.py::test_a_project_finds_it", "riscv64")
        + _each("runtime/test_runtime_cross.py::test_the_runtimes_own_tests_pass", "riscv64"),
        "WebAssembly's, and what is emitted for RISC-V",
    ),
    **dict.fromkeys(
        _each("tune/test_tune_search.py::test_small_budgets", "3.0", "10.0"),
        "the smallest budget",
    ),
    **dict.fromkeys(
        _each("bind/test_bound_layouts.py::test_structs_of_real_headers_are_where_the_compiler_has_them", "SDL2"),
        "the other headers",
    ),
    **dict.fromkeys(
        _each("deploy/test_hundred.py::test_every_run_writes_the_same", "bc", "ll", "s", "so", "wasm"),
        "objects and extension modules",
    ),
    **dict.fromkeys(
        _each("deploy/test_hundred.py::test_linked_loaded_and_called", "bc", "ll", "s]"),
        "objects and libraries",
    ),
    **dict.fromkeys(
        _each(
            "emission/test_header_names.py::test_functions_are_declared_or_refused",
            "clang++-c++17-(f",
            "clang++-c++17-(i",
        ),
        "clang's, and the type of text",
    ),
    **dict.fromkeys(
        _each("scripts/test_match.py::test_patterns_fit_what_they_fit_in_python", *"4567"),
        "the first four of them",
    ),
    **dict.fromkeys(_each("scripts/test_infer_sound.py::test_random_programs", "2", "3"), "the first two of them"),
    **dict.fromkeys(
        _each("scripts/test_long.py::test_the_work_grows_with_the_length", "chain", "circle"),
        "callees and continues",
    ),
    **dict.fromkeys(
        _each(
            "scripts/test_unknown_types.py::test_methods",
            *("rfind", "index", "rindex", "endswith", "count", "rpartition", "rsplit", "ljust", "rjust", "rstrip"),
            *("isalnum", "isalpha", "isdecimal", "isdigit", "islower", "isnumeric", "isspace", "istitle", "isupper"),
            *("removesuffix", "swapcase", "title", "upper"),
        ),
        "find, startswith, partition, split, center, strip, isascii, removeprefix and lower",
    ),
    **dict.fromkeys(
        _each(
            "scripts/test_language.py::test_methods_of_text",
            *("str-annotated", "str-argument", "str-from a", "bytes-annotated", "bytes-argument", "bytes-from a"),
            "bytes-optional",
        ),
        "what the script says of types itself, what it does not know, typed lists, and text that may be None",
    ),
    **dict.fromkeys(
        _each("scripts/test_language.py::test_operators", "none-", "bool-", "tuple-", "dict-"),
        "those of which they are the right operands, and operators of unknown types",
    ),
    "cxx/test_cxx_programs.py::test_a_program[clang": "those of gcc with AddressSanitizer",
    "tune/test_tune_remote.py::test_no_scheduler_is_an_error_that_says_where": "a worker that dies",
    "tune/test_tune_search.py::test_no_difference_where_there_is_none": "the default that is kept where it is best",
    "tune/test_tune_search.py::test_a_small_gain_is_found": "the valley that is found",
    "tune/test_tune_corpus.py::test_an_iterable_without_an_end_is_looked_at_in_part": "a corpus larger than memory",
    "tune/test_tune_cli.py::test_a_trace_needs_neither_workload_nor_corpus": "tune/test_tune_trace.py",
    "deploy/test_hundred.py::test_a_c_program[clang": "gcc's",
    "deploy/test_hundred.py::test_a_cpp_program[clang": "gcc's",
    "cli/test_cli.py::test_emit_shows_a_bar_on_a_terminal_only": "the bar of `tune`",
    "tune/test_tune_cli.py::test_json_and_the_pad_that_is_given": "reports and a profile",
    "emission/test_target.py::test_the_same_input_gives_the_same_bytes": "deploy/test_hundred.py, where every run does",
    "emission/test_extension_structs.py::test_stubs_have_the_classes": "emission/test_stub.py",
    "real/test_png_task.py::test_calls_leave_nothing_behind": "the handlers of real/test_libxml2_task.py",
    **dict.fromkeys(
        [
            f"real/test_sdl2_task.py::test_{task}"
            for task in (
                *("pixels_of_a_surface", "rectangles", "an_image_in_memory", "events_are_a_union"),
                *("timers_call_on_threads_of_sdls", "the_log", "structs_by_value", "errors_and_packed_structs"),
            )
        ],
        "the tasks of other libraries: its header is the largest of all",
    ),
    "runtime/test_runtime_cross.py::test_the_runtimes_own_tests_pass[aarch64": "WebAssembly's, and what is emitted",
    **dict.fromkeys(
        _each("adapters/test_debugging.py::test_a_backtrace_leads_through_generated_code_to_python", "module", "crash"),
        "callbacks and scripts",
    ),
    **dict.fromkeys(
        _each("emission/test_emit.py::test_the_number_of_processes_does_not_show", "ll", "so"), "that of objects"
    ),
    **dict.fromkeys(
        _each("emission/test_header_names.py::test_functions_are_declared_or_refused", "clang-gnu17", "gcc-gnu17"),
        "the standards without extensions",
    ),
    "deploy/test_hundred.py::test_packed_to_another_convention_to_c[packed_legacy": "tvm-ffi's",
    **dict.fromkeys(
        _each("emission/test_stub.py::test_mypy_has_nothing_to_say_of_a_stub_with_everything", "packed"), "C's"
    ),
}


#: What an entry does and what a callee does know nothing of each other. Of the pairs that these tests draw those stay
#: that have entries and callees of C, Python and packed with every type, and the others with a quarter of the types, as
#: they are first compiled or made well. JITFFI_TARGETS=all has everything.
OF_PAIRS = ("conventions/test_matrix.py", "emission/test_objfile.py")
_PAIRS = (
    "python-c-0", "c-packed-0", "packed-tvm_ffi-0", "tvm_ffi-packed_legacy-0", "packed_legacy-python-0", "c-packed-2",
    "packed-c-2", "packed-python-2", "python-c-2", "packed-packed-2", "c-python-2",
)  # fmt: skip


def _is_other_pair(name: str) -> bool:
    file, _, test = name.partition("::")
    if file not in OF_PAIRS or not test.startswith("test_every_pair_carries_every_type["):
        return False
    return not test.removesuffix("]").endswith(_PAIRS)


def is_left_out(name: str) -> bool:
    """Of the test of that name, what is behind `tests/`."""
    if os.environ.get("JITFFI_TARGETS"):
        return False
    if _is_other_pair(name):
        return True
    return name.partition("[")[0] in LEFT_OUT or any("[" in key and name.startswith(key) for key in LEFT_OUT)


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect them, but those that the command line names."""
    named = any("::" in argument for argument in config.args)
    left = [item for item in items if not named and is_left_out(item.nodeid.partition("tests/")[2])]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]
