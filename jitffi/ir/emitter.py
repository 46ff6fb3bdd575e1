"""One adapter under construction: instructions (ir/builder.py), and what stands around its straight line of work:

    entry:      allocas, and cleanups' storage set to "nothing to clean"       (collected while the body is built)
                ... the body, one story from top to bottom ...
                cleanups, newest first; ret
    fail.*:     cleanups, newest first; the entry convention's way to fail     (cold, at the end)

Since the storage of every cleanup is set up in the entry block, one failure block per kind of error serves every
failing point. The emitter knows no type and no convention.
"""

from __future__ import annotations

from jitffi.base.layout import MAX_PAD
from jitffi.base.symbol_names import PERSONALITY
from jitffi.ir.builder import NULL, Builder, V, const
from jitffi.runtime.entry_points import HELPERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.base.layout import Layout
    from jitffi.ir.linkage import Linkage
    from jitffi.signature.model import Signature


class Emitter(Builder):
    """Builds one function. `finish` returns its text and asserts that every block was closed."""

    def __init__(self, symbol: str, sig: Signature, layout: Layout, linkage: Linkage) -> None:
        super().__init__(linkage.abi, "body")
        self.symbol = symbol
        self.linkage = linkage
        self.sig = sig
        self.layout = layout
        #: The function's parameters, for the entry half that opened it.
        self.entry_values: list[V] = []
        #: What the entry was called with, for one that calls itself again, and whether it does where text is refused.
        self.called_with: list[V] = []
        self.calls_again = False
        #: n of the out-slots that it makes, AnyPad<n>.
        self.pad = MAX_PAD
        #: What entry points that take the state are given; where it is, is the linkage's business.
        self.state: V = NULL
        self._signature = ""
        self._cleanups: list[tuple[Callable[[Emitter], None], bool]] = []
        self._failures: dict[str, str] = {}
        self._temps: V | None = None
        #: Where exceptions of callees arrive, and what is done there: blocks that are written at the end.
        self._landings: list[tuple[str, Callable[[V], None]]] = []
        #: Parameters that come back with the result, by index, in their native form; for the entry half that made them.
        self.passed_back: list[tuple[int, tuple[V, ...]]] = []
        #: What Python has passed for arrays, by the index of the parameter.
        self.arguments: dict[int, V] = {}
        #: The slots that arrays came in, by the index of the parameter.
        self.views: dict[int, V] = {}
        #: The lengths that a tensor has to have which is the result, -1 for any; empty: the type says all there is.
        self.result_lengths: list[V] = []
        #: Functions of a signature are function objects: no C function passes or takes them here.
        self.has_function_objects = False
        #: Code that may run before the call returns could let go of an argument.
        self.keeps_arguments = False
        #: A helper that fails in Python by NULL makes the value that is returned next: NULL is then its own report.
        self.returning = False

    # -- the function and its blocks ---------------------------------------------------------------------

    def begin(self, result: str, params: list[tuple[str, str, str]], variadic: bool = False) -> list[V]:
        """Open the function; params are (type, attributes, name). Return the parameters' values."""
        values = [V(type_, "%" + self.unique(name)) for type_, _, name in params]
        texts = [
            " ".join(filter(None, (type_, attributes, v.text)))
            for (type_, attributes, _), v in zip(params, values, strict=True)
        ] + ["..."] * variadic
        before, behind = self.linkage.frame(self)
        self._signature = f'{before} {result} @"{self.symbol}"({", ".join(texts)}) {behind}'
        self.will_lead_to("body")
        self.at("body")
        return values

    # -- instructions ----------------------------------------------------------------------------------------

    def load_shared(self, pointer: V, offset: int, name: str) -> V:
        """Load a pointer that other threads may be writing, always the same."""
        # Small machines may lack atomics, and threads with them.
        load = self.load if self.abi.pointer_bytes < 8 else self.load_atomic
        return load("ptr", pointer, offset, name)

    def store_shared(self, value: V, pointer: V, offset: int) -> None:
        store = self.store if self.abi.pointer_bytes < 8 else self.store_atomic
        store(value, pointer, offset)

    def call(
        self,
        result: str,
        target: V,
        args: list[V],
        attributes: list[str] | None = None,
        result_attribute: str = "",
        tail: bool = False,
        convention: str = "",
        fixed: int | None = None,
    ) -> V:
        """Call the address *target*; *fixed* is how many of the arguments stand before `...`. A void call gives a value
        that must not be used."""
        attributes = attributes or [""] * len(args)
        if target.text.startswith("@"):
            self.linkage.note_call(target, result, args, attributes, result_attribute, fixed)
        words = ("tail call" if tail else "call", convention, result_attribute)
        return self.write_call(words, result, target, args, attributes, "", fixed)

    def invoke(
        self,
        result: str,
        target: V,
        args: list[V],
        attributes: list[str],
        result_attribute: str,
        caught: Callable[[V], None],
        fixed: int | None = None,
    ) -> V:
        """Call the address *target*, which may end by an exception: *caught* writes what is done with that, a pointer,
        and leaves by a failure. A void call gives a value that must not be used."""
        if target.text.startswith("@"):
            self.linkage.note_call(target, result, args, attributes, result_attribute, fixed)
        on, landing = self.label("came.back"), self.label("caught")
        self._landings.append((landing, caught))
        to = f" to label %{on} unwind label %{landing}"
        value = self.write_call(("invoke", result_attribute), result, target, args, attributes, to, fixed)
        self.leads_to(on, landing)
        self.at(on)
        return value

    def _land(self, label: str, caught: Callable[[V], None]) -> None:
        self.at(label)
        pair, exception = self.unique("landed"), V("ptr", "%" + self.unique("exception"))
        self.emit(f"%{pair} = landingpad {{ ptr, i32 }} catch ptr null")
        self.emit(f"{exception.text} = extractvalue {{ ptr, i32 }} %{pair}, 0")
        caught(exception)

    # -- storage ---------------------------------------------------------------------------------------------

    def frame(self, size: int, name: str, align: int = 8) -> V:
        """Return *size* bytes of the frame."""
        return self.alloca("i8", name, size, align)

    def machine_type(self, type_: str) -> str:
        """The LLVM type of *type_*, which may also be "size" for size_t, or "longdouble"."""
        return self.abi.machine_type(type_)

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

    # -- failure and cleanup ---------------------------------------------------------------------------------

    def fail_if(self, condition: V, where: str) -> None:
        """Go on below where *condition* is false; else clean up and fail with the error that is set in *where*."""
        on = self.label("ok")
        self.branch(condition, self.failure(where), on, likely=False)
        self.at(on)

    def failure(self, where: str) -> str:
        """Return the label of the block that fails with an error set in "python" or in the "runtime", or, in Python, of
        a "text" that may say by a protocol what it stands for."""
        if where == "text" and not self.calls_again:
            where = "python"
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
        assert not self.is_open, f"{self.symbol}: block {self.here} was not closed"
        return self.text(f"{self._signature}{personality} {{", "body")
