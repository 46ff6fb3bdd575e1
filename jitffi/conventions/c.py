"""The C convention: how the types of a signature are spelled in C (ABI section 8).

    f64 f(i64 a, str b)      double f(int64_t a, const char* b_data, size_t b_size)
    str f(i64 a)             int32_t f(int64_t a, AnyValue* out)      0, or non-zero with the last error set

An entry is a closure: a function pointer of its own whose `nest` register (r10, psABI 3.2.3 "static chain pointer")
holds the address of its jf_closure, which begins with the state. A function without an out-slot and without an object
to return cannot fail: its error becomes pending, and the adapter that called into C raises it when control comes back
to it.
"""

from __future__ import annotations

import os

from jitffi.base import layout
from jitffi.base.late import late
from jitffi.conventions.base import Convention, Options, call_out, param_rows, register
from jitffi.conventions.c_values import (
    from_c,
    result_from_c,
    result_memory,
    result_of_failure,
    result_to_c,
    shape,
    to_c,
)
from jitffi.conventions.dimensions import Dimensions, Refusals, told
from jitffi.ir.builder import NULL, V, const
from jitffi.ir.primitives import kept_text
from jitffi.signature.compound import array_of
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions.base import ArgumentPlace
    from jitffi.conventions.c_values import CValue
    from jitffi.ir.cabi import CABI
    from jitffi.ir.emitter import Emitter
    from jitffi.signature import cnames, spelling
    from jitffi.signature.model import Signature
    from jitffi.types.row import Native
else:  # what adapters are made without
    cnames, spelling = late("jitffi.signature.cnames"), late("jitffi.signature.spelling")


_BODY = 3  # the closure's own code knows


def result_class(sig: Signature) -> int:
    """JF_RESULT_* of runtime.h: how a closure of this signature returns after its death."""
    result = row(sig.result)
    if result.in_slot:
        return 2
    if result.by_value:
        return {"c64": 8, "c128": 6}.get(sig.result.name, _BODY)
    return {"float": 7, "double": 1, "longdouble": 4, "i128": 5}.get(result.result, 0)


def function_type(abi: CABI, sig: Signature) -> str:
    """What LLVM calls a C function of that signature: the attribute of the result, where it has one, and the types."""
    made = shape(abi, sig)
    params = [type_ for value in made.params[: sig.fixed] for type_, _ in value.types]
    params = [" ".join(each) for each in made.hidden] + params + ["ptr"] * made.result.row.in_slot
    params += ["..."] * (sig.fixed is not None)
    return " ".join(filter(None, (*reversed(made.returns), f"({', '.join(params)})")))


def _filling(e: Emitter, value: CValue, passed: V) -> V:
    """An int as a variable argument, its sign in all of its place: wherever pointers have 64 bits that is as large as a
    long's, so a function that reads one there finds the same number."""
    if e.abi.machine_type("size") != "i64":
        return passed
    return e.cast("zext" if value.row.extension == "zeroext" else "sext", passed, "i64")


def _has_channel(sig: Signature) -> bool:
    result = row(sig.result)
    return result.in_slot or result.owned


#: Where the first arguments of a C call are (System V psABI 3.2.3, AAPCS64 6.8.2), and where the others begin.
_REGISTERS = {
    "x86_64": (("rdi", "rsi", "rdx", "rcx", "r8", "r9"), tuple(f"xmm{i}" for i in range(8)), "rsp", 8),
    "aarch64": (tuple(f"x{i}" for i in range(8)), tuple(f"v{i}" for i in range(8)), "sp", 0),
}


def registers(types: list[str], machine: str = "") -> list[str]:
    """Say where each argument of these C types is; by number on a machine whose rules are not known here.

    >>> registers(["double"] + ["int64_t"] * 10, "aarch64")[::4]
    ['v0', 'x3', 'x7']
    >>> registers(["int64_t"] * 10, "aarch64")[8:], registers(["int64_t"] * 8, "x86_64")[5:]
    (['sp + 0', 'sp + 8'], ['r9', 'rsp + 8', 'rsp + 16'])
    """
    found = _REGISTERS.get(machine or os.uname().machine)
    if found is None:
        return [f"argument {i + 1}" for i in range(len(types))]
    *files, pointer, stack = found
    general, vector = map(list, files)
    places = []
    for type_ in types:
        free = vector if type_ in ("float", "double") else general
        if free:
            places.append(free.pop(0))
        else:
            places.append(f"{pointer} + {stack}")
            stack += 8
    return places


