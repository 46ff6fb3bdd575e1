"""A function as a declaration in Python: a decorator with its signature, a typed head, the documentation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from jitffi.bind.read.comments import printable
from jitffi.bind.read.constants import literal_of
from jitffi.bind.read.declared import DeclaredFunction
from jitffi.bind.write.pytypes import given, results
from jitffi.signature.model import Type

WIDTH = 120


@dataclass(frozen=True)
class Written:
    """A function with what its declaration says beside the signature."""

    declared: DeclaredFunction
    doc: str
    keeps: bool = False  # the callables that it is given
    errno: bool = False
    nogil: bool = False


def declaration(function: Written, names: Mapping[str, str]) -> str:
    """Return the declaration. *names* are Python's, by those of C."""
    declared = function.declared
    head = head_of(declared, names)
    return f"{_decorator(function, names)}\n{head}\n{docstring(declared.prototype, function.doc)}"


def head_of(function: DeclaredFunction, names: Mapping[str, str]) -> str:
    """Return the line, or lines, from `def` to the colon."""
    sig = function.sig
    shown = []
    for i, (own, param) in enumerate(zip(function.names, sig.params, strict=True)):
        shown.append(f"{own}: {given(param.type, names, names.get(function.aliases.get(i, '')))}")
    if sig.in_order:
        params = shown
    else:
        params = [shown[i] for i in sig.order.positional]
        by_name = [f"{shown[i]} | None = None" for i in sig.order.keyword_only]
        params += (["*"] * (not sig.variadic) + by_name) if by_name else []
    if params and sig.params[0].name is None:
        params.append("/")
    if sig.variadic:
        params.insert(
            len(params) if sig.in_order else len(sig.order.positional), f"*{_free('args', function.names)}: Any"
        )
    result = f"-> {results(sig, names, names.get(function.enum, ''))}:"
    name = names[function.name]
    head = f"def {name}({', '.join(params)}) {result}"
    if len(head) > WIDTH:
        head = f"def {name}(\n" + "".join([f"    {each},\n" for each in params]) + f") {result}"
    return head


def _free(name: str, taken: Collection[str]) -> str:
    return _free(f"{name}_", taken) if name in taken else name


def _decorator(function: Written, names: Mapping[str, str]) -> str:
    declared = function.declared
    options = [f"symbol={literal_of(declared.symbol)}"] if names[declared.name] != declared.symbol else []
    options += [f"enum={names[declared.enum]}"] if declared.enum in names else []
    options += ["errno=True"] if function.errno else []
    options += ["nogil=True"] if function.nogil else []
    options += (
        ["keep_callbacks=True"] if function.keeps and any(_is_callback(p.type) for p in declared.sig.params) else []
    )
    sig = str(declared.sig)
    decorator = f"@_lib.declare({', '.join([literal_of(sig), *options])})"
    if len(decorator) > WIDTH:
        parts = [f"    {literal_of(piece)}" for piece in pieces(sig, WIDTH - 7)]
        lines = ["\n".join(parts), *[f"    {each}" for each in options]]
        decorator = "@_lib.declare(\n" + ",\n".join(lines) + (",\n)" if options else "\n)")
    return decorator


def _is_callback(ty: Type) -> bool:
    return ty.is_optional and ty.inner.signature is not None


def pieces(text: str, width: int) -> Iterable[str]:
    """Yield a text in pieces that end behind a comma where they can, else at a space."""
    at = 0
    while len(text) - at > width:
        cut = text.rfind(", ", at, at + width) + 2
        cut = cut if cut - at > width // 3 else text.rfind(" ", at, at + width) + 1 or at + width
        yield text[at:cut]
        at = cut
    yield text[at:]


def docstring(prototype: str, doc: str) -> str:
    """Return the documentation of a function, with its prototype in front."""
    prototype = printable(prototype)
    if not doc and '"' not in prototype and "\\" not in prototype and len(prototype) <= WIDTH - 10:
        return f'    """{prototype}"""'
    text = f"{_wrapped(prototype)}\n\n{doc}".rstrip()
    text = escaped(text)
    if text.endswith('"'):
        text = text[:-1] + '\\"'
    lines = [f"    {line}".rstrip() for line in text.split("\n")]
    return '    """' + "\n".join(lines).lstrip() + ('\n    """' if len(lines) > 1 else '"""')


def escaped(text: str) -> str:
    """A text as it stands between triple quotes."""
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _wrapped(prototype: str) -> str:
    """A prototype in lines that end behind a comma, where it is too long for one."""
    room = WIDTH - 8
    return prototype if len(prototype) <= room else "\n".join(each.rstrip() for each in pieces(prototype, room))
