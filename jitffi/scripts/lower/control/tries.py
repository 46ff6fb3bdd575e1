"""`try`, `raise` alone, `del` of variables: what fails in the body of a try comes to its handlers.

    fail.L12:     a line of the body fails: the line is kept       (a block of the region, function/regions.py)
    caught:       temporaries of the body are released; is it one of the first handler's classes? of the next one's?
    handler:      its statements; they are a region of their own
    tried:        what stands behind

An error that generated code finds out itself, such as an index that is out of range, is not made where it is known
which handler catches it: the code goes there. Whoever asks for it makes it then, of its kind, message and line.
"""

from __future__ import annotations

import builtins

from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import FALSE, NULL, SLOT_ATTRIBUTES, TRUE, P, V, const
from jitffi.scripts.lower.function.regions import Region
from jitffi.scripts.lower.function.registry import expression, statement
from jitffi.scripts.lower.function.values import NONE_VALUE, SCALARS, Value, bool_, owned
from jitffi.scripts.lower.python.boxing import boxed, owned_object
from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.types import NONE, OBJECT, STR, join
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.body import Body


@statement(tries.Try)
def try_(b: Body, node: tries.Try) -> None:
    e, frame = b.e, b.frame
    done = e.label("tried")
    region = Region(frame.region, node.number, len(frame.scopes))
    handlers = region.catcher = _Handlers(b, node, region)
    with frame.within(region):
        b.block(node.body)
    if e.is_open:
        b.block(node.other)
    if e.is_open:
        e.br(done)
    handlers.write(done)
    e.at(done)


class _Handlers:
    """The handlers of a try: where its body leads to, and what stands behind it."""

    def __init__(self, b: Body, node: tries.Try, region: Region) -> None:
        self._b = b
        self._node = node
        self._region = region
        #: Where in the body it was; and what, where that is known: kind and message, or a key that was moved here.
        self._line = b.e.alloca("i32", "line")
        self._words: list[V] = []
        self._key: V | None = None
        #: Ways to handlers: with an error, with its kind and message, with a key.
        self._asked: dict[tries.Handler, str] = {}
        self._known: dict[tries.Handler, str] = {}
        self._keyed: dict[tries.Handler, str] = {}

    def write(self, done: str) -> None:
        with self._b.frame.within(self._region):
            for key in list(self._region.cold):
                self._b.frame.write_cold(*key)
        if self._region.fails:
            self._ask()
        for handler in self._node.handlers:
            if any(handler in each for each in (self._asked, self._known, self._keyed)):
                self._handle(handler, done)

    def _catching(self, kind: str) -> tries.Handler | None:
        """The handler of a built-in exception."""
        raised = getattr(builtins, kind)
        for each in self._node.handlers:
            if not each.classes or any(issubclass(raised, getattr(builtins, name)) for name in each.classes):
                return each
        return None

    # -- ways to the handlers ----------------------------------------------------------------------------------------

    def take_key(self, key: P) -> bool:
        b, e, found = self._b, self._b.e, self._catching("KeyError")
        if found is None:
            return False
        if not _cannot_fail(b, found.body):
            if self._key is None:
                self._key = b.frame.new_owner("slot", "key")
            b.frame.call("jf_any_retain", key, P(self._key.text, SLOT_ATTRIBUTES))
        e.store(const("i32", b.frame.line), self._line)
        e.br(self._keyed.setdefault(found, e.label("keyed")))
        return True

    def take_error(self, kind: str, message: str) -> bool:
        b, e, found = self._b, self._b.e, self._catching(kind)
        if found is None:
            return False
        self._words = self._words or [e.alloca("ptr", name) for name in ("kind", "message")]
        e.store(const("i32", b.frame.line), self._line)
        for word, place in zip((kind, message), self._words, strict=True):
            e.store(b.module.c_string(word), place)
        e.br(self._known.setdefault(found, e.label("known")))
        return True

    def _ask(self) -> None:
        """Where lines fail with an error: to the handler that catches it, or out of the region."""
        b, e, frame = self._b, self._b.e, self._b.frame
        caught = e.label("caught")
        for line, label in sorted(self._region.fails.items()):
            e.at(label)
            e.store(const("i32", line), self._line)
            e.br(caught)
        e.at(caught)
        self._release()
        for handler in self._node.handlers:
            asked = self._asked[handler] = e.label("asked")
            if not handler.classes:
                e.br(asked)
                return
            for name in handler.classes:
                other = e.label("other")
                status = frame.call("jf_script_catches", b.module.c_string(name))
                e.branch(e.icmp("ne", status, const("i32", 0), "catches"), asked, other)
                e.at(other)
        frame.trace(e.load("i32", self._line, 0, "line"))
        leave(b)

    def _release(self) -> None:
        for each in reversed(self._region.used):
            self._b.frame.release_owner(each, is_cold=True)

    # -- a handler ---------------------------------------------------------------------------------------------------

    def _handle(self, node: tries.Handler, done: str) -> None:
        b, e, frame = self._b, self._b.e, self._b.frame
        with frame.scope():
            handled = None if _cannot_fail(b, node.body) else frame.handled()
            inner = Region(frame.region, 0, len(frame.scopes), handled)
            self._enter(node, handled)
            with frame.within(inner):
                if handled is not None and not _reaches_nobody(b, node.body):
                    frame.call("jf_handled_show")
                b.block(node.body)
        if e.is_open:
            e.br(done)
        if inner.is_failed_out_of:
            _write_failures(b, inner, lambda: _fail(b, handled))

    def _enter(self, node: tries.Handler, handled: P | None) -> None:
        """The ways to a handler come together. An error that none of its statements can need goes at once."""
        e, frame = self._b.e, self._b.frame
        handler = e.label("handler")
        if node in self._asked:
            e.at(self._asked[node])
            if handled is None:
                frame.call("jf_script_forget")
            else:
                frame.call("jf_handled_begin", handled, *self._place())
            e.br(handler)
        if node in self._known:
            e.at(self._known[node])
            self._release()
            if handled is not None:
                words = [e.load("ptr", each, 0, "word") for each in self._words]
                frame.call("jf_handled_known", handled, *words, *self._place())
            e.br(handler)
        if node in self._keyed:
            e.at(self._keyed[node])
            self._release()
            if handled is not None and self._key is not None:
                frame.call("jf_script_handle_key", handled, P(self._key.text), *self._place())
            e.br(handler)
        e.at(handler)

    def _place(self) -> tuple[V, V, V]:
        frame, constant = self._b.frame, self._b.module.c_string
        line = self._b.e.load("i32", self._line, 0, "line")
        return constant(frame.file_name), constant(frame.function_name), line


