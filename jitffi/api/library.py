"""Shared libraries: load one, bind its functions by signature or C prototype."""

from __future__ import annotations

import os
import sys

from jitffi import _core
from jitffi.api.functions import Function
from jitffi.base.fork_locks import IMPORTS
from jitffi.base.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import IntEnum
    from typing import Any, TypeVar

    from jitffi.api import declarations, enums, making, pickling, retyping, variables
    from jitffi.api.library_types import Types
    from jitffi.api.variables import Variable
    from jitffi.signature import model, plain_text
    from jitffi.signature import text as texts
    from jitffi.signature.model import Signature, Type

    Check = Callable[[Any, tuple[Any, ...]], Any]
    EnumClass = type[IntEnum]
    F = TypeVar("F", bound=Callable[..., Any])
else:  # what functions of plain types are bound without
    texts = late("jitffi.signature.text")
    variables, enums = late("jitffi.api.variables"), late("jitffi.api.enums")
    declarations, making = late("jitffi.api.declarations"), late("jitffi.api.making")
    model, plain_text = late("jitffi.signature.model"), late("jitffi.signature.plain_text")
    pickling, retyping = late("jitffi.api.pickling"), late("jitffi.api.retyping")

#: keep_callbacks, pad, check, enum and compile, as they are without being said or where functions of plain types go on
#: without a look at their types; nogil and errno may be either.
_PLAIN_OPTIONS = tuple([(False, None, None, None, compile) for compile in (None, "hot", "never")])


