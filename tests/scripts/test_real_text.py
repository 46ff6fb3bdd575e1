"""Functions that prepare text, on real text of many scripts: what Python and Debian ship, and generated samples."""

# ruff: noqa: E501, B905

from __future__ import annotations

import gettext
import itertools
import os
import random
import unicodedata
from pathlib import Path

import pytest

import jitffi
from tests.scripts import text_functions
from tests.scripts.many import outcome
from tests.support import leaks

MOST = 6000
LIBRARY = Path(os.__file__).parent
#: Scripts by how their characters' names begin.
SCRIPTS = {
    "latin": ("LATIN",), "cyrillic": ("CYRILLIC",), "greek": ("GREEK",), "arabic": ("ARABIC",), "hebrew": ("HEBREW",),
    "devanagari": ("DEVANAGARI",), "thai": ("THAI",), "cjk": ("CJK UNIFIED", "HIRAGANA", "KATAKANA"), "hangul": ("HANGUL SYLLABLE",),
    "emoji": ("GRINNING", "FACE", "SMILING", "CAT", "DOG", "FLAG", "HEART", "EMOJI"), "combining": ("COMBINING",),
    "mathematical": ("MATHEMATICAL",), "georgian": ("GEORGIAN",), "armenian": ("ARMENIAN",),
}  # fmt: skip
#: Languages whose translations are looked for.
LANGUAGES = {
    "latin": ("fr", "de", "pl", "tr", "vi"), "cyrillic": ("ru", "uk", "bg"), "greek": ("el",), "arabic": ("ar", "fa"),
    "hebrew": ("he",), "devanagari": ("hi",), "thai": ("th",), "cjk": ("ja", "zh_CN"), "hangul": ("ko",),
    "georgian": ("ka",), "armenian": ("hy",),
}  # fmt: skip


def generated(script):
    """Words, lines and punctuation of the script's characters."""
    rng = random.Random(script)
    known = [chr(c) for c in range(0x20, 0x30000) if unicodedata.name(chr(c), "").startswith(SCRIPTS[script])]
    assert len(known) > 20, script
    words = []
    for _ in range(700):
        word = "".join(rng.choices(known, k=rng.randint(1, 8)))
        if script in ("combining", "emoji"):
            word = "".join(itertools.chain.from_iterable(zip("aEö漢x" * 2, word)))
        words.append(
            word
            + rng.choice(
                ["", "", "", ",", ". ", "!", "。", "؟", '"', "\n", "\r\n", "=12 ", ": ", "_ab", "\u200d", "\ufe0f"]
            )
        )
    return " ".join(words)[:MOST]


def translated(language):
    """What a program's catalogue says in that language."""
    found = []
    for path in sorted(Path("/usr/share/locale").glob(f"{language}/LC_MESSAGES/*.mo")):
        try:
            with path.open("rb") as file:
                catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        except (OSError, ValueError, IndexError):  # not readable, or not such a file
            continue
        found += [text for text in catalogue.values() if isinstance(text, str)][:200]
        if sum(map(len, found)) > MOST:
            break
    return "\n".join(found)[:MOST]


def files():
    """Text that Python and Debian ship, by where it is."""
    places = [
        *sorted(LIBRARY.glob("test/cjkencodings/*-utf8.txt")), LIBRARY / "idlelib/help.html", LIBRARY / "idlelib/News3.txt",
        LIBRARY / "LICENSE.txt", LIBRARY / "pydoc_data/topics.py", LIBRARY / "test/test_unicode.py",
        LIBRARY / "lib2to3/Grammar.txt", LIBRARY / "this.py", LIBRARY / "csv.py",
        Path("/usr/share/common-licenses/GPL-3"), Path("/usr/share/common-licenses/Apache-2.0"),
        Path("/usr/share/i18n/locales/ru_RU"), Path("/usr/share/zoneinfo/zone1970.tab"), Path("/usr/share/zoneinfo/tzdata.zi"),
        *sorted(Path("/usr/share/gnupg").glob("help.*.txt"))[:6], *sorted(Path("/usr/share/tcltk").glob("t*/msgs/*.msg"))[::6],
        *sorted(Path("/usr/share/perl").glob("*/unicore/NamedSequences.txt")), Path("/etc/services"), Path("/etc/mime.types"),
    ]  # fmt: skip
    found = {}
    for path in places:
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):  # not there, or in another encoding
            continue
        middle = len(text) // 3 if len(text) > 2 * MOST else 0
        found[path.name] = text[middle : middle + MOST]
    return found


@pytest.fixture(scope="module")
def scripts():
    leaks.settle()
    return [(each, jitffi.script(each)) for each in text_functions.FUNCTIONS]


def compare(scripts, text):
    for function, script in scripts:
        assert outcome(script, (text,)) == outcome(function, (text,)), function.__name__
    before = leaks.live_objects()
    for _, script in scripts:
        script(text)
    assert leaks.live_objects() == before


@pytest.mark.parametrize("script", SCRIPTS)
def test_generated_text(scripts, script):
    compare(scripts, generated(script))


@pytest.mark.parametrize("script", LANGUAGES)
def test_translations(scripts, script):
    found = [text for language in LANGUAGES[script] if (text := translated(language))]
    if not found:
        pytest.skip(f"no translations into {', '.join(LANGUAGES[script])} are installed")
    for text in found:
        compare(scripts, text)


def test_files(scripts):
    found = files()
    if not found:
        pytest.skip("neither Python's tests nor Debian's documentation are installed")
    for name, text in found.items():
        assert text, name
        compare(scripts, text)


def test_no_text(scripts):
    for text in ("", " ", "\n", "a", '"', "é", "🙂", "\x00", 'a,b\n"c""d",e'):
        compare(scripts, text)


def test_lone_surrogates_are_errors(scripts):
    """Text that has no UTF-8 is no text of scripts: the interpreter takes it."""
    python, script = scripts[0]
    with pytest.raises(UnicodeError):
        jitffi.script(python, strict=True)("a\ud800b")
    assert script("a\ud800b") == python("a\ud800b")


def test_functions_with_arguments():
    """Those that the others call, called alone."""
    rows = {
        "fields": [("a,b",), ('"a""b",c',), ('"a',), ("é;日", ";"), ("", "x", "y")],
        "slug": [("Ab Cd -- é!",), ("Привет, мир", 4), ("", 0)],
        "distance": [("kitten", "sitting"), ("", "abc"), ("日本", "本日"), ("a" * 50, "b" * 60)],
        "ngrams": [("abcabc",), ("日本語日本", 2), ("ab", 5), ("ab", 0)],
        "rotated": [("Hello, мир", 13), ("xyz", -3), ("abc",)],
        "camel": [("a_bc_D",), ("",), ("_x_",)],
        "is_palindrome": [("абба",), ("ab",), ("",)],
        "log_line": [("host 12: error a=1 b=x",), ("none",)],
    }
    for name, calls in rows.items():
        function = getattr(text_functions, name)
        script = jitffi.script(function)
        for call in calls:
            assert outcome(script, call) == outcome(function, call), (name, call)
