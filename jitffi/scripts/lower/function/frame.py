"""The frame of one function: its temporaries, who owns what, the ways out, and calls that can fail.

    entry:      allocas; every slot and cell that can own something is null
    body:       ...
    leave:      the variables are released; 0
    fail.L12:   a line of the traceback, then fail
    fail:       variables and temporaries are released; -1

Temporaries belong to a *scope*, as a rule a statement's, which releases them at its end: then they are null again and
serve other statements. So what is in a loop's body leaves nothing behind in a round.
"""

from __future__ import annotations

from contextlib import contextmanager

from jitffi.base import layout
from jitffi.scripts.lower.function import outlined, vector_counts
from jitffi.scripts.lower.function.emit import NULL, SLOT_ATTRIBUTES, Emit, P, V, captured, const
from jitffi.scripts.lower.function.functions import FUNCTIONS
from jitffi.scripts.lower.function.regions import Region
from jitffi.scripts.lower.function.temporaries import Scope, Temporary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jitffi.scripts.lower.function.module import Module

#: jf_iteration is at most this large on any target; its first 16 bytes are a slot.
ITERATION_SIZE = 128
#: What ends a temporary that is no slot or cell.
_ENDS = {"iteration": "jf_iterate_end", "handled": "jf_handled_end"}
#: Of a jf_handled at most, on any target.
HANDLED_SIZE = 96
#: What is compared with 0, by a row's word for failure.
_FAILED = {"nonzero": "ne", "negative": "slt"}


