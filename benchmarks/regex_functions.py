"""What is done with regular expressions, one function a row of regex.py: as it is written for `re`."""

import re

WORDS = re.compile(r"\w+")
NUMBERS = re.compile(r"\d+(?:\.\d+)?")
DATES = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
CHOICE = re.compile(r"\b(?:the|and|for|with|that|this|from)\b")
TOKENS = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<text>\"[^\"]*\")|(?P<op>[-+*/=<>!]=?|[(){}\[\];,.])|(?P<space>\s+)"
)
LOG = re.compile(r'(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) (\S+) [^"]*" (\d{3}) (\d+|-)')
TAGS = re.compile(r"<(\w+)[^>]*>")
TWICE = re.compile(r"\b(\w+)\s+\1\b")
NESTED = re.compile(r"(?:\w+\s?)*=")
SPACES = re.compile(r"\s+")


def words(text):
    n = 0
    for m in WORDS.finditer(text):
        n += len(m.group())
    return n


def numbers(text):
    n = 0
    for m in NUMBERS.finditer(text):
        n += m.end() - m.start()
    return n


def dates(text):
    n = 0
    for m in DATES.finditer(text):
        n += int(m.group(1)) + int(m.group(2)) + int(m.group(3))
    return n


def mail(text):
    n = 0
    for m in MAIL.finditer(text):
        n += len(m.group())
    return n


def choice(text):
    n = 0
    for m in CHOICE.finditer(text):
        n += m.start()
    return n


def tokens(text):
    names = 0
    for m in TOKENS.finditer(text):
        if m.group("name") is not None:
            names += 1
    return names


def log(text):
    total = 0
    for line in text.split("\n"):
        m = LOG.match(line)
        if m:
            total += len(m.group(1)) + len(m.group(4)) + int(m.group(5))
    return total


def tags(text):
    n = 0
    for m in TAGS.finditer(text):
        n += len(m.group(1))
    return n


def twice(text):
    n = 0
    for m in TWICE.finditer(text):
        n += m.start()
    return n


def nested(text):
    n = 0
    for line in text.split("\n"):
        if NESTED.match(line[:14]):
            n += 1
    return n


def spaces(text):
    return SPACES.sub(" ", text)


def pieces(text):
    return WORDS.findall(text)
