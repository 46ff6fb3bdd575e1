"""Objects of one type: shape, error, nd-array, and the types that programs register, by their keys.

A type's key may be registered after the signature that names it. From Python come its objects, and what stands for
them: ints for a shape, an exception for an error, NumPy's array for an nd-array.
"""

from __future__ import annotations

from jitffi.types.container import Container, release
from jitffi.types.row import ir, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.types.row import Native


class Instance(Container):
    __slots__ = ()
    takes = gives = gives_alone = "typing.Any"
    doc_python = "an object of its class"

    @property
    def shown_takes(self) -> str:  # type: ignore[override]
        return self.type.text

    shown_gives = shown_takes

    @property
    def shown_slot(self) -> str:  # type: ignore[override]
        return f"{self.type.text}, v_object"

    def default(self, value: Any) -> object:
        raise TypeError(f"a parameter of type {self.type.text} takes no default but None: optional[{self.type.text}]")

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        """Objects of the very type, within their instances, need no reference of the frame's; but what they hold is to
        be looked at."""
        if self.type.args[1:]:
            return super().unbox(e, index, obj)
        cold, done, out = e.label("unbox.slow"), e.label("unbox.done"), e.frame(8, "own")
        e.setup(ir.NULL, out)
        e.on_exit(lambda e: release(e, out))
        fast = ir.embedded(e, obj, cold)
        params = e.load("ptr", ir.info(e), e.layout["info.params"], "params")
        pattern = e.load("ptr", params, index * e.layout["param.size"] + e.layout["param.pattern"], "pattern")
        ir.guard(e, e.icmp("ne", pattern, ir.NULL), cold, "known")
        wanted = e.load("i32", pattern, e.layout["pattern.code"], "wanted")
        ir.guard(e, e.icmp("eq", e.load("i32", fast, 0, "code"), wanted), cold, "is.of.type")
        here = e.here
        e.br(done)
        e.at(cold)
        e.helper("unbox_container", e.state, ir.const("i32", index), obj, out)
        slow, there = e.load("ptr", out), e.here
        e.br(done)
        e.at(done)
        return (e.phi([(fast, here), (slow, there)], "object"),)

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        out = e.frame(8, "object")
        e.linkage.need_pattern(e, index)
        e.helper("lift_container", ir.info(e), ir.const("i32", index), view, out)
        return (e.load("ptr", out),)

    def _edge(self, inner: list[list[object]]) -> tuple[object, ...]:
        return ()

    @property
    def edge(self) -> tuple[object, ...]:  # type: ignore[override]
        return ()


_NO_SHAPES: tuple[object, ...] = (None, 1, 1.5, "abc", {}, object)


class Shape(Instance):
    __slots__ = ()
    annotations = ("jitffi.Shape",)
    takes = "collections.abc.Sequence[int]"
    gives = "jitffi.Shape"
    doc_python = "`Shape`, shared; list, tuple of ints, copied"

    @property
    def edge(self) -> tuple[object, ...]:  # type: ignore[override]
        from jitffi._core import Shape as OfCore

        return OfCore([]), OfCore([1, 2, 3])

    @property
    def refused(self) -> tuple[tuple[object, type[Exception]], ...]:  # type: ignore[override]
        return tuple([(value, TypeError) for value in _NO_SHAPES])


class Error(Instance):
    __slots__ = ()
    annotations = ("jitffi.Error",)
    takes = "jitffi.Error | BaseException"
    gives = "jitffi.Error"
    doc_python = "`Error`, an exception"


class NDArray(Instance):
    __slots__ = ()
    annotations = ("jitffi.NDArray",)
    takes = "jitffi.NDArray | numpy.ndarray[typing.Any, typing.Any]"
    gives = "jitffi.NDArray"
    doc_python = "`NDArray`, shared; an array of NumPy's or of another package (DLPack), whose elements it then shares"

    @property
    def edge(self) -> tuple[object, ...]:  # type: ignore[override]
        from jitffi._core import NDArray as OfCore

        return (OfCore._restore([2], "float32", bytes(8)),)

    @property
    def refused(self) -> tuple[tuple[object, type[Exception]], ...]:  # type: ignore[override]
        return tuple([(value, TypeError) for value in (*_NO_SHAPES, [1.0])])


register("instance", Instance)
register("shape", Shape)
register("error", Error)
register("ndarray", NDArray)
