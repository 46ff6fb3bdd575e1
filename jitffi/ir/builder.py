"""Instructions of one function as LLVM IR text, a block after the other: what adapters and scripts write code with.

Every value carries its LLVM type and every instruction checks its operands, so a wrong type is a Python error at
the line that made it. What goes into the entry block (memory of the frame, and what is stored there before anything
else) is collected while the body is built. A builder knows no type of ours, no convention and no library: `Emitter`
(ir/emitter.py) is one for adapters, `Emit` (scripts/lower/function/emit.py) one for scripts.

A block that nothing leads to is *dead*: it is written all the same, and `is_reached` is false in it.
"""

from __future__ import annotations

from jitffi.ir.casts import FLOATS, INTEGERS, is_legal_cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.cabi import CABI

_LIKELY, _UNLIKELY = ", !prof !0", ", !prof !1"
#: Metadata that `branch` refers to where it is told what is likely; once a module.
MODULE_METADATA = '!0 = !{!"branch_weights", i32 2000, i32 1}\n!1 = !{!"branch_weights", i32 1, i32 2000}\n'

_ALIGN = {
    "i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "i128": 16, "float": 4, "double": 8, "x86_fp80": 4, "fp128": 16,
    "ppc_fp128": 16,
}  # fmt: skip


class V:
    """An SSA value or a constant: its LLVM type and its text."""

    __slots__ = ("text", "type")

    def __init__(self, type_: str, text: str) -> None:
        self.type = type_
        self.text = text

    def __repr__(self) -> str:
        return f"{self.type} {self.text}"


NULL = V("ptr", "null")
TRUE = V("i1", "true")
FALSE = V("i1", "false")


def const(type_: str, value: int) -> V:
    """Return the integer constant *value* of an integer type."""
    assert type_ in INTEGERS, type_
    return V(type_, str(value))


