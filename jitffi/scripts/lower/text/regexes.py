"""Regular expressions: matches, their groups, and texts that are substituted and split.

A match is the address of its groups' places (regex/function.py), which lie in the frame, one memory for each place of
the source that makes one; NULL is None. The text that it is of stands beside it (tree/regexes.py).
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.base.late import late
from jitffi.scripts.lower import dynamic
from jitffi.scripts.lower.containers.items import call_fragment
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.function.emit import FALSE, NULL, V, const
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.values import Value, int_, local, text
from jitffi.scripts.lower.python.boxing import boxed
from jitffi.scripts.lower.text import texts
from jitffi.scripts.tree import regexes
from jitffi.scripts.tree.types import ANY, MATCH, STR
from jitffi.scripts.tree.types import BYTES as BYTES_TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.regex import asked, function, nodes
    from jitffi.scripts.regex.nodes import Alphabet
    from jitffi.scripts.regex.read import Pattern
    from jitffi.scripts.tree import tree
else:  # most scripts have no patterns
    asked, function = late("jitffi.scripts.regex.asked"), late("jitffi.scripts.regex.function")
    nodes = late("jitffi.scripts.regex.nodes")

ZERO = const("i64", 0)


# -- the text -----------------------------------------------------------------------------------------------------


@expression(regexes.Subject)
def subject(b: Body, node: regexes.Subject) -> Value:
    value = b.expr(node.value)
    wanted = asked.text_type(node.pattern)
    if value.kind == "char":
        value = b.storage.char_text(value)
    if value.kind == wanted.kind:
        return value
    if value.kind == "any":
        value = _of_object(b, value) if b.function.takes_objects else value
        return _str_of_any(b, value) if wanted == STR else _bytes_of_any(b, value)
    if value.kind != "never":
        _refuse(b, value, wanted.kind)
    b.e.dead()
    poison = V("ptr", "poison"), V("i64", "poison"), V("i1", "poison") if wanted == STR else FALSE
    return text(wanted, *poison, local(None))


def _refuse(b: Body, value: Value, wanted: str) -> None:
    """Close the block with the TypeError that `re` has for a value."""
    if value.kind in ("str", "bytes"):
        kinds = ("string", "bytes-like object") if wanted == "str" else ("bytes", "string-like object")
        b.frame.raise_("TypeError", f"cannot use a {kinds[0]} pattern on a {kinds[1]}")
        return
    words = "expected string or bytes-like object, got '{}'"
    b.frame.call("jf_script_misfit", b.module.c_string(words), b.storage.view(value))


def _of_object(b: Body, value: Value) -> Value:
    """What an ANY is, or where that is an object of Python's, the text of the str or buffer that this is."""
    e, join = b.e, Join(b, ANY)
    host, native, done = e.label("object"), e.label("native"), e.label("subject")
    e.branch(dynamic.is_host(b, value.ssa), host, native, likely=False)
    e.at(host)
    with b.frame.sometimes():
        slot = b.frame.temp_slot()
        b.frame.call("core_op_subject", boxed(b, value).ssa, slot)
        join.set(b.storage.any_in(slot))
    e.br(done)
    e.at(native)
    join.set(value)
    e.br(done)
    e.at(done)
    return join.get()


def _bytes_of_any(b: Body, value: Value) -> Value:
    """The BYTES that an ANY is."""
    e, out = b.e, b.frame.scratch(3 * b.abi.pointer_bytes)
    good, bad, is_str, other = e.label("bytes"), e.label("no.bytes"), e.label("is.str"), e.label("other")
    status = b.frame.call("jf_bytes_of", b.storage.view(value), out, checked=False)
    e.branch(e.icmp("eq", status, const("i32", 0)), good, bad, likely=True)
    e.at(bad)
    told = b.frame.call("jf_op_isinstance", b.storage.view(value), const("i32", 8))
    e.branch(e.icmp("ne", told, const("i32", 0)), is_str, other)
    e.at(is_str)
    b.frame.raise_("TypeError", "cannot use a bytes pattern on a string-like object")
    e.at(other)
    _refuse(b, value, "bytes")
    e.at(good)
    return b.storage.read_text(BYTES_TYPE, out, dynamic.lasts(value))


