"""owned[...]: what C functions give and Python frees, exactly once, on every way out of a call."""

from __future__ import annotations

import gc
import pickle
import re
import threading
from pathlib import Path
from typing import Annotated, Any

import pytest
from support import alone
from support.extension import HOST, compile_c, linker
from support.leaks import assert_nothing_stays

import jitffi
from jitffi import SignatureError

SOURCE = """
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct thing { int32_t magic, number; struct thing* next; };
static struct thing* freed;  /* their memory stays, so that a second time is seen */
static int32_t living, twice;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  /* of all these: nogil */

struct thing* thing_new(int32_t number) {
  if (number < 0) return NULL;
  struct thing* made = calloc(1, sizeof *made);
  *made = (struct thing){42, number, NULL};
  pthread_mutex_lock(&lock);
  living++;
  pthread_mutex_unlock(&lock);
  return made;
}
void thing_free(struct thing* thing) {
  pthread_mutex_lock(&lock);
  if (thing == NULL || thing->magic != 42) {
    twice++;
  } else {
    thing->magic = 0;
    thing->next = freed;
    freed = thing;
    living--;
  }
  pthread_mutex_unlock(&lock);
}
/* How many have not been freed, and whether any was freed again, or NULL was. What was freed goes. */
int32_t check(int32_t* wrong) {
  *wrong = twice;
  twice = 0;
  while (freed != NULL) {
    struct thing* next = freed->next;
    free(freed);
    freed = next;
  }
  return living;
}
int32_t thing_number(const struct thing* thing) { return thing->number; }
int32_t thing_apply(struct thing* thing, void (*f)(void)) { f(); return thing->number; }

/* A result whatever the callback does. */
struct thing* thing_after(void (*f)(void)) { f(); return thing_new(1); }
int32_t thing_open(void (*f)(void), struct thing** out) { *out = thing_new(2); f(); return 0; }
/* What is written whether it succeeds or not, as by sqlite3_open. */
int32_t thing_make(int32_t result, int32_t number, struct thing** out) {
  *out = thing_new(number);
  errno = ENOENT;
  return result;
}
struct thing* things_make(int32_t a, int32_t b, int32_t c, const char* text, struct thing** one, struct thing** two,
                          const char** name) {
  *one = thing_new(b);
  *two = thing_new(c);
  *name = text;
  return thing_new(a);
}
/* Text behind a thing: freed as one. */
char* text_new(const uint8_t* data, uint64_t size) {
  struct { struct thing* thing; char text[]; } * made = calloc(1, sizeof *made + size + 1);
  made->thing = thing_new(3);
  memcpy(made->text, data, size);
  return made->text;
}
char* text_none(void) { return NULL; }
void text_free(char* text) {
  struct thing** made = (struct thing**)(text - sizeof *made);
  thing_free(*made);
  *made = NULL;
}
static int32_t counted;
void other_free(void* memory) { counted++; free(memory); }
int32_t others(void) { return counted; }
void text_write(const uint8_t* data, uint64_t size, char** text) { *text = text_new(data, size); }
void thing_say(struct thing* thing) { printf("freed %d\\n", thing->number); fflush(stdout); thing_free(thing); }

static void (*told)(int32_t);
void tell(void (*f)(int32_t)) { told = f; }
static void* tell_number(void* thing) { told(((struct thing*)thing)->number); return NULL; }
void thing_join(struct thing* thing) {
  pthread_t thread;
  pthread_create(&thread, NULL, tell_number, thing);
  pthread_join(thread, NULL);
  thing_free(thing);
}
void thing_tell(struct thing* thing) { int32_t number = thing->number; thing_free(thing); told(number); }
"""
THING = "owned[ptr[struct thing], thing_free]"
CALLBACK = "func[() -> void]"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("owned")
    linker.link([compile_c(folder / "things.o", SOURCE)], folder / "libthings.so", kind="so", target=HOST)
    return folder / "libthings.so"


class Things:
    def __init__(self, path: Path, **options: Any) -> None:
        self.library = jitffi.load_library(path)
        self.options = options
        self._check = self.library.bind("check", "(out[i32]) -> i32")

    def bind(self, name: str, text: str, **options: Any) -> Any:
        return self.library.bind(name, text, **{**self.options, **options})

    @property
    def alive(self) -> int:
        """How many there are that nobody has freed; none was freed twice."""
        living, wrong = self._check()
        assert wrong == 0
        return int(living)


