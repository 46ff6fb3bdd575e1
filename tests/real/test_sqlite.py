"""sqlite3: exec with a row callback, statements, errors, functions written in Python, against Python's own module."""

from __future__ import annotations

import ctypes
import gc
import sqlite3
import weakref

import pytest

import jitffi

CDEF = """
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_context sqlite3_context;
typedef struct sqlite3_value sqlite3_value;
typedef long long sqlite3_int64;

const char *sqlite3_libversion(void);
int sqlite3_libversion_number(void);
int sqlite3_open(const char *filename, sqlite3 **ppDb);
int sqlite3_close(sqlite3 *db);
int sqlite3_exec(sqlite3 *db, const char *sql, int (*callback)(void *, int, char **, char **), void *arg,
                 char **errmsg);
void sqlite3_free(void *memory);
const char *sqlite3_errmsg(sqlite3 *db);
int sqlite3_extended_errcode(sqlite3 *db);
int sqlite3_prepare_v2(sqlite3 *db, const char *zSql, int nByte, sqlite3_stmt **ppStmt, const char **pzTail);
int sqlite3_bind_int64(sqlite3_stmt *stmt, int index, sqlite3_int64 value);
int sqlite3_bind_double(sqlite3_stmt *stmt, int index, double value);
int sqlite3_bind_text(sqlite3_stmt *stmt, int index, const char *text, int size, void (*destructor)(void *));
int sqlite3_bind_blob(sqlite3_stmt *stmt, int index, const void *data, int size, void (*destructor)(void *));
int sqlite3_bind_null(sqlite3_stmt *stmt, int index);
int sqlite3_step(sqlite3_stmt *stmt);
int sqlite3_reset(sqlite3_stmt *stmt);
int sqlite3_finalize(sqlite3_stmt *stmt);
int sqlite3_column_count(sqlite3_stmt *stmt);
int sqlite3_column_type(sqlite3_stmt *stmt, int column);
const char *sqlite3_column_name(sqlite3_stmt *stmt, int column);
sqlite3_int64 sqlite3_column_int64(sqlite3_stmt *stmt, int column);
double sqlite3_column_double(sqlite3_stmt *stmt, int column);
const char *sqlite3_column_text(sqlite3_stmt *stmt, int column);
const void *sqlite3_column_blob(sqlite3_stmt *stmt, int column);
int sqlite3_column_bytes(sqlite3_stmt *stmt, int column);
sqlite3_int64 sqlite3_last_insert_rowid(sqlite3 *db);
int sqlite3_changes(sqlite3 *db);
sqlite3_int64 sqlite3_value_int64(sqlite3_value *value);
void sqlite3_result_int64(sqlite3_context *context, sqlite3_int64 value);
"""
SQLITE_OK, SQLITE_ERROR, SQLITE_ABORT, SQLITE_CANTOPEN, SQLITE_CONSTRAINT_UNIQUE = 0, 1, 4, 14, 2067
SQLITE_ROW, SQLITE_DONE, SQLITE_UTF8 = 100, 101, 1
SQLITE_TRANSIENT = -1  # "copy it": a function pointer by type, a mark by value

ROWS = [
    (1, "mercury", 0.387, b"\x00\x01"),
    (2, "venus", 0.723, b""),
    (3, "erde \u2295", 1.0, None),
    (-(2**63), "", 1e-300, bytes(range(256))),
    (2**63 - 1, "x" * 5000, -2.5, b"\xff" * 5000),
]


@pytest.fixture(scope="module")
def lib(system_library):
    return system_library("libsqlite3.so.0", "libsqlite3-0", CDEF)


class Database:
    """A connection by the C interface."""

    def __init__(self, lib, path: str) -> None:
        self.lib = lib
        place = jitffi.new("ptr[struct sqlite3]")
        status = lib.sqlite3_open(path, place)
        self.handle = place.value
        assert status == SQLITE_OK, self.message()

    def message(self) -> str:
        return self.lib.sqlite3_errmsg(self.handle)

    def exec(self, sql: str, callback=None) -> int:
        return self.lib.sqlite3_exec(self.handle, sql, callback, None, None)

    def prepare(self, sql: str) -> jitffi.Pointer:
        place = jitffi.new("ptr[struct sqlite3_stmt]")
        assert self.lib.sqlite3_prepare_v2(self.handle, sql, -1, place, None) == SQLITE_OK, self.message()
        return place.value

    def close(self) -> int:
        return self.lib.sqlite3_close(self.handle)


@pytest.fixture
def db(lib):
    database = Database(lib, ":memory:")
    yield database
    assert database.close() == SQLITE_OK


