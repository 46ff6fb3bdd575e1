"""C source made ready for the parser, and the parser's complaints made into ours.

Comments, directives and compilers' extensions are blanked in place, so that every line and column stays true, and a
line of typedefs for the standard names that occur is put before the text. What declarations mean is ``cdecl``'s part.
"""

from __future__ import annotations

import bisect
import functools
import re
from typing import TYPE_CHECKING, Any, NoReturn

from jitffi.base.errors import SignatureError, nearest
from jitffi.signature.datamodel import HOST
from jitffi.signature.plain import plain_types
from jitffi.types.table import row

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from jitffi.signature.model import Type

CHAR, LONG, ULONG = HOST.char, HOST.long, HOST.ulong
#: On this machine. Every machine has the same names, and its own types.
KEYWORD_TYPES, TYPEDEFS = HOST.keywords, HOST.typedefs

# Standard names of what has no type here by value; pointers to them are pointers like any other.
_NO_VALUE = {
    **dict.fromkeys(("FILE", "DIR", "fpos_t", "div_t", "ldiv_t", "mbstate_t", "jmp_buf"), "{} by value"),
    **dict.fromkeys(("va_list", "__builtin_va_list", "__gnuc_va_list"), "{}, which only C compilers know how to pass"),
    **dict.fromkeys(("_Float128", "__float128", "_Float64x"), "there is no type for {}"),
}


def aliases() -> dict[str, str]:
    """What C calls types, by their rows; the machine's data model has other names."""
    return _aliases(tuple(plain_types()))


def no_value() -> dict[str, str]:
    """Why what has such a name has no type here by value, with a place for the name."""
    return _no_value(tuple(plain_types()))


@functools.cache
def _aliases(known: tuple[Type, ...]) -> dict[str, str]:
    return {name: type_.name for type_ in known for name in row(type_).c_names}


@functools.cache
def _no_value(known: tuple[Type, ...]) -> dict[str, str]:
    others = {type_.name: row(type_).c_others for type_ in known}
    types = " and ".join([name for name, names in others.items() if names])
    reason = f"{{}}, which is passed in another register than {types}"
    return {**_NO_VALUE, **{name: reason for names in others.values() for name in names}}


C_WORDS = frozenset((
    "auto", "char", "const", "double", "enum", "extern", "float", "inline", "int", "long", "register", "restrict",
    "short", "signed", "sizeof", "static", "struct", "typedef", "union", "unsigned", "void", "volatile", "_Alignas",
    "_Atomic", "_Bool", "_Complex", "_Noreturn", "_Thread_local", "__int128",
))  # fmt: skip
_SPECIFIERS = frozenset((
    "const", "volatile", "restrict", "extern", "static", "inline", "register", "typedef", "_Noreturn",
))  # fmt: skip

_MAX_NESTING = 100  # C itself promises 63 levels of parentheses
_POINTERS = re.compile(rf"(?:\*(?:\s|const|restrict|volatile)*){{{_MAX_NESTING}}}")

_ARRAYS = re.compile(rf"(?:\[[^\[\]]*\]\s*){{{_MAX_NESTING}}}")

_TEXT = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
_COMMENT = re.compile(rf"(?P<comment>//[^\n]*|/\*.*?\*/)|{_TEXT}", re.S)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w*)(?:[^\n\\]|\\\n|\\.)*", re.M)
_TOKEN = re.compile(rf"{_TEXT}|[A-Za-z_$][\w$]*|\.\.\.|\S")
_EXTENSION = re.compile(
    r"\b(?:(?P<attribute>__attribute(?:__)?|__declspec)\b\s*\(|(?P<label>__asm(?:__)?|asm)\b\s*\(|(?P<const>__const(?:__)?)\b|(?P<signed>__signed(?:__)?)\b"
    r"|(?P<blank>__extension__|__inline(?:__)?|__restrict(?:__)?|__volatile(?:__)?|__thread)\b)"
)
# Attributes that change where arguments go or what a type is; all others may be left out.
_CHANGES_CALL = re.compile(
    r"\b_*(ms_abi|sysv_abi|vector_size|ext_vector_type|mode|regparm|vectorcall|pcs|aarch64_vector_pcs|preserve_\w+"
    r"|fastcall|stdcall|thiscall|transparent_union)_*\b"
)


