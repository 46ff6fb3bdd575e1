"""Parts of a text that nobody needs a tuple or list of: `name, _, value = s.partition("=")`, `path.rsplit("/", 1)[-1]`.

    text, where the separator is -> views of the text before, of it, and behind

What else a method gives, and what it is called with, is textcalls.py's.
"""

from __future__ import annotations

from jitffi.scripts.library.methods import METHODS
from jitffi.scripts.lower import dynamic, receivers
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.function.emit import NULL, V, const
from jitffi.scripts.lower.function.values import Value, local, text
from jitffi.scripts.lower.text import textcalls, texts
from jitffi.scripts.lower.text.texts import NO_INDEX, as_text
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import BYTES, STR, list_of, tuple_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body

_ZERO = texts.ZERO


def unpacked(b: Body, target: tree.Target, node: tree.Expr) -> list[Value] | None:
    """What is assigned to each target, good until a variable is stored to; None where it is something else."""
    if not isinstance(target, tree.TargetTuple) or target.star >= 0 or not isinstance(node, tree.Method):
        return None
    count = len(target.targets)
    if node.name in ("partition", "rpartition") and count == 3 and _is_cut(node, 1):
        return _Cut(b, node, node.name == "rpartition").parts()
    if node.name in ("split", "rsplit") and count == 2 and _is_cut(node, 2) and _most(node) == 1:
        cut = _Cut(b, node, node.name == "rsplit")
        message = "not enough values to unpack (expected 2, got 1)"
        b.frame.raise_if(b.e.not_(cut.is_there), "ValueError", message)
        first, _, last = cut.parts()
        return [first, last]
    return None


def item(b: Body, node: tree.Item) -> Value | None:
    """One of them, at a constant index; None where it is something else."""
    call, at = node.value, _constant(node.index)
    if not isinstance(call, tree.Method) or at is None:
        return None
    if call.name in ("partition", "rpartition"):
        if not (-3 <= at < 3 and _is_cut(call, 1)):
            return None
        return _Cut(b, call, call.name == "rpartition").parts()[at]
    if call.name == "split" and at == 0 and _is_of_words(call):
        return _first_word(b, node, call)
    if call.name not in ("split", "rsplit") or at not in (0, 1, -1) or not _is_cut(call, len(call.args)):
        return None
    from_end, most = call.name == "rsplit", _most(call)
    if most is None:
        # Only the end that the separator is looked for from is known, of a single character both.
        if at == 1 or (from_end != (at == -1) and not _is_unit(call.args[0])):
            return None
        from_end = at == -1
    elif most != 1:
        return None
    cut = _Cut(b, call, from_end)
    if at == 1:
        b.frame.raise_if(b.e.not_(cut.is_there), "IndexError", "list index out of range")
    return cut.first() if at == 0 else cut.last()


def _constant(node: tree.Expr) -> int | None:
    if isinstance(node, tree.Unary) and node.op == "-" and isinstance(node.operand, tree.Const):
        inner = _constant(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, tree.Const) and type(node.value) is int else None


def _most(node: tree.Method) -> int | None:
    """How often it is split, -1 for a number that is not known or zero; None: wherever the separator is."""
    if len(node.args) < 2:
        return None
    most = _constant(node.args[1])
    return -1 if most is None or most == 0 else None if most < 0 else most


def _is_unit(node: tree.Expr) -> bool:
    return node.type.kind == "char" or (isinstance(node, tree.Const) and len(node.value) == 1)


def _is_cut(node: tree.Method, count: int) -> bool:
    """It has that many arguments, at least one, the first a text of the receiver's kind. What is called may be of any
    type where inference knows the result all the same: it is a str, or an error."""
    if len(node.args) != count or not count or node.keywords:
        return False
    receiver, separator = node.value.type.kind, node.args[0].type.kind
    if receiver == "bytes":
        return separator == "bytes"
    known = receiver in ("str", "char") or node.type in (tuple_of(STR, STR, STR), list_of(STR))
    return known and separator in ("str", "char")


