"""What the installed headers declare, as Markdown: each function, macro, type and constant with its own comment.

A comment belongs to the declaration that follows it without an empty line, or to the one that it stands behind; what
follows without a comment of its own belongs to the same group. `/* -- file.c: subject --- */` begins a section; any
other comment with an empty line behind it is prose. Macros that declare functions are expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "runtime_c" / "include" / "jitffi"
#: One thing of a header: a comment, a line for the preprocessor with its continuations, white space, or text.
TOKEN = re.compile(
    r"(?P<comment>/\*.*?\*/)|(?P<directive>^[ \t]*#(?:[^\n\\]|\\\n|\\.)*)|(?P<string>\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<blank>\n[ \t]*(?=\n))|(?P<space>\s)|(?P<text>[^\s/\"#;{}]+|.)",
    re.MULTILINE | re.DOTALL,
)
SECTION = re.compile(r"-- (.*?):? *-{3,}")
#: Words that say how, and not what.
DECORATION = re.compile(r"\b(?:JF_API|extern|JITFFI_PUBLIC)\b\s*|__attribute__\s*\(\(.*?\)\)(?!\))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Declaration:
    """*directive*: of Sphinx's C domain; *text*: what Sphinx reads; *code*: the whole, where it is more."""

    name: str
    directive: str
    text: str
    comment: str
    code: str = ""
    follows: bool = False  # directly below one whose comment is of both


@dataclass(frozen=True, slots=True)
class Prose:
    """A comment that belongs to no declaration; a *heading* begins a section."""

    text: str
    heading: str = ""


def headers() -> list[str]:
    return sorted(path.name for path in INCLUDE.glob("*.h"))


@cache
def read(header: str) -> tuple[Declaration | Prose, ...]:
    text = (INCLUDE / header).read_text(encoding="utf-8")
    found: list[Declaration | Prose] = []
    seen: set[str] = set()
    for each in _Reader(_without_cplusplus(text)).items():
        if isinstance(each, Declaration):
            # The same macro for another compiler, or a struct that is defined further down or in another header.
            if each.name in seen or (each.directive == "c:struct" and not each.code and each.name in _defined()):
                continue
            seen.add(each.name)
            each = replace(each, comment=each.comment or _alike(header, each.name))
        found.append(each)
    return tuple(found)


def _alike(header: str, name: str) -> str:
    """What is said of the methods of scripts, a function each: the header tells of all of them."""
    kind, _, method = name.removeprefix("jf_").partition("_")
    return f"As CPython's `{'str' if kind == 'text' else kind}.{method}`." if header == "script_methods.h" else ""


@cache
def _defined() -> set[str]:
    """Structs whose fields are told somewhere."""
    texts = [(INCLUDE / header).read_text(encoding="utf-8") for header in headers()]
    return {name for text in texts for name in re.findall(r"^struct (\w+) \{", text, re.MULTILINE)}


@cache
def names() -> dict[str, str]:
    """All that is declared, with the role that links to it."""
    return {
        each.name: each.directive.removeprefix("c:").replace("function", "func")
        for header in headers()
        for each in read(header)
        if isinstance(each, Declaration)
    }


def _without_cplusplus(text: str) -> str:
    """Leave out what only C++ reads, and the guard."""
    text = re.sub(
        r"^#ifdef __cplusplus\n(.*?)^#(?:else\n(.*?)^#)?endif$", lambda m: m[2] or "", text, flags=re.M | re.S
    )
    return re.sub(r"^#ifndef (JITFFI_\w+_H)\n#define \1$", "", text, flags=re.MULTILINE)


