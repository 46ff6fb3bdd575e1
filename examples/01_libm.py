"""All of libm's functions of one and two doubles, from their C prototypes, beside Python's own."""

import math

import jitffi

ONE = """acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor j0 j1 lgamma log log10
log1p log2 logb nearbyint rint round sin sinh sqrt tan tanh tgamma trunc y0 y1"""
TWO = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder"
PROTOTYPES = {name: f"double {name}(double x);" for name in ONE.split()}
PROTOTYPES |= {name: f"double {name}(double x, double y);" for name in TWO.split()}

# A function becomes an attribute when it is first asked for; those that nobody asks for cost nothing.
libm = jitffi.load_library("libm.so.6", cdef="\n".join(PROTOTYPES.values()))

different = 0
for name in PROTOTYPES:
    function = getattr(libm, name)
    arguments = (1.25,) if name in ONE.split() else (1.25, -0.5)
    try:
        native = function(*arguments)
        python = getattr(math, {"tgamma": "gamma"}.get(name, name), None)
        if python is None:
            print(f"{name:10} {native!r}")
        elif not math.isclose(native, python(*arguments), rel_tol=1e-14):
            different += 1
    except ValueError:  # where C returns nan, Python raises
        assert math.isnan(native), name
print(f"{len(PROTOTYPES)} functions; {different} differ from Python's math, where that has them")

print(libm.hypot(3, y=4))  # names from the prototype, ints where floats are wanted
try:
    libm.hypot(3, "four")
except TypeError as error:
    print(error)
