"""Where each field of an object type lies: behind the ancestors', at the next place that its size allows.

The header takes 16 bytes; a type that can lead in a circle has links of the finder of cycles behind it
(runtime_c/include/jitffi/types.h).
"""

from __future__ import annotations

from jitffi.api.field_types import SCALARS, SLOT, is_union
from jitffi.signature.numbers import SIZES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.api.object_fields import Declared

HEADER, LINKS = 16, 16
_SIZES = {**SIZES, "dtype": 4, "device": 8}


def lay_out(fields: list[Declared], start: int, has_links: bool) -> tuple[int, int]:
    """Give each field its offset behind *start*, where the ancestors' end. Return the size of an object, and the
    offset of the links that it needs (0: none, or ancestors have them)."""
    links = 0
    at = start
    if not has_links and any(_may_lead_on(field) for field in fields):
        links = at
        at += LINKS
    for each in fields:
        size = size_of(each.kind)
        alignment = min(size, 8)
        at = (at + alignment - 1) // alignment * alignment
        each.offset = at
        at += size
    return (at + 7) // 8 * 8, links


def size_of(kind: int) -> int:
    """How many bytes a field of that kind takes."""
    return _SIZES[SCALARS[kind]] if kind < SLOT else 16 if kind == SLOT else 8


def _may_lead_on(field: Declared) -> bool:
    """Whether a value of the field may refer to other objects."""
    if field.kind < SLOT:
        return False
    inner = field.type[9:-1] if field.type.startswith("optional[") else field.type
    alternatives = inner.split(" | ") if is_union(inner) else [inner]
    return not {"str", "bytes", "ucs4", "ptr", "null", "ndarray", "shape", *SCALARS}.issuperset(alternatives)
