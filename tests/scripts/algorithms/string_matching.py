"""Patterns in texts."""


def naive_search(text, pattern):
    return [i for i in range(len(text) - len(pattern) + 1) if text[i : i + len(pattern)] == pattern]


def failure_array(pattern):
    failure = [0]
    i, j = 0, 1
    while j < len(pattern):
        if pattern[i] == pattern[j]:
            i += 1
        elif i > 0:
            i = failure[i - 1]
            continue
        j += 1
        failure.append(i)
    return failure


def knuth_morris_pratt(text, pattern):
    failure = failure_array(pattern)
    i, j = 0, 0
    while i < len(text):
        if pattern[j] == text[i]:
            if j == len(pattern) - 1:
                return i - j
            j += 1
        elif j > 0:
            j = failure[j - 1]
            continue
        i += 1
    return -1


def rabin_karp(pattern, text, alphabet_size=256, modulus=1000003):
    p_len, t_len = len(pattern), len(text)
    if p_len > t_len:
        return False
    p_hash = text_hash = 0
    power = 1
    for i in range(p_len):
        p_hash = (ord(pattern[i]) + p_hash * alphabet_size) % modulus
        text_hash = (ord(text[i]) + text_hash * alphabet_size) % modulus
        if i == p_len - 1:
            continue
        power = (power * alphabet_size) % modulus
    for i in range(t_len - p_len + 1):
        if text_hash == p_hash and text[i : i + p_len] == pattern:
            return True
        if i == t_len - p_len:
            continue
        text_hash = ((text_hash - ord(text[i]) * power) * alphabet_size + ord(text[i + p_len])) % modulus
    return False


def z_function(s):
    z = [0 for _ in range(len(s))]
    left, right = 0, 0
    for i in range(1, len(s)):
        if i <= right:
            z[i] = min(right - i + 1, z[i - left])
        while i + z[i] < len(s) and s[z[i]] == s[i + z[i]]:
            z[i] += 1
        if i + z[i] - 1 > right:
            left, right = i, i + z[i] - 1
    return z


def boyer_moore(text, pattern):
    last = {ch: i for i, ch in enumerate(pattern)}
    found = []
    i = 0
    while i <= len(text) - len(pattern):
        for j in range(len(pattern) - 1, -1, -1):
            if pattern[j] != text[i + j]:
                i += max(1, j - last.get(text[i + j], -1))
                break
        else:
            found.append(i)
            i += 1
    return found


def wildcard(text, pattern):
    if not pattern:
        return not text
    if pattern[0] == "*":
        return wildcard(text, pattern[1:]) or (bool(text) and wildcard(text[1:], pattern))
    return bool(text) and pattern[0] in ("?", text[0]) and wildcard(text[1:], pattern[1:])


def manacher(text):
    spaced = "|" + "|".join(text) + "|"
    lengths = [0] * len(spaced)
    centre = right = 0
    for i in range(len(spaced)):
        if i < right:
            lengths[i] = min(right - i, lengths[2 * centre - i])
        while (
            i - lengths[i] - 1 >= 0
            and i + lengths[i] + 1 < len(spaced)
            and spaced[i - lengths[i] - 1] == spaced[i + lengths[i] + 1]
        ):
            lengths[i] += 1
        if i + lengths[i] > right:
            centre, right = i, i + lengths[i]
    at = max(range(len(spaced)), key=lengths.__getitem__)
    return spaced[at - lengths[at] : at + lengths[at] + 1].replace("|", "")


def suffix_array(text):
    return sorted(range(len(text)), key=lambda i: text[i:])


def _both(rng):
    return "".join(rng.choices("aab", k=rng.randint(0, 30))), "".join(rng.choices("ab", k=rng.randint(1, 3)))


CALLS = {
    naive_search: _both,
    failure_array: lambda rng: _both(rng)[1:],
    knuth_morris_pratt: _both,
    rabin_karp: lambda rng: _both(rng)[::-1],
    z_function: lambda rng: _both(rng)[:1],
    boyer_moore: _both,
    wildcard: lambda rng: (_both(rng)[0][:9], "".join(rng.choices("ab?*", k=rng.randint(0, 4)))),
    manacher: lambda rng: _both(rng)[:1],
    suffix_array: lambda rng: _both(rng)[:1],
}
