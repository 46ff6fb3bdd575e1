"""Units, and formulas of physics and finance."""

from math import log10, pow

LENGTHS = {"mm": 0.001, "cm": 0.01, "m": 1, "km": 1000, "inch": 0.0254, "foot": 0.3048, "mile": 1609.344}
PREFIXES = ["", "kilo", "mega", "giga", "tera"]


def converted(value, from_unit, to_unit):
    units = {name.rstrip("s"): factor for name, factor in LENGTHS.items()}
    from_unit, to_unit = from_unit.lower().rstrip("s"), to_unit.lower().rstrip("s")
    if from_unit not in units:
        raise ValueError(f"Invalid 'from_type' value: {from_unit!r}.\nConversion abbreviations are: {', '.join(units)}")
    return round(value * units[from_unit] / units[to_unit], 6)


def temperature(value, kind):
    match kind:
        case "C" | "celsius":
            return {"F": value * 9 / 5 + 32, "K": value + 273.15}
        case "F":
            return {"C": (value - 32) * 5 / 9}
        case str() if kind.isupper():
            raise ValueError(kind)
        case _:
            return None


def with_prefix(value):
    for prefix in reversed(PREFIXES):
        factor = 1000 ** PREFIXES.index(prefix)
        if abs(value) >= factor:
            return f"{value / factor:g} {prefix}".strip()
    return str(value)


def interest(principal, rate, years):
    if principal <= 0:
        raise ValueError("principal must be > 0")
    return round(principal * (pow(1 + rate, years) - 1), 2)


def instalment(principal, annual, years):
    rate, payments = annual / 12, years * 12
    return principal * rate * (1 + rate) ** payments / ((1 + rate) ** payments - 1)


def schedule(principal, rate, payment):
    rows, month = [], 0
    while principal > 0 and month < 50:
        month += 1
        owed = principal * rate
        paid = min(payment, principal + owed)
        principal = round(principal + owed - paid, 2)
        rows.append((month, round(paid, 2), principal))
    return rows


def ohms_law(voltage, current, resistance):
    if (voltage, current, resistance).count(0) != 1:
        raise ValueError("One and only one argument must be 0")
    if resistance < 0:
        raise ValueError("Resistance cannot be negative")
    if voltage == 0:
        return {"voltage": float(current * resistance)}
    elif current == 0:
        return {"current": voltage / resistance}
    return {"resistance": voltage / current}


def resistors(values, parallel=False):
    if parallel:
        return 1 / sum(1 / value for value in values)
    return sum(values)


def trajectory(speed, gravity=9.81, step=0.1):
    height, time, points = 0.0, 0.0, []
    while height >= 0:
        points.append((round(time, 2), round(height, 3)))
        height += speed * step
        speed -= gravity * step
        time += step
    return points


def decibels(power, reference=1.0):
    try:
        return round(10 * log10(power / reference), 3)
    except (ValueError, ZeroDivisionError):
        return None


def currency(amount, symbol="$"):
    sign = "-" if amount < 0 else ""
    whole, cents = divmod(round(abs(amount) * 100), 100)
    text = str(whole)
    groups = []
    while text:
        groups.insert(0, text[-3:])
        text = text[:-3]
    return f"{sign}{symbol}{','.join(groups)}.{cents:02d}"


CALLS = {
    converted: lambda rng: (rng.uniform(0, 9), rng.choice(("m", "Miles", "x")), rng.choice(("cm", "foot", "y"))),
    temperature: lambda rng: (rng.randint(-50, 50), rng.choice(("C", "F", "celsius", "X", "k", 3))),
    with_prefix: lambda rng: (rng.choice((0.5, 3, 4500, -2.5e6, 10**13)),),
    interest: lambda rng: (rng.choice((0, 1000, 2500.5)), 0.05, rng.randint(0, 9)),
    instalment: lambda rng: (25000, rng.choice((0.12, 0.0)), 3),
    schedule: lambda rng: (1000.0, 0.01, rng.choice((100, 350.5, 5))),
    ohms_law: lambda rng: (rng.choice((0, 10)), rng.choice((0, 5)), rng.choice((0, 2, -1))),
    resistors: lambda rng: ([rng.randint(0, 5) for _ in range(3)], rng.choice((True, False))),
    trajectory: lambda rng: (rng.uniform(1, 9),),
    decibels: lambda rng: (rng.choice((0, 1, 250.0, -1)), rng.choice((1.0, 0))),
    currency: lambda rng: (rng.choice((0, 1234567.891, -42.5, 999.999)),),
}
