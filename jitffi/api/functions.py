"""Functions as users hold them: the class behind their builtins, and how one is made.

A function is an exact builtin, since that is what the interpreter calls fastest; its `__self__` is the Function, which
owns the target, the machine code of each entry, and whatever must outlive a call. The Python entry is made at once, the
packed and the C entry when somebody asks for their address.
"""

from __future__ import annotations

from jitffi import _core
from jitffi.adapters.code_store import Request
from jitffi.api import entries
from jitffi.api.options import failure_bits, option_letters
from jitffi.api.pickling import make_picklable
from jitffi.base import pad_policy
from jitffi.base.fork_locks import IMPORTS
from jitffi.base.late import late
from jitffi.base.off_thread import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jitffi.adapters import batches
    from jitffi.adapters.code_store import Compiled
    from jitffi.api.kernels import Kernel
    from jitffi.signature.model import Signature
else:
    batches = late("jitffi.adapters.batches")


class Function(_core.Function):
    """A function that can be called from Python, through the packed convention, and as a C function pointer.

    ``Function(f)`` gives the Function behind the builtin *f*, or *f* itself; a class derived from it gives the function
    that class, in which it comes back from native code; TypeError for any other object. All
    addresses stay valid as long as this object, or a builtin of it, lives. Native code whose address was asked for is
    never unmapped: neither the library nor the module that it is of.

    >>> import jitffi
    >>> add = jitffi.function("(a: i64, b: i64) -> i64")(lambda a, b: a + b)
    >>> str(jitffi.Function(add).signature)
    '(a: i64, b: i64) -> i64'
    """

    __slots__ = ()

    def __new__(cls, function: Callable[..., Any]) -> Function:
        found = _core.function_of(function)
        if found is None:
            raise TypeError(f"expected a Function or its builtin, got {type(function).__name__}; convert() makes one")
        if cls._is_derived and type(found) is Function:
            found.__class__ = cls  # from now on: a function is one object, which comes back as itself
        return found  # type: ignore[no-any-return]

    _is_derived = False  # of classes that programs derive, whose instances are what native code gives back

    def __init_subclass__(cls) -> None:
        cls._is_derived = not cls.__module__.startswith("jitffi.")

    # What `_make` leaves in the instance's dict.
    _sig: Signature | None
    _origin: Callable[[], tuple[Any, ...]] | tuple[Any, ...] | None
    _callee: str
    _options: str
    _compiled: Compiled
    _kernel: Kernel
    _boxed: dict[int, Function]
    _variadic: dict[str, Any]

    @property
    def signature(self) -> Signature | None:
        """The Signature, or None for a function that takes whatever it is given.

        >>> import jitffi
        >>> jitffi.Function(jitffi.convert(print)).signature is None
        True
        """
        return self._sig

    @property
    def native_address(self) -> int:
        """Address of a C function of this signature (ABI section 8). TypeError without a signature, or where C cannot
        carry it.

        >>> import jitffi
        >>> compare = jitffi.function("(a: i32, b: i32) -> i32")(lambda a, b: a - b)
        >>> address = jitffi.Function(compare).native_address
        >>> jitffi.Function.from_native(address, "(i32, i32) -> i32", keep_alive=compare)(7, 4)
        3
        """
        address = self._native or self._make_native()
        _core.keep_callee(self)
        return address

    @property
    def packed_address(self) -> int:
        """Address of the packed C entry (ABI section 5); its `self` is `handle`.

        >>> import jitffi
        >>> F = jitffi.Function(jitffi.convert(lambda *args: len(args)))
        >>> jitffi.Function.from_packed(F.packed_address, self_handle=F.handle)("a", "b", None)
        3
        """
        address = self._packed or self._make_packed()
        _core.keep_callee(self)
        return address

    @property
    def handle(self) -> int:
        """Address of the function object, to pass as `self`. Borrowed: native code that keeps it takes a reference.

        >>> import jitffi
        >>> jitffi.Function(jitffi.convert(print)).handle != 0
        True
        """
        return _core.handle(self)

    def inspect_llvm(self) -> str:
        """Return the LLVM IR of the Python entry's adapter. TypeError without a signature.

        >>> import jitffi
        >>> labs = jitffi.load_library(None).bind("labs", "(i64) -> i64")
        >>> "define ptr" in jitffi.Function(labs).inspect_llvm()
        True
        """
        kernel = self.__dict__.get("_kernel")
        return kernel.text() if kernel is not None else run(batches.text, self._request())

    def inspect_asm(self) -> str:
        """Return the assembly of the Python entry's adapter, as it is made for the cache. TypeError without a
        signature.

        >>> import jitffi
        >>> labs = jitffi.load_library(None).bind("labs", "(i64) -> i64")
        >>> ".text" in jitffi.Function(labs).inspect_asm()
        True
        """
        kernel = self.__dict__.get("_kernel")
        return kernel.assembly() if kernel is not None else run(batches.assembly, self._request())

    def _request(self) -> Request:
        if self._sig is None:
            raise TypeError(f"{self.__name__}: a function without a signature has no code of its own")
        return Request("python", self._callee, self._sig, self._options)

    def __getattr__(self, name: str) -> Any:
        # A builtin pickles as getattr(__self__, __name__) (CPython, methodobject.c, meth_reduce).
        if name == self.__name__:
            return _core.builtin(self)
        if name == "__signature__" and self._sig is not None:
            with IMPORTS:
                from jitffi.signature.text_signature import shown_signature
            return shown_signature(_core.builtin(self), self._sig)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def __repr__(self) -> str:
        sig = "" if self._sig is None else str(self._sig)
        return f"<jitffi.Function {self.__name__}{sig}>"

    def __reduce__(self) -> Any:
        if self._origin is None:
            raise TypeError(f"cannot pickle {self!r}: only functions bound from a library can be found again")
        return self._origin

    # -- what the extension asks for ----------------------------------------------------------------------

    def _builtin(self) -> Any:
        return self if self._is_derived else _core.builtin(self)

    def _signature_text(self) -> str:
        return str(self._sig)

    def _make_native(self) -> int:
        if self._sig is None:
            raise TypeError(f"{self.__name__}: a function without a signature has no C function; give it one")
        entries.equip_native(self, Request("c", self._callee, self._sig), True)
        return self._native

    def _make_python(self) -> None:
        """The first call: compile, with others that wait for theirs."""
        run(batches.compile_for, self, self._request(), entries.install_python)

    def _make_hot(self, by_c: bool) -> bool:
        """Called often without code: it is made while calls go on. False: there will be none."""
        return entries.make_code(self, self._request(), by_c)

    def _make_packed(self) -> int:
        if self._sig is None:
            _core.set_packed_entry(self, None)
        else:
            options = "d" if self._sig.has_defaults else ""
            entries.equip(self, Request("packed", self._callee, self._sig, options), entries.set_packed)
        return self._packed

    def _type_at(self, index: int) -> Signature:
        assert self._sig is not None
        type_ = self._sig.result if index < 0 else self._sig.params[index].type
        if type_.is_optional:
            type_ = type_.inner
        sig: Signature | None = type_.signature
        assert sig is not None, type_
        return sig

    def _name_at(self, index: int) -> str:
        assert self._sig is not None
        return "result" if index < 0 else self._sig.params[index].name or "callback"

    def _make_template(self, index: int) -> Function:
        """A Function without a callable, that the extension copies for each callable given for a func[...]."""
        sig = self._type_at(index)
        template = make(f"{self.__name__}.{self._name_at(index)}", sig, "python", None, entry=False)
        entries.equip_native(template, Request("c", "python", sig), False)
        return template

    def _box_callback(self, index: int, address: int) -> Any:
        """A Function for the C function that came as argument *index* or result. The last one stays: its code serves
        the next, and would else be compiled for each call."""
        last = self.__dict__.setdefault("_boxed", {})
        if index not in last or last[index]._native != address:
            name = f"{self.__name__}.{self._name_at(index)}"
            last[index] = from_native(address, self._type_at(index), name=name, keep_alive=self)
        return last[index]

    # -- other ways to make one ---------------------------------------------------------------------------

    @staticmethod
    def from_native(
        address: int, signature: Signature | str, *, name: str = "native", keep_alive: object = None,
        nogil: bool = False, errno: bool = False, keep_callbacks: bool = False, pad: int | None = None,
    ) -> Function:  # fmt: skip
        """Return a Function for the C function at *address*, which nobody can check: a wrong one crashes.

        *signature* is a Signature or its text, *name* what messages call it; *keep_alive* is held as long as the
        Function, and has what owned[...] names if it is a Library. *nogil*, *errno*, *keep_callbacks* and *pad* are
        those of `Library.bind`. TypeError for what is no address and for a signature that C cannot carry, ValueError
        for NULL and for another pad, SignatureError for a bad text.

        >>> import jitffi
        >>> double = jitffi.function("(f64) -> f64")(lambda x: 2 * x)
        >>> address = jitffi.Function(double).native_address
        >>> jitffi.Function.from_native(address, "(x: f64) -> f64", name="twice", keep_alive=double)(x=21)
        42.0
        """
        return from_native(address, signature, name, keep_alive, nogil, errno, keep_callbacks, pad)

    @staticmethod
    def from_ir(
        source: Any, name: str, signature: Signature | str, *, nogil: bool = False, errno: bool = False,
        keep_callbacks: bool = False, pad: int | None = None, link: Any = (),
    ) -> Any:  # fmt: skip
        """Return a function whose code is the C function *name* of a module of LLVM IR.

        *source* is the module's text, or a module of llvmlite's, *signature* what the function takes: LLVM's types of
        it are compared. It is compiled for this CPU together with the Python entry that calls it, and kept in the cache
        by its text. What it does not define itself is searched as by `load_module`. *nogil*, *errno*, *keep_callbacks*
        and *pad* are those of `Library.bind`. ValueError for what is no IR, or defines no such function, TypeError for
        other arguments, SignatureError for a bad signature, OSError where symbols are missing.

        >>> import jitffi
        >>> ir = "define i64 @twice(i64 %x) { %y = add i64 %x, %x ret i64 %y }"
        >>> jitffi.Function.from_ir(ir, "twice", "(x: i64) -> i64")(21)
        42
        """
        with IMPORTS:
            from jitffi.api.kernels import read

        kernel = read(source, name, signature_of(signature), nogil, errno, pad, link)
        options: dict[str, Any] = {"nogil": nogil, "errno": errno, "keep_callbacks": keep_callbacks, "pad": kernel.pad}
        origin = (_kernel_again, (kernel.ir, name, kernel.sig, {**options, "link": kernel.link}))
        made = make(name, kernel.sig, "c", kernel.address, owner=kernel, origin=origin, entry=False, **options)
        made._kernel = kernel
        kernel.equip(made)
        make_picklable(made)
        return _core.builtin(made)

    @staticmethod
    def from_packed(
        address: int, *, name: str = "packed", signature: Signature | str | None = None, self_handle: int = 0,
        keep_alive: object = None, pad: int | None = None,
    ) -> Function:  # fmt: skip
        """Return a Function for a C function that follows the packed convention (ABI section 5).

        *address* is that of its code, which is borrowed: *keep_alive* is held as long as the Function. *name* is what
        messages call it. *self_handle* is the function object that it is given; 0: one made for the new Function.
        Without a *signature* arguments are packed as what they are. *pad* is that of `Library.bind`, and needs a
        signature: TypeError without. TypeError for what is no address, ValueError for NULL, SignatureError for a bad
        text.

        >>> import jitffi
        >>> add = jitffi.Function(jitffi.function("(i64, i64) -> i64")(lambda a, b: a + b))
        >>> types = "(i64, i64) -> i64"
        >>> jitffi.Function.from_packed(add.packed_address, signature=types, self_handle=add.handle)(3, 4)
        7
        """
        _check_address(address)
        return make(
            name,
            signature_of(signature),
            "packed",
            address,
            owner=keep_alive,
            self_handle=_integer(self_handle),
            pad=pad,
        )