class _Reader:
    """Goes through a header once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.macros: dict[str, tuple[list[str], str]] = {}
        self.is_group = False  # whether what comes next can belong to the comment above the last one

    def items(self) -> Iterator[Declaration | Prose]:
        comment = ""
        while match := TOKEN.match(self.text, self.at):
            self.at = match.end()
            if match["comment"]:
                said = _clean(match["comment"])
                if heading := SECTION.match(said):
                    yield Prose(said[heading.end() :].strip(), heading[1])
                    comment = ""
                else:
                    if comment:
                        yield Prose(comment)
                    comment = said
            elif match["blank"]:
                if comment:
                    yield Prose(comment)
                comment, self.is_group = "", False
            elif match["directive"]:
                if macro := self._macro(match["directive"], comment):
                    yield macro
                    comment = ""
            elif match["text"] and match["text"] != ";":
                yield from self._declarations(match.start(), comment)
                comment = ""

    def _macro(self, line: str, comment: str) -> Declaration | None:
        """A `#define`; one that another header looks for, or that is empty everywhere, is one, too."""
        match = re.match(r"\s*#\s*define\s+(\w+)(\(([^)]*)\))?\s*(.*)", line, re.DOTALL)
        if match is None:
            return None
        body = re.sub(r"\s*\\\n", "\n", match[4])
        if match[2]:
            self.macros[match[1]] = ([name.strip() for name in match[3].split(",")], body)
        trailing = re.search(r"/\*(.*?)\*/\s*$", body, re.DOTALL)
        said = _join(comment, _clean(trailing[0]) if trailing and not match[2] else "")
        return Declaration(match[1], "c:macro", match[1] + (match[2] or ""), said, _block(line))

    def _declarations(self, start: int, comment: str) -> Iterator[Declaration | Prose]:
        """One declaration, up to its semicolon or the body's end, with the comment behind it on its line."""
        depth, self.at = 0, start
        while match := TOKEN.match(self.text, self.at):
            self.at = match.end()
            word = match["text"]
            depth += (word == "{") - (word == "}")
            if depth == 0 and (word == ";" or (word == "}" and self._is_body(start))):
                break
        code, follows = self.text[start : self.at].rstrip(), self.is_group and not comment
        self.is_group = self.is_group or bool(comment)
        behind = re.match(r"[ \t]*(/\*.*?\*/)", self.text[self.at :], re.DOTALL)
        if behind:
            self.at += behind.end()
            follows = self.is_group = False
            comment = _join(comment, _clean(behind[1]))
        call = re.fullmatch(r"(\w+)\(([^()]*)\);", code)
        if call and call[1] in self.macros:
            params, body = self.macros[call[1]]
            yield Prose(comment)
            yield from _Reader(_expanded(body, params, [each.strip() for each in call[2].split(",")])).items()
        else:
            for number, each in enumerate(_classify(code, comment)):
                yield replace(each, follows=follows or (number > 0 and not each.comment))

    def _is_body(self, start: int) -> bool:
        """Whether what ended with this brace is a function's body: nothing else ends without a semicolon."""
        return bool(re.match(r"static inline\b", self.text[start:]))


def _expanded(body: str, params: list[str], given: list[str]) -> str:
    for param, value in zip(params, given, strict=True):
        body = re.sub(rf"(?:##)?\b{param}\b(?:##)?", value, body)
    return re.sub(r"\)( /\*[^*]*\*/)?\s*$", r");\1\n", body)


def _classify(code: str, comment: str) -> Iterator[Declaration]:
    plain = re.sub(r"/\*.*?\*/", "", re.sub(r"^[ \t]*#.*\n", "", code, flags=re.MULTILINE), flags=re.DOTALL)
    plain = " ".join(DECORATION.sub("", plain).split()).rstrip("; ")
    if match := re.match(r"(?:typedef )?enum\b[^{]*\{", plain):
        yield from _enumerators(code, comment)
    elif (match := re.match(r"typedef (struct|union) \w* ?\{.*\} (\w+)$", plain)) or (
        match := re.match(r"(struct|union) (\w+) \{", plain)
    ):
        yield Declaration(match[2], f"c:{match[1]}", match[2], comment, code)
    elif match := re.match(r"typedef struct (\w+) \1$", plain):
        yield Declaration(match[1], "c:struct", match[1], comment)
    elif plain.startswith("typedef JF_ANY_PAD"):
        yield Declaration(name := plain.split()[-1], "c:type", name, comment, code)
    elif plain.startswith("typedef "):
        text = plain.removeprefix("typedef ")
        name = re.search(r"\(\*(\w+)\)|(\w+)$", text)
        yield Declaration(name[1] or name[2], "c:type", text, comment)  # type: ignore[index]
    elif match := re.match(r"(?:static inline )?[\w* ]*?\b(\w+)\s*\(", plain):
        yield Declaration(match[1], "c:function", plain.partition(" {")[0], comment)
    elif match := re.match(r"(.*?[ *])(\w+(?:\[\w*\])*(?:, \w+)*)$", plain):
        for name in match[2].split(", "):
            yield Declaration(name.partition("[")[0], "c:var", match[1] + name, comment)
    else:
        raise ValueError(f"what is {code!r}?")


