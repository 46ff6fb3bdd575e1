"""Stubs (.pyi) for what `emit` writes: what a type checker and an editor are to know of its functions.

    def hypot(x: SupportsFloat, y: SupportsFloat = 1.0) -> float: ...

Of python entries the stub is the extension module's. What is loaded otherwise has no module of its own: its stub has a
class, which the loaded object is cast to.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from jitffi.base.errors import SignatureError
from jitffi.emission.struct_classes import classes
from jitffi.signature import spelling
from jitffi.signature.model import CONTAINERS, Signature, Type
from jitffi.signature.plain import plain_types
from jitffi.signature.structs import Struct, declared
from jitffi.types.table import row

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
    made = classes(sigs.values()) if in_module else {}
    names = {struct: name for name, struct in made.items() if name not in sigs}
    annotations = _Annotations({*sigs, *names.values()}, with_package=not in_module, structs=names)
    if in_module:
        blocks = [_class(name, struct, annotations) for struct, name in names.items()]
        blocks += [
            f"# {name}: {_printable(str(sig))}\n{_function(name, sig, annotations)}" for name, sig in sigs.items()
        ]
        return f"{head}{annotations.imports()}\n{chr(10).join(blocks)}\n"
    base = "Library" if entry == "c" else "Module"
    how = "load_library with the header's declarations as cdef=" if entry == "c" else "load_module"
    head += f"# From {how}, cast to this class.\n"
    taken = _attributes(base)
    lines = [f"class {_class_name(file_name, sigs)}({annotations.name(f'jitffi.{base}')}):"]
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
    with_package: bool
    used: dict[str, str] = field(default_factory=dict)
    structs: dict[Struct, str] = field(default_factory=dict)  # the names of their classes here

    def spell(self, annotation: str) -> str:
        """An annotation of a row, in which what is no builtin has its module in front."""
        return re.sub(r"[A-Za-z_.][A-Za-z0-9_.]*", lambda found: self.name(found.group()), annotation)

    def name(self, name: str) -> str:
        if name == "None":
            return name
        if name not in self.used:
            local = short = name.rpartition(".")[2]
            while local in self.functions or (local != short and local in self.used.values()):
                local = f"_{local}"
            self.used[name] = local
        return self.used[name]

    def imports(self) -> str:
        """Return the import lines of all names that were spelled so far, each group with an empty line behind it."""
        homes: dict[str, list[str]] = {}
        for full, local in self.used.items():
            home, _, name = full.rpartition(".")
            home = home or "builtins"
            if home != "builtins" or local != name:
                homes.setdefault(home, []).append(name if local == name else f"{name} as {local}")
        groups = (sorted({*homes} - {"typing_extensions", "jitffi"}), ["typing_extensions"], ["jitffi"])
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
        struct = declared(type_)
        if struct in self.structs:
            return self.structs[struct]
        return self._with_items(type_, row(type_).takes)

    def gives(self, type_: Type) -> str:
        """What a result is, an item of a container, and an argument of a callback."""
        if type_.is_optional:
            return _or_none(self.gives(type_.inner))
        if type_.name == "func":
            return self._callable(type_.signature, self.takes, self.gives)
        struct = declared(type_)
        if struct in self.structs:
            return self.structs[struct]
        facts = row(type_)
        return self._with_items(type_, facts.gives if self.with_package else facts.gives_alone or facts.gives)

    def results(self, sig: Signature, spell: Callable[[Type], str] | None = None) -> str:
        """The result and what comes back beside it."""
        spell = spell or self.gives
        back = [p.type.args[0] for p in sig.params if row(p.type).passes_back]
        parts = [spell(type_) for type_ in [sig.result] * (sig.result.name != "void" or not back) + back]
        return parts[0] if len(parts) == 1 else f"{self.name('tuple')}[{', '.join(parts)}]"

    def _or_address(self, type_: Type) -> str:
        return f" | {self.name('int')}" if type_.signature is not None else ""

    def _callable(self, sig: Signature | None, param: Any, result: Any) -> str:
        callable_ = self.name("collections.abc.Callable")
        if sig is None:
            return f"{callable_}[..., {self.name('typing.Any')}]"
        passed = sig.params if sig.in_order else [p for i, p in enumerate(sig.params) if i in sig.order.for_callables]
        given = self.results(sig, result)
        return f"{callable_}[[{', '.join([param(p.type) for p in passed])}], {given}]"

    def _with_items(self, type_: Type, annotation: str) -> str:
        """What is in a container is checked and not converted, so it is of the types that results have."""
        if type_.name not in CONTAINERS:
            return self.spell(annotation)
        number = 2 if type_.name == "map" else 1
        items = [self.gives(arg) for arg in type_.args if isinstance(arg, Type)] or [self.name("typing.Any")] * number
        if type_.name == "tuple":
            items = [" | ".join(dict.fromkeys(items))]
        return f"{self.spell(annotation)}[{', '.join(items)}]"


def _class(name: str, struct: Struct, annotations: _Annotations) -> str:
    """The class of a struct, whose members are given by position or by name."""
    members = [member for member, _, _ in struct.placed() if member.name is not None]
    any_ = annotations.name("typing.Any")
    lines, params = [f"class {name}:"], []
    for member in members:
        if keyword.iskeyword(member.name or ""):
            continue
        gives, takes = annotations.gives(member.type), annotations.takes(member.type)
        if member.type.name == "cstr":
            gives, takes = _or_none(gives), _or_none(takes)
        lines.append(f"    {member.name}: {any_ if member.dims else gives}")
        params.append(f"{member.name}: {any_ if member.dims else takes} = ...")
    lines += [f"    size: {annotations.name('int')}", f"    dtype: {any_}"]
    lines = list({line.split(":")[0]: line for line in reversed(lines)}.values())[::-1]
    head = ", ".join(["self", *params])
    lines.append(f"    def __init__({head}) -> None: ...")
    lines += ["    @staticmethod", f"    def array(n: {annotations.name('int')}, /) -> {any_}: ..."]
    return "\n".join(lines)


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
    positional = sig.params if sig.in_order else [sig.params[i] for i in sig.order.positional]
    last_unnamed = max([i for i, p in enumerate(positional) if p.name is None], default=-1)
    parts = []
    for i, p in enumerate(positional):
        part = f"{p.name or _free(f'arg{i + 1}', taken)}: {annotations.takes(p.type)}"
        parts.append(f"{part} = {_literal(p.default)}" if p.has_default else part)
        if i == last_unnamed:
            parts.append("/")
    if not sig.in_order and sig.order.keyword_only:
        parts += ["*", *[_by_keyword(sig, i, annotations) for i in sig.order.keyword_only]]
    return f"def {name}({', '.join(parts)}) -> {annotations.results(sig)}: ..."


def _by_keyword(sig: Signature, index: int, annotations: _Annotations) -> str:
    """A parameter that is passed by keyword alone."""
    p = sig.params[index]
    takes = annotations.takes(p.type)
    if index in sig.order.filled:
        return f"{p.name}: {takes} | None = None"
    return f"{p.name}: {takes} = {_literal(p.default)}"


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _literal(value: object) -> str:
    shown = ascii(value)
    if isinstance(value, (float, complex)) and value - value != 0.0 or len(shown) > _SHORT:
        return "..."
    return shown


def _attributes(base: str) -> set[str]:
    """Return what every object of the class has, functions of these names being hidden by it."""
    import jitffi

    return set(dir(getattr(jitffi, base, object)))


def _imported() -> set[str]:
    """Return the names that annotations may import."""
    rows = [row(type_) for type_ in plain_types()]
    texts = ["collections.abc.Callable jitffi.Library"]
    texts += [text for facts in rows for text in (facts.takes, facts.gives, facts.gives_alone)]
    return {name for text in texts for name in re.findall(r"\.([A-Za-z_]+)\b(?!\.)", text)}


def _class_name(file_name: str, sigs: dict[str, Signature]) -> str:
    """
    >>> _class_name("my-lib.so", {}), _class_name("2.o", {}), _class_name("list.so", {})
    ('MyLib', 'Module2', 'List_')
    """
    words = re.findall(r"[A-Za-z0-9]+", file_name.rpartition("/")[2].partition(".")[0])
    name = "".join([word[:1].upper() + word[1:] for word in words])
    name = name if name[:1].isalpha() else f"Module{name}"
    while name in sigs or name in _imported() or keyword.iskeyword(name):
        name += "_"
    return name


def _printable(text: str) -> str:
    return "".join([c if c.isprintable() else "\ufffd" for c in text])
