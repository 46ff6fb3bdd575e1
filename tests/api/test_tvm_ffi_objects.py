"""Objects of tvm-ffi with reflection in jitffi, ours and Python's there, and tvm-ffi's own functions for tests."""

from __future__ import annotations

import gc
import threading
import traceback
import weakref

import pytest

import jitffi
from jitffi import _core

tvm_ffi = pytest.importorskip("tvm_ffi")
testing = pytest.importorskip("tvm_ffi.testing")


def theirs(name, signature=None):
    return jitffi.from_tvm_ffi(tvm_ffi.get_global_func(name), name, signature)


def in_jitffi(value):
    """What jitffi's functions see of a value of tvm-ffi's Python."""
    held = []
    jitffi.to_tvm_ffi(held.append)(value)
    return held[0]


def test_fields_and_methods_by_name():
    pair = in_jitffi(testing.TestIntPair(3, 4))
    assert (pair.a, pair.b, pair.sum()) == (3, 4, 7)
    assert {"a", "b", "sum"} <= set(dir(pair)) and repr(pair) == "testing.TestIntPair(a=3, b=4)"
    assert isinstance(pair, jitffi.Object) and pair.type_key == "jitffi.TvmFfiObject"
    with pytest.raises(AttributeError, match=r"testing\.TestIntPair has no attribute 'c'"):
        _ = pair.c
    with pytest.raises(AttributeError, match="has as read-only 'a'"):
        pair.a = 5
    with pytest.raises(AttributeError, match="has no field 'sum'"):
        pair.sum = 5
    assert getattr(pair, "other", None) is None and not hasattr(pair, "__array__")


def test_fields_that_are_written_and_inherited():
    given = testing.TestObjectDerived(v_map={"a": 1}, v_array=[1, 2], v_i64=5, v_f64=0.5, v_str="text that is long")
    held = in_jitffi(given)
    assert (held.v_i64, held.v_f64, held.v_str) == (5, 0.5, "text that is long")
    assert list(held.v_array) == [1, 2] and dict(held.v_map) == {"a": 1}
    held.v_i64, held.v_str = 7, "short"
    assert given.v_i64 == 7 and given.v_str == "short" and held.add_i64(3) == 10
    with pytest.raises(TypeError):
        held.v_i64 = "seven"
    assert given.v_i64 == 7
    with pytest.raises(TypeError, match="add_i64"):
        held.add_i64("one", 2)


def test_fields_of_all_kinds():
    holder = in_jitffi(testing.TestObjectPtrHolder(testing.TestObjectBase(v_i64=9)))
    assert holder.value.v_i64 == 9 and holder.optional_value is None
    holder.optional_value = holder.value
    assert holder.optional_value == holder.value and len({holder.value, holder.optional_value}) == 1
    method = holder.value.add_i64
    del holder
    gc.collect()
    assert method(1) == 10


def test_equal_where_it_is_the_same_object():
    pair = testing.TestIntPair(1, 2)
    one, two, other = in_jitffi(pair), in_jitffi(pair), in_jitffi(testing.TestIntPair(1, 2))
    assert one == two and hash(one) == hash(two) and one != other and one != 1
    assert jitffi.List([one]) == jitffi.List([two]) and repr(jitffi.List([one])) == f"List([{one!r}])"
    assert theirs("testing.echo")(one) == one and theirs("testing.TestIntPairSum")(one) == 3


def test_they_are_released():
    uses = tvm_ffi.get_global_func("testing.object_use_count")
    pair = testing.TestIntPair(1, 2)
    before, live = uses(pair), _core.live_objects()
    for _ in range(3):
        held = in_jitffi(pair)
        kept = [held.sum, held.a, jitffi.List([held])]
        assert uses(pair) > before
        del held, kept
    gc.collect()
    assert uses(pair) == before and _core.live_objects() <= live + 1


