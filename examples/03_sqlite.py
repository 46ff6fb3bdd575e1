"""sqlite3: a row callback, a prepared statement, an error, and an exception that passes through the library."""

import array

import jitffi

sqlite = jitffi.load_library("libsqlite3.so.0")
open_ = sqlite.bind("sqlite3_open", "(cstr, ptr) -> i32")
close = sqlite.bind("sqlite3_close", "(ptr) -> i32")
exec_ = sqlite.bind(
    "sqlite3_exec",
    "(ptr, cstr, row: optional[func[(ptr, i32, ptr, ptr) -> i32]] = None, arg: ptr = None, error: ptr = None) -> i32",
)
message = sqlite.bind("sqlite3_errmsg", "(ptr) -> optional[cstr]")
prepare = sqlite.bind("sqlite3_prepare_v2", "(ptr, cstr, i32, ptr, ptr) -> i32")
step = sqlite.bind("sqlite3_step", "(ptr) -> i32")
column_text = sqlite.bind("sqlite3_column_text", "(ptr, i32) -> optional[cstr]")
column_int = sqlite.bind("sqlite3_column_int64", "(ptr, i32) -> i64")
finalize = sqlite.bind("sqlite3_finalize", "(ptr) -> i32")

ROW = 100
place = array.array("Q", [0])
assert open_(":memory:", place) == 0
db = place[0]

assert exec_(db, "create table town (name text, people integer)") == 0
assert exec_(db, "insert into town values ('Ulm', 126000), ('Köln', 1085000), ('Bonn', 331000)") == 0

rows = []
assert exec_(db, "select name from town", row=lambda arg, columns, values, names: rows.append(columns) or 0) == 0
print(f"{len(rows)} rows came to the callback")

place[0] = 0
assert prepare(db, "select name, people from town order by people", -1, place, None) == 0
statement = place[0]
while step(statement) == ROW:
    print(column_text(statement, 0), column_int(statement, 1))
finalize(statement)

if exec_(db, "select nonsense from nowhere"):
    print("sqlite says:", message(db))


def refuse(arg, columns, values, names):
    raise LookupError("seen enough")


try:
    exec_(db, "select * from town", row=refuse)
except LookupError as error:
    print("out of the callback, through sqlite:", error)
close(db)
