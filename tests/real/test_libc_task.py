"""Files, time, sorting, numbers, text and streams by the C library's bound headers, against Python's own."""

from __future__ import annotations

import itertools
import math
import os
import random
import time

import pytest

import jitffi

LETTERS = [f"letter {i}" for i in range(20)]


@pytest.fixture
def libc(bound_header):
    """libc("sys/stat.h"): that header's module."""
    return lambda header, **options: bound_header(header, "m" if header == "math.h" else "c", "libc6-dev", **options)


# -- sys/stat.h and dirent.h -----------------------------------------------------------------------------------------


def test_stat_of_a_file(libc, tmp_path):
    status = libc("sys/stat.h")
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    path.chmod(0o640)
    os.utime(path, ns=(10**18 + 7, 10**18 + 123456789))
    info, wanted = status.stat_(), path.stat()
    assert status.stat(str(path), info) == 0
    for name in ("st_dev", "st_ino", "st_nlink", "st_mode", "st_uid", "st_gid", "st_size", "st_blksize", "st_blocks"):
        assert getattr(info, name) == getattr(wanted, name), name
    assert info.st_mtim.tv_sec * 10**9 + info.st_mtim.tv_nsec == wanted.st_mtime_ns == 10**18 + 123456789
    assert info.st_atim == status.timespec(tv_sec=10**9, tv_nsec=7)
    assert info.st_mode & status.S_IFMT == status.S_IFREG and info.st_mode & status.S_IRWXU == 0o600
    assert status.stat(str(tmp_path), info) == 0 and info.st_mode & status.S_IFMT == status.S_IFDIR
    assert status.stat(str(tmp_path / "missing"), info) == -1


def test_a_place_for_stat_by_new(libc, tmp_path):
    status = libc("sys/stat.h")
    place = jitffi.new(status.stat_)
    assert status.mkdir(str(tmp_path / "made"), 0o700) == 0 and status.lstat(str(tmp_path / "made"), place) == 0
    assert place.value.st_mode == (tmp_path / "made").stat().st_mode


def entries(directories, path):
    """What is in the folder *path*, with each entry's kind."""
    stream = directories.opendir(path)
    found = {}
    while entry := directories.readdir(stream):
        found[jitffi.text(entry.value.d_name)] = entry.value.d_type
    assert directories.closedir(stream) == 0
    return found


def test_names_in_a_folder(libc, tmp_path):
    directories = libc("dirent.h")
    for name in ("a", "b \u00fcber", "x" * 255):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("a")
    found = entries(directories, str(tmp_path))
    assert sorted(found) == sorted([*os.listdir(tmp_path), ".", ".."])
    if directories.DT_UNKNOWN not in found.values():  # not every file system tells
        assert (found["folder"], found["link"]) == (directories.DT_DIR, directories.DT_LNK)
        assert found["x" * 255] == directories.DT_REG
    assert directories.opendir(str(tmp_path / "missing")) is None


def test_scandir_with_a_filter(libc, tmp_path):
    directories, memory = libc("dirent.h"), libc("stdlib.h")
    for name in ("c", "a", "b", ".hidden"):
        (tmp_path / name).touch()
    names = jitffi.new("ptr[ptr[c.dirent]]")
    shown = lambda entry: not jitffi.text(entry.value.d_name).startswith(".")  # noqa: E731
    count = directories.scandir(str(tmp_path), names, shown, directories.alphasort)
    assert [jitffi.text(names.value[i].value.d_name) for i in range(count)] == ["a", "b", "c"]
    for i in range(count):
        memory.free(names.value[i])
    memory.free(names.value)


# -- time.h ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def new_york(monkeypatch):
    monkeypatch.setenv("TZ", "EST5EDT,M3.2.0,M11.1.0")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_time_as_text(libc, new_york):
    clock = libc("time.h")
    room = bytearray(100)
    for seconds in (0, 86400 * 200, 2**31, -5):
        when = clock.tm()
        assert clock.localtime_r(jitffi.new("i64", seconds), when).value == when
        size = clock.strftime(room, len(room), "%Y-%m-%d %H:%M:%S %Z %z, day %j", when)
        assert room[:size].decode() == time.strftime("%Y-%m-%d %H:%M:%S %Z %z, day %j", time.localtime(seconds))
        assert when.tm_zone == time.localtime(seconds).tm_zone and clock.mktime(when) == seconds
    assert clock.strftime(room, 3, "%Y", when) == 0  # no room


def test_calendar_is_normalised(libc, new_york):
    clock = libc("time.h")
    when = clock.tm(tm_year=124, tm_mon=1, tm_mday=31, tm_hour=12, tm_isdst=-1)  # 31 February 2024
    assert clock.mktime(when) == time.mktime((2024, 2, 31, 12, 0, 0, 0, 0, -1))
    assert (when.tm_mon, when.tm_mday, when.tm_wday, when.tm_isdst) == (2, 2, 6, 0)


