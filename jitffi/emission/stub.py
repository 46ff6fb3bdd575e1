"""Stubs (.pyi) for what `emit` writes: what a type checker and an editor are to know of its functions.

    def hypot(x: SupportsFloat, y: SupportsFloat = 1.0) -> float: ...

Of python entries the stub is the extension module's. What is loaded otherwise has no module of its own: its stub has a
class, which the loaded object is cast to.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field
from typing import Any

from jitffi.base.errors import SignatureError
from jitffi.signature import spelling
from jitffi.signature.model import Signature, Type

#: Where a name of an annotation comes from; what is not here is a builtin.
_HOMES = {
    "Any": "typing", "SupportsFloat": "typing", "SupportsIndex": "typing", "Buffer": "typing_extensions",
    "Callable": "collections.abc", "Mapping": "collections.abc", "MutableMapping": "collections.abc",
    "MutableSequence": "collections.abc", "Sequence": "collections.abc", "DataType": "jitffi", "Device": "jitffi",
    "Library": "jitffi", "List": "jitffi", "Map": "jitffi", "Module": "jitffi", "Tuple": "jitffi",
}  # fmt: skip

_INTS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
#: What an argument may be, and what a result is; what is not here can be anything.
_TAKES = {
    "bool": "bool", "f16": "SupportsFloat", "bf16": "SupportsFloat", "f32": "SupportsFloat", "f64": "SupportsFloat",
    "ptr": "object", "cstr": "str", "str": "str", "ucs4": "str", "bytes": "Buffer",
    "module": "Module", **dict.fromkeys(_INTS, "SupportsIndex"),
}  # fmt: skip
_GIVES = {
    "void": "None", "bool": "bool", "f16": "float", "bf16": "float", "f32": "float", "f64": "float", "cstr": "str",
    "str": "str", "ucs4": "str", "bytes": "bytes", "dtype": "DataType", "device": "Device", "module": "Module",
    **dict.fromkeys(_INTS, "int"),
}  # fmt: skip
#: Containers as arguments; as results where the package is there; and of a module that does not need it.
_CONTAINER_TAKES = {"list": "Sequence", "map": "Mapping", "tuple": "Sequence"}
_CONTAINER_GIVES = {"list": "List", "map": "Map", "tuple": "Tuple"}
_FACELESS = {"list": "MutableSequence", "map": "MutableMapping", "tuple": "Sequence", "dtype": "Any", "device": "Any"}

#: Defaults longer than this are shown as "...".
_SHORT = 40


def text(sigs: dict[str, Signature], *, entry: str, file_name: str = "emitted") -> str:
    """Return the stub's text; *file_name* is what was emitted, whose stem names the class.

    >>> sigs = {"inc": Signature.parse("(i64, by: i64 = 1) -> i64")}
    >>> print(text(sigs, entry="python", file_name="demo.so"))
    # demo.so: functions that jitffi made from signatures.
    from typing import SupportsIndex
    <BLANKLINE>
    # inc: (i64, by: i64 = 1) -> i64
    def inc(arg1: SupportsIndex, /, by: SupportsIndex = 1) -> int: ...
    <BLANKLINE>
    >>> print(text(sigs, entry="c", file_name="my-demo.so"))
    # my-demo.so: functions that jitffi made from signatures.
    # From load_library with the header's declarations as cdef=, cast to this class.
    from typing import SupportsIndex
    <BLANKLINE>
    from jitffi import Library
    <BLANKLINE>
    class MyDemo(Library):
        # inc: (i64, by: i64 = 1) -> i64
        @staticmethod
        def inc(a1: SupportsIndex, by: SupportsIndex) -> int: ...
    <BLANKLINE>
    """
    head = f"# {_printable(file_name)}: functions that jitffi made from signatures.\n"
    in_module = entry == "python"
    annotations = _Annotations(set(sigs), with_faces=not in_module)
    if in_module:
        blocks = [
            f"# {name}: {_printable(str(sig))}\n{_function(name, sig, annotations)}" for name, sig in sigs.items()
        ]
        return f"{head}{annotations.imports()}\n{chr(10).join(blocks)}\n"
    base = "Library" if entry == "c" else "Module"
    how = "load_library with the header's declarations as cdef=" if entry == "c" else "load_module"
    head += f"# From {how}, cast to this class.\n"
    taken = _attributes(base)
    lines = [f"class {_class_name(file_name, sigs)}({annotations.name(base)}):"]
    for name, sig in sigs.items():
        lines.append(f"    # {name}: {_printable(str(sig))}")
        spelled = _prototype(name, sig) if entry == "c" else sig
        if name in taken:
            how = "bind" if entry == "c" else "item"
            lines.append(f"    # {name} is an attribute of {base}: take the function by {how}")
        elif spelled is None:
            lines.append(f"    # {name}: take the function by bind, with this signature")
        else:
            function = _function(name, spelled, annotations)
            lines += ["    @staticmethod"] * function.startswith("def ") + [f"    {function}"]
    body = [] if any(line.startswith("    def ") for line in lines) else ["    ..."]
    return f"{head}{annotations.imports()}\n{chr(10).join([*lines, *body])}\n"


@dataclass
class _Annotations:
    """Spells types; collects the imports that this takes, under other names where functions have theirs."""

    functions: set[str]
    with_faces: bool
    used: dict[str, str] = field(default_factory=dict)

    def name(self, name: str) -> str:
        if name == "None":
            return name
        if name not in self.used:
            local = name
            while local in self.functions or (local != name and local in self.used.values()):
                local = f"_{local}"
            self.used[name] = local
        return self.used[name]

    def imports(self) -> str:
        """Return the import lines of all names that were spelled so far, each group with an empty line behind it."""
        homes: dict[str, list[str]] = {}
        for name, local in self.used.items():
            home = _HOMES.get(name, "builtins")
            if home != "builtins" or local != name:
                homes.setdefault(home, []).append(name if local == name else f"{name} as {local}")
        groups = (["builtins", "collections.abc", "typing"], ["typing_extensions"], ["jitffi"])
        lines = [
            [f"from {home} import {', '.join(sorted(homes[home]))}\n" for home in g if home in homes] for g in groups
        ]
        return "\n".join(["".join(group) for group in lines if group])

    def takes(self, type_: Type) -> str:
        """What an argument may be."""
        if type_.is_optional:
            return _or_none(self.takes(type_.inner))
        if type_.name == "func":
            return f"{self._callable(type_.signature, self.gives, self.takes)}{self._or_address(type_)}"
        if type_.name in _CONTAINER_TAKES:
            return self._container(type_, _CONTAINER_TAKES[type_.name])
        return self.name(_TAKES.get(type_.name, "object"))

    def gives(self, type_: Type) -> str:
        """What a result is, an item of a container, and an argument of a callback."""
        if type_.is_optional:
            return _or_none(self.gives(type_.inner))
        if type_.name == "ptr":
            return _or_none(self.name("int"))
        if type_.name == "func":
            return self._callable(type_.signature, self.takes, self.gives)
        if not self.with_faces and type_.name in ("dtype", "device"):
            return self.name("Any")
        if type_.name in _CONTAINER_GIVES:
            table = _CONTAINER_GIVES if self.with_faces else _FACELESS
            return self._container(type_, table[type_.name])
        return self.name(_GIVES.get(type_.name, "Any"))

    def _or_address(self, type_: Type) -> str:
        return f" | {self.name('int')}" if type_.signature is not None else ""

    def _callable(self, sig: Signature | None, param: Any, result: Any) -> str:
        callable_ = self.name("Callable")
        if sig is None:
            return f"{callable_}[..., {self.name('Any')}]"
        return f"{callable_}[[{', '.join([param(p.type) for p in sig.params])}], {result(sig.result)}]"

    def _container(self, type_: Type, name: str) -> str:
        """What is in it is checked and not converted, so it is of the types that results have."""
        number = 2 if type_.name == "map" else 1
        items = [self.gives(arg) for arg in type_.args if isinstance(arg, Type)] or [self.name("Any")] * number
        if type_.name == "tuple":
            items = [" | ".join(dict.fromkeys(items))]
        return f"{self.name(name)}[{', '.join(items)}]"


def _or_none(annotation: str) -> str:
    """
    >>> _or_none("int"), _or_none("int | None"), _or_none("Any")
    ('int | None', 'int | None', 'Any')
    """
    whole = annotation.lstrip("_") in ("Any", "object") or annotation.endswith(" | None")
    return annotation if whole else f"{annotation} | None"


def _prototype(name: str, sig: Signature) -> Signature | None:
    """What the header's declaration of a C entry says: no defaults, text in two parameters. None where it takes more
    than C's own types."""
    try:
        return Signature.from_c(f"{spelling.prototype(name, sig)};")
    except SignatureError:
        return None