class Library:
    """A loaded shared library. It stays loaded as long as this object or a function bound from it lives.

    Functions that the `cdef` of `load_library` declares are attributes.

    >>> import jitffi
    >>> libm = jitffi.load_library("libm.so.6", cdef="double floor(double); double fabs(double);")
    >>> libm.floor(2.5), libm.fabs(-1.5)
    (2.0, 1.5)
    """

    def __init__(self, name: str | None, path: str | None, cdef: str | None) -> None:
        self._name = name
        self._path = path
        self._cdef = cdef
        self._library = _core.Library(path)
        self._all = None if cdef is None else declarations.declarations(cdef, declarations.prefix_of(name))
        self._types: Types | None = None

    def _of_cdef(self, kind: str) -> dict[str, Any]:
        """What the library's cdef declares of a kind (declarations.Declared), by names; nothing without one."""
        declared = self.__dict__.get("_all")
        found: dict[str, Any] = {} if declared is None else getattr(declared, kind)
        return found

    def bind(
        self, name: str, signature: Signature | str | None = None, *, nogil: bool = False, errno: bool = False,
        keep_callbacks: bool = False, pad: int | None = None, types: Mapping[str, Type | str] | None = None,
        check: Check | None = None, enum: EnumClass | None = None, compile: str | None = None,
    ) -> Any:  # fmt: skip
        """Return the function *name* as a Python callable, an exact builtin.

        *signature* is a signature text, a C prototype, a Signature, or nothing where the library's cdef declares it.
        *nogil* releases the interpreter's lock around the call, and where what it gives is freed, *errno* raises
        OSError where the result is -1 or NULL, *keep_callbacks* keeps the callables given for func[...] parameters as
        long as the bound function. *pad*, 0 to 15, is how much room a result that is text gets on the stack: 7 + 8 *
        pad bytes, the most by default; longer text takes the heap. *types* says types more exactly than a prototype
        can, of parameters by their names, of the result as "return": {"x": "const f64[n]", "return": "owned[ptr[f64],
        free]"}. *check* is called with each result and the tuple of its arguments, and gives what is returned instead.
        *enum* is the class whose members results are that it has a member for; others stay ints. *compile* says when
        machine code is made for it: "hot" once it is called often, "now" with the first call, "never"; the default is
        what JITFFI_COMPILE says, else "hot". Code that is in the cache is used but by "never", and what cannot be
        called without code is compiled with the first call. ValueError for another word.
        AttributeError for a symbol that is not there, SignatureError for a text that is no signature and for *types* of
        parameters that are not there or that C passes otherwise, TypeError for a signature that C cannot carry, OSError
        for a library that owned[...] names and that cannot be loaded.

        >>> import jitffi
        >>> libm = jitffi.load_library("libm.so.6")
        >>> libm.bind("hypot", "(x: f64, y: f64) -> f64")(3, y=4.0)
        5.0
        """
        if not isinstance(name, str):
            raise TypeError(f"bind: the function's name is a str, not {type(name).__name__}")
        options = (nogil, errno, keep_callbacks, pad, check, enum, compile)
        if types is None and options[2:] in _PLAIN_OPTIONS:
            bound = self._bound_plain(name, signature, "", options)
            if bound is not None:
                return bound
        sig = self._signature(name, signature)
        if types is not None:
            sig = retyping.retyped(name, sig, types, self._of_cdef("names"))
        return self._bound(name, sig, "", options)

    def variable(
        self, name: str, type: Type | str | None = None, *, check: bool = True, enum: EnumClass | None = None
    ) -> Variable:
        """Return the variable *name*, whose `value` is read and written.

        *type* is a type's text, `const` in front and dimensions behind it, a declaration of C, a Type, or nothing where
        the library's cdef declares it. AttributeError for a symbol that is not there, without *check* only when the
        variable is used; SignatureError for a text that is no type, TypeError where there is none. *enum* is the class
        whose member the value is where it has one for it.

        >>> import jitffi
        >>> jitffi.load_library(None).variable("opterr", "extern int opterr;").value
        1
        """
        if not isinstance(name, str):
            raise TypeError(f"variable: the variable's name is a str, not {name.__class__.__name__}")
        _check_enum(name, enum)
        return variables.variable(self, name, type, check, enum)

    @property
    def types(self) -> Types:
        """The classes of the structs, unions and enums that the library's cdef declares, by their names in C.

        >>> import jitffi
        >>> text = "enum color { RED, GREEN = 5 }; typedef struct { int quot, rem; } pair_t;"
        >>> lib = jitffi.load_library(None, cdef=text)
        >>> lib.types.color.GREEN == lib.GREEN == 5, lib.types.pair_t(quot=2).quot
        (True, 2)
        """
        if self._types is None:
            with IMPORTS:
                from jitffi.api.library_types import Types
            made = {tag: enums.make(self, tag, members) for tag, members in self._of_cdef("enums").items()}
            made.update({name: made[tag] for name, tag in self._of_cdef("aliases").items()})
            self._types = Types(repr(self), self._of_cdef("names"), made)
        return self._types

    def _member(self, enum: str, value: int) -> Any:
        """The member of an enum that has that value; the int where none has."""
        cls = getattr(self.types, enum)
        return cls(value) if value in cls._value2member_map_ else value

    def declare(
        self, signature: Signature | str, *, symbol: str | None = None, nogil: bool = False, errno: bool = False,
        keep_callbacks: bool = False, pad: int | None = None, types: Mapping[str, Type | str] | None = None,
        check: Check | None = None, enum: EnumClass | None = None, compile: str | None = None,
    ) -> Callable[[F], F]:  # fmt: skip
        """Decorate a declaration in Python: what is bound has its name and docstring, and is typed by its annotations.

        The decorated function itself is never called; what takes its place is what `bind` returns, which is given
        *signature*, *nogil*, *errno*, *keep_callbacks*, *pad*, *types*, *check*, *enum* and *compile*, and raises as it
        does.
        *symbol* is the native name where it is another one. Where the library has no such symbol, the name is there all
        the same, and calling it raises AttributeError.

        >>> import jitffi
        >>> libm = jitffi.load_library("libm.so.6")
        >>> @libm.declare("(x: f64) -> f64")
        ... def floor(x: float) -> float:
        ...     "The next integer below."
        >>> floor(2.5), floor.__doc__.splitlines()[-1]
        (2.0, 'The next integer below.')
        """

        def decorate(declared: F) -> F:
            name, doc = symbol or declared.__name__, _dedented(declared.__doc__ or "")
            options = (nogil, errno, keep_callbacks, pad, check, enum, compile)
            if types is None and options[2:] in _PLAIN_OPTIONS:
                bound = self._bound_plain(name, signature, doc, options)
                if bound is not None:
                    return bound  # type: ignore[no-any-return]
            sig = self._signature(name, signature)
            if types is not None:
                sig = retyping.retyped(name, sig, types, self._of_cdef("names"))
            if self._library.find(name) is None:
                return _absent(declared, doc, f"{self!r} has no symbol {name!r}")
            return self._bound(name, sig, doc, options)  # type: ignore[no-any-return]

        return decorate

    def _bound_plain(self, name: str, text: object, doc: str, options: tuple[Any, ...]) -> Any:
        """The function where *text* has plain types alone and no more has to be known of it now; None for others."""
        policy = sys.modules.get("jitffi.base.pad_policy")
        if policy is not None and policy.current is not None:
            return None
        is_unseen = "jitffi.adapters.code_store" in sys.modules
        nogil, errno, *_, compile = options
        made = _core.bind_plain(
            Function, self._library, name, text, doc, self, is_unseen, nogil, errno, compile == "never"
        )
        if made is None:
            return None
        made._callee, made._text = "c", (text, bool(nogil), bool(errno))
        made._origin = (_bound_again, (self._name, name, text, options))
        if name[0] == "_" or hasattr(Function, name):
            pickling.make_picklable(made)
        return _core.builtin(made)

    def _bound(self, name: str, sig: Signature, doc: str, options: tuple[Any, ...]) -> Any:
        address = self._library.find(name)
        if address is None:
            raise AttributeError(f"{self!r} has no symbol {name!r}", name=name, obj=self)
        nogil, errno, keep_callbacks, pad, check, enum, compile = options
        if check is not None and not callable(check):
            raise TypeError(f"{name}: check is called with results, and is a {check.__class__.__name__}")
        _check_enum(name, enum)
        declared = self._of_cdef("results").get(name) if sig is self._of_cdef("functions").get(name) else None
        of_cdef = declared is not None and enum is None
        origin = (_bound_again, (self._name, name, None if of_cdef else sig, options, *[self._cdef] * of_cdef))
        if of_cdef:
            enum = getattr(self.types, declared or "")
        given: dict[str, Any] = {"owner": self, "nogil": nogil, "errno": errno, "keep_callbacks": keep_callbacks}
        given["compile"] = compile
        is_converted = enum is not None or check is not None
        made = making.make(name, sig, "c", address, origin=origin, pad=pad, doc=doc, entry=not is_converted, **given)
        if is_converted:
            inner = making.make(name, sig, "c", address, pad=pad, **given)
            members = None if enum is None else enum._value2member_map_
            _core.set_converted(made, inner, members, check, "k" in made._options)
        pickling.make_picklable(made)
        return _core.builtin(made)

    def _signature(self, name: str, signature: Signature | str | None) -> Signature:
        if isinstance(signature, model.Signature):
            return signature
        if signature is None:
            declared: Signature | None = self._of_cdef("functions").get(name)
            if declared is not None:
                return declared
            refused = self._of_cdef("refused")
            if name in refused:
                raise TypeError(f"{name}: {refused[name]}")
            raise TypeError(f"bind: {name!r} needs a signature: the library was loaded without a declaration of it")
        if not isinstance(signature, str):
            raise TypeError(f"bind: expected a signature's text or a Signature, got {type(signature).__name__}")
        text = signature.lstrip()
        if text.startswith("("):
            return plain_text.read_plain(signature) or texts.parse(signature, self._of_cdef("names") or None)
        return declarations.prototype(name, signature, declarations.prefix_of(self._name))

    def __getattr__(self, name: str) -> Any:
        if name in self._of_cdef("functions"):
            bound = self.__dict__[name] = self.bind(name)
            return bound
        if name in self._of_cdef("variables"):
            return self.variable(name).value
        if name in self._of_cdef("constants"):
            return self._constant(name)
        refused = self._of_cdef("refused")
        if name in refused:
            raise AttributeError(f"{self!r}: {name} cannot be bound: {refused[name]}", name=name, obj=self)
        hint = "; bind(name, signature) takes one that is not declared" if not name.startswith("_") else ""
        raise AttributeError(f"{self!r} declares no {name!r}{hint}", name=name, obj=self)

    def _constant(self, name: str) -> Any:
        """An enumerator: a member of its enum, an int where that has no name."""
        value = self._of_cdef("constants")[name]
        for enum, members in self._of_cdef("enums").items():
            if name in members:
                value = self._member(enum, value)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._of_cdef("variables"):
            self.variable(name).value = value
        else:
            object.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        declared = [self._of_cdef(kind) for kind in ("functions", "variables", "constants")]
        return sorted({*object.__dir__(self), *[name for names in declared for name in names]})

    def __repr__(self) -> str:
        return f"<jitffi.Library {self._name or 'of this process'}>"

    def __reduce__(self) -> Any:
        return _loaded_again, (self._name, self._cdef)


