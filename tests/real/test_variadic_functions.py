"""Variadic functions and variables of real libraries: the C library's and SQLite's."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import jitffi

CDEF = """
int dprintf(int fd, const char *format, ...);
int printf(const char *format, ...);
int fflush(FILE *stream);
int open(const char *path, int flags, ...);
int fcntl(int fd, int command, ...);
int sscanf(const char *text, const char *format, ...);
void (*signal(int number, void (*handler)(int)))(int);
int raise(int number);
int getopt(int count, char *const arguments[], const char *options);
extern int optind, opterr;
extern char *optarg;
extern FILE *stdout;
extern char **environ;
extern long timezone;
extern char *tzname[2];
void tzset(void);
"""


@pytest.fixture(scope="module")
def libc():
    return jitffi.load_library("libc.so.6", cdef=CDEF)


@pytest.fixture
def pipe():
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_dprintf_writes_into_a_pipe(libc, pipe):
    read, write = pipe
    size = libc.dprintf(write, "%s has %d of %5.2f%%, %ld bytes%c", "disk", 3, 97.25, 1 << 40, 10)
    assert os.read(read, 100) == b"disk has 3 of 97.25%, 1099511627776 bytes\n" and size == 42


def test_printf_into_a_pipe():
    code = f"""
import jitffi
libc = jitffi.load_library(None, cdef={CDEF!r})
for i in range(3):
    libc.printf("%d %s %g\\n", i, "line", i / 2)
libc.fflush(libc.stdout)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("0 line 0\n1 line 0.5\n2 line 1\n", "")


def test_open_takes_a_mode_where_it_makes_a_file(libc, tmp_path):
    path = tmp_path / "made"
    before = os.umask(0o022)
    try:
        descriptor = libc.open(os.fsencode(path), os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o640)
        os.close(descriptor)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640
    again = libc.open(str(path), os.O_RDONLY)
    assert libc.fcntl(again, 1) == 0 and libc.fcntl(again, 2, 1) == 0 and libc.fcntl(again, 1) == 1  # F_GETFD, F_SETFD
    os.close(again)
    checked = libc.bind("open", "(path: cstr, flags: i32, ...) -> i32", errno=True)
    with pytest.raises(FileExistsError):
        checked(str(path), os.O_CREAT | os.O_EXCL, 0o600)


def test_sscanf_fills_arrays_and_pointers(libc):
    year, name = jitffi.new("i32"), np.zeros(16, np.int8)
    assert libc.sscanf("2026 november 23.5", "%d %15s %lf", year, name, day := np.zeros(1)) == 3
    assert year.value == 2026 and name[:8].tobytes() == b"november" and day[0] == 23.5


def test_getopt_moves_its_variables(libc):
    getopt = libc.bind("getopt", "(count: i32, arguments: cstr[count], options: cstr) -> i32")
    arguments = ["program", "-v", "-o", "out", "rest"]
    place = jitffi.new("cstr[6]", [*arguments, None])
    step = libc.bind("getopt", "(i32, ptr[cstr], cstr) -> i32")
    libc.optind, libc.opterr = 0, 0
    assert [step(5, place, "vo:"), libc.optind] == [ord("v"), 2]
    assert step(5, place, "vo:") == ord("o") and libc.optarg.text() == "out"
    assert step(5, place, "vo:") == -1 and arguments[libc.optind] == "rest"
    libc.optind = 0
    assert getopt(arguments, "vo:") == ord("v")
    libc.optind = libc.opterr = 1


def test_environ_and_time_zone(libc):
    entries, at = [], libc.environ
    while at[0] is not None:
        entries.append(at[0].text())
        at = at + 1
    assert any(entry.startswith("PATH=") for entry in entries)
    libc.tzset()
    assert isinstance(libc.timezone, int) and all(len(name.text()) >= 1 for name in libc.tzname)


def test_signal_gives_the_handler_before(libc):
    got = []
    handler = jitffi.function("(i32) -> void")(got.append)
    before = libc.signal(10, handler)
    try:
        assert getattr(libc, "raise")(10) == 0 and got == [10]
        mine = libc.signal(10, None)
        mine(3)
        assert got == [10, 3] and jitffi.Function(mine).native_address == jitffi.Function(handler).native_address
    finally:
        libc.signal(10, before)


SQLITE = """
int sqlite3_config(int option, ...);
int sqlite3_initialize(void);
int sqlite3_open(const char *path, struct sqlite3 **db);
int sqlite3_close(struct sqlite3 *db);
int sqlite3_exec(struct sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **), void *, char **error);
int sqlite3_db_config(struct sqlite3 *db, int option, ...);
char *sqlite3_mprintf(const char *format, ...);
extern const char sqlite3_version[];
const char *sqlite3_libversion(void);
"""


def test_sqlite_is_configured():
    """Before SQLite is initialised, which is why it is done in a process of its own."""
    code = f"""
import jitffi
db3 = jitffi.load_library("libsqlite3.so.0", cdef={SQLITE!r})
logged = []
log = jitffi.function("(context: ptr, code: i32, message: cstr) -> void")(lambda *args: logged.append(args))
assert db3.sqlite3_config(16, log, None) == 0  # SQLITE_CONFIG_LOG
assert db3.sqlite3_config(9, 0) == 0  # SQLITE_CONFIG_MEMSTATUS
assert db3.sqlite3_initialize() == 0
place = jitffi.new("ptr[struct sqlite3]")
assert db3.sqlite3_open(":memory:", place) == 0
assert db3.sqlite3_exec(place.value, "selct", None, None, None) == 1
assert [entry[:2] for entry in logged] == [(None, 1)] and 'near "selct"' in logged[0][2], logged
on = jitffi.new("i32")
assert db3.sqlite3_db_config(place.value, 1002, 1, on) == 0 and on.value == 1  # SQLITE_DBCONFIG_ENABLE_FKEY
mprintf = db3.bind("sqlite3_mprintf", types={{"return": "owned[cstr, sqlite3_free]"}})
assert mprintf("%Q, %lld, %w", "it's", jitffi.i64(7), b'a"b') == "'it''s', 7, a\\"\\"b"
assert db3.sqlite3_version.text() == db3.sqlite3_libversion()
assert db3.sqlite3_close(place.value) == 0
print("done")
"""
    try:
        jitffi.load_library("libsqlite3.so.0")
    except OSError as error:
        pytest.skip(f"{error}; on Debian it is in libsqlite3-0")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("done\n", "")
