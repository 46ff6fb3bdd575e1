"""CPython's own convention: METH_FASTCALL in, vectorcall out.

    PyObject* f(PyObject* self, PyObject* const* args, Py_ssize_t nargs [, PyObject* kwnames])

`self` is the Function object of the exact builtin that the interpreter calls; the state is a part of it. With keywords
the values of a call that names them in order lie behind the positional ones and are used in place: the tuple of names
of the last such call is remembered, and a call site brings the same tuple each time. Everything else is arranged in C.
"""

from __future__ import annotations

from jitffi.base.layout import capacity
from jitffi.conventions.base import Convention, Options, param_rows, register
from jitffi.conventions.dimensions import Dimensions, Refusals, has_lengths
from jitffi.ir.builder import NULL, V, const
from jitffi.ir.primitives import keep_arguments, new_out_slot
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions.base import ArgumentPlace
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Signature
    from jitffi.types.row import Native, Row


class _Refusals(Refusals):
    def length(self, e: Emitter, index: int, dim: int, here: V, other: V, there: V) -> None:
        where = (e.state, const("i32", index), e.arguments[index])
        e.helper("refuse_length", *where, const("i32", dim), here, other, there)

    def filled(self, e: Emitter, index: int, given: V, source: V, exact: bool, there: V) -> None:
        e.helper("refuse_filled", e.state, const("i32", index), given, source, const("i32", int(exact)), there)

    def missing(self, e: Emitter, index: int) -> None:
        e.helper("argument_missing", e.state, const("i32", index))

    def beyond(self, e: Emitter, index: int, there: V, source: V) -> None:
        e.helper("refuse_beyond", e.state, const("i32", index), there, source)


