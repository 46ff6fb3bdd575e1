"""Handles and texts of C libraries that have to be freed: sqlite3's databases, statements and messages, C's strdup."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import pytest

import jitffi

DATABASE = "out[optional[owned[ptr[struct sqlite3], sqlite3_close]]]"
STATEMENT = "out[optional[owned[ptr[struct sqlite3_stmt], sqlite3_finalize]]]"
SIGNATURES = {
    "open": f"(path: cstr, {DATABASE}) -> i32",
    "prepare_v2": f"(db: ptr[struct sqlite3], sql: cstr, size: i32, {STATEMENT}, out[optional[cstr]]) -> i32",
    "exec": (
        "(db: ptr[struct sqlite3], sql: cstr, row: ptr, of_row: ptr, out[optional[owned[cstr, sqlite3_free]]]) -> i32"
    ),
    "step": "(statement: ptr[struct sqlite3_stmt]) -> i32",
    "column_int": "(statement: ptr[struct sqlite3_stmt], column: i32) -> i32",
    "errmsg": "(db: ptr[struct sqlite3]) -> cstr",
    "memory_used": "() -> i64",
}
OK, ERROR, CANTOPEN, ROW, DONE = 0, 1, 14, 100, 101


@pytest.fixture(scope="module")
def sqlite(system_library) -> SimpleNamespace:
    library = system_library("libsqlite3.so.0", "libsqlite3-0")
    return SimpleNamespace(**{name: library.bind(f"sqlite3_{name}", text) for name, text in SIGNATURES.items()})


def test_databases_and_statements_are_given_back(sqlite):
    gc.collect()
    before = sqlite.memory_used()
    status, db = sqlite.open(":memory:")
    assert (status, str(db.type)) == (OK, "ptr[struct sqlite3]") and sqlite.memory_used() > before
    status, statement, rest = sqlite.prepare_v2(db, "select 6 * 7; rest", -1)
    assert (status, rest) == (OK, " rest")
    assert sqlite.step(statement) == ROW and sqlite.column_int(statement, 0) == 42 and sqlite.step(statement) == DONE
    statement.close()
    with pytest.raises(ValueError, match="column_int: argument 1 'statement': .*closed"):
        sqlite.column_int(statement, 0)
    assert sqlite.prepare_v2(db, "", -1)[:2] == (OK, None)
    with db:
        status, statement, _ = sqlite.prepare_v2(db, "select 1", -1)
        del statement
    assert sqlite.memory_used() == before


def test_a_database_that_failed_to_open_is_one_to_close(sqlite, tmp_path):
    status, db = sqlite.open(str(tmp_path / "no" / "such"))
    assert status == CANTOPEN and sqlite.errmsg(db) == "unable to open database file"
    db.close()


def test_messages_are_copied_and_freed(sqlite):
    _, db = sqlite.open(":memory:")
    assert sqlite.exec(db, "create table t (a)", None, None) == (OK, None)
    assert sqlite.exec(db, "select b from t", None, None) == (ERROR, "no such column: b")
    used = sqlite.memory_used()
    for _ in range(100):
        sqlite.exec(db, "select b from t", None, None)
    assert sqlite.memory_used() == used


def test_what_strdup_gives():
    libc = jitffi.load_library("libc.so.6")
    strdup = libc.bind("strdup", "char *strdup(const char *s);", types={"return": "owned[cstr, free]"})
    assert strdup("schön") == "schön" and strdup(s="x" * 10000) == "x" * 10000
    getline = libc.bind("strndup", "(cstr, u64) -> owned[ptr[u8], free]")("hello", 4)
    assert getline.text() == "hell"
