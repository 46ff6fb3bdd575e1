"""Structs, enums, variables and variadic functions of a header as its module has them."""

from __future__ import annotations

import importlib.util
import pickle
import sys
from enum import IntEnum

import pytest
from support.leaks import block_growth, live_objects

import jitffi

HEADER = """
struct node;
/* What has happened. */
typedef struct event {
    int kind;           /* one of kinds */
    unsigned on : 1;
    struct node *first; /* of all */
    struct { double x, y; } at;
    int in;
} event;
struct node { event *of; struct node *next; };
enum kind { KIND_NONE, KIND_SOME = 4 };
enum { LONELY = 7 };
typedef enum { LOW, HIGH = 9 } level;
typedef level height;
enum kind kind_of(int which);
height level_of(level);
level levels_of(int which, level *other);
extern int counter;
extern height current;
int add_all(int n, ...);
event turned(event e);
int first_kind(const event *e);
"""
SOURCE = """
#include <stdarg.h>
struct node;
typedef struct event { int kind; unsigned on : 1; struct node *first; struct { double x, y; } at; int in; } event;
int counter = 5, current = 9;
int add_all(int n, ...)
{
    va_list all;
    va_start(all, n);
    int sum = 0;
    while (n--) sum += va_arg(all, int);
    va_end(all);
    return sum;
}
event turned(event e) { double x = e.at.x; e.at.x = -e.at.y; e.at.y = x; e.on = 1; return e; }
int first_kind(const event *e) { return e->kind; }
int kind_of(int which) { return which; }
int level_of(int which) { return which; }
int levels_of(int which, int *other) { *other = which + 1; return which; }
"""


