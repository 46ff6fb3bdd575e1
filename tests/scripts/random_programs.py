"""Random scripts: functions of what scripts have, with values to call them with. The same seed gives the same program.

Expressions are made for a type, so that most of them run; what fails (an index, a division, a conversion) fails in
Python alike. Loops are bounded, and numbers stay small: a number beyond 64 bits is an error of scripts alone.
"""

from __future__ import annotations

import random
from typing import Any

INT, FLOAT, BOOL, STR, BYTES, INTS, WORDS, COUNTS, PAIR = (
    "int", "float", "bool", "str", "bytes", "ints", "words", "counts", "pair",
)  # fmt: skip
TYPES = (INT, FLOAT, BOOL, STR, BYTES, INTS, WORDS, COUNTS, PAIR)
#: Variables alone are sets: text of them is in any order, so nothing that has a text for all TYPES gets them.
SEEN, NAMES, PAIRS = "seen", "names", "pairs"
SETS = {SEEN: INT, NAMES: STR, PAIRS: PAIR}

TEXTS = (
    "", "a", "abc", "Hello, World", "  two  words ", "x=1;y=2", "aAbB", "0123", "-17", "3.5", "naïve café", "Straße",
    "ΑΒΓ αβγς", "Привет, мир", "שלום", "مرحبا بالعالم", "日本語テキスト", "𝒳🙂🙃", "e\u0301e", "tab\tnew\nline\r\n",
    "the quick brown fox jumps over the lazy dog", "ﬁ", "İı", "١٢٣",
)  # fmt: skip
BLOBS = (b"", b"a", b"bytes, bytes", b"\x00\xff\x80", b" \t x\n")
FLOATS = (0.0, -0.0, 1.5, -2.25, 1e300, 1e-5, float("inf"), float("nan"), 3.0)


def value(rng: random.Random, type_: str) -> Any:
    """A value of *type_* to call with."""
    if type_ == INT:
        return rng.choice((0, 1, -1, 2, 7, -13, 100, rng.randint(-1000, 1000)))
    if type_ == FLOAT:
        return rng.choice(FLOATS)
    if type_ == BOOL:
        return rng.random() < 0.5
    if type_ == STR:
        return rng.choice(TEXTS)
    if type_ == BYTES:
        return rng.choice(BLOBS)
    if type_ == INTS:
        return [value(rng, INT) for _ in range(rng.randint(0, 5))]
    if type_ == WORDS:
        return [value(rng, STR) for _ in range(rng.randint(0, 4))]
    if type_ == COUNTS:
        return {value(rng, STR): value(rng, INT) for _ in range(rng.randint(0, 4))}
    return (value(rng, INT), value(rng, STR))


