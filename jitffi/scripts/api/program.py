"""Programs: a script and all that it calls, how they are read, and what the key of their code in the cache is of.

The key is of the source of the script and of every function that it can reach by name, the constants that they can see,
the types of what else they call, the type tags of the arguments, the options, and the files that make the code.
"""

from __future__ import annotations

from _blake2 import blake2b
from types import MappingProxyType

from jitffi.base import pad_policy
from jitffi.base.annotations import annotations_of
from jitffi.base.errors import ScriptError
from jitffi.base.fork_locks import IMPORTS
from jitffi.base.late import Uncollected
from jitffi.base.version import SCRIPT_FOLDERS, fingerprint
from jitffi.scripts.api import dispatch, options, source_index
from jitffi.scripts.frontend import names
from jitffi.scripts.library import classes, python_symbols

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FunctionType
    from typing import Any

    from jitffi.scripts.api.first_calls import FirstCalls
    from jitffi.scripts.api.script import Script
    from jitffi.scripts.api.typed import Typed
    from jitffi.signature.model import Signature


class ScriptOptions:
    """What `jitffi.script` was given: a script's options."""

    __slots__ = (
        "candidate", "classes", "declared", "first", "function", "left", "nogil", "pads", "returns", "strict",
        "structs", "typed",
    )  # fmt: skip

    def __init__(
        self, function: FunctionType, pads: Any, nogil: bool, typed: Typed | None, declared: frozenset[str],
        strict: bool,
    ) -> None:  # fmt: skip
        self.function = function
        self.pads = pads
        #: What the source gave where that is a pads.Candidate, or has some; `pads` are the numbers.
        self.candidate: Any = None
        self.nogil = nogil
        #: "native" or "python": what containers are for the caller in Python.
        self.returns = "python"
        #: What cannot be compiled is refused.
        self.strict = strict
        #: Why it is left to the interpreter, True where nobody knows yet; False where it is not.
        self.left: ScriptError | bool = False
        #: What the interpreter does as long as there is no code.
        self.first: FirstCalls | None = None
        #: The registered classes of arguments so far, by their numbers from 1 on.
        self.classes: list[classes.Look] = []
        #: What signature= says.
        self.typed = typed
        #: The parameters whose types are known beforehand.
        self.declared = declared
        #: The classes of the parameters that are structs.
        self.structs = dispatch.structs(function, strict) if typed is None and hasattr(function, "__code__") else None

    @property
    def signature(self) -> Signature | None:
        return None if self.typed is None else self.typed.signature

    @property
    def text(self) -> str:
        pads = repr(sorted(self.pads.items()) if isinstance(self.pads, dict) else self.pads)
        return f"{pads}|{'' if self.typed is None else self.typed.signature}"


def given(function: Any, pad: Any, nogil: bool, signature: Any, strict: bool) -> ScriptOptions:
    """Check what is known before the source is read."""
    pads = dict(pad) if hasattr(pad, "items") else pad
    typed = None
    declared = dispatch.annotated(function, strict)
    if signature is not None:
        with IMPORTS:
            from jitffi.scripts.api import typed as typing

        typed = typing.read(function, signature)
        declared = frozenset(dispatch.parameters(function))
    if isinstance(pads, dict) and hasattr(function, "__code__"):
        known = {*dispatch.variables(function), "*", "[]"}
        for name in map(str, pads):
            if name not in known:
                from jitffi.base.errors import nearest

                hint = nearest(name, known)
                raise ValueError(f"script: {function.__name__} has no variable {name!r}{'; ' if hint else ''}{hint}")
    made = ScriptOptions(function, pads, nogil, typed, declared, strict)
    if pad_policy.current is not None:
        pad_policy.current.read_candidate(made)
    return made


def pool(pads: int | dict[str, int] | None) -> int:
    """Of those pads that of lists and maps; -1: the compiler's own choice."""
    return pads if isinstance(pads, int) else -1 if pads is None else pads.get("[]", -1)


