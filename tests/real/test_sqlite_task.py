"""SQLite by its header: functions, aggregates and a virtual table written in Python, its own structs by their fields,
and its configuration before it is initialised."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

import jitffi


@pytest.fixture(scope="module")
def sqlite(bound_header):
    return bound_header("sqlite3.h", "sqlite3", "libsqlite3-dev", keep_callbacks=("sqlite3_create_*",))


@pytest.fixture
def db(sqlite):
    place = jitffi.new("ptr[struct sqlite3]")
    assert sqlite.sqlite3_open(":memory:", place) == sqlite.SQLITE_OK
    yield place.value
    assert sqlite.sqlite3_close(place.value) == sqlite.SQLITE_OK


def column(sqlite, statement, at):
    match sqlite.sqlite3_column_type(statement, at):
        case sqlite.SQLITE_INTEGER:
            return sqlite.sqlite3_column_int64(statement, at)
        case sqlite.SQLITE_FLOAT:
            return sqlite.sqlite3_column_double(statement, at)
        case sqlite.SQLITE_TEXT:
            return sqlite.sqlite3_column_text(statement, at).text()
        case sqlite.SQLITE_BLOB:
            size = sqlite.sqlite3_column_bytes(statement, at)
            return jitffi.cast("ptr[const u8]", sqlite.sqlite3_column_blob(statement, at)).array(size).tobytes()
    return None


def rows(sqlite, db, sql):
    """All rows of one statement. RuntimeError with the library's message."""
    place = jitffi.new("ptr[struct sqlite3_stmt]")
    if sqlite.sqlite3_prepare_v2(db, sql, -1, place, None) != sqlite.SQLITE_OK:
        raise RuntimeError(sqlite.sqlite3_errmsg(db))
    statement, found = place.value, []
    try:
        while (status := sqlite.sqlite3_step(statement)) == sqlite.SQLITE_ROW:
            found.append(tuple(column(sqlite, statement, i) for i in range(sqlite.sqlite3_column_count(statement))))
        if status != sqlite.SQLITE_DONE:
            raise RuntimeError(sqlite.sqlite3_errmsg(db))
    finally:
        sqlite.sqlite3_finalize(statement)
    return found


# -- functions -------------------------------------------------------------------------------------------------------


def test_functions_in_python(sqlite, db):
    def reverse(context, count, values):
        text = sqlite.sqlite3_value_text(values[0])
        if text is None:
            sqlite.sqlite3_result_null(context)
        else:
            sqlite.sqlite3_result_text(context, text.text()[::-1], -1, sqlite.SQLITE_TRANSIENT)

    def total(context, count, values):
        sqlite.sqlite3_result_double(context, sum(sqlite.sqlite3_value_double(values[i]) for i in range(count)))

    define = sqlite.sqlite3_create_function_v2
    assert define(db, "reverse", 1, sqlite.SQLITE_UTF8, None, reverse, None, None, None) == sqlite.SQLITE_OK
    assert define(db, "total_of", -1, sqlite.SQLITE_UTF8, None, total, None, None, None) == sqlite.SQLITE_OK
    del reverse, total
    gc.collect()
    assert rows(sqlite, db, "select reverse('\u00e4bc'), reverse(null), total_of(1, 2.5, '3'), total_of()") == [
        ("cb\u00e4", None, 6.5, 0.0)
    ]


def test_an_aggregate_keeps_its_state_in_a_struct(sqlite, db):
    """In memory that SQLite gives, zeroed, one for each group."""
    State = jitffi.struct("sqlite_task.State", "sum: f64, count: i64")

    def state_of(context):
        return jitffi.cast("ptr[sqlite_task.State]", sqlite.sqlite3_aggregate_context(context, State.size)).value

    def step(context, count, values):
        state = state_of(context)
        state.sum += sqlite.sqlite3_value_double(values[0])
        state.count += 1

    def final(context):
        state = state_of(context)
        sqlite.sqlite3_result_double(context, state.sum / state.count if state.count else 0.0)

    define = sqlite.sqlite3_create_function_v2
    assert define(db, "mean", 1, sqlite.SQLITE_UTF8, None, None, step, final, None) == sqlite.SQLITE_OK
    rows(sqlite, db, "create table t (kind text, size real)")
    rows(sqlite, db, "insert into t values ('a', 1), ('a', 2), ('b', 10), ('a', 6)")
    assert rows(sqlite, db, "select kind, mean(size) from t group by kind order by kind") == [("a", 3.0), ("b", 10.0)]


