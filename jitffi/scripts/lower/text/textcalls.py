"""Methods of str and bytes: one call a row of methods.py, by the rules there; and what is done without a call.

A receiver whose type is only known at run time comes here, too: dynamic.py narrows it and calls `call`.
"""

from __future__ import annotations

import sys

from jitffi.scripts.library.methods import METHODS
from jitffi.scripts.lower.function import conversion, operations
from jitffi.scripts.lower.function.emit import FALSE, NULL, READ_ATTRIBUTES, SLOT_ATTRIBUTES, TRUE, P, V, const
from jitffi.scripts.lower.function.registry import of_kind
from jitffi.scripts.lower.function.values import Value, bool_, int_
from jitffi.scripts.lower.text import chars, textcompare, texts
from jitffi.scripts.lower.text.texts import NO_INDEX, as_text, is_text, is_text_sorted, text_sorted
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import BYTES, STR, list_of, tuple_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.library.methods import Method, Param
    from jitffi.scripts.lower.function.body import Body

_OR_NONE: Final = "" if sys.version_info >= (3, 15) else "None or "
_NO_BOUND: Final = f"slice indices must be integers or {_OR_NONE}have an __index__ method"
_NO_INDEX: Final = "'{}' object cannot be interpreted as an integer"


@of_kind("method", "str", "bytes")
def method(b: Body, node: tree.Method, receiver: Value) -> Value | None:
    """A tree.Method whose receiver is a str or bytes. None: Python has an error for it, which dynamic.py raises."""
    row = METHODS["bytes" if receiver.kind == "bytes" else "str"].get(node.name)
    if row is None:
        return None
    given = arguments(row, node)
    if given is None:
        return None
    quick = _unevaluated(b, node, row, given, receiver)
    if quick is not None:
        return quick
    args = [None if each is None else b.storage.lasting(b.expr(each)) for each in given]
    return call(b, row, receiver, args, node)


def arguments(row: Method, node: tree.Method) -> list[tree.Expr | None] | None:
    """One a parameter, None for its default; None alone where they do not fit."""
    given: list[tree.Expr | None] = list(node.args)
    if len(given) > len(row.params) or (node.keywords and not row.keywords):
        return None
    given += [None] * (len(row.params) - len(given))
    names = [param.name for param in row.params]
    for name, value in node.keywords.items():
        if name not in names or given[names.index(name)] is not None:
            return None
        given[names.index(name)] = value
    return given if all(value or param.default for value, param in zip(given, row.params, strict=True)) else None


def call(b: Body, row: Method, receiver: Value, args: list[Value | None], node: tree.Expr | None = None) -> Value:
    """The result for a STR, CHAR or BYTES and one argument a parameter, None for its default. *node*: the call."""
    if receiver.kind == "char" and not args:
        quick = chars.method(b, row.name, receiver)
        if quick is not None:
            return quick
    quick = _quick(b, row, receiver, args)
    if quick is not None:
        return quick
    receiver = as_text(b, receiver)
    passed: dict[int, V] = {}
    for i in _looked_at(row):
        param, value = row.params[i], args[i]
        passed[i] = _default(b, param, row) if value is None else _argument(b, row, i, param, value)
    return _result(b, row, receiver, [b.storage.text(receiver), *[passed[i] for i in sorted(passed)]], node)


def _looked_at(row: Method) -> list[int]:
    """The parameters in the order in which CPython finds fault with their arguments."""
    places = list(range(len(row.params)))
    of_bounds = row.name in _OF_BYTE and (row.receiver == "bytes" or sys.version_info < (3, 13))
    if row.name in ("split", "rsplit") or of_bounds:
        places.sort(key=lambda i: not row.params[i].type.startswith("int"))
    return places


# -- arguments ---------------------------------------------------------------------------------------------------------


def _default(b: Body, param: Param, row: Method) -> V:
    if param.type in ("str", "bytes"):
        return b.storage.text(b.storage.literal(param.default if param.type == "str" else param.default.encode()))
    if param.type.endswith("|None") and param.default == "None":
        return const("i64", NO_INDEX) if param.type.startswith("int") else NULL
    return const("i32" if param.type == "bool" else "i64", int(param.default))