class Frame:
    """See above. `e` writes the instructions."""

    def __init__(self, module: Module, function_name: str, file_name: str) -> None:
        self.module = module
        self.abi = module.abi
        self.e = Emit(module.abi)
        self.function_name = function_name
        self.file_name = file_name
        #: Whether operations that statements repeat are calls of functions of the module (outlined.py).
        self.outlines = False
        #: Where what is being written stands in the source.
        self.line = 0
        self._temporaries: list[Temporary] = []
        self._free: list[Temporary] = []
        self._free_scratch: list[tuple[int, V]] = []
        self.scopes: list[Scope] = [Scope()]
        self._pinned = 0
        #: Where what is being written fails to.
        self.region = Region()
        #: Memory of the frame, and how low its thread's stack may grow; where that is asked.
        self._stack: tuple[V, V] | None = None
        #: Slots and cells of variables, released on every way out.
        self.owners: list[Temporary] = []

    def fresh(self) -> Frame:
        """That of a function of the module that does something for this one, in line."""
        return Frame(self.module, self.function_name, self.file_name)

    # -- temporaries -------------------------------------------------------------------------------------

    @property
    def temporary_pad(self) -> int:
        return self.module.pads.largest

    def temp_slot(self, pad: int | None = None) -> P:
        """An owned slot of this scope, null, that tells its capacity: an out-slot. What is put there is released at the
        scope's end unless it is moved before."""
        return self._temporary("slot", self.temporary_pad if pad is None else pad)

    def temp_cell(self) -> P:
        """The address of a pointer, NULL, that owns the reference that is stored there."""
        return self._temporary("cell", 0)

    def temp_reference(self) -> P:
        """The same for an object of Python's."""
        return self._temporary("reference", 0)

    def temp_owner(self, kind: str) -> P:
        """One of the two, for values of that kind."""
        return self.temp_reference() if kind == "object" else self.temp_cell()

    def temp_iteration(self) -> P:
        """A zeroed jf_iteration of this scope; jf_iterate_end is called for it at its end."""
        return self._temporary("iteration", 0)

    def handled(self) -> P:
        """Memory of a jf_handled, uninitialised, which ends with this scope. A handler that fails ends it itself."""
        made = Temporary("handled", self.e.alloca("i64", "handled", HANDLED_SIZE // 8), 0)
        self.scopes[-1].made.append(made)
        return P(made.p.text, SLOT_ATTRIBUTES)

    def _temporary(self, kind: str, pad: int) -> P:
        found = next((t for t in self._free if (t.kind, t.pad) == (kind, pad)), None)
        if found is not None:
            self._free.remove(found)
        else:
            found = Temporary(kind, self.new_owner(kind, "temp", pad), pad)
            self._temporaries.append(found)
        self.scopes[-1].made.append(found)
        region: Region | None = self.region
        while region is not None:
            region.used[found] = None
            region = region.outer
        return P(found.p.text, SLOT_ATTRIBUTES)

    def new_owner(self, kind: str, name: str, pad: int = 0) -> V:
        """Memory that is null from the entry on; whoever asks for it says where it is released."""
        if kind in ("cell", "reference"):
            p = self.e.alloca("ptr", name)
            self.e.setup(NULL, p)
        elif kind == "slot":
            p = self.e.alloca("i64", name, 2 + pad)
            self.e.setup(self._null_word(pad), p)
            self.e.setup(const("i64", 0), p, 8)
        else:
            p = self.e.alloca("i64", name, ITERATION_SIZE // 8)
            for at in range(0, ITERATION_SIZE, 8):
                self.e.setup(const("i64", 0), p, at)
        return p

    @staticmethod
    def _null_word(pad: int) -> V:
        """The first eight bytes of a null slot that tells its capacity."""
        return const("i64", (layout.capacity(pad) << 32) | (layout.NULL & 0xFFFFFFFF))

    def null_slot(self, slot: V, pad: int | None = None) -> None:
        """Make a slot null whose value was moved away. *pad* None: a temporary's."""
        if pad is None:
            pad = self.pad_of(slot)
        self.e.store(self._null_word(pad), slot)
        self.e.store(const("i64", 0), slot, 8)

    def pad_of(self, slot: V) -> int:
        """n of a slot that this frame made."""
        for each in (*self._temporaries, *self.owners):
            if each.p.text == slot.text:
                return each.pad
        raise AssertionError(f"{slot} is no slot of this frame")

    def scratch(self, size: int) -> P:
        """Bytes of the frame, aligned 8, uninitialised, until this scope's end; owns nothing."""
        size = (size + 7) & ~7
        found = next((each for each in self._free_scratch if each[0] == size), None)
        if found is not None:
            self._free_scratch.remove(found)
        else:
            found = (size, self.e.alloca("i64", "scratch", size // 8))
        self.scopes[-1].scratch.append(found)
        return P(found[1].text, SLOT_ATTRIBUTES)

    @contextmanager
    def scope(self) -> Iterator[Scope]:
        """`with b.frame.scope():` around what a statement, or one round of a loop within an expression, evaluates. At
        the end its temporaries are released, where the end can be reached; values made in it are gone unless they were
        moved out, or are registers."""
        scope = Scope()
        self.scopes.append(scope)
        yield scope
        self.scopes.pop()
        if self.e.is_reached:
            self.release_scope(scope)
        self.free_scope(scope)

    def release_scope(self, scope: Scope) -> None:
        """Write the release of what it made; more than once where several ways lead out of it."""
        for each in reversed(scope.made):
            self.release_owner(each)

    def free_scope(self, scope: Scope) -> None:
        """What it made may be used again from here on: it is null on every way that leads here."""
        self._free += scope.made
        self._free_scratch += scope.scratch
        scope.made, scope.scratch = [], []

    def moved(self, place: V) -> None:
        """The temporary at *place* is null from here on to its scope's end, on every way: no release is written."""
        if self._pinned:
            return
        for scope in self.scopes:
            for each in scope.made:
                if each.p.text == place.text:
                    scope.made.remove(each)
                    self._free.append(each)
                    return

    @contextmanager
    def sometimes(self) -> Iterator[None]:
        """Around code that does not run on every way, and may move values that were made before: on the other ways they
        are still to be released."""
        self._pinned += 1
        yield
        self._pinned -= 1

    def release_owner(self, owner: Temporary, null: bool = True, is_cold: bool = False) -> None:
        """Release what a slot, cell or iteration owns, if anything, and leave it null."""
        if owner.kind == "cell":
            self.release_cell(owner.p, null, is_cold)
        elif owner.kind == "reference":
            self.release_reference(owner.p, null, is_cold)
        elif owner.kind in _ENDS:
            self.call(_ENDS[owner.kind], P(owner.p.text, SLOT_ATTRIBUTES))
        else:
            self.release_slot(owner.p, owner.pad if null else None, owner.kind == "text", is_cold)

    def release_cell(self, cell: V, null: bool = True, is_cold: bool = False) -> None:
        e = self.e
        held = e.load("ptr", cell, 0, "held")
        if is_cold or self.outlines:  # shorter, and always a call
            self.call("jf_object_release", held)
            if null:
                e.store(NULL, cell)
            return
        some, none = e.label("release"), e.label("released")
        e.branch(e.is_null(held), none, some)
        e.at(some)
        self.call("jf_object_release", held)
        if null:
            e.store(NULL, cell)
        e.br(none)
        e.at(none)

    def release_reference(self, place: V, null: bool = True, is_cold: bool = False) -> None:
        held = self.e.load("ptr", place, 0, "held")
        if is_cold:
            self.call("core_op_release", held)
        else:
            self.count_object("release", held)
        if null:
            self.e.store(NULL, place)

    def count_object(self, what: str, object_: V) -> None:
        """`retain` or `release` an object of Python's: in line, but in large functions."""
        if self.outlines:
            self.call(f"core_op_{what}", object_)
        else:
            self.e.call("void", self.module.fragment(f"object.{what}"), [object_])

    def retain(self, kind: str, object_: V) -> None:
        """One reference more, of a value of that kind."""
        if kind == "object":
            self.count_object("retain", object_)
        elif kind == "vector":
            vector_counts.retain(self.e, object_)
        else:
            self.call("jf_object_retain", object_)

    def release_slot(self, slot: V, pad: int | None, is_text: bool = False, is_cold: bool = False) -> None:
        """Release what an owned slot holds; a pad: make it null with that capacity afterwards. *is_text*: it holds text
        or nothing."""
        if self.outlines or is_cold:
            outlined.release_slot(self, slot, pad, is_text)
            return
        e = self.e
        code = e.load("i32", slot, 0, "code")
        some, none = e.label("release"), e.label("released")
        # Whatever is in it can only need a release where it is an object.
        is_object = e.icmp("eq", code, const("i32", layout.OBJECT), "is.object")
        if not is_text:
            is_object = e.or_(is_object, e.icmp("sgt", code, const("i32", 0)))
        e.branch(is_object, some, none)
        e.at(some)
        self.call("jf_object_release", e.load("ptr", slot, 8, "held"))
        e.br(none)
        e.at(none)
        if pad is not None:
            self.null_slot(slot, pad)

    # -- failing -----------------------------------------------------------------------------------------

    def failing(self) -> str:
        """The label where the current line fails, with the last error set; line 0 is none of the traceback."""
        fails = self.region.fails
        if self.line not in fails:
            fails[self.line] = self.e.label(f"fail.L{self.line}")
        return fails[self.line]

    @contextmanager
    def within(self, region: Region) -> Iterator[None]:
        """What is written meanwhile fails as that region does."""
        before, self.region = self.region, region
        line = self.line
        yield
        self.region, self.line = before, line

    def fail(self) -> None:
        """Close this block: the last error is set."""
        self.e.br(self.failing())

    def fail_if(self, condition: V, worded: bool = True, keys: tuple[V, V] | None = None) -> None:
        """Fail with the error that is set where the i1 *condition* is true; go on else."""
        on = self.e.label("ok")
        cold = self.failing() if worded else self.e.label("reword")
        self.e.branch(condition, cold, on, likely=False)
        if not worded:
            self.e.at(cold)
            if keys is None:
                self.call("jf_op_failed")
            else:
                self.call("jf_op_failed_key", *keys)
        self.e.at(on)

    def raise_(self, kind: str, message: str) -> None:
        """Close this block: set the error and fail; or go to the handler that catches it."""
        catcher = self.region.catcher
        if catcher is not None and catcher.take_error(kind, message):
            return
        self.call("jf_script_fail", self.module.c_string(kind), self.module.c_string(message))

    def check_stack(self) -> None:
        """RecursionError where little of the stack is left: whoever is called may call this function, which nobody
        counts."""
        if self._stack is None:
            row = FUNCTIONS["jf_script_stack_limit"]
            limit = self.e.setup_call(row.result, self.module.declare(row, []), "stack")
            self._stack = self.e.alloca("i64", "frame"), limit
        frame, limit = self._stack
        at_the_end = self.e.icmp("ult", self.e.cast("ptrtoint", frame, "i64"), limit)
        self.raise_if(at_the_end, "RecursionError", "maximum recursion depth exceeded")

    def raise_if(self, condition: V, kind: str, message: str) -> None:
        """Raise where the i1 is true. "overflow" is the OverflowError of an int beyond 64 bits, without a message."""
        key, cold = (self.line, kind, message), self.region.cold
        if key not in cold:
            cold[key] = self.e.label(f"{kind}.L{self.line}")
        on = self.e.label("ok")
        self.e.branch(condition, cold[key], on, likely=False)
        self.e.at(on)

    def overflow_if(self, condition: V) -> None:
        self.raise_if(condition, "overflow", "")

    # -- calls -------------------------------------------------------------------------------------------

    def call(
        self, symbol: str, *args: V, checked: bool = True, worded: bool = True, keys: tuple[V, V] | None = None
    ) -> V:
        """Call a function of the runtime, whose row says how it fails (runtime/script_entry_points.py). A size_t comes
        as i64, and goes through `size_arg`. Addresses of temp_slot, temp_cell, scratch, text and view are known not to
        be kept by the callee. Not *checked*: what follows fails anyway. Not *worded*: its errors are in the runtime's
        words, not in Python's. *keys*: the view, and 0, of a key that it had to hash, or views of what a tuple is of,
        and how many."""
        row = FUNCTIONS[symbol]
        given = [captured(a) for a in args] if row.effects == "captures" else list(args)
        machine = self.abi.size if row.result == "size" else row.result
        r = self.e.call(machine, self.module.declare(row, given), given)
        if row.fails == "always":
            self.fail()
        elif checked and row.fails in _FAILED:
            self.fail_if(self.e.icmp(_FAILED[row.fails], r, const(machine, 0), "failed"), worded, keys)
        elif checked and row.fails == "null":
            self.fail_if(self.e.is_null(r))
        return self.e.zext(r, "i64") if row.result == "size" else r

    def size_arg(self, value: V) -> V:
        """An i64 as an argument of type size_t."""
        return value if self.abi.size == "i64" else self.e.trunc(value, "i32")

    # -- the ends ----------------------------------------------------------------------------------------

    def write_cold(self, line: int, kind: str, message: str) -> None:
        """The block that raises that error, of this region."""
        self.line = line
        self.e.at(self.region.cold[line, kind, message])
        if kind == "overflow":
            self.call("jf_script_overflow")
        else:
            self.raise_(kind, message)

    def trace(self, line: V) -> None:
        """A line more in the last error's traceback."""
        file, function = self.module.c_string(self.file_name), self.module.c_string(self.function_name)
        self.call("jf_script_trace", file, function, line)

    def write_failures(self, status: V) -> None:
        """The blocks behind the body: one a line that can fail, and `fail`, which returns *status*."""
        e, region = self.e, self.region
        for key in region.cold:
            self.write_cold(*key)
        if not region.fails:
            return
        fail = e.label("fail")
        for line, label in sorted(region.fails.items()):
            e.at(label)
            if line:  # entries have none
                self.trace(const("i32", line))
            e.br(fail)
        e.at(fail)
        for each in reversed([*self.owners, *self._temporaries]):
            self.release_owner(each, null=False, is_cold=True)
        e.ret(status)
