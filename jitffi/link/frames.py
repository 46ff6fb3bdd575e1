"""The descriptions of stack frames in an object file, checked: the unwinder follows them without a look.

Records of a length, an identity and a body: identity 0 is what frames have in common (CIE), another leads back to one
of those (FDE). (System V psABI for AMD64, 4.2.4; Linux Standard Base, "Exception Frames".)
"""

from __future__ import annotations

from jitffi.link.objects import ObjectError

_KNOWN = frozenset(b"zRPLSBG")  # augmentations
_WIDTHS = {0: 8, 2: 2, 3: 4, 4: 8, 10: 2, 11: 4, 12: 8}  # bytes of a pointer, by its form (DW_EH_PE)


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


def check_ranges(content: bytes, place: int, code: range, dead: set[int]) -> None:
    """Check what stands at address *place* now: each description is of *code*, else the unwinder takes it for that of
    other functions. ObjectError if not.
    """
    at = 0
    forms: dict[int, int] = {}  # of addresses, by where what frames have in common stands
    while at < len(content):
        end = at + 4 + int.from_bytes(content[at : at + 4], "little")
        identity = int.from_bytes(content[at + 4 : at + 8], "little")
        if identity == 0:
            forms[at] = _form_of_addresses(content[at + 8 : end])
        elif at + 8 not in dead:
            form = forms[at + 4 - identity]
            width, is_signed = _WIDTHS[form & 15], form & 8 > 0
            start = int.from_bytes(content[at + 8 : at + 8 + width], "little", signed=is_signed)
            size = int.from_bytes(content[at + 8 + width : at + 8 + 2 * width], "little", signed=is_signed)
            start += place + at + 8 if form & 0x70 else 0
            if at + 8 + 2 * width > end or size < 0 or not code.start <= start <= code.stop - size:
                raise ObjectError(
                    f"is damaged: the description of a frame at byte {at} of .eh_frame is of no code here"
                )
        at = end


def _form_of_addresses(body: bytes) -> int:
    """Of what has been checked."""
    text, at = body[1:].partition(b"\0")[0], body.find(b"\0", 1)
    at = _skip_number(body, _skip_number(body, at + 1))
    at = at + 1 if body[0] == 1 else _skip_number(body, at)
    at = _skip_number(body, at) if text else at
    for letter in text[1:]:
        if letter == ord("R"):
            return body[at]
        if letter in b"LP":
            at += 1 + (_WIDTHS[body[at] & 15] if letter == ord("P") else 0)
    return 0


def _check_common(content: bytes, at: int, end: int) -> None:
    try:
        fine = _is_common(content[at + 8 : end])
    except IndexError:
        fine = False
    if not fine:
        raise ObjectError(f"is damaged: what frames have in common at byte {at} of .eh_frame")


def _is_common(body: bytes) -> bool:
    """Whether version, augmentation and forms of pointers are known: the unwinder ends the process over others.

    IndexError where the body ends before.
    """
    text, at = body[1:].partition(b"\0")[0], body.find(b"\0", 1)
    if at < 0 or body[0] not in (1, 3) or not set(text) <= _KNOWN or text and text[0] != ord("z"):
        return False
    at = _skip_number(body, _skip_number(body, at + 1))  # the units of code and data
    at = at + 1 if body[0] == 1 else _skip_number(body, at)  # the register of the return address
    if not text:
        return at <= len(body)
    at = _skip_number(body, at)
    for letter in text[1:]:
        if letter in b"LPR":
            form = body[at]
            at += 1
            omitted = form == 0xFF and letter == ord("L")
            if not omitted and (form & 15 not in _WIDTHS or form & 0x70 not in (0, 0x10)):
                return False
            at += _WIDTHS[form & 15] if letter == ord("P") else 0
    return at <= len(body)


def _skip_number(body: bytes, at: int) -> int:
    while body[at] & 0x80:
        at += 1
    return at + 1
