"""DLPack's values: dtype (DLDataType) and device (DLDevice).

In C both are structs that are passed by value, which each target does in its own way (ir/cabi.py). Here they are the
integer of their bytes: i32 for the 4 of DLDataType and i64 for the 8 of DLDevice. Results go through an out-slot.
"""

from __future__ import annotations

from jitffi._core import DataType, Device
from jitffi.base import layout
from jitffi.types import defaults
from jitffi.types.row import ir, register
from jitffi.types.scalar import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.types.row import Native


class Struct(Scalar):
    """A small struct in one integer. The class itself is read in place; C takes whatever else stands for it."""

    __slots__ = ()
    step = "scalar"
    in_slot = True
    settles_slot = False
    gives_alone = "typing.Any"
    part = "dlpack"
    code = 0

    @property
    def struct(self) -> str:  # type: ignore[override]
        return self.type.name

    @property
    def parts(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.result,)

    def read_object(self, e: Emitter, obj: V, cold: str) -> V:
        ir.guard(e, ir.type_is(e, obj, f"{self.type.name}_type"), cold, self.type.name)
        return e.load(self.result, obj, e.layout[f"{self.type.name}.value"], self.type.name)

    def read_slot(self, e: Emitter, slot: V, cold: str) -> V:
        ir.guard(e, ir.code_is(e, slot, self.code), cold, self.type.name)
        return e.load(self.result, slot, layout.SLOT_PAYLOAD, self.type.name)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper(f"box_{self.type.name}", native[0])

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.store_slot(e, view, self.code, e.cast("zext", native[0], "i64"))

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        self.lower(e, -1, self.unbox(e, -1, obj), out)
        return out

    def box_result(self, e: Emitter, value: V) -> V:
        return e.helper("box_slot", value)

    def lift_result(self, e: Emitter, slot: V) -> V:
        """A name becomes what it names on the way."""
        self.lower(e, -1, self.lift(e, -1, slot), slot)
        return slot


class DType(Struct):
    __slots__ = ()
    result = "i32"
    align = 2
    c = "jf_dtype"
    annotations = ("numpy.dtype", "jitffi.DataType")
    gives = "jitffi.DataType"
    shown_takes = "DataType, str, NumPy's"
    shown_gives = "DataType"
    shown_slot = "data type, v_dtype"
    doc_python = "`DataType`, its name; NumPy's dtypes and classes"
    doc_c = "`DLDataType`, by value"
    code = layout.DTYPE
    edge = (
        *[DataType(name) for name in ("float32", "int8x4", "bool", "bfloat16", "float4_e2m1fn", "handle", "void")],
        *[DataType(*fields) for fields in ((0, 1, 1), (255, 255, 65535), (0, 0, 0), (17, 128, 256))],
    )
    refused = (
        *[(value, TypeError) for value in (None, 1, True, 1.5, b"float32", ["float32"], object, Device("cpu"))],
        *[(value, ValueError) for value in ("", "flaot32", "float32 ", "\0", "\ud800")],
    )

    def default(self, value: Any) -> str:
        """The canonical text, of a name or of whatever else stands for a data type."""
        try:
            return str(DataType(value))
        except TypeError:
            return defaults.refuse(self, value)


class DeviceRow(Struct):
    __slots__ = ()
    result = "i64"
    align = 4
    c = "jf_device"
    annotations = ("jitffi.Device",)
    gives = "jitffi.Device"
    shown_takes = "Device, str"
    shown_gives = "Device"
    shown_slot = "device, v_device"
    doc_python = "`Device`, its name"
    doc_c = "`DLDevice`, by value"
    code = layout.DEVICE
    edge = tuple([Device(*fields) for fields in (("cpu",), ("cuda", 1), ("trn", 2**31 - 1), (2, -1), (-(2**31), -5))])
    refused = (
        *[(value, TypeError) for value in (None, 1, True, 1.5, b"cpu", ["cpu"], object, DataType("int8"))],
        *[(value, ValueError) for value in ("", "gpu", "cuda:", "cuda:2147483648", "\ud800")],
    )

    def default(self, value: Any) -> str:
        """The canonical text, of a name or a Device."""
        return str(Device(value)) if isinstance(value, (str, Device)) else defaults.refuse(self, value)


register("dtype", DType)
register("device", DeviceRow)
