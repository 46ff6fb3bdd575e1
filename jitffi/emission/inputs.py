"""What `emit` is asked for: signatures by name, and the scripts among them, from all the ways to say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from jitffi.emission.kernels import kernel_of
from jitffi.signature import signature_lists as named
from jitffi.signature.model import Signature
from jitffi.signature.signature_lists import ArgumentError

if TYPE_CHECKING:
    from jitffi.api.kernels import Kernel
    from jitffi.scripts.api.script import Script
    from jitffi.signature.signature_lists import Model


def signatures(
    given: Any, model: Model, scripts: dict[str, Script], kernels: dict[str, Kernel]
) -> dict[str, Signature]:
    """Return all signatures by name, in their order; those of scripts have these in *scripts*, too, and those of
    kernels in *kernels*."""
    found: dict[str, Signature] = {}
    if isinstance(given, str | Signature) or _is_pair(given) or hasattr(given, "__name__"):
        given = [given]
    elif isinstance(given, Mapping):
        given = list(given.items())
    elif not isinstance(given, Iterable):
        raise TypeError(f"expected signatures, got {type(given).__name__}")
    for each in given:
        if (script := _script(each)) is not None:
            each = (script.__name__, script.signature)
            scripts[script.__name__] = script
        elif (kernel := kernel_of(each)) is not None:
            each = (kernel.name, kernel.sig)
            kernels[kernel.name] = kernel
        for name, sig in _one(each, model):
            named.add(found, name, sig)
    if not found:
        raise ArgumentError("there is no signature to emit")
    return found


def _script(given: Any) -> Script | None:
    """The script that something to be emitted is."""
    from jitffi.emission import scripts

    if isinstance(given, str):
        if not scripts.is_in_file(given):
            return None
        given = scripts.from_file(given)
    found = scripts.script_of(given) if hasattr(given, "__name__") else None
    if found is not None:
        scripts.check(found)
    return found


def _is_pair(value: Any) -> bool:
    if not (isinstance(value, tuple) and len(value) == 2):
        return False
    # No SIG is a name and nothing else.
    return isinstance(value[1], Signature) or (isinstance(value[0], str) and value[0].isidentifier())


def _one(given: Any, model: Model) -> Iterable[tuple[str, Signature]]:
    if isinstance(given, str):
        return named.read((given,), model).items()
    if isinstance(given, Signature):
        return [(named.UNNAMED, given)]
    if isinstance(given, tuple) and len(given) == 2:
        name, sig = given
        if not isinstance(name, str):
            raise TypeError(f"a function's name is a str, got {type(name).__name__}")
        if isinstance(sig, str):
            own, sig = named.read_one(sig, model)
            if own not in (name, named.UNNAMED):
                raise ArgumentError(f"the signature for {name!r} names another function: {own!r}")
        if isinstance(sig, Signature):
            return [(name, sig)]
        given = sig
    elif hasattr(given, "__name__"):
        from jitffi.api.functions import Function

        sig = Function(given).signature
        if sig is None:
            raise TypeError(f"{given.__name__} has no signature to emit")
        return [(given.__name__, sig)]
    raise TypeError(f"expected a signature or its text, got {type(given).__name__}")


def check_callee_name(callee_name: str | None, found: dict[str, Signature], entry: str, callee: str) -> None:
    """ArgumentError for a name of the callee that does not fit the signatures which have one."""
    if not found and callee_name is None:
        return
    if callee_name is None:
        if entry == callee:
            raise ArgumentError(
                f"entry and callee are both {entry!r}, and would be one function: name it by callee_name"
            )
        return
    if not isinstance(callee_name, str):
        raise TypeError(f"callee_name is a str, got {type(callee_name).__name__}")
    named.check_name(callee_name)
    if len(found) > 1:
        raise ArgumentError(f"callee_name names the callee of one signature, and there are {len(found)}")
    if entry == callee and callee_name in found:
        raise ArgumentError(f"entry and callee are both {entry!r}, and both are called {callee_name!r}")
