"""Every public name of the package, as Markdown: signatures with types, docstrings, members.

What Python code defines is asked of the objects themselves, what C defines of the objects and of the stub that type
checkers read. Nothing is written down here but the order of the page, in docs/reference/python.md.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast

import jitffi
from jitffi import _core

#: What functions of the package return or take, and is not in its __all__: the name, and the function.
RETURNED = {
    "Report": "autotune",
    "Binding": "bind_header",
    "AccessPath": "first_structural_mismatch",
    "AccessStep": "first_structural_mismatch",
    "StructuralVisitor": "structural_visit",
    "StructuralMutator": "structural_mutate",
    "VisitInterrupt": "structural_walk",
}
#: Classes that are made by functions alone.
MADE = {"Library", "Module", "Script", "Report", "Binding"}
#: What type checkers take an annotation of jitffi.i64 and its like for; at run time it is a Type.
CHECKERS_ALONE = {"type[Any]", "UnionType"}
#: Methods that only do what a class of Python's does.
ALIKE = re.compile(r"As (str|bytes|tuple)\.\w+\.")


@dataclass(frozen=True, slots=True)
class Entry:
    """One name. *signatures*: what stands behind the name, one for each overload; "" for what is not called."""

    name: str
    directive: str
    signatures: tuple[str, ...]
    doc: str
    options: tuple[str, ...] = ()
    members: tuple[Entry, ...] = field(default=())


def names() -> list[str]:
    """All that must have an entry, without the members of classes."""
    return [*jitffi.__all__, *RETURNED]


@cache
def find(name: str) -> object:
    if name not in RETURNED:
        return getattr(jitffi, name)
    for node in ast.walk(_tree(getattr(jitffi, RETURNED[name]).__module__)):  # it may be imported for checkers alone
        if isinstance(node, ast.ImportFrom) and node.module and name in [each.name for each in node.names]:
            return getattr(importlib.import_module(node.module), name)
    return getattr(jitffi, name)


@cache
def _tree(module: str) -> ast.Module:
    file = importlib.import_module(module).__file__
    return ast.parse(Path(file or "").read_text(encoding="utf-8"))


@cache
def entry(name: str) -> Entry:
    found = find(name)
    if name in jitffi._ALIASES:
        target = jitffi._ALIASES[name]
        return Entry(name, "py:data", ("",), f"Another name of `{target}`.")
    if isinstance(found, type):
        return _of_class(name, found)
    if callable(found) and not isinstance(found, jitffi.Type):
        is_native = getattr(_core, name, None) is found
        signatures = _functions()[name] if is_native else (_signature(found),)
        return Entry(name, "py:function", signatures, inspect.getdoc(found) or "")
    if isinstance(found, jitffi.Type):
        return Entry(name, "py:data", ("",), "", (f":type: {_annotation(name)}",))
    return Entry(name, "py:data", ("",), "", (":type: str",))


def _annotation(name: str) -> str:
    """What a type checker takes a type's name for, as the package says it to checkers."""
    for node in ast.walk(_tree("jitffi")):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            return ast.unparse(node.value) if node.value else ast.unparse(node.annotation)
    raise LookupError(name)


# -- classes ---------------------------------------------------------------------------------------------------------


def _of_class(name: str, found: type) -> Entry:
    stub = _stub_of(found)
    signatures = stub.constructor if stub else (_constructor(found),)
    members = tuple(_members(name, found))
    bases = [base.__name__ for base in found.__mro__[1:] if getattr(jitffi, base.__name__, None) is base]
    bases += [base.__name__ for base in found.__bases__ if issubclass(base, Exception)]
    doc = _dedented(found.__doc__)
    if bases:
        doc = f"{doc}\n\nA subclass of `{'`, `'.join(bases)}`."
    is_error = issubclass(found, BaseException)
    return Entry(name, "py:exception" if is_error else "py:class", signatures, doc, members=members)


def _constructor(found: type) -> str:
    """The signature of what users call themselves; "" for what only functions make."""
    if found.__name__ in MADE:
        return ""
    own = vars(found).get("__init__") or vars(found).get("__new__")
    own = own.__func__ if isinstance(own, staticmethod) else own
    return _signature(own, bound=True).partition(" -> ")[0] if isinstance(own, types.FunctionType) else ""


def public_members(found: type) -> dict[str, type]:
    """The members that have no other place to be told of, with the class that has each: its own, and those of bases
    without a public name."""
    ours = [each for each in found.__mro__ if each.__module__.startswith("jitffi")]
    nameless = [each for each in ours if each is found or getattr(jitffi, each.__name__, None) is not each]
    homes = {name: each for each in reversed(nameless) for name in vars(each) if not name.startswith("_")}
    return dict(sorted(homes.items()))


