"""Random programs for inference: a few containers that get everywhere, and what is put in and read in many ways."""

from __future__ import annotations

import random

_NUMBERS, _TEXTS, _LISTS, _DICTS, _MIXED = ("i", "j"), ("s", "u"), ("p", "q", "r"), ("d", "e"), ("x", "y", "z")
_FIRST = {
    "i": "3", "j": "n", "s": "'ab'", "u": "'c'", "p": "[]", "q": "[]", "r": "[[]]", "d": "{}", "e": "{}", "x": "n",
    "y": "t", "z": "[]",
}  # fmt: skip


class Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.helpers = ["h0", "h1"]

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def number(self, depth: int = 2) -> str:
        if depth == 0:
            return self.pick(*_NUMBERS, "0", "1", "2", "len(p)")
        n, m = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            *_NUMBERS, "1", f"{n} + {m}", f"{n} - 1", f"({n} if {m} > 1 else 0)", f"min({n}, {m})",
            f"len({self.list(0)})", f"abs({n})", f"{n} & 3", f"int({n})", "s.find('a')", "d.get('a', 1)", "p[0]",
            "x", f"divmod({n}, 3)[0]", f"sum([{n}, {m}])", "True", "1.5",
        )  # fmt: skip

    def text(self, depth: int = 1) -> str:
        if depth == 0:
            return self.pick(*_TEXTS, "'a'", "'bc'", "''")
        s, u = self.text(depth - 1), self.text(depth - 1)
        return self.pick(
            *_TEXTS, f"{s} + {u}", f"({s} + 'k')[0]", f"{s}.upper()", f"str({self.number(0)})",
            f"'-'.join({self.list(0)})", f"{s}[1:]", "q[0]", f"({s} or {u})", f"max({s}, {u})",
            f"sorted({s} + 'b')[0]", f"{s}.partition('a')[0]", f"chr(97 + ({self.number(0)} & 7))", "f'{s}{i}'",
        )  # fmt: skip

    def list(self, depth: int = 2) -> str:
        if depth == 0:
            return self.pick(*_LISTS, "[]", "z")
        a, b = self.list(depth - 1), self.list(depth - 1)
        return self.pick(
            *_LISTS, "[]", f"[{self.any(0)}]", f"[{self.any(0)}, {self.any(0)}]", f"({a} + {b})", f"({a} * 2)",
            f"{a}[:]", f"{a}[:2]", f"[{self.any(0)} for k in {a}]", f"[k for k in {a}]", f"list({a})",
            f"list({self.text(0)})", f"{self.text(0)}.split()", f"sorted({self.text(0)})", f"{a}.copy()",
            f"({a} or {b})", f"({a} if {self.number(0)} else {b})", "r[0]", "d.setdefault('l', [])",
            f"list(enumerate({a}))", f"list(zip({a}, {b}))", "list(d.values())", "list(d.items())",
            f"h0({a}, {self.any(0)})", f"h1({a}, {b})", f"list(reversed({a}))", "list(range(3))",
            f"(d.get('l') or {a})", f"[[{self.any(0)}] * 2 for _ in range(2)]", f"[v for k, v in enumerate({a})]",
            f"[({a}, k) for k in {b}][0][0]",
        )  # fmt: skip

    def dict(self, depth: int = 1) -> str:
        if depth == 0:
            return self.pick(*_DICTS, "{}")
        a = self.dict(depth - 1)
        return self.pick(
            *_DICTS, "{}", f"{{{self.key()}: {self.any(0)}}}", f"{{k: {self.any(0)} for k in {self.text(0)}}}",
            f"{a}.copy()", f"dict({a})", f"dict(zip({self.text(0)}, {self.list(0)}))",
            f"dict(enumerate({self.list(0)}))", "h2(d)",
        )  # fmt: skip

    def key(self) -> str:
        return self.pick("'a'", "'l'", "s", "i", "1", "u[0]")

    def any(self, depth: int = 1) -> str:
        if depth == 0:
            return self.pick(*_NUMBERS, *_TEXTS, *_LISTS, *_DICTS, *_MIXED, "1", "'a'", "2.5", "None", "(1, 'b')", "[]")
        return self.random.choice([self.number, self.text, self.list, self.list, self.dict, self.mixed])()

    def mixed(self) -> str:
        a = self.any(0)
        return self.pick(
            *_MIXED, "None", f"({a}, {self.any(0)})", f"({self.list(0)}, 1)[0]", f"{self.list(0)}[0]",
            f"{self.list(0)}[-1]", f"d[{self.key()}]", f"({a}, {self.any(0)})[i & 1]", f"({a} and {self.any(0)})",
            "r[0][0]", f"{self.list(0)}.pop()", f"d.pop({self.key()}, {a})", f"d.get({self.key()})",
            f"d.get({self.key()}, {a})", "c(p)", f"h0({a}, {self.any(0)})",
            f"max({self.list(0)}, key=lambda k: 1)", "d.popitem()", f"(1, {a}, 's')[1:]", f"tuple({self.list(0)})",
            f"(1, {a}) + (2,)", "min(p)", f"i ** {self.pick('2', 'i')}", "x == y", "not x", "i / 2", "i // 2",
            "i % 2", "~i", "2.0 * i", "i << 1", "round(2.6)", "round(2.6, 1)", "abs(-1.5)", "divmod(i, 2)",
            "sum(p)",
        )  # fmt: skip

    def assignment(self) -> str:
        n = self.random.random()
        if n < 0.12:
            return f"{self.pick(*_NUMBERS)} = {self.number()}"
        if n < 0.22:
            return f"{self.pick(*_TEXTS)} = {self.text()}"
        if n < 0.42:
            return f"{self.pick(*_LISTS, 'z')} = {self.list()}"
        if n < 0.5:
            return f"{self.pick(*_DICTS)} = {self.dict()}"
        if n < 0.6:
            return f"{self.pick(*_MIXED)} = {self.any()}"
        a = self.any(self.random.randrange(2))
        p = self.pick(*_LISTS, *_LISTS, "z")
        return self.pick(
            f"{p}.append({a})", f"{p}.append({a})", f"{p}.insert(0, {a})", f"{p}.extend({self.list(0)})",
            f"{p} += {self.list(0)}", f"{p} *= 2", f"{p}[0] = {a}", f"{p}[1:] = {self.list(0)}", f"{p}[0] += 1",
            f"r.append({self.list(0)})", f"r[0].append({a})", "r[-1][0] = i", f"d[{self.key()}] = {a}",
            f"d.setdefault({self.key()}, {a})", f"d.setdefault('l', []).append({a})", f"d.update({self.dict(0)})",
            f"d.update([({self.key()}, {a})])", f"d[{self.key()}] += 1",
            f"x, y = {a}, {self.any(0)}", f"x, y = {self.list(0)}", f"x, *p = {self.list(0)}",
            "x, y = (s + 'ab')[:2]", "s, u = (u + 'a')[0], s", "i += 1", "s += u",
            "x = y", "x = None", "y = None", "x = d.get(s)", "y = i", "x = s", "y = s[0]", "x = None if i else u",
            "y = x or None",
            "p = z", "z = p",
            "c(q)", f"p = q = {self.list(1)}", "p, q = q, p", f"h0({self.list(0)}, {a})",
            f"h1({self.list(0)}, {self.list(0)})", "h2(d)", f"{p}.sort(key=lambda k: 0)", f"{p}.reverse()",
            "del d['a']",
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        n = self.random.random()
        if depth == 0 or n < 0.75:
            return [self.assignment()]
        body = ["    " + line for _ in range(self.random.randrange(1, 4)) for line in self.statement(depth - 1)]
        if n < 0.85:
            test = self.pick(
                "i > 1",
                "x is None",
                "x is not None",
                "y is not None and i",
                "x",
                "not y",
                "z is None or x is None",
                "p",
                "isinstance(x, int)",
                "isinstance(x, (str, list))",
                "not d",
                "s == 'a'",
            )
            other = ["    " + line for line in self.statement(depth - 1)]
            return [f"if {test}:", *body, *(["else:", *other] if n < 0.8 else [])]
        head = self.pick(
            f"for x in {self.list(0)}:", f"for u in {self.text(0)}:", "for i, x in enumerate(p):",
            "for x, y in zip(p, q):", "for x, y in d.items():", "for x in d:", "for y in d.values():",
            "for x in d.keys():", "for i in range(3):", "for x in r:", "for z in r:", "for x in (i, s):",
            "for x, y in [(1, 's')]:", "for i, (x, y) in enumerate(zip(s, p)):", f"for x in list({self.list(0)}):",
            "for x in enumerate(s):",
        )  # fmt: skip
        return [head, "    w += 1", "    if w > 12: break", *body]

    def function(self, name: str, parameters: str, count: int, result: str) -> list[str]:
        lines = [f"def {name}({parameters}):", "    w = 0"]
        given = {each.strip() for each in parameters.split(",")}
        for variable, first in _FIRST.items():
            if variable not in given:
                for each in ("n", "t"):
                    if first == each and each not in given:
                        first = "1"
                lines.append(f"    {variable} = {first}")
        for _ in range(count):
            lines += ["    " + line for line in self.statement(2)]
        return [*lines, f"    return {result}", ""]

    def program(self) -> str:
        lines = self.function("f", "n, t, c", self.random.randrange(4, 14), self.any(1))
        h0 = self.pick("p.append(x)", "p = [x]", "x = [p, x]", "d['k'] = p", "p = p + [x]", "p += [x]", "p[0] = x")
        lines += ["def h0(p, x):", f"    {h0}", f"    return {self.pick('p', 'x', '[p]', '[x]')}", ""]
        h1 = self.pick(
            "a.append(b)", "a.extend(b)", "a = b", "b.append(1)", "a += b", "b = [a, b]", "h0(a, b)", "a = h1(b, [])"
        )
        lines += [
            "def h1(a, b):",
            "    if len(a) > 20: return b",
            f"    {h1}",
            f"    return {self.pick('a', 'b', '[a, b]', 'a + b')}",
            "",
        ]
        h2 = self.pick("d['z'] = 1", "d['z'] = [d.get('a')]", "d[1] = 's'", "d = d.copy()", "d['l'] = [1]")
        lines += ["def h2(d):", f"    {h2}", "    return d", ""]
        if "d['k']" in h0:
            lines = [line.replace("def h0(p, x):", "def h0(p, x):\n    d = {}") for line in lines]
        return "\n".join(lines) + "\n"
