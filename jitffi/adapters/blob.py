"""Machine code that refers to nothing outside itself.

The generator makes such code by loading every address from the table. Here that is checked, not assumed: an object with
relocations against .text, or with any other section that code could refer to, is refused, and the linker's route taken.

What describes the frame of a function to an unwinder (System V psABI for AMD64, 4.2.4; Linux Standard Base, "Exception
Frames") is written anew, so that it needs no linker either:

    | code | where exceptions land (LSDA) | CIE with the personality's address | FDE | 0 |

All distances are within the image; the one address is put in where it is mapped.
"""

from __future__ import annotations

from typing import NamedTuple

from jitffi.adapters.code_store import PERSONALITY_AT, Blob
from jitffi.link import objects

#: Pointers in the tables: relative to where they stand, four bytes (DW_EH_PE_pcrel | DW_EH_PE_sdata4).
_RELATIVE = 0x1B
_NOP = b"\0"
#: What FDEs have beside rules, where functions have landings.
_WITH_LANDINGS = b"zPLR"


class NotSelfContained(Exception):
    """The object refers to something outside its .text, or is of a format that is not read here."""


def extract(obj: bytes) -> dict[str, Blob]:
    """Return the code of each function of an object file. NotSelfContained where it needs a linker."""
    if obj[:7] != b"\x7fELF\x02\x01\x01":
        raise NotSelfContained("no 64-bit little-endian ELF object")
    elf = objects.Elf(obj)
    code, text_index = b"", -1
    for i, section in enumerate(elf.sections):
        if section.name == ".text":
            code, text_index = elf.content(section), i
        elif section.type == objects.RELA and section.name == ".rela.text":
            raise NotSelfContained("relocations in .text")
        elif section.flags & objects.ALLOC and section.size and not _is_of_frames(section.name):
            raise NotSelfContained(f"a section {section.name}")
    symbols = elf.symbols()
    functions = [each for each in symbols if each.section == text_index and each.type == objects.FUNC]
    if not functions:
        raise NotSelfContained("no function")
    described = _descriptions(elf, symbols, text_index)
    return {
        each.name: _blob(code[each.value : each.value + each.size], described.get(each.value)) for each in functions
    }


def _is_of_frames(name: str) -> bool:
    """Sections that tables refer to, and code does not."""
    return name in (".eh_frame", ".gcc_except_table") or ".DW.ref." in name


class _Description(NamedTuple):
    """What an unwinder must know of a function: parts of its CIE and its FDE, and where exceptions land in it."""

    numbers: bytes
    initial: bytes
    rules: bytes
    landings: bytes


def _descriptions(elf: objects.Elf, symbols: list[objects.Symbol], text_index: int) -> dict[int, _Description]:
    """By the offset of the function in .text: of those that have any."""
    sections = {section.name: (i, section) for i, section in enumerate(elf.sections)}
    if ".rela.eh_frame" not in sections:
        return {}
    table_index, table = sections.get(".gcc_except_table", (-2, None))
    landings, frames = elf.content(table) if table else b"", elf.content(sections[".eh_frame"][1])
    targets: dict[int, tuple[int, int]] = {}
    for each in elf.relocations(sections[".rela.eh_frame"][1]):
        targets[each.offset] = symbols[each.symbol].section, symbols[each.symbol].value + each.addend
    starts = sorted(offset for section, offset in targets.values() if section == table_index)
    found: dict[int, _Description] = {}
    common: dict[int, tuple[bytes, bytes, bytes]] = {}
    at = 0
    while at + 8 <= len(frames):
        end = at + 4 + int.from_bytes(frames[at : at + 4], "little")
        identity = int.from_bytes(frames[at + 4 : at + 8], "little")
        if end == at + 4:
            break
        if identity == 0:
            common[at] = _read_common(frames[at + 8 : end])
        else:
            numbers, initial, augmentation = common[at + 4 - identity]
            function, landing = targets.get(at + 8, (-1, 0)), targets.get(at + 17, (-1, 0))
            if augmentation and function[0] == text_index:
                rules = frames[at + 17 + frames[at + 16] : end]
                part = b""
                if augmentation == _WITH_LANDINGS and landing[0] == table_index:
                    behind = [each for each in starts if each > landing[1]]
                    part = landings[landing[1] : behind[0] if behind else len(landings)]
                found[function[1]] = _Description(numbers, initial, rules, part)
        at = end
    return found


def _read_common(body: bytes) -> tuple[bytes, bytes, bytes]:
    """Of a CIE: units and the return address's register, a byte each; its rules; what FDEs have, b"" if unexpected."""
    augmentation, _, rest = body[1:].partition(b"\0")
    encodings = rest[4 : 4 + rest[3]]
    expected = {_WITH_LANDINGS: bytes((_RELATIVE, _RELATIVE)), b"zR": bytes((_RELATIVE,))}.get(augmentation)
    if expected is None or not encodings.endswith(expected) or any(each & 0x80 for each in rest[:4]):
        return b"", b"", b""
    return rest[:3], rest[4 + rest[3] :], augmentation


def _blob(code: bytes, described: _Description | None) -> Blob:
    if described is None:
        return Blob(code, len(code), 0)
    landings = _padded(code, 4)
    cie = _padded(landings + described.landings, 8)
    body = bytes(4) + b"\1zPLR\0" + described.numbers + b"\x0b\0" + bytes(8) + bytes((_RELATIVE, _RELATIVE))
    image = cie + _record(body + described.initial)
    assert body.index(bytes((_RELATIVE, _RELATIVE))) + 4 - 8 == PERSONALITY_AT
    start = len(image) + 4
    body = (
        (start - len(cie)).to_bytes(4, "little")
        + (-(start + 4)).to_bytes(4, "little", signed=True)
        + len(code).to_bytes(4, "little")
        + b"\4"
        + (len(landings) - (start + 13) if described.landings else 0).to_bytes(4, "little", signed=True)
        + described.rules
    )
    return Blob(image + _record(body) + bytes(4), len(code), len(cie))


def _padded(content: bytes, unit: int) -> bytes:
    return content + bytes(-len(content) % unit)


def _record(body: bytes) -> bytes:
    """With its length in front; filled up with rules that say nothing."""
    body += _NOP * (-(len(body) + 4) % 8)
    return len(body).to_bytes(4, "little") + body
