"""The convention `backwards`: arguments in slots as in the packed convention, the last one first.

    args ->  | last | ... | second | first |

The whole of a convention in one file, as one is added to jitffi/conventions.
"""

from __future__ import annotations

from jitffi.conventions.base import Convention, Options, register
from jitffi.conventions.slots import SlotConvention
from jitffi.ir.builder import V

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Signature
    from jitffi.types.row import Native


class Backwards(SlotConvention):
    name = "backwards"
    prefix = "__jfback_"

    def place(self, index: int, count: int) -> int:
        return count - 1 - index

    def call(self, e: Emitter, sig: Signature, values: list[Native], entry: Convention, options: Options) -> V:
        return self.call_slots(e, sig, values, entry, e.linkage.callee_object(e))


register(Backwards())
