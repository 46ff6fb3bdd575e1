"""Symbols of object files, libraries and generated code; for loaders abi.h says the same to C, and a test compares."""

#: What stands before the name of a packed function.
PACKED_PREFIX = "__jf_"
#: What stands before a function's name in the symbol of its signature's text.
SIGNATURE_PREFIX = "__jfsig_"
#: The version of the ABI that a file was compiled for, a uint32_t.
ABI_VERSION = "__jfabi"
#: In the images of kernels, the Python entry that calls the kernel: of no file, and not a name that C can spell.
KERNEL_ENTRY = "jitffi.entry"
#: What the unwinder asks about functions with an `invoke` (runtime_c/src/unwind.c). Code that nothing is linked
#: with does without: only the tables name it, and they are written anew (adapters/blob.py).
PERSONALITY = "jf_personality"
