"""Variables of shared libraries, and the enums of cdefs."""

from __future__ import annotations

import enum
import gc
import pickle
import threading

import numpy as np
import pytest
from support.leaks import assert_nothing_stays

import jitffi

SOURCE = """
#include <stdint.h>
int32_t counter = 5;
const double ratio = 2.5;
_Bool flag = 1;
uint8_t small = 200;
const char *label = "first";
char version[8] = "1.2.3";
const int limits[] = {1, 2, 3};
double matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
const char *names[2] = {"x", "y"};
int *target = &counter;
static int32_t twice_of(int32_t x) { return 2 * x; }
int32_t (*hook)(int32_t) = twice_of;
__thread int32_t mine = 7;
enum color { RED, GREEN = 5, BLUE } shade = GREEN;
int32_t get_counter(void) { return counter; }
const char *get_label(void) { return label; }
int32_t run_hook(int32_t x) { return hook ? hook(x) : -1; }
int32_t get_mine(void) { return mine; }
enum color next(enum color c) { return c == RED ? GREEN : c == GREEN ? BLUE : 77; }
typedef enum { OFF, ON } state;
state flip(state s) { return s == OFF ? ON : OFF; }
enum color any_of(int count, ...) { return count ? GREEN : RED; }
"""

CDEF = """
extern int counter;
extern const double ratio;
extern _Bool flag;
extern unsigned char small;
extern const char *label;
extern char version[4 + 4];
extern const int limits[];
extern double matrix[2][3];
extern const char *names[2];
extern int *target;
extern int (*hook)(int);
extern __thread int mine;
enum color { RED, GREEN = 5, BLUE };
typedef enum { OFF, ON } state;
typedef enum color colour_t;
enum { LIMIT = 1 << 4, MASK = ~LIMIT & 0xff };
extern enum color shade;
enum color next(colour_t c);
state flip(state s);
colour_t any_of(int count, ...);
int get_counter(void);
const char *get_label(void);
int run_hook(int x);
int get_mine(void);
"""


@pytest.fixture(scope="module")
def path(build_library):
    return build_library(SOURCE)


@pytest.fixture
def lib(path):
    return jitffi.load_library(path, cdef=CDEF)


def test_numbers_are_read_and_written(lib):
    counter = lib.variable("counter", "i32")
    assert (counter.value, counter.name, counter.type.text) == (5, "counter", "i32")
    assert repr(counter) == "<jitffi.Variable counter: i32>"
    counter.value = 8
    assert lib.get_counter() == lib.counter == counter.pointer.value == 8
    lib.counter = np.int64(5)
    assert lib.get_counter() == 5 and counter.pointer.address == counter.address
    assert (lib.ratio, lib.flag, lib.small) == (2.5, True, 200)
    lib.flag = False
    assert lib.flag is False
    lib.flag = True
    for value, error, message in [
        (1 << 31, OverflowError, r"counter: expected i32 \(-2147483648 to 2147483647\), got int 2147483648"),
        (1.5, TypeError, "counter: expected i32, got float 1.5"),
        (None, TypeError, "counter: expected i32, got None"),
    ]:
        with pytest.raises(error, match=message):
            lib.counter = value
    with pytest.raises(OverflowError, match="small: expected u8"):
        lib.small = -1


def test_what_is_const_is_not_written(lib):
    with pytest.raises(TypeError, match="ratio: a variable that is const cannot be written"):
        lib.ratio = 1.0
    constant = lib.variable("counter", "const i32")
    with pytest.raises(TypeError, match="counter: a variable that is const"):
        constant.value = 1
    assert repr(constant) == "<jitffi.Variable counter: const i32>"
    with pytest.raises(TypeError, match="const"):
        constant.pointer.value = 1
    assert lib.variable("limits", "const i32[3]").value.flags.writeable is False


def test_text(lib):
    assert lib.label == "first"
    lib.label = "second \u20ac"
    assert lib.get_label() == lib.label == "second \u20ac"
    lib.label = None
    assert lib.label is None
    with pytest.raises(ValueError, match="label: .*NUL"):
        lib.label = "a\0b"
    lib.label = b"first"
    assert lib.label == "first"
    assert lib.variable("version").pointer.text() == "1.2.3"
    assert lib.names == ["x", "y"]
    lib.names = ["u", None]
    assert lib.names == ["u", None]
    with pytest.raises(ValueError, match="names: expected 2 items, got 1"):
        lib.names = ["x"]
    lib.names = ["x", "y"]


def test_arrays_are_views(lib):
    assert lib.matrix.tolist() == [[1, 2, 3], [4, 5, 6]]
    view = lib.matrix
    view[0, 1] = 20
    assert lib.matrix[0, 1] == 20
    lib.matrix = [[1, 2, 3], [4, 5, 6]]
    assert view[0, 1] == 2
    assert lib.version.dtype == np.int8 and lib.version[:5].tobytes() == b"1.2.3"
    assert lib.limits[2] == 3 and lib.limits.len is None
    assert lib.variable("limits", "const i32[*]").pointer[1] == 2 and lib.variable("limits", "i32[3]").pointer.len == 3