def test_python_objects_come_as_themselves():
    class Own:
        pass

    given, seen = Own(), []
    ours = jitffi.to_tvm_ffi(lambda x: seen.append(x) or x)
    assert ours(given) is given and seen[0] is given
    assert theirs("testing.echo")(given) is given
    kind = jitffi.from_tvm_ffi(tvm_ffi.convert(lambda x: type(x).__name__))
    assert kind(given) == "Own"
    number = jitffi.List([1])
    assert ours(number)[0] == 1 and isinstance(seen[1], jitffi.List)
    dead = weakref.ref(given)
    seen.clear()
    del given
    gc.collect()
    assert dead() is None


def test_values_of_its_python_go_back_as_what_they_are():
    np = pytest.importorskip("numpy")
    pair = testing.TestIntPair(1, 2)
    assert theirs("testing.TestIntPairSum")(pair) == 3
    assert theirs("testing.TestIntPairSum", "(any) -> i64")(pair) == 3
    assert [each.sum() for each in theirs("testing.schema_id_arr_obj")([pair, pair])] == [3, 3]
    echo = theirs("testing.echo")
    assert list(echo(tvm_ffi.convert([1, 2]))) == [1, 2] and dict(echo(tvm_ffi.convert({"a": 1}))) == {"a": 1}
    assert theirs("testing.apply")(tvm_ffi.get_global_func("testing.add_one"), 5) == 6
    assert theirs("testing.schema_id_device")(tvm_ffi.Device("cuda", 1)) == jitffi.Device("cuda:1")
    assert theirs("testing.schema_id_dtype")(tvm_ffi.dtype("int8")) == jitffi.DataType("int8")
    array = np.arange(3.0)
    for given in (array, tvm_ffi.from_dlpack(array), jitffi.from_dlpack(array)):
        assert np.shares_memory(np.from_dlpack(theirs("testing.schema_id_tensor")(given)), array)


def test_its_tensors_are_arrays_for_all_functions():
    np = pytest.importorskip("numpy")
    theirs("testing.nop")  # from now on both know each other
    array = np.arange(3.0)
    tensor = tvm_ffi.from_dlpack(array)
    uses = tvm_ffi.get_global_func("testing.object_use_count")
    before = uses(tensor)
    kept = []
    keep = jitffi.function("(x: tensor[f64]) -> f64")(lambda x: kept.append(x) or x[1])
    assert keep(tensor) == 1 and np.shares_memory(np.from_dlpack(kept[0]), array)
    assert np.shares_memory(np.from_dlpack(jitffi.from_dlpack(tensor)), array)
    with pytest.raises(TypeError, match=r"expected tensor\[f32\], got .*float64"):
        jitffi.function("(x: tensor[f32]) -> void")(lambda x: None)(tensor)
    kept.clear()
    gc.collect()
    assert uses(tensor) == before


