"""Layouts as values: slots, objects, the state of a function, and the interpreter's own structs.

Slots and objects are the ABI's, the same everywhere. Everything of the interpreter is what the extension saw with
`offsetof` when it was compiled; nothing of it is typed in here. A test (test_layout.py) compares all three: this file,
the C header and what LLVM makes of them.
"""

from __future__ import annotations

from jitffi import _core
from jitffi.base import pad_policy

# The slot (abi.h, jf_any).
SLOT_SIZE = 16
SLOT_CODE = 0
SLOT_SMALL_LEN = 4
SLOT_PAYLOAD = 8
#: n of the largest slot, AnyPad<n>, and its payload bytes.
MAX_PAD = pad_policy.MAX_PAD
MAX_CAPACITY = 128
#: Bytes of text that a 16-byte slot holds beside its NUL.
SMALL_TEXT = 7

# The function object (abi.h, jf_function); what it captures follows.
FUNCTION_CALL = 16
FUNCTION_NATIVE = 32
FUNCTION_TYPES = 40
FUNCTION_CAPTURES = 48

# Heap strings (abi.h, jf_str).
STR_DATA = 16
STR_SIZE = 24

# The closure record (runtime.h, jf_closure).
CLOSURE_STATE = 0
CLOSURE_RESULT_CLASS = 16

# Type codes that generated code writes and tests (abi.h).
NULL = -1
INT = -2
FLOAT = -3
BOOL = -4
HANDLE = -5
DTYPE = -6
DEVICE = -7
DLTENSOR = -8
RAW_STR = -9
BYTE_ARRAY = -10
OBJECT = -11
RVALUE = -12
SMALL_STR = -13
SMALL_UCS4 = -14
SMALL_BYTES = -15
STR_VIEW = -17
UINT = -18
UCS4_VIEW = -19
MODULE = 1
FUNCTION = 2
NDARRAY = 3
ROOT = 32
STR = 33
UCS4 = 34
BYTES = 35
LIST = 36
MAP = 37
TUPLE = 38
HOST_OBJECT = 41
SET = 42


def capacity(pad: int) -> int:
    """Payload bytes of an AnyPad<pad>."""
    return 8 + 8 * pad


class Layout:
    """What the code generator must know of the interpreter and of the extension. Offsets and sizes in bytes."""

    __slots__ = ("fields", "state")

    def __init__(self, fields: dict[str, int]) -> None:
        self.fields = fields
        prefix = "state."
        self.state = {name[len(prefix) :]: value for name, value in fields.items() if name.startswith(prefix)}

    def __getitem__(self, name: str) -> int:
        return self.fields[name]

    @property
    def key(self) -> str:
        """Text that differs where code compiled for one layout would be wrong for another."""
        return ",".join(f"{name}={value}" for name, value in sorted(self.fields.items()))


#: The running interpreter.
HOST = Layout(_core.LAYOUT)