def _str_of_any(b: Body, value: Value) -> Value:
    """The STR that an ANY is."""
    e = b.e
    out, keep = b.frame.scratch(32), b.frame.temp_slot(0)
    status = call_fragment(b, "item.text", "i32", value.ssa, out, keep)
    good, bad, wrong, other = e.label("text"), e.label("no.text"), e.label("wrong"), e.label("other")
    e.branch(e.icmp("eq", status, const("i32", 0)), good, bad, likely=True)
    e.at(bad)
    e.branch(e.icmp("slt", status, const("i32", 0)), b.frame.failing(), wrong)
    e.at(wrong)
    is_bytes, raw = e.label("bytes"), b.frame.scratch(3 * b.abi.pointer_bytes)
    status = b.frame.call("jf_bytes_of", b.storage.view(value), raw, checked=False)
    e.branch(e.icmp("eq", status, const("i32", 0)), is_bytes, other)
    e.at(is_bytes)
    b.frame.raise_("TypeError", "cannot use a string pattern on a bytes-like object")
    e.at(other)
    _refuse(b, value, "str")
    e.at(good)
    wide = e.icmp("ne", e.load("i32", out, 16, "wide"), const("i32", 0), "is.wide")
    data, size, heap = e.load("ptr", out, 0, "data"), e.load("i64", out, 8, "size"), e.load("ptr", out, 24, "heap")
    return text(STR, data, size, wide, local(None, heap))


# -- finding ------------------------------------------------------------------------------------------------------


