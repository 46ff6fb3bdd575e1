"""Checks of identifiers and formats."""

import re

EMAIL = re.compile(r"^[\w.+-]+@[\w-]+(\.[\w-]+)+$")
HEX_COLOUR = re.compile("#(?:[0-9a-f]{3}){1,2}", re.IGNORECASE)


def is_email(text):
    return bool(EMAIL.match(text))


def is_isbn(text):
    digits = [ch for ch in text if ch not in "- "]
    if len(digits) == 10:
        values = [10 if ch in "xX" and i == 9 else int(ch) for i, ch in enumerate(digits)]
        return sum((10 - i) * v for i, v in enumerate(values)) % 11 == 0
    return len(digits) == 13 and sum(int(ch) * (3 if i % 2 else 1) for i, ch in enumerate(digits)) % 10 == 0


def is_iban(text):
    text = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{4,30}", text):
        return False
    moved = text[4:] + text[:4]
    return int("".join(str(int(ch, 36)) for ch in moved)) % 97 == 1


def is_ipv4(text):
    octets = text.split(".")
    return len(octets) == 4 and all(o.isdigit() and int(o) <= 255 and (o == "0" or o[0] != "0") for o in octets)


def ip_number(text):
    if not is_ipv4(text):
        raise ValueError("Invalid IPv4 address: " + text)
    value = 0
    for octet in text.split("."):
        value = (value << 8) + int(octet)
    return value


def colour(text):
    if not HEX_COLOUR.fullmatch(text):
        return None
    text = text[1:]
    if len(text) == 3:
        text = "".join(ch * 2 for ch in text)
    return tuple(int(text[i : i + 2], 16) for i in (0, 2, 4))


def password_faults(password, least=8):
    rules = {
        "upper": any(ch.isupper() for ch in password),
        "lower": any(map(str.islower, password)),
        "digit": any(ch.isdigit() for ch in password),
        "other": not password.isalnum(),
        "long": len(password) >= least,
    }
    return [name for name, kept in rules.items() if not kept]


def phone(text):
    match = re.match(r"^\+?(?P<country>\d{1,2})?[ -]?\(?(?P<area>\d{3})\)?[ -]?(?P<number>\d{3}-?\d{4})$", text)
    return match.groupdict() if match else None


def dates_in(text):
    return [tuple(map(int, found)) for found in re.findall(r"\b(\d{4})-(\d\d)-(\d\d)\b", text)]


def masked(text):
    return re.sub(r"\b\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?(\d{4})\b", lambda m: "**** " + m.group(1), text)


def semver(text):
    match = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)(?:-([\w.]+))?", text)
    if match is None:
        raise ValueError(f"not a version: {text!r}")
    major, minor, patch, pre = match.groups()
    return int(major), int(minor), int(patch), pre or ""


def compare_versions(a, b):
    x, y = semver(a), semver(b)
    return (x > y) - (x < y)


CALLS = {
    is_email: lambda rng: (rng.choice(("a@b.c", "a.b+c@d-e.fr", "a@b", "@b.c", "a b@c.d")),),
    is_isbn: lambda rng: (rng.choice(("0-306-40615-2", "080442957X", "978-3-16-148410-0", "123", "abcdefghij")),),
    is_iban: lambda rng: (rng.choice(("GB82 WEST 1234 5698 7654 32", "DE89370400440532013000", "GB82", "XX00AAAA")),),
    is_ipv4: lambda rng: (rng.choice(("192.168.0.1", "256.1.1.1", "1.2.3", "01.2.3.4", "a.b.c.d")),),
    ip_number: lambda rng: (rng.choice(("192.168.0.1", "0.0.0.0", "1.2.3")),),
    colour: lambda rng: (rng.choice(("#fff", "#A0b1C2", "#ab", "red")),),
    password_faults: lambda rng: ("".join(rng.choices("aB1_", k=rng.randint(0, 9))),),
    phone: lambda rng: (rng.choice(("+1 (555) 123-4567", "5551234567", "12-34", "49-555-1234567")),),
    dates_in: lambda rng: ("from 2024-01-31 to 1999-12-01, not 2024-1-1" * rng.randint(0, 2),),
    masked: lambda rng: (rng.choice(("card 1234 5678 9012 3456.", "1234567890123456", "none 1234")),),
    semver: lambda rng: (rng.choice(("1.2.3", "0.10.0-rc.1", "1.2")),),
    compare_versions: lambda rng: (rng.choice(("1.2.3", "1.10.0")), rng.choice(("1.2.3", "1.2.3-a"))),
}
