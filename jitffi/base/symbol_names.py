"""Symbols of object files and shared libraries that loaders look for; abi.h says the same to C, and a test compares."""

#: What stands before the name of a packed function.
PACKED_PREFIX = "__jf_"
#: What stands before a function's name in the symbol of its signature's text.
SIGNATURE_PREFIX = "__jfsig_"
#: The version of the ABI that a file was compiled for, a uint32_t.
ABI_VERSION = "__jfabi"
#: In the images of kernels, the Python entry that calls the kernel: of no file, and not a name that C can spell.
KERNEL_ENTRY = "jitffi.entry"