class Source:
    """One text of C declarations; ``code`` is the text with everything blanked that the parser would not take."""

    def __init__(self, text: str, hints: bool = True) -> None:
        """*hints*: whether an error shall name what was perhaps meant, which takes as long as there are names."""
        if not isinstance(text, str):
            raise TypeError(f"expected str for C declarations, got {type(text).__name__}")
        self.text = text
        self.hints = hints
        if not text.strip():
            raise SignatureError("the text is empty", hint="a C prototype looks like double hypot(double x, double y);")
        code = _COMMENT.sub(lambda m: _blank(m.group()) if m["comment"] else m.group(), text)
        for directive in _DIRECTIVE.finditer(code):
            if directive[1] in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
                start = directive.start() + directive.group().index("#")
                hint = "run the C preprocessor first, e.g. cc -E -P"
                raise SignatureError(f"#{directive[1]} is not evaluated", text, start, len(directive[1]) + 1, hint)
        code = _DIRECTIVE.sub(lambda m: _blank(m.group()), code).replace("\\\n", " \n")
        spoilers: list[tuple[int, str]] = []
        self.code = _without_extensions(code, spoilers)
        self._ends = list(_ends_of_declarations(self.code)) if spoilers else []
        self._spoiled = {bisect.bisect(self._ends, at): reason for at, reason in spoilers}
        self._known: Collection[str] = ()
        self._standard = {*TYPEDEFS, *aliases(), *no_value()}
        self._lines = [0, *[m.end() for m in re.finditer("\n", text)]]
        if self.code.rstrip()[-1:] not in (";", "}", ""):
            self.code += ";"

    def parse(self, typedefs: Collection[str] = ()) -> list[Any]:
        """Return the declarations as the C parser's nodes. SignatureError where it is no C.

        *typedefs* are names of types that are declared elsewhere.
        """
        from pycparser.c_parser import CParser, ParseError

        self._check_brackets()
        if _POINTERS.search(self.code) or _ARRAYS.search(self.code):
            raise SignatureError("declarations nested too deep", self.text)
        words = set(re.findall(r"[A-Za-z_$][\w$]*", self.code))
        self._known = typedefs
        names = sorted(word for word in words if word in self._standard or word in typedefs)
        prelude = "".join([f"typedef int {name};" for name in names])
        try:
            nodes = CParser().parse(f"{prelude}\n{self.code}", "").ext
        except ParseError as error:
            message = str(error)
        except RecursionError:
            raise SignatureError("declarations nested too deep", self.text) from None
        except (AssertionError, AttributeError, IndexError, KeyError, TypeError):
            # What the parser itself trips over, `int _Atomic(int)` for one, is no C that a signature could come from.
            raise SignatureError("this is not understood as C", self.text) from None
        else:
            return list(nodes[len(names) :])
        self._fail(message)

    def offset(self, line: int, column: int) -> int:
        """Return the offset in the text of one of the parser's positions, whose first line is the prelude."""
        start = self._lines[line - 2] if line - 2 < len(self._lines) else len(self.text)
        return min(start + column - 1, len(self.text))

    def token_at(self, offset: int) -> str:
        found = _TOKEN.match(self.code, offset)
        return found.group() if found and offset < len(self.text) else ""

    def spoiler(self, offset: int) -> str:
        """Return the reason to refuse the declaration at *offset* for what was blanked in it; "" if there is none."""
        return self._spoiled.get(bisect.bisect(self._ends, offset), "")

    def _check_brackets(self) -> None:
        """Refuse what some versions of the parser answer with an assertion or the end of Python's stack."""
        opened = []
        for found in _TOKEN.finditer(self.code):
            token = found.group()
            if token in ("(", "[", "{"):
                opened.append(token)
                if len(opened) > _MAX_NESTING:
                    raise SignatureError("brackets nested too deep", self.text, found.start())
            elif token in (")", "]", "}") and (not opened or opened.pop() + token not in ("()", "[]", "{}")):
                raise SignatureError(f"unexpected {token!r}", self.text, found.start())

    def _fail(self, message: str) -> NoReturn:
        """Raise the parser's complaint as ours."""
        self._explain()
        located = re.match(r"[^:]*:(\d+):(\d+): *(.*)", message, re.S)
        if not located:
            reason = message.rsplit(":", 1)[-1].strip()
            if reason == "At end of input":
                raise SignatureError("the declaration ends too early", self.text, len(self.text.rstrip())) from None
            raise SignatureError(f"not C: {reason}", self.text) from None
        offset = self.offset(int(located[1]), int(located[2]))
        token = self.token_at(offset)
        reason = located[3]
        if reason.startswith("before:"):
            reason = f"unexpected {token!r}" if token else "the declaration ends too early"
        else:
            reason = f"not C: {reason}"
        raise SignatureError(reason, self.text, offset, len(token)) from None

    def _explain(self) -> None:
        """Raise for the first name that stands where only a type can and is none, or that lacks a type before it.

        The parser itself stumbles over some later token, and its versions not over the same one.
        """
        own = {*C_WORDS, *self._standard, *_typedef_names(self.code)}
        tokens = [(m.group(), m.start()) for m in _TOKEN.finditer(self.code)]
        words = [";", *[token for token, _ in tokens], ";"]
        brackets: list[bool] = []  # the open ones: whether each is of a parameter list
        for i, (token, start) in enumerate(tokens):
            last, after = words[i], words[i + 2]
            if token in ("(", "[", "{"):
                is_list = _is_name(last) and last not in own and last not in self._known
                brackets.append(token == "(" and (last == ")" or is_list))
            elif token in (")", "]", "}") and brackets:
                brackets.pop()
            if not _is_name(token) or token in own or token in self._known:
                continue
            before_name = after == "*" or _is_name(after)
            first = last in (";", "}", "{") or last in _SPECIFIERS
            in_list = brackets[-1:] == [True] and last in ("(", ",", "const", "volatile")
            if (first and before_name) or (in_list and (before_name or after in (",", ")", "["))):
                self.unknown_type(token, start)
            if first and after == "(" and not brackets:
                message = f"{token}: the type of its result is missing"
                raise SignatureError(message, self.text, start, len(token)) from None

    def unknown_type(self, name: str, offset: int) -> NoReturn:
        known = [*C_WORDS, *self._standard, *self._known, *_typedef_names(self.code)] if self.hints else []
        hint = f"{nearest(name, known)} what is not standard needs a typedef".lstrip()
        raise SignatureError(f"unknown type {name!r}", self.text, offset, len(name), hint) from None


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _without_extensions(code: str, spoilers: list[tuple[int, str]]) -> str:
    """Return *code* with compilers' extensions blanked; add those that matter to *spoilers*, with the reason."""
    parts = []
    at = 0
    for found in _EXTENSION.finditer(code):
        if found.start() < at:
            continue  # inside the attribute before
        end = found.end()
        if found["attribute"]:
            end = _end_of_parentheses(code, end)
            changes = _CHANGES_CALL.search(code, found.start(), end)
            if changes:
                spoilers.append((found.start(), f"the attribute {changes[1]!r} changes what it is in C"))
        elif found["label"]:
            end = _end_of_parentheses(code, end)
            spoilers.append((found.start(), "its symbol has another name, given by asm"))
        word = "const" if found["const"] else "signed" if found["signed"] else ""
        parts += [code[at : found.start()], word, _blank(code[found.start() + len(word) : end])]
        at = end
    return "".join(parts) + code[at:]