class Builder:
    """Builds the body of one function. *taken*: names of blocks that are not to be given away."""

    #: How `offset` and `index` compute an address.
    STEP = "getelementptr"

    def __init__(self, abi: CABI, *taken: str) -> None:
        self.abi = abi
        self._align = {**_ALIGN, "ptr": abi.pointer_bytes}
        self._allocas: list[str] = []
        self._setups: list[str] = []
        self._lines: list[str] = []
        self._names = dict.fromkeys(("entry", *taken), 1)
        self.is_open = False
        #: Nothing leads to what is being written.
        self.is_dead = False
        #: The label of the block that is being written, for a phi.
        self.here = ""
        self._targets: set[str] = set()
        self._opened_dead: set[str] = set()

    # -- blocks ------------------------------------------------------------------------------------------

    def unique(self, name: str) -> str:
        """A name that nothing in the function has, in quotes where LLVM needs them."""
        n = self._names.get(name, 0)
        while n and f"{name}.{n}" in self._names:
            n += 1
        self._names[name] = n + 1
        found = name
        if n:
            found = f"{name}.{n}"
            self._names.setdefault(found, 1)
        return found if name.isascii() and name.replace(".", "_").isidentifier() else f'"{found}"'

    def label(self, name: str) -> str:
        """Return a new block's label; `at` opens the block."""
        return self.unique(name)

    def at(self, label: str) -> None:
        """Open a block."""
        assert not self.is_open, f"{label}: block {self.here} was not closed"
        self._lines.append(f"{label}:")
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

    def will_lead_to(self, label: str) -> None:
        """What is written later leads there; to the first block the entry block, which `text` writes."""
        if not self.is_dead:
            self._targets.add(label)

    def dead(self) -> None:
        """What follows is never run: close the block if it is open, and go on in one that nothing leads to."""
        if self.is_open:
            self.unreachable()
        self.at(self.label("dead"))

    def emit(self, line: str) -> None:
        """Write an instruction that gives no value."""
        assert self.is_open, f"instruction after the end of block {self.here}: {line}"
        self._lines.append("  " + line)

    def value(self, type_: str, name: str, text: str) -> V:
        """Write an instruction that gives a value of that type."""
        v = V(type_, "%" + self.unique(name))
        self.emit(f"{v.text} = {text}")
        return v

    @property
    def line_count(self) -> int:
        """Of the body, so far."""
        return len(self._lines)

    def text(self, head: str, start: str) -> str:
        """The whole function: its head, up to the brace, and the entry block, which leads to *start*."""
        assert not self.is_open, f"block {self.here} was not closed"
        wrong = self._opened_dead & self._targets
        assert not wrong, f"taken for dead, and reached after all: {wrong}"
        entry = ["entry:", *self._allocas, *self._setups, f"  br label %{start}"]
        return "\n".join([head, *entry, *self._lines, "}"])

    # -- the ends of blocks ------------------------------------------------------------------------------

    def br(self, label: str) -> None:
        self.emit(f"br label %{label}")
        self.leads_to(label)

    def branch(self, condition: V, then: str, other: str, likely: bool | None = None) -> None:
        assert condition.type == "i1", condition
        if condition.text in ("true", "false"):
            self.br(then if condition.text == "true" else other)
            return
        weight = "" if likely is None else _LIKELY if likely else _UNLIKELY
        self.emit(f"br i1 {condition.text}, label %{then}, label %{other}{weight}")
        self.leads_to(then, other)

    def switch(self, value: V, default: str, cases: list[tuple[int, str]]) -> None:
        assert value.type in INTEGERS, value
        rows = " ".join([f"{value.type} {n}, label %{label}" for n, label in cases])
        self.emit(f"switch {value}, label %{default} [ {rows} ]")
        self.leads_to(default, *[label for _, label in cases])

    def ret(self, value: V | None) -> None:
        self.emit("ret void" if value is None else f"ret {value}")
        self.is_open = False

    def unreachable(self) -> None:
        self.emit("unreachable")
        self.is_open = False

    def phi(self, incoming: list[tuple[V, str]], name: str = "v") -> V:
        type_, first = incoming[0][0].type, incoming[0][0].text
        assert all(v.type == type_ for v, _ in incoming), incoming
        if all(v.text == first for v, _ in incoming):
            return incoming[0][0]
        before = self._lines[-1]
        assert before.endswith(":") or " = phi " in before, f"a phi behind {before.strip()}"
        ways = ", ".join([f"[ {v.text}, %{label} ]" for v, label in incoming])
        return self.value(type_, name, f"phi {type_} {ways}")

    # -- arithmetic --------------------------------------------------------------------------------------

    def binary(self, op: str, a: V, b: V, name: str = "v") -> V:
        """Any two-operand instruction of integers: add, sub, mul, sdiv, srem, and, or, xor, shl, lshr, ashr."""
        assert a.type == b.type and a.type in INTEGERS, (op, a, b)
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

    def shl(self, a: V, b: V, name: str = "shifted") -> V:
        return self.binary("shl", a, b, name)

    def lshr(self, a: V, b: V, name: str = "shifted") -> V:
        return self.binary("lshr", a, b, name)

    def ashr(self, a: V, b: V, name: str = "shifted") -> V:
        return self.binary("ashr", a, b, name)

    def not_(self, a: V, name: str = "not") -> V:
        if a.text in ("true", "false"):
            return FALSE if a.text == "true" else TRUE
        return self.binary("xor", a, TRUE, name)

    def overflowing(self, op: str, a: V, b: V, name: str = "v") -> tuple[V, V]:
        """sadd, ssub or smul, umul, ...: the result and whether it did not fit."""
        assert a.type == b.type and a.type in INTEGERS, (op, a, b)
        pair = f"{{ {a.type}, i1 }}"
        v = self.value(pair, name + ".pair", f"call {pair} @llvm.{op}.with.overflow.{a.type}({a}, {b})")
        return self.member(v, 0, a.type, name), self.member(v, 1, "i1", name + ".over")

    def intrinsic(self, name: str, type_: str, *args: V) -> V:
        """`name` without the type behind it: intrinsic("llvm.smax", "i64", a, b). LLVM declares it itself."""
        mangled, given = {"double": "f64", "float": "f32"}.get(type_, type_), ", ".join(map(repr, args))
        return self.value(type_, name.rpartition(".")[2], f"call {type_} @{name}.{mangled}({given})")

    def assume(self, condition: V) -> None:
        """Tell LLVM what holds."""
        self.emit(f"call void @llvm.assume({condition})")

    def opaque(self, value: V, name: str = "opaque") -> V:
        """The same value, of which LLVM knows nothing: what an empty piece of assembly makes of it (LLVM's Language
        Reference, Inline Assembler Expressions). As it is where a register does not hold it."""
        if value.type == "i64" and self.abi.pointer_bytes < 8:
            return value
        return self.value(value.type, name, f'call {value.type} asm "", "=r,0"({value})')

    def icmp(self, predicate: str, a: V, b: V, name: str = "test") -> V:
        assert a.type == b.type and (a.type in INTEGERS or a.type == "ptr"), (predicate, a, b)
        return self.value("i1", name, f"icmp {predicate} {a}, {b.text}")

    def is_null(self, pointer: V) -> V:
        return self.icmp("eq", pointer, NULL, "is.null")

    def float_binary(self, op: str, a: V, b: V, name: str = "f") -> V:
        """fadd, fsub, fmul, fdiv, frem."""
        assert a.type == b.type and a.type in FLOATS, (op, a, b)
        return self.value(a.type, name, f"{op} {a}, {b.text}")

    def fcmp(self, predicate: str, a: V, b: V, name: str = "test") -> V:
        assert a.type == b.type and a.type in FLOATS, (predicate, a, b)
        return self.value("i1", name, f"fcmp {predicate} {a}, {b.text}")

    def fneg(self, a: V) -> V:
        assert a.type in FLOATS, a
        return self.value(a.type, "negated", f"fneg {a}")

    def select(self, condition: V, a: V, b: V, name: str = "choice") -> V:
        assert condition.type == "i1" and a.type == b.type, (condition, a, b)
        return self.value(a.type, name, f"select i1 {condition.text}, {a}, {b}")

    def cast(self, op: str, value: V, type_: str, name: str = "v") -> V:
        """zext, sext, trunc, sitofp, uitofp, fptosi, fpext, fptrunc, bitcast, ptrtoint, inttoptr; to the same type it
        is none."""
        if value.type == type_:
            return value
        assert is_legal_cast(op, value.type, type_), (op, value, type_)
        return self.value(type_, name, f"{op} {value} to {type_}")

    def zext(self, value: V, type_: str, name: str = "wide") -> V:
        return self.cast("zext", value, type_, name)

    def sext(self, value: V, type_: str, name: str = "wide") -> V:
        return self.cast("sext", value, type_, name)

    def trunc(self, value: V, type_: str, name: str = "narrow") -> V:
        return self.cast("trunc", value, type_, name)

    def member(self, whole: V, index: int, type_: str = "i64", name: str = "member") -> V:
        """Return one of the values that a value is made of."""
        return self.value(type_, name, f"extractvalue {whole}, {index}")

    # -- memory ------------------------------------------------------------------------------------------

    def alloca(self, type_: str, name: str, count: int = 1, align: int = 0) -> V:
        """Memory of the frame for a value of that type, or for *count* of them. In the entry block: anywhere else this
        is a dynamic alloca, which grows the frame in a loop."""
        v = V("ptr", "%" + self.unique(name))
        align = align or max(1 if count == 1 else 8, self._align.get(type_, 8))
        what = type_ if count == 1 else f"[{count} x {type_}]"
        self._allocas.append(f"  {v.text} = alloca {what}, align {align}")
        return v

    def allocated(self) -> set[str]:
        """The names of all that `alloca` has given: addresses that are there everywhere."""
        return {line.partition(" = ")[0].strip() for line in self._allocas}

    def setup(self, value: V, pointer: V, offset: int = 0) -> None:
        """Store a constant before anything else runs."""
        assert not value.text.startswith("%"), value
        p = pointer.text
        if offset:
            p = "%" + self.unique("p")
            self._setups.append(f"  {p} = getelementptr i8, ptr {pointer.text}, i64 {offset}")
        self._setups.append(f"  store {value}, ptr {p}, align {self._align[value.type]}")

    def setup_call(self, type_: str, function: V, name: str) -> V:
        """What a function without arguments returns, called once before anything else runs."""
        v = V(type_, "%" + self.unique(name))
        self._setups.append(f"  {v.text} = call {type_} {function.text}()")
        return v

    def align_of(self, type_: str) -> int:
        return self._align[type_]

    def offset(self, pointer: V, offset: int, name: str = "p") -> V:
        """Return *pointer* plus *offset* bytes."""
        assert pointer.type == "ptr", pointer
        if offset == 0:
            return pointer
        return self.value("ptr", name, f"{self.STEP} i8, ptr {pointer.text}, i64 {offset}")

    def index(self, pointer: V, stride: int, index: V, name: str = "at") -> V:
        """*pointer* plus *index* (i64) things of *stride* bytes."""
        assert pointer.type == "ptr" and index.type == "i64", (pointer, index)
        return self.value("ptr", name, f"{self.STEP} [{stride} x i8], ptr {pointer.text}, {index}")

    def load(
        self,
        type_: str,
        pointer: V,
        offset: int = 0,
        name: str = "v",
        align: int = 0,
        here: bool = False,
        kind: str = "",
    ) -> V:
        """Load from memory that is aligned as the type is, or to *align* where that is given. *here*: LLVM
        must not make one load of this and of another on the fast path, which would pay for it with a register.
        *kind*: the metadata that tells which other memory this is not."""
        p = self.offset(pointer, offset)
        how = "load volatile" if here else "load"
        return self.value(type_, name, f"{how} {type_}, ptr {p.text}, align {align or self._align[type_]}{kind}")

    def store(self, value: V, pointer: V, offset: int = 0, align: int = 0, kind: str = "") -> None:
        p = self.offset(pointer, offset)
        self.emit(f"store {value}, ptr {p.text}, align {align or self._align[value.type]}{kind}")

    def load_atomic(self, type_: str, pointer: V, offset: int, name: str) -> V:
        """Load what other threads may be writing, each a value that serves as well."""
        p = self.offset(pointer, offset)
        return self.value(type_, name, f"load atomic {type_}, ptr {p.text} monotonic, align {self._align[type_]}")

    def store_atomic(self, value: V, pointer: V, offset: int) -> None:
        p = self.offset(pointer, offset)
        self.emit(f"store atomic {value}, ptr {p.text} monotonic, align {self._align[value.type]}")

    def copy(self, to: V, from_: V, size: int, align: int = 8) -> None:
        """Constant sizes: becomes loads and stores."""
        places = ", ".join([f"ptr align {align} {p.text}" for p in (to, from_)])
        self.emit(f"call void @llvm.memcpy.inline.p0.p0.i64({places}, i64 {size}, i1 false)")

    def clear(self, at: V, size: int, align: int = 8) -> None:
        self.emit(f"call void @llvm.memset.inline.p0.i64(ptr align {align} {at.text}, i8 0, i64 {size}, i1 false)")

    # -- calls -------------------------------------------------------------------------------------------

    def write_call(
        self,
        words: tuple[str, ...],
        result: str,
        target: V,
        args: list[V],
        attributes: list[str],
        behind: str = "",
        fixed: int | None = None,
    ) -> V:
        """Write a call: *words* are what stands before the result's type, "call" the first of them; "" is none.
        *attributes* are the arguments', *fixed* is how many of them stand before `...`. A void call gives a value that
        must not be used."""
        assert target.type == "ptr", target
        given = [
            " ".join(filter(None, (v.type, attribute, v.text))) for v, attribute in zip(args, attributes, strict=True)
        ]
        called = result if fixed is None else f"{result} ({', '.join([*[v.type for v in args[:fixed]], '...'])})"
        text = " ".join(filter(None, (*words, called, f"{target.text}({', '.join(given)}){behind}")))
        if result == "void":
            self.emit(text)
            return V("void", "")
        return self.value(result, "r", text)
