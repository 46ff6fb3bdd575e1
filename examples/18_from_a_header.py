"""A module from a C header: bound, read, imported, called."""

import importlib.util
import tempfile
from pathlib import Path

import jitffi

HEADER = """
#define GEOMETRY_LIMIT (1 << 20) /* of the larger side */

/* Which of the sides is meant. */
enum side { SIDE_SHORT = 1, SIDE_LONG };

/* The length of the hypotenuse. */
double hypot(double x, double y);
/* Fraction and exponent of VALUE: the exponent goes to where EXPONENT points. */
double frexp(double value, int *exponent);

long double hypotl(long double x, long double y);
double geometry_area(double x, double y);
"""

with tempfile.TemporaryDirectory() as folder:
    header, path = Path(folder, "geometry.h"), Path(folder, "geometry.py")
    header.write_text(HEADER)
    # The same as: jitffi bind geometry.h --library m -o geometry.py
    made = jitffi.bind_header(header, "m", path)
    print(made.summary)
    for refused in made.refused:
        print(f"  {refused.name}: {refused.reason}")

    text = path.read_text()
    print(text[text.index("@_lib") : text.index("# -- names")])

    spec = importlib.util.spec_from_file_location("geometry", path)
    assert spec is not None and spec.loader is not None
    geometry = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(geometry)

print(f"hypot of 3 and 4 is {geometry.hypot(3, y=4)}; the limit is {geometry.GEOMETRY_LIMIT}")
exponent = jitffi.new("i32")
fraction = geometry.frexp(48.0, exponent)
print(f"48 is {fraction} times 2 to the {exponent.value}")
print(geometry.frexp.__doc__)