@pytest.fixture(params=[False, True], ids=["", "nogil"])
def things(path: Path, request: pytest.FixtureRequest) -> Any:
    made = Things(path, nogil=request.param)
    yield made
    gc.collect()
    assert made.alive == 0


# -- results ----------------------------------------------------------------------------------------------------


def test_a_result_is_freed_when_nothing_leads_to_it_any_more(things):
    p = things.bind("thing_new", f"(i32) -> {THING}")(7)
    number = things.bind("thing_number", "(ptr[const struct thing]) -> i32")
    assert (type(p), str(p.type), p.len, number(p)) == (jitffi.Pointer, "ptr[struct thing]", None, 7)
    assert things.alive == 1
    derived = p.cast("ptr[i32]") + 1
    del p
    assert (derived[0], things.alive) == (7, 1)
    array = derived.array(1)
    del derived
    assert (array[0], things.alive) == (7, 1)
    del array
    assert things.alive == 0


def test_it_is_closed_once_and_dead_afterwards(things):
    with things.bind("thing_new", f"(i32) -> {THING}")(7) as p:
        derived = p.cast("ptr[i32]")
        view = memoryview(derived.array(2))
        with pytest.raises(BufferError, match="cannot be closed while arrays, buffers or calls use it"):
            p.close()
        assert things.alive == 1
        view.release()
        del view
        gc.collect()
    assert things.alive == 0
    p.close()
    number = things.bind("thing_number", "(it: ptr[const struct thing]) -> i32")
    for work in (lambda: derived[0], lambda: derived + 1, lambda: derived.array(1), lambda: number(p), p.__enter__):
        with pytest.raises(ValueError, match="was closed"):
            work()


def test_null_is_none_where_it_is_optional_and_an_error_else(things):
    with pytest.raises(ValueError, match=re.escape(f"thing_new: result: expected {THING}, got NULL")):
        things.bind("thing_new", f"(i32) -> {THING}")(-1)
    assert things.bind("thing_new", f"(i32) -> optional[{THING}]")(-1) is None
    around = things.bind("thing_new", "(i32) -> owned[optional[ptr[struct thing]], thing_free]")
    assert around(-1) is None and around(1) is not None
    with pytest.raises(OSError):
        things.bind("thing_new", f"(i32) -> {THING}", errno=True)(-1)


def test_text_is_copied_and_freed_even_if_it_is_none(things):
    text = things.bind("text_new", "(data: const u8[size], size: u64) -> owned[cstr, text_free]")
    for said in ("", "plain", "schön", "long " * 1000):
        assert text(said.encode()) == said and things.alive == 0
    with pytest.raises(UnicodeDecodeError):
        text(b"\xff\xfe")
    assert things.alive == 0
    assert things.bind("text_none", "() -> optional[owned[cstr, text_free]]")() is None
    with pytest.raises(ValueError, match="result: expected owned.cstr, text_free., got NULL"):
        things.bind("text_none", "() -> owned[cstr, text_free]")()


def test_memory_of_no_type_and_a_function_of_another_library(things, path):
    libc = jitffi.load_library("libc.so.6")
    p = libc.bind("malloc", "(u64) -> owned[ptr, free]", **things.options)(64)
    assert str(p.type) == "ptr" and p.cast("ptr[u8]").array(64).nbytes == 64
    others = things.bind("others", "() -> i32")
    before = others()
    malloc = libc.bind("malloc", f"(u64) -> owned[ptr[f64], {path}:other_free]")
    assert f"{path}:other_free" in str(jitffi.Function(malloc).signature)
    with malloc(16) as p:
        p[1] = 2.5
    malloc(16)
    assert others() == before + 2


# -- what is passed back ----------------------------------------------------------------------------------------