def test_an_error_of_a_function_is_the_statements(sqlite, db):
    def refuse(context, count, values):
        sqlite.sqlite3_result_error(context, "not today", -1)

    def fail(context, count, values):
        raise LookupError("no such key")

    define = sqlite.sqlite3_create_function_v2
    for name, function in (("refuse", refuse), ("fail", fail)):
        assert define(db, name, 0, sqlite.SQLITE_UTF8, None, function, None, None, None) == sqlite.SQLITE_OK
    with pytest.raises(RuntimeError, match="not today"):
        rows(sqlite, db, "select refuse()")
    with pytest.raises(LookupError, match="no such key"):
        rows(sqlite, db, "select fail()")


def test_a_collation_and_its_destructor(sqlite, db):
    gone = []

    def by_length(argument, left_size, left, right_size, right):
        return left_size - right_size

    create = sqlite.sqlite3_create_collation_v2
    assert create(db, "length", sqlite.SQLITE_UTF8, None, by_length, lambda argument: gone.append(argument)) == 0
    found = rows(sqlite, db, "select column1 from (values ('ccc'), ('a'), ('bb')) order by column1 collate length")
    assert found == [("a",), ("bb",), ("ccc",)]
    assert create(db, "length", sqlite.SQLITE_UTF8, None, None, None) == sqlite.SQLITE_OK and gone == [None]


# -- structs of its own ------------------------------------------------------------------------------------------------


def test_the_virtual_file_system(sqlite, tmp_path):
    vfs = sqlite.sqlite3_vfs_find(None).value
    assert vfs.iVersion >= 1 and vfs.mxPathname >= 512 and sqlite.sqlite3_vfs_find(vfs.zName).value == vfs
    names, at = [], vfs
    while at:
        names.append(at.zName)
        at = at.pNext.value if at.pNext else None
    assert vfs.zName in names and sqlite.sqlite3_vfs_find("no such") is None
    room, exists = jitffi.new(f"i8[{vfs.mxPathname + 1}]"), jitffi.new("i32")
    assert vfs.xFullPathname(vfs, str(tmp_path / "a.db"), room.len, room) == sqlite.SQLITE_OK
    assert Path(room.text()) == (tmp_path / "a.db").resolve()
    (tmp_path / "a.db").write_bytes(b"x")  # an empty one counts as none
    assert vfs.xAccess(vfs, room.text(), sqlite.SQLITE_ACCESS_EXISTS, exists) == sqlite.SQLITE_OK and exists.value == 1
    now = jitffi.new("i64")
    assert vfs.xCurrentTimeInt64(vfs, now) == sqlite.SQLITE_OK and now.value > 2451544 * 86400_000  # after 1999


class Squares:
    """A virtual table of the numbers below its argument, and their squares: SQLite calls the functions of `module`."""

    def __init__(self, sqlite):
        self.sqlite, self.tables, self.cursors = sqlite, {}, {}
        self.module = sqlite.sqlite3_module(
            xCreate=self.connect, xConnect=self.connect, xBestIndex=self.best_index, xDisconnect=self.disconnect,
            xDestroy=self.disconnect, xOpen=self.open, xClose=self.close, xFilter=self.filter, xNext=self.next,
            xEof=self.eof, xColumn=self.column, xRowid=self.rowid,
        )  # fmt: skip

    def connect(self, db, argument, count, words, table, error):
        self.sqlite.sqlite3_declare_vtab(db, "create table x (number integer, square integer)")
        made = jitffi.new(self.sqlite.sqlite3_vtab)
        self.tables[made.address] = (made, int(words[count - 1]))
        table.value = made
        return self.sqlite.SQLITE_OK

    def disconnect(self, table):
        del self.tables[table.address]
        return self.sqlite.SQLITE_OK

    def best_index(self, table, info):
        info.value.estimatedRows = self.tables[table.address][1]
        constraints = info.value.aConstraint
        for i in range(info.value.nConstraint):
            constraint = constraints[i]
            if (
                constraint.usable
                and constraint.iColumn == 0
                and constraint.op == self.sqlite.SQLITE_INDEX_CONSTRAINT_EQ
            ):
                info.value.aConstraintUsage[i].argvIndex = info.value.idxNum = 1
                info.value.estimatedCost = 1.0
        return self.sqlite.SQLITE_OK

    def open(self, table, cursor):
        made = jitffi.new(self.sqlite.sqlite3_vtab_cursor)
        self.cursors[made.address] = [made, iter(()), None]
        cursor.value = made
        return self.sqlite.SQLITE_OK

    def close(self, cursor):
        del self.cursors[cursor.address]
        return self.sqlite.SQLITE_OK

    def filter(self, cursor, index, text, count, values):
        numbers = range(self.tables[cursor.value.pVtab.address][1])
        if index == 1:
            wanted = self.sqlite.sqlite3_value_int64(values[0])
            numbers = range(wanted, wanted + 1) if wanted in numbers else ()
        self.cursors[cursor.address][1] = iter(numbers)
        return self.next(cursor)

    def next(self, cursor):
        state = self.cursors[cursor.address]
        state[2] = next(state[1], None)
        return self.sqlite.SQLITE_OK

    def eof(self, cursor):
        return self.cursors[cursor.address][2] is None

    def column(self, cursor, context, at):
        number = self.cursors[cursor.address][2]
        self.sqlite.sqlite3_result_int64(context, number**2 if at else number)
        return self.sqlite.SQLITE_OK

    def rowid(self, cursor, place):
        place.value = self.cursors[cursor.address][2]
        return self.sqlite.SQLITE_OK


