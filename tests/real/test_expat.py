"""expat: a real XML file through handlers that are registered first and called later, against Python's own parser."""

from __future__ import annotations

import array
import ctypes
import gc
import html.entities
import io
import sysconfig
import weakref
import xml.parsers.expat
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest

CDEF = """
typedef struct XML_ParserStruct *XML_Parser;
typedef char XML_Char;

const XML_Char *XML_ExpatVersion(void);
XML_Parser XML_ParserCreate(const XML_Char *encoding);
void XML_ParserFree(XML_Parser parser);
int XML_GetErrorCode(XML_Parser parser);
const XML_Char *XML_ErrorString(int code);
unsigned long XML_GetCurrentLineNumber(XML_Parser parser);
"""
# Not from their prototypes. By its prototype XML_Parse takes a str; here it takes bytes. Names arrive as text instead
# of as an optional one, and attributes are a char**.
PARSE = "(parser: ptr, content: ptr[const void], size: i32, final: bool) -> i32"
SET_ELEMENT_HANDLER = (
    "(parser: ptr, start: optional[func[(data: ptr, name: cstr, attributes: ptr) -> void]], "
    "end: optional[func[(data: ptr, name: cstr) -> void]]) -> void"
)
SET_TEXT_HANDLER = "(parser: ptr, text: optional[func[(data: ptr, text: ptr, size: i32) -> void]]) -> void"
SET_COMMENT_HANDLER = "(parser: ptr, comment: optional[func[(data: ptr, text: cstr) -> void]]) -> void"


@pytest.fixture(scope="module")
def lib(system_library):
    return system_library("libexpat.so.1", "libexpat1", CDEF)


@pytest.fixture(scope="module")
def document() -> bytes:
    """The largest XML file of this Python's own tests, if they are installed; else one made of HTML's entities."""
    found = sorted(Path(sysconfig.get_path("stdlib")).rglob("test/**/*.xml"), key=lambda path: path.stat().st_size)
    if found and found[-1].stat().st_size > 1000:
        return found[-1].read_bytes()
    return entities_document()


def entities_document() -> bytes:
    out = io.StringIO()
    out.write('<?xml version="1.0" encoding="utf-8"?>\n<!-- named characters -->\n<entities>\n')
    for name, text in html.entities.html5.items():
        out.write(f"  <entity name={quoteattr(name)} length='{len(text)}'>{escape(text)}</entity>\n")
    out.write("</entities>\n")
    return out.getvalue().encode()


class Parser:
    """A parser by the C interface; it records what it is told, the way that `reference` does."""

    def __init__(self, lib) -> None:
        self.lib = lib
        self.events: list[tuple] = []
        self.handle = lib.XML_ParserCreate(None)
        self.parse_some = lib.bind("XML_Parse", PARSE)
        self.set_elements = lib.bind("XML_SetElementHandler", SET_ELEMENT_HANDLER, keep_callbacks=True)
        self.set_text = lib.bind("XML_SetCharacterDataHandler", SET_TEXT_HANDLER, keep_callbacks=True)
        self.set_comment = lib.bind("XML_SetCommentHandler", SET_COMMENT_HANDLER, keep_callbacks=True)

    def start(self, data, name, attributes) -> None:
        pairs = []
        while (text := ctypes.c_char_p.from_address(attributes + 8 * len(pairs)).value) is not None:
            pairs.append(text.decode())
        self.events.append(("start", name, dict(zip(pairs[::2], pairs[1::2], strict=True))))

    def end(self, data, name) -> None:
        self.events.append(("end", name))

    def text(self, data, text, size) -> None:
        self.events.append(("text", ctypes.string_at(text, size).decode()))

    def comment(self, data, text) -> None:
        self.events.append(("comment", text))

    def listen(self) -> None:
        self.set_elements(self.handle, self.start, self.end)
        self.set_text(self.handle, self.text)
        self.set_comment(self.handle, self.comment)

    def parse(self, content: bytes, final: bool = True) -> int:
        return self.parse_some(self.handle, content, len(content), final)


@pytest.fixture
def parser(lib):
    made = Parser(lib)
    yield made
    lib.XML_ParserFree(made.handle)


