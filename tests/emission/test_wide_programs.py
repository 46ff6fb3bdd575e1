"""Files with long double, 128-bit integers and complex numbers: objects of each target, programs on other machines."""

from __future__ import annotations

import pytest
from support.cross import MACHINES

from jitffi.emission import adapter_modules
from jitffi.llvm import object_files
from jitffi.llvm.target import Target
from jitffi.signature.model import Signature

LONG_DOUBLES = Signature.parse("(x: longdouble, y: optional[longdouble], z: inout[longdouble]) -> longdouble")
TRIPLES = [
    "x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf", "riscv64-linux-gnu",
    "riscv32-unknown-elf", "powerpc64le-linux-gnu", "mips64el-linux-gnuabi64", "wasm32-wasi", "arm64-apple-macos11.0",
    "x86_64-apple-macos", "x86_64-pc-windows-msvc", "loongarch64-linux-gnu",
]  # fmt: skip
#: From C to C, through adapters: `<name>_there` is called.
BETWEEN = {
    "integers": "(u8, i128, i32, u128, i128, u128) -> i128",
    "singles": "(c64, i32, c64, f32, c64, c64, c64) -> c64",
    "doubles": "(f64, c128, i64, c128, c128, c128, c128) -> c128",
    "longs": "(longdouble, i32, longdouble, f64, longdouble) -> longdouble",
}
PROGRAM = r"""
#include <stdio.h>
#include "jitffi/runtime.h"

#define CHECK(condition) \
  if (!(condition)) printf("%d: " #condition "\n", __LINE__)

long double third(long double x, const long double* y) {
  return x / 4 + (y ? *y : 0);
}
int32_t __jf_third(jf_function* self, int32_t count, const jf_view* args, jf_value* out);
long double back(long double x);
int32_t __jf_back(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  (void)self, (void)count;
  out->type_code = JF_FLOAT, out->v_float64 = 2 * args[0].v_float64;
  return 0;
}

#ifdef __SIZEOF_INT128__
__int128 integers_there(unsigned char a, __int128 b, int c, unsigned __int128 d, __int128 e, unsigned __int128 f) {
  return a + 2 * b + 3 * c + 4 * (__int128)d + 5 * e + 6 * (__int128)f;
}
__int128 integers(unsigned char a, __int128 b, int c, unsigned __int128 d, __int128 e, unsigned __int128 f);
#endif
float _Complex singles_there(float _Complex a, int b, float _Complex c, float d, float _Complex e, float _Complex f,
                             float _Complex g) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
}
float _Complex singles(float _Complex a, int b, float _Complex c, float d, float _Complex e, float _Complex f,
                       float _Complex g);
double _Complex doubles_there(double a, double _Complex b, int64_t c, double _Complex d, double _Complex e,
                              double _Complex f, double _Complex g) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
}
double _Complex doubles(double a, double _Complex b, int64_t c, double _Complex d, double _Complex e,
                        double _Complex f, double _Complex g);
long double longs_there(long double a, int b, long double c, double d, long double e) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e;
}
long double longs(long double a, int b, long double c, double d, long double e);

int main(void) {
  jf_view args[2] = {{.type_code = JF_FLOAT, .v_float64 = 6.0}, {.type_code = JF_NULL}};
  jf_value out = {.type_code = JF_NULL};
  CHECK(__jf_third(NULL, 2, args, &out) == 0 && out.type_code == JF_FLOAT && out.v_float64 == 1.5);
  args[1].type_code = JF_FLOAT, args[1].v_float64 = 0.25;
  out.type_code = JF_NULL;
  CHECK(__jf_third(NULL, 2, args, &out) == 0 && out.v_float64 == 1.75);
  args[0].type_code = JF_NULL;
  out.type_code = JF_NULL;
  CHECK(__jf_third(NULL, 2, args, &out) == -1);
  const jf_error* error = (const jf_error*)jf_error_take();
  printf("%s\n", error->message->data);
  jf_object_release((jf_object*)error);
  CHECK(back(0.75L) == 1.5L);
#ifdef __SIZEOF_INT128__
  const __int128 big = (__int128)1 << 100;
  CHECK(integers(1, -big, 2, 3 * big, -4, 5) == 1 - 2 * big + 6 + 12 * big - 20 + 30);
#endif
  CHECK(singles(1.0f, 2, 1.0iF, 3, 2.0f + 1.0iF, 4, 5.0iF) == 1 + 4 + 12 + 10 + 24 + (3 + 5 + 35) * 1.0iF);
  CHECK(doubles(1, 1.0i, 2, 3, 2.0 + 1.0i, 4, 5.0i) == 1 + 6 + 12 + 10 + 24 + (2 + 5 + 35) * 1.0i);
  CHECK(longs(1.25L, 2, 3, 4, 5) == 1.25L + 4 + 9 + 16 + 25);
  printf("%lld objects left\n", (long long)jf_live_objects());
  return 0;
}
"""


@pytest.mark.parametrize("triple", TRIPLES)
def test_objects_of_each_target(triple):
    target = Target.of(triple)
    for entry, callee in (("packed", "c"), ("c", "packed")):
        text = adapter_modules.module_text({"f": LONG_DOUBLES}, entry=entry, callee=callee, target=target)
        assert object_files.compile_text(text, target, 2, "o")


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("machine", MACHINES)
def test_programs_without_python(machine, level, tmp_path):
    where = MACHINES[machine]
    where.need()
    target, objects = Target.of(where.triple), []

    def emit(sigs, entry, callee, **options):
        text = adapter_modules.module_text(sigs, entry=entry, callee=callee, target=target, **options)
        objects.append(tmp_path / f"{len(objects)}.o")
        objects[-1].write_bytes(object_files.compile_text(text, target, level, "o"))

    emit({"third": Signature.parse("(x: longdouble, y: optional[longdouble]) -> longdouble")}, "packed", "c")
    emit({"back": Signature.parse("(longdouble) -> longdouble")}, "c", "packed")
    for name, text in BETWEEN.items():
        if name == "integers" and target.triple.startswith("arm"):  # C has none of 128 bits there
            with pytest.raises(TypeError, match="C has none on arm"):
                emit({name: Signature.parse(text)}, "c", "c", callee_name=f"{name}_there")
            continue
        emit({name: Signature.parse(text)}, "c", "c", callee_name=f"{name}_there")
    (tmp_path / "main.c").write_text(PROGRAM)
    where.compile(tmp_path / "main", [tmp_path / "main.c", *objects], "-O1", "-Wno-pedantic")
    said = where.run(tmp_path / "main")
    assert said == "third: argument 1 'x': expected longdouble, got null\n0 objects left\n"
