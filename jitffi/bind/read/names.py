"""Names of C as Python can have them: each once, none that the module or the language uses itself.

C's names may hold `$`, letters that Python takes for others (it compares NFKC, as PEP 3131 says) and signs that it has
in no name; pycparser reads ASCII alone, so for it other letters are spelled by their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from unicodedata import normalize

from jitffi.bind.source.tokens import is_name
from jitffi.signature.parameters import KEYWORDS

#: Names that the module itself uses.
_TAKEN = KEYWORDS | {
    "annotations", "jitffi", "os", "Address", "Annotated", "Any", "Callable", "Final", "IntEnum", "Memory", "NDArray",
    "TYPE_CHECKING", "int", "float", "str", "bool", "list", "bytes", "object", "tuple", "declare", "_lib",
}  # fmt: skip
_SPELLED = re.compile(r"_u([0-9a-f]{2,6})u_")


class _Names:
    """The names that are given away, and how often each was asked for again."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        self.numbers: dict[str, int] = {}

    def free(self, name: str) -> str:
        """Return the name, or it with an underscore, or with a number behind that."""
        if self.has(name):
            name += "_"
            made = name
            while self.has(made):
                self.numbers[name] = number = self.numbers.get(name, 1) + 1
                made = f"{name}{number}"
            name = made
        self.taken.add(name)
        return name

    def has(self, name: str) -> bool:
        return name in self.taken or (name.startswith("__") and name.endswith("__"))


def module_names(
    names: Iterable[str], wanted: Mapping[str, str] | None = None, likes: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the module's name for each C name: its own wherever it can be, or what is *wanted* for it. *likes* has
    what those of which C's name is none would be called, if nothing else is.

    >>> module_names(["crc32", "lambda", "str", "a$b", "a_b", "__all__"])
    {'crc32': 'crc32', 'a_b': 'a_b', 'lambda': 'lambda_', 'str': 'str_', 'a$b': 'a_b_', '__all__': '__all___2'}
    """
    ordered = list(dict.fromkeys(names))
    given = _Names(_TAKEN)
    found = {name: given.free(possible(as_)) for name, as_ in (wanted or {}).items() if name in ordered}
    left = [name for name in ordered if name not in found]
    found |= {name: given.free(name) for name in left if possible(name) == name and not given.has(name)}
    likes = likes or {}
    return found | {name: given.free(possible(likes.get(name, name))) for name in ordered if name not in found}


def parameter_names(names: Iterable[str | None]) -> list[str]:
    """Return names of parameters as Python can have them, each once; one for those without, too.

    >>> parameter_names(["__x", "lambda", None, "x", "_x"])
    ['x', 'lambda_', 'arg3', 'x_', 'x_2']
    """
    given = _Names(KEYWORDS)
    return [given.free(possible((name or "").lstrip("_")) or f"arg{i}") for i, name in enumerate(names, 1)]


def possible(name: str) -> str:
    """Return the nearest identifier; "" for no name."""
    if name.isascii() and name.isidentifier():
        return name
    name = "".join([char if f"a{char}".isidentifier() else "_" for char in normalize("NFKC", name)])
    return f"_{name}" if name and not name.isidentifier() else name


def spelled(words: list[str]) -> list[str]:
    """Return tokens with the names in them that are not ASCII spelled in it.

    >>> spelled(["int", "caf\u00e9"])
    ['int', 'caf_ue9u_']
    """
    if all(map(str.isascii, words)):
        return words
    return [
        "".join([c if c.isascii() else f"_u{ord(c):x}u_" for c in word]) if is_name(word) else word for word in words
    ]


def restored(text: str) -> str:
    """Return a text in which `spelled` names stand as they were.

    >>> restored("int caf_ue9u_(void)")
    'int caf\u00e9(void)'
    """
    return _SPELLED.sub(_letter, text) if "u_" in text else text


def _letter(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return chr(code) if 0x7F < code < 0x110000 else found.group()
