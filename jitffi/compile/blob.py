"""Code that needs no linker: the .text of an ELF object that refers to nothing outside itself.

The generator makes such code by loading every address from the table. Here that is checked, not assumed: an object with
relocations against .text, or with any other section that code could refer to, is refused, and the linker's route taken.
"""

from __future__ import annotations

from jitffi.loading import objects


class NotSelfContained(Exception):
    """The object refers to something outside its .text, or is of a format that is not read here."""


def extract(obj: bytes) -> dict[str, bytes]:
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
        elif section.flags & objects.ALLOC and section.size and section.name != ".eh_frame":
            raise NotSelfContained(f"a section {section.name}")
    functions = {
        symbol.name: code[symbol.value : symbol.value + symbol.size]
        for symbol in elf.symbols()
        if symbol.section == text_index and symbol.type == objects.FUNC
    }
    if not functions:
        raise NotSelfContained("no function")
    return functions