def test_pointers_and_functions(lib):
    assert lib.target.value == 5 and lib.target.address == lib.variable("counter").address
    place = jitffi.new("i32", 9)
    lib.target = place
    assert lib.target == place and lib.target.value == 9
    lib.target = lib.variable("counter").pointer
    assert lib.hook(21) == 42 and lib.run_hook(4) == 8
    lib.hook = lambda x: x + 100
    assert lib.run_hook(1) == 101 and lib.hook(2) == 102
    kept = lib.variable("hook").pointer[0]

    @jitffi.function("(x: i32) -> i32")
    def negative(x):
        return -x

    lib.hook = negative
    assert lib.run_hook(5) == -5
    lib.hook = None
    assert lib.hook is None and lib.run_hook(1) == -1 and kept
    with pytest.raises(TypeError, match="target: expected ptr\\[i32\\], got"):
        lib.target = "text"


STRUCTS = """
struct point { double x, y; };
struct point origin = {1, 2};
struct point corners[2] = {{3, 4}, {5, 6}};
struct point *current = &origin;
const struct point fixed = {7, 8};
"""


def test_structs_are_views(build_library):
    extern = "extern struct point origin, corners[2]; extern struct point *current; extern const struct point fixed;"
    lib = jitffi.load_library(build_library(STRUCTS), cdef=f"struct point {{ double x, y; }}; {extern}")
    point = lib.types.point
    assert (lib.origin.x, lib.origin.y, type(lib.origin)) == (1.0, 2.0, point)
    lib.origin.x = 9
    assert lib.origin.x == lib.current.value.x == 9.0 and lib.current.address == lib.variable("origin").address
    lib.origin = point(20, 21)
    assert lib.origin == point(20, 21)
    lib.current = point(30, 31)
    assert lib.current.value == point(30, 31)
    lib.corners[1] = (7, 8)
    assert lib.corners.tolist() == [(3, 4), (7, 8)] and lib.fixed.y == 8.0
    with pytest.raises(TypeError, match="const"):
        lib.fixed.x = 1.0
    with pytest.raises(TypeError, match="current: expected ptr"):
        lib.current = jitffi.new("i32")


def test_thread_local_variables_are_each_threads_own(lib):
    seen = []

    def work():
        seen.extend([lib.mine, lib.variable("mine", "i32").address])
        lib.mine = 30
        seen.append(lib.get_mine())

    lib.mine = 8
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen[0] == 7 and seen[2] == 30 and seen[1] != lib.variable("mine", "i32").address
    assert lib.mine == lib.get_mine() == 8
    lib.mine = 7


def test_declarations(path):
    lib = jitffi.load_library(path)
    assert lib.variable("counter", "extern int counter;").value == 5
    assert lib.variable("version", "extern char version[8];").value.shape == (8,)
    with pytest.raises(AttributeError, match="has no symbol 'not_there'"):
        lib.variable("not_there", "i32")
    with pytest.raises(TypeError, match="'counter' needs a type"):
        lib.variable("counter")
    with pytest.raises(jitffi.SignatureError, match="unknown type 'int'"):
        lib.variable("counter", "int")
    with pytest.raises(jitffi.SignatureError, match="a variable has no type str"):
        lib.variable("counter", "str")
    with pytest.raises(TypeError, match="'counter': the text declares"):
        lib.variable("counter", "extern int other;")
    again = pickle.loads(pickle.dumps(lib.variable("counter", "i32")))
    assert again.value == 5


def test_variables_of_the_c_library():
    cdef = "extern char **environ; extern int optind; extern FILE *stdin; int fileno(FILE *); extern long timezone;"
    libc = jitffi.load_library(None, cdef=cdef)
    assert "=" in libc.environ[0].text() and libc.optind >= 0 and libc.fileno(libc.stdin) == 0
    assert isinstance(libc.timezone, int)
    stdin = libc.variable("stdin", "ptr[struct FILE]").value
    assert libc.bind("fileno", "(ptr[struct FILE]) -> i32")(stdin) == 0
    assert {"environ", "optind", "variable"} <= set(dir(libc))


def test_the_library_stays_as_long_as_its_memory(path):
    view = jitffi.load_library(path).variable("matrix", "f64[2, 3]").value
    pointer = jitffi.load_library(path).variable("counter", "i32").pointer
    assert view[1, 2] == 6 and pointer.value == 5


