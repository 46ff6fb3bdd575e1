"""STR, BYTES and CHAR: comparison and `in`, with constants above all: `c == "a"`, `word == "the"`, `c in "aeiou"`."""

from __future__ import annotations

from jitffi.scripts.lower.function.emit import FALSE, TRUE, V, const
from jitffi.scripts.lower.function.registry import of_kind
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.text import chars
from jitffi.scripts.lower.text.texts import NO_INDEX, ONE, ZERO, char_at, is_text, number, one_byte

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.body import Body

# -- comparison --------------------------------------------------------------------------------------------------------


def matches(b: Body, data: V, wide: V, constant: str | bytes) -> V:
    """Whether the characters at *data*, as many as the constant has, are the constant's, an i1."""
    e, n = b.e, len(constant)
    if n == 0:
        return TRUE
    raw = constant if isinstance(constant, bytes) else constant.encode("utf-8", "surrogatepass")
    is_ascii = len(raw) == n
    if wide.text == "false":
        return _same_bytes(b, data, raw) if is_ascii else FALSE
    wider = constant.encode("utf-32-le", "surrogatepass") if isinstance(constant, str) else b""
    if wide.text == "true":
        return _same_bytes(b, data, wider)
    yes, no, done = e.label("wide"), e.label("narrow"), e.label("matched")
    e.branch(wide, yes, no)
    e.at(yes)
    is_wide = _same_bytes(b, data, wider)
    e.br(done)
    e.at(no)
    is_narrow = _same_bytes(b, data, raw) if is_ascii else FALSE
    e.br(done)
    e.at(done)
    return e.phi([(is_wide, yes), (is_narrow, no)], "matches")


def _same_bytes(b: Body, data: V, constant: bytes) -> V:
    """Becomes a few words' comparison where it is short."""
    e, n = b.e, len(constant)
    if n in (1, 2, 4, 8):
        word = int.from_bytes(constant, "little", signed=True)
        return e.icmp("eq", e.load(f"i{8 * n}", data, 0, "word", align=1), const(f"i{8 * n}", word))
    size = b.frame.size_arg(const("i64", n))
    order = b.frame.call("memcmp", data, b.module.unit.data(constant), size)
    return e.icmp("eq", order, const("i32", 0), "same")


def equals_constant(b: Body, value: Value, constant: str | bytes) -> V:
    e = b.e
    same_size = e.icmp("eq", value.size, const("i64", len(constant)), "same.size")
    if not constant:
        return same_size
    return and_then(b, same_size, lambda: matches(b, value.data, value.wide, constant))


def and_then(b: Body, first: V, second: Callable[[], V]) -> V:
    """`first and second()`, which is only evaluated where the first holds."""
    e = b.e
    if first.text == "false":
        return FALSE
    if first.text == "true":
        return second()
    before, on, done = e.here, e.label("and"), e.label("done")
    e.branch(first, on, done)
    e.at(on)
    result = second()
    at = e.here
    e.br(done)
    e.at(done)
    return e.phi([(FALSE, before), (result, at)], "both")


def equal(b: Body, left: Value, right: Value) -> V:
    """Two texts of one kind."""
    e = b.e
    if left.kind == right.kind == "char":
        return chars.compare(b, "==", left.ssa, right.ssa)
    if isinstance(left.const, (str, bytes)):
        left, right = right, left
    if isinstance(right.const, (str, bytes)) and left.kind != "char":
        return equals_constant(b, left, right.const)
    if right.kind == "char":
        left, right = right, left
    if left.kind == "char":
        one = e.icmp("eq", right.size, ONE, "is.one")
        return and_then(b, one, lambda: e.icmp("eq", char_at(b, right, ZERO), left.ssa))
    same_size = e.icmp("eq", left.size, right.size, "same.size")

    def same() -> V:
        found = b.frame.call("jf_text_equal", b.storage.text(left), b.storage.text(right))
        return e.icmp("ne", found, const("i32", 0), "same")

    return and_then(b, same_size, same)


@of_kind("compare", "str", "bytes")
def compare(b: Body, op: str, left: Value, right: Value) -> V | None:
    e = b.e
    if left.kind == right.kind == "char":
        return chars.compare(b, op, left.ssa, right.ssa)
    if not (is_text(left) and is_text(right)) and not left.kind == right.kind == "bytes":
        other = right if left.kind in ("str", "char") else left
        if op in ("==", "!=") and other.kind not in ("any", "func"):
            return TRUE if op == "!=" else FALSE
        return None
    if op in ("==", "!="):
        same = equal(b, left, right)
        return same if op == "==" else e.not_(same)
    order = b.frame.call("jf_text_compare", b.storage.text(left), b.storage.text(right))
    predicate = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}[op]
    return e.icmp(predicate, order, const("i32", 0), "ordered")


# -- in ----------------------------------------------------------------------------------------------------------------


@of_kind("contains", "str")
def contains(b: Body, container: Value, item: Value) -> V | None:
    """`item in container`."""
    choices = container.const
    if not is_text(item):
        return None
    if isinstance(choices, str) and item.kind == "char":
        found = chars.is_one_of(b, item.ssa, choices)
        if found is not None:
            return found
    if container.kind == "char":
        return equal(b, item, container) if item.kind == "char" else _in_char(b, container, item)
    if isinstance(choices, str) and choices:
        quick = _in_constant(b, choices, item)
        if quick is not None:
            return quick
    return _is_found(b, "jf_text_find", container, b.storage.text(item))


def _in_char(b: Body, container: Value, item: Value) -> V:
    """`text in c`: the empty text, or the same."""
    e = b.e
    return e.or_(e.icmp("eq", item.size, ZERO), equal(b, item, container))


def _in_constant(b: Body, choices: str, item: Value) -> V | None:
    """A STR in a constant: quick where it has one character, as `c.lower()` has."""
    e = b.e
    one, more, done = e.label("one"), e.label("more"), e.label("in")
    if item.kind != "str" or len(chars.windows(choices)) > chars.MOST_WINDOWS:
        return None
    e.branch(e.icmp("eq", item.size, ONE), one, more)
    e.at(one)
    quick = chars.is_one_of(b, char_at(b, item, ZERO), choices)
    assert quick is not None
    at_one = e.here
    e.br(done)
    e.at(more)
    slow = _is_found(b, "jf_text_find", b.storage.literal(choices), b.storage.text(item))
    e.br(done)
    e.at(done)
    return e.phi([(quick, at_one), (slow, more)], "is.in")


def _is_found(b: Body, symbol: str, container: Value, sub: V) -> V:
    none = const("i64", NO_INDEX)
    where = b.frame.call(symbol, b.storage.text(container), sub, none, none)
    return b.e.icmp("sge", where, ZERO, "is.in")


@of_kind("contains", "bytes")
def bytes_contains(b: Body, container: Value, item: Value) -> V | None:
    if item.kind == "bytes":
        return _is_found(b, "jf_bytes_find", container, b.storage.text(item))
    byte = number(b, item) if item.kind in ("int", "bool") else None
    if byte is None:
        return None
    return _is_found(b, "jf_bytes_find", container, b.storage.text(one_byte(b, byte.ssa)))
