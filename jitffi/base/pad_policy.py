"""Who decides about pads where the source does not: the policy in force, which a profile or the tuner puts here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FunctionType
    from typing import Any, Protocol

    from jitffi.signature.model import Signature

    class PadPolicy(Protocol):
        """What compilers ask. Pads are numbers, by name of the variable where there are several; None: their own."""

        def of_typed(self, name: str, sig: Signature, pad: int | None) -> int | None:
            """The pad of a typed function's result, which was made with that *pad*."""

        def of_all(self, functions: Iterable[tuple[FunctionType, Any]]) -> dict[FunctionType, Any]:
            """The pads of functions, each with the options that it was made a script with, all at one time."""

        def read_candidate(self, options: Any) -> None:
            """See a script's options for a pad that is being tried."""

        def compiled(self, script: Any, type_tags: int, around: Any) -> None:
            """Take note of a variant that is being made."""


#: The largest n of AnyPad<n> (abi.h): pads are 0 to this.
MAX_PAD = 15
#: None as long as nothing is tuned and no profile is used: nothing of either is loaded then.
current: PadPolicy | None = None
