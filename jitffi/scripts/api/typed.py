"""Signatures of scripts: the types that `signature=` or complete annotations say, for callers and inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from jitffi.api.making import signature_of
from jitffi.scripts.tree import types
from jitffi.signature.model import CONTAINERS, NO_DEFAULT, Param, Signature
from jitffi.types.table import row

if TYPE_CHECKING:
    from types import FunctionType

    from jitffi.scripts.tree import tree
    from jitffi.signature.model import Type


class Typed:
    """A signature, and the types of its parameters and its result inside."""

    def __init__(self, name: str, signature: Signature) -> None:
        self.signature: Final = signature
        self.params: Final = [_type(name, _where(i, p), p.type) for i, p in enumerate(signature.params)]
        self.result: Final = types.NONE if signature.result.name == "void" else _type(name, "result", signature.result)

    @property
    def buffers(self) -> int:
        """A bit for each parameter that takes whatever has bytes."""
        return sum([1 << i for i, type_ in enumerate(self.params[:64]) if type_ == types.BYTES])

    @property
    def arrays(self) -> int:
        """A bit for each parameter that is an array."""
        return sum([1 << i for i, type_ in enumerate(self.params[:64]) if type_.kind == "array"])

    def declare(self, function: tree.Function) -> None:
        """Give the tree these types in place of what its annotations say."""
        for variable, type_ in zip(function.parameters, self.params, strict=True):
            variable.declared = type_
        function.declared_result = self.result
        function.has_signature = True


def read(function: FunctionType, signature: Signature | str) -> Typed:
    """The signature that a script was given: with its names and defaults. TypeError where it is another function's,
    SignatureError for a bad text."""
    sig = signature_of(signature)
    assert sig is not None
    if sig.fixed is not None:
        raise TypeError(f"script: {function.__name__}: a script is not variadic, its signature {sig} is")
    name, code = function.__name__, function.__code__
    own = code.co_varnames[: code.co_argcount]
    if len(own) != len(sig.params):
        raise TypeError(f"script: {name} has {_parameters(len(own))}, its signature {sig} has {len(sig.params)}")
    defaults = function.__defaults__ or ()
    params = []
    for i, (given, param) in enumerate(zip(sig.params, own, strict=True)):
        if given.name not in (None, param):
            raise TypeError(f"script: {name}: parameter {i + 1} is {param!r}, and {given.name!r} in its signature")
        at = i - len(own) + len(defaults)
        default = NO_DEFAULT if at < 0 else defaults[at]
        made = Param(param if i >= code.co_posonlyargcount else None, given.type, default)
        if given.default is not NO_DEFAULT and (at < 0 or given.default != made.default):
            raise TypeError(f"script: {name}: the default of {param!r} is another in its signature")
        params.append(made)
    whole = Signature(params, sig.result)
    _check_arrays(name, whole)
    return Typed(name, whole)


def of_annotations(function: FunctionType) -> Typed:
    """The signature that annotations spell. TypeError where they say what scripts have no type for."""
    sig = Signature.of(function)
    _check_arrays(function.__name__, sig)
    return Typed(function.__name__, sig)


def _check_arrays(name: str, sig: Signature) -> None:
    """TypeError for what only functions have that are called with a length beside an address."""
    if sig.order.filled or sig.order.outs:
        raise TypeError(f"script: {name}: parameters of scripts are not filled in from arrays: use len()")


def _parameters(count: int) -> str:
    return f"{count} parameter{'' if count == 1 else 's'}"


def _where(index: int, param: Param) -> str:
    return f"parameter {index + 1} {param.name!r}" if param.name else f"parameter {index + 1}"


def _type(name: str, where: str, type_: Type) -> types.Type:
    if type_.name == "struct":
        raise TypeError(f"script: {name}: {where}: a script with structs has no signature: annotate it with classes")
    found = _convert(type_)
    if found is None:
        raise TypeError(f"script: {name}: {where}: a script has no type {type_}: {row(type_).script_instead}")
    return found


def _convert(type_: Type) -> types.Type | None:
    if type_.name == "array":
        elem, _, dims = type_.args
        return types.array_from(elem.name, dims)
    if type_.name == "struct":
        return None
    if type_.name not in CONTAINERS:
        plain: types.Type | None = getattr(types, row(type_).script, None)
        return plain
    if type_.name == "tuple" and type_.args and type_.args[-1] is Ellipsis:
        return types.TUPLE
    args: list[Any] = [_convert(each) for each in type_.args]
    if None in args:
        return None
    if type_.name == "tuple":
        return types.tuple_of(*args) if args else types.TUPLE
    if type_.name == "list":
        return types.list_of(*(args or [types.ANY]))
    if type_.name == "set":
        return types.set_of(*(args or [types.ANY]))
    return types.dict_of(*(args or [types.ANY, types.ANY]))
