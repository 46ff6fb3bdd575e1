"""`@jitffi.script`: Python functions without annotations, compiled when they are called.

    @jitffi.script          reads the source: what scripts lack is an error here     (or the cache says it was read)
    f("abc")                first call with such type tags: a variant is compiled, or found in the cache
    f("def")                from then on a call leads to the variant by itself       (runtime_c/python/package/script.c)

On the way of a warm start: what reads, infers and generates is imported where something is compiled.
"""

from __future__ import annotations

import importlib
from types import GenericAlias, MethodType

from jitffi import _core
from jitffi.api.functions import Function
from jitffi.base import apart
from jitffi.base.errors import ScriptError
from jitffi.base.fork_locks import IMPORTS, SCRIPTS, holding
from jitffi.base.qualified import named
from jitffi.scripts.api import dispatch, left, making, program, variants
from jitffi.scripts.api.options import callable_of, check_options
from jitffi.scripts.library import classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Concatenate, Generic, Literal, Self, overload

    from typing_extensions import ParamSpec, TypeVar

    from jitffi.scripts.api.program import ScriptOptions
    from jitffi.scripts.api.variants import Variant
    from jitffi.signature.model import Signature

    _P = ParamSpec("_P", default=...)
    _R = TypeVar("_R", default=Any)
    _Returns = Literal["native", "python"]
    _Rest = ParamSpec("_Rest")

    class _Typed(Function, Generic[_P, _R]):
        """The Python function's own signature: calls of a script are checked as calls of the function would be."""

        __wrapped__: Callable[_P, _R]

        def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
else:
    _P = _R = None
    _Typed = {(_P, _R): Function}


#: Attributes that it has of the Python function, which are only read.
_OF_FUNCTIONS = frozenset(("__builtins__", "__closure__", "__code__", "__defaults__", "__globals__", "__kwdefaults__"))


