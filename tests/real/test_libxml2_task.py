"""libxml2 by its header: SAX with Python's functions in the handler's struct, its variadic error function, and the tree
of a document walked by the fields of its nodes; compared with Python's own parsers."""

from __future__ import annotations

import gc
import xml.etree.ElementTree as ElementTree
import xml.sax

import pytest
from support.leaks import assert_nothing_stays

import jitffi

DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<!-- of all planets -->
<planets unit="au" xmlns:s="http://example.org/s">
  <planet name="Merkur" s:far="0.387">first</planet>
  <planet name="Erde &#8853;"><moon name="Mond \u00f8"/>\u00fc<![CDATA[<raw>]]></planet>
</planets>
"""


@pytest.fixture(scope="module")
def xml2(bound_header):
    return bound_header(
        "libxml/parser.h", "xml2", "libxml2-dev", include_dirs=("/usr/include/libxml2",),
        keep_callbacks=("xmlSet*ErrorFunc",),
    )  # fmt: skip


class Events(xml.sax.ContentHandler):
    """What Python's own SAX parser tells."""

    def __init__(self):
        self.told = []

    def startElement(self, name, attributes):  # noqa: N802
        self.told.append(("start", name, dict(attributes)))

    def endElement(self, name):  # noqa: N802
        self.told.append(("end", name))

    def characters(self, content):
        self.told.append(content)


def joined(told):
    """With the text between two tags as one."""
    made = []
    for each in told:
        if isinstance(each, str) and made and isinstance(made[-1], str):
            made[-1] += each
        else:
            made.append(each)
    return made


def handler_of(xml2, told):
    """A handler that tells what it hears to the list *told*."""

    def start(context, name, attributes):
        texts = []
        while attributes and attributes[len(texts)]:
            texts.append(attributes[len(texts)].text())
        told.append(("start", name.text(), dict(zip(texts[::2], texts[1::2], strict=True))))

    return xml2.xmlSAXHandler(
        startElement=start,
        endElement=lambda context, name: told.append(("end", name.text())),
        characters=lambda context, text, size: told.append(text.text(size)),
        cdataBlock=lambda context, text, size: told.append(text.text(size)),
        error=lambda context, message: told.append(("error", message)),
        fatalError=lambda context, message: told.append(("error", message)),
        # An entity of the language itself; without this one libxml2 knows none.
        getEntity=lambda context, name: xml2.xmlGetPredefinedEntity(name),
    )


def parse(xml2, handler, text):
    return xml2.xmlSAXUserParseMemory(handler, None, text, len(text.encode()))


# -- SAX -------------------------------------------------------------------------------------------------------------


def test_events_are_those_of_pythons_parser(xml2):
    told, wanted = [], Events()
    handler = handler_of(xml2, told)
    gc.collect()  # the functions: nobody but the handler holds them
    assert parse(xml2, handler, DOCUMENT) == 0
    xml.sax.parseString(DOCUMENT.encode(), wanted)
    assert joined(told) == joined(wanted.told) and len(told) > 10


def test_error_function_gets_its_named_parameters(xml2):
    told = []
    assert parse(xml2, handler_of(xml2, told), "<a><b></a>") != 0
    assert [each for each in told if each[0] == "error"][0] == ("error", "%s")  # and what %s is, only C can read


def test_errors_as_structs(xml2):
    """By the handler of the second version, which gets all of an error."""
    found = []

    def structured(context, error):
        error = error.value
        found.append((xml2.xmlParserErrors(error.code), error.line, error.message.text().strip()))

    handler = xml2.xmlSAXHandler(initialized=xml2.XML_SAX2_MAGIC, serror=structured)
    assert parse(xml2, handler, "<a>\n<b></a>") != 0
    assert found[0][:2] == (xml2.XML_ERR_TAG_NAME_MISMATCH, 2) and "mismatch: b" in found[0][2]


def test_an_exception_comes_out_of_the_parser(xml2):
    def start(context, name, attributes):
        raise LookupError(name.text())

    with pytest.raises(LookupError, match="planets"):
        parse(xml2, xml2.xmlSAXHandler(startElement=start), DOCUMENT)
    assert parse(xml2, xml2.xmlSAXHandler(), DOCUMENT) == 0


def test_document_in_pieces(xml2):
    """The context has a copy of the struct's bytes: the handler is held until the context is gone."""
    told, wanted = [], Events()
    handler = handler_of(xml2, told)
    context = xml2.xmlCreatePushParserCtxt(handler, None, None, 0, "planets.xml")
    content = DOCUMENT.encode()
    for at in range(0, len(content), 7):
        assert xml2.xmlParseChunk(context, content[at : at + 7], len(content[at : at + 7]), 0) == 0
    assert xml2.xmlParseChunk(context, None, 0, 1) == 0
    assert context.value.wellFormed == 1 and context.value.input.value.filename == "planets.xml"
    xml2.xmlFreeParserCtxt(context)
    xml.sax.parseString(content, wanted)
    assert joined(told) == joined(wanted.told)


