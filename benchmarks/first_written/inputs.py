"""What the text functions are called with: small random arguments, and texts of a size that is worth measuring.

Everything follows from the random numbers that are given: two calls with the same seed are equal, and share nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.first_written import formats, words

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    #: Makes arguments: *size* words or lines, more or less.
    Maker = Callable[[Random, int], tuple[Any, ...]]

_SYLLABLES = (
    "ba", "be", "bi", "ka", "ko", "lo", "ma", "mi", "na", "ne", "no", "pa", "pe", "ra", "ri", "sa", "se", "so", "ta",
    "ti", "to", "va", "ve", "zo", "naïve", "über", "日本", "x",
)  # fmt: skip
_MARKS = ("", "", "", "", ",", ".", "!", "?", ";")


def _word(rng: Random) -> str:
    word = "".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4)))
    return word.title() if rng.random() < 0.1 else word


def _words(rng: Random, size: int) -> list[str]:
    known = [_word(rng) for _ in range(max(2, int(size**0.7)))] + sorted(words.STOP_WORDS)
    return [known[min(int(rng.expovariate(6) * len(known)), len(known) - 1)] for _ in range(size)]


def _text(rng: Random, size: int) -> str:
    return " ".join([word + rng.choice(_MARKS) for word in _words(rng, size)])


def _pairs(rng: Random, size: int) -> tuple[Any, ...]:
    ranks = words.train_byte_pairs(_text(rng, 60), 40)
    return "".join([_word(rng) for _ in range(size // 4 + 1)]), ranks


def _pieces(rng: Random, size: int) -> tuple[Any, ...]:
    vocabulary = {mark + each for each in _SYLLABLES for mark in ("", "##") if rng.random() < 0.9}
    return _text(rng, size), vocabulary


def _source(rng: Random, size: int) -> tuple[Any, ...]:
    line = (
        "if x1 <= 3.5: return name  # so\n",
        "while a_b != 'text':\n    y = y -> 2\n",
        'def f(é, "open\n',
        "\n",
        "z=(1)\n",
    )
    weight = (5, 5, 0 if size > 100 else 1, 2, 5)
    return ("".join(rng.choices(line, weight, k=size // 8 + 1)),)


def _documents(rng: Random, size: int) -> tuple[Any, ...]:
    return ([_text(rng, rng.randint(1, 60)) for _ in range(size // 30 + 2)],)


def _log(rng: Random, size: int) -> tuple[Any, ...]:
    made = [
        f"10.0.{rng.randint(0, 3)}.{rng.randint(0, 9)} - - [10/Oct/2026:13:55:{rng.randint(10, 59)} +0000] "
        f'"{rng.choice(("GET", "POST"))} /{_word(rng)}?q={rng.randint(0, 9)} HTTP/1.1" '
        f"{rng.choice((200, 200, 200, 301, 404, 500))} {rng.choice(('-', rng.randint(0, 9999)))}"
        if rng.random() < 0.95
        else _text(rng, 3)
        for _ in range(size // 6 + 1)
    ]
    return (made,)


def _csv(rng: Random, size: int) -> tuple[Any, ...]:
    fields = [rng.choice((_word(rng), f'"{_word(rng)}, ""{_word(rng)}""\n"', str(rng.random()))) for _ in range(size)]
    return ("".join([each + ("\r\n" if i % 7 == 6 else ",") for i, each in enumerate(fields)]),)


def _settings(rng: Random, size: int) -> tuple[Any, ...]:
    values = ("12", "-3.5", "yes", "False", "1e3", "text; why", "a = b")
    lines = [
        f"[{_word(rng)}]" if rng.random() < 0.1 else f"{_word(rng)} = {rng.choice(values)}"
        for _ in range(size // 3 + 2)
    ]
    return ("\n".join([*lines, "wrong"] if size < 100 and rng.random() < 0.1 else lines),)


def _address(rng: Random, size: int) -> tuple[Any, ...]:
    pairs = [f"{_word(rng)}={rng.choice(('a+b', '%C3%A9', '%zz', '1', ''))}" for _ in range(size // 3)]
    return (f"https://example.org{rng.choice(('', ':8080'))}/{_word(rng)}?{'&'.join(pairs)}#end",)


def _template(rng: Random, size: int) -> tuple[Any, ...]:
    rows = [{"name": _word(rng), "tags": _words(rng, 3)} for _ in range(size // 8 + 1)]
    item = "<li>{{ row.name|title|escape }}: {{ row.tags|length }}</li>"
    text = f"<h1>{{{{ title|upper }}}}</h1>{{% for row in rows %}}{item}{{% end %}}."
    return text, {"title": _text(rng, 3), "rows": rows}


def _page(rng: Random, size: int) -> tuple[Any, ...]:
    parts = ("<p class='x'>", "</p>\n", "<!-- no\n -->", "<script>var a = '<p>'</script>", "&amp;", "&#233;", "<br/>")
    return ("".join([rng.choice(parts) + _text(rng, 4) for _ in range(size // 5 + 1)]),)


def _markdown(rng: Random, size: int) -> tuple[Any, ...]:
    parts = ("# {}", "- {}", "* **{}**", "`{}` & more", "[{}](http://a/b)", "{}\n", "\n## {}\n")
    return ("\n".join([rng.choice(parts).format(_text(rng, 4)) for _ in range(size // 5 + 1)]),)


def _misspelt(rng: Random, size: int) -> tuple[Any, ...]:
    counts = {word: rng.randint(1, 9) for word in [*_words(rng, size), "bake", "tone", "kamino"]}
    return rng.choice(("bakr", "tnoe", "kaminos", "zzz", "bake")), counts


def _versions(rng: Random, size: int) -> tuple[Any, ...]:
    lines = [_text(rng, 3) for _ in range(size // 12 + 2)]
    other = [each for each in lines if rng.random() < 0.8]
    other.insert(rng.randint(0, len(other)), "new")
    return "\n".join(lines), "\n".join(other)


ARGUMENTS: dict[Callable[..., Any], Maker] = {
    words.byte_pairs: _pairs,
    words.train_byte_pairs: lambda rng, size: (_text(rng, size), size // 20 + 3),
    words.word_pieces: _pieces,
    words.tokens: _source,
    words.sentences: lambda rng, size: (_text(rng, size) + " At 3.5 Dr. X said so",),
    words.top_words: lambda rng, size: (_text(rng, size), 5),
    words.n_gram_counts: lambda rng, size: (_text(rng, size), rng.randint(1, 3)),
    words.inverted_index: _documents,
    words.weights: _documents,
    words.anagrams: lambda rng, size: (_words(rng, size) + ["listen", "silent", "Enlist"],),
    formats.requests: _log,
    formats.csv_rows: _csv,
    formats.settings: _settings,
    formats.query: _address,
    formats.rendered: _template,
    formats.plain: _page,
    formats.marked_up: _markdown,
    words.corrected: _misspelt,
    words.differences: _versions,
    words.wrapped: lambda rng, size: (_text(rng, size) + "\n\n" + _text(rng, size // 2), rng.randint(10, 80)),
}