def _check_enum(name: str, enum: object) -> None:
    if enum is not None and not (isinstance(enum, type) and hasattr(enum, "_value2member_map_")):
        raise TypeError(f"{name}: enum is a class of enum's, and not {enum!r}")


def _dedented(doc: str) -> str:
    """A docstring without the indentation of its function, as every compiler since 3.13 leaves it."""
    lines = doc.expandtabs().rstrip().split("\n")
    indent = min([len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()], default=0)
    return "\n".join([lines[0].lstrip(), *[line[indent:] for line in lines[1:]]])


def _absent(declared: F, doc: str, message: str) -> F:
    """What stands for a function whose symbol is missing: only its caller needs to know."""

    def absent(*_args: object, **_kwargs: object) -> None:
        raise AttributeError(message)

    absent.__name__, absent.__doc__ = declared.__name__, doc
    return absent  # type: ignore[return-value]


def load_library(name: str | os.PathLike[str] | None, *, cdef: str | None = None) -> Library:
    """Load a shared library. *name*: a soname, a path (relative to the working directory), or None for this process.

    *cdef* holds C declarations; the functions in it become attributes, bound on first use. OSError where the library
    cannot be loaded, SignatureError where *cdef* is no C.

    >>> import jitffi
    >>> cdef = "unsigned long crc32(unsigned long, const unsigned char*, unsigned);"
    >>> zlib = jitffi.load_library("libz.so.1", cdef=cdef)
    >>> zlib.crc32(0, b"abc", 3)
    891568578
    """
    if cdef is not None and not isinstance(cdef, str):
        raise TypeError(f"load_library: cdef is a str of C declarations, not {type(cdef).__name__}")
    if name is None:
        return Library(None, None, cdef)
    text = os.fspath(name)
    if not isinstance(text, str):
        raise TypeError(f"load_library: expected a name or path as str, got {type(text).__name__}")
    if not text:
        raise OSError("load_library: the library's name is empty")
    if "\0" in text:
        raise OSError(f"load_library: the library's name has an embedded NUL: {text!r}")
    # A name without a slash is the loader's to find, unless it is a path by type or only the working directory has it.
    path = os.path.abspath(text) if "/" in text or not isinstance(name, str) else text
    try:
        return Library(path if path != text else text, path, cdef)
    except OSError:
        if path == text and os.path.exists(text):
            path = os.path.abspath(text)
            return Library(path, path, cdef)
        raise


def _loaded_again(name: str | None, cdef: str | None) -> Library:
    return load_library(name, cdef=cdef)


def _bound_again(
    library: str | None, name: str, sig: Signature | str | None, options: tuple[Any, ...], cdef: str | None = None
) -> Any:
    """Unpickle a bound function's Function."""
    names = ("nogil", "errno", "keep_callbacks", "pad", "check", "enum", "compile")
    given: dict[str, Any] = dict(zip(names, options, strict=True))
    bound = load_library(library, cdef=cdef).bind(name, sig, **given)
    return _core.function_of(bound)
