"""Modules: compiled functions by name, from shared libraries, object files, or the program itself.

    load_module(files or bytes) --> native module --> owner: what keeps the code in memory  (jitffi.code)
                                       ^    ^
                    Module, a wrapper object    functions taken from it, each of which holds it

The native module is the runtime's (module.h): what it exports, what it imports, and whether it may go. Here is what
Python adds: classes of exceptions, functions with the code of their signatures, and the way back from a pickle.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from weakref import WeakValueDictionary

from jitffi import _core
from jitffi.api.pickling import make_picklable
from jitffi.base.errors import SignatureError, nearest
from jitffi.base.files import library_names, open_regular
from jitffi.base.fork_locks import IMPORTS
from jitffi.base.late import late
from jitffi.signature.model import Signature
from jitffi.signature.text import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    _Given: TypeAlias = tuple[tuple[str, Signature], ...]

#: Modules that were loaded from files alone, by how that was asked for: what unpickling finds again while they live.
_loaded: WeakValueDictionary[tuple[Any, ...], Module] = WeakValueDictionary()


_MAX_SHOWN = 5  # names in a warning


class _Owner:
    """What a native module holds: the library or the linked code, and how to load the same again."""

    __slots__ = ("__weakref__", "code", "held", "origin")

    def __init__(self, code: object, origin: tuple[Any, ...] | None, held: object = None) -> None:
        self.code = code
        self.origin = origin
        self.held = held


class Module(_core.Module):
    """Functions by name, as `load_module` and `system_library` give them; the same native module has the same Module.

    An exported function is an attribute, unless it is called like a method, and an item. A function that is taken from
    a module keeps it loaded.

    >>> import jitffi, tempfile
    >>> mod = jitffi.load_module(jitffi.emit("labs: (x: i64) -> i64", tempfile.mkdtemp() + "/demo.o"))
    >>> mod
    <jitffi.Module demo: 1 function>
    >>> mod.labs(-3), mod["labs"](x=4), list(mod), "labs" in mod
    (3, 4, ['labs'], True)
    """

    # No __slots__: functions that were taken as attributes stay in the instance's dict, where the next one finds them.

    def get_function(self, name: str, query_imports: bool = True) -> Any:
        """Return the function *name*, from this module or else the nearest of its imports, as an exact builtin.

        Not from the imports without *query_imports*. AttributeError where there is none, ValueError where the module
        was closed.

        >>> import jitffi, tempfile
        >>> mod = jitffi.load_module(jitffi.emit("labs: (x: i64) -> i64", tempfile.mkdtemp() + "/demo.o"))
        >>> mod.get_function("labs")(-3)
        3
        """
        if not isinstance(name, str):
            raise TypeError(f"get_function: the function's name is a str, not {type(name).__name__}")
        made = self._take_function(name, query_imports)
        function = _core.function_of(made)
        function._origin = _function_origin(function, name)
        make_picklable(function)
        return made

    def _take_function(self, name: str, query_imports: bool) -> Any:
        if "\0" in name or any("\ud800" <= char <= "\udfff" for char in name):
            raise AttributeError(f"module {self.name!r} has no function {name!r}", name=name, obj=self)
        try:
            made = self._take(name, query_imports)
        except AttributeError as error:
            hint = "" if self._exports() or self._imports() else f": it exports no __jf_{name}, and nothing else"
            # Without `obj`, from which Python would print its own guess after ours.
            raise AttributeError(f"{error}{hint}", name=name) from None
        except SignatureError as error:
            text = f"module {self.name!r}: the signature of {name!r}: {error.message}"
            raise SignatureError(text, error.text, error.offset, error.length, error.hint) from None
        if made is None:
            near = nearest(name, [export for export, _ in self._exports()])
            text = f"module {self.name!r} has no function {name!r} of its own"
            raise AttributeError(f"{text}; {near}" if near else text, name=name)
        return made if _core.tvm_target(made) is None else late("jitffi.api.tvm_ffi_modules").with_types(made, name)

    def implements_function(self, name: str, query_imports: bool = True) -> bool:
        """Return whether `get_function` would find *name*, in the imports, too, with *query_imports*. ValueError where
        the module was closed.

        >>> import jitffi
        >>> jitffi.system_library().implements_function("nothing")
        False
        """
        try:
            self._take_function(name, query_imports)
        except AttributeError:
            return False
        return True

    @property
    def signatures(self) -> dict[str, Signature | None]:
        """The exports by name, with their signatures; None for a function that takes whatever it is given.

        >>> import jitffi, tempfile
        >>> mod = jitffi.load_module(jitffi.emit("labs: (x: i64) -> i64", tempfile.mkdtemp() + "/demo.o"))
        >>> mod.signatures
        {'labs': Signature.parse('(x: i64) -> i64')}
        """
        told = late("jitffi.api.tvm_ffi_modules").told_of
        return {name: parse(text) if text else told(self, name) for name, text in self._exports()}

    @property
    def imports(self) -> list[Module]:
        """The modules that this one looks into for what it does not export itself. ValueError where it was closed.

        >>> import jitffi
        >>> jitffi.system_library().imports
        []
        """
        found: list[Module] = self._imports()
        return found

    def import_module(self, module: Module) -> None:
        """Look into *module*, too, for functions that this one does not export. Rings of imports are allowed.

        >>> import jitffi, tempfile
        >>> mod = jitffi.load_module(jitffi.emit("labs: (x: i64) -> i64", tempfile.mkdtemp() + "/demo.o"))
        >>> system = jitffi.system_library()
        >>> system.import_module(mod)
        >>> system.labs(-3)
        3
        """
        if not isinstance(module, Module):
            raise TypeError(f"import_module: expected a Module, got {type(module).__name__}")
        self._import(module)

    def clear_imports(self) -> None:
        """Forget all imports: what is in a ring of imports stays loaded until one of it does. ValueError where the
        module was closed.

        >>> import jitffi
        >>> system = jitffi.system_library()
        >>> system.import_module(jitffi.system_library("another"))
        >>> system.clear_imports()
        >>> system.imports
        []
        """
        self._clear_imports()

    def close(self) -> None:
        """Unload the module now, rather than with the last reference. RuntimeError while functions taken from it live.

        Destructors run. From then on whatever is asked of the module is a ValueError. Nothing where it is closed.

        >>> import jitffi
        >>> system = jitffi.system_library()
        >>> system.close()
        >>> system.labs
        Traceback (most recent call last):
            ...
        ValueError: module 'system' was unloaded
        """
        self.__dict__.clear()
        try:
            self._unload()
        except RuntimeError:
            import gc

            gc.collect()  # functions that are only in cycles are not in use
            self._unload()

    def __enter__(self) -> Module:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):  # what copy, pickle and inspect ask of everything
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        found = self.get_function(name)
        if _core.module_of(found) is self:  # what is an import's is looked up each time: imports may change
            self.__dict__[name] = found
        return found

    def __getitem__(self, name: str) -> Any:
        try:
            return self.get_function(name)
        except AttributeError as error:
            raise KeyError(str(error)) from None

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in self._exports()])

    def __len__(self) -> int:
        return len(self._exports())

    def __bool__(self) -> bool:
        return True

    def __contains__(self, name: object) -> bool:
        return any(export == name for export, _ in self._exports())

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *(name for name, _ in self._exports() if name.isidentifier())})

    def __repr__(self) -> str:
        if not self._loaded:
            return f"<jitffi.Module {self.name}: unloaded>"
        count = len(self._exports())
        return f"<jitffi.Module {self.name}: {count} function{'' if count == 1 else 's'}>"

    def __reduce__(self) -> Any:
        if not self._loaded:
            raise ValueError(f"module {self.name!r} was unloaded")
        origin = _origin(self)
        if origin is None:
            raise TypeError(f"cannot pickle {self!r}: only a module that was loaded from files can be found again")
        return origin


_core.set_module_class(Module)


def load_module(
    *files: str | os.PathLike[str] | bytes, link: Any = (), signatures: Mapping[str, Signature | str] | None = None
) -> Module:
    """Load compiled functions. *files*: a shared library by its path, or object files, paths or bytes, linked together.

    A shared library is the loader's: loaded twice it is the same code. Object files are linked here, each call into a
    namespace of its own; what they do not define themselves is searched in the shared libraries that *link* names, in
    jitffi's runtime, in this process, and in the libraries that a C or C++ compiler links by itself. A function of the
    module is what an object exports as ``__jf_<name>``, its signature the text ``__jfsig_<name>``; what has none is
    named in a UserWarning. *signatures*, by name, makes such functions of C functions of the object files.

    OSError where a file cannot be loaded: it is not there, damaged, of another machine or ABI, or symbols are missing.
    SignatureError for a bad signature, ValueError for a name that is none of C's, TypeError where C cannot carry a
    signature.

    >>> import jitffi, tempfile
    >>> mod = jitffi.load_module(jitffi.emit("labs: (x: i64) -> i64", tempfile.mkdtemp() + "/demo.o"))
    >>> mod.labs(-3)
    3
    """
    if not files:
        raise TypeError("load_module: expected a shared library, or object files")
    inputs = [_input(file) for file in files]
    libraries = library_names("load_module", link)
    library = len(inputs) == 1 and isinstance(inputs[0], str) and _is_library(inputs[0])
    if library and signatures:
        raise TypeError("load_module: signatures is for object files; a shared library's are bound by load_library")
    if library and not libraries:
        made: Module = _load_library(str(inputs[0]))
        _warn_of_unsigned(made)
        return made
    if library:
        raise TypeError("load_module: link is for object files; a shared library names what it needs itself")
    with IMPORTS:
        from jitffi.api.kernels import packed_entries
        from jitffi.link.image import link_objects

    given, entries = packed_entries(signatures) if signatures else ({}, [])
    image, name, exports = link_objects([*inputs, *entries], libraries, functions=given)
    origin = None
    if not any(isinstance(each, bytes) for each in inputs):
        origin = (_loaded_again, (tuple(inputs), libraries, tuple(given.items())))
    made = _core.module_new(name, exports, _Owner(image, origin), image.address, image.size)
    if origin is not None:
        _loaded[origin[1]] = made
    _warn_of_unsigned(made)
    return made


def system_library(prefix: str = "") -> Module:
    """Return the functions that are linked into this program, and were registered at its start (module.h, JF_EXPORT).

    Only those whose names begin with *prefix*, which is left out of their names. TypeError where that is no str.

    >>> import jitffi
    >>> len(jitffi.system_library("nothing has this prefix"))
    0
    """
    if not isinstance(prefix, str):
        raise TypeError(f"system_library: the prefix is a str, not {type(prefix).__name__}")
    made: Module = _core.system_library(prefix)
    return made


def _warn_of_unsigned(module: Module) -> None:
    """Tell who loads a module of functions that nothing is known of, in one warning: mostly their texts got lost."""
    names = [name for name, text in module._exports() if text is None]
    if names:
        import warnings

        shown = ", ".join(names[:_MAX_SHOWN]) + (f" and {len(names) - _MAX_SHOWN} more" * (len(names) > _MAX_SHOWN))
        message = (
            f"module {module.name!r} has no signature of {shown}: arguments cross unchecked. "
            f'JITFFI_EXPORT({names[0]}, "(...) -> ...") of jitffi/abi.h exports function and signature (a plain '
            f'`const char __jfsig_{names[0]}[]` of C++ stays inside its file); "" is for what takes anything'
        )
        warnings.warn(message, stacklevel=3)


# -- files --------------------------------------------------------------------------------------------------------


def _input(file: Any) -> str | bytes:
    """A path as a str, absolute where it is a path and no name for the loader; or bytes."""
    if isinstance(file, (bytes, bytearray, memoryview)):
        return bytes(file)
    try:
        path = os.fspath(file)
    except TypeError:
        raise TypeError(
            f"load_module: expected a path or the bytes of an object file, got {type(file).__name__}"
        ) from None
    if not isinstance(path, str):
        path = os.fsdecode(path)
    if not path:
        raise OSError("load_module: the file's name is empty")
    if "\0" in path:
        raise OSError(f"load_module: the file's name has an embedded NUL: {path!r}")
    if "/" in path or not isinstance(file, str) or os.path.exists(path):
        return os.path.abspath(path)
    return path


def _is_library(path: str) -> bool:
    """Whether the loader shall have it: a name that it looks for, or a file that is no object file."""
    try:
        with open_regular(path) as file:
            start = file.read(20)
    except OSError:
        if "/" not in path:
            return True
        raise
    return start[:4] == b"\x7fELF" and len(start) == 20 and start[16:18] != b"\1\0"


def _load_library(path: str) -> Module:
    if "/" in path:
        _core.check_library(path)
    origin = (_loaded_again, ((path,), (), ()))
    code, held = late("jitffi.api.tvm_ffi_modules").open_library(path)
    made: Module = _core.module_of_library(code, path, _Owner(code, origin, held))
    _loaded[origin[1]] = made
    return made


# -- pickling -------------------------------------------------------------------------------------------------------


def _origin(module: Module) -> tuple[Any, ...] | None:
    owner = module._owner
    return owner.origin if isinstance(owner, _Owner) else None


def _function_origin(function: Any, name: str) -> tuple[Any, ...] | None:
    home = _core.module_of(function)
    origin = None if home is None else _origin(home)
    return None if origin is None else (_function_again, (*origin[1][:2], name, *origin[1][2:]))


def _loaded_again(files: tuple[str, ...], link: tuple[str, ...], signatures: _Given = ()) -> Module:
    """Unpickle a module: the one that is loaded, else loaded anew."""
    found = _loaded.get((files, link, signatures))
    if found is not None and found._loaded:
        return found
    return load_module(*files, link=link, signatures=dict(signatures))


def _function_again(files: tuple[str, ...], link: tuple[str, ...], name: str, signatures: _Given = ()) -> Any:
    """Unpickle the Function of a module's function."""
    return _core.function_of(_loaded_again(files, link, signatures).get_function(name))