# -- reading ----------------------------------------------------------------------------------------------------------


class Node:
    """A function of a program: what the tree of a call refers to. Its tree is made when it is asked for."""

    __slots__ = ("_program", "_tree", "function", "options")

    def __init__(self, program: Program, function: FunctionType, options: ScriptOptions | None) -> None:
        self._program = program
        self._tree: Any = None
        self.function = function
        self.options = options

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def tree(self) -> Any:
        if self._tree is None:
            promises = self.options is not None and self.options.strict
            self._tree = read(self.function, self._program, foreign=self._program.foreign, promises=promises)
            if self.options is not None and self.options.typed is not None:
                self.options.typed.declare(self._tree)
        return self._tree


class Program:
    """A script and all that it calls, read together. *given*: what was said of those that are scripts already.
    *foreign*: what scripts lack is done by Python's own objects, and functions in *excluded* are called by Python."""

    def __init__(
        self,
        given: dict[FunctionType, ScriptOptions],
        foreign: bool = False,
        excluded: frozenset[FunctionType] = frozenset(),
        methods: Mapping[tuple[str, str], Any] = MappingProxyType({}),
    ) -> None:
        self._given = given
        self._methods = methods
        self.foreign = foreign
        self._nodes: dict[FunctionType, Node] = {}
        self._can_compile: dict[FunctionType, bool] = dict.fromkeys(excluded, False)

    def can_compile(self, function: FunctionType) -> bool:
        """What the reader asks of a function that is called by its name, where it may be left to Python."""
        found = self._can_compile.get(function)
        if found is None:
            given = self._given.get(function)
            found = given is None or not given.left
            if found:
                try:
                    read(function, None, foreign=True)
                except ScriptError:
                    found = False
            self._can_compile[function] = found
        return found

    def methods(self, name: str, owner: str = "") -> dict[str, Any]:
        """What the reader asks of a method or constant of an object."""
        found = {key: value for (key, each), value in self._methods.items() if each == name}
        if owner:
            behind = {key: classes.behind(key, owner, name) for key in found}
            found = {key: value for key, value in behind.items() if classes.function_of(value) is not None}
        functions = {key: classes.function_of(value) for key, value in found.items()}
        return {key: found[key] for key, each in functions.items() if each is None or self.can_compile(each)}

    def script(self, function: FunctionType) -> Node:
        """What the reader asks for a function that is called."""
        found = self._nodes.get(function)
        if found is None:
            found = self._nodes[function] = Node(self, function, self._given.get(function))
        return found


def read(
    function: FunctionType, program: Program | None, called: list[FunctionType] | None = None, foreign: bool = False,
    promises: bool = False,
) -> Any:  # fmt: skip
    """The tree of a function. ScriptError for what scripts do not have. *called*, *promises* as reader.read has it."""
    with IMPORTS, Uncollected():
        from jitffi.scripts.frontend import reader

    return reader.read(function, resolve=program, called=called, foreign=foreign, promises=promises)


# -- the key ----------------------------------------------------------------------------------------------------------

_made_by = ""


def compiler() -> str:
    """The fingerprint of the files that make scripts' code, beside those that the cache knows, and LLVM's level."""
    global _made_by
    if not _made_by:
        _made_by = blake2b(fingerprint(SCRIPT_FOLDERS).encode(), digest_size=16).hexdigest()
    return f"{_made_by}{options.level()}"


