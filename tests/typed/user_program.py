"""What somebody writes who uses the package: checked by type checkers, and run."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, assert_type

import jitffi


@jitffi.script
def words(text: str, sep: str = " ") -> list[str]:
    return [word for word in text.split(sep) if word]


@jitffi.script(pad={"*": 3}, nogil=True)
def total(numbers: list[int]) -> int:
    return sum(numbers)


@jitffi.script(signature="(str, i64) -> list[str]")
def ngrams(text, n):  # type: ignore[no-untyped-def]
    return [text[i : i + n] for i in range(len(text) - n + 1)]


@jitffi.function
def add(a: int, b: int = 1) -> int:
    return a + b


@jitffi.function("(a: i32, b: i32) -> i32", on_error=-1, name="compare", pad=2)
def compare(a: jitffi.i32, b: Annotated[int, jitffi.i32]) -> jitffi.i32:
    return (a > b) - (a < b)


@jitffi.function
def first(pointer: jitffi.ptr, name: jitffi.cstr | None, scale: jitffi.f32) -> jitffi.f64:
    return 0.0 if pointer is None or name is None else scale


@jitffi.register_global_func("user.twice")
def twice(x: float) -> float:
    return 2 * x


@jitffi.register_global_func
def half(x: float) -> float:
    return x / 2


def measured(workload: Callable[[str], object], corpus: list[str]) -> int | None:
    report = jitffi.autotune(workload, corpus, pads=[0, 3], budget="1s")
    report.save("tuned.json")
    jitffi.use_profile("tuned.json")
    return report.best if report.winner is not None and not report.interrupted else None


def containers() -> None:
    numbers: jitffi.List[int] = jitffi.List([3, 1, 2], pad=1)
    numbers.append(4)
    numbers.sort(key=lambda n: -n, reverse=True)
    ages = jitffi.Map({"a": 1}, b=2)
    pair = jitffi.Tuple([1, 2])
    assert_type(numbers[0], int)
    assert_type(ages["a"], int)
    assert_type(pair[:1], jitffi.Tuple[int])
    assert_type(jitffi.convert([1.5]), jitffi.List[float])
    assert_type(jitffi.convert("text"), str)
    for key, value in ages.items():
        assert_type((key, value), tuple[str, int])
    text = jitffi.String("shout").upper() + jitffi.Bytes(b"!").decode()
    back = jitffi.from_json(jitffi.to_json(numbers))
    assert jitffi.structural_equal(back, numbers) and text == "SHOUT!" and bool(jitffi.DataType("float32"))


def native(directory: Path) -> float:
    libm = jitffi.load_library("libm.so.6", cdef="double floor(double);")
    hypot = libm.bind("hypot", "(x: f64, y: f64 = 1.0) -> f64", nogil=True)

    @libm.declare("(x: f64) -> f64")
    def fabs(x: float) -> float:
        """The number without its sign."""
        raise NotImplementedError

    behind = jitffi.Function(hypot)
    assert behind.signature is not None and behind.signature.params[0].type is not None
    again = jitffi.Function.from_native(behind.native_address, behind.signature, keep_alive=behind)
    result: float = hypot(3, y=4.0) + libm.floor(2.5) + fabs(-1.0) + again(3.0, 4.0)
    path = jitffi.emit(["labs: (x: i64) -> i64", ngrams], directory / "user.o", header=directory / "user.h")
    with jitffi.load_module(path) as module:
        number: int = module.labs(-3)
        signatures: dict[str, jitffi.Signature | None] = module.signatures
        assert number == 3 and "ngrams" in signatures
    try:
        jitffi.Signature.parse("(f46) -> f64")
    except jitffi.SignatureError as error:
        assert error.column == 1
    try:
        jitffi.script(len, strict=True)
    except (TypeError, jitffi.ScriptError) as error:
        assert "Python function" in str(error)
    return result


def main() -> int:
    assert_type(words("a b"), list[str])
    assert_type(total([1, 2]), int)
    assert_type(add(1, b=2), int)
    assert_type(compare(1, 2), int)
    assert_type(twice(1.0), float)
    assert_type(half(1.0), float)
    script: jitffi.Script[[str, str], list[str]] | jitffi.Script = words
    print(script.inspect_types(), words.__wrapped__("a b"))
    found = jitffi.get_global_func("user.none", allow_missing=True)
    assert found is None and jitffi.get_global_func("user.twice")(21) == 42
    signature = jitffi.Signature([jitffi.Param("x", jitffi.i64)], jitffi.f64)
    anything: Any = ngrams("abcd", 3)
    print(signature, anything, jitffi.Function(add).inspect_llvm()[:6], jitffi.__version__)
    containers()
    with tempfile.TemporaryDirectory() as directory:
        return 0 if native(Path(directory)) == 13.0 else 1


if __name__ == "__main__":
    sys.exit(main())
