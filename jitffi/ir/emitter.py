"""One function under construction: typed values in, LLVM IR text out.

Every value carries its LLVM type and every instruction checks its operands, so a wrong type is a Python error at
the line that made it. The emitter also owns what any adapter needs around its straight line of work:

    entry:      allocas, and cleanups' storage set to "nothing to clean"       (collected while the body is built)
                ... the body, one story from top to bottom ...
                cleanups, newest first; ret
    fail.*:     cleanups, newest first; the entry convention's way to fail     (cold, at the end)

Since the storage of every cleanup is set up in the entry block, one failure block per kind of error serves every
failing point. The emitter knows no type and no convention.
"""

from __future__ import annotations

from jitffi.base.layout import MAX_PAD
from jitffi.runtime.entry_points import HELPERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.base.layout import Layout
    from jitffi.ir.cabi import CABI
    from jitffi.ir.linkage import Linkage
    from jitffi.signature.model import Signature

_LIKELY = ", !prof !0"
_UNLIKELY = ", !prof !1"
#: Metadata that `_LIKELY` and `_UNLIKELY` refer to; once a module.
MODULE_METADATA = '!0 = !{!"branch_weights", i32 2000, i32 1}\n!1 = !{!"branch_weights", i32 1, i32 2000}\n'

#: What the unwinder asks about functions with an `invoke` (runtime_c/src/unwind.c). Code that nothing is linked
#: with does without: only the tables name it, and they are written anew (adapters/blob.py).
PERSONALITY = "jf_personality"

_INTEGERS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
_FLOATS = ("float", "double")
_ALIGN = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4, "double": 8, "ptr": 8}


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
    assert type_ in _INTEGERS, type_
    return V(type_, str(value))


