"""Instructions of one function as LLVM text; every operand is checked where it is written.

What differs from `ir.emitter`: machine arithmetic with overflow, floats, switches, and code that is known to be dead: a
block that nothing branches to is written all the same, and `is_reached` is false in it. Sizes are i64 here whatever
size_t is; `load_size` and `store_size` know what lies in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitffi.ir.emitter import FALSE, NULL, TRUE, V, const

if TYPE_CHECKING:
    from jitffi.ir.cabi import CABI

__all__ = ["FALSE", "NULL", "TRUE", "Emit", "P", "V", "const", "double"]

_INTEGERS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
_FLOATS = ("float", "double")
_ALIGN = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4, "double": 8}
_LIKELY, _UNLIKELY = ", !prof !0", ", !prof !1"


class P(V):
    """An address, and what holds of it where it is an argument: "nocapture readonly", say."""

    __slots__ = ("attributes",)

    def __init__(self, text: str, attributes: str = "") -> None:
        super().__init__("ptr", text)
        self.attributes = attributes


def double(value: float) -> V:
    """A constant, to the last bit."""
    import struct

    return V("double", "0x" + struct.pack(">d", value).hex().upper())


class Emit:
    """Builds the body of one function, a block after the other."""

    def __init__(self, abi: CABI) -> None:
        self.abi = abi
        self._align = {**_ALIGN, "ptr": abi.pointer_bytes}
        self.allocas: list[str] = []
        self.setups: list[str] = []
        self.lines: list[str] = []
        self._names: dict[str, int] = {"entry": 1}
        self.is_open = False
        #: Nothing leads to what is being written.
        self.is_dead = False
        self.here = ""
        self._targets: set[str] = set()
        self._opened_dead: set[str] = set()
        self._comment = ""

    # -- blocks ------------------------------------------------------------------------------------------

    def unique(self, name: str) -> str:
        n = self._names.get(name, 0)
        while n and f"{name}.{n}" in self._names:
            n += 1
        self._names[name] = n + 1
        if n:
            self._names.setdefault(f"{name}.{n}", 1)
        return f'"{name}.{n}"' if n else f'"{name}"' if not name.isidentifier() else name

    def label(self, name: str) -> str:
        """A new block's label; `at` opens the block."""
        return self.unique(name)

    def at(self, label: str) -> None:
        assert not self.is_open, f"{label}: block {self.here} was not closed"
        self.lines.append(f"{label}:")
        self.is_open, self.here = True, label
        self.is_dead = label not in self._targets
        if self.is_dead:
            self._opened_dead.add(label)

    @property
    def is_reached(self) -> bool:
        """The block is open, and something leads to it."""
        return self.is_open and not self.is_dead

    def leads_to(self, *labels: str) -> None:
        """Close the block: its last instruction names these."""
        if not self.is_dead:
            self._targets.update(labels)
        self.is_open = False

    def dead(self) -> None:
        """What follows is never run: close the block if it is open, and go on in one that nothing leads to."""
        if self.is_open:
            self.unreachable()
        self.at(self.label("dead"))

    def emit(self, line: str) -> None:
        assert self.is_open, f"instruction after the end of block {self.here}: {line}"
        self.lines.append("  " + line)

    def comment(self, text: str) -> None:
        """For people; what is said twice in a row is said once."""
        line = f"  ; {text}"
        if text and self._comment != line:
            self.lines.append(line)
            self._comment = line

    def value(self, type_: str, name: str, text: str) -> V:
        v = V(type_, "%" + self.unique(name))
        self.emit(f"{v.text} = {text}")
        return v

    def br(self, label: str) -> None:
        self.emit(f"br label %{label}")
        self.leads_to(label)

    def branch(self, condition: V, then: str, other: str, likely: bool | None = None) -> None:
        assert condition.type == "i1", condition
        if condition.text in ("true", "false"):
            return self.br(then if condition.text == "true" else other)
        weight = "" if likely is None else _LIKELY if likely else _UNLIKELY
        self.emit(f"br i1 {condition.text}, label %{then}, label %{other}{weight}")
        self.leads_to(then, other)
        return None

    def switch(self, value: V, default: str, cases: list[tuple[int, str]]) -> None:
        assert value.type in _INTEGERS, value
        rows = " ".join(f"{value.type} {n}, label %{label}" for n, label in cases)
        self.emit(f"switch {value}, label %{default} [ {rows} ]")
        self.leads_to(default, *(label for _, label in cases))

    def ret(self, value: V | None) -> None:
        self.emit("ret void" if value is None else f"ret {value}")
        self.is_open = False

    def unreachable(self) -> None:
        self.emit("unreachable")
        self.is_open = False

    def phi(self, incoming: list[tuple[V, str]], name: str = "v") -> V:
        """Within one helper's few blocks only; what lives longer goes through memory."""
        type_ = incoming[0][0].type
        assert all(v.type == type_ for v, _ in incoming), incoming
        return self.value(type_, name, f"phi {type_} " + ", ".join(f"[ {v.text}, %{label} ]" for v, label in incoming))

    def will_lead_to(self, label: str) -> None:
        """What is written later leads there; to the first block the entry block, which `function` writes."""
        if not self.is_dead:
            self._targets.add(label)

    def function(self, head: str, start: str) -> str:
        """The text of the whole function."""
        assert not self.is_open, f"block {self.here} was not closed"
        wrong = self._opened_dead & self._targets
        assert not wrong, f"taken for dead, and reached after all: {wrong}"
        body = [head, "entry:", *self.allocas, *self.setups, f"  br label %{start}", *self.lines, "}"]
        return "\n".join(body)

    # -- arithmetic --------------------------------------------------------------------------------------

    def binary(self, op: str, a: V, b: V, name: str = "v") -> V:
        """Any two-operand instruction of integers: add, sub, mul, sdiv, srem, and, or, xor, shl, lshr, ashr."""
        assert a.type == b.type and a.type in _INTEGERS, (op, a, b)
        return self.value(a.type, name, f"{op} {a}, {b.text}")

    def add(self, a: V, b: V, name: str = "sum") -> V:
        return self.binary("add", a, b, name)

    def sub(self, a: V, b: V, name: str = "difference") -> V:
        return self.binary("sub", a, b, name)

    def mul(self, a: V, b: V, name: str = "product") -> V:
        return self.binary("mul", a, b, name)

    def and_(self, a: V, b: V, name: str = "bits") -> V:
        return self.binary("and", a, b, name)

    def or_(self, a: V, b: V, name: str = "bits") -> V:
        return self.binary("or", a, b, name)

    def xor(self, a: V, b: V, name: str = "bits") -> V:
        return self.binary("xor", a, b, name)

    def not_(self, a: V, name: str = "not") -> V:
        if a.text in ("true", "false"):
            return FALSE if a.text == "true" else TRUE
        return self.binary("xor", a, TRUE, name)

    def overflowing(self, op: str, a: V, b: V, name: str = "v") -> tuple[V, V]:
        """sadd, ssub or smul, umul, ...: the result and whether it did not fit."""
        assert a.type == b.type and a.type in _INTEGERS, (op, a, b)
        pair = f"{{ {a.type}, i1 }}"
        v = self.value(pair, name + ".pair", f"call {pair} @llvm.{op}.with.overflow.{a.type}({a}, {b})")
        return (
            self.value(a.type, name, f"extractvalue {v}, 0"),
            self.value("i1", name + ".over", f"extractvalue {v}, 1"),
        )

    def intrinsic(self, name: str, type_: str, *args: V) -> V:
        """`name` without the type behind it: intrinsic("llvm.smax", "i64", a, b). LLVM declares it itself."""
        return self.value(type_, name.rpartition(".")[2], f"call {type_} @{name}.{_mangled(type_)}({_list(args)})")

    def assume(self, condition: V) -> None:
        """Tell LLVM what holds."""
        self.emit(f"call void @llvm.assume({condition})")

    def icmp(self, predicate: str, a: V, b: V, name: str = "test") -> V:
        assert a.type == b.type and (a.type in _INTEGERS or a.type == "ptr"), (predicate, a, b)
        return self.value("i1", name, f"icmp {predicate} {a}, {b.text}")

    def is_null(self, pointer: V) -> V:
        return self.icmp("eq", pointer, NULL, "is.null")

    def float_binary(self, op: str, a: V, b: V, name: str = "f") -> V:
        """fadd, fsub, fmul, fdiv, frem."""
        assert a.type == b.type and a.type in _FLOATS, (op, a, b)
        return self.value(a.type, name, f"{op} {a}, {b.text}")

    def fcmp(self, predicate: str, a: V, b: V, name: str = "test") -> V:
        assert a.type == b.type and a.type in _FLOATS, (predicate, a, b)
        return self.value("i1", name, f"fcmp {predicate} {a}, {b.text}")

    def fneg(self, a: V) -> V:
        assert a.type in _FLOATS, a
        return self.value(a.type, "negated", f"fneg {a}")

    def select(self, condition: V, a: V, b: V, name: str = "choice") -> V:
        assert condition.type == "i1" and a.type == b.type, (condition, a, b)
        return self.value(a.type, name, f"select i1 {condition.text}, {a}, {b}")

    def cast(self, op: str, value: V, type_: str, name: str = "v") -> V:
        """zext, sext, trunc, sitofp, uitofp, fptosi, fpext, fptrunc, bitcast, ptrtoint, inttoptr; to the same type it
        is none."""
        if value.type == type_:
            return value
        return self.value(type_, name, f"{op} {value} to {type_}")

    def zext(self, value: V, type_: str, name: str = "wide") -> V:
        return self.cast("zext", value, type_, name)

    def sext(self, value: V, type_: str, name: str = "wide") -> V:
        return self.cast("sext", value, type_, name)

    def trunc(self, value: V, type_: str, name: str = "narrow") -> V:
        return self.cast("trunc", value, type_, name)

    # -- memory ------------------------------------------------------------------------------------------

    def alloca(self, type_: str, name: str, count: int = 1) -> V:
        """Memory of the frame, in the entry block: anywhere else it would grow in a loop."""
        v = V("ptr", "%" + self.unique(name))
        align = max(8, self._align.get(type_, 8)) if count != 1 else self._align.get(type_, 8)
        what = type_ if count == 1 else f"[{count} x {type_}]"
        self.allocas.append(f"  {v.text} = alloca {what}, align {align}")
        return v

    @property
    def frame_size(self) -> int:
        """Bytes of all that, in which those that come to stand in registers count, too."""
        counts = [line.partition("alloca [")[2].partition(" x ")[0] for line in self.allocas]
        return sum([8 * int(count or 1) for count in counts])

    def setup(self, value: V, pointer: V, offset: int = 0) -> None:
        """Store a constant before anything else runs."""
        assert not value.text.startswith("%"), value
        p = pointer.text
        if offset:
            p = "%" + self.unique("p")
            self.setups.append(f"  {p} = getelementptr i8, ptr {pointer.text}, i64 {offset}")
        self.setups.append(f"  store {value}, ptr {p}, align {self._align[value.type]}")

    def offset(self, pointer: V, offset: int, name: str = "p") -> V:
        """*pointer* plus *offset* bytes."""
        assert pointer.type == "ptr", pointer
        if offset == 0:
            return pointer
        return self.value("ptr", name, f"getelementptr inbounds i8, ptr {pointer.text}, i64 {offset}")

    def index(self, pointer: V, stride: int, index: V, name: str = "at") -> V:
        """*pointer* plus *index* (i64) things of *stride* bytes."""
        assert pointer.type == "ptr" and index.type == "i64", (pointer, index)
        return self.value("ptr", name, f"getelementptr inbounds [{stride} x i8], ptr {pointer.text}, {index}")

    def load(self, type_: str, pointer: V, offset: int = 0, name: str = "v", align: int = 0) -> V:
        p = self.offset(pointer, offset)
        return self.value(type_, name, f"load {type_}, ptr {p.text}, align {align or self._align[type_]}")

    def store(self, value: V, pointer: V, offset: int = 0, align: int = 0) -> None:
        p = self.offset(pointer, offset)
        self.emit(f"store {value}, ptr {p.text}, align {align or self._align[value.type]}")

    def load_size(self, pointer: V, offset: int = 0, name: str = "size") -> V:
        """A size_t, as i64."""
        return self.zext(self.load(self.abi.size, pointer, offset, name), "i64")

    def store_size(self, value: V, pointer: V, offset: int = 0) -> None:
        assert value.type == "i64", value
        self.store(value if self.abi.size == "i64" else self.trunc(value, "i32"), pointer, offset)

    def store_word(self, pointer: V, slot: V, offset: int = 8) -> None:
        """The payload of a slot that is a pointer: eight bytes on every target."""
        self.store(pointer, slot, offset)
        if self.abi.pointer_bytes == 4:
            self.store(const("i32", 0), slot, offset + 4)

    def copy(self, to: V, from_: V, size: int, align: int = 8) -> None:
        """Constant sizes: becomes loads and stores."""
        to_, from__ = (f"ptr align {align} {p.text}" for p in (to, from_))
        self.emit(f"call void @llvm.memcpy.inline.p0.p0.i64({to_}, {from__}, i64 {size}, i1 false)")

    # -- calls -------------------------------------------------------------------------------------------

    def call(self, result: str, target: V, args: list[V], convention: str = "", attributes: str = "") -> V:
        """A call with the extensions of C's convention for i32s (of signed types), and the addresses' attributes."""
        texts = []
        for v in args:
            attribute = v.attributes if isinstance(v, P) else self.abi.extension(v.type, "signext")
            texts.append(" ".join(filter(None, (v.type, attribute, v.text))))
        extension = self.abi.extension(result, "signext") if result in _INTEGERS else ""
        head = " ".join(filter(None, ("call", convention, extension, result)))
        text = f"{head} {target.text}({', '.join(texts)}){attributes}"
        if result == "void":
            self.emit(text)
            return V("void", "")
        return self.value(result, "r", text)


def _list(args: tuple[V, ...]) -> str:
    return ", ".join([repr(a) for a in args])


def _mangled(type_: str) -> str:
    return {"double": "f64", "float": "f32"}.get(type_, type_)