def test_enums_are_classes(lib):
    color = lib.types.color
    assert issubclass(color, enum.IntEnum) and [(m.name, int(m)) for m in color] == [
        ("RED", 0),
        ("GREEN", 5),
        ("BLUE", 6),
    ]
    assert lib.GREEN is color.GREEN and lib.types.colour_t.BLUE == 6 and lib.ON is lib.types.state.ON
    assert (lib.LIMIT, lib.MASK) == (16, 0xEF) and type(lib.LIMIT) is int
    assert lib.next(lib.RED) is color.GREEN and lib.next(c=5) is color.BLUE
    assert lib.next(6) == 77 and type(lib.next(6)) is int
    assert lib.flip(lib.OFF) is lib.ON and lib.any_of(1, 2.5) is color.GREEN and lib.any_of(0) is color.RED
    assert str(jitffi.Function(lib.next).signature) == "(c: i32) -> i32" and jitffi.Function(lib.next).native_address
    assert lib.shade is color.GREEN
    lib.shade = color.BLUE
    assert lib.shade is color.BLUE
    lib.shade = 5
    assert pickle.loads(pickle.dumps(color.BLUE)) == color.BLUE and pickle.loads(pickle.dumps(lib.next))(0) == 5
    assert {"RED", "shade", "LIMIT"} <= set(dir(lib))
    with pytest.raises(TypeError, match="next: argument 1 'c': expected i32, got str"):
        lib.next("RED")


def test_enums_keep_to_what_c_says():
    enums = "enum wide { LOW = -1, HIGH = 0x7fffffffffff }; enum big { TOP = 0xffffffff };"
    lib = jitffi.load_library(None, cdef=f"{enums} enum wide labs(enum wide); enum big abs(enum big);")
    assert str(jitffi.Function(lib.labs).signature) == "(i64) -> i64" and lib.labs(-0x7FFFFFFFFFFF) is lib.HIGH
    assert str(jitffi.Function(lib.abs).signature) == "(u32) -> u32" and lib.TOP == 0xFFFFFFFF
    odd = jitffi.load_library(None, cdef="enum odd { mro = 1, _x_ = 2, None = 3, fine = 4 };")
    assert [m.name for m in odd.types.odd] == ["None", "fine"] and (odd.mro, odd._x_, getattr(odd, "None")) == (1, 2, 3)


def test_nothing_stays(path):
    def work():
        lib = jitffi.load_library(path, cdef=CDEF)
        lib.label = "x"
        lib.hook = lambda x: x
        assert lib.run_hook(3) == 3 and lib.hook(2) == 2 and lib.next(0) == 5
        lib.matrix[0, 0] = 1
        for name, value in (("counter", "x"), ("label", 3), ("hook", 1.5)):
            with pytest.raises(TypeError):
                setattr(lib, name, value)
        lib.hook = lib.label = None

    assert_nothing_stays(work)


NAMED = "typedef struct { const char *text; int number; } named;"
ARRAYS = [
    "signed char letters[4];", "unsigned char bytes[3];", "int counts[2][2];", "named all[2];", "named one;",
    "__int128 wide[2];", "long double longs[2];",
]  # fmt: skip


@pytest.fixture(scope="module")
def arrays(build_library):
    path = build_library("\n".join([NAMED, *ARRAYS]))
    return jitffi.load_library(path, cdef="\n".join([NAMED, *[f"extern {each}" for each in ARRAYS]]))


@pytest.mark.parametrize(
    "name, value, error",
    [
        ("letters", [300, 0, 0, 0], OverflowError),
        ("letters", np.array([300, 0, 0, 0]), OverflowError),
        ("letters", [1.5, 0, 0, 0], TypeError),
        ("letters", "abcde", ValueError),
        ("counts", np.arange(4.0).reshape(2, 2), TypeError),
        ("counts", np.array([[1, 2], [3, 1 << 31]]), OverflowError),
        ("counts", [[1, 2, 3]], ValueError),
        ("all", np.zeros(2, [("a", "u8"), ("b", "i4"), ("c", "i4")]), TypeError),
        ("all", [1, 2], TypeError),
    ],
)
def test_arrays_have_the_checks_of_their_items(arrays, name, value, error):
    before = getattr(arrays, name).tolist()
    with pytest.raises(error, match=name):
        setattr(arrays, name, value)
    assert getattr(arrays, name).tolist() == before


def test_what_arrays_take(arrays):
    arrays.letters, arrays.bytes = "ab", b"xyz"
    assert arrays.letters.tobytes() == b"ab\0\0" and arrays.bytes.tobytes() == b"xyz"
    arrays.counts = np.arange(4).reshape(2, 2)
    assert arrays.counts.tolist() == [[0, 1], [2, 3]]
    arrays.counts = 7
    assert arrays.counts.tolist() == [[7, 7], [7, 7]]
    arrays.wide, arrays.longs = [1 << 100, -5], [1.5, 2]
    assert arrays.wide == [1 << 100, -5] and arrays.longs == [1.5, 2.0]


def test_texts_in_structs_stay(arrays):
    named = arrays.types.named
    arrays.one = given = named("a text that nobody else has" * 3, 1)
    given.text = None
    arrays.all = [named("the first of them" * 9, 1), named("the second" * 9, 2)]
    gc.collect()
    assert arrays.one.text == "a text that nobody else has" * 3
    pointer = arrays.variable("all").pointer
    assert [pointer[i].text for i in range(2)] == ["the first of them" * 9, "the second" * 9]