class Script(_Typed[_P, _R]):
    """A Python function, compiled: what `jitffi.script` makes of one. Called like it, with its results and exceptions.

    `__wrapped__` is the Python function, which it keeps alive. A call whose arguments have new type tags compiles a
    variant; where that cannot be, calls are calls of the Python function from then on, or a ScriptError (`strict`).
    Lists, dicts, tuples and sets among the arguments are used where they are (strict scripts get copies); what is made
    comes back as Python's own list, dict and tuple, or as jitffi.List, Map and Tuple (`returns="native"`). It can be
    called from any thread, and is pickled by its name, or by that of the Python function it was made of.

    >>> import jitffi
    >>> @jitffi.script
    ... def vowels(text):
    ...     return sum([1 for ch in text if ch in "aeiou"])
    >>> vowels, vowels("queue")
    (<jitffi.Script vowels(text)>, 4)
    """

    # What functools.update_wrapper copies to another function is the instance's dict: these are this script's alone.
    __slots__ = ("_callee", "_given", "_native_function", "_options", "_origin", "_sig", "_tables", "_variants")

    _given: ScriptOptions
    #: By type tags; None for the variant that takes all.
    _variants: dict[int | None, Variant]
    #: What the tuner's switching has by pads; None with a profile, not there before code is made.
    _tables: Any

    def __new__(cls, function: Callable[..., Any]) -> Script:
        raise TypeError("a Script is made by jitffi.script")

    if not TYPE_CHECKING:
        __class_getitem__ = classmethod(GenericAlias)  # Script[[str], int], in annotations

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type | None = None) -> Self: ...
        @overload
        def __get__(
            self: Script[Concatenate[Any, _Rest], _R], instance: object, owner: type | None = None
        ) -> Callable[_Rest, _R]: ...

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        if name in _OF_FUNCTIONS:
            return getattr(self._given.function, name)
        if name == self.__name__:  # which is none of its attributes, as it is one of those that are builtins
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        return super().__getattr__(name)

    @property
    def __name__(self) -> str:
        name: str = self.__dict__["__name__"]
        return name

    @__name__.setter
    def __name__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError("__name__ must be set to a string object")
        self.__dict__["__name__"] = name

    def __copy__(self) -> Self:
        return self  # as functions are

    def __deepcopy__(self, memo: object) -> Self:
        return self

    # -- compiling ------------------------------------------------------------------------------------------------

    def _make_variant(self, kinds: int, ranks: int = 0) -> bool:
        """What the extension asks for when no variant fits: the two words of the type tags. False: the interpreter is
        to make this call, which the compiler makes itself, of a module that it uses."""
        if apart.is_at_work() and not self._given.strict:
            return False
        type_tags = kinds | ranks << 64
        try:
            if not holding(SCRIPTS, self._add_variant, type_tags, False):
                apart.run(holding, SCRIPTS, self._add_variant, type_tags, True)
        except ScriptError as error:
            error = error.with_traceback(None)  # the way there is nothing of the user's
            if self._given.strict:
                raise error from None
            left.leave(self, error)
        return True

    def _first_calls(self) -> Any:
        """What the extension asks for when there is no variant yet: which calls the interpreter may make. A signal
        handler that calls a script would find half of a module that is imported here. None where looking at a script
        calls it."""
        return None if apart.is_at_work() else apart.run(holding, IMPORTS, _look_at, self)

    def _class_number(self, cls: type) -> tuple[int, tuple[type, ...]]:
        """What the extension asks for of the registered class of an argument."""
        return apart.run(classes.number_of, self._given.classes, cls)

    def _add_variant(self, type_tags: int, compiles: bool) -> bool:
        """Whether it is there now: if it is not in the cache, only if this *compiles*."""
        known = self._variants
        key = type_tags if type_tags in known or len(known) < dispatch.MOST_VARIANTS else None
        made = known.get(key) or variants.variant(self, key, self._tags_of(key), compiles)  # known: by another thread
        if made is None:
            return False
        self._install(key, made)
        return True

    def _install(self, key: int | None, made: Variant) -> None:
        """Let calls find it, in the place of what was compiled quickly."""
        known = self._variants
        known[key] = made
        self._enter(key, made)
        plain = key if key is None or made.guesses else dispatch.without_guesses(key)
        if plain != key and (plain in known or len(known) < dispatch.MOST_VARIANTS):
            # It is good for all lists, and so will be those that are compiled from now on.
            before = known.get(plain)
            if before is None or before.quick is not None:
                known[plain] = made
            self._enter(plain, known[plain])
            _core.script_unsure(self)

    def _enter(self, key: int | None, made: Variant) -> None:
        """Let calls find it."""
        words = None if key is None else (key & (1 << 64) - 1, key >> 64)
        reads = 0 if key is None else made.reads
        _core.script_variant(self, words, made.address, reads, made.repeats, made.python, made.quick)

    def _tags_of(self, key: int | None) -> int:
        """The type tags that a variant is made for: of the one that takes all, those of values of any type, or of
        objects."""
        if key is not None or self._given.strict:
            return key or 0
        return dispatch.ALL_OBJECTS & dispatch.asked(dispatch.parameters(self._given.function), self._given.declared)

    # -- stages ---------------------------------------------------------------------------------------------------

    def inspect_types(self) -> str:
        """Return the source with the types of everything, of each variant that there is; before the first call, of the
        one for arguments of any types. Of a script that is left to the interpreter it says why: the text of the
        ScriptError that `strict=True` would have raised.

        >>> import jitffi
        >>> @jitffi.script
        ... def double(x):
        ...     return x + x
        >>> double(2), double("ab")
        (4, 'abab')
        >>> [line for line in double.inspect_types().splitlines() if "->" in line]
        ['double(x: int) -> int ...', '    3      return x + x  # -> int', 'double(x: str) -> str ...', ...]
        """
        why = left.reason(self)
        if why is None:
            try:
                return self._stages("types")
            except ScriptError as error:
                why = error
        from jitffi.scripts.api import show

        return show.left(self, why)

    def inspect_llvm(self, optimized: bool = False) -> str:
        """Return the LLVM IR of each variant as it is generated, if *optimized* as LLVM leaves it. ScriptError where it
        is left to the interpreter.

        >>> import jitffi
        >>> @jitffi.script
        ... def add(x: int, y: int):
        ...     return x + y
        >>> "llvm.sadd.with.overflow" in add.inspect_llvm()
        True
        """
        return self._stages("optimized" if optimized else "llvm")

    def inspect_asm(self) -> str:
        """Return the assembly of each variant. ScriptError where it is left to the interpreter.

        >>> import jitffi
        >>> @jitffi.script
        ... def add(x: int, y: int):
        ...     return x + y
        >>> "__jf_script:" in add.inspect_asm()
        True
        """
        return self._stages("asm")

    def _stages(self, stage: str) -> str:
        left.refuse(self)
        return variants.show_all(self, stage)

    # -- what a Function can do -----------------------------------------------------------------------------------

    @property
    def signature(self) -> Signature | None:
        """The Signature that was given, or what complete annotations say; else None.

        >>> import jitffi
        >>> @jitffi.script
        ... def repeated(text: str, times: int = 2) -> list[str]:
        ...     return [text] * times
        >>> print(repeated.signature)
        (text: str, times: i64 = 2) -> list[str]
        """
        return program.signature_of(self)

    def __repr__(self) -> str:
        return f"<jitffi.Script {self.__name__}{dispatch.text_of_parameters(self._given)}>"

    def __reduce__(self) -> Any:
        """By name; or as what is made of the Python function, where that has the name still, or no module has it: a
        function in a function can be pickled by cloudpickle."""
        function = self._given.function
        if function is named(function) or "<locals>" in self.__qualname__:
            return self._by_value()
        return self.__qualname__

    def _by_value(self) -> tuple[Any, ...]:
        """For a pickler that does not look for it by its name."""
        given, sig = self._given, self._given.signature
        pads = given.pads if given.candidate is None else given.candidate
        text = None if sig is None else str(sig)
        code = getattr(given.function, "__code__", None)
        file = code and code.co_filename
        return _again, (given.function, pads, given.nogil, text, given.returns, given.strict, file)

    def _builtin(self) -> Any:
        return self

    def _signature_text(self) -> str:
        return str(self._given.signature)

    def _make_native(self) -> int:
        sig = self.signature
        if sig is None:
            raise TypeError(f"{self.__name__}: a script without a signature has no C function; give it one")
        from jitffi.api.making import make

        made = self._native_variant()
        self._native_function = make(self.__name__, sig, "packed", made.address, owner=self)
        _core.script_native(self, self._native_function.native_address)
        return self._native

    def _native_variant(self) -> Variant:
        left.refuse(self)
        if not self._given.strict:
            return holding(SCRIPTS, variants.of_signature, self)
        self._make_variant(0)
        variants.wait_for_better(self._variants[0])
        return self._variants[0]

    def _request(self) -> Any:
        raise TypeError(f"{self.__name__}: a script has no adapter; inspect_llvm() shows its variants")