def _argument(b: Body, row: Method, i: int, param: Param, value: Value) -> V:
    kind, _, none = param.type.partition("|")
    if param.name == "fillchar":
        none = ""  # what is not given is a blank, but None is no character
    if kind == "any":
        return b.storage.view(value)
    if kind == "bool":
        # Any truth is good enough since CPython 3.12.
        flag = texts.number(b, value) if sys.version_info < (3, 12) else bool_(operations.is_true(b, value))
        if flag is None:
            return _mistyped(b, const("i32", 0), _NO_INDEX, value)
        return b.e.zext(flag.ssa if flag.kind == "bool" else b.e.icmp("ne", flag.ssa, const("i64", 0)), "i32")
    if none and value.kind == "none":
        return _default(b, param, row)
    if none and value.kind == "any":
        return texts.bound_of_any(b, value) if kind == "int" else _or_none(b, row, i, param, value)
    if kind == "int":
        number = texts.number(b, value)
        if number is None:
            return _mistyped(b, const("i64", 0), _NO_BOUND if none else _NO_INDEX, value)
        return texts.explicit(b, number) if none else number.ssa
    return _text_argument(b, row, i, kind, value)


def _text_argument(b: Body, row: Method, i: int, kind: str, value: Value) -> V:
    if value.kind == "any":
        return _text_of_any(b, row, i, kind, value)
    if kind == "bytes" and value.kind in ("int", "bool") and row.name in _OF_BYTE:
        byte = texts.number(b, value)
        assert byte is not None
        return b.storage.text(texts.one_byte(b, byte.ssa))
    if is_text(value) if kind == "str" else value.kind == "bytes":
        return b.storage.text(value)
    return _mistyped(b, b.storage.text(b.storage.literal("")), _words(row, i, kind), value)


#: Methods of bytes that take a byte's number, too.
_OF_BYTE: Final = ("find", "rfind", "index", "rindex", "count")


def expected(row: Method, i: int, kind: str, got: str) -> str:
    """CPython's words for an argument that is no text."""
    return _words(row, i, kind).replace("{}", got).replace("{!}", "None" if got == "NoneType" else got)


def _words(row: Method, i: int, kind: str) -> str:
    """The same, with {} for the name of its type, {!} for that or None."""
    name, param = row.name, row.params[i]
    if param.name == "fillchar":
        fill = f"{name}() argument 2 must be a byte string of length 1, not {{!}}"
        return fill if kind == "bytes" else "The fill character must be a unicode character, not {}"
    if param.name in ("encoding", "errors"):
        return f"{name}() argument '{param.name}' must be str, not {{!}}"
    if kind == "bytes":
        number = "argument should be integer or bytes-like object" if name in _OF_BYTE else ""
        return f"{number or 'a bytes-like object is required'}, not '{{}}'"
    if name in ("strip", "lstrip", "rstrip"):
        return f"{name} arg must be None or str"
    if name in ("split", "rsplit"):
        return "must be str or None, not {}"
    if name in ("partition", "rpartition") or name in _OF_BYTE and sys.version_info < (3, 13):
        return "must be str, not {}"
    place = f" {i + 1}" if len(row.params) > 1 else ""
    return f"{name}() argument{place} must be str, not {{!}}"


def _mistyped(b: Body, instead: V, words: str, value: Value) -> V:
    """TypeError, always, in these words with the name of the value's type. *instead* stands for the argument in the
    code behind it, which nobody reaches."""
    b.frame.call("jf_script_misfit", b.module.c_string(words), b.storage.view(value))
    b.e.dead()
    return instead


def _text_of_any(b: Body, row: Method, i: int, kind: str, value: Value) -> P:
    e, out = b.e, b.frame.scratch(3 * b.abi.pointer_bytes)
    good, bad, no_text = e.label("text"), e.label("no.text"), e.label("mistyped")
    if kind == "str":
        status = b.frame.call("jf_text_of", b.storage.view(value), out, b.frame.temp_slot(0))
    elif row.name in _OF_BYTE:
        status = b.frame.call("jf_op_byte_text", b.storage.view(value), b.frame.scratch(1), out)
    else:
        status = b.frame.call("jf_bytes_of", b.storage.view(value), out)
    e.branch(e.icmp("eq", status, const("i32", 0)), good, bad, likely=True)
    e.at(bad)
    e.branch(e.icmp("slt", status, const("i32", 0)), b.frame.failing(), no_text)
    e.at(no_text)
    words = b.module.c_string(_words(row, i, kind))
    b.frame.call("jf_script_misfit", words, b.storage.view(value))
    e.at(good)
    return P(out.text, READ_ATTRIBUTES)


def _or_none(b: Body, row: Method, i: int, param: Param, value: Value) -> V:
    """An ANY that may be None instead of text."""
    e, kind = b.e, param.type.partition("|")[0]
    absent = _default(b, param, row)
    some, done = e.label("given"), e.label("argument")
    place = e.alloca(absent.type, param.name)
    e.store(absent, place)
    e.branch(e.icmp("eq", e.load("i32", value.ssa, 0, "code"), const("i32", -1), "is.none"), done, some)
    e.at(some)
    e.store(_text_of_any(b, row, i, kind, value), place)
    e.br(done)
    e.at(done)
    return e.load(absent.type, place, 0, param.name)