def _kernel_again(ir: str, name: str, sig: Signature, options: dict[str, Any]) -> Any:
    """Unpickle the Function of a kernel."""
    return _core.function_of(Function.from_ir(ir, name, sig, **options))


def _integer(value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"expected an address as int, got {type(value).__name__}")
    return value


def _check_address(address: int) -> None:
    if _integer(address) == 0:
        raise ValueError("expected an address, got NULL")


def signature_of(signature: Signature | str | None) -> Signature | None:
    """A Signature from itself, from its text, or from a C prototype."""
    if signature is None:
        return None
    with IMPORTS:  # what has no signature needs none of this, and scripts are loaded without
        from jitffi.signature.model import Signature
        from jitffi.signature.text import parse

    return signature if isinstance(signature, Signature) else parse(signature)


def from_native(
    address: int, signature: Signature | str, name: str = "native", keep_alive: object = None,
    nogil: bool = False, errno: bool = False, keep_callbacks: bool = False, pad: int | None = None,
) -> Function:  # fmt: skip
    _check_address(address)
    sig = signature_of(signature)
    if sig is None:
        raise TypeError(f"{name}: a native function needs a signature")
    return make(
        name, sig, "c", address, owner=keep_alive, nogil=nogil, errno=errno, keep_callbacks=keep_callbacks, pad=pad
    )