def test_what_is_written_to_a_place_is_owned(things):
    make = things.bind("thing_make", f"(i32, i32, out[{THING}]) -> i32")
    result, p = make(5, 6)
    assert (result, p.cast("ptr[i32]")[1], things.alive) == (5, 6, 1)
    p.close()
    alone = things.bind("thing_make", f"(i32, i32, thing: out[optional[{THING}]]) -> void")
    assert alone(0, -1) is None
    p = alone(0, 1)
    assert things.alive == 1
    del p
    write = things.bind("text_write", "(text: const u8[n], n: u64, out[owned[cstr, text_free]]) -> void")
    assert write(b"hello") == "hello" and things.alive == 0


def test_places_are_freed_where_the_call_raises(things):
    failing = things.bind("thing_make", f"(i32, i32, out[{THING}]) -> i32", errno=True)
    assert things.alive == 0
    with pytest.raises(OSError):
        failing(-1, 3)
    assert things.alive == 0
    assert failing(0, 3)[0] == 0 and things.alive == 0
    write = things.bind("text_write", "(text: const u8[n], n: u64, out[owned[cstr, text_free]]) -> void")
    with pytest.raises(UnicodeDecodeError):
        write(b"\xff")
    assert things.alive == 0


@pytest.mark.parametrize("fails", range(5))
def test_all_of_a_call_that_raises_is_freed_whichever_part_it_was(things, fails):
    made = things.bind(
        "things_make",
        "(a: i32, b: i32, c: i32, text: const i8[*], "
        f"one: out[{THING}], two: out[{THING}], name: out[cstr]) -> {THING}",
    )
    numbers = [-1 if fails == at else at for at in range(3)]
    expected = ("result: ", "argument 'one': ", "argument 'two': ", "can't decode", None)[fails]
    text = b"\xff\0" if fails == 3 else b"name\0"
    if expected is None:
        result = made(*numbers, text)
        assert things.alive == 3 and result[3] == "name"
    else:
        with pytest.raises(ValueError, match=expected):
            made(*numbers, text)
    result = None
    assert things.alive == 0


def test_an_exception_of_a_callback_frees_what_came_all_the_same(things):
    def wrong() -> None:
        raise KeyError("wrong")

    after = things.bind("thing_after", f"({CALLBACK}) -> {THING}")
    opened = things.bind("thing_open", f"({CALLBACK}, out[{THING}]) -> i32")
    optional = things.bind("thing_after", f"({CALLBACK}) -> optional[{THING}]")
    for call in (after, opened, optional):
        with pytest.raises(KeyError, match="wrong"):
            call(wrong)
        assert things.alive == 0
    kept = [after(lambda: None), opened(lambda: None), optional(lambda: None)]
    assert things.alive == 3
    del kept


def test_it_cannot_be_closed_while_a_call_uses_it(things):
    p = things.bind("thing_new", f"(i32) -> {THING}")(7)
    apply = things.bind("thing_apply", f"(ptr[struct thing], {CALLBACK}) -> i32")
    with pytest.raises(BufferError):
        apply(p, p.close)
    seen = []

    def forget() -> None:
        nonlocal p
        p = None
        seen.append(things.alive)

    assert (apply(p, forget), seen, things.alive) == (7, [1], 0)


def test_what_frees_may_call_python(things, monkeypatch):
    seen: list[Any] = []
    tell = things.bind("tell", "(func[(i32) -> void]) -> void", keep_callbacks=True)
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: seen.append(type(unraisable.exc_value)))
    make = things.bind("thing_make", "(i32, i32, out[owned[ptr[struct thing], thing_tell]]) -> i32", errno=True)

    def told(number: int) -> None:
        seen.append(number)
        if number > 8:
            raise RuntimeError

    tell(told)
    make(0, 7)
    with pytest.raises(FileNotFoundError):
        make(-1, 8)
    with pytest.raises(FileNotFoundError):  # and what frees raises another
        make(-1, 9)
    assert seen == [7, 8, 9, RuntimeError]


def test_with_nogil_what_frees_may_wait_for_threads_that_call_python(path):
    things, seen = Things(path, nogil=True), []
    tell = things.bind("tell", "(func[(i32) -> void]) -> void", keep_callbacks=True)

    def told(number: int) -> None:
        seen.append((number, threading.get_ident() == own))

    own = threading.get_ident()
    tell(told)
    make = things.bind("thing_make", "(i32, i32, out[owned[ptr[struct thing], thing_join]]) -> i32", errno=True)
    make(0, 1)
    _, p = make(0, 2)
    p.close()
    with pytest.raises(FileNotFoundError):
        make(-1, 3)
    assert seen == [(1, False), (2, False), (3, False)] and things.alive == 0


