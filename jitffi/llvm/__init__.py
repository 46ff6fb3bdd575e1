"""LLVM: targets and triples, code generation, its JIT. Nothing above names llvmlite, but for reading versions."""
