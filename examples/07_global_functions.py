"""One function, five ways to it: Python, its name, the packed convention, a C pointer, and back from each."""

import jitffi


@jitffi.register_global_func("example.scale")
@jitffi.function("(x: f64, by: f64 = 2.0) -> f64", on_error=-1.0)
def scale(x, by):
    """Multiply two numbers."""
    if by == 0:
        raise ValueError("scaled by nothing")
    return x * by


scaled = jitffi.Function(scale)
by_name = jitffi.get_global_func("example.scale")
packed = jitffi.Function.from_packed(scaled.packed_address, name="packed", self_handle=scaled.handle, keep_alive=scale)
native = jitffi.Function.from_native(scaled.native_address, "(f64, f64) -> f64", name="native", keep_alive=scale)

print("python ", scale(21), scale(21, by=3))
print("by name", by_name(21))
print("packed ", packed(21), packed(21, 3))
print("native ", native(21, 2))
for function in (scale, by_name, packed, native):
    try:
        function(1.0, 0.0)
    except ValueError as error:
        print(f"{function.__name__}: {error}")

anything = jitffi.convert(lambda *values: values)
print("without a signature:", anything(1, 2.5, "text", b"bytes", None, [1, 2]))
jitffi.remove_global_func("example.scale")
