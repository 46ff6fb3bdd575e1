"""Types that are said more exactly than a prototype can: of parameters by their names, and of the result."""

from __future__ import annotations

from jitffi.base.errors import SignatureError
from jitffi.conventions.c import function_type
from jitffi.ir.cabi import HOST
from jitffi.signature.model import TYPES, Param, Signature
from jitffi.signature.text import parse_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jitffi.signature.model import Type


def retyped(
    name: str, sig: Signature, types: Mapping[str, Type | str], scope: Mapping[str, Type] | None = None
) -> Signature:
    """*sig* with other types for the parameters that *types* names, and for the result, which is "return" there."""
    names = [p.name for p in sig.params]
    for each in types:
        if each not in names and each != "return":
            has = ", ".join([repr(n) for n in names if n is not None]) or "none with a name"
            raise SignatureError(f"{name}: types names the parameter {each!r}, which is not there; there are {has}")
    found = {each: parse_type(said, scope) if isinstance(said, str) else said for each, said in types.items()}
    params = []
    for p in sig.params:
        if p.name is not None and p.name in found:
            try:
                p = Param(p.name, found[p.name], p.default)
            except (TypeError, ValueError, OverflowError) as error:
                raise type(error)(f"{name}: the type of parameter {p.name!r}: {error}") from None
        params.append(p)
    try:
        made = Signature(params, found.get("return", sig.result), sig.fixed)
    except ValueError as error:
        raise SignatureError(f"{name}: {error}") from None
    _compare(name, sig, made)
    return made


def _compare(name: str, sig: Signature, made: Signature) -> None:
    """SignatureError unless C passes the values of both signatures alike. A result may be left where it is."""
    pairs = [(p.name, p.type, other.type) for p, other in zip(sig.params, made.params, strict=True)]
    for place, said, exact in [*pairs, ("return", sig.result, made.result)]:
        if said != exact and exact.name != "void" and not _passes_alike(said, exact, place == "return"):
            raise SignatureError(f"{name}: types: {place!r} is {said.text}, which C does not pass as {exact.text}")


def _passes_alike(said: Type, exact: Type, is_result: bool) -> bool:
    pointee = (said.inner if said.is_optional else said).args
    if "tensor" in (exact.name, exact.inner.name if exact.is_optional else "") and pointee:
        return pointee[0].name in ("struct", "void")  # what it leads to is a DLTensor
    void, made = TYPES["void"], Signature
    one = [made((), ty) if is_result else made((Param(None, ty),), void) for ty in (said, exact)]
    first, second = [function_type(HOST, sig).removeprefix("signext ").removeprefix("zeroext ") for sig in one]
    return first == second
