"""An adapter: one function that is called by one convention and calls by another. The only module that sees two at a
time.

    entry.begin        how we are called; the state                 lift_params -> native values
    callee.call        native values -> the call -> native result    failures leave by the emitter's failure blocks
    entry.lower_result native result -> what our caller expects      cleanups; leave
"""

from __future__ import annotations

from jitffi.conventions import c, packed
from jitffi.conventions.base import CONVENTIONS as CONVENTIONS
from jitffi.conventions.base import Convention, Options
from jitffi.conventions.table import convention as convention
from jitffi.ir.builder import V
from jitffi.ir.emitter import Emitter
from jitffi.ir.linkage import Table
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.base.layout import Layout
    from jitffi.ir.linkage import Linkage
    from jitffi.signature.model import Signature
    from jitffi.types.row import Native


def check(sig: Signature, entry: str, callee: str, options: str) -> None:
    """Raise TypeError, naming the type, where one of the conventions cannot carry *sig*."""
    _refuse(sig, convention(entry), convention(callee), Options.of(options))


def refuse_variadic(sig: Signature) -> None:
    """Raise the TypeError of what is compiled before it is called: no types are known behind the `...`."""
    packed.CONVENTION.refuse_variadic(sig, is_entry=True)


def _refuse(sig: Signature, entry: Convention, callee: Convention, options: Options) -> None:
    entry.refuse(sig, Options())
    callee.refuse(sig, options)
    if sig.fixed is not None:
        entry.refuse_variadic(sig, is_entry=True)
        callee.refuse_variadic(sig, is_entry=False)
    if entry.needs_python and callee is c.CONVENTION:
        return
    for type_ in (sig.result, *[p.type for p in sig.params]):
        if row(type_).is_freed:
            other = entry if not entry.needs_python else callee
            raise TypeError(f"convention {other.name!r} cannot carry {type_}: it goes from C to Python alone")


def build_adapter(
    symbol: str,
    sig: Signature,
    entry: Convention,
    callee: Convention,
    options: Options,
    layout: Layout,
    keep_registers: bool = False,
    linkage: Linkage | None = None,
) -> str:
    """Return the LLVM IR of one adapter. TypeError, naming the type, where a convention cannot carry *sig*.

    *keep_registers*: what is off the fast path is called in a way that leaves the fast path nothing to save. It pays
    where LLVM takes its time; at level 0 it only costs some. *linkage*: how it reaches what is outside, at run time
    through the table.
    """
    _refuse(sig, entry, callee, options)
    e = Emitter(symbol, sig, layout, linkage or Table(layout, keep_registers))
    e.pad = options.pad
    e.has_function_objects = e.linkage.makes_functions and c.CONVENTION not in (entry, callee)
    entry.begin(e, sig, options)
    values = entry.lift_params(e, sig)
    result = _call(e, sig, values, entry, callee, options)
    returned = entry.lower_result(e, sig, result, borrowed=callee is not c.CONVENTION)
    e.run_cleanups()
    entry.leave(e, returned)
    return e.finish(entry.fail)


def _call(
    e: Emitter, sig: Signature, values: list[Native], entry: Convention, callee: Convention, options: Options
) -> V:
    """Let *callee* call; a packed callee of the same types is called as the C function that it is."""
    is_known = callee is packed.CONVENTION and e.linkage.knows_callee
    if not is_known or e.has_function_objects and "func[" in sig.types or not _c_carries(sig):
        return callee.call(e, sig, values, entry, options)

    def native(address: V) -> V:
        return c.CONVENTION.call_address(e, sig, address, values, entry, Options())

    return packed.CONVENTION.call_known(e, sig, values, entry, native)


def _c_carries(sig: Signature) -> bool:
    try:
        c.CONVENTION.refuse(sig, Options())
    except TypeError:
        return False
    return True
