"""`jitffi.script`: what it takes, and the Script that it makes, as a function among Python's and among ours."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import sys
import weakref

import pytest

import jitffi
from jitffi import _core


@jitffi.script
def behind_it(before, x):
    return x


LIMIT = 3
GREETING = "héllo"


@jitffi.script
def count(text, wanted="a"):
    """How often a character occurs."""
    found = 0
    for ch in text:
        if ch == wanted:
            found += 1
    return found


@jitffi.script
def twice(function, value):
    return function(function(value))


def helper(text):
    return text + "!"


@jitffi.script
def calls_what_is_defined_behind_it(text):
    return behind(text) + helper(text)


def behind(text):
    return text.upper()


@jitffi.script
def constants(n):
    return GREETING * min(n, LIMIT)


@jitffi.script(strict=True)
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


class TestWhatItIs:
    def test_it_is_called_like_the_function(self):
        assert count("banana") == 3
        assert count("banana", "n") == 2
        assert count("banana", wanted="b") == 1
        assert count(wanted="é", text="éa😀é") == 2

    def test_it_has_the_functions_attributes(self):
        assert isinstance(count, jitffi.Script)
        assert isinstance(count, jitffi.Function)
        assert (count.__name__, count.__qualname__, count.__module__) == ("count", "count", __name__)
        assert count.__doc__ == "How often a character occurs."
        assert count.__wrapped__("banana") == 3
        assert str(inspect.signature(count)) == "(text, wanted='a')"
        assert inspect.getsource(count).startswith("@jitffi.script\ndef count")

    def test_repr_names_it_and_its_parameters(self):
        assert repr(count) == "<jitffi.Script count(text, wanted)>"

    def test_it_is_weakly_referenced_hashed_and_compared_by_identity(self):
        assert weakref.ref(count)() is count
        assert {count: 1}[count] == 1
        assert count == count and count != twice

    def test_it_is_pickled_and_copied_by_its_name(self):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(count, protocol)) is count
        assert copy.copy(count) is count and copy.deepcopy([count])[0] is count

    def test_one_whose_function_has_the_name_is_made_again(self):
        again = pickle.loads(pickle.dumps(jitffi.script(behind, pad={"*": 2}, nogil=True)))
        assert isinstance(again, jitffi.Script) and again.__wrapped__ is behind and again("ab") == behind("ab")
        assert (again._given.pads, again._given.nogil) == ({"*": 2}, True)
        typed = pickle.loads(pickle.dumps(jitffi.script(behind, signature="(str) -> any")))
        assert str(typed.signature) == "(text: str) -> any"

    def test_one_that_is_not_found_by_its_name_is_not_pickled(self):
        with pytest.raises((pickle.PicklingError, AttributeError)):
            pickle.dumps(jitffi.script(make_local()))

    def test_script_of_a_script_is_itself_unless_options_say_otherwise(self):
        assert jitffi.script(count) is count
        other = jitffi.script(count, pad=3)
        assert other is not count and other("banana") == 3

    def test_with_parentheses_and_without(self):
        @jitffi.script()
        def one(x):
            return x + 1

        @jitffi.script(pad=2, nogil=True)
        def two(x):
            return x + 2

        assert (one(1), two(1)) == (2, 3)

    def test_the_name_of_the_package_is_the_decorator(self, run_python):
        program = (
            "import jitffi.scripts.tree.types, jitffi\nassert callable(jitffi.script)\nprint(jitffi.script.__name__)"
        )
        assert run_python(program) == "script\n"

    def test_in_a_class_it_is_a_method(self):
        class Holder:
            second = behind_it

        assert Holder().second(3) == 3 and Holder.second(None, 4) == 4

    def test_a_script_cannot_be_made_from_its_class(self):
        with pytest.raises(TypeError, match=r"made by jitffi\.script"):
            jitffi.Script(helper)

    def test_what_is_no_python_function(self):
        for wrong, what in ((len, "builtin_function_or_method len"), (3, "int"), (str, "type str")):
            with pytest.raises(TypeError, match=f"expected a Python function, got {what}"):
                jitffi.script(wrong, strict=True)
            if wrong is not len:
                with pytest.raises(TypeError, match=f"expected a Python function, got {what}"):
                    jitffi.script(wrong)


def make_local():
    def local(x):
        return x

    return local


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"pad": "3"}, TypeError, "pad is an int, a dict by variable, or None, got str"),
            ({"pad": True}, TypeError, "pad is an int"),
            ({"pad": 16}, ValueError, "a pad is 0 to 15, not 16"),
            ({"pad": -1}, ValueError, "a pad is 0 to 15, not -1"),
            ({"pad": {"text": 1.5}}, TypeError, "pad has an int for a variable's name, not 1.5 for 'text'"),
            ({"pad": {3: 1}}, TypeError, "pad has an int for a variable's name"),
            ({"pad": {"texd": 1}}, ValueError, "count has no variable 'texd'; did you mean 'text'?"),
            ({"nogil": 1}, TypeError, "nogil is a bool, got int"),
            ({"signature": 3}, TypeError, "signature is a Signature or its text, got int"),
            ({"signature": "(str -> i64"}, jitffi.SignatureError, "expected"),
        ],
    )
    def test_wrong_ones_are_errors_at_decoration(self, options, error, message):
        with pytest.raises(error, match=message.replace("?", r"\?")):
            jitffi.script(count, **options)

    @pytest.mark.parametrize("pad", [0, 15, {"*": 2, "[]": 3}, {"parts": 1, "text": 4}, {}])
    def test_pads_change_no_result(self, pad):
        made = jitffi.script(joined, pad=pad)
        assert made("ab", 3) == joined("ab", 3) == "ab0ab1ab2"


def joined(text, n):
    parts = []
    for i in range(n):
        parts.append(text + str(i))
    return "".join(parts)


class TestAmongFunctions:
    def test_function_of_it_is_itself(self):
        assert jitffi.Function(count) is count
        assert jitffi.convert(count) is count

    def test_as_a_global_function(self):
        jitffi.register_global_func("test.script.count", count, override=True)
        assert jitffi.get_global_func("test.script.count") is count
        assert jitffi.get_global_func("test.script.count")("banana") == 3

    def test_through_the_packed_convention(self):
        other = jitffi.Function.from_packed(count.packed_address, self_handle=count.handle, keep_alive=count)
        assert other("banana") == 3
        assert other("banana", "n") == 2
        for wrong in ((), ("a", "b", "c")):
            with pytest.raises(TypeError, match="count.*takes"):
                other(*wrong)

    def test_a_first_call_through_the_packed_convention_compiles(self):
        fresh = jitffi.script(joined)
        other = jitffi.Function.from_packed(fresh.packed_address, self_handle=fresh.handle, keep_alive=fresh)
        assert other("ab", 2) == "ab0ab1"

    def test_another_functions_object_as_self(self):
        other = jitffi.Function(jitffi.convert(len))
        wrong = jitffi.Function.from_packed(count.packed_address, self_handle=other.handle, keep_alive=other)
        with pytest.raises(TypeError, match="another function's object"):
            wrong("banana")

    def test_as_an_argument_of_another_script_and_of_python(self):
        add = jitffi.script(plus_one)
        assert twice(add, 3) == 5
        assert list(map(count, ["a", "banana"])) == [1, 3]
        assert sorted(["banana", "b", "aa"], key=count) == ["b", "aa", "banana"]
        assert twice(lambda x: x * 3, 2) == 18

    def test_it_comes_back_from_native_code_as_itself(self):
        assert jitffi.List([count])[0] is count
        assert jitffi.convert(lambda f: f)(count) is count

    def test_scripts_call_plain_functions_and_what_is_defined_behind_them(self):
        assert calls_what_is_defined_behind_it("é") == "Éé!"

    def test_constants_of_the_module(self):
        assert constants(10) == "héllo" * 3 and constants(1) == "héllo"

    def test_recursion(self):
        assert factorial(20) == 2432902008176640000
        with pytest.raises(OverflowError):
            factorial(21)
        with pytest.raises(RecursionError):
            factorial(100_000)

    def test_recursion_through_python_ends_with_an_error(self):
        with pytest.raises(RecursionError):
            ping(lambda n: ping(pong, n), 1)

    def test_bound_native_functions_are_called(self):
        assert hypotenuse(3.0, 4.0) == 5.0
        assert hypotenuse(3, 4) == 5.0


def plus_one(x):
    return x + 1


@jitffi.script
def ping(function, n):
    return function(n)


def pong(n):
    return ping(pong, n)


hypot = jitffi.load_library("libm.so.6").bind("hypot", "(x: f64, y: f64) -> f64")


@jitffi.script
def hypotenuse(a, b):
    return hypot(a, b)


class TestSignatures:
    def test_a_signature_in_place_of_annotations(self):
        made = jitffi.script(joined, signature="(str, i64) -> str")
        assert str(made.signature) == "(text: str, n: i64) -> str"
        assert repr(made) == "<jitffi.Script joined(text: str, n: i64) -> str>"
        assert made("é", 2) == "é0é1"
        with pytest.raises(TypeError, match="joined: 'text': expected str, got int 3"):
            made(3, 2)
        with pytest.raises(TypeError, match="joined: 'n': expected int, got float 2.0"):
            made("a", 2.0)

    def test_a_signature_object_with_names_and_defaults(self):
        sig = jitffi.Signature.parse("(text: str, wanted: str) -> i64")
        made = jitffi.script(count, signature=sig)
        assert str(made.signature) == "(text: str, wanted: str = 'a') -> i64"
        assert made("banana") == 3 and made("banana", wanted="n") == 2

    def test_complete_annotations_are_a_signature(self):
        assert str(annotated.signature) == "(text: str, n: i64 = 2) -> list[str]"
        assert list(annotated("ab")) == ["ab", "ab"]
        assert count.signature is None

    @pytest.mark.parametrize(
        ("signature", "message"),
        [
            ("(str) -> str", r"joined has 2 parameters, its signature \(str\) -> str has 1"),
            ("(texd: str, n: i64) -> str", "parameter 1 is 'text', and 'texd' in its signature"),
            ("(str, i32) -> str", "parameter 2 'n': a script has no type i32: its ints are i64"),
            ("(str, f32) -> str", "a script has no type f32: its floats are f64"),
            ("(str, i64) -> optional[str]", "result: a script has no type optional.str.: what can be None is any"),
            ("(device, i64) -> str", "a script has no type device: scripts have i64, f64"),
            ("(str, i64 = 3) -> str", "the default of 'n' is another in its signature"),
        ],
    )
    def test_one_that_does_not_fit(self, signature, message):
        with pytest.raises((TypeError, ValueError), match=message):
            jitffi.script(joined, signature=signature)

    def test_bytes_take_buffers_and_a_ucs4string_is_text(self):
        made = jitffi.script(first, signature="(bytes) -> i64")
        for value in (b"abc", bytearray(b"abc"), memoryview(b"abc"), jitffi.Bytes(b"abc")):
            assert made(value) == 97
        with pytest.raises(TypeError, match="expected bytes, got"):
            made("abc")
        text = jitffi.script(first, signature="(str) -> str")
        assert text(jitffi.String("éa")) == text(jitffi.UCS4String("éa")) == "é"

    def test_a_c_function_pointer(self):
        made = jitffi.script(scaled, signature="(f64, i64) -> f64")
        native = jitffi.Function.from_native(made.native_address, "(f64, i64) -> f64", keep_alive=made)
        assert native(1.5, 4) == 6.0
        with pytest.raises(TypeError, match="without a signature"):
            _ = count.native_address

    def test_a_float_parameter_takes_an_int(self):
        made = jitffi.script(scaled, signature="(f64, i64) -> f64")
        assert made(2, 3) == 6.0 and type(made(2, 3)) is float

    def test_as_a_typed_callback(self, build_library):
        library = build_library("long apply(long (*f)(long), long x) { return f(f(x)); }")
        apply = jitffi.load_library(library).bind("apply", "(func[(i64) -> i64], i64) -> i64")
        assert apply(jitffi.script(plus_one, signature="(i64) -> i64"), 3) == 5

    def test_positional_only_parameters_have_no_names(self):
        made = jitffi.script(positional)
        assert made(1, b=2) == 3
        with pytest.raises(TypeError, match="positional-only arguments passed as keyword arguments: 'a'"):
            made(a=1, b=2)


def first(value):
    return value[0]


def scaled(x, n):
    return x * n


def positional(a, /, b):
    return a + b


@jitffi.script
def annotated(text: str, n: int = 2) -> list[str]:
    out = []
    for _ in range(n):
        out.append(text)
    return out


class TestStages:
    def test_types_before_a_call_are_those_of_any_arguments(self):
        made = jitffi.script(joined)
        assert made.inspect_types().startswith("joined(text: any, n: any)")

    def test_each_variant_has_its_types(self):
        made = jitffi.script(joined)
        made("a", 1)
        made("a", True)
        shown = made.inspect_types()
        assert "joined(text: str, n: int)" in shown and "joined(text: str, n: bool)" in shown

    def test_ir_and_assembly(self):
        made = jitffi.script(joined)
        made("a", 1)
        assert made.inspect_llvm().startswith("; joined(text: str, n: int) -> str\n")
        assert "define internal fastcc" in made.inspect_llvm()
        assert "define" in made.inspect_llvm(optimized=True)
        assert ".text" in made.inspect_asm()

    def test_a_dump_of_all_stages(self, tmp_path, monkeypatch):
        monkeypatch.setenv("JITFFI_DUMP", str(tmp_path))
        monkeypatch.setenv("JITFFI_CACHE_DIR", "")
        assert jitffi.script(joined)("a", 1) == "a0"
        assert {path.suffix for path in tmp_path.iterdir()} == {".ll", ".s", ".o"}


class TestLifetime:
    def test_scripts_leave_nothing_behind(self):
        def use():
            made = jitffi.script(joined)
            made("ab", 3)
            _ = made.handle
            return weakref.ref(made)

        use()
        gc.collect()
        before = _core.live_objects()
        gone = [use() for _ in range(5)]
        gc.collect()
        assert all(each() is None for each in gone)
        assert _core.live_objects() == before

    def test_results_outlive_the_script(self):
        made = jitffi.script(literal)
        found = made(3)
        del made
        gc.collect()
        assert list(found) == ["a literal that is no small string"] * 3

    def test_arguments_are_given_back(self):
        text, items = "ж" * 100, [1, 2, 3]
        before = sys.getrefcount(text), sys.getrefcount(items)
        for _ in range(10):
            count(text)
            total(items)
        assert (sys.getrefcount(text), sys.getrefcount(items)) == before


def literal(n):
    out = []
    for _ in range(n):
        out.append("a literal that is no small string")
    return out


@jitffi.script
def total(items):
    return sum(items)


class TestPrint:
    def test_it_writes_to_sys_stdout(self, capsys):
        shown("é", 1.5)
        assert capsys.readouterr().out == "é 1.5\n\n"

    def test_an_error_of_sys_stdout_comes_out(self, monkeypatch):
        class Broken:
            def write(self, text):
                raise OSError("no room")

        monkeypatch.setattr(sys, "stdout", Broken())
        with pytest.raises(OSError, match="no room"):
            shown("a", 1)

    def test_without_sys_stdout_nothing_is_written(self, monkeypatch):
        monkeypatch.setattr(sys, "stdout", None)
        assert shown("a", 1) is None


@jitffi.script
def shown(a, b):
    print(a, b)
    print()


@jitffi.script(signature="(i64) -> i64")
def typed_inner(x):
    return x + 1


@jitffi.script
def calls_typed(x):
    return typed_inner(x)


def test_a_script_with_a_signature_takes_nothing_else_in_scripts_either():
    assert calls_typed(1) == 2
    with pytest.raises(TypeError):
        calls_typed("a")


@jitffi.script
def sorts(words):
    return sorted(words, key=lambda word: (len(word), word))


def test_a_lambda_as_a_key():
    assert list(sorts(["bb", "a", "ab"])) == ["a", "ab", "bb"]