def test_variables_of_the_time_zone(libc, new_york):
    clock = libc("time.h")
    clock.tzset()
    assert clock.timezone.value == time.timezone == 5 * 3600 and clock.daylight.value == 1
    assert [name.text() for name in clock.tzname.value] == ["EST", "EDT"]


def test_clocks(libc):
    clock = libc("time.h")
    now = clock.timespec()
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    assert clock.clock_gettime(clock.CLOCK_MONOTONIC, now) == 0
    assert before <= now.tv_sec * 10**9 + now.tv_nsec <= time.clock_gettime_ns(time.CLOCK_MONOTONIC)


# -- stdlib.h --------------------------------------------------------------------------------------------------------

Item = jitffi.struct("libc_task.Item", "weight: f64, number: i32, name: cstr")


def by_number(left, right):
    """Compare two items for qsort: by address, which is what C gives."""
    left, right = jitffi.cast("ptr[libc_task.Item]", left), jitffi.cast("ptr[libc_task.Item]", right)
    return left.value.number - right.value.number


def test_structs_are_sorted_and_found(libc):
    stdlib = libc("stdlib.h")
    numbers = random.Random(16).sample(range(1000), len(LETTERS))
    items = jitffi.new("libc_task.Item[20]")
    for at, (number, name) in enumerate(zip(numbers, LETTERS, strict=True)):
        items[at] = Item(number=number, name=name, weight=number / 2)
    stdlib.qsort(items, len(items), Item.size, by_number)
    assert [item.number for item in items] == sorted(numbers)
    assert [item.name for item in items] == [name for _, name in sorted(zip(numbers, LETTERS, strict=True))]
    found = stdlib.bsearch(Item(number=numbers[7]), items, len(items), Item.size, by_number)
    assert jitffi.cast("ptr[libc_task.Item]", found).value == Item(numbers[7] / 2, numbers[7], LETTERS[7])
    assert stdlib.bsearch(Item(number=1001), items, len(items), Item.size, by_number) is None


def test_a_structured_array_is_sorted_in_place(libc):
    stdlib = libc("stdlib.h")
    Pair = jitffi.struct("libc_task.Pair", "number: i32, weight: f32")
    pairs = Pair.array(100)
    pairs["number"] = random.Random(3).sample(range(100), 100)
    pairs["weight"] = pairs["number"] * 2

    @jitffi.function("(left: ptr[libc_task.Pair], right: ptr[libc_task.Pair]) -> i32")
    def downwards(left, right):
        return right.value.number - left.value.number

    stdlib.qsort(pairs, len(pairs), Pair.size, downwards)
    assert pairs["number"].tolist() == list(range(99, -1, -1)) and pairs["weight"][0] == 198