def test_handlers_leave_nothing_behind(xml2):
    def work():
        parse(xml2, handler_of(xml2, []), "<a b='1'>text<c></a>")

    assert_nothing_stays(work)


# -- the error function of the process ---------------------------------------------------------------------------------


def test_generic_error_function(xml2):
    messages = []
    xml2.xmlSetGenericErrorFunc(None, lambda context, message: messages.append(message))
    try:
        gc.collect()  # kept by the bound function
        assert xml2.xmlReadMemory("<a>", 3, None, None, 0) is None
    finally:
        xml2.xmlSetGenericErrorFunc(None, None)
    assert "Entity: line %d: " in messages and "%s" in messages
    count = len(messages)
    assert xml2.xmlReadMemory("<a>", 3, None, None, xml2.XML_PARSE_NOERROR) is None and len(messages) == count


def test_structured_error_function_and_the_last_error(xml2):
    found = []
    xml2.xmlSetStructuredErrorFunc(None, lambda user, error: found.append((error.value.domain, error.value.code)))
    try:
        assert xml2.xmlReadMemory("<a/><b/>", 8, "name.xml", None, 0) is None
    finally:
        xml2.xmlSetStructuredErrorFunc(None, None)
    assert found == [(xml2.XML_FROM_PARSER, xml2.XML_ERR_DOCUMENT_END)]
    last = xml2.xmlGetLastError().value
    assert last.file.text() == "name.xml" and (last.level, last.line) == (xml2.XML_ERR_FATAL, 1)
    xml2.xmlResetLastError()


# -- the tree ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def document(xml2):
    made = xml2.xmlReadMemory(DOCUMENT, len(DOCUMENT.encode()), "planets.xml", None, xml2.XML_PARSE_NOENT)
    yield made
    xml2.xmlFreeDoc(made)


def siblings(first):
    while first:
        yield first.value
        first = first.value.next


def qualified(node):
    return f"{{{node.ns.value.href.text()}}}{node.name.text()}" if node.ns else node.name.text()


def tree_of(xml2, node):
    """Tag, attributes, texts and children of a node, by its fields alone."""
    attributes = {qualified(each): each.children.value.content.text() for each in siblings(node.properties)}
    inside = []
    for child in siblings(node.children):
        if child.type == xml2.XML_ELEMENT_NODE:
            inside.append(tree_of(xml2, child))
        elif child.type in (xml2.XML_TEXT_NODE, xml2.XML_CDATA_SECTION_NODE):
            inside.append(child.content.text())
    return qualified(node), attributes, joined(inside)


def pythons(element):
    inside = [element.text or ""]
    for child in element:
        inside += [pythons(child), child.tail or ""]
    return element.tag, dict(element.attrib), [each for each in joined(inside) if each]


def test_tree_is_that_of_pythons_parser(xml2, document):
    root = xml2.xmlDocGetRootElement(document).value
    assert tree_of(xml2, root) == pythons(ElementTree.fromstring(DOCUMENT.encode()))
    assert root.doc == document and root.parent == document.value.children.value.parent
    assert document.value.encoding.text() == "UTF-8" and document.value.URL.text() == "planets.xml"
    comment = document.value.children.value
    assert xml2.xmlElementType(comment.type) is xml2.XML_COMMENT_NODE and comment.content.text() == " of all planets "


def test_a_document_is_made_and_dumped(xml2):
    document = xml2.xmlNewDoc(b"1.0")
    root = xml2.xmlNewDocNode(document, None, b"list", None)
    assert xml2.xmlDocSetRootElement(document, root) is None
    for word in ("one", "zw\u00f6lf & more"):
        child = xml2.xmlNewTextChild(root, None, b"item", word.encode())
        assert xml2.xmlNewProp(child, b"size", str(len(word)).encode()).value.parent == child
    memory, size = jitffi.new("ptr[u8]"), jitffi.new("i32")
    xml2.xmlDocDumpMemoryEnc(document, memory, size, "UTF-8")
    text = memory.value.text(size.value)
    xml2.xmlFree.value(memory.value)  # a variable, which holds a function
    xml2.xmlFreeDoc(document)
    made = ElementTree.fromstring(text)
    assert [(each.text, each.get("size")) for each in made] == [("one", "3"), ("zw\u00f6lf & more", "12")]
