"""pad=: the out-slots that generated code makes are AnyPad<pad>, and those that it is given are used whole.

Allocations are counted at the runtime's allocator, by C.
"""

import pickle

import pytest

import jitffi
from jitffi.adapters.code_store import Request
from jitffi.conventions.base import Options
from jitffi.signature.model import Signature

SOURCE = r"""
#include "jitffi/pad.h"
#include <stdlib.h>
#include <string.h>

static int64_t allocations;
static void* counted(size_t size, void* context) { (void)context; allocations++; return malloc(size); }
static void freed(void* memory, void* context) { (void)context; free(memory); }
void count_start(void) { allocations = 0; jf_set_allocator(counted, freed, NULL); }
int64_t count_stop(void) { jf_set_allocator(NULL, NULL, NULL); return allocations; }

static int32_t capacity_seen;
int32_t seen(void) { return capacity_seen; }

/* Text of `size` characters. */
int32_t text(int64_t size, jf_value* out) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
  capacity_seen = jf_out_capacity(out);
  return jf_out_str(out, letters, (size_t)size);
}
int32_t packed_text(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  (void)self, (void)n;
  return text(args[0].v_int64, out);
}

/* Calls a C function of (i64) -> str with an AnyPad<2>: 1 where the text is in it, 0 on the heap. */
int32_t call(int32_t (*f)(int64_t, jf_value*), int64_t size) {
  jf_pad2 out = JF_PAD_INIT(2);
  if (f(size, &out.slot) != 0) return -1;
  int32_t small = out.slot.type_code == JF_SMALL_STR && out.slot.small_len == size;
  if (small) small = memcmp(out.slot.v_bytes, "abcdefghijklmnopqrstuvwxyz", (size_t)size) == 0;
  jf_any_release(&out.slot);
  return small;
}
"""


@pytest.fixture(scope="module")
def native(build_library):
    cdef = (
        "void count_start(void); long count_stop(void); int seen(void); int call(void* f, long size);"
        "int packed_text(void*, int, void*, void*);"
    )
    return jitffi.load_library(build_library(SOURCE, runtime=True), cdef=cdef)


def packed_address(native):
    return jitffi.Function(native.packed_text).native_address


def allocations(native, call, *args):
    """The fewest of several calls: what is made once is made in the first, and code may arrive meanwhile."""
    counts = []
    for _ in range(4):
        native.count_start()
        result = call(*args)
        counts.append(native.count_stop())
    return min(counts), result


LETTERS = "abcdefghijklmnopqrstuvwxyz" * 2


@pytest.mark.parametrize("pad", [None, 0, 1, 2, 5, 15])
def test_text_up_to_the_pad_takes_no_heap(native, pad):
    capacity = 8 + 8 * (15 if pad is None else pad)
    bound = native.bind("text", "(i64) -> str", pad=pad)
    packed = jitffi.Function.from_packed(packed_address(native), signature="(i64) -> str", pad=pad, keep_alive=native)
    address = jitffi.Function(bound).native_address
    from_native = jitffi.Function.from_native(address, "(i64) -> str", pad=pad, keep_alive=native)
    for call in (bound, packed, from_native):
        for size in (0, 5, 7, 8, 15, 16, 20, 23, 24, 47):
            count, got = allocations(native, call, size)
            assert got == LETTERS[:size] and native.seen() == capacity
            assert count == (0 if size < capacity else 1), (pad, size)


@pytest.mark.parametrize("type_", ["bytes", "any", "optional[str]"])
def test_every_result_through_a_slot_has_the_pad(native, type_):
    call = jitffi.Function.from_packed(
        packed_address(native), signature=f"(i64) -> {'any' if type_ == 'bytes' else type_}", pad=3, keep_alive=native
    )
    assert call(9) == LETTERS[:9] and native.seen() == 32


def test_a_callers_slot_is_passed_through(native):
    """C enters a closure, which calls a packed function: 20 characters are written where C has room for them."""
    callee = jitffi.Function.from_packed(packed_address(native), signature="(i64) -> str", keep_alive=native)
    count, small = allocations(native, native.call, callee.native_address, 20)
    assert (count, small) == (0, 1) and native.seen() == 24
    assert allocations(native, native.call, callee.native_address, 23) == (0, 1)
    assert allocations(native, native.call, callee.native_address, 24)[1] == 0
    python = jitffi.Function(jitffi.function("(i64) -> str")(lambda size: LETTERS[:size]))
    assert native.call(python.native_address, 20) == 1


def test_a_python_function_has_a_pad(native):
    @jitffi.function("(i64) -> str", pad=0)
    def text(size):
        return LETTERS[:size]

    assert [text(size) for size in (0, 7, 8, 47)] == [LETTERS[:size] for size in (0, 7, 8, 47)]
    assert "[16 x i8]" in jitffi.Function(text).inspect_llvm()


def test_code_is_shared_by_pad(native):
    wide, narrow = native.bind("text", "(i64) -> str"), native.bind("text", "(i64) -> str", pad=2)
    assert "[136 x i8]" in jitffi.Function(wide).inspect_llvm()
    text = jitffi.Function(narrow).inspect_llvm()
    assert "[32 x i8]" in text and "[136 x i8]" not in text
    sig = Signature.parse("(i64) -> str")
    assert Request("python", "c", sig, "p2").key != Request("python", "c", sig, "p3").key
    assert native.bind("text", "(i64) -> str", pad=15)(47) == LETTERS[:47]
    for letters in ("", "p0", "kdp7", "nep14", "k"):
        assert Options.of(letters).key == letters
    assert Options.of("p0").pad == 0 and Options.of("k").pad == 15


def test_pads_are_checked(native):
    for pad in (-1, 16, 1 << 70):
        with pytest.raises(ValueError, match=f"pad is 0 to 15, not {pad}"):
            native.bind("text", "(i64) -> str", pad=pad)
    for pad in ("2", 2.0, True):
        with pytest.raises(TypeError, match="pad is an int from 0 to 15 or None, not "):
            jitffi.function("() -> str", pad=pad)(str)
    with pytest.raises(TypeError, match="packed: pad is for functions with a signature"):
        jitffi.Function.from_packed(packed_address(native), pad=2)


def test_a_pad_is_pickled():
    libc = jitffi.load_library(None)
    bound = libc.bind("getenv", "(cstr) -> optional[cstr]", pad=3)
    again = jitffi.Function(pickle.loads(pickle.dumps(bound)))
    assert again._options == jitffi.Function(bound)._options == "p3"
