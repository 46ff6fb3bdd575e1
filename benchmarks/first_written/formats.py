"""Text functions as they are first written: logs, tables, settings, addresses, templates, pages."""

from __future__ import annotations

import re
from collections import Counter

LOG_LINE = re.compile(r'(\S+) \S+ \S+ \[([^\]]+)\] "(\w+) (\S+)[^"]*" (\d{3}) (\d+|-)')
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def requests(lines):
    """Of a web server's log: requests and bytes for each status, and the hosts with most errors."""
    by_status = {}
    errors = Counter()
    skipped = 0
    for line in lines:
        match = LOG_LINE.match(line)
        if not match:
            skipped += 1
            continue
        host, _, _, path, status, size = match.groups()
        try:
            size = int(size)
        except ValueError:
            size = 0
        count, total = by_status.get(status, (0, 0))
        by_status[status] = (count + 1, total + size)
        if status.startswith(("4", "5")):
            errors[host, path] += 1
    return by_status, errors.most_common(3), skipped


def csv_rows(text, delimiter=","):
    """The rows of comma-separated values, with quoted fields, doubled quotes and line ends in fields."""
    rows, row, field = [], [], []
    quoted = False
    i = 0
    while i < len(text):
        ch = text[i]
        if quoted:
            if ch == '"':
                if text[i + 1 : i + 2] == '"':
                    field.append('"')
                    i += 1
                else:
                    quoted = False
            else:
                field.append(ch)
        elif ch == '"':
            quoted = True
        elif ch == delimiter:
            row.append("".join(field))
            field = []
        elif ch == "\n":
            row.append("".join(field))
            rows.append(row)
            row, field = [], []
        elif ch != "\r":
            field.append(ch)
        i += 1
    if field or row:
        row.append("".join(field))
        rows.append(row)
    return rows


def settings(text):
    """The sections of an ini file: {section: {key: value}}, values as int, float, bool where they are."""
    sections = {}
    current = sections.setdefault("default", {})
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split(";", 1)[0].strip()
        if not line:
            continue
        if line.startswith("[") and line.endswith("]"):
            current = sections.setdefault(line[1:-1].strip(), {})
            continue
        key, separator, value = line.partition("=")
        if not separator:
            raise ValueError("line %d: %r is no setting" % (number, line))
        value = value.strip()
        for kind in (int, float):
            try:
                value = kind(value)
                break
            except ValueError:
                pass
        else:
            if value.lower() in ("true", "false", "yes", "no"):
                value = value.lower() in ("true", "yes")
        current[key.strip().lower()] = value
    return sections


def query(url):
    """The parts of an address, its query as a dict of lists."""
    scheme, _, rest = url.partition("://")
    rest, _, fragment = rest.partition("#")
    rest, _, text = rest.partition("?")
    host, slash, path = rest.partition("/")
    name, _, port = host.partition(":")
    values = {}
    for pair in text.split("&"):
        if pair:
            key, _, value = pair.partition("=")
            values.setdefault(unquoted(key), []).append(unquoted(value))
    return {
        "scheme": scheme,
        "host": name,
        "port": int(port) if port else None,
        "path": slash + path,
        "query": values,
        "fragment": fragment,
    }


def unquoted(text):
    """The text without percent signs and plus signs."""
    parts = text.replace("+", " ").split("%")
    out = parts[0].encode()
    for part in parts[1:]:
        try:
            out += bytes([int(part[:2], 16)]) + part[2:].encode()
        except ValueError:
            out += b"%" + part.encode()
    return out.decode("utf-8", "replace")


def rendered(template, values):
    """A template with {{ name }}, {{ name|filter }}, and {% for x in xs %}...{% end %}."""
    filters = {"upper": str.upper, "title": str.title, "length": len, "escape": escaped}
    pieces = re.split(r"(\{\{.*?\}\}|\{%.*?%\})", template)

    def value_of(expression, scope):
        name, *steps = [part.strip() for part in expression.split("|")]
        value = scope
        for key in name.split("."):
            value = value[key]
        for step in steps:
            value = filters[step](value)
        return value

    def block(i, scope, out):
        while i < len(pieces):
            piece = pieces[i]
            i += 1
            if piece.startswith("{{"):
                out.append(str(value_of(piece[2:-2], scope)))
            elif piece.startswith("{%"):
                words = piece[2:-2].split()
                if words[0] == "end":
                    return i
                _, name, _, source = words
                end = i
                for item in value_of(source, scope):
                    end = block(i, {**scope, name: item}, out)
                i = end
            else:
                out.append(piece)
        return i

    out = []
    block(0, values, out)
    return "".join(out)


def escaped(text):
    """Text for HTML."""
    return "".join(ENTITIES.get(ch, ch) for ch in text)


def plain(page):
    """The text of an HTML page: tags, comments and scripts are gone, entities are characters."""
    page = re.sub(r"(?is)<(script|style)\b.*?</\1\s*>", " ", page)
    page = re.sub(r"(?s)<!--.*?-->", "", page)
    page = re.sub(r"<[^>]+>", " ", page)
    for ch, entity in ENTITIES.items():
        page = page.replace(entity, ch)
    page = re.sub(r"&#(\d+);", lambda match: chr(int(match.group(1))), page)
    return re.sub(r"\s+", " ", page).strip()


def marked_up(text):
    """HTML of a little Markdown: headings, lists, paragraphs, emphasis, code and links."""
    html, items = [], []

    def flush():
        if items:
            html.append("<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>")
            items.clear()

    for block in re.split(r"\n\s*\n", text.strip()):
        for line in block.split("\n"):
            line = escaped(line.rstrip())
            line = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", line)
            line = re.sub(r"`([^`]+)`", r"<code>\1</code>", line)
            line = re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', line)
            if heading := re.match(r"(#{1,6})\s+(.*)", line):
                flush()
                level = len(heading[1])
                html.append(f"<h{level}>{heading[2]}</h{level}>")
            elif line.startswith(("- ", "* ")):
                items.append(line[2:])
            elif line:
                flush()
                html.append(f"<p>{line}</p>")
        flush()
    return "\n".join(html)
