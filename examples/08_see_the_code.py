"""What a binding is made of: its IR and its machine code."""

import jitffi

hypot = jitffi.load_library("libm.so.6").bind("hypot", "(x: f64, y: f64) -> f64")
function = jitffi.Function(hypot)
print(function)
print("\n".join(line for line in function.inspect_llvm().splitlines() if line.startswith("define")))
assembly = [
    line for line in function.inspect_asm().splitlines() if line.startswith("\t") and not line.startswith("\t.")
]
print(len(assembly), "instructions, the first of them:")
print("\n".join(assembly[:8]))
