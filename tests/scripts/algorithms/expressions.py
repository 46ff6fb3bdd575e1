"""Parsers and evaluators of expressions."""

import operator
import re

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow}
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}


def lexed(text):
    return re.findall(r"\d+\.?\d*|[-+*/^()]", text)


def to_postfix(text):
    output, stack = [], []
    for token in lexed(text):
        if token == "(":
            stack.append(token)
        elif token == ")":
            while stack and stack[-1] != "(":
                output.append(stack.pop())
            if not stack:
                raise ValueError("unbalanced parentheses")
            stack.pop()
        elif token in PRECEDENCE:
            while (
                stack
                and stack[-1] != "("
                and (
                    PRECEDENCE[stack[-1]] > PRECEDENCE[token]
                    or (PRECEDENCE[stack[-1]] == PRECEDENCE[token] and token != "^")
                )
            ):
                output.append(stack.pop())
            stack.append(token)
        else:
            output.append(token)
    while stack:
        output.append(stack.pop())
    return output


def evaluate_postfix(tokens):
    stack = []
    for token in tokens:
        if token in OPERATORS:
            right = stack.pop()
            left = stack.pop()
            stack.append(OPERATORS[token](left, right))
        else:
            stack.append(float(token))
    return stack.pop()


def calculate(text):
    try:
        return evaluate_postfix(to_postfix(text))
    except ZeroDivisionError:
        return "division by zero"
    except IndexError as error:
        raise ValueError(f"not an expression: {text!r}") from error


def parsed(text):
    """A value of JSON."""
    at = 0

    def skip():
        nonlocal at
        while at < len(text) and text[at] in " \t\n":
            at += 1

    def expect(ch):
        nonlocal at
        skip()
        if text[at : at + 1] != ch:
            raise ValueError(f"expected {ch!r} at {at}")
        at += 1

    def value():
        nonlocal at
        skip()
        if text.startswith("{", at):
            at += 1
            result = {}
            skip()
            while not text.startswith("}", at):
                if result:
                    expect(",")
                key = value()
                expect(":")
                result[key] = value()
                skip()
            at += 1
            return result
        if text.startswith("[", at):
            at += 1
            items = []
            skip()
            while not text.startswith("]", at):
                if items:
                    expect(",")
                items.append(value())
                skip()
            at += 1
            return items
        if text.startswith('"', at):
            end = text.index('"', at + 1)
            found, at = text[at + 1 : end], end + 1
            return found
        for word, constant in (("true", True), ("false", False), ("null", None)):
            if text.startswith(word, at):
                at += len(word)
                return constant
        number = re.compile(r"-?\d+(\.\d+)?").match(text, at)
        if number is None:
            raise ValueError(f"unexpected {text[at : at + 1]!r} at {at}")
        at = number.end()
        return float(number.group()) if number.group(1) else int(number.group())

    result = value()
    skip()
    if at != len(text):
        raise ValueError("something behind the value")
    return result


def polynomial(text):
    terms = {}
    for sign, factor, _, exponent in re.findall(r"([+-]?)\s*(\d*)(x(?:\^(\d+))?)?", text.replace(" ", "")):
        if not factor and not _:
            continue
        degree = int(exponent) if exponent else 1 if _ else 0
        terms[degree] = terms.get(degree, 0) + int(sign + (factor or "1"))
    return dict(sorted(terms.items(), reverse=True))


def brainfuck(program, data=""):
    jumps, stack = {}, []
    for i, op in enumerate(program):
        if op == "[":
            stack.append(i)
        elif op == "]":
            jumps[i] = stack.pop()
            jumps[jumps[i]] = i
    cells, at, i, out, data = [0] * 20, 0, 0, [], iter(data)
    for _ in range(2000):
        if i >= len(program):
            break
        match program[i]:
            case ">":
                at += 1
            case "<":
                at -= 1
            case "+":
                cells[at] = (cells[at] + 1) % 256
            case "-":
                cells[at] = (cells[at] - 1) % 256
            case ".":
                out.append(chr(cells[at]))
            case ",":
                cells[at] = ord(next(data, "\0"))
            case "[" if not cells[at]:
                i = jumps[i]
            case "]" if cells[at]:
                i = jumps[i]
        i += 1
    return "".join(out)


def _expression(rng):
    return (
        "".join(rng.choice(("1", "2.5", "(", ")", "3")) + rng.choice("+-*/^") for _ in range(rng.randint(0, 4))) + "4",
    )


CALLS = {
    lexed: _expression,
    to_postfix: _expression,
    evaluate_postfix: lambda rng: (rng.choices(("1", "2", "+", "*", "/", "0"), k=rng.randint(1, 5)),),
    calculate: _expression,
    parsed: lambda rng: (
        rng.choice(('{"a": [1, -2.5, true], "b": {}}', '[null, "x", ]', "[1 2]", "7 8", "nul", '["a", ["b"]]')),
    ),
    polynomial: lambda rng: (rng.choice(("3x^2 - 4x + 5", "x - x^10", "-7", "x+x+2x")),),
    brainfuck: lambda rng: (rng.choice(("++++[>++++<-]>+.", ",.,.", "+[", "+[>,.<]", "<-.")), "hi"),
}
