"""What a calling convention is: the protocol that each file here implements, documented once.

A convention has two halves that know nothing of other conventions. The entry half is how we are called; it turns
parameters into native values, and a native result or an error into what its caller expects. The callee half is how we
call someone. Between them there are native values (types/row.py), and errors in one of two places: "python", the
exception of the interpreter, or "runtime", the thread's last error. Each entry half can report both.

What arrives with the call, `m_self`, a function object or a closure, the entry half hands to the linkage
(ir/linkage.py), which knows how everything outside is reached.
"""

from __future__ import annotations

from jitffi.conventions.options import Options as Options
from jitffi.ir.builder import NULL
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol, TypeAlias

    from jitffi.ir.builder import V
    from jitffi.ir.cabi import CABI
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Signature
    from jitffi.types.row import Native, Row

    #: What `inspect --layout` says of a parameter or result: where it is, what of the signature is there, its form.
    ArgumentPlace: TypeAlias = tuple[str, str, str]


if TYPE_CHECKING:

    class File(Protocol):
        """What is put into a file, as adapters/unit.py has it."""

        abi: CABI

        def data(self, data: bytes) -> V: ...
        def define(self, symbol: str, text: str, linkage: str) -> V: ...
        def head(self, symbol: str, is_local: bool) -> tuple[str, str]: ...


class Convention:
    """A calling convention; see the module's text. Instances are stateless."""

    name = ""
    #: What stands before a function's name in its symbol; "": functions have their own names, as C's.
    prefix = ""
    #: Whether the entry half is called with the interpreter's lock held.
    holds_gil = False
    #: Whether code of either half follows the interpreter's structs, so that in files it is for this one alone.
    needs_python = False
    #: Whether a file has the signature's text beside an entry, and the entry fills in its defaults.
    tells_signature = False

    def prototype(self, name: str, sig: Signature) -> str:
        """Return the C prototype of a function of this convention, without a semicolon."""
        raise NotImplementedError

    def declaration(self, name: str, sig: Signature) -> list[str]:
        """Return the lines of a header that declare it by its symbol."""
        return [f"{self.prototype(self.prefix + name, sig)};"]

    def described(self, name: str, sig: Signature) -> dict[str, str]:
        """Return by their symbols the functions that a file has beside an entry, each of which gives a text."""
        return {}

    def text_function(self, file: File, symbol: str, text: str) -> str:
        """Return the IR of such a function."""
        raise NotImplementedError

    def places(self, sig: Signature, labels: list[str]) -> list[ArgumentPlace]:
        """Return where the parameters, which *labels* name, the result and a failure are."""
        raise NotImplementedError

    def raises_pending(self, sig: Signature) -> bool:
        """Whether the entry half can report an error that C code below could not: else it stays pending, and whoever is
        above this entry reports it."""
        return True

    def refuse(self, sig: Signature, options: Options) -> None:
        """Raise TypeError, naming the type, if this convention cannot carry *sig*."""

    def refuse_variadic(self, sig: Signature, is_entry: bool) -> None:
        """Raise TypeError if this half cannot carry *sig*, which has a `...`."""
        if sig.variadic:
            message = "cannot carry a variadic function: name the types of its arguments behind '...'"
            raise TypeError(f"convention {self.name!r} {message}, (cstr, ..., i32) -> i32")

    # Entry half

    def begin(self, e: Emitter, sig: Signature, options: Options) -> None:
        """Open the function and make the state known."""
        raise NotImplementedError

    def before_run(self, e: Emitter, sig: Signature) -> None:
        """Called by the callee half before anything but a plain C function runs; no cleanup is due yet by then, or it
        has nothing to clean."""

    def lift_params(self, e: Emitter, sig: Signature) -> list[Native]:
        """Check the number of arguments and turn them into native values."""
        raise NotImplementedError

    def closure(self, e: Emitter) -> V:
        """The closure that was called, whose state may die before the lock is taken; NULL where the caller keeps it."""
        return NULL

    def out_slot(self, e: Emitter) -> V:
        """The null out-slot for a result that goes through one."""
        raise NotImplementedError

    def lower_result(self, e: Emitter, sig: Signature, value: V, borrowed: bool) -> V | None:
        """Turn the native result into what `leave` returns; *borrowed*: it dies with the callee half's cleanups."""
        raise NotImplementedError

    def leave(self, e: Emitter, value: V | None) -> None:
        """Return successfully."""
        raise NotImplementedError

    def fail(self, e: Emitter, where: str) -> None:
        """Run the cleanups and return with the error that is set in *where*. A Python exception becomes the last error
        before the cleanups give the interpreter's lock back."""
        raise NotImplementedError

    # Callee half

    def call(self, e: Emitter, sig: Signature, values: list[Native], entry: Convention, options: Options) -> V:
        """Call the target with *values* and return the native result; of *entry* only the protocol is used."""
        raise NotImplementedError


#: By name.
CONVENTIONS: dict[str, Convention] = {}


def register(convention: Convention) -> Convention:
    """Add a convention; a module that was interrupted is imported again."""
    before = CONVENTIONS.get(convention.name)
    same = before is None or type(before).__module__ == type(convention).__module__
    assert same, f"convention {convention.name} is registered twice"
    CONVENTIONS[convention.name] = convention
    return convention


def param_rows(sig: Signature) -> list[Row]:
    return [row(param.type) for param in sig.params]


def call_out(
    e: Emitter, result: str, target: V, args: list[V], attributes: list[str], result_attribute: str,
    entry: Convention, unlocked: V | None = None, fixed: int | None = None,
) -> V:  # fmt: skip
    """Call code that is not ours, which may throw: that is a failure with the last error, where the linkage catches it.
    *unlocked* is what `acquire_gil` is given where the interpreter's lock was released, *fixed* how many arguments
    stand before `...`."""
    if not e.linkage.catches:
        return e.call(result, target, args, attributes, result_attribute, fixed=fixed)

    def caught(exception: V) -> None:
        if unlocked is not None:
            e.helper("acquire_gil", unlocked)
        e.helper("caught", e.state, exception)
        if entry.raises_pending(e.sig):
            e.helper("take_pending")  # of a callback below: it came first, and is the error
        e.fail("runtime")

    return e.invoke(result, target, args, attributes, result_attribute, caught, fixed)
