"""Text and bytes: str, ucs4, bytes (pointer and length) and cstr (NUL-terminated).

Native str, ucs4 and bytes are two values, data never NULL; a result goes through an out-slot, in place as far as it has
room. A compact ASCII str and an exact bytes are read where they lie; of other str the UTF-8 form is borrowed. In a
view they are a span of the frame, which costs two stores and no copy.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.types import defaults
from jitffi.types.row import Direct, Row, ir, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.types.row import Native


class Text(Row):
    """What str and bytes share."""

    __slots__ = ()
    parts = ("ptr", "size")
    in_slot = True
    step_words = 2
    c = "const char*"
    takes = gives = shown_takes = shown_gives = doc_python = "str"
    shown_slot = "any code of text"
    script_result = "STR"
    part = ""

    small_code = 0
    span_code = 0
    #: Lengths about those where the form in memory changes: in a slot up to 7, in the largest to 127, on the heap.
    lengths = (0, 1, 7, 8, 15, 16, 127, 128, 129, 5000)

    def default(self, value: Any) -> str | bytes:
        return defaults.text(self, value)

    def read_object(self, e: Emitter, obj: V, cold: str) -> tuple[V, V]:
        raise NotImplementedError

    def unbox_slow(self, e: Emitter, index: int, obj: V, span: V) -> None:
        raise NotImplementedError

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        cold, done = e.label("unbox.slow"), e.label("unbox.done")
        fast, here = self.read_object(e, obj, cold), e.here
        e.br(done)
        e.at(cold)
        span = ir.new_span(e)
        self.unbox_slow(e, index, obj, span)
        slow, there = ir.load_span(e, span), e.here
        e.br(done)
        e.at(done)
        return e.phi([(fast[0], here), (slow[0], there)], "data"), e.phi([(fast[1], here), (slow[1], there)], "size")

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper(f"box_{self.type.name}", *native)

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        small, other, cold, done = e.label("small"), e.label("not.small"), e.label("lift.slow"), e.label("lift.done")
        e.branch(ir.code_is(e, view, self.small_code), small, other)
        e.at(small)
        data = e.offset(view, layout.SLOT_PAYLOAD, "data")
        size = e.cast("zext", e.load("i32", view, layout.SLOT_SMALL_LEN, "size"), e.abi.size)
        e.br(done)
        e.at(other)
        ir.guard(e, ir.code_is(e, view, self.span_code), cold, "span")
        borrowed, here = ir.load_span(e, e.load("ptr", view, layout.SLOT_PAYLOAD, "span")), e.here
        e.br(done)
        e.at(cold)
        span = ir.new_span(e)
        e.helper(f"lift_{self.type.name}", ir.info(e), ir.const("i32", index), view, span, e.temps())
        slow, there = ir.load_span(e, span), e.here
        e.br(done)
        e.at(done)
        return (
            e.phi([(data, small), (borrowed[0], here), (slow[0], there)], "data"),
            e.phi([(size, small), (borrowed[1], here), (slow[1], there)], "size"),
        )

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.store_slot(e, view, self.span_code, ir.store_span(e, *native))

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        e.helper(f"unbox_{self.type.name}_out", e.state, obj, out)
        return out

    def box_result(self, e: Emitter, value: V) -> V:
        return e.helper("box_slot", value)

    def lift_result(self, e: Emitter, slot: V) -> V:
        done, check = e.label("checked"), e.label("check")
        e.branch(ir.code_is(e, slot, self.small_code), done, check)
        e.at(check)
        e.helper("check_out", e.state, slot, ir.const("i32", 0))
        e.br(done)
        e.at(done)
        return slot


class Str(Text):
    __slots__ = ()
    step = "str"
    small_code = layout.SMALL_STR
    span_code = layout.STR_VIEW
    also = ("string",)
    annotations = ("numpy.str_", "jitffi.String")
    script = "STR"
    edge = (*["x" * n for n in Text.lengths], "\0", "a\0b", "\x7f", "\xe9", "\uffff", "\U0010ffff" * 32, "\u20ac" * 43)
    refused = (*[(value, TypeError) for value in (1, None, b"x", ["x"], 1.5)], ("a\ud800", UnicodeEncodeError))

    def read_object(self, e: Emitter, obj: V, cold: str) -> tuple[V, V]:
        ir.guard(e, ir.type_is(e, obj, "unicode_type"), cold, "str")
        state = e.load("i32", obj, e.layout["unicode.state"], "state")
        kind = e.and_(state, ir.const("i32", e.layout["unicode.mask"]))
        ir.guard(e, e.icmp("eq", kind, ir.const("i32", e.layout["unicode.ascii"]), "ascii"), cold, "ascii")
        data = e.offset(obj, e.layout["unicode.data"], "data")
        return data, e.load("i64", obj, e.layout["unicode.length"], "size")

    def unbox_slow(self, e: Emitter, index: int, obj: V, span: V) -> None:
        e.helper("unbox_str", e.state, ir.const("i32", index), obj, span)


class UCS4(Text):
    """Code points: a str of four bytes a character is borrowed, a narrower one widened, a short one into the frame."""

    __slots__ = ()
    step = "ucs4"
    small_code = layout.SMALL_UCS4
    span_code = layout.UCS4_VIEW
    c = "const jf_char32*"

    @property
    def step_words(self) -> int:  # type: ignore[override]
        return layout.HOST["ucs4.room"] // 8

    annotations = ("jitffi.UCS4String",)
    script_annotation = "STR"
    script_instead = "its text is str"
    edge = (
        *["x" * n for n in (0, 1, 2, 3, 31, 32, 33, 5000)],
        *["\U0001f600" * n for n in (1, 2, 3, 31, 32, 33, 5000)],
        *[char * n for char in ("\xe9", "\u20ac") for n in (2, 33, 500)],
        *["\0", "a\0b", "\x7f\xff", "\ud7ff\ue000", "\uffff", "a\U0010ffff", "\U0010ffff" * 32],
    )
    refused = (
        *Str.refused,
        ("\ud800\U0001f600", UnicodeEncodeError),
        ("\U0001f600" * 40 + "\udfff", UnicodeEncodeError),
    )

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        room = e.frame(e.layout["ucs4.room"], "text")
        e.helper("unbox_ucs4", e.state, ir.const("i32", index), obj, room, e.temps())
        return ir.load_span(e, room)


class Bytes(Text):
    __slots__ = ()
    step = "bytes"
    small_code = layout.SMALL_BYTES
    span_code = layout.BYTE_ARRAY
    annotations = ("numpy.bytes_", "jitffi.Bytes")
    takes = "typing_extensions.Buffer"
    gives = shown_gives = "bytes"
    shown_takes = "bytes, buffer"
    shown_slot = "any code of bytes"
    script = script_result = "BYTES"
    doc_python = "bytes, any buffer"
    edge = (*[b"\xff" * n for n in Text.lengths], b"\0", b"a\0b", bytes(range(256)))
    refused = tuple([(value, TypeError) for value in ("x", 1, None, [1], 1.5, memoryview(b"abcdef")[::2])])

    def default(self, value: Any) -> bytes:
        return bytes(value) if isinstance(value, bytes) else defaults.refuse(self, value)

    def read_object(self, e: Emitter, obj: V, cold: str) -> tuple[V, V]:
        ir.guard(e, ir.type_is(e, obj, "bytes_type"), cold, "bytes")
        data = e.offset(obj, e.layout["bytes.data"], "data")
        return data, e.load("i64", obj, e.layout["bytes.size"], "size")

    def unbox_slow(self, e: Emitter, index: int, obj: V, span: V) -> None:
        e.helper("unbox_bytes", e.state, ir.const("i32", index), obj, span, e.temps())


class CStr(Direct):
    """A direct result is borrowed: from C's own memory, or from what the callee half keeps for the frame."""

    __slots__ = ()
    step = "cstr"
    result_is_borrowed = True
    c = "const char*"
    takes = "str | bytes"
    shown_takes = doc_python = "str, bytes"
    gives = shown_gives = "str"
    shown_slot = "raw str, v_raw_str"
    script_instead = "its text is str"
    part = ""
    edge = tuple([text for text in Str.edge if "\0" not in str(text)])
    refused = (
        *[(value, error) for value, error in Str.refused if not isinstance(value, bytes)],
        *[(value, ValueError) for value in ("\0", "a\0b", b"\0", b"a\0b")],
    )

    def default(self, value: Any) -> str:
        if isinstance(value, str) and "\0" in value:
            raise ValueError("a cstr cannot hold a NUL")
        return defaults.text(self, value)

    def _out(self, e: Emitter) -> V:
        return e.frame(8, "text")

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        out = self._out(e)
        e.helper("unbox_cstr", e.state, ir.const("i32", index), obj, out)
        return (e.load("ptr", out),)

    def box(self, e: Emitter, index: int, native: Native) -> V:
        return e.helper("box_cstr", e.state, ir.const("i32", index), native[0])

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        out = self._out(e)
        e.helper("lift_cstr", ir.info(e), ir.const("i32", index), view, out, e.temps())
        return (e.load("ptr", out),)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        ir.refuse_null(e, index, native[0])
        ir.store_slot(e, view, layout.RAW_STR, native[0])

    def lower_result(self, e: Emitter, value: V, out: V) -> None:
        ir.refuse_null(e, -1, value)
        e.helper("out_str", out, value, e.helper("strlen", value))


register("cstr", CStr)
register("str", Str)
register("ucs4", UCS4)
register("bytes", Bytes)
