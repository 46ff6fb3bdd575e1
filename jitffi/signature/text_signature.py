"""What `help` shows and `inspect.signature` reads: of a builtin CPython's text signature, then ours; of its Function
the types, as annotations."""

from __future__ import annotations

from jitffi import _core
from jitffi.signature.model import NO_DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.signature.model import Signature, Type


def text_signature(name: str, sig: Signature, doc: str, first: str = "self") -> bytes:
    """What `help` shows and `inspect.signature` reads: CPython's text signature, then the signature itself. *first* is
    what the builtin's `__self__` is called."""
    taken = {p.name for p in sig.params}
    positional = sig.params if sig.in_order else [sig.params[i] for i in sig.order.positional]
    last_unnamed = max([i for i, p in enumerate(positional) if p.name is None], default=-1)
    parts = ["$" + _free(first, taken)]  # what inspect leaves out
    for i, p in enumerate(positional):
        text = p.name or _free(f"arg{i + 1}", taken)
        if p.default is not NO_DEFAULT:
            text += f"={_literal(p.default)}"
        parts.append(text)
        if i == last_unnamed:
            parts.append("/")
    if last_unnamed < 0:
        parts.insert(1, "/")
    if sig.variadic:
        parts.append("*" + _free("args", taken))
    if not sig.in_order and sig.order.keyword_only:
        parts += ["*"] * (not sig.variadic)
        for i in sig.order.keyword_only:
            default = None if i in sig.order.filled else sig.params[i].default
            parts.append(f"{sig.params[i].name}={_literal(default)}")
    # CPython looks for the part of the name behind its last dot (typeobject.c, find_signature).
    head = f"{name.rpartition('.')[2]}({', '.join(parts)})\n--\n\n{name}{sig}"
    return (f"{head}\n\n{doc}" if doc else head).encode("utf-8", "replace").replace(b"\0", b"?")


def annotation(ty: Type, result: bool = False) -> Any:
    """Return what `Signature.of` reads as *ty*: a class of Python's where one says all of it, else the type itself.
    A *result* of a container's type is a container of ours.

    >>> from jitffi.signature.model import TYPES, optional
    >>> annotation(TYPES["f64"]), annotation(TYPES["f32"]), annotation(optional(TYPES["str"]))
    (<class 'float'>, Type('f32'), str | None)
    """
    if ty.is_optional:
        return annotation(ty.inner, result) | None
    if ty.name == "void":
        return None
    from types import GenericAlias

    from jitffi.signature.annotations import CLASSES

    ours: dict[str, Any] = {"list": _core.List, "map": _core.Map, "tuple": _core.Tuple, "set": _core.Set}
    cls: Any = {name: cls for cls, name in CLASSES.items() if cls is not frozenset}.get(ty.name)
    if ty.args and ty.name in ours:
        args = tuple([arg if arg is Ellipsis else annotation(arg, result) for arg in ty.args])
        return GenericAlias(ours[ty.name] if result else cls, args)
    return ty if cls is None else ours.get(ty.name, cls) if result else cls


def result_annotation(sig: Signature) -> Any:
    """The same of what Python gets from a call: the result, and what comes back beside it.

    >>> from jitffi.signature.model import Signature
    >>> result_annotation(Signature.parse("(x: f64, exponent: out[i64]) -> f64"))
    tuple[float, int]
    """
    back = [p.type.args[0] for p in sig.params if p.type.name in ("out", "inout")]
    if not back:
        return annotation(sig.result, result=True)
    types = [sig.result, *back] if sig.result.name != "void" else back
    shown = tuple([annotation(ty, result=True) for ty in types])
    from types import GenericAlias

    return shown[0] if len(shown) == 1 else GenericAlias(tuple, shown)


def _free(name: str, taken: set[str | None]) -> str:
    while name in taken:
        name += "_"
    return name


def _literal(value: object) -> str:
    """A default as `inspect` can read it back; infinity and nan have no literal."""
    if isinstance(value, complex) and value - value != 0:
        return "None"
    if isinstance(value, float) and value - value != 0.0:
        return "1e999" if value > 0 else "-1e999" if value < 0 else "None"
    return ascii(value)  # inspect reads no other characters


def shown_signature(builtin: Any, sig: Signature) -> Any:
    """What `inspect.signature` gives: names and defaults of the builtin's, and annotations beside them."""
    import inspect

    plain = inspect.signature(builtin)
    passed = iter(sig.params if sig.in_order else [sig.params[i] for i in sig.order.passed])
    params = [
        shown if shown.kind is shown.VAR_POSITIONAL else shown.replace(annotation=annotation(next(passed).type))
        for shown in plain.parameters.values()
    ]
    return plain.replace(parameters=params, return_annotation=result_annotation(sig))
