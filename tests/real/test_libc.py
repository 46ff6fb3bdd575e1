"""The C library: sorting with Python's comparators, the environment, strings, memory over NumPy's arrays, errno."""

from __future__ import annotations

import array
import bisect
import ctypes
import os
import struct

import numpy as np
import pytest

import jitffi

QSORT = "(base: ptr, count: u64, size: u64, compare: func[(ptr, ptr) -> i32]) -> void"
BSEARCH = (
    "(key: ptr[const void], base: ptr[const void], count: u64, size: u64, compare: func[(ptr, ptr) -> i32]) -> ptr"
)


@pytest.fixture(scope="module")
def libc():
    return jitffi.load_library("libc.so.6")


def by_int(a: int, b: int) -> int:
    x, y = ctypes.c_int.from_address(a).value, ctypes.c_int.from_address(b).value
    return (x > y) - (x < y)


# -- sorting and searching -------------------------------------------------------------------------------------------


def words() -> list[str]:
    """Real words, in an order that is not sorted."""
    return list(dict.fromkeys((jitffi.__doc__ + jitffi.load_library.__doc__ + ctypes.__doc__).split()))


@pytest.mark.parametrize("values", [[], [7], [3, 1, 2], [5] * 9, list(range(100, -100, -3)), [2**31 - 1, -(2**31), 0]])
def test_qsort_sorts_ints(libc, values):
    numbers = array.array("i", values)
    assert libc.bind("qsort", QSORT)(numbers, len(numbers), numbers.itemsize, by_int) is None
    assert numbers.tolist() == sorted(values)


def test_qsort_sorts_pointers_to_text(libc):
    texts = [word.encode() for word in words()]
    pointers = (ctypes.c_char_p * len(texts))(*texts)

    def compare(a, b):
        x, y = (ctypes.c_char_p.from_address(p).value for p in (a, b))
        return (x > y) - (x < y)

    libc.bind("qsort", QSORT)(pointers, len(texts), ctypes.sizeof(ctypes.c_char_p), compare)
    assert list(pointers) == sorted(texts)


