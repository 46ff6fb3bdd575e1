"""LLVM IR as text: the typed emitter and the primitives that are inlined everywhere."""