def _function(name: str, sig: Signature, annotations: _Annotations) -> str:
    if keyword.iskeyword(name):
        return f"# {name} is a keyword: take the function by getattr"
    taken = {p.name for p in sig.params if p.name is not None}
    last_unnamed = max([i for i, p in enumerate(sig.params) if p.name is None], default=-1)
    parts = []
    for i, p in enumerate(sig.params):
        part = f"{p.name or _free(f'arg{i + 1}', taken)}: {annotations.takes(p.type)}"
        parts.append(f"{part} = {_literal(p.default)}" if p.has_default else part)
        if i == last_unnamed:
            parts.append("/")
    return f"def {name}({', '.join(parts)}) -> {annotations.gives(sig.result)}: ..."


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _literal(value: object) -> str:
    shown = ascii(value)
    if isinstance(value, float) and value - value != 0.0 or len(shown) > _SHORT:
        return "..."
    return shown


def _attributes(base: str) -> set[str]:
    """Return what every object of the class has, functions of these names being hidden by it."""
    import jitffi

    return set(dir(getattr(jitffi, base, object)))


def _class_name(file_name: str, sigs: dict[str, Signature]) -> str:
    """
    >>> _class_name("my-lib.so", {}), _class_name("2.o", {}), _class_name("list.so", {})
    ('MyLib', 'Module2', 'List_')
    """
    words = re.findall(r"[A-Za-z0-9]+", file_name.rpartition("/")[2].partition(".")[0])
    name = "".join([word[:1].upper() + word[1:] for word in words])
    name = name if name[:1].isalpha() else f"Module{name}"
    while name in sigs or name in _HOMES or keyword.iskeyword(name):
        name += "_"
    return name


def _printable(text: str) -> str:
    return "".join([c if c.isprintable() else "\ufffd" for c in text])