_core.set_script_class(Script)


def _look_at(made: Script) -> Any:
    return importlib.import_module("jitffi.scripts.api.first_calls").of(made)


def _again(
    function: Any, pad: Any, nogil: bool, signature: str | None, returns: _Returns = "python", strict: bool = False,
    file: str | None = None,
) -> Any:  # fmt: skip
    """What unpickling calls; *file* has its text: cloudpickle leaves the name out (`_code_reduce`, from 3.1.2 on)."""
    if file is not None and function.__code__.co_filename != file:
        function.__code__ = function.__code__.replace(co_filename=file)
    return script(function, pad=pad, nogil=nogil, signature=signature, returns=returns, strict=strict)


if TYPE_CHECKING:

    @overload
    def script(
        f: Callable[_P, _R], *, pad: int | Mapping[str, int] | None = None, nogil: bool = False,
        signature: Signature | str | None = None, returns: _Returns | None = None, strict: bool = False,
    ) -> Script[_P, _R]: ...  # fmt: skip
    @overload
    def script(
        f: None = None, *, pad: int | Mapping[str, int] | None = None, nogil: bool = False,
        signature: Signature | str | None = None, returns: _Returns | None = None, strict: bool = False,
    ) -> Callable[[Callable[_P, _R]], Script[_P, _R]]: ...  # fmt: skip


def script(
    f: Callable[..., Any] | None = None, *, pad: int | Mapping[str, int] | None = None, nogil: bool = False,
    signature: Signature | str | None = None, returns: _Returns | None = None, strict: bool = False,
) -> Any:  # fmt: skip
    """Compile a Python function to native code: a decorator. Its source is read, and compiled, when it is called.

    Results and exceptions are Python's own (docs/guide/scripts.md). What cannot be compiled is left to the interpreter:
    the Script calls the Python function, and `inspect_types` says why. *strict*, or an option that needs native code
    (*nogil*, *signature*): it is a ScriptError here, with its line and what to write instead. Parameters need no
    annotations, which change nothing; where native code is asked for, they take nothing else: TypeError.
    *pad*, 0 to 15: bytes, in units of 8, that variables have for strings beside the first 8, by name, "*" for the
    others and "[]" for items of the lists that are made; or one number for all. *nogil*: run without the GIL; Python
    callables take it. *signature*, a Signature or its text: the types, in place of annotations; such a script has one
    variant, an address for C, and can be emitted. *returns*: "python" for lists, dicts and tuples that come back as
    Python's own, all the way down, as they do where nothing is said; "native" for jitffi.List, Map and Tuple, without a
    copy. Without *f* a decorator is returned, else the Script, which keeps *f* alive; a Script without options is
    returned as it is. Of a staticmethod, classmethod or bound method the function in it becomes a Script.

    Raises ScriptError for what scripts do not have, SignatureError for a bad text, TypeError for a class and what is
    not callable, for options of other types and for a signature that is not the function's, ValueError for a pad of no
    variable or of no such size, and for another *returns*.

    >>> import jitffi
    >>> @jitffi.script(signature="(str, i64) -> list[str]")
    ... def ngrams(text, n):
    ...     return [text[i : i + n] for i in range(len(text) - n + 1)]
    >>> ngrams("abcd", 3)
    ['abc', 'bcd']
    >>> jitffi.script(ngrams, returns="native")("abcd", 3)
    List(['abc', 'bcd'])
    >>> jitffi.script(len, strict=True)
    Traceback (most recent call last):
        ...
    TypeError: script: expected a Python function, got builtin_function_or_method len
    """
    check_options(pad, nogil, signature, returns, strict)
    strict = strict or nogil or signature is not None
    if f is None:
        return lambda function: script(
            function, pad=pad, nogil=nogil, signature=signature, returns=returns, strict=strict
        )
    if isinstance(f, Script):
        if pad is None and returns is None and (not strict or (f._given.strict and not nogil and signature is None)):
            return f
        f = f._given.function
    if isinstance(f, staticmethod | classmethod | MethodType):
        made = script(f.__func__, pad=pad, nogil=nogil, signature=signature, returns=returns, strict=strict)
        return MethodType(made, f.__self__) if isinstance(f, MethodType) else type(f)(made)
    return making.make(Script, callable_of(f, strict), pad, nogil, signature, returns, strict)
