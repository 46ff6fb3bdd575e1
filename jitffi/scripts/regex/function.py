"""A pattern as a function of IR, for one alphabet and one way of use.

    i64 find(ptr data, i64 end, i64 start, ptr groups)     1: found, 0: not, -1: failed, the last error is set

*end* is how many characters of the text there are, or `endpos`; *start* is where to begin, `pos`. Of what is found
the groups' first and last index go to *groups*, two words each beginning with the whole match, -1 where a group has
none; behind them stands the number of the last group, or 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from jitffi.ir.builder import Builder, V, const
from jitffi.scripts.regex.chars import Chars
from jitffi.scripts.regex.charset import CharSet
from jitffi.scripts.regex.code import Code, Groups
from jitffi.scripts.regex.nodes import Alphabet, Alt, At, Group, If, Look, Node, Repeat, Same, Seq, children
from jitffi.scripts.regex.plan import Follow, Planner
from jitffi.scripts.regex.scan import Scan, required
from jitffi.scripts.regex.stack import Clock, Memory, Stack

if TYPE_CHECKING:
    from jitffi.adapters.unit import Unit
    from jitffi.ir.cabi import CABI
    from jitffi.scripts.regex.read import Pattern

_ZERO: Final = const("i64", 0)


class Use(NamedTuple):
    """What is asked of a pattern: mode is "search", "match" or "fullmatch"."""

    mode: str
    #: What is empty at the start is no match: of a search that goes on behind an empty match.
    advances: bool = False
    #: The groups that are asked for, and whether the last one's number is.
    kept: frozenset[int] = frozenset()
    last: bool = False


def groups_size(pattern: Pattern) -> int:
    """Bytes of *groups*."""
    return 16 * (pattern.groups + 1) + 8


def define(unit: Unit, abi: CABI, symbol: str, pattern: Pattern, alphabet: Alphabet, use: Use) -> V:
    """Write the function. NotNativeError."""
    node = pattern.nodes(alphabet)
    referred = _referred(node)
    kept = use.kept | referred
    loose = _loose(node, False)
    _plan(node, alphabet, use, frozenset())
    undone: frozenset[int] = frozenset()
    if node.pushes:
        undone = loose if use.last else loose & kept
        _plan(node, alphabet, use, undone)
    writer = _Writer(unit, abi, alphabet, pattern, node)
    head, attributes = unit.head(symbol, is_local=True)
    parameters = "ptr nocapture readonly %data, i64 %end, i64 %start, ptr noalias nocapture %groups"
    text = writer.write(use, Groups(V("ptr", "%groups"), pattern.groups, kept, use.last, undone), loose | referred)
    unit.functions.append(writer.e.text(f'{head} i64 @"{symbol}"({parameters}) {attributes} {{', text))
    return V("ptr", f'@"{symbol}"')


def _plan(node: Node, alphabet: Alphabet, use: Use, undone: frozenset[int]) -> None:
    planner = Planner(alphabet, undone)
    behind = planner.sure
    if use.mode == "fullmatch":
        behind = Follow(CharSet(0), True)
    elif use.advances:
        behind = Follow(alphabet.all, True)
    planner.plan(node, behind)


def _loose(node: Node, inside: bool) -> frozenset[int]:
    """The groups that a match need not set, or sets more than once."""
    inside = inside or isinstance(node, Alt | Repeat | If | Look)
    found = frozenset([node.index]) if isinstance(node, Group) and inside else frozenset()
    return found.union(*[_loose(each, inside) for each in children(node)])


def _referred(node: Node) -> frozenset[int]:
    """The groups that the pattern itself asks for."""
    own = frozenset([node.index]) if isinstance(node, Same | If) else frozenset()
    return own.union(*[_referred(each) for each in children(node)])


class _Writer:
    def __init__(self, unit: Unit, abi: CABI, alphabet: Alphabet, pattern: Pattern, node: Node) -> None:
        self.e: Final = Builder(abi, "begin", "data", "end", "start", "groups")
        self.unit: Final = unit
        self.node: Final = node
        self.chars: Final = Chars(unit, self.e, alphabet, V("ptr", "%data"))

    def write(self, use: Use, groups: Groups, cleared: frozenset[int]) -> str:
        """The body; the label of its first block."""
        e, node = self.e, self.node
        attempt, failed, none, error = (e.label(name) for name in ("attempt", "failed", "none", "error"))
        clock = Clock(self.unit, e, error)
        stack = Stack(self.unit, e, clock, Memory(self.unit, e, V("i64", "%end")), error)
        code = Code(self.unit, e, self.chars, stack, groups, V("i64", "%end"))
        code.is_stateless = not use.advances and not _referred(node)
        start = e.alloca("i64", "start")
        e.will_lead_to("begin")
        e.at("begin")
        if node.pushes:
            stack.begin()
        e.store(V("i64", "%start"), start)
        needed = required(node)
        if needed is not None:
            there = self.chars.skip(V("i64", "%start"), code.end, needed.complement(self.chars.alphabet.all))
            code.require(e.icmp("slt", there, code.end), none)
        scan = None
        if use.mode == "search" and not _is_at_start(node):
            scan = Scan(code, node, start, attempt, none)
            scan.begin()
        else:
            room = e.add(V("i64", "%start"), const("i64", node.low), "least.end")
            e.branch(e.icmp("sle", room, code.end), attempt, none)
        e.at(attempt)
        self._attempt(code, use, start, cleared, failed)
        if node.pushes:
            stack.finish(failed)
        e.at(failed)
        if scan is None:
            e.br(none)
        else:
            clock.count(e.add(e.sub(code.now(), e.load("i64", start, 0, "start")), const("i64", 1), "work"))
            scan.failed()
        for label, result in ((none, 0), (error, -1)):
            e.at(label)
            if node.pushes:
                stack.leave()
            e.ret(const("i64", result))
        return "begin"

    def _attempt(self, code: Code, use: Use, start: V, cleared: frozenset[int], failed: str) -> None:
        """Up to its success, which returns."""
        e, groups = self.e, code.groups
        if self.node.pushes:
            code.stack.clear()
        for offset in code.words(cleared):
            e.store(const("i64", 0 if offset == groups.last_at else -1), groups.memory, offset)
        if groups.last and not cleared:
            e.store(_ZERO, groups.memory, groups.last_at)
        code.go(e.load("i64", start, 0, "start"))
        code.known = self.node.low
        fail = code.part(self.node, failed)
        if use.mode == "fullmatch":
            code.require(e.icmp("eq", code.now(), code.end), fail)
        if use.advances:
            code.require(e.icmp("ne", code.now(), V("i64", "%start")), fail)
        e.store(e.load("i64", start, 0, "start"), groups.memory, 0)
        e.store(code.now(), groups.memory, 8)
        if self.node.pushes:
            code.stack.leave()
        e.ret(const("i64", 1))


def _is_at_start(node: Node) -> bool:
    """Whether it can only match at the beginning of a text."""
    if isinstance(node, Seq):
        return bool(node.parts) and _is_at_start(node.parts[0])
    if isinstance(node, Group):
        return _is_at_start(node.body)
    return isinstance(node, At) and node.kind == "start"
