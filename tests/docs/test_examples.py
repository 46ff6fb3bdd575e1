"""Each example runs alone, in a fresh process, says what it should, and stays short enough to be read."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))
#: Libraries that a machine may lack, and the package that has them, by example.
NEEDS = {
    "02_zlib": ("libz.so.1", "zlib1g"),
    "03_sqlite": ("libsqlite3.so.0", "libsqlite3-0"),
    "06_expat": ("libexpat.so.1", "libexpat1"),
}
#: They build a library of their own.
NEEDS_CC = (
    "09_called_from_c", "10_text_from_c", "14_values_in_c", "15_word_count", "16_ahead_of_time", "17_modules",
    "27_arrays",
)  # fmt: skip
NEEDS_CMAKE = ("30_cplusplus", "31_expressions")
#: What the output must hold; where it is a list, in this order.
SAYS = {
    "01_libm": ["47 functions; 0 differ", "5.0", "hypot: argument 2 'y': expected f64, got str 'four'"],
    "02_zlib": ["crc32   cbf43926", "adler32 091e01de", "1048590 bytes are", "and the same again"],
    "03_sqlite": ["3 rows came", "Ulm 126000", "Köln 1085000", "sqlite says: no such table", "sqlite: seen enough"],
    "04_qsort": ["[-90, 2, 24, 45, 66, 75, 170, 802]", "75 is at 5 and 3 at None", "out of the comparator: "],
    "05_libc": ["getenv: schön None", "strlen: 6", "memcpy: [0.0, 1.0", "errno:  [Errno 2]"],
    "06_expat": ["library", "  book", "    De rerum natura", "    Faust"],
    "07_global_functions": [
        "python  42.0 63.0",
        "native  42.0",
        "scaled by nothing",
        "without a signature: Tuple((1, 2.5",
    ],
    "08_see_the_code": ["<jitffi.Function hypot(x: f64, y: f64) -> f64>", "define", "instructions"],
    "09_called_from_c": ["sum of squares: 285", "not with 3", "unknown global function 'example.sqare'; did you mean"],
    "10_text_from_c": ["Ärger, Ärger,  1000", "b'value' None", "count is -1", "expected str, got bytes b'x'"],
    "11_threads": ["the lock held:", "the lock released:", "on a thread of C: True 12", "waited: 13 is none of ours"],
    "12_processes": ["bytes pickled", "there: [5.0, 4.0, 8.5]", "cannot pickle <jitffi.Function <lambda>"],
    "13_errors": [
        "expected i64, got float 2.5",
        "unknown type 'f46'",
        "^^^",
        "did you mean 'long'?",
        "libnot-there.so",
    ],
    "14_values_in_c": [
        "split: List(['日', '本', '語']) List([1, 'two', 3.0])",
        "boxed: 42 42",
        "TypeError: my_int_func: expected int",
        "KeyError: ",
        "larger: 4 4",
        "appended: List([1, 2, 3]) List([1, 2])",
        "lists for 1000 appends: 1",
    ],
    "17_modules": [
        "missing: numbers.o: undefined: mean",
        "1 function> exports gcd(a: i64, b: i64) -> i64",
        "gcd: 12 1",
        "counters: 101 102 101",
        "imported: 102",
        "has no function 'gdc'; did you mean 'gcd'?",
        "cannot be unloaded: 1 function taken from it is in use",
        "<jitffi.Module numbers: unloaded>",
    ],
    "16_ahead_of_time": [
        "(text: str, marks: i64) -> str",
        "HELLO!!!",
        "ValueError: too long to be shouted",
        "TypeError: shout: argument 1 'text': expected str, got int 3",
    ],
    "19_extension_module": [
        "numbers_of_c.so",
        "False <built-in function labs> (x, y=4.0)",
        "1099511627776 4 5.0 13.0",
        "seven is at 3",
        "TypeError: labs: argument 1 'number': expected i64, got float 2.5",
        "TypeError: labs: argument 1 'number' is missing",
        "ValueError: strlen: argument 1 'text': expected cstr without NUL",
    ],
    "15_word_count": ["Map 17 words, 'die': 2 'Welt': 0", "[('den', 40000), ('und', 40000), ('die', 20002)]"],
    "20_unicode_split": [
        "unicode_split_any   1000 characters, ",
        "0 more per character",
        "unicode_split        900 characters, ",
        "0 more per character",
    ],
    "21_tokenizer": ["'r', 'ag', 'e', 'ous', 'que', 'st', 'ion', 's', None]", "3400 words: "],
    "22_words_in_threads": ["the most: [(", "('the', ", "two threads "],
    "23_script_in_a_file": [
        "slug.o: ",
        "(title: str, most: i64 = 40) -> str",
        "int32_t __jf_slug(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out);",
        "fische-frisch-günstig a-b",
        "TypeError: slug: argument 2 'most': expected i64, got str 'forty'",
    ],
    "24_script_errors": [
        "line 20\n    seen = frozenset(words)\n           ^^^^^^^^^",
        "scripts have no frozenset: use a set",
        "{'a': 1.5, 'b': 3.5}",
        "in means\n    return {name: mean(numbers) for name, numbers in table.items()}",
        "in mean\n    return sum(numbers) / len(numbers)\nZeroDivisionError: division by zero",
        "mean: 4.611686018427388e+18",
        "HEAR!!!",
        "TypeError: shout: 'marks': expected int, got float 3.0",
        "TypeError: shout: 'text': expected str, got int 7",
        "TypeError: shout() missing 1 required positional argument: 'marks'",
    ],
    "25_tune_a_script": [
        '▁The ▁"assert" ▁statement ▁',
        " words; the others are objects on the heap:",
        "pad  1: ",
        "pad 15: ",
        " of them fit 136 bytes",
    ],
    "26_record_a_trace": [
        "program: 2Дллз 3000",
        "first:   1 u19:31 > l3[s1 u10:18 u4:8]",
        "later:   1*",
        "there were 3001 at 2 places",
        "the file has nothing: True",
    ],
    "27_arrays": [
        "saxpy: [1.0, 3.0, 5.0, 7.0, 9.0]",
        "n=2:   [1.0, 5.0, 5.0, 7.0, 9.0]",
        "TypeError saxpy: argument 3 'y': expected f32[n], got float64[5]",
        "ValueError saxpy: argument 3 'y': n is 4 here and 5 in 'x'",
        "ValueError saxpy: argument 3 'y': expected f32[n], got float32[5] with a stride of -1 elements",
        "TypeError saxpy: argument 3 'y': expected f32[n], got ",
        "means: [9.0, 15.0]",
        "o: 4 of 18 ndarray uint32",
    ],
    "28_handles": [
        "written: True <Pointer ptr[struct FILE] at 0x",
        "closed:  <Pointer ptr[struct FILE], closed>",
        "fputs: argument 2 'file': ptr[struct FILE]: what it points at was closed",
        "[Errno 2] No such file or directory",
        "aligned: True\nptr[f64]: it cannot be closed while arrays, buffers or calls use it\nsum:     49500.0",
        "path:    /dev/null None",
        "(text: optional[cstr]) -> owned[cstr, free]",
    ],
    "31_expressions": [
        "built:      lambda x y: ((((x + y) * ((2.0 * 3.0) + 1.0)) * 1.0) + (x * 0.0))",
        "folded:     lambda x y: ((((x + y) * 7.0) * 1.0) + (x * 0.0))",
        "rewritten:  lambda x y: ((x + y) * 7.0)",
        "the same:   True False",
        "difference: <root>.body.right.value <root>.body.right.value",
        "loaded:     lambda x y: ((x + y) * 7.0) True",
    ],
    "30_cplusplus": [
        "myadd(1, 2): 3",
        "TypeError: function: argument 2: expected i32, got str 'two'",
        "demo.size (list) -> u64",
        "half of 5: 2",
        "removed: yes",
        "(map[str, i64]) -> i32: 42",
        "myadd: 3\ncalled back: hello world\nlower: from c++ to python and back\nadd: 42 (i64, i64) -> i64\n",
        "LookupError: Python's own error about 'hello world'",
    ],
    "29_structs": [
        "17 / 5: division(quot=3, rem=2)",
        "then:   1970 1 2 GMT",
        "later:  31 days",
        "sorted: [('Grace', 29), ('Ada', 36), ('Alan', 41)] Person(name='Grace', age=30)",
        "points: [0. 1. 2.] 8",
        "opterr: 0 <sorting.BY_NAME: 1>",
        "bytearray(b'7 words 0.50')",
    ],
    "32_remote": [
        "machines: 2",
        "counted: Map({'to': 2, 'be': 2, 'or': 1, 'not': 1})",
        "measured there: 5 times True",
        "stays there: float64 (1000,) 0.0",
        "error: count_words: 'text': expected str, got bytes b'bytes' raised at the worker",
    ],
    "33_tvm_ffi": ["exports: ['count']", "counted: 2", "refused: count: argument 1 'words'"],
    "18_from_a_header": [
        "bound 3 functions, 1 enum, 3 constants; left out 1 function",
        "  geometry_area: libm.so.6 has no symbol of that name",
        "def hypot(x: float, y: float) -> float:",
        "hypot of 3 and 4 is 5.0; the limit is 1048576",
        "48 is 0.75 times 2 to the 6",
        "double frexp(double value, int *exponent)\n\nFraction and exponent",
    ],
}


def test_each_example_is_checked() -> None:
    assert [path.stem for path in EXAMPLES] == sorted(SAYS)
    assert [path.stem[:3] for path in EXAMPLES] == [f"{number:02}_" for number in range(1, len(EXAMPLES) + 1)]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path, run_python, system_library) -> None:
    if path.stem in NEEDS:
        system_library(*NEEDS[path.stem])
    if path.stem in NEEDS_CC and shutil.which("cc") is None:
        pytest.skip("no C compiler called cc")
    if path.stem in NEEDS_CMAKE and not (shutil.which("cmake") and shutil.which("c++")):
        pytest.skip("no CMake, or no C++ compiler called c++")
    output = run_python(path, env={"PYTHONWARNINGS": "error"})
    at = 0
    for said in SAYS[path.stem]:
        assert said in output[at:], output
        at = output.index(said, at)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_can_be_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree) and len(text.splitlines()) <= 90
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    assert "jitffi" in imported and ("numpy" in imported) == (
        path.stem in ("05_libc", "27_arrays", "28_handles", "29_structs")
    )
