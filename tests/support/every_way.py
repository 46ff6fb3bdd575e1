"""A program that crosses every boundary once, succeeding and failing: what valgrind watches."""

from __future__ import annotations

import gc

import jitffi


def survive(function: object, *args: object) -> None:
    try:
        function(*args)  # type: ignore[operator]
    except Exception as error:  # noqa: BLE001 - any exception will do, a crash will not
        assert str(error)


def main() -> None:
    everything = (
        "(f16, bf16, f32, f64, i8, u64, bool, ptr, cstr, str, bytes, optional[i64], any, object, "
        "list[f64], map[str, list[i64]], tuple[str, ...]) -> str"
    )
    values = (
        1.5, 2.5, 3.25, 1e300, -128, 2**64 - 1, True, None, "cs", "text" * 9, b"by" * 9, None, [1], "object",
        [1, 2.5], {"a" * 30: [1, True]}, ("b", "c" * 99),
    )  # fmt: skip
    typed = jitffi.function(everything)(lambda *a: repr(a))
    f = jitffi.Function(typed)
    native = f.from_native(f.native_address, f.signature, keep_alive=f)
    packed = f.from_packed(f.packed_address, self_handle=f.handle, keep_alive=f)
    known = f.from_packed(f.packed_address, self_handle=f.handle, keep_alive=f, signature=f.signature)
    for function in (typed, native, packed, known):
        assert isinstance(function(*values), str)
        for i in range(len(values)):
            for wrong in (object(), 1 << 70, "\ud800", b"", None, 1.5, print):
                survive(function, *values[:i], wrong, *values[i + 1 :])
        survive(function)

    apply = jitffi.function("(func[(i64) -> i64], i64) -> i64")(lambda g, x: g(x))
    g = jitffi.Function(apply)
    through = g.from_native(g.native_address, g.signature, keep_alive=g)
    assert through(lambda x: x + 1, 41) == 42
    survive(through, lambda x: 1 // 0, 1)
    survive(through, lambda x: "no number", 1)

    qsort = jitffi.load_library(None).bind("qsort", "(ptr, u64, u64, func[(ptr, ptr) -> i32]) -> void")
    survive(qsort, bytearray(64), 8, 8, lambda p, q: [][0])
    qsort(bytearray(range(64, 0, -1)), 8, 8, lambda p, q: -1 if p < q else 1)

    jitffi.register_global_func("every.way", lambda *a: a)
    assert jitffi.get_global_func("every.way")(1, "a", 2.5, None, [1])[-1] == [1]
    jitffi.remove_global_func("every.way")
    del typed, f, native, packed, known, apply, g, through, function
    gc.collect()
    print("done")


if __name__ == "__main__":
    main()