def test_a_virtual_table(sqlite, db):
    squares = Squares(sqlite)
    assert sqlite.sqlite3_create_module_v2(db, "squares", squares.module, None, None) == sqlite.SQLITE_OK
    gc.collect()
    rows(sqlite, db, "create virtual table temp.s using squares(10)")
    assert rows(sqlite, db, "select * from s where square > 30") == [(i, i * i) for i in range(6, 10)]
    assert rows(sqlite, db, "select square, rowid from s where number = 7") == [(49, 7)]
    assert rows(sqlite, db, "select count(*) from s a join s b on a.square = b.number") == [(4,)]  # 0, 1, 4, 9
    assert not squares.cursors and len(squares.tables) == 1
    rows(sqlite, db, "drop table s")
    assert not squares.tables


# -- configuration ---------------------------------------------------------------------------------------------------

CONFIGURED = """
import gc, sys
import jitffi
sys.path.insert(0, sys.argv[1])
import bound_sqlite as sqlite

logged = []
log = jitffi.function("(context: ptr, code: i32, message: cstr) -> void")(lambda *given: logged.append(given))
assert sqlite.sqlite3_config(sqlite.SQLITE_CONFIG_LOG, log, None) == sqlite.SQLITE_OK
methods, before = sqlite.sqlite3_mem_methods(), [0, 0]
assert sqlite.sqlite3_config(sqlite.SQLITE_CONFIG_GETMALLOC, jitffi.addressof(methods)) == sqlite.SQLITE_OK
allocate, release = methods.xMalloc, methods.xFree

def counted(size):
    before[0] += 1
    return allocate(size)

def given_back(address):
    before[1] += 1
    release(address)

methods.xMalloc, methods.xFree = counted, given_back
assert sqlite.sqlite3_config(sqlite.SQLITE_CONFIG_MALLOC, jitffi.addressof(methods)) == sqlite.SQLITE_OK
gc.collect()
assert sqlite.sqlite3_initialize() == sqlite.SQLITE_OK
place = jitffi.new("ptr[struct sqlite3]")
assert sqlite.sqlite3_open(":memory:", place) == sqlite.SQLITE_OK
assert sqlite.sqlite3_exec(place.value, "selct", None, None, None) == sqlite.SQLITE_ERROR
assert [entry[1] for entry in logged] == [sqlite.SQLITE_ERROR] and 'near "selct"' in logged[0][2], logged
assert sqlite.sqlite3_config(sqlite.SQLITE_CONFIG_SINGLETHREAD) == sqlite.SQLITE_MISUSE  # too late
assert sqlite.sqlite3_close(place.value) == sqlite.SQLITE_OK
assert sqlite.sqlite3_shutdown() == sqlite.SQLITE_OK
assert before[0] > 10 and before[0] == before[1], before
print("done")
"""


def test_configured_before_it_is_initialised(sqlite, run_python, tmp_path):
    (tmp_path / "bound_sqlite.py").write_text(Path(sqlite.__file__).read_text())
    (tmp_path / "program.py").write_text(CONFIGURED)
    assert run_python(tmp_path / "program.py", str(tmp_path)) == "done\n"