def reference(content: bytes) -> list[tuple]:
    events: list[tuple] = []
    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: events.append(("start", name, attributes))
    parser.EndElementHandler = lambda name: events.append(("end", name))
    parser.CharacterDataHandler = lambda text: events.append(("text", text))
    parser.CommentHandler = lambda text: events.append(("comment", text))
    parser.Parse(content, True)
    return events


def joined(events: list[tuple]) -> list[tuple]:
    """Runs of text as one: where they are cut is the parser's affair."""
    out: list[tuple] = []
    for event in events:
        if event[0] == "text" and out and out[-1][0] == "text":
            out[-1] = ("text", out[-1][1] + event[1])
        else:
            out.append(event)
    return out


def test_version(lib):
    assert lib.XML_ExpatVersion().startswith("expat_")


def test_file_of_the_machine(parser, document):
    parser.listen()
    gc.collect()  # the handlers are bound methods: nobody but the bound functions holds them
    assert parser.parse(document) == 1
    assert joined(parser.events) == joined(reference(document))
    assert len(parser.events) > 10


def test_large_document_in_pieces(parser):
    content = entities_document()
    parser.listen()
    for at in range(0, len(content), 1000):
        assert parser.parse(content[at : at + 1000], at + 1000 >= len(content)) == 1
    assert joined(parser.events) == joined(reference(content))
    assert sum(event[0] == "start" for event in parser.events) == len(html.entities.html5) + 1


def test_handler_that_raises_comes_out_of_parse(parser):
    def start(data, name, attributes):
        parser.events.append(("start", name))
        if name == "b":
            raise LookupError(f"no <{name}> here")

    parser.set_elements(parser.handle, start, parser.end)
    with pytest.raises(LookupError, match="no <b> here") as caught:
        parser.parse(b"<a><b/><c/></a>")
    assert parser.events == [("start", "a"), ("start", "b")], "handlers after the first error do not run"
    assert caught.traceback[-1].name == "start"


def test_handlers_can_be_exchanged_and_taken_away(parser):
    other: list[str] = []
    parser.set_elements(parser.handle, parser.start, parser.end)
    assert parser.parse(b"<a>", False) == 1
    parser.set_elements(parser.handle, lambda data, name, attributes: other.append(name), None)
    assert parser.parse(b"<b></b>", False) == 1
    parser.set_elements(parser.handle, None, None)
    assert parser.parse(b"<c/></a>") == 1
    assert parser.events == [("start", "a", {})] and other == ["b"]


def test_handlers_live_with_the_bound_function(lib):
    handle = lib.XML_ParserCreate(None)
    set_comment = lib.bind("XML_SetCommentHandler", SET_COMMENT_HANDLER, keep_callbacks=True)

    def comment(data, text):
        raise AssertionError("not reached")

    gone = weakref.ref(comment)
    set_comment(handle, comment)
    del comment
    gc.collect()
    assert gone() is not None
    lib.XML_ParserFree(handle)
    del set_comment
    gc.collect()
    assert gone() is None


def test_errors_of_the_parser(parser):
    assert parser.parse(b"<a>\n<b>\n</a>") == 0
    assert parser.lib.XML_ErrorString(parser.lib.XML_GetErrorCode(parser.handle)) == "mismatched tag"
    assert parser.lib.XML_GetCurrentLineNumber(parser.handle) == 3
    assert parser.lib.XML_ErrorString(9999) is None


def test_content_of_any_buffer(lib):
    parse = lib.bind("XML_Parse", PARSE)
    for kind in (bytes, bytearray, memoryview, lambda content: array.array("b", content)):
        handle = lib.XML_ParserCreate("utf-8")
        assert parse(handle, kind(b"<a>text</a>"), 11, final=True) == 1
        lib.XML_ParserFree(handle)


def test_text_by_the_prototype(lib):
    parse = lib.bind("XML_Parse", "int XML_Parse(void *parser, const char *s, int len, int isFinal);")
    handle = lib.XML_ParserCreate("utf-8")
    assert parse(handle, "<a>\u20ac</a>", 10, 1) == 1
    lib.XML_ParserFree(handle)
