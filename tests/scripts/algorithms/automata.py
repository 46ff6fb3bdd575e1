"""State machines and simulations."""

from enum import Enum


class Light(Enum):
    RED = 1
    GREEN = 2
    AMBER = 3


class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        if not self.items:
            raise IndexError("pop from an empty stack")
        return self.items.pop()

    def __len__(self):
        return len(self.items)

    def __repr__(self):
        return f"Stack({self.items})"


def next_light(light):
    return {Light.RED: Light.GREEN, Light.GREEN: Light.AMBER, Light.AMBER: Light.RED}[light]


def lights(count):
    light, seen = Light.RED, []
    for _ in range(count):
        seen.append(light.name)
        light = next_light(light)
    return seen


def accepts(transitions, accepting, text, start="q0"):
    state = start
    for ch in text:
        state = transitions.get((state, ch))
        if state is None:
            return False
    return state in accepting


def accepts_any(transitions, accepting, text):
    """Of a machine with several next states."""
    states = {"q0"}
    for ch in text:
        states = {after for state in states for after in transitions.get((state, ch), ())}
    return not states.isdisjoint(accepting)


def turing(tape, rules, steps=50):
    cells = dict(enumerate(tape))
    at, state = 0, "start"
    for _ in range(steps):
        symbol = cells.get(at, "_")
        if (state, symbol) not in rules:
            break
        state, cells[at], move = rules[state, symbol]
        at += {"L": -1, "R": 1}.get(move, 0)
    return state, "".join(cells[i] for i in sorted(cells)).strip("_")


def rule_cells(rule, width, generations):
    row = [0] * width
    row[width // 2] = 1
    shown = []
    for _ in range(generations):
        shown.append("".join("#" if cell else "." for cell in row))
        row = [rule >> (row[i - 1] << 2 | row[i] << 1 | row[(i + 1) % width]) & 1 for i in range(width)]
    return shown


def virtual_machine(program):
    stack, variables, at, output = Stack(), {}, 0, []
    while at < len(program):
        op, *args = program[at].split()
        at += 1
        try:
            if op == "push":
                stack.push(int(args[0]))
            elif op == "add":
                stack.push(stack.pop() + stack.pop())
            elif op == "mul":
                stack.push(stack.pop() * stack.pop())
            elif op == "store":
                variables[args[0]] = stack.pop()
            elif op == "load":
                stack.push(variables[args[0]])
            elif op == "jump_if":
                if stack.pop():
                    at = int(args[0])
            elif op == "print":
                output.append(stack.pop())
            else:
                raise ValueError(op)
        except IndexError as error:
            output.append(str(error))
            break
        except KeyError as error:
            output.append(f"unknown variable {error}")
            break
    return output, repr(stack)


def linear_congruential(seed, count, a=1103515245, c=12345, m=2**31):
    numbers = []
    for _ in range(count):
        seed = (a * seed + c) % m
        numbers.append(seed)
    return numbers


def xorshift(seed, count):
    found = []
    state = seed & 0xFFFFFFFF
    for _ in range(count):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        found.append(state)
    return found


def elevator(requests, start=0):
    floor, log, up = start, [], True
    waiting = set(requests)
    while waiting:
        ahead = [f for f in waiting if (f >= floor) == up or f == floor]
        if not ahead:
            up = not up
            continue
        floor = min(ahead) if up else max(ahead)
        waiting.remove(floor)
        log.append(floor)
    return log


BINARY = {
    ("q0", "0"): "q0",
    ("q0", "1"): "q1",
    ("q1", "0"): "q2",
    ("q1", "1"): "q0",
    ("q2", "0"): "q1",
    ("q2", "1"): "q2",
}
FLIP = {("start", "0"): ("start", "1", "R"), ("start", "1"): ("start", "0", "R"), ("start", "_"): ("done", "_", "N")}

CALLS = {
    next_light: lambda rng: (rng.choice(list(Light)),),
    lights: lambda rng: (rng.randint(0, 5),),
    accepts: lambda rng: (BINARY, {"q0"}, "".join(rng.choices("01" + "2" * (rng.random() < 0.1), k=6))),
    accepts_any: lambda rng: (
        {("q0", "a"): {"q0", "q1"}, ("q1", "b"): ["q2"]},
        {"q2"},
        "".join(rng.choices("ab", k=3)),
    ),
    turing: lambda rng: ("".join(rng.choices("01", k=5)), FLIP),
    rule_cells: lambda rng: (rng.choice((30, 90, 110)), 11, 5),
    virtual_machine: lambda rng: (
        [
            "push 3",
            "store n",
            "load n",
            rng.choice(("print", "add", "load x", "what", "jump_if 6")),
            "push 2",
            "mul",
            "print",
        ],
    ),
    linear_congruential: lambda rng: (rng.randint(0, 99), 5),
    xorshift: lambda rng: (rng.randint(1, 2**40), 5),
    elevator: lambda rng: ([rng.randint(0, 9) for _ in range(5)], rng.randint(0, 9)),
}
