"""Accounts, stock and orders: records, and exceptions of one's own."""

from collections import defaultdict
from contextlib import contextmanager


class Insufficient(Exception):
    def __init__(self, wanted, available):
        super().__init__(f"wanted {wanted}, there are {available}")
        self.wanted, self.available = wanted, available


class Unknown(KeyError):
    pass


class Ledger:
    def __init__(self, balances):
        self.balances = dict(balances)
        self.history = []

    def move(self, source, target, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        if source not in self.balances or target not in self.balances:
            raise Unknown(source if source not in self.balances else target)
        if self.balances[source] < amount:
            raise Insufficient(amount, self.balances[source])
        self.balances[source] -= amount
        self.balances[target] += amount
        self.history.append((source, target, amount))


@contextmanager
def transaction(ledger):
    before = dict(ledger.balances)
    try:
        yield ledger
    except (Insufficient, Unknown):
        ledger.balances = before
        raise


def settle(balances, moves):
    ledger, failed = Ledger(balances), []
    for number, (source, target, amount) in enumerate(moves):
        try:
            ledger.move(source, target, amount)
        except Insufficient as error:
            failed.append((number, error.wanted - error.available))
        except Unknown as error:
            failed.append((number, error.args[0]))
        except ValueError as error:
            failed.append((number, str(error)))
        else:
            failed.append((number, "ok"))
    return ledger.balances, failed


def all_or_nothing(balances, moves):
    ledger = Ledger(balances)
    try:
        with transaction(ledger):
            for move in moves:
                ledger.move(*move)
    except (Insufficient, Unknown) as error:
        return type(error).__name__, ledger.balances
    return "done", ledger.balances


def total_by(orders, key):
    totals = defaultdict(lambda: [0, 0.0])
    for order in orders:
        entry = totals[order[key]]
        entry[0] += 1
        entry[1] += order["price"] * order.get("count", 1)
    return {name: (count, round(amount, 2)) for name, (count, amount) in totals.items()}


def restock(stock, least):
    return {name: least[name] - count for name, count in stock.items() if count < least.setdefault(name, 1)}


def pick(stock, order):
    missing = []
    for name, count in order.items():
        try:
            if stock[name] < count:
                raise Insufficient(count, stock[name])
            stock[name] -= count
            if not stock[name]:
                del stock[name]
        except KeyError:
            missing.append(name)
        except Insufficient as error:
            missing.append(f"{name}: {error}")
    return sorted(missing)


def ranked(scores):
    ranks, place, before = {}, 0, None
    for i, (name, score) in enumerate(sorted(scores.items(), key=lambda item: (-item[1], item[0])), 1):
        if score != before:
            place, before = i, score
        ranks[name] = place
    return ranks


def nested_value(data, path, default=None):
    for part in path.split("."):
        try:
            data = data[int(part)] if isinstance(data, list) else data[part]
        except (KeyError, IndexError, ValueError, TypeError):
            return default
    return data


def deep_merge(a, b):
    for key, value in b.items():
        if isinstance(value, dict) and isinstance(a.get(key), dict):
            deep_merge(a[key], value)
        else:
            a[key] = value
    return a


def flattened(data, prefix=""):
    flat = {}
    for key, value in data.items():
        name = f"{prefix}.{key}" if prefix else str(key)
        flat.update(flattened(value, name) if isinstance(value, dict) and value else {name: value})
    return flat


def _moves(rng):
    return {"a": 5, "b": 3, "c": 0}, [(rng.choice("abcx"), rng.choice("abc"), rng.randint(0, 4)) for _ in range(5)]


def _nested(rng, depth=2):
    return {
        k: _nested(rng, depth - 1) if depth and rng.random() < 0.6 else rng.choice((1, [1, {"z": 2}]))
        for k in rng.sample("xyz", 2)
    }


CALLS = {
    settle: _moves,
    all_or_nothing: _moves,
    transaction: None,
    total_by: lambda rng: (
        [
            {"who": rng.choice("ab"), "price": rng.randint(1, 9) / 4, **({"count": 2} if rng.random() < 0.5 else {})}
            for _ in range(5)
        ],
        "who",
    ),
    restock: lambda rng: ({"a": rng.randint(0, 3), "b": 0}, {"a": 2}),
    pick: lambda rng: ({"a": 2, "b": 1}, {rng.choice("abc"): 1, "b": rng.randint(1, 2)}),
    ranked: lambda rng: ({name: rng.randint(0, 3) for name in "abcde"},),
    nested_value: lambda rng: (_nested(rng), rng.choice(("x", "x.y", "y.1.z", "z.q", ""))),
    deep_merge: lambda rng: (_nested(rng), _nested(rng)),
    flattened: lambda rng: (_nested(rng),),
}