class Exporter:
    """What has no table of DLPack's, only the method."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        if self.array is None:
            raise BufferError("nothing to give")
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


def test_whatever_exports_itself_is_a_tensor_there():
    np = pytest.importorskip("numpy")
    array = np.arange(4)
    there = theirs("testing.schema_id_tensor")(Exporter(array))
    assert np.shares_memory(np.from_dlpack(there), array)
    with pytest.raises(BufferError, match="nothing to give"):
        theirs("testing.schema_id_tensor")(Exporter(None))


def deepest():
    raise IndexError("deep")


def functions_of(error):
    return [entry.name for entry in traceback.extract_tb(error.__traceback__)]


def test_tracebacks_name_the_functions_of_both():
    def calls(callback):
        callback()

    with pytest.raises(IndexError, match="deep") as caught:
        jitffi.to_tvm_ffi(calls)(deepest)
    named = functions_of(caught.value)
    assert named.index("calls") < named.index("deepest")
    with pytest.raises(IndexError, match="deep") as caught:
        jitffi.from_tvm_ffi(tvm_ffi.convert(calls))(deepest)
    named = functions_of(caught.value)
    assert named.index("calls") < named.index("deepest")


def test_ours_are_held_there():
    @jitffi.register_object("test.tvm.Held")
    class Held(jitffi.Object):
        x: int

    given = Held(3)
    there = jitffi.to_tvm_ffi(lambda: given)()
    assert isinstance(there, tvm_ffi.Object)
    assert jitffi.to_tvm_ffi(lambda x: x is given and x.x)(there) == 3
    assert theirs("testing.echo")(given) is given
    assert theirs("testing.echo")([given])[0] is given


def test_from_a_thread_that_has_not_the_interpreters_lock():
    class Own:
        pass

    values, wrong = [Own() for _ in range(50)], []
    ours = jitffi.to_tvm_ffi(lambda x: x)

    def work():
        for value in values:
            if ours(value) is not value:
                wrong.append(value)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


# -- what tvm-ffi tests itself with -----------------------------------------------------------------------------------

VALUES = {
    "int": ("i64", 5), "float": ("f64", 2.5), "bool": ("bool", True), "string": ("str", "text that is long"),
    "bytes": ("bytes", b"bytes that are long"), "any": ("any", "x"), "opt_int": ("optional[i64]", None),
    "opt_str": ("optional[str]", "a"), "arr_int": ("list[i64]", [1, 2]), "arr_str": ("list[str]", ["a", "b" * 20]),
    "arr": ("list", [1, "a", None]), "list_int": ("list[i64]", [3]), "list_str": ("list[str]", ["x"]),
    "map_str_int": ("map[str, i64]", {"a": 1}), "map_str_str": ("map[str, str]", {"a": "b" * 20}),
    "map": ("map", {"a": [1]}), "dict_str_int": ("map[str, i64]", {"k": 2}), "variant_int_str": ("any", "text"),
    "dtype": ("dtype", jitffi.DataType("float16x4")), "device": ("device", jitffi.Device("cuda:1")),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_its_functions_of_one_value(name):
    type_, value = VALUES[name]
    for signature in (None, f"({type_}) -> {type_}"):
        got = theirs(f"testing.schema_id_{name}", signature)(value)
        got = got if isinstance(got, type(value)) else jitffi.to_plain(got)
        assert (type(got), got) == (type(value), value)


def test_its_functions_of_functions_objects_and_arrays():
    np = pytest.importorskip("numpy")
    assert theirs("testing.schema_id_func")(lambda x: x + 1)(41) == 42
    assert theirs("testing.schema_id_func_typed")(lambda *_: None) is not None
    assert theirs("testing.apply")(lambda x, y: x * y, 6, 7) == 42
    assert theirs("testing.add_one")(1) == 2 and theirs("testing.nop")(1, 2, 3) is None
    pair = in_jitffi(testing.TestIntPair(1, 2))
    for name in ("object", "opt_obj"):
        assert theirs(f"testing.schema_id_{name}")(pair) == pair
    assert theirs("testing.schema_id_arr_obj")([pair])[0] == pair
    array = jitffi.from_dlpack(np.arange(3.0))
    for signature in (None, "(tensor[f64]) -> tensor[f64]"):
        assert np.from_dlpack(theirs("testing.schema_id_tensor", signature)(array)).tolist() == [0, 1, 2]
    assert theirs("testing.optional_tensor_view_has_value")(array) is True
    assert theirs("testing.optional_tensor_view_has_value")(None) is False
    held = theirs("testing.make_array_with_tensor")(array)
    assert np.shares_memory(np.from_dlpack(held[0]), np.from_dlpack(array))
    nested = theirs("testing.make_dict_with_tensor")(array)
    assert any(type(value) is jitffi.NDArray for value in nested.values())
    with pytest.raises(TypeError, match=r"testing.schema_id_int|schema_id_int"):
        theirs("testing.schema_id_int")("text")


def test_its_function_by_address():
    """The symbol that tvm-ffi's tests export, as a callee of the convention."""
    address = tvm_ffi.get_global_func("testing.get_add_one_c_symbol")()
    value = getattr(address, "value", address)
    function = _core.tvm_function(int(value), "add_one", 0, None, None)
    assert function(41) == 42


def test_an_object_of_a_type_that_is_not_registered_there():
    held = theirs("testing.make_unregistered_object")()
    assert isinstance(held, jitffi.Object) and theirs("testing.echo")(held) == held
