"""Classical ciphers."""

import string

LETTERS = string.ascii_uppercase


def caesar(text, key, alphabet=string.ascii_letters):
    result = ""
    for character in text:
        if character not in alphabet:
            result += character
        else:
            result += alphabet[(alphabet.index(character) + key) % len(alphabet)]
    return result


def brute_force(text):
    return {key: caesar(text.upper(), -key, LETTERS) for key in range(1, 26)}


def rot13(text):
    return text.translate(
        str.maketrans(
            LETTERS + LETTERS.lower(), LETTERS[13:] + LETTERS[:13] + LETTERS.lower()[13:] + LETTERS.lower()[:13]
        )
    )


def vigenere(key, message, mode="encrypt"):
    translated = []
    at = 0
    key = key.upper()
    for symbol in message:
        number = LETTERS.find(symbol.upper())
        if number == -1:
            translated.append(symbol)
            continue
        number += LETTERS.find(key[at]) if mode == "encrypt" else -LETTERS.find(key[at])
        number %= len(LETTERS)
        translated.append(LETTERS[number] if symbol.isupper() else LETTERS[number].lower())
        at = (at + 1) % len(key)
    return "".join(translated)


def atbash(text):
    output = ""
    for i in text:
        extract = ord(i)
        if 65 <= extract <= 90:
            output += chr(155 - extract)
        elif 97 <= extract <= 122:
            output += chr(219 - extract)
        else:
            output += i
    return output


def rail_fence(text, rails):
    if rails <= 0:
        raise ValueError("Height of grid can't be 0 or negative")
    if rails == 1 or len(text) <= rails:
        return text
    rows = [[] for _ in range(rails)]
    lowest = rails - 1
    for position, character in enumerate(text):
        at = position % (lowest * 2)
        rows[min(at, lowest * 2 - at)].append(character)
    return "".join("".join(row) for row in rows)


def morse(message, table={"A": ".-", "B": "-...", "E": ".", "N": "-.", "O": "---", "S": "...", "T": "-", " ": "/"}):
    return " ".join(table[char] for char in message.upper())


def xor(data: bytes, key: bytes) -> bytes:
    return bytes(byte ^ key[i % len(key)] for i, byte in enumerate(data))


def polybius(text):
    square = {}
    for i, ch in enumerate(string.ascii_lowercase.replace("j", "")):
        square[ch] = f"{i // 5 + 1}{i % 5 + 1}"
    square["j"] = square["i"]
    return "".join([square.get(ch, ch) for ch in text.lower()])


def _text(rng):
    return "".join(rng.choices("Hello, World! jÄz", k=rng.randint(0, 20)))


CALLS = {
    caesar: lambda rng: (_text(rng), rng.randint(-60, 60)),
    brute_force: lambda rng: (_text(rng),),
    rot13: lambda rng: (_text(rng),),
    vigenere: lambda rng: ("Key", _text(rng), rng.choice(("encrypt", "decrypt"))),
    atbash: lambda rng: (_text(rng),),
    rail_fence: lambda rng: (_text(rng), rng.randint(0, 4)),
    morse: lambda rng: ("".join(rng.choices("sos neat b" + "?" * (rng.random() < 0.2), k=8)),),
    xor: lambda rng: (bytes(rng.choices(range(256), k=9)), b"key"),
    polybius: lambda rng: (_text(rng),),
}
