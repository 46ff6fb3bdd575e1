"""The descriptions of stack frames in an object file, checked: the unwinder follows them without a look.

Records of a length, an identity and a body: identity 0 is what frames have in common (CIE), another leads back to one
of those (FDE). (System V psABI for AMD64, 4.2.4; Linux Standard Base, "Exception Frames".)
"""

from __future__ import annotations

from jitffi.compile.objects import ObjectError

_KNOWN = frozenset(b"zRPLSBG")  # augmentations


def check_frames(content: bytes, dead: set[int]) -> tuple[int, int]:
    """(bytes up to the end or a zero that ends them, descriptions of functions that are there). ObjectError if damaged.

    *dead* holds the offsets of what leads to functions that were dropped.
    """
    at = alive = 0
    common: set[int] = set()
    while at + 4 <= len(content):
        length = int.from_bytes(content[at : at + 4], "little")
        if length == 0:
            return at, alive
        end = at + 4 + length
        if length < 8 or length >= 0xFFFFFFF0 or end > len(content):
            raise ObjectError(f"is damaged: the description of frames at byte {at} of .eh_frame")
        identity = int.from_bytes(content[at + 4 : at + 8], "little")
        if identity == 0:
            _check_common(content, at, end)
            common.add(at)
        elif at + 4 - identity not in common or length < 16:
            raise ObjectError(f"is damaged: the description of a frame at byte {at} of .eh_frame leads nowhere")
        else:
            alive += at + 8 not in dead
        at = end
    if at != len(content):
        raise ObjectError("is damaged: .eh_frame ends within a record")
    return at, alive


def _check_common(content: bytes, at: int, end: int) -> None:
    text_end = content.find(b"\0", at + 9, end)
    text = content[at + 9 : text_end]
    if text_end < 0 or not set(text) <= _KNOWN or content[at + 8] not in (1, 3):
        raise ObjectError(f"is damaged: what frames have in common at byte {at} of .eh_frame")