class Python(Convention):
    name = "python"
    prefix = "__jfpy_"
    holds_gil = True
    needs_python = True

    def prototype(self, name: str, sig: Signature) -> str:
        keywords = ", PyObject* kwnames" if any(p.name is not None for p in sig.params) else ""
        return f"PyObject* {name}(PyObject* self, PyObject* const* args, Py_ssize_t nargs{keywords})"

    def declaration(self, name: str, sig: Signature) -> list[str]:
        """For those who have included Python.h; METH_KEYWORDS or not, an entry can be called with no names."""
        arguments = "PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames"
        return ["#ifdef Py_PYTHON_H", f"PyObject* {self.prefix}{name}({arguments});", "#endif"]

    def places(self, sig: Signature, labels: list[str]) -> list[ArgumentPlace]:
        rows, order = param_rows(sig), sig.order
        places = [(f"args[{at}]", labels[i], rows[i].shown_takes) for at, i in enumerate(order.positional)]
        places += [("by keyword", labels[i], rows[i].shown_takes) for i in order.keyword_only]
        given = f"{row(sig.result).shown_gives}; NULL with an exception set"
        return [*places, ("returns", str(sig.result), given)]

    def refuse_variadic(self, sig: Signature, is_entry: bool) -> None:
        """Each call of a variadic function has an adapter of its own (api/variadic.py)."""

    # -- entry -------------------------------------------------------------------------------------------

    def begin(self, e: Emitter, sig: Signature, options: Options) -> None:
        params = [("ptr", "", "self"), ("ptr", "", "args"), ("i64", "", "nargs")]
        if options.keywords:
            params.append(("ptr", "", "kwnames"))
        values = e.begin("ptr", params)
        e.called_with = values if options.keywords else [*values, NULL]
        e.calls_again = e.linkage.calls_again
        types = [p.type.inner if p.type.is_optional else p.type for p in sig.params]
        e.keeps_arguments = options.nogil or any(ty.name == "func" for ty in types)
        e.linkage.from_self(e, values[0])
        n, by_keyword = len(sig.params), 0
        if not sig.in_order:
            n, by_keyword = len(sig.order.positional), len(sig.order.keyword_only)
        if options.by_name:
            return self._arrange_all(e, sig, values, options)
        right, wrong = e.label("arity"), e.label("arrange")
        sources: list[tuple[V, str]] = []
        tails: list[tuple[V, str]] = []
        all_given = e.icmp("eq", values[2], const("i64", n), "all")
        if options.keywords:
            all_given = e.and_(all_given, e.is_null(values[3]), "all")
            named = e.label("named")
            sources.append((values[1], e.here))
            e.branch(all_given, right, named)
            e.at(named)
            same = e.icmp("eq", values[3], e.load("ptr", e.state, e.layout.state["kw_names"], "names"))
            given = e.icmp("eq", values[2], e.load("i64", e.state, e.layout.state["kw_given"], "given"))
            all_given = e.and_(same, given, "in.order")
        sources.append((values[1], e.here))
        e.branch(all_given, right, wrong, likely=True)
        e.at(wrong)
        if options.keywords or options.defaults:
            space = e.frame(8 * max(n + by_keyword, 1), "arranged")
            names = values[3] if options.keywords else NULL
            tails = [(NULL, here) for _, here in sources]
            sources.append((e.helper("arrange", e.state, values[1], values[2], names, space), e.here))
            if by_keyword:
                tails.append((e.offset(space, 8 * n, "by.keyword"), e.here))
            e.br(right)
        else:
            e.helper("raise_arity", e.state, values[2])
            e.fail("python")
        e.at(right)
        e.entry_values = [values[0], e.phi(sources, "args"), e.phi(tails, "tail") if by_keyword else NULL]

    def _arrange_all(self, e: Emitter, sig: Signature, values: list[V], options: Options) -> None:
        """Let C put what is given and defaults where the parameters have them: no call gives all in their order."""
        space = e.frame(8 * len(sig.params), "arranged")
        args = e.helper("arrange", e.state, values[1], values[2], values[3], space)
        e.entry_values = [values[0], args, NULL]

    def lift_params(self, e: Emitter, sig: Signature) -> list[Native]:
        """Arrays come last, and integers that they fill in behind them: converting may run any code, which could let go
        of what was read before."""
        args, tail = e.entry_values[1:3]
        rows = param_rows(sig)
        if sig.in_order and not has_lengths(sig) and not any(r.passes_back or r.lends for r in rows):
            return [r.unbox(e, i, e.load("ptr", args, 8 * i, f"arg{i}")) for i, r in enumerate(rows)]
        order = sig.order
        values: dict[int, Native] = {}
        dimensions = Dimensions(sig, _Refusals())
        given = [(at, i) for at, i in enumerate(order.passed) if i not in order.filled]
        for at, i in sorted(given, key=lambda each: rows[each[1]].lends):
            obj = e.load("ptr", args, 8 * (i if order.has_defaults_by_name else at), f"arg{i}")
            if rows[i].lends:
                e.arguments[i] = obj
            values[i] = rows[i].unbox(e, i, obj)
            dimensions.bind(e, i, values[i])
            if e.keeps_arguments and rows[i].lends:
                e.helper("keep_argument", e.temps(), obj)
        for at, i in enumerate(order.keyword_only):
            if i in order.filled:
                place = (args, i) if order.has_defaults_by_name else (tail, at)
                values[i] = self._filled(e, rows[i], i, dimensions, *place)
        e.result_lengths = dimensions.of_result(e, values)
        for i in order.outs:
            values[i] = rows[i].make(e, i, dimensions.lengths(e, sig.params[i].type.args[0], values))
        e.passed_back = [(i, values[i]) for i, r in enumerate(rows) if r.passes_back]
        return [values[i] for i in range(len(rows))]

    def _filled(self, e: Emitter, r: Row, index: int, dimensions: Dimensions, given: V, at: int) -> Native:
        """An integer that is given by keyword, at *at* of the array *given*, or what arrays say where that is NULL."""
        maybe, checked, asked, done = e.label("maybe"), e.label("given"), e.label("filled"), e.label("integer")
        e.branch(e.is_null(given), asked, maybe, likely=True)
        e.at(maybe)
        obj = e.load("ptr", given, 8 * at, f"arg{index}")
        e.branch(e.is_null(obj), asked, checked)
        e.at(checked)
        keep_arguments(e)
        value = r.unbox(e, index, obj)
        dimensions.check(e, index, value)
        here = e.here
        e.br(done)
        e.at(asked)
        filled = dimensions.fill(e, index)
        there = e.here
        e.br(done)
        e.at(done)
        return (e.phi([(value[0], here), (filled[0], there)], f"filled{index}"),)

    def out_slot(self, e: Emitter) -> V:
        if len(e.entry_values) == 3:
            slot = new_out_slot(e, capacity(e.pad), "out")
            e.entry_values.append(slot)
        return e.entry_values[3]

    def lower_result(self, e: Emitter, sig: Signature, value: V, borrowed: bool) -> V | None:
        if e.passed_back:
            return self._all_results(e, sig, value)
        e.returning = True
        obj = row(sig.result).box_result(e, value)
        e.returning = False
        return obj

    def _all_results(self, e: Emitter, sig: Signature, value: V) -> V:
        """The result and what comes back beside it: one object, or a tuple of them."""
        has_result = sig.result.name != "void"
        count = len(e.passed_back) + has_result
        objects = e.frame(8 * count, "results")
        for i in range(count):
            e.setup(NULL, objects, 8 * i)

        def drop(e: Emitter) -> None:
            e.helper("decref_array", objects, const("i64", count))

        e.on_failure(drop)
        if has_result:
            e.store(row(sig.result).box_result(e, value), objects)
        for at, (i, native) in enumerate(e.passed_back, has_result):
            e.store(row(sig.params[i].type).give(e, i, native), objects, 8 * at)
        return e.load("ptr", objects) if count == 1 else e.helper("take_tuple", objects, const("i64", count))

    def leave(self, e: Emitter, value: V | None) -> None:
        e.ret(value)

    def fail(self, e: Emitter, where: str) -> None:
        e.run_cleanups(failed=True)
        if len(e.entry_values) == 4:
            e.helper("any_release", e.entry_values[3])
        if where == "runtime":
            e.helper("error_raise", e.state)
        if where == "text":
            e.returning = True
            e.ret(e.helper("call_again", *e.called_with))
            e.returning = False
        else:
            e.ret(NULL)

    # -- callee ------------------------------------------------------------------------------------------

    def call(self, e: Emitter, sig: Signature, values: list[Native], entry: Convention, options: Options) -> V:
        result = row(sig.result)
        e.calls_again = False  # what refuses the result has called
        entry.before_run(e, sig)
        dropped = self._drop_at_exit(e) if entry.holds_gil else self._hold_gil(e, entry)
        passed = [*range(len(sig.params))] if sig.in_order else [*sig.order.for_callables]
        args, changed = self._boxed(e, sig, values, passed)
        obj = e.linkage.call_python(e, args, len(passed))
        e.store(obj, dropped)
        for i, array in changed:
            row(sig.params[i].type).write_back(e, i, values[i], array)
        out = entry.out_slot(e) if result.in_slot else NULL
        rows = param_rows(sig)
        back = [i for i, r in enumerate(rows) if r.passes_back]
        if not back:
            return result.unbox_result(e, obj, out)
        parts = self._parts(e, obj, len(back) + (sig.result.name != "void"))
        for i, part in zip(reversed(back), reversed(parts), strict=False):
            rows[i].take(e, i, part, values[i])
        return result.unbox_result(e, parts[0], out) if sig.result.name != "void" else V("void", "")

    def _parts(self, e: Emitter, obj: V, count: int) -> list[V]:
        """What a callable has returned, one for each that is asked of it."""
        if count == 1:
            return [obj]
        parts = e.frame(8 * count, "parts")
        e.helper("take_apart", e.state, obj, parts, const("i64", count))
        return [e.load("ptr", parts, 8 * i, f"part{i}") for i in range(count)]

    def _hold_gil(self, e: Emitter, entry: Convention) -> V:
        """Take the interpreter's lock if need be, and keep our Function alive until the end: a callback may drop it.

        Returns the address of a word of the frame; an object left there is dropped before the lock is given back.
        """
        held = e.frame(16, "held")
        e.setup(NULL, held)
        e.setup(NULL, held, 8)
        e.store(e.helper("enter_python", e.state, entry.closure(e)), held)

        def leave(e: Emitter) -> None:
            token = e.load("ptr", held, 0, "gil")
            entered, outside = e.label("leave"), e.label("left")
            e.branch(e.is_null(token), outside, entered, likely=False)
            e.at(entered)
            e.helper("leave_python", e.state, token, e.load("ptr", held, 8, "object"))
            e.br(outside)
            e.at(outside)

        e.on_exit(leave)
        e.new_temps()  # a result's temporaries are Python objects, which need the lock
        return e.offset(held, 8, "drop")

    def _boxed(
        self, e: Emitter, sig: Signature, values: list[Native], passed: list[int]
    ) -> tuple[V, list[tuple[int, V]]]:
        """The arguments as objects, behind one free place that vectorcall may use. call_python takes them over; those
        that are to be written back, by their indices, stay."""
        n = len(passed)
        args = e.frame(8 * (n + 1), "objects")
        for i in range(n):
            e.setup(NULL, args, 8 * (i + 1))
        first = e.offset(args, 8, "first")
        if n:

            def drop(e: Emitter) -> None:
                e.helper("decref_array", e.offset(args, 8, "first"), const("i64", n))

            e.on_failure(drop)
        rows = param_rows(sig)
        changed: list[tuple[int, V]] = []
        for at, i in enumerate(passed):
            obj = rows[i].box(e, i, values[i])
            e.store(obj, args, 8 * (at + 1))
            if rows[i].writes_back:
                e.helper("keep_argument", e.temps(), obj)
                changed.append((i, obj))
        return first, changed

    def _drop_at_exit(self, e: Emitter) -> V:
        """The address of a word of the frame; an object left there is dropped at the end."""
        held = e.frame(8, "held")
        e.setup(NULL, held)

        def drop(e: Emitter) -> None:
            value = e.load("ptr", held, 0, "held")
            some, none = e.label("drop"), e.label("dropped")
            e.branch(e.is_null(value), none, some)
            e.at(some)
            e.helper("decref", value)
            e.br(none)
            e.at(none)

        e.on_exit(drop)
        return held


#: The one instance.
CONVENTION = Python()
register(CONVENTION)