class Dependencies:
    """What a function can see outside, by name, and what the functions can that it can see.

    `functions`: itself first. `natives`: functions of jitffi, by where they are seen: the number of the function that
    sees it, and the name there. `given`: what was said of functions that are scripts. `pads`: of all of them, where
    they are not None, as they are when this is made. `text` describes it all.
    """

    __slots__ = ("_read", "classes", "functions", "given", "gives", "natives", "pads", "takes_objects", "text")

    def __init__(self, given: ScriptOptions, strict: bool = False, type_tags: int = 0) -> None:
        self.functions = [given.function]
        self._read: Node | None = None
        #: What scripts lack is done by Python's own objects.
        self.takes_objects = not (given.strict or strict)
        #: Python gets results as its own.
        self.gives = self.takes_objects and given.returns == "python"
        self.given = {given.function: given}
        self.natives: dict[str, Any] = {}
        #: What is known of the registered classes among the type tags, by their numbers.
        self.classes = classes.used(given.classes, type_tags)
        count = -1
        while count < len(self.classes):  # a class that is called has methods of names that were seen before
            count = len(self.classes)
            lines = self._described_all()
        said = {function: given.pads for function, given in self.given.items() if given.pads is not None}
        self.pads = said if pad_policy.current is None else pad_policy.current.of_all(self.given_of())
        if self.pads != said:  # which is described already
            lines.append(f"pads: {[self.pads.get(each) for each in self.functions]}")
        self.text = "\n".join(lines)

    def _described_all(self) -> list[str]:
        """What the functions are, and what they see; more of them are found."""
        lines = [f"{number}: {each.text}" for number, each in self.classes.items()]
        lines += self._methods_described(0, classes.INIT)
        for number, each in enumerate(self.functions):  # which grows
            try:
                lines.append(source_index.digest(each).hex())
            except SyntaxError:
                # If it is called that is an error, and nothing is cached.
                lines.append(f"unreadable {each.__qualname__}")
                continue
            lines += [
                names.struct_text(cls)
                for cls in dispatch.structs(each, not self.takes_objects) or ()
                if cls is not None
            ]
            for name in names.global_names(each):
                lines.append(f"{name}: {self._described(number, name, names.outside(each, name))}")
                lines += self._methods_described(number, name)
        return lines

    def given_of(self) -> list[tuple[FunctionType, ScriptOptions | None]]:
        """All functions, each with what was said of it; None for what is no script."""
        return [(each, self.given.get(each)) for each in self.functions]

    @property
    def methods(self) -> dict[tuple[str, str], Any]:
        """Of the registered classes, by key and name: as they stand in the class."""
        return {name: value for look in self.classes.values() for name, value in look.methods.items()}

    def _methods_described(self, number: int, name: str) -> list[str]:
        found = [(key, value) for (key, each), value in self.methods.items() if each == name]
        is_plain = names.python_function
        found += [(key, each) for key, _ in found for each in classes.replaced(key, name)]
        plain = [(key, value if is_plain(value) else classes.function_of(value)) for key, value in found]
        plain += [(f"{key} =", classes.setter_of(value)) for key, value in found]
        return [f"{key}.{name}: {self._described(number, name, value)}" for key, value in plain if value is not None]

    def _described(self, number: int, name: str, value: Any) -> str:
        if value is names.MISSING:
            return "nothing"
        if names.is_constant_name(name) and (names.is_constant(value) or names.is_table(value)):
            return f"constant {value!r}"
        python = names.python_function(value)
        if python is not None and not (self.takes_objects and names.is_of_library(self.functions[number], python)):
            if python not in self.functions:
                self.functions.append(python)
            given = getattr(value, "_given", None)
            if given is None:
                return f"function {self.functions.index(python)}"
            self.given.setdefault(python, given)
            is_left, promises = " left" if given.left else "", " strict" if given.strict else ""
            return f"script {self.functions.index(python)} {given.text}{is_left}{promises}"
        pattern = names.pattern_of(value)
        if pattern is not None:
            return f"pattern {pattern!r}"
        if self.takes_objects and names.registered_key(value):
            return f"class {self._called(value)}"
        function = names.jitffi_function(value)
        if function is not None:
            self.natives[f"native.{number}.{name}"] = function
            return f"native {function._callee} {function._options} {function._sig}"
        return f"{type(value).__name__} {names.builtin_name(value) or names.defaulting_class(value)}"

    def _called(self, cls: Any) -> str:
        """What is known of a registered class that may be called, which makes objects of it."""
        if all(each.cls is not cls for each in self.classes.values()):
            self.classes[-len(self.classes) - 1] = classes.Look(cls)
        return str(cls.__jitffi_type_key__)

    def watch(self, script: Script, changed: Callable[[Script | None], None]) -> None:
        """Have that called when a class that is called is changed. Those of arguments are looked at in each call."""
        for number, look in self.classes.items():
            if number < 0:
                classes.watch(look, script, changed)

    def root(self, excluded: frozenset[FunctionType] = frozenset()) -> Node:
        """The function itself, read together with all that it calls, for one use: inference changes trees."""
        found, self._read = self._read, None
        if found is not None and not excluded:
            return found
        return Program(self.given, self.takes_objects, excluded, self.methods).script(self.functions[0])

    def read(self) -> None:
        """Read the function for whoever asks for it next. ScriptError for what scripts do not have."""
        found = self.root()
        assert found.tree
        self._read = found

    @property
    def digest(self) -> str:
        return blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def symbol(self, function: Any, what: str) -> str:
        """The symbol of a native function's "code" or "object", of an Outside's "name"."""
        if what == "code of":
            return f"python.code.{self.functions.index(function.function)}.{'.'.join(map(str, function.path))}"
        if what == "globals":
            return f"python.globals.{self.functions.index(function)}"
        if what == "method":
            return _METHOD + f"{function.key} {function.name} {function.owner}".encode().hex()
        if what in ("cell", "default"):
            return f"python.{what}.{self.functions.index(function.function)}.{function.name}"
        if what == "name":
            return f"python.name.{self.functions.index(function.function)}.{function.name}"
        function = names.jitffi_function(function)
        return next(symbol for symbol, each in self.natives.items() if each is function) + "." + what

    def address(self, symbol: str) -> int | None:
        """The address of such a symbol, or of an object of Python's; None for any other."""
        if symbol.startswith("python.name."):
            number, name = symbol.removeprefix("python.name.").split(".", 1)
            return names.address_of(self.functions[int(number)], name)
        for kind, find in _SHARED.items():
            if symbol.startswith(kind):
                number, _, rest = symbol.removeprefix(kind).partition(".")
                return names.address_of_kept(find(self.functions[int(number)], rest))
        if symbol.startswith(_METHOD):
            key, name, owner = bytes.fromhex(symbol.removeprefix(_METHOD)).decode().split(" ")
            return names.address_of_kept(classes.behind(key, owner, name) if owner else self.methods[key, name])
        if symbol.startswith("python."):
            return python_symbols.address_of(symbol)
        if not symbol.startswith("native."):
            return None
        stem, _, what = symbol.rpartition(".")
        function = self.natives[stem]
        address: int = function.native_address if what == "code" else function.handle
        return address


_METHOD = "python.method."
#: What functions that Python keeps are made of, by the beginning of its symbol: of a function, and the rest of it.
_SHARED: dict[str, Callable[[FunctionType, str], object]] = {
    "python.code.": lambda function, path: names.code_at(function.__code__, tuple(map(int, path.split(".")))),
    "python.globals.": lambda function, _: function.__globals__,
    "python.cell.": names.cell_of,
    "python.default.": names.default_of,
}


def signature_of(script: Script) -> Signature | None:
    """The signature that was given, or that of complete annotations; None."""
    given = script._given
    if given.typed is not None:
        return given.typed.signature
    function = script._given.function
    needed = {*dispatch.parameters(function), "return"}
    if needed - set(annotations_of(function)):
        return None
    from jitffi.scripts.api import typed

    try:
        return typed.of_annotations(function).signature
    except (TypeError, ValueError):
        return None