class Emitter:
    """Builds one function. `finish` returns its text and asserts that every block was closed."""

    def __init__(self, symbol: str, sig: Signature, layout: Layout, linkage: Linkage) -> None:
        self.symbol = symbol
        self.linkage = linkage
        self.abi: CABI = linkage.abi
        self.sig = sig
        self.layout = layout
        #: The function's parameters, for the entry half that opened it.
        self.entry_values: list[V] = []
        #: n of the out-slots that it makes, AnyPad<n>.
        self.pad = MAX_PAD
        #: What entry points that take the state are given; where it is, is the linkage's business.
        self.state: V = NULL
        self._align = {**_ALIGN, "ptr": self.abi.pointer_bytes}
        self._signature = ""
        self._allocas: list[str] = []
        self._setup: list[str] = []
        self._lines: list[str] = []
        self._names: dict[str, int] = {"entry": 1, "body": 1}
        self._open = False
        self._block = ""
        self._cleanups: list[tuple[Callable[[Emitter], None], bool]] = []
        self._failures: dict[str, str] = {}
        self._temps: V | None = None
        #: Where exceptions of callees arrive, and what is done there: blocks that are written at the end.
        self._landings: list[tuple[str, Callable[[V], None]]] = []
        #: A helper that fails in Python by NULL makes the value that is returned next: NULL is then its own report.
        self.returning = False

    # -- the function and its blocks ---------------------------------------------------------------------

    def begin(self, result: str, params: list[tuple[str, str, str]]) -> list[V]:
        """Open the function; params are (type, attributes, name). Return the parameters' values."""
        values = [V(type_, "%" + self._unique(name)) for type_, _, name in params]
        texts = (
            " ".join(filter(None, (type_, attributes, v.text)))
            for (type_, attributes, _), v in zip(params, values, strict=True)
        )
        before, behind = self.linkage.frame(self)
        self._signature = f'{before} {result} @"{self.symbol}"({", ".join(texts)}) {behind}'
        self._open, self._block = True, "body"
        return values

    def _unique(self, name: str) -> str:
        n = self._names.get(name, 0)
        self._names[name] = n + 1
        return f"{name}.{n}" if n else name

    def label(self, name: str) -> str:
        """Return a new block's label; `at` opens the block."""
        return self._unique(name)

    def at(self, label: str) -> None:
        assert not self._open, f"{label}: block {self._block} was not closed"
        self._lines.append(f"{label}:")
        self._open, self._block = True, label

    @property
    def here(self) -> str:
        """The label of the block that is being written, for a phi."""
        return self._block

    def _emit(self, line: str) -> None:
        assert self._open, f"instruction after the end of block {self._block}: {line}"
        self._lines.append("  " + line)

    def _value(self, type_: str, name: str, text: str) -> V:
        v = V(type_, "%" + self._unique(name))
        self._emit(f"{v.text} = {text}")
        return v

    def br(self, label: str) -> None:
        self._emit(f"br label %{label}")
        self._open = False

    def branch(self, condition: V, then: str, other: str, likely: bool | None = None) -> None:
        assert condition.type == "i1", condition
        weight = "" if likely is None else _LIKELY if likely else _UNLIKELY
        self._emit(f"br i1 {condition.text}, label %{then}, label %{other}{weight}")
        self._open = False

    def ret(self, value: V | None) -> None:
        self._emit("ret void" if value is None else f"ret {value}")
        self._open = False

    def phi(self, incoming: list[tuple[V, str]], name: str = "v") -> V:
        type_ = incoming[0][0].type
        assert all(v.type == type_ for v, _ in incoming), incoming
        if all(v.text == incoming[0][0].text for v, _ in incoming):
            return incoming[0][0]
        return self._value(type_, name, f"phi {type_} " + ", ".join(f"[ {v.text}, %{label} ]" for v, label in incoming))

    # -- instructions ----------------------------------------------------------------------------------------

    def _binary(self, op: str, a: V, b: V, name: str) -> V:
        assert a.type == b.type and a.type in _INTEGERS, (op, a, b)
        return self._value(a.type, name, f"{op} {a.type} {a.text}, {b.text}")

    def add(self, a: V, b: V, name: str = "sum") -> V:
        return self._binary("add", a, b, name)

    def sub(self, a: V, b: V, name: str = "difference") -> V:
        return self._binary("sub", a, b, name)

    def mul(self, a: V, b: V, name: str = "product") -> V:
        return self._binary("mul", a, b, name)

    def and_(self, a: V, b: V, name: str = "bits") -> V:
        return self._binary("and", a, b, name)

    def or_(self, a: V, b: V, name: str = "bits") -> V:
        return self._binary("or", a, b, name)

    def shl(self, a: V, b: V, name: str = "shifted") -> V:
        return self._binary("shl", a, b, name)

    def lshr(self, a: V, b: V, name: str = "shifted") -> V:
        return self._binary("lshr", a, b, name)

    def ashr(self, a: V, b: V, name: str = "shifted") -> V:
        return self._binary("ashr", a, b, name)

    def icmp(self, predicate: str, a: V, b: V, name: str = "test") -> V:
        assert a.type == b.type and (a.type in _INTEGERS or a.type == "ptr"), (predicate, a, b)
        return self._value("i1", name, f"icmp {predicate} {a.type} {a.text}, {b.text}")

    def is_null(self, pointer: V) -> V:
        return self.icmp("eq", pointer, NULL, "is.null")

    def select(self, condition: V, a: V, b: V, name: str = "choice") -> V:
        assert condition.type == "i1" and a.type == b.type, (condition, a, b)
        return self._value(a.type, name, f"select i1 {condition.text}, {a}, {b}")

    def cast(self, op: str, value: V, type_: str, name: str = "v") -> V:
        """zext, sext, trunc, fpext, fptrunc, sitofp, fptosi or bitcast; a cast to the same type is none."""
        if value.type == type_:
            return value
        wider = _INTEGERS.get(type_, 0) > _INTEGERS.get(value.type, 0)
        legal = {
            "zext": wider and value.type in _INTEGERS,
            "sext": wider and value.type in _INTEGERS,
            "trunc": not wider and value.type in _INTEGERS and type_ in _INTEGERS,
            "fpext": (value.type, type_) == ("float", "double"),
            "fptrunc": (value.type, type_) == ("double", "float"),
            "sitofp": value.type in _INTEGERS and type_ in _FLOATS,
            "fptosi": value.type in _FLOATS and type_ in _INTEGERS,
            "bitcast": (value.type in _FLOATS) != (type_ in _FLOATS),
        }
        assert legal[op], (op, value, type_)
        return self._value(type_, name, f"{op} {value} to {type_}")

    def offset(self, pointer: V, offset: int, name: str = "p") -> V:
        """Return *pointer* plus *offset* bytes."""
        assert pointer.type == "ptr", pointer
        if offset == 0:
            return pointer
        return self._value("ptr", name, f"getelementptr i8, ptr {pointer.text}, i64 {offset}")

    def load(self, type_: str, pointer: V, offset: int = 0, name: str = "v", align: int = 0, here: bool = False) -> V:
        """Load from memory that is aligned as the type is, or to *align* where that is given. *here*: LLVM
        must not make one load of this and of another on the fast path, which would pay for it with a register."""
        p = self.offset(pointer, offset)
        how = "load volatile" if here else "load"
        return self._value(type_, name, f"{how} {type_}, ptr {p.text}, align {align or self._align[type_]}")

    def load_shared(self, pointer: V, offset: int, name: str) -> V:
        """Load a pointer that other threads may be writing, always the same."""
        p = self.offset(pointer, offset)
        return self._value("ptr", name, f"load {self._atomic('ptr', p, '')}")

    def store_shared(self, value: V, pointer: V, offset: int) -> None:
        p = self.offset(pointer, offset)
        self._emit(f"store {self._atomic('', p, str(value))}")

    def _atomic(self, type_: str, pointer: V, value: str) -> str:
        """The rest of such an instruction. Small machines may lack atomics, and threads with them."""
        size = self.abi.pointer_bytes
        word, order = ("atomic ", " monotonic") if size == 8 else ("", "")
        return f"{word}{type_}{value}, ptr {pointer.text}{order}, align {size}"

    def store(self, value: V, pointer: V, offset: int = 0) -> None:
        p = self.offset(pointer, offset)
        self._emit(f"store {value}, ptr {p.text}, align {self._align[value.type]}")

    def call(
        self,
        result: str,
        target: V,
        args: list[V],
        attributes: list[str] | None = None,
        result_attribute: str = "",
        tail: bool = False,
        convention: str = "",
    ) -> V:
        """Call the address *target*. A void call gives a value that must not be used."""
        assert target.type == "ptr", target
        attributes = attributes or [""] * len(args)
        if target.text.startswith("@"):
            self.linkage.note_call(target, result, args, attributes, result_attribute)
        texts = (
            " ".join(filter(None, (v.type, attribute, v.text))) for v, attribute in zip(args, attributes, strict=True)
        )
        text = " ".join(
            filter(
                None,
                (
                    "tail call" if tail else "call",
                    convention,
                    result_attribute,
                    result,
                    f"{target.text}({', '.join(texts)})",
                ),
            )
        )
        if result == "void":
            self._emit(text)
            return V("void", "")
        return self._value(result, "r", text)

    def invoke(
        self,
        result: str,
        target: V,
        args: list[V],
        attributes: list[str],
        result_attribute: str,
        caught: Callable[[V], None],
    ) -> V:
        """Call the address *target*, which may end by an exception: *caught* writes what is done with that, a pointer,
        and leaves by a failure. A void call gives a value that must not be used."""
        assert target.type == "ptr", target
        if target.text.startswith("@"):
            self.linkage.note_call(target, result, args, attributes, result_attribute)
        texts = (
            " ".join(filter(None, (v.type, attribute, v.text))) for v, attribute in zip(args, attributes, strict=True)
        )
        text = " ".join(filter(None, ("invoke", result_attribute, result, f"{target.text}({', '.join(texts)})")))
        on, landing = self.label("came.back"), self.label("caught")
        text += f" to label %{on} unwind label %{landing}"
        self._landings.append((landing, caught))
        if result == "void":
            self._emit(text)
            value = V("void", "")
        else:
            value = self._value(result, "r", text)
        self._open = False
        self.at(on)
        return value

    def _land(self, label: str, caught: Callable[[V], None]) -> None:
        self.at(label)
        pair, exception = self._unique("landed"), V("ptr", "%" + self._unique("exception"))
        self._emit(f"%{pair} = landingpad {{ ptr, i32 }} catch ptr null")
        self._emit(f"{exception.text} = extractvalue {{ ptr, i32 }} %{pair}, 0")
        caught(exception)

    # -- storage ---------------------------------------------------------------------------------------------

    def frame(self, size: int, name: str, align: int = 8) -> V:
        """Return *size* bytes of the frame. In the entry block: anywhere else this is a dynamic alloca, which grows
        the frame in a loop."""
        v = V("ptr", "%" + self._unique(name))
        self._allocas.append(f"  {v.text} = alloca [{size} x i8], align {align}")
        return v

    def setup(self, value: V, pointer: V, offset: int = 0) -> None:
        """Store a constant before anything else runs."""
        assert not value.text.startswith("%"), value
        p = pointer
        if offset:
            p = V("ptr", "%" + self._unique("p"))
            self._setup.append(f"  {p.text} = getelementptr i8, ptr {pointer.text}, i64 {offset}")
        self._setup.append(f"  store {value}, ptr {p.text}, align {self._align[value.type]}")

    def machine_type(self, type_: str) -> str:
        """The LLVM type of *type_*, which may also be "size" for size_t."""
        return self.abi.size if type_ == "size" else type_

    # -- the world outside -----------------------------------------------------------------------------------

    def data(self, name: str) -> V:
        """Return the address of an object or variable of the runtime."""
        return self.linkage.data(self, name)

    def helper(self, name: str, *args: V, always: Callable[[], object] | None = None) -> V:
        """Call an entry point of the runtime; a failing call goes to the failure block of its kind of error. *always*
        writes what is done after the call whether it failed or not."""
        row = HELPERS[name]
        given = tuple(a.type for a in args)
        assert given == tuple([self.machine_type(type_) for type_ in row.args]), (name, args, row.args)
        unchecked = self.returning and row.fails == ("null", "python")
        # Without a pointer into this frame the call may take the frame's place.
        tail = unchecked and not self._cleanups and "ptr" not in row.args
        result = self.linkage.call(self, row, list(args), tail)
        if always:
            always()
        if row.fails and not unchecked:
            value, where = row.fails
            if value == "second":
                self.fail_if(self.linkage.has_failed(self, result), where)
                return self.linkage.value(self, result)
            bad = self.icmp("ne", result, const("i32", 0), "failed") if value == "nonzero" else self.is_null(result)
            self.fail_if(bad, where)
        return result

    def member(self, pair: V, index: int) -> V:
        """Return one of a pair of i64s."""
        return self._value("i64", "member", f"extractvalue {pair}, {index}")

    # -- failure and cleanup ---------------------------------------------------------------------------------

    def fail_if(self, condition: V, where: str) -> None:
        """Go on below where *condition* is false; else clean up and fail with the error that is set in *where*."""
        on = self.label("ok")
        self.branch(condition, self.failure(where), on, likely=False)
        self.at(on)

    def failure(self, where: str) -> str:
        """Return the label of the block that fails with an error set in "python" or in the "runtime"."""
        if where not in self._failures:
            self._failures[where] = self.label(f"fail.{where}")
        return self._failures[where]

    def fail(self, where: str) -> None:
        self.br(self.failure(where))

    def on_exit(self, cleanup: Callable[[Emitter], None]) -> None:
        """Run *cleanup* before every return, newest first. Its storage must have been set up by `setup`."""
        self._cleanups.append((cleanup, True))

    def on_failure(self, cleanup: Callable[[Emitter], None]) -> None:
        """The same, but only on the way to a failure: what succeeded gave its resource away."""
        self._cleanups.append((cleanup, False))

    def temps(self) -> V:
        """Return the address of this call's jf_temps; they are released on every way out."""
        if self._temps is None:
            temps = self._temps = self.frame(8, "temps")
            self.setup(NULL, temps)

            def release(e: Emitter) -> None:
                head = e.load("ptr", temps, 0, "temp")
                some, none = e.label("temps.some"), e.label("temps.none")
                e.branch(e.is_null(head), none, some, likely=True)
                e.at(some)
                e.helper("temps_release", temps)
                e.br(none)
                e.at(none)

            self.on_exit(release)
        return self._temps

    def new_temps(self) -> None:
        """What `temps` gives from here on is released before all that stands around it, a lock that was just taken,
        say."""
        self._temps = None

    def run_cleanups(self, failed: bool = False) -> None:
        for cleanup, always in reversed(self._cleanups):
            if always or failed:
                cleanup(self)

    def finish(self, fail: Callable[[Emitter, str], None]) -> str:
        """Write the failure blocks and return the function's text. *fail*(emitter, where) writes each block whole: it
        runs the cleanups, where that is right, and returns."""
        for landing in self._landings:
            self._land(*landing)
        personality = f" personality ptr @{PERSONALITY}" if self._landings else ""
        done: set[str] = set()
        while pending := [where for where in self._failures if where not in done]:
            for where in pending:
                done.add(where)
                self.at(self._failures[where])
                fail(self, where)
        assert not self._open, f"{self.symbol}: block {self._block} was not closed"
        return "\n".join(
            [
                f"{self._signature}{personality} {{",
                "entry:",
                *self._allocas,
                *self._setup,
                "  br label %body",
                "body:",
                *self._lines,
                "}",
            ]
        )