def _enumerators(code: str, comment: str) -> Iterator[Declaration]:
    """Each constant, with the comment behind it; a comment on a line of its own is of all that follow."""
    body = code[code.index("{") + 1 : code.rindex("}")]
    first = comment
    pattern = r"^[ \t]*/\*(?P<above>.*?)\*/[ \t]*$|(?P<name>\w+)(?P<value>\s*=[^,/]+)?\s*,?[ \t]*(?P<behind>/\*.*?\*/)?"
    above = ""
    for match in re.finditer(pattern, body, re.MULTILINE | re.DOTALL):
        if match["above"] is not None:
            above = _clean(match["above"])
        else:
            said = _join(_join(first, above), _clean(match["behind"] or ""))
            yield Declaration(match["name"], "c:enumerator", match["name"] + (match["value"] or "").rstrip(), said)
            first = above = ""


def _block(line: str) -> str:
    """A macro's text, without the guard's spaces."""
    return re.sub(r" +(\\)$", r" \1", line, flags=re.MULTILINE).strip()


def _clean(comment: str) -> str:
    """A comment's text without its stars; lines keep what they are indented by."""
    text = comment.strip().removeprefix("/*").removesuffix("*/")
    lines = [re.sub(r"^ *\* ?", "", line) if number else line.strip() for number, line in enumerate(text.split("\n"))]
    return "\n".join(lines).strip()


def _join(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)


# -- Markdown --------------------------------------------------------------------------------------------------------


def markdown(header: str) -> str:
    return "\n\n".join(_write(group) for group in groups(header))


def groups(header: str) -> list[list[Declaration | Prose]]:
    """What stands together in one entry: declarations of one kind that share a comment."""
    found: list[list[Declaration | Prose]] = []
    for each in read(header):
        last = found[-1][-1] if found else None
        both = isinstance(each, Declaration) and isinstance(last, Declaration) and each.follows
        if both and (each.directive, each.code) == (last.directive, ""):
            found[-1].append(each)
        else:
            found.append([each])
    return found


def _write(group: list[Declaration | Prose]) -> str:
    each = group[0]
    if isinstance(each, Prose):
        return _join(f"## {prose(each.heading)}" if each.heading else "", prose(each.text))
    signatures = [one.text for one in group if isinstance(one, Declaration)]
    lines = [f"````{{{each.directive}}} {' ;; '.join(signatures)}", ""]
    if each.code:
        lines += [f"```c\n{each.code}\n```", ""]
    return "\n".join([*lines, prose(each.comment), "````"])


def prose(comment: str) -> str:
    """A comment as Markdown: drawings stay as they are, the names of declarations become links."""
    blocks = re.split(r"\n[ \t]*\n", comment)
    return "\n\n".join(_drawing(block) if _is_drawn(block) else _escaped(block) for block in blocks if block.strip())


def _is_drawn(block: str) -> bool:
    return all(line.startswith(("  ", "\t")) for line in block.split("\n") if line.strip())


def _drawing(block: str) -> str:
    return f"```text\n{block}\n```"


def _escaped(block: str) -> str:
    parts = re.split(r"(`[^`]+`)", " ".join(block.split()))
    return "".join(part if number % 2 else _text(part) for number, part in enumerate(parts))


def _text(part: str) -> str:
    """Plain text: nothing in it is Markdown's, but for the names that have an entry."""
    words = re.split(r"\b((?:jf|JF|JITFFI)_\w+)\b", part)
    return "".join(
        f"{{c:{names()[word]}}}`{word}`" if word in names() else re.sub(r"([\\`*_{}\[\]()#+.!<>|$&~^-])", r"\\\1", word)
        for word in words
    )
