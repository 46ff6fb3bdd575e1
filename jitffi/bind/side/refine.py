"""Functions as a side file refines them: exact types, Python's names of parameters, what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jitffi.api.retyping import retyped
from jitffi.base.errors import SignatureError, nearest
from jitffi.bind.read.declared import Declared, DeclaredFunction, Refused
from jitffi.bind.read.names import possible
from jitffi.bind.side.side_file import FunctionSide, SideFile
from jitffi.signature.model import Param, Signature, Type
from jitffi.signature.parameters import KEYWORDS
from jitffi.signature.text import parse_type


def refine(declared: Declared, side: SideFile) -> None:
    """Give the functions what *side* says of them. SideFileError for what does not fit."""
    for name, function in list(declared.functions.items()):
        if side.leaves_out(name):
            del declared.functions[name]
            declared.refused[name] = Refused(
                name, f"{side.path} leaves it out", "function", function.prototype, function.file, function.line
            )
            continue
        said = side.of(name)
        if said.parameters:
            function = _renamed(function, said, side)
        if said.types:
            function = _retyped(function, said, side, declared.scope)
        declared.functions[name] = function


def _renamed(function: DeclaredFunction, said: FunctionSide, side: SideFile) -> DeclaredFunction:
    key = f"functions.{function.name}.parameters"
    given = said.parameters
    if isinstance(given, list):
        names = list(given)
        if len(names) != len(function.names):
            side.fail(key, f"{len(names)} names for {len(function.names)} parameters: {function.prototype}")
    else:
        _check_names(function, given, key, side)
        names = [given.get(name, name) for name in function.names]
    for name in names:
        if not name.isascii() or possible(name) != name or name in KEYWORDS:
            side.fail(key, f"{name!r} is no name that Python's parameters can have")
        if names.count(name) > 1:
            side.fail(key, f"two parameters named {name!r}")
    named = isinstance(given, list) or all(p.name is not None for p in function.sig.params)
    params = [Param(name if named else None, p.type) for name, p in zip(names, function.sig.params, strict=True)]
    return replace(function, sig=Signature(params, function.sig.result, function.sig.fixed), names=tuple(names))


def _retyped(
    function: DeclaredFunction, said: FunctionSide, side: SideFile, scope: Mapping[str, Type]
) -> DeclaredFunction:
    key = f"functions.{function.name}.types"
    if any(p.name is None for p in function.sig.params) and {*said.types} - {"return"}:
        side.fail(key, f"the parameters have no names: give them some, parameters = [...]: {function.prototype}")
    now = said.parameters if isinstance(said.parameters, dict) else {}
    texts = {now.get(name, name): text for name, text in said.types.items()}
    _check_names(function, texts, key, side, also=("return",))
    types = {}
    for name, text in texts.items():
        try:
            types[name] = parse_type(text, scope)
        except SignatureError as error:
            side.fail(f"{key}.{name}", f"{error.message} in {text!r}", error.hint.partition(" known: ")[0])
    try:
        sig = retyped(function.name, function.sig, types, scope)
    except (SignatureError, TypeError, ValueError, OverflowError) as error:
        message = error.message if isinstance(error, SignatureError) else str(error)
        side.fail(key, message.removeprefix(f"{function.name}: ").removeprefix("types: "))
    pairs = zip(function.sig.params, sig.params, strict=True)
    same = {i for i, (before, after) in enumerate(pairs) if before.type is after.type}
    enum = function.enum if sig.result == function.sig.result else ""
    return replace(
        function, sig=sig, enum=enum, aliases={i: alias for i, alias in function.aliases.items() if i in same}
    )


def _check_names(
    function: DeclaredFunction, given: Mapping[str, str], key: str, side: SideFile, also: tuple[str, ...] = ()
) -> None:
    for name in given:
        if name not in function.names and name not in also:
            hint = nearest(name, (*function.names, *also)) or f"it has {', '.join(function.names) or 'none'}"
            side.fail(f"{key}.{name}", f"{function.name} has no such parameter", hint)