def _end_of_parentheses(code: str, start: int) -> int:
    """Return where the parenthesis closes that opened just before *start*; 0 if it never does."""
    depth = 1
    for token in _TOKEN.finditer(code, start):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth == 0:
            return token.end()
    return 0


def _is_name(token: str) -> bool:
    return token[:1].isalpha() or token[:1] in ("_", "$")


def _ends_of_declarations(code: str) -> Iterator[int]:
    """Yield the offset at which each declaration ends: its semicolon, or the brace that closes a function."""
    depth = 0
    last = ""
    is_body = False
    for found in _TOKEN.finditer(code):
        token = found.group()
        if token == "{" and depth == 0:
            is_body = last == ")"
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token, 0)
        if depth <= 0 and (token == ";" or (token == "}" and is_body)):
            yield found.start()
        last = token


def _typedef_names(code: str) -> Iterator[str]:
    """Yield the names that the text itself defines, as far as can be seen without parsing it."""
    words = _TOKEN.findall(code)
    depth = -1  # of brackets inside a typedef; negative outside of one
    for i, token in enumerate(words[:-1]):
        if token == "typedef":
            depth = 0
        elif depth >= 0:
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token, 0)
            after = words[i + 1]
            is_pointer = after == ")" and words[i - 1] == "*"
            if _is_name(token) and (is_pointer or (depth == 0 and after in (";", ",", "[", "("))):
                yield token
            if token == ";" and depth == 0:
                depth = -1
