"""Functions as users hold them: the class behind their builtins, and how one is made.

A function is an exact builtin, since that is what the interpreter calls fastest; its `__self__` is the Function, which
owns the target, the machine code of each entry, and whatever must outlive a call. The Python entry is made at once, the
packed and the C entry when somebody asks for their address.
"""

from __future__ import annotations

from jitffi import _core
from jitffi.base.fork_locks import IMPORTS
from jitffi.base.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jitffi.adapters import batches, code_store
    from jitffi.adapters.code_store import Compiled, Request
    from jitffi.api import entries, making, pickling
    from jitffi.api.kernels import Kernel
    from jitffi.base import off_thread
    from jitffi.signature.model import Signature
else:  # what a function of plain types does without till it has been called often
    batches, code_store = late("jitffi.adapters.batches"), late("jitffi.adapters.code_store")
    entries, making, pickling = late("jitffi.api.entries"), late("jitffi.api.making"), late("jitffi.api.pickling")
    off_thread = late("jitffi.base.off_thread")


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
    _text: tuple[str, bool, bool]  # of its signature, where that has not been read yet; nogil and errno

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
        return kernel.text() if kernel is not None else off_thread.run(batches.text, self._request())

    def inspect_asm(self) -> str:
        """Return the assembly of the Python entry's adapter, as it is made for the cache. TypeError without a
        signature.

        >>> import jitffi
        >>> labs = jitffi.load_library(None).bind("labs", "(i64) -> i64")
        >>> ".text" in jitffi.Function(labs).inspect_asm()
        True
        """
        kernel = self.__dict__.get("_kernel")
        return kernel.assembly() if kernel is not None else off_thread.run(batches.assembly, self._request())

    def _request(self) -> Request:
        if self._sig is None:
            raise TypeError(f"{self.__name__}: a function without a signature has no code of its own")
        return code_store.Request("python", self._callee, self._sig, self._options)

    def __getattr__(self, name: str) -> Any:
        # A builtin pickles as getattr(__self__, __name__) (CPython, methodobject.c, meth_reduce).
        if name == self.__name__:
            return _core.builtin(self)
        if name in ("_sig", "_options") and "_text" in self.__dict__:
            self._sig, self._options = making.read_plainly(*self._text)
            return self.__dict__[name]
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
        entries.equip_native(self, code_store.Request("c", self._callee, self._sig), True)
        return self._native

    def _make_python(self) -> None:
        """The first call: compile, with others that wait for theirs."""
        off_thread.run(batches.compile_for, self, self._request(), entries.install_python)

    def _look_for_code(self) -> None:
        """The first call of what was bound without a look at what code there is."""
        entries.look_for_code(self, self._request())

    def _make_hot(self, by_c: bool) -> bool:
        """Called often without code: it is made while calls go on. False: there will be none."""
        return entries.make_code(self, self._request(), by_c)

    def _make_packed(self) -> int:
        if self._sig is None:
            _core.set_packed_entry(self, None)
        else:
            entries.equip_packed(self, self._packed_request())
        return self._packed

    def _make_packed_code(self) -> None:
        """The first call by native code."""
        entries.equip(self, self._packed_request(), entries.set_packed)

    def _packed_request(self) -> Request:
        assert self._sig is not None
        return code_store.Request("packed", self._callee, self._sig, "d" if self._sig.has_defaults else "")

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
        template = making.make(f"{self.__name__}.{self._name_at(index)}", sig, "python", None, entry=False)
        entries.equip_native(template, code_store.Request("c", "python", sig), False)
        return template

    def _box_callback(self, index: int, address: int) -> Any:
        """A Function for the C function that came as argument *index* or result. The last one stays: its code serves
        the next, and would else be compiled for each call."""
        last = self.__dict__.setdefault("_boxed", {})
        if index not in last or last[index]._native != address:
            name = f"{self.__name__}.{self._name_at(index)}"
            last[index] = making.from_native(address, self._type_at(index), name=name, keep_alive=self)
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
        return making.from_native(address, signature, name, keep_alive, nogil, errno, keep_callbacks, pad)

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

        kernel = read(source, name, making.signature_of(signature), nogil, errno, pad, link)
        options: dict[str, Any] = {"nogil": nogil, "errno": errno, "keep_callbacks": keep_callbacks, "pad": kernel.pad}
        origin = (_kernel_again, (kernel.ir, name, kernel.sig, {**options, "link": kernel.link}))
        made = making.make(name, kernel.sig, "c", kernel.address, owner=kernel, origin=origin, entry=False, **options)
        made._kernel = kernel
        kernel.equip(made)
        pickling.make_picklable(made)
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
        making.check_address(address)
        return making.make(
            name,
            making.signature_of(signature),
            "packed",
            address,
            owner=keep_alive,
            self_handle=making.integer(self_handle),
            pad=pad,
        )


def _kernel_again(ir: str, name: str, sig: Signature, options: dict[str, Any]) -> Any:
    """Unpickle the Function of a kernel."""
    return _core.function_of(Function.from_ir(ir, name, sig, **options))