def _members(name: str, found: type) -> Iterator[Entry]:
    for member, home in public_members(found).items():
        each, stub = vars(home)[member], _stub_of(home)
        doc = _doc_of(home, member, each)
        full = f"{name}.{member}"
        options: tuple[str, ...] = ()
        if isinstance(each, staticmethod):
            options = (":staticmethod:",)
        elif isinstance(each, classmethod | types.ClassMethodDescriptorType):
            options = (":classmethod:",)
        if isinstance(each, property):
            yield Entry(full, "py:property", ("",), doc, (f":type: {_result(each.fget)}",))
        elif stub and member in stub.attributes:
            yield Entry(full, "py:attribute", ("",), doc, (f":type: {stub.attributes[member]}",))
        elif stub and member in stub.methods:
            yield Entry(full, "py:method", stub.methods[member], doc, options)
        elif callable(each) or isinstance(each, classmethod | staticmethod):
            yield Entry(full, "py:method", (_signature(getattr(found, member), bound=not options),), doc, options)
        else:
            yield Entry(full, "py:attribute", ("",), doc, (f":type: {_field(home, member)}",))


def _doc_of(found: type, member: str, each: object) -> str:
    if isinstance(each, staticmethod | classmethod):
        each = each.__func__
        if not isinstance(each, types.FunctionType):  # str's own, taken over by a class in C
            return f"As {'bytes' if found.__name__ == 'Bytes' else 'str'}.{member}."
    if isinstance(each, types.MemberDescriptorType) and not each.__doc__:
        slots = vars(found).get("__slots__")
        return slots.get(member, "") if isinstance(slots, dict) else _comment_on(found, member)
    said = getattr(each, "__doc__", None)
    doc = _dedented(said if isinstance(said, str) else None)
    return doc if doc != inspect.cleandoc(str(type(each).__doc__)) else ""


def _comment_on(found: type, member: str) -> str:
    """What the source says of a field, behind it or above it."""
    source = inspect.getsource(found)
    behind = re.search(rf"^ +{member}: [^#\n]*#:? (.*)$", source, re.MULTILINE)
    above = re.search(rf"^((?: +#.*\n)+) +{member}: ", source, re.MULTILINE)
    said = behind[1] if behind else re.sub(r"^ +#:? ?", "", above[1], flags=re.MULTILINE) if above else ""
    return said.strip()[:1].upper() + said.strip()[1:]


def _field(found: type, member: str) -> str:
    known = getattr(vars(found)[member], "type", "Any")  # of a field of objects
    return _public(str(inspect.get_annotations(found).get(member, known)), _tree(found.__module__))


def _result(getter: Callable[..., object] | None) -> str:
    return str(inspect.get_annotations(getter).get("return", "Any")) if getter else "Any"


# -- signatures ------------------------------------------------------------------------------------------------------


def _signature(found: Any, bound: bool = False) -> str:
    """The text of a signature, with the annotations as they are written."""
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return (getattr(found, "__text_signature__", None) or "()").replace("$self, ", "").replace("<raise>", "...")
    params = list(signature.parameters.values())
    if bound and params and params[0].name in ("self", "cls"):
        params = params[1:]
    params = [each if each.default is each.empty else each.replace(default=_Default(each.default)) for each in params]
    # Annotations are texts in modules with `from __future__ import annotations`.
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(signature.replace(parameters=params)))
    return _public(text, _tree(found.__module__)) if hasattr(found, "__code__") else text


def _public(text: str, tree: ast.Module) -> str:
    """A text of types without names that are the module's own: what they stand for is put in their place."""
    aliases = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and not isinstance(node.value, ast.Call):
            target, value = node.target if isinstance(node, ast.AnnAssign) else node.targets[0], node.value
            if isinstance(target, ast.Name) and re.match("_[A-Z]", target.id):
                said = str(value.value) if isinstance(value, ast.Constant) else ast.unparse(value)
                aliases[target.id] = " | ".join(part for part in said.split(" | ") if part not in CHECKERS_ALONE)
    return re.sub(r"\b_([A-Z]\w*)", lambda match: aliases.get(match[0], match[1]), text)


class _Default:
    """A default whose representation is its source: what has none that can be read is `...`."""

    def __init__(self, value: object) -> None:
        plain = isinstance(value, str | bytes | int | float | bool | tuple | range | types.NoneType)
        self.text = repr(value) if plain else "..."

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Stub:
    constructor: tuple[str, ...]
    methods: dict[str, tuple[str, ...]]
    attributes: dict[str, str]


