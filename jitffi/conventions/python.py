"""CPython's own convention: METH_FASTCALL in, vectorcall out.

    PyObject* f(PyObject* self, PyObject* const* args, Py_ssize_t nargs [, PyObject* kwnames])

`self` is the Function object of the exact builtin that the interpreter calls; the state is a part of it. With keywords
the values of a call that names them in order lie behind the positional ones and are used in place: the tuple of names
of the last such call is remembered, and a call site brings the same tuple each time. Everything else is arranged in C.
"""

from __future__ import annotations

from jitffi.base.layout import capacity
from jitffi.conventions.base import Convention, Options, param_rows, register
from jitffi.ir.builder import NULL, V, const
from jitffi.ir.primitives import new_out_slot
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions.base import ArgumentPlace
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Signature
    from jitffi.types.row import Native


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
        places = [(f"args[{i}]", labels[i], r.shown_takes) for i, r in enumerate(param_rows(sig))]
        given = f"{row(sig.result).shown_gives}; NULL with an exception set"
        return [*places, ("returns", str(sig.result), given)]

    # -- entry -------------------------------------------------------------------------------------------

    def begin(self, e: Emitter, sig: Signature, options: Options) -> None:
        params = [("ptr", "", "self"), ("ptr", "", "args"), ("i64", "", "nargs")]
        if options.keywords:
            params.append(("ptr", "", "kwnames"))
        values = e.begin("ptr", params)
        e.linkage.from_self(e, values[0])
        n = len(sig.params)
        right, wrong = e.label("arity"), e.label("arrange")
        sources: list[tuple[V, str]] = []
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
            space = e.frame(8 * max(n, 1), "arranged")
            names = values[3] if options.keywords else NULL
            sources.append((e.helper("arrange", e.state, values[1], values[2], names, space), e.here))
            e.br(right)
        else:
            e.helper("raise_arity", e.state, values[2])
            e.fail("python")
        e.at(right)
        e.entry_values = [values[0], e.phi(sources, "args")]

    def lift_params(self, e: Emitter, sig: Signature) -> list[Native]:
        args = e.entry_values[1]
        return [r.unbox(e, i, e.load("ptr", args, 8 * i, f"arg{i}")) for i, r in enumerate(param_rows(sig))]

    def out_slot(self, e: Emitter) -> V:
        if len(e.entry_values) == 2:
            slot = new_out_slot(e, capacity(e.pad), "out")
            e.entry_values.append(slot)
        return e.entry_values[2]

    def lower_result(self, e: Emitter, sig: Signature, value: V, borrowed: bool) -> V | None:
        e.returning = True
        obj = row(sig.result).box_result(e, value)
        e.returning = False
        return obj

    def leave(self, e: Emitter, value: V | None) -> None:
        e.ret(value)

    def fail(self, e: Emitter, where: str) -> None:
        e.run_cleanups(failed=True)
        if len(e.entry_values) == 3:
            e.helper("any_release", e.entry_values[2])
        if where == "runtime":
            e.helper("error_raise", e.state)
        e.ret(NULL)

    # -- callee ------------------------------------------------------------------------------------------

    def call(self, e: Emitter, sig: Signature, values: list[Native], entry: Convention, options: Options) -> V:
        result = row(sig.result)
        entry.before_run(e, sig)
        dropped = self._drop_at_exit(e) if entry.holds_gil else self._hold_gil(e, entry)
        args = self._boxed(e, sig, values)
        obj = e.linkage.call_python(e, args, len(values))
        e.store(obj, dropped)
        out = entry.out_slot(e) if result.in_slot else NULL
        return result.unbox_result(e, obj, out)

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

    def _boxed(self, e: Emitter, sig: Signature, values: list[Native]) -> V:
        """The arguments as objects, behind one free place that vectorcall may use. call_python takes them over."""
        n = len(values)
        args = e.frame(8 * (n + 1), "objects")
        for i in range(n):
            e.setup(NULL, args, 8 * (i + 1))
        first = e.offset(args, 8, "first")
        if n:

            def drop(e: Emitter) -> None:
                e.helper("decref_array", e.offset(args, 8, "first"), const("i64", n))

            e.on_failure(drop)
        for i, (r, native) in enumerate(zip(param_rows(sig), values, strict=True)):
            e.store(r.box(e, i, native), args, 8 * (i + 1))
        return first

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