class Program:
    """One random function: `source`, `name`, and the types of its parameters."""

    def __init__(self, seed: int, size: int = 8) -> None:
        self.rng = random.Random(seed)
        self.name = f"script_{seed}"
        self.types = [self.rng.choice(TYPES) for _ in range(self.rng.randint(1, 4))]
        self.known: dict[str, str] = {f"p{i}": type_ for i, type_ in enumerate(self.types)}
        self.fixed: set[str] = set()
        self.count = 0
        self.loops = 0
        lines: list[str] = []
        for _ in range(self.rng.randint(2, size)):
            lines += self.statement(1)
        results = ", ".join(self.rng.sample(sorted(self.known), min(len(self.known), 4)))
        lines.append(f"    return [{results}]" if self.rng.random() < 0.5 else f"    return ({results},)")
        self.source = f"def {self.name}({', '.join(f'p{i}' for i in range(len(self.types)))}):\n" + "\n".join(lines)

    def arguments(self) -> list[Any]:
        return [value(self.rng, type_) for type_ in self.types]

    # -- expressions -------------------------------------------------------------------------------------

    def pick(self, type_: str) -> str | None:
        names = [name for name, known in self.known.items() if known == type_]
        return self.rng.choice(names) if names else None

    def expr(self, type_: str, depth: int = 3) -> str:
        name = self.pick(type_)
        if name is not None and (depth <= 0 or self.rng.random() < 0.4):
            return name
        if depth <= 0 or self.rng.random() < 0.15:
            return self.literal(type_)
        text: str = getattr(self, type_)(depth - 1)
        return text

    def literal(self, type_: str) -> str:
        if type_ == FLOAT:
            return repr(self.rng.choice((0.0, 1.5, -2.5, 10.0)))
        if type_ in (INTS, WORDS, COUNTS, PAIR):
            return repr(value(self.rng, type_)).replace("inf", "1e999")
        if type_ in SETS:
            return "set()"
        return repr(value(self.rng, type_))

    def small(self) -> str:
        return str(self.rng.randint(-4, 6))

    def index(self) -> str:
        """Of what has two items, seldom beyond."""
        return self.small() if self.rng.random() < 0.05 else self.rng.choice(("0", "1", "-1", "-2"))

    def rare(self, may_fail: str, safe: str) -> str:
        return may_fail if self.rng.random() < 0.07 else safe

    def divisor(self, depth: int) -> str:
        return self.rare(self.expr(INT, depth), f"({self.expr(INT, depth)} | 1)")

    def int(self, d: int) -> str:
        e, r = self.expr, self.rng
        return r.choice((
            lambda: f"({e(INT, d)} + {e(INT, d)})",
            lambda: f"({e(INT, d)} - {e(INT, d)})",
            lambda: f"({e(INT, d)} * {e(INT, d)} % 10007)",
            lambda: f"({e(INT, d)} // {self.divisor(d)})",
            lambda: f"({e(INT, d)} % {self.divisor(d)})",
            lambda: f"({e(INT, d)} & {e(INT, d)} | {self.small()})",
            lambda: f"({e(INT, d)} ^ {e(BOOL, d)})",
            lambda: f"({e(INT, d)} % 99 << {r.randint(0, 5)} >> {r.randint(0, 3)})",
            lambda: f"(-{e(INT, d)})",
            lambda: f"(~{e(INT, d)})",
            lambda: f"abs({e(INT, d)})",
            lambda: f"len({e(r.choice((STR, BYTES, INTS, WORDS, COUNTS, SEEN, NAMES, PAIRS)), d)})",
            lambda: f"sum({e(SEEN, d)})",
            lambda: f"max({e(SEEN, d)}, default={self.small()})",
            lambda: f"min({e(INT, d)}, {e(INT, d)})",
            lambda: f"max({e(INT, d)}, {e(INT, d)}, 3)",
            lambda: f"sum({e(INTS, d)})",
            lambda: f"sum(x * {self.small()} for x in {e(INTS, d)} if x > {self.small()})",
            lambda: f"max((len(w) for w in {e(WORDS, d)}), default={self.small()})",
            lambda: f"next((x for x in {e(INTS, d)} if x > {self.small()}), {self.small()})",
            lambda: f"({e(INT, d)}).bit_length()",
            lambda: f"{e(STR, d)}.find({e(STR, d)})",
            lambda: f"{e(STR, d)}.rfind({e(STR, d)}, {self.small()}, {self.small()})",
            lambda: f"{e(STR, d)}.count({e(STR, d)})",
            lambda: "(" + e(STR, d) + " + 'x').index(" + self.rare(e(STR, 0), "'x'") + ")",
            lambda: f"({e(INTS, d)} + [5, 6])[{self.index()}]",
            lambda: f"({e(BYTES, d)} + b'xy')[{self.index()}]",
            lambda: f"{e(COUNTS, d)}.get({e(STR, d)}, {e(INT, d)})",
            lambda: f"{e(COUNTS, d)}[{e(STR, d)}]" if r.random() < 0.1 else f"{e(COUNTS, d)}.get({e(STR, d)}, 0)",
            lambda: f"{e(INTS, d)}.count({e(INT, d)})",
            lambda: f"{e(PAIR, d)}[0]",
            lambda: "int(" + self.rare(e(STR, d), f"str({e(INT, d)})") + ")",
            lambda: f"int({e(BOOL, d)})",
            lambda: f"ord(({e(STR, d)} + 'xy')[{self.index()}])",
            lambda: f"({e(INT, d)} if {e(BOOL, d)} else {e(INT, d)})",
            lambda: f"round({self.rare(e(FLOAT, d), '2.5')})",
        ))()  # fmt: skip

    def float(self, d: int) -> str:
        e, r = self.expr, self.rng
        return r.choice((
            lambda: f"({e(FLOAT, d)} + {e(FLOAT, d)})",
            lambda: f"({e(FLOAT, d)} - {e(INT, d)})",
            lambda: f"({e(FLOAT, d)} * {e(FLOAT, d)})",
            lambda: f"({e(INT, d)} / {self.divisor(d)})",
            lambda: f"({e(FLOAT, d)} // {self.rare(e(FLOAT, d), '1.5')})",
            lambda: f"({e(FLOAT, d)} % {self.divisor(d)})",
            lambda: f"float({e(INT, d)})",
            lambda: "float(" + self.rare(e(STR, d), f"str({e(INT, d)})") + ")",
            lambda: f"round({e(FLOAT, d)}, {r.randint(-1, 3)})",
            lambda: f"abs({e(FLOAT, d)})",
            lambda: f"({e(FLOAT, d)} * 0.5)",
        ))()  # fmt: skip

    def bool(self, d: int) -> str:
        e, r = self.expr, self.rng
        op = r.choice(("<", "<=", "==", "!=", ">", ">="))
        kind = r.choice((INT, FLOAT, STR, INTS, BYTES))
        return r.choice((
            lambda: f"({e(kind, d)} {op} {e(kind, d)})",
            lambda: f"({e(INT, d)} < {e(FLOAT, d)} <= {e(INT, d)})",
            lambda: f"({e(STR, d)} in {e(STR, d)})",
            lambda: f"({e(INT, d)} not in {e(INTS, d)})",
            self.of_sets(d),
            self.of_sets(d),
            lambda: f"({e(STR, d)} in {e(COUNTS, d)})",
            lambda: f"({e(BOOL, d)} and {e(BOOL, d)})",
            lambda: f"({e(BOOL, d)} or not {e(BOOL, d)})",
            lambda: f"bool({e(r.choice(TYPES), d)})",
            lambda: f"any(x {op} {e(INT, 0)} for x in {e(INTS, d)})",
            lambda: f"all(w in {e(STR, 0)} for w in {e(WORDS, d)} if w)",
            lambda: f"any(a == b for a in {e(STR, d)} for b in {e(STR, d)})",
            lambda: f"{e(STR, d)}.is{r.choice(('alpha', 'digit', 'alnum', 'space', 'upper', 'lower', 'title'))}()",
            lambda: f"{e(STR, d)}.startswith({e(STR, d)})",
            lambda: f"{e(STR, d)}.endswith(({e(STR, d)}, {e(STR, d)}))",
            lambda: f"isinstance({e(r.choice(TYPES), d)}, {r.choice(('int', 'str', '(float, list)', 'dict', 'bool'))})",
            lambda: f"({e(r.choice(TYPES), d)} == {e(r.choice(TYPES), d)})",
        ))()  # fmt: skip

    def str(self, d: int) -> str:
        e, r = self.expr, self.rng
        unary = ("lower", "upper", "casefold", "strip", "lstrip", "rstrip", "title", "capitalize", "swapcase")
        spec = r.choice(("", ":>5", ":d", ":05", ":,", ":x", "!r", ":^7"))
        return r.choice((
            lambda: f"'-'.join(w[:2] for w in {e(WORDS, d)} if w)",
            lambda: f"''.join(map(str, {e(INTS, d)}))",
            lambda: f"hex({e(INT, d)})",
            lambda: f"({e(STR, d)} + {e(STR, d)})",
            lambda: f"({e(STR, d)} + '-' + {e(STR, d)} + 'é')",
            lambda: f"({e(STR, d)} * {r.randint(-1, 3)})",
            lambda: f"({e(STR, d)} + 'ab')[{self.index()}]",
            lambda: f"{e(STR, d)}[{self.small()}:{self.small()}]",
            lambda: f"{e(STR, d)}[::{r.choice((-1, 2, -2))}]",
            lambda: f"{e(STR, d)}.{r.choice(unary)}()",
            lambda: f"{e(STR, d)}.strip({e(STR, d)})",
            lambda: f"{e(STR, d)}.replace({e(STR, d)}, {e(STR, d)})",
            lambda: f"{e(STR, d)}.{r.choice(('ljust', 'rjust', 'center', 'zfill'))}({r.randint(0, 9)})",
            lambda: f"{e(STR, d)}.removeprefix({e(STR, d)})",
            lambda: f"{e(STR, d)}.partition({e(STR, d)} or ' ')[{r.randint(0, 2)}]",
            lambda: f"{e(STR, d)}.join({e(WORDS, d)})",
            lambda: f"str({e(r.choice(TYPES), d)})",
            lambda: f"repr({e(r.choice(TYPES), d)})",
            lambda: f"f'{{{self.pick(INT) or 42}{spec}}}|{{{self.pick(STR) or 7}!s:>4}}'",
            lambda: f"chr({e(INT, d)} % 500 + 33)",
            lambda: f"({e(WORDS, d)} + ['p', 'q'])[{self.index()}]",
            lambda: f"{e(PAIR, d)}[1]",
            lambda: f"({e(STR, d)} if {e(BOOL, d)} else {e(STR, d)})",
            lambda: f"({e(STR, d)} or {e(STR, d)})",
            lambda: f"{e(BYTES, d)}.decode('latin-1')",
            lambda: f"min({e(STR, d)}, {e(STR, d)})",
        ))()  # fmt: skip

    def bytes(self, d: int) -> str:
        e, r = self.expr, self.rng
        return r.choice((
            lambda: f"({e(BYTES, d)} + {e(BYTES, d)})",
            lambda: f"{e(BYTES, d)}[{self.small()}:{self.small()}]",
            lambda: f"{e(BYTES, d)}.{r.choice(('upper', 'lower', 'strip', 'title'))}()",
            lambda: f"{e(STR, d)}.encode()",
            lambda: f"{e(BYTES, d)}.replace(b'a', {e(BYTES, d)})",
        ))()  # fmt: skip

    def ints(self, d: int) -> str:
        e, r = self.expr, self.rng
        return r.choice((
            lambda: f"[{e(INT, d)}, {e(INT, d)}]",
            lambda: f"[x * {self.small()} for x in {e(INTS, d)} if x > {self.small()}]",
            lambda: f"[ord(c) for c in {e(STR, d)}]",
            lambda: f"list(range({self.small()}, {self.small()}))",
            lambda: f"sorted({e(INTS, d)})",
            lambda: f"sorted({e(SEEN, d)})",
            lambda: f"sorted({e(INTS, d)}, key=abs, reverse=True)",
            lambda: f"({e(INTS, d)} + {e(INTS, d)})",
            lambda: f"{e(INTS, d)}[{self.small()}:{self.small()}]",
            lambda: f"list({e(COUNTS, d)}.values())",
            lambda: f"[len(w) for w in {e(WORDS, d)}]",
            lambda: f"list(x + y for x in {e(INTS, d)} for y in range(x % 3) if x != y)",
            lambda: f"[*{e(INTS, d)}, {e(INT, d)}, *map(len, {e(WORDS, d)})]",
            lambda: f"sorted(map(abs, {e(INTS, d)}))",
            lambda: f"([{e(INT, d)}] * {r.randint(0, 3)})",
            lambda: f"list(reversed({e(INTS, d)}))",
        ))()  # fmt: skip

    def words(self, d: int) -> str:
        e, r = self.expr, self.rng
        return r.choice((
            lambda: f"{e(STR, d)}.split()",
            lambda: f"{e(STR, d)}.split({e(STR, d)} or None)",
            lambda: f"{e(STR, d)}.rsplit(' ', {r.randint(-1, 2)})",
            lambda: f"{e(STR, d)}.splitlines()",
            lambda: f"list({e(STR, d)})",
            lambda: f"sorted({e(WORDS, d)}, key=len)",
            lambda: f"[w.upper() for w in {e(WORDS, d)} if w]",
            lambda: f"list(w + c for w in {e(WORDS, d)} for c in w if c > 'b')",
            lambda: f"list(filter(None, {e(WORDS, d)}))",
            lambda: f"[c + c for c in {e(STR, d)}]",
            lambda: f"sorted({e(COUNTS, d)})",
            lambda: f"sorted({e(NAMES, d)})",
            lambda: f"[{e(STR, d)}, {e(STR, d)}]",
            lambda: f"[str(i) + w for i, w in enumerate({e(WORDS, d)})]",
            lambda: f"[a + b for a, b in zip({e(WORDS, d)}, {e(STR, d)})]",
        ))()  # fmt: skip

    def counts(self, d: int) -> str:
        e = self.expr
        return self.rng.choice((
            lambda: f"{{w: len(w) for w in {e(WORDS, d)}}}",
            lambda: f"{{{e(STR, d)}: {e(INT, d)}}}",
            lambda: f"dict(zip({e(WORDS, d)}, {e(INTS, d)}))",
            lambda: f"{e(COUNTS, d)}.copy()",
            lambda: f"{{k: v + 1 for k, v in {e(COUNTS, d)}.items()}}",
        ))()  # fmt: skip

    def pair(self, d: int) -> str:
        return f"({self.expr(INT, d)}, {self.expr(STR, d)})"

    def seen(self, d: int) -> str:
        e, r = self.expr, self.rng
        return r.choice((
            lambda: f"{{{e(INT, d)}, {e(INT, d)}}}",
            lambda: f"{{x % {r.randint(1, 9)} for x in {e(INTS, d)} if x > {self.small()}}}",
            lambda: f"{{*{e(INTS, d)}, {e(INT, d)}}}",
            lambda: f"set(range({self.small()}, {self.small()}))",
            lambda: self.set_of(SEEN, INTS, d),
        ))()  # fmt: skip

    def names(self, d: int) -> str:
        e = self.expr
        return self.rng.choice((
            lambda: f"{{{e(STR, d)}, {e(STR, d)}}}",
            lambda: f"{{w.lower() for w in {e(WORDS, d)} if w}}",
            lambda: f"set({e(STR, d)})",
            lambda: f"set({e(COUNTS, d)})",
            lambda: self.set_of(NAMES, WORDS, d),
        ))()  # fmt: skip

    def pairs(self, d: int) -> str:
        e = self.expr
        return self.rng.choice((
            lambda: f"{{{e(PAIR, d)}}}",
            lambda: f"{{(len(w), w) for w in {e(WORDS, d)}}}",
            lambda: f"set(enumerate({e(STR, d)}))",
            lambda: f"({e(PAIRS, d)} {self.rng.choice('|&-^')} {e(PAIRS, d)})",
        ))()  # fmt: skip

    def set_of(self, type_: str, items: str, d: int) -> str:
        e, r = self.expr, self.rng
        method = r.choice(("union", "intersection", "difference", "symmetric_difference"))
        other = r.choice((type_, items)) if r.random() < 0.9 else INT
        return r.choice((
            lambda: f"({e(type_, d)} {r.choice('|&-^')} {e(type_, d)})",
            lambda: f"{e(type_, d)}.{method}({e(other, d)})",
            lambda: f"{e(type_, d)}.copy()",
            lambda: f"set({e(items, d)})",
        ))()  # fmt: skip

    def of_sets(self, d: int) -> Any:
        e, r = self.expr, self.rng
        type_ = r.choice((SEEN, NAMES, PAIRS))
        op = r.choice(("<", "<=", "==", "!=", ">", ">="))
        test = r.choice(("issubset", "issuperset", "isdisjoint"))
        return r.choice((
            lambda: f"({e(SETS[type_], d)} {r.choice(('in', 'not in'))} {e(type_, d)})",
            lambda: f"({e(type_, d)} {op} {e(type_, d)})",
            lambda: f"{e(SEEN, d)}.{test}({e(r.choice((SEEN, INTS)), d)})",
            lambda: f"({e(r.choice(TYPES), d)} == {e(type_, d)})",
            lambda: f"({self.rare(e(INTS, d), e(INT, d))} in {e(type_, d)})",
            lambda: f"bool({e(type_, d)})",
        ))  # fmt: skip

    # -- statements --------------------------------------------------------------------------------------

    def new(self, type_: str) -> str:
        self.count += 1
        name = f"v{self.count}"
        self.known[name] = type_
        return name

    def block(self, depth: int) -> list[str]:
        """Statements of a body of their own: what they bind is not known after it."""
        before = dict(self.known)
        lines: list[str] = []
        for _ in range(self.rng.randint(1, 3)):
            lines += self.statement(depth)
        self.known = before
        return lines

    def statement(self, depth: int) -> list[str]:
        pad = "    " * depth
        kinds = [self.assign, self.assign, self.assign, self.change, self.grow, self.if_, self.fill]
        if depth < 4:
            kinds += [self.for_, self.while_]
        return [pad + line if not line.startswith(" ") else line for line in self.rng.choice(kinds)(depth)]

    def assign(self, depth: int) -> list[str]:
        type_ = self.rng.choice(TYPES)
        text = self.expr(type_)
        if self.rng.random() < 0.15:
            other = self.rng.choice(TYPES)
            second = self.expr(other)
            return [f"{self.new(type_)}, {self.new(other)} = {text}, {second}"]
        again = self.pick(type_)
        if again is not None and again not in self.fixed and self.rng.random() < 0.4:
            return [f"{again} = {text}"]
        return [f"{self.new(type_)} = {text}"]

    def fill(self, depth: int) -> list[str]:
        """A set is made or changed."""
        e, r = self.expr, self.rng
        type_ = r.choice((SEEN, NAMES, PAIRS))
        name, item = self.pick(type_), SETS[type_]
        if name is None or name in self.fixed:
            return [f"{self.new(type_)} = {e(type_)}"]
        many, pad = {SEEN: INTS, NAMES: WORDS, PAIRS: PAIRS}[type_], "    " * depth
        change = r.choice(("update", "intersection_update", "difference_update", "symmetric_difference_update"))
        return r.choice((
            lambda: [f"{name}.add({self.rare(e(r.choice(TYPES), 1), e(item, 2))})"],
            lambda: [f"{name}.add({e(item, 2)})"],
            lambda: [f"{name}.discard({self.rare(e(r.choice(TYPES), 1), e(item, 1))})"],
            lambda: [f"{name}.remove({e(item, 1)})"] if r.random() < 0.1 else [f"{name}.discard({e(item, 1)})"],
            lambda: [f"{name}.{change}({e(r.choice((type_, many)), 1)})"],
            lambda: [f"{name} {r.choice(('|=', '&=', '-=', '^='))} {e(type_, 1)}"],
            lambda: [f"if len({name}) == 1:", f"{pad}    {self.new(item)} = {name}.pop()", f"{pad}    {name}.clear()"],
            lambda: [f"{name} = {e(type_, 2)}"],
        ))()  # fmt: skip

    def change(self, depth: int) -> list[str]:
        type_ = self.rng.choice((INT, FLOAT, STR, INTS, WORDS))
        name = self.pick(type_)
        if name is None or name in self.fixed:
            return self.assign(depth)
        if type_ == INT:
            op = self.rng.choice(("+=", "-=", "|=", "^="))
            return [f"{name} {op} {self.expr(INT, 2)}", f"{name} %= 100003"]
        op = "-=" if type_ == FLOAT and self.rng.random() < 0.5 else "+="
        text = self.expr(type_, 2)
        return [f"{name} {op} {text}[:20]" if type_ in (STR, INTS, WORDS) else f"{name} {op} {text}"]

    def grow(self, depth: int) -> list[str]:
        type_ = self.rng.choice((INTS, WORDS, COUNTS))
        name = self.pick(type_)
        if name is None:
            return self.assign(depth)
        e, item = self.expr, INT if type_ == INTS else STR
        if type_ == COUNTS:
            return self.rng.choice((
                lambda: [f"{name}[{e(STR, 1)}] = {e(INT, 2)}"],
                lambda: [f"{name}[{e(STR, 1)}] = {name}.get({e(STR, 1)}, 0) + 1"],
                lambda: [f"{name}.pop({e(STR, 1)}, None)"],
                lambda: [f"{name}.setdefault({e(STR, 1)}, 7)"],
                lambda: [f"{name}.update({e(COUNTS, 1)})"],
                lambda: [f"if {e(STR, 0)} in {name}:", f"{'    ' * depth}    del {name}[{e(STR, 0)}]"],
            ))()  # fmt: skip
        return self.rng.choice((
            lambda: [f"{name}.append({e(item, 2)})"],
            lambda: [f"{name}.append({e(item, 2)})"],
            lambda: [f"{name}[0:1] = [{e(item, 2)}]"],
            lambda: [f"{self.rare(f'{name}[{self.small()}]', f'{name}[:1]')} = {e(type_, 2)}"],
            lambda: [f"{name}.insert({self.small()}, {e(item, 2)})"],
            lambda: [f"{self.new(item)} = {name}.pop() if {name} else {self.literal(item)}"],
            lambda: [f"{name}.sort()"],
            lambda: [f"{name}.reverse()"],
            lambda: [f"{name}.extend({e(type_, 1)}[:5])"],
            lambda: [f"del {name}[{self.small()}:{self.small()}]"],
            lambda: [f"{name}[1:2] = {e(type_, 1)}[:3]"],
        ))()  # fmt: skip

    def if_(self, depth: int) -> list[str]:
        pad = "    " * depth
        lines = [f"if {self.expr(BOOL)}:", *self.block(depth + 1)]
        if self.rng.random() < 0.5:
            lines += [f"{pad}else:", *self.block(depth + 1)]
        return lines

    def for_(self, depth: int) -> list[str]:
        e, r, pad = self.expr, self.rng, "    " * depth
        before = dict(self.known)
        which = r.randint(0, 8)
        first, second = f"i{self.count}", f"j{self.count}"
        self.count += 1
        heads = (
            lambda: (f"{first} in range({self.small()}, {self.small()})", {first: INT}),
            lambda: (f"{first} in {e(STR, 1)}[:6]", {first: STR}),
            lambda: (f"{first} in {e(INTS, 1)}[:6]", {first: INT}),
            lambda: (f"{first} in {e(WORDS, 1)}[:6]", {first: STR}),
            lambda: (f"{first}, {second} in enumerate({e(STR, 1)}[:5])", {first: INT, second: STR}),
            lambda: (f"{first}, {second} in {e(COUNTS, 0)}.copy().items()", {first: STR, second: INT}),
            lambda: (f"{first}, {second} in zip({e(INTS, 1)}[:5], {e(WORDS, 1)})", {first: INT, second: STR}),
            lambda: (f"{first} in {e(STR, 1)}.split()[:5]", {first: STR}),
            lambda: (f"{first} in sorted({e(SEEN, 1)})[:5]", {first: INT}),
        )
        head, bound = heads[which]()
        self.known |= bound
        body = self.block(depth + 1)
        if r.random() < 0.3:
            body += [f"{pad}    if {e(BOOL, 1)}:", f"{pad}        {r.choice(('break', 'continue'))}"]
        self.known = before
        lines = [f"for {head}:", *body]
        if r.random() < 0.2:
            lines += [f"{pad}else:", *self.block(depth + 1)]
        return lines

    def while_(self, depth: int) -> list[str]:
        pad = "    " * depth
        name = f"n{self.count}"
        self.count += 1
        turns = self.rng.randint(1, 5)
        self.fixed.add(name)
        body = self.block(depth + 1)
        # The counter is no variable of the program's: it ends.
        return [f"{name} = {turns}", f"{pad}while {name} > 0:", f"{pad}    {name} -= 1", *body]
