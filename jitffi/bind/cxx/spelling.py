"""Types of C++, as clang prints them, in C's words; those that C has no words for are `Unwritable`."""

from __future__ import annotations

import re
from collections.abc import Callable

from jitffi.signature.csource import TYPEDEFS, no_value

#: Stands for the name that is declared. Neither C++ nor clang's texts of types have it.
HOLE = "@"
#: Stands before a name that is no type. Neither has this.
OWN_NAME = "#"

#: What has no name: "(unnamed struct at own.hpp:3:5)", which some versions call anonymous.
_UNNAMED = re.compile(
    r"(?:\b(?:struct|union|enum|class)\s+)?(?:[\w$]+::)*\((?:anonymous|unnamed)[^()]*? at .*?:(\d+):(\d+)\)"
)
_NEAREST = re.compile(r"\(\s*\*(?:\*|\s|const\b|volatile\b|restrict\b|__restrict\b)*(?=[)\[])")
_PARAMETERS = re.compile(r"\((?!\s*\*)")
_NAME = re.compile(r"(?:::|#)?[^\W\d][\w$]*(?:::[\w$~]+)*")
_NO_WORDS = re.compile(
    r"\bnoexcept(?:\([^()]*\))?|__attribute__\(\((?:noreturn|nothrow)\)\)|\b_N(?:onnull|ullable|ull_unspecified)\b"
)
_TAG = re.compile(r"\b(?:struct|class|union|enum|typename)\s+(?=[\w:])")
_OWN_WORDS = frozenset((
    "const", "volatile", "restrict", "__restrict", "unsigned", "signed", "char", "short", "int", "long", "float",
    "double", "void", "_Complex", "__int128", "_Float16",
))  # fmt: skip
_WORDS = {
    "bool": "_Bool", "char8_t": "unsigned char", "char16_t": "unsigned short",
    "char32_t": "unsigned int",
}  # fmt: skip


class Unwritable(Exception):
    """A type that C has no words for; the reason."""


def without_unnamed(type_: str) -> str:
    """Return a type with words for what has no name, as unnamed_3_5, which say the line and column."""
    return _UNNAMED.sub(lambda found: f"unnamed_{found[1]}_{found[2]}", type_)


def declared(type_: str) -> str:
    """Return a type with a hole where C puts the name that has it.

    >>> [declared(each) for each in ("int", "char[4]", "int (*)(void)", "int (char[3])")]
    ['int @', 'char @[4]', 'int (*@)(void)', 'int @(char[3])']
    >>> declared("void (*(*)(int))(int)"), declared("int (*[2])(int (*)[3])")
    ('void (*(*@)(int))(int)', 'int (*@[2])(int (*)[3])')
    """
    inside = _NEAREST.search(type_)
    of_function = None if inside else _PARAMETERS.search(type_)
    at = inside.end() if inside else of_function.start() if of_function else type_.find("[")
    return f"{type_} {HOLE}" if at < 0 else f"{type_[:at].rstrip()}{'' if inside else ' '}{HOLE}{type_[at:]}"


def declared_function(type_: str) -> str:
    """Return the type of a function with a hole where C puts its name with the parameters.

    >>> [declared_function(each) for each in ("int (char, ...)", "void (*(int))(int)", "auto (int) -> char *")]
    ['int @', 'void (*@)(int)', 'char * @']
    """
    if type_.startswith("auto ("):
        return declared(type_.partition(" -> ")[2] or type_)
    begin = _PARAMETERS.search(type_)
    if begin is None:
        raise Unwritable(f"{type_} is no type of a function")
    depth, end = 0, begin.start()
    for end in range(begin.start(), len(type_)):
        depth += (type_[end] == "(") - (type_[end] == ")")
        if not depth:
            break
    return f"{type_[: begin.start()]}{HOLE}{type_[end + 1 :]}".rstrip()


def spelled(type_: str, word: Callable[[str], str | None]) -> str:
    """Return a type, which may have a hole, in C's words. *word* says how C writes a type of the header, or None."""
    type_ = _NO_WORDS.sub("", type_)
    shown = " ".join(type_.replace(HOLE, " ").split())
    for sign, reason in (
        ("&", "C has no references"),
        ("<", "it is made from a template"),
        ("::*", "it is of a class"),
    ):
        if sign in type_:
            raise Unwritable(f"{reason} ({shown})")
    if re.search(r"\b__va_list(?:_tag)?\b", type_):
        raise Unwritable("va_list, which only C compilers know how to pass")
    if "__attribute__" in type_ or "(lambda" in type_:
        raise Unwritable(f"there is no type for {shown}")

    def one(found: re.Match[str]) -> str:
        name = found.group()
        if name.startswith(OWN_NAME):
            return name[1:]
        if name in _OWN_WORDS:
            return name
        made = _WORDS.get(name) or word(name)
        if made is None:
            raise Unwritable(f"there is no type for {name}")
        return made

    return " ".join(_NAME.sub(one, _TAG.sub("", type_)).split())


def is_standard(name: str) -> bool:
    """Whether C's readers know a name without its definition."""
    return name in TYPEDEFS or name in no_value()


def is_scalar_constant(type_: str) -> bool:
    """Whether values of a type are numbers or text.

    >>> [is_scalar_constant(each) for each in ("const int", "const char *const", "int", "const std::string")]
    [True, True, False, False]
    """
    words = type_.split()
    if type_ == "const char *const":
        return True
    return words[0] == "const" and all(word in _OWN_WORDS or word in _WORDS for word in words)