@pytest.fixture
def planets(db):
    assert db.exec("create table planet (id integer primary key, name text unique, au real, note blob)") == SQLITE_OK
    statement = db.prepare("insert into planet values (?, ?, ?, ?)")
    for id_, name, au, note in ROWS:
        bind = db.lib
        assert bind.sqlite3_bind_int64(statement, 1, id_) == SQLITE_OK
        assert bind.sqlite3_bind_text(statement, 2, name, -1, SQLITE_TRANSIENT) == SQLITE_OK
        assert bind.sqlite3_bind_double(statement, 3, au) == SQLITE_OK
        if note is None:
            assert bind.sqlite3_bind_null(statement, 4) == SQLITE_OK
        else:
            assert bind.sqlite3_bind_blob(statement, 4, note, len(note), SQLITE_TRANSIENT) == SQLITE_OK
        assert bind.sqlite3_step(statement) == SQLITE_DONE
        assert bind.sqlite3_last_insert_rowid(db.handle) == id_
        assert bind.sqlite3_reset(statement) == SQLITE_OK
    assert db.lib.sqlite3_finalize(statement) == SQLITE_OK
    return db


def texts_at(texts: jitffi.Pointer, count: int) -> list[str | None]:
    """The strings of a `char**`."""
    return [texts[i].text() if texts[i] else None for i in range(count)]


def collector(rows: list):
    def row(argument, count, values, names):
        assert argument is None
        rows.append(dict(zip(texts_at(names, count), texts_at(values, count), strict=True)))
        return 0

    return row


# -- open, close -----------------------------------------------------------------------------------------------------


def test_version(lib):
    major, minor, patch = (int(part) for part in lib.sqlite3_libversion().split(".")[:3])
    assert lib.sqlite3_libversion_number() == major * 1_000_000 + minor * 1000 + patch


def test_file_is_read_by_python_too(lib, tmp_path):
    path = str(tmp_path / "\u00fcber.db")
    database = Database(lib, path)
    assert database.exec("create table t (a); insert into t values (1), (2.5), ('three'), (null)") == SQLITE_OK
    assert database.close() == SQLITE_OK
    with sqlite3.connect(path) as connection:
        assert [row[0] for row in connection.execute("select a from t")] == [1, 2.5, "three", None]


def test_open_of_a_path_that_is_none(lib, tmp_path):
    place = jitffi.new("ptr[struct sqlite3]")
    assert lib.sqlite3_open(str(tmp_path / "missing" / "x.db"), place) == SQLITE_CANTOPEN
    assert lib.sqlite3_errmsg(place.value) == "unable to open database file"
    assert lib.sqlite3_close(place.value) == SQLITE_OK


# -- exec and its callback -------------------------------------------------------------------------------------------


def test_exec_calls_back_for_each_row(planets):
    rows = []
    assert planets.exec("select id, name, note is null as bare from planet where id > 0", collector(rows)) == SQLITE_OK
    assert rows == [{"id": str(r[0]), "name": r[1], "bare": str(int(r[3] is None))} for r in ROWS if r[0] > 0]


def test_null_in_a_row(planets):
    rows = []
    assert planets.exec("select null as gap", collector(rows)) == SQLITE_OK
    assert rows == [{"gap": None}]


def test_exec_without_callback(planets):
    assert planets.exec("update planet set au = au + 1") == SQLITE_OK
    assert planets.lib.sqlite3_changes(planets.handle) == len(ROWS)


def test_exception_comes_out_of_exec(planets):
    class Enough(Exception):
        pass

    seen = []

    def row(argument, count, values, names):
        seen.append(texts_at(values, count))
        if len(seen) == 2:
            raise Enough("two rows")
        return 0

    with pytest.raises(Enough, match="two rows") as caught:
        planets.exec("select name from planet order by id", row)
    assert len(seen) == 2
    assert caught.traceback[-1].name == "row"
    assert planets.exec("select 1", collector(rows := [])) == SQLITE_OK and rows == [{"1": "1"}]


def test_result_on_error_stops_exec(planets):
    """A callback that failed returns what on_error says, here "stop"; the exception is what the caller sees."""
    seen = []

    @jitffi.function("(ptr, i32, optional[ptr[ptr[i8]]], optional[ptr[ptr[i8]]]) -> i32", on_error=1)
    def row(argument, count, values, names):
        seen.append(count)
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        planets.exec("select * from planet", row)
    assert seen == [4]
    assert planets.message() == "query aborted"


def test_callback_that_asks_to_stop(planets):
    assert planets.exec("select * from planet", lambda *row: 1) == SQLITE_ABORT


def test_callback_with_bad_result(planets):
    with pytest.raises(TypeError, match=r"sqlite3_exec\.callback: result: expected i32, got str 'no'"):
        planets.exec("select 1", lambda *row: "no")


def test_exec_inside_a_callback(planets):
    names = []

    def row(argument, count, values, columns):
        (id_,) = texts_at(values, count)
        found = []
        assert planets.exec(f"select name from planet where id = {id_}", collector(found)) == SQLITE_OK
        names.append(found[0]["name"])
        return 0

    assert planets.exec("select id from planet order by id", row) == SQLITE_OK
    assert names == [row[1] for row in sorted(ROWS, key=lambda row: row[0])]


def test_callback_is_dropped_after_the_call(planets):
    callback = collector([])
    gone = weakref.ref(callback)
    planets.exec("select 1", callback)
    del callback
    gc.collect()
    assert gone() is None


# -- statements ------------------------------------------------------------------------------------------------------