def test_a_comparison_that_raises_comes_out_of_qsort(libc):
    with pytest.raises(ZeroDivisionError):
        libc("stdlib.h").qsort(jitffi.new("libc_task.Item[20]"), 20, Item.size, lambda left, right: 1 // 0)


def test_division_gives_a_struct(libc):
    stdlib = libc("stdlib.h")
    quotient = stdlib.div(-17, 5)
    assert (quotient.quot, quotient.rem) == (-3, -2) and quotient == stdlib.div_t(quot=-3, rem=-2)
    assert stdlib.ldiv(2**40 + 3, 2**20).quot == 2**20 and stdlib.lldiv(7, 2).rem == 1


def test_numbers_in_text(libc):
    stdlib = libc("stdlib.h")
    end = jitffi.new("ptr[i8]")
    assert stdlib.strtod("-1e-3", None) == -0.001 and stdlib.atoi("42 apples") == 42
    got = [stdlib.strtod("12.5 and more", end), end.value.text()]
    assert got == [12.5, " and more"]
    assert [stdlib.strtol("0x1f ten", end, 0), end.value.text()] == [31, " ten"]
    assert stdlib.strtold("0.25", None) == 0.25


def test_environment(libc):
    stdlib = libc("stdlib.h")
    assert stdlib.setenv("JITFFI_TASK", "a value", 1) == 0
    try:
        assert stdlib.getenv("JITFFI_TASK").text() == "a value"
        environ = libc("unistd.h", defines=("_GNU_SOURCE",)).environ.value
        texts = (environ[i] for i in itertools.count())
        found = [text.text() for text in itertools.takewhile(lambda text: text, texts)]
        assert "JITFFI_TASK=a value" in found
    finally:
        stdlib.unsetenv("JITFFI_TASK")
    assert stdlib.getenv("JITFFI_TASK") is None


# -- stdio.h ---------------------------------------------------------------------------------------------------------


def test_print_into_a_pipe(libc):
    stdio = libc("stdio.h")
    read, write = os.pipe()
    stream = stdio.fdopen(write, "w")
    assert stdio.fprintf(stream, "%s: %d of %.2f%%, %lld, %c\n", "disk", 3, 97.25, 1 << 40, ord("x")) == 36
    assert stdio.fputs("second\n", stream) > 0 and stdio.fflush(stream) == 0
    assert stdio.dprintf(write, "third %p %Lf\n", None, jitffi.longdouble(0.5)) > 0
    assert stdio.fclose(stream) == 0
    with os.fdopen(read) as file:
        assert file.read() == "disk: 3 of 97.25%, 1099511627776, x\nsecond\nthird (nil) 0.500000\n"


def test_lines_of_a_file(libc, tmp_path):
    stdio, stdlib = libc("stdio.h"), libc("stdlib.h")
    (tmp_path / "lines").write_text("one\nzwei \u00e4\n\nlast")
    stream = stdio.fopen(str(tmp_path / "lines"), "r")
    line, room = jitffi.new("ptr[i8]"), jitffi.new("u64")
    lines = []
    while (size := stdio.getline(line, room, stream)) >= 0:
        lines.append(line.value.text(size))
    assert lines == ["one\n", "zwei \u00e4\n", "\n", "last"] and stdio.feof(stream)
    stdlib.free(line.value)
    assert stdio.fclose(stream) == 0


def test_snprintf_into_a_buffer(libc):
    stdio = libc("stdio.h")
    room = bytearray(8)
    assert stdio.snprintf(room, len(room), "%s-%03d", "number", 7) == 10 and room == b"number-\0"


def test_standard_streams(libc):
    stdio = libc("stdio.h")
    assert [stdio.fileno(stream.value) for stream in (stdio.stdin, stdio.stdout, stdio.stderr)] == [0, 1, 2]
    assert stdio.fflush(stdio.stdout.value) == 0


# -- string.h --------------------------------------------------------------------------------------------------------


def test_text(libc):
    string = libc("string.h")
    assert string.strlen("\u00fcber") == 5 and string.strcmp("a", "b") < 0 and string.strncmp("abc", "abd", 2) == 0
    assert string.strstr("haystack", "st").text() == "stack" and string.strstr("haystack", "no") is None
    assert string.strchr("path/to/it", ord("/")).text() == "/to/it" and string.strspn("aab", "a") == 2
    assert string.strerror(2).text() == os.strerror(2)
    words, rest = bytearray(b"one, two,three\0"), jitffi.new("ptr[i8]")
    found = [string.strtok_r(words, ", ", rest).text()]
    while word := string.strtok_r(None, ", ", rest):
        found.append(word.text())
    assert found == ["one", "two", "three"]


def test_memory(libc):
    string = libc("string.h")
    room = bytearray(8)
    string.memcpy(room, b"abcdefgh", 8)
    string.memset(room, ord("x"), 3)
    assert room == b"xxxdefgh" and string.memcmp(room, b"xxxd", 4) == 0
    copy, wanted = Item(), Item(weight=2, number=3)
    string.memcpy(copy, wanted, Item.size)
    assert copy == wanted


# -- math.h ----------------------------------------------------------------------------------------------------------


def test_long_doubles(libc):
    maths = libc("math.h")
    for x in (0.5, 2.0, 1e300, 12345.678):
        assert maths.sqrtl(x) == pytest.approx(math.sqrt(x), rel=1e-15) and maths.cbrtl(x**3 if x < 9 else 27) > 0
        exponent = jitffi.new("i32")
        assert (maths.frexpl(x, exponent), exponent.value) == math.frexp(x)
        whole = jitffi.new("longdouble")
        assert (maths.modfl(x, whole), whole.value) == math.modf(x)
    assert maths.fmal(2**53 + 2, 3, -1) == float(3 * 2**53 + 5)
    quotient = jitffi.new("i32")
    assert maths.remquol(17, 5, quotient) == 2 and quotient.value == 3
    assert math.isnan(maths.nanl("")) and maths.ldexpl(0.75, 4) == 12
    with pytest.raises(OverflowError):  # beyond Python's floats
        maths.ldexpl(1.0, 5000)


def test_sign_of_gamma_is_a_variable(libc):
    maths = libc("math.h")
    assert maths.lgamma(-0.5) == pytest.approx(math.lgamma(-0.5)) and maths.signgam.value == -1
    sign = jitffi.new("i32")
    assert maths.lgamma_r(3.0, sign) == pytest.approx(math.log(2)) and sign.value == 1
