"""Several libraries in C++ in one process: what each has under the same names is its own; what still has their code."""

from __future__ import annotations

import gc

import pytest
from support.cxx import COMPILERS, compiled

import jitffi

SOURCE = """
#include <jitffi/jitffi.hpp>
using namespace jitffi;
struct Point : Object {
  static constexpr char type_key[] = "NAME.Point";
  FIELD;
};
JITFFI_STATIC_BLOCK(register_point) { Class<Point>("NAME.Point").field("value", &Point::value); }
JITFFI_REGISTER_GLOBAL("NAME.adder").set_body_typed([](int n) { return Function([n](int x) { return x + n; }); });
JITFFI_EXPORT_TYPED(make, [] { return make_object<Point>(); });
JITFFI_EXPORT_TYPED(get, [](const List<Ref<Point>>& points) { return points[0]->value; });
JITFFI_EXPORT_ABI;
"""
PLAIN = """
#include <jitffi/jitffi.hpp>
JITFFI_EXPORT_TYPED(add, [](int a, int b) { return a + b; });
JITFFI_EXPORT_ABI;
"""


def library(folder, name, text, compiler="g++"):
    source = folder / f"{name}.cpp"
    source.write_text(text)
    return jitffi.load_module(str(compiled(source, folder / f"{name}.so", "-shared", "-fPIC", compiler=compiler)))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_classes_of_one_name_in_two_libraries(compiler, tmp_path):
    names = [f"{side}{compiler[0]}" for side in ("left", "right")]
    fields = ["double value = 1.5", 'String value = "two"']
    left, right = (
        library(tmp_path, name, SOURCE.replace("NAME", name).replace("FIELD", field), compiler)
        for name, field in zip(names, fields, strict=True)
    )
    assert (left.make().value, right.make().value) == (1.5, "two")
    assert (left.get([left.make()]), right.get([right.make()])) == (1.5, "two")
    with pytest.raises(TypeError, match=rf"expected list\[{names[0]}\.Point\]"):
        left.get([right.make()])
    with pytest.raises(TypeError, match=rf"expected list\[{names[1]}\.Point\]"):
        right.get([left.make()])


def test_code_that_is_registered_outlives_its_module(tmp_path):
    module = library(tmp_path, "gone", SOURCE.replace("NAME", "gone").replace("FIELD", "int value = 7"))
    point = module.make()
    gc.collect()
    module.close()
    adder = jitffi.get_global_func("gone.adder")(5)
    assert adder(37) == 42 and point.value == 7
    del point
    gc.collect()
    jitffi.remove_global_func("gone.adder")


def test_a_library_of_exports_is_unloaded(tmp_path):
    module = library(tmp_path, "plain", PLAIN)
    assert module.add(1, 2) == 3
    gc.collect()
    module.close()
    with open("/proc/self/maps", encoding="utf-8") as maps:
        assert not any("plain.so" in line and str(tmp_path) in line for line in maps)
