"""A module of IR: variants of scripts, their entries, and the constants that they share."""

from __future__ import annotations

from jitffi.adapters.unit import Unit, assemble, byte_array, define_version
from jitffi.base.late import late
from jitffi.llvm import object_files
from jitffi.scripts.library import python_symbols
from jitffi.scripts.lower.containers.fragments import FRAGMENTS
from jitffi.scripts.lower.function.emit import KINDS, V
from jitffi.scripts.lower.function.values import Pads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jitffi.ir.cabi import CABI
    from jitffi.llvm.target import Target
    from jitffi.runtime.script_entry_points import ScriptFunction
    from jitffi.scripts.lower.function.variants import Key, Variants
    from jitffi.scripts.regex import function
    from jitffi.scripts.regex.function import Use
    from jitffi.scripts.regex.nodes import Alphabet
    from jitffi.scripts.regex.read import Pattern
    from jitffi.scripts.tree import tree
    from jitffi.scripts.tree.python import Method, Outside
    from jitffi.signature.model import Signature
else:
    function = late("jitffi.scripts.regex.function")


class Module:
    """What the functions of one module share. Equal constants are one."""

    #: All that it is made of; set before any is written.
    variants: Variants
    #: The symbols of a jitffi.Function, of its "code" and of its "object", and of an Outside's "name".
    outside: Callable[[Any, str], str]

    def __init__(self, abi: CABI, pads: Pads) -> None:
        self.abi = abi
        self.pads = pads
        self.unit = Unit(abi)
        self._texts: dict[str | bytes, tuple[V, V, int, bool]] = {}
        self._fragments: set[str] = set()
        self._regexes: dict[object, V] = {}
        self._tables: dict[tuple[int, ...], V] = {}
        self._caches = 0
        #: An array gets to where it may stay: into a slot or a container.
        self.keeps_arrays = False
        #: Exceptions of native functions are caught.
        self.catches = False

    def declare(self, row: ScriptFunction, given: list[V]) -> V:
        """The address of a function of the runtime, which is given these arguments."""
        types = [self.abi.size if each == "size" else each for each in row.args]
        assert [each.type for each in given] == types, (row.name, given, row.args)
        return self.unit.declare(row.name, row.declaration(self.abi))

    def data_symbol(self, symbol: str) -> V:
        """The address of an outside variable: a table (jf_ascii_flags), or an object of Python's, which is counted."""
        kind = "constant" if symbol.startswith("jf_") else "global"
        return self.unit.declare(symbol, f"{{}} = external {kind} i8")

    def outside_code(self, function: Any) -> str:
        """The symbol of a native function's C code."""
        return self.outside(function, "code")

    def outside_object(self, function: Any) -> V:
        """The address of its function object."""
        return self.data_symbol(self.outside(function, "object"))

    # -- objects of Python's: their addresses are symbols, which program.Dependencies finds again ------------

    def python_constant(self, value: object) -> V:
        """A constant as an object that is always there."""
        return self.data_symbol(python_symbols.constant(value))

    def python_attribute(self, name: str) -> V:
        """The str that an attribute is looked up by."""
        return self.data_symbol(python_symbols.attribute(name))

    def python_cache(self) -> V:
        """Sixteen bytes of the code's own, zeroed."""
        self._caches += 1
        return self.unit.define(f".cache.{self._caches}", "[2 x i64] zeroinitializer, align 8", "internal global")

    def python_name(self, outside: Outside) -> V:
        """What core_op_global is given for a name of the module."""
        return self.data_symbol(self.outside(outside, "name"))

    def python_method(self, method: Method) -> V:
        """What stands in a registered class for a method."""
        return self.data_symbol(self.outside(method, "method"))

    def c_string(self, text: str) -> V:
        """A NUL-terminated constant."""
        return self.unit.text(text)

    def text(self, constant: str | bytes) -> tuple[V, V, int, bool]:
        """A literal: the address of its jf_text, of its characters, their number, and whether they are wide."""
        if constant not in self._texts:
            self._texts[constant] = self._new_text(constant)
        return self._texts[constant]

    def _new_text(self, constant: str | bytes) -> tuple[V, V, int, bool]:
        n, wide = len(self._texts), isinstance(constant, str) and not constant.isascii()
        raw = (
            constant
            if isinstance(constant, bytes)
            else constant.encode("utf-32-le" if wide else "ascii", "surrogatepass")
        )
        data = self.unit.define(f".chars.{n}", f"{byte_array(raw + bytes(4 if wide else 1))}, align 8")
        size = self.abi.size
        fields = f"{{ {data}, {size} {len(constant)}, i32 {int(wide)} }}"
        address = self.unit.define(f".literal.{n}", f"{{ ptr, {size}, i32 }} {fields}, align 8")
        return address, data, len(constant), wide

    def table(self, words: tuple[int, ...] | bytes) -> V:
        """The address of constant bytes, or words of 32 bits."""
        if isinstance(words, bytes):
            return self.unit.data(words)
        if words not in self._tables:
            type_ = f"[{len(words)} x i32]"
            text = f"{type_} [{', '.join([f'i32 {each}' for each in words])}], align 4"
            self._tables[words] = self.unit.define(f".table.{len(self._tables)}", text)
        return self._tables[words]

    def regex(self, pattern: Pattern, alphabet: Alphabet, use: Use) -> V:
        """The function of a pattern for texts of that alphabet, which the module holds from here on."""
        key = (pattern.text, pattern.flags, alphabet.name, use)
        if key not in self._regexes:
            symbol = f"regex.{len(self._regexes)}.{alphabet.name}.{use.mode}"
            self._regexes[key] = function.define(self.unit, self.abi, symbol, pattern, alphabet, use)
        return self._regexes[key]

    def fragment(self, name: str) -> V:
        """The address of a function of fragments.py, which the module holds from here on."""
        address = V("ptr", f'@"script.{name}"')
        if address.text not in self._fragments:
            self._fragments.add(address.text)
            self.unit.functions.append(FRAGMENTS[name].text(self))
        return address


def module_text(
    functions: dict[Key, tree.Function],
    target: Target,
    *,
    entry: str = "__jf_script",
    signature: Signature | None = None,
    pads: Callable[[Any], Pads] | None = None,
    outside: Callable[[Any, str], str] | None = None,
) -> str:
    """The IR of a module: *functions* are the typed trees of a variant and of all that it calls, as infer_program gives
    them; the first one's packed entry is the symbol *entry*. *signature*: the entry is of a file, so it arranges
    defaults, and `__jfsig_` and `__jfabi` stand beside it. *pads*: of a script's
    variables, by what stands in `Callee.script`. *outside*: the symbols that native functions are reached by, of the
    function's "code" (a C function of its signature) and its "object" (its handle)."""
    from jitffi.scripts import lower
    from jitffi.scripts.lower.function import entry as entries
    from jitffi.scripts.lower.function import variants

    lower.load()

    given = pads or (lambda script: Pads())
    module = Module(target.abi, Pads())
    module.catches = object_files.catches(target)
    module.outside = outside or (lambda function, what: f"{function.__name__}.{what}")
    module.variants = variants.Variants(functions)
    for key, variant in module.variants.by_key.items():
        module.pads = given(key[0])
        variants.define(module, variant)
    variants.define_limits(module)
    root = next(iter(module.variants.by_key.values()))
    module.pads = Pads()
    entries.define(module, root, entry, signature)
    if signature is not None:
        define_version(module.unit, target)
    return assemble(module.unit, target, KINDS)
