"""Random scripts of try statements: nested, in loops, left by every kind of jump. The same seed gives the same program.

What happens is in a list that is returned, and seen by a callable that is passed in; loops are bounded by a counter.
"""

from __future__ import annotations

import random

KINDS = ("ValueError", "KeyError", "IndexError", "ZeroDivisionError", "RuntimeError", "TypeError", "RecursionError")
CLASSES = (*KINDS, "LookupError", "ArithmeticError", "Exception", "(KeyError, ValueError)", "(LookupError, TypeError)")
HELPERS = """
class Own(ValueError):
    pass


class Manager:
    def __init__(self, n, seen):
        self.n, self.seen = n, seen

    def __enter__(self):
        if self.n % 7 == 6:
            raise Own("enter")
        return self.n

    def __exit__(self, kind, error, where):
        self.seen(type(error).__name__)
        return self.n % 3 == 0


def fails(n):
    if n % 3 == 0:
        raise ValueError(f"fails {n}")
    return [10, 20][n % 4]


def wraps(n):
    try:
        return fails(n)
    except IndexError:
        raise KeyError(n)
    finally:
        n += 1
"""


class Program:
    """One random function `run(log, xs, words, table, n)`: `source`, and `arguments`."""

    def __init__(self, seed: int, seen: bool, objects: bool) -> None:
        self.rng = random.Random(seed)
        #: Exceptions have names, and are of classes of its own; and there is `with`.
        self.objects = objects
        #: What is being handled is looked at.
        self.seen = seen
        self.steps = 0
        self.left = 8
        lines = ["out, v, text = [], 1, 'a'", *self.block(0, 0, 0), "return out, v, text"]
        body = "\n".join("    " + line for line in lines)
        self.source = f"{HELPERS}\n\ndef run(log, xs, words, table, n):\n{body}\n"

    def arguments(self) -> list[object]:
        r = self.rng
        xs = [r.randint(-2, 4) for _ in range(r.randint(0, 3))]
        words = r.sample(["1", "x", "naïve", "-7", "", "a long word that is no number"], r.randint(0, 3))
        return [xs, words, {word: r.randint(0, 2) for word in words[1:]}, 0]

    def step(self) -> int:
        self.steps += 1
        return self.steps

    def block(self, depth: int, loops: int, handlers: int) -> list[str]:
        found: list[str] = []
        for _ in range(self.rng.randint(1, 3)):
            found += self.statement(depth, loops, handlers)
        return found

    def statement(self, depth: int, loops: int, handlers: int) -> list[str]:
        r = self.rng
        if depth < 5 and self.left > 0 and r.random() < 0.55:
            self.left -= 1
            return self.compound(depth, loops, handlers)
        return [self.simple(loops, handlers)]

    def compound(self, depth: int, loops: int, handlers: int) -> list[str]:
        r = self.rng
        if r.random() < 0.65:
            return self.tried(depth, loops, handlers)
        if self.objects and r.random() < 0.4:
            target = r.choice(("", " as v", " as w"))
            return [f"with Manager(n + {r.randint(0, 5)}, log){target}:", *self.indented(depth, loops, handlers)]
        inner = self.indented(depth, loops + 1, handlers)
        kind = r.random()
        if kind < 0.35:
            return [f"if n % {r.randint(2, 3)} == 0:", *self.indented(depth, loops, handlers)]
        if kind < 0.7:
            head = [f"for {r.choice(('i', 'v'))} in {r.choice(('range(2)', 'xs', '[3, 0]'))}:", "    n += 1"]
        else:
            head = [f"while n < {r.randint(3, 30)}:", "    n += 1"]
        found = [*head, *inner]
        return [*found, "else:", *self.indented(depth, loops, handlers)] if r.random() < 0.3 else found

    def indented(self, depth: int, loops: int, handlers: int) -> list[str]:
        return ["    " + line for line in self.block(depth + 1, loops, handlers)]

    def tried(self, depth: int, loops: int, handlers: int) -> list[str]:
        r = self.rng
        found = ["try:", *self.indented(depth, loops, handlers)]
        count = r.randint(0, 2)
        for _ in range(count):
            kinds, name = r.choice(CLASSES), ""
            if self.objects:
                kinds = r.choice((kinds, "Own", "(Own, KeyError)"))
                name = r.choice(("", " as e", " as e", " as f"))
            found += [f"except {kinds}{name}:", *self.indented(depth, loops, handlers + 1)]
        if count and r.random() < 0.2:
            found += ["except:", *self.indented(depth, loops, handlers + 1)]
        if count and r.random() < 0.3:
            found += ["else:", *self.indented(depth, loops, handlers)]
        if not count or r.random() < 0.4:
            found += ["finally:", *self.indented(depth, loops, handlers)]
        return found

    def simple(self, loops: int, handlers: int) -> str:
        r, at = self.rng, self.step()
        choices = [
            f"out.append({at})",
            f"out.append({at})",
            f"out.append(xs[{r.randint(-3, 3)}])",
            "v = 10 // v",
            f"v = table[{r.choice(('words[-1]', repr('x'), 'text'))}]",
            "v = int(words[0])",
            f"text = words[{r.randint(0, 2)}].upper() + text[:9]",
            "text += str(v)",
            "text = text.strip() or str(n)",
            f"v = fails(n + {r.randint(0, 4)})",
            f"v = wraps(n + {r.randint(0, 4)})",
            f"raise {r.choice(KINDS)}('raised {at}')",
            f"raise {r.choice(KINDS)}",
            f"raise {r.choice(KINDS)}(f'{{n}} é {at}')",
            f"assert v > 0, {at}",
            "del v",
            "v = 2",
            "table[text] = v",
            f"if n % 2: return [out, {at}]",
            f"return {r.choice(('text', 'out', 'v', repr(at), '(text, v)'))}",
        ]
        if loops:
            choices += ["break", "continue", "if n % 2: break", "if n % 3: continue"]
        if handlers:
            choices += ["raise", "raise", "if n % 2: raise"]
        if self.seen:
            choices += [f"log({at})"] * 4
        if self.objects:
            choices += [f"raise Own({at})", f"raise Own({at}, n) from KeyError({at})", "raise ValueError(n, 2)"]
            choices += ["raise e", "raise Own from e", "out.append(e.args)", "out.append(repr(f))", "text = str(e)"]
            choices += ["del e", "f = v", "raise Own from None"]
        return r.choice(choices)