def columns(db, statement: jitffi.Pointer) -> tuple:
    lib = db.lib
    row = []
    for i in range(lib.sqlite3_column_count(statement)):
        kind = lib.sqlite3_column_type(statement, i)
        if kind == 4:
            address, size = lib.sqlite3_column_blob(statement, i), lib.sqlite3_column_bytes(statement, i)
            row.append(ctypes.string_at(address, size) if address is not None else b"")
        else:
            read = {1: lib.sqlite3_column_int64, 2: lib.sqlite3_column_double, 3: lib.sqlite3_column_text}.get(kind)
            row.append(read(statement, i) if read else None)
    return tuple(row)


def test_columns_of_every_type(planets):
    statement = planets.prepare("select * from planet order by rowid")
    assert [planets.lib.sqlite3_column_name(statement, i) for i in range(4)] == ["id", "name", "au", "note"]
    rows = []
    while (status := planets.lib.sqlite3_step(statement)) == SQLITE_ROW:
        rows.append(columns(planets, statement))
    assert status == SQLITE_DONE
    assert planets.lib.sqlite3_finalize(statement) == SQLITE_OK
    assert rows == sorted(ROWS, key=lambda row: row[0])


def test_text_column_that_is_null(db):
    statement = db.prepare("select null")
    assert db.lib.sqlite3_step(statement) == SQLITE_ROW
    assert db.lib.sqlite3_column_text(statement, 0) is None
    db.lib.sqlite3_finalize(statement)


def test_many_rows(db):
    statement = db.prepare(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000) select i, i * 0.5 from n"
    )
    total = weighted = 0.0
    while db.lib.sqlite3_step(statement) == SQLITE_ROW:
        total += db.lib.sqlite3_column_int64(statement, 0)
        weighted += db.lib.sqlite3_column_double(statement, 1)
    db.lib.sqlite3_finalize(statement)
    assert (total, weighted) == (50_005_000, 25_002_500)


# -- errors ----------------------------------------------------------------------------------------------------------


def test_bad_sql_and_its_message(db):
    place = jitffi.new("ptr[i8]")
    assert db.lib.sqlite3_exec(db.handle, "selct 1", None, None, place) == SQLITE_ERROR
    assert place.value.text() == 'near "selct": syntax error'
    db.lib.sqlite3_free(place.value)
    assert db.message() == 'near "selct": syntax error'


def test_constraint(planets):
    assert planets.exec("insert into planet (name) values ('venus')") != SQLITE_OK
    assert planets.lib.sqlite3_extended_errcode(planets.handle) == SQLITE_CONSTRAINT_UNIQUE
    assert planets.message() == "UNIQUE constraint failed: planet.name"


def test_wrong_arguments_are_named(db):
    with pytest.raises(TypeError, match=r"sqlite3_exec: argument 2 'sql': expected optional\[cstr\], got int 1"):
        db.lib.sqlite3_exec(db.handle, 1, None, None, None)
    with pytest.raises(
        TypeError, match=r"sqlite3_exec: argument 3 'callback': expected optional\[func\[.*got str 'row'"
    ):
        db.lib.sqlite3_exec(db.handle, "select 1", "row", None, None)
    with pytest.raises(TypeError, match=r"sqlite3_step: argument 1 'stmt' is missing"):
        db.lib.sqlite3_step()


# -- functions that sqlite keeps -------------------------------------------------------------------------------------

CREATE = (
    "(db: ptr, name: cstr, arguments: i32, encoding: i32, context: ptr, "
    "call: func[(ptr[struct sqlite3_context], i32, ptr[ptr[struct sqlite3_value]]) -> void], "
    "step: optional[func[(ptr, i32, ptr) -> void]], final: optional[func[(ptr) -> void]]) -> i32"
)


def test_function_in_python(lib, db):
    """sqlite calls it from later statements, so the bound function keeps it."""
    create = lib.bind("sqlite3_create_function", CREATE, keep_callbacks=True)
    calls = []

    def triple(context, count, values):
        value = lib.sqlite3_value_int64(values[0])
        if value == 13:
            raise ArithmeticError("unlucky")
        calls.append(value)
        lib.sqlite3_result_int64(context, 3 * value)

    kept = weakref.ref(triple)
    assert create(db.handle, "triple", 1, SQLITE_UTF8, None, triple, None, None) == SQLITE_OK
    del triple
    gc.collect()
    assert kept() is not None
    rows = []
    assert db.exec("select triple(14) as x union all select triple(-1)", collector(rows)) == SQLITE_OK
    assert [row["x"] for row in rows] == ["42", "-3"] and calls == [14, -1]
    with pytest.raises(ArithmeticError, match="unlucky"):
        db.exec("select triple(13)")
    statement = db.prepare("select triple(13)")
    with pytest.raises(ArithmeticError, match="unlucky"):
        lib.sqlite3_step(statement)
    assert lib.sqlite3_finalize(statement) == SQLITE_OK
    # sqlite forgets the function, the bound one lets it go when it dies.
    assert db.exec("select triple(1)", collector(rows)) == SQLITE_OK
    del create
    gc.collect()
    assert kept() is None