# -- results -----------------------------------------------------------------------------------------------------------


def _result(b: Body, row: Method, receiver: Value, passed: list[V], node: tree.Expr | None) -> Value:
    e, result, symbol = b.e, row.result, row.symbol
    if result in ("new str", "new bytes"):
        slot = texts.new_slot(b, node)
        b.frame.call(symbol, *passed, slot)
        return b.storage.result_text(STR if result == "new str" else BYTES, slot)
    if result == "view":
        out = P(b.frame.scratch(3 * b.abi.pointer_bytes).text, SLOT_ATTRIBUTES)
        b.frame.call(symbol, *passed, out)
        return b.storage.read_text(receiver.type, out, receiver.keep)
    if result == "int":
        return int_(b.frame.call(symbol, *passed))
    if result == "int!":
        out = P(b.frame.scratch(8).text, SLOT_ATTRIBUTES)
        b.frame.call(symbol, *passed, out)
        return int_(e.load("i64", out, 0, row.name))
    if result in ("bool", "bool!"):
        return conversion.status(b, b.frame.call(symbol, *passed))
    item, cell = STR if row.receiver == "str" else BYTES, b.frame.temp_cell()
    if result.startswith("list"):
        b.frame.call(symbol, *passed, const("i32", b.module.pads.pool), cell)
        return b.storage.from_cell(list_of(item), cell)
    assert result.startswith("tuple"), row.result
    b.frame.call(symbol, *passed, cell)
    return b.storage.from_cell(tuple_of(item, item, item), cell)


# -- without a call ----------------------------------------------------------------------------------------------------


def _unevaluated(
    b: Body, node: tree.Method, row: Method, given: list[tree.Expr | None], receiver: Value
) -> Value | None:
    """Arguments that are displays, which nobody need make: `sep.join([a, b])`, `startswith(("a", "b"))`."""
    first = given[0] if given else None
    if row.name == "join" and receiver.const == "" and first is not None and is_text_sorted(first):
        assert isinstance(first, tree.Builtin)
        return text_sorted(b, first.args[0])
    if row.name == "join" and isinstance(first, tree.ListOf | tree.TupleOf):
        return _join_display(b, node, row, first.items, receiver)
    if row.name in ("startswith", "endswith") and isinstance(first, tree.TupleOf) and not any(given[1:]):
        kind = bytes if row.receiver == "bytes" else str
        constants = [each.value for each in first.items if isinstance(each, tree.Const)]
        if len(constants) != len(first.items) or not all(isinstance(each, kind) for each in constants):
            return None
        found, value = FALSE, as_text(b, receiver)
        for constant in constants:
            hit = affix(b, value, constant, row.name == "endswith")
            found = hit if found is FALSE else b.e.or_(found, hit)
        return bool_(found)
    return None


def _join_display(b: Body, node: tree.Method, row: Method, items: list[tree.Expr], receiver: Value) -> Value | None:
    texts_ = ("str", "char") if row.receiver == "str" else ("bytes",)
    if not items or not all(each.type.kind in texts_ and not isinstance(each, tree.Spread) for each in items):
        return None
    pieces: list[Value] = []
    for each in items:
        if pieces and receiver.const not in ("", b""):
            pieces.append(receiver)
        pieces.append(b.storage.lasting(b.expr(each)))
    return texts.build(b, pieces, node) if len(pieces) > 1 else pieces[0]


def _quick(b: Body, row: Method, receiver: Value, args: list[Value | None]) -> Value | None:
    first = args[0] if args else None
    if row.name in ("startswith", "endswith") and first is not None and not any(args[1:]):
        wanted = bytes if row.receiver == "bytes" else str
        if isinstance(first.const, wanted) and isinstance(first.const, (str, bytes)):
            return bool_(affix(b, as_text(b, receiver), first.const, row.name == "endswith"))
    return None


def affix(b: Body, value: Value, constant: str | bytes, at_end: bool) -> V:
    """`value.startswith(constant)` or endswith, an i1."""
    e, n = b.e, const("i64", len(constant))
    if not constant:
        return TRUE
    enough = e.icmp("uge", value.size, n, "is.enough")

    def same() -> V:
        data = texts.at(b, value, e.sub(value.size, n)) if at_end else value.data
        return textcompare.matches(b, data, value.wide, constant)

    return textcompare.and_then(b, enough, same)