def test_qsort_with_c_comparator_gives_python_no_work(libc):
    """A C function's address stands for a callback: no Python between qsort and strcmp."""
    rows = b"".join(word.encode().ljust(32, b"\0") for word in words() if len(word) < 32)
    table = bytearray(rows)
    strcmp = jitffi.Function(libc.bind("strcmp", "(a: ptr[const void], b: ptr[const void]) -> i32"))
    for comparator in (strcmp, strcmp.native_address):
        table[:] = rows
        libc.bind("qsort", QSORT)(table, len(table) // 32, 32, comparator)
        assert [table[i : i + 32] for i in range(0, len(table), 32)] == sorted(
            rows[i : i + 32] for i in range(0, len(rows), 32)
        )


def test_comparator_that_raises_comes_out_of_qsort(libc):
    class Stop(Exception):
        pass

    calls = []

    def compare(a, b):
        calls.append((a, b))
        if len(calls) == 3:
            raise Stop("third call")
        return by_int(a, b)

    numbers = array.array("i", range(50, 0, -1))
    qsort = libc.bind("qsort", QSORT)
    with pytest.raises(Stop, match="third call") as caught:
        qsort(numbers, len(numbers), 4, compare)
    assert len(calls) == 3, "callbacks after the first error do not run"
    names = [entry.name for entry in caught.traceback]
    assert names[-1] == "compare" and names[0] == "test_comparator_that_raises_comes_out_of_qsort"
    assert sorted(numbers) == list(range(1, 51)), "qsort only moves items"
    qsort(numbers, len(numbers), 4, by_int)  # nothing is left behind
    assert numbers.tolist() == list(range(1, 51))


def test_same_exception_object_comes_back(libc):
    error = KeyError("mine")

    def compare(a, b):
        raise error

    with pytest.raises(KeyError) as caught:
        libc.bind("qsort", QSORT)(array.array("i", [2, 1]), 2, 4, compare)
    assert caught.value is error


@pytest.mark.parametrize(
    ("comparator", "error", "message"),
    [
        (lambda a, b: "less", TypeError, r"qsort\.compare: result: expected i32, got str 'less'"),
        (lambda a, b: None, TypeError, r"qsort\.compare: result: expected i32, got None"),
        (lambda a, b: 2**31, OverflowError, r"qsort\.compare: result: expected i32 .*got int 2147483648"),
        (lambda a: 0, TypeError, "positional argument"),
    ],
)
def test_comparator_with_bad_result_is_an_error(libc, comparator, error, message):
    with pytest.raises(error, match=message):
        libc.bind("qsort", QSORT)(array.array("i", [2, 1]), 2, 4, comparator)


def test_qsort_inside_a_comparator_of_qsort(libc):
    qsort = libc.bind("qsort", QSORT)

    def compare(a, b):
        inner = array.array("i", [3, 1, 2])
        qsort(inner, 3, 4, by_int)
        assert inner.tolist() == [1, 2, 3]
        return by_int(a, b)

    numbers = array.array("i", [9, 8, 7, 6])
    qsort(numbers, 4, 4, compare)
    assert numbers.tolist() == [6, 7, 8, 9]


def test_error_handled_inside_a_comparator_does_not_leave_it(libc):
    qsort = libc.bind("qsort", QSORT)

    def fail(a, b):
        raise ValueError("inner")

    def compare(a, b):
        with pytest.raises(ValueError, match="inner"):
            qsort(array.array("i", [2, 1]), 2, 4, fail)
        return by_int(a, b)

    numbers = array.array("i", [3, 2, 1])
    qsort(numbers, 3, 4, compare)
    assert numbers.tolist() == [1, 2, 3]


def test_bsearch_finds_what_bisect_finds(libc):
    bsearch = libc.bind("bsearch", BSEARCH)
    numbers = array.array("i", range(0, 300, 3))
    base = numbers.buffer_info()[0]
    for key in range(-2, 305):
        found = bsearch(struct.pack("i", key), numbers, len(numbers), 4, by_int)
        index = bisect.bisect_left(numbers, key)
        there = index < len(numbers) and numbers[index] == key
        assert found == (base + 4 * index if there else None), key


def test_bsearch_with_comparator_that_raises(libc):
    def compare(key, item):
        raise LookupError("no order")

    with pytest.raises(LookupError, match="no order"):
        libc.bind("bsearch", BSEARCH)(struct.pack("i", 1), array.array("i", [1]), 1, 4, compare)


# -- the environment -------------------------------------------------------------------------------------------------


def test_setenv_and_getenv(libc):
    getenv = libc.bind("getenv", "(name: cstr) -> optional[cstr]")
    setenv = libc.bind("setenv", "(name: cstr, value: cstr, overwrite: i32) -> i32")
    unsetenv = libc.bind("unsetenv", "(name: cstr) -> i32")
    name = "JITFFI_TEST_VARIABLE"
    assert getenv(name) is None
    try:
        for value in ("plain", "", "K\u00f6ln \u2192 \U0001f600", "x" * 5000):
            assert setenv(name, value, 1) == 0
            assert getenv(name) == value
        assert setenv(name, "other", 0) == 0
        assert getenv(name) == "x" * 5000
    finally:
        assert unsetenv(name) == 0
    assert getenv(name) is None
    assert getenv("PATH") == os.environ.get("PATH")


def test_setenv_reports_its_errno(libc):
    setenv = libc.bind("setenv", "(cstr, cstr, i32) -> i32", errno=True)
    with pytest.raises(OSError, match="Invalid argument") as caught:
        setenv("with=sign", "x", 1)
    assert caught.value.errno == 22


# -- strings and memory ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "a", "hello, world", "\u00e4\u20ac\U0001f600", "x" * 100_000])
def test_strlen_counts_bytes(libc, text):
    assert libc.bind("strlen", "(text: cstr) -> u64")(text) == len(text.encode())
    assert libc.bind("strlen", "(text: ptr[const u8]) -> u64")(text.encode() + b"\0") == len(text.encode())


def test_strlen_refuses_what_is_no_text(libc):
    strlen = libc.bind("strlen", "(text: cstr) -> u64")
    for wrong in (bytearray(b"bytes"), 1, None, 2.5, ["a"]):
        with pytest.raises(TypeError, match=r"strlen: argument 1 'text': expected cstr, got"):
            strlen(wrong)
    with pytest.raises(ValueError, match=r"strlen: argument 1 'text': .*NUL"):
        strlen("a\0b")
    with pytest.raises(UnicodeEncodeError):
        strlen("\ud800")


def test_memcpy_between_numpy_arrays(libc):
    memcpy = libc.bind("memcpy", "(target: ptr, source: ptr[const void], size: u64) -> ptr")
    source = np.arange(1000, dtype=np.float64).reshape(10, 100)
    source.setflags(write=False)
    target = np.zeros_like(source)
    assert memcpy(target, source, source.nbytes) == target.ctypes.data
    assert (target == source).all()


@pytest.mark.parametrize("dtype", ["u1", "<i2", "<f4", "<f8", "<c16", "S7", "<U3", "V5", "?", "M8[s]"])
def test_memcpy_takes_arrays_of_any_type(libc, dtype):
    memcpy = libc.bind("memcpy", "(target: ptr, source: ptr[const void], size: u64) -> ptr")
    source = np.frombuffer(np.random.default_rng(7).bytes(np.dtype(dtype).itemsize * 50), dtype="u1").view("u1")
    target = np.zeros(50, dtype)
    memcpy(target, source, source.nbytes)
    assert target.tobytes() == source.tobytes()


def test_memcpy_takes_every_kind_of_pointer(libc):
    memcpy = libc.bind("memcpy", "(target: ptr, source: ptr[const void], size: u64) -> ptr")
    content = bytes(range(200))
    targets = [
        bytearray(200), array.array("B", bytes(200)), memoryview(bytearray(200)), (ctypes.c_char * 200)(),
        np.zeros(200, np.uint8), np.zeros((2, 100), np.uint8), np.zeros(400, np.uint8)[100:300],
    ]  # fmt: skip
    for target in targets:
        memcpy(target, content, 200)
        assert bytes(memoryview(target).cast("B")) == content, type(target)
        address = memcpy(target, target, 0)
        memcpy(address, content[::-1], 200)
        assert bytes(memoryview(target).cast("B")) == content[::-1], type(target)


def test_memcmp_on_rows_of_an_array(libc):
    memcmp = libc.bind("memcmp", "(a: ptr[const void], b: ptr[const void], size: u64) -> i32")
    table = np.arange(12, dtype=np.int32).reshape(3, 4)
    assert memcmp(table[1], np.array([4, 5, 6, 7], np.int32), 16) == 0
    assert memcmp(table[2], table[1], 16) != 0


# -- errno -----------------------------------------------------------------------------------------------------------


def test_open_of_a_missing_file(libc, tmp_path):
    opened = libc.bind("open", "(path: cstr, flags: i32, mode: u32) -> i32", errno=True)
    with pytest.raises(FileNotFoundError) as caught:
        opened(str(tmp_path / "missing"), os.O_RDONLY, 0)
    assert caught.value.errno == 2
    fd = opened(str(tmp_path / "made"), os.O_CREAT | os.O_WRONLY, 0o600)
    os.close(fd)
    assert (tmp_path / "made").exists()


def test_null_result_with_errno(libc, tmp_path):
    opendir = libc.bind("opendir", "(path: cstr) -> ptr", errno=True)
    closedir = libc.bind("closedir", "(dir: ptr) -> i32", errno=True)
    with pytest.raises(FileNotFoundError):
        opendir(str(tmp_path / "missing"))
    assert closedir(opendir(str(tmp_path))) == 0


def test_errno_of_each_class(libc, tmp_path):
    (tmp_path / "folder").mkdir()
    cases = {
        "rmdir": (FileNotFoundError, tmp_path / "missing"),
        "mkdir": (FileExistsError, tmp_path / "folder"),
        "unlink": (IsADirectoryError, tmp_path / "folder"),
        "chdir": (NotADirectoryError, __file__),
    }
    for name, (error, path) in cases.items():
        sig = "(path: cstr, mode: u32) -> i32" if name == "mkdir" else "(path: cstr) -> i32"
        with pytest.raises(error):
            libc.bind(name, sig, errno=True)(str(path), *([0o700] if name == "mkdir" else []))