# -- lives --------------------------------------------------------------------------------------------------------


def is_mapped(path: Path) -> bool:
    gc.collect()
    return str(path) in Path("/proc/self/maps").read_text()


def test_the_library_stays_as_long_as_a_pointer(path, tmp_path):
    copy = tmp_path / "libcopied.so"
    copy.write_bytes(path.read_bytes())
    p = jitffi.load_library(copy).bind("thing_new", f"(i32) -> {THING}")(7)
    q = jitffi.load_library("libc.so.6").bind("malloc", f"(u64) -> owned[ptr[u8], {copy}:other_free]")(8) + 1
    assert is_mapped(copy)
    del p
    assert is_mapped(copy)
    del q
    assert not is_mapped(copy)


def test_threads_free_each_once(things):
    make = things.bind("thing_new", f"(i32) -> {THING}")
    together = threading.Barrier(4)

    def work(p: jitffi.Pointer) -> None:
        together.wait()
        for _ in range(200):
            made = [make(i) for i in range(5)]
            made[0].close()
            made[1:3] = []
        p.close()

    p = make(1)
    threads = [threading.Thread(target=work, args=(p,)) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert things.alive == 0


def test_each_is_freed_once_when_the_interpreter_ends(path, run_python):
    said = run_python(
        f"""
import jitffi
make = jitffi.load_library({str(path)!r}).bind("thing_new", "(i32) -> owned[ptr[struct thing], thing_say]")
named = make(1)
derived = make(2).cast("ptr[i32]")
class Node:
    pass
node = Node()
node.node, node.thing = node, make(3)
del node
lists = [make(4)]
lists.append(lists)
make(5)
closed = make(6)
closed.close()
"""
    )
    assert sorted(said.splitlines()) == [f"freed {i}" for i in range(1, 7)]


def test_a_cycle_is_freed_with_its_library(things):
    class Holder:
        pass

    holder = Holder()
    library = jitffi.load_library(things.library._path)
    holder.bound = library.bind("thing_new", f"(i32) -> {THING}")
    holder.made, holder.library, library.holder = holder.bound(1), library, holder
    del holder, library
    gc.collect()
    assert things.alive == 0


def test_calls_leave_nothing_behind(things):
    make = things.bind("thing_new", f"(i32) -> {THING}")
    made = things.bind("thing_make", f"(i32, i32, out[{THING}]) -> i32", errno=True)
    text = things.bind("text_new", "(data: const u8[size], size: u64) -> owned[cstr, text_free]")
    after = things.bind("thing_after", f"({CALLBACK}) -> {THING}")

    def wrong() -> None:
        raise KeyError

    @assert_nothing_stays
    def work():
        make(1).cast("ptr[i32]").array(2)
        make(2).close()
        made(0, 1)
        text(b"abc")
        for call in (lambda: make(-1), lambda: made(-1, 1), lambda: text(b"\xff"), lambda: after(wrong)):
            with pytest.raises((ValueError, OSError, KeyError)):
                call()

    assert things.alive == 0


def test_without_memory_all_is_freed(things):
    if not alone.IS_ALONE:
        return alone.run(f"{__file__}::test_without_memory_all_is_freed")
    testcapi = pytest.importorskip("_testcapi")
    made = things.bind(
        "things_make",
        "(a: i32, b: i32, c: i32, text: ptr[const i8], "
        f"one: out[{THING}], two: out[{THING}], name: out[optional[cstr]]) -> {THING}",
    )
    text = things.bind("text_new", "(data: const u8[size], size: u64) -> owned[cstr, text_free]")
    name, data = b"name", b"not in a word" * 30

    def fails_at(call: Any, number: int) -> bool:
        """Whether there is no memory for the allocation of that number, or one behind it."""
        testcapi.set_nomemory(number, 0)
        try:
            call()
        except MemoryError:
            return True
        finally:
            testcapi.remove_mem_hooks()
        return False

    calls = (lambda: made(1, 2, 3, name), lambda: text(data))
    for call in calls:
        call()
    alone.end_worker()
    for call in calls:
        call()
        assert things.alive == 0
        number = 0
        while fails_at(call, number):
            assert things.alive == 0, number
            number += 1
        assert number > 0 and things.alive == 0


# -- how it is said ---------------------------------------------------------------------------------------------


def test_prototypes_and_annotations_have_it(things):
    open_ = things.bind(
        "thing_make", "int thing_make(int result, int number, struct thing **out);", types={"out": f"out[{THING}]"}
    )
    assert str(jitffi.Function(open_).signature) == f"(result: i32, number: i32, out: out[{THING}]) -> i32"
    make = things.bind("thing_new", "struct thing *thing_new(int number);", types={"return": THING})
    assert str(jitffi.Function(make).signature) == f"(number: i32) -> {THING}"
    del make
    jitffi.Function(open_)
    open_(0, 1)

    def thing_new(number: jitffi.i32) -> Annotated[Any, "owned[ptr[struct thing], thing_free]"]: ...

    make = things.bind("thing_new", jitffi.Signature.of(thing_new))
    assert things.alive == 0 and make(3) is not None
    for said, error in (("f64[3]", "cannot be a result"), ("owned[f64, free]", "is no type")):
        with pytest.raises(SignatureError, match=error):
            things.bind("thing_new", "struct thing *thing_new(int number);", types={"return": said})


def test_it_is_pickled_as_others_are(things):
    make = things.bind("thing_new", f"(i32) -> {THING}")
    again = pickle.loads(pickle.dumps(make))
    with again(4) as p:
        assert things.alive == 1 and p.cast("ptr[i32]")[1] == 4
    assert jitffi.Function(again).signature == jitffi.Function(make).signature


def test_what_is_not_there_is_named(things):
    for text, error, message in (
        ("() -> owned[ptr, thing_fre]", AttributeError, "thing_new: result: .* has no symbol 'thing_fre'"),
        ("(n: i32, p: out[owned[ptr, gone]]) -> void", AttributeError, "thing_new: parameter 2 'p': .*'gone'"),
        ("() -> owned[ptr, libno-such.so:free]", OSError, "libno-such.so"),
        ("() -> owned[ptr, libc.so.6:thing_free]", AttributeError, "libc.so.6> has no symbol 'thing_free'"),
    ):
        with pytest.raises(error, match=message):
            things.bind("thing_new", text)
    declared = jitffi.load_library(things.library._path, cdef="void thing_free(struct thing *thing);")
    with pytest.raises(AttributeError, match="did you mean 'thing_free'"):
        declared.bind("thing_new", "(i32) -> owned[ptr, thing_fre]")


def test_it_goes_from_c_to_python_alone(things):
    make = things.bind("thing_new", f"(i32) -> {THING}")
    for fails in (
        lambda: jitffi.Function(make).packed_address,
        lambda: jitffi.function(f"() -> {THING}")(lambda: None),
        lambda: jitffi.function(f"(out[{THING}]) -> void")(lambda: None),
        lambda: jitffi.Function.from_packed(1, signature=f"() -> {THING}"),
        lambda: jitffi.script(signature=f"() -> {THING}")(lambda: None),
    ):
        with pytest.raises((TypeError, SyntaxError), match="owned"):
            fails()
    with pytest.raises(TypeError, match="there is no library to find thing_free in"):
        jitffi.Function.from_native(jitffi.Function(make).native_address, f"(i32) -> {THING}")
    address = jitffi.Function(make).native_address
    with jitffi.Function.from_native(address, f"(i32) -> {THING}", keep_alive=things.library)(1):
        assert things.alive == 1


@jitffi.script
def first_number(number, p):
    return [number(q) for q in [p, p]], p


@jitffi.script
def made(make):
    return make(1)


def test_scripts_have_it_as_other_pointers(things):
    p = things.bind("thing_new", f"(i32) -> {THING}")(7)
    numbers, same = first_number(lambda q: q.cast("ptr[i32]")[1], p)
    assert list(numbers) == [7, 7] and same is p and things.alive == 1
    with pytest.raises(TypeError, match="owned"):  # what a script gets of a pointer is its address alone
        made(things.bind("thing_new", f"(i32) -> {THING}"))
