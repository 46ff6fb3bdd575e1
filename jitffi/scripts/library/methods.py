"""The methods that scripts have: one row each, with its parameters, its result, and the C function behind it.

A row is all that the reader (how many arguments), inference (the result) and the generator (the call) need to know. The
C function's prototype follows from it:

    receiver, str, bytes    const jf_text*         str|None      const jf_text*, NULL for None
    list, set, dict, tuple  jf_object*, borrowed   item, key, value, any   const jf_view*
    int                     int64_t                int|None      int64_t, JF_NO_INDEX for None
    bool                    int32_t

    result              C
    new str, new bytes  int32_t f(..., jf_value* out)       owned, in a null out-slot with its capacity; 0 or -1
    view                void f(..., jf_text* out)           a part of the receiver's memory, or of an argument's
    int, bool           int64_t, int32_t f(...)             cannot fail
    int!                int32_t f(..., int64_t* out)        0 or -1
    bool!               int32_t f(...)                      1, 0 or -1
    list[str], ...      int32_t f(..., int32_t pad, jf_object** out)    a new list
    tuple[str, str, str]  int32_t f(..., jf_object** out)   new
    item, value, any    int32_t f(..., jf_value* out)       owned; 0 or -1
    none, none!         void, int32_t f(...)

"=" says what stands for an argument that is not given: an int, a text, or None. Rows without a symbol are the
generator's own. What a symbol of `jf_list_` or `jf_map_` takes beside this is said in containers.h.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


class Param:
    """One parameter: its name, its type's spelling in the row, and its default's text ("" for none)."""

    __slots__ = ("default", "name", "type")

    def __init__(self, name: str, type_: str, default: str) -> None:
        self.name: Final = name
        self.type: Final = type_
        self.default: Final = default


class Method:
    """One row."""

    __slots__ = ("keywords", "name", "params", "receiver", "result", "symbol")

    def __init__(self, receiver: str, line: str, symbol: str) -> None:
        head, _, rest = line.partition("(")
        inner, _, result = rest.rpartition(") -> ")
        self.receiver: Final = receiver
        self.name: Final = head
        self.result: Final = result
        self.symbol: Final = symbol
        params = []
        #: Python takes them by keyword: those behind "/" only; without a "/" none.
        before, slash, behind = inner.partition("/, ") if "/" in inner else (inner, "", "")
        self.keywords: Final = bool(slash)
        for part in filter(None, (before + behind).split(", ")):
            name, _, type_ = part.partition(": ")
            type_, _, default = type_.partition(" = ")
            params.append(Param(name, type_, default))
        self.params: Final = tuple(params)

    @property
    def required(self) -> int:
        return sum(not p.default for p in self.params)


# Of str and of bytes alike: "text" is the receiver's own type. The symbol is jf_text_ or jf_bytes_ and the name, unless
# another stands behind it.
_TEXT = """
lower() -> new text
upper() -> new text
swapcase() -> new text
title() -> new text
capitalize() -> new text
strip(chars: text|None = None) -> view
lstrip(chars: text|None = None) -> view
rstrip(chars: text|None = None) -> view
removeprefix(prefix: text) -> view
removesuffix(suffix: text) -> view
split(/, sep: text|None = None, maxsplit: int = -1) -> list[text]
rsplit(/, sep: text|None = None, maxsplit: int = -1) -> list[text]
splitlines(/, keepends: bool = 0) -> list[text]
partition(sep: text) -> tuple[text, text, text]
rpartition(sep: text) -> tuple[text, text, text]
join(items: any) -> new text
replace(old: text, new: text, count: int = -1) -> new text
find(sub: text, start: int|None = None, end: int|None = None) -> int
rfind(sub: text, start: int|None = None, end: int|None = None) -> int
index(sub: text, start: int|None = None, end: int|None = None) -> int!
rindex(sub: text, start: int|None = None, end: int|None = None) -> int!
count(sub: text, start: int|None = None, end: int|None = None) -> int
startswith(prefix: any, start: int|None = None, end: int|None = None) -> bool!
endswith(suffix: any, start: int|None = None, end: int|None = None) -> bool!
isalpha() -> bool
isdigit() -> bool
isalnum() -> bool
isspace() -> bool
isupper() -> bool
islower() -> bool
istitle() -> bool
isascii() -> bool
zfill(width: int) -> new text
ljust(width: int, fillchar: text|None = None) -> new text
rjust(width: int, fillchar: text|None = None) -> new text
center(width: int, fillchar: text|None = None) -> new text
expandtabs(/, tabsize: int = 8) -> new text
"""
_STR = """
casefold() -> new str
isdecimal() -> bool
isnumeric() -> bool
isidentifier() -> bool
isprintable() -> bool
encode(/, encoding: str = utf-8, errors: str = strict) -> new bytes
"""
_BYTES = """
hex() -> new str
decode(/, encoding: str = utf-8, errors: str = strict) -> new str
"""
_LIST = """
append(value: item) -> none!; jf_list_append
extend(items: any) -> none!; jf_op_extend
insert(index: int, value: item) -> none!; jf_list_insert
pop(index: int = -1) -> item; jf_op_list_pop
remove(value: item) -> none!; jf_op_list_remove
clear() -> none; jf_list_clear
index(value: any, start: int|None = None, end: int|None = None) -> int!; jf_op_list_index
count(value: any) -> int!; jf_op_list_count
reverse() -> none; jf_list_reverse
sort() -> none!;
copy() -> list[item]; jf_op_list_copy
"""
_TUPLE = """
index(value: any, start: int|None = None, end: int|None = None) -> int!; jf_op_list_index
count(value: any) -> int!; jf_op_list_count
"""
_INT = """
bit_length() -> int;
bit_count() -> int;
to_bytes(/, length: int = 1, byteorder: str = big, signed: bool = 0) -> new bytes; jf_int_to_bytes
"""
# Ints have it from 3.12 on.
_IS_INTEGER = "is_integer() -> bool;\n"
# keys, values and items are lists of the map's at that time; what is iterated over is the map itself.
_DICT = """
get(key: any, default: any = None) -> any; jf_op_map_get
setdefault(key: key, default: value = None) -> any; jf_op_map_setdefault
pop(key: any, default: any = None) -> any;
popitem() -> tuple[key, value]; jf_op_map_popitem
keys() -> list[key]; jf_op_map_keys
values() -> list[value]; jf_op_map_values
items() -> list[tuple[key, value]]; jf_op_map_items
update(other: any) -> none!; jf_op_map_update
clear() -> none; jf_map_clear
copy() -> dict[key, value]; jf_op_map_copy
"""
#: Methods of sets that take any number of others.
OF_MANY_SETS: Final = frozenset(
    ("union", "intersection", "difference", "update", "intersection_update", "difference_update")
)
# `items` is another set, or what can be iterated over.
_SET = """
add(value: item) -> none!; jf_op_set_add
discard(value: any) -> none!; jf_op_set_discard
remove(value: any) -> none!; jf_op_set_remove
pop() -> item; jf_op_set_pop
clear() -> none; jf_map_clear
copy() -> set[item];
update(items: any) -> none!;
intersection_update(items: any) -> none!;
difference_update(items: any) -> none!;
symmetric_difference_update(items: any) -> none!;
union(items: any) -> set[item];
intersection(items: any) -> set[item];
difference(items: any) -> set[item];
symmetric_difference(items: any) -> set[item];
issubset(items: any) -> bool!;
issuperset(items: any) -> bool!;
isdisjoint(items: any) -> bool!;
"""


def _rows() -> dict[str, dict[str, Method]]:
    found: dict[str, dict[str, Method]] = {}
    for receiver, prefix in (("str", "jf_text_"), ("bytes", "jf_bytes_")):
        own = _TEXT.replace(": text", f": {receiver}").replace("new text", f"new {receiver}")
        own = own.replace("[text", f"[{receiver}").replace(", text", f", {receiver}")
        lines = (own + (_STR if receiver == "str" else _BYTES)).split("\n")
        made = [Method(receiver, line, prefix + line.partition("(")[0]) for line in lines if line]
        found[receiver] = {each.name: each for each in made}
    of_int = _INT if sys.version_info < (3, 12) else _INT + _IS_INTEGER
    others = {"list": _LIST, "tuple": _TUPLE, "dict": _DICT, "set": _SET, "int": of_int, "float": _IS_INTEGER}
    for receiver, text in others.items():
        rows = [line.partition(";") for line in text.split("\n") if line]
        made = [Method(receiver, line, symbol.strip()) for line, _, symbol in rows]
        found[receiver] = {each.name: each for each in made}
    return found


#: Those of sets that take what is only gone through.
OF_ITEMS: Final = frozenset([line.partition("(")[0] for line in _SET.split("\n") if "(items" in line])


#: Rows by the receiver's kind and the method's name.
METHODS: Final = _rows()