def _stub_of(found: type) -> Stub | None:
    return _stub().get(found.__name__) if getattr(_core, found.__name__, None) is found else None


@cache
def _stub() -> dict[str, Stub]:
    """What the stub says of each class in C: methods of classes that exist for checkers only are their subclasses'."""
    tree = ast.parse(Path(jitffi.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))
    found: dict[str, Stub] = {}
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        inherited = [found[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id.startswith("_")]
        methods = {name: texts for base in inherited for name, texts in base.methods.items()}
        attributes: dict[str, str] = {}
        constructor: tuple[str, ...] = inherited[0].constructor if inherited else ()
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                attributes[each.target.id] = ast.unparse(each.annotation)
            elif isinstance(each, ast.FunctionDef) and each.name in ("__init__", "__new__"):
                constructor = (*constructor, _public(_of_ast(each).partition(" -> ")[0], tree))
            elif isinstance(each, ast.FunctionDef) and "property" in _decorators(each):
                attributes[each.name] = ast.unparse(each.returns) if each.returns else "Any"
            elif isinstance(each, ast.FunctionDef):
                before = methods.get(each.name, ()) if "overload" in _decorators(each) else ()
                methods[each.name] = (*before, _public(_of_ast(each), tree))
        found[node.name] = Stub(constructor or ("",), methods, attributes)
    return found


@cache
def _functions() -> dict[str, tuple[str, ...]]:
    """The functions in C, as the stub has them."""
    tree = ast.parse(Path(jitffi.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))
    nodes = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: (_public(_of_ast(node, is_method=False), tree),) for node in nodes}


def _decorators(node: ast.FunctionDef) -> list[str]:
    return [each.id for each in node.decorator_list if isinstance(each, ast.Name)]


def _of_ast(node: ast.FunctionDef, is_method: bool = True) -> str:
    arguments = node.args
    if is_method and "staticmethod" not in _decorators(node):
        (arguments.posonlyargs or arguments.args).pop(0)
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({ast.unparse(arguments).removeprefix('/, ').removeprefix('/')}){result}"


# -- Markdown --------------------------------------------------------------------------------------------------------


def markdown(asked: list[str]) -> str:
    """The entries of these names, below each other."""
    plain = [name for name in asked if entry(name).directive == "py:data"]
    texts = ["```{py:currentmodule} jitffi\n```"]
    texts += [_write(entry(name), 5) for name in asked if name not in plain]
    texts += [_write(entry(name), 5) for name in plain]
    return "\n\n".join(texts)


def _write(item: Entry, fence: int) -> str:
    ticks = "`" * fence
    signatures = [f"{item.name}{signature}" for signature in item.signatures]
    body = [*item.options, "", prose(item.doc)]
    alike = [member for member in item.members if ALIKE.fullmatch(member.doc)]
    own = [member for member in item.members if member not in alike]
    body += [_write(member, fence - 1) for member in own]
    body += [_write_alike(alike, fence - 1)] if alike else []
    return "\n".join([f"{ticks}{{{item.directive}}} {' ;; '.join(signatures)}", *body, ticks])


def _write_alike(alike: list[Entry], fence: int) -> str:
    """Methods that do what those of one class of Python's do, in one entry."""
    ticks = "`" * fence
    python = ALIKE.fullmatch(alike[0].doc)[1]  # type: ignore[index]
    lines = [f"{each.name}{signature}" for each in alike for signature in each.signatures]
    said = f"As those of `{python}`, with its errors. Results are Python's own."
    return "\n".join([f"{ticks}{{py:method}} {' ;; '.join(lines)}", "", said, ticks])


def _dedented(doc: str | None) -> str:
    return inspect.cleandoc(doc or "")


def prose(doc: str) -> str:
    """A docstring as Markdown: its examples fenced, names of the package linked."""
    parts = re.split(r"^(>>> .*?)(?:\n\s*\n|\Z)", doc, flags=re.MULTILINE | re.DOTALL)
    texts = []
    for number, part in enumerate(parts):
        if number % 2:
            texts.append(f"```pycon\n{part.rstrip()}\n```")
        elif part.strip():
            texts.append(re.sub(r"(``?)([^`]+)\1", _linked, part.strip()))
    return "\n\n".join(texts)


def _linked(match: re.Match[str]) -> str:
    name = match[2].removeprefix("jitffi.")
    first, _, member = name.partition(".")
    if first in names() and (not member or member in public_members(cast(type, find(first)))):
        return f"{{py:obj}}`{match[2]} <jitffi.{name}>`"
    return f"`{match[2]}`"
