"""Random scripts over the whole language: those of random_programs.py, with what is handled, kept, matched and shared.

try and finally in all forms, functions inside that are called and that are kept, generators, classes, match, sets, with,
del, global, formats, ints beyond 64 bits, and changes of what was passed in.
"""

# ruff: noqa: E501

from __future__ import annotations

from typing import Any

from tests.scripts.random_programs import BOOL, COUNTS, INT, INTS, PAIR, STR, TYPES, WORDS, Program, value

SET = "set"
ERRORS = (
    "ValueError",
    "KeyError",
    "ZeroDivisionError",
    "IndexError",
    "LookupError",
    "(TypeError, ArithmeticError)",
    "Own",
)
HEAD = """import contextlib
import functools

noted = 0
MASK = 2**64 - 1


class Own(Exception):
    pass


class Pair:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"Pair({self.x!r}, {self.y!r})"

    def __eq__(self, other):
        return isinstance(other, Pair) and (self.x, self.y) == (other.x, other.y)


def helper(a, b=2, *args, c=3, **named):
    return a, b, args, c, sorted(named)


def numbers(n):
    for i in range(n % 7):
        yield i * i


"""


class LanguageProgram(Program):
    """One random function of a module that begins with HEAD."""

    def __init__(self, seed: int, size: int = 6) -> None:
        self.in_loop = 0
        self.inside = 0
        super().__init__(seed, size)
        lines = self.source.split("\n")
        if "noted" in self.source:
            lines.insert(1, "    global noted")
        self.source = HEAD + "\n".join(lines)

    # -- expressions -------------------------------------------------------------------------------------

    def int(self, d: int) -> str:
        e, r = self.expr, self.rng
        if r.random() < 0.7:
            return super().int(d)
        return r.choice((
            lambda: f"(({e(INT, d)} * 6364136223846793005 + {e(INT, d)}) % 2**64 >> {r.randint(1, 60)})",
            lambda: f"(({e(INT, d)} ^ {e(INT, d)} >> {r.randint(0, 63)}) * 0x9E3779B97F4A7C15 + {e(INT, d)} & 0xFFFFFFFFFFFFFFFF)",
            lambda: f"((({e(INT, d)} << {r.randint(0, 63)}) | (({e(INT, d)} & MASK) >> {r.randint(0, 64)})) & MASK)",
            lambda: f"(-{e(INT, d)} & MASK) {r.choice(('^', '|', '%', '//', '-', '+', '>>'))} {r.randint(1, 60)}",
            lambda: f"(({e(INT, d)} * 16777619 ^ {e(INT, d)}) & 0xFFFFFFFF)",
            lambda: f"({e(INT, d)} << {r.randint(0, 70)}) % 1000003",
            lambda: f"pow({e(INT, d)}, {r.randint(0, 9)}, 1009)",
            lambda: f"(lambda x, y={self.small()}: x * y)({e(INT, d)})",
            lambda: f"functools.reduce(lambda x, y: x * 3 + y, {e(INTS, d)}, {self.small()})",
            lambda: f"len({self.set(d)})",
            lambda: f"sum(numbers({e(INT, d)}))",
            lambda: f"max({e(INTS, d)}, key=lambda x: -x, default={self.small()})",
            lambda: f"int.from_bytes(({e(INT, d)} % 1000).to_bytes(3, 'big'), 'little')",
            lambda: f"len(helper(*{e(INTS, d)}, c={e(INT, d)})[2])" if r.random() < 0.3 else f"helper({e(INT, d)}, k={e(INT, d)})[0]",
        ))()  # fmt: skip

    def set(self, d: int) -> str:
        e = self.expr
        return self.rng.choice((
            lambda: f"{{{e(INT, d)}, *{e(INTS, d)}}}",
            lambda: f"{{w[:1] for w in {e(WORDS, d)}}}",
            lambda: f"(set({e(INTS, d)}) {self.rng.choice('|&-^')} set({e(INTS, d)}))",
            lambda: f"frozenset({e(STR, d)})",
        ))()  # fmt: skip

    def bool(self, d: int) -> str:
        if self.rng.random() < 0.85:
            return super().bool(d)
        e = self.expr
        return self.rng.choice((
            lambda: f"({e(INT, d)} in {self.set(d)})",
            lambda: f"({self.set(d)} <= {self.set(d)})",
            lambda: f"({e(INT, d)} < {e(INT, d)} <= {e(INT, d)} != {e(INT, d)})",
            lambda: f"any((lambda x: x > {self.small()})(x) for x in {e(INTS, d)})",
            lambda: f"isinstance({e(INT, d)}, Pair)",
        ))()  # fmt: skip

    def str(self, d: int) -> str:
        e, r = self.expr, self.rng
        if r.random() < 0.7:
            return super().str(d)
        return r.choice((
            lambda: f"'%s|%5d|%-4r' % ({e(STR, d)}, {e(INT, d)}, {e(STR, d)})",
            lambda: f"'%x and %.2f%%' % ({e(INT, d)}, {e('float', d)})",
            lambda: f"'<%s>' % {e(r.choice(TYPES), d)}",
            lambda: f"'%(a)s-%(b)03d' % {{'a': {e(r.choice(TYPES), d)}, 'b': {e(INT, d)}}}",
            lambda: f"'{{}} {{0!r:>6}}'[:2].format({e(STR, d)})",
            lambda: f"'{{1}}-{{0!r}}-{{k:>5}}'.format({e(INT, d)}, {e(STR, d)}, k={e(STR, d)})",
            lambda: f"'{{:{{}}}}|{{}}'.format({e(STR, d)}, {r.randint(0, 9)}, {e(INT, d)})",
            lambda: f"{e(STR, d)}.translate(str.maketrans('abc', 'xyz', 'd'))",
            lambda: f"{e(STR, d)}.translate({{97: 'A', 98: None, 99: 'ccc'}})",
            lambda: f"str(sorted({self.set(d)}, key=str))",
            lambda: f"''.join(sorted({e(STR, d)}, key=lambda c: (c.lower(), c)))",
            lambda: f"repr(Pair({e(INT, d)}, {e(STR, d)}))",
            lambda: f"str({r.choice(('2', '3', '-7'))} ** {r.randint(0, 80)})",
            lambda: f"(b'%d:%s' % ({e(INT, d)}, {e('bytes', d)})).decode('latin-1')",
        ))()  # fmt: skip

    def ints(self, d: int) -> str:
        e, r = self.expr, self.rng
        if r.random() < 0.8:
            return super().ints(d)
        return r.choice((
            lambda: f"list(numbers({e(INT, d)}))",
            lambda: f"[f(2) for f in [lambda x, k=k: x * k for k in {e(INTS, d)}]]",
            lambda: f"(sorted({self.set(d)}, key=str) and [1])",
            lambda: f"[*{{x: 1 for x in {e(INTS, d)}}}]",
        ))()  # fmt: skip

    # -- statements --------------------------------------------------------------------------------------

    def statement(self, depth: int) -> list[str]:
        if self.rng.random() < 0.6:
            return super().statement(depth)
        kinds = [self.delete, self.unpack, self.note, self.raise_, self.named]
        if depth < 4:
            kinds += [self.try_, self.try_, self.match, self.with_, self.kept, self.kept, self.called, self.generator]
            kinds += [self.class_, self.sort]
        pad = "    " * depth
        return [pad + line if not line.startswith(" ") else line for line in self.rng.choice(kinds)(depth)]

    def for_(self, depth: int) -> list[str]:
        self.in_loop += 1
        found = super().for_(depth)
        self.in_loop -= 1
        return found

    def while_(self, depth: int) -> list[str]:
        self.in_loop += 1
        found = super().while_(depth)
        self.in_loop -= 1
        return found

    def jump(self) -> str:
        """What leads out of where it stands."""
        jumps = [f"return {self.expr(self.rng.choice(TYPES), 1)}", "raise Own('jump')", "pass"]
        return self.rng.choice([*jumps, "break", "continue"] if self.in_loop else jumps)

    def try_(self, depth: int) -> list[str]:
        r, pad = self.rng, "    " * depth
        inner = pad + "    "
        failing = r.choice((
            f"{self.new(INT)} = {self.expr(INTS, 1)}[{self.small()}]",
            f"{self.new(INT)} = {self.expr(COUNTS, 1)}[{self.expr(STR, 1)}]",
            f"{self.new(INT)} = int({self.expr(STR, 1)})",
            f"{self.new(INT)} = {self.expr(INT, 1)} // {self.expr(INT, 1)}",
            "raise Own(" + self.expr(INT, 1) + ")",
            f"raise ValueError({self.expr(STR, 1)})",
            "pass",
        ))  # fmt: skip
        self.known.pop(f"v{self.count}", None)
        lines = ["try:", *self.block(depth + 1), inner + failing]
        has_finally, has_except = r.random() < 0.5, r.random() < 0.8
        if has_except or not has_finally:
            for error in r.sample(ERRORS, r.randint(1, 2)):
                if r.random() < 0.4:
                    lines += [f"{pad}except {error} as error:", f"{inner}noted += len(str(error))"]
                    if r.random() < 0.2:
                        lines.append(f"{inner}raise Own('from') from {r.choice(('error', 'None'))}")
                else:
                    lines.append(f"{pad}except {error}:")
                lines += self.block(depth + 1)
                if r.random() < 0.2:
                    lines.append(inner + r.choice((self.jump(), "raise")))
            if r.random() < 0.3:
                lines += [f"{pad}else:", *self.block(depth + 1)]
        if has_finally:
            lines += [f"{pad}finally:", *self.block(depth + 1)]
            if r.random() < 0.1:
                lines.append(inner + self.jump())
        return lines

    def raise_(self, depth: int) -> list[str]:
        if self.rng.random() < 0.7:
            return self.assign(depth)
        what = self.rng.choice(("ValueError('no')", "Own", f"Own({self.expr(INT, 1)})", "KeyError('k') from None"))
        return [f"if {self.expr(BOOL, 1)}:", f"{'    ' * depth}    raise {what}"]

    def match(self, depth: int) -> list[str]:
        r, pad = self.rng, "    " * depth
        a, b = f"a{self.count}", f"b{self.count}"
        self.count += 1
        subject = r.choice((
            self.expr(r.choice(TYPES), 1), f"({self.expr(INT, 1)}, {self.expr(STR, 1)})",
            f"[{self.expr(INT, 1)}, {self.expr(PAIR, 1)}]", f"Pair({self.expr(INT, 1)}, {self.expr(INTS, 1)})",
        ))  # fmt: skip
        patterns = (
            (f"{self.small()} | {self.small()} as {a}", {a: INT}), (f"int({a})", {a: INT}), ("''", {}), (f"str({a})", {a: STR}),
            (f"[{a}, *{b}]", {}), (f"({a}, {b})", {}), (f"[int({a}), str({b})]", {a: INT, b: STR}), (f"{{'a': {a}, **{b}}}", {}),
            (f"Pair({a}, [{b}, *_])", {}), (f"Pair(y={a})", {}), ("[] | {}", {}), ("None | True", {}), (f"list({a}) | tuple({a})", {}),
            (f"[_, ({a}, str({b}))]", {b: STR}), (f"float() | bytes() as {a}", {}),
        )  # fmt: skip
        lines = [f"match {subject}:"]
        for pattern, bound in r.sample(patterns, r.randint(1, 4)):
            before = dict(self.known)
            self.known |= bound
            guard = f" if {self.expr(BOOL, 1)}" if r.random() < 0.2 else ""
            lines += [f"{pad}    case {pattern}{guard}:", *self.block(depth + 2)]
            if bound == {} and f"{a}" in pattern and r.random() < 0.5:
                lines.append(f"{pad}        noted += len(repr({a}))")
            self.known = before
        if r.random() < 0.5:
            lines += [f"{pad}    case _:", *self.block(depth + 2)]
        return lines

    def with_(self, depth: int) -> list[str]:
        pad = "    " * depth
        error = self.rng.choice(ERRORS).strip("()").partition(",")[0]
        more = ", contextlib.nullcontext(3) as entered" if self.rng.random() < 0.3 else ""
        lines = [f"with contextlib.suppress({error}){more}:", *self.block(depth + 1)]
        if self.rng.random() < 0.3:
            lines.append(f"{pad}    {self.jump()}")
        return lines

    def delete(self, depth: int) -> list[str]:
        name = self.pick(self.rng.choice((INTS, WORDS, COUNTS)))
        if name is None:
            return self.assign(depth)
        if self.known[name] == COUNTS:
            return [f"{name}['x'] = 1", f"del {name}['x']"]
        return [f"del {name}[{self.small()}:{self.small()}]", f"del {name}[::{self.rng.choice((2, -2, 3))}]"]

    def unpack(self, depth: int) -> list[str]:
        first, rest = self.new(INT), self.new(INTS)
        text = f"[{self.expr(INT, 1)}, *{self.expr(INTS, 1)}]"
        return [f"{first}, *{rest} = {text}" if self.rng.random() < 0.5 else f"*{rest}, {first} = {text}"]

    def note(self, depth: int) -> list[str]:
        return [f"noted {self.rng.choice(('+=', '=', '-='))} {self.expr(INT, 1)}", "noted %= 100003"]

    def named(self, depth: int) -> list[str]:
        text = self.expr(INT, 1)
        name = self.new(INT)
        return [f"if ({name} := {text}) > {self.small()}:", *self.block(depth + 1)]

    def sort(self, depth: int) -> list[str]:
        name = self.pick(self.rng.choice((INTS, WORDS)))
        if name is None:
            return self.assign(depth)
        seen = self.pick(INT) or "3"
        by_int = self.known[name] == INTS
        key = f"lambda x: (x % ({seen} | 1), x)" if by_int else f"lambda w: (len(w) + {seen}, w)"
        return [f"{name}.sort(key={key}{', reverse=True' if self.rng.random() < 0.3 else ''})"]

    # -- what is inside ----------------------------------------------------------------------------------

    def captured(self) -> tuple[str, str]:
        """An int around that an inner function changes, and the line that makes it."""
        name = self.pick(INT)
        if name is not None and name not in self.fixed and not name.startswith(("i", "j", "n", "a", "b")):
            return name, f"{name} = {name}"
        made = self.new(INT)
        return made, f"{made} = {self.expr(INT, 1)}"

    def called(self, depth: int) -> list[str]:
        """A function that is only called."""
        pad, (name, first) = "    " * depth, self.captured()
        self.count += 1
        f = f"f{self.count}"
        self.inside += 1
        lines = [
            first, f"def {f}(x, y={self.small()}):", f"{pad}    nonlocal {name}" if self.nests(name) else f"{pad}    z = x",
            f"{pad}    {name} = ({name} + x * y) % 1009" if self.nests(name) else f"{pad}    z = (z + {name} * y) % 1009",
            f"{pad}    return {name if self.nests(name) else 'z'} - y",
            f"{pad}{self.new(INT)} = {f}({self.expr(INT, 1)}) + {f}(2, y={self.expr(INT, 1)})",
        ]  # fmt: skip
        self.inside -= 1
        return lines

    def nests(self, name: str) -> bool:
        return hash_of(name) % 2 == 0 and not name.startswith("p")

    def kept(self, depth: int) -> list[str]:
        """One that is kept: in a list, returned by another, or passed on."""
        r, pad, (name, first) = self.rng, "    " * depth, self.captured()
        self.count += 1
        f, kept = f"f{self.count}", f"k{self.count}"
        lines = [first]
        if r.random() < 0.5:
            lines += [f"{kept} = [lambda x={self.small()}: x * 3 + {name}, lambda: ({name}, {self.pick(STR) or 1})]"]
        else:
            lines += [
                f"def {f}(x=1, *more, k={self.small()}):", f"{pad}    nonlocal {name}", f"{pad}    {name} = ({name} + x) % 1009",
                f"{pad}    return {name} + k + len(more)", f"{pad}{kept} = [{f}, functools.partial({f}, 2)]",
            ]  # fmt: skip
        lines += [
            f"{pad}{name} = {self.expr(INT, 1)}", f"{pad}{self.new(INTS)} = [{kept}[0](), {kept}[0](4)]",
            f"{pad}noted += len(repr({kept}[1]()))", f"{pad}{self.new(INT)} = {name}",
        ]  # fmt: skip
        if r.random() < 0.3:
            lines.append(f"{pad}{self.new(INTS)} = list(map({kept}[0], {self.expr(INTS, 1)}))")
        return lines

    def generator(self, depth: int) -> list[str]:
        r, pad = self.rng, "    " * depth
        self.count += 1
        g, it = f"g{self.count}", f"it{self.count}"
        if r.random() < 0.4:
            items = self.expr(INTS, 1)
            return [f"{it} = (x * {self.pick(INT) or 2} for x in {items} if x != 3)", f"{self.new(INT)} = next({it}, 0)",
                    f"{self.new(INTS)} = list({it})"]  # fmt: skip
        lines = [
            f"def {g}(n):", f"{pad}    for x in range(n % 5):", f"{pad}        yield x + {self.pick(INT) or 1}",
            f"{pad}    if n % 2:", f"{pad}        yield from {self.expr(INTS, 0)}",
        ]  # fmt: skip
        use = r.choice(("list", "sum", "for", "kept"))
        given = self.expr(INT, 1)
        if use == "for":
            total = self.new(INT)
            return [*lines, f"{pad}{total} = 0", f"{pad}for x in {g}({given}):", f"{pad}    {total} += x * 2"]
        if use == "kept":
            return [*lines, f"{pad}{it} = {g}({given})", f"{pad}{self.new(INT)} = next({it}, -1)",
                    f"{pad}{self.new(INTS)} = [*{it}]"]  # fmt: skip
        return [*lines, f"{pad}{self.new(INTS if use == 'list' else INT)} = {use}({g}({given}))"]

    def class_(self, depth: int) -> list[str]:
        pad = "    " * depth
        self.count += 1
        c = f"C{self.count}"
        seen = self.pick(INT) or "1"
        return [
            f"class {c}(Pair):", f"{pad}    first = {seen}", f"{pad}    def total(self):",
            f"{pad}        return self.x + self.first + {seen}",
            f"{pad}{self.new(INT)} = {c}({self.expr(INT, 1)}, 2).total()",
        ]  # fmt: skip


def program_of(seed: int) -> LanguageProgram:
    """That of the seed, or of the next one that Python's compiler takes."""
    while True:
        made = LanguageProgram(seed)
        try:
            compile(made.source, made.name, "exec")
            return made
        except SyntaxError:  # a jump or a name where none can be
            seed += 1_000_000


def hash_of(name: str) -> int:
    return sum(map(ord, name))


def arguments(program: Program) -> list[Any]:
    """Values to call it with, seldom of another type."""
    rng = program.rng
    return [value(rng, rng.choice(TYPES) if rng.random() < 0.03 else type_) for type_ in program.types]