def _write_failures(b: Body, region: Region, then: Callable[[], None]) -> None:
    """Where a region fails: its temporaries are released, *then* comes, and the region around fails."""
    e, frame = b.e, b.frame
    with frame.within(region):
        for key in list(region.cold):
            frame.write_cold(*key)
    fails = e.label("region.fails")
    for line, label in sorted(region.fails.items()):
        e.at(label)
        if line:
            frame.trace(const("i32", line))
        e.br(fails)
    e.at(fails)
    for each in reversed(region.used):
        frame.release_owner(each, is_cold=True)
    then()
    leave(b)


def _fail(b: Body, handled: P | None) -> None:
    """A handler ends with another error."""
    if handled is not None:
        b.frame.call("jf_handled_failed", handled)


def leave(b: Body) -> None:
    """Fail out of a region: the traceback has the line already."""
    line, b.frame.line = b.frame.line, 0
    b.frame.fail()
    b.frame.line = line


# -- what a handler needs --------------------------------------------------------------------------------------------


def _cannot_fail(b: Body, body: list[tree.Stmt]) -> bool:
    """Nothing in a handler can raise, so that nobody asks what it is handling."""
    return all(_is_sure(b, stmt) for stmt in body)


def _is_sure(b: Body, stmt: tree.Stmt) -> bool:
    if isinstance(stmt, tree.Assign):
        target, type_ = stmt.targets[0], stmt.value.type
        if len(stmt.targets) > 1 or not isinstance(target, tree.TargetLocal) or type_ != target.variable.type:
            return False
        return _is_constant(stmt.value)
    if isinstance(stmt, tree.Return):
        type_ = NONE if stmt.value is None else stmt.value.type
        fits = join(b.function.result, type_) == b.function.result
        return fits and (stmt.value is None or _is_constant(stmt.value))
    return isinstance(stmt, tree.Pass | tree.Break | tree.Continue)


def _is_constant(node: tree.Expr) -> bool:
    is_there = isinstance(node, tree.Const) or (isinstance(node, tree.Local) and not node.check)
    return is_there and node.type.kind in SCALARS


def _reaches_nobody(b: Body, body: list[tree.Stmt]) -> bool:
    """Nothing in a handler calls code of Python's that could ask what is being handled; operations on objects that
    turn up among values of any type tell it by themselves."""
    waiting, seen = [body], set()
    while waiting:
        for node in walk(waiting.pop()):
            if isinstance(node, tree.Builtin) and node.name == "print":
                return False
            if isinstance(node, tries.Raised | tries.Matches | tries.Enter):
                return False
            if isinstance(node, tries.Titled) and not node.is_told:
                return False
            if isinstance(node, tree.Expr) and node.type.kind == "object":
                return False
            if not isinstance(node, tree.Callee):
                continue
            if node.script is None and not node.builtin:
                return False
            if node.script is not None and node.script not in seen:
                seen.add(node.script)
                waiting += [each.function.body for each in b.module.variants.of(node.script)]
    return True