class C(Convention):
    name = "c"

    def prototype(self, name: str, sig: Signature) -> str:
        return spelling.prototype(name, sig)

    def declaration(self, name: str, sig: Signature) -> list[str]:
        declared = super().declaration(name, sig)
        if any(word in declared[0] for word in ("__int128", "_Complex")):  # which ISO C, and C++, have not
            declared = [f"__extension__ {declared[0]}"]
        # C++ has no function of such a name.
        return ["#ifndef __cplusplus", *declared, "#endif"] if name in cnames.ONLY_C else declared

    def places(self, sig: Signature, labels: list[str]) -> list[ArgumentPlace]:
        declared = spelling.parameters(sig)
        what: list[str] = []
        for label, param in zip(labels, sig.params, strict=True):
            what += [label, "  its size"] if len(spelling.c_types(param.type)) == 2 else [label]
        type_, through_out = spelling.c_result(sig.result)
        if through_out:
            what.append(f"result: {sig.result}")
        # What goes by value may stand in several registers, or take one for the result's memory: places go by number.
        is_by_value = any(r.by_value for r in (*param_rows(sig), row(sig.result)))
        where = registers([part[0] for part in declared], "any" if is_by_value else "")
        forms = [spelling.spell(*part) for part in declared]
        places = list(zip(where, what, forms, strict=True))
        if through_out:
            form = "or non-zero with the last error set and *out null"
        elif row(sig.result).owned:
            form = f"{type_}, owned; NULL with the last error set"
        else:
            form = f"{type_}; an error becomes pending"
        return [*places, ("returns", "0" if through_out else str(sig.result), form)]

    def refuse(self, sig: Signature, options: Options) -> None:
        result = row(sig.result)
        if result.c_result_refused:
            raise TypeError(f"convention 'c' cannot return {sig.result}: {result.c_result_refused}")
        if options.errno and (result.in_slot or result.by_value or not result.says_errno and result.result != "ptr"):
            raise TypeError(f"errno=True needs a result that can be -1 or NULL, not {sig.result}")

    def refuse_variadic(self, sig: Signature, is_entry: bool) -> None:
        """A callback gets its named parameters; what comes behind them only C finds."""
        if is_entry and not sig.variadic:
            raise TypeError(f"convention 'c' cannot be called as {sig}: what comes behind '...' only C can find")
        if row(sig.result).in_slot:
            raise TypeError(
                f"convention 'c' cannot carry {sig}: what goes through an out-slot stands behind the others"
            )

    # -- entry -------------------------------------------------------------------------------------------

    def begin(self, e: Emitter, sig: Signature, options: Options) -> None:
        made = shape(e.abi, sig)
        params = [("ptr", "nest", "closure")] if e.linkage.is_closure else []
        params += [(type_, attribute, "result") for type_, attribute in made.hidden]
        for i, value in enumerate(made.params):
            params += [(type_, attribute, f"a{i}") for type_, attribute in value.types]
        if made.result.row.in_slot:
            params.append(("ptr", "", "out"))
        returns = " ".join(filter(None, reversed(made.returns)))
        e.entry_values = values = e.begin(returns, params, sig.variadic)
        if e.linkage.is_closure:
            e.linkage.from_closure(e, values[0])
            if result_class(sig) == _BODY:
                self._return_if_dead(e, sig)

    def _return_if_dead(self, e: Emitter, sig: Signature) -> None:
        """What the runtime does for closures of other results, whose zeros it knows."""
        dead, alive = e.label("dead"), e.label("alive")
        current = e.load("i32", e.entry_values[0], layout.CLOSURE_RESULT_CLASS, "class")
        e.branch(e.icmp("slt", current, const("i32", 0)), dead, alive, likely=False)
        e.at(dead)
        e.helper("closure_dead")
        e.ret(self._failure_value(e, sig))
        e.at(alive)

    def raises_pending(self, sig: Signature) -> bool:
        return _has_channel(sig)

    def before_run(self, e: Emitter, sig: Signature) -> None:
        """While an error is pending nothing runs any more, until control is back where it can be raised."""
        ask, run, silent = e.label("ask"), e.label("run"), e.label("silent")
        pending = e.load("i32", e.data("pending_count"), 0, "pending")
        e.branch(e.icmp("eq", pending, const("i32", 0)), run, ask, likely=True)
        e.at(ask)
        e.branch(e.icmp("eq", e.helper("is_pending"), const("i32", 0)), run, silent)
        e.at(silent)
        e.ret(self._failure_value(e, sig))
        e.at(run)

    def lift_params(self, e: Emitter, sig: Signature) -> list[Native]:
        made = shape(e.abi, sig)
        values, at = [], e.linkage.is_closure + len(made.hidden)
        for each in made.params:
            count = len(each.types)
            values.append(from_c(e, each, e.entry_values[at : at + count]))
            at += count
        for i, param in enumerate(sig.params):
            inner = param.type.args[0] if param.type.name == "out" else param.type
            values[i] = (*values[i], *told(e, sig, i, inner, values)) if array_of(inner) else values[i]
        e.result_lengths = Dimensions(sig, Refusals()).of_result(e, dict(enumerate(values)))
        return values

    def closure(self, e: Emitter) -> V:
        return e.entry_values[0] if e.linkage.is_closure else NULL

    def out_slot(self, e: Emitter) -> V:
        return e.entry_values[-1]

    def lower_result(self, e: Emitter, sig: Signature, value: V, borrowed: bool) -> V | None:
        if row(sig.result).in_slot:
            return const("i32", 0)
        result = shape(e.abi, sig).result
        if result.passing is not None:
            return result_to_c(e, result, value, self._result_place(e))
        if borrowed and sig.result.text in ("cstr", "optional[cstr]"):
            return kept_text(e, -1, value)
        return None if value.type == "void" else value

    def _result_place(self, e: Emitter) -> V:
        """What stands before all other parameters: the caller's memory for the result, where it has some."""
        return (*e.entry_values[e.linkage.is_closure :], NULL)[0]

    def leave(self, e: Emitter, value: V | None) -> None:
        e.ret(value)

    def fail(self, e: Emitter, where: str) -> None:
        if where == "python":
            e.helper("error_from_python")
            return e.fail("runtime")
        # Read before the cleanups: a callback may have dropped its own Function, and they let it go.
        value = self._value_while_alive(e)
        e.run_cleanups(failed=True)
        if row(e.sig.result).in_slot:
            e.helper("any_release", self.out_slot(e))  # a result of another type than was promised
        if not _has_channel(e.sig):
            e.helper("error_pending")
        return e.ret(value)

    def _value_while_alive(self, e: Emitter) -> V | None:
        """The failure's value; zero where the Function died while this thread waited for the interpreter's lock."""
        result = row(e.sig.result)
        if _has_channel(e.sig) or result.result == "void" or result.by_value and not result.is_complex:
            return self._failure_value(e, e.sig)
        alive, known, here = e.label("alive"), e.label("known"), e.here
        is_alive = e.linkage.is_alive(e, self.closure(e))
        if is_alive is None:
            return self._failure_value(e, e.sig)
        e.branch(is_alive, alive, known)
        e.at(alive)
        value = self._failure_value(e, e.sig)
        there = e.here
        e.br(known)
        e.at(known)
        assert value is not None
        return e.phi([(V(value.type, "zeroinitializer"), here), (value, there)], "failure")

    def _failure_value(self, e: Emitter, sig: Signature) -> V | None:
        result = row(sig.result)
        if result.in_slot:
            return const("i32", -1)
        if result.by_value:
            given = e.linkage.on_error_bytes(e) if result.is_complex else None
            returned, place = shape(e.abi, sig).result, self._result_place(e)
            return result_of_failure(e, returned, place) if given is None else result_to_c(e, returned, given, place)
        if result.owned:
            return NULL
        if result.result == "void":
            return None
        stored = "i8" if result.result == "i1" else e.machine_type(result.result)
        value = e.linkage.on_error(e, stored)
        return e.cast("trunc", value, "i1") if result.result == "i1" else value

    # -- callee ------------------------------------------------------------------------------------------

    def call(self, e: Emitter, sig: Signature, values: list[Native], entry: Convention, options: Options) -> V:
        return self.call_address(e, sig, e.linkage.target(e), values, entry, options)

    def call_address(
        self, e: Emitter, sig: Signature, target: V, values: list[Native], entry: Convention, options: Options
    ) -> V:
        """Call the C function at *target*."""
        result = row(sig.result)
        made = shape(e.abi, sig)
        memory = NULL if made.result.passing is None else result_memory(e, made.result)
        args: list[V] = [memory] * len(made.hidden)
        attributes: list[str] = [attribute for _, attribute in made.hidden]
        fixed = None
        for i, (each, native) in enumerate(zip(made.params, values, strict=True)):
            passed = to_c(e, each, native)
            attributes += [attribute for _, attribute in each.types]
            if sig.fixed is not None and i >= sig.fixed and [v.type for v in passed] == ["i32"]:
                passed, attributes[-1] = [_filling(e, each, passed[0])], ""
            args += passed
            if i + 1 == sig.fixed:
                fixed = len(args)
        out = NULL
        if result.in_slot:
            out = entry.out_slot(e)
            args.append(out)
            attributes.append("")
        unlocked = options.nogil and entry.holds_gil
        if unlocked:
            for i, (r, native) in enumerate(zip(param_rows(sig), values, strict=True)):
                r.before_unlock(e, i, native)
        saved = e.helper("release_gil", e.state) if unlocked else NULL
        type_, attribute = made.returns
        returned = call_out(e, type_, target, args, attributes, attribute, entry, saved if unlocked else None, fixed)
        if unlocked:
            e.helper("acquire_gil", saved)
        if entry.raises_pending(e.sig):
            self._check_pending(e, sig, out if result.in_slot else returned)
        if result.in_slot:
            e.fail_if(e.icmp("ne", returned, const("i32", 0), "failed"), "runtime")
            return out
        if made.result.passing is not None:
            return result_from_c(e, made.result, returned, memory)
        if options.errno:
            self._check_errno(e, returned)
        if result.owned:
            self._check_null(e, returned, result.nullable)
        return returned

    def _check_pending(self, e: Emitter, sig: Signature, returned: V) -> None:
        """Raise what a callback below us could not; a result that came all the same is released."""
        ask, fine = e.label("ask.pending"), e.label("returned")
        pending = e.load("i32", e.data("pending_count"), 0, "pending")
        e.branch(e.icmp("eq", pending, const("i32", 0)), fine, ask, likely=True)
        e.at(ask)
        lost = e.label("lost")
        e.branch(e.icmp("eq", e.helper("take_pending"), const("i32", 0)), fine, lost)
        e.at(lost)
        if row(sig.result).in_slot:
            e.helper("any_release", returned)
        elif row(sig.result).owned:
            e.helper("object_release", returned)
        elif row(sig.result).is_freed:
            row(sig.result).free(e, -1, returned)
        e.fail("runtime")
        e.at(fine)

    def _check_errno(self, e: Emitter, returned: V) -> None:
        bad = e.is_null(returned) if returned.type == "ptr" else e.icmp("eq", returned, const(returned.type, -1))
        failed, fine = e.label("errno"), e.label("no.errno")
        e.branch(bad, failed, fine, likely=False)
        e.at(failed)
        e.helper("errno_failed", e.state)
        e.br(fine)
        e.at(fine)

    def _check_null(self, e: Emitter, returned: V, nullable: bool) -> None:
        """NULL is a failure when an error is set, or when the type has no None."""
        failed, fine = e.label("null"), e.label("not.null")
        e.branch(e.is_null(returned), failed, fine, likely=False)
        e.at(failed)
        e.helper("null_result", e.state, const("i32", int(nullable)))
        e.br(fine)
        e.at(fine)


#: The one instance.
CONVENTION = C()
register(CONVENTION)