def make(
    name: str, sig: Signature | None, callee: str, target: object, *, owner: object = None, self_handle: int = 0,
    nogil: bool = False, errno: bool = False, keep_callbacks: bool = False, on_error: object = 0, doc: str = "",
    origin: tuple[Any, ...] | None = None, entry: bool = True, pad: int | None = None, variant: bool = False,
    compile: str | None = None,
) -> Function:  # fmt: skip
    """Return a new Function of convention *callee*: *target* is an address, or a callable for "python". *variant*: for
    the variable arguments of one kind of calls."""
    if sig is None:
        if pad is not None and not getattr(pad, "unspecified", False):
            raise TypeError(f"{name}: pad is for functions with a signature")
        made = _core.new_function(
            Function, name, None, None, None, None, None, None, callee, target, self_handle, owner, 0, keep_callbacks
        )
        options = ""
    else:
        with IMPORTS:
            from jitffi.signature.model import NO_DEFAULT
            from jitffi.signature.text_signature import text_signature

        if pad_policy.current is not None:
            pad = pad_policy.current.of_typed(name, sig, pad)
        options = option_letters(sig, nogil, errno, pad)
        types = (*[p.type.text for p in sig.params], sig.result.text)
        values = [_core.NO_DEFAULT if p.default is NO_DEFAULT else p.default for p in sig.params]
        defaults = tuple(values) if sig.has_defaults else None
        order = None if sig.in_order else sig.order.for_runtime
        made = _core.new_function(
            Function, name, text_signature(name, sig, doc), tuple([p.name for p in sig.params]), types, sig.types,
            defaults, order, callee, target, self_handle, owner, failure_bits(sig, on_error), keep_callbacks,
        )  # fmt: skip
        if "owned[" in sig.types:
            late("jitffi.api.ownership").give_releases(made, sig, callee, owner, nogil)
    made._sig, made._callee, made._options, made._origin = sig, callee, options, origin
    if sig is not None and entry and sig.variadic and callee == "c" and not variant:
        given = {"owner": owner, "nogil": nogil, "errno": errno, "keep_callbacks": keep_callbacks, "pad": pad}
        given["compile"] = compile
        late("jitffi.api.variadic").equip(made, Request("python", callee, sig, options), given)
    elif sig is not None and entry:
        entries.equip_when_called(made, Request("python", callee, sig, options), compile)
    return made  # type: ignore[no-any-return]


# -- what the extension asks for ------------------------------------------------------------------------------


def from_handle(address: int, name: str = "function") -> Any:
    """The builtin for a function object that native code made."""
    call, text = _core.function_object(address)
    sig = signature_of(text)
    # A function that was taken from a module holds it; one that a module's own code has made does not yet.
    return _core.builtin(make(name, sig, "packed", call, owner=_core.module_hold(address), self_handle=address))