@pytest.fixture(scope="module")
def made(build_library, tmp_path_factory):
    """The module and what is said of it."""
    folder = tmp_path_factory.mktemp("types")
    (folder / "own.h").write_text(HEADER)
    binding = jitffi.bind_header(folder / "own.h", str(build_library(SOURCE)), folder / "own_types_bound.py")
    spec = importlib.util.spec_from_file_location("own_types_bound", folder / "own_types_bound.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, binding


def test_structs_by_value_and_by_pointer(made):
    own, binding = made
    event = own.event(kind=3, in_=9)
    event.at.x = 2.0
    turned = own.turned(event)
    assert (turned.at.x, turned.at.y, turned.on, turned.kind, turned.in_) == (0.0, 2.0, 1, 3, 9)
    assert own.first_kind(event) == 3
    assert own.event.__doc__.split() == ["struct", "event", "What", "has", "happened."]
    assert "kind: jitffi.i32  # one of kinds" in binding.text
    event.first = own.node()
    assert event.first.value.next is None


MEMBERS = """
struct stream {
    int (*write)(struct stream *stream, const char *buffer, unsigned long len);
    void (*named)(const char *name, int flags);
    /* Which has more parameters than there is room for in a line. */
    int (*start)(struct stream *stream, const char *first_name, const char *second_name, void *user_data, double value);
};
double sqrt(double x);
"""


def test_functions_among_a_structs_members(tmp_path):
    (tmp_path / "stream.h").write_text(MEMBERS)
    text = jitffi.bind_header(tmp_path / "stream.h", "m", tmp_path / "bound_stream.py").text
    assert "buffer: optional[ptr[const i8]], len: u64" in text  # nothing says that it ends with a NUL
    assert 'named: Annotated[Any, "func[(name: optional[cstr], flags: i32) -> void]"]' in text
    assert max(map(len, text.splitlines())) <= 120
    spec = importlib.util.spec_from_file_location("bound_stream", tmp_path / "bound_stream.py")
    spec.loader.exec_module(module := importlib.util.module_from_spec(spec))
    stream = module.stream(start=lambda stream, first, second, user, value: len(first + second) + int(value))
    assert stream.start(stream, "ab", "c", None, 4.0) == 7
    assert jitffi.sizeof(module.stream) == 3 * jitffi.sizeof("ptr")


def test_enums_variables_and_variadic_functions(made):
    own, binding = made
    assert issubclass(own.kind, IntEnum) and own.KIND_SOME is own.kind.KIND_SOME and own.KIND_SOME == 4
    assert type(own.LONELY) is int and own.add_all(2, own.KIND_SOME, own.LONELY) == 11
    own.counter.value += 1
    assert own.counter.value == 6
    assert binding.summary == "bound 6 functions, 3 structs, 2 enums, 2 variables, 5 constants"
    assert binding.enums == ("kind", "level") and binding.variables == ("counter", "current") and not binding.left_out


def test_enums_as_results(made, monkeypatch):
    own, binding = made
    monkeypatch.setitem(sys.modules, own.__name__, own)  # where pickle looks
    assert own.kind_of(4) is own.KIND_SOME and own.kind_of(0) is own.KIND_NONE
    assert type(own.kind_of(3)) is int and own.kind_of(3) == 3
    assert own.level_of(9) is own.HIGH and own.level_of(own.LOW) is own.level.LOW
    assert "def kind_of(which: int) -> kind:" in binding.text and ") -> level:" in binding.text
    assert pickle.loads(pickle.dumps(own.KIND_SOME)) is own.KIND_SOME
    assert jitffi.Function(own.kind_of).signature.types == "(i32) -> i32"


def test_variables_of_enums(made, monkeypatch):
    own, _ = made
    monkeypatch.setitem(sys.modules, own.__name__, own)
    again = pickle.loads(pickle.dumps(own.current))
    assert own.current.value is again.value is own.HIGH
    for value, found in ((own.LOW, own.LOW), (5, 5), (9, own.HIGH)):
        own.current.value = value
        assert own.current.value == found and type(own.current.value) is type(found)
    with pytest.raises(TypeError, match="counter: enum is a class of enum's, and not 'level'"):
        own._lib.variable("counter", "i32", enum="level")


def test_enums_of_bind(made, build_library):
    own, _ = made
    lib = jitffi.load_library(str(build_library(SOURCE)))
    both = lib.bind("levels_of", "(which: i32, other: out[i32]) -> i32", enum=own.level)
    assert both(9) == (own.HIGH, 10) and both(9)[0] is own.HIGH and type(both(5)[0]) is int
    doubled = lib.bind("level_of", "(i32) -> i32", enum=own.level, check=lambda result, _: (result, result))
    assert doubled(9) == (own.HIGH, own.HIGH)
    for wrong in (3, int, "level"):
        with pytest.raises(TypeError, match="level_of: enum is a class of enum's"):
            lib.bind("level_of", "(i32) -> i32", enum=wrong)
    before = live_objects()
    assert [both(n % 12)[0] for n in range(1000)].count(own.HIGH) == 83
    assert live_objects() == before and block_growth(lambda: both(9)) < 20


def test_the_module_needs_no_c_parser(made):
    own, binding = made
    assert "cdef" not in binding.text and "pycparser" not in binding.text
    assert pickle.loads(pickle.dumps(own.add_all))(1, 2) == 2


def test_a_struct_that_cannot_be_costs_no_other(tmp_path):
    (tmp_path / "own.h").write_text("""
        typedef int rows __attribute__((__vector_size__(16)));
        typedef struct tile { unsigned short row; rows all; } tile;
        typedef struct { rows all[2]; } unnamed;
        typedef union { rows all; int one; } either;
        struct holder { tile tiles[2]; };
        struct good { int a; double b; };
        struct good make(int a);
    """)
    made = jitffi.bind_header(tmp_path / "own.h", "own", check=False)
    assert [each.c_name for each in made.structs] == ["struct good"] and len(made.functions) == 1
    assert [(each.kind, each.name) for each in made.refused] == [
        ("struct", "struct tile"), ("struct", "unnamed"), ("union", "either"), ("struct", "struct holder"),
    ]  # fmt: skip
    assert made.summary.endswith("; left out 3 structs, 1 union") and len(made.left_out) == 3


def test_arrays_of_pointers_to_anything(tmp_path, build_library):
    own = "struct own { int n; void *all[2][3]; const void *read[2]; void **places; char *texts[2]; void *end[]; };"
    variables = 'void *table[2]; const char *names[2] = {"a", "b"};'
    (tmp_path / "own.h").write_text(
        f"{own}\nextern void *table[2];\nextern const char *names[2];\nint first(struct own *it);"
    )
    library = build_library(f"{own}\n{variables}\nint first(struct own *it) {{ return it->all[1][2] == table; }}")
    made = jitffi.bind_header(tmp_path / "own.h", str(library), tmp_path / "own_pointers.py")
    assert not made.refused
    spec = importlib.util.spec_from_file_location("own_pointers", tmp_path / "own_pointers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.own()
    assert jitffi.sizeof(module.own) == 8 + 48 + 16 + 8 + 16 and module.first(made) == 0
    made.all[1][2] = 16
    assert made.all[1][2] == 16 and list(made.read) == [None, None] and list(module.table.value) == [None, None]