# -- the other statements --------------------------------------------------------------------------------------------


def _handled(b: Body) -> P | None:
    """The jf_handled of the handler around; None where there is none."""
    region: Region | None = b.frame.region
    while region is not None:
        if region.handled is not None:
            return P(region.handled.text, SLOT_ATTRIBUTES)
        region = region.outer
    return None


@statement(tries.Reraise)
def reraise(b: Body, node: tries.Reraise) -> None:
    frame = b.frame
    handled = _handled(b)
    line, frame.line = frame.line, 0
    if node.own and handled is not None:
        frame.call("jf_handled_reraise", handled)
    else:
        file, function = b.module.c_string(frame.file_name), b.module.c_string(frame.function_name)
        frame.call("jf_script_reraise", file, function, const("i32", line))
    frame.line = line


@statement(tries.Leaving)
def leaving(b: Body, node: tries.Leaving) -> None:
    region = b.frame.region
    while region.number != node.number:
        assert region.outer is not None
        region = region.outer
    assert region.outer is not None
    b.exits.leave_scopes(region.scopes)
    with b.frame.within(region.outer):
        b.block(node.body)


@statement(tries.Titled)
def titled(b: Body, node: tries.Titled) -> None:
    e, frame = b.e, b.frame
    caught = NONE_VALUE if node.is_told else owned_object(b, frame.call("core_op_caught"))
    conversion.assign(b, node.target.variable, caught)
    done, region = e.label("titled"), Region(frame.region, 0, len(frame.scopes))
    with frame.within(region):
        b.block(node.body)
    if e.is_open:
        e.br(done)

    def unbind() -> None:
        for variable in dict.fromkeys((node.target.variable, node.unbound.variable)):
            b.variables.unbind(variable)

    if region.is_failed_out_of:
        _write_failures(b, region, unbind)
    e.at(done)


@expression(tries.Told)
def told(b: Body, node: tries.Told) -> Value:
    slot, handled = b.frame.temp_slot(), _handled(b)
    assert handled is not None, "the reader has names that are told in their clauses alone"
    b.frame.call("core_op_told", handled, const("i32", int(node.is_formatted)), slot)
    return conversion.convert(b, b.storage.any_in(slot), STR)


@statement(tries.Raised)
def raised(b: Body, node: tries.Raised) -> None:
    value = boxed(b, b.storage.lasting(b.expr(node.value)))
    cause = NULL if node.cause is None else boxed(b, b.storage.lasting(b.expr(node.cause))).ssa
    b.frame.call("core_op_raise", value.ssa, cause)


@statement(tries.Enter)
def enter(b: Body, node: tries.Enter) -> None:
    manager, place = boxed(b, b.storage.lasting(b.expr(node.manager))), b.frame.temp_reference()
    entered = owned_object(b, b.frame.call("core_op_enter", manager.ssa, place))
    leave_ = Value(OBJECT, b.e.load("ptr", place, 0, "exit"), owned(place))
    conversion.assign(b, node.exit.variable, leave_)
    conversion.assign(b, node.entered.variable, entered)


@expression(tries.Exits)
def exits(b: Body, node: tries.Exits) -> Value:
    way_out = boxed(b, b.storage.lasting(b.expr(node.exit)))
    return conversion.status(b, b.frame.call("core_op_exit", way_out.ssa, const("i32", int(node.failed))))


@expression(tries.Matches)
def matches(b: Body, node: tries.Matches) -> Value:
    e, found, done = b.e, b.e.alloca("i1", "matches"), b.e.label("matched")
    e.store(TRUE, found)
    for each in node.tests:
        if isinstance(each, str):
            status = b.frame.call("jf_script_handles", b.module.c_string(each))
        else:
            status = b.frame.call("core_op_catches", boxed(b, b.storage.lasting(b.expr(each))).ssa)
        other = e.label("other")
        e.branch(conversion.status(b, status).ssa, done, other)
        e.at(other)
    e.store(FALSE, found)
    e.br(done)
    e.at(done)
    return bool_(e.load("i1", found, 0, "matches"))


@statement(tries.Unbind)
def unbind(b: Body, node: tries.Unbind) -> None:
    variable = node.value.variable
    if node.value.check:
        b.variables.load(variable, check=True)
    b.variables.unbind(variable)
    if node.target.variable is not variable:
        b.variables.unbind(node.target.variable)