class Finder:
    """Calls of one pattern's functions, with memory for what they find."""

    def __init__(self, b: Body, pattern: Pattern, mode: str, said: regexes.Asked) -> None:
        self.b, self.pattern, self._mode = b, pattern, mode
        self._kept, self._last = asked.kept(said), said.last
        groups = max(function.groups_size(each) for each in said.patterns or [pattern])
        self.memory = b.e.alloca("i64", "match", groups // 8)

    def call(self, value: Value, start: V, end: V, advances: bool = False) -> V:
        """Whether it is found, an i1."""
        e = self.b.e
        if value.kind == "bytes":
            return self._call(nodes.BYTES, value, start, end, advances)
        if value.wide.text in ("true", "false"):
            return self._call(nodes.WIDE if value.wide.text == "true" else nodes.NARROW, value, start, end, advances)
        wide, narrow, done = e.label("wide"), e.label("narrow"), e.label("searched")
        e.branch(value.wide, wide, narrow)
        found = []
        for label, alphabet in ((wide, nodes.WIDE), (narrow, nodes.NARROW)):
            e.at(label)
            found.append((self._call(alphabet, value, start, end, advances), e.here))
            e.br(done)
        e.at(done)
        return e.phi(found, "found")

    def _call(self, alphabet: Alphabet, value: Value, start: V, end: V, advances: bool) -> V:
        b, e = self.b, self.b.e
        use = function.Use(self._mode, advances, self._kept, self._last)
        target = b.module.regex(self.pattern, alphabet, use)
        found = e.call("i64", target, [value.data, end, start, self.memory])
        b.frame.fail_if(e.icmp("slt", found, ZERO, "failed"))
        return e.icmp("ne", found, ZERO, "found")


def bounds(b: Body, value: Value, start: tree.Expr | None, end: tree.Expr | None) -> tuple[V, V]:
    """`pos` and `endpos` within the text."""
    e, given = b.e, []
    for each, otherwise in ((start, ZERO), (end, value.size)):
        if each is None:
            given.append(otherwise)
            continue
        at = e.intrinsic("llvm.smax", "i64", dynamic.index(b, b.expr(each)), ZERO)
        given.append(e.intrinsic("llvm.smin", "i64", at, value.size))
    return given[0], given[1]


@expression(regexes.Find)
def find(b: Body, node: regexes.Find) -> Value:
    value = b.storage.lasting(b.expr(node.text))
    if value.kind not in ("str", "bytes"):
        b.e.dead()
        return Value(MATCH, NULL)
    start, end = bounds(b, value, node.start, node.end)
    finder = Finder(b, node.pattern, node.mode, node.asked)
    found = finder.call(value, start, end)
    return Value(MATCH, b.e.select(found, finder.memory, NULL, "match"))


@of_kind("truth", "match")
def truth(b: Body, value: Value) -> V:
    return b.e.not_(b.e.is_null(value.ssa))


@of_kind("convert", ("none", "match"))
def no_match(b: Body, value: Value, type_: object) -> Value:
    return Value(MATCH, NULL)


# -- what a match is asked for ------------------------------------------------------------------------------------


def _match(b: Body, node: tree.Expr, name: str) -> V:
    """The match, which is none that there is not."""
    value = b.expr(node)
    if value.kind != "match":
        if value.kind == "none":
            b.frame.raise_("AttributeError", f"'NoneType' object has no attribute '{name}'")
        b.e.dead()
        return V("ptr", "poison")
    message = f"'NoneType' object has no attribute '{name}'"
    if name == "":
        b.frame.raise_if(b.e.is_null(value.ssa), "TypeError", "'NoneType' object is not subscriptable")
    else:
        b.frame.raise_if(b.e.is_null(value.ssa), "AttributeError", message)
    return value.ssa


@expression(regexes.GroupOf)
def group(b: Body, node: regexes.GroupOf) -> Value:
    e = b.e
    match, value = _match(b, node.match, node.name), b.expr(node.text)
    if node.key == regexes.WHOLE:
        return value
    at = 16 * asked.number(node.asked, node.key)
    start, end = e.load("i64", match, at, "start"), e.load("i64", match, at + 8, "end")
    if asked.is_always_set(node.asked, node.key):
        return _part(b, value, start, end)
    if node.default is not None:
        # Of a group that has none both ends are -1.
        low, high = (e.intrinsic("llvm.smax", "i64", each, ZERO) for each in (start, end))
        return _part(b, value, low, high)
    return _part_or_none(b, value, start, end)


def _part(b: Body, value: Value, start: V, end: V) -> Value:
    data = texts.at(b, value, start)
    return text(value.type, data, b.e.sub(end, start, "length"), value.wide, value.keep)


def _part_or_none(b: Body, value: Value, start: V, end: V) -> Value:
    e, slot = b.e, b.frame.scratch(layout.SLOT_SIZE)
    some, none, done = e.label("some"), e.label("none"), e.label("group")
    e.branch(e.icmp("sge", end, ZERO), some, none)
    e.at(some)
    b.storage.view_at(_part(b, value, start, end), slot)
    e.br(done)
    e.at(none)
    e.store(const("i64", layout.NULL & 0xFFFFFFFF), slot)
    e.store(ZERO, slot, 8)
    e.br(done)
    e.at(done)
    return Value(ANY, slot, local(None))


@expression(regexes.PlaceOf)
def place(b: Body, node: regexes.PlaceOf) -> Value:
    match = _match(b, node.match, node.name)
    at = 16 * asked.number(node.asked, node.key) + 8 * node.is_end
    return int_(b.e.load("i64", match, at, "place"))


@expression(regexes.LastOf)
def last(b: Body, node: regexes.LastOf) -> Value:
    e, pattern = b.e, node.asked.patterns[0]
    match = _match(b, node.match, "lastgroup" if node.is_name else "lastindex")
    number = e.load("i64", match, 16 * (pattern.groups + 1), "last")
    always = asked.has_last(node)
    if not node.is_name:
        return int_(number) if always else _number_or_none(b, number)
    names = {index: b.storage.literal(name) for name, index in pattern.names.items()}
    data, size = V("ptr", "null"), ZERO
    for index, name in names.items():
        same = e.icmp("eq", number, const("i64", index))
        data, size = e.select(same, name.data, data, "name"), e.select(same, name.size, size, "size")
    if always:
        return text(STR, data, size, FALSE, b.storage.literal("").keep)
    end = e.select(e.is_null(data), const("i64", -1), size)
    return _part_or_none(b, text(STR, data, size, FALSE, local(None)), ZERO, end)


def _number_or_none(b: Body, number: V) -> Value:
    e, slot = b.e, b.frame.scratch(layout.SLOT_SIZE)
    none = e.icmp("eq", number, ZERO, "is.none")
    null, int_code = (const("i64", code & 0xFFFFFFFF) for code in (layout.NULL, layout.INT))
    e.store(e.select(none, null, int_code), slot)
    e.store(number, slot, 8)
    return Value(ANY, slot, local(None))