def _is_of_words(node: tree.Method) -> bool:
    """It is split at white space, and once at least."""
    given = [*node.args, *node.keywords.values()]
    if node.args and node.args[0].type.kind != "none":
        return False
    most = given[-1] if len(given) == 2 or "maxsplit" in node.keywords else None
    if len(given) > 2 or not node.keywords.keys() <= {"maxsplit"} or (most is not None and not _constant(most)):
        return False
    return node.value.type.kind in ("str", "char", "bytes", "any")


def _first_word(b: Body, node: tree.Item, call: tree.Method) -> Value:
    value = b.storage.lasting(b.expr(call.value))
    if value.kind != "any":
        return _word(b, as_text(b, value))
    e, types = b.e, {"str": STR, "bytes": BYTES}
    number = receivers.which(b, value, list(types), "split")
    join, labels, done = Join(b, node.type), [e.label(kind) for kind in types], e.label("word")
    e.switch(number, labels[0], [(1, labels[1])])
    for type_, label in zip(types.values(), labels, strict=True):
        e.at(label)
        typed = dynamic.guard(b, value, type_)
        with b.frame.sometimes():
            join.set(_word(b, typed))
        e.br(done)
    e.at(done)
    return join.get()


def _word(b: Body, value: Value) -> Value:
    """The first."""
    kind = "bytes" if value.type == BYTES else "text"
    split, piece = b.frame.scratch(8 * 8), b.frame.scratch(24)
    b.frame.call("jf_text_split_init", split, b.storage.text(value), NULL, const("i64", 1))
    more = b.frame.call(f"jf_{kind}_split_next", split, piece)
    b.frame.raise_if(b.e.icmp("eq", more, const("i32", 0), "is.empty"), "IndexError", "list index out of range")
    keep = local(value.keep.place, value.keep.object) if value.keep.kind == "owned" else value.keep
    return b.storage.read_text(value.type, piece, keep)


class _Cut:
    """A text, and where in it a separator is: the first, or the last."""

    def __init__(self, b: Body, node: tree.Method, last: bool) -> None:
        e, none = b.e, const("i64", NO_INDEX)
        self._b, self._last = b, last
        self._value = value = _receiver(b, node)
        separator = as_text(b, b.storage.lasting(b.expr(node.args[0])))
        if separator.const is ... or not separator.const:
            b.frame.raise_if(e.icmp("eq", separator.size, _ZERO), "ValueError", "empty separator")
        prefix = "jf_bytes_" if value.type == BYTES else "jf_text_"
        symbol = prefix + ("rfind" if last else "find")
        self._where = b.frame.call(symbol, b.storage.text(value), b.storage.text(separator), none, none)
        self._end = e.add(self._where, separator.size)
        self.is_there = e.icmp("sge", self._where, _ZERO, "is.there")

    def _part(self, start: V, stop: V) -> Value:
        value, e = self._value, self._b.e
        keep = local(value.keep.place, value.keep.object) if value.keep.kind == "owned" else value.keep
        data = texts.at(self._b, value, start)
        return text(value.type, data, e.sub(stop, start, "size"), value.wide, keep)

    def first(self) -> Value:
        """What is before it, else all."""
        return self._part(_ZERO, self._b.e.select(self.is_there, self._where, self._value.size, "begin"))

    def last(self) -> Value:
        """What is behind it, else all."""
        return self._part(self._b.e.select(self.is_there, self._end, _ZERO, "end"), self._value.size)

    def parts(self) -> list[Value]:
        """As partition and rpartition give them."""
        e, size = self._b.e, self._value.size
        begin = e.select(self.is_there, self._where, _ZERO if self._last else size, "begin")
        end = e.select(self.is_there, self._end, begin, "end")
        return [self._part(_ZERO, begin), self._part(begin, end), self._part(end, size)]


def _receiver(b: Body, node: tree.Method) -> Value:
    """The text; AttributeError or TypeError for a value of any type that is no str."""
    value = b.storage.lasting(b.expr(node.value))
    if value.kind != "any":
        return as_text(b, value)
    which = receivers.which(b, value, ["str", "bytes"], node.name)
    wrong = textcalls.expected(METHODS["bytes"][node.name], 0, "bytes", "str")
    b.frame.raise_if(b.e.icmp("ne", which, const("i32", 0), "is.bytes"), "TypeError", wrong)
    return dynamic.guard(b, value, STR)
